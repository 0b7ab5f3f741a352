"""Lower bounds that can be read off an expression: where a division needs no care."""

from __future__ import annotations

from collections.abc import Mapping

from symlayout.expr.operations import BITS, Where
from symlayout.expr.terms import Exp2, Max, Min
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol


def least(e: Expr, low: Mapping[Symbol, int]) -> int | None:
    """A lower bound that can be read off the expression, or None where none can.

    >>> from symlayout.expr.terms import FloorDiv
    >>> i, N = Symbol("i"), Symbol("N")
    >>> least(8*FloorDiv(i, 8) + N - 1, {i: 0, N: 1}), least(i - N, {i: 0, N: 1})
    (0, None)
    """
    if isinstance(e, Integer):
        return int(e)
    if isinstance(e, Symbol):
        return low.get(e)
    if isinstance(e, Add):
        return _sum([least(a, low) for a in e.args])
    if isinstance(e, Mul):
        return _product([least(a, low) for a in e.args])
    if isinstance(e, Pow):
        return _product([least(e.base, low)] * int(e.exp))
    bounds = [least(a, low) for a in e.args]
    if isinstance(e, Exp2):
        return 1
    if isinstance(e, Where):
        return _sum([min(bounds[2:])]) if None not in bounds[2:] else None  # type: ignore[type-var]
    if type(e) in BITS:
        return 0 if all(b is not None and b >= 0 for b in bounds) else None
    if isinstance(e, Max):
        known = [b for b in bounds if b is not None]
        return max(known) if known else None
    if any(b is None for b in bounds):
        return None
    if isinstance(e, Min):
        return _sum([min(b for b in bounds if b is not None)])
    a, b = bounds[0], bounds[1]
    return 0 if a is not None and b is not None and a >= 0 and b >= 1 else None


def _sum(bounds: list[int | None]) -> int | None:
    known = [b for b in bounds if b is not None]
    return sum(known) if len(known) == len(bounds) else None


def _product(bounds: list[int | None]) -> int | None:
    result = 1
    for b in bounds:
        if b is None or b < 0:
            return None
        result *= b
    return result
