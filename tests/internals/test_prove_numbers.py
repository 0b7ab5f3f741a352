"""Layouts of numbers alone: what is said of them at once is what their definitions give."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symlayout import parse, prove
from symlayout.errors import LayoutError
from symlayout.prove.numbers import fits, of_numbers, same_places


@st.composite
def layouts(draw):
    """A layout of up to three dimensions and three tiles, of small numbers."""
    dims = draw(st.lists(st.sampled_from([0, 1, 2, 3, 4, 6, 8]), max_size=3))
    order = draw(st.permutations(range(len(dims))))
    tile = st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=3)
    tiles = draw(st.lists(tile, max_size=3))
    text = "".join(f"({','.join(map(str, t))})" for t in tiles)
    tail = draw(st.sampled_from(["", "L(4)"]))
    properties = (f"T{text}" if text else "") + tail
    layout = ",".join(map(str, order)) + (f":{properties}" if properties else "")
    return f"f32[{','.join(map(str, dims))}]{{{layout}}}"


def places(shape):
    """The places of all elements, by the definition in plain integers."""
    m = shape.index_map()
    return sorted(m.reference(c, {}) for c in product(*[range(int(d)) for d in shape.dims]))


@given(layouts())
def test_every_element_has_a_place_of_its_own_in_the_buffer(text):
    shape = of_numbers(text, ())
    assume(shape is not None)
    assert fits(shape)
    found = places(shape)
    assert len(set(found)) == len(found)
    assert all(0 <= at < shape.buffer_size for at in found)
    assert prove.valid(text).proved


@given(layouts(), layouts())
def test_the_same_places_are_the_same_places(first, second):
    a, b = of_numbers(first, ()), of_numbers(second, ())
    if same_places(a, b) is not None:
        assert places(a) == places(b)
        assert a.buffer_size == b.buffer_size
        assert prove.reinterpret(first, second).proved


@given(layouts())
def test_a_layout_has_its_own_places(text):
    shape = of_numbers(text, ())
    how = same_places(shape, shape)
    assert how in (None, "the same array")
    assert how is not None or 0 in shape.dims or len(shape.tiles) > 1


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("f32[8]{0:T(4)(3)}", "f32[8]{0:T(4)(3)}", None),  # the smaller tile does not fit in
        ("f32[3,6,64]{2,1,0:T(8,128)}", "f32[3,384]{1,0}", None),
        ("f32[6,64]{1,0:T(1,128)}", "f32[6,64]{1,0:T(2,64)}", None),
        ("bf16[3,384]{1,0:T(1,128)}", "bf16[3,6,64]{2,1,0}", "a reshape to [3,6,64]"),
        ("f32[8,128]{1,0}", "f32[8,128]{1,0:L(2048)}", None),
        ("f32[4]{0}", "s16[4]{0}", None),
    ],
)
def test_what_lies_in_the_same_places(a, b, same):
    assert same_places(parse(a), parse(b)) == same


@pytest.mark.parametrize("text", ["f32[M]{0}", "f32[<=4]{0}", "f32[4]{0:T(T)}", "(4,2):(1,4)"])
def test_only_numbers_are_decided_at_once(text):
    assert of_numbers(text, ()) is None
    assert of_numbers("f32[4]{0}", "N >= 1") is None


def test_a_budget_is_looked_at_whatever_the_layout():
    with pytest.raises(LayoutError, match="SL502"):
        prove.valid("f32[4]{0}", budget=0)
    with pytest.raises(LayoutError, match="SL502"):
        prove.reinterpret("f32[4]{0}", "f32[4]{0}", budget=0)
    with pytest.raises(LayoutError, match="SL301"):
        prove.valid("f32[4]{0}", "N >= 3")
