"""Properties of internal modules; `tests/test_indexmap.py` tests the public interface."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_indexmap import LAW, SHAPES, arrays, places

from symlayout import CoordMap, IndexMap, LayoutError, parse
from symlayout.expr.terms import FloorDiv, Mod, ceildiv, coordinate_symbols, symbol, value
from symlayout.layouts.indexmap import row_major_coords, row_major_number

M, N, K, i, j, k = (symbol(n) for n in "MNKijk")

DIVIDED = IndexMap((M,), (i,), FloorDiv(N, N * i - 2), 9)


def test_a_divisor_may_be_on_either_side_of_0():
    assert DIVIDED.evaluate([3, 0, 1], M=4, N=1).tolist() == [1, -1, -1]
    assert DIVIDED.evaluate([[0], [1]], M=4, N=5).tolist() == [[-3], [1]]


@given(arrays(), st.data())
@LAW
def test_tiles_split_every_coordinate(pair, data):
    m, view = pair
    tile = [data.draw(st.integers(1, 3)) for _ in view.shape]
    tiled = m.tile(tile)
    counts = [-(-d // t) for d, t in zip(view.shape, tile)]
    assert tiled.shape == (*counts, *tile)
    for at in list(np.ndindex(view.shape))[:40]:
        outer = [c // t for c, t in zip(at, tile)]
        inner = [c % t for c, t in zip(at, tile)]
        assert (
            value(tiled._raw, dict(zip([c.name for c in tiled.coords], outer + inner))) == view[at]
        )


def test_evaluate_broadcasts_its_arrays():
    m = IndexMap.row_major((M, N))
    made = m.evaluate(np.arange(3)[:, None], np.arange(4)[None, :], M=3, N=4)
    assert made.dtype == np.int64
    assert (made == np.arange(12).reshape(3, 4)).all()
    assert m.evaluate(2, 3, M=3, N=4) == 11
    assert m.evaluate([], [], M=3, N=4).shape == (0,)
    assert m.evaluate(np.uint8([255]), [0], M=256, N=300).tolist() == [255 * 300]


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4), st.integers(1, 4))
@LAW
def test_symbolic_sizes_agree_with_numbers(m, n, s, t):
    symbolic = parse("f32[M,N]{1,0:T(s,t)}").index_map()
    concrete = parse(f"f32[{m},{n}]{{1,0:T({s},{t})}}").index_map()
    sizes = {"M": m, "N": n, "s": s, "t": t}
    assert (places(symbolic, **sizes) == places(concrete)).all()
    assert (symbolic.buffer(**sizes) == concrete.buffer()).all()
    for at in product(range(m), range(n)):
        assert value(symbolic.offset(*at), sizes) == concrete.offset(*at)


def test_offsets_of_symbols_are_expressions():
    m = IndexMap.row_major((M, N))
    assert m.offset(i, j) == N * i + j
    assert m.offset(2, 3) == 2 * N + 3
    assert m.offset(M - 1, N - 1).expand() == M * N - 1
    tiled = parse("f32[M,N]{1,0:T(8,128)}").index_map()
    one_column = tiled.under("N <= 128")
    assert one_column == 128 * tiled.coords[0] + tiled.coords[1]


def test_the_formula_is_the_raw_one_simplified():
    m = IndexMap.row_major((M, N)).reshape((M * N,)).reshape((M, N))
    assert m._raw.has(FloorDiv, Mod)
    assert m.formula == N * m.coords[0] + m.coords[1]


def test_maps_are_values():
    a, b = IndexMap.row_major((M, N)), IndexMap.row_major((M, N))
    assert a == b
    assert hash(a) == hash(b)
    assert a != IndexMap.row_major((N, M))
    with pytest.raises(AttributeError):
        a.size = 3


# -- padding --------------------------------------------------------------------------------------


def test_padding_makes_the_holes_addressable():
    m = IndexMap.strided((3, 5), (8, 1), size=24)
    grown = m.pad((3, 8))
    assert grown.shape == (3, 8)
    assert (places(grown) == np.arange(24).reshape(3, 8)).all()
    tiled = parse("f32[M,N]{1,0:T(8,128)}").index_map()
    whole = tiled.pad((8 * ceildiv(M, 8), 128 * ceildiv(N, 128)))
    assert sorted(places(whole, M=9, N=130).ravel()) == list(range(16 * 256))


@pytest.mark.parametrize(
    ("m", "shape"),
    [
        (IndexMap.strided((3, 5), (8, 1), size=24), (3, 9)),
        (IndexMap.strided((3, 5), (8, 1), size=24), (4, 8)),
        (IndexMap.strided((3, 5), (5, 1)), (3, 6)),
        (IndexMap.row_major((M, N)), (M, N + 1)),
        (IndexMap.row_major((M, N)), (M,)),
    ],
)
def test_padding_that_leaves_the_buffer_or_collides(m, shape):
    with pytest.raises(LayoutError) as e:
        m.pad(shape)
    assert e.value.code == "SL403"


# -- coordinates ----------------------------------------------------------------------------------


@given(SHAPES)
@LAW
def test_linear_numbers_and_coordinates_are_inverse(shape):
    for number in range(prod(shape)):
        at = row_major_coords(number, shape)
        assert tuple(map(int, at)) == tuple(
            map(int, np.unravel_index(number, shape) if shape else ())
        )
        assert row_major_number(at, shape) == number


def test_coordinate_names_avoid_sizes():
    assert coordinate_symbols(0) == ()
    assert coordinate_symbols(3) == (i, j, k)
    assert [c.name for c in coordinate_symbols(4)] == ["i0", "i1", "i2", "i3"]
    assert [c.name for c in coordinate_symbols(2, ["i", "i0"])] == ["i_0", "i_1"]


def test_a_coordinate_map_calls_reshapes_and_transposes():
    m = CoordMap.identity((6, 4)).reshape((3, 8))
    for at in product(range(6), range(4)):
        number = at[0] * 4 + at[1]
        assert m(*at) == (number // 8, number % 8)
    turned = CoordMap.identity((M, N, K)).transpose((2, 0, 1))
    assert turned.sizes == (K, M, N)
    assert turned(1, 2, 3) == (3, 1, 2)
    assert turned.index_map().size == M * N * K


# -- errors ---------------------------------------------------------------------------------------

ROWS = IndexMap.row_major((M, N))

SMALL = IndexMap.row_major((3, 4))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: SMALL.offset(3, 0), "SL400"),
        (lambda: SMALL.offset(0, -1), "SL400"),
        (lambda: SMALL.offset(0), "SL108"),
        (lambda: SMALL.offset(0, 0, 0), "SL108"),
        (lambda: SMALL.offset(0, 1.5), "SL203"),
        (lambda: ROWS.offset(-1, 0), "SL400"),
        (lambda: SMALL.evaluate([0, 3], [0, 0]), "SL400"),
        (lambda: SMALL.evaluate([0, -1], [0, 0]), "SL400"),
        (lambda: IndexMap.strided((2**40,), (3,)).evaluate(np.int32([-1])), "SL400"),
        (lambda: IndexMap.strided((2**40,), (3,)).evaluate(np.int32([-1] * 2000)), "SL400"),
        (lambda: SMALL.evaluate([0.5], [0]), "SL203"),
        (lambda: SMALL.evaluate([0]), "SL108"),
        (lambda: ROWS.evaluate([0], [0], M=3), "SL402"),
        (lambda: ROWS.evaluate([0], [0], M=3, N=4, Q=5), "SL402"),
        (lambda: ROWS.buffer(M=3), "SL402"),
        (lambda: DIVIDED.evaluate([1], M=3), "SL402"),
        (lambda: DIVIDED.evaluate([3, 1], M=4, N=2), "SL202"),
        (lambda: DIVIDED.evaluate([0, 1, 2], M=4, N=1), "SL202"),
        (lambda: ROWS.buffer(M=2**20, N=2**20), "SL405"),
        (lambda: ROWS.evaluate([2**40 - 1], [0], M=2**40, N=2**40), "SL401"),
        (lambda: IndexMap.row_major((2**62, 4)).evaluate([2**61 + 2**60], [3]), "SL401"),
        (lambda: IndexMap((), (), symbol("M") * 0 + 2**64, 1).evaluate(), "SL401"),
        (lambda: IndexMap.strided((4,), (3,), size=4).buffer(), "SL400"),
        (lambda: IndexMap.strided((4,), (1, 2)), "SL107"),
        (lambda: SMALL.reshape((5, 3)), "SL403"),
        (lambda: ROWS.reshape((M, N, 2)), None),
        (lambda: ROWS.reshape((M * N + 1,)), "SL403"),
        (lambda: SMALL.transpose((0, 0)), "SL403"),
        (lambda: SMALL.transpose((0,)), "SL403"),
        (lambda: SMALL.slice((0,), (1,)), "SL403"),
        (lambda: SMALL.slice((0, 2), (3, 3)), "SL400"),
        (lambda: SMALL.slice((-1, 0), (2, 2)), "SL400"),
        (lambda: SMALL.slice((0, 0), (2, 3), (2, 2)), "SL400"),
        (lambda: SMALL.tile((2,)), "SL403"),
        (lambda: SMALL.tile((0, 2)), "SL202"),
        (lambda: SMALL.compose(CoordMap.identity((3,))), "SL403"),
        (lambda: CoordMap.identity((3, 4)).pad((2, 4)), "SL403"),
        (lambda: CoordMap.identity((3, 4)).pad((3,)), "SL403"),
        (lambda: CoordMap.identity((3, 4))(1), "SL108"),
        (lambda: IndexMap((3, 4), (i,), i, 12), "SL403"),
        (lambda: IndexMap((symbol("i"),), (i,), i, 3), "SL403"),
    ],
)
def test_errors(call, code):
    if code is None:
        assert call().shape == (M, N, 2)  # a count that differs for some sizes only is no error
        return
    with pytest.raises(LayoutError) as e:
        call()
    assert e.value.code == code
