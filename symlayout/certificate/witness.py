"""Reasons why a polynomial is not negative, as instances of laws that `recheck` checks.

The digit engine's search finds most of them (`ledger.py`); the others are squares, what is left modulo
a number, and both cases of an extreme.  What is not found is left to the solvers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import isqrt
from typing import TYPE_CHECKING

from symlayout.certificate.exact import FREE, Poly, Rejected, as_poly, remainders
from symlayout.certificate.ledger import KNOWN, PLAIN, constant, product
from symlayout.certificate.proof import (
    LARGEST_MODULUS,
    Both,
    Instance,
    Plain,
    Reason,
    Remainders,
    Signed,
)
from symlayout.certificate.solvers import answers
from symlayout.digits.bounds import Meter
from symlayout.digits.poly import monomial_quotient

if TYPE_CHECKING:
    from symlayout.certificate.writer import Writer

QUICK = 8000  # terms that one question may look at, at first ...
THOROUGH = 20_000  # ... and where nothing is found that way
POOL = 60_000  # terms of all questions without an answer, for each round of attempts
LEAST = 60  # terms that a question may always look at
ASKED = 6000  # what a question that the solvers do not confirm counts as
STAIRS = 4  # multiples of known polynomials, one after the other
ROOT_TERMS = 8  # of a root
SMALL = range(2, 17)  # of which squares and cubes leave only some remainders

ONE = as_poly(1)
SMT = Plain("smt")


class Spent(Exception):
    """The question has used up its terms."""


@dataclass
class Effort:
    """What the questions of one certificate may cost: counted in terms, so that no clock decides."""

    each: int = THOROUGH
    left: int = POOL
    answers: dict[str, bool] = field(default_factory=dict)  # what the solvers have confirmed
    meter: Meter = field(default_factory=Meter)  # what the digits look at

    @property
    def limit(self) -> int:
        """The terms that the next question may look at."""
        return max(LEAST, min(self.each, self.left))


def powers(p: Poly, x: str) -> list[Poly]:
    """The coefficients of x**0, x**1, ..."""
    parts: list[list[tuple[tuple[str, ...], int]]] = [[]]
    for m, c in p.terms:
        if x not in m:
            parts[0].append((m, c))
            continue
        k = m.count(x)
        while len(parts) <= k:
            parts.append([])
        parts[k].append((tuple([a for a in m if a != x]), c))
    for part in parts[1:]:
        part.sort()
    return [Poly(tuple(part)) for part in parts]


class Witness:
    """Finds reasons for a writer of steps."""

    terms: int

    def __init__(self, writer: Writer) -> None:
        self.l = writer  # which has no reference to its witnesses: they go with their questions
        self.terms = 0  # that this question may still look at

    def reason(self, p: Poly, solver: bool = True) -> Reason | None:
        """Why p >= 0, or None."""
        p = self.l.resolve(p)
        if self.plain(p):
            return PLAIN
        if self.fails(p):
            return None if self.l.points or p.atoms else self.within(lambda: self.absurd(p))
        hit = self.direct(p) or self.one_of_two(p) or self.of_scale(p) or self.left_over(">=", p)
        if hit is None and solver:
            return self.obligation([(">=", p)])
        return hit

    def left_over(self, op: str, p: Poly) -> Reason | None:
        """Why p >= 0 or p != 0, by what it leaves modulo one of its coefficients, or a small number."""
        if p.degree < 2:  # what is linear is seen by its range
            return None
        moduli = {abs(c) for m, c in p.terms if m and 1 < abs(c) <= LARGEST_MODULUS}
        small = SMALL if len(p.atoms) > 1 else range(2, LARGEST_MODULUS + 1)
        for modulus in sorted(moduli | set(small if op == "!=" else ())):
            try:
                hits = remainders(p, modulus, FREE)
            except Rejected:
                continue
            below = modulus - 1 - max(hits)  # none of -1, ..., -below is left
            if op == "!=" and 0 not in hits:
                return Remainders(modulus, 0, PLAIN)
            why = self.direct(p + below) if op == ">=" and below else None
            if why is not None:
                return Remainders(modulus, below, why)
        return None

    def scaled(self, d: Poly, p: Poly) -> Reason | None:
        """Why p >= 0 where d*p > -d."""
        inside = self.direct(d * p + d - 1)
        positive = None if inside is None else self.direct(d - 1)
        if inside is None or positive is None:
            return None
        return Instance("cancel", (("d", d),), (positive, inside))

    def of_scale(self, p: Poly) -> Reason | None:
        """Why p >= 0, times what divides in one of its quotients."""
        rows = [self.l.resolve(d) for q, (_, d, _) in self.l.quotients.items() if q in p.atoms]
        hits = (self.scaled(d, p) for d in dict.fromkeys(rows) if constant(d) != 1)
        return next((hit for hit in hits if hit is not None), None)

    def of_quotient(self, name: str, limit: Poly, which: str) -> Reason | None:
        """Why a quotient is not beyond an end: by what is divided, and what that leaves."""
        dividend, *more = self.l.quotients[name]
        x, d, r = map(self.l.resolve, (dividend, *more))
        q, low = as_poly(name), which == "low"
        p = q - limit if low else limit - q
        if constant(d) == 1 or self.plain(p):
            return None
        if not r.terms or d * q + r != x:  # nothing is left, or they are not yet what is divided
            return None if self.fails(p) else self.scaled(d, p)
        # d*p + d - 1 is the sum of what is known of the remainder and of the dividend's own end
        known, rest = (d - 1 - r, x - d * limit) if low else (r, d * limit + (d - 1) - x)
        why = self.at_end(rest, x, dividend, which)
        if why is None and self.fails(p):
            return None
        why = why or self.direct(rest)
        positive = None if why is None else self.direct(d - 1)
        if why is None or positive is None or known not in self.l.state.known:
            return self.scaled(d, p)
        inside = product(ONE, known, PLAIN, KNOWN, why)
        return Instance("cancel", (("d", d),), (positive, inside))

    def at_end(self, p: Poly, x: Poly, unknown: Poly, which: str) -> Reason | None:
        """Why p >= 0, at a glance or by the end of what was an unknown, and is x by now."""
        if self.plain(p):
            return PLAIN
        if p in self.l.state.known:
            return KNOWN
        end = self.l.end(str(unknown), which)
        gap = None if end is None else x - end if which == "low" else end - x
        if gap is None or gap not in self.l.state.known:
            return None
        rest = p - gap
        if not self.plain(rest) and rest not in self.l.state.known:
            return None
        return product(ONE, gap, PLAIN, KNOWN, PLAIN if self.plain(rest) else KNOWN)

    def obligation(self, sides: list[tuple[str, Poly]]) -> Reason | None:
        """The solvers' obligation that one of the relations holds, where they all confirm it."""
        text = self.l.state.obligation(sides)
        questions = self.l.effort.answers
        if text not in questions and self.l.effort.left > 0:
            questions[text] = set(answers(text).values()) == {"unsat"}
            self.l.effort.left -= 0 if questions[text] else ASKED
        return SMT if questions.get(text) else None

    def obligation_of_sign(self, p: Poly) -> Reason | None:
        """That p is above 0, or below: more than p != 0, and often less to think about."""
        for positive, x in ((True, p - 1), (False, -p - 1)):
            hit = None if self.fails(x) else self.obligation([(">=", x)])
            if hit is not None:
                return Signed(positive, hit)
        return None

    def one_of_two(self, p: Poly) -> Reason | None:
        """By both cases of a minimum or maximum."""
        for m, (a, b) in self.l.either.items():
            parts = powers(p, m)
            if len(parts) != 2:
                continue
            a, b = self.l.resolve(a), self.l.resolve(b)
            x = as_poly(m)
            sides = (p.put({m: a}, FREE), p.put({m: b}, FREE))
            first, second = (self.direct(e) or self.of_scale(e) for e in sides)
            if first is not None and second is not None:
                least, most = self.direct((x - a) * (x - b)), self.direct((a - x) * (x - b))
                if least is not None and most is not None:
                    arguments = (("m", x), ("a", a), ("b", b), ("u", parts[1]))
                    return Instance("either", arguments, (Both(least, most), first, second))
        return None

    def fails(self, p: Poly) -> bool:
        """Whether the polynomial is negative at a sample point that has all of its unknowns."""
        if not p.atoms:
            return value_at(p, {}) < 0
        values = [value_at(p, point) for point in self.l.points if p.atoms.issubset(point)]
        return min(values, default=0) < 0

    def direct(self, p: Poly) -> Reason | None:
        """A reason without a solver."""
        if self.plain(p):
            return PLAIN
        if p in self.l.state.known:
            return KNOWN
        return self.l.ledger.reason(p, self.l.effort, steps=True) or self.within(
            lambda: self.square(p) or self.stairs(p, STAIRS) or self.crossed(p)
        )

    def within(self, search: Callable[[], Reason | None]) -> Reason | None:
        """What is found by looking at no more terms than a question may."""
        limit = self.terms = self.l.effort.limit
        hit = None
        with suppress(Spent):
            hit = search()
        if hit is None:
            self.l.effort.left -= limit - self.terms
        return hit

    def plain(self, p: Poly) -> bool:
        """Whether all coefficients and all unknowns are non-negative."""
        for _, c in p.terms:
            if c < 0:
                return False
        return p.atoms <= self.l.state.natural

    def box(self, p: Poly) -> Reason | None:
        """By the ends of the ranges."""
        return self.l.ledger.reason(p, self.l.effort, briefly=True)

    def square(self, p: Poly, depth: int = 2) -> Reason | None:
        """p is a square and more, or a number times p is."""
        for number, root in roots(p):
            self.terms -= len(root.terms) ** 2
            if self.terms < 0:
                raise Spent
            rest = (p if number == 1 else p * number + (number - 1)) - root * root
            hit = None if self.fails(rest) else self.l.ledger.reason(rest, self.l.effort)
            if hit is None and depth > 1 and not self.fails(rest):
                hit = self.square(rest, depth - 1)
            if hit is not None:
                why = Instance("square", (("a", root),), (hit,))
                d = as_poly(number)
                return why if number == 1 else Instance("cancel", (("d", d),), (PLAIN, why))
        return None

    def stairs(self, p: Poly, depth: int) -> Reason | None:
        """p less multiples of what facts and coordinates say, the longest negative product first.

        A place of three coordinates below their counts: `k*m*n - 1 - (x*m + y)*n - z`.
        """
        negative = [(len(m), m, a) for m, a in p.terms if a < 0]
        if not negative or (depth == STAIRS and p.degree < 2):
            return None
        _, m, a = max(negative)
        for c in map(self.l.resolve, reversed(self.l.stated)):
            for n, b in c.terms if len(c.atoms) > 1 else ():
                over = None if not n or b > 0 or a % b else monomial_quotient(m, n)
                if over is None:
                    continue
                k = Poly.of([(over, a // b)])
                rest = p - k * c
                self.terms -= len(rest.terms)
                if self.terms < 0:
                    raise Spent
                if not self.plain(k) or self.fails(rest):
                    continue
                hit = self.box(rest) or (self.stairs(rest, depth - 1) if depth > 1 else None)
                if hit is not None:
                    return product(k, c, PLAIN, KNOWN, hit)
        return None

    def crossed(self, p: Poly) -> Reason | None:
        """p less a product of what is known of a place and of an extent that is not a plain sum."""
        own = self.l.state.box.keys()
        ends = [h for x in own if p.degree > 1 and (h := self.l.end(x, "high")) is not None]
        counts = [h for h in ends if not self.plain(h + 1) and h in self.l.state.known]
        known = map(self.l.resolve, self.l.state.known) if counts else ()
        gaps = [c for c in known if not c.atoms.isdisjoint(own)]
        for count, gap in itertools.product(counts, gaps):
            self.terms -= len(gap.terms) * len(count.terms)
            if self.terms < 0:
                raise Spent
            rest = p - gap * (count + 1)
            hit = None if self.fails(rest) else self.l.ledger.reason(rest, self.l.effort)
            if hit is not None:
                more = product(as_poly(1), count, PLAIN, KNOWN, PLAIN)
                return product(gap, count + 1, KNOWN, more, hit)
        return None

    def absurd(self, p: Poly) -> Reason | None:
        """What is known that cannot be, where facts contradict each other; p is a number below 0."""
        if p in self.l.state.known:
            return KNOWN
        for c in reversed(self.l.state.known):
            hit = self.box(p - c)
            if hit is not None:
                return product(as_poly(1), c, PLAIN, KNOWN, hit)
        return None


def roots(p: Poly) -> Iterator[tuple[int, Poly]]:
    """Numbers, and what may be nearly a root of that many times p: `a - b` of `a*a - 2*a*b + 9`."""
    for m, c in reversed(p.terms):
        half = m[::2]
        if len(m) < 2 or c < 0 or m[1::2] != half:
            continue
        number, factor = (1, isqrt(c)) if isqrt(c) ** 2 == c else (c, c)
        root = nearly(p * number, half, factor)
        twice = nearly(p * (4 * c), half, 2 * c)  # another one where a middle term is odd
        if len(root.terms) > 1:
            yield number, root
        if len(twice.terms) > 1 and twice != root * (2 * c // factor):
            yield 4 * c, twice


def nearly(p: Poly, half: tuple[str, ...], factor: int) -> Poly:
    """What squared is p as far as it goes, beginning with so many times a product."""
    root = Poly.of([(half, factor)])
    for _ in range(ROOT_TERMS):
        rest = p - root * root
        rows = [(monomial_quotient(n, half), k) for n, k in rest.terms if k % (2 * factor) == 0]
        more = [(m, k // (2 * factor)) for m, k in rows if m is not None]
        if not more:
            break
        root = root + Poly.of(more[-1:])
    return root


def value_at(p: Poly, point: dict[str, int]) -> int:
    """The value of a polynomial."""
    total = 0
    for m, c in p.terms:
        for a in m:
            c *= point[a]
        total += c
    return total
