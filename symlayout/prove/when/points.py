"""Why claims about index functions fail: points written in sizes, each conditional decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from itertools import islice, product
from operator import mul
from typing import NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less, all_of, negation
from symlayout.expr.facts import Relation
from symlayout.expr.needs import needs_of
from symlayout.expr.terms import DIVISIONS, CeilDiv, FloorDiv, Mod, Where, as_expr
from symlayout.expr.tree import Expr, Integer, Symbol, expand
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.prove.maps.walk import runs
from symlayout.prove.subject import Duties, Places
from symlayout.prove.when.answer import placed
from symlayout.prove.when.ends import last_places, meeting_points, turning_points
from symlayout.prove.when.failures import Failure, apart, coordinate_list, counts, shortest
from symlayout.prove.when.moduli import multiples, periods
from symlayout.prove.when.parts import exchanges

Rows = Sequence[Mapping[str, int]]
Put = Callable[[Expr], Expr]
PLACES = 90
FIRST = 16  # rows at which all places are looked at
SHOWN = 5
ENDS = 7
PERIODS = 4  # after which remainders repeat
CORNERS = 16
MET = 9  # results of one function that the other is to meet


def failures(
    about: Places, rows: Rows, hints: Sequence[Expr] = (), seen: Sequence[tuple[Expr, ...]] = ()
) -> Iterator[tuple[Failure, list[bool]]]:
    """Failures of a claim about index functions, with the rows at which they are one.

    They are at points written in sizes, or at those given.
    """
    functions: tuple[IndexFunction, ...] = about.map
    for f in (*_undefinedness(functions), *_counts(about.word, functions[0])):
        yield f, [all(x.holds(r) for x in f.relations) for r in rows]
    names = dict.fromkeys(n for f in functions for n in f.names)
    ways = [Way(f, list(names), hints, seen) for f in functions]
    yield from _flagged(_at_points(about.word, ways, rows[:: max(1, len(rows) // FIRST)]), rows)


def misfits(
    about: Duties, rows: Rows, hints: Sequence[Expr] = ()
) -> Iterator[tuple[Failure, list[bool]]]:
    """Values that leave their types, at the ends of the ranges."""
    f: IndexFunction = about.map
    hits = list(_undefinedness((f,)))
    first = rows[:: max(1, len(rows) // FIRST)]
    known = Known(first)
    ends = list(islice(product(*[(v._low, v._high - 1) for v in f.variables]), PLACES))
    own = {v.name for v in f.variables}
    for d in about.duties:
        one = replace(f, _results=(d.value,), _lets=(), _box=None, _guard=all_of(d.path))
        way = Way(one, [], hints)
        bounds = [(">", d.high), ("<", d.low)]
        for place in ends:
            if {s.name for e in place for s in e.free_symbols} & own:
                continue
            at = way.at(place, first, known)
            for op, end in bounds if at is not None else ():
                if end is not None and at is not None:
                    r = Relation(op, at.results[0], Integer(end))
                    text = f"{d.text} leaves its type at {coordinate_list(place)}"
                    hits.append(Failure((*at.inside, r), text))
    yield from _flagged(hits, rows)


def _flagged(hits: Iterable[Failure], rows: Rows) -> Iterator[tuple[Failure, list[bool]]]:
    """Those that are a failure at some of the rows."""
    known = Known(rows)
    for f in hits:
        flags = known.flags(f.relations)
        if any(flags):
            yield f, flags


class Known:
    """Where relations hold, each asked once at a row: many failures have those of the domain."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.table: dict[Relation, dict[int, bool]] = {}

    def flags(self, relations: Iterable[Relation]) -> list[bool]:
        """Whether all of them hold, row by row; those behind one that does not are not asked."""
        flags = [True] * len(self.rows)
        left = list(range(len(self.rows)))
        for r in relations:
            for k, flag in zip(left, self.at(r, left)):
                flags[k] = flag
            left = [k for k in left if flags[k]]
        return flags

    def at(self, r: Relation, choices: Sequence[int]) -> list[bool]:
        """Whether a relation holds at these rows."""
        here = self.table.setdefault(r, {})
        for k in choices:
            if k not in here:
                here[k] = r.holds(self.rows[k])
        return [here[k] for k in choices]


