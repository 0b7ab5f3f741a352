"""How far a strided layout reaches: the size of its buffer, with signs that are decided by facts.

The size is `1 + max(offsets) - min(0, min(offsets))` over the box of coordinates, 0 where that is
empty.  An end of the box gives the greatest or the least offset, which one depends on the sign of the
stride: where that is not decided, the size is written with `max` and `min`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

from symlayout.expr.facts import Facts
from symlayout.expr.terms import CeilDiv, Exp2, Max, Min, Size, as_expr, as_size, ceildiv
from symlayout.expr.tree import Add, Integer, Mul, Pow, Symbol, expand

Sign = Callable[[Size], int]
"""1 for what is never negative, -1 for what is never positive, 0 for what is not decided."""


def least_value(e: Size, facts: Facts) -> int | None:
    """A bound below that the ranges of the symbols give at once, None where they give none.

    >>> from symlayout.expr.terms import symbol
    >>> least_value(4 * symbol("M") - 2, Facts()), least_value(symbol("M") - symbol("N"), Facts())
    (2, None)
    >>> least_value((symbol("M") - symbol("N"))**2 + 1, Facts())
    1
    """
    if isinstance(e, int) or e.is_Integer:
        return int(e)
    if isinstance(e, Symbol):
        return facts.domain(e.name).first
    if isinstance(e, Pow):
        base, power = least_value(e.args[0], facts), int(e.args[1])
        if base is not None and base >= 0:
            return int(base**power)
        return 0 if power % 2 == 0 else None
    parts = [p for x in e.args if (p := least_value(x, facts)) is not None]
    if len(parts) < len(e.args):
        return None
    if isinstance(e, Add):
        return sum(parts)
    if isinstance(e, Mul):
        return prod(parts) if min(parts) >= 0 else None
    if isinstance(e, (Min, Max)):
        return min(parts) if isinstance(e, Min) else max(parts)
    if isinstance(e, Exp2):
        return 2 ** min(parts[0], 64) if parts[0] >= 0 else None
    return 1 if isinstance(e, CeilDiv) and min(parts) >= 1 else None


def sign_under(facts: Facts) -> Sign:
    """The signs that the ranges of the symbols give at once."""

    def sign(e: Size) -> int:
        low = least_value(e, facts)
        if low is not None and low >= 0:
            return 1
        low = least_value(expand(-as_expr(e)), facts)
        return -1 if low is not None and low >= 0 else 0

    return sign


def plain_sign(e: Size) -> int:
    """The sign where every symbol is at least 1.

    >>> from symlayout.expr.terms import symbol
    >>> M, N = symbol("M"), symbol("N")
    >>> plain_sign(M - 1), plain_sign(-2 * M * N), plain_sign(M - N)
    (1, -1, 0)
    """
    return _PLAIN(e)


_PLAIN = sign_under(Facts())


class Span(NamedTuple):
    """A first offset, and for each direction how many elements lie how far apart.

    >>> from symlayout.expr.terms import symbol
    >>> a, b = symbol("a"), symbol("b")
    >>> Span(0, ((3, a), (b, -4))).size(), Span(0, ((3, a - b),)).size()
    (2*a + 4*b - 3, 2*max(a - b, 0) - 2*min(a - b, 0) + 1)
    """

    start: Size
    steps: tuple[tuple[Size, Size], ...]
    block: int = 1  # the size is rounded up to whole blocks

    def size(self, sign: Sign = plain_sign) -> Size:
        """The elements of the buffer, where no direction is empty; 0 where one certainly is."""
        if any(d == 0 for d, _ in self.steps):
            return 0
        lowest, highest = self.lowest(sign), self.highest(sign)
        if isinstance(lowest, int) and isinstance(highest, int):
            size: Size = highest + 1 - min(0, lowest)
        else:
            lowest = as_size(expand(as_expr(lowest)))
            below_start = self.start == 0 or sign(self.start) == -1
            way = -1 if below_start else sign(lowest)
            below: Any = {1: 0, -1: lowest, 0: Min(lowest, 0)}[way]
            size = as_size(expand(as_expr(highest + 1 - below)))
        return size if self.block == 1 else as_size(ceildiv(size, self.block) * self.block)

    def lowest(self, sign: Sign = plain_sign) -> Size:
        """The least offset."""
        return self._end(sign, -1, Min)

    def highest(self, sign: Sign = plain_sign) -> Size:
        """The greatest offset."""
        return self._end(sign, 1, Max)

    def _end(self, sign: Sign, way: int, extreme: Any) -> Size:
        total: Any = self.start
        for d, s in self.steps:
            here = (1 if s >= 0 else -1) if isinstance(s, int) else sign(s)
            if here == way:
                total = total + (d - 1) * s
            elif here == 0:
                total = total + (d - 1) * extreme(s, Integer(0))
        return as_size(total)

    @property
    def extents(self) -> tuple[Size, ...]:
        """How many elements each direction has."""
        return tuple(d for d, _ in self.steps)

    @property
    def signed(self) -> tuple[Size, ...]:
        """What the size depends on the sign of: the strides and the first offset."""
        return (self.start, *[s for _, s in self.steps if not isinstance(s, int)])
