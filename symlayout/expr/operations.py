"""Operations of index functions beside the arithmetic of layouts: bits, and a choice of two."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

from sympy import Expr, Integer

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
        return None

    def value_of(self, visit: Callable[[Expr], int]) -> int:
        """The value."""
        return int(type(self).python(visit(self.args[0]), visit(self.args[1])))

    def _sympystr(self, printer: Any) -> str:
        return f"(({printer._print(self.args[0])}) {self.sign} ({printer._print(self.args[1])}))"


class BitXor(_Bits):
    """`a ^ b`.

    >>> BitXor(6, 3)
    5
    """

    python = operator.xor
    sign = "^"


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


class Where(Operation):
    """`a` where `p < q`, else `b`; only the one that is chosen has to have a value.

    >>> from symlayout.expr.terms import symbol
    >>> Where(symbol("i"), 8, 1, 2), Where(9, 8, 1, 2)
    ((1 if i < 8 else 2), 2)
    """

    nargs = 4

    @classmethod
    def eval(cls, p: Expr, q: Expr, a: Expr, b: Expr) -> Expr | None:
        if p.is_Integer and q.is_Integer:
            return a if p < q else b
        return None

    def value_of(self, visit: Callable[[Expr], int]) -> int:
        """The value, by the branch that is taken."""
        p, q, a, b = self.args
        return visit(a) if visit(p) < visit(q) else visit(b)

    def _sympystr(self, printer: Any) -> str:
        p, q, a, b = map(printer._print, self.args)
        return f"({a} if {p} < {q} else {b})"
