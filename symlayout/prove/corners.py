"""Counterexamples read off the digits: corners of the boxes, thresholds and zeros of what is left.

What the digit engine cannot show is a polynomial in atoms with ranges.  It fails, if anywhere, mostly
where atoms are at the ends of their ranges, at powers of two, or at a zero; those few points are
looked at before anything is listed, and whatever size they have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from symlayout.digits.context import Context
from symlayout.digits.placement import Goal
from symlayout.digits.poly import Poly
from symlayout.digits.roots import crossings
from symlayout.digits.samples import Definition, by_dependence, definition, operation, value_of
from symlayout.expr.facts import Facts
from symlayout.prove.search import Found

MOST_FACTORS = 150_000  # of the polynomials, at all of these points together
MOST_TRIED = 5_000_000  # factors of all that is looked at to place a point, those in vain included
MOST_CORNERS = 64  # of a box, each for some sizes
MOST_MARKS = 40
OTHERS = 48  # small values of all unknowns but the one that is solved for
FAR = 40  # powers of two
HIGHEST = 72  # of sizes alone
BOUND = 1 << 12  # from where on an upper bound of a size is far
ASSIGNMENTS = 96  # at such bounds
FEW = 64  # values of a size that are all looked at
TRIED = 2000
SMALL = (1, 2, 3, 5, 7, 64)

Point = dict[int, int]


def failing_points(
    ctx: Context, goals: Sequence[Goal], names: Sequence[str], most: int
) -> Iterator[Found]:
    """Sizes and coordinates at which a goal is false in digits, those of small sizes first.

    `most` is how many points are looked at.
    """
    order = by_dependence(ctx)
    resolved = [(ctx.resolve(p), kind) for p, kind in goals]
    long = sum(p.length for p in (*(p for p, _ in resolved), *map(ctx.resolve, ctx.constraints)))
    tries = islice(_points(ctx, goals, order), MOST_TRIED // (1 + long + _reach(ctx, order)))
    places = (point for point in tries if point is not None)
    for point in islice(places, min(most, MOST_FACTORS // (1 + long))):
        if any(not _true(p.value(point), kind) for p, kind in resolved):
            yield from _failures(ctx, point, names)


def failing_sizes(
    ctx: Context, goals: Sequence[Goal], names: Sequence[str], most: int
) -> Iterator[dict[str, int]]:
    """The sizes of those points alone."""
    return (hit.sizes for hit in failing_points(ctx, goals, names, most))


def grown_sizes(ctx: Context, names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Sizes that satisfy the facts, each alone and all together at powers of two."""
    order = by_dependence(ctx)
    free = [a for a in order if ctx.atoms[a].kind not in ("coord",) and not operation(ctx, a)]
    places = _Places(ctx, order)
    for k in range(1, HIGHEST):
        for grown in [*[[a] for a in free], *([free] if len(free) > 1 else [])]:
            point = places.at(dict.fromkeys(grown, 2**k), {})
            if point is not None:
                yield _sizes(ctx, point, names)


def far_sizes(
    facts: Facts, names: Sequence[str], marks: Sequence[int] = ()
) -> Iterator[dict[str, int]]:
    """Sizes that satisfy the facts, some at the upper bounds of facts or at marks, the others small.

    >>> list(far_sizes(Facts.read(["n <= 9999", "R <= 2"]), ["n", "R"]))[:3]
    [{'n': 9999, 'R': 1}, {'n': 9999, 'R': 2}, {'n': 9998, 'R': 1}]
    """
    domains = {n: facts.domain(n) for n in names}
    if any(d.empty for d in domains.values()):
        return
    rows = list[list[int]]()
    for d in domains.values():
        small = [d.near(d.first + k - 1) for k in SMALL]
        near = d.last is not None and d.last < BOUND
        far = [d.last, d.near(d.last - 1)] if d.last is not None and not near else []
        far += [x for m in marks for x in map(d.near, (m, m + 1))]
        small += [d.last, *map(d.near, range(FEW))] if near and d.last is not None else []
        rows.append(list(dict.fromkeys([*far, *small])))
    count = 0
    for row in islice(product(*rows), TRIED):
        sizes = dict(zip(names, row))
        if count < ASSIGNMENTS and facts.holds(sizes):
            count += 1
            yield sizes


def _reach(ctx: Context, order: list[int]) -> int:
    """How many factors are looked at to place a point."""
    parts = [q for a in order for q in (ctx.atoms[a].high, *operation(ctx, a)[1:])]
    stand = [ctx.resolve(q) for q in (*parts, *ctx.replaced.values()) if q is not None]
    return len(order) + sum(p.length for p in stand)


def least_failure(
    ctx: Context, goals: Sequence[Goal], names: Sequence[str]
) -> Iterator[Found] | None:
    """The same for polynomials in one size: the least failure is among them, if there is any."""
    unknowns = {a for p, _ in goals for a in ctx.resolve(p).atoms}
    alone = len(names) == 1 and len(unknowns) == 1 and not ctx.constraints and not ctx.nonzero
    if not alone or any(operation(ctx, a) or ctx.atoms[a].kind != "size" for a in unknowns):
        return None
    order = by_dependence(ctx)
    first = _Places(ctx, order).at({}, {})
    points = [*([first] if first else []), *_zeros(ctx, goals, order, list(unknowns))]
    resolved = [(ctx.resolve(p), kind) for p, kind in goals]
    return (
        hit
        for point in points
        if point is not None and any(not _true(p.value(point), kind) for p, kind in resolved)
        for hit in _failures(ctx, point, names)
    )


def _true(value: int, kind: str) -> bool:
    if kind == "==":
        return value == 0
    return value != 0 if kind == "!=" else value >= 0


