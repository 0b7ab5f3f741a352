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
                    adopt(self, a)
                part = part * self.there[a]
            total = total + part
        assert self.ctx is not None
        return self.ctx.resolve(total)

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
        pair(self, y, name)
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
                replacement(self, number, by)
            elif number not in self.here:
                new_atom_here(self, number)
            self.tell()
        self.tell()
        later, self.later = self.later, []
        for number, name in later:
            limits(self, number, name)

    def tell(self) -> None:
        """Bounds that the digit engine may not see, as far as it knows what they speak of."""
        assert self.ctx is not None
        while self.gains and self.gains[-1].atoms <= self.there.keys():
            self.ctx.assume_nonnegative(self.inner(self.gains.pop()))

    def limits_again(self) -> bool:
        """Bounds that were not shown, once more, by what has become known since."""
        before, missed, self.missed = len(self.steps), self.missed, []
        for number, name in missed:
            limits(self, number, name)
        return len(self.steps) != before

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


def adopt(atoms: Atoms, x: str) -> None:
    """An unknown of a fact's own that the digit engine has not made: it gets its range."""
    assert atoms.ctx is not None
    low, high = atoms.end(x, "low"), atoms.end(x, "high")
    if high is not None and not high.atoms <= set(atoms.there):
        high = None
    least = None if low is None else constant(low)
    number = atoms.ctx.new_atom(x, "size", least, None if high is None else atoms.inner(high))
    pair(atoms, number, x)


def pair(atoms: Atoms, number: int, name: str) -> None:
    """The unknown of that name is the context's atom of that number."""
    atoms.here[number], atoms.there[name] = as_poly(name), inner_atom(number)


def free_atom(atoms: Atoms, x: str, high: Poly) -> None:
    """A coordinate of the context for an unknown of [0, high]."""
    assert atoms.ctx is not None
    number = atoms.ctx.new_atom(x, "coord", 0, atoms.inner(high))
    pair(atoms, number, x)
    atoms.sync()


def new_atom_here(atoms: Atoms, number: int) -> None:
    """An atom of the context that is new."""
    assert atoms.ctx is not None
    info = atoms.ctx.atoms[number]
    d = info.definition
    word = d[0] if d else ""
    parts = [a for p in d[1:] if isinstance(p, Inner) for a in p.atoms]
    if not atoms.scratch.isdisjoint(parts):
        leaf(atoms, number)
    elif atoms.ctx.by_name.get(info.name) == number:
        pair(atoms, number, info.name)
        limits(atoms, number, info.name)
    elif word in ("multiple", "factor"):
        c = d[3] if word == "multiple" else 0
        m = as_poly(d[2]) if word == "multiple" else atoms.outer(d[2])
        with suppress(Rejected):  # then only what speaks of it fails
            multiple(atoms, number, atoms.outer(inner_atom(d[1])) - c, m)
    elif word == "slack":
        name = atoms.name("s")
        atoms.law("let", {"y": name}, x=atoms.outer(inner_atom(d[1])) - atoms.outer(d[2]))
        pair(atoms, number, name)
        atoms.later.append((number, name))
    elif word == "//":
        p, by = atoms.outer(d[1]), atoms.outer(d[2])
        q, r = atoms.name("q"), atoms.name("r")
        atoms.split(p, by, q, r)
        pair(atoms, number, q)
        atoms.solve(r, p - by * as_poly(q))
        limits(atoms, number, q)
    elif word in ("min", "max"):
        name = atoms.name("m")
        atoms.extreme(word, atoms.outer(d[1]), atoms.outer(d[2]), name)
        pair(atoms, number, name)
        limits(atoms, number, name)
        if info.low is None and atoms.attempt_bound(name, ONE, "low"):
            atoms.ctx.assume_nonnegative(inner_atom(number) - 1)
    elif word == "2**":
        power_atom(atoms, number, atoms.outer(d[1]))
    elif info.kind == "operator":
        row, name = BY_OP[word], atoms.name("r")
        table = dict(zip(arguments(row), map(atoms.outer, d[1:])))
        row_law(atoms, row, table, name)
        ends = [bounds_of(atoms.ctx, atoms.ctx.resolve(p)) for p in d[1:]]
        atoms.attempt(atoms.law, name_of_bounds(row, ends), **table)
        pair(atoms, number, name)
        limits(atoms, number, name)
    elif info.kind == "window":
        with suppress(Rejected, ValueError):  # a window that was only tried, or since split
            atoms.here[number] = window(atoms, *d)


def row_law(atoms: Atoms, row: Operator, table: Mapping[str, Poly], name: str) -> None:
    """A name for what an operator makes of arguments, and the laws of its row."""
    atoms.law(row.name, {"r": name}, **table)
    for law in (n for n in laws() if n.startswith(f"{row.name}_")):
        atoms.attempt(atoms.law, law, **table)


def leaf(atoms: Atoms, number: int) -> None:
    """An atom that stands for itself: a coordinate that only a plan looks at, or its digit."""
    atoms.scratch.add(number)
    atoms.here[number] = as_poly(f"leaf.{number}")


def window(atoms: Atoms, root_atom: int, first: int, last: int) -> Poly:
    """Neighbouring digits taken together."""
    assert atoms.ctx is not None
    root = atoms.ctx.roots[root_atom]
    low, high = root.digits.index(first), root.digits.index(last)
    scale = atoms.ctx.resolve(root.weights[low])
    total = Poly()
    for k in range(low, high + 1):
        over = atoms.ctx.resolve(root.weights[k]).exact(scale)
        if over is None:
            raise Rejected("digits whose weights do not divide")
        total = total + atoms.outer(over) * atoms.outer(inner_atom(root.digits[k]))
    return total


