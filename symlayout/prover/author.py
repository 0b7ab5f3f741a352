"""The author of a certificate's part: a ledger that finds the steps which `recheck` only checks.

It walks the goals as `recheck` does; where a division has no step yet, the digit engine says what the
quotient is, and every split that the engine makes on the way becomes a step of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from sympy import Expr

from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly as Inner
from symlayout.digits.poly import atom as inner_atom
from symlayout.facts import Relation
from symlayout.meaning import Claim
from symlayout.prover.witness import Reason, Witness, constant, value_at
from symlayout.recheck import Ledger, Poly, Rejected, as_poly, laws, poly
from symlayout.terms import CeilDiv, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod

ONE = as_poly(1)


class Logged(Context):
    """A context that remembers in which order it made atoms and replaced them."""

    def __init__(self) -> None:
        super().__init__()
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


class Author(Ledger):
    """Writes the steps of one part of a certificate."""

    def __init__(
        self,
        claim: Claim,
        box: Mapping[str, Expr],
        sizes: Sequence[dict[str, int]],
        kinds: dict[str, str],
        solver: bool = True,
        given: Sequence[Relation] = (),
    ) -> None:
        super().__init__([*claim.facts, *given], claim.names, box)
        self.given = claim.given
        self.steps: list[dict[str, Any]] = []
        self.low: dict[str, Poly] = {}
        self.high: dict[str, Poly] = {}
        self.solver = False  # whether a solver may give a reason
        self.witness = Witness(self)
        self.witness.points = [dict(s) for s in sizes]
        self.ctx: Logged | None = None
        self.done = 0  # how much of the context's log is in steps
        self.here: dict[int, Poly] = {}  # the context's atoms in the ledger's unknowns
        self.there: dict[str, Inner] = {}
        self.scratch: set[int] = set()  # atoms of the context that are no business of the ledger
        self.remainders: set[str] = set()
        self.later: list[tuple[int, str]] = []  # bounds that speak of atoms not yet made
        self.count = 0
        for k in sorted(range(len(claim.facts)), key=lambda k: not claim.facts[k].left.is_Symbol):
            self.fact(k)  # ranges of sizes first: divisors among them are to be positive
        self.ctx = ctx = Logged()
        assume(ctx, claim.given, claim.names, kinds)
        if ctx.contradiction:
            raise Rejected("the facts contradict each other")
        self.sync()
        for x in box:
            self.coordinate(x)
        for k in range(len(claim.facts), len(self.facts)):
            self.attempt(self.step, "fact", fact=k)
        for x in sorted(self.sizes):  # a coordinate at hand: sizes that may be 0 are not
            if x not in self.value and (x not in self.low or self.low[x] == Poly()):
                self.attempt_bound(x, ONE, "low")
        self.solver = solver

    @property
    def sizes(self) -> set[str]:
        """The names of the claim's sizes."""
        return {n for r in self.facts for n in r.names} - set(self.box)

    # -- reasons and steps --------------------------------------------------------------------------

    def why(self, op: str, p: Poly) -> Reason:
        """The reason for `p op 0`; raises `Rejected` where none is found."""
        p = self.resolve(p)
        found: Reason = None
        match op:
            case "==":
                if not p.terms:
                    return "identity"
                if self.witness.vanishes(p):
                    found = [self.witness.reason(x, False) for x in (p, -p)]
                    found = found if None not in found else None
            case "!=":
                if p in self.nonzero or -p in self.nonzero:
                    return "known"
                for sign, x in (("positive", p - 1), ("negative", -p - 1)):
                    inner = self.witness.reason(x, False)
                    found = found or (inner and [sign, inner])
            case _:
                found = self.witness.reason(at_least(op, p), self.solver)
        if found is None and self.solver and op in ("==", "!="):
            found = self.witness.obligation([(op, p)]) if self.possible(op, p) else None
        if found is None:
            raise Rejected(f"no reason is found why {p} {op} 0")
        return found

    def possible(self, op: str, p: Poly) -> bool:
        """Whether the relation holds at the sample points."""
        at = [value_at(p, point) for point in self.witness.points]
        return all((v == 0) == (op == "==") for v in at)

    def reason(self, goal: Sequence[Relation]) -> Reason:
        """Why one of the relations holds; raises `Rejected` where no reason is found."""
        sides = [(r.op, self.walk(r.left) - self.walk(r.right)) for r in goal]
        before, self.solver = self.solver, self.solver and len(sides) == 1
        try:
            for k, (op, p) in enumerate(sides):
                with suppress(Rejected):
                    return ["this", k, self.why(op, p)]
        finally:
            self.solver = before
        found = self.witness.obligation(sides) if self.solver and len(sides) != 1 else None
        if found is None:
            raise Rejected(f"no reason is found why {' or '.join(map(str, goal))}")
        return found

    def step(self, kind: str, **fields: Any) -> None:
        """Takes a step and writes it down; raises `Rejected` where it cannot be taken."""
        s = {"step": kind}
        s |= {k: str(v) if isinstance(v, Poly) else v for k, v in fields.items()}
        self.apply(s)
        self.steps.append(s)
        self.witness.points = [x for k, x in enumerate(self.witness.points) if self.place(s, x, k)]

    def law(self, name: str, new: Mapping[str, str] | None = None, **given: Poly) -> None:
        """An instance of a law; raises `Rejected` where a premise is not shown."""
        law = laws()[name]
        for r in law.conclusions if not law.new else ():
            self.walk(r.right, given)  # divisions in it get their steps first
        whys = []
        for r in law.premises:
            p = self.walk(r.left, given) - self.walk(r.right, given)
            whys.append(self.why(r.op, p))
        self.instance(name, whys, new, **given)

    def instance(
        self, name: str, whys: list[Reason], new: Mapping[str, str] | None = None, **given: Poly
    ) -> None:
        """An instance of a law for these reasons."""
        table = {v: str(self.resolve(p)) for v, p in given.items()}
        self.step("law", law=name, **{"with": table}, new=dict(new or {}), why=whys)

    def attempt(self, take: Any, *args: Any, **fields: Any) -> bool:
        """Takes a step that may be left out."""
        before, self.solver = self.solver, False
        try:
            take(*args, **fields)
        except Rejected:
            return False
        finally:
            self.solver = before
        return True

    def have(self, p: Poly, why: Reason = None) -> None:
        """p >= 0 as a step of its own, for a reason that is found unless it is given."""
        p = self.resolve(p)
        if p not in self.known:
            self.step("have", that=p, why=self.why(">=", p) if why is None else why)

    def bound(self, name: str, limit: Poly, end: str) -> None:
        """An end of an unknown's range."""
        x = as_poly(name)
        self.have(x - limit if end == "low" else limit - x)
        (self.low if end == "low" else self.high)[name] = limit

    def attempt_bound(self, name: str, limit: Poly, end: str) -> bool:
        """An end of an unknown's range, where it is shown."""
        return self.attempt(self.bound, name, limit, end)

    def end(self, x: str, end: str) -> Poly | None:
        """An end of the range of an unknown that still stands."""
        limits = self.low if end == "low" else self.high
        if x not in limits:
            return None
        limit = self.resolve(limits[x])
        return None if x in limit.atoms else limit

    def solve(self, name: str, p: Poly) -> None:
        """From now on the unknown stands for that polynomial."""
        p = self.resolve(p)
        self.step("solve", atom=name, **{"is": p}, why=self.why("==", p - as_poly(name)))

    def place(self, s: dict[str, Any], point: dict[str, int], k: int) -> bool:
        """The value of a step's new unknowns at a sample point; False where there is none."""

        def at(text: str) -> int:
            return value_at(poly(text), point)

        if s["step"] == "coordinate":
            high = value_at(self.resolve(self.walk(self.box[s["name"]]) - 1), point)
            point[s["name"]] = high * ((k + len(point)) % 4) // 3
            return high >= 0
        match s.get("law"):
            case "let":
                point[s["new"]["y"]] = at(s["with"]["x"])
            case "Euclid":
                both = divmod(at(s["with"]["x"]), at(s["with"]["d"]))
                point[s["new"]["q"]], point[s["new"]["r"]] = both
            case "min" | "max" as word:
                both = at(s["with"]["a"]), at(s["with"]["b"])
                point[s["new"]["m"]] = min(both) if word == "min" else max(both)
        return True

    def name(self, letter: str) -> str:
        """A new name."""
        while True:
            self.count += 1
            if f"{letter}{self.count}" not in self.names:
                return f"{letter}{self.count}"

    # -- facts ------------------------------------------------------------------------------------

    def fact(self, k: int) -> None:
        """A fact, and the remainder or the range that it gives."""
        r = self.facts[k]
        if not self.attempt(self.step, "fact", fact=k):
            return
        if r.op == "==":
            self.equate(self.walk(r.left) - self.walk(r.right))
        elif r.left.is_Symbol and r.right.is_Integer and r.op == ">=":
            x, limit = r.left.name, as_poly(int(r.right))
            if x not in self.value and (x not in self.low or constant(limit - self.low[x] - 1)):
                self.low[x] = limit

    def equate(self, p: Poly) -> None:
        """p == 0 is known: an unknown whose coefficient divides all the others is replaced."""
        p = self.resolve(p)
        rows = [(m[0] not in self.remainders, m[0], c) for m, c in p.terms if len(m) == 1]
        for _, x, c in sorted(rows):
            rest = p - Poly.of([((x,), c)])
            fits = all(d % c == 0 for _, d in rest.terms) and x not in rest.atoms
            if not fits or (abs(c) == 1 and x in self.sizes and self.ctx is None):
                continue  # sizes are the digit engine's to replace
            made = Poly.of((m, -d // c) for m, d in rest.terms)
            if self.attempt(self.solve, x, made):
                return

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

    def split(self, p: Poly, d: Poly, q: str, r: str) -> None:
        """Euclid's split, remembered for questions about the quotient."""
        self.law("Euclid", {"q": q, "r": r}, x=p, d=d)
        self.low[r], self.high[r] = Poly(), d - 1
        self.witness.divisors[q] = d

    # -- the digit engine ---------------------------------------------------------------------------

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
        """The polynomial in the ledger's unknowns."""
        total = Poly()
        for m, c in p.terms.items():
            part = as_poly(c)
            for a in m:
                if a not in self.here:
                    raise Rejected(f"{self.ctx and self.ctx.name(a)} is not in the ledger")
                part = part * self.here[a]
            total = total + part
        return self.resolve(total)

    def pair(self, number: int, name: str) -> None:
        """The unknown of that name is the context's atom of that number."""
        self.here[number], self.there[name] = as_poly(name), inner_atom(number)

    def coordinate(self, x: str) -> None:
        """A coordinate of the box."""
        assert self.ctx is not None
        high = self.walk(self.box[x]) - 1
        self.step("coordinate", name=x)
        self.low[x], self.high[x] = Poly(), high
        if not high.terms:
            self.solve(x, Poly())
            self.there[x] = Inner({})
        else:
            self.free_atom(x, high)

    def free_atom(self, x: str, high: Poly) -> None:
        """A coordinate of the context for an unknown of [0, high]."""
        assert self.ctx is not None
        number = self.ctx.new_atom(x, "coord", 0, self.inner(high))
        self.pair(number, x)
        self.sync()

    def sync(self) -> None:
        """Writes down what the context has made since the last time."""
        assert self.ctx is not None
        while self.done < len(self.ctx.log):
            number, by = self.ctx.log[self.done]
            self.done += 1
            if by is not None:
                self.replaced(number, by)
            elif number not in self.here:
                self.made(number)
        later, self.later = self.later, []
        for number, name in later:
            self.limits(number, name)

    def made(self, number: int) -> None:
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
        elif info.kind == "window":
            with suppress(Rejected, ValueError):  # a window that was only tried, or since split
                self.here[number] = self.window(*d)
        # what remains are digits: they wait for the replacement that speaks of them

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
        total = as_poly(root.shift if high == len(root.digits) - 1 else 0)
        for k in range(low, high + 1):
            over = self.ctx.resolve(root.weights[k]).exact(scale)
            if over is None:
                raise Rejected("digits whose weights do not divide")
            digit = self.outer(inner_atom(root.digits[k])) - root.bases[k]
            total = total + self.outer(over) * digit
        return total

    def multiple(self, number: int, p: Poly, m: Poly) -> None:
        """The atom is p / m, a division that facts make exact."""
        assert self.ctx is not None
        q, r = self.exactly(p, m)
        if r is None:
            names = self.name("q"), self.name("r")
            self.split(p, m, *names)
            q = as_poly(names[0])
            before, self.solver = self.solver, True
            self.solve(names[1], Poly())
            self.solver = before
            self.equate(p - m * q)
        self.here[number] = q
        if len(q.terms) == 1 and str(q) in self.names:
            self.there[str(q)] = inner_atom(number)
            self.limits(number, str(q))

    def exactly(self, p: Poly, m: Poly) -> tuple[Poly, Poly | None]:
        """p / m where that is known already."""
        p, m = self.resolve(p), self.resolve(m)
        left = self.rewritten.get((Mod, p, m))
        if left is not None and not self.resolve(left).terms and (FloorDiv, p, m) in self.rewritten:
            return self.resolve(self.rewritten[FloorDiv, p, m]), Poly()
        n = constant(m)
        if n and all(c % n == 0 for _, c in p.terms):
            return Poly.of((k, c // n) for k, c in p.terms), Poly()
        return p, None

    def limits(self, number: int, name: str) -> None:
        """The range that the context knows of an atom, as far as it is shown here too."""
        assert self.ctx is not None
        info = self.ctx.atoms[number]
        if name in self.value:
            return
        low = constant(self.low[name]) if name in self.low else None
        if info.low is not None and (low is None or low < info.low):
            self.attempt_bound(name, as_poly(info.low), "low")
        if info.high is not None and not info.high.atoms <= set(self.here):
            self.later.append((number, name))
        elif info.high is not None and name not in self.high:
            self.attempt_bound(name, self.outer(info.high), "high")

    def replaced(self, number: int, by: Inner) -> None:
        """The context has replaced an atom: by digits, or by what a fact says."""
        fresh = sorted(a for a in by.atoms if a not in self.here)
        if number in self.scratch:
            for a in fresh:
                self.leaf(a)
            self.here[number] = self.outer(by)
            return
        x = self.resolve(self.here[number])
        if fresh:
            high, low = fresh
            d = by.by_power(high)[1]
            rest = by - d * inner_atom(high) - inner_atom(low)
            q, r = self.name("q"), self.name("r")
            self.split(x - self.outer(rest), self.outer(d), q, r)
            self.pair(high, q)
            self.pair(low, r)
        made = self.outer(by)
        if x != made and len(x.terms) == 1 and str(x) in self.names:
            self.solve(str(x), made)
        elif x != made:
            self.equate(x - made)
        for a in fresh:
            self.limits(a, str(self.here[a]))

    def missing(self, word: Any, a: Poly, b: Poly) -> Poly:
        """What an operation is, as the digit engine finds it, written down as a step."""
        if word in (Min, Max):
            self.decide("min" if word is Min else "max", a, b)
        elif word is CeilDiv:
            self.law("ceiling", x=a, d=b)
        elif word in (TruncDiv, TruncMod):
            self.truncate(a, b)
        elif self.ctx is None:
            self.generic(a, b)
        elif self.witness.fails(b - 1):
            self.law("negative", x=a, d=b)
        else:
            self.divide(a, b)
        key = (word, self.resolve(a), self.resolve(b))
        if key not in self.rewritten:
            raise Rejected(f"{word.__name__}({a}, {b}) is not found")
        return self.rewritten[key]

    def divide(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder by the digit engine."""
        p, d = self.resolve(p), self.resolve(d)
        if (FloorDiv, p, d) not in self.rewritten:
            assert self.ctx is not None
            try:
                q = self.ctx.divmod(self.inner(p), self.inner(d))[0]
            except Undecided as why:
                raise Rejected(str(why)) from None
            self.sync()
            p, d, quotient = self.resolve(p), self.resolve(d), self.outer(self.ctx.resolve(q))
            if (FloorDiv, p, d) not in self.rewritten:
                self.law("R2", d=d, q=quotient, r=p - quotient * d)
        p, d = self.resolve(p), self.resolve(d)
        return self.resolve(self.rewritten[FloorDiv, p, d]), self.resolve(self.rewritten[Mod, p, d])

    def truncate(self, a: Poly, b: Poly) -> None:
        """C's quotient and remainder: those of |a| and |b|, with signs that are shown."""
        for name in ("towards_zero", "towards_zero_from_below", "towards_zero_signs"):
            with suppress(Rejected):
                self.law(name, x=a, d=b)
                return
        raise Rejected(f"the sign of {a} is not shown, which C divides by {b}")

    def decide(self, word: str, a: Poly, b: Poly) -> None:
        """min or max as the digit engine decides it, or an unknown of its own."""
        if self.ctx is None:
            self.extreme(word, a, b, self.name("m"))
            return
        made = self.ctx.extreme(self.inner(a), self.inner(b), word == "min")
        self.sync()
        a, b, chosen = self.resolve(a), self.resolve(b), self.outer(self.ctx.resolve(made))
        if (Min if word == "min" else Max, a, b) in self.rewritten:
            return
        if chosen not in (a, b):
            raise Rejected(f"{word}({a}, {b}) is not decided")
        other = b if chosen == a else a
        self.law("smaller" if word == "min" else "larger", a=chosen, b=other)

    def extreme(self, word: str, a: Poly, b: Poly, name: str) -> None:
        """The smaller or larger of both as a new unknown."""
        self.law(word, {"m": name}, a=a, b=b)
        self.witness.either[name] = (a, b)


def at_least(op: str, p: Poly) -> Poly:
    """The polynomial that is >= 0 where `p op 0`."""
    p = -p if "<" in op else p
    return p if "=" in op else p - 1
