"""Making layouts and asking them, by the names that TLA and CuTe users know."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.outward import for_users
from symlayout.expr.terms import Size, as_size
from symlayout.layouts.cute import coordinates
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.inttuple import IntTuple
from symlayout.layouts.cute.layout import Layout, join
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.tla.arguments import layout_of, on_coordinates, operand_of, tiler_of
from symlayout.tla.chain import Chain


@for_users
def make_shape(*sizes: Any) -> IntTuple:
    """The shape of these modes, each a size or a shape.

    >>> make_shape(4, make_shape(2, 3))
    (4, (2, 3))

    Raises `LayoutError` (SL102) for a negative size.
    """
    from symlayout.layouts.cute.layout import check_size

    result = it.as_tuple(tuple(sizes))
    for size in it.flatten(result):
        check_size(size)
    return result


@for_users
def make_stride(*strides: Any) -> IntTuple:
    """The strides of these modes, each a stride or a tuple of them.

    >>> make_stride(1, make_stride(4, 8))
    (1, (4, 8))
    """
    return it.as_tuple(tuple(strides))


make_coord = make_stride
make_tile = make_stride


def make_layout(shape: Any, stride: Any = None, *more: Any, origin: Any = ()) -> Layout:
    """The layout of a shape and strides; or of several layouts, one per mode.

    >>> print(make_layout((2, 3), (3, 1)), make_layout((2, 3)))
    (2,3):(3,1) (2,3):(1,2)
    >>> print(make_layout(make_layout(4), make_layout(2, 8)))
    (4,2):(1,8)

    Without strides they are compact, the leftmost mode fastest.  `origin` has the true sizes of a
    ragged array (also as the third argument).  Raises `LayoutError` as `Layout` does.
    """
    shape, stride, *others = (_layout_from(x) for x in (shape, stride, *more))
    if isinstance(shape, Layout):
        layouts = (shape, *(() if stride is None else (stride,)), *others)
        if not all(isinstance(x, Layout) for x in layouts):
            raise LayoutError("SL107", "layouts are joined with layouts only")
        return join(*layouts)
    if len(others) > 1:
        raise LayoutError("SL107", "a layout is made of a shape, strides and an origin shape")
    sizes = it.as_tuple(shape)
    steps = it.prefix_product(sizes) if stride is None else it.as_tuple(stride)
    true = others[0] if others else origin
    return Layout(sizes, steps, tuple(true) if isinstance(true, (tuple, list)) else (true,))


def as_layout(x: Any) -> Layout:
    """The layout of a text, a number or shape (compact), another library's layout, or an array.

    >>> import numpy as np
    >>> print(as_layout("(2,3):(3,1)"), as_layout((2, 3)), as_layout(np.zeros((2, 3))))
    (2,3):(3,1) (2,3):(1,2) (2,3):(3,1)

    Raises `LayoutError` (SL107) as `layout_of` does.
    """
    if isinstance(x, (int, tuple, list)) or hasattr(x, "free_symbols"):
        return make_layout(x)
    return layout_of(x)


def _layout_from(x: Any) -> Any:
    """A text that spells a layout as that layout; anything else as it is."""
    return operand_of(x) if isinstance(x, str) and ":" in x else x


@for_users
def crd2offset(coord: Any, shape: Any, stride: Any = None) -> Any:
    """The offset of a coordinate in a shape and strides, or in a layout.

    >>> crd2offset((1, 5), "((4,2),(4,3)):((4,16),(1,32))")
    37

    Raises `LayoutError`: SL108 for a coordinate that does not fit the shape, SL107 for strides that do
    not, SL400 for a negative coordinate.
    """
    x = _layout_from(shape)
    if stride is None and not isinstance(x, Layout) and callable(x):
        return x(coord)
    return coordinates.crd2offset(coord, x, stride)


@for_users
def idx2crd(idx: Any, shape: Any, stride: Any = None) -> IntTuple:
    """The natural coordinate of a linear index in a shape, or in that of a layout.

    >>> idx2crd(41, ((4, 2), (4, 3)))
    ((1, 0), (1, 1))

    Raises `LayoutError` (SL400) for a number that is out of range.
    """
    return coordinates.idx2crd(idx, _layout_from(shape), stride)


def _tuple_of(x: Any, field: str) -> IntTuple:
    x = tiler_of(x) if isinstance(x, str) and ":" not in x else operand_of(x)
    return getattr(x, field) if hasattr(x, field) else it.as_tuple(x)


@for_users
def shape(x: Any, *path: int) -> IntTuple:
    """The shape of a layout, of its mode at `path` if given.

    >>> shape(make_layout((4, (2, 3))), 1, 0)
    2
    """
    return it.get(_tuple_of(x, "shape"), *path)


@for_users
def stride(x: Any, *path: int) -> IntTuple:
    """The strides of a layout, of its mode at `path` if given."""
    return it.get(_tuple_of(x, "stride"), *path)


def rank(x: Any, *path: int) -> int:
    """The number of modes of a layout or an IntTuple (1 for an integer), of its mode at `path`.

    >>> rank(make_layout((4, (2, 3, 5)))), rank((4, (2, 3, 5)), 1), rank(7)
    (2, 3, 1)
    """
    return it.rank(_tuple_of(x, "shape"), *path)


def depth(x: Any, *path: int) -> int:
    """How deep a layout or an IntTuple nests (0 for an integer), its mode at `path` if given."""
    return it.depth(_tuple_of(x, "shape"), *path)


@for_users
def size(x: Any, *path: int) -> Size:
    """The number of coordinates of a layout or a shape, of its mode at `path` if given."""
    return as_size(it.product(it.get(_tuple_of(x, "shape"), *path)))


@for_users
def cosize(layout: Any, *path: int) -> Size:
    """1 + the largest offset of a layout, of its mode at `path` if given."""
    layout = operand_of(layout)
    if isinstance(layout, ComposedLayout) and not path:
        return layout._cosize
    layout = layout_of(layout)
    return get_layout(layout, *path)._cosize


def get_layout(layout: Layout, *path: int) -> Layout:
    """The mode of a layout at a path of positions."""
    for position in path:
        layout = layout[position]
    return layout


@for_users
def get(x: Any, *path: int) -> Any:
    """The mode at a path of positions, of a layout or of an IntTuple.

    >>> print(get(make_layout((4, (2, 3))), 1), get((4, (2, 3)), 1, 1))
    (2,3):(4,8) 3
    """
    x = _layout_from(x)
    if isinstance(x, (ComposedLayout, Chain)) or hasattr(x, "through"):
        return on_coordinates(get_layout)(x, *path)
    return get_layout(x, *path) if isinstance(x, Layout) else it.get(it.as_tuple(x), *path)


@for_users
def flatten(x: Any) -> Any:
    """The leaves of an IntTuple from left to right, or a layout without nesting."""
    from symlayout.tla.coalesce import flat

    x = tiler_of(x) if isinstance(x, str) and ":" not in x else operand_of(x)
    if hasattr(x, "through"):
        return x.through(flatten)
    if hasattr(x, "swizzle"):
        return type(x)(x.swizzle, x._offset, flat(x.layout))
    return flat(x) if isinstance(x, Layout) else it.flatten(it.as_tuple(x))


@for_users
def product(x: Any) -> Size:
    """The product of the leaves of an IntTuple.

    >>> product((2, (3, 4)))
    24
    """
    return it.product(it.as_tuple(x))
