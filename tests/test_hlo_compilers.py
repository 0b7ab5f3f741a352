"""What compilers of today print: right modules are proved, wrong ones refuted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symlayout import prove
from symlayout.programs.hlo.claims import claims_of
from symlayout.programs.hlo.reader import read_module

FOLDERS = Path(__file__).parent / "data" / "dumps" / "folders"
STORED = sorted(FOLDERS.glob("*/*after_optimizations.txt"))


def refutations(text: str) -> list[str]:
    """The claims of a module that are not proved; it is read whole."""
    made = claims_of(read_module(text))
    assert made.problems == ()
    verdicts = [(c, getattr(prove, c.word)(*c.arguments, **dict(c.options))) for c in made.claims]
    return [f"{c.word} {c.arguments}: {v.reason}" for c, v in verdicts if not v.proved]


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_nothing_of_a_stored_dump_is_refuted(file):
    assert refutations(file.read_text()) == []


CONSTRAINED = """HloModule m, is_scheduled=true
ENTRY e {{ x = {operand} parameter(0)
  ROOT y = f32[8]{{0}} custom-call(x), custom_call_target="g", operand_layout_constraints={{{wish}}} }}"""


@pytest.mark.parametrize(
    ("operand", "wish", "good"),
    [
        # a constraint is older than tiles and memory spaces
        ("f32[64,128]{1,0:T(8,128)}", "f32[64,128]{1,0}", True),
        ("bf16[64,128]{1,0:T(8,128)(2,1)S(1)}", "bf16[64,128]{1,0}", True),
        ("s4[64,128]{1,0:T(64,128)(8,1)E(4)}", "s4[64,128]{1,0}", True),
        ("f32[]{:T(128)S(6)}", "f32[]", True),
        ("f32[3,5,7]{0,2,1:T(8,128)}", "f32[3,5,7]{0,2,1}", True),
        ("(f32[4,6]{1,0:T(4,128)}, s32[3]{0:T(128)S(1)})", "(f32[4,6]{1,0}, s32[3]{0})", True),
        # an order of dimensions of which one alone has elements side by side
        ("f32[1,128]{0,1:T(1,128)}", "f32[1,128]{1,0}", True),
        ("f32[5,1,1]{0,1,2:T(1,128)}", "f32[5,1,1]{2,1,0}", True),
        # what has tiles asks for them, in any memory space
        ("f32[64,128]{1,0:T(8,128)S(1)}", "f32[64,128]{1,0:T(8,128)}", True),
        ("f32[64,128]{1,0:T(8,128)}", "f32[64,128]{1,0:T(8,128)S(5)}", True),
        ("f32[64,200]{1,0:T(4,128)}", "f32[64,200]{1,0:T(8,128)}", False),
        ("f32[64,200]{1,0}", "f32[64,200]{1,0:T(8,128)}", False),
        # another order
        ("f32[64,128]{0,1:T(8,128)}", "f32[64,128]{1,0}", False),
        ("f32[64,128]{1,0:T(8,128)S(1)}", "f32[64,128]{0,1}", False),
        ("f32[3,5,7]{0,1,2}", "f32[3,5,7]{2,1,0}", False),
        ("(f32[4,6]{1,0:T(4,128)}, s32[3,2]{0,1})", "(f32[4,6]{1,0}, s32[3,2]{1,0})", False),
    ],
)
def test_a_constraint_is_about_the_order_of_dimensions(operand, wish, good):
    text = CONSTRAINED.format(operand=operand, wish=wish)
    hits = refutations(text)
    assert (hits == []) is good, hits
    assert all(line.startswith("equal") for line in hits)
    before = text.replace("is_scheduled=true", "is_scheduled=false")
    assert refutations(before) == []


def test_a_pallas_kernel_has_constraints_that_are_compared():
    (file,) = (FOLDERS / "v5e.pallas").glob("*after_optimizations.txt")
    text = file.read_text()
    assert "operand_layout_constraints" in text
    words = [c.word for c in claims_of(read_module(text)).claims]
    assert "equal" in words
    other = text.replace("={f32[512,512]{1,0}", "={f32[512,512]{0,1}")
    assert other != text
    (line,) = refutations(other)
    assert line.startswith("equal")


def test_the_folders_of_the_stored_dumps_are_counted():
    counts = json.loads((FOLDERS / "memory.json").read_text())
    assert {f.parent.name for f in STORED} == set(counts)
