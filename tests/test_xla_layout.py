"""XLA layouts: the documents' worked numbers, real compilers' bytes, and NumPy as a referee."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from xla_random import memory, shapes

from symlayout import parse

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


def test_equality_is_about_the_map_not_the_text():
    assert literal_buffer("f32[4,4]{1,0:T(2,2)(2,1,2)}") == list(range(16))


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


# -- real compilers -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tpu_layouts.csv", "tpu_program_layouts.csv"])
def test_bytes_of_real_layouts(name):
    wrong = [r for r in rows(name) if parse(r["layout"]).byte_size != int(r["bytes"])]
    assert wrong == []
    assert len(rows(name)) > 200


@settings(max_examples=25, deadline=None)
@given(shapes(max_rank=3, max_levels=2).filter(lambda s: s.rank))
def test_the_public_buffer_agrees_with_numpy(shape):
    wanted = memory(shape) if 0 not in shape.dims else np.zeros(0)  # no element, no buffer
    assert shape.index_map().buffer().tolist() == wanted.tolist()
