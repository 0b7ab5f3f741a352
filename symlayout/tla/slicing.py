"""Parts of a layout: slices with `_`, tiles at a place, and the layout of a tile."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import Max, Min, Size, as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import crd2offset
from symlayout.layouts.cute.layout import Keep, Layout, has_keep, join, slice_and_offset
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.tla.arguments import layout_of
from symlayout.tla.divide import zipped_divide
from symlayout.tla.known import Known, facts_for


def dice(coord: Any, layout: Layout) -> Layout:
    """The modes of the layout where the coordinate is not `_`: the opposite of a slice.

    >>> from symlayout.tla import _
    >>> print(dice((_, 5), Layout((4, 8), (8, 1))))
    (8):(1)
    """
    if not isinstance(coord, (tuple, list)):
        return join() if isinstance(coord, Keep) else layout
    if not isinstance(layout.shape, tuple) or len(coord) != layout.rank:
        raise LayoutError("SL108", f"the coordinate {coord} does not fit {layout}")
    kept: list[Layout] = []
    for c, mode in zip(coord, layout.modes):
        if isinstance(c, (tuple, list)) and has_keep(c):
            kept += dice(c, mode).modes
        elif not isinstance(c, Keep):
            kept.append(mode)
    return join(*kept)


def local_tile(layout: Any, tiler: Any, coord: Any, where: Any = ()) -> tuple[Any, Size]:
    """The tile of shape `tiler` at tile coordinate `coord`: its layout and its first offset.

    >>> tile, offset = local_tile(Layout((8, 6), (1, 8)), (4, 2), (1, 2))
    >>> print(tile, offset)
    (4,2):(1,8) 36

    Of a swizzled layout the tile's offset stays before the swizzle, and the other one is 0.  Raises
    `LayoutError` as `zipped_divide` does, SL400 for a tile that does not exist.
    """
    if isinstance(layout, ComposedLayout):
        tile, offset = local_tile(layout.layout, tiler, coord, where)
        return ComposedLayout(layout.swizzle, as_size(layout.offset + offset), tile), 0
    tile, rest = zipped_divide(layout, tiler, where).modes
    kept, offset = slice_and_offset(coord, rest) if has_keep(coord) else (None, rest(coord))
    return (tile if kept is None else join(tile, *kept.modes)), offset


def make_layout_tile(layout: Layout, tile: Any, where: Any = None) -> Layout:
    """The layout of a tile, of `tile` elements in each dimension: same blocks, same strides.

    >>> from symlayout.tla import read_layout
    >>> print(make_layout_tile(read_layout("((4,2),(4,3)):((4,16),(1,32))"), (4, 4)))
    ((4,1),(4,1)):((4,16),(1,32))

    In a dimension of several modes the last one counts as many blocks as the tile needs, rounded
    up.  A tile that is larger than its layout is undefined: an error with numbers, a condition with
    symbols, which `where` (facts, or none of them) asks to be proved.  Raises `LayoutError`: SL107
    for a tile of another rank, a larger one or a dimension of deeper blocks, SL801 for one that is
    not proved to fit.
    """
    layout = layout_of(layout)
    sizes = _sizes(layout, tile)
    known = None if where is None else Known(facts_for(where, layout, sizes))
    for k, (size, (modes, _)) in enumerate(zip(sizes, layout.groups)):
        held = it.product(modes)
        if isinstance(size, int) and isinstance(held, int):
            if size > held:
                message = f"the tile of {int(size)} is larger than dimension {k}, {int(held)}"
                raise LayoutError("SL107", message)
        elif known is not None and not known.at_most(size, held):
            message = f"that the tile of {size} is no larger than dimension {k}, {held}, is open"
            need = f"{size} <= {held}"
            raise LayoutError("SL801", message, help=f"add {need}", needs=(need,))
    return _tile_layout(layout, sizes, sizes)


def get_tile_layout(layout: Layout, tile: Any, coord: Any) -> Layout:
    """The layout of the tile that begins at `coord`, its true sizes cut at the layout's edge.

    >>> from symlayout.layouts.cute.formats import make_format
    >>> A = get_tile_layout(make_format("zN", "s8", 100, 33), (32, 33), (96, 32))
    >>> A.shape, A.origin
    (((16, 2), (32, 2)), (4, 1))

    Raises `LayoutError` as `make_layout_tile` does, SL108 for a coordinate of another rank.
    """
    layout = layout_of(layout)
    sizes = _sizes(layout, tile)
    corner = _per_dimension(coord, layout)
    left = [as_size(Max(o - c, 0)) for o, c in zip(layout.origin, corner)]
    return _tile_layout(layout, sizes, tuple(as_size(Min(t, x)) for t, x in zip(sizes, left)))


def tile_view(layout: Layout, tile_coord: Any, tile: Any) -> tuple[Layout, Size]:
    """The tile at `tile_coord * tile`: its layout, and the offset of its first element.

    >>> from symlayout.layouts.cute.formats import make_format
    >>> view, offset = tile_view(make_format("zN", "f16", 64, 64), (1, 2), (16, 16))
    >>> print(view, offset)
    ((16,1),(16,1)):((16,256),(1,1024)) 2304
    """
    layout = layout_of(layout)
    sizes = _sizes(layout, tile)
    place = _per_dimension(tile_coord, layout)
    corner = tuple(as_size(p * t) for p, t in zip(place, sizes))
    offset = crd2offset(_nested(corner, layout), layout.shape, layout.stride)
    return get_tile_layout(layout, sizes, corner), offset


def _per_dimension(coord: Any, layout: Layout) -> tuple[Any, ...]:
    """One integer per dimension; an integer alone for one dimension."""
    given = it.as_tuple(coord)
    made = given if isinstance(given, tuple) else (given,)
    if len(made) != len(layout.origin) or any(isinstance(c, tuple) for c in made):
        raise LayoutError("SL108", f"the coordinate {coord} does not fit {layout}")
    return made


def _nested(corner: tuple[Size, ...], layout: Layout) -> Any:
    """The corner as one coordinate per mode: a dimension of several modes is split."""
    from symlayout.layouts.cute.coordinates import split

    each = layout.rank // len(layout.origin)
    if each == 1:
        return corner if isinstance(layout.shape, tuple) else corner[0]
    return tuple(x for c, (sizes, _) in zip(corner, layout.groups) for x in split(c, sizes))


def _sizes(layout: Layout, tile: Any) -> tuple[Size, ...]:
    sizes = it.as_tuple(tile)
    wanted = len(layout.origin)
    given: tuple[Any, ...] = sizes if isinstance(sizes, tuple) else (sizes,)
    if len(given) != wanted:
        raise LayoutError("SL107", f"a tile of {len(given)} sizes for {wanted} dimensions")
    made = [it.product(g) for g in given]
    for size in made:
        if isinstance(size, int) and size < 0:
            raise LayoutError("SL102", f"the tile size {int(size)} is negative")
    return tuple(made)


def _tile_layout(layout: Layout, tile: tuple[Size, ...], true: tuple[Size, ...]) -> Layout:
    leaves: list[Size] = []
    for size, (blocks, _) in zip(tile, layout.groups):
        if not blocks:
            continue
        within = it.product(blocks[:-1])
        leaves += [*blocks[:-1], it.ceildiv(size, within)]
    shape = it.unflatten(leaves, layout.shape)
    return Layout(shape, layout.stride, true, layout.bits)
