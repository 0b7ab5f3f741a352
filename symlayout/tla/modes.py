"""Modes put on, taken off and exchanged; shapes compared and divided; partitions by thread.

They have the meaning of CuTe's functions of these names; sizes may be symbols.
"""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size, as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import crd2offset, idx2crd
from symlayout.layouts.cute.layout import Layout, int_, join
from symlayout.layouts.cute.layout import _ as keep
from symlayout.tla.arguments import layout_of, on_coordinates
from symlayout.tla.coalesce import coalesce
from symlayout.tla.composition import composition
from symlayout.tla.divide import opened
from symlayout.tla.inverses import right_inverse
from symlayout.tla.known import Known, facts_for
from symlayout.tla.multiply import make_ordered_layout, raked_product
from symlayout.tla.slicing import local_tile


@on_coordinates
def append(layout: Layout, mode: Any = None, rank: int | None = None) -> Layout:
    """The layout with one more mode behind, by default `1:0`; up to `rank` modes where it is given.

    >>> print(append(Layout((2, 3), (1, 2)), Layout(4, 6)), append(Layout(8, 1), rank=3))
    (2,3,4):(1,2,6) (8,_1,_1):(1,_0,_0)
    """
    modes, unit = _modes(layout, mode)
    many = 1 if rank is None else max(0, it.check_index(rank, "a rank") - len(modes))
    return join(*modes, *[unit] * many)


@on_coordinates
def prepend(layout: Layout, mode: Any = None, rank: int | None = None) -> Layout:
    """As `append`, in front.

    >>> print(prepend(Layout(8, 1), Layout(2, 8)))
    (2,8):(8,1)
    """
    modes, unit = _modes(layout, mode)
    many = 1 if rank is None else max(0, it.check_index(rank, "a rank") - len(modes))
    return join(*[unit] * many, *modes)


def _modes(layout: Any, mode: Any) -> tuple[tuple[Layout, ...], Layout]:
    unit = Layout(it.Static(1), it.Static(0)) if mode is None else layout_of(mode)
    return opened(layout_of(layout)), unit


@on_coordinates
def replace(layout: Layout, index: int, mode: Any) -> Layout:
    """The layout with another mode in the place of one.

    >>> print(replace(Layout((2, 3), (1, 2)), 1, Layout(5, 7)))
    (2,5):(1,7)
    """
    modes = list(opened(layout_of(layout)))
    modes[_index(index, modes)] = layout_of(mode)
    return join(*modes)


@on_coordinates
def select(layout: Layout, *indices: int) -> Layout:
    """These modes, in this order.

    >>> print(select(Layout((2, 3, 5), (1, 2, 6)), 2, 0))
    (5,2):(6,1)
    """
    modes = opened(layout_of(layout))
    return join(*[modes[_index(k, modes)] for k in indices])


@on_coordinates
def take(layout: Layout, begin: int, end: int) -> Layout:
    """The modes begin..end-1.

    >>> print(take(Layout((2, 3, 5), (1, 2, 6)), 1, 3))
    (3,5):(2,6)
    """
    modes = opened(layout_of(layout))
    if not 0 <= begin < end <= len(modes):
        raise LayoutError("SL107", f"there are no modes {begin} to {end} in {layout}")
    return join(*modes[begin:end])


def _index(k: int, modes: Any) -> int:
    if not 0 <= it.check_index(k, "a mode") < len(modes):
        raise LayoutError("SL107", f"there is no mode {k} of {len(modes)}")
    return k


@on_coordinates
def unflatten(layout: Layout, profile: Any) -> Layout:
    """The modes of a flat layout, nested as the profile is.

    >>> print(unflatten(Layout((2, 3, 5), (1, 2, 6)), ((0, 0), 0)))
    ((2,3),5):((1,2),6)
    """
    made, want = layout_of(layout), it.as_tuple(profile)
    if len(it.flatten(made.shape)) != len(it.flatten(want)):
        message = f"{made} has not as many modes as the profile {it.text_of(want)}"
        raise LayoutError("SL107", message)
    sizes, strides = it.flatten(made.shape), it.flatten(made.stride)
    return Layout(it.unflatten(sizes, want), it.unflatten(strides, want))


# -- shapes -----------------------------------------------------------------------------------------


def shape_of(x: Any) -> Any:
    """The shape of a layout; a shape as it is."""
    return it.as_tuple(x.shape if hasattr(x, "stride") else x)


def congruent(a: Any, b: Any) -> bool:
    """Whether two shapes, or layouts, nest alike.

    >>> congruent((2, (3, 4)), (5, (1, 1))), congruent((2, 3), 6)
    (True, False)
    """
    return it.congruent(shape_of(a), shape_of(b))


def weakly_congruent(a: Any, b: Any) -> bool:
    """Whether b nests as a does, or deeper.

    >>> weakly_congruent((2, 12), (2, (3, 4))), weakly_congruent((2, (3, 4)), (2, 12))
    (True, False)
    """
    x, y = shape_of(a), shape_of(b)
    if not isinstance(x, tuple):
        return True
    fits = isinstance(y, tuple) and len(x) == len(y)
    return fits and all(weakly_congruent(p, q) for p, q in zip(x, y))


