"""What each of our functions is, whoever makes it: how it folds, its value and its text.

The tree's functions and those of SymPy at the edge are made of these classes, so that both fold and
print alike.  `integer` is the class of numbers on each side.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

from symlayout.errors import LayoutError
from symlayout.expr.printing import PRECEDENCE
from symlayout.text.limits import BITS, VALUE_BITS


def check_number(n: int) -> int:
    """The number; raises `LayoutError` (SL204) where it has more than `BITS` bits."""
    if n.bit_length() > BITS:
        raise LayoutError("SL204", f"a number of {n.bit_length()} bits; the limit is {BITS}")
    return n


def _trunc_div(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a >= 0) == (b > 0) else -q


def _trunc_mod(a: int, b: int) -> int:
    return a - b * _trunc_div(a, b)


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


class Folding:
    """What all share."""

    __slots__ = ()
    integer: ClassVar[Any]
    args: tuple[Any, ...]
    precedence: ClassVar[int] = PRECEDENCE["Atom"]


class Division(Folding):
    """Two arguments, numbers fold, a division by one goes."""

    __slots__ = ()
    python: ClassVar[Any]  # what it does to two integers
    sign: ClassVar[str]
    # in parentheses inside a product, bare inside a sum
    precedence: ClassVar[int] = PRECEDENCE["Mul"] - 1

    @classmethod
    def by_one(cls, a: Any) -> Any:
        """What it is when the divisor is 1."""
        return a

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        """A number of numbers."""
        if b.is_Integer:
            if b == 0:
                raise LayoutError("SL202", f"division by zero in {a} {cls.sign} 0")
            if a.is_Integer:
                return cls.integer(cls.python(int(a), int(b)))
            if b == 1:
                return cls.by_one(a)
        return None

    def _sympystr(self, printer: Any) -> str:
        a, b = self.args
        left = printer.parenthesize(a, PRECEDENCE["Mul"] - 1)
        if left.startswith("-"):
            left = f"({left})"  # a sum around it would take the sign for that of the whole term
        return f"{left}{self.sign}{printer.parenthesize(b, PRECEDENCE['Pow'])}"


class Remainder(Division):
    """Nothing is left of a division by one."""

    __slots__ = ()

    @classmethod
    def by_one(cls, a: Any) -> Any:
        """0."""
        return cls.integer(0)


class _Call(Division):
    """Divisions that no operator of Python spells: printed, and read, as calls."""

    __slots__ = ()
    precedence = PRECEDENCE["Atom"]
    word: ClassVar[str]

    def _sympystr(self, printer: Any) -> str:
        return f"{self.word}({printer._print(self.args[0])}, {printer._print(self.args[1])})"


class FloorDiv(Division):
    """`a // b`."""

    __slots__ = ()
    python = operator.floordiv
    sign = "//"


class Mod(Remainder):
    """`a % b`."""

    __slots__ = ()
    python = operator.mod
    sign = "%"


class CeilDiv(_Call):
    """`a / b` rounded up."""

    __slots__ = ()
    python = _ceil_div
    sign = word = "ceildiv"


class TruncDiv(_Call):
    """`a / b` of C."""

    __slots__ = ()
    python = _trunc_div
    word = "truncdiv"
    sign = "/"


class TruncMod(Remainder, _Call):
    """`a % b` of C."""

    __slots__ = ()
    python = _trunc_mod
    word = "truncmod"
    sign = "%"


class Extreme(Folding):
    """Any number of arguments, numbers fold, equal arguments join."""

    __slots__ = ()
    many = True
    python: ClassVar[Any]  # what it does to integers
    word: ClassVar[str]

    @classmethod
    def eval(cls, *args: Any) -> Any:
        """Without those that are equal, and one number of all numbers."""
        if len(args) == 1:
            return args[0]
        number: int | None = None
        rest: list[Any] = []
        for x in args:
            if x.is_Integer:
                number = int(x) if number is None else cls.python(number, int(x))
            elif isinstance(x, cls):
                rest += [y for y in x.args if y not in rest]
            elif x not in rest:
                rest.append(x)
        folded = rest + ([cls.integer(number)] if number is not None else [])
        if len(folded) == 1:
            return folded[0]
        return None if tuple(folded) == args else cls(*folded)

    def _sympystr(self, printer: Any) -> str:
        return f"{self.word}({', '.join(printer._print(x) for x in self.args)})"


class Min(Extreme):
    """The least."""

    __slots__ = ()
    python = min
    word = "min"


class Max(Extreme):
    """The greatest."""

    __slots__ = ()
    python = max
    word = "max"


class TooLarge(LayoutError):
    """A power of two that nobody computes with: it has a value, and refutes nothing."""


def _power_of_two(n: int) -> int:
    if n < 0:
        raise LayoutError("SL202", f"2**({n}): a shift by less than 0 has no value")
    if n > VALUE_BITS:
        raise TooLarge("SL204", f"2**{n} is a value of too many bits; the limit is {VALUE_BITS}")
    return 1 << n


class Exp2(Folding):
    """Two to a power that is not a number."""

    __slots__ = ()
    python = staticmethod(_power_of_two)
    precedence = PRECEDENCE["Pow"]

    @classmethod
    def eval(cls, k: Any) -> Any:
        """The number of a number."""
        return cls.integer(check_number(_power_of_two(int(k)))) if k.is_Integer else None

    def _sympystr(self, printer: Any) -> str:
        return f"2**{printer.parenthesize(self.args[0], PRECEDENCE['Pow'], strict=True)}"


class Bits(Folding):
    """Two integers bit by bit, in two's complement without end."""

    __slots__ = ()
    python: ClassVar[Callable[[int, int], int]]
    sign: ClassVar[str]

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        """A number of numbers; with itself and with 0 what each is."""
        if a.is_Integer and b.is_Integer:
            return cls.integer(cls.python(int(a), int(b)))
        if a == b:
            return cls.itself(a)
        zero = {True: b, False: a}.get(a == 0) if 0 in (a, b) else None
        return None if zero is None else cls.with_zero(zero)

    @classmethod
    def itself(cls, a: Any) -> Any:
        """With an equal one."""
        return a

    @classmethod
    def with_zero(cls, a: Any) -> Any:
        """With 0."""
        return a

    def _sympystr(self, printer: Any) -> str:
        a, b = (printer.parenthesize(x, PRECEDENCE["Atom"], strict=True) for x in self.args)
        return f"({a} {self.sign} {b})"


