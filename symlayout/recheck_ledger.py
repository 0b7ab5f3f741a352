"""What is known at one moment of a proof, and the checked steps that add to it: `recheck`'s kernel.

Inequalities `p >= 0` are known from ranges and facts; a step may add an unknown that surely exists
(Euclid's quotient and remainder, a minimum), replace one that is known to be equal, or say that one
polynomial divided by another has a quotient, because `P == Q*D + R` and `0 <= R < D`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow, Symbol, sympify

from symlayout.facts import Facts, Relation
from symlayout.indexmap import IndexMap
from symlayout.recheck_poly import Mismatch, Poly, Rejected, refutes, smt, smt_term
from symlayout.terms import DIVISIONS, CeilDiv, FloorDiv, Max, Min, Mod, Size, TruncDiv, TruncMod

ONE = Poly.read(1)
PLAIN = ["plain"]
DIVIDED = (*DIVISIONS, Min, Max)
Box = Mapping[str, Size]
Env = Mapping[Symbol, Poly]


class Ledger:
    """What is known at one moment of a proof; `apply` checks a step and adds what it gives."""

    def __init__(
        self,
        facts: Facts,
        names: Sequence[str],
        box: Box,
        part: dict[str, Any],
        whole: Size | None = None,
    ) -> None:
        self.facts, self.box, self.part, self.whole = facts, box, part, whole
        self.known: list[Poly] = []  # each is >= 0
        self.unequal: list[Poly] = []
        self.either: list[tuple[Poly, Poly]] = []  # one of both is 0
        self.low: dict[str, Poly] = {}
        self.high: dict[str, Poly] = {}
        self.value: dict[str, Poly] = {}  # what an unknown has been replaced by
        self.quotients: dict[tuple[Poly, Poly], tuple[Poly, Poly]] = {}
        self.chosen: dict[tuple[str, Poly, Poly], Poly] = {}
        self.free: dict[str, Poly] = {}  # digits that range freely, and their counts
        self.atoms = {*names, *box}
        self.varying = set(box)  # what may differ between two elements of one layout
        self.relied: set[str] = set()
        for name in names:
            if not any(_gives_least(r, name) for r in facts.relations):
                self.bound(name, ONE, "low")  # a size is at least 1 unless a fact says otherwise

    def resolve(self, p: Poly) -> Poly:
        """The polynomial with every replaced unknown replaced."""
        while not p.atoms.isdisjoint(self.value):
            p = p.put(self.value)
        return p

    def plan(self, what: str, *about: Any) -> None:
        """Where the author of a certificate decides how to go on; a checker only reads it."""

    def bound(self, name: str, limit: Poly, end: str) -> None:
        """From now on the limit is an end of the unknown's range."""
        x = Poly.read(name)
        (self.low if end == "low" else self.high)[name] = limit
        self.known.append(x - limit if end == "low" else limit - x)

    def fresh(self, name: str, *parts: Poly) -> Poly:
        """A new unknown that is made of the parts."""
        made = Poly.read(name)
        if name in self.atoms or made.terms != (((name,), 1),):
            raise Rejected(f"{name!r} is no new name")
        self.atoms.add(name)
        if any(self.varies(p) for p in parts):
            self.varying.add(name)
        return made

    def varies(self, p: Poly) -> bool:
        """Whether a coordinate is behind the polynomial."""
        return not self.resolve(p).atoms.isdisjoint(self.varying)

    def nonneg(self, p: Poly, why: Any) -> None:
        """Checks the reason why p >= 0; raises `Rejected`."""
        p = self.resolve(p)
        match why:
            case ["plain"]:
                lows = [self.low[a].number if a in self.low else None for a in p.atoms]
                if any(c < 0 for _, c in p.terms) or any(v is None or v < 0 for v in lows):
                    raise Rejected(f"{p} >= 0 is not plain")
            case ["low" | "high" as end, str(x), *rest]:
                limit = self.end(x, end)
                y = Poly.of({("'",): 1})
                parts = p.put({x: limit + y if end == "low" else limit - y}).powers("'")
                if len(rest) > len(parts):
                    raise Rejected(f"{p} has no power {len(rest) - 1} of {x}")
                for k, part in enumerate(parts):
                    self.nonneg(part, rest[k] if k < len(rest) else PLAIN)
            case ["ends", str(x), low, high]:
                if len(p.powers(x)) > 2:
                    raise Rejected(f"{p} is not linear in {x}")
                self.nonneg(p.put({x: self.end(x, "low")}), low)
                self.nonneg(p.put({x: self.end(x, "high")}), high)
            case ["use", int(n), by, rest] if 0 <= n < len(self.known):
                factor = Poly.read(by)
                self.nonneg(factor, PLAIN)
                self.nonneg(p - factor * self.known[n], rest)
            case ["times", by, positive, rest]:  # d*p > -d, and p is an integer
                d = Poly.read(by)
                self.nonneg(d - 1, positive)
                self.nonneg(d * p + d - 1, rest)
            case ["smt", text]:
                self.ask(p, [f"(< {smt_term(p)} 0)"], text)
            case _:
                raise Rejected(f"no reason is given why {p} >= 0")
        self.relied.add("ends of ranges")

    def end(self, x: str, end: str) -> Poly:
        """An end of the range of an unknown that still stands."""
        limits = self.low if end == "low" else self.high
        if x not in limits or x in self.resolve(limits[x]).atoms:
            raise Rejected(f"{x} has no {end} end")
        return self.resolve(limits[x])

    def zero(self, p: Poly, key: str) -> None:
        """Checks that p == 0: it is the polynomial 0, or the part gives a solver's obligation."""
        p = self.resolve(p)
        match self.part.get(key) if p.terms else None:
            case ["smt", text]:
                self.ask(p, [f"(distinct {smt_term(p)} 0)"], text)
            case _ if p.terms:
                raise Rejected(f"{key}: {p} is not 0")

    def need(self, p: Poly, part: dict[str, Any], key: str) -> None:
        """Checks p >= 0 for the reason that the part gives under that key."""
        try:
            self.nonneg(p, part.get(key))
        except Rejected as why:
            raise Rejected(f"{key}: {why}") from None

    def fails(self, sides: Sequence[tuple[str, Poly]], key: str) -> None:
        """Checks that the relations of polynomials with 0 are not all false."""
        p = sum((x for _, x in sides), Poly())
        broken = [f"(not ({op.replace('==', '=')} {smt_term(x)} 0))" for op, x in sides]
        broken = [b.replace("(!= ", "(distinct ") for b in broken]
        self.ask(p, broken, self.part[key])

    def obligation(self, p: Poly, broken: Sequence[str]) -> str:
        """The question whether `broken` can hold with all that is known, in SMT-LIB 2."""
        known = {self.resolve(k): ">= {} 0" for k in self.known}
        known |= {self.resolve(k): "distinct {} 0" for k in self.unequal}
        atoms, size = set(p.atoms), -1
        while size < len(atoms):
            size = len(atoms)
            for k in known:
                atoms |= k.atoms if atoms & k.atoms else set()
        holding = [f"({s.format(smt_term(k))})" for k, s in known.items() if k.atoms & atoms]
        for x, y in self.either:
            if self.resolve(x).atoms | self.resolve(y).atoms <= atoms:
                both = [f"(= {smt_term(self.resolve(z))} 0)" for z in (x, y)]
                holding.append(f"(or {' '.join(both)})")
        return smt(atoms, [*holding, *broken])

    def ask(self, p: Poly, broken: Sequence[str], text: str) -> None:
        """Asks the solvers; the certificate must hold the very text of the obligation."""
        made = self.obligation(p, broken)
        if made != text:
            raise Mismatch(made)
        self.relied.update(refutes(made))

    # -- steps ------------------------------------------------------------------------------------

    def apply(self, s: dict[str, Any]) -> None:
        """Checks one step and adds what it gives; raises `Rejected`."""
        match s["step"]:
            case "fact":
                self.relation(self.facts.relations[range(len(self.facts.relations))[s["fact"]]])
            case "coordinate":  # 0 <= name < its size
                last = self.walk(self.box[s["name"]], {}) - 1
                self.bound(s["name"], Poly(), "low")
                self.bound(s["name"], last, "high")
            case "offset" if self.whole is not None:  # there is one to hit: 0 < size
                self.known.append(self.walk(self.whole, {}) - 1)
            case "digit":  # any number of [0, count)
                count = Poly.read(s["count"])
                if self.varies(count):
                    raise Rejected(f"the count {count} is not the same for all elements")
                self.need(count - 1, s, "some")  # before it is used: there is such a number
                self.fresh(s["name"])
                self.varying.add(s["name"])
                self.free[s["name"]] = count
                self.bound(s["name"], Poly(), "low")
                self.bound(s["name"], count - 1, "high")
            case "split":  # Euclid: of == by*q + r with 0 <= r < by
                p, d = Poly.read(s["of"]), Poly.read(s["by"])
                self.need(d - 1, s, "positive")
                q, r = self.fresh(s["q"], p, d), self.fresh(s["r"], p, d)
                self.known += [p - d * q - r, d * q + r - p]
                self.bound(s["r"], Poly(), "low")
                self.bound(s["r"], d - 1, "high")
            case "let":
                p = Poly.read(s["be"])
                x = self.fresh(s["name"], p)
                self.known += [x - p, p - x]
            case "extreme":  # m is a or b, and not on the wrong side of either
                a, b = Poly.read(s["a"]), Poly.read(s["b"])
                m = self.fresh(s["name"], a, b)
                self.known += [a - m, b - m] if s["word"] == "min" else [m - a, m - b]
                self.either.append((m - a, m - b))
                self.choose(s["word"], a, b, m)
            case "solve":
                p, x = self.resolve(Poly.read(s["is"])), Poly.read(s["atom"])
                self.need(p - x, s, "least")
                self.need(x - p, s, "most")
                if s["atom"] in p.atoms or s["atom"] in self.value or s["atom"] not in self.atoms:
                    raise Rejected(f"{s['atom']} cannot be replaced by {p}")
                self.replace(s["atom"], p)
            case "low" | "high" as end:
                limit, x = self.resolve(Poly.read(s["limit"])), Poly.read(s["atom"])
                self.need(x - limit if end == "low" else limit - x, s, "why")
                self.bound(s["atom"], limit, end)
            case "divide":
                p, d, q, r = (Poly.read(s[k]) for k in "PDQR")
                if self.resolve(p - q * d - r).terms:
                    raise Rejected(f"{p} is not ({q})*({d}) + {r}")
                self.need(d - 1, s, "positive")
                self.need(r, s, "least")
                self.need(d - 1 - r, s, "most")
                self.quotients[self.resolve(p), self.resolve(d)] = (q, r)
            case "choose":  # min or max where it is decided
                a, b = Poly.read(s["a"]), Poly.read(s["b"])
                self.need(b - a if s["word"] == "min" else a - b, s, "why")
                self.choose(s["word"], a, b, a)
            case other:
                raise Rejected(f"{other!r} is no step")

    def choose(self, word: str, a: Poly, b: Poly, made: Poly) -> None:
        """From now on min or max of both, in any order, is that."""
        if word not in ("min", "max"):
            raise Rejected(f"{word!r} is neither min nor max")
        a, b = self.resolve(a), self.resolve(b)
        self.chosen[word, a, b] = self.chosen[word, b, a] = made

    def replace(self, name: str, by: Poly) -> None:
        """From now on the unknown stands for that polynomial."""
        self.value[name] = by
        if self.varies(by):
            self.varying.add(name)
        self.known = [self.resolve(p) for p in self.known]
        for p, d in [k for k in self.quotients if name in k[0].atoms | k[1].atoms]:
            self.quotients[self.resolve(p), self.resolve(d)] = self.quotients.pop((p, d))
        for w, a, b in [k for k in self.chosen if name in k[1].atoms | k[2].atoms]:
            self.chosen[w, self.resolve(a), self.resolve(b)] = self.chosen.pop((w, a, b))

    def relation(self, r: Relation) -> None:
        """Adds a fact, by its text."""
        left, right = self.walk(r.left, {}), self.walk(r.right, {})
        match r.op:
            case "==":
                self.known += [left - right, right - left]
            case "!=":
                self.unequal.append(left - right)
            case "<=" | "<":
                self.known.append(right - left - (r.op == "<"))
            case _:
                self.known.append(left - right - (r.op == ">"))

    # -- definitions ------------------------------------------------------------------------------

    def env(self, m: IndexMap) -> dict[Symbol, Poly]:
        """The coordinates of a map as unknowns, in order."""
        return {c: self.resolve(Poly.read(x)) for c, x in zip(m.coords, self.box)}

    def walk(self, e: Size, env: Env) -> Poly:
        """The polynomial of an expression; each division in it needs a step of the certificate."""
        memo: dict[Expr, Poly] = {}

        def visit(x: Expr) -> Poly:
            if x not in memo:
                memo[x] = self.build(x, [visit(a) for a in x.args], env)
            return memo[x]

        return self.resolve(visit(sympify(e)))

    def build(self, x: Expr, args: list[Poly], env: Env) -> Poly:
        """The polynomial of an operation on polynomials."""
        result: Poly = Poly() if isinstance(x, Add) else ONE
        match x:
            case Integer():
                return Poly.read(int(x))
            case Symbol():
                return env[x] if x in env else self.resolve(Poly.read(x.name))
            case Add() | Mul():
                for a in args:
                    result = result + a if isinstance(x, Add) else result * a
                return result
            case Pow() if x.exp.is_Integer and x.exp >= 0:
                for _ in range(int(x.exp)):
                    result = result * args[0]
                return result
            case FloorDiv():
                return self.divide(*args)[0]
            case Mod():
                return self.divide(*args)[1]
            case CeilDiv():
                return self.divide(args[0] + args[1] - 1, args[1])[0]
            case TruncDiv() | TruncMod():
                return self.truncate(*args)[isinstance(x, TruncMod)]
            case Min() | Max():
                result = args[0]
                for a in args[1:]:
                    result = self.pick("min" if isinstance(x, Min) else "max", result, a)
                return result
        raise Rejected(f"{x} is no integer expression")

    def divide(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder, rounded down."""
        p, d = self.resolve(p), self.resolve(d)
        if (-p, -d) in self.quotients:  # p // d == (-p) // (-d), p % d == -((-p) % (-d))
            q, r = self.quotients[-p, -d]
            return self.resolve(q), self.resolve(-r)
        return self.quotient(p, d)

    def quotient(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder for a positive divisor, by a step of the certificate."""
        p, d = self.resolve(p), self.resolve(d)
        if d == ONE:
            return p, Poly()
        if p.number is not None and d.number is not None and d.number > 0:
            return Poly.read(p.number // d.number), Poly.read(p.number % d.number)
        q, r = self.quotients.get((p, d)) or self.missing(p, d)
        return self.resolve(q), self.resolve(r)

    def missing(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """What to do where no step divides; raises `Rejected`."""
        raise Rejected(f"no step divides {p} by {d}")

    def truncate(self, a: Poly, b: Poly) -> tuple[Poly, Poly]:
        """C's quotient and remainder: those of |a| and |b|, with signs that the part shows."""
        signs = self.part.setdefault("signs", {})
        for x, u, y, v in ((a, 1, b, 1), (-a, -1, b, 1), (a, 1, -b, -1), (-a, -1, -b, -1)):
            try:
                self.need(x, signs, f"{self.resolve(x)} >= 0")
                q, r = self.quotient(x, y)
                return q * (u * v), r * u
            except Rejected:
                continue
        raise Rejected(f"the sign of {a} is not shown, which C divides by {b}")

    def pick(self, word: str, a: Poly, b: Poly) -> Poly:
        """min or max of both, by a step of the certificate."""
        key = (word, self.resolve(a), self.resolve(b))
        if key not in self.chosen:
            self.undecided(*key)
        return self.resolve(self.chosen[word, self.resolve(a), self.resolve(b)])

    def undecided(self, word: str, a: Poly, b: Poly) -> None:
        """What to do where no step decides; raises `Rejected`."""
        raise Rejected(f"no step decides {word}({a}, {b})")


def _gives_least(r: Relation, name: str) -> bool:
    """Whether the fact is a bound from below of that size alone: then it need not be >= 1."""
    if r.names != {name} or r.op == "!=" or (r.left - r.right).atoms(*DIVIDED):
        return False
    line = Ledger(Facts(), [], {}, {}).walk(r.left - r.right, {}).powers(name)
    slope = line[1].number or 0 if len(line) == 2 else 0
    return slope != 0 and (r.op == "==" or (slope > 0) == (r.op in (">", ">=")))