def compatible(a: Any, b: Any, where: Any = ()) -> bool:
    """Whether every coordinate of shape a is one of shape b: each size of a is that of b's part.

    >>> compatible(24, (4, 6)), compatible((4, 6), 24), compatible((2, 12), (2, (3, 4)))
    (True, False, True)
    """
    x, y = shape_of(a), shape_of(b)
    known = Known(facts_for(where, x, y))

    def fits(p: Any, q: Any) -> bool:
        if not isinstance(p, tuple):
            return known.same(int_(p), int_(it.product(q)))
        alike = isinstance(q, tuple) and len(p) == len(q)
        return alike and all(map(fits, p, q))

    return fits(x, y)


def shape_div(a: Any, b: Any, where: Any = ()) -> Any:
    """The shape that is left of a when its first b elements become one.

    >>> shape_div((6, 8), 12), shape_div(12, (2, 3)), shape_div((4, 6), (2, 3))
    ((1, 4), 2, (2, 2))

    Raises `LayoutError` (SL800) where neither size divides the other.
    """
    x, y = it.as_tuple(a), it.as_tuple(b)
    known = Known(facts_for(where, x, y))
    return it.plain(_divided(x, y, known))


def _divided(x: Any, y: Any, known: Known) -> Any:
    if isinstance(x, tuple) and isinstance(y, tuple):
        if len(x) != len(y):
            raise LayoutError("SL107", f"{it.text_of(x)} and {it.text_of(y)} nest differently")
        return tuple(_divided(p, q, known) for p, q in zip(x, y))
    if isinstance(x, tuple):
        made = []
        for p in x:
            made.append(_divided(p, y, known))
            y = _divided(y, it.product(p), known)
        return tuple(made)
    size, by = int_(x), int_(it.product(y))
    if known.divides(by, size):
        return known.quotient(size, by)
    if known.divides(size, by):
        return 1
    raise LayoutError("SL800", f"neither of {size} and {by} is shown to divide the other")


def crd2crd(coord: Any, source: Any, target: Any) -> Any:
    """The coordinate in one shape with the number of a coordinate in another.

    >>> crd2crd((1, 2), (4, 6), (2, 12))
    (1, 4)
    """
    return idx2crd(crd2offset(coord, shape_of(source)), shape_of(target))


def coshape(layout: Any) -> Size:
    """The size of what a layout reaches: one more than its last offset."""
    return as_size(layout_of(layout).cosize)


def contiguity(layout: Any, where: Any = ()) -> Size:
    """How many elements from the first on lie side by side.

    >>> contiguity("(4,8):(1,4)"), contiguity("(4,8):(8,1)"), contiguity("(M,N):(1,M)")
    (32, 1, M*N)
    """
    size, stride = coalesce(layout_of(layout), where=where).leaves[0]
    return as_size(int_(size)) if stride == 1 else 1


# -- partitions -------------------------------------------------------------------------------------


def make_layout_like(layout: Any) -> Layout:
    """The compact layout of the same shape whose modes lie in the same order; stride 0 stays.

    >>> print(make_layout_like("(4,8,2):(16,1,0)"))
    (4,8,2):(8,1,0)

    Raises `LayoutError` (SL801) for strides whose order is not known.
    """
    made = layout_of(layout)
    strides = it.flatten(made.stride)
    if not all(isinstance(d, int) for d in strides):
        raise LayoutError("SL801", f"the order of the strides of {made} is not known")
    sizes = tuple(1 if d == 0 else n for n, d in zip(it.flatten(made.shape), strides))
    compact = it.flatten(make_ordered_layout(sizes, tuple(map(int, strides))).stride)
    kept = [0 if d == 0 else c for c, d in zip(compact, strides)]
    return Layout(made.shape, it.unflatten(kept, made.shape))


def local_partition(layout: Any, tile: Any, index: Any, where: Any = ()) -> tuple[Layout, Size]:
    """What thread `index` of a thread layout has of a layout: every so many-th element.

    >>> part, offset = local_partition("(8,6):(1,8)", "(4,2):(1,4)", 5)
    >>> print(part, offset)
    (2,3):(4,16) 9

    Raises `LayoutError` as `zipped_divide` does.
    """
    threads = layout_of(tile)
    place = idx2crd(right_inverse(threads)(index), threads.shape)
    sizes = tuple(it.product_each(threads.shape))
    inside = crd2offset(place, threads.shape) if not isinstance(place, tuple) else place
    whole, _ = local_tile(layout_of(layout), sizes, (keep,) * len(sizes), where)
    tiles, *rest = whole.modes
    return join(*rest), as_size(tiles(inside))


def make_layout_tv(threads: Any, values: Any, where: Any = ()) -> tuple[tuple[Size, ...], Layout]:
    """The tile of threads that each have so many values, and its layout of (thread, value).

    >>> tile, tv = make_layout_tv("(4,8):(8,1)", "(2,2):(2,1)")
    >>> print(tile, tv)
    (8, 16) ((8,4),(2,2)):((16,2),(8,1))

    Raises `LayoutError` as `raked_product` and `right_inverse` do.
    """
    t, v = layout_of(threads), layout_of(values)
    whole = raked_product(t, v, where)
    pair = Layout((t.size, v.size), (1, t.size))
    made = composition(right_inverse(whole, where), pair, where)
    return tuple(as_size(int_(d)) for d in it.product_each(whole.shape)), made
