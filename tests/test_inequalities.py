"""Inequalities between products: proved factor by factor, certified, refuted where they are false."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import prove, recheck

PROVED = [
    ("ceildiv(M,16)*ceildiv(N,16) <= 4*ceildiv(M,32)*ceildiv(N,32)", []),
    ("ceildiv(M,16)*ceildiv(N,8) <= 8*ceildiv(M,32)*ceildiv(N,32)", []),
    ("K*ceildiv(M,16)*ceildiv(N,8) <= 8*K*ceildiv(M,32)*ceildiv(N,32)", []),
    ("(M//16)*(N//8) <= (M//8)*(N//4)", []),
    ("ceildiv(M,16)*ceildiv(N,16) <= ceildiv(M,8)*ceildiv(N,8)", []),
    ("ceildiv(M,A)*ceildiv(N,16) <= 2*ceildiv(M,A)*ceildiv(N,32)", ["A >= 1"]),
    ("ceildiv(M,16)*16*ceildiv(N,8)*8 <= ceildiv(M,16)*16*ceildiv(N,16)*16", []),
]
REFUTED = [
    ("ceildiv(M,16)*ceildiv(N,16) <= 3*ceildiv(M,32)*ceildiv(N,32)", []),
    ("(M//8)*(N//4) <= (M//16)*(N//8)", []),
    ("(M - N)*ceildiv(N,16) <= (M - N)*ceildiv(N,8)", []),
]


@pytest.mark.parametrize(("claim", "facts"), PROVED)
def test_products_are_compared_factor_by_factor(claim: str, facts: list[str]) -> None:
    verdict = prove.holds(claim, where=facts)
    assert verdict.status == "proved", verdict.reason
    assert recheck(verdict.certificate or {}, f'holds "{claim}"', facts).ok


@pytest.mark.parametrize(("claim", "facts"), REFUTED)
def test_products_that_may_be_larger_are_refuted(claim: str, facts: list[str]) -> None:
    assert prove.holds(claim, where=facts).status == "refuted"


def test_a_tiled_buffer_fits_in_one_of_larger_tiles() -> None:
    size = "ceildiv(M,16)*16*ceildiv(N,16)*16"
    verdict = prove.bounded("f32[M,N]{1,0:T(16,8)}", size)
    assert verdict.status == "proved"
    assert recheck(verdict.certificate or {}).ok


def test_a_size_that_facts_leave_one_value() -> None:
    """From `a*d + b <= d` and b >= 1 follows that a is 0."""
    facts = ["symbol a", "a >= 0", "symbol b", "b >= 1", "a*d + b <= d"]
    verdict = prove.equal("map i < d: i + a", "map i < d: i", where=facts)
    assert verdict.status == "proved"
    assert recheck(verdict.certificate or {}).ok
    assert prove.equal("map i < d: i + a", "map i < d: i", where=facts[:2]).status == "refuted"


def test_facts_that_leave_every_size_one_value() -> None:
    facts = ["a * a <= 30", "M == a * a", "M <= 2"]
    verdict = prove.fits("f64[a+1,M-1]{1,0:T(2,3)}", "32", where=facts)
    assert verdict.status == "proved"


def ceiling(x: int, d: int) -> int:
    return -(-x // d)


@given(st.tuples(*[st.sampled_from([1, 2, 3, 4, 6, 8])] * 4), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_random_products_against_plain_integers(tiles: tuple[int, ...], k: int) -> None:
    a, b, c, d = tiles
    claim = f"ceildiv(M,{a})*ceildiv(N,{b}) <= {k}*ceildiv(M,{c})*ceildiv(N,{d})"
    verdict = prove.holds(claim)
    false = [
        (m, n)
        for m, n in product(range(1, 40), repeat=2)
        if ceiling(m, a) * ceiling(n, b) > k * ceiling(m, c) * ceiling(n, d)
    ]
    assert verdict.status == ("refuted" if false else "proved")
    if not false:
        assert recheck(verdict.certificate or {}).ok
