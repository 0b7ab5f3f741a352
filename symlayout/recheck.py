"""`recheck`: verifies a certificate with nothing of the prover.

The layouts are read again from the claim's text, and their definitions are walked in exact
arithmetic.  A certificate only says which steps to take; every step is checked where it stands:
a quotient by `P == Q*D + R` and `0 <= R < D`, an inequality by the ends of the ranges or by solvers,
a substitution by the facts.  The last step is the claim itself, from its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow, Symbol, sympify

from symlayout.emit.intermediates import intermediates
from symlayout.errors import LayoutError
from symlayout.facts import Facts, Relation
from symlayout.indexmap import IndexMap, coordinate_symbols
from symlayout.notation import parse
from symlayout.reader import read_expression
from symlayout.recheck_poly import Mismatch, Poly, Rejected, refutes, smt, smt_term
from symlayout.terms import (
    DIVISIONS,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    Size,
    TruncDiv,
    TruncMod,
    as_size,
    ceildiv,
    product,
    rebuild,
    symbol,
    value,
)

FORMAT, VERSION = "symlayout-certificate", 1
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


# -- claims: each from its meaning -------------------------------------------------------------------


NO_MAPS = ("divides", "holds", "broadcast", "instruction")


class Claim:
    """What a certificate is for: the claim, read again from its text."""

    def __init__(self, certificate: Mapping[str, Any]) -> None:
        claim = certificate["claim"]
        self.word, self.arguments, self.options = (
            str(claim["word"]),
            list(claim["arguments"]),
            dict(claim.get("options", {})),
        )
        self.facts = Facts.read(list(certificate["facts"]))
        self.hint = certificate.get("hint")
        count = {"equal": 2, "bitcast": 2, "reinterpret": 2, "tiles": 1}.get(self.word, 1)
        self.maps = [_map(a) for a in self.arguments[: 0 if self.word in NO_MAPS else count]]
        self.known = {*self.facts.names, *[n for m in self.maps for n in m.symbols]}
        self.pairs: list[tuple[Size, Size]] = []  # (divisor, what it divides)
        self.sizes: list[Size] = []
        self.relations: tuple[Relation, ...] = ()
        if self.word == "divides" and len(self.arguments) == 1:
            self.pairs = list(parse(self.arguments[0]).tile_pairs())
        elif self.word == "holds":
            self.relations = Facts.read(self.arguments[0]).relations
        elif self.word == "tiles":
            self.maps.append(self.tile(self.arguments[1]))
        elif self.word in ("bounded", "aligned", "bytes", "divides"):
            texts = self.arguments[len(self.maps) :]
            self.sizes = [self.expression(t) for t in texts]
        elif self.word in RULES:
            self.checks = RULES[self.word](self.arguments, self.options)
            self.relations = tuple(r for check in self.checks for r in check)
        inside = [s for pair in self.pairs for s in pair] + self.sizes
        inside += [e for r in self.relations for e in (r.left, r.right)]
        self.known |= {n for m in self.maps for n in m.symbols}
        self.names = sorted(self.known | {s.name for e in inside for s in sympify(e).free_symbols})
        self.coords = [c.name for c in coordinate_symbols(20, self.names)]

    def tile(self, given: Any) -> IndexMap:
        """A tile's own map: of a layout, or of sizes within the blocks and strides of the whole."""
        m = self.maps[0]
        if (
            isinstance(given, dict)
            or ":" in given
            or "[" in given
            or re.match(r"\s*\w+\s*\(", given)
        ):
            return _map(given)
        shape = [as_size(read_expression(x)) for x in given.strip("() ").split(",")]
        names = {s.name for d in shape for s in sympify(d).free_symbols}
        coords = coordinate_symbols(m.rank, {*m.symbols, *names})
        start = rebuild(sympify(m.raw), lambda s: Integer(0) if s in m.coords else s)
        table = dict(zip(m.coords, coords))
        moved = rebuild(sympify(m.raw), lambda s: table.get(s, s))
        return IndexMap(tuple(shape), coords, sympify(moved - start), m.size, m.bits)

    def expression(self, text: Any) -> Size:
        """A size that is an argument of the claim."""
        free = self.word == "divides"
        return as_size(
            read_expression(str(text), lambda w: symbol(w) if free or w in self.known else None)
        )

    def box(self, shape: Sequence[Size]) -> dict[str, Size]:
        """A name for the coordinate of each dimension, and its size."""
        return {f"{x}": d for x, d in zip(self.coords, shape)}

    def __str__(self) -> str:
        quoted = [f'"{a}"' if k < 2 else str(a) for k, a in enumerate(self.arguments)]
        return " ".join([self.word, *quoted, *[f"--{k} {v}" for k, v in self.options.items()]])


