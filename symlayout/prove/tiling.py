"""`tiles`: a grid of tiles, each addressed as its first element's offset + one tile layout.

Every index of a dimension is `g*t + k` for exactly one tile g in [0, ceil(d/t)) and one place k in
[0, t) (Euclid): so the tiles cover the array and do not overlap, and what reaches past d is to be
masked.  What can go wrong is the address: `A(g*t) + T(k) == A(g*t + k)` wherever `g*t + k < d`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

from symlayout.digits.context import Context
from symlayout.digits.poly import ZERO
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.reader import Scanner, expression_at
from symlayout.expr.terms import (
    FloorDiv,
    Mod,
    Size,
    as_expr,
    as_size,
    ceildiv,
    coordinate_symbols,
    free_names,
    put,
)
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.cute.tuples import plain_tuples, without_marks
from symlayout.layouts.demands import Demand, at_least, within
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.notation import parse
from symlayout.layouts.room import room
from symlayout.prove.decide import as_map, claim_facts, map_names
from symlayout.prove.question import Question, Reported
from symlayout.prove.run import Run
from symlayout.prove.statement import Goal, Offset, Statement, let
from symlayout.prove.verdict import Verdict
from symlayout.prove.word import states


@states
def tiles(
    a: Any, tile: Any, *, at: Any = None, where: Any = (), budget: int | None = None
) -> Question:
    """The tiles cover A, do not overlap, and first offset + tile layout addresses what A addresses.

    >>> tiles("zN(f16, R, C)", "16,32", where="C >= 32").status
    'proved'
    >>> tiles("zN(f16, 64, 64)", "16,16", at="8,8").details["sufficient"]
    'the tile begins at a multiple of (16, 16)'

    `tile` has one size per dimension (then the tile keeps A's blocks and strides), or is a layout;
    `at` is where one tile begins, without it all tiles of the grid are meant.  Sizes may be symbols.
    The last tiles of a grid may be ragged, but a tile that is larger than its layout is undefined.
    Details: `tiles`, how many in each dimension; `masked`, the places of a tile that lie outside of
    A, which code must neither load nor store; `sufficient`, where a refuted claim certainly holds.
    """
    m = as_map(a, "tiles", where)
    inner = read_tile(m, tile)
    text = a.text if isinstance(a, IndexMap) else a  # the claim is about what it was read from
    ends = room(parse(text) if isinstance(text, str) and text else a, m)
    check_room(inner._shape, ends)
    facts = claim_facts(where, m, inner)
    known, sizes = facts, map_names(m, inner)
    if at is None:
        result = _grid(m, inner, facts, ends)
    else:
        corner = read_sizes(at, "a tile's place", m.rank, 0)
        known = _without(facts, {*free_names(*corner)} - {*sizes}, sizes)
        facts = corner_facts(m, inner, corner, facts)
        result = _single(m, inner, corner, facts, ends)

    def report(verdict: Verdict, run: Run) -> Verdict:
        if verdict.counterexample is None or verdict.counterexample.left == "undefined":
            return verdict
        return _with_condition(verdict, m, inner, known, ends, run)

    return Reported(result.statement(facts), report)


def check_room(tile: Sequence[Size], ends: Sequence[Size]) -> None:
    """Raises `LayoutError` (SL107) for a tile that is certainly larger than its layout."""
    for k, (t, d) in enumerate(zip(tile, ends)):
        if isinstance(t, int) and isinstance(d, int) and t > d > 0:
            message = f"the tile of {t} is larger than dimension {k} of its layout, {d}"
            help = "a tile is part of its layout; the last ones of a grid may be ragged"
            raise LayoutError("SL107", message, help=help)


def read_tile(m: IndexMap, tile: Any) -> IndexMap:
    """The tile's own map: of a layout, or of sizes within the blocks and strides of the whole.

    Raises `LayoutError` (SL403) for a tile of another rank, SL102 for a size below 1.
    """
    inner = _layout(tile)
    if inner is None:
        sizes = read_sizes(tile, "a tile", m.rank, 1)
        coords = coordinate_symbols(m.rank, {*m.symbols, *free_names(*sizes)})
        start = _at(m, (Integer(0),) * m.rank)
        raw = as_expr(_at(m, coords) - start)
        return IndexMap(sizes, coords, raw, m._size, m.bits, demands=())
    if inner.rank != m.rank:
        raise LayoutError("SL403", f"a tile of {inner.rank} dimensions for {m.rank}")
    return inner


def _layout(tile: Any) -> IndexMap | None:
    """The map of a layout, None for sizes."""
    if isinstance(tile, str):
        from symlayout.layouts.cute.formats import FORMATS

        text = plain_tuples(tile)
        head = re.match(r"\s*(\w+)\s*\(", text)
        names = {*FORMATS, "MakeLayout", "make_layout"}
        if ":" in text or "[" in text or (head and head.group(1) in names):
            return as_map(tile, "tiles")
        return None
    if isinstance(tile, IndexMap) or hasattr(tile, "index_map"):
        return as_map(tile, "tiles")
    return None


def read_sizes(numbers: Any, what: str, rank: int, least: int) -> tuple[Size, ...]:
    """One size per dimension, from a text (`16,BN` or `(16,BN)`) or Python values.

    Raises `LayoutError`: SL403 for another number of them, SL102 for one below `least`,
    SL200 for what cannot be read.
    """
    if isinstance(numbers, str):
        scanner = Scanner(without_marks(plain_tuples(numbers)))
        values: list[Any] = _read_list(scanner)
    else:
        values = list(numbers) if isinstance(numbers, (tuple, list)) else [numbers]
    sizes = tuple(as_size(v) for v in values)
    if len(sizes) != rank:
        help = f"one for each dimension, such as {','.join(['16'] * rank)}"
        count = f"{len(sizes)} number{'s' * (len(sizes) != 1)}"
        message = f"{what} of {count} for {rank} dimension{'s' * (rank != 1)}"
        raise LayoutError("SL403", message, help=help if rank else None)
    for s in sizes:
        if isinstance(s, int) and s < least:
            raise LayoutError("SL102", f"{what} has the number {s}, which is less than {least}")
    return sizes


def _read_list(s: Scanner) -> list[Any]:
    start = s.skip()
    for bracket in (True, False):
        s.at = start
        if bracket and not s.take("("):
            continue
        results = [expression_at(s)]
        while s.take(","):
            results.append(expression_at(s))
        if not bracket or (s.take(")") and s.done()):
            break
    s.end("the sizes")
    return results


def corner_facts(m: IndexMap, inner: IndexMap, corner: Sequence[Size], facts: Facts) -> Facts:
    """The facts, and that a name of the corner that is not a size may be 0, where none says more."""
    own = {*map_names(m, inner)}
    names = [n for n in free_names(*corner) if n not in own and not facts.bounds_below(n)]
    for e, d in zip(corner, m._shape):
        if isinstance(e, int) and isinstance(d, int) and e >= d:
            raise LayoutError("SL400", f"the tile begins at {e}, outside of [0, {d})")
    return facts.at_least((n, 0) for n in names)


def _inside(m: IndexMap, inner: IndexMap, corner: Sequence[Size], facts: Facts) -> Facts:
    """The facts, and that the corner lies in the array."""
    own = {*map_names(m, inner)}
    more = [
        Relation("<=", as_expr(e), as_expr(d) - 1)
        for e, d in zip(corner, m._shape)
        if not (isinstance(e, int) and isinstance(d, int))
    ]
    rest = [(n, facts.domain(n).first) for r in more if len(r.names) == 1 for n in r.names & own]
    return facts.and_(more).at_least(rest)  # that 0 <= M does not let a size be 0


@dataclass(frozen=True)
class _Tiled:
    """Corners and places as expressions of coordinates; what is compared where."""

    whole: IndexMap
    inner: IndexMap
    coords: tuple[Symbol, ...]
    shape: tuple[Size, ...]
    corner: tuple[Expr, ...]  # per dimension of the array
    place: tuple[Symbol, ...]
    grid: tuple[Size, ...]  # empty for one tile
    ends: tuple[Size, ...]  # how far the layout reaches

    @property
    def index(self) -> tuple[Expr, ...]:
        """The element's own coordinates in the array."""
        return tuple(c + k for c, k in zip(self.corner, self.place))

    def statement(self, facts: Facts) -> Statement:
        """Both ways to the element's offset are one, wherever the element lies in the array."""
        corners = [as_expr(c) for c in self.corner]
        own = {c.name for c in self.coords}
        sizes = [n for n in free_names(*corners) if n not in own]
        note = (
            "element {whole.place} is {moved.place} of the tile at {first.place}: "
            "{first} + {moved} against {whole}"
        )
        both = let("first") + let("moved")
        return Statement(
            tuple(dict.fromkeys([*map_names(self.whole, self.inner), *sizes])),
            facts,
            [Goal(both, "==", let("whole"), note, proof="in digits both ways give {left}")],
            coords=self.coords,
            shape=self.shape,
            offsets={
                "first": Offset(self.whole, self.corner),
                "moved": Offset(self.inner, self.place),
                "whole": Offset(self.whole, self.index),
            },
            premises=[Goal(x, "<", d) for x, d in zip(self.index, self.whole._shape)],
            demands=self.demands,
            report=self.report,
        )

    @property
    def demands(self) -> tuple[Demand, ...]:
        """What both layouts demand, tile sizes from 1 on, and a corner inside the array."""
        demands = [*self.whole.demanded, *self.inner.demanded]
        demands += at_least("the tile size", self.inner._shape, 1)
        if not self.grid:
            for c, d in zip(self.corner, self.whole._shape):
                demands += at_least("the tile's place", [as_size(c)], 0)
                demands += within("the last index", as_size(c), as_size(d - 1))
        for t, d in zip(self.inner._shape, self.ends):
            if t != d and not (isinstance(t, int) and isinstance(d, int)):
                what = f"a tile of {t} is larger than its layout: the extent"
                demands.append(Demand(what, d, t, self.whole._shape))
        return tuple(demands)

    def details(self, ctx: Context) -> dict[str, Any]:
        """How many tiles, and which places are to be masked."""
        masked = []
        for c, k, t, d in zip(self.corner, self.place, self.inner._shape, self.whole._shape):
            size, end = ctx.poly(as_expr(t)), ctx.poly(as_expr(d))
            if self.grid:
                inside = ctx.divmod(end, size)[1] == ZERO
            else:
                inside = ctx.nonneg(end - size - ctx.poly(c))
            if not inside:
                masked.append(f"{c + k} >= {d}")
        return {"tiles": [str(g) for g in self.grid], "masked": masked}

    def report(self, ctx: Context) -> tuple[str, dict[str, Any]]:
        """The details in a sentence, and as values."""
        details = self.details(ctx)
        count = " x ".join(details["tiles"])
        text = f"; {count} tiles, each element in one of them (Euclid)" if count else "; one tile"
        if details["masked"]:
            text += f"; outside of the array, for code to mask: {' or '.join(details['masked'])}"
        return text, details


def _grid(m: IndexMap, inner: IndexMap, facts: Facts, ends: tuple[Size, ...]) -> _Tiled:
    coords = coordinate_symbols(2 * m.rank, {*m.symbols, *inner.symbols, *facts.names})
    numbers, place = coords[: m.rank], coords[m.rank :]
    grid = tuple(ceildiv(d, t) for d, t in zip(m._shape, inner._shape))
    corner = tuple(as_expr(g * t) for g, t in zip(numbers, inner._shape))
    return _Tiled(m, inner, coords, (*grid, *inner._shape), corner, place, grid, ends)


def _single(
    m: IndexMap, inner: IndexMap, corner: Sequence[Size], facts: Facts, ends: tuple[Size, ...]
) -> _Tiled:
    names = {*m.symbols, *inner.symbols, *free_names(*corner), *facts.names}
    place = coordinate_symbols(m.rank, names)
    return _Tiled(m, inner, place, inner._shape, tuple(map(as_expr, corner)), place, (), ends)


def _at(m: IndexMap, coords: Sequence[Any]) -> Expr:
    """The map's definition at these coordinates."""
    table = {s: as_expr(c) for s, c in zip(m._coords, coords)}
    return as_expr(put(as_expr(m._raw), table))


# -- where a refuted claim does hold --------------------------------------------


def blocks(m: IndexMap) -> tuple[Size, ...]:
    """For each dimension the size of the blocks that its coordinate is divided by."""
    hits: list[Size] = []
    raw = as_expr(m._raw)
    for c in m._coords:
        divisors = [as_size(e.args[1]) for e in raw.atoms(FloorDiv, Mod) if e.args[0] == c]
        numbers = [d for d in divisors if isinstance(d, int)]
        others = list(dict.fromkeys(d for d in divisors if not isinstance(d, int)))
        block: Size = lcm(*numbers) if numbers else 1
        for d in others:
            block = d if block == 1 else as_size(block * d)
        hits.append(block)
    return tuple(hits)


def _without(facts: Facts, place: set[str], sizes: Sequence[str]) -> Facts:
    """The facts about the sizes, and what these are tied to, that say nothing of a tile's place."""
    relations = [r for r in facts.relations if not r.names & place]
    names = set(sizes)
    for _ in relations:
        names.update(*[r.names for r in relations if r.op == "==" and r.names & names])
    return facts.only(r for r in relations if r.names <= names)


def _with_condition(
    verdict: Verdict,
    m: IndexMap,
    inner: IndexMap,
    facts: Facts,
    ends: tuple[Size, ...],
    run: Run,
) -> Verdict:
    """The verdict with a condition on the tile's place that is enough for the claim."""
    steps = blocks(m)
    names = {*m.symbols, *inner.symbols, *facts.names}
    multiples = coordinate_symbols(m.rank, names)
    corner = tuple(as_size(s * k) for s, k in zip(steps, multiples))
    known = _inside(m, inner, corner, corner_facts(m, inner, corner, facts))
    if not _single(m, inner, corner, known, ends).statement(known).decided(run).proved:
        return verdict
    from dataclasses import replace

    text = f"the tile begins at a multiple of ({', '.join(map(str, steps))})"
    return replace(
        verdict,
        reason=f"{verdict.reason}; it certainly holds where {text}",
        _details={**verdict._details, "sufficient": text},
    )
