"""Reasons why a polynomial is not negative, in the form that `recheck` checks.

The search eliminates one unknown after the other at an end of its range, and subtracts multiples of
what is known to be non-negative.  What it does not find is left to the solvers.
"""

from __future__ import annotations

from typing import Any

from symlayout.recheck_ledger import PLAIN, Ledger
from symlayout.recheck_poly import Poly, Rejected, smt_term, z3_answer

STEPS = 4000  # eliminations in one question
TRIED = 60  # multiples of known polynomials in one question

Tree = list[Any]
Y = Poly.of({("'",): 1})


class Spent(Exception):
    """The question has used up its steps."""


class Witness:
    """Finds trees of reasons for a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.l = ledger
        self.points: list[dict[str, int]] = []  # the unknowns' values at places where all holds
        self.divisors: dict[str, Poly] = {}  # by quotient
        self.steps = 0
        self.asked: dict[str, bool] = {}

    def reason(self, p: Poly, solver: bool = True) -> Tree | None:
        """Why p >= 0, or None."""
        p = self.l.resolve(p)
        if self.fails(p):
            return None
        found = self.direct(p)
        for d in self.scales(p) if found is None else ():
            inside = self.direct(d * p + d - 1)
            positive = self.direct(d - 1)
            if inside is not None and positive is not None:
                return ["times", str(d), positive, inside]
        if found is None and solver:
            text = self.l.obligation(p, [f"(< {smt_term(p)} 0)"])
            return ["smt", text] if self.refuted(text) else None
        return found

    def scales(self, p: Poly) -> list[Poly]:
        """Numbers d for which d*p > -d may be easier to see than p >= 0."""
        found: dict[Poly, None] = {}
        for name, by in self.divisors.items():
            d = self.l.resolve(by)
            if name in p.atoms and d.number != 1:
                found.setdefault(d)
        for m, a in p.terms:
            for c in self.l.known:
                b = dict(self.l.resolve(c).terms).get(m, 0)
                if m and b % a == 0 and b // a > 1:
                    found.setdefault(Poly.read(b // a))
        return list(found)[:8]

    def zero(self, p: Poly) -> Tree | None:
        """A solver's obligation that p is 0, or None."""
        if any(value_at(p, point) for point in self.points):
            return None
        text = self.l.obligation(p, [f"(distinct {smt_term(p)} 0)"])
        return ["smt", text] if self.refuted(text) else None

    def refuted(self, text: str) -> bool:
        """Whether Z3 finds no solution; each obligation is asked once."""
        if text not in self.asked:
            self.asked[text] = z3_answer(text) == "unsat"
        return self.asked[text]

    def fails(self, p: Poly) -> bool:
        """Whether the polynomial is negative at a sample point."""
        return any(value_at(p, point) < 0 for point in self.points)

    def direct(self, p: Poly) -> Tree | None:
        """A reason without a solver."""
        self.steps = 0
        try:
            return self.box(p) or self.known(p, depth=2)
        except Spent:
            return None

    def plain(self, p: Poly) -> bool:
        """Whether all coefficients and all unknowns are non-negative."""
        if any(c < 0 for _, c in p.terms):
            return False
        lows = [self.l.low[a].number if a in self.l.low else None for a in p.atoms]
        return all(v is not None and v >= 0 for v in lows)

    def box(self, p: Poly) -> Tree | None:
        """By the ends of the ranges."""
        if self.plain(p):
            return PLAIN
        if p.number is not None or (all(c <= 0 for _, c in p.terms) and self.plain(-p - 1)):
            return None
        self.steps += 1
        if self.steps > STEPS:
            raise Spent
        x = self.next(p)
        parts = p.powers(x)
        low, high = self.end(x, "low"), self.end(x, "high")
        if all(self.plain(c) for c in parts[1:]) or len(parts) > 2:
            return self.at("low", x, p, low)
        if self.plain(-parts[1]):
            return self.at("high", x, p, high)
        if high is None:
            return self.at("low", x, p, low)
        if low is None:
            return self.at("high", x, p, high)
        first = self.box(p.put({x: low}))
        second = None if first is None else self.box(p.put({x: high}))
        return None if second is None else ["ends", x, first, second]

    def end(self, x: str, which: str) -> Poly | None:
        try:
            return self.l.end(x, which)
        except Rejected:
            return None

    def at(self, which: str, x: str, p: Poly, limit: Poly | None) -> Tree | None:
        """Every coefficient of the polynomial in the distance from an end is non-negative."""
        if limit is None:
            return None
        reasons: Tree = []
        for c in p.put({x: limit + Y if which == "low" else limit - Y}).powers("'"):
            found = self.box(c)
            if found is None:
                return None
            reasons.append(found)
        while reasons and reasons[-1] == PLAIN:
            reasons.pop()
        return [which, x, *reasons]

    def next(self, p: Poly) -> str:
        """The unknown to eliminate: no other one's bound depends on it; bounded ones first."""
        blocked: set[str] = set()
        bounded: dict[str, bool] = {}
        for a in p.atoms:
            limits = [self.end(a, "low"), self.end(a, "high")]
            bounded[a] = limits[1] is not None
            blocked |= {b for limit in limits if limit is not None for b in limit.atoms}
        free = [a for a in p.atoms if a not in blocked] or list(p.atoms)
        order = {a: k for k, a in enumerate(self.l.low)}
        return max(free, key=lambda a: (bounded[a], order.get(a, -1), a))

    def known(self, p: Poly, depth: int) -> Tree | None:
        """p - k*c >= 0 for something c >= 0 that is known and a factor k >= 0."""
        tried = 0
        for n in range(len(self.l.known) - 1, -1, -1):
            c = self.l.resolve(self.l.known[n])
            if not c.terms or c.atoms.isdisjoint(p.atoms) or self.standing(c):
                continue
            for k in self.factors(p, c):
                tried += 1
                if tried > TRIED:
                    return None
                rest = p - k * c
                if self.fails(rest):
                    continue
                found = self.box(rest)
                if found is None and depth > 1 and len(rest.terms) <= len(p.terms):
                    found = self.known(rest, depth - 1)
                if found is not None:
                    return ["use", n, str(k), found]
        return None

    def standing(self, c: Poly) -> bool:
        """Whether it only says that an unknown is within its own range: `box` knows that."""
        for m, _ in c.terms:
            if len(m) == 1:
                x = Poly.of({m: 1})
                low, high = self.end(m[0], "low"), self.end(m[0], "high")
                if (low is not None and c == x - low) or (high is not None and c == high - x):
                    return True
        return False

    def factors(self, p: Poly, c: Poly) -> list[Poly]:
        """Factors k >= 0 for which a term of k*c cancels one of p."""
        found: dict[Poly, None] = {}
        for m, a in p.terms:
            for n, b in c.terms:
                if not n or (a > 0) != (b > 0) or abs(a) < abs(b):
                    continue
                left = list(m)
                if all(x in left and not left.remove(x) for x in n):  # type: ignore[func-returns-value]
                    k = Poly.of({tuple(left): abs(a) // abs(b)})
                    if self.plain(k):
                        found.setdefault(k)
        return list(found)


def value_at(p: Poly, point: dict[str, int]) -> int:
    """The value of a polynomial."""
    total = 0
    for m, c in p.terms:
        for a in m:
            c *= point[a]
        total += c
    return total
