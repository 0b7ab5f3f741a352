"""`2^k` and number `^` number look like powers and are exclusive ors: sizes and facts refuse them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout.__main__ import main

TYPED = [
    ("prove injective 'f32[M,N]' --where 'M*N <= 2^31'", "2^31 is 29 (exclusive or); write 2**31"),
    ("when injective 'f32[M,N]' --where 'M*N <= 2^31'", "write 2**31"),
    ("prove bounded 'f32[M,N]' 2^20", "2^20 is 22 (exclusive or); write 2**20"),
    ("prove aligned 'f32[M,N]' 2^4", "write 2**4"),
    ("prove bytes 'f32[M,N]' 2^k", "write 2**k"),
    ("prove tiles 'f32[64,64]' 2^4,16", "write 2**4"),
    ("prove tiles 'f32[64,64]' 16,16 --at 2^3,q", "write 2**3"),
    ("formula 'f32[M,N]' --at 2^3,1", "write 2**3"),
    ("formula 'f32[M,N]' --where 'M <= 2^9'", "write 2**9"),
    ("derive 'f32[M,N]' --where 'M <= 2^9'", "write 2**9"),
    ("show 'f32[M,N]' --where 'M <= 2^9'", "write 2**9"),
    ("show 'f32[M,N]' --size M=2^3", "the size M is a whole number"),
    ("prove bijective 'linear i [[1]*2^k] -> 2**k'", "write 2**k"),
    ("prove bijective 'linear i [[1]*2**k] -> 2 ^ (k+m)'", "write 2**(k+m)"),
    ("prove bijective 'linear i [[2^3]*2**k] -> 2**k'", "write 2**3"),
    ("prove bijective 'linear i [[1]*2 ^ 3]'", "write 2**3"),
    ("formula 'linear i [[1]*2^3]'", "write 2**3"),
]


@pytest.mark.parametrize(("typed", "said"), TYPED)
def test_a_power_on_the_command_line_is_refused(typed: str, said: str, capsys: Any) -> None:
    assert main(shlex.split(typed)) == 2
    assert said in capsys.readouterr().err


CLAIMS = [
    "[[claim]]\nprove = \"bounded 'f32[n]' 2^20\"\n",
    '[[claim]]\nprove = "injective \'f32[n]\'"\nwhere = ["n <= 2^20"]\n',
    '[facts]\nwhere = ["n <= 2^20"]\n[[claim]]\nprove = "injective \'f32[n]\'"\n',
    '[layouts]\na = "f32[2^20]"\n[[claim]]\nprove = "injective a"\n',
    "[[claim]]\nprove = \"injective 'f32[2^{k},n]'\"\nfor = { k = [3] }\n",
    '[maps.m]\ndomain = "i < n"\nresult = ["i + 2^3"]\n[[claim]]\nprove = "injective m"\n',
]


@pytest.mark.parametrize("text", CLAIMS)
def test_a_power_in_a_claims_file_is_refused(text: str, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_text(text)
    assert main(["check", str(file), "--no-cache"]) == 2
    out = capsys.readouterr()
    assert "exclusive or" in out.out + out.err


# what is an exclusive or without doubt: of coordinates, of names, and in source code
KEPT = [
    ("i ^ j", lambda i, j: i ^ j),
    ("i ^ 2", lambda i, j: i ^ 2),
    ("i^40", lambda i, j: i ^ 40),
    ("(i//2) ^ i", lambda i, j: i // 2 ^ i),
    ("i//2 ^ i", lambda i, j: i // 2 ^ i),
    ("i%2 ^ 2*j", lambda i, j: i % 2 ^ 2 * j),
    ("i*2 ^ 1", lambda i, j: i * 2 ^ 1),
    ("i**2 ^ j", lambda i, j: i**2 ^ j),
    ("(i << 2) ^ 3", lambda i, j: i << 2 ^ 0 if False else (i << 2) ^ 3),
    ("7 ^ i", lambda i, j: 7 ^ i),
    ("4 ^ 2*i", lambda i, j: 4 ^ 2 * i),
    ("i ^ (2 ** 3)", lambda i, j: i ^ 8),
    ("int64(2) ^ i", lambda i, j: 2 ^ i),
]


@pytest.mark.parametrize(("text", "plain"), KEPT, ids=[t for t, _ in KEPT])
def test_an_exclusive_or_of_coordinates_stays(text: str, plain: Any) -> None:
    f = sl.parse(f"map i < 16, j < 16: {text}")
    for i in range(16):
        for j in range(16):
            assert f.at((i, j), {}) == (plain(i, j),)


def test_source_code_keeps_its_exclusive_or(tmp_path: Path, capsys: Any) -> None:
    """In a traced function, below a comment, and in kernels: `2 ^ i` is what code computes."""
    f = sl.index_map(lambda i: 2 ^ i, {"i": 8}, 8)
    assert sl.prove.bijective(f).proved
    assert sl.prove.bijective(str(f)).proved
    assert sl.prove.formula("map i < 8: i ^ 2", "2 ^ i", language="python").proved
    assert sl.prove.formula("f32[8]", "(2 ^ i) + 2*(i & 2) - 2", language="c").proved
    for file, end in ("a.py", ""), ("a.c", ";"):
        mark = "#" if end == "" else "//"
        comment = f'{mark} symlayout: formula "f32[8]" coords i\n'
        (tmp_path / file).write_text(f"{comment}y = (2 ^ i) + 2*(i & 2) - 2{end}\n")
        assert main(["check", str(tmp_path / file), "--no-cache"]) == 0
    for number, status in (("2", 0), ("16", 1)):
        kernel = tmp_path / "a.cu"
        kernel.write_text(
            "// symlayout: kernel grid (1,) block (8,)\n//   y is f32[8] written once\n"
            f"__global__ void f(float* y) {{ y[{number} ^ threadIdx.x] = 1; }}\n"
        )
        assert main(["check", str(kernel), "--no-cache"]) == status
    capsys.readouterr()


@given(st.integers(-9, 99), st.integers(-9, 99))
@settings(max_examples=60, deadline=None)
def test_what_is_printed_reads_back(a: int, b: int) -> None:
    e = sl.index_map(lambda i: (a ^ i) + (i ^ b), {"i": 64})
    again = sl.parse(str(e))
    i = np.arange(64)
    expected = (a ^ i) + (i ^ b)
    assert [again.at((int(k),), {})[0] for k in i] == expected.tolist()