# -- sizes alone ----------------------------------------------------------------------------------


def _undefinedness(functions: Sequence[IndexFunction]) -> Iterator[Failure]:
    for f in functions:
        own = {v.name for v in f.variables}
        for v in f.variables:
            if not {s.name for s in v._low.free_symbols | v._high.free_symbols} & own:
                yield Failure((Relation("<", v._high, v._low),), f"{v.name} has a negative extent")
        for d in f._box or ():
            yield Failure((Relation("<", d, Integer(0)),), "the box has a negative extent")


def _counts(word: str, f: IndexFunction) -> Iterator[Failure]:
    """More points than places, or fewer, where no guard leaves points out."""
    own = {v.name for v in f.variables}
    ends = [v._high - v._low for v in f.variables]
    if f._guard is not None or any({s.name for s in e.free_symbols} & own for e in ends):
        return
    points = reduce(mul, ends, Integer(1))
    if f._box is not None:
        places = reduce(mul, f._box, Integer(1))
        sane = [Relation(">=", e, Integer(0)) for e in (*ends, *f._box)]
        yield from counts(word, points, places, "points", sane)
    reach = [_values_of(e, own) for e in f._outputs]
    if word in ("injective", "bijective") and None not in reach:
        moduli = [m for m in reach if m is not None]
        sane = [*[Relation(">=", e, Integer(0)) for e in ends]]
        sane += [Relation(">=", m, Integer(1)) for m in moduli]
        more = Relation(">", points, reduce(mul, moduli, Integer(1)))
        yield Failure((*sane, more), "there are more points than remainders")


def _values_of(e: Expr, own: set[str]) -> Expr | None:
    """How many values a result has that is a remainder, or a quotient of one; None for others."""
    if isinstance(e, Mod) and not {s.name for s in e.args[1].free_symbols} & own:
        return e.args[1]
    if isinstance(e, FloorDiv) and e.args[1].is_Integer and e.args[1] > 0:
        inner = _values_of(e.args[0], own)
        return None if inner is None else CeilDiv(inner, e.args[1])
    return None


# -- at points ------------------------------------------------------------------------------------


class At(NamedTuple):
    """A point of a function: its coordinates, and what the domain and the results are there."""

    place: tuple[Expr, ...]
    inside: tuple[Relation, ...]
    results: tuple[Expr, ...]


