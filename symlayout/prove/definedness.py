"""Definedness: a claim is refuted at the first assignment where something in it is undefined.

Every demand is proved in digits where it can be; the others are looked at together with the claim,
assignment by assignment, and what is left goes to the solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from symlayout.digits.assume import context_of
from symlayout.digits.bounds import Meter, nonzero
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt, Goal
from symlayout.digits.poly import Poly
from symlayout.digits.simplification import coordinate_atoms
from symlayout.expr.facts import Facts
from symlayout.expr.printing import sort_key
from symlayout.expr.terms import Size, Where, as_expr
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.demands import Demand
from symlayout.layouts.spans import least_value
from symlayout.prove.maps.bits import arithmetic
from symlayout.prove.search import Arrays, Found, Numeric, Work, environment, first_failing, length
from symlayout.prove.verdict import Counterexample

UNDEFINED = "undefined"  # the kind of such a counterexample
MOST_BRANCHES = 8  # of one size


@dataclass(frozen=True)
class Open:
    """The demands of a claim that the digits do not prove, with what the solver may settle."""

    demands: tuple[Demand, ...] = ()
    names: tuple[str, ...] = ()
    goals: tuple[tuple[Context, Goal], ...] | None = ()
    reason: str = ""
    compiled: dict[Demand, Any] = field(default_factory=dict, compare=False)

    def joined(self, attempt: Attempt) -> Attempt:
        """What is proved of the claim, and that its demands are not."""
        if not self.demands:
            return attempt
        goals = [] if attempt.proved else attempt.goals
        return Attempt(False, self.reason, None if self.goals is None else goals, attempt.details)

    def first(self, arrays: Arrays, work: Work | None = None) -> Found | None:
        """The first assignment at which a demand does not hold."""
        best: Found | None = None
        for d in self.demands:
            hit = self.search(d, arrays, work)
            if hit is not None:
                best = hit
                if not arrays:
                    break
                arrays = before(arrays, hit)
        return best

    def search(self, d: Demand, arrays: Arrays, work: Work | None) -> Found | None:
        """The first assignment at which this demand does not hold."""
        import numpy as np

        if not length(arrays):
            return None
        if d not in self.compiled:
            inside = (*self.names, *[c.name for c in d.coords])
            box = [Numeric(as_expr(e), self.names) for e in d.box]
            self.compiled[d] = ([Numeric(as_expr(e), inside) for e in d.sides], box)
        sides, box = self.compiled[d]

        def wrong(env: Arrays) -> Any:
            values = [side(env, work) for side in sides]
            bad: Any = values[0][1]
            if len(values) == 2:
                bad = bad | values[1][1] | (np.asarray(values[0][0]) < values[1][0])
            return bad

        if d.coords:
            hit = first_failing(
                arrays, self.names, d.box, lambda batch: wrong(environment(batch, d.coords))
            )
            return None if hit is None else Found(hit.sizes, hit.coords, kind=UNDEFINED)
        flags = np.broadcast_to(wrong(arrays), (length(arrays),))
        for extent in box:
            here, undefined = extent(arrays, work)
            flags = flags & (np.asarray(here) >= 1) & ~np.asarray(undefined)
        if not flags.any():
            return None
        n = int(np.argmax(flags))
        return Found({name: int(c[n]) for name, c in arrays.items()}, (), kind=UNDEFINED)


def _position(arrays: Arrays, hit: Found) -> int:
    """Where in the arrays the assignment stands."""
    import numpy as np

    here: Any = np.ones(length(arrays), dtype=bool)
    for n, column in arrays.items():
        here = here & (column == hit.sizes[n])
    return int(np.argmax(here))


def before(arrays: Arrays, hit: Found) -> Arrays:
    """The assignments that stand before it."""
    stop = _position(arrays, hit)
    return {n: c[:stop] for n, c in arrays.items()}


def explain(demands: Iterable[Demand], hit: Found) -> Counterexample | None:
    """The demand that these sizes break, in plain integers."""
    for d in demands:
        place = hit.coords if d.coords and hit.kind == UNDEFINED else ()
        if len(place) == len(d.coords):
            note = d.broken(hit.sizes, place)
            if note:
                return Counterexample(hit.sizes, place, "undefined", None, note=note)
    return None


def broken(demands: Iterable[Demand], sizes: dict[str, int]) -> bool:
    """Whether these sizes break a demand, those at all coordinates apart."""
    return any(not d.holds(sizes) for d in demands if not d.coords)


def open_demands(
    demands: Sequence[Demand], facts: Facts, names: tuple[str, ...], meter: Meter
) -> Open:
    """The demands that neither ranges nor digits prove."""
    left = [d for d in dict.fromkeys(demands) if not plain(d, facts)]
    if not left:
        return Open()
    goals: list[tuple[Context, Goal]] | None = []
    rest: list[Demand] = []
    reason = ""
    for box, coords in dict.fromkeys((d.box, d.coords) for d in left):
        ctx = context_of(facts, names, meter=meter)
        if _empty(ctx, box):
            continue
        env = _inside(ctx, box, coords)
        for d in (d for d in left if (d.box, d.coords) == (box, coords)):
            missing = None if env is None else _missing(ctx, d, env)
            if missing == []:
                continue
            rest.append(d)
            reason = reason or f"that {d.what} {d.value} is defined is not proved"
            goals = None if missing is None or goals is None else [*goals, *missing]
    return Open(tuple(rest), names, None if goals is None else tuple(goals), reason)


def plain(d: Demand, facts: Facts) -> bool:
    """Whether the ranges of the symbols settle it; a coordinate has another range than a size."""
    if any(not x.free_symbols.isdisjoint(d.coords) for x in map(as_expr, (*d.sides, *d.divisors))):
        return not d.divisors and d.least is None
    if d.least is not None:
        gap = d.value if d.least == 0 else as_expr(d.value) - as_expr(d.least)
        low = least_value(gap, facts)
        if low is None or low < 0:
            return False
    return all((least_value(x, facts) or 0) >= 1 for x in d.divisors)


def _empty(ctx: Context, box: Sequence[Size]) -> bool:
    """Whether the box is proved to have no place."""
    try:
        return any(ctx.nonneg(-ctx.poly(as_expr(extent))) for extent in box)
    except Undecided:
        return False


def _inside(
    ctx: Context, box: Sequence[Size], coords: tuple[Symbol, ...]
) -> dict[Symbol, Poly] | None:
    """The coordinates' atoms, in a context where the box has a place; None where it is not known."""
    try:
        if coords:
            return coordinate_atoms(ctx, coords, box)
        for extent in box:
            ctx.assume_nonnegative(ctx.poly(as_expr(extent)) - 1)
    except Undecided:
        return None
    return {}


