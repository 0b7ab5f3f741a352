"""Operations of index functions beside the arithmetic of layouts: bits, and a choice of two."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

from sympy import Expr, Integer, Piecewise
from sympy.printing.precedence import PRECEDENCE

from symlayout.expr.terms import Operation


class _Bits(Operation):
    """Two integers bit by bit, in two's complement without end."""

    nargs = 2
    python: ClassVar[Any]
    sign: ClassVar[str]

    @classmethod
    def eval(cls, a: Expr, b: Expr) -> Expr | None:
        if a.is_Integer and b.is_Integer:
            return Integer(cls.python(int(a), int(b)))
        if a == b:
            return cls.itself(a)
        zero = {True: b, False: a}.get(a == 0) if 0 in (a, b) else None
        return None if zero is None else cls.with_zero(zero)

    @staticmethod
    def itself(a: Expr) -> Expr:
        """With an equal one."""
        return a

    @staticmethod
    def with_zero(a: Expr) -> Expr:
        """With 0."""
        return a

    def value_of(self, visit: Callable[[Expr], int]) -> int:
        """The value."""
        return int(type(self).python(visit(self.args[0]), visit(self.args[1])))

    def _sympystr(self, printer: Any) -> str:
        a, b = (printer.parenthesize(x, PRECEDENCE["Atom"], strict=True) for x in self.args)
        return f"({a} {self.sign} {b})"


class BitXor(_Bits):
    """`a ^ b`.

    >>> BitXor(6, 3)
    5
    """

    python = operator.xor
    sign = "^"

    @staticmethod
    def itself(a: Expr) -> Expr:
        """0: each bit twice."""
        return Integer(0)


class BitOr(_Bits):
    """`a | b`.

    >>> BitOr(6, 3)
    7
    """

    python = operator.or_
    sign = "|"


class BitAnd(_Bits):
    """`a & b`.

    >>> BitAnd(6, 3)
    2
    """

    python = operator.and_
    sign = "&"

    @staticmethod
    def with_zero(a: Expr) -> Expr:
        """0: no bit is in it."""
        return Integer(0)


BITS: dict[Any, str] = {kind: kind.sign for kind in (BitXor, BitOr, BitAnd)}

OF_BITS: dict[str, Callable[[int, int], int]] = {
    kind.sign: kind.python for kind in (BitXor, BitOr, BitAnd)
}


class Where(Operation):
    """`a` where `p < q`, else `b`; only the one that is chosen has to have a value.

    >>> from symlayout.expr.terms import symbol
    >>> Where(symbol("i"), 8, 1, 2), Where(9, 8, 1, 2)
    ((1 if i < 8 else 2), 2)
    """

    nargs = 4
    evaluated: ClassVar[int | None] = 2

    @classmethod
    def eval(cls, p: Expr, q: Expr, a: Expr, b: Expr) -> Expr | None:
        if p.is_Integer and q.is_Integer:
            return a if p < q else b
        return None

    @classmethod
    def plainly(cls, *args: Expr) -> Expr:
        """SymPy's piecewise expression."""
        p, q, a, b = args
        return Piecewise((a, p < q), (b, True))

    def value_of(self, visit: Callable[[Expr], int]) -> int:
        """The value, by the branch that is taken."""
        p, q, a, b = self.args
        return visit(a) if visit(p) < visit(q) else visit(b)

    def _sympystr(self, printer: Any) -> str:
        p, q, a, b = map(printer._print, self.args)
        return f"({a} if {p} < {q} else {b})"
