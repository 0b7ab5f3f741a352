"""What the modules behind `tests/test_hlo_unread.py` promise each other."""

from __future__ import annotations

import re

import pytest

from symlayout import hlo


@pytest.mark.parametrize(
    ("opcode", "instruction", "understood"),
    [
        ("compare", "pred[4] compare(a, a), direction=LT", True),
        ("compare", "pred[4] compare(a, a), direction=GE, type=TOTALORDER", True),
        ("compare", "pred[4] compare(a, a), direction=XX", False),
        ("compare", "pred[4] compare(a, a), direction=lt", False),
        ("fusion", "f32[4] fusion(a), kind=kInput, calls=c", True),
        ("fusion", "f32[4] fusion(a), kind=kOdd, calls=c", False),
        ("fusion", "f32[4] fusion(a), kind=Loop, calls=c", False),
    ],
)
def test_a_word_that_no_compiler_writes_leaves_no_claim(opcode, instruction, understood):
    text = (
        "HloModule m\nc { q = f32[4] parameter(0) ROOT n = f32[4] negate(q) }\n"
        f"ENTRY e {{ a = f32[4] parameter(0) ROOT r = {instruction} }}\n"
    )
    made = hlo.claims_of(hlo.read_module(text))
    assert made.problems == ()
    assert any(f"{opcode}(" in c.arguments[0] for c in made.claims) is understood
    assert made.not_checked.get(opcode, 0) == (not understood)


INDEXED = {
    "gather": (
        "f32[2,8] gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={1,8}"
    ),
    "scatter": (
        "f32[4,8] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=c"
    ),
}


@pytest.mark.parametrize("opcode", INDEXED)
def test_what_a_gather_or_scatter_needs_is_there(opcode):
    head = (
        "HloModule m\nc { q = f32[] parameter(0) s = f32[] parameter(1) ROOT n = f32[] add(q, s) }\n"
        "ENTRY e { a = f32[4,8] parameter(0) i = s32[2,1] parameter(1) u = f32[2,8] parameter(2)\n"
    )
    first, *attributes = re.split(r", (?=[a-z_]+=)", INDEXED[opcode])
    whole = f"{head}  ROOT r = {', '.join([first, *attributes])} }}\n"
    assert hlo.claims_of(hlo.read_module(whole)).problems == ()
    assert len(attributes) == 5
    for k, word in enumerate(attributes):
        rest = ", ".join([first, *attributes[:k], *attributes[k + 1 :]])
        (problem,) = hlo.claims_of(hlo.read_module(f"{head}  ROOT r = {rest} }}\n")).problems
        assert word.partition("=")[0] in problem.message
