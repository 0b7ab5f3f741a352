"""A layout as SVG: the same grids as the text's, a colour for each tile, padding hatched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from symlayout.render.draw.grid import Grid, grids
from symlayout.render.draw.levels import Levels
from symlayout.render.draw.text import MOST_GRIDS, MOST_ROWS, pick
from symlayout.text.escape import html

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap

CELL, HIGH, LABEL, GAP = 34, 22, 30, 14
MOST_COLUMNS = 40
# light, and told apart by people who see few colours
FILLS = ("#cfe3f7", "#fbe3c0", "#d5ecd4", "#eadcf2", "#f7d4d4", "#e6e6c8")
STYLE = (
    "text{font:11px monospace;text-anchor:middle;dominant-baseline:central}"
    ".l{fill:#777}.p{fill:#999}rect{stroke:#fff}"
    ".b1{stroke:#333;stroke-width:2}.b2{stroke:#cf222e;stroke-dasharray:3 2}"
    ".b3{stroke:#0550ae;stroke-dasharray:1 2}"
)


def svg(
    layout: IndexMap, sizes: Mapping[str, int], levels: Levels | None = None, value: Any = None
) -> str:
    """The picture as one SVG element, `value` being what padding holds; large ones are cut.

    >>> from symlayout import IndexMap
    >>> made = svg(IndexMap.strided((2, 3), (4, 1), size=8), {})
    >>> made.count("<rect"), made.count('class="p"')
    (9, 2)

    Raises `LayoutError` for sizes that are missing or too large.
    """
    body: list[str] = []
    top, wide = GAP, 0
    for outer, grid in grids(layout, sizes, levels)[:MOST_GRIDS]:
        if outer:
            title = f"[{', '.join(map(str, outer))}, :, :]"
            start = f'<text x="{LABEL}" y="{top}" style="text-anchor:start">'
            body.append(f"{start}{title}</text>")
            top += HIGH
        lines, right, bottom = _grid(grid, top)
        body += lines
        top, wide = bottom + GAP, max(wide, right)
    if value is not None:
        start = f'<text x="{LABEL}" y="{top}" style="text-anchor:start">'
        body.append(f"{start}padding (hatched) holds {html(str(value))}</text>")
        top, wide = top + HIGH, max(wide, 8 * CELL)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide + GAP}" height="{top}">'
    back = '<rect width="100%" height="100%" fill="#fff"/>'
    hatch = (
        '<defs><pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse">'
        '<path d="M0 6L6 0" stroke="#bbb"/></pattern></defs>'
    )
    return "\n".join([head, f"<style>{STYLE}</style>", hatch, back, *body, "</svg>"]) + "\n"


def _grid(grid: Grid, top: int) -> tuple[list[str], int, int]:
    if not grid.cells or not grid.cells[0]:
        text = f'<text x="{LABEL + CELL}" y="{top + HIGH // 2}">(no elements)</text>'
        return [text], LABEL + 3 * CELL, top + HIGH
    rows = pick(len(grid.cells), MOST_ROWS)
    columns = pick(len(grid.cells[0]), MOST_COLUMNS)
    lines = []
    for n, c in enumerate(columns):
        shown = ".." if c is None else str(c)
        x = LABEL + n * CELL + CELL // 2
        lines.append(f'<text class="l" x="{x}" y="{top + HIGH // 2}">{shown}</text>')
    for m, r in enumerate(rows):
        y = top + (m + 1) * HIGH
        shown = ".." if r is None else str(r)
        lines.append(f'<text class="l" x="{LABEL // 2}" y="{y + HIGH // 2}">{shown}</text>')
        for n, c in enumerate(columns):
            if r is not None and c is not None:
                lines += _cell(grid, r, c, LABEL + n * CELL, y)
    return lines, LABEL + len(columns) * CELL, top + (len(rows) + 1) * HIGH


def _cell(grid: Grid, r: int, c: int, x: int, y: int) -> list[str]:
    offset = grid.cells[r][c]
    if offset is None:
        return []
    padding = grid.is_padding(r, c)
    rows, columns = grid.row_borders, grid.column_borders
    tile = sum(b <= r and n == 1 for b, n in rows.items()) * 7
    tile += sum(b <= c and n == 1 for b, n in columns.items())
    fill = "url(#h)" if padding else FILLS[tile % len(FILLS)]
    box = f'<rect x="{x}" y="{y}" width="{CELL}" height="{HIGH}" fill="{fill}"/>'
    lines = [
        f'<path class="b{min(n, 3)}" d="M{x} {y}{step}"/>'
        for n, step in ((rows.get(r), f"h{CELL}"), (columns.get(c), f"v{HIGH}"))
        if n
    ]
    kind = ' class="p"' if padding else ""
    return [box, *lines, f'<text{kind} x="{x + CELL // 2}" y="{y + HIGH // 2}">{offset}</text>']
