"""Properties of internal modules; `tests/test_tla_swizzle.py` tests the public interface."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tla_swizzle import L

from symlayout import LayoutError, tla
from symlayout.expr.terms import value
from symlayout.layouts.cute.swizzle import rank_over_f2


@settings(deadline=None)
@given(st.lists(st.integers(0, 31), max_size=6))
def test_rank_over_two_elements_counts_the_span(rows):
    span = {0}
    for r in rows:
        span |= {x ^ r for x in span}
    assert 1 << rank_over_f2(rows) == len(span)


@pytest.mark.parametrize(
    ("text", "facts", "sizes"),
    [
        ("Swizzle(2,0,-4) o 0 o (N,2):(2,1)", ["N % 32 == 0"], [{"N": 32}, {"N": 64}]),
        ("Swizzle(2,3,2) o 0 o (M,M):(M,1)", ["M % 8 == 0"], [{"M": 8}, {"M": 24}]),
        ("Swizzle(2,0,3) o 0 o M:1", ["M <= 8"], [{"M": 1}, {"M": 7}, {"M": 8}]),
    ],
)
def test_a_right_inverse_of_sizes_is_told_of_whole_blocks_alone(text, facts, sizes):
    """Where the size is no multiple of the swizzle's block, it takes indices beyond the layout's."""
    with pytest.raises(LayoutError, match="is undecided"):
        tla.right_inverse(text)
    made, there = tla.right_inverse(text, where=facts), L(text)
    for env in sizes:
        offsets = in_order(there, env)
        assert [offsets[x] for x in in_order(made, env)] == list(range(len(offsets)))


def in_order(layout, sizes):
    """The offset of each index, the first mode fastest."""
    index_map = layout.index_map()
    shape = [value(d, sizes) for d in index_map.shape]
    rows = [row[::-1] for row in itertools.product(*map(range, shape[::-1]))]
    return index_map.evaluate(*map(np.array, zip(*rows)), **sizes).tolist()
