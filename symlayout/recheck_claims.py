"""The claims of certificates, read again from their text, and what each of them means.

Every claim comes down to equalities and inequalities of polynomials in a ledger, and to two lemmas:
digits whose strides leave no room for carries tell an offset apart (`separated`), digits whose
strides leave no gap hit every offset (`filled`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import Any

from sympy import Expr, Integer, Symbol, sympify

from symlayout.emit.intermediates import intermediates
from symlayout.facts import Facts, Relation
from symlayout.indexmap import IndexMap, coordinate_symbols
from symlayout.notation import parse
from symlayout.reader import read_expression
from symlayout.recheck_ledger import ONE, Ledger
from symlayout.recheck_poly import Poly, Rejected
from symlayout.terms import (
    Min,
    Size,
    as_size,
    ceildiv,
    product,
    rebuild,
    symbol,
    value,
)

NO_MAPS = ("divides", "holds", "broadcast", "instruction")


class Claim:
    """What a certificate is for: the claim, read again from its text."""

    def __init__(self, certificate: Mapping[str, Any]) -> None:
        claim = certificate["claim"]
        self.word, self.arguments, self.options = (
            str(claim["word"]),
            list(claim["arguments"]),
            dict(claim["options"]),
        )
        self.facts = Facts.read(list(certificate["facts"]))
        self.hint = certificate["hint"]
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
        own = {n for m in self.maps for n in m.symbols}
        inside += self.corner()
        own |= {s.name for e in inside for s in sympify(e).free_symbols}
        if self.word != "holds":  # whose facts may speak of numbers in between
            self.facts.check_names(own)
        self.known |= own
        self.names = sorted(self.known)
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

    def corner(self) -> list[Size]:
        """Where the one tile of `tiles --at` begins, which is inside of the array."""
        if self.word != "tiles" or "at" not in self.options:
            return []
        m, sizes = self.maps[0], {n for t in self.maps for n in t.symbols}
        first = [as_size(read_expression(x)) for x in self.options["at"].strip("() ").split(",")]
        names = sorted({s.name for e in first for s in sympify(e).free_symbols} - sizes)
        more = [Relation(">=", symbol(n), Integer(0)) for n in names]
        for e, d in zip(first, m.shape, strict=True):
            if not (isinstance(e, int) and isinstance(d, int)):
                more.append(Relation("<=", sympify(e), sympify(d - 1)))
            elif e >= d:
                raise Rejected(f"the tile begins at {e}, outside of [0, {d})")
        self.facts = self.facts.and_(more)
        return first

    def written(self) -> Expr:
        """The hand-written expression of `formula`, in the map's own coordinates."""
        m, given = self.maps[0], self.options.get("coords")
        words = given.replace(",", " ").split() if given else []
        meaning = dict(zip(words, m.coords))
        for k, s in enumerate(m.coords if not given else ()):
            for word in (s.name, f"i{k}", "ijklmnopq"[k : k + 1]):
                if word and word not in self.known:
                    meaning.setdefault(word, s)
        if given and (len(set(words)) != len(m.coords) or self.known & set(words)):
            raise Rejected(f"{given!r} does not name the coordinates")

        def names(word: str) -> Expr | None:
            return meaning.get(word) or (symbol(word) if word in self.known else None)

        return read_expression(self.arguments[1], names, language=self.options.get("language"))

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
    (m,) = c.maps
    ledger = open("offsets", c.box(m.shape))
    left, right = (ledger.walk(e, ledger.env(m)) for e in (m.raw, c.written()))
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
        first = [ledger.walk(x, {}) for x in c.corner()]
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
