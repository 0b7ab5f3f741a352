"""What a claim is made of: extents, strides, divisions, demands and goals, whichever word it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from symlayout.expr.conditions import sides
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.intervals import Range, interval
from symlayout.expr.terms import DIVISIONS, BitXor, FloorDiv, Mod, Size, as_expr
from symlayout.expr.tree import Expr, Integer, Symbol, expand
from symlayout.layouts.demands import Demand
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.decide import Problem
from symlayout.prove.statement import MULTIPLE, Statement
from symlayout.prove.subject import Buffers, Duties, Places, Rules

LARGEST_MASK = 1 << 20


@dataclass
class Parts:
    """The claim's own words, from which conditions are put together."""

    facts: Facts
    names: tuple[str, ...]
    extents: dict[Symbol, Expr] = field(default_factory=dict)  # by coordinate
    shapes: list[tuple[Expr, ...]] = field(default_factory=list)
    offsets: list[tuple[Expr, tuple[Symbol, ...], tuple[Expr, ...]]] = field(default_factory=list)
    sizes: list[Expr] = field(default_factory=list)  # other expressions of sizes alone
    relations: list[Relation] = field(default_factory=list)  # of sizes alone
    demands: list[Demand] = field(default_factory=list)
    multiples: list[tuple[Expr, Expr, tuple[Symbol, ...]]] = field(default_factory=list)
    goals: list[tuple[Relation, tuple[Symbol, ...], tuple[Expr, ...]]] = field(default_factory=list)
    places: list[Places] = field(default_factory=list)  # claims about maps

    @property
    def expressions(self) -> Iterator[Expr]:
        """Everything that may have divisions in it."""
        for shape in self.shapes:
            yield from shape
        yield from (raw for raw, _, _ in self.offsets)
        yield from self.sizes
        for r in self.relations:
            yield r.left
            yield r.right
        for d in self.demands:
            yield from map(as_expr, d.sides)

    def divisions(self) -> Iterator[tuple[Expr, Expr]]:
        """(dividend, divisor) of every division, outermost expressions first."""
        seen: set[Expr] = set()
        for e in self.expressions:
            hits = [x for x in e.atoms(*DIVISIONS) if x not in seen] if e.args else []
            seen.update(hits)
            for x in sorted(hits, key=str):
                yield x.args

    def exchanges(self) -> Iterator[tuple[Expr, Expr, int]]:
        """(x, 2**k, 2**k - 1 - m) of every `x ^ y` for y up to m: it permutes blocks of 2**k."""
        yield from exchanges(self.expressions, self.extents)

    def nested(self) -> Iterator[tuple[Expr, Expr]]:
        """(x, s*t) of every quotient or remainder by t of a quotient of x by s."""
        for x, t in self.divisions():
            for inner in x.atoms(FloorDiv) if x.args else ():
                yield inner.args[0], expand(inner.args[1] * t)

    def strides(self) -> Iterator[tuple[Expr, Expr]]:
        """(stride, extent) of each coordinate of an offset without divisions."""
        for raw, coords, shape in self.offsets:
            if not coords or raw.atoms(*DIVISIONS):
                continue
            plain = expand(raw)
            for c, d in zip(coords, shape):
                stride = plain.coeff(c, 1) if plain.is_Add or plain.is_Mul or plain == c else None
                if stride is not None and not stride.free_symbols & {*coords}:
                    yield stride, d


def exchanges(
    expressions: Iterable[Expr], extents: Mapping[Symbol, Expr]
) -> Iterator[tuple[Expr, Expr, int]]:
    """(x, 2**k, 2**k - 1 - m) of every `x ^ y` for y up to m, as far as extents and remainders say."""
    known = {c.name: _coordinates(d) for c, d in extents.items()}
    for x in dict.fromkeys(x for e in expressions for x in sorted(e.atoms(BitXor), key=str)):
        for inner, mask in (x.args, x.args[::-1]):
            low, high = interval(mask, known)
            if low >= 0 and 0 < high < LARGEST_MASK:
                block = 1 << int(high).bit_length()
                yield inner, Integer(block), block - 1 - int(high)


