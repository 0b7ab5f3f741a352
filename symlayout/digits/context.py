"""Expressions in digits: the polynomials that they are, under what a proof knows.

How polynomials are divided is in `division`, operations on bits are in `bitwise`, powers of two in
`powers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from math import gcd
from operator import mul
from typing import Any

from symlayout.digits import applications, bitwise, bounds, division, powers, samples
from symlayout.digits.poly import ZERO, Poly, atom, total
from symlayout.digits.state import State, Undecided
from symlayout.errors import LayoutError
from symlayout.expr.terms import (
    BITS,
    SIMPLE,
    CeilDiv,
    Exp2,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    Where,
    as_expr,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol


class Context(State):
    """What a proof knows, and the polynomials of its expressions."""

    def __init__(self, meter: bounds.Meter | None = None) -> None:
        super().__init__(meter)
        self._polys: dict[Expr, Poly] = {}
        self._placed: dict[Expr, Poly] = {}  # polynomials at the last coordinates' ...
        self._place: Any = None  # ... as they are until more is known

    def forget(self) -> None:
        """Forgets the polynomials of expressions, so that they are made again with all digits known."""
        self._polys.clear()
        self._place = None

    def poly(self, e: Expr | int, env: Mapping[Symbol, Poly] | None = None) -> Poly:
        """The polynomial of an expression; `env` gives the coordinates' polynomials.

        Raises `Undecided` when a divisor is not proved to be positive.
        """
        if isinstance(e, int):
            return Poly.of(e)
        e, memo = as_expr(e), self._polys
        if env:
            place = dict(env), len(self.atoms), self.version
            if place != self._place:
                self._place, self._placed = place, {}
            memo = self._placed
        return self.resolve(self._visited(e, env, memo))

    def _visited(self, x: Expr, env: Mapping[Symbol, Poly] | None, memo: dict[Expr, Poly]) -> Poly:
        """The polynomial of a part, made once; no closure, which would be garbage in a circle."""
        got = memo.get(x)
        if got is None:
            got = memo[x] = self._built(x, env, memo)
        return got

    def _built(self, x: Expr, env: Mapping[Symbol, Poly] | None, memo: dict[Expr, Poly]) -> Poly:
        kind = type(x)
        if kind is Integer:
            return Poly.of(x.p)
        if isinstance(x, Symbol):
            if env and x in env:
                return env[x]
            return self.symbol(x.name)
        if kind is Pow:
            return self._visited(x.args[0], env, memo) ** x.args[1].p
        if kind is Where:
            p, q, a, b = x.args
            left, right = self._visited(p, env, memo), self._visited(q, env, memo)
            return self._visited(self.branch(left, right, a, b), env, memo)
        args = [self._visited(a, env, memo) for a in x.args]
        if kind is Add:
            return total(args)
        if kind is Mul:
            return reduce(mul, args)
        return self._function(x, args)

    def _function(self, x: Expr, args: list[Poly]) -> Poly:
        if isinstance(x, (Min, Max)):
            return reduce(partial(self.extreme, least=isinstance(x, Min)), args)
        if isinstance(x, Exp2):
            return self.power_of_two(args[0])
        if isinstance(x, SIMPLE):
            return x.row.joined(partial(applications.application, self, x.row), args)
        a, b = args
        if type(x) in BITS:
            return bitwise.bitwise(self, BITS[type(x)], a, b)
        if isinstance(x, FloorDiv):
            return self.divmod(a, b)[0]
        if isinstance(x, Mod):
            return self.divmod(a, b)[1]
        if isinstance(x, CeilDiv):
            # ceil(a/b) == -((-a)//b) for every b, and == (a + b - 1)//b for b > 0
            return self.divmod(a + b - 1, b)[0] if self.positive(b) else -self.divmod(-a, b)[0]
        if isinstance(x, (TruncDiv, TruncMod)):
            quotient, rest = self.truncated(a, b)
            return quotient if isinstance(x, TruncDiv) else rest
        raise LayoutError("SL203", f"{x} is not an integer expression")

    def extreme(self, a: Poly, b: Poly, least: bool) -> Poly:
        """min or max: the decided one where it is decided, else an atom between both."""
        a, b = self.resolve(a), self.resolve(b)
        if self.nonneg(b - a):
            return a if least else b
        if self.nonneg(a - b):
            return b if least else a
        if self.differences and (a.terms and b.terms):
            return self.by_difference(a, b, least)
        word = "min" if least else "max"
        first, second = sorted((a, b), key=repr)
        key = (word, first, second)
        self._rekey()
        if key not in self._opaque:
            low = None
            lows = [bounds.least(self, p) for p in (a, b)]
            known = [v for v in lows if v is not None]
            if len(known) == 2:
                low = min(known) if least else max(known)
            if least and (low is None or low < 1) and self.positive(a) and self.positive(b):
                low = 1  # a divisor that is clamped
            text = f"{word}({self.text(first)}, {self.text(second)})"
            n = self.new_atom(text, "extreme", low, None, definition=key)
            m = atom(n)
            self._opaque[key] = m
            self.constraints += [a - m, b - m] if least else [m - a, m - b]
        return self._opaque[key]

    def by_difference(self, a: Poly, b: Poly, least: bool) -> Poly:
        """With a = b + g*e, g >= 1: `min(a, b) == b + g*min(e, 0)`, `max(a, b) == a - g*min(e, 0)`."""
        gap = a - b
        if gap.terms[max(gap.terms)] < 0:
            a, b, gap = b, a, -gap
        g = gcd(*gap.terms.values())
        below = self.extreme(Poly({m: c // g for m, c in gap.terms.items()}), ZERO, True) * g
        return b + below if least else a - below

    def branch(self, p: Poly, q: Poly, a: Expr, b: Expr) -> Expr:
        """`a` where p < q, `b` where not; raises `Undecided` where that differs from place to place."""
        if self.nonneg(q - p - 1):
            return a
        if self.nonneg(p - q):
            return b
        raise Undecided(f"whether {self.text(self.resolve(p))} < {self.text(self.resolve(q))}")

    def top(self, e: Poly) -> Poly | None:
        """The greatest value, in sizes; None where there is none, or it is just being looked for."""
        end = bounds.ends(self, e, low=False)
        if end is None or end == e:
            return None
        return end if samples.behind(self, end).isdisjoint(self.busy) else None

    def power_of_two(self, e: Poly) -> Poly:
        """`2**e`; raises `Undecided` where e is not proved to be >= 0, or is too large a number."""
        power = powers.of_two(self, e)
        if power is None:
            e = self.resolve(e)
            large = f"2**{e.constant} is too large"
            what = large if e.is_constant else "the exponent may be negative"
            raise Undecided(f"what 2**({self.text(e)}) is: {what}")
        return self.resolve(power)

    def truncated(self, a: Poly, b: Poly) -> tuple[Poly, Poly]:
        """C's quotient and remainder: floor's where the dividend is not negative."""
        if not self.positive(b) and self.nonneg(-self.resolve(b) - 1):
            quotient, rest = self.truncated(a, -b)  # a / -b == -(a / b), a % -b == a % b
            return -quotient, rest
        if self.nonneg(a):
            return self.divmod(a, b)
        if self.nonneg(-a):
            quotient, rest = self.divmod(-a, b)
            return -quotient, -rest
        raise Undecided(f"the sign of {self.text(a)}, which C divides by {self.text(b)}")

    def divide(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder for a divisor that is positive."""
        return division.divide(self, p, d)

    def split(self, number: int, d: Poly) -> bool:
        """Replaces `x` by `d*high + low`, 0 <= low < d; False where that cannot be."""
        return division.split(self, number, d)


__all__ = ["Context", "Undecided"]
