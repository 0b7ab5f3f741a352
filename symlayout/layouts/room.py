"""How far a layout reaches in each dimension: its elements, and the rest of its last blocks."""

from __future__ import annotations

from typing import Any

from symlayout.expr.terms import Size, ceildiv, product
from symlayout.layouts.cute.inttuple import plain
from symlayout.layouts.cute.inttuple import product as of_modes
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.layouts.functions import PadReshapeTranspose
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.xla.shape import Shape


def room(layout: Any, m: IndexMap) -> tuple[Size, ...]:
    """The sizes of what is laid out: whole modes, whole first tiles, padded widths; else the shape.

    >>> from symlayout import parse
    >>> [room(made, made.index_map()) for made in map(parse, ("zN(f16,10,C)", "f32[5,N]"))]
    [(16, 16*ceildiv(C, 16)), (5, N)]
    """
    if isinstance(layout, ComposedLayout):
        return room(layout.layout, m)
    if isinstance(layout, PadReshapeTranspose):
        return room(layout.steps_of, m)
    if isinstance(layout, Shape):
        return _of_shape(layout)
    if isinstance(layout, Layout):
        return tuple(plain(of_modes(sizes)) for sizes, _ in layout._groups)
    return m._shape


def _of_shape(shape: Shape) -> tuple[Size, ...]:
    """The widths, in whole tiles where the first tile has an entry for that dimension alone."""
    results = list(shape._widths)
    tile = shape._tiles[0] if shape._tiles else ()
    order = shape.physical_order()
    for k, t in enumerate(tile):
        at = len(order) - len(tile) + k
        if at >= 0 and not isinstance(t, str) and not (k and isinstance(tile[k - 1], str)):
            results[order[at]] = product((ceildiv(results[order[at]], t), t))
    return tuple(results)
