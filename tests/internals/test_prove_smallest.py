"""Which counterexample is the smallest: the least product of the sizes, a 0 counted as 1; then the
sizes in the order in which the claim's text names them."""

from __future__ import annotations

import itertools
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout import prove
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


def test_a_size_of_0_is_no_shortcut():
    made = prove.broadcast("f32[M,M//2,0]", "f32[M,2*N,0]", where="N >= 0")
    assert made.counterexample.sizes == {"M": 1, "N": 1}


@pytest.mark.parametrize(
    ("divisor", "number", "facts", "sizes"),
    [
        ("M+1", "M*N*K", ["K * N % 2 == 0", "K <= 7"], {"M": 2, "N": 1, "K": 2}),
        ("N//2", "M*N*K", ["2 <= K < 4", "K * M == 6", "K != N"], {"N": 1, "M": 2, "K": 3}),
        ("2*b*a", "3*a", [], {"b": 1, "a": 1}),
        ("7", "b + a*a", ["a * b % 2 == 0"], {"b": 1, "a": 2}),
        ("7", "a*a + b", ["a * b % 2 == 0"], {"a": 1, "b": 2}),
    ],
)
def test_sizes_of_divides_come_as_the_text_names_them(divisor, number, facts, sizes):
    made = prove.divides(divisor, number, where=facts)
    assert list(made.counterexample.sizes.items()) == list(sizes.items())


def test_a_permutation_does_not_change_the_order_of_sizes():
    for b, perm in (("f32[M,N]{1,0}", "0,1"), ("f32[N,M]{1,0}", "1,0")):
        made = prove.bitcast("f32[M,N]{1,0:T(2,2)}", b, perm=perm, where="M*N % 2 == 0")
        assert list(made.counterexample.sizes.items()) == [("M", 1), ("N", 2)]
    turned = prove.bitcast("f32[M,N]{1,0}", "f32[N,M]{1,0}", perm="1,0", where="M != N")
    assert turned.counterexample.sizes == {"M": 2, "N": 3}


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("instruction", ("f32[3*b-2*a] multiply(f32[3*b-2*a], f32[a])",)),
        ("broadcast", ("f32[3*b-2*a]", "f32[a]")),
        ("broadcast", ("f32[3*q-2*a]", "f32[a]")),
    ],
)
def test_sizes_of_shapes_come_as_the_text_names_them(word, text):
    made = getattr(prove, word)(*text)
    assert list(made.counterexample.sizes.values()) == [1, 2]


@pytest.mark.parametrize("sides", [[1 << 25], [4096, 1, 4096, 3], [5000] * 3, [7] * 10])
def test_of_too_many_places_all_corners_are_looked_at(sides):
    columns = [np.array([n]) for n in sides]
    first, *rest = places({}, [np.array([k]) for k in range(len(sides))], columns)
    low = [[int(c[n]) for c in first[1].coords] for n in (0, 1)]  # in row-major order
    assert low == [list(range(len(sides))), [*range(len(sides) - 1), len(sides)]]
    grid = {p for _, batch in rest for p in zip(*[c.tolist() for c in batch.coords])}
    assert grid >= set(itertools.product(*[(k, k + n - 1) for k, n in enumerate(sides)]))
    assert len(grid) <= 4 * GRID
