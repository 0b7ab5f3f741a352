"""Type checkers know what comes out, and flag words that are misspelt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

GOOD = """
from typing import Literal, assert_type
import symlayout as sl
from symlayout.layouts.xla import Shape
from symlayout.prove.verdict import Verdict
from symlayout.prove.when.answer import Condition

a = sl.parse("f32[M,N]")
m = a.index_map()
assert_type(m, sl.IndexMap)
v = sl.prove.injective(a, where="M > 1", budget=5)
assert_type(v, Verdict)
assert_type(v.status, Literal["proved", "refuted", "unknown", "vacuous"])
c = sl.when.injective(a, where=["M > 1"])
assert_type(c, Condition)
assert_type(c.strength, Literal["exact", "sufficient", "necessary", "unknown", "vacuous"])
sl.prove.bytes(a, 4)
sl.when.condition("bytes", a, 4)
assert_type(sl.emit.emit(m, "c"), str)

def own(s: Shape) -> None:
    assert_type(sl.parse(s), Shape)
"""

# each line is flagged, with the word that is wrong
BAD = {
    'sl.prove.injectiv("f32[M]")': "injectiv",
    'sl.when.injectiv("f32[M]")': "injectiv",
    'sl.when.condition("injectiv", "f32[M]")': "injectiv",
    'sl.prove.injective("f32[M]", were="M > 1")': "were",
    'sl.prove.injective("f32[M]").stats': "stats",
    'sl.prove.injective("f32[M]").status == "prooved"': "prooved",
    'sl.when.injective("f32[M]").strength == "exakt"': "exakt",
    'sl.prove.formula("f32[M]", "i", language="rust")': "rust",
    'sl.prove.broadcast("f32[M]", "f32[M]", dialect="jax")': "jax",
    'sl.emit.emit(sl.parse("f32[M]"), "pyton")': "pyton",
    'sl.simplfy("i")': "simplfy",
    'sl.tla.compositon("4:1", "4:1")': "",
}


def checked(folder: Path, text: str) -> str:
    """What mypy says of a file's text."""
    file = folder / "user.py"
    file.write_text(text)
    out, _, _ = api.run(["--strict", "--cache-dir", str(folder / "cache"), str(file)])
    return out


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    lines = "\n".join(BAD)
    return checked(tmp_path_factory.mktemp("typing"), f"{GOOD}\n{lines}\n")


@pytest.mark.explore
def test_what_is_right_is_known(told: str) -> None:
    first = GOOD.count("\n") + 2
    wrong = [line for line in told.splitlines() if _line(line) < first]
    assert wrong == []


@pytest.mark.parametrize("line", BAD)
def test_what_is_misspelt_is_flagged(told: str, line: str) -> None:
    at = GOOD.count("\n") + 2 + list(BAD).index(line)
    said = [x for x in told.splitlines() if _line(x) == at and "error:" in x]
    assert any(BAD[line] in x for x in said), told


def _line(said: str) -> int:
    found = re.search(r"user\.py:(\d+):", said)
    return int(found[1]) if found else 1 << 30
