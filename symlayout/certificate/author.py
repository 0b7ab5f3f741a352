"""The author of a certificate's part, who finds the steps which `recheck` only checks.

It walks the goals as `recheck` does; where a division has no step yet, the digit engine says what the
quotient is, and every split that the engine makes on the way becomes a step of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial, reduce
from math import gcd
from operator import and_
from typing import Any, NamedTuple

from symlayout.certificate.atoms import Atoms, Logged
from symlayout.certificate.exact import Poly, Rejected, as_poly
from symlayout.certificate.ledger import KNOWN, PLAIN, constant, product
from symlayout.certificate.proof import Coordinate, Defined, Fact, Have, Instance
from symlayout.certificate.semantics import REWRITTEN
from symlayout.certificate.witness import POOL, Effort, value_at
from symlayout.certificate.writer import at_least, gives_numbers
from symlayout.digits import applications
from symlayout.digits import powers as powers_of_two
from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly as Inner
from symlayout.digits.samples import behind
from symlayout.digits.state import apart
from symlayout.errors import LayoutError
from symlayout.expr.facts import COMPARE, Facts, Relation
from symlayout.expr.lawtexts import arguments
from symlayout.expr.terms import (
    CeilDiv,
    Exp2,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    as_expr,
    divisors_of,
    free_names,
    value,
)
from symlayout.expr.tree import Expr, Mul, Pow

ONE = as_poly(1)


def fewer(facts: Any, without: frozenset[int]) -> Any:
    """The facts but for those of these numbers."""
    if not without:
        return facts
    return Facts(tuple(r for k, r in enumerate(facts.relations) if k not in without))


class Start(NamedTuple):
    """What an author begins with: facts, sizes that satisfy them, and how the facts are taken.

    Many claims are under the same facts: whoever begins with them once has done so for all.
    """

    facts: tuple[Relation, ...]
    assumptions: Facts
    names: tuple[str, ...]
    sizes: tuple[tuple[tuple[str, int], ...], ...]
    each: int
    own: frozenset[Relation] = frozenset()
    kinds: tuple[tuple[str, str], ...] = ()
    late: bool = False
    residues: bool = False
    scope: frozenset[str] = frozenset()
    less: tuple[tuple[str, Expr], ...] = ()
    without: frozenset[int] = frozenset()
    ends: bool = False

    @classmethod
    def of(cls, claim: Any, sizes: Sequence[Mapping[str, int]], each: int, **more: Any) -> Start:
        """The start of an author for a claim, or for a case of one."""
        points = tuple([tuple(p.items()) for p in sizes])
        return cls(tuple(claim.facts), claim.assumptions, tuple(claim.names), points, each, **more)


def beginner(start: Start, effort: Effort) -> Author:
    """The author of a start, whom nobody changes; what beginning costs is taken from the effort."""
    author = _beginner(start)
    effort.left -= POOL - author.effort.left
    effort.meter.terms += author.effort.meter.terms
    return author


@lru_cache(maxsize=128)
def _beginner(start: Start) -> Author:
    return Author(start)


class Author(Atoms):
    """Writes the steps of one part of a certificate."""

    def __init__(self, start: Start) -> None:
        facts, without, effort = start.facts, start.without, Effort(start.each)
        super().__init__(facts, start.names, [dict(p) for p in start.sizes], effort)
        self.state.own = start.own
        self.small = gives_numbers(r for k, r in enumerate(facts) if k not in without)
        self.scope = start.scope
        self.assumptions = start.assumptions
        # ranges of sizes first: divisors among them are to be positive; last what is not 0
        rows = [(r.op == "!=", not r.left.is_Symbol, k) for k, r in enumerate(facts)]
        order = [k for *_, k in sorted(rows)]
        order = [k for k in order if k not in without]
        self.waiting = [k for k in order if start.late and divides(facts[k])]
        first = [k for k in order if k not in self.waiting]
        for k in [k for k in first if not self.fact(k)]:  # what it takes may have come after it
            self.fact(k)
        self.ctx = ctx = Logged(effort.meter)
        ctx.residues, ctx.ends, ctx.differences = start.residues, start.ends, start.residues
        bounds = partial(bound_below, ctx, start.less)
        assume(ctx, fewer(start.assumptions, without), start.names, dict(start.kinds), bounds)
        if ctx.contradiction:
            raise Rejected("the facts contradict each other")
        self.sync()
        self.take_waiting()
        self.single_values()

    def within(
        self, box: Mapping[str, Expr], facts: Sequence[Relation], solver: bool, effort: Effort
    ) -> Author:
        """An author of the steps for the places of a box, who begins with the facts of this one."""
        result = self.fork(effort)
        result.enter(box, facts, solver)
        result.solver = solver
        for size in () if result.nowhere else box.values():
            with suppress(Rejected, LayoutError):
                result.factors_of(size)
        return result

    def where(self, relation: Relation, effort: Effort) -> Author:
        """An author who is given one thing more of the places."""
        result = self.fork(effort)
        if not result.nowhere:
            result.solver = False
            result.give(relation)
            result.solver = self.solver
        return result

    def fork(self, effort: Effort | None = None) -> Author:
        """Another author, who begins with all that this one has shown, with this effort."""
        result = apart(self)
        result.keep(apart(self.state))
        result.points = [dict(p) for p in self.points]
        result.effort = effort or self.effort
        if self.ctx is not None:
            result.ctx = self.ctx.fork()
            result.ctx.meter = result.effort.meter
        return result

    def factors_of(self, size: Expr) -> None:
        """No factor of a size is 0 where a coordinate lies in it: it is at least 1."""
        assert self.ctx is not None
        factors = Mul.make_args(as_expr(size))
        for k, factor in enumerate(factors):
            p = self.walk(factor.base if isinstance(factor, Pow) else factor)
            if self.witness.direct(p) is None:
                continue
            if self.witness.direct(p - 1) is not None:
                with suppress(Rejected):  # a quotient that has been found to be at least 1
                    if not factor.is_Symbol:
                        self.ctx.assume_nonnegative(self.inner(p - 1))
                continue
            others = self.walk(Mul(*[f for n, f in enumerate(factors) if n != k]))
            positive, inside = map(self.witness.direct, (others - 1, others * p - 1))
            why = None
            if positive is not None and inside is not None:
                why = Instance("cancel", (("d", others),), (positive, inside))
            with suppress(Rejected):
                if why is not None or self.solver:
                    self.have(p - 1, why)
                    self.ctx.assume_nonnegative(self.inner(p - 1))

    def enter(self, box: Mapping[str, Expr], facts: Sequence[Relation], solver: bool) -> None:
        """Takes the coordinates of a box, and what holds at the places that are looked at."""
        self.state.box = box
        self.state.names |= set(box)
        self.state.varying = set(box)
        plain = [x for x, d in box.items() if self.state.varying.isdisjoint(free_names(as_expr(d)))]
        if any(self.without_place(x, solver) for x in plain if not self.has_places(box[x])):
            return
        for x in box:
            self.coordinate(x)
        for relation in facts:
            self.give(relation)
        ends = [self.resolve(self.high[x]).atoms for x in box if x in self.high]
        # a coordinate at hand: sizes that may be 0 are not, nor are quotients that bound it
        for x in sorted(self.sizes.union(*ends) - set(box)):
            if x not in self.state.value and (x not in self.low or self.low[x] == Poly()):
                self.attempt_bound(x, ONE, "low")

    def give(self, relation: Relation) -> None:
        """Takes what holds at the places that are looked at."""
        self.state.facts = [*self.state.facts, relation]
        self.only_where(relation)
        self.fact(len(self.state.facts) - 1)
        self.tell()

    def has_places(self, extent: Expr) -> bool:
        """Whether an extent is above 0 at a sample point, so that it is not shown to be at most 0."""
        for point in self.points:
            with suppress(LayoutError):  # without a value there
                if value(as_expr(extent), point) > 0:
                    return True
        return False

    def without_place(self, x: str, solver: bool) -> bool:
        """Whether the size of a coordinate is shown to be at most 0: -1 >= 0 at each of its places."""
        try:
            high = self.walk(self.state.box[x]) - 1
        except (Rejected, LayoutError):
            return False
        why = self.witness.reason(-high - 1, solver)
        if why is not None:
            self.step(Coordinate(x))
            why = product(ONE, high - as_poly(x), PLAIN, KNOWN, why)
            self.have(as_poly(-1), product(ONE, as_poly(x), PLAIN, KNOWN, why))
            self.nowhere, self.points = True, []
        return self.nowhere

    # -- facts ------------------------------------------------------------------------------------

    def fact(self, k: int) -> bool:
        """A fact, and the remainder or the range that it gives; whether it could be taken."""
        r = self.state.facts[k]
        if r in self.state.own:
            self.without_zero(k)
        if not self.attempt(self.step, Fact(k)):
            return False
        p = self.resolve(self.walk(r.left) - self.walk(r.right))
        if r.op == "==":
            self.equate(p)
            self.divisor_of_number(r)
        elif r.op == "!=":
            self.apart_from_end(p)
        else:
            self.without_factor(at_least(r.op, p))
            self.low_end(at_least(r.op, p))
            self.high_ends(at_least(r.op, p))
            self.settle(p)
            if self.ctx is not None:  # among what is given at a place: the digits count on it
                self.gains.append(at_least(r.op, p))
        return True

    def take_waiting(self) -> None:
        """The facts that were left to the digit engine; what is not 0 may end a range."""
        waiting = self.waiting
        super().take_waiting()
        for k in waiting:
            r = self.state.facts[k]
            if k not in self.waiting and r.op == "!=":
                self.apart_from_end(self.resolve(self.walk(r.left) - self.walk(r.right)))

    def without_zero(self, k: int) -> None:
        """No divisor of a fact is 0: one that is not negative is at least 1."""
        r = self.state.facts[k]
        for d in [d for e in (r.left, r.right) for d in divisors_of(e, always=True)]:
            with suppress(Rejected):
                p = self.walk(d)
                if self.witness.direct(p - 1) is None and self.witness.direct(-p - 1) is None:
                    self.step(Defined(k))
                    self.apart_from_end(p)

    def apart_from_end(self, p: Poly) -> None:
        """p != 0 is known: where it is the end of a range, the range ends before."""
        for x in (p, -p):
            why = self.witness.direct(x) if x.terms else PLAIN
            if why is not None:
                self.have(x - 1, Instance("apart", (("x", x),), (KNOWN, why)))
                self.low_end(x - 1)
                self.gains.append(x - 1)

    def low_end(self, p: Poly) -> None:
        """p >= 0 is known: an unknown that it says is at least a number has its range from there on."""
        match [m for m, _ in p.terms if m]:
            case [(x,)] if dict(p.terms)[x,] == 1:
                limit, before = as_poly(x) - p, self.low.get(x)
                if before is None or (constant(limit - before) or 0) > 0:
                    self.low[x] = limit

    def high_ends(self, p: Poly) -> None:
        """p >= 0 is known: a product is at most a number, and so is each factor of it."""
        match p.terms:
            case [((), c), ((_, _, *_) as m, k)] if k < 0 < c:
                for x in sorted(set(m) & self.sizes - self.high.keys()):
                    self.attempt_bound(x, as_poly(c // -k), "high")
                    self.small = True

    def single_values(self) -> None:
        """A size that is known to be at most its least value has that value."""
        for p in list(self.state.known):
            p = self.resolve(p)
            for m, k in p.terms if p.degree == 1 else ():
                low = constant(self.low.get(m[0], ONE - 2)) if m and k < 0 else None
                if low is None or m[0] not in self.sizes:
                    continue
                most, gap = self.most(p - Poly.of([(m, k)])), as_poly(low) - as_poly(m[0])
                if most is None or most // -k != low:
                    break
                rest = self.witness.direct(gap * -k + (-k - 1) - p)
                if rest is not None:
                    inside = product(ONE, p, PLAIN, KNOWN, rest)
                    self.have(gap, Instance("cancel", (("d", as_poly(-k)),), (PLAIN, inside)))
                    self.attempt(self.solve, m[0], as_poly(low))
                break

    def divisor_of_number(self, r: Relation) -> None:
        """A number above 0 that a fact says is a multiple is no less than what it is one of."""
        number, d = r.left.args if isinstance(r.left, Mod) and r.right == 0 else (r.left, r.right)
        if number is r.left or not (number.is_Integer and number > 0):
            return
        with suppress(Rejected):
            q, p = self.walk(FloorDiv(number, d)), self.walk(d)
            self.have(q - 1)
            why = self.witness.direct(p)
            if why is not None:
                limit = as_poly(int(number))
                self.have(limit - p, product(p, q - 1, why, KNOWN, KNOWN))
                self.gains.append(limit - p)
                if p == as_poly(str(d)):
                    self.high[str(d)] = limit

    def settle(self, p: Poly) -> None:
        """p >= 0 is known: a maximum above one of both is the other, and so is a minimum below one."""
        for m in [m for m in self.either if m in p.atoms and m not in self.state.value]:
            x, pair = as_poly(m), [self.resolve(e) for e in self.either[m]]
            for a, b in (pair, pair[::-1]):
                for d in (x - b, b - x):
                    far, inside = map(self.witness.direct, (d - 1, (x - a) * (b - x) + d - 1))
                    if far is None or inside is None or m in self.state.value:
                        continue
                    gap = a - x if d == x - b else x - a  # d * gap is (x - a) * (b - x)
                    if self.attempt(self.have, gap, Instance("cancel", (("d", d),), (far, inside))):
                        self.attempt(self.solve, m, a)

    def without_factor(self, p: Poly) -> None:
        """`m*q + c >= 0` gives `q >= 0` for m >= 1 and c < m, and `q >= 1` where c < 0."""
        p = self.resolve(p)
        varying = [(Counter(m), k) for m, k in p.terms if m]
        if len(varying) < 2:
            return
        c, number = sum(k for m, k in p.terms if not m), gcd(*[k for _, k in varying])
        shared = reduce(and_, [m for m, _ in varying])
        factor = Poly.of([(tuple(sorted(shared.elements())), number)])
        if factor == ONE:
            return
        rows = [(tuple(sorted((m - shared).elements())), k // number) for m, k in varying]
        quotient = Poly.of(rows) + (-int(c < 0) if shared else c // number)
        why_positive = self.witness.direct(factor - 1)
        why = self.witness.direct(factor * quotient + factor - 1)
        if why_positive is not None and why is not None and quotient not in self.state.known:
            self.step(Have(quotient, Instance("cancel", (("d", factor),), (why_positive, why))))

    def only_where(self, r: Relation) -> None:
        """Keeps the sample points at which a relation holds."""
        p = self.resolve(self.walk(r.left) - self.walk(r.right))
        points = [point for point in self.points if p.atoms <= point.keys()]
        holds = COMPARE[r.op]
        self.points = [point for point in points if holds(value_at(p, point), 0)]

    def generic(self, p: Poly, d: Poly) -> None:
        """Quotient and remainder as new unknowns, by Euclid."""
        p, d = self.resolve(p), self.resolve(d)
        n = constant(d)
        if n:
            q = Poly.of((m, c // n) for m, c in p.terms)
            rest = p - q * d
            if not rest.terms or self.witness.direct(d - 1 - rest) is not None:
                self.law("R2", d=d, q=q, r=rest)
                return
        names = self.name("q"), self.name("r")
        self.split(p, d, *names)
        q, r = as_poly(names[0]), as_poly(names[1])
        for m, c in p.terms:
            rest = p - Poly.of([(m, c)])
            if len(m) == 1 and c == 1 and not rest.atoms and m[0] not in d.atoms:
                self.solve(m[0], d * q + r - rest)
                self.remainders.add(names[1])
                break
        else:
            self.solve(names[1], p - d * q)
        for least in (1, 0):
            if self.attempt_bound(names[0], as_poly(least), "low"):
                break

    # -- the digit engine ---------------------------------------------------------------------------

    def coordinate(self, x: str) -> None:
        """A coordinate of the box."""
        assert self.ctx is not None
        high = self.walk(self.state.box[x]) - 1
        self.step(Coordinate(x))
        self.low[x], self.high[x] = Poly(), high
        if self.witness.direct(high) is None:  # 0 <= x <= high, though high may be -1 elsewhere
            self.have(high, product(ONE, high - as_poly(x), PLAIN, KNOWN, KNOWN))
            self.ctx.assume_nonnegative(self.inner(high))
        if not high.terms:
            self.solve(x, Poly())
            self.there[x] = Inner({})
        else:
            self.free_atom(x, high)

    def missing(self, word: Any, *operands: Poly) -> Poly:
        """What an operation is, as the digit engine finds it, written down as a step."""
        a, b = operands[0], operands[-1]
        if self.nowhere:
            self.whatever(word, a, b)
        elif word is Exp2:
            self.power(a)
        elif not word.row.form:
            self.application(word, operands)
        elif word in (Min, Max):
            self.decide("min" if word is Min else "max", a, b)
        elif word is CeilDiv:
            below = self.witness.fails(b - 1) and not self.witness.fails(-b - 1)
            self.law("ceiling_by_negative" if below else "ceiling", x=a, d=b)
        elif word in (TruncDiv, TruncMod):
            self.truncate(a, b)
        elif self.ctx is None:
            self.generic(a, b)
        elif self.witness.fails(b - 1):
            if self.witness.fails(-b - 1):
                raise Rejected(f"{b} may be 0, or have either sign")
            self.law("negative", x=a, d=b)
        else:
            self.divide(a, b)
        key = (word, *map(self.resolve, operands))
        if key not in self.state.rewritten:
            raise Rejected(f"{word.__name__}({', '.join(map(str, operands))}) is not found")
        return self.state.rewritten[key]

    def whatever(self, word: Any, a: Poly, b: Poly) -> None:
        """What an operation is where there is no place: what its law demands follows."""
        if word is Exp2:
            self.law("power", {"p": self.name("p")}, k=a)
        elif not word.row.form:
            self.row_law(word.row, dict(zip(arguments(word.row), (a, b))), self.name("r"))
        elif word in (Min, Max):
            self.law("min" if word is Min else "max", {"m": self.name("m")}, a=a, b=b)
        elif word in (FloorDiv, Mod):
            self.law("Euclid", {"q": self.name("q"), "r": self.name("r")}, x=a, d=b)
        elif word is CeilDiv:
            self.law("ceiling", x=a, d=b)
        else:
            self.law("towards_zero", x=a, d=b)

    def application(self, word: Any, operands: Sequence[Poly]) -> None:
        """An operator that is nothing but its row, as the digit engine has it."""
        if self.ctx is None:
            table = dict(zip(arguments(word.row), operands))
            self.row_law(word.row, table, self.name("r"))
            return
        try:
            applications.application(self.ctx, word.row, *map(self.inner, operands))
        except Undecided as why:
            raise Rejected(str(why)) from None
        self.sync()

    def power(self, e: Poly) -> None:
        """Two to a power as a product of powers that the digit engine has, and a number."""
        if self.ctx is None:
            self.law("power", {"p": self.name("p")}, k=e)
            return
        try:
            self.ctx.power_of_two(self.inner(e))
        except Undecided as why:
            raise Rejected(str(why)) from None
        self.sync()
        factors = powers_of_two.parts(self.ctx, self.inner(e))
        exponents = [as_poly(factors.number)] if factors.number or not factors.atoms else []
        for exponent, times in factors.atoms:
            exponents += [self.outer(exponent)] * times
        total = exponents[0]
        for more in exponents[1:]:
            self.law("powers", a=total, b=more)
            total = total + more

    def divide(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder by the digit engine."""
        p, d = self.resolve(p), self.resolve(d)
        if (FloorDiv, p, d) not in self.state.rewritten and not self.term_by_term(p, d):
            if is_opposite(p) and not is_opposite(d - p - 1):
                self.attempt(self.of_opposite, p, d)
                p, d = self.resolve(p), self.resolve(d)
            if (FloorDiv, p, d) not in self.state.rewritten:
                self.divide_by_digits(p, d)
                p, d = self.resolve(p), self.resolve(d)
        rows = [self.state.rewritten[word, p, d] for word in (FloorDiv, Mod)]
        return self.resolve(rows[0]), self.resolve(rows[1])

    def divide_by_digits(self, p: Poly, d: Poly) -> None:
        """A step for a quotient that only the digits give."""
        assert self.ctx is not None
        try:
            q = self.ctx.divmod(self.inner(p), self.inner(d))[0]
        except Undecided as why:
            raise Rejected(str(why)) from None
        self.sync()
        p, d, quotient = self.resolve(p), self.resolve(d), self.outer(self.ctx.resolve(q))
        if (FloorDiv, p, d) not in self.state.rewritten:
            rest = self.resolve(p - quotient * d)
            for side in (rest, d - 1 - rest) if len(rest.terms) > 1 else ():
                self.attempt(self.have, side)  # others ask for it as well
            self.law("R2", d=d, q=quotient, r=rest)

    def term_by_term(self, p: Poly, d: Poly) -> bool:
        """A quotient by a number that divides every term but a number; whether it is one."""
        n = constant(d)
        if not n or n < 0 or any(c % n for m, c in p.terms if m):
            return False
        q = Poly.of((m, c // n) for m, c in p.terms)
        self.instance("R2", (PLAIN, PLAIN, PLAIN), check=False, d=d, q=q, r=p - q * d)
        return True

    def again(self) -> bool:
        """Quotients once more, of what has been split since: whether one of them is known by digits."""
        assert self.ctx is not None
        before = len(self.steps)
        self.ctx.forget()
        for word, *pair in list(self.state.rewritten):
            p, d = map(self.resolve, (pair[0], pair[-1]))
            q = self.state.rewritten.get((FloorDiv, p, d))
            if word is FloorDiv and q is not None and str(q) in self.state.names:
                with suppress(Undecided, Rejected):
                    more = self.ctx.divmod(self.inner(p), self.inner(d))[0]
                    self.sync()
                    quotient = self.outer(self.ctx.resolve(more))
                    if quotient != self.resolve(q):
                        self.law("R2", d=d, q=quotient, r=p - quotient * d)
                        self.solve(str(q), quotient)
        return len(self.steps) != before

    def of_opposite(self, p: Poly, d: Poly) -> None:
        """`-x // d` is minus the ceiling of `x / d`, whose digits others speak of as well."""
        above, _ = self.divide(d - p - 1, d)
        p, d = self.resolve(p), self.resolve(d)
        self.law("R2", d=d, q=-above, r=p + above * d)

    def decide(self, word: str, a: Poly, b: Poly) -> None:
        """min or max as the digit engine decides it, or an unknown of its own."""
        if self.ctx is None:
            self.extreme(word, a, b, self.name("m"))
            return
        poly = self.ctx.extreme(self.inner(a), self.inner(b), word == "min")
        self.sync()
        a, b, choice = self.resolve(a), self.resolve(b), self.outer(self.ctx.resolve(poly))
        if (Min if word == "min" else Max, a, b) in self.state.rewritten:
            return
        if choice not in (a, b) and self.ctx.differences:
            self.difference(a, b)
            return
        if choice not in (a, b):
            raise Rejected(f"{word}({a}, {b}) is not decided")
        other = b if choice == a else a
        self.law("smaller" if word == "min" else "larger", a=choice, b=other)

    def difference(self, a: Poly, b: Poly) -> None:
        """The extremes of two numbers by how far they are apart, as the digit engine has it."""
        assert self.ctx is not None
        gap = self.inner(a) - self.inner(b)
        if gap.terms[max(gap.terms)] < 0:
            b, gap = a, -gap
        g = gcd(*gap.terms.values())
        e = self.outer(Inner({m: c // g for m, c in gap.terms.items()}))
        self.law("difference", b=b, e=e, g=as_poly(g))


def bound_below(ctx: Context, less: Sequence[tuple[str, Expr]]) -> None:
    """Sizes that are less than others: the range of each ends there, where it is not a number."""
    for name, limit in less if not ctx.contradiction else ():
        number, high = ctx.by_name[name], ctx.poly(limit) - 1
        if high.is_constant and high.constant == ctx.atoms[number].low:
            ctx.replace(number, high)
        elif number not in ctx.replaced and number not in behind(ctx, high):
            ctx.bound_above(number, high)


def is_opposite(p: Poly) -> bool:
    """Whether every term has a minus."""
    return bool(p.terms) and all(c < 0 for _, c in p.terms)


def divides(r: Relation) -> bool:
    """Whether a relation has a division in it, or a minimum or maximum."""
    return bool(r.left.atoms(*REWRITTEN) or r.right.atoms(*REWRITTEN))
