"""Broadcasting: the rules by name, and all small shapes against a plain reading of the rules."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest

from symlayout.errors import CODES, LayoutError
from symlayout.expr.terms import symbol, value
from symlayout.programs.hlo.broadcast import (
    broadcast,
    common_size,
    extent,
    extents,
    joined_size,
    plan,
)

SHAPES = {r: list(product(range(5), repeat=r)) for r in range(4)}
ALL = [s for r in range(4) for s in SHAPES[r]]


def shape_of(a, b, dims=None, dialect="xla"):
    return tuple(str(e) for e in broadcast(a, b, dims, dialect))


def code_of(a, b, dims=None, dialect="xla"):
    with pytest.raises(LayoutError) as caught:
        broadcast(a, b, dims, dialect)
    return caught.value.code


# -- examples of the documents, by what they show --------------------------------------------------

LEGAL = {
    "a scalar into a matrix": ("f32[2,3]", "f32[]", None, ["2", "3"]),
    "a scalar with an empty list": ("f32[]", "f32[2,3]", [], ["2", "3"]),
    "two scalars": ("f32[]", "f32[]", None, []),
    "a vector as columns": ("f32[3]", "f32[2,3]", [1], ["2", "3"]),
    "a vector along rows of a square": ("f32[3]", "f32[3,3]", [1], ["3", "3"]),
    "a vector along columns of a square": ("f32[3]", "f32[3,3]", [0], ["3", "3"]),
    "a matrix into the last two dimensions": ("f32[3,4]", "f32[2,3,4]", [1, 2], ["2", "3", "4"]),
    "a vector into four dimensions, 2": ("f32[T]", "f32[M,N,T,Q]", [2], ["M", "N", "T", "Q"]),
    "a matrix into a pair of four": ("f32[T,V]", "f32[T,N,V,Q]", [0, 2], ["T", "N", "V", "Q"]),
    "a size of 1 is taken before the degenerate step": (
        "f32[2,1]",
        "f32[2,3,4]",
        [0, 2],
        ["2", "3", "4"],
    ),
    "same rank without dimensions": ("f32[2,3]", "f32[2,3]", None, ["2", "3"]),
    "same rank with the identity": ("f32[2,3]", "f32[2,3]", [0, 1], ["2", "3"]),
    "degenerate on the left": ("f32[2,1]", "f32[2,3]", None, ["2", "3"]),
    "degenerate in front": ("f32[1,2,5]", "f32[7,2,5]", None, ["7", "2", "5"]),
    "degenerate inside": ("f32[7,2,5]", "f32[7,1,5]", None, ["7", "2", "5"]),
    "outer": ("f32[2,1]", "f32[1,3]", None, ["2", "3"]),
    "composed, a vector stretches a 1": ("f32[4]", "f32[1,2]", [0], ["4", "2"]),
    "composed, both ways": ("f32[1,2]", "f32[4,3,1]", [1, 2], ["4", "3", "2"]),
    "0 with 1": ("f32[0]", "f32[1]", None, ["0"]),
    "? with a known size": ("f32[?]", "f32[7]", None, ["7"]),
    "? with 1": ("f32[?]", "f32[1]", None, ["?"]),
    "? with ?": ("f32[?]", "f32[?]", None, ["?"]),
    "equal bounds": ("f32[<=4]", "f32[<=4]", None, ["<=4"]),
    "a bound with 1": ("f32[<=4]", "f32[1]", None, ["<=4"]),
    "a bound with the same static size": ("f32[<=4]", "f32[4]", None, ["<=4"]),
    "symbols, outer": ("f32[M,1]", "f32[1,N]", None, ["M", "N"]),
}

ILLEGAL = {
    "a vector without dimensions": ("f32[3]", "f32[2,3]", None, "SL701"),
    "a vector with an empty list": ("f32[3]", "f32[2,3]", [], "SL701"),
    "too few entries": ("f32[3,4]", "f32[2,3,4]", [1], "SL702"),
    "too many entries": ("f32[3]", "f32[2,3]", [0, 1], "SL702"),
    "a scalar with an entry": ("f32[]", "f32[2,3]", [0], "SL702"),
    "a negative entry": ("f32[3]", "f32[2,3]", [-1], "SL703"),
    "an entry too large": ("f32[3]", "f32[2,3]", [2], "SL704"),
    "a vector at the wrong dimension": ("f32[3]", "f32[4,3]", [0], "SL705"),
    "a matrix at the wrong dimensions": ("f32[2,1]", "f32[2,3,4]", [1, 2], "SL705"),
    "static with a bound": ("f32[3]", "f32[2,<=3]", [1], "SL706"),
    "static with a bound of 1": ("f32[3]", "f32[2,<=1]", [1], "SL706"),
    "decreasing entries": ("f32[4,3]", "f32[2,3,4]", [2, 1], "SL707"),
    "an entry twice": ("f32[3,3]", "f32[2,3,4]", [1, 1], "SL707"),
    "same rank, other dimensions": ("f32[3,3]", "f32[3,3]", [1, 0], "SL708"),
    "different sizes": ("f32[7,2,5]", "f32[7,2,6]", None, "SL709"),
    "0 with 2": ("f32[0]", "f32[2]", None, "SL709"),
    "a bound with another static size": ("f32[<=2]", "f32[3]", None, "SL709"),
    "a bound with ?": ("f32[<=2]", "f32[?]", None, "SL710"),
}


@pytest.mark.parametrize("name", LEGAL)
def test_legal_examples(name):
    a, b, dims, result = LEGAL[name]
    assert list(shape_of(a, b, dims)) == result
    assert list(shape_of(b, a, dims)) == result


@pytest.mark.parametrize("name", ILLEGAL)
def test_illegal_examples(name):
    a, b, dims, code = ILLEGAL[name]
    assert code_of(a, b, dims) == code
    assert code_of(b, a, dims) == code
    assert code in CODES


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


def test_the_hlo_instruction_expands_no_1():
    assert code_of("f32[1,3]", "f32[2,3]", [0, 1], "hlo") == "SL715"
    assert shape_of("f32[3]", "f32[2,3]", [1], "hlo") == ("2", "3")
    assert shape_of("f32[3,2]", "f32[2,3]", [1, 0], "hlo") == ("2", "3")
    assert code_of("f32[3,3]", "f32[3,3]", [0, 0], "hlo") == "SL711"


# -- messages --------------------------------------------------------------------------------------


def message_of(*args):
    with pytest.raises(LayoutError) as caught:
        broadcast(*args)
    return caught.value.message


def test_messages_name_the_dimension_and_both_sizes():
    text = message_of("f32[4,3]", "f32[7]", [0])
    assert "dimension 0 of the smaller" in text
    assert "7 and 4" in text
    assert "dimension 2 has sizes" in message_of("f32[7,2,5]", "f32[7,2,6]")
    assert "5 and 6" in message_of("f32[7,2,5]", "f32[7,2,6]")
    assert "1 comes after 2" in message_of("f32[2,3,4]", "f32[4,3]", [2, 1])


def test_the_first_rule_in_xlas_order_is_the_one_reported():
    # entry by entry: the size of entry 0 before the sign of entry 1, the sign before the order
    assert code_of("f32[5,3]", "f32[2,3,4]", [0, -1]) == "SL705"
    assert code_of("f32[2,3]", "f32[2,3,4]", [1, -1]) == "SL705"
    assert code_of("f32[3,3]", "f32[2,3,4]", [1, -1]) == "SL703"
    assert code_of("f32[4,9]", "f32[2,3,4]", [2, 1]) == "SL705"
    assert code_of("f32[4,3]", "f32[2,3,4]", [2, 3]) == "SL704"


@pytest.mark.parametrize(
    ("a", "b", "dims", "dialect", "code"),
    [
        ("f32[3]", "f32[3]", None, "tensorflow", "SL700"),
        ("f32[3]", "f32[2,3]", [1.5], "xla", "SL700"),
        ("f32[3]", "f32[2,3]", [True], "xla", "SL700"),
        ("f32[3]", "f32[2,3]", [1], "numpy", "SL700"),
        (3, "f32[3]", None, "xla", "SL700"),
        ((-1,), (2,), None, "xla", "SL102"),
        (("<=", 3), (2,), None, "xla", "SL200"),
    ],
)
def test_questions_that_mean_nothing(a, b, dims, dialect, code):
    assert code_of(a, b, dims, dialect) == code


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
