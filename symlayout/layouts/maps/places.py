"""What an index function is at points, and as a map of arithmetic alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from symlayout.errors import LayoutError
from symlayout.expr.growth import growth
from symlayout.expr.needs import Need, essential, keeping, needs_of, nowhere
from symlayout.expr.terms import (
    Operation,
    Size,
    as_expr,
    as_size,
    rebuild,
    substitute,
    symbol,
    value,
)
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.indexmap import CoordMap, IndexMap

if TYPE_CHECKING:
    from symlayout.layouts.maps.function import IndexFunction

ZERO = Integer(0)


def written_out(f: IndexFunction) -> tuple[tuple[Expr, ...], tuple[Need, ...]]:
    """Definitions and results of variables and sizes alone, and what they need to have values."""
    names: dict[str, Expr] = {}
    values, needs = list[Expr](), dict[Need, None]()
    for name, e in [*f._lets, *[("", r) for r in f._results]]:
        memo: dict[Expr, Expr] = {}

        def change(x: Expr, memo: dict[Expr, Expr] = memo) -> Expr:
            return rebuild(x, lambda s: names.get(s.name, s), memo, instead=ZERO)

        values.append(change(e))
        growth(values[-1])
        needs.update(dict.fromkeys([n.changed(change) for n in needs_of(e)]))
        if name:
            names[name] = values[-1]
    return tuple(values), essential(needs)


def marks(f: IndexFunction) -> tuple[Expr, ...]:
    """Expressions that are 0 where all definitions and results have values; else one has none."""
    marks: dict[Expr, None] = {}
    for n in f._written_out[1]:
        try:
            marks.setdefault(n.mark)
        except LayoutError:
            name = next(iter([*[v.name for v in f.variables], *f.names]), "x")
            marks.setdefault(nowhere(symbol(name)))
    marks.pop(ZERO, None)
    return tuple(marks)


def placed(f: IndexFunction, point: Sequence[Expr]) -> tuple[Size, ...]:
    """The results at a point of sizes; raises `LayoutError` (SL108) outside of the domain."""
    if len(point) != len(f.variables):
        text = f"{len(point)} numbers for the {len(f.variables)} variables of {f}"
        raise LayoutError("SL108", text)
    table = {v.name: x for v, x in zip(f.variables, point)}
    put = partial(substitute, values=table)
    sides = [d for v, x in zip(f.variables, point) for d in (x - v._low, v._high - 1 - x)]
    if any(isinstance(d, int) and d < 0 for d in map(put, sides)):
        raise LayoutError("SL108", f"{', '.join(map(str, point))} is outside of the domain")
    if f._guard is not None:
        guard = rebuild(f._guard, lambda s: as_expr(table.get(s.name, s)))
        if not guard.free_symbols and not value(guard, {}):
            raise LayoutError("SL108", f"at {', '.join(map(str, point))} the guard is false")
    results = [as_expr(put(r)) for r in f._outputs]
    needs = list[Need]()
    for mark in f._marks:
        try:
            needs += needs_of(as_expr(put(mark)))
        except LayoutError as error:
            raise LayoutError(error.code, f"division by zero in {mark}") from None
    results[0] = keeping(results[0], needs, *results[1:])
    return tuple(map(as_size, results))


def index_map(f: IndexFunction) -> IndexMap:
    """The map as an `IndexMap`; raises `LayoutError` (SL403) where it is none."""
    if not f.plain:
        raise LayoutError("SL403", f._missing)
    assert f._box is not None
    return IndexMap(
        *f._box_of_points,
        f._outputs[0],
        as_size(f._box[0]),
        text=str(f),
        reference=lambda point, sizes: f.at(point, sizes)[0],
        symbols=f.names,
        demands=f.demands,
    )


def coord_map(f: IndexFunction) -> CoordMap:
    """The map as a `CoordMap`; raises `LayoutError` (SL403) where it is none."""
    inlined = f.inlined
    one = replace(inlined, _results=inlined._results[:1], _box=(f._box or ())[:1] or None)
    if any(e.has(Operation) for e in inlined._results):
        raise LayoutError("SL403", f"{f} has bits or conditionals: it is no `CoordMap`")
    if not one.plain:
        raise LayoutError("SL403", one._missing if f._box is None else f._missing)
    sizes = tuple(as_size(d) for d in f._box or ())
    return CoordMap(*f._box_of_points, inlined._results, sizes)


def inlined(f: IndexFunction) -> IndexFunction:
    """The map without definitions."""
    if not f._lets:
        return f
    first, *others = f._outputs
    needs = [n for m in f._marks for n in needs_of(m)]
    results = (keeping(first, needs, *others), *others)
    return replace(f, _results=results, _lets=(), source=None)


def missing(f: IndexFunction) -> str:
    """Why it is not a map from a box of coordinates by arithmetic alone."""
    if f._guard is not None:
        return (
            f"{f} has a guard: what this claim asks is a box of coordinates, and the points "
            "where a guard holds are none"
        )
    if len(f._results) != 1:
        return (
            f"{f} has {len(f._results)} results: what this claim asks is one offset for each point"
        )
    if f._box is None:
        return f"{f} has no box: write `in SIZE` behind its result"
    return f"{f} is not a map from a box of coordinates by arithmetic alone, as this claim asks"