class Way:
    """An index function, made ready to be looked at in points written in sizes."""

    def __init__(
        self,
        f: IndexFunction,
        sizes: list[str],
        hints: Sequence[Expr],
        seen: Sequence[tuple[Expr, ...]] = (),
    ) -> None:
        self.f, self.sizes, self.hints, self.seen = f, sizes, hints, seen
        self.names = [v.name for v in f.variables]
        coords = [Symbol(n) for n in self.names]
        extents = {Symbol(v.name): v._high for v in f.variables}
        self.blocks = list(exchanges(f._evaluated, extents))
        self.periods = list(dict.fromkeys(periods(multiples(f._evaluated, coords))))[:PERIODS]

    def places(self) -> list[tuple[Expr, ...]]:
        """Points as expressions of sizes: the last within the guard, corners, then the shortest."""
        if self.seen:
            return [p for p in self.seen if len(p) == len(self.names)]
        first = {Symbol(v.name): v._low for v in self.f.variables}
        last = [{**first, **table} for table in last_places(self.f._guard, [*first])]
        corners = product(*[(v._high - 1, v._low) for v in self.f.variables])
        each = [self.values(v) for v in self.f.variables]
        ends = {Symbol(v.name): v._high - 1 for v in self.f.variables}
        steps = [{**others, **table} for table in self.steps() for others in (first, ends)]
        named = [tuple(t.values()) for t in (*last, *steps)]
        named += islice(corners, CORNERS)
        return list(dict.fromkeys([*named, *shortest(each, PLACES, 4 * PLACES)]))

    def steps(self) -> Iterator[dict[Symbol, Expr]]:
        """Where two coordinates are the digits of what divides them both: a quotient steps there."""
        coords, own = [Symbol(n) for n in self.names], {Symbol(n) for n in self.names}
        for x, block, rest in self.blocks:  # the last one, where the other one has all of its bits
            for v in self.f.variables:
                start = block * FloorDiv(v._high, block)
                if (c := Symbol(v.name)) == x:
                    yield from ({c: start + rest}, {c: start})
        for x, t in self.divisions():
            if t.free_symbols & own or not x.free_symbols & own:
                continue
            plain = expand(x)
            factors = {c: plain.coeff(c, 1) for c in coords if c in x.free_symbols}
            units = [c for c, k in factors.items() if k == 1]
            for high, k in factors.items():
                if k.free_symbols & own or k in (0, 1):
                    continue
                for low in units:
                    yield {high: FloorDiv(t, k), low: Mod(t, k)}
                    yield {high: Integer(1), low: t - Mod(k, t)}

    def divisions(self) -> Iterator[tuple[Expr, Expr]]:
        """(dividend, divisor) of the function's quotients and remainders."""
        for e in self.f._evaluated:
            for node in sorted(e.atoms(FloorDiv, Mod), key=str):
                yield node.args[0], node.args[1]

    def values(self, v: Variable) -> list[Expr]:
        """The ends of a range, where the guard begins and ends to hold, sizes, and divisors."""
        own, (low, high) = {Symbol(n) for n in self.names}, (v._low, v._high)
        hits: dict[Expr, None] = {low: None, high - 1: None, low + 1: None}
        hits.update(dict.fromkeys(turning_points(self.f._guard, Symbol(v.name), list(own))))
        hits.update(dict.fromkeys(self.hints))
        for e in (*self.f._evaluated, *self.f._marks):
            for x in sorted(e.atoms(*DIVISIONS), key=str):
                t = x.args[1]
                if not t.free_symbols & own:
                    hits.setdefault(t)
                    hits.setdefault(t * FloorDiv(high, t))
                    for x in self.hints:
                        hits.update(dict.fromkeys(_tiles(t, x)))
        for x in self.periods:
            hits.update(dict.fromkeys((x, low + x)))
        hits.update(dict.fromkeys(Symbol(n) for n in self.sizes[:4]))
        if high - low != 2:
            hits.setdefault(high - 2)
        return list(islice((e for e in hits if not e.free_symbols & own), 3 * ENDS))

    def at(self, place: Sequence[Expr], rows: Rows, known: Known | None = None) -> At | None:
        """The point, each conditional as it is decided at all of the rows; None where they differ.

        `known` is of the same rows.
        """
        put = self.putting(place)
        try:
            inside, decided = self.inside(place, put, Known(rows) if known is None else known)
            results = tuple(decided.of(e, put) for e in self.f._outputs)
        except Unlike:
            return None
        return At(tuple(place), (*inside, *decided.relations), results)

    def zeros(self, place: Sequence[Expr], rows: Rows) -> Iterator[Failure]:
        """That a definition or a result divides by 0 at a point of the domain."""
        put = self.putting(place)
        try:
            inside, decided = self.inside(place, put, Known(rows))
        except Unlike:
            return
        text = f"it divides by 0 at {coordinate_list(place)}"
        for need in dict.fromkeys(n for mark in self.f._marks for n in needs_of(mark)):
            here = Decided(decided.known, decided.rows, decided.relations)
            with suppress(Unlike):
                if all(here.less(here.of(p, put), here.of(q, put)) for p, q in need.path):
                    zero = Relation("==", put(need.divisor), Integer(0))
                    yield Failure((*inside, *here.relations, zero), text)

    def putting(self, place: Sequence[Expr]) -> Put:
        """What stands at the point for an expression; `Unlike` where that has no value."""
        table = {Symbol(n): x for n, x in zip(self.names, place)}

        def put(e: Expr) -> Expr:
            here = placed(e, table)
            if here is None:
                raise Unlike
            return here

        return put

    def excluded(self, place: Sequence[Expr], known: Known) -> Iterator[list[Relation]]:
        """Ways in which the point is not in the domain: beyond a range, or by the guard."""
        put = self.putting(place)
        for x, v in zip(place, self.f.variables):
            with suppress(Unlike):
                yield [Relation("<", x, put(v._low))]
                yield [Relation(">=", x, put(v._high))]
        if self.f._guard is not None:
            free = replace(self.f, _guard=negation(self.f._guard))
            with suppress(Unlike):
                one = Way(free, self.sizes, ())
                relations, decided = one.inside(place, put, known)
                yield [*relations, *decided.relations]

    def inside(
        self, place: Sequence[Expr], put: Put, known: Known
    ) -> tuple[list[Relation], Decided]:
        """That the point is in the domain, at rows of which there is one at least; else `Unlike`."""
        relations: list[Relation] = []
        for x, v in zip(place, self.f.variables):
            relations += [Relation(">=", x, put(v._low)), Relation("<", x, put(v._high))]
        choices = [k for k, flag in enumerate(known.flags(relations)) if flag]
        if not choices:
            raise Unlike
        decided = Decided(known, choices)
        if self.f._guard is not None:
            decided.holds(self.f._guard, put)
        return relations, decided


