"""The checker's arithmetic: polynomials beside plain integers, and the limits of what it computes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polynomials_random import NAMES, at, points, polynomials

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

POLYNOMIALS, POINTS = polynomials(9), points(99)


@given(POLYNOMIALS, POLYNOMIALS, POINTS)
def test_what_is_taken_from_itself_or_from_nothing(p: Poly, q: Poly, point: dict[str, int]) -> None:
    assert at(p * q - q * p + p + q - q, point) == at(p, point)
    assert at(-p, point) == -at(p, point)
    assert at(p + 7, point) == at(p, point) + 7
    assert (p - p).terms == ()
    assert p + Poly() == Poly() + p == p


@given(POLYNOMIALS, st.integers(2, 9), POINTS)
def test_remainders_are_those_of_all_integers(p: Poly, m: int, point: dict[str, int]) -> None:
    left = remainders(p, m)
    assert at(p, point) % m in left
    rows = itertools.product(range(m), repeat=len(NAMES))
    assert left == {at(p, dict(zip(NAMES, row))) % m for row in rows}


@given(POLYNOMIALS, st.integers(2, 9), st.integers(-20, 20))
def test_what_is_avoided_is_never_left(p: Poly, m: int, v: int) -> None:
    rows = itertools.product(range(m), repeat=len(NAMES))
    left = any((at(p, dict(zip(NAMES, row))) - v) % m == 0 for row in rows)
    if left:
        with pytest.raises(Rejected):
            avoid(p, m, [v])
    else:
        avoid(p, m, [v])


def test_each_term_of_each_remainder_is_work() -> None:
    p = Poly.of([(("x",), 1), (("y", "y"), 2), ((), 1), (("z",), 5)])  # 5*z leaves nothing
    token = LEFT.set([1000])
    try:
        assert remainders(p, 5) == {0, 1, 2, 3, 4}
        assert LEFT.get() == [1000 - 5**2 * 3]
    finally:
        LEFT.reset(token)


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
    with pytest.raises(Rejected, match="not a number to compute with"):
        of_number(Exp2, as_poly(power))
