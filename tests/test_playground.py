"""What the playground's page asks: answered by the package, mistakes said, nothing evaluated."""

from __future__ import annotations

import ast
import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

SPEC = spec_from_file_location("bridge", ROOT / "playground" / "bridge.py")

assert SPEC is not None

assert SPEC.loader is not None

bridge = module_from_spec(SPEC)

SPEC.loader.exec_module(bridge)

TILES = "f32[M,N]{1,0:T(8,128)}"

ROUNDED = "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128"


def asked(what: str, **question: str) -> Any:
    return json.loads(bridge.answer(json.dumps({"ask": what, **question})))


def examples() -> list[tuple[str, ...]]:
    text = (ROOT / "playground" / "app.js").read_text(encoding="utf-8")
    found = re.search(r"const EXAMPLES = (\[.*?\n\]);", text, re.S)
    assert found is not None
    return [tuple(row) for row in ast.literal_eval(found[1])]


@pytest.mark.parametrize("row", examples(), ids=lambda row: row[0])
def test_every_example_of_the_page_has_a_picture_and_a_verdict(row: tuple[str, ...]) -> None:
    _, layout, word, arguments, facts = row
    question = {"layout": layout, "word": word, "arguments": arguments, "facts": facts}
    seen = asked("look", **question)
    assert seen["model"]["title"]
    assert set(seen["code"]) == {"python", "c", "latex"}
    verdict = asked("judge", **question)
    assert verdict["status"] in ("proved", "refuted")
    if verdict["sizes"]:
        found = asked("condition", **question)
        assert found["strength"] in ("exact", "sufficient"), found


def test_the_command_is_the_one_that_was_answered() -> None:
    made = asked("judge", layout=TILES, word="formula", arguments=ROUNDED, facts="N % 128 == 0\n\n")
    assert made["status"] == "proved"
    assert (
        made["command"] == f"symlayout prove formula '{TILES}' '{ROUNDED}' --where 'N % 128 == 0'"
    )


def test_a_shared_link_brings_its_sizes_and_facts_choose_them() -> None:
    sizes = asked("look", layout=TILES, sizes="M=40,N=1000,K=3")["model"]["sizes"]
    assert [row[:2] for row in sizes] == [["M", 40], ["N", 1000]]
    sizes = asked("look", layout=TILES, facts="N == 384")["model"]["sizes"]
    assert ["N", 384] in [row[:2] for row in sizes]


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ({"ask": "look", "layout": "f32[M"}, "SL101"),
        ({"ask": "look", "layout": "__import__('os')"}, "SL"),
        ({"ask": "judge", "layout": "f32[M]", "word": "nice"}, "SL502"),
        ({"ask": "judge", "layout": "f32[M]", "word": "equal", "arguments": "f32[("}, "SL"),
        ({"ask": "judge", "layout": "f32[M]", "word": "injective", "facts": "M >"}, "SL"),
        ({"ask": "look", "layout": "f32[" + "(" * 30_000}, "SL"),
    ],
)
def test_mistakes_are_answers(question: dict[str, str], code: str) -> None:
    made = json.loads(bridge.answer(json.dumps(question)))
    assert made["code"].startswith(code)
    assert made["error"]


def test_the_page_lets_nothing_else_run() -> None:
    policy = re.search(
        r'Policy" content="([^"]*)"', (ROOT / "playground" / "index.html").read_text()
    )
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "'unsafe-inline'" not in policy[1]
    assert "'unsafe-eval'" not in policy[1]


def test_arguments_are_what_was_written() -> None:
    made = asked("judge", layout="f32[N,M]", word="bitcast", arguments="f32[M,N]{0,1} --perm 1,0")
    assert made["status"] == "proved", made
    assert made["command"] == "symlayout prove bitcast 'f32[N,M]' 'f32[M,N]{0,1}' --perm 1,0"
    made = asked("judge", layout="f32[N]", word="formula", arguments="-i")
    assert (made["status"], made["sizes"]) == ("refuted", {"N": 2})


def test_no_text_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fact that ends elsewhere is another one."""
    blanks = " " * bridge.LONGEST
    made = asked("judge", layout="f32[N]", word="bounded", facts=f"N <= 4{blanks}and N >= 9")
    assert made["error"] == "facts has more than 20,000 characters"
    monkeypatch.setattr(bridge, "judge", lambda question: question["no such key"])
    made = asked("judge", layout="f32[N]")
    assert (made["code"], "KeyError" in made["error"]) == ("SL900", True)