def _map(given: Any) -> IndexMap:
    """An index map from a layout's text, or from its shape, coordinates, offset and size."""
    if isinstance(given, str):
        made = parse(given).index_map()
        assert isinstance(made, IndexMap)
        return made
    shape = tuple(as_size(read_expression(str(d))) for d in given["shape"])
    raw, size = read_expression(given["offset"]), as_size(read_expression(str(given["size"])))
    return IndexMap(shape, tuple(map(symbol, given["coords"])), raw, size, given.get("bits"))


Open = Callable[..., Ledger]  # the part of that name, its steps checked


def _equal(c: Claim, open: Open) -> None:
    a, b = c.maps
    _same(open, [(len(a.shape), len(b.shape)), *zip(a.shape, b.shape)])
    ledger = open("offsets", c.box(a.shape))
    left, right = (ledger.walk(m.raw, ledger.env(m)) for m in (a, b))
    ledger.zero(left - right, "difference")


def _same(open: Open, pairs: Sequence[tuple[Size, Size]]) -> None:
    """Sizes that are equal whether or not there is any element."""
    ledger = open("sizes", {})
    for k, (x, y) in enumerate(pairs):
        ledger.zero(ledger.walk(x, {}) - ledger.walk(y, {}), f"size {k}")


def _formula(c: Claim, open: Open) -> None:
    m = c.maps[0]
    given = c.options.get("coords")
    words = given.replace(",", " ").split() if given else []
    meaning = dict(zip(words, m.coords))
    for k, s in enumerate(m.coords if not given else ()):
        for word in (s.name, f"i{k}", "ijklmnopq"[k : k + 1]):
            if word and word not in c.known:
                meaning.setdefault(word, s)
    if given and (len(set(words)) != len(m.coords) or c.known & set(words)):
        raise Rejected(f"{given!r} does not name the coordinates")

    def names(word: str) -> Expr | None:
        return meaning.get(word) or (symbol(word) if word in c.known else None)

    written = read_expression(c.arguments[1], names, language=c.options.get("language"))
    ledger = open("offsets", c.box(m.shape))
    left, right = (ledger.walk(e, ledger.env(m)) for e in (m.raw, written))
    ledger.zero(left - right, "difference")


def _injective(c: Claim, open: Open) -> None:
    separated(open("offsets", c.box(c.maps[0].shape)), c.maps[0])


def _bounded(c: Claim, open: Open) -> None:
    within(open("offsets", c.box(c.maps[0].shape)), c.maps[0], (*c.sizes, c.maps[0].size)[0])


def _onto(c: Claim, open: Open) -> None:
    filled(open("inverse", {}, c.maps[0].size), c.maps[0])


def separated(ledger: Ledger, m: IndexMap) -> None:
    """Mixed radix: the offset is start + sum(stride*digit), each stride beyond the reach of those
    before it, so that the offset tells the digits; and the digits tell the coordinates."""
    ledger.plan("digits", m)
    part, told = ledger.part, dict[str, Poly]()
    total, reach = Poly.read(part["start"]), ONE
    fixed = [total]
    for k, d in enumerate(part["digits"]):
        digit, stride, count = (Poly.read(d[x]) for x in ("digit", "stride", "count"))
        ledger.need(digit, d, "least")
        ledger.need(count - 1 - digit, d, "most")
        ledger.need(stride - reach, d, "beyond")
        total, reach = total + stride * digit, reach + stride * (count - 1)
        fixed += [stride, count]
        told[f"digit.{k}"] = digit
    if ledger.resolve(ledger.walk(m.raw, ledger.env(m)) - total).terms:
        raise Rejected("digits: the offset is not start + sum(stride*digit)")
    for x, p in zip(ledger.box, ledger.env(m).values()):
        back = Poly.read(part["coordinates"][x])
        fixed += [Poly.read(a) for a in back.atoms - set(told)]
        if ledger.resolve(back.put(told) - p).terms:
            raise Rejected(f"coordinates: the digits do not give {x}")
    for p in fixed:
        if ledger.varies(p):
            raise Rejected(f"digits: {p} is not the same for all elements")


