"""The digit engine's atoms in the proof's unknowns: what the engine makes becomes a step of its own.

Where it splits an unknown, rounds a quotient or names a power, the proof does so as well, and what
the engine knows of the range is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import reduce
from typing import Any

from symlayout.certificate.exact import Poly, Rejected, as_poly
from symlayout.certificate.ledger import constant
from symlayout.certificate.proof import Fact, laws, name_of_bounds
from symlayout.certificate.witness import Effort
from symlayout.certificate.writer import Writer
from symlayout.digits import bounds
from symlayout.digits.applications import bounds_of
from symlayout.digits.bounds import Meter
from symlayout.digits.context import Context
from symlayout.digits.poly import Poly as Inner
from symlayout.digits.poly import atom as inner_atom
from symlayout.expr.facts import Relation
from symlayout.expr.lawtexts import arguments
from symlayout.expr.operators import BY_OP, Operator
from symlayout.expr.terms import Exp2, FloorDiv, Mod, symbol

ONE = as_poly(1)
DEEPEST = 3  # powers of two inside one another whose bounds are looked for
EFFORT_IN_DIGITS = 30_000  # terms that questions without an answer may look at, in each attempt


class Logged(Context):
    """A context that remembers in which order it made atoms and replaced them."""

    def __init__(self, meter: Meter) -> None:
        super().__init__(meter)
        self.effort = EFFORT_IN_DIGITS
        self.log: list[tuple[int, Inner | None]] = []

    def new_atom(
        self, name: str, kind: str, low: int | None, high: Inner | None, **more: Any
    ) -> int:
        """A new atom; returns its number."""
        number = super().new_atom(name, kind, low, high, **more)
        self.log.append((number, None))
        return number

    def replace(self, number: int, by: Inner) -> None:
        """From now on the atom stands for that polynomial."""
        super().replace(number, by)
        self.log.append((number, self.replaced[number]))


class Atoms(Writer):
    """A writer beside a context of the digit engine, each of whose atoms has its unknown here."""

    waiting: list[int]

    def __init__(
        self,
        facts: Sequence[Relation],
        names: Sequence[str],
        sizes: Sequence[dict[str, int]],
        effort: Effort,
    ) -> None:
        super().__init__(facts, names, {}, sizes, effort)
        self.ctx: Logged | None = None
        self.done = 0  # how much of the context's log is in steps
        self.here: dict[int, Poly] = {}  # the context's atoms in the proof's unknowns
        self.there: dict[str, Inner] = {}
        self.scratch: set[int] = set()  # atoms of the context that the proof leaves out
        self.remainders: set[str] = set()
        self.later: list[tuple[int, str]] = []  # bounds that speak of atoms not yet made
        self.missed: list[tuple[int, str]] = []  # bounds that have not been shown yet
        self.nested = 0  # powers inside whose bounds another power is made

    def inner(self, p: Poly) -> Inner:
        """The polynomial in the context's atoms."""
        total = Inner({})
        for m, c in self.resolve(p).terms:
            part = Inner({(): c})
            for a in m:
                if a not in self.there:
                    self.adopt(a)
                part = part * self.there[a]
            total = total + part
        assert self.ctx is not None
        return self.ctx.resolve(total)

    def adopt(self, x: str) -> None:
        """An unknown of a fact's own that the digit engine has not made: it gets its range."""
        assert self.ctx is not None
        low, high = self.end(x, "low"), self.end(x, "high")
        if high is not None and not high.atoms <= set(self.there):
            high = None
        least = None if low is None else constant(low)
        number = self.ctx.new_atom(x, "size", least, None if high is None else self.inner(high))
        self.pair(number, x)

    def outer(self, p: Inner) -> Poly:
        """The polynomial in the proof's unknowns."""
        total = Poly()
        for m, c in p.terms.items():
            part = as_poly(c)
            for a in m:
                if a not in self.here:
                    raise Rejected(f"{self.ctx and self.ctx.name(a)} is not in the proof")
                part = part * self.here[a]
            total = total + part
        return self.resolve(total)

    def pair(self, number: int, name: str) -> None:
        """The unknown of that name is the context's atom of that number."""
        self.here[number], self.there[name] = as_poly(name), inner_atom(number)

    def free_atom(self, x: str, high: Poly) -> None:
        """A coordinate of the context for an unknown of [0, high]."""
        assert self.ctx is not None
        number = self.ctx.new_atom(x, "coord", 0, self.inner(high))
        self.pair(number, x)
        self.sync()

    def common(self, name: str, coords: Sequence[str], number: Poly) -> None:
        """The number of a place takes the place of the first of the coordinates that it is made of."""
        assert self.ctx is not None
        x, ctx = coords[0], self.ctx
        unit, *others = [next(iter(self.there[c].atoms)) for c in coords]
        high = reduce(lambda n, c: n * (self.high[c] + 1), coords, ONE) - 1
        self.law("let", {"y": name}, x=number)
        self.bound(name, Poly(), "low")
        self.bound(name, high, "high")
        whole, y = self.inner(number), ctx.new_atom(name, "coord", 0, self.inner(high))
        for point in ctx.samples:
            point[y] = whole.value(point)
        self.pair(y, name)
        self.solve(x, as_poly(name) - (number - as_poly(x)))
        ctx.replace(unit, inner_atom(y) - (whole - inner_atom(unit)))
        for a in others:
            ctx.atoms[a].kind = "merged"
        low = ctx.resolve(inner_atom(unit))
        ctx.constraints += [low, self.inner(self.high[x]) - low]
        self.sync()

    def sync(self) -> None:
        """Writes down what the context has made since the last time."""
        assert self.ctx is not None
        while self.done < len(self.ctx.log):
            number, by = self.ctx.log[self.done]
            self.done += 1
            if by is not None:
                self.replacement(number, by)
            elif number not in self.here:
                self.new_atom_here(number)
            self.tell()
        self.tell()
        later, self.later = self.later, []
        for number, name in later:
            self.limits(number, name)

    def tell(self) -> None:
        """Bounds that the digit engine may not see, as far as it knows what they speak of."""
        assert self.ctx is not None
        while self.gains and self.gains[-1].atoms <= self.there.keys():
            self.ctx.assume_nonnegative(self.inner(self.gains.pop()))

    def new_atom_here(self, number: int) -> None:
        """An atom of the context that is new."""
        assert self.ctx is not None
        info = self.ctx.atoms[number]
        d = info.definition
        word = d[0] if d else ""
        parts = [a for p in d[1:] if isinstance(p, Inner) for a in p.atoms]
        if not self.scratch.isdisjoint(parts):
            self.leaf(number)
        elif self.ctx.by_name.get(info.name) == number:
            self.pair(number, info.name)
            self.limits(number, info.name)
        elif word in ("multiple", "factor"):
            c = d[3] if word == "multiple" else 0
            m = as_poly(d[2]) if word == "multiple" else self.outer(d[2])
            with suppress(Rejected):  # then only what speaks of it fails
                self.multiple(number, self.outer(inner_atom(d[1])) - c, m)
        elif word == "slack":
            name = self.name("s")
            self.law("let", {"y": name}, x=self.outer(inner_atom(d[1])) - self.outer(d[2]))
            self.pair(number, name)
            self.later.append((number, name))
        elif word == "//":
            p, by = self.outer(d[1]), self.outer(d[2])
            q, r = self.name("q"), self.name("r")
            self.split(p, by, q, r)
            self.pair(number, q)
            self.solve(r, p - by * as_poly(q))
            self.limits(number, q)
        elif word in ("min", "max"):
            name = self.name("m")
            self.extreme(word, self.outer(d[1]), self.outer(d[2]), name)
            self.pair(number, name)
            self.limits(number, name)
            if info.low is None and self.attempt_bound(name, ONE, "low"):
                self.ctx.assume_nonnegative(inner_atom(number) - 1)
        elif word == "2**":
            self.power_atom(number, self.outer(d[1]))
        elif info.kind == "operator":
            row, name = BY_OP[word], self.name("r")
            table = dict(zip(arguments(row), map(self.outer, d[1:])))
            self.row_law(row, table, name)
            ends = [bounds_of(self.ctx, self.ctx.resolve(p)) for p in d[1:]]
            self.attempt(self.law, name_of_bounds(row, ends), **table)
            self.pair(number, name)
            self.limits(number, name)
        elif info.kind == "window":
            with suppress(Rejected, ValueError):  # a window that was only tried, or since split
                self.here[number] = self.window(*d)

    def row_law(self, row: Operator, table: Mapping[str, Poly], name: str) -> None:
        """A name for what an operator makes of arguments, and the laws of its row."""
        self.law(row.name, {"r": name}, **table)
        for law in (n for n in laws() if n.startswith(f"{row.name}_")):
            self.attempt(self.law, law, **table)

    def leaf(self, number: int) -> None:
        """An atom that stands for itself: a coordinate that only a plan looks at, or its digit."""
        self.scratch.add(number)
        self.here[number] = as_poly(f"leaf.{number}")

    def window(self, root_atom: int, first: int, last: int) -> Poly:
        """Neighbouring digits taken together."""
        assert self.ctx is not None
        root = self.ctx.roots[root_atom]
        low, high = root.digits.index(first), root.digits.index(last)
        scale = self.ctx.resolve(root.weights[low])
        total = Poly()
        for k in range(low, high + 1):
            over = self.ctx.resolve(root.weights[k]).exact(scale)
            if over is None:
                raise Rejected("digits whose weights do not divide")
            total = total + self.outer(over) * self.outer(inner_atom(root.digits[k]))
        return total

    def multiple(self, number: int, p: Poly, m: Poly) -> None:
        """The atom is p / m, a division that facts make exact."""
        assert self.ctx is not None
        q, r = self.exactly(p, m)
        if r is None:
            names = self.name("q"), self.name("r")
            self.split(p, m, *names)
            self.take_waiting()
            q = as_poly(names[0])
            before, self.solver = self.solver, True
            self.solve(names[1], Poly())
            self.solver = before
            self.equate(p - m * q)
        self.here[number] = q
        if len(q.terms) == 1 and str(q) in self.state.names:
            self.there[str(q)] = inner_atom(number)
            self.limits(number, str(q))

    def exactly(self, p: Poly, m: Poly) -> tuple[Poly, Poly | None]:
        """p / m where that is known already."""
        p, m = self.resolve(p), self.resolve(m)
        left = self.state.rewritten.get((Mod, p, m))
        if (
            left is not None
            and not self.resolve(left).terms
            and (FloorDiv, p, m) in self.state.rewritten
        ):
            return self.resolve(self.state.rewritten[FloorDiv, p, m]), Poly()
        n = constant(m)
        if n and all(c % n == 0 for _, c in p.terms):
            return Poly.of((k, c // n) for k, c in p.terms), Poly()
        return p, None

    def limits(self, number: int, name: str) -> None:
        """The range that the context knows of an atom, as far as it is shown here too."""
        assert self.ctx is not None
        info = self.ctx.atoms[number]
        if name in self.state.value:
            return
        low = constant(self.low[name]) if name in self.low else None
        if info.low is not None and (low is None or low < info.low):
            self.attempt_bound(name, as_poly(info.low), "low")
        if info.high is not None and not info.high.atoms <= set(self.here):
            self.later.append((number, name))
        elif info.high is not None:
            high, before = self.outer(info.high), self.high.get(name)
            a_number = before is not None and not before.atoms  # which is no end to count on
            better = before is None or (high.atoms and a_number)
            if better and not self.attempt_bound(name, high, "high"):
                self.missed.append((number, name))

    def limits_again(self) -> bool:
        """Bounds that were not shown, once more, by what has become known since."""
        before, missed, self.missed = len(self.steps), self.missed, []
        for number, name in missed:
            self.limits(number, name)
        return len(self.steps) != before

    def replacement(self, number: int, by: Inner) -> None:
        """The context has replaced an atom: by digits, or by what a fact says."""
        fresh = sorted(a for a in by.atoms if a not in self.here)
        if number in self.scratch:
            for a in fresh:
                self.leaf(a)
            self.here[number] = self.outer(by)
            return
        if number not in self.here:
            return  # an atom that has not come into the proof
        x = self.resolve(self.here[number])
        if len(fresh) not in (0, 2):
            raise Rejected("a replacement by what is not in the proof")
        if fresh:
            high, low = fresh
            d = by.by_power(high)[1]
            rest = by - d * inner_atom(high) - inner_atom(low)
            q, r = self.name("q"), self.name("r")
            self.split(x - self.outer(rest), self.outer(d), q, r)
            self.pair(high, q)
            self.pair(low, r)
        poly = self.outer(by)
        if x != poly and len(x.terms) == 1 and str(x) in self.state.names:
            self.solve(str(x), poly)
            self.bound_rest(self.high.get(str(x)), poly)
        elif x != poly:
            self.equate(x - poly)
        for a in fresh:
            self.limits(a, str(self.here[a]))

    def bound_rest(self, high: Poly | None, p: Poly) -> None:
        """What is known of a sum says where its one term without a bound ends."""
        rows = [m[0] for m, c in p.terms if len(m) == 1 and c == 1 and m[0] not in self.high]
        if high is not None and self.small and len(rows) == 1:
            self.attempt_bound(rows[0], high - (p - as_poly(rows[0])), "high")

    def powers_beside(self, e: Poly) -> None:
        """Powers that are known already, of exponents that are a number more."""
        for word, *operands in list(self.state.rewritten):
            gap = self.resolve(operands[0] - e) if word is Exp2 else Poly()
            if (constant(gap) or 0) > 0:
                self.attempt(self.law, "powers", a=gap, b=e)

    def power_atom(self, number: int, e: Poly) -> None:
        """The atom of a power, which is known to be at most that of a greater exponent."""
        assert self.ctx is not None
        known = self.state.rewritten.get((Exp2, self.resolve(e)))
        name = str(known)  # of a fact that has been taken before
        if known is None or as_poly(name) != known:
            name = self.name("p")
            self.law("power", {"p": name}, k=e)
            self.powers_beside(e)
        self.pair(number, name)
        self.low[name] = ONE
        high = self.ctx.atoms[number].high
        if high is None or name in self.state.value or self.nested >= DEEPEST:
            return
        top = bounds.ends(self.ctx, self.inner(e), low=False)
        if top is not None:
            self.nested += 1  # the power of the gap has a bound as well, and so on
            with suppress(Rejected):
                gap = self.resolve(self.outer(top) - e)
                self.law("powers", a=e, b=gap)
                more = self.walk(Exp2(symbol("e")), {"e": gap})
                self.have(as_poly(name) * (more - 1))
            self.nested -= 1
            self.limits(number, name)

    def take_waiting(self) -> None:
        """The facts whose divisions were left to the digit engine, as far as they are known now."""
        waiting, self.waiting = self.waiting, []
        self.waiting = [k for k in waiting if not self.attempt(self.step, Fact(k))]

    def equate(self, p: Poly) -> None:
        """p == 0 is known: an unknown whose coefficient divides all the others is replaced."""
        p = self.resolve(p)
        rows = [(m[0] not in self.remainders, m[0], c) for m, c in p.terms if len(m) == 1]
        for _, x, c in sorted(rows):
            rest = p - Poly.of([((x,), c)])
            fits = all(d % c == 0 for _, d in rest.terms) and x not in rest.atoms
            if not fits or (abs(c) == 1 and x in self.sizes and self.ctx is None):
                continue  # sizes are the digit engine's to replace
            poly = Poly.of((m, -d // c) for m, d in rest.terms)
            if self.attempt(self.solve, x, poly):
                return
