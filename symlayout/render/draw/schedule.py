"""A map as a picture: which point of the domain reaches which place, in the domain's order.

Of several results the last two are rows and columns of places, and a cell shows the point that
reaches it (a program's number, say); of one result the domain is the table, and a cell shows the
result.  Places that nothing reaches, and points that a guard leaves out, are empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symlayout.errors import LayoutError
from symlayout.expr.terms import value
from symlayout.prove.maps.walk import undefined_at
from symlayout.render.draw.blocks import pick_in_tiles
from symlayout.render.draw.canvas import FILLS, GAP, RED, Canvas
from symlayout.render.draw.svg import HIGH, LABEL
from symlayout.render.draw.text import MOST_GRIDS, MOST_ROWS

if TYPE_CHECKING:
    from symlayout.layouts.maps.function import IndexFunction

POINTS = 1 << 16
MOST_COLUMNS = 64
NARROW = 26
Place = tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """Cells by row and column, under the outer coordinates that they have in common."""

    outer: Place
    rows: int
    columns: int
    cells: Mapping[tuple[int, int], str]
    first: tuple[int, int]  # the number of the first row, and of the first column
    order: tuple[tuple[int, int], ...] = ()  # cells in the order of the domain
    run: int = 1  # how many numbers after one another have one colour


def tables(f: IndexFunction, sizes: Mapping[str, int]) -> list[Table]:
    """The picture's tables, at those sizes.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> [made] = tables(read_map("map p < 4: (p//2, 1 - p%2) in (2, 2)"), {})
    >>> made.cells
    {(0, 1): '0', (0, 0): '1', (1, 1): '2', (1, 0): '3'}

    Raises `LayoutError` (SL405, SL202): too many points, or something that has no value.
    """
    missing = undefined_at(f, (), sizes)
    if missing:
        raise LayoutError("SL402", missing, help="give other --size")
    places: list[tuple[Place, Place]] = []
    for point in f.points(sizes):
        if len(places) == POINTS:
            message = f"a picture of more than {POINTS} points is too large"
            help = "give smaller --size" if sizes else "symlayout formula LAYOUT prints the map"
            raise LayoutError("SL405", message, help=help)
        places.append((point, f.at(point, sizes)))
    if len(f._results) == 1:
        run = _run([place[0] for _, place in places])
        return [replace(t, run=run) for t in _by(places, None, False)]
    box = None if f._box is None else tuple(value(d, sizes) for d in f._box)
    return _by([(place, point) for point, place in places], box, len(f.variables) == 1)


def _run(values: list[int]) -> int:
    """How far the first of the values are one more each time."""
    length = 1
    while length < len(values) and values[length] == values[length - 1] + 1:
        length += 1
    return length


def _by(pairs: list[tuple[Place, Place]], box: Place | None, single: bool) -> list[Table]:
    """Tables of cells at the first of each pair that show the second."""
    parted: dict[Place, list[tuple[tuple[int, int], Place]]] = {}
    for at, texts in pairs:
        row, column = (0, *at)[-2:]
        parted.setdefault(at[:-2], []).append(((row, column), texts))
    every = [at for cells in parted.values() for at, _ in cells]
    if box is not None:
        every += [(0, 0), ((1, *box)[-2] - 1, box[-1] - 1)]
    if not every or min((1, *box) if box is not None else (1,)) < 1:
        return []
    low = min(r for r, _ in every), min(c for _, c in every)
    high = max(r for r, _ in every), max(c for _, c in every)
    results = []
    for outer in sorted(parted) or [()]:
        cells: dict[tuple[int, int], str] = {}
        for at, point in parted.get(outer, ()):
            text = ",".join(map(str, point))
            cells[at] = f"{cells[at]} {text}" if at in cells else text
        order = tuple(at for at, _ in parted.get(outer, ())) if single else ()
        results.append(Table(outer, high[0] - low[0] + 1, high[1] - low[1] + 1, cells, low, order))
    return results


def text(f: IndexFunction, sizes: Mapping[str, int], width: int = 100) -> str:
    """The picture as text.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> print(text(read_map("map p < 4: (p//2, 1 - p%2) in (2, 2)"), {}), end="")
    map p < 4: (p//2, 1 - (p%2)) in (2, 2)
    each place shows the p that reaches it
        0 1
    0 | 1 0
    1 | 3 2
    """
    results = tables(f, sizes)
    lines = [str(f), caption(f)]
    for table in results[:MOST_GRIDS]:
        if table.outer:
            lines += ["", f"[{', '.join(map(str, table.outer))}, :, :]"]
        lines += _lines(table, width)
    if len(results) > MOST_GRIDS:
        lines += ["", f"... and {len(results) - MOST_GRIDS} more of these"]
    return "\n".join(lines if results else [*lines, "(no places)"]) + "\n"


def caption(f: IndexFunction) -> str:
    """What a cell shows."""
    names = ",".join(v.name for v in f.variables)
    if len(f._results) == 1:
        return f"each point ({names.replace(',', ', ')}) shows its result"
    return f"each place shows the {names} that reaches it"


def _lines(table: Table, width: int) -> list[str]:
    top, left = table.first
    digits = max([1, *map(len, table.cells.values())])
    digits = max(digits, len(str(left + table.columns - 1)))
    label = len(str(top + table.rows - 1))
    columns = pick_in_tiles(table.columns, max(2, (width - label - 3) // (digits + 1)))
    head = [".." if c is None else f"{left + c:>{digits}}" for c in columns]
    lines = [" " * (label + 3) + " ".join(head)]
    for r in pick_in_tiles(table.rows, MOST_ROWS):
        if r is None:
            lines.append(f"{'.' * label} |")
            continue
        row = [
            ".." if c is None else f"{table.cells.get((top + r, left + c), '.'):>{digits}}"
            for c in columns
        ]
        lines.append(f"{top + r:>{label}} | {' '.join(row)}")
    return [line.rstrip() for line in lines]


def svg(f: IndexFunction, sizes: Mapping[str, int], *, card: bool = True) -> str:
    """The picture as SVG: the same tables, and a line in the order of the domain."""
    canvas, top = Canvas(), float(GAP)
    results = tables(f, sizes)
    for table in results[:MOST_GRIDS]:
        if table.outer:
            title = f"[{', '.join(map(str, table.outer))}, :, :]"
            canvas.label(GAP, top + HIGH / 2, title, start=True)
            top += HIGH
        top = _draw_table(canvas, f, table, top) + GAP
    if not results:
        canvas.label(GAP, top, "(no places)", start=True)
    if len(results) > MOST_GRIDS:
        canvas.label(GAP, top, f"... and {len(results) - MOST_GRIDS} more of these", start=True)
    at = ", ".join(f"{n} = {v}" for n, v in sizes.items())
    return canvas.svg(str(f), caption(f) + (f", at {at}" if at else ""), card)


def _draw_table(canvas: Canvas, f: IndexFunction, table: Table, top: float) -> float:
    rows, columns = pick_in_tiles(table.rows, MOST_ROWS), pick_in_tiles(table.columns, MOST_COLUMNS)
    wide = max([NARROW, *(7 * len(t) + 8 for t in table.cells.values())])
    left = GAP + LABEL
    x_of = {c: left + n * wide for n, c in enumerate(columns) if c is not None}
    y_of = {r: top + (n + 1) * HIGH for n, r in enumerate(rows) if r is not None}
    for c, x in x_of.items():
        canvas.label(x + wide / 2, top + HIGH / 2, str(table.first[1] + c))
    for r, y in y_of.items():
        canvas.label(left - LABEL / 2, y + HIGH / 2, str(table.first[0] + r))
        for c, x in x_of.items():
            at = table.first[0] + r, table.first[1] + c
            cell = table.cells.get(at)
            place = f"({', '.join(map(str, (*table.outer, *at)[-max(1, _rank(f)) :]))})"
            if cell is None:
                canvas.hatched(x, y, wide, HIGH, "", f"{place}: nothing")
            else:
                title = _title(f, place, cell)
                canvas.cell(x, y, wide, HIGH, cell, _fill(cell, table.run), title)
    _steps(canvas, table, x_of, y_of, wide)
    end = top + (len(rows) + 1) * HIGH
    around = f"M{left:g} {top + HIGH:g}h{len(columns) * wide:g}V{end:g}H{left:g}Z"
    canvas.stroke(around, "#8b949e")
    return end


def _rank(f: IndexFunction) -> int:
    """How many numbers say where a cell is."""
    return len(f.variables) if len(f._results) == 1 else len(f._results)


def _title(f: IndexFunction, place: str, cell: str) -> str:
    """What is said of a cell: which point reaches which place."""
    if len(f._results) == 1:
        return f"{place}: result {cell}"
    names = ", ".join(v.name for v in f.variables)
    points = " and ".join(f"({p.replace(',', ', ')})" for p in cell.split())
    return f"{place}: reached by ({names}) = {points}"


def _fill(cell: str, run: int) -> str:
    """One colour for every value of the first variable, or for each run of results."""
    number = int(cell.split()[0].split(",")[0]) // run
    return FILLS[number % len(FILLS)]


def _steps(
    canvas: Canvas, table: Table, x_of: Mapping[int, float], y_of: Mapping[int, float], wide: float
) -> None:
    """A line through the cells in order, as far as they are shown."""
    path = ""
    before = None
    for r, c in table.order:
        x, y = x_of.get(c - table.first[1]), y_of.get(r - table.first[0])
        at = None if x is None or y is None else f"{x + wide / 2:g} {y + HIGH / 2:g}"
        if at is not None:
            path += f"{'M' if before is None else 'L'}{at}"
        before = at
    if path:
        canvas.stroke(path, RED, 1.2, ' stroke-opacity=".5"')
