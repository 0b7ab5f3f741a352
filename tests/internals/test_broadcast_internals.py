"""Properties of internal modules; `tests/test_broadcast.py` tests the public interface."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from test_broadcast import code_of, shape_of

from symlayout.expr.terms import symbol, value
from symlayout.programs.hlo.broadcast import common_size, extent, extents, joined_size, plan

SHAPES = {r: list(product(range(5), repeat=r)) for r in range(4)}

ALL = [s for r in range(4) for s in SHAPES[r]]

STABLEHLO = {
    "decreasing entries": ("s32[1,3]", "s32[2,3,2]", [2, 1], None),
    "a size of 1 grows": ("f32[1,3]", "f32[2,3]", [0, 1], None),
    "a scalar": ("f32[]", "f32[2,3]", [], None),
    "one bounded dimension": ("f32[1]", "f32[2,<=5]", [1], None),
    "an unbounded operand": ("f32[?]", "f32[2,5]", [1], None),
    "no entries": ("f32[3]", "f32[2,3]", None, "SL702"),
    "a negative entry": ("f32[3]", "f32[2,3]", [-1], "SL703"),
    "an entry too large": ("f32[3]", "f32[2,3]", [2], "SL704"),
    "an entry twice": ("f32[3,3]", "f32[3,3]", [1, 1], "SL711"),
    "the result's size is 1": ("f32[3]", "f32[1]", [0], "SL713"),
    "an unbounded result": ("f32[3]", "f32[?,3]", [1], "SL712"),
    "two bounded dimensions": ("f32[]", "f32[<=2,<=3]", [], "SL712"),
}


@pytest.mark.parametrize("name", STABLEHLO)
def test_stablehlo_examples(name):
    a, b, dims, code = STABLEHLO[name]
    if code:
        assert code_of(a, b, dims, "stablehlo") == code
    else:
        assert shape_of(a, b, dims, "stablehlo") == tuple(str(e) for e in extents(b))


# -- every small shape against a plain reading of the rules ----------------------------------------


def read_xla(a, b, dims):
    """XLA's two steps on plain integers, entry by entry: the result, or None where refused."""
    if len(a) == len(b):
        if dims and dims != tuple(range(len(a))):
            return None
        stretched, other = a, b
    else:
        small, large = (a, b) if len(a) < len(b) else (b, a)
        if len(dims) != len(small):
            return None
        stretched, previous = list(large), -1
        for size, d in zip(small, dims):
            if d <= previous or d >= len(large):
                return None
            if size != large[d] and 1 not in (size, large[d]):
                return None
            stretched[d], previous = size, d
        other = large
    out = []
    for x, y in zip(stretched, other):
        if x != y and 1 not in (x, y):
            return None
        out.append(y if x == 1 else x)
    return tuple(out)


def decided(a, b, dims, dialect):
    made = plan(a, b, dims, dialect)
    return None if made.failure() is not None else tuple(e.bound for e in made.result)


EXTENTS = {s: extents(s) for s in ALL}


@pytest.mark.parametrize("rank", range(4))
def test_every_pair_of_one_rank(rank):
    refused = 0
    identity = tuple(range(rank))
    for a, b in product(SHAPES[rank], SHAPES[rank]):
        expected = read_xla(a, b, ())
        refused += expected is None
        assert decided(EXTENTS[a], EXTENTS[b], (), "xla") == expected, (a, b)
        if rank < 3:
            assert decided(EXTENTS[a], EXTENTS[b], identity, "xla") == expected
    assert (refused > 0) == (rank > 0)


@pytest.mark.parametrize(("small", "large"), list(combinations(range(4), 2)))
def test_every_pair_of_two_ranks_with_every_dims(small, large):
    entries = list(product(range(-1, large + 1) if large < 3 else range(large), repeat=small))
    for a, b in product(SHAPES[small], SHAPES[large]):
        for dims in entries:
            assert decided(EXTENTS[a], EXTENTS[b], dims, "xla") == read_xla(a, b, dims), (
                a,
                b,
                dims,
            )


def test_numpy_agrees_with_numpy():
    for a, b in product(ALL, ALL):
        try:
            expected = np.broadcast_shapes(a, b)
        except ValueError:
            expected = None
        assert decided(EXTENTS[a], EXTENTS[b], None, "numpy") == expected, (a, b)


@pytest.mark.parametrize("rank", range(3))
def test_stablehlo_for_every_shape_and_every_dims(rank):
    for large in range(rank, 4):
        legal_dims = set(permutations(range(large), rank))
        for a, b in product(SHAPES[rank], SHAPES[large]):
            for dims in product(range(large), repeat=rank):
                legal = dims in legal_dims and all(x in (1, b[d]) for x, d in zip(a, dims))
                assert (plan(EXTENTS[a], EXTENTS[b], dims, "stablehlo").failure() is None) == legal


# -- sizes of results ------------------------------------------------------------------------------


def test_the_symbolic_result_is_right_wherever_the_sizes_may_meet():
    m, n = symbol("M"), symbol("N")
    expr = joined_size(m, n)
    for a, b in product(range(6), repeat=2):
        if a == b or 1 in (a, b):
            assert value(expr, {"M": a, "N": b}) == (b if a == 1 else a)


def test_a_result_of_run_time_sizes_holds_whatever_they_turn_out_to_be():
    def values(e):
        return range(7) if e.size is None else range(e.bound + 1) if e.dynamic else (e.bound,)

    kinds = [extent(x) for x in (0, 1, 2, 4, "<=1", "<=2", "<=4", "?")]
    for x, y in product(kinds, repeat=2):
        out = common_size(x, y)
        accepted = plan((x,), (y,)).failure() is None
        for a, b in product(values(x), values(y)):
            if accepted and (a == b or 1 in (a, b)):
                assert (b if a == 1 else a) in values(out), (str(x), str(y), str(out))
