"""A map as a picture: which point of the domain reaches which place, in the domain's order.

Of several results the last two are rows and columns of places, and a cell shows the point that
reaches it (a program's number, say); of one result the domain is the table, and a cell shows the
result.  Places that nothing reaches, and points that a guard leaves out, are empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from symlayout.errors import LayoutError
from symlayout.expr.terms import value
from symlayout.prove.maps.walk import undefined_at
from symlayout.render.draw.svg import FILLS, GAP, HIGH, LABEL
from symlayout.render.draw.text import MOST_GRIDS, MOST_ROWS, pick
from symlayout.text.escape import html

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
    reached: list[tuple[Place, Place]] = []
    for point in f.points(sizes):
        if len(reached) == POINTS:
            message = f"a picture of more than {POINTS} points is too large"
            raise LayoutError("SL405", message, help="give smaller --size")
        reached.append((point, f.at(point, sizes)))
    if len(f.results) == 1:
        run = _run([place[0] for _, place in reached])
        return [replace(t, run=run) for t in _by(reached, None, False)]
    box = None if f.box is None else tuple(value(d, sizes) for d in f.box)
    return _by([(place, point) for point, place in reached], box, len(f.variables) == 1)


def _run(values: list[int]) -> int:
    """How far the first of the values are one more each time."""
    length = 1
    while length < len(values) and values[length] == values[length - 1] + 1:
        length += 1
    return length


def _by(pairs: list[tuple[Place, Place]], box: Place | None, single: bool) -> list[Table]:
    """Tables of cells at the first of each pair that show the second."""
    parted: dict[Place, list[tuple[tuple[int, int], Place]]] = {}
    for at, shown in pairs:
        row, column = (0, *at)[-2:]
        parted.setdefault(at[:-2], []).append(((row, column), shown))
    every = [at for cells in parted.values() for at, _ in cells]
    if box is not None:
        every += [(0, 0), ((1, *box)[-2] - 1, box[-1] - 1)]
    if not every or min((1, *box) if box is not None else (1,)) < 1:
        return []
    low = min(r for r, _ in every), min(c for _, c in every)
    high = max(r for r, _ in every), max(c for _, c in every)
    made = []
    for outer in sorted(parted) or [()]:
        cells: dict[tuple[int, int], str] = {}
        for at, point in parted.get(outer, ()):
            text = ",".join(map(str, point))
            cells[at] = f"{cells[at]} {text}" if at in cells else text
        order = tuple(at for at, _ in parted.get(outer, ())) if single else ()
        made.append(Table(outer, high[0] - low[0] + 1, high[1] - low[1] + 1, cells, low, order))
    return made


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
    made = tables(f, sizes)
    lines = [str(f), caption(f)]
    for table in made[:MOST_GRIDS]:
        if table.outer:
            lines += ["", f"[{', '.join(map(str, table.outer))}, :, :]"]
        lines += _lines(table, width)
    if len(made) > MOST_GRIDS:
        lines += ["", f"... and {len(made) - MOST_GRIDS} more of these"]
    return "\n".join(lines if made else [*lines, "(no places)"]) + "\n"


def caption(f: IndexFunction) -> str:
    """What a cell shows."""
    names = ",".join(v.name for v in f.variables)
    if len(f.results) == 1:
        return f"each point ({names.replace(',', ', ')}) shows its result"
    return f"each place shows the {names} that reaches it"


def _lines(table: Table, width: int) -> list[str]:
    top, left = table.first
    digits = max([1, *map(len, table.cells.values())])
    digits = max(digits, len(str(left + table.columns - 1)))
    label = len(str(top + table.rows - 1))
    columns = pick(table.columns, max(2, (width - label - 3) // (digits + 1)))
    head = [".." if c is None else f"{left + c:>{digits}}" for c in columns]
    lines = [" " * (label + 3) + " ".join(head)]
    for r in pick(table.rows, MOST_ROWS):
        if r is None:
            lines.append(f"{'.' * label} |")
            continue
        row = [
            ".." if c is None else f"{table.cells.get((top + r, left + c), '.'):>{digits}}"
            for c in columns
        ]
        lines.append(f"{top + r:>{label}} | {' '.join(row)}")
    return [line.rstrip() for line in lines]


def svg(f: IndexFunction, sizes: Mapping[str, int]) -> str:
    """The picture as SVG: the same tables, and a line in the order of the domain."""
    body: list[str] = []
    top, wide = GAP, 0
    for table in tables(f, sizes)[:MOST_GRIDS]:
        if table.outer:
            title = f"[{', '.join(map(str, table.outer))}, :, :]"
            start = f'<text x="{LABEL}" y="{top}" style="text-anchor:start">'
            body.append(f"{start}{html(title)}</text>")
            top += HIGH
        lines, right, bottom = _drawn(table, top)
        body += lines
        top, wide = bottom + GAP, max(wide, right)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide + GAP}" height="{top}">'
    style = (
        "text{font:11px monospace;text-anchor:middle;dominant-baseline:central}"
        ".l{fill:#777}rect{stroke:#fff}.o{fill:none;stroke:#cf222e;stroke-opacity:.45}"
    )
    back = '<rect width="100%" height="100%" fill="#fff"/>'
    return "\n".join([head, f"<style>{style}</style>", back, *body, "</svg>"]) + "\n"


def _drawn(table: Table, top: int) -> tuple[list[str], int, int]:
    rows, columns = pick(table.rows, MOST_ROWS), pick(table.columns, MOST_COLUMNS)
    wide = max([NARROW, *(7 * len(t) + 8 for t in table.cells.values())])
    x_of = {c: LABEL + n * wide for n, c in enumerate(columns) if c is not None}
    y_of = {r: top + (n + 1) * HIGH for n, r in enumerate(rows) if r is not None}
    lines = [
        f'<text class="l" x="{x + wide // 2}" y="{top + HIGH // 2}">{table.first[1] + c}</text>'
        for c, x in x_of.items()
    ]
    for r, y in y_of.items():
        lines.append(
            f'<text class="l" x="{LABEL // 2}" y="{y + HIGH // 2}">{table.first[0] + r}</text>'
        )
        for c, x in x_of.items():
            shown = table.cells.get((table.first[0] + r, table.first[1] + c))
            fill = "#f6f6f6" if shown is None else _fill(shown, table.run)
            lines.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{HIGH}" fill="{fill}"/>')
            if shown is not None:
                at = f'x="{x + wide // 2}" y="{y + HIGH // 2}"'
                lines.append(f"<text {at}>{html(shown)}</text>")
    lines += _steps(table, x_of, y_of, wide)
    return lines, LABEL + len(columns) * wide, top + (len(rows) + 1) * HIGH


def _fill(shown: str, run: int) -> str:
    """One colour for every value of the first variable, or for each run of results."""
    number = int(shown.split()[0].split(",")[0]) // run
    return FILLS[number % len(FILLS)]


def _steps(table: Table, x_of: Mapping[int, int], y_of: Mapping[int, int], wide: int) -> list[str]:
    """A line from each cell to the next one in order, where both are shown."""
    made = []
    for (r, c), (s, d) in pairwise(table.order):
        a, b = (r - table.first[0], c - table.first[1]), (s - table.first[0], d - table.first[1])
        if a[0] in y_of and b[0] in y_of and a[1] in x_of and b[1] in x_of:
            start = f"M{x_of[a[1]] + wide // 2} {y_of[a[0]] + HIGH // 2}"
            end = f"L{x_of[b[1]] + wide // 2} {y_of[b[0]] + HIGH // 2}"
            made.append(f'<path class="o" d="{start}{end}"/>')
    return made
