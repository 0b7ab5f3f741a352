"""Derivations: the pad, reshape and transpose steps, and the terms of the linear index."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from xla_random import memory, shapes

from symlayout import LayoutError, prove, xla


def test_every_kind_of_step_is_named():
    text = "f32[2,3]{0,1:PAD(2,4)=0T(2,*,3)(2)L(64)}"
    operations = [s.operation for s in xla.derive(text).steps]
    for word in ("the array", "PAD(2,4)", "physical order", "leading 1s", "* merges", "L(64)"):
        assert any(word in o for o in operations), word
    assert [o.split(":")[0] for o in operations if "whole tiles" in o] == ["T(2,*,3)", "T(2)"]
    for o in operations:
        assert o in str(xla.derive(text))


def test_the_text_names_formula_and_size():
    shown = str(xla.derive("bf16[M,N]{1,0:T(8,128)(2,1)}"))
    assert "  = i//8     * 1024*ceildiv(N, 128)\n" in shown
    assert "  + (i%8)%2  * 1\n" in shown
    assert "2048*ceildiv(M, 8)*ceildiv(N, 128) bytes" in shown


@settings(max_examples=40, deadline=None)
@given(shapes(max_rank=2, max_levels=1))
def test_concrete_steps_give_the_same_buffer(shape):
    made = xla.derive(shape).index_map()
    assert made.size == memory(shape).size
    for number, c in enumerate(product(*map(range, shape.dims))):
        assert memory(shape).flat[made.offset(*c)] == number


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("f32[M,N]{1,0:T(s,t)}", []),
        ("bf16[M,N]{0,1:T(8,128)(2,1)}", []),
        ("f32[a,b,c]{2,1,0:T(s,*,t)}", []),
        ("f32[a,b]{1,0:T(p,q,r)L(n)}", []),
        ("s4[N]{0:T(1024)(128)(8,1)E(4)}", []),
        ("f32[M,N]{1,0:PAD(P,Q)T(2,2)}", ["P >= M", "Q >= N"]),
        ("f32[8,8]{1,0:T(2,4)(2,1,1,1)}", []),
    ],
)
def test_the_tile_formula_is_proved_equal_to_the_steps(text, where):
    layout = xla.read_shape(text)
    verdict = prove.equal(layout.index_map(), xla.pad_reshape_transpose(layout), where=where)
    assert verdict.status == "proved", verdict.reason


@pytest.mark.parametrize("text", ["token[]", "(f32[2], f32[3])", "f32[3,?]", "f32[4]{0:T(0)}"])
def test_what_has_no_derivation(text):
    with pytest.raises(LayoutError):
        xla.derive(text)


def test_a_lenient_reading_without_meaning_has_no_derivation():
    with pytest.raises(LayoutError, match="twice"):
        xla.derive(xla.read_shape("f32[4,4]{1,1}", lenient=True))
