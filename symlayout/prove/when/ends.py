"""What index functions come to at the ends of their ranges: where conditions on sizes change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, product
from typing import Any, NamedTuple

from symlayout.expr.conditions import Condition, leaves
from symlayout.expr.facts import Relation
from symlayout.expr.terms import FloorDiv, Mod, as_expr
from symlayout.expr.tree import Expr, Integer, Symbol, expand
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.subject import Places
from symlayout.prove.when.answer import all_placed, placed

CORNERS = 24


class Ends(NamedTuple):
    """A function's coordinates with the values that are looked at, its results, box and guard."""

    coords: tuple[Symbol, ...]
    values: tuple[tuple[Expr, ...], ...]
    results: tuple[Expr, ...]
    box: tuple[Expr, ...]
    guard: Condition | None = None

    def corners(self) -> Iterator[dict[Symbol, Expr]]:
        """The values of all coordinates, the ends of all ranges first."""
        ends = product(*[values[1::-1] for values in self.values])
        for row in islice(dict.fromkeys(chain(ends, product(*self.values))), CORNERS):
            yield dict(zip(self.coords, row))

    def at_corners(self) -> list[tuple[Expr, ...]]:
        """The results at the corners where they have values."""
        tables = self.corners()
        return [row for t in tables if (row := all_placed(self.results, t)) is not None]


def ends_of(m: Any) -> Ends:
    """The ends of a map or of an index function: of its ranges, and where its guard begins to hold.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> ends_of(read_map("map i < M if i >= A: i - A")).at_corners()
    [(-A + M - 1,), (-A,), (0,), (1 - A,)]
    """
    if isinstance(m, IndexMap):
        rows = [(as_expr(0), as_expr(d) - 1, as_expr(1)) for d in m._shape]
        return Ends(m._coords, tuple(rows), (as_expr(m._raw),), (as_expr(m._size),))
    assert isinstance(m, IndexFunction)
    coords = tuple(Symbol(v.name) for v in m.variables)
    values = []
    for c, v in zip(coords, m.variables):
        turns = turning_points(m._guard, c, coords)
        values.append(tuple(dict.fromkeys((v._low, v._high - 1, *turns, v._low + 1))))
    return Ends(coords, tuple(values), m._outputs, m._box or (), m._guard)


def turning_points(guard: Condition | None, c: Symbol, coords: Sequence[Symbol]) -> list[Expr]:
    """The first or last values of a coordinate at which a condition holds that bounds it by sizes.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> f = read_map("map i < M if i >= A and i < B: i")
    >>> turning_points(f._guard, Symbol("i"), [Symbol("i")])
    [A, B - 1]
    """
    hits: dict[Expr, None] = {}
    for leaf in leaves(guard) if guard is not None else ():
        gap = expand(leaf.right - leaf.left)  # at least 1
        for sign in (1, -1):
            rest = expand(gap - sign * c)
            if not rest.free_symbols & {*coords}:
                hits.setdefault(expand(1 - rest if sign > 0 else rest - 1))
    return list(hits)


def last_places(guard: Condition | None, coords: Sequence[Symbol]) -> Iterator[dict[Symbol, Expr]]:
    """Where two coordinates are the digits of the last number that a condition lets them make.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> f = read_map("map a < A, b < B if a*B + b < n: a*B + b")
    >>> list(last_places(f._guard, [Symbol("a"), Symbol("b")]))
    [{a: (n - 1)//B, b: (n - 1)%B}]
    """
    for leaf in leaves(guard) if guard is not None else ():
        gap = expand(leaf.right - leaf.left)  # at least 1
        steps = {x: expand(-gap.coeff(x, 1)) for x in coords if x in gap.free_symbols}
        last = expand(gap + sum((k * x for x, k in steps.items()), Integer(0))) - 1
        high = [x for x, k in steps.items() if k != 1]
        low = [x for x, k in steps.items() if k == 1]
        if len(high) != 1 or len(low) != 1 or (step := steps[high[0]]) == 0:
            continue
        if not (step.free_symbols | last.free_symbols) & {*coords}:
            yield {high[0]: FloorDiv(last, step), low[0]: Mod(last, step)}


def meeting_points(m: IndexFunction, others: Sequence[Expr]) -> list[Expr]:
    """Values of a coordinate at which the one result is one of those, all others at their first.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> meeting_points(read_map("map j < N: j - M"), [Symbol("M")])
    [2*M]
    """
    ends, hits = ends_of(m), dict[Expr, None]()
    if len(ends.results) != 1:
        return []
    for c in ends.coords:
        table = {x: row[0] for x, row in zip(ends.coords, ends.values) if x != c}
        here = placed(ends.results[0], table)
        for sign in (1, -1) if here is not None else ():
            rest = expand(here - sign * c)
            for x in others if not rest.free_symbols & {*ends.coords} else ():
                hits.setdefault(expand(sign * (x - rest)))
    return list(hits)


def thresholds(about: Places) -> Iterator[Relation]:
    """Relations of what the functions of a claim come to at the ends of their ranges."""
    if not all(isinstance(m, (IndexMap, IndexFunction)) for m in about.maps):
        return
    sides = [ends_of(m) for m in about.maps]
    for s in sides:
        for leaf in leaves(s.guard) if s.guard is not None else ():
            for table in s.corners():
                if (both := all_placed((leaf.left, leaf.right), table)) is not None:
                    yield Relation("<", *both)
    first, last = sides[0], sides[-1]
    if about.word == "equal":
        for table in first.corners():
            there = dict(zip(last.coords, table.values()))
            one, other = all_placed(first.results, table), all_placed(last.results, there)
            for x, y in zip(one or (), other or ()):
                yield Relation("==", x, y)
        return
    for row in first.at_corners():
        if about.word == "disjoint":
            for other in last.at_corners():
                for x, y in zip(row, other):
                    yield Relation("<", x, y)
                    yield Relation("<", y, x)
        for x, d in zip(row, first.box):
            if about.word in ("bounded", "valid", "bijective"):
                yield Relation("<", x, d)
            if about.word in ("onto", "bijective"):
                yield Relation(">=", x + 1, d)
