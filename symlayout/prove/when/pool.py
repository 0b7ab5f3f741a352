"""Further assignments, of other sizes than those learned from: what is guessed is tried on them.

Also those at which a relation just becomes false: thresholds lie far beyond small sizes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.prove.when.samples import Samples, numbers

ROWS = 1500
NEAR = 40  # sizes that are drawn evenly
WIDTHS = (3, 9, NEAR)  # among the least of which one is drawn
LOOKED = 24  # of each kind, labels for
APIECE = 64  # assignments, one for each relation
FAR = 1 << 70  # the largest size at a threshold
BOUNDS = 32  # assignments at the bounds of facts
LARGE = 1 << 12  # from where on a number is a threshold


def pool(names: tuple[str, ...], facts: Facts, marks: Mapping[str, Sequence[int]]) -> Samples:
    """Assignments drawn from small sizes and those at the marks, always the same ones."""
    rng = random.Random(0)
    result = Samples(names)
    domains = [facts.domain(n) for n in names]
    small = [list(islice(d.outward(), NEAR)) for d in domains]
    if not all(small):
        return result
    widths = [[values[:w] for w in WIDTHS] for values in small]
    near = [[m for m in marks.get(n, ()) if m in d] for n, d in zip(names, domains)]
    draw, loose = rng.random, facts.loose
    for _ in range(ROWS):
        row: list[int] = []
        for least, at in zip(widths, near):
            if not (at and draw() < 0.3):
                at = least[int(draw() * len(WIDTHS))]
            row.append(at[int(draw() * len(at))])
        if not loose.relations or loose.holds(dict(zip(names, row))):
            result.add_row(tuple(row), False)
    return result


def within(rows: Samples, relations: Sequence[Relation]) -> Iterator[dict[str, int]]:
    """The assignments at which all of the relations hold, a few of them, small ones first."""
    choices = [rows.sizes(k) for k in numbers(rows.holding(relations))]
    choices.sort(key=lambda sizes: sum(abs(v).bit_length() for v in sizes.values()))
    yield from choices[:LOOKED]


def apiece(
    rows: Samples, branch: Sequence[Relation], atoms: Sequence[Relation]
) -> Iterator[dict[str, int]]:
    """For each relation the smallest assignment of a branch at which it holds, each of them once."""
    left = rows.holding(branch)
    order = sorted(numbers(left), key=lambda k: sum(abs(v).bit_length() for v in rows.rows[k]))
    hits: dict[int, None] = {}
    for r in atoms:
        mask = rows.mask(r) & left
        if mask and mask != left and len(hits) < APIECE:
            hits.setdefault(next(k for k in order if mask >> k & 1))
    yield from map(rows.sizes, hits)


def thresholds(
    names: Sequence[str], facts: Facts, atoms: Sequence[Relation]
) -> Iterator[dict[str, int]]:
    """Assignments on both sides of where relations with large numbers change, then at facts' bounds."""
    for r in atoms:
        if r.op not in ("<=", ">=") or not _large(r):
            continue
        for name in (n for n in names if n in r.names):
            for rest in _others(names, facts, name):
                at = _crossing(r, name, rest, facts.domain(name).first)
                for x in () if at is None else (at - 1, at):
                    sizes = {n: x if n == name else rest[n] for n in names}
                    if facts.holds(sizes):
                        yield sizes
    ends = [dict.fromkeys((d.first, d.first if d.last is None else d.last))
            for d in map(facts.domain, names)]  # fmt: skip
    for row in islice(product(*[list(values)[::-1] for values in ends]), BOUNDS):
        if max(map(abs, row), default=0) >= LARGE and facts.holds(dict(zip(names, row))):
            yield dict(zip(names, row))


def _large(r: Relation) -> bool:
    return any(e.is_Integer and abs(e) >= LARGE for side in (r.left, r.right)
               for e in (side, *side.args))  # fmt: skip


def _others(names: Sequence[str], facts: Facts, name: str) -> Iterator[dict[str, int]]:
    """What the other sizes are: the least ones, each a power of two, or the last that facts allow."""
    domains = {n: facts.domain(n) for n in names}
    least = {n: d.first for n, d in domains.items()}
    yield least
    for power in (3, 1 << 10, 1 << 20):
        for other in names:
            if other != name:
                yield {**least, other: domains[other].near(power)}


def _crossing(r: Relation, name: str, rest: Mapping[str, int], low: int) -> int | None:
    """The first value of a size from `low` on at which the relation is not what it is there."""

    def holds(x: int) -> bool:
        return r.holds({**rest, name: x})

    try:
        first, step = holds(low), 1
        while holds(low + step) == first:
            step *= 2
            if step > FAR:
                return None
        below, above = low + step // 2, low + step
        while above - below > 1:
            middle = (below + above) // 2
            below, above = (middle, above) if holds(middle) == first else (below, middle)
        return above
    except LayoutError:
        return None