def within(ledger: Ledger, m: IndexMap, size: Size) -> None:
    """0 <= offset < size."""
    offset = ledger.walk(m.raw, ledger.env(m))
    ledger.need(offset, ledger.part, "least offset")
    ledger.need(ledger.walk(size, {}) - 1 - offset, ledger.part, "greatest offset")


def filled(ledger: Ledger, m: IndexMap) -> None:
    """Digits that range freely are the offset sum(stride*digit) of some coordinates; no stride is
    beyond the reach of those before it, so that every offset up to the last reach is hit."""
    ledger.plan("free digits", m)
    part, env = ledger.part, dict[Symbol, Poly]()
    for k, (c, d) in enumerate(zip(m.coords, m.shape)):
        env[c] = ledger.resolve(Poly.read(part["coordinates"][k]))
        ledger.need(env[c], part, f"least coordinate {k}")
        ledger.need(ledger.walk(d, {}) - 1 - env[c], part, f"greatest coordinate {k}")
    total, reach, free = Poly(), ONE, dict(ledger.free)
    for d in part["digits"]:
        stride, count = Poly.read(d["stride"]), free.pop(d["digit"])
        if ledger.varies(stride):
            raise Rejected(f"digits: the stride {stride} is not a number")
        ledger.need(stride, d, "least")
        ledger.need(reach - stride, d, "close")
        total, reach = total + stride * Poly.read(d["digit"]), reach + stride * (count - 1)
    if ledger.resolve(ledger.walk(m.raw, env) - total).terms:
        raise Rejected("digits: the offset is not sum(stride*digit)")
    ledger.need(reach - ledger.walk(m.size, {}), part, "whole")


def _bijective(c: Claim, open: Open, by_count: bool) -> None:
    m = c.maps[0]
    ledger = open("offsets", c.box(m.shape))
    separated(ledger, m)
    within(ledger, m, m.size)
    if not by_count:
        filled(open("inverse", {}, m.size), m)
        return
    ledger = open("sizes", {})  # as many elements as offsets
    ledger.zero(ledger.walk(product(m.shape), {}) - ledger.walk(m.size, {}), "count")
    for k, d in enumerate(m.shape):
        ledger.need(ledger.walk(d, {}), ledger.part, f"size {k}")


def _valid(c: Claim, open: Open) -> None:
    ledger = open("offsets", c.box(c.maps[0].shape))
    within(ledger, c.maps[0], c.maps[0].size)
    separated(ledger, c.maps[0])


Check = Sequence[Relation]  # one of them holds


def _broadcast_rules(arguments: Sequence[Any], options: Mapping[str, Any]) -> list[Check]:
    from symlayout.broadcast import extents, plan

    words = options.get("dims", "").strip("[]{}() ").replace(",", " ").split()
    dims = [int(w) for w in words] if "dims" in options else None
    a, b = (extents(x) for x in arguments)
    if options.get("dialect") == "numpy" and any(e.dynamic for e in (*a, *b)):
        raise Rejected("NumPy's sizes known only later are no sizes of a certificate")
    return [c.needs for c in plan(a, b, dims, options.get("dialect", "xla")).checks]


def _instruction_rules(arguments: Sequence[Any], options: Mapping[str, Any]) -> list[Check]:
    from symlayout.hlo.parts import Signature
    from symlayout.hlo.reader import read_instruction
    from symlayout.hlo.rules import demands_of

    made = read_instruction(arguments[0])
    given = tuple(o.shape for o in made.operands if o.shape is not None)
    demands = demands_of(Signature(made.opcode, made.shape, given, made.attributes))
    return [c.needs for c in demands.checks]


