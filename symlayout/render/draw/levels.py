"""Where the tiles of every level begin: neighbours in different tiles have a border between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod
from typing import Any

from symlayout.expr.terms import FloorDiv, as_expr, product, value
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.layouts.xla.shape import Shape
from symlayout.layouts.xla.tiling import Placed, Tile

# of a coordinate: which tile of each level it is in, the first level first
Levels = Callable[[tuple[int, ...]], list[tuple[int, ...]]]


def levels_of(layout: Any, sizes: Mapping[str, int]) -> Levels | None:
    """The tiles of a shape's levels, or the blocks of nested modes; None where there are none.

    >>> from symlayout import parse
    >>> made = levels_of(parse("f32[4,8]{1,0:T(2,4)(2,1)}"), {})
    >>> made((3, 5))
    [(1, 1), (1, 1, 0, 1)]
    >>> made = levels_of(parse("zN(8,12,4,4)"), {})
    >>> made((3, 5))
    [(0, 1)]
    """
    shape = _shape(layout)
    if shape is not None:
        return _tiles(shape, sizes)
    modes = layout.layout if isinstance(layout, ComposedLayout) else layout
    return _modes(modes, sizes) if isinstance(modes, Layout) else None


def _shape(layout: Any) -> Shape | None:
    """The tiled shape of a notation that has one."""
    shape = getattr(layout, "content", getattr(layout, "steps_of", layout))
    return shape if isinstance(shape, Shape) and shape._tiles else None


def level_formulas(layout: Any, coords: tuple[Any, ...]) -> list[list[Any]]:
    """The same as expressions of the coordinates and sizes, for a picture whose sizes change.

    >>> from symlayout.expr.terms import symbol
    >>> from symlayout import parse
    >>> level_formulas(parse("f32[M,N]{1,0:T(8,128)}"), (symbol("i"), symbol("j")))
    [[i//8, j//128]]
    """
    shape = _shape(layout)
    if shape is not None:
        order = shape.physical_order()
        now = Placed(tuple(shape._widths[k] for k in order), tuple(coords[k] for k in order))
        return [list(map(as_expr, row)) for row in _tile_numbers(now, shape._tiles)]
    modes = layout.layout if isinstance(layout, ComposedLayout) else layout
    if not isinstance(modes, Layout):
        return []
    widths = [[int_(n) for n in group] for group, _ in modes._groups]
    return [
        [
            FloorDiv(c, product(tuple(w[: len(w) - level]))) if len(w) > level else as_expr(0)
            for c, w in zip(coords, widths)
        ]
        for level in range(1, max(map(len, widths), default=1))
    ]


def _tiles(shape: Shape, sizes: Mapping[str, int]) -> Levels:
    order = shape.physical_order()
    widths = tuple(value(shape._widths[k], sizes) for k in order)
    tiles = [
        tuple(t if isinstance(t, str) else value(t, sizes) for t in tile) for tile in shape._tiles
    ]

    def ids(coords: tuple[int, ...]) -> list[tuple[int, ...]]:
        now = Placed(widths, tuple(coords[k] for k in order))
        return [tuple(map(int, row)) for row in _tile_numbers(now, tiles)]

    return ids


def _tile_numbers(now: Placed, tiles: Iterable[Tile]) -> Iterator[tuple[Any, ...]]:
    """For each tile the coordinates that say which one it is: all but the places in it."""
    for tile in tiles:
        now = now.tiled(tile)
        inside = sum(not isinstance(t, str) for t in tile)
        yield now.coords[: len(now.coords) - inside]


def _modes(layout: Layout, sizes: Mapping[str, int]) -> Levels | None:
    """The blocks of each level: what the innermost modes of every dimension make together."""
    widths = [[max(1, value(int_(n), sizes)) for n in group] for group, _ in layout._groups]
    most = max(map(len, widths), default=1)
    blocks = [[prod(w[: len(w) - level]) for w in widths] for level in range(1, most)]
    if not blocks:
        return None

    def ids(coords: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [
            tuple(c // b if len(w) > level else 0 for c, b, w in zip(coords, sides, widths))
            for level, sides in enumerate(blocks, 1)
        ]

    return ids


def border_levels(lines: list[list[list[tuple[int, ...]]]]) -> dict[int, int]:
    """For each line that begins a tile the outermost level that does so in all its cells.

    `lines[n]` has the tiles of the cells of row (or column) n.
    """
    hits: dict[int, int] = {}
    for n in range(1, len(lines)):
        for level in range(len(lines[n][0]) if lines[n] else 0):
            if all(a[level] != b[level] for a, b in zip(lines[n - 1], lines[n])):
                hits[n] = level + 1
                break
    return hits
