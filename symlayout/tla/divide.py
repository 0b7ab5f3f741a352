"""Divides: a layout seen as tiles, `composition(A, (B, complement(B, size(A))))`."""

from __future__ import annotations

from typing import Any

from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Keep, Layout, join
from symlayout.tla.arguments import layout_of, on_coordinates, tiler_of
from symlayout.tla.complement import complement
from symlayout.tla.composition import as_tile, composition, tiled_modes
from symlayout.tla.known import facts_for


@on_coordinates
def logical_divide(a: Layout, tiler: Any, where: Any = ()) -> Layout:
    """Each mode of `a` as (place in the tile, which tile).

    >>> print(logical_divide(Layout((8, 6), (1, 8)), (4, 2)))
    ((4,2),(2,3)):((1,4),(8,16))
    >>> print(logical_divide(Layout(24, 2), Layout(4, 3)))
    (4,(3,2)):(6,(2,24))

    A layout as the tiler divides all of `a` (by its linear index); a tuple divides mode by mode.
    Raises `LayoutError` (SL800) where the tiler has no complement, or the composition no layout.
    """
    a, tiler = layout_of(a), tiler_of(tiler)
    where = facts_for(where, a, tiler)
    if isinstance(tiler, (tuple, list)):
        modes = tiled_modes(a, tuple(tiler))
        done = [logical_divide(m, t, where) for m, t in zip(modes, tiler)]
        return join(*done, *modes[len(tiler) :])
    if isinstance(tiler, Keep):
        return a
    tile = as_tile(tiler)
    rest = complement(tile, it.product(a._shape), where)
    return composition(a, join(tile, rest), where)


@on_coordinates
def zipped_divide(a: Layout, tiler: Any, where: Any = ()) -> Layout:
    """All places in the tile as mode 0, all that says which tile as mode 1.

    >>> print(zipped_divide(Layout((8, 6), (1, 8)), (4, 2)))
    ((4,2),(2,3)):((1,8),(4,16))
    """
    tiler = tiler_of(tiler)
    return unzip(logical_divide(a, tiler, where), tiler)


@on_coordinates
def tiled_divide(a: Layout, tiler: Any, where: Any = ()) -> Layout:
    """As `zipped_divide`, the second mode opened.

    >>> print(tiled_divide(Layout((8, 6), (1, 8)), (4, 2)))
    ((4,2),2,3):((1,8),4,16)
    """
    tile, rest = zipped_divide(a, tiler, where).modes
    return join(tile, *modes_of(rest))


@on_coordinates
def flat_divide(a: Layout, tiler: Any, where: Any = ()) -> Layout:
    """As `zipped_divide`, both modes opened.

    >>> print(flat_divide(Layout((8, 6), (1, 8)), (4, 2)))
    (4,2,2,3):(1,8,4,16)
    """
    tile, rest = zipped_divide(a, tiler, where).modes
    return join(*modes_of(tile), *modes_of(rest))


def modes_of(layout: Layout) -> tuple[Layout, ...]:
    """The modes of a layout; of an integer mode the layout itself."""
    return layout.modes if isinstance(layout._shape, tuple) else (layout,)


def unzip(divided: Layout, tiler: Any) -> Layout:
    """From ((tile, rest), (tile, rest), ...) to ((tile, tile, ...), (rest, rest, ...)).

    Modes that the tiler does not have, or keeps, belong to the rest.
    """
    if not isinstance(tiler, (tuple, list)):
        return divided
    tiles: list[Layout] = []
    rests: list[Layout] = []
    for mode, part in zip(divided.modes, tiler):
        if isinstance(part, Keep):
            tiles.append(mode)
            rests.append(Layout(it.Static(1), it.Static(0)))
        else:
            tile, rest = unzip(mode, part).modes
            tiles.append(tile)
            rests.append(rest)
    rests += divided.modes[len(tiler) :]
    return join(join(*tiles), join(*rests))
