"""A layout by memory banks: where each element of a row or a column falls, and what that costs.

Where every row consists of runs that lie side by side, a cell is a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from typing import TYPE_CHECKING

from symlayout.errors import LayoutError
from symlayout.render.draw.blocks import pick_in_tiles
from symlayout.render.draw.canvas import GAP, Canvas, hue
from symlayout.render.draw.text import MOST_ROWS
from symlayout.tla.banks import rounds

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap

BANKS, BANK_BITS, THREADS, VECTOR_BITS = 32, 32, 32, 128
ASSUMED = " (assumed; --bits 32 for float)"
CELL, HIGH, LABEL = 58, 32, 34
MOST_CELLS = 1 << 14
MOST_COLUMNS = 16
Rows = list[list[int]]


def rows_of(layout: IndexMap, sizes: Mapping[str, int]) -> tuple[tuple[int, ...], Rows]:
    """The shape of a layout of one or two dimensions, and its offsets by row and column.

    >>> from symlayout import parse
    >>> rows_of(parse("(2,3):(4,1)").index_map(), {})
    ((2, 3), [[0, 1, 2], [4, 5, 6]])

    Raises `LayoutError` (SL405) for another rank, or more than 16384 elements.
    """
    import numpy as np

    shape, _ = layout.concrete(sizes)
    rows, columns = sides(shape, "banks are", "draw a part of it")
    grid = np.indices(shape).reshape(len(shape), -1)
    offsets = np.broadcast_to(layout.evaluate(*grid, **sizes), (rows * columns,))
    return shape, [[int(x) for x in row] for row in offsets.reshape(rows, columns)]


def sides(shape: tuple[int, ...], what: str, help: str) -> tuple[int, int]:
    """Rows and columns of a picture of one dimension or two.

    Raises `LayoutError` (SL405) for another rank, or more than 16384 elements.
    """
    if len(shape) not in (1, 2):
        message = f"{what} drawn for one dimension or two, not {len(shape)}"
        raise LayoutError("SL405", message, help=help)
    rows, columns = (1, *shape)[-2:]
    if rows * columns > MOST_CELLS:
        message = f"a picture of {rows * columns} elements is too large"
        raise LayoutError("SL405", message, help="give smaller --size")
    return rows, columns


def costs(rows: Rows, bits: int) -> list[str]:
    """What it costs that 32 threads ask for neighbours in a row, or in a column; the worst of them.

    >>> for line in costs([[32 * r + c for c in range(32)] for r in range(32)], 32):
    ...     print(line)
    each thread reads one element:
    32 neighbours in a row: 1 round
    32 neighbours in a column: 32 rounds, 1 would do, in each column
    """
    texts = []
    columns = [list(c) for c in zip(*rows)]
    for name, lines in (("row", rows), ("column", columns)):
        many = min(THREADS, len(lines[0]) if lines else 0)
        if many < 2:
            continue
        counts = [_worst(x, bits) for x in lines]
        worst = max(counts)
        text = f"{many} neighbours in a {name}: {worst[0]} round{'' if worst[0] == 1 else 's'}"
        if worst[0] > worst[1]:
            where = f"in each {name}" if min(counts) == worst else f"{name} {counts.index(worst)}"
            text += f", {worst[1]} would do, {where}"
        texts.append(text)
    return ["each thread reads one element:", *texts] if texts else []


def _worst(line: Sequence[int], bits: int) -> tuple[int, int]:
    """The rounds of 32 neighbours in a line that take the most."""
    return max(_rounds(line[k : k + THREADS], bits) for k in range(0, len(line), THREADS))


def _rounds(offsets: Sequence[int], bits: int) -> tuple[int, int]:
    conflicts = rounds(offsets, bits, BANKS, BANK_BITS)
    return conflicts.ways, conflicts.least


def text(layout: IndexMap, sizes: Mapping[str, int], bits: int, assumed: bool = False) -> str:
    """The bank of each element, or of each run of them, as text; `assumed`: nobody said `bits`.

    >>> from symlayout import parse
    >>> print(text(parse("(2,4):(33,1)").index_map(), {}, 32), end="")
    shape (2, 4): the bank of 32 of 32 bits that each falls in, for elements of 32 bits
      0-3
    0 0-3
    1 1-4
    each thread reads one element:
    4 neighbours in a row: 1 round
    2 neighbours in a column: 1 round

    Raises `LayoutError` as `rows_of` does.
    """
    shape, rows = rows_of(layout, sizes)
    run = _vector(rows, bits)
    words = [[_banks(row[c], run, bits) for c in range(0, len(row), run)] for row in rows]
    columns = pick_in_tiles(len(words[0]) if words else 0, MOST_COLUMNS)
    table = [["", *("…" if c is None else _span(c * run, run) for c in columns)]]
    for r in pick_in_tiles(len(words), MOST_ROWS):
        if r is None:
            table.append(["⋮", *[""] * len(columns)])
        else:
            table.append([str(r), *("…" if c is None else words[r][c] for c in columns)])
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = [" ".join(x.rjust(w) for x, w in zip(row, widths)).rstrip() for row in table]
    return "\n".join([_title(shape, bits, assumed), *lines, *costs(rows, bits)]) + "\n"


def _vector(rows: Rows, bits: int) -> int:
    """How many elements a cell has: runs that lie side by side, of 16 bytes at most."""
    return gcd(run_length(rows), max(1, VECTOR_BITS // bits))


def _title(shape: tuple[int, ...], bits: int, assumed: bool) -> str:
    sides = ", ".join(map(str, shape))
    return (
        f"shape ({sides}{',' if len(shape) == 1 else ''}): the bank of {BANKS} of {BANK_BITS} bits "
        f"that each falls in, for elements of {bits} bits{ASSUMED * assumed}"
    )


def svg(
    layout: IndexMap, sizes: Mapping[str, int], name: str, bits: int, assumed: bool = False
) -> str:
    """The same as SVG, each element or run in the colour of its bank.

    >>> from symlayout import parse
    >>> svg(parse("(8,64):(72,1)").index_map(), {}, "padded", 16).count("<g><title>")
    64

    Raises `LayoutError` as `rows_of` does.
    """
    shape, rows = rows_of(layout, sizes)
    canvas = Canvas()
    top = draw_banks(canvas, name, rows, _vector(rows, bits), bits, GAP)
    for k, line in enumerate(costs(rows, bits)):
        canvas.label(GAP, top + GAP + 8 + 18 * k, line, start=True)
    return canvas.svg(name, _title(shape, bits, assumed), True)


def run_length(*tables: Rows) -> int:
    """How many elements of a row stay together: the longest aligned runs that all tables have.

    >>> run_length([[0, 1, 2, 3]], [[2, 3, 0, 1]])
    2
    """
    length = 0
    for table in tables:
        for row in table:
            breaks = [c for c in range(1, len(row)) if row[c] != row[c - 1] + 1]
            length = gcd(length, len(row), *breaks)
    return max(1, length)


def draw_banks(canvas: Canvas, title: str, rows: Rows, run: int, bits: int, top: float) -> float:
    """Draws the offsets and banks of all runs below a height; the height where the picture ends."""
    canvas.label(GAP, top + 8, title, start=True)
    top += 20
    left = GAP + LABEL
    if not rows or not rows[0]:
        canvas.label(left, top + 8, "(no elements)", start=True)
        return top + HIGH
    columns = pick_in_tiles(len(rows[0]) // run, MOST_COLUMNS)
    texts = pick_in_tiles(len(rows), MOST_ROWS)
    for n, c in enumerate(columns):
        text = "…" if c is None else _span(c * run, run)
        canvas.label(left + (n + 0.5) * CELL, top + 8, text)
    top += 18
    for m, r in enumerate(texts):
        canvas.label(left - LABEL / 2, top + (m + 0.5) * HIGH, "⋮" if r is None else str(r))
        for n, c in enumerate(columns):
            if r is not None and c is not None:
                first = rows[r][c * run]
                low, name = bank(first, bits), _banks(first, run, bits)
                banks = f"bank{'s' if '-' in name else ''} {name}"
                at = f"({r}, {_span(c * run, run)}): offset {_span(first, run)}, {banks}"
                text = f"{_span(first, run)}\nb{name}"
                x, y = left + n * CELL, top + m * HIGH
                canvas.cell(x, y, CELL, HIGH, text, hue(low, BANKS), at)
    return top + len(texts) * HIGH


def _banks(first: int, run: int, bits: int) -> str:
    low, high = bank(first, bits), bank(first + run - 1, bits)
    return str(low) if low == high else f"{low}-{high}"


def _span(first: int, run: int) -> str:
    return str(first) if run == 1 else f"{first}-{first + run - 1}"


def bank(offset: int, bits: int) -> int:
    """The bank of an element: the word that its first bit is in, around the banks.

    >>> bank(63, 16), bank(64, 16)
    (31, 0)
    """
    return offset * bits // BANK_BITS % BANKS
