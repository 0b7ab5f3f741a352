"""The checker's arithmetic: polynomials beside plain integers, and the limits of what it computes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout.certificate.exact import (
    LEFT,
    LONGEST_COEFFICIENT,
    MOST_REMAINDERS,
    Poly,
    Rejected,
    as_poly,
    avoid,
    of_number,
    remainders,
)
from symlayout.expr.terms import Exp2

NAMES = "xyz"
MONOMIALS = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda m: tuple(sorted(m)))
POLYNOMIALS = st.lists(st.tuples(MONOMIALS, st.integers(-9, 9)), max_size=4).map(Poly.of)
POINTS = st.fixed_dictionaries({n: st.integers(-99, 99) for n in NAMES})


def value(p: Poly, at: dict[str, int]) -> int:
    total = 0
    for names, c in p.terms:
        for n in names:
            c *= at[n]
        total += c
    return total


@given(POLYNOMIALS, POLYNOMIALS, POINTS)
def test_operations_are_those_of_integers(p: Poly, q: Poly, at: dict[str, int]) -> None:
    a, b = value(p, at), value(q, at)
    assert value(p + q, at) == a + b
    assert value(p - q, at) == a - b
    assert value(p * q, at) == a * b
    assert value(-p, at) == -a
    assert value(p + 7, at) == a + 7
    assert value(p.put({"x": q}), at) == value(p, {**at, "x": b})
    assert (p - p).terms == ()
    assert p + Poly() == Poly() + p == p


@given(POLYNOMIALS, st.integers(2, 9), POINTS)
def test_remainders_are_those_of_all_integers(p: Poly, m: int, at: dict[str, int]) -> None:
    left = remainders(p, m)
    assert value(p, at) % m in left
    rows = itertools.product(range(m), repeat=len(NAMES))
    assert left == {value(p, dict(zip(NAMES, row))) % m for row in rows}


@given(POLYNOMIALS, st.integers(2, 9), st.integers(-20, 20))
def test_what_is_avoided_is_never_left(p: Poly, m: int, v: int) -> None:
    rows = itertools.product(range(m), repeat=len(NAMES))
    left = any((value(p, dict(zip(NAMES, row))) - v) % m == 0 for row in rows)
    if left:
        with pytest.raises(Rejected):
            avoid(p, m, [v])
    else:
        avoid(p, m, [v])


def test_so_many_remainders_are_looked_at_and_no_more() -> None:
    squares = [Poly.of([((n, n), 1)]) for n in "abcd"]
    four = squares[0] + squares[1] + squares[2] + squares[3]
    assert MOST_REMAINDERS == 8**4
    assert remainders(four, 8) == {0, 1, 2, 3, 4, 5, 6, 7}
    with pytest.raises(Rejected, match="remainders: the limit"):
        remainders(four, 9)
    assert remainders(four * 9 + 5, 9) == {5}  # whose coefficients leave nothing


def test_work_is_counted_up_to_its_limit() -> None:
    p, q = as_poly("x") + as_poly("y") + 1, as_poly("x") + 1
    for allowed, enough in ((5, False), (6, True)):
        before = LEFT.set([allowed])
        try:
            if enough:
                assert len((p * q).terms) == 5
            else:
                with pytest.raises(Rejected, match="the limit"):
                    p * q
        finally:
            LEFT.reset(before)


@pytest.mark.parametrize("power", [0, 1, LONGEST_COEFFICIENT - 1])
def test_a_power_of_a_number_is_a_number(power: int) -> None:
    assert of_number(Exp2, as_poly(power)) == as_poly(2**power)
    assert of_number(Exp2, as_poly("k")) is None


@pytest.mark.parametrize("power", [-1, LONGEST_COEFFICIENT])
def test_a_power_that_is_no_number_to_compute_with_is_refused(power: int) -> None:
    with pytest.raises(Rejected, match="no number to compute with"):
        of_number(Exp2, as_poly(power))