class Unlike(Exception):
    """A condition is true at some of the rows and false at others, or has no value."""


class Decided:
    """Conditions that are alike at the chosen rows, kept as relations."""

    def __init__(
        self, known: Known, choices: Sequence[int], relations: Sequence[Relation] = ()
    ) -> None:
        self.known, self.rows = known, choices
        self.relations = [*relations]

    def less(self, a: Expr, b: Expr) -> bool:
        """Whether a < b at all rows, or at none of them."""
        flags = {*self.known.at(Relation("<", a, b), self.rows)}
        if len(flags) > 1:
            raise Unlike
        (true,) = flags
        self.relations.append(Relation("<", a, b) if true else Relation(">=", a, b))
        return true

    def of(self, e: Expr, put: Put) -> Expr:
        """What stands for the expression, with the branches that are taken; no other has a value."""
        if not e.has(Where):
            return put(e)
        if isinstance(e, Where):
            a, b = (self.of(x, put) for x in e.args[:2])
            return self.of(e.args[2] if self.less(a, b) else e.args[3], put)
        parts = [self.of(x, put) for x in e.args]
        try:
            result: Expr = e.func(*parts)
        except LayoutError:
            raise Unlike from None
        return result

    def holds(self, c: Condition, put: Put) -> None:
        """That the condition is true, by one of its alternatives."""
        if isinstance(c, Less):
            if not self.less(self.of(c.left, put), self.of(c.right, put)):
                raise Unlike
            return
        if isinstance(c, Both):
            self.holds(c.first, put)
            self.holds(c.second, put)
            return
        before = len(self.relations)
        try:
            self.holds(c.first, put)
        except Unlike:
            del self.relations[before:]
            self.holds(c.second, put)


def _tiles(t: Expr, x: Expr) -> Iterator[Expr]:
    """The last of tiles of t places each, and where in it a remainder stands."""
    if isinstance(x, Mod):
        start = t * FloorDiv(*x.args)
        yield start
        yield start + x


def _at_points(word: str, ways: Sequence[Way], rows: Rows) -> Iterator[Failure]:
    points: list[list[At]] = []
    known = Known(rows)
    for w in ways:
        places = w.places()
        hits = [f for x in places for f in w.zeros(x, rows)] if w.f._marks else []
        yield from _best(_count(f, known) for f in hits)
        points.append([p for x in places if (p := w.at(x, rows, known)) is not None])
    if word in ("bounded", "bijective"):
        yield from _outside(ways[0].f, points[0], known)
    if word in ("injective", "bijective"):
        yield from _pairs(points[0], points[0], rows, same=True)
    if word == "equal":
        yield from _differences(ways[1], points[0], known)
        domains = [(w.f.variables, w.f._guard) for w in ways]
        for k, w in enumerate(ways) if domains[0] != domains[1] else ():
            yield from _alone(w, points[1 - k], known)
    if word == "disjoint":
        for k, w in enumerate(ways):
            others = dict.fromkeys(p.results[0] for p in points[1 - k][:MET])
            again = Way(w.f, w.sizes, meeting_points(w.f, list(others)))
            points[k] += [p for e in again.places() if (p := again.at(e, rows, known)) is not None]
        yield from _pairs(points[0], points[1], rows, same=False)
    if word == "inverse":
        yield from _strays(ways[0], ways[1], points[0], known)
        yield from _strays(ways[1], ways[0], points[1], known)


