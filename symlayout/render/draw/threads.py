"""A thread-value layout: which thread holds which element of a tile, and as its which value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from symlayout.errors import LayoutError
from symlayout.expr.terms import value
from symlayout.render.draw.blocks import pick_in_tiles
from symlayout.render.draw.canvas import FILLS, GAP, Canvas, shade
from symlayout.render.draw.text import MOST_ROWS

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.layouts.maps.function import IndexFunction

CELL, HIGH, LABEL = 40, 30, 34
MOST_CELLS = 1 << 14
MOST_COLUMNS = 32


@dataclass(frozen=True)
class Held:
    """A tile of `rows` x `columns`: for each place the (thread, value) pairs that hold it."""

    rows: int
    columns: int
    holders: Mapping[tuple[int, int], tuple[tuple[int, int], ...]]


def read_tile(text: str) -> tuple[int, int]:
    """The sides of a tile, written `16,8` or `16x8`.

    >>> read_tile("16x8")
    (16, 8)

    Raises `LayoutError` (SL402) for anything else.
    """
    parts = text.replace("x", ",").split(",")
    if len(parts) == 2 and all(p.strip().isascii() and p.strip().isdigit() for p in parts):
        rows, columns = (int(p) for p in parts)
        if rows > 0 and columns > 0 and rows * columns <= MOST_CELLS:
            return rows, columns
    message = f"a tile is given as ROWS,COLUMNS with at most {MOST_CELLS} places, not {text!r}"
    raise LayoutError("SL402", message)


def holders_of(layout: IndexMap, sizes: Mapping[str, int], tile: tuple[int, int]) -> Held:
    """Who holds what: (thread, value) goes to a place of the tile, counted down its columns.

    >>> from symlayout import parse
    >>> made = holders_of(parse("((4,8),(2,2)):((32,1),(16,8))").index_map(), {}, (16, 8))
    >>> made.holders[0, 0], made.holders[8, 1]
    (((0, 0),), ((0, 3),))

    Raises `LayoutError` (SL402): a layout of other than two dimensions, or a place outside.
    """
    shape, _ = layout.concrete(sizes)
    if len(shape) != 2:
        message = f"a thread-value layout has two dimensions, not {len(shape)}"
        raise LayoutError("SL402", message, help="write it as (threads, values):(..., ...)")
    if shape[0] * shape[1] > MOST_CELLS:
        message = f"a picture of {shape[0] * shape[1]} values is too large"
        raise LayoutError("SL405", message, help="give smaller --size")
    rows, columns = tile
    names = [c.name for c in layout._coords]
    hits: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
    for thread in range(shape[0]):
        for k in range(shape[1]):
            offset = value(layout._raw, {**sizes, names[0]: thread, names[1]: k})
            if not 0 <= offset < rows * columns:
                message = f"thread {thread} holds place {offset}, outside of {rows} x {columns}"
                raise LayoutError("SL402", message, help="give the whole tile: --tv ROWS,COLUMNS")
            at = offset % rows, offset // rows
            hits[at] = (*hits.get(at, ()), (thread, k))
    return Held(rows, columns, hits)


def holders_of_map(f: IndexFunction, sizes: Mapping[str, int]) -> Held | None:
    """The same of a map from (thread, value) to two coordinates; None for any other map.

    >>> from symlayout import parse
    >>> holders_of_map(parse("tv (4,2):(2,1) on (2,4)"), {}).holders[1, 0]
    ((0, 1),)
    """
    if len(f.variables) != 2 or f._box is None or len(f._box) != 2:
        return None
    rows, columns = (value(d, sizes) for d in f._box)
    hits: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
    for point in islice(f.points(sizes), MOST_CELLS):
        row, column = f.at(point, sizes)
        hits[row, column] = (*hits.get((row, column), ()), (point[0], point[1]))
    return Held(rows, columns, hits)


def svg(
    layout: IndexMap, sizes: Mapping[str, int], tile: tuple[int, int], *, card: bool = True
) -> str:
    """The tile as SVG, in a colour for every thread; places that no thread holds are hatched.

    >>> from symlayout import parse
    >>> svg(parse("(4,2):(2,1)").index_map(), {}, (2, 4)).count("<g><title>")
    8

    Raises `LayoutError` (SL402, SL405) as `holders_of` does.
    """
    return drawing(holders_of(layout, sizes, tile), layout.text or str(layout._shortest), card)


def drawing(tile: Held, title: str, card: bool = True) -> str:
    """The picture of who holds what."""
    canvas = Canvas()
    left, top = GAP + LABEL, GAP + HIGH
    rows = pick_in_tiles(tile.rows, MOST_ROWS)
    columns = pick_in_tiles(tile.columns, MOST_COLUMNS)
    for n, c in enumerate(columns):
        canvas.label(left + (n + 0.5) * CELL, top - HIGH / 2, "…" if c is None else str(c))
    for m, r in enumerate(rows):
        y = top + m * HIGH
        canvas.label(left - LABEL / 2, y + HIGH / 2, "⋮" if r is None else str(r))
        for n, c in enumerate(columns):
            if r is not None and c is not None:
                _place(canvas, tile, (r, c), (left + n * CELL, y))
    message = f"which thread holds which element of a tile of {tile.rows} x {tile.columns}"
    return canvas.svg(f"{title} by thread", message, card)


def _place(canvas: Canvas, tile: Held, at: tuple[int, int], corner: tuple[float, float]) -> None:
    holders = tile.holders.get(at, ())
    if not holders:
        canvas.hatched(*corner, CELL, HIGH, "", f"{at}: no thread")
        return
    thread, k = holders[0]
    who = " and ".join(f"thread {t}, value {v}" for t, v in holders)
    text = f"T{thread}\nV{k}" if len(holders) == 1 else f"T{thread}..\n{len(holders)} x"
    fill = shade(FILLS[thread % len(FILLS)], thread // len(FILLS) % 3)
    canvas.cell(*corner, CELL, HIGH, text, fill, f"{at}: {who}")


def text(layout: IndexMap, sizes: Mapping[str, int], tile: tuple[int, int]) -> str:
    """The tile as text: `thread:value` in every place.

    >>> from symlayout import parse
    >>> print(text(parse("(4,2):(2,1)").index_map(), {}, (2, 4)), end="")
        0   1   2   3
    0 | 0:0 1:0 2:0 3:0
    1 | 0:1 1:1 2:1 3:1

    Raises `LayoutError` (SL402, SL405) as `holders_of` does.
    """
    result = holders_of(layout, sizes, tile)
    cells = {at: "+".join(f"{t}:{v}" for t, v in who) for at, who in result.holders.items()}
    wide = max([3, *map(len, cells.values())])
    label = len(str(result.rows - 1))
    columns = pick_in_tiles(result.columns, MOST_COLUMNS)
    lines = [" " * (label + 3) + " ".join(".." if c is None else f"{c:<{wide}}" for c in columns)]
    for r in pick_in_tiles(result.rows, MOST_ROWS):
        row = (".." if c is None or r is None else cells.get((r, c), ".") for c in columns)
        content = " ".join(f"{x:<{wide}}" for x in row)
        lines.append(f"{'.' if r is None else r:>{label}} | {content}")
    return "".join(line.rstrip() + "\n" for line in lines)
