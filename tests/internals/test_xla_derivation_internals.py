"""Properties of internal modules; `tests/test_xla_derivation.py` tests the public interface."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from xla_random import at_point, memory, shapes, with_symbols

from symlayout import xla
from symlayout.expr.terms import ceildiv, symbol, value

M, N = symbol("M"), symbol("N")


def test_the_steps_of_one_tile_on_symbolic_sizes():
    steps = xla.derive("f32[M,N]{1,0:T(8,128)}").steps
    rows, columns = ceildiv(M, 8), ceildiv(N, 128)
    assert [s.sizes for s in steps] == [
        (M, N),
        (8 * rows, 128 * columns),
        (rows, 8, columns, 128),
        (rows, columns, 8, 128),
    ]
    assert "transpose by (0,2,1,3)" in steps[-1].operation


@settings(max_examples=120, deadline=None)
@given(shapes(least=1))
def test_steps_and_terms_agree_with_numpy(shape):
    symbolic, env = with_symbols(shape)
    made, wanted = xla.derive(symbolic), memory(shape)
    m, defined = made.index_map(), symbolic.index_map()
    assert (m.shape, m.coords, m.bits) == (defined.shape, defined.coords, defined.bits)
    assert value(m.size, env) == value(made.size, env) == wanted.size
    for number, c in enumerate(product(*map(range, shape.dims))):
        if number % 11 == 0:
            point = {**env, **{s.name: x for s, x in zip(m.coords, c)}}
            by_terms = sum(value(t.coordinate * t.stride, point) for t in made.terms)
            assert wanted.flat[by_terms] == number
            assert at_point(m._raw, point) == by_terms


def test_the_steps_keep_clear_of_tile_symbols():
    m = xla.pad_reshape_transpose("f32[M,N]{1,0:T(i,j)}")
    assert m.coords == xla.read_shape("f32[M,N]{1,0:T(i,j)}").index_map().coords
    assert set(m.symbols) == {"M", "N", "i", "j"}
