"""A layout as text: the grid of offsets, borders between tiles, padding in parentheses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symlayout.render.draw.blocks import pick_in_tiles
from symlayout.render.draw.grid import Grid, grids
from symlayout.render.draw.levels import Levels

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap

MOST_ROWS = 24
MOST_GRIDS = 4
ROWS, COLUMNS = "-.'", "|:'"  # the borders of each level
# of 256 colours those nearest to the pictures', and the same a little darker
GROUNDS = ((153, 223, 151, 183, 217, 187), (110, 180, 108, 140, 174, 144))


def draw(
    layout: IndexMap,
    sizes: Mapping[str, int],
    *,
    colour: bool = False,
    width: int = 100,
    levels: Levels | None = None,
    value: Any = None,
) -> str:
    """The offsets of every element at those sizes; large layouts are cut in the middle.

    `levels` say where tiles begin (solid lines around those of the first level, dotted ones around
    the second, finer ones around the others), `value` is what padding holds.

    >>> from symlayout import IndexMap
    >>> print(draw(IndexMap.strided((2, 3), (4, 1), size=8), {}), end="")
    shape (2, 3), 8 offsets of which 2 are padding, in parentheses
         0  1  2  3
    0 |  0  1  2 (3)
    1 |  4  5  6 (7)

    Raises `LayoutError` for sizes that are missing or too large.
    """
    shape, size = layout.concrete(sizes)
    results = grids(layout, sizes, levels)
    holes = size - len({int(x) for x in layout.buffer(**sizes) if x >= 0})
    text = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    line = f"shape {text}, {size} offset{'' if size == 1 else 's'}"
    if holes:
        line += f" of which {holes} {'is' if holes == 1 else 'are'} padding, in parentheses"
        line += "" if value is None else f", and hold {value}"
    lines = [line]
    for outer, grid in results[:MOST_GRIDS]:
        if outer:
            lines += ["", f"[{', '.join(map(str, outer))}, :, :]"]
        lines += _lines(grid, colour, width)
    if len(results) > MOST_GRIDS:
        lines += ["", f"... and {len(results) - MOST_GRIDS} more of these"]
    return "\n".join(lines) + "\n"


def _lines(grid: Grid, colour: bool, width: int) -> list[str]:
    if not grid.cells or not grid.cells[0]:
        return ["(no elements)"]
    high, wide = len(grid.cells), len(grid.cells[0])
    digits = max(len(str(x)) for row in grid.cells for x in row if x is not None)
    digits = max(digits, len(str(wide - 1)))
    label = len(str(high - 1))
    columns = pick_in_tiles(wide, max(2, (width - label - 3) // (digits + 3)), grid.column_starts)
    lines = [
        " " * (label + 2) + _join(grid, columns, [f" {c:>{digits}} " for c in range(wide)], " ")
    ]
    for r in pick_in_tiles(high, MOST_ROWS, grid.row_starts):
        if r is None:
            lines.append(f"{'.' * label} |")
            continue
        if r in grid.row_borders:
            mark = ROWS[min(grid.row_borders[r], len(ROWS)) - 1]
            dashes = _join(grid, columns, [mark * (digits + 2)] * wide, "+")
            lines.append(f"{' ' * label} |{dashes}")
        cells = [_cell(grid, r, c, digits, colour) for c in range(wide)]
        lines.append(f"{r:>{label}} |{_join(grid, columns, cells, '|')}")
    return [line.rstrip() for line in lines]


def _join(grid: Grid, columns: Sequence[int | None], cells: Sequence[str], border: str) -> str:
    """The cells of one line, with a border where a tile begins and dots for what is left out."""
    parts = []
    for c in columns:
        if c is None:
            parts.append("..")
        else:
            level = grid.column_borders.get(c)
            if level and border == "|":
                parts.append(COLUMNS[min(level, len(COLUMNS)) - 1])
            parts.append((border if level and border != "|" else "") + cells[c])
    return "".join(parts)


def _cell(grid: Grid, r: int, c: int, digits: int, colour: bool) -> str:
    x = grid.cells[r][c]
    if x is None:
        return " " * (digits + 2)
    if not grid.is_padding(r, c):
        tile, depth = grid.tile(r, c)
        label = f" {x:>{digits}} "
        ground = GROUNDS[depth % 2][tile % len(GROUNDS[0])]
        return f"\x1b[30;48;5;{ground}m{label}\x1b[0m" if colour else label
    text = f"{'(' + str(x):>{digits + 1}})"
    return f"\x1b[2m{text}\x1b[0m" if colour else text
