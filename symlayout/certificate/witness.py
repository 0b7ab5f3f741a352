"""Reasons why a polynomial is not negative, as instances of laws that `recheck` checks.

The search eliminates one unknown after the other at an end of its range, and subtracts multiples of
what is known to be non-negative.  What it does not find is left to the solvers.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from math import gcd, isqrt
from operator import and_
from typing import TYPE_CHECKING

from symlayout.certificate.exact import FREE, Poly, Rejected, as_poly, remainders
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
from symlayout.digits.bounds import Meter, factor_pairs
from symlayout.digits.poly import monomial_gcd

if TYPE_CHECKING:
    from symlayout.certificate.writer import Writer

QUICK = 1500  # terms that one question may look at, at first ...
THOROUGH = 8000  # ... and where nothing is found that way
POOL = 20_000  # terms of all questions without an answer, for each round of attempts
LEAST = 60  # terms that a question may always look at
ASKED = 6000  # what a question that the solvers do not confirm counts as
STAIRS = 4  # multiples of known polynomials, one after the other
ROOT_TERMS = 8  # of a root
SMALL = range(2, 17)  # of which squares and cubes leave only some remainders
PRODUCTS = 3  # that are compared with others, in one question ...
PAIRS = 6  # ... where there are no more of them
TRIED = 60  # multiples of known polynomials in one question

ONE = as_poly(1)
PLAIN, KNOWN, SMT = Plain("plain"), Plain("known"), Plain("smt")


class Spent(Exception):
    """The question has used up its terms."""


@dataclass
class Effort:
    """What the questions of one certificate may cost: counted in terms, so that no clock decides."""

    each: int = THOROUGH
    left: int = POOL
    answers: dict[str, bool] = field(default_factory=dict)  # what the solvers have confirmed
    meter: Meter = field(default_factory=Meter)  # what the digits look at


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


def moved(parts: list[Poly], by: Poly) -> list[Poly]:
    """The coefficients of p(by + y), for those of p: Horner's rule again and again."""
    rests = list(parts)
    if not by.terms:
        return rests
    for first in range(len(rests) - 1):
        for k in range(len(rests) - 2, first - 1, -1):
            rests[k] = rests[k] + by * rests[k + 1]
    return rests


def constant(p: Poly) -> int | None:
    """The value of a polynomial without unknowns."""
    return None if p.atoms else sum(c for _, c in p.terms)


def product(a: Poly, b: Poly, why_a: Reason, why_b: Reason, rest: Reason) -> Reason:
    """The reason for a*b + rest."""
    return Instance("product", (("a", a), ("b", b)), (why_a, why_b, rest))