RULES: dict[str, Callable[[Sequence[Any], Mapping[str, Any]], list[Check]]] = {
    "broadcast": _broadcast_rules,
    "instruction": _instruction_rules,
}


def bitcast(c: Claim, open: Open, perm: Any, back: bool = False) -> None:
    """The element with one row-major number has one offset in both layouts."""
    a, b = c.maps
    if perm is not None:
        a = a.transpose([int(p) for p in str(perm).replace(",", " ").split()])
    if a.bits is not None and b.bits is not None and a.bits != b.bits:
        raise Rejected(f"elements of {a.bits} and of {b.bits} bits")
    _same(open, [(product(a.shape), product(b.shape)), (a.size, b.size)])
    a, b = (b, a) if back else (a, b)
    ledger = open("offsets", c.box(a.shape))
    env, number, target = ledger.env(a), Poly(), dict[Symbol, Poly]()
    for p, d in zip(env.values(), a.shape):
        number = number * ledger.walk(d, {}) + p
    for k in range(b.rank - 1, 0, -1):
        number, target[b.coords[k]] = ledger.divide(number, ledger.walk(b.shape[k], {}))
    target |= dict.fromkeys(b.coords[:1], number)
    ledger.zero(ledger.walk(a.raw, env) - ledger.walk(b.raw, target), "difference")


