"""Where a polynomial in one integer unknown is zero or changes its sign, in exact integers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

MOST_DEGREE = 12


def evaluate(coefficients: Sequence[int], x: int) -> int:
    """The value at x; `coefficients` from the constant upwards."""
    total = 0
    for c in reversed(coefficients):
        total = total * x + c
    return total


def crossings(coefficients: Sequence[int], low: int, high: int | None) -> list[int]:
    """The integers of [low, high] at or beside which the polynomial is 0 or changes its sign.

    >>> crossings([-12, 1, 1], 0, None), crossings([-10, 0, 1], 0, None)
    ([2, 3, 4], [3, 4])

    Beyond degree 12 the list is empty.
    """
    cut = list(coefficients)
    while cut and not cut[-1]:
        cut.pop()
    if len(cut) < 2 or len(cut) - 1 > MOST_DEGREE:
        return []
    reach = 3 + max(map(abs, cut)) // abs(cut[-1])  # Cauchy: no zero lies beyond it
    top = reach if high is None else min(high, reach)
    bottom = max(low, -reach)
    if top < bottom:
        return []
    slope = [k * c for k, c in enumerate(cut)][1:]
    turns = crossings(slope, bottom, top)  # between them the polynomial grows, or falls
    stops = sorted({bottom, top, *turns})
    hits: set[int] = {x for x in stops if not evaluate(cut, x)}
    for a, b in pairwise(stops):
        left, right = evaluate(cut, a) > 0, evaluate(cut, b) > 0
        if left == right:
            continue
        while b - a > 1:
            middle = (a + b) // 2
            if (evaluate(cut, middle) > 0) == left:
                a = middle
            else:
                b = middle
        hits |= {a, b}
    zeros = [x for x in hits if not evaluate(cut, x)]
    beside = {y for x in zeros for y in (x - 1, x + 1) if bottom <= y <= top}
    return sorted(hits | beside)