class Witness:
    """Finds reasons for a writer of steps."""

    terms: int

    def __init__(self, writer: Writer) -> None:
        self.l = writer  # which has no reference to its witnesses: they go with their questions
        self.terms = 0  # that this question may still look at
        self.ends: dict[str, tuple[Poly | None, Poly | None]] = {}  # while this question is asked
        self.inside: dict[str, list[Poly]] = {}
        self.order: dict[str, int] = {}

    def reason(self, p: Poly, solver: bool = True, products: int = PRODUCTS) -> Reason | None:
        """Why p >= 0, or None; so many products may be compared with others, one after the other."""
        p = self.l.resolve(p)
        if self.plain(p):
            return PLAIN
        if self.fails(p):
            return None if self.l.points or p.atoms else self.within(lambda: self.absurd(p))
        hit = self.direct(p) or self.rounded(p) or self.one_of_two(p) or self.of_scale(p)
        hit = hit or self.left_over(">=", p) or self.larger_product(p, products)
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
        """Why p >= 0, by one of the numbers that are likely to show it."""
        hits = (self.scaled(d, p) for d in self.scales(p))
        return next((hit for hit in hits if hit is not None), None)

    def rounded(self, p: Poly) -> Reason | None:
        """Why p >= 0, which is a multiple of something, where it is more than minus that."""
        shared = reduce(and_, [Counter(m) for m, _ in p.terms])
        number = gcd(*[c for _, c in p.terms])
        divisors = [self.l.resolve(d) for _, d, _ in self.l.quotients.values()]
        own = Poly.of([(tuple(sorted(shared.elements())), number)])
        for d in dict.fromkeys([own, *[d for d in divisors if len(d.terms) > 1]]):
            part = None if constant(d) == 1 else divided(p, d)
            why = None if part is None else self.scaled(d, part)
            positive = None if why is None else self.direct(d)
            if part is not None and why is not None and positive is not None:
                return product(d, part, positive, why, PLAIN)
        return None

    def of_quotient(self, name: str, limit: Poly, which: str) -> Reason | None:
        """Why a quotient is not beyond an end: by what is divided, and what that leaves."""
        dividend, *more = self.l.quotients[name]
        x, d, r = map(self.l.resolve, (dividend, *more))
        q, low = as_poly(name), which == "low"
        p = q - limit if low else limit - q
        if constant(d) == 1 or self.plain(p):
            return None
        if d * q + r != x:  # it has not been put in the place of what is divided yet
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

    def larger_product(self, p: Poly, products: int) -> Reason | None:
        """Why p >= 0, where a product that is taken away is at most one that is there, by its factors.

        For two of them, `x*y - a*b` is `(x - a)*y + a*(y - b)`.
        """
        if not products or self.l.effort.left <= 0:
            return None
        down = [(m, -c) for m, c in p.terms if len(m) > 1 and c < 0]
        up = [(n, b) for n, b in p.terms if len(n) > 1 and b > 0]
        for (m, c), (n, b) in itertools.product(down, up) if len(down) * len(up) <= PAIRS else ():
            if b < c or not self.l.state.natural.issuperset(m + n):
                continue
            for pairs in factor_pairs(m, n, b // c):
                gaps = [as_poly(x) * k - as_poly(a) for a, x, k in pairs]
                whys = [why for gap in gaps if (why := self.reason(gap, False, 0)) is not None]
                if len(whys) < len(gaps):
                    continue
                rest = p - Poly.of([(n, b // c * c), (m, -c)])
                why = self.reason(rest, False, products - 1)
                if why is None:
                    continue
                factors = [Poly.of([(monomial_gcd(m, n), c)])] * len(pairs)
                for j, k in itertools.permutations(range(len(pairs)), 2):
                    a, x, times = pairs[k]
                    factors[j] = factors[j] * (as_poly(x) * times if j < k else as_poly(a))
                for factor, gap, reason in zip(factors, gaps, whys):
                    why = product(factor, gap, PLAIN, reason, why)
                return why
        end = self.worst_end(p)
        if end is None or self.fails(end[2]):
            return None
        why = self.larger_product(end[2], products)
        return None if why is None else product(end[0], end[1], PLAIN, KNOWN, why)

    def scales(self, p: Poly) -> list[Poly]:
        """Numbers d for which d*p > -d may be easier to see than p >= 0."""
        hits: dict[Poly, None] = {}
        for name, (_, by, _) in self.l.quotients.items():
            d = self.l.resolve(by)
            if name in p.atoms and constant(d) != 1:
                hits.setdefault(d)
        for m, a in p.terms:
            for c in self.l.state.known:
                b = dict(c.terms).get(m, 0)
                if m and b % a == 0 and b // a > 1:
                    hits.setdefault(as_poly(b // a))
        return [*list(hits)[:8], *self.products(p)]

    def products(self, p: Poly) -> list[Poly]:
        """Products of sizes by which a term of what facts say of sizes is one of p."""
        hits: dict[Poly, None] = {}
        for c in map(self.l.resolve, self.l.stated):
            if sum(1 for n, _ in c.terms if n) < 2 or not c.atoms.isdisjoint(self.l.state.box):
                continue
            for (m, a), (n, b) in itertools.product(p.terms, c.terms):
                rest = without(n, m) if m and a * b > 0 and b % a == 0 else None
                if rest:
                    hits.setdefault(Poly.of([(rest, b // a)]))
        return list(hits)[:3]

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
        return self.within(
            lambda: (
                self.box(p)
                or self.known(p, depth=2)
                or self.at_worst(p)
                or self.in_tile(p)
                or self.square(p)
                or self.stairs(p, STAIRS)
                or self.crossed(p)
            )
        )

    def within(self, search: Callable[[], Reason | None]) -> Reason | None:
        """What is found by looking at no more terms than a question may."""
        limit = self.terms = max(LEAST, min(self.l.effort.each, self.l.effort.left))
        self.ends, self.inside, self.order, hit = {}, {}, {}, None
        with suppress(Spent):
            hit = search()
        if hit is None:
            self.l.effort.left -= limit - self.terms
        return hit

    def ends_of(self, x: str) -> tuple[Poly | None, Poly | None]:
        """The ends of an unknown's range, which are the same while a question is asked."""
        if x not in self.ends:
            self.ends[x] = self.l.end(x, "low"), self.l.end(x, "high")
        return self.ends[x]

    def plain(self, p: Poly) -> bool:
        """Whether all coefficients and all unknowns are non-negative."""
        for _, c in p.terms:
            if c < 0:
                return False
        return p.atoms <= self.l.state.natural

    def box(self, p: Poly) -> Reason | None:
        """By the ends of the ranges."""
        if self.plain(p):
            return PLAIN
        if p in self.l.state.known:
            return KNOWN
        if not p.atoms or (all(c <= 0 for _, c in p.terms) and self.plain(-p - 1)):
            return None
        self.terms -= len(p.terms)
        if self.terms < 0:
            raise Spent
        x = self.next(p)
        parts = powers(p, x)
        low, high = self.ends_of(x)
        if len(parts) == 3 and low is not None and high is not None and self.plain(-parts[2]):
            return self.bent(x, p, parts, low, high)
        if all(self.plain(c) for c in parts[1:]) or len(parts) > 2:
            hit = self.at("low", x, parts, low) or self.above(x, p, parts, low, high)
            return hit or self.less_steep(x, p, parts, high)
        if self.plain(-parts[1]):
            return self.at("high", x, parts, high)
        if high is None:
            return self.at("low", x, parts, low)
        if low is None:
            return self.at("high", x, parts, high)
        return self.between(x, p, parts[1], low, high)

    def between(self, x: str, p: Poly, slope: Poly, low: Poly, high: Poly) -> Reason | None:
        """At both ends of where an unknown is known to lie; the polynomial is linear in it."""
        first = self.box(p.put({x: low}, FREE))
        second = None if first is None else self.box(p.put({x: high}, FREE))
        if first is None or second is None:
            return None
        arguments = (("x", as_poly(x)), ("low", low), ("high", high), ("a", slope))
        return Instance("ends", arguments, (KNOWN, KNOWN, first, second))

    def bent(self, x: str, p: Poly, parts: list[Poly], low: Poly, high: Poly) -> Reason | None:
        """A parabola that bends down is above the line between its ends."""
        here, down = as_poly(x), -parts[2]
        line = self.between(x, p, parts[1] - down * (low + high), low, high)
        if line is None:
            return None
        first = product(down, here - low, PLAIN, KNOWN, PLAIN)
        return product(down * (here - low), high - here, first, KNOWN, line)

    def above(
        self, x: str, p: Poly, parts: list[Poly], low: Poly | None, high: Poly | None
    ) -> Reason | None:
        """A parabola that bends up is above its tangent at either end of the range."""
        if low is None or high is None or len(parts) != 3 or not self.plain(parts[2]):
            return None
        here, up = as_poly(x), parts[2]
        for end, gap in ((low, here - low), (high, high - here)):
            slope = parts[1] + (up + up) * end
            line = self.between(x, p - up * gap * gap, slope, low, high)
            if line is not None:
                first = product(up, gap, PLAIN, KNOWN, PLAIN)
                return product(up * gap, gap, first, KNOWN, line)
        return None

    def less_steep(self, x: str, p: Poly, parts: list[Poly], high: Poly | None) -> Reason | None:
        """With the greatest value of an unknown for one factor of each term that falls with it."""
        if high is None:
            return None
        here, down = as_poly(x), Poly()
        for part in reversed(parts[1:]):
            down = down * here + Poly.of((m, -c) for m, c in part.terms if c < 0)
        if not down.terms or not self.plain(down):
            return None
        why = self.box(p - down * (high - here))
        return None if why is None else product(down, high - here, PLAIN, KNOWN, why)

    def at(self, which: str, x: str, parts: list[Poly], limit: Poly | None) -> Reason | None:
        """Every coefficient of a polynomial in the distance from an end is non-negative.

        The parts are its coefficients in the unknown.
        """
        if limit is None:
            return None
        rests = moved(parts, limit)
        if which == "high":
            rests = [-c if k % 2 else c for k, c in enumerate(rests)]
        reasons: list[Reason] = []
        for c in rests:
            why = self.box(c)
            if why is None:
                return None
            reasons.append(why)
        result, above, here = reasons.pop(), rests.pop(), as_poly(x)
        distance = here - limit if which == "low" else limit - here
        while rests:  # Horner: above*distance + the next coefficient
            result = product(above, distance, result, KNOWN, reasons.pop())
            above = above * distance + rests.pop()
        return result

    def next(self, p: Poly) -> str:
        """The unknown to eliminate: no other one's bound depends on it; bounded ones first."""
        if len(p.atoms) == 1:
            (x,) = p.atoms
            return x
        obstacles: set[str] = set()
        for a in p.atoms:
            for limit in self.ends.get(a) or self.ends_of(a):
                if limit is not None:
                    obstacles |= limit.atoms
        free = [a for a in p.atoms if a not in obstacles] or list(p.atoms)
        if len(free) == 1:
            return free[0]
        if not self.order:
            self.order = {a: k for k, a in enumerate(self.l.low)}
        order = self.order
        return max([(self.ends[a][1] is not None, order.get(a, -1), a) for a in free])[2]

    def known(self, p: Poly, depth: int) -> Reason | None:
        """p - k*c >= 0 for something c >= 0 that is known and a factor k >= 0."""
        tries = 0
        for c in reversed(self.l.state.known):
            if not c.terms or c.atoms.isdisjoint(p.atoms) or self.standing(c):
                continue
            for k in self.factors(p, c):
                tries += 1
                if tries > TRIED:
                    return None
                rest = p - k * c
                if self.fails(rest):
                    continue
                hit = self.box(rest)
                if hit is None and depth > 1 and len(rest.terms) <= len(p.terms):
                    hit = self.known(rest, depth - 1)
                if hit is not None:
                    return product(k, c, PLAIN, KNOWN, hit)
        return None

    def square(self, p: Poly, depth: int = 2) -> Reason | None:
        """p is a square and more, or a number times p is."""
        for number, root in roots(p):
            self.terms -= len(root.terms) ** 2
            if self.terms < 0:
                raise Spent
            rest = (p if number == 1 else p * number + (number - 1)) - root * root
            hit = None if self.fails(rest) else self.box(rest)
            if hit is None and depth > 1 and not self.fails(rest):
                hit = self.known(rest, 1) or self.square(rest, depth - 1)
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
                if not n or b > 0 or a % b or Counter(n) - Counter(m):
                    continue
                k = Poly.of([(quotient(m, n), a // b)])
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
            hit = None if self.fails(rest) else self.box(rest) or self.known(rest, 1)
            if hit is not None:
                more = product(as_poly(1), count, PLAIN, KNOWN, PLAIN)
                return product(gap, count + 1, KNOWN, more, hit)
        return None

    def absurd(self, p: Poly) -> Reason | None:
        """What is known that cannot be, where facts contradict each other; p is a number below 0."""
        if p in self.l.state.known:
            return KNOWN
        for c in reversed(self.l.state.known):
            hit = None if self.standing(c) else self.box(p - c)
            if hit is not None:
                return product(as_poly(1), c, PLAIN, KNOWN, hit)
        return None

    def at_worst(self, p: Poly) -> Reason | None:
        """With one unknown after the other at its worst end, by what is known of the rest."""
        end = self.worst_end(p)
        if end is None:
            return None
        slope, distance, rest = end
        self.terms -= len(rest.terms)
        if self.terms < 0:
            raise Spent
        why = None if self.fails(rest) else self.known(rest, depth=2) or self.at_worst(rest)
        return None if why is None else product(slope, distance, PLAIN, KNOWN, why)

    def worst_end(self, p: Poly) -> tuple[Poly, Poly, Poly] | None:
        """A plain slope, how far an unknown is from its worst end, and what p is there."""
        if not p.atoms:
            return None
        x = self.next(p)
        parts = powers(p, x)
        which = "high" if self.plain(-parts[1]) else "low" if self.plain(parts[1]) else ""
        limit = self.ends_of(x)[which == "high"] if which and len(parts) == 2 else None
        if limit is None:
            return None
        rest, here = p.put({x: limit}, FREE), as_poly(x)
        if which == "high":
            return -parts[1], limit - here, rest
        return parts[1], here - limit, rest

    def in_tile(self, p: Poly) -> Reason | None:
        """At both ends of a tile, so many numbers long, in which an unknown is known to lie."""
        for x in sorted(p.atoms) if self.l.quotients else ():
            parts = powers(p, x)
            known = [c for c in self.l.state.known if len(c.atoms) > 1] if len(parts) == 2 else []
            lows = [as_poly(x) - c for c in known if ((x,), 1) in c.terms]
            highs = [as_poly(x) + c for c in known if ((x,), -1) in c.terms]
            for low, high in itertools.product(lows, highs):
                if x in low.atoms or (high - low).atoms:
                    continue
                hit = self.between(x, p, parts[1], low, high)
                if hit is not None:
                    return hit
        return None

    def standing(self, c: Poly) -> bool:
        """Whether it only says that an unknown is within its own range: `box` knows that."""
        return any(len(m) == 1 and c in self.within_range(m[0]) for m, _ in c.terms)

    def within_range(self, x: str) -> list[Poly]:
        """What says that an unknown is within its own range."""
        if x not in self.inside:
            low, high = self.ends_of(x)
            above = [] if low is None else [as_poly(x) - low]
            self.inside[x] = above if high is None else [*above, high - as_poly(x)]
        return self.inside[x]

    def factors(self, p: Poly, c: Poly) -> list[Poly]:
        """Factors k >= 0 for which a term of k*c cancels one of p, or a multiple outweighs it."""
        hits: dict[Poly, None] = {}
        above: dict[Poly, None] = {}
        for m, a in p.terms:
            for n, b in c.terms:
                if a < 0 and b < 0 and m and len(n) > len(m) and not Counter(m) - Counter(n):
                    above.setdefault(as_poly(-(a // -b)))  # x*y <= k, y >= 1: x <= k
                if not n or (a > 0) != (b > 0) or abs(a) < abs(b):
                    continue
                left = without(m, n)
                if left is not None:
                    k = Poly(((left, abs(a) // abs(b)),))
                    if self.plain(k):
                        hits.setdefault(k)
        return [*hits, *above]


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
        more = [(quotient(n, half), k // (2 * factor)) for n, k in rest.terms
                if k % (2 * factor) == 0 and not Counter(half) - Counter(n)]  # fmt: skip
        if not more:
            break
        root = root + Poly.of(more[-1:])
    return root


def without(m: tuple[str, ...], n: tuple[str, ...]) -> tuple[str, ...] | None:
    """The product without the unknowns of another one; None where it does not have them."""
    left = list(m)
    for x in n:
        if x not in left:
            return None
        left.remove(x)
    return tuple(left)


def divided(p: Poly, d: Poly) -> Poly | None:
    """The polynomial, of no more terms than p, of which d times as much is p; None if there is none."""
    part, (n, b) = Poly(), max(d.terms, key=leading)
    for _ in p.terms:
        m, a = max(p.terms, key=leading)
        more = without(m, n)
        if more is None or a % b:
            return None
        term = Poly.of([(more, a // b)])
        part, p = part + term, p - term * d
        if not p.terms:
            return part
    return None


def leading(term: tuple[tuple[str, ...], int]) -> tuple[int, tuple[str, ...]]:
    """What terms are ordered by, so that a product has the product of the greatest as its greatest."""
    return len(term[0]), term[0]


def quotient(m: tuple[str, ...], n: tuple[str, ...]) -> tuple[str, ...]:
    """The product without the unknowns of another one."""
    return tuple(sorted((Counter(m) - Counter(n)).elements()))


def value_at(p: Poly, point: dict[str, int]) -> int:
    """The value of a polynomial."""
    total = 0
    for m, c in p.terms:
        for a in m:
            c *= point[a]
        total += c
    return total
