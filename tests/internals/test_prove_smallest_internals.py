"""Properties of internal modules; `tests/test_prove_smallest.py` tests the public interface."""

from __future__ import annotations

import itertools
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout.digits.sizes import rank, sizes_in_order
from symlayout.expr.facts import Facts
from symlayout.prove.search import GRID, Space, places


@pytest.mark.parametrize("lows", [(1, 1), (0, 1), (1, 0), (0, 0), (-2, 0)])
def test_sizes_are_listed_by_their_product_and_0_counts_as_1(lows):
    facts = Facts.read([f"{n} >= {low}" for n, low in zip("MN", lows)] + ["M <= 4", "N <= 4"])
    listed = [(s["M"], s["N"]) for s in sizes_in_order(facts, ["M", "N"])]
    every = itertools.product(*[range(low, 5) for low in lows])
    if min(lows) < 0:  # where a step may make the product smaller, only all of them are promised
        assert set(listed) == set(every)
    else:
        assert listed == sorted(every, key=lambda s: (prod(max(x, 1) for x in s), s))


@pytest.mark.parametrize(
    "facts",
    [
        [],
        ["N % 4 == 0"],
        ["M >= 0", "M != N"],
        ["M <= 3"],
        ["M*N % 6 == 0", "N >= 2"],
        ["M == 2*N"],
    ],
)
def test_arrays_list_the_same_sizes_in_the_same_order(facts):
    space = Space(("M", "N"), Facts.read(facts))
    (made,) = space.assignments(60)
    rows = list(zip(made["M"].tolist(), made["N"].tolist()))
    assert rows == sorted(rows, key=rank)
    listed = [tuple(s.values()) for s in sizes_in_order(space.facts, space.names)]
    assert rows == [row for row in listed if rank(row)[0] <= 60]


@given(
    names=st.permutations("MNK"),
    bounds=st.lists(
        st.tuples(st.integers(-3, 4), st.integers(0, 9), st.integers(1, 3)), min_size=1, max_size=3
    ),
    ends=st.lists(st.integers(0, 1100), min_size=1, max_size=3),
    unequal=st.booleans(),
)
def test_assignments_come_once_and_in_order_whatever_was_listed_before(
    names, bounds, ends, unequal
):
    """Short lists are remembered for sizes of other names: none shows in another's."""
    names = tuple(names[: len(bounds)])
    facts = [f"{low} <= {n} <= {low + more}" for n, (low, more, _) in zip(names, bounds)]
    facts += [f"{n} % {step} == 0" for n, (_, _, step) in zip(names, bounds)]
    facts += [f"{names[0]} != {names[-1]}"] if unequal and len(names) > 1 else []
    space = Space(names, Facts.read(facts))
    rows = []
    for after, limit in itertools.pairwise([0, *sorted(ends)]):
        for arrays in space.assignments(limit, after):
            rows += zip(*[arrays[n].tolist() for n in names])
    every = itertools.product(*[range(low, low + more + 1) for low, more, _ in bounds])
    allowed = [r for r in every if all(x % step == 0 for x, (_, _, step) in zip(r, bounds))]
    allowed = [r for r in allowed if not (facts[-1].count("!=") and r[0] == r[-1])]
    product = {r: prod(max(abs(x), 1) for x in r) for r in allowed}
    assert sorted(rows) == sorted(r for r in allowed if product[r] <= max(ends))
    products = [product[r] for r in rows]
    assert products == sorted(products)
    if min(low for low, _, _ in bounds) >= 0:
        assert rows == sorted(rows, key=lambda r: (product[r], r))


@pytest.mark.parametrize("sides", [[1 << 25], [4096, 1, 4096, 3], [5000] * 3, [7] * 10])
def test_of_too_many_places_all_corners_are_looked_at(sides):
    columns = [np.array([n]) for n in sides]
    first, *rest = places({}, [np.array([k]) for k in range(len(sides))], columns)
    low = [[int(c[n]) for c in first[1].coords] for n in (0, 1)]  # in row-major order
    assert low == [list(range(len(sides))), [*range(len(sides) - 1), len(sides)]]
    grid = {p for _, batch in rest for p in zip(*[c.tolist() for c in batch.coords])}
    assert grid >= set(itertools.product(*[(k, k + n - 1) for k, n in enumerate(sides)]))
    assert len(grid) <= 4 * GRID