def multiple(atoms: Atoms, number: int, p: Poly, m: Poly) -> None:
    """The atom is p / m, a division that facts make exact."""
    assert atoms.ctx is not None
    q, r = exactly(atoms, p, m)
    if r is None:
        names = atoms.name("q"), atoms.name("r")
        atoms.split(p, m, *names)
        atoms.take_waiting()
        q = as_poly(names[0])
        before, atoms.solver = atoms.solver, True
        atoms.solve(names[1], Poly())
        atoms.solver = before
        atoms.equate(p - m * q)
    atoms.here[number] = q
    if len(q.terms) == 1 and str(q) in atoms.state.names:
        atoms.there[str(q)] = inner_atom(number)
        limits(atoms, number, str(q))


def exactly(atoms: Atoms, p: Poly, m: Poly) -> tuple[Poly, Poly | None]:
    """p / m where that is known already."""
    p, m = atoms.resolve(p), atoms.resolve(m)
    left = atoms.state.rewritten.get((Mod, p, m))
    if (
        left is not None
        and not atoms.resolve(left).terms
        and (FloorDiv, p, m) in atoms.state.rewritten
    ):
        return atoms.resolve(atoms.state.rewritten[FloorDiv, p, m]), Poly()
    n = constant(m)
    if n and all(c % n == 0 for _, c in p.terms):
        return Poly.of((k, c // n) for k, c in p.terms), Poly()
    return p, None


def limits(atoms: Atoms, number: int, name: str) -> None:
    """The range that the context knows of an atom, as far as it is shown here too."""
    assert atoms.ctx is not None
    info = atoms.ctx.atoms[number]
    if name in atoms.state.value:
        return
    low = constant(atoms.low[name]) if name in atoms.low else None
    if info.low is not None and (low is None or low < info.low):
        atoms.attempt_bound(name, as_poly(info.low), "low")
    if info.high is not None and not info.high.atoms <= set(atoms.here):
        atoms.later.append((number, name))
    elif info.high is not None:
        high, before = atoms.outer(info.high), atoms.high.get(name)
        a_number = before is not None and not before.atoms  # which is no end to count on
        better = before is None or (high.atoms and a_number)
        if better and not atoms.attempt_bound(name, high, "high"):
            atoms.missed.append((number, name))


def replacement(atoms: Atoms, number: int, by: Inner) -> None:
    """The context has replaced an atom: by digits, or by what a fact says."""
    fresh = sorted(a for a in by.atoms if a not in atoms.here)
    if number in atoms.scratch:
        for a in fresh:
            leaf(atoms, a)
        atoms.here[number] = atoms.outer(by)
        return
    if number not in atoms.here:
        return  # an atom that has not come into the proof
    x = atoms.resolve(atoms.here[number])
    if len(fresh) not in (0, 2):
        raise Rejected("a replacement by what is not in the proof")
    if fresh:
        high, low = fresh
        d = by.by_power(high)[1]
        rest = by - d * inner_atom(high) - inner_atom(low)
        q, r = atoms.name("q"), atoms.name("r")
        atoms.split(x - atoms.outer(rest), atoms.outer(d), q, r)
        pair(atoms, high, q)
        pair(atoms, low, r)
    poly = atoms.outer(by)
    if x != poly and len(x.terms) == 1 and str(x) in atoms.state.names:
        atoms.solve(str(x), poly)
        bound_rest(atoms, atoms.high.get(str(x)), poly)
    elif x != poly:
        atoms.equate(x - poly)
    for a in fresh:
        limits(atoms, a, str(atoms.here[a]))


def bound_rest(atoms: Atoms, high: Poly | None, p: Poly) -> None:
    """What is known of a sum says where its one term without a bound ends."""
    rows = [m[0] for m, c in p.terms if len(m) == 1 and c == 1 and m[0] not in atoms.high]
    if high is not None and atoms.small and len(rows) == 1:
        atoms.attempt_bound(rows[0], high - (p - as_poly(rows[0])), "high")


def powers_beside(atoms: Atoms, e: Poly) -> None:
    """Powers that are known already, of exponents that are a number more."""
    for word, *operands in list(atoms.state.rewritten):
        gap = atoms.resolve(operands[0] - e) if word is Exp2 else Poly()
        if (constant(gap) or 0) > 0:
            atoms.attempt(atoms.law, "powers", a=gap, b=e)


def power_atom(atoms: Atoms, number: int, e: Poly) -> None:
    """The atom of a power, which is known to be at most that of a greater exponent."""
    assert atoms.ctx is not None
    known = atoms.state.rewritten.get((Exp2, atoms.resolve(e)))
    name = str(known)  # of a fact that has been taken before
    if known is None or as_poly(name) != known:
        name = atoms.name("p")
        atoms.law("power", {"p": name}, k=e)
        powers_beside(atoms, e)
    pair(atoms, number, name)
    atoms.low[name] = ONE
    high = atoms.ctx.atoms[number].high
    if high is None or name in atoms.state.value or atoms.nested >= DEEPEST:
        return
    top = bounds.ends(atoms.ctx, atoms.inner(e), low=False)
    if top is not None:
        atoms.nested += 1  # the power of the gap has a bound as well, and so on
        with suppress(Rejected):
            gap = atoms.resolve(atoms.outer(top) - e)
            atoms.law("powers", a=e, b=gap)
            more = atoms.walk(Exp2(symbol("e")), {"e": gap})
            atoms.have(as_poly(name) * (more - 1))
        atoms.nested -= 1
        limits(atoms, number, name)