def _failures(ctx: Context, point: Point, names: Sequence[str]) -> Iterator[Found]:
    """The sizes and coordinates of a point; a claim may have made more than one box."""
    sizes = _sizes(ctx, point, names)
    for box in ctx.boxes or [()]:
        coords = [0 if a is None else ctx.resolve(Poly({(a,): 1})).value(point) for a in box]
        yield Found(sizes, tuple(coords))


def _sizes(ctx: Context, point: Point, names: Sequence[str]) -> dict[str, int]:
    return {n: ctx.resolve(Poly({(ctx.by_name[n],): 1})).value(point) for n in names}


def _points(ctx: Context, goals: Sequence[Goal], order: list[int]) -> Iterator[Point | None]:
    """Points in order; None for one that the facts exclude."""
    sizes = [a for a in order if ctx.atoms[a].kind == "size" and not operation(ctx, a)]
    inner = [a for a in order if a not in sizes and not operation(ctx, a)]
    places = _Places(ctx, order)
    for grown in _growth(ctx, goals, sizes):
        for choice in _ends(inner):
            yield places.at({**grown}, choice)
    yield from _zeros(ctx, goals, order, [*sizes, *inner])


def _growth(ctx: Context, goals: Sequence[Goal], sizes: list[int]) -> Iterator[Point]:
    """How far sizes lie above their least values: not at all, each alone, all together."""
    yield {}
    marks = _marks(ctx, goals)
    steps = sorted({1, 2, *marks, *[2**k for k in range(2, FAR)]})
    for step in steps:
        for grown in [*[[a] for a in sizes], *([sizes] if len(sizes) > 1 else [])]:
            yield dict.fromkeys(grown, step)


def _marks(ctx: Context, goals: Sequence[Goal]) -> list[int]:
    """Numbers that occur in goals, and those beside them."""
    hits = {abs(c) for p, _ in goals for c in ctx.resolve(p).terms.values()}
    beside = {c + d for c in hits if c > 2 for d in (-1, 0, 1)}
    return sorted(beside)[:MOST_MARKS]


def _ends(inner: list[int]) -> Iterator[dict[int, int]]:
    """Which end of its range each atom is at: 0 the least, -1 the greatest, 1 beside the least."""
    yield dict.fromkeys(inner, -1)
    yield {}
    for a in reversed(inner):
        yield {a: 1}
        yield {a: -1}
        yield {**dict.fromkeys(inner, -1), a: 0}
    if 2 < 2 ** len(inner) <= MOST_CORNERS:
        for ends in product((0, -1), repeat=len(inner)):
            yield dict(zip(inner, ends))


class _Places:
    """The atoms of a context in an order in which points give them values, everything resolved."""

    def __init__(self, ctx: Context, order: list[int]) -> None:
        self.rows = [self.row(ctx, a) for a in order]
        self.replaced = [(n, ctx.resolve(by)) for n, by in ctx.replaced.items()]
        self.constraints = [ctx.resolve(c) for c in ctx.constraints]

    @staticmethod
    def row(ctx: Context, a: int) -> tuple[int, Definition | None, int, Poly | None]:
        """An atom with its definition, or with the ends of its range."""
        if operation(ctx, a):
            return a, definition(ctx, a), 0, None
        return a, None, ctx.atoms[a].low or 0, ctx.high(a)

    def at(self, grown: Point, ends: dict[int, int], exact: Point | None = None) -> Point | None:
        """The point where atoms have those places in their ranges; None where the facts exclude it."""
        point: Point = {}
        for a, defined, low, end in self.rows:
            if defined is not None:
                result = value_of(*defined, point)
                if result is None:
                    return None
                point[a] = result
                continue
            high = None if end is None else end.value(point)
            value = low + grown.get(a, 0)
            if exact and a in exact:
                value = exact[a]
            elif ends.get(a) == -1 and high is not None:
                value = high
            elif ends.get(a) == 1:
                value = low + 1
            if high is not None and a in grown:
                value = min(value, high)
            if value < low or (high is not None and value > high):
                return None
            point[a] = value
        for n, by in self.replaced:
            point[n] = by.value(point)
        for c in self.constraints:
            if c.value(point) < 0:
                return None
        return point


def _zeros(
    ctx: Context, goals: Sequence[Goal], order: list[int], free: list[int]
) -> Iterator[Point | None]:
    """Each goal solved for one unknown after the other, the others being small."""
    places = _Places(ctx, order)
    for p, _ in goals:
        p = ctx.resolve(p)
        unknowns = [a for a in free if a in p.atoms]
        if any(operation(ctx, a) for a in p.atoms):
            continue
        for a in unknowns:
            parts = p.by_power(a)
            others = [b for b in unknowns if b != a]
            for steps in islice(_small(len(others)), OTHERS):
                grown = dict(zip(others, steps))
                start = places.at(grown, {})
                if start is None:
                    yield None
                    continue
                line = [0] * (max(parts) + 1)
                for k, c in parts.items():
                    line[k] = c.value(start)
                info = ctx.atoms[a]
                high = None if info.high is None else ctx.resolve(info.high).value(start)
                for x in crossings(line, info.low or 0, high):
                    yield places.at(grown, {}, {a: x})


def _small(count: int) -> Iterator[tuple[int, ...]]:
    """Steps above the least values, those of a small sum first."""
    total = 0
    while count or not total:
        yield from _sums(count, total)
        total += 1


def _sums(count: int, total: int) -> Iterator[tuple[int, ...]]:
    if count == 0:
        if total == 0:
            yield ()
        return
    if count == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _sums(count - 1, total - first):
            yield (first, *rest)
