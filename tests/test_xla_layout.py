"""XLA layouts: the documents' worked numbers, real compilers' bytes, and NumPy as a referee."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from xla_random import memory, shapes, with_symbols

from symlayout import LayoutError, parse
from symlayout.expr.evaluation import evaluate
from symlayout.expr.terms import symbol, value
from symlayout.layouts.xla import Dynamic, Shape, read_shape

DATA = Path(__file__).parent / "data"


def rows(name):
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(file))


def grid(text):
    """The offset of every element, as nested lists."""
    m = parse(text).index_map()
    return np.array([m.offset(*c) for c in np.ndindex(*m.shape)]).reshape(m.shape).tolist()


def literal_buffer(text):
    return parse(text).index_map().buffer().tolist()


# -- worked numbers -------------------------------------------------------------------------------


def test_minor_to_major_says_which_dimension_is_minor():
    assert literal_buffer("f32[2,3]{0,1}") == [0, 3, 1, 4, 2, 5]  # a d b e c f
    assert literal_buffer("f32[2,3]{1,0}") == [0, 1, 2, 3, 4, 5]
    assert literal_buffer("f32[2,3]") == [0, 1, 2, 3, 4, 5]


def test_legacy_padding():
    assert literal_buffer("f32[2,3]{0,1:PAD(3,5)=0}") == [0, 3, -1, 1, 4, -1, 2, 5] + [-1] * 7


def test_one_tile():
    text = "f32[3,5]{1,0:T(2,2)}"
    assert grid(text) == [[0, 1, 4, 5, 8], [2, 3, 6, 7, 10], [12, 13, 16, 17, 20]]
    assert parse(text).index_map().size == 24


def test_repeated_tiles():
    rows = grid("f32[4,8]{1,0:T(2,4)(2,1)}")
    assert rows == [list(range(s, s + 16, 2)) for s in (0, 1, 16, 17)]
    assert parse("f32[8,8]{1,0:T(2,4)(2,1,1,1)}").index_map().offset(6, 5) == 51


def test_a_later_tile_adds_padding_of_its_own():
    assert parse("f32[8,128]{1,0:T(3,4)}").index_map().size == 1152
    assert parse("f32[8,128]{1,0:T(3,4)(2,1)}").index_map().size == 1536


def test_a_tile_with_more_dimensions_than_the_shape():
    assert parse("f32[]{:T(128)}").byte_size == 512
    assert parse("f32[]{:T(128)}").index_map().offset() == 0
    assert parse("f32[5]{0:T(2,4)}").index_map().size == 16


def test_combined_dimensions_are_the_merged_shape():
    a = parse("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}").index_map()
    b = parse("f32[112,110]{1,0:T(2,3)}").index_map()
    assert a.size == b.size
    c = np.random.default_rng(1).integers(0, [2, 7, 8, 11, 10], (200, 5))
    merged = (c[:, 0] * 56 + c[:, 1] * 8 + c[:, 2], c[:, 3] * 10 + c[:, 4])
    assert (evaluate(a._raw, dict(zip(map(str, a.coords), c.T)), {}) == b.evaluate(*merged)).all()


def test_equality_is_about_the_map_not_the_text():
    assert literal_buffer("f32[4,4]{1,0:T(2,2)(2,1,2)}") == list(range(16))


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


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [
        ("pred", 8),
        ("s1", 1),
        ("u2", 2),
        ("bf16", 16),
        ("c128", 128),
        ("f4e2m1fn", 4),
        ("f8e5m2", 8),
    ],
)
def test_bits_of_element_types(dtype, bits):
    assert parse(f"{dtype}[3]").bits == bits


def test_ranks():
    assert (parse("f32[3,1,0]").rank, parse("f32[3,1,0]").true_rank) == (3, 1)
    rank = parse("f32[M,1,<=5]").true_rank
    assert [value(rank, {"M": m}) for m in (0, 1, 2, 9)] == [1, 1, 2, 2]
    assert parse("f32[M,N]").size_of(-1) == symbol("N")
    with pytest.raises(LayoutError, match="none is 2"):
        parse("f32[M,N]").size_of(2)


def test_dynamic_sizes():
    bounded = parse("f32[<=N,4]{1,0:T(2,2)}")
    assert bounded.dims == (Dynamic(symbol("N")), 4)
    assert bounded.index_map()._raw == parse("f32[N,4]{1,0:T(2,2)}").index_map()._raw
    with pytest.raises(LayoutError, match="dimension 1 of") as error:
        parse("f32[3,?]").index_map()
    assert "<=N" in error.value.help


# -- real compilers -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tpu_layouts.csv", "tpu_program_layouts.csv"])
def test_bytes_of_real_layouts(name):
    wrong = [r for r in rows(name) if parse(r["layout"]).byte_size != int(r["bytes"])]
    assert wrong == []
    assert len(rows(name)) > 200


# -- random layouts -------------------------------------------------------------------------------


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


@settings(max_examples=25, deadline=None)
@given(shapes(max_rank=3, max_levels=2).filter(lambda s: s.rank))
def test_the_public_buffer_agrees_with_numpy(shape):
    wanted = memory(shape) if 0 not in shape.dims else np.zeros(0)  # no element, no buffer
    assert shape.index_map().buffer().tolist() == wanted.tolist()


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
    m = read_shape("f32[M,N]{1,0:T(i,j)}").index_map()
    assert not {str(c) for c in m.coords} & {"i", "j", "M", "N"}
    assert m.symbols == ("M", "N", "i", "j")


def test_building_is_cheap_where_numbers_settle_it():
    m = read_shape("f32[4,100]{1,0:T(8,128)}").index_map()
    assert str(m._raw) == "128*i + j"


def test_shapes_are_values():
    a, b = read_shape("f32[M,4]{1,0:T(2,2)}"), Shape("F32", [symbol("M"), 4], [1, 0], [[2, 2]])
    assert a == b
    assert hash(a) == hash(b)
    assert read_shape("f32[2,3]{1,0}") == read_shape("f32[2,3]")
    assert Shape("f32", (2, 3), (-1, -2)).minor_to_major == (1, 0)
    assert a.index_map() is a.index_map()