def _units(c: Claim) -> tuple[int, int]:
    """How many units an element of each has; a unit divides both."""
    x, y = (m.bits for m in c.maps)
    return (1, 1) if x is None or y is None else (x // gcd(x, y), y // gcd(x, y))


def _full(c: Claim, open: Open) -> None:
    (a, b), (u, v) = c.maps, _units(c)
    _same(open, [(u * a.size, v * b.size)])
    filled(open("first", {}, a.size), a)
    filled(open("second", {}, b.size), b)


def _matched(c: Claim, open: Open) -> None:
    """Every unit of an element of one lies where a unit of an element of the other lies."""
    (a, b), (u, v) = c.maps, _units(c)
    _same(open, [(u * a.size, v * b.size)])
    for name, m, n, x, y in (("forth", a, b, u, v), ("back", b, a, v, u)):
        box = c.box((*m.shape, x))
        ledger = open(name, box)
        ledger.plan("match", m, n, x, y)
        here = ledger.env(m)
        unit = ledger.resolve(Poly.read(list(box)[-1]))
        there = [ledger.resolve(Poly.read(t)) for t in ledger.part["target"]]
        for k, (t, d) in enumerate(zip(there, (*n.shape, y), strict=True)):
            ledger.need(t, ledger.part, f"least coordinate {k}")
            ledger.need(ledger.walk(d, {}) - 1 - t, ledger.part, f"greatest coordinate {k}")
        one = ledger.walk(m.raw, here) * x + unit
        two = ledger.walk(n.raw, dict(zip(n.coords, there))) * y + there[-1]
        ledger.zero(one - two, "difference")


def _padding(c: Claim, open: Open) -> None:
    (m,), most = c.maps, Fraction(str(c.arguments[1]))
    ledger = open("sizes", {})
    size, count = ledger.walk(m.size, {}), ledger.walk(product(m.shape), {})
    ledger.need(count * most.numerator - size * most.denominator, ledger.part, "slack")


def _factors(c: Claim, open: Open) -> None:
    """size <= ratio*count for factors of both, whose ratios together are small enough."""
    (m,), most = c.maps, Fraction(str(c.arguments[1]))
    ledger = open("sizes", {})
    ledger.plan("factors", m)
    ratio, size, count = Fraction(1), ONE, ONE
    for f in ledger.part["factors"]:
        s, e, r = Poly.read(f["size"]), Poly.read(f["count"]), Fraction(f["ratio"])
        ledger.need(s, f, "least")
        ledger.need(e * r.numerator - s * r.denominator, f, "slack")
        size, count, ratio = size * s, count * e, ratio * r
    for p, x in ((size, m.size), (count, product(m.shape))):
        if ledger.resolve(p - ledger.walk(x, {})).terms:
            raise Rejected(f"factors: {p} is not {x}")
    if ratio > most:
        raise Rejected(f"factors: the ratio {ratio} is more than {most}")


def _divides(c: Claim, open: Open) -> None:
    ledger = open("sizes", {})
    for k, (d, x) in enumerate(c.pairs or [(c.sizes[0], c.sizes[1])]):
        ledger.zero(ledger.divide(ledger.walk(x, {}), ledger.walk(d, {}))[1], f"remainder {k}")


def _aligned(c: Claim, open: Open) -> None:
    (m,), dim = c.maps, c.options.get("dim")
    along = row_dimension(m) if dim is None else range(m.rank)[int(dim)]
    ledger = open("rows", c.box([Min(d, 1) if k == along else d for k, d in enumerate(m.shape)]))
    step = ledger.walk(c.sizes[0], {}) * 8
    ledger.need(step - 1, ledger.part, "positive")
    if m.bits is None:
        raise Rejected("the layout has no element type")
    ledger.zero(ledger.divide(ledger.walk(m.raw, ledger.env(m)) * m.bits, step)[1], "remainder")


def _bytes(c: Claim, open: Open) -> None:
    (m,) = c.maps
    if m.bits is None:
        raise Rejected("the layout has no element type")
    _same(open, [(ceildiv(m.size * m.bits, 8), c.sizes[0])])


def _holds(c: Claim, open: Open) -> None:
    ledger = open("sizes", {})
    for k, r in enumerate(c.relations):
        p = ledger.walk(r.left, {}) - ledger.walk(r.right, {})
        match r.op:
            case "==":
                ledger.zero(p, f"relation {k}")
            case "!=":
                ledger.need(p * p - 1, ledger.part, f"relation {k}")
            case _:
                sign, shift = (-1 if "<" in r.op else 1), int("=" not in r.op)
                ledger.need(p * sign - shift, ledger.part, f"relation {k}")


def _fits(c: Claim, open: Open) -> None:
    """The formula of the certificate is the offset, and each value on its way is in range."""
    (m,), limit = c.maps, 2 ** (int(c.arguments[1]) - 1)
    ledger = open("offsets", c.box(m.shape))
    ledger.plan("formula", m)
    own = {s.name: s for s in m.coords}
    made = read_expression(ledger.part["formula"], lambda w: own.get(w) or symbol(w))
    ledger.zero(ledger.walk(m.raw, ledger.env(m)) - ledger.walk(made, ledger.env(m)), "difference")
    for k, e in enumerate(intermediates(made)):
        p = ledger.walk(e, ledger.env(m))
        ledger.need(p + limit, ledger.part, f"least of value {k}")
        ledger.need(-p + (limit - 1), ledger.part, f"greatest of value {k}")


def _tiles(c: Claim, open: Open) -> None:
    """A(first + place) == A(first) + T(place) for every place of a tile; tiles cover by Euclid."""
    (m, t), at = c.maps, c.options.get("at")
    grid = () if at else tuple(ceildiv(d, s) for d, s in zip(m.shape, t.shape, strict=True))
    ledger = open("offsets", c.box((*grid, *t.shape)))
    names = [ledger.resolve(Poly.read(x)) for x in ledger.box]
    place, shape = names[len(grid) :], [ledger.walk(d, {}) for d in t.shape]
    first = [g * d for g, d in zip(names, shape)]
    if at:
        first = [ledger.walk(read_expression(x), {}) for x in at.strip("() ").split(",")]
    one = ledger.walk(m.raw, dict(zip(m.coords, first, strict=True)))
    two = ledger.walk(m.raw, dict(zip(m.coords, [f + p for f, p in zip(first, place)])))
    ledger.zero(one + ledger.walk(t.raw, dict(zip(t.coords, place))) - two, "difference")


def _rules(c: Claim, open: Open) -> None:
    """One relation of each demand holds, by the rules of the operation."""
    ledger = open("sizes", {})
    for k, check in enumerate(c.checks):
        sides = [(r.op, ledger.walk(r.left, {}) - ledger.walk(r.right, {})) for r in check]
        if not any(op in ("==", ">=", "<=") and not p.terms for op, p in sides):
            ledger.fails(sides, f"demand {k}")


def row_dimension(m: IndexMap) -> int | None:
    """The dimension whose coordinate 1 lies nearest to coordinate 0, all sizes being 64."""
    sizes = dict.fromkeys(m.symbols, 64)

    def at(k: int) -> int:
        return value(m.raw, {**sizes, **{c.name: int(j == k) for j, c in enumerate(m.coords)}})

    steps = [(abs(at(k) - at(-1)), -k) for k in range(m.rank) if m.shape[k] != 1]
    return min(((s, -k) for s, k in sorted(steps) if s), default=(0, None))[1]


Method = Callable[[Claim, Open], None]
METHODS: dict[str, dict[str, Method]] = {
    "equal": {"digits": _equal},
    "formula": {"digits": _formula},
    "injective": {"mixed radix": _injective},
    "bounded": {"ends": _bounded},
    "onto": {"no gaps": _onto},
    "bijective": {
        "count": lambda c, open: _bijective(c, open, True),
        "no gaps": lambda c, open: _bijective(c, open, False),
    },
    "valid": {"mixed radix": _valid},
    "bitcast": {
        "digits": lambda c, open: bitcast(c, open, c.options.get("perm")),
        "digits of B": lambda c, open: bitcast(c, open, c.options.get("perm"), True),
    },
    "reinterpret": {
        "order": lambda c, open: bitcast(c, open, c.hint),
        "order of B": lambda c, open: bitcast(c, open, c.hint, True),
        "full": _full,
        "match": _matched,
    },
    "padding": {"slack": _padding, "factors": _factors},
    "divides": {"remainders": _divides},
    "aligned": {"remainder": _aligned},
    "bytes": {"sizes": _bytes},
    "holds": {"signs": _holds},
    "fits": {"ends": _fits},
    "tiles": {"digits": _tiles},
    "broadcast": {"rules": _rules},
    "instruction": {"rules": _rules},
}


# -- the answer ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rechecked:
    """What came of a recheck: whether the claim is proved, what that relied on, what failed."""

    ok: bool
    claim: str
    relied: tuple[str, ...]
    failures: tuple[str, ...]


def recheck(certificate: Mapping[str, Any], claim: str | None = None) -> Rechecked:
    """Verifies a certificate without the prover; `claim` is the text that it must be for.

    >>> from symlayout import prove
    >>> made = recheck(prove.injective("f32[M,N]{1,0:T(8,128)}").certificate)
    >>> made.ok, made.claim
    (True, 'injective "f32[M,N]{1,0:T(8,128)}"')

    `failures` names each step that does not hold.  Raises nothing for a certificate that is wrong.
    """
    relied = {"exact identities"}
    text, at = "", "certificate"

    def open(name: str, box: Box, whole: Size | None = None) -> Ledger:
        nonlocal at
        at, part = name, certificate["parts"][name]
        ledger = Ledger(made.facts, made.names, box, part, whole)
        ledger.relied = relied
        for n, step in enumerate(part["steps"]):
            at = f"{name}: step {n} ({step['step']})"
            ledger.apply(step)
        at = name
        return ledger

    try:
        if (certificate["format"], certificate["version"]) != (FORMAT, VERSION):
            raise Rejected(f"not a {FORMAT} of version {VERSION}")
        made = Claim(certificate)
        text = str(made)
        if claim is not None and claim != text:
            raise Rejected(f"the certificate is for {text}, not for {claim}")
        sizes = dict(certificate["sizes"])
        default = Ledger(made.facts, made.names, {}, {}).low
        if not made.facts.holds(sizes) or any(sizes[n] < 1 for n in default):
            raise Rejected(f"the sizes {sizes} do not satisfy the facts")
        METHODS[made.word][certificate["by"]](made, open)
    except (LayoutError, Rejected) as why:
        return Rechecked(False, text, tuple(sorted(relied)), (f"{at}: {why}",))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as why:
        return Rechecked(False, text, (), (f"{at}: malformed ({type(why).__name__}: {why})",))
    return Rechecked(True, text, tuple(sorted(relied)), ())
