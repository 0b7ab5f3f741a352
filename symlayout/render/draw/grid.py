"""The table of a picture: offsets by row and column, the padding around, where tiles begin.

Works on any index map: padding is what the map's own formula reaches beyond the shape without
leaving the buffer or meeting an element; a tile border is where the step to the neighbour changes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from symlayout.errors import LayoutError
from symlayout.expr.terms import value
from symlayout.render.draw.levels import Levels, border_levels
from symlayout.text.once import cached_property

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap

LARGEST = 1 << 20


@dataclass(frozen=True)
class Grid:
    """A matrix of offsets: rows x columns of elements, then padding up to the cells' own extent.

    `cells[r][c]` is an offset, or None where the buffer holds nothing; `levels` are the borders of
    rows and columns where the layout says what its tiles are.
    """

    rows: int
    columns: int
    cells: tuple[tuple[int | None, ...], ...]
    levels: tuple[dict[int, int], dict[int, int]] | None = None
    ids: tuple[tuple[list[tuple[int, ...]], ...], ...] | None = None  # of each cell its tiles

    @cached_property
    def row_borders(self) -> dict[int, int]:
        """The rows above which a tile border runs, each with the outermost level it belongs to."""
        return dict.fromkeys(_borders(self.cells), 1) if self.levels is None else self.levels[0]

    @cached_property
    def column_borders(self) -> dict[int, int]:
        """The same for the columns to the left of which a border runs."""
        if self.levels is not None:
            return self.levels[1]
        return dict.fromkeys(_borders(tuple(zip(*self.cells))), 1)

    @property
    def row_starts(self) -> list[int]:
        """Where outermost tiles begin, and the padding."""
        return [*(r for r, level in self.row_borders.items() if level == 1), self.rows]

    @property
    def column_starts(self) -> list[int]:
        """The same of columns."""
        return [*(c for c, level in self.column_borders.items() if level == 1), self.columns]

    def is_padding(self, row: int, column: int) -> bool:
        """Whether that cell holds padding and no element."""
        return row >= self.rows or column >= self.columns

    def tile(self, row: int, column: int) -> tuple[int, int]:
        """A number for the cell's outermost tile, other than its neighbours', and a depth in it.

        The depth changes where an inner tile of some level begins.
        """
        if self.ids is None:
            outer = 7 * sum(b <= row for b in self.row_borders)
            return outer + sum(b <= column for b in self.column_borders), 0
        first, *others = self.ids[row][column]
        number = sum(c * (len(first) - k) for k, c in enumerate(first))
        return number, sum(sum(inner) % 2 for inner in others)


def _borders(lines: tuple[tuple[int | None, ...], ...]) -> frozenset[int]:
    """The lines whose step from the line before is not the step between the first two."""
    if len(lines) < 3:
        return frozenset()
    steps = [_step(a, b) for a, b in itertools.pairwise(lines)]
    first = steps[0]
    return frozenset(n + 1 for n, s in enumerate(steps) if n and s != first)


def _step(a: tuple[int | None, ...], b: tuple[int | None, ...]) -> tuple[int, ...]:
    return tuple({y - x: None for x, y in zip(a, b) if x is not None and y is not None})[:1]


def grids(
    layout: IndexMap, sizes: Mapping[str, int], levels: Levels | None = None
) -> list[tuple[tuple[int, ...], Grid]]:
    """One grid for each value of the leading coordinates, the last two dimensions as a matrix.

    >>> from symlayout import IndexMap
    >>> [(_, made)] = grids(IndexMap.strided((2, 3), (4, 1), size=8), {})
    >>> made.cells, made.columns
    (((0, 1, 2, 3), (4, 5, 6, 7)), 3)

    Raises `LayoutError` (SL405) for a picture of more than a million cells.
    """
    shape, size = layout.concrete(sizes)
    count = prod(shape)
    if count > LARGEST or size > 16 * LARGEST:
        message = f"a picture of {count} elements is too large"
        raise LayoutError("SL405", message, help="give smaller --size")
    offset = _Offsets(layout, sizes, size)
    rows, columns = (shape[-2:] if len(shape) > 1 else (1, *shape)) if shape else (1, 1)
    return [
        (outer, _grid(offset, outer, rows, columns, len(shape), levels))
        for outer in itertools.product(*map(range, shape[:-2]))
    ]


class _Offsets:
    """The offset of any coordinate, and which offsets elements occupy."""

    def __init__(self, layout: IndexMap, sizes: Mapping[str, int], size: int) -> None:
        self.layout, self.sizes, self.size = layout, dict(sizes), size
        self.names = [c.name for c in layout._coords]
        buffer = layout.buffer(**sizes)
        self.offsets = frozenset(int(k) for k in (buffer >= 0).nonzero()[0])

    def __call__(self, coords: tuple[int, ...]) -> int:
        return value(self.layout._raw, {**self.sizes, **dict(zip(self.names, coords))})


def _grid(
    offset: _Offsets,
    outer: tuple[int, ...],
    rows: int,
    columns: int,
    rank: int,
    levels: Levels | None,
) -> Grid:
    def at(r: int, c: int) -> int:
        return offset((*outer, r, c)[-rank:] if rank else ())

    cells = [[at(r, c) for c in range(columns)] for r in range(rows)]
    if rank == 0 or not rows or not columns:
        return Grid(rows, columns, tuple(map(tuple, cells)))
    seen: set[int] = set(offset.offsets)
    wide, high = columns, rows
    while fresh := _padding([at(r, wide) for r in range(rows)], seen, offset.size):
        seen |= fresh
        wide += 1
    while rank > 1 and (fresh := _padding([at(high, c) for c in range(wide)], seen, offset.size)):
        seen |= fresh
        high += 1
    table = [
        tuple(x if (x := at(r, c)) < offset.size else None for c in range(wide))
        for r in range(high)
    ]
    if levels is None:
        return Grid(rows, columns, tuple(table))
    ids = [[levels((*outer, r, c)[-rank:]) for c in range(wide)] for r in range(high)]
    both = border_levels(ids), border_levels([list(line) for line in zip(*ids)])
    return Grid(rows, columns, tuple(table), both, tuple(map(tuple, ids)))


def _padding(line: list[int], seen: set[int], size: int) -> set[int]:
    """The holes that a further line would show; none when it meets an element or leaves."""
    inside = [x for x in line if 0 <= x < size]
    if len(set(inside)) < len(inside) or seen & set(inside) or any(x < 0 for x in line):
        return set()
    return set(inside)
