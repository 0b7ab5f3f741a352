"""Complement: the layout that fills the holes of another, each place exactly once.

Two sets whose sums meet every number of an interval exactly once nest like the digits of a mixed
radix (de Bruijn 1950).  So A, with its modes sorted by stride and joined, has a complement exactly
when each stride is a multiple of the size times the stride before it; the complement is what lies
between them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.arrays import each_once
from symlayout.expr.terms import Size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.tla.arguments import layout_of, operand_of, tiler_of
from symlayout.tla.coalesce import Leaf, from_leaves, merge
from symlayout.tla.composition import as_static_as
from symlayout.tla.known import facts_for
from symlayout.tla.law import check_not_empty
from symlayout.tla.swizzles import same_offsets
from symlayout.tla.values import Break, all_offsets, enumerable, modes_of


def complement(layout: Any, bound: Any = None, where: Any = (), weak: bool = False) -> Layout:
    """The layout R, strictly increasing, such that `layout` and R together cover [0, bound).

    >>> print(complement(Layout(4, 2), 24))
    (2,3):(1,8)

    Every sum of an offset of `layout` and one of R is met once; the last mode of R is rounded up
    where the bound is no multiple.  Without a bound up to the layout's own cosize.  A layout that
    meets offsets several times is taken as the set of its offsets.  A `weak` one of numbers only has
    to keep all sums apart: holes that nothing fills stay.  Raises `LayoutError` (SL800)
    with the condition that fails, or that is not decided by the facts.
    """
    layout, bound = operand_of(layout), tiler_of(bound)
    if isinstance(layout, ComposedLayout):
        bound = layout._cosize if bound is None else bound
        where = facts_for(where, layout, bound)
        layout = same_offsets(layout, where)
    layout = layout_of(layout)
    where = facts_for(where, layout, bound)
    check_not_empty("complement", layout, where)
    limit = layout._cosize if bound is None else bound_of(bound)
    if weak and layout.concrete and isinstance(limit, int):
        return as_static_as(from_leaves(merge(_apart(layout, limit))), layout)
    if layout.concrete and isinstance(limit, int):
        result = from_leaves(merge(_fill(_sorted_modes(layout), limit)))
        return as_static_as(result, layout, Layout(it.as_leaf(limit), it.Static(1)))
    from symlayout.tla.symbolic import complement_of

    return complement_of(layout, limit, where)


def _apart(layout: Layout, limit: int) -> list[Leaf]:
    """What lies between the modes and behind them, as far as no sum is met twice."""
    leaves = sorted((int(d), int(s)) for s, d in layout._leaves if s != 1 and d != 0)
    reach = [1, *(stride * size for stride, size in leaves)]
    for (stride, _), below in zip(leaves, reach):
        if stride < below:
            message = f"copies of {layout} meet: the stride {stride} is less than {below}"
            raise LayoutError("SL800", message)
    return _fill([(size, stride) for stride, size in leaves], limit)


def bound_of(bound: Any) -> Size:
    """A number, the size of a layout, or the product of a shape."""
    return bound._size if isinstance(bound, Layout) else it.product(it.as_tuple(bound))


def _sorted_modes(layout: Layout) -> list[tuple[int, int]]:
    """The strictly increasing layout with the same set of offsets, as modes."""
    for size, stride in layout._leaves:
        if size > 1 and stride < 0:
            raise LayoutError("SL800", f"complement: {layout} has the negative stride {stride}")
    leaves = [(int(s), int(d)) for s, d in layout._leaves if s != 1 and d != 0]
    leaves.sort(key=lambda leaf: (leaf[1], leaf[0]))
    union = [(int(s), int(d)) for s, d in merge(list(leaves))]
    below = [s * d for s, d in union]
    if all(d % b == 0 for (_, d), b in zip(union[1:], below)):
        return union
    if not enumerable(layout):
        raise _no_complement(layout, union)
    hits = modes_of(each_once(all_offsets(layout)))
    if isinstance(hits, Break) or any(d % (s * b) for (_, d), (s, b) in zip(hits[1:], hits)):
        raise _no_complement(layout, union)
    return hits


def _no_complement(layout: Layout, modes: list[tuple[int, int]]) -> LayoutError:
    for (size, stride), (_, after) in pairwise(modes):
        if after % (size * stride):
            return LayoutError(
                "SL800",
                f"{layout} has no complement: the stride {after} is not a multiple of "
                f"{size}*{stride}, so its holes are filled by no layout",
            )
    return LayoutError("SL800", f"{layout} has no complement: its holes are filled by no layout")


def _fill(modes: list[tuple[int, int]], limit: int) -> list[Leaf]:
    """What lies between the modes, and behind them up to the limit."""
    holes: list[Leaf] = []
    below = 1
    for size, stride in modes:
        holes.append((stride // below, below))
        below = size * stride
    holes.append((-(-int(limit) // below), below))
    return [(s, d) for s, d in holes if s != 1]
