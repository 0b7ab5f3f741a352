"""Properties of internal modules; `tests/test_xla_layout.py` tests the public interface."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from xla_random import memory, shapes, with_symbols

from symlayout import LayoutError, parse, xla
from symlayout.expr.evaluation import evaluate
from symlayout.expr.terms import symbol, value


def test_combined_dimensions_are_the_merged_shape():
    a = parse("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}").index_map()
    b = parse("f32[112,110]{1,0:T(2,3)}").index_map()
    assert a.size == b.size
    c = np.random.default_rng(1).integers(0, [2, 7, 8, 11, 10], (200, 5))
    merged = (c[:, 0] * 56 + c[:, 1] * 8 + c[:, 2], c[:, 3] * 10 + c[:, 4])
    assert (evaluate(a._raw, dict(zip(map(str, a.coords), c.T)), {}) == b.evaluate(*merged)).all()


def test_tail_padding():
    assert parse("f32[10]{0:L(8)}").index_map().size == 16
    assert parse("f32[10]{0:T(4)L(8)}").index_map().size == 16
    assert parse("f32[10]{0:L(1)}").index_map().size == 10
    symbolic = parse("f32[N]{0:L(n)}").index_map()
    assert value(symbolic.size, {"N": 10, "n": 4}) == 12


def test_elements_smaller_than_a_byte_pack():
    assert parse("s4[5]{0:E(4)}").byte_size == 3
    assert parse("s4[5]").byte_size == 3
    assert parse("s4[5]{0:E(8)}").byte_size == 5
    assert parse("u1[9]").byte_size == 2
    assert value(parse("s4[N]").byte_size, {"N": 5}) == 3
    assert parse("s4[N]{0:E(4)}").index_map().bits == 4


def test_ranks():
    assert (parse("f32[3,1,0]").rank, parse("f32[3,1,0]").true_rank) == (3, 1)
    rank = parse("f32[M,1,<=5]").true_rank
    assert [value(rank, {"M": m}) for m in (0, 1, 2, 9)] == [1, 1, 2, 2]
    assert parse("f32[M,N]").size_of(-1) == symbol("N")
    with pytest.raises(LayoutError, match="none is 2"):
        parse("f32[M,N]").size_of(2)


def test_dynamic_sizes():
    bounded = parse("f32[<=N,4]{1,0:T(2,2)}")
    assert bounded.dims == (xla.Dynamic(symbol("N")), 4)
    assert bounded.index_map()._raw == parse("f32[N,4]{1,0:T(2,2)}").index_map()._raw
    with pytest.raises(LayoutError, match="dimension 1 of") as error:
        parse("f32[3,?]").index_map()
    assert "<=N" in error.value.help


# -- random layouts -------------------------------------------------------------------------------


@pytest.mark.explore
@settings(max_examples=300, deadline=None)
@given(shapes())
def test_formula_size_and_buffer_agree_with_numpy(shape):
    wanted = memory(shape)
    m = shape.index_map()
    assert m.size == (0 if 0 in shape.dims else wanted.size)  # no element, no buffer
    numbers = np.arange(int(np.prod(shape.dims)))
    coords = np.unravel_index(numbers, shape.dims) if shape.rank else ()
    if numbers.size:
        offsets = evaluate(m._raw, dict(zip(map(str, m.coords), coords)), {})
        assert (wanted[offsets] == numbers).all()
        by_definition = [m.reference(c, {}) for c in product(*map(range, shape.dims))]
        assert by_definition == np.broadcast_to(offsets, numbers.shape).tolist()


@settings(max_examples=120, deadline=None)
@given(shapes(least=1))
def test_symbolic_sizes_and_tile_sizes_agree_with_numpy(shape):
    symbolic, env = with_symbols(shape)
    m, wanted = symbolic.index_map(), memory(shape)
    assert set(m.symbols) == set(env)
    assert value(m.size, env) == wanted.size
    for number, c in enumerate(product(*map(range, shape.dims))):
        if number % 17 == 0:
            at = value(m._raw, {**env, **{s.name: x for s, x in zip(m.coords, c)}})
            assert wanted[at] == number
            assert m.reference(c, env) == at


def test_coordinate_symbols_keep_clear_of_tile_symbols():
    m = xla.read_shape("f32[M,N]{1,0:T(i,j)}").index_map()
    assert not {str(c) for c in m.coords} & {"i", "j", "M", "N"}
    assert m.symbols == ("M", "N", "i", "j")


def test_building_is_cheap_where_numbers_settle_it():
    m = xla.read_shape("f32[4,100]{1,0:T(8,128)}").index_map()
    assert str(m._raw) == "128*i + j"


def test_shapes_are_values():
    a, b = (
        xla.read_shape("f32[M,4]{1,0:T(2,2)}"),
        xla.Shape("F32", [symbol("M"), 4], [1, 0], [[2, 2]]),
    )
    assert a == b
    assert hash(a) == hash(b)
    assert xla.read_shape("f32[2,3]{1,0}") == xla.read_shape("f32[2,3]")
    assert xla.Shape("f32", (2, 3), (-1, -2)).minor_to_major == (1, 0)
    assert a.index_map() is a.index_map()