class BitXor(Bits):
    """`a ^ b`."""

    __slots__ = ()
    python = operator.xor
    sign = "^"

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        """A number stands behind: a text `2 ^ x` is refused, because it looks like a power."""
        if a.is_Integer and not b.is_Integer and a != 0:
            operands = [b, a]
            return cls(*operands)
        return super().eval(a, b)

    @classmethod
    def itself(cls, a: Any) -> Any:
        """0: each bit twice."""
        return cls.integer(0)


class BitOr(Bits):
    """`a | b`."""

    __slots__ = ()
    python = operator.or_
    sign = "|"


class BitAnd(Bits):
    """`a & b`."""

    __slots__ = ()
    python = operator.and_
    sign = "&"

    @classmethod
    def with_zero(cls, a: Any) -> Any:
        """0: no bit is in it."""
        return cls.integer(0)


class Where(Folding):
    """`a` where `p < q`, else `b`."""

    __slots__ = ()

    @classmethod
    def eval(cls, p: Any, q: Any, a: Any, b: Any) -> Any:
        """The branch that is taken, where that is known."""
        if p.is_Integer and q.is_Integer:
            return a if p < q else b
        return None

    def _sympystr(self, printer: Any) -> str:
        p, q, a, b = map(printer._print, self.args)
        return f"({a} if {p} < {q} else {b})"
