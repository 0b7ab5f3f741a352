"""What the modules behind `tests/test_fact_names.py` promise each other."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from test_fact_names import BOUNDS, CUDA, ONE, PLAIN, PYTHON, TWO, claims, run

import symlayout as sl
from symlayout.checks.config import read_config
from symlayout.layouts.claim import Claim
from symlayout.layouts.naming import has_size


def test_what_is_printed_can_be_pasted(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "c.json"
    typed = "prove injective 'f32[N]' --where 'N % B == 0' --symbol B"
    code, text = run(f"{typed} --json --certificate {file}", capsys)
    where = json.loads(text)["claims"][0]["where"]
    assert (code, where) == (0, ["N % B == 0", "symbol B"])
    claim = Claim("injective", ("f32[N]",), (), tuple(where))
    assert str(claim) == "injective 'f32[N]' --where 'N % B == 0' --symbol B"
    assert Claim.parse(str(claim)).facts == claim.facts
    assert run(f"prove {claim}", capsys)[0] == 0
    assert run(f"recheck {file} --claim {shlex.quote(str(claim))}", capsys)[0] == 0
    verdict = sl.prove.injective("f32[N]", where=where)
    assert verdict.command.endswith("--symbol B")
    assert run(verdict.command.removeprefix("symlayout "), capsys)[0] == 0


@pytest.mark.parametrize(
    ("text", "sizes", "words"),
    [
        ("strided f32[M,N] strides(S,1) offset 4", "MNS", ("strided", "offset", "f32")),
        ("Swizzle<2,0,3> o (M,1):(1,S)", "MS", ("Swizzle", "o")),
        ("bf16[M,N]{1,0:T(8,128)}", "MN", ("T", "bf16")),
        ("zN(f16,R,C)", "RC", ("zN", "f16")),
        ("map i < M if i < K: q = i; q in N", "MKN", ("map", "if", "in", "i", "q")),
        ("linear i [[1]*2**k] -> x 2**k", "k", ("linear",)),
        ("einops b (h d) -> b h d, h=H, b=B, d=D", "", ("einops",)),
    ],
)
def test_words_of_a_notation_are_no_sizes(text: str, sizes: str, words: tuple[str, ...]) -> None:
    assert all(has_size(text, n) for n in sizes)
    assert not any(has_size(text, w) for w in words)


GOOD_FILES = [
    f'[facts]\nwhere = ["N % BLOCK == 0"]\n{ONE}{TWO}',  # the other claim has it
    f'[facts]\nwhere = ["N % BLOK == 0"]\nsymbols = ["BLOK"]\n{ONE}{TWO}',
    f'[facts]\nwhere = ["N % BLOK == 0", "BLOK >= 4"]\n{TWO}',
    f'{TWO}where = ["N % BLOK == 0"]\nsymbols = ["BLOK"]\n',
    f'{TWO}where = ["N % BLOK == 0", "symbol BLOK"]\n',
    f'[facts]\nsymbols = ["BLOK", "Q"]\nwhere = ["N % BLOK == 0"]\n{TWO}',
    f'[facts]\nwhere = ["N % BLOK == 0"]\n{TWO}where = ["M % BLOK == 0"]\n',
]


@pytest.mark.parametrize("text", GOOD_FILES)
def test_a_file_whose_facts_know_their_names(text: str, tmp_path: Path, capsys: Any) -> None:
    file = claims(tmp_path, text)
    code, said = run(f"check {file} --no-cache --json", capsys)
    assert code == 0, said
    for c in json.loads(said)["claims"]:  # what a report says can be asked alone
        claim = Claim.from_json(c)
        assert run(f"prove {claim}", capsys)[0] == 0


def test_settings_have_symbols(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.symlayout]\nsymbols = ["B"]\n')
    assert [o.text for o in read_config(tmp_path).where] == ["symbol B"]


@pytest.mark.parametrize(("name", "source"), [("k.py", PYTHON), ("k.cu", CUDA)])
def test_a_contract_introduces_symbols(name: str, source: str, tmp_path: Path, capsys: Any) -> None:
    mark = "#" if name.endswith("py") else "//"
    for line in ("symbol k", "symbol k, m"):
        change = {"fact": f"{BOUNDS}, n == 8*k", "more": f"\n{mark}   {line}"}
        (tmp_path / name).write_text(source.format(**(PLAIN | change)))
        code, text = run(f"check {tmp_path / name} --no-cache --json", capsys)
        assert code == 0, text
        for c in json.loads(text)["claims"]:
            assert run(f"prove {Claim.from_json(c)}", capsys)[0] == 0
    change = {"fact": "n == 8*k", "more": f"\n{mark}   symbol 2k"}
    (tmp_path / name).write_text(source.format(**(PLAIN | change)))
    assert run(f"check {tmp_path / name} --no-cache", capsys)[0] == 2
