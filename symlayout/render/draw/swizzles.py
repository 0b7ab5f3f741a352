"""A swizzle as two pictures, before and after, each element in the colour of its memory bank.

Where every row consists of runs that stay together under the swizzle, a cell is a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from typing import TYPE_CHECKING

from symlayout.errors import LayoutError
from symlayout.expr.terms import value
from symlayout.layouts.cute.layout import int_
from symlayout.render.draw.blocks import pick_in_tiles
from symlayout.render.draw.canvas import GAP, Canvas, hue
from symlayout.render.draw.text import MOST_ROWS

if TYPE_CHECKING:
    from symlayout.layouts.cute.swizzle import ComposedLayout

BANKS, BANK_BITS = 32, 32
CELL, HIGH, LABEL = 58, 32, 34
MOST_CELLS = 1 << 14
MOST_COLUMNS = 16
Rows = list[list[int]]


def before_and_after(
    layout: ComposedLayout, sizes: Mapping[str, int]
) -> tuple[tuple[int, ...], Rows, Rows]:
    """The logical shape, and the offsets by row and column without and with the swizzle.

    >>> from symlayout import parse
    >>> before_and_after(parse("Swizzle(1,0,1) o 0 o (2,2):(2,1)"), {})
    ((2, 2), [[0, 1], [2, 3]], [[0, 1], [3, 2]])

    Raises `LayoutError` (SL405): a picture of more than 16384 elements, or of another rank.
    """
    inner = layout.layout.index_map()
    shape, _ = inner.concrete(sizes)
    if len(shape) not in (1, 2):
        message = f"a swizzle is drawn for one dimension or two, not {len(shape)}"
        raise LayoutError("SL405", message, help="draw a part of it, or show --text")
    rows, columns = (1, *shape)[-2:]
    if rows * columns > MOST_CELLS:
        message = f"a picture of {rows * columns} elements is too large"
        raise LayoutError("SL405", message, help="give smaller --size")
    start = value(int_(layout.offset), sizes)
    names = [c.name for c in inner.coords]
    plain = [
        [
            start + value(inner.raw, {**sizes, **dict(zip(names, (r, c)[-len(shape) :]))})
            for c in range(columns)
        ]
        for r in range(rows)
    ]
    return shape, plain, [[int(layout.swizzle(x)) for x in row] for row in plain]


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


def svg(
    layout: ComposedLayout, sizes: Mapping[str, int], bits: int = 16, *, card: bool = True
) -> str:
    """Both pictures as one SVG element, for elements of so many bits.

    >>> from symlayout import parse
    >>> svg(parse("Swizzle(3,3,3) o 0 o (8,64):(64,1)"), {}).count("<g><title>")
    128

    Raises `LayoutError` (SL405) for what is too large, or has other than one or two dimensions.
    """
    shape, plain, moved = before_and_after(layout, sizes)
    run = run_length(plain, moved)
    canvas = Canvas()
    top = _drawn(canvas, "before: " + str(layout.layout), plain, run, bits, GAP)
    _drawn(canvas, f"after: {layout.swizzle}", moved, run, bits, top + GAP)
    said = (
        f"offsets of {' x '.join(map(str, shape))} elements before and after the swizzle, and the "
        f"bank of {BANKS} of {BANK_BITS} bits that each falls in, for elements of {bits} bits"
    )
    return canvas.svg(str(layout), said, card)


def _drawn(canvas: Canvas, title: str, rows: Rows, run: int, bits: int, top: float) -> float:
    canvas.label(GAP, top + 8, title, start=True)
    top += 20
    left = GAP + LABEL
    columns = pick_in_tiles(len(rows[0]) // run, MOST_COLUMNS)
    shown = pick_in_tiles(len(rows), MOST_ROWS)
    for n, c in enumerate(columns):
        text = "…" if c is None else _span(c * run, run)
        canvas.label(left + (n + 0.5) * CELL, top + 8, text)
    top += 18
    for m, r in enumerate(shown):
        canvas.label(left - LABEL / 2, top + (m + 0.5) * HIGH, "⋮" if r is None else str(r))
        for n, c in enumerate(columns):
            if r is not None and c is not None:
                first = rows[r][c * run]
                low, high = bank(first, bits), bank(first + run - 1, bits)
                banks = f"bank {low}" if low == high else f"banks {low}-{high}"
                at = f"({r}, {_span(c * run, run)}): offset {_span(first, run)}, {banks}"
                text = f"{_span(first, run)}\nb{low}" + ("" if low == high else f"-{high}")
                x, y = left + n * CELL, top + m * HIGH
                canvas.cell(x, y, CELL, HIGH, text, hue(low, BANKS), at)
    return top + len(shown) * HIGH


def _span(first: int, run: int) -> str:
    return str(first) if run == 1 else f"{first}-{first + run - 1}"


def bank(offset: int, bits: int) -> int:
    """The bank of an element: the word that its first bit is in, around the banks.

    >>> bank(63, 16), bank(64, 16)
    (31, 0)
    """
    return offset * bits // BANK_BITS % BANKS
