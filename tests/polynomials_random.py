"""Polynomials of the checker at random, and their values in plain integers."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from symlayout.certificate.exact import Poly

NAMES = ("x", "y", "z")
MONOMIALS = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda m: tuple(sorted(m)))


def polynomials(most: int) -> st.SearchStrategy[Poly]:
    """Those of a few terms, with coefficients up to that."""
    terms = st.tuples(MONOMIALS, st.integers(-most, most))
    return st.lists(terms, max_size=5).map(Poly.of)


def points(most: int) -> st.SearchStrategy[dict[str, int]]:
    """Values of the unknowns up to that."""
    return st.fixed_dictionaries({n: st.integers(-most, most) for n in NAMES})


def at(p: Poly, point: Mapping[str, int]) -> int:
    """The value of a polynomial at a point."""
    total = 0
    for m, c in p.terms:
        for a in m:
            c *= point[a]
        total += c
    return total
