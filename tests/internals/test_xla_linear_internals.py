"""Properties of internal modules; `tests/test_xla_linear.py` tests the public interface."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from xla_random import shapes, with_symbols

from symlayout import xla
from symlayout.expr.terms import symbol, value


@settings(max_examples=60, deadline=None)
@given(shapes(least=1))
def test_the_symbolic_inverse_is_right_on_every_element(shape):
    symbolic, env = with_symbols(shape)
    exprs = xla.linear_to_coordinates(symbolic, symbol("l"))
    for number, c in enumerate(product(*map(range, shape.dims))):
        if number % 13 == 0:
            at = xla.coordinates_to_linear(shape, *c)
            assert tuple(value(e, {**env, "l": at}) for e in exprs) == c


@pytest.mark.parametrize(
    "text", ["bf16[M,N]{1,0:T(8,128)(2,1)}", "f32[M,N]{0,1:T(4,2)}", "f32[M,N]{0,1}"]
)
def test_the_inverse_of_the_index_map_agrees(text):
    sizes = {"M": 9, "N": 131}
    shape = xla.read_shape(text)
    (linear,) = shape.index_map().inverse().coords
    ours, theirs = xla.linear_to_coordinates(shape, linear), shape.index_map().inverse().exprs
    for c in product(range(0, 9, 2), range(0, 131, 13)):
        at = shape.index_map().reference(c, sizes)
        point = {**sizes, linear.name: at}
        assert tuple(value(e, point) for e in ours) == c
        assert tuple(value(e, point) for e in theirs) == c


def test_untiled_digits_in_minor_to_major_order():
    m, n, linear = symbol("M"), symbol("N"), symbol("l")
    assert [str(e) for e in xla.linear_to_coordinates("f32[M,N,K]{1,0,2}", linear)] == [
        "(l//N)%M",
        "l%N",
        "(l//N)//M",
    ]
    assert xla.linear_to_coordinates((m, n), linear) == xla.linear_to_coordinates(
        "f32[M,N]", linear
    )
