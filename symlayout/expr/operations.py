"""Operations of index functions beside the arithmetic of layouts: bits, and a choice of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from symlayout.expr import folding
from symlayout.expr.terms import Operation, read_at_the_edge
from symlayout.expr.tree import Expr


class _Bits(folding.Bits, Operation):
    """Two integers bit by bit, in two's complement without end."""

    __slots__ = ()

    def value_of(self, visit: Callable[[Expr], int]) -> int:
        """The value."""
        return int(type(self).python(visit(self.args[0]), visit(self.args[1])))


class BitXor(folding.BitXor, _Bits):
    """`a ^ b`.

    >>> BitXor(6, 3)
    5
    """

    __slots__ = ()


class BitOr(folding.BitOr, _Bits):
    """`a | b`.

    >>> BitOr(6, 3)
    7
    """

    __slots__ = ()


class BitAnd(folding.BitAnd, _Bits):
    """`a & b`.

    >>> BitAnd(6, 3)
    2
    """

    __slots__ = ()


BITS: dict[Any, str] = {kind: kind.sign for kind in (BitXor, BitOr, BitAnd)}

OF_BITS: dict[str, Callable[[int, int], int]] = {
    kind.sign: kind.python for kind in (BitXor, BitOr, BitAnd)
}


class Where(folding.Where, Operation):
    """`a` where `p < q`, else `b`; only the one that is chosen has to have a value.

    >>> from symlayout.expr.terms import symbol
    >>> Where(symbol("i"), 8, 1, 2), Where(9, 8, 1, 2)
    ((1 if i < 8 else 2), 2)
    """

    __slots__ = ()
    evaluated: ClassVar[int | None] = 2

    def value_of(self, visit: Callable[[Expr], int]) -> int:
        """The value, by the branch that is taken."""
        p, q, a, b = self.args
        return visit(a) if visit(p) < visit(q) else visit(b)


read_at_the_edge(*BITS, Where)
