"""What facts about one symbol alone say of it: a range, and what it leaves by a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, lcm
from typing import TYPE_CHECKING

from symlayout.expr.terms import Application, Mod, TruncMod, divisors_of
from symlayout.expr.tree import Add, Expr, Integer, Symbol, expand
from symlayout.text.once import cached_property

if TYPE_CHECKING:
    from symlayout.expr.relations import Relation


@dataclass(frozen=True)
class Domain:
    """The values that a symbol's own facts allow: low <= x <= high, x % modulus == residue."""

    low: int = 1
    high: int | None = None
    modulus: int = 1
    residue: int = 0

    @cached_property
    def first(self) -> int:
        """The least allowed value."""
        return self.low + (self.residue - self.low) % self.modulus

    @cached_property
    def last(self) -> int | None:
        """The greatest allowed value, None when there is none."""
        if self.high is None:
            return None
        return self.high - (self.high - self.residue) % self.modulus

    @property
    def empty(self) -> bool:
        """Whether no value is allowed."""
        return self.last is not None and self.last < self.first

    def __contains__(self, value: int) -> bool:
        """Whether the value is allowed."""
        inside = self.low <= value and (self.high is None or value <= self.high)
        return inside and (value - self.residue) % self.modulus == 0

    @property
    def magnitude(self) -> int:
        """The least that |x| can be, 0 counting as 1."""
        if self.first >= 0:
            return max(1, self.first)
        last = self.last
        if last is not None and last < 0:
            return -last
        return max(1, min(self.first % self.modulus, -self.first % self.modulus))

    def near(self, value: int) -> int:
        """The allowed value nearest below, or else the least; of a domain that is not empty.

        >>> Domain(3, 20, 4, 1).near(16), Domain(3, 20, 4, 1).near(99), Domain(3).near(1)
        (13, 17, 3)
        """
        value = max(value if self.last is None else min(value, self.last), self.first)
        return value - (value - self.residue) % self.modulus

    def outward(self) -> Iterator[int]:
        """The allowed values, the least |x| first (0 counting as 1), of two such ones the lesser.

        >>> list(Domain(-2, 3).outward())
        [-1, 0, 1, -2, 2, 3]
        """
        up = max(self.first, self.first % self.modulus)
        down = up - self.modulus
        while True:
            over = self.last is not None and up > self.last
            under = down < self.first
            if over and under:
                return
            if under or (not over and max(1, up) < -down):
                yield up
                up += self.modulus
            else:
                if not self.last or down <= self.last:
                    yield down
                down -= self.modulus


ANY = Domain()  # of a size of which no fact speaks


def linear(e: Expr) -> dict[str, int] | None:
    """The coefficients by name (the constant under "") of a linear expression, else None."""
    terms: dict[str, int] = {}
    for term in Add.make_args(expand(e)):
        factor, rest = term.as_coeff_Mul()
        if not (factor.is_Integer and (rest == 1 or isinstance(rest, Symbol))):
            return None
        name = "" if rest == 1 else rest.name
        terms[name] = terms.get(name, 0) + int(factor)  # symbols of one name are one symbol
    return {n: k for n, k in terms.items() if k or not n}


def congruence(r: Relation) -> tuple[int, int] | None:
    """(m, c) for a relation that says x % m == c of a single symbol x."""
    if r.op != "==":
        return None
    for a, b in ((r.left, r.right), (r.right, r.left)):
        if not (isinstance(a, (Mod, TruncMod)) and isinstance(a.args[0], Symbol)):
            continue
        m, c = a.args[1], b
        if not (m.is_Integer and c.is_Integer and m > 0):
            continue
        # C's remainder has the sign of x: only 0 says the same of every x
        if 0 <= c < (m if isinstance(a, Mod) else 1):
            return int(m), int(c)
    return None


def join(m: int, a: int, n: int, b: int) -> tuple[int, int] | None:
    """The congruence that two congruences make together, None when they contradict."""
    g = gcd(m, n)
    if (b - a) % g:
        return None
    step = (b - a) // g * pow(m // g, -1, n // g) % (n // g)
    return lcm(m, n), a + m * step


def line_of(r: Relation) -> tuple[int, int] | None:
    """(a, b) when the relation compares a*x + b with 0, and is defined for every x."""
    if type(r.left) is Symbol and type(r.right) is Integer:
        return 1, -r.right.p
    e = r.left - r.right
    if len(e.free_symbols) != 1 or e.has(Application):
        return None
    if divisors_of(r.left) or divisors_of(r.right):
        return None  # they cancel
    slope, rest = 0, 0
    for term in Add.make_args(expand(e)):
        number, factor = term.as_coeff_Mul()
        if factor == 1:
            rest += int(number)
        elif factor.is_Symbol:
            slope += int(number)
        else:
            return None
    return (slope, rest) if slope else None


def interval(op: str, a: int, b: int) -> tuple[int | None, int | None]:
    """The integers x with a*x + b op 0, as (low, high)."""
    if op == "==":
        return (-b // a, -b // a) if b % a == 0 else (1, 0)
    if op == "!=":
        return (None, None)
    if op in ("<", "<="):
        op, a, b = {"<": ">", "<=": ">="}[op], -a, -b
    if op == ">":
        b -= 1  # over the integers, a*x + b > 0 is a*x + b - 1 >= 0
    return (-(b // a), None) if a > 0 else (None, b // -a)