def parts_of(subjects: Sequence[Any], names: tuple[str, ...], facts: Facts) -> Parts:
    """The parts of all problems of a claim."""
    result = Parts(facts, names)
    for s in subjects:
        result.demands += [d for d in s.demands if d not in result.demands]
        if isinstance(s, Rules):
            result.relations += [r for c in s.checks for r in c.needs]
        elif isinstance(s, Problem):
            _about(result, s.about)
    return result


def _about(parts: Parts, about: Any) -> None:
    if isinstance(about, Statement):
        _statement(parts, about)
    elif isinstance(about, Buffers):
        (a, b), (u, v) = about.maps, about.unit
        parts.relations.append(Relation("==", as_expr(a._size) * u, as_expr(b._size) * v))
        for m in about.maps:
            _map(parts, m)
    elif isinstance(about, Duties):
        _function(parts, about.map)
        coords = tuple(Symbol(v.name) for v in about.map.variables)
        shape = tuple(v._high - v._low for v in about.map.variables)
        for d in about.duties:
            for op, end in (("<=", d.high), (">=", d.low)):
                if end is not None:
                    goal = Relation(op, d.value, Integer(end))
                    alone = not d.value.free_symbols & {*coords}
                    parts.goals.append((goal, () if alone else coords, () if alone else shape))
    elif isinstance(about, Places):
        parts.places.append(about)
        for m in about.maps:
            if isinstance(m, IndexMap):
                _map(parts, m)
            elif isinstance(m, IndexFunction):
                _function(parts, m)


def _map(parts: Parts, m: IndexMap) -> None:
    _box(parts, m._coords, m._shape)
    parts.offsets.append((as_expr(m._raw), m._coords, tuple(map(as_expr, m._shape))))
    parts.sizes.append(as_expr(m._size))


def _box(parts: Parts, coords: Sequence[Symbol], shape: Sequence[Size]) -> None:
    parts.shapes.append(tuple(map(as_expr, shape)))
    parts.extents.update(zip(coords, map(as_expr, shape)))


def _statement(parts: Parts, s: Statement) -> None:
    _box(parts, s.coords, s.shape)
    own = {*s.coords}
    for o in s.offsets.values():
        coords = tuple(c for c in o.place if isinstance(c, Symbol))
        parts.offsets.append((o.definition, coords, tuple(map(as_expr, o.map._shape))))
        parts.sizes.append(as_expr(o.map._size))
        parts.shapes.append(tuple(map(as_expr, o.map._shape)))
    for g in (*s.sizes, *s.goals, *s.premises):
        left, right = s.symbolic(g.left), s.symbolic(g.right)
        if (left.free_symbols | right.free_symbols) & own:
            if g.op == MULTIPLE:
                parts.multiples.append((left, right, s.coords))
            else:
                goal = Relation(g.op, left, right)
                if g.op in ("<", "<=") and not right.free_symbols & own:
                    whole = [as_expr(o.map._size) for o in s.offsets.values()]
                    parts.relations += [Relation("<=", w, right) for w in whole if w != right]
                parts.goals.append((goal, s.coords, tuple(map(as_expr, s.shape))))
            parts.offsets += [(e, (), ()) for e in (left, right) if e.free_symbols & own]
            parts.sizes += [e for e in (left, right) if not e.free_symbols & own]
        elif g.op == MULTIPLE:
            parts.relations.append(Relation("==", _remainder(left, right), Integer(0)))
        else:
            parts.relations.append(Relation(g.op, left, right))


def _coordinates(extent: Expr) -> Range:
    """What a coordinate may be: of an extent that is no number, anything from 0 on."""
    return (0, max(0, int(extent) - 1) if extent.is_Integer else inf)


def _remainder(a: Expr, b: Expr) -> Expr:
    return Integer(0) if b == 0 else Mod(a, b)


def _function(parts: Parts, f: IndexFunction) -> None:
    coords = tuple(Symbol(v.name) for v in f.variables)
    shape = tuple(as_expr(v._high - v._low) for v in f.variables)
    _box(parts, coords, shape)
    own = {*coords}
    results = {*f._outputs} if not any(d.free_symbols & own for d in shape) else set()
    for e in f._evaluated:
        parts.offsets.append((e, coords, shape) if e in results else (e, (), ()))
    parts.sizes += [e for v in f.variables for e in (v._low, v._high) if not e.free_symbols & own]
    parts.sizes += list(f._box or ())
    for e in sides(f._guard) if f._guard is not None else ():
        parts.offsets.append((e, (), ()))
