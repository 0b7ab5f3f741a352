"""The author of a certificate's part: a ledger that finds the steps which `recheck` only checks.

It walks the definitions as `recheck` does; where a division has no step yet, the digit engine says
what the quotient is, and every split that the engine makes on the way becomes a step of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Any

from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly as Inner
from symlayout.digits.poly import atom as inner_atom
from symlayout.prover.plans import PLANS
from symlayout.prover.witness import Witness, value_at
from symlayout.recheck_claims import Claim
from symlayout.recheck_ledger import Box, Ledger
from symlayout.recheck_poly import Mismatch, Poly, Rejected
from symlayout.terms import Size


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
        box: Box,
        sizes: Sequence[dict[str, int]],
        kinds: dict[str, str],
        solver: bool = True,
        whole: Size | None = None,
    ) -> None:
        self.names = set(claim.names)
        self.solver = False  # whether a solver may give a reason
        self.witness = Witness(self)
        self.witness.points = [dict(s) for s in sizes]
        super().__init__(claim.facts, claim.names, box, {"steps": []}, whole)
        self.ctx: Logged | None = None
        self.done = 0  # how much of the context's log is in steps
        self.here: dict[int, Poly] = {}  # the context's atoms in the ledger's unknowns
        self.there: dict[str, Inner] = {}
        self.scratch: set[int] = set()  # atoms of the context that are no business of the ledger
        self.plans: dict[str, Any] = {}
        self.remainders: set[str] = set()
        self.later: list[tuple[int, str]] = []  # bounds that speak of atoms not yet made
        self.count = 0
        for k in range(len(self.facts.relations)):
            self.fact(k)
        self.ctx = ctx = Logged()
        assume(ctx, claim.facts, claim.names, kinds)
        if ctx.contradiction:
            raise Rejected("the facts contradict each other")
        self.sync()
        for x in box:
            self.coordinate(x)
        if whole is not None:
            self.step("offset")
            for x in self.names - set(self.value):
                self.attempt("low", atom=x, limit="1")
        self.solver = solver

    def again(self) -> None:
        """Forgets all but the steps, for another walk with all of them known."""
        steps = self.part["steps"]
        self.part.clear()
        self.part["steps"] = steps

    # -- what a checker reads, an author finds ------------------------------------------------------

    def need(self, p: Poly, part: dict[str, Any], key: str) -> None:
        """Finds the reason for p >= 0 and writes it down."""
        if key not in part:
            found = self.witness.reason(p, self.solver)
            if found is None:
                raise Rejected(f"{key}: no reason is found why {self.resolve(p)} >= 0")
            part[key] = found

    def zero(self, p: Poly, key: str) -> None:
        """p == 0, or the solver's obligation that says so."""
        p = self.resolve(p)
        if p.terms and key not in self.part:
            found = self.witness.zero(p) if self.solver else None
            if found is None:
                raise Rejected(f"{key}: {p} is not 0")
            self.part[key] = found

    def fails(self, sides: Sequence[tuple[str, Poly]], key: str) -> None:
        """The solver's obligation that the relations are not all false."""
        if key not in self.part:
            self.part[key] = ""
            try:
                super().fails(sides, key)
            except Mismatch as why:
                self.part[key] = why.text
                super().fails(sides, key)

    def plan(self, what: str, *about: Any) -> None:
        """Decides how to go on, once; a second walk takes the same way."""
        if what not in self.plans:
            self.plans[what] = PLANS[what](self, *about)
        self.part.update(deepcopy(self.plans[what]))

    def step(self, kind: str, **fields: Any) -> None:
        """Takes a step and writes it down; raises `Rejected` where it cannot be taken."""
        s = {"step": kind}
        s |= {k: str(v) if isinstance(v, Poly) else v for k, v in fields.items()}
        self.apply(s)
        self.part["steps"].append(s)
        self.witness.points = [x for k, x in enumerate(self.witness.points) if self.place(s, x, k)]

    def attempt(self, kind: str, **fields: Any) -> bool:
        """Takes a step that may be left out."""
        before, self.solver = self.solver, False
        try:
            self.step(kind, **fields)
        except Rejected:
            return False
        finally:
            self.solver = before
        return True

    def place(self, s: dict[str, Any], point: dict[str, int], k: int) -> bool:
        """The value of a step's new unknowns at a sample point; False where there is none."""

        def at(text: str) -> int:
            return value_at(Poly.read(text), point)

        match s["step"]:
            case "coordinate" | "digit":
                high = value_at(self.resolve(self.high[s["name"]]), point)
                point[s["name"]] = high * ((k + len(point)) % 4) // 3
                return high >= 0
            case "split":
                point[s["q"]], point[s["r"]] = divmod(at(s["of"]), at(s["by"]))
            case "let":
                point[s["name"]] = at(s["be"])
            case "extreme":
                point[s["name"]] = (min if s["word"] == "min" else max)(at(s["a"]), at(s["b"]))
        return True

    def name(self, letter: str) -> str:
        """A new name; no symbol has a dot in its name."""
        self.count += 1
        return f"{letter}.{self.count}"

    # -- facts ------------------------------------------------------------------------------------

    def fact(self, k: int) -> None:
        """A fact, and the remainder that it gives."""
        if self.attempt("fact", fact=k) and self.facts.relations[k].op == "==":
            self.equate(self.known[-1])

    def equate(self, p: Poly) -> None:
        """p == 0 is known: an unknown whose coefficient divides all the others is replaced."""
        p = self.resolve(p)
        rows = [(m[0] not in self.remainders, m[0], c) for m, c in p.terms if len(m) == 1]
        for _, x, c in sorted(rows):
            rest = p - Poly.of({(x,): c})
            fits = all(d % c == 0 for _, d in rest.terms) and x not in rest.atoms
            if not fits or (abs(c) == 1 and x in self.names and self.ctx is None):
                continue  # sizes are the digit engine's to replace
            made = Poly.of({m: -d // c for m, d in rest.terms})
            if self.attempt("solve", atom=x, **{"is": made}):
                return

    def generic(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder as new unknowns, by Euclid."""
        p, d = self.resolve(p), self.resolve(d)
        n = d.number
        if n:
            q = Poly.of({m: c // n for m, c in p.terms})
            rest = p - q * d
            if not rest.terms or self.witness.direct(d - 1 - rest) is not None:
                self.step("divide", P=p, D=d, Q=q, R=rest)
                return q, rest
        names = self.name("q"), self.name("r")
        self.split(p, d, *names)
        q, r = Poly.read(names[0]), Poly.read(names[1])
        for m, c in p.terms:
            rest = p - Poly.of({m: c})
            if len(m) == 1 and c == 1 and rest.number is not None and m[0] not in d.atoms:
                self.step("solve", atom=m[0], **{"is": d * q + r - rest})
                self.remainders.add(names[1])
                break
        else:
            self.step("solve", atom=names[1], **{"is": p - d * q})
        p, d, r = self.resolve(p), self.resolve(d), self.resolve(r)
        self.step("divide", P=p, D=d, Q=q, R=r)
        for least in (1, 0):
            if self.attempt("low", atom=names[0], limit=str(least)):
                break
        return self.resolve(q), self.resolve(r)

    def split(self, p: Poly, d: Poly, q: str, r: str) -> None:
        """Euclid's split, remembered for questions about the quotient."""
        self.step("split", of=p, by=d, q=q, r=r)
        self.witness.divisors[q] = d

    # -- the digit engine ---------------------------------------------------------------------------

    def inner(self, p: Poly) -> Inner:
        """The polynomial in the context's atoms."""
        total = Inner({})
        for m, c in self.resolve(p).terms:
            part = Inner({(): c})
            for a in m:
                if a not in self.there:
                    raise Rejected(f"the digit engine does not know {a}")
                part = part * self.there[a]
            total = total + part
        assert self.ctx is not None
        return self.ctx.resolve(total)

    def outer(self, p: Inner) -> Poly:
        """The polynomial in the ledger's unknowns."""
        total = Poly()
        for m, c in p.terms.items():
            part = Poly.read(c)
            for a in m:
                if a not in self.here:
                    raise Rejected(f"{self.ctx and self.ctx.name(a)} is not in the ledger")
                part = part * self.here[a]
            total = total + part
        return self.resolve(total)

    def pair(self, number: int, name: str) -> None:
        """The unknown of that name is the context's atom of that number."""
        self.here[number], self.there[name] = Poly.read(name), inner_atom(number)

    def coordinate(self, x: str) -> None:
        """A coordinate of the box."""
        assert self.ctx is not None
        self.step("coordinate", name=x)
        high = self.resolve(self.high[x])
        if not high.terms:
            self.step("solve", atom=x, **{"is": Poly()})
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
            m = Poly.read(d[2]) if word == "multiple" else self.outer(d[2])
            self.multiple(number, self.outer(inner_atom(d[1])) - c, m)
        elif word == "slack":
            name = self.name("s")
            self.step("let", name=name, be=self.outer(inner_atom(d[1])) - self.outer(d[2]))
            self.pair(number, name)
            self.later.append((number, name))
        elif word == "//":
            p, by = self.outer(d[1]), self.outer(d[2])
            q, r = self.name("q"), self.name("r")
            self.split(p, by, q, r)
            self.pair(number, q)
            self.step("solve", atom=r, **{"is": p - by * Poly.read(q)})
            self.limits(number, q)
        elif word in ("min", "max"):
            name = self.name("m")
            self.step("extreme", word=word, a=self.outer(d[1]), b=self.outer(d[2]), name=name)
            self.pair(number, name)
            self.limits(number, name)
        elif info.kind == "window":
            with suppress(Rejected, ValueError):  # a window that was only tried, or since split
                self.here[number] = self.window(*d)
        # what remains are digits: they wait for the replacement that speaks of them

    def leaf(self, number: int) -> None:
        """An atom that stands for itself: a coordinate that only a plan looks at, or its digit."""
        self.scratch.add(number)
        self.here[number] = Poly.of({(f"leaf.{number}",): 1})

    def window(self, root_atom: int, first: int, last: int) -> Poly:
        """Neighbouring digits taken together."""
        assert self.ctx is not None
        root = self.ctx.roots[root_atom]
        low, high = root.digits.index(first), root.digits.index(last)
        scale = self.ctx.resolve(root.weights[low])
        total = Poly.read(root.shift if high == len(root.digits) - 1 else 0)
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
            q = Poly.read(names[0])
            before, self.solver = self.solver, True
            self.step("solve", atom=names[1], **{"is": Poly()})
            self.solver = before
            self.equate(p - m * q)
        self.here[number] = q
        if len(q.terms) == 1 and str(q) in self.atoms:
            self.there[str(q)] = inner_atom(number)
            self.limits(number, str(q))

    def exactly(self, p: Poly, m: Poly) -> tuple[Poly, Poly | None]:
        """p / m where that is known already."""
        p, m = self.resolve(p), self.resolve(m)
        known = self.quotients.get((p, m))
        if known is not None and not self.resolve(known[1]).terms:
            return self.resolve(known[0]), Poly()
        n = m.number
        if n and all(c % n == 0 for _, c in p.terms):
            return Poly.of({k: c // n for k, c in p.terms}), Poly()
        return p, None

    def limits(self, number: int, name: str) -> None:
        """The range that the context knows of an atom, as far as it is shown here too."""
        assert self.ctx is not None
        info = self.ctx.atoms[number]
        if name in self.value:
            return
        low = self.low[name].number if name in self.low else None
        if info.low is not None and (low is None or low < info.low):
            self.attempt("low", atom=name, limit=str(info.low))
        if info.high is not None and not info.high.atoms <= set(self.here):
            self.later.append((number, name))
        elif info.high is not None and name not in self.high:
            self.attempt("high", atom=name, limit=self.outer(info.high))

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
        if x != made and len(x.terms) == 1 and str(x) in self.atoms:
            self.step("solve", atom=str(x), **{"is": made})
        elif x != made:
            self.equate(x - made)
        for a in fresh:
            self.limits(a, str(self.here[a]))

    def missing(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """The quotient as the digit engine finds it, written down as a step."""
        if self.ctx is None:
            return self.generic(p, d)
        try:
            q = self.ctx.divmod(self.inner(p), self.inner(d))[0]
        except Undecided as why:
            raise Rejected(str(why)) from None
        self.sync()
        p, d, quotient = self.resolve(p), self.resolve(d), self.outer(self.ctx.resolve(q))
        if (p, d) not in self.quotients:
            self.step("divide", P=p, D=d, Q=quotient, R=p - quotient * d)
        return self.quotients[p, d]

    def divide(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder; a negative divisor changes both signs."""
        p, d = self.resolve(p), self.resolve(d)
        if self.ctx is not None and d.terms and self.witness.fails(d - 1):
            self.quotient(-p, -d)
        return super().divide(p, d)

    def undecided(self, word: str, a: Poly, b: Poly) -> None:
        """min or max as the digit engine decides it, or an unknown of its own."""
        if self.ctx is None:
            self.step("extreme", word=word, a=a, b=b, name=self.name("m"))
            return
        made = self.ctx.extreme(self.inner(a), self.inner(b), word == "min")
        self.sync()
        a, b, chosen = self.resolve(a), self.resolve(b), self.outer(self.ctx.resolve(made))
        if (word, a, b) in self.chosen:
            return
        if chosen not in (a, b):
            raise Rejected(f"{word}({a}, {b}) is not decided")
        self.step("choose", word=word, a=chosen, b=b if chosen == a else a)
