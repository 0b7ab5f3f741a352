"""Linear index and coordinates are inverse to each other, for every layout."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from xla_random import memory, shapes, with_symbols

from symlayout import LayoutError
from symlayout.expr.terms import symbol, value
from symlayout.layouts.xla import coordinates_to_linear, linear_to_coordinates, read_shape


def place(shape, offset):
    """The coordinates there, or None in padding."""
    try:
        return linear_to_coordinates(shape, offset)
    except LayoutError as error:
        assert_padding(error)
        return None


def assert_padding(error):
    assert error.code == "SL400"
    assert "padding" in error.message


@settings(max_examples=80, deadline=None)
@given(shapes(least=1))
def test_every_place_of_the_buffer_holds_its_element_or_padding(shape):
    for offset, number in enumerate(memory(shape).reshape(-1).tolist()):
        if offset % 7 and number < 0:
            continue
        wanted = None if number < 0 else tuple(np.unravel_index(number, shape.dims))
        assert place(shape, offset) == wanted


@settings(max_examples=60, deadline=None)
@given(shapes(least=1))
def test_the_symbolic_inverse_is_right_on_every_element(shape):
    symbolic, env = with_symbols(shape)
    exprs = linear_to_coordinates(symbolic, symbol("l"))
    for number, c in enumerate(product(*map(range, shape.dims))):
        if number % 13 == 0:
            at = coordinates_to_linear(shape, *c)
            assert tuple(value(e, {**env, "l": at}) for e in exprs) == c


@pytest.mark.parametrize(
    "text", ["bf16[M,N]{1,0:T(8,128)(2,1)}", "f32[M,N]{0,1:T(4,2)}", "f32[M,N]{0,1}"]
)
def test_the_inverse_of_the_index_map_agrees(text):
    sizes = {"M": 9, "N": 131}
    shape = read_shape(text)
    (linear,) = shape.index_map().inverse().coords
    ours, theirs = linear_to_coordinates(shape, linear), shape.index_map().inverse().exprs
    for c in product(range(0, 9, 2), range(0, 131, 13)):
        at = shape.index_map().reference(c, sizes)
        point = {**sizes, linear.name: at}
        assert tuple(value(e, point) for e in ours) == c
        assert tuple(value(e, point) for e in theirs) == c


def test_untiled_digits_in_minor_to_major_order():
    m, n, linear = symbol("M"), symbol("N"), symbol("l")
    assert [str(e) for e in linear_to_coordinates("f32[M,N,K]{1,0,2}", linear)] == [
        "(l//N)%M",
        "l%N",
        "(l//N)//M",
    ]
    assert linear_to_coordinates((m, n), linear) == linear_to_coordinates("f32[M,N]", linear)


def test_both_directions_on_the_worked_number():
    shape = read_shape("f32[3,5]{1,0:T(2,2)}")
    assert coordinates_to_linear(shape, 2, 3) == 17
    assert linear_to_coordinates(shape, 17) == (2, 3)
    assert coordinates_to_linear("b(f32[3,5]{1,0:T(2,2)})", 2, 3) == 17


@pytest.mark.parametrize(
    ("layout", "linear", "words"),
    [
        ("f32[3,5]{1,0:T(2,2)}", 9, "padding"),
        ("f32[3,5]{1,0:T(2,2)}", 24, "not in"),
        ("f32[3,5]{1,0:T(2,2)}", -1, "not in"),
        ("f32[2,3]{0,1:PAD(3,5)}", 2, "padding"),
        ("f32[10]{0:L(8)}", 12, "padding"),
        ("f32[5,0]{1,0:T(2,2)}", 0, "no elements"),
        ("f32[5,N]", -1, "not in"),
    ],
)
def test_places_that_hold_no_element(layout, linear, words):
    with pytest.raises(LayoutError, match=words) as error:
        linear_to_coordinates(layout, linear)
    assert error.value.code == "SL400"


@pytest.mark.parametrize(
    ("layout", "coords", "code"),
    [
        ("f32[3,5]", (3, 0), "SL400"),
        ("f32[3,5]", (0, -1), "SL400"),
        ("f32[3,5]", (0,), "SL108"),
        ("(f32[3], f32[4])", (0,), "SL100"),
        ("token[]", (), "SL100"),
        ("f32[?]", (0,), "SL402"),
    ],
)
def test_coordinates_that_mean_nothing(layout, coords, code):
    with pytest.raises(LayoutError) as error:
        coordinates_to_linear(layout, *coords)
    assert error.value.code == code
