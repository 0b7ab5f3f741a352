"""Sums with what their terms share taken out: `s*t*q*a + s*t*b + t*c` as `t*(s*(q*a + b) + c)`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from symlayout.expr.intermediates import factors_in_order, intermediates, terms_in_order
from symlayout.expr.tree import Expr, Mul


class Group(NamedTuple):
    """`factor` times the sum of the items."""

    factor: Expr
    items: Sequence[Group | Expr]


def groups(e: Expr) -> list[Group | Expr]:
    """The terms of a sum in order, those that share a factor as a group.

    >>> from symlayout.expr.terms import symbol
    >>> a, b, c, s = map(symbol, "abcs")
    >>> groups(8*s*a + 8*b + c)
    [c, Group(factor=8, items=[a*s, b])]
    """
    terms = terms_in_order(e)
    if any(t.could_extract_minus_sign() for t in terms):
        return list(terms)  # what is taken away stays last
    return _grouping(terms)


def _grouping(terms: Sequence[Expr]) -> list[Group | Expr]:
    parts = [list(factors_in_order(t)) for t in terms]
    counts = Counter(f for row in parts for f in row if f != 1)
    # a number before a product of equal gain: it is a shift, or part of an address
    best = max(counts, key=lambda f: (counts[f], not f.is_Integer, str(f)), default=None)
    if best is None or counts[best] < 2:
        return list(terms)
    inside = [Mul(*[f for f in row if f != best]) for row in parts if best in row]
    outside = [t for t, row in zip(terms, parts) if best not in row]
    rest = _grouping(outside) if len(outside) > 1 else list(outside)
    return [*rest, Group(best, _grouping(inside))]


def steps(e: Expr) -> list[Expr]:
    """Every value on the way to the expression where its sums are grouped, in order."""
    return intermediates(e, groups)
