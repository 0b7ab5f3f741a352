"""What two layouts share, what a layout forgets, and what a ragged divide leaves."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import Size, as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Keep, Layout, int_
from symlayout.tla.arguments import layout_of
from symlayout.tla.coalesce import Leaf, from_leaves, merge
from symlayout.tla.composition import as_static_as
from symlayout.tla.inverses import largest_section
from symlayout.tla.known import Known, facts_for
from symlayout.tla.law import too_large
from symlayout.tla.values import all_offsets, enumerable


def nullspace(layout: Layout) -> Layout:
    """The layout of all indices that differ only in modes of stride 0: `layout(R(i)) == 0`.

    >>> print(nullspace(Layout((4, 3, 2), (1, 0, 0))))
    6:4

    R is strictly increasing; `1:0` when no stride is 0.
    """
    layout = layout_of(layout)
    free: list[Leaf] = []
    place: Size = 1
    for size, stride in layout.leaves:
        if stride == 0:
            free.append((size, place))
        place = as_size(int_(place) * int_(size))
    return as_static_as(from_leaves(merge(free)), layout)


def max_common_layout(a: Layout, b: Layout) -> Layout:
    """The largest layout R with `a(R(i)) == i == b(R(i))`: what can be copied as one vector.

    >>> print(max_common_layout(Layout((8, 4), (1, 8)), Layout((8, 4), (1, 16))))
    8:1

    Raises `LayoutError` (SL801) for layouts that are symbolic or too large to look at each index.
    """
    import numpy as np

    a, b = layout_of(a), layout_of(b)
    if not enumerable(a, b):
        raise too_large("the largest common layout", a if not enumerable(a) else b)
    count = min(int(a.size), int(b.size))
    first, second = all_offsets(a)[:count], all_offsets(b)[:count]
    places = np.flatnonzero((first == second) & (first >= 0) & (first < count))
    return as_static_as(from_leaves(largest_section(first[places], places, a)), a, b)


def max_common_vector(a: Layout, b: Layout) -> int:
    """How many elements, neighbours in memory, belong together in both layouts.

    >>> max_common_vector(Layout((8, 4), (1, 8)), Layout((8, 4), (1, 16)))
    8
    """
    return int(max_common_layout(a, b).size)


def in_range(layout: Layout, tiler: Any, where: Any = ()) -> tuple[Relation, ...]:
    """Which coordinates of a divided layout are elements: one relation per ragged dimension.

    >>> from symlayout.tla import read_inttuple, read_layout
    >>> a = read_layout("(M,N):(1,M)")
    >>> [str(r) for r in in_range(a, read_inttuple("(BM,8)"), where="N % 8 == 0")]
    ['BM*q0 + r0 < M']

    In dimension k, `rk` is the place in the tile and `qk` the tile's number.  Nothing is out of
    range where the facts say that the tile divides the dimension.  Raises `LayoutError` (SL107) for
    a tiler that does not fit, or whose modes are no sizes.
    """
    from symlayout.expr.terms import symbol

    known = Known(facts_for(where, layout, tiler))
    parts = tuple(tiler) if isinstance(tiler, (tuple, list)) else (tiler,)
    sizes = it.product_each(layout.shape) if isinstance(tiler, (tuple, list)) else (layout.size,)
    if len(parts) > len(sizes):
        raise LayoutError("SL107", f"a tiler of {len(parts)} modes for {layout}")
    left: list[Relation] = []
    for k, (tile, size) in enumerate(zip(parts, sizes)):
        if isinstance(tile, Keep):
            continue
        if isinstance(tile, (Layout, tuple, list)):
            raise LayoutError("SL107", f"in_range() needs a size for mode {k}, not {tile}")
        width = int_(it.as_leaf(tile))
        if not known.divides(width, size):
            reach = symbol(f"r{k}") + symbol(f"q{k}") * width
            left.append(Relation("<", reach, int_(size)))
    return tuple(left)