def _best(hits: Iterable[tuple[Failure, int]]) -> Iterator[Failure]:
    """Those that are a failure at most rows, of equal ones the first."""
    ranked = sorted(hits, key=lambda x: -x[1])
    yield from (f for f, n in ranked[:SHOWN] if n)


def _count(f: Failure, known: Known) -> tuple[Failure, int]:
    return f, sum(known.flags(f.relations))


def _outside(f: IndexFunction, points: Sequence[At], known: Known) -> Iterator[Failure]:
    results = []
    for p in points:
        for x, d in zip(p.results, f._box or ()):
            for r in (Relation(">=", x, d), Relation("<", x, Integer(0))):
                text = f"the result at {coordinate_list(p.place)} is outside"
                results.append(_count(Failure((*p.inside, r), text), known))
    return _best(results)


def _differences(other: Way, points: Sequence[At], known: Known) -> Iterator[Failure]:
    """Points at which the other function has another result."""
    results = []
    for p in points:
        there = other.at(p.place, known.rows, known)
        for x, y in zip(p.results, there.results if there is not None else ()):
            for op in ("<", ">"):
                inside = (*p.inside, *(there.inside if there else ()), Relation(op, x, y))
                text = f"the results differ at {coordinate_list(p.place)}"
                results.append(_count(Failure(inside, text), known))
    return _best(results)


def _alone(other: Way, points: Sequence[At], known: Known) -> Iterator[Failure]:
    """Points of the one domain that are not in the other."""
    results = []
    for p in points:
        text = f"{coordinate_list(p.place)} is in the domain of one of them alone"
        for outside in other.excluded(p.place, known):
            results.append(_count(Failure((*p.inside, *outside), text), known))
    return _best(results)


def _values(points: Sequence[At], rows: Rows) -> list[list[tuple[int, ...] | None]]:
    """The results of each point at each row; None where it is no point there."""
    results = []
    for p in points:
        run = runs(*map(as_expr, p.results), Integer(0))  # a tuple, also of one value
        here: list[tuple[int, ...] | None] = []
        for r in rows:
            try:
                inside = all(x.holds(r) for x in p.inside)
                here.append(run(r)[:-1] if inside else None)
            except ZeroDivisionError:
                here.append(None)
        results.append(here)
    return results


def _pairs(ours: Sequence[At], theirs: Sequence[At], rows: Rows, same: bool) -> Iterator[Failure]:
    """Two points with the same results."""
    one, two = _values(ours, rows), _values(theirs, rows)
    hits = []
    for a, left in enumerate(one):
        for b, right in enumerate(two):
            if same and b <= a:
                continue
            count = sum(x is not None and x == y for x, y in zip(left, right))
            if count:  # of those at equally many rows first what is equal for all sizes
                hits.append((-count, ours[a].results != theirs[b].results, a, b))
    hits.sort()
    for *_, a, b in hits[:SHOWN]:
        p, q = ours[a], theirs[b]
        equal = [Relation("==", x, y) for x, y in zip(p.results, q.results)]
        text = f"{coordinate_list(p.place)} and {coordinate_list(q.place)} have one result"
        inside = (*p.inside, *q.inside)
        if same:
            yield from apart(p.place, q.place, inside, equal, text)
        else:
            yield Failure((*inside, *equal), text)


def _strays(x: Way, y: Way, points: Sequence[At], known: Known) -> Iterator[Failure]:
    """Points that leave the other's domain, or come back elsewhere."""
    results = []
    for p in points:
        put = y.putting(p.results)
        text = f"{coordinate_list(p.place)} leaves the other map's domain"
        for z, v in zip(p.results, y.f.variables):
            with suppress(Unlike):
                for r in (Relation("<", z, put(v._low)), Relation(">=", z, put(v._high))):
                    results.append(_count(Failure((*p.inside, r), text), known))
        there = y.at(p.results, known.rows, known)
        for c, back in zip(p.place, () if there is None else there.results):
            for op in ("<", ">"):
                inside = (*p.inside, *(there.inside if there else ()))
                text = f"{coordinate_list(p.place)} does not come back"
                results.append(_count(Failure((*inside, Relation(op, back, c)), text), known))
    return _best(results)