def _missing(ctx: Context, d: Demand, env: dict[Symbol, Poly]) -> list[tuple[Context, Goal]] | None:
    """What of a demand is not proved, as goals; None where it is not a polynomial."""
    try:
        return _goals(ctx, d, env)
    except Undecided:
        return None


def _goals(ctx: Context, d: Demand, env: dict[Symbol, Poly]) -> list[tuple[Context, Goal]]:
    missing: list[tuple[Context, Goal]] = []
    for e in d.divisors:
        p = ctx.poly(e, env)
        if not nonzero(ctx, p):
            missing.append((ctx, (p * p - 1, ">=")))
    if d.least is not None:
        for value in _branches(arithmetic(as_expr(d.value))):
            p = ctx.poly(value, env) - ctx.poly(as_expr(d.least), env)
            if not ctx.nonneg(p):
                missing.append((ctx, (p, ">=")))
    return missing


def _branches(e: Expr) -> list[Expr]:
    """What an expression may be, whatever its conditions say; itself where these are too many."""
    results = [e]
    while len(results) <= MOST_BRANCHES:
        w = next((w for r in results for w in sorted(r.atoms(Where), key=sort_key)), None)
        if w is None:
            return results
        results = [r.xreplace({w: by}) for r in results for by in w.args[2:]]
    return [e]
