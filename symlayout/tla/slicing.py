"""Parts of a layout: slices with `_`, tiles at a place, and the layout of a tile."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.outward import for_users
from symlayout.expr.terms import Max, Min, Size, as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import crd2offset
from symlayout.layouts.cute.layout import Keep, Layout, has_keep, join
from symlayout.layouts.cute.layout import slice_and_offset as cut
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.layouts.doors.operations import usage
from symlayout.layouts.indexmap import mismatch
from symlayout.tla.arguments import layout_of, operand_of
from symlayout.tla.basis import CoordinateLayout
from symlayout.tla.chain import Chain
from symlayout.tla.divide import zipped_divide
from symlayout.tla.known import Known, facts_for


@for_users
def slice_and_offset(coord: Any, layout: Any) -> tuple[Any, Any]:
    """The modes where the coordinate is `_`, and the offset of all the other coordinates.

    >>> from symlayout.tla import _
    >>> part, offset = slice_and_offset((_, 5), "(4,8):(8,1)")
    >>> print(part, offset)
    (4):(8) 5

    Of a swizzled layout the offset stays before the swizzle, and the other one is 0; of a layout of
    coordinates it is a coordinate.  Raises `LayoutError`: SL108 for a coordinate that does not fit,
    SL400 for one out of range.
    """
    x = operand_of(layout)
    if isinstance(x, CoordinateLayout):
        return x.slice(coord)
    if isinstance(x, ComposedLayout):
        return x.slice(coord), 0
    if isinstance(x, Chain):
        return Chain(x.outer, slice_and_offset(coord, x.inner)[0]), 0
    return cut(coord, layout_of(x))


def slice_layout(coord: Any, layout: Any) -> Any:
    """The modes of the layout where the coordinate is `_`."""
    return slice_and_offset(coord, layout)[0]


def dice(coord: Any, layout: Any) -> Layout:
    """The modes of the layout where the coordinate is not `_`: the opposite of a slice.

    >>> from symlayout.tla import _
    >>> print(dice((_, 5), Layout((4, 8), (8, 1))))
    (8):(1)
    """
    layout = layout_of(layout)
    if not isinstance(coord, (tuple, list)):
        return join() if isinstance(coord, Keep) else layout
    if not isinstance(layout._shape, tuple) or len(coord) != layout.rank:
        raise LayoutError("SL108", f"the coordinate {coord} does not fit {layout}")
    layouts: list[Layout] = []
    for c, mode in zip(coord, layout.modes):
        if isinstance(c, (tuple, list)) and has_keep(c):
            layouts += dice(c, mode).modes
        elif not isinstance(c, Keep):
            layouts.append(mode)
    return join(*layouts)


def local_tile(layout: Any, tiler: Any, coord: Any, where: Any = ()) -> tuple[Any, Size]:
    """The tile of shape `tiler` at tile coordinate `coord`: its layout and its first offset.

    >>> tile, offset = local_tile(Layout((8, 6), (1, 8)), (4, 2), (1, 2))
    >>> print(tile, offset)
    (4,2):(1,8) 36

    Of a swizzled layout the tile's offset stays before the swizzle, and the other one is 0.  Raises
    `LayoutError` as `zipped_divide` does, SL400 for a tile that does not exist.
    """
    layout = operand_of(layout)
    if not isinstance(layout, Layout) and hasattr(layout, "_shape"):
        return part_of(layout, local_tile, tiler, coord, where)
    tile, rest = zipped_divide(layout, tiler, where).modes
    remainder, offset = cut(coord, rest) if has_keep(coord) else (None, rest(coord))
    return (tile if remainder is None else join(tile, *remainder.modes)), offset


def part_of(layout: Any, operation: Any, *arguments: Any) -> tuple[Any, Any]:
    """An operation that gives a part and its offset, of a swizzled layout or one of coordinates."""
    if isinstance(layout, CoordinateLayout):
        return layout.with_offset(operation, *arguments)
    if isinstance(layout, Chain):
        return Chain(layout.outer, part_of(layout.inner, operation, *arguments)[0]), 0
    if isinstance(layout, ComposedLayout):
        tile, offset = operation(layout.layout, *arguments)
        return ComposedLayout(layout.swizzle, as_size(layout._offset + offset), tile), 0
    result: tuple[Any, Any] = operation(layout_of(layout), *arguments)
    return result


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
    sizes = _sizes(layout, tile, "make_layout_tile")
    known = None if where is None else Known(facts_for(where, layout, sizes))
    for k, (size, (modes, _)) in enumerate(zip(sizes, layout._groups)):
        value = it.product(modes)
        if isinstance(size, int) and isinstance(value, int):
            if size > value:
                message = f"the tile of {int(size)} is larger than dimension {k}, {int(value)}"
                raise LayoutError("SL107", message)
        elif known is not None and not known.at_most(size, value):
            message = f"that the tile of {size} is no larger than dimension {k}, {value}, is open"
            need = f"{size} <= {value}"
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
    sizes = _sizes(layout, tile, "get_tile_layout")
    corner = _per_dimension(coord, layout)
    left = [as_size(Max(o - c, 0)) for o, c in zip(layout._origin, corner)]
    return _tile_layout(layout, sizes, tuple(as_size(Min(t, x)) for t, x in zip(sizes, left)))


def tile_view(layout: Layout, tile_coord: Any, tile: Any) -> tuple[Layout, Size]:
    """The tile at `tile_coord * tile`: its layout, and the offset of its first element.

    >>> from symlayout.layouts.cute.formats import make_format
    >>> view, offset = tile_view(make_format("zN", "f16", 64, 64), (1, 2), (16, 16))
    >>> print(view, offset)
    ((16,1),(16,1)):((16,256),(1,1024)) 2304
    """
    layout = layout_of(layout)
    sizes = _sizes(layout, tile, "get_tile_layout")
    place = _per_dimension(tile_coord, layout)
    corner = tuple(as_size(p * t) for p, t in zip(place, sizes))
    offset = crd2offset(_mode_coordinates(corner, layout), layout._shape, layout._stride)
    return get_tile_layout(layout, sizes, corner), offset


def _per_dimension(coord: Any, layout: Layout) -> tuple[Any, ...]:
    """One integer per dimension; an integer alone for one dimension."""
    argument = it.as_tuple(coord)
    results = argument if isinstance(argument, tuple) else (argument,)
    if len(results) != len(layout._origin) or any(isinstance(c, tuple) for c in results):
        raise LayoutError("SL108", f"the coordinate {coord} does not fit {layout}")
    return results


def _mode_coordinates(corner: tuple[Size, ...], layout: Layout) -> Any:
    """The corner as one coordinate per mode: a dimension of several modes is split."""
    from symlayout.layouts.cute.coordinates import split

    each = layout.rank // len(layout._origin)
    if each == 1:
        return corner if isinstance(layout._shape, tuple) else corner[0]
    return tuple(x for c, (sizes, _) in zip(corner, layout._groups) for x in split(c, sizes))


def _sizes(layout: Layout, tile: Any, name: str) -> tuple[Size, ...]:
    """The elements of a tile in each dimension; `name` is the operation that asks."""
    sizes = it.as_tuple(tile)
    target = len(layout._origin)
    arguments: tuple[Any, ...] = sizes if isinstance(sizes, tuple) else (sizes,)
    if len(arguments) != target:
        raise LayoutError("SL107", f"a tile of {mismatch(len(arguments), target, 'size')}")
    results = [it.product(g) for g in arguments]
    for size in results:
        if isinstance(size, int) and size < 0:
            raise LayoutError("SL102", f"the tile size {int(size)} is negative")
        if isinstance(size, int) and size == 0:
            raise LayoutError("SL102", "a tile of 0 elements is empty", help=usage(name))
    return tuple(results)


def _tile_layout(layout: Layout, tile: tuple[Size, ...], true: tuple[Size, ...]) -> Layout:
    leaves: list[Size] = []
    for size, (blocks, _) in zip(tile, layout._groups):
        if not blocks:
            continue
        within = it.product(blocks[:-1])
        leaves += [*blocks[:-1], it.ceildiv(size, within)]
    shape = it.unflatten(leaves, layout._shape)
    return Layout(shape, layout._stride, true, layout.bits)
