"""Coordinates to offsets and back.

An integer coordinate of a tuple of modes is split colexicographically: the leftmost mode is the
fastest, and the last mode takes the whole remaining quotient (there is no remainder to take).
"""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size, as_size, floordiv, mod
from symlayout.layouts.cute.inttuple import (
    IntTuple,
    as_tuple,
    prefix_product,
    product,
    text_of,
    transform,
)


def split(coordinate: Size, sizes: tuple[Size, ...]) -> tuple[Size, ...]:
    """The colexicographic digits of an integer, the last one unbounded.

    >>> split(41, (8, 3)), split(41, (4, 2, 2))
    ((1, 5), (1, 0, 5))
    """
    if not sizes:
        return ()
    digits: list[Size] = []
    below: Size = 1
    for position, size in enumerate(sizes):
        quotient = floordiv(coordinate, below)
        digits.append(quotient if position == len(sizes) - 1 else mod(quotient, size))
        below = below * size
    return tuple(digits)


def crd2offset(coord: Any, shape: Any, stride: Any = None) -> Size:
    """The offset of a coordinate: nested, one per mode, or a single integer.

    >>> shape, stride = ((4, 2), (4, 3)), ((4, 16), (1, 32))
    >>> crd2offset((1, 5), shape, stride), crd2offset(41, shape, stride)
    (37, 37)

    Without a stride that of the layout, if the shape is one, else the compact one, leftmost mode
    fastest.  Everything may be symbolic.  Raises
    `LayoutError`: SL108 for a coordinate that does not fit the shape, SL107 for strides that do
    not, SL400 for a negative coordinate.
    """
    if stride is None and hasattr(shape, "_stride"):
        shape, stride = shape._shape, shape._stride
    sizes = as_tuple(shape)
    steps = prefix_product(sizes) if stride is None else as_tuple(stride)
    return as_size(_offset(as_tuple(coord), sizes, steps))


def _offset(coord: Any, shape: Any, stride: Any) -> Any:
    match isinstance(coord, tuple), isinstance(shape, tuple):
        case True, True:
            check_ranks(coord, shape, stride)
            return sum((_offset(c, s, d) for c, s, d in zip(coord, shape, stride)), 0)
        case True, False:
            message = f"the coordinate {text_of(coord)} is a tuple where {shape} is an integer"
            raise LayoutError("SL108", message)
        case False, True:
            check_not_negative(coord)
            if not shape:
                return _no_modes(coord)
            digits = split(coord, tuple(product(s) for s in shape))
            return _offset(digits, shape, stride)
        case _:
            check_not_negative(coord)
            if isinstance(stride, tuple):
                raise LayoutError("SL107", f"the strides {text_of(stride)} for the size {shape}")
            return coord * stride


def _no_modes(coord: Any) -> Size:
    if coord != 0:
        raise LayoutError("SL108", f"the only coordinate of () is 0, not {coord}")
    return 0


def check_ranks(coord: Any, shape: Any, stride: Any) -> None:
    """Raises `LayoutError` when three tuples differ in length."""
    if len(coord) != len(shape):
        message = f"the coordinate {text_of(coord)} does not fit the shape {text_of(shape)}"
        raise LayoutError("SL108", message)
    if not isinstance(stride, tuple) or len(stride) != len(shape):
        raise LayoutError("SL107", f"the strides {text_of(stride)} do not fit {text_of(shape)}")


def check_not_negative(coord: Any) -> None:
    """Raises `LayoutError` (SL400) for a negative number."""
    if isinstance(coord, int) and coord < 0:
        raise LayoutError("SL400", f"the coordinate {int(coord)} is negative")


def idx2crd(idx: Any, shape: Any, stride: Any = None) -> IntTuple:
    """The natural coordinate of a linear index: the inverse of a compact `crd2offset`.

    >>> idx2crd(41, ((4, 2), (4, 3)))
    ((1, 0), (1, 1))

    With strides, each digit is `idx // stride % size`; of a layout its shape is taken.  Raises
    `LayoutError` (SL400) for a number that is out of range.
    """
    sizes = as_tuple(shape._shape if stride is None and hasattr(shape, "_stride") else shape)
    index = as_tuple(idx)
    if isinstance(index, tuple):
        if not isinstance(sizes, tuple) or len(index) != len(sizes):
            raise LayoutError("SL108", f"the index {text_of(index)} does not fit {text_of(sizes)}")
        steps: Any = (None,) * len(sizes) if stride is None else as_tuple(stride)
        return tuple(idx2crd(i, s, d) for i, s, d in zip(index, sizes, steps))
    steps = prefix_product(sizes) if stride is None else as_tuple(stride)
    whole = product(sizes)
    if isinstance(index, int) and (
        index < 0 or (stride is None and isinstance(whole, int) and index >= whole)
    ):
        message = f"the index {int(index)} is not in [0, {whole}) of {text_of(sizes)}"
        raise LayoutError("SL400", message)
    result: IntTuple = transform(lambda s, d: _digit(index, s, d), sizes, steps)
    return result


def _digit(index: Any, size: Size, stride: Size) -> Size:
    return mod(floordiv(index, stride), size) if stride != 0 else 0


def check_coordinate(coord: IntTuple, shape: IntTuple) -> None:
    """Raises `LayoutError` (SL400) for a number that is outside of its mode."""
    if isinstance(coord, tuple) and isinstance(shape, tuple):
        for c, s in zip(coord, shape):
            check_coordinate(c, s)
    elif not isinstance(coord, tuple):
        whole = product(shape)
        if isinstance(coord, int) and isinstance(whole, int) and not 0 <= coord < whole:
            message = f"{int(coord)} is not in [0, {int(whole)}), the range of {text_of(shape)}"
            raise LayoutError("SL400", message)


def offset_of_flat(index: int, sizes: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """The offset of a linear index in plain integers: what replays and laws trust.

    >>> offset_of_flat(41, (4, 2, 4, 3), (4, 16, 1, 32))
    37
    """
    total = 0
    for position, (size, stride) in enumerate(zip(sizes, strides)):
        last = position == len(sizes) - 1
        digit = index if last else index % size
        total += digit * stride
        index //= size or 1
    return total
