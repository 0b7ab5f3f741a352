"""Linear index to coordinates and back, for every layout, by undoing its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import FloorDiv, Mod, Size, as_size, is_concrete, product
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.xla.composite import BufferShape
from symlayout.layouts.xla.reader import read_shape
from symlayout.layouts.xla.shape import Shape
from symlayout.layouts.xla.tiling import Placed, Tile, sizes_after, suffix, with_rank


def as_shape(layout: Any) -> Shape:
    """The array shape that a text, a shape or a buffer is.

    Raises `LayoutError` for a tuple, a token or anything else.
    """
    result = read_shape(layout) if isinstance(layout, str) else layout
    if isinstance(result, BufferShape):
        result = result.content
    if not isinstance(result, Shape):
        raise LayoutError("SL100", f"expected the shape of an array, not {result!r}")
    return result


def coordinates_to_linear(layout: Any, *coords: Any) -> Size:
    """The place of an element in the buffer; a sequence of sizes stands for row-major.

    >>> coordinates_to_linear("f32[2,3]{0,1}", 1, 2), coordinates_to_linear((2, 3), 1, 2)
    (5, 5)
    >>> coordinates_to_linear("f32[3,5]{1,0:T(2,2)}", 2, 3)
    17

    Coordinates are numbers or expressions, one for each dimension; the result is in elements.
    Raises `LayoutError`: SL108 for a wrong number of them, SL400 for one out of range.
    """
    if isinstance(layout, (list, tuple)):
        return IndexMap.row_major(layout).offset(*coords)
    return as_shape(layout).index_map().offset(*coords)


def linear_to_coordinates(layout: Any, linear: Any) -> tuple[Size, ...]:
    """The coordinates of the element at a place in the buffer, the inverse of the other direction.

    >>> linear_to_coordinates("f32[2,3]{0,1}", 5), linear_to_coordinates((2, 3), 5)
    ((1, 2), (1, 2))
    >>> linear_to_coordinates("f32[3,5]{1,0:T(2,2)}", 17)
    (2, 3)
    >>> from symlayout.expr.terms import symbol
    >>> linear_to_coordinates("f32[M,N]", symbol("l"))
    (l//N, l%N)

    `linear` is a number of elements or an expression; symbolic results hold on every place that an
    element occupies.  Raises `LayoutError` (SL400) for a number outside the buffer or in padding.
    """
    rowwise = isinstance(layout, (list, tuple))
    shape = Shape("pred", tuple(layout)) if rowwise else as_shape(layout)
    shape.check_meaning()
    at = as_size(linear)
    if shape._buffer_size == 0:
        raise LayoutError("SL400", f"{shape} has no elements, and so none at offset {at}")
    outside = is_concrete(at, shape._buffer_size) and at >= shape._buffer_size
    if isinstance(at, int) and (at < 0 or outside):
        raise LayoutError("SL400", f"offset {at} is not in [0, {shape._buffer_size})")
    coords = _logical(shape, at)
    if is_concrete(at, *shape._sizes, *shape._tiled_sizes):
        place = tuple(int(c) for c in coords)
        inside = all(c < int(d) for c, d in zip(place, shape._sizes))
        if not inside or shape.definition(place, {}) != at:
            raise LayoutError("SL400", f"offset {at} of {shape} is padding: no element is there")
    return coords


def _logical(shape: Shape, linear: Size) -> tuple[Size, ...]:
    """Undoes the linear index, then each tile from the last to the first, then the permutation."""
    order = shape.physical_order()
    widths = tuple(shape._widths[k] for k in order)
    before = [sizes_after(widths, shape._tiles[:n]) for n in range(len(shape._tiles))]
    coords = digits(linear, shape._tiled_sizes)
    for sizes, tile in zip(reversed(before), reversed(shape._tiles)):
        coords = before_tile(coords, sizes, tile)
    logical: list[Any] = [0] * shape.rank
    for k, c in zip(order, coords):
        logical[k] = c
    return tuple(as_size(c) for c in logical)


def digits(number: Any, sizes: Sequence[Size]) -> tuple[Any, ...]:
    """The mixed-radix digits: `(number // product of the more minor sizes) mod size`.

    >>> digits(17, (2, 3, 2, 2))
    (1, 1, 0, 1)

    The most major digit has no `mod`: a number in range does not need it.
    """
    out: list[Any] = []
    digit: Any
    for position in range(len(sizes) - 1, -1, -1):
        if position == 0:
            out.append(number)
            continue
        below = sizes[position]
        if isinstance(number, int) and isinstance(below, int) and below > 0:
            number, digit = divmod(number, below)
        else:
            digit, number = Mod(number, below), FloorDiv(number, below)
        out.append(digit)
    return tuple(reversed(out))


def before_tile(coords: Sequence[Any], sizes: tuple[Size, ...], tile: Tile) -> tuple[Any, ...]:
    """The coordinates before a tile was applied to an array of `sizes`.

    >>> before_tile((1, 1, 0, 1), (3, 5), (2, 2))
    (2, 3)
    """
    whole = with_rank(Placed(sizes, (0,) * len(sizes)), tile)
    at = suffix(whole, tile)
    n = len(at.tile)
    inner = coords[at.lead + n :]
    union = [q * t + r for q, t, r in zip(coords[at.lead :], at.tile, inner)]
    out = list(coords[: at.lead])
    group: list[Size] = []
    for d, t in zip(whole.sizes[at.lead :], tile):
        group.append(d)
        if not isinstance(t, str):
            out += digits(union.pop(0), group) if len(group) > 1 else [union.pop(0)]
            group = []
    return tuple(out[len(whole.sizes) - len(sizes) :])


def strides(sizes: Sequence[Size]) -> tuple[Size, ...]:
    """The product of the more minor sizes for each dimension, the most major first.

    >>> strides((2, 3, 2, 2))
    (12, 4, 2, 1)
    """
    out: list[Size] = []
    for d in (1, *reversed(sizes[1:])) if sizes else ():
        out.append(product((d, out[-1])) if out else d)
    return tuple(reversed(out))
