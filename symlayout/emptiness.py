"""Buffers without elements: a strided array with a size of 0 occupies nothing.

What a strided notation says of the buffer's size, 1 + the greatest offset, speaks of an array that has
elements.  Sizes are at least 1 unless facts say otherwise, so this is what is shown; where the facts
of a claim let a size d be 0, the buffer has `min(1, d) * size` elements.
"""

from __future__ import annotations

from math import prod

from sympy import Add, Expr, Integer, Mul, Symbol, expand

from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.errors import LayoutError
from symlayout.facts import Facts
from symlayout.indexmap import IndexMap
from symlayout.terms import CeilDiv, Max, Min, Size, as_expr, free_names


def emptied(m: IndexMap, facts: Facts) -> IndexMap:
    """The map whose `size` is 0 wherever the facts let one of its `vanishing` sizes be 0.

    >>> from symlayout.terms import symbol
    >>> A = IndexMap.strided((symbol("M"), 4), (8, 1))
    >>> emptied(A, Facts()).size, emptied(A, Facts.read("M >= 0")).size
    (8*M - 4, (8*M - 4)*min(M, 1))
    """
    doubtful = [as_expr(d) for d in m.vanishing if not isinstance(d, int)]
    doubtful = [d for d in dict.fromkeys(doubtful) if (_low(d, facts) or 0) < 1]
    if not doubtful:
        return m
    ctx = Context()
    assume(ctx, facts, free_names(*doubtful), {})
    zero = [d for d in doubtful if not _at_least(ctx, d, 1)]
    below = any(not _at_least(ctx, d, 0) for d in zero)  # a negative size leaves no element either
    if not below:
        zero = [d for d in zero if not _follows(m.size, d, facts)]
    some = Min(1, *zero)
    return m.resized((Max(0, some) if below else some) * m.size) if zero else m


def _low(e: Expr, facts: Facts) -> int | None:
    """A bound below that the ranges of the symbols give at once."""
    if e.is_Integer:
        return int(e)
    if isinstance(e, Symbol):
        return facts.domain(e.name).first
    parts = [p for x in e.args if (p := _low(x, facts)) is not None]
    if len(parts) < len(e.args):
        return None
    if isinstance(e, Add):
        return sum(parts)
    if isinstance(e, Mul):
        return prod(parts) if min(parts) >= 0 else None
    if isinstance(e, (Min, Max)):
        return min(parts) if isinstance(e, Min) else max(parts)
    return 1 if isinstance(e, CeilDiv) and min(parts) >= 1 else None


def _at_least(ctx: Context, d: Expr, bound: int) -> bool:
    """Whether the facts leave no room for less."""
    try:
        return ctx.nonneg(ctx.poly(d) - bound)
    except Undecided:
        return False


def _follows(size: Size, d: Expr, facts: Facts) -> bool:
    """Whether the size as it is written is 0 already where d is: so is N*M where M is 0."""
    factors = [f for f in Mul.make_args(d) if (_low(f, facts) or 0) < 1]
    try:
        return all(expand(as_expr(size).xreplace({f: Integer(0)})) == 0 for f in factors)
    except LayoutError:  # it is divided by
        return False
