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

from symlayout.certificate.atoms import Atoms, Logged, free_atom, row_law
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
        for k in [k for k in first if not fact(self, k)]:  # what it takes may have come after it
            fact(self, k)
        self.ctx = ctx = Logged(effort.meter)
        ctx.residues, ctx.ends, ctx.differences = start.residues, start.ends, start.residues
        bounds = partial(bound_below, ctx, start.less)
        assume(ctx, fewer(start.assumptions, without), start.names, dict(start.kinds), bounds)
        if ctx.contradiction:
            raise Rejected("the facts contradict each other")
        self.sync()
        self.take_waiting()
        single_values(self)

    def within(
        self, box: Mapping[str, Expr], facts: Sequence[Relation], solver: bool, effort: Effort
    ) -> Author:
        """An author of the steps for the places of a box, who begins with the facts of this one."""
        result = self.fork(effort)
        enter(result, box, facts, solver)
        result.solver = solver
        for size in () if result.nowhere else box.values():
            with suppress(Rejected, LayoutError):
                factors_of(result, size)
        return result

    def where(self, relation: Relation, effort: Effort) -> Author:
        """An author who is given one thing more of the places."""
        result = self.fork(effort)
        if not result.nowhere:
            result.solver = False
            give(result, relation)
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

    # -- facts ------------------------------------------------------------------------------------

    def take_waiting(self) -> None:
        """The facts that were left to the digit engine; what is not 0 may end a range."""
        waiting = self.waiting
        super().take_waiting()
        for k in waiting:
            r = self.state.facts[k]
            if k not in self.waiting and r.op == "!=":
                apart_from_end(self, self.resolve(self.walk(r.left) - self.walk(r.right)))

    # -- the digit engine ---------------------------------------------------------------------------

    def missing(self, word: Any, *operands: Poly) -> Poly:
        """What an operation is, as the digit engine finds it, written down as a step."""
        a, b = operands[0], operands[-1]
        if self.nowhere:
            whatever(self, word, a, b)
        elif word is Exp2:
            power(self, a)
        elif not word.row.form:
            application(self, word, operands)
        elif word in (Min, Max):
            decide(self, "min" if word is Min else "max", a, b)
        elif word is CeilDiv:
            below = self.witness.fails(b - 1) and not self.witness.fails(-b - 1)
            self.law("ceiling_by_negative" if below else "ceiling", x=a, d=b)
        elif word in (TruncDiv, TruncMod):
            self.truncate(a, b)
        elif self.ctx is None:
            generic(self, a, b)
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

    def divide(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder by the digit engine."""
        p, d = self.resolve(p), self.resolve(d)
        if (FloorDiv, p, d) not in self.state.rewritten and not term_by_term(self, p, d):
            if is_opposite(p) and not is_opposite(d - p - 1):
                self.attempt(of_opposite, self, p, d)
                p, d = self.resolve(p), self.resolve(d)
            if (FloorDiv, p, d) not in self.state.rewritten:
                divide_by_digits(self, p, d)
                p, d = self.resolve(p), self.resolve(d)
        rows = [self.state.rewritten[word, p, d] for word in (FloorDiv, Mod)]
        return self.resolve(rows[0]), self.resolve(rows[1])

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


def factors_of(author: Author, size: Expr) -> None:
    """No factor of a size is 0 where a coordinate lies in it: it is at least 1."""
    assert author.ctx is not None
    factors = Mul.make_args(as_expr(size))
    for k, factor in enumerate(factors):
        p = author.walk(factor.base if isinstance(factor, Pow) else factor)
        if author.witness.direct(p) is None:
            continue
        if author.witness.direct(p - 1) is not None:
            with suppress(Rejected):  # a quotient that has been found to be at least 1
                if not factor.is_Symbol:
                    author.ctx.assume_nonnegative(author.inner(p - 1))
            continue
        others = author.walk(Mul(*[f for n, f in enumerate(factors) if n != k]))
        positive, inside = map(author.witness.direct, (others - 1, others * p - 1))
        why = None
        if positive is not None and inside is not None:
            why = Instance("cancel", (("d", others),), (positive, inside))
        with suppress(Rejected):
            if why is not None or author.solver:
                author.have(p - 1, why)
                author.ctx.assume_nonnegative(author.inner(p - 1))


def enter(author: Author, box: Mapping[str, Expr], facts: Sequence[Relation], solver: bool) -> None:
    """Takes the coordinates of a box, and what holds at the places that are looked at."""
    author.state.box = box
    author.state.names |= set(box)
    author.state.varying = set(box)
    plain = [x for x, d in box.items() if author.state.varying.isdisjoint(free_names(as_expr(d)))]
    if any(without_place(author, x, solver) for x in plain if not has_places(author, box[x])):
        return
    for x in box:
        coordinate(author, x)
    for relation in facts:
        give(author, relation)
    ends = [author.resolve(author.high[x]).atoms for x in box if x in author.high]
    # a coordinate at hand: sizes that may be 0 are not, nor are quotients that bound it
    for x in sorted(author.sizes.union(*ends) - set(box)):
        if x not in author.state.value and (x not in author.low or author.low[x] == Poly()):
            author.attempt_bound(x, ONE, "low")


def give(author: Author, relation: Relation) -> None:
    """Takes what holds at the places that are looked at."""
    author.state.facts = [*author.state.facts, relation]
    only_where(author, relation)
    fact(author, len(author.state.facts) - 1)
    author.tell()


def has_places(author: Author, extent: Expr) -> bool:
    """Whether an extent is above 0 at a sample point, so that it is not shown to be at most 0."""
    for point in author.points:
        with suppress(LayoutError):  # without a value there
            if value(as_expr(extent), point) > 0:
                return True
    return False


def without_place(author: Author, x: str, solver: bool) -> bool:
    """Whether the size of a coordinate is shown to be at most 0: -1 >= 0 at each of its places."""
    try:
        high = author.walk(author.state.box[x]) - 1
    except (Rejected, LayoutError):
        return False
    why = author.witness.reason(-high - 1, solver)
    if why is not None:
        author.step(Coordinate(x))
        why = product(ONE, high - as_poly(x), PLAIN, KNOWN, why)
        author.have(as_poly(-1), product(ONE, as_poly(x), PLAIN, KNOWN, why))
        author.nowhere, author.points = True, []
    return author.nowhere


def fact(author: Author, k: int) -> bool:
    """A fact, and the remainder or the range that it gives; whether it could be taken."""
    r = author.state.facts[k]
    if r in author.state.own:
        without_zero(author, k)
    if not author.attempt(author.step, Fact(k)):
        return False
    p = author.resolve(author.walk(r.left) - author.walk(r.right))
    if r.op == "==":
        author.equate(p)
        divisor_of_number(author, r)
    elif r.op == "!=":
        apart_from_end(author, p)
    else:
        without_factor(author, at_least(r.op, p))
        low_end(author, at_least(r.op, p))
        high_ends(author, at_least(r.op, p))
        settle(author, p)
        if author.ctx is not None:  # among what is given at a place: the digits count on it
            author.gains.append(at_least(r.op, p))
    return True


def without_zero(author: Author, k: int) -> None:
    """No divisor of a fact is 0: one that is not negative is at least 1."""
    r = author.state.facts[k]
    for d in [d for e in (r.left, r.right) for d in divisors_of(e, always=True)]:
        with suppress(Rejected):
            p = author.walk(d)
            if author.witness.direct(p - 1) is None and author.witness.direct(-p - 1) is None:
                author.step(Defined(k))
                apart_from_end(author, p)


def apart_from_end(author: Author, p: Poly) -> None:
    """p != 0 is known: where it is the end of a range, the range ends before."""
    for x in (p, -p):
        why = author.witness.direct(x) if x.terms else PLAIN
        if why is not None:
            author.have(x - 1, Instance("apart", (("x", x),), (KNOWN, why)))
            low_end(author, x - 1)
            author.gains.append(x - 1)


def low_end(author: Author, p: Poly) -> None:
    """p >= 0 is known: an unknown that it says is at least a number has its range from there on."""
    match [m for m, _ in p.terms if m]:
        case [(x,)] if dict(p.terms)[x,] == 1:
            limit, before = as_poly(x) - p, author.low.get(x)
            if before is None or (constant(limit - before) or 0) > 0:
                author.low[x] = limit


def high_ends(author: Author, p: Poly) -> None:
    """p >= 0 is known: a product is at most a number, and so is each factor of it."""
    match p.terms:
        case [((), c), ((_, _, *_) as m, k)] if k < 0 < c:
            for x in sorted(set(m) & author.sizes - author.high.keys()):
                author.attempt_bound(x, as_poly(c // -k), "high")
                author.small = True


def single_values(author: Author) -> None:
    """A size that is known to be at most its least value has that value."""
    for p in list(author.state.known):
        p = author.resolve(p)
        for m, k in p.terms if p.degree == 1 else ():
            low = constant(author.low.get(m[0], ONE - 2)) if m and k < 0 else None
            if low is None or m[0] not in author.sizes:
                continue
            most, gap = author.most(p - Poly.of([(m, k)])), as_poly(low) - as_poly(m[0])
            if most is None or most // -k != low:
                break
            rest = author.witness.direct(gap * -k + (-k - 1) - p)
            if rest is not None:
                inside = product(ONE, p, PLAIN, KNOWN, rest)
                author.have(gap, Instance("cancel", (("d", as_poly(-k)),), (PLAIN, inside)))
                author.attempt(author.solve, m[0], as_poly(low))
            break


def divisor_of_number(author: Author, r: Relation) -> None:
    """A number above 0 that a fact says is a multiple is no less than what it is one of."""
    number, d = r.left.args if isinstance(r.left, Mod) and r.right == 0 else (r.left, r.right)
    if number is r.left or not (number.is_Integer and number > 0):
        return
    with suppress(Rejected):
        q, p = author.walk(FloorDiv(number, d)), author.walk(d)
        author.have(q - 1)
        why = author.witness.direct(p)
        if why is not None:
            limit = as_poly(int(number))
            author.have(limit - p, product(p, q - 1, why, KNOWN, KNOWN))
            author.gains.append(limit - p)
            if p == as_poly(str(d)):
                author.high[str(d)] = limit


def settle(author: Author, p: Poly) -> None:
    """p >= 0 is known: a maximum above one of both is the other, and so is a minimum below one."""
    for m in [m for m in author.either if m in p.atoms and m not in author.state.value]:
        x, pair = as_poly(m), [author.resolve(e) for e in author.either[m]]
        for a, b in (pair, pair[::-1]):
            for d in (x - b, b - x):
                far, inside = map(author.witness.direct, (d - 1, (x - a) * (b - x) + d - 1))
                if far is None or inside is None or m in author.state.value:
                    continue
                gap = a - x if d == x - b else x - a  # d * gap is (x - a) * (b - x)
                if author.attempt(author.have, gap, Instance("cancel", (("d", d),), (far, inside))):
                    author.attempt(author.solve, m, a)


def without_factor(author: Author, p: Poly) -> None:
    """`m*q + c >= 0` gives `q >= 0` for m >= 1 and c < m, and `q >= 1` where c < 0."""
    p = author.resolve(p)
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
    why_positive = author.witness.direct(factor - 1)
    why = author.witness.direct(factor * quotient + factor - 1)
    if why_positive is not None and why is not None and quotient not in author.state.known:
        author.step(Have(quotient, Instance("cancel", (("d", factor),), (why_positive, why))))


def only_where(author: Author, r: Relation) -> None:
    """Keeps the sample points at which a relation holds."""
    p = author.resolve(author.walk(r.left) - author.walk(r.right))
    points = [point for point in author.points if p.atoms <= point.keys()]
    holds = COMPARE[r.op]
    author.points = [point for point in points if holds(value_at(p, point), 0)]


def generic(author: Author, p: Poly, d: Poly) -> None:
    """Quotient and remainder as new unknowns, by Euclid."""
    p, d = author.resolve(p), author.resolve(d)
    n = constant(d)
    if n:
        q = Poly.of((m, c // n) for m, c in p.terms)
        rest = p - q * d
        if not rest.terms or author.witness.direct(d - 1 - rest) is not None:
            author.law("R2", d=d, q=q, r=rest)
            return
    names = author.name("q"), author.name("r")
    author.split(p, d, *names)
    q, r = as_poly(names[0]), as_poly(names[1])
    for m, c in p.terms:
        rest = p - Poly.of([(m, c)])
        if len(m) == 1 and c == 1 and not rest.atoms and m[0] not in d.atoms:
            author.solve(m[0], d * q + r - rest)
            author.remainders.add(names[1])
            break
    else:
        author.solve(names[1], p - d * q)
    for least in (1, 0):
        if author.attempt_bound(names[0], as_poly(least), "low"):
            break


def coordinate(author: Author, x: str) -> None:
    """A coordinate of the box."""
    assert author.ctx is not None
    high = author.walk(author.state.box[x]) - 1
    author.step(Coordinate(x))
    author.low[x], author.high[x] = Poly(), high
    if author.witness.direct(high) is None:  # 0 <= x <= high, though high may be -1 elsewhere
        author.have(high, product(ONE, high - as_poly(x), PLAIN, KNOWN, KNOWN))
        author.ctx.assume_nonnegative(author.inner(high))
    if not high.terms:
        author.solve(x, Poly())
        author.there[x] = Inner({})
    else:
        free_atom(author, x, high)


def whatever(author: Author, word: Any, a: Poly, b: Poly) -> None:
    """What an operation is where there is no place: what its law demands follows."""
    if word is Exp2:
        author.law("power", {"p": author.name("p")}, k=a)
    elif not word.row.form:
        row_law(author, word.row, dict(zip(arguments(word.row), (a, b))), author.name("r"))
    elif word in (Min, Max):
        author.law("min" if word is Min else "max", {"m": author.name("m")}, a=a, b=b)
    elif word in (FloorDiv, Mod):
        author.law("Euclid", {"q": author.name("q"), "r": author.name("r")}, x=a, d=b)
    elif word is CeilDiv:
        author.law("ceiling", x=a, d=b)
    else:
        author.law("towards_zero", x=a, d=b)


def application(author: Author, word: Any, operands: Sequence[Poly]) -> None:
    """An operator that is nothing but its row, as the digit engine has it."""
    if author.ctx is None:
        table = dict(zip(arguments(word.row), operands))
        row_law(author, word.row, table, author.name("r"))
        return
    try:
        applications.application(author.ctx, word.row, *map(author.inner, operands))
    except Undecided as why:
        raise Rejected(str(why)) from None
    author.sync()


def power(author: Author, e: Poly) -> None:
    """Two to a power as a product of powers that the digit engine has, and a number."""
    if author.ctx is None:
        author.law("power", {"p": author.name("p")}, k=e)
        return
    try:
        author.ctx.power_of_two(author.inner(e))
    except Undecided as why:
        raise Rejected(str(why)) from None
    author.sync()
    factors = powers_of_two.parts(author.ctx, author.inner(e))
    exponents = [as_poly(factors.number)] if factors.number or not factors.atoms else []
    for exponent, times in factors.atoms:
        exponents += [author.outer(exponent)] * times
    total = exponents[0]
    for more in exponents[1:]:
        author.law("powers", a=total, b=more)
        total = total + more


def divide_by_digits(author: Author, p: Poly, d: Poly) -> None:
    """A step for a quotient that only the digits give."""
    assert author.ctx is not None
    try:
        q = author.ctx.divmod(author.inner(p), author.inner(d))[0]
    except Undecided as why:
        raise Rejected(str(why)) from None
    author.sync()
    p, d, quotient = author.resolve(p), author.resolve(d), author.outer(author.ctx.resolve(q))
    if (FloorDiv, p, d) not in author.state.rewritten:
        rest = author.resolve(p - quotient * d)
        for side in (rest, d - 1 - rest) if len(rest.terms) > 1 else ():
            author.attempt(author.have, side)  # others ask for it as well
        author.law("R2", d=d, q=quotient, r=rest)


def term_by_term(author: Author, p: Poly, d: Poly) -> bool:
    """A quotient by a number that divides every term but a number; whether it is one."""
    n = constant(d)
    if not n or n < 0 or any(c % n for m, c in p.terms if m):
        return False
    q = Poly.of((m, c // n) for m, c in p.terms)
    author.instance("R2", (PLAIN, PLAIN, PLAIN), check=False, d=d, q=q, r=p - q * d)
    return True


def of_opposite(author: Author, p: Poly, d: Poly) -> None:
    """`-x // d` is minus the ceiling of `x / d`, whose digits others speak of as well."""
    above, _ = author.divide(d - p - 1, d)
    p, d = author.resolve(p), author.resolve(d)
    author.law("R2", d=d, q=-above, r=p + above * d)


def decide(author: Author, word: str, a: Poly, b: Poly) -> None:
    """min or max as the digit engine decides it, or an unknown of its own."""
    if author.ctx is None:
        author.extreme(word, a, b, author.name("m"))
        return
    poly = author.ctx.extreme(author.inner(a), author.inner(b), word == "min")
    author.sync()
    a, b, choice = author.resolve(a), author.resolve(b), author.outer(author.ctx.resolve(poly))
    if (Min if word == "min" else Max, a, b) in author.state.rewritten:
        return
    if choice not in (a, b) and author.ctx.differences:
        difference(author, a, b)
        return
    if choice not in (a, b):
        raise Rejected(f"{word}({a}, {b}) is not decided")
    other = b if choice == a else a
    author.law("smaller" if word == "min" else "larger", a=choice, b=other)


def difference(author: Author, a: Poly, b: Poly) -> None:
    """The extremes of two numbers by how far they are apart, as the digit engine has it."""
    assert author.ctx is not None
    gap = author.inner(a) - author.inner(b)
    if gap.terms[max(gap.terms)] < 0:
        b, gap = a, -gap
    g = gcd(*gap.terms.values())
    e = author.outer(Inner({m: c // g for m, c in gap.terms.items()}))
    author.law("difference", b=b, e=e, g=as_poly(g))


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
