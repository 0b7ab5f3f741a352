"""Runs of bits, whose vectors double from one to the next, and exponents of powers of two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import xor
from sys import maxsize

from symlayout.expr.terms import value
from symlayout.expr.tree import ONE, ZERO, Add, Expr
from symlayout.layouts.doors.linear import BITS

Exponent = Expr  # a sum of symbols and a number
Coordinate = tuple[Exponent, ...]  # the bits that are 1


def terms(e: Exponent) -> list[tuple[str, int]]:
    """The coefficients of symbols by name; that of "" is the number.

    >>> from symlayout.expr.terms import symbol
    >>> terms(2*symbol("m") + symbol("k") - 3)
    [('', -3), ('k', 1), ('m', 2)]
    """
    parts = (t.as_coeff_Mul() for t in Add.make_args(e) if t is not ZERO)
    return sorted((rest.name if rest.is_Symbol else "", n.p) for n, rest in parts)


def exponent_text(e: Exponent) -> str:
    """It as a text: what reads back as the same.

    >>> from symlayout.expr.terms import symbol
    >>> exponent_text(2*symbol("k") - 3)
    '2*k-3'
    """
    own, number = [(n, x) for n, x in terms(e) if n], dict(terms(e)).get("", 0)
    texts = [f"{'' if abs(x) == 1 else f'{abs(x)}*'}{n}" for n, x in own]
    signs = ["-" if x < 0 else "+" for _, x in own]
    if number or not texts:
        texts.append(str(abs(number)))
        signs.append("-" if number < 0 else "+")
    return "".join(s + t for s, t in zip(signs, texts)).removeprefix("+")


def power_text(e: Exponent) -> str:
    """2 to the power of it.

    >>> from symlayout.expr.terms import symbol
    >>> power_text(symbol("k")), power_text(symbol("k") + 1), power_text(ONE)
    ('2**k', '2**(k+1)', '2')
    """
    if e.is_Integer and 0 <= e < BITS:
        return str(1 << int(e))
    return f"2**{e}" if e.is_Symbol else f"2**({exponent_text(e)})"


@dataclass(frozen=True)
class Run:
    """So many bits: the vector of the first; that of each other is twice the one before."""

    vector: tuple[Coordinate, ...]
    many: Exponent = ONE

    def vectors(self, sizes: Mapping[str, int], most: int = maxsize) -> list[tuple[int, ...]]:
        """The vectors of its bits at these values of the symbols, bits from `most` on as one."""
        first = list[int]()
        for bits in self.vector:
            powers = (1 << min(value(e, sizes), most) for e in bits)
            first.append(reduce(xor, powers, 0))
        return [tuple(x << t for x in first) for t in range(value(self.many, sizes))]

    def __str__(self) -> str:
        results = f"[{','.join(map(_coordinate, self.vector))}]"
        return results if self.many == ONE else f"{results}*{power_text(self.many)}"


def _coordinate(bits: Coordinate) -> str:
    short = [b for b in bits if is_plain(b) and b < BITS]
    number = sum(1 << int(b) for b in short)
    parts = [power_text(b) for b in bits if b not in short]
    return "+".join([*parts, *([str(number)] if number or not parts else [])])


def is_plain(e: Exponent) -> bool:
    return bool(e.is_Integer and e >= 0)
