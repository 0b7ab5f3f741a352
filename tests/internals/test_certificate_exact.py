"""The checker's arithmetic: polynomials beside plain integers, and the limits of what it computes."""

from __future__ import annotations

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polynomials_random import NAMES, at, points, polynomials

from symlayout import prove, recheck
from symlayout.certificate import exact, proof
from symlayout.certificate.exact import (
    LONGEST_COEFFICIENT,
    MOST_REMAINDERS,
    MOST_WORK,
    Poly,
    Rejected,
    Work,
    as_poly,
    avoid,
    multiply,
    of_number,
    poly,
    polynomial,
    printed,
    remainders,
)
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
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
    left = remainders(p, m, Work())
    assert at(p, point) % m in left
    rows = itertools.product(range(m), repeat=len(NAMES))
    assert left == {at(p, dict(zip(NAMES, row))) % m for row in rows}


@given(POLYNOMIALS, st.integers(2, 9), st.integers(-20, 20))
def test_what_is_avoided_is_never_left(p: Poly, m: int, v: int) -> None:
    rows = itertools.product(range(m), repeat=len(NAMES))
    left = any((at(p, dict(zip(NAMES, row))) - v) % m == 0 for row in rows)
    if left:
        with pytest.raises(Rejected):
            avoid(p, m, [v], Work())
    else:
        avoid(p, m, [v], Work())


def test_each_term_of_each_remainder_is_work() -> None:
    p = Poly.of([(("x",), 1), (("y", "y"), 2), ((), 1), (("z",), 5)])  # 5*z leaves nothing
    work = Work(1000)
    assert remainders(p, 5, work) == {0, 1, 2, 3, 4}
    assert work.left == 1000 - 5**2 * 3


def test_so_many_remainders_are_looked_at_and_no_more() -> None:
    squares = [Poly.of([((n, n), 1)]) for n in "abcd"]
    four = squares[0] + squares[1] + squares[2] + squares[3]
    assert MOST_REMAINDERS == 8**4
    assert remainders(four, 8, Work()) == {0, 1, 2, 3, 4, 5, 6, 7}
    with pytest.raises(Rejected, match="remainders: the limit"):
        remainders(four, 9, Work())
    assert remainders(four * 9 + 5, 9, Work()) == {5}  # whose coefficients leave nothing


def test_work_is_counted_up_to_its_limit() -> None:
    p, q = as_poly("x") + as_poly("y") + 1, as_poly("x") + 1
    with pytest.raises(Rejected, match="the limit"):
        multiply(Work(5), p, q)
    assert len(multiply(Work(6), p, q).terms) == 5


def test_a_text_costs_as_much_when_it_is_read_again() -> None:
    """Else whether a certificate is within the limit would depend on those before it."""
    costs = []
    for text in ("(u + v + w)**9*(u - v)", "(u + v + w)**9*(u - v)", "u + v"):
        work = Work()
        poly(text, work)
        costs.append(MOST_WORK - work.left)
    assert costs[0] == costs[1] > 100 > costs[2]


@pytest.mark.parametrize("power", [0, 1, LONGEST_COEFFICIENT - 1])
def test_a_power_of_a_number_is_a_number(power: int) -> None:
    assert of_number(Exp2, as_poly(power)) == as_poly(2**power)
    assert of_number(Exp2, as_poly("k")) is None


@pytest.mark.parametrize("power", [-1, LONGEST_COEFFICIENT])
def test_a_power_that_is_no_number_to_compute_with_is_refused(power: int) -> None:
    with pytest.raises(Rejected, match="not a number to compute with"):
        of_number(Exp2, as_poly(power))


@pytest.mark.parametrize(
    ("word", "arguments", "facts"),
    [
        ("injective", ["bf16[M,N]{1,0:T(8,128)(2,1)}"], []),
        ("bijective", ["map i < M, j < N: i*N + j in M*N"], []),
        ("bijective", ["map i < M*N: (i//N, i%N) in (M, N)"], []),
        ("holds", ["(L*d + e)*(M + N) < P*d*(M + N)"], ["0 <= e < d", "0 <= L < P"]),
        ("padding", ["f32[M,N]{1,0:T(8,128)}", "2"], ["M >= 64", "N >= 1024"]),
        ("equal", ["zN(f16,R,C)", "f16[R,C]{0,1:T(16,16)(16,1)}"], []),
        ("fits", ["map r < R, c < 8: int64(r)*8 + c"], ["R <= 100000"]),
    ],
)
def test_the_checker_counts_every_product(
    word: str, arguments: list[str], facts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = getattr(prove, word)(*arguments, where=facts).certificate
    assert certificate is not None
    plain, counts = Poly.__mul__, {"multiply": 0}

    def checked(p: Poly, q: Poly | int) -> Poly:
        if isinstance(q, Poly):
            counts[sys._getframe(1).f_code.co_name] += 1  # a KeyError for any other function
        return plain(p, q)

    monkeypatch.setattr(Poly, "__mul__", checked)
    for cached in (exact._measured, proof._difference):
        cached.cache_clear()
    assert recheck(certificate).ok
    assert counts["multiply"]


@given(POLYNOMIALS)
def test_the_text_of_a_polynomial_is_read_at_once_as_the_grammar_reads_it(p: Poly) -> None:
    assert printed(str(p)) == p == polynomial(read_expression(str(p)), Work())


PIECES = [
    "0",
    "1",
    "2",
    "12",
    "x",
    "y",
    "and",
    "min",
    " ",
    " + ",
    " - ",
    "-",
    "*",
    "+",
    "(",
    "²",
    "_",
]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_no_other_text_is_read_at_once_otherwise_than_by_the_grammar(text: str) -> None:
    p = printed(text)
    if p is not None:
        assert str(p) == text
        assert p == polynomial(read_expression(text), Work())


@pytest.mark.parametrize("text", ["2*y*x", "y + x", "1*x", "x*2", "x + 0", "-0", "00", "x**2", ""])
def test_what_is_not_printed_so_is_left_to_the_grammar(text: str) -> None:
    assert printed(text) is None


def test_a_longer_number_than_texts_have_is_left_to_the_grammar() -> None:
    assert printed("9" * 5000) is None
    with pytest.raises((LayoutError, Rejected)):
        polynomial(read_expression("9" * 5000), Work())
