"""What a writer of steps has shown, as the digit engine's own search of signs asks for it.

The search (`digits/bounds.py`) says why a polynomial is not negative; here that becomes an instance of
laws, one for each rule of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import permutations
from math import gcd
from typing import TYPE_CHECKING

from symlayout.certificate.exact import Poly, Rejected, as_poly
from symlayout.certificate.proof import Instance, Plain, Reason
from symlayout.digits import bounds
from symlayout.digits.atoms import Atom
from symlayout.digits.bounds import Why
from symlayout.digits.poly import ZERO, Mono, atom, monomial_gcd
from symlayout.digits.poly import Poly as Inner
from symlayout.digits.state import State

if TYPE_CHECKING:
    from symlayout.certificate.witness import Effort
    from symlayout.certificate.writer import Writer

DEEPEST = 8  # of what rules take for granted inside one another
PLAIN, KNOWN = Plain("plain"), Plain("known")


def constant(p: Poly) -> int | None:
    """The value of a polynomial without unknowns."""
    return None if p.atoms else sum(c for _, c in p.terms)


def product(a: Poly, b: Poly, why_a: Reason, why_b: Reason, rest: Reason) -> Reason:
    """The reason for a*b + rest."""
    return Instance("product", (("a", a), ("b", b)), (why_a, why_b, rest))


class Ledger(State):
    """A state of the engine whose atoms are the unknowns of a writer, at one moment."""

    depth = 0  # of what is taken for granted inside one another

    def __init__(self, writer: Writer) -> None:
        super().__init__()
        self.proof, self.by_name, self.inners = writer.state, writer.numbers, writer.inners
        new = self.proof.names - self.by_name.keys()
        order = [n for n in writer.low if n in new] if new else []
        for n in (*sorted(new - set(order)), *order):
            self.by_name[n] = len(self.by_name)
        self.names, self.points = [*self.by_name], writer.points
        for n in self.names:
            kind = "coord" if n in self.proof.box else "size"
            self.atoms.append(Atom(n, kind, *self.range_in(writer, n)))
        for n, (x, d, _) in writer.quotients.items():
            info = self.atoms[self.by_name[n]]
            if n not in self.proof.value:
                info.kind, operands = "quotient", map(self.proof.resolve, (x, d))
                info.definition = ("//", *map(self.inner, operands))
        known = [self.inner(c) for c in self.proof.known if c.atoms]
        self.constraints = [c for c in known if not self.is_end(c)]
        self.at_hand = frozenset(known)

    def range_in(self, writer: Writer, n: str) -> tuple[int | None, Inner | None]:
        """What a writer knows of an unknown's range: the least number, and what it is at most."""
        if n in self.proof.value:
            return None, None
        low = writer.low.get(n)
        least = None if low is None else constant(low)
        if n in self.proof.natural and (least is None or least < 0):
            least = 0
        high = writer.high.get(n)
        high = None if high is None else self.proof.resolve(high)
        return least, None if high is None or n in high.atoms else self.inner(high)

    def is_end(self, c: Inner) -> bool:
        """Whether c >= 0 only says that an unknown is within its own range."""
        for m, k in c.terms.items():
            if len(m) == 1 and abs(k) == 1:
                info = self.atoms[m[0]]
                end = info.high if k == -1 else Inner.of(-(info.low or 0))
                if end is not None and {m: k, **end.terms} == c.terms:
                    return True
        return False

    def divide(self, p: Inner, d: Inner) -> tuple[Inner, Inner]:
        """Nothing is divided here: each quotient is an unknown."""
        raise NotImplementedError

    def low(self, number: int) -> int | None:
        """The least number that an atom is known to be."""
        return self.atoms[number].low

    def fails(self, p: Inner) -> bool:
        """Whether a polynomial is negative at a sample point that has all of its unknowns."""
        if not self.samples:
            number = self.by_name
            self.samples = [{number[x]: v for x, v in at.items()} for at in self.points]
        return p.is_negative_at([at for at in self.samples if p.atoms <= at.keys()])

    def inner(self, p: Poly) -> Inner:
        """The polynomial in atoms."""
        result = self.inners.get(p)
        if result is None:
            number = self.by_name
            rows = {tuple(sorted([number[a] for a in m], reverse=True)): c for m, c in p.terms}
            result = self.inners[p] = Inner(rows)
        return result

    def outer(self, p: Inner) -> Poly:
        """The polynomial in unknowns."""
        name = self.names
        return Poly.of((tuple(sorted([name[a] for a in m])), c) for m, c in p.terms.items())

    # -- reasons ----------------------------------------------------------------------------------

    def reason(
        self, p: Poly, effort: Effort, briefly: bool = False, steps: bool = False
    ) -> Reason | None:
        """Why p >= 0, briefly by ranges alone, or in steps as well; None where it is not found."""
        if self.proof.plain(p):
            return PLAIN
        if p in self.proof.known:
            return KNOWN
        if not p.atoms <= self.by_name.keys():
            return None
        q, self.effort = self.inner(p), effort.left
        hit = bounds.why(self, q, effort.limit, briefly)
        effort.left = self.effort
        if hit is None and steps:
            hit = bounds.why_in_steps(self, q, effort.limit)
            effort.left = self.effort
        with suppress(Rejected):
            return None if hit is None else self.law(hit, q)
        return None

    def sign(self, p: Inner) -> Reason:
        """The reason for what a rule takes for granted."""
        q = self.outer(p)
        if self.proof.plain(q):
            return PLAIN
        if q in self.proof.known:
            return KNOWN
        hit = bounds.why(self, p, bounds.LEAST)
        if hit is None or self.depth > DEEPEST:
            raise Rejected(f"no reason is found why {q} >= 0")
        self.depth += 1
        try:
            return self.law(hit, p)
        finally:
            self.depth -= 1

    def times(self, a: Inner, b: Inner, rest: Reason) -> Reason:
        """The reason for a*b + rest."""
        return product(self.outer(a), self.outer(b), self.sign(a), self.sign(b), rest)

    def law(self, why: Why, p: Inner) -> Reason:
        """The laws that say what a rule of the search does; raises `Rejected` where they do not."""
        match why:
            case ("plain",):
                return PLAIN
            case ("at hand",):
                return KNOWN
            case ("linear",):
                rows = [(m[0], c) for m, c in p.terms.items() if m]
                if not rows:
                    return PLAIN
                return self.from_end("low" if rows[0][1] > 0 else "high", rows[0][0], why, p)
            case ("low" | "high" as which, x, hit):
                return self.from_end(which, x, hit, p)
            case ("shift", x, hits):
                return self.from_low(x, hits, p)
            case ("between", x, low, high, first, last):
                return self.between(x, low, high, first, last, p)
            case ("tangent", x, which, near, far):
                end = self.end_of(x, which)
                gap, up = (atom(x) - end) * (1 if which == "low" else -1), p.by_power(x)[2]
                both = (near, far) if which == "low" else (far, near)
                line = self.between(x, *self.range_of(x), *both, p - up * gap * gap)
                return self.twice(up, gap, gap, line)
            case ("vertex", x, hit):
                c, b, a = (p.by_power(x).get(k, ZERO) for k in range(3))
                root = 2 * a * atom(x) + b
                square = self.law(hit, 4 * a * c - b * b + (4 * a - 1))
                inside = Instance("square", (("a", self.outer(root)),), (square,))
                return self.cancel(4 * a, inside)
            case ("times", k, c, hit):
                return self.times(k, c, self.law(hit, p - k * c))
            case ("scaled", d, hit):
                return self.cancel(d, self.law(hit, d * p + (d - 1)))
            case ("rounded", part, hit):
                number = gcd(*[c for m, c in p.terms.items() if m])
                rest = self.law(hit, part)
                if number == 1:
                    return rest
                return product(as_poly(number), self.outer(part), PLAIN, rest, PLAIN)
            case (
                "law",
                name,
                table,
                whys,
            ):  # of a rule of its own: what it is of, and the premises
                values = tuple((x, self.outer(q)) for x, q in table.items())
                return Instance(name, values, tuple(self.law(hit, q) for hit, q in whys))
            case ("factor", shared, rest):
                return self.times(Inner({shared: 1}), rest, PLAIN)
            case ("products", m, n, c, pairs, rest):
                return self.products(monomial_gcd(m, n), c, pairs, rest)
        raise Rejected(f"there is no law for {why[0]}")

    def range_of(self, x: int) -> tuple[Inner, Inner]:
        """Both ends of an unknown's range."""
        return self.end_of(x, "low"), self.end_of(x, "high")

    def end_of(self, x: int, which: str) -> Inner:
        """An end of an unknown's range."""
        end = self.high(x) if which == "high" else self.low(x)
        if end is None:
            raise Rejected(f"{self.name(x)} has no end")
        return Inner.of(end)

    def cancel(self, d: Inner, inside: Reason) -> Reason:
        """The reason for p >= 0, where d*p + d - 1 is not negative."""
        return Instance("cancel", (("d", self.outer(d)),), (self.sign(d - 1), inside))

    def twice(self, a: Inner, b: Inner, c: Inner, rest: Reason) -> Reason:
        """The reason for a*b*c + rest."""
        first = self.times(a, b, PLAIN)
        return product(self.outer(a * b), self.outer(c), first, self.sign(c), rest)

    def from_end(self, which: str, x: int, why: Why, p: Inner) -> Reason:
        """With an unknown at an end of its range, where p is least."""
        if which == "low":
            return self.from_low(x, {0: why}, p)
        parts, high, slope = p.by_power(x), self.end_of(x, "high"), ZERO
        for (
            k,
            c,
        ) in parts.items():  # high**k - x**k is (high - x)*(high**(k - 1) + ... + x**(k - 1))
            for j in range(k):
                slope = slope - c * high ** (k - 1 - j) * atom(x) ** j
        return self.times(slope, high - atom(x), self.law(why, p.substitute({x: high})))

    def from_low(self, x: int, whys: Mapping[int, Why], p: Inner) -> Reason:
        """By the coefficients of the polynomial in how far an unknown is above its least value."""
        low = self.end_of(x, "low")
        parts = p.substitute({x: atom(x) + low}).by_power(x)
        result: Reason = PLAIN
        above, distance = ZERO, atom(x) - low
        for k in range(max(parts), -1, -1):  # Horner's rule
            c = parts.get(k, ZERO)
            why = self.law(whys[k], c) if k in whys else self.sign(c)
            if k < max(parts):
                why = product(
                    self.outer(above), self.outer(distance), result, self.sign(distance), why
                )
            result, above = why, above * distance + c
        return result

    def between(self, x: int, low: Inner, high: Inner, first: Why, last: Why, p: Inner) -> Reason:
        """At both ends of where an unknown lies; a parabola that bends down is above that line."""
        parts, here = p.by_power(x), atom(x)
        down = -parts.get(2, ZERO)
        if down.terms:
            line = self.between(x, low, high, first, last, p - down * (here - low) * (high - here))
            return self.twice(down, here - low, high - here, line)
        ends = self.law(first, p.substitute({x: low})), self.law(last, p.substitute({x: high}))
        names = {"x": here, "low": low, "high": high, "a": parts.get(1, ZERO)}
        whys = self.sign(here - low), self.sign(high - here), *ends
        return Instance("ends", tuple((n, self.outer(q)) for n, q in names.items()), whys)

    def products(
        self, shared: Mono, c: int, pairs: Sequence[tuple[int, int, int]], rest: Inner
    ) -> Reason:
        """A product that is taken away is at most another, by its factors.

        For two of them, `x*y - a*b` is `(x - a)*y + a*(y - b)`.
        """
        why, factors = self.sign(rest), [Inner({shared: c})] * len(pairs)
        for j, k in permutations(range(len(pairs)), 2):
            a, x, times = pairs[k]
            factors[j] = factors[j] * (atom(x) * times if j < k else atom(a))
        for factor, (a, x, times) in zip(factors, pairs):
            why = self.times(factor, times * atom(x) - atom(a), why)
        return why
