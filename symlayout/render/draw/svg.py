"""A layout as SVG: a colour for each tile, outlines of every level, padding hatched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from symlayout.render.draw.blocks import pick_in_tiles
from symlayout.render.draw.canvas import FILLS, GAP, INK, RED, Canvas, shade
from symlayout.render.draw.grid import Grid, grids
from symlayout.render.draw.levels import Levels
from symlayout.render.draw.text import MOST_GRIDS, MOST_ROWS

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap

CELL, HIGH, LABEL = 34, 22, 34
MOST_COLUMNS = 18
# of the tiles of each level, the outermost first: colour, width, dashes
OUTLINES = ((INK, 2.0, ""), (RED, 1.2, "4 2"), ("#0550ae", 1.0, "1 2"))


def svg(
    layout: IndexMap,
    sizes: Mapping[str, int],
    levels: Levels | None = None,
    value: Any = None,
    *,
    card: bool = True,
) -> str:
    """The picture as one SVG element, `value` being what padding holds; large ones are cut.

    Without a `card` it has no ground of its own, and its labels have the page's colour.

    >>> from symlayout import IndexMap
    >>> made = svg(IndexMap.strided((2, 3), (4, 1), size=8), {})
    >>> made.count("<g><title>"), made.count("data-padding")
    (6, 2)

    Raises `LayoutError` for sizes that are missing or too large.
    """
    canvas, results = Canvas(), grids(layout, sizes, levels)
    top = float(GAP)
    for outer, grid in results[:MOST_GRIDS]:
        if outer:
            canvas.label(GAP, top + HIGH / 2, f"[{', '.join(map(str, outer))}, :, :]", start=True)
            top += HIGH
        top = _Sheet(canvas, grid, outer, layout, GAP, top).draw() + GAP
    if len(results) > MOST_GRIDS:
        canvas.label(GAP, top, f"... and {len(results) - MOST_GRIDS} more of these", start=True)
        top += HIGH
    if value is not None:
        canvas.label(GAP, top, f"padding (hatched) holds {value}", start=True)
    shape, size = layout.concrete(sizes)
    title = layout.text or f"index map {layout._shortest}"
    return canvas.svg(title, description(shape, size, sizes), card)


def description(shape: tuple[int, ...], size: int, sizes: Mapping[str, int]) -> str:
    """What the picture shows, for those who do not see it.

    >>> description((3, 5), 24, {"M": 3})
    'offsets of the elements of an array of shape 3 x 5 in a buffer of 24, at M = 3'
    """
    at = ", ".join(f"{n} = {v}" for n, v in sizes.items())
    array = f"an array of shape {' x '.join(map(str, shape))}" if shape else "a scalar"
    return f"offsets of the elements of {array} in a buffer of {size}{', at ' + at if at else ''}"


class _Sheet:
    """One grid on the canvas, its upper left corner at (left, top)."""

    def __init__(
        self,
        canvas: Canvas,
        grid: Grid,
        outer: tuple[int, ...],
        layout: IndexMap,
        left: float,
        top: float,
    ) -> None:
        self.canvas, self.grid, self.outer, self.layout = canvas, grid, outer, layout
        self.left, self.top = left + LABEL, top + HIGH
        high, wide = len(grid.cells), len(grid.cells[0]) if grid.cells else 0
        self.rows = pick_in_tiles(high, MOST_ROWS, grid.row_starts)
        self.columns = pick_in_tiles(wide, MOST_COLUMNS, grid.column_starts)
        digits = max([2, *(len(str(x)) for row in grid.cells for x in row[-1:] if x is not None)])
        digits = max([digits, *(len(str(x)) for x in (grid.cells or [()])[-1] if x is not None)])
        self.cell = max(CELL if digits > 3 else 30, 8 * digits + 8)

    def x(self, n: int) -> float:
        """Where the n-th shown column begins."""
        return self.left + n * self.cell

    def y(self, n: int) -> float:
        """Where the n-th shown row begins."""
        return self.top + n * HIGH

    def draw(self) -> float:
        """Draws all, and says where it ends."""
        if not self.grid.cells or not self.grid.cells[0]:
            self.canvas.label(self.left, self.top, "(no elements)", start=True)
            return self.top + HIGH
        for n, c in enumerate(self.columns):
            text = "…" if c is None else str(c)
            self.canvas.label(self.x(n) + self.cell / 2, self.top - HIGH / 2, text)
        for m, r in enumerate(self.rows):
            text = "⋮" if r is None else str(r)
            self.canvas.label(self.left - LABEL / 2, self.y(m) + HIGH / 2, text)
            for n, c in enumerate(self.columns):
                if r is not None and c is not None:
                    self._cell(r, c, self.x(n), self.y(m))
        self._outlines()
        return self.y(len(self.rows))

    def _cell(self, r: int, c: int, x: float, y: float) -> None:
        offset = self.grid.cells[r][c]
        if offset is None:
            return
        where = (*self.outer, r, c)[-max(1, self.layout.rank) :] if self.layout.rank else ()
        if self.grid.is_padding(r, c):
            title = f"padding: offset {offset}"
            self.canvas.hatched(x, y, self.cell, HIGH, str(offset), title)
            return
        bits = self.layout.bits
        at = f", byte {offset * bits // 8}" if bits and bits % 8 == 0 else ""
        title = f"({', '.join(map(str, where))}): offset {offset}{at}"
        tile, depth = self.grid.tile(r, c)
        fill = shade(FILLS[tile % len(FILLS)], depth)
        self.canvas.cell(x, y, self.cell, HIGH, str(offset), fill, title)

    def _outlines(self) -> None:
        wide, high = self.x(len(self.columns)), self.y(len(self.rows))
        for n, r in enumerate(self.rows):
            if r in self.grid.row_borders:
                self._line(f"M{self.left:g} {self.y(n):g}H{wide:g}", self.grid.row_borders[r])
        for n, c in enumerate(self.columns):
            if c in self.grid.column_borders:
                self._line(f"M{self.x(n):g} {self.top:g}V{high:g}", self.grid.column_borders[c])
        around = f"M{self.left:g} {self.top:g}H{wide:g}V{high:g}H{self.left:g}Z"
        self.canvas.stroke(around, "#8b949e", 1.0)

    def _line(self, path: str, level: int) -> None:
        colour, width, dashes = OUTLINES[min(level, len(OUTLINES)) - 1]
        more = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.canvas.stroke(path, colour, width, more)
