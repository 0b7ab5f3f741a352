"""Layouts of numbers alone: what their tiles say of the place of every element, without a search.

A layout reads coordinates as digits of a place, and the place from these digits: each step pads,
splits or orders, and none puts two elements at one place or leaves the buffer.
"""

from __future__ import annotations

from math import prod
from typing import Any

from symlayout.expr.facts import Facts
from symlayout.layouts.notation import parse
from symlayout.layouts.xla import Shape
from symlayout.layouts.xla.tiling import sizes_after
from symlayout.programs.hlo.bitcasts import bitcast_of


def of_numbers(layout: Any, where: Any) -> Shape | None:
    """The shape that a layout is, if all its sizes and tiles are numbers and no facts are given."""
    if Facts.read(where).relations:
        return None
    shape = parse(layout) if isinstance(layout, str) else layout
    if not isinstance(shape, Shape) or shape.notes:
        return None
    sizes = [*shape._dims, *shape._widths, *[t for tile in shape._tiles for t in tile]]
    return shape if all(type(n) is int for n in (*sizes, shape._tail_alignment)) else None


def fits(shape: Shape) -> bool:
    """Whether every place that the tiles of a shape of numbers reach lies inside its buffer.

    >>> fits(parse("f32[3,5]{1,0:T(2,2)}"))
    True
    """
    widths = tuple(shape._widths[k] for k in shape.physical_order())
    reach = prod(map(int, map(str, sizes_after(widths, shape._tiles))))
    wide = all(int(str(d)) <= int(str(w)) for d, w in zip(shape._dims, shape._widths))
    return wide and reach <= int(str(shape._buffer_size))


def same_places(a: Shape, b: Shape) -> str | None:
    """How the elements of one shape of numbers lie in those of another, in one buffer.

    >>> same_places(parse("f32[8,128]{1,0}"), parse("f32[128,8]{0,1}"))
    'a transpose with dimensions={1,0}'

    None where it is not known that both have elements, and padding, at the same places.
    """
    if a.bits != b.bits or a._buffer_size != b._buffer_size:
        return None
    result = bitcast_of(a, b)
    return result.words if result is not None and result.whole else None
