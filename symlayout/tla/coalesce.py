"""Fewer modes with the same offsets: coalesce, filter, and what sorts and regroups modes.

Neighbouring modes merge when `size * stride` of the left one is the stride of the right one; modes
of size 1 go.  Then `R(i) == L(i)` for every i, because the digit of a merged mode is the sum of the
left digit and `size` times the right one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout
from symlayout.tla.arguments import layout_of, on_coordinates
from symlayout.tla.known import Known, facts_for
from symlayout.tla.law import require_same_offsets

Leaf = tuple[Size, Size]


@on_coordinates
def coalesce(layout: Layout, profile: Any = None, where: Any = ()) -> Layout:
    """The layout with the fewest modes that has the same offset for every linear index.

    >>> from symlayout.tla import read_layout
    >>> print(coalesce(read_layout("(2,(1,6)):(1,(6,2))")))
    12:1
    >>> print(coalesce(read_layout("(M,N):(1,M)")))
    M*N:1

    With a profile (a tuple) each of its modes is coalesced by itself.  Symbolic modes merge where
    `size * stride == stride` holds for all sizes; size 1 is dropped where it is a number.  Raises
    `LayoutError` (SL107) for a profile that does not fit.
    """
    layout = layout_of(layout)
    where = facts_for(where, layout)
    if isinstance(profile, tuple):
        return by_mode(coalesce, layout, profile, where)
    same = Known(where).same if where.relations else it.same
    result = from_leaves(merge(layout._leaves, same), layout)
    if not layout.concrete:  # numbers are joined by the law above
        require_same_offsets("coalesce", result, layout, where)
    return result


def by_mode(operation: Any, layout: Layout, profile: tuple[Any, ...], where: Any) -> Layout:
    """The operation on each mode that the profile has; the other modes stay."""
    if len(profile) > layout.rank or not isinstance(layout._shape, tuple):
        raise LayoutError("SL107", f"the profile {it.text_of(profile)} does not fit {layout}")
    done = [operation(m, p, where) for m, p in zip(layout.modes, profile)]
    rest = layout.modes[len(profile) :]
    shape = tuple(x._shape for x in (*done, *rest))
    return Layout(shape, tuple(x._stride for x in (*done, *rest)))


def merge(
    leaves: tuple[Leaf, ...] | list[Leaf], same: Callable[[Size, Size], bool] = it.same
) -> list[Leaf]:
    """Neighbours joined, size 1 dropped.

    >>> merge([(2, 1), (1, 6), (6, 2), (4, 24)])
    [(12, 1), (4, 24)]
    """
    results: list[Leaf] = []
    for size, stride in leaves:
        if same(size, 1):
            continue
        if results and same(results[-1][0] * results[-1][1], stride):
            results[-1] = (results[-1][0] * size, results[-1][1])
        else:
            results.append((size, stride))
    return results


def merge_to_the_end(
    leaves: tuple[Leaf, ...] | list[Leaf], same: Callable[[Size, Size], bool] = it.same
) -> list[Leaf]:
    """As `merge`, for indices beyond the size as well: they go on with the last mode's stride.

    >>> merge_to_the_end([(2, 1), (2, 2), (1, 4)]), merge_to_the_end([(2, 1), (2, 2), (1, 0)])
    ([(4, 1)], [(4, 1), (1, 0)])
    """
    modes = merge(leaves, same)
    if leaves:
        size, stride = leaves[-1]
        goes_on = modes and same(modes[-1][0] * modes[-1][1], stride)
        if same(size, 1) and not goes_on:
            modes.append((size, stride))
    return modes


def from_leaves(leaves: list[Leaf], source: Layout | None = None) -> Layout:
    """The flat layout of the leaves: an integer for one of them, `1:0` for none."""
    if not leaves:
        static = source is not None and it.is_static(source._shape)
        return Layout(it.Static(1), it.Static(0)) if static else Layout(1, 0)
    if len(leaves) == 1:
        return Layout(*leaves[0])
    return Layout(tuple(s for s, _ in leaves), tuple(d for _, d in leaves))


def flat(layout: Layout) -> Layout:
    """The layout without nesting: all leaves side by side.

    >>> print(flat(Layout(((4, 2), 3), ((1, 8), 16))))
    (4,2,3):(1,8,16)
    """
    return Layout(it.flatten(layout._shape), it.flatten(layout._stride))


@on_coordinates
def filter_zeros(layout: Layout) -> Layout:
    """The layout with size 1 for every mode of stride 0.

    >>> print(filter_zeros(Layout((4, 2), (0, 1))))
    (1,2):(0,1)
    """
    shape = it.transform(lambda s, d: _one(s) if d == 0 else s, layout._shape, layout._stride)
    return Layout(shape, layout._stride)


def _one(size: Size) -> Size:
    return it.Static(1) if isinstance(size, it.Static) else 1


@on_coordinates
def filter(layout: Layout, profile: Any = None, where: Any = ()) -> Layout:
    """The layout without modes of stride 0 or size 1, coalesced: the same set of offsets, if any.

    >>> print(filter(Layout((2, 4, 3), (1, 0, 2))))
    6:1
    """
    layout = layout_of(layout)
    where = facts_for(where, layout)
    if isinstance(profile, tuple):
        return by_mode(filter, layout, profile, where)
    return coalesce(filter_zeros(layout), where=where)


@on_coordinates
def group_modes(layout: Layout, begin: int, end: int) -> Layout:
    """The modes begin..end-1 nested into one mode.

    >>> print(group_modes(Layout((2, 3, 4), (1, 2, 6)), 0, 2))
    ((2,3),4):((1,2),6)
    """
    begin, end = it.check_index(begin, "a mode"), it.check_index(end, "a mode")
    if not isinstance(layout._shape, tuple) or not 0 <= begin <= end <= layout.rank:
        raise LayoutError("SL107", f"there are no modes {begin} to {end} in {layout}")

    def group(t: Any) -> Any:
        return (*t[:begin], t[begin:end], *t[end:])

    return Layout(group(layout._shape), group(layout._stride))
