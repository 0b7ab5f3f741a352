"""Where the tiles of every level begin: neighbours in different tiles have a border between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symlayout.expr.terms import value
from symlayout.layouts.xla.shape import Shape
from symlayout.layouts.xla.tiling import Placed

# of a coordinate: which tile of each level it is in, the first level first
Levels = Callable[[tuple[int, ...]], list[tuple[int, ...]]]


def levels_of(layout: Any, sizes: Mapping[str, int]) -> Levels | None:
    """The tiles of a shape's levels at those sizes; None where a layout has no tiles.

    >>> from symlayout import parse
    >>> made = levels_of(parse("f32[4,8]{1,0:T(2,4)(2,1)}"), {})
    >>> made((3, 5))
    [(1, 1), (1, 1, 0, 1)]
    """
    shape = getattr(layout, "content", layout)
    if not isinstance(shape, Shape) or not shape.tiles:
        return None
    order = shape.physical_order()
    widths = tuple(value(shape.widths[k], sizes) for k in order)
    tiles = [
        tuple(t if isinstance(t, str) else value(t, sizes) for t in tile) for tile in shape.tiles
    ]

    def ids(coords: tuple[int, ...]) -> list[tuple[int, ...]]:
        now = Placed(widths, tuple(coords[k] for k in order))
        made = []
        for tile in tiles:
            now = now.tiled(tile)
            inside = sum(not isinstance(t, str) for t in tile)
            made.append(tuple(int(c) for c in now.coords[: len(now.coords) - inside]))
        return made

    return ids


def border_levels(lines: list[list[list[tuple[int, ...]]]]) -> dict[int, int]:
    """For each line that begins a tile the outermost level that does so in all its cells.

    `lines[n]` has the tiles of the cells of row (or column) n.
    """
    found: dict[int, int] = {}
    for n in range(1, len(lines)):
        for level in range(len(lines[n][0]) if lines[n] else 0):
            if all(a[level] != b[level] for a, b in zip(lines[n - 1], lines[n])):
                found[n] = level + 1
                break
    return found
