"""Linear index and coordinates are inverse to each other, for every layout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from xla_random import memory, shapes

from symlayout import LayoutError, xla


def place(shape, offset):
    """The coordinates there, or None in padding."""
    try:
        return xla.linear_to_coordinates(shape, offset)
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


def test_both_directions_on_the_worked_number():
    shape = xla.read_shape("f32[3,5]{1,0:T(2,2)}")
    assert xla.coordinates_to_linear(shape, 2, 3) == 17
    assert xla.linear_to_coordinates(shape, 17) == (2, 3)
    assert xla.coordinates_to_linear("b(f32[3,5]{1,0:T(2,2)})", 2, 3) == 17


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
        xla.linear_to_coordinates(layout, linear)
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
        xla.coordinates_to_linear(layout, *coords)
    assert error.value.code == code
