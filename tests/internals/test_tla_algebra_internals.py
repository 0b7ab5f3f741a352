"""What the modules behind `tests/test_tla_algebra.py` promise each other."""

import random
from itertools import pairwise

import numpy as np
import pytest
from test_tla_algebra import L, assert_composed
from tla_oracle import complement_exists, composes, offset, random_leaves, values

from symlayout import LayoutError, tla
from symlayout.layouts.cute.layout import Layout
from symlayout.tla.values import Break, modes_of, offsets_at

STRIDES = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 60)


def layout(leaves):
    return Layout(tuple(s for s, _d in leaves), tuple(d for _s, d in leaves))


def attempt(operation, *arguments):
    """The result and None, or None and the code of the error."""
    try:
        return operation(*arguments), None
    except LayoutError as e:
        return None, e.code


# -- functions and modes -----------------------------------------------------------------------------


def test_offsets_in_arrays_are_those_of_the_definition():
    rng = random.Random(1)
    for _k in range(100):
        leaves = random_leaves(rng, 3, 5, STRIDES)
        index = np.array([rng.randrange(400) for _k in range(20)])
        assert offsets_at(layout(leaves), index).tolist() == [offset(leaves, int(i)) for i in index]


def test_offsets_beyond_64_bits_are_exact():
    big = Layout((4, 4), (2**62, 3))
    assert offsets_at(big, np.array([3, 7])).tolist() == [3 * 2**62, 3 * 2**62 + 3]


@pytest.mark.parametrize(
    ("function", "rule"),
    [
        ([0, 1, 3], "does not divide"),
        ([0, 4, 12, 20], "do not repeat"),
        ([0, 1, 5, 6, 9, 11], "do not repeat"),
    ],
)
def test_functions_that_are_no_layout(function, rule):
    found = modes_of(np.array(function))
    assert isinstance(found, Break)
    assert rule in found.rule


# -- coalesce and its kin ----------------------------------------------------------------------------


def test_coalesce_keeps_every_offset_and_joins_all_that_joins():
    rng = random.Random(2)
    for _k in range(200):
        leaves = random_leaves(rng, 4, 4, (0, 1, 2, 4, 8, 16))
        made = tla.coalesce(layout(leaves))
        assert values(list(made.leaves)) == values(leaves)
        assert all(s != 1 for s, _d in made.leaves) or made.leaves == ((1, 0),)
        for (s, d), (_s, after) in pairwise(made.leaves):
            assert s * d != after


def test_filter_keeps_the_set_of_offsets():
    rng = random.Random(3)
    for _k in range(100):
        leaves = random_leaves(rng, 3, 4, (0, 0, 1, 4, 16))
        made = tla.filter(layout(leaves))
        assert set(values(list(made.leaves))) == set(values(leaves))
        assert all(d != 0 for _s, d in made.leaves) or made.leaves == ((1, 0),)
    assert str(tla.filter(L("(2,4):(0,1)"), (1, 1))) == "(1,4):(0,1)"


@pytest.mark.parametrize("modes", [1, 2, 3])
def test_composition_answers_exactly_when_there_is_an_answer(modes):
    rng = random.Random(40 + modes)
    answers = 0
    for _k in range(250):
        a = random_leaves(rng, rng.randint(1, 3), 10, STRIDES)
        b = random_leaves(rng, modes, 6, tuple(range(13)))
        exists = composes(a, b)
        answers += exists
        made, code = attempt(tla.composition, layout(a), layout(b))
        assert (made is not None) == exists, (a, b)
        if made is None:
            assert code == "SL800"
        else:
            assert_composed(layout(a), layout(b), made)
    assert 20 < answers < 250


def test_carries_that_fit_between_modes_are_found():
    a, b = L("(4,4):(1,4)"), L("(3,2):(3,2)")
    assert str(tla.composition(a, b)) == "(3,2):(3,2)"
    rng = random.Random(5)
    carrying = 0
    for _k in range(1500):
        a, b = random_leaves(rng, 2, 6, (1, 2, 4, 8)), random_leaves(rng, 2, 4, (1, 2, 3, 5))
        try:
            made = tla.composition(layout(a), layout(b))
        except LayoutError:
            continue
        carries = any(
            (i * b[0][1]) % a[0][0] + (j * b[1][1]) % a[0][0] >= a[0][0]
            for i in range(b[0][0])
            for j in range(b[1][0])
        )
        carrying += carries
        assert_composed(layout(a), layout(b), made)
    assert carrying > 10


def test_complement_is_increasing_disjoint_and_covers_or_there_is_none():
    rng = random.Random(6)
    none = 0
    for _k in range(400):
        leaves = random_leaves(rng, rng.randint(1, 3), 4, (0, 1, 2, 3, 4, 6, 8, 12))
        bound = rng.randint(1, 40)
        made, code = attempt(tla.complement, layout(leaves), bound)
        assert (made is not None) == complement_exists(leaves, bound), leaves
        if made is None:
            assert code == "SL800"
            none += 1
            continue
        image, fill = set(values(leaves)), values(list(made.leaves))
        assert all(x < y for x, y in pairwise(fill))
        assert image & set(fill) == {0}
        sums = sorted(x + y for x in image for y in fill)
        assert sums == list(range(len(sums)))
        assert len(sums) >= bound
    assert 40 < none < 360


def test_a_divide_keeps_every_element():
    rng = random.Random(7)
    for _k in range(100):
        rows, cols = rng.choice((4, 6, 12)), rng.choice((4, 8, 10))
        a = Layout((rows, cols), (cols, 1))
        tile = (rng.choice([d for d in range(1, rows + 1) if rows % d == 0]), 2)
        zipped = tla.zipped_divide(a, tile)
        assert sorted(zipped(i) for i in range(zipped.size)) == list(range(rows * cols))
        for r in range(rows):
            for c in range(cols):
                inside = (r % tile[0], c % tile[1])
                outside = (r // tile[0], c // tile[1])
                assert zipped(inside, outside) == a(r, c)


def test_a_product_lays_copies_side_by_side():
    rng = random.Random(8)
    for _k in range(100):
        block = Layout((rng.randint(1, 4), rng.randint(1, 4)), (1, 4))
        copies = tla.make_ordered_layout(
            (rng.randint(1, 3), rng.randint(1, 3)), rng.choice(((0, 1), (1, 0)))
        )
        try:
            made = tla.logical_product(block, copies)
        except LayoutError:
            continue
        offsets = [made(i) for i in range(made.size)]
        assert len(set(offsets)) == made.size
        assert made[0] == block
        assert made.size == block.size * copies.size


# -- other element widths ----------------------------------------------------------------------------


def test_upcast_meets_the_same_memory():
    rng = random.Random(9)
    done = 0
    for _k in range(300):
        n = rng.choice((2, 4))
        leaves = [(rng.choice((1, 2, 4, 8)), rng.choice((1, 2, 4, 8, 16))) for _k in range(2)]
        try:
            made = tla.upcast(layout(leaves), n)
        except LayoutError:
            continue
        done += 1
        assert set(values(list(made.leaves))) == {x // n for x in values(leaves)}
    assert done > 100
    assert str(tla.upcast(L("6:1"), 4)) == "2:1"
