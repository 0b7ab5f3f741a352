"""Modes put on, taken off and exchanged; shapes compared and divided; partitions by thread.

They have the meaning of CuTe's functions of these names; sizes may be symbols.
"""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.outward import for_users
from symlayout.expr.terms import Min, Size, as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import crd2offset, idx2crd
from symlayout.layouts.cute.layout import Layout, int_, join
from symlayout.layouts.cute.layout import _ as keep
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.text.limits import RANK
from symlayout.tla.arguments import (
    behind_swizzle,
    layout_of,
    on_coordinates,
    operand_of,
    tiler_of,
)
from symlayout.tla.coalesce import coalesce
from symlayout.tla.composition import composition
from symlayout.tla.divide import modes_of
from symlayout.tla.inverses import right_inverse
from symlayout.tla.known import Known, facts_for
from symlayout.tla.multiply import make_ordered_layout, raked_product
from symlayout.tla.slicing import local_tile, part_of


@behind_swizzle
def append(layout: Layout, mode: Any = None, rank: int | None = None) -> Layout:
    """The layout with one more mode behind, by default `1:0`; up to `rank` modes where it is given.

    >>> print(append(Layout((2, 3), (1, 2)), Layout(4, 6)), append(Layout(8, 1), rank=3))
    (2,3,4):(1,2,6) (8,_1,_1):(1,_0,_0)

    Raises `LayoutError` (SL204) for more modes than a layout may have.
    """
    modes, more = _and_more(layout, mode, rank)
    return join(*modes, *more)


@behind_swizzle
def prepend(layout: Layout, mode: Any = None, rank: int | None = None) -> Layout:
    """As `append`, in front.

    >>> print(prepend(Layout(8, 1), Layout(2, 8)))
    (2,8):(8,1)
    """
    modes, more = _and_more(layout, mode, rank)
    return join(*more, *modes)


@behind_swizzle
def batch(layout: Layout, count: Any, stride: Any = None) -> Layout:
    """A first mode of `count` layouts, each behind the other's buffer or so many elements apart.

    >>> from symlayout.tla import read_layout
    >>> A = batch(read_layout("zN(f16,R,C)"), "B")
    >>> print(A.origin, A.stride[0])
    (B, R, C) 256*ceildiv(C, 16)*ceildiv(R, 16)

    The true sizes of a ragged layout stay.
    """
    result = layout_of(layout)
    step = as_size(result._cosize) if stride is None else it.as_leaf(tiler_of(stride))
    shapes, strides = [], []
    for sizes, steps in result._groups:
        shapes.append(sizes[0] if len(sizes) == 1 else sizes)
        strides.append(steps[0] if len(steps) == 1 else steps)
    number = it.as_leaf(tiler_of(count))
    return Layout(
        (number, *shapes), (step, *strides), (it.plain(number), *result._origin), result.bits
    )


def _and_more(layout: Any, mode: Any, rank: int | None) -> tuple[tuple[Layout, ...], list[Layout]]:
    """The modes, and those to be put on; raises `LayoutError` (SL204) for too many."""
    unit = Layout(it.Static(1), it.Static(0)) if mode is None else _mode_of(mode)
    modes = modes_of(layout_of(layout))
    if rank is None:
        return modes, [unit]
    if it.check_index(rank, "a rank") > RANK:
        raise LayoutError("SL204", f"a layout of {rank} modes: at most {RANK} are read")
    return modes, [unit] * max(0, rank - len(modes))


@behind_swizzle
def replace(layout: Layout, index: int, mode: Any) -> Layout:
    """The layout with another mode in the place of one.

    >>> print(replace(Layout((2, 3), (1, 2)), 1, Layout(5, 7)))
    (2,5):(1,7)
    """
    modes = list(modes_of(layout_of(layout)))
    modes[_index(index, modes)] = _mode_of(mode)
    return join(*modes)


def _mode_of(x: Any) -> Layout:
    """A layout; a number as the compact mode of that size."""
    is_size = isinstance(x, int) or hasattr(x, "free_symbols")
    return Layout(it.as_leaf(x), 1) if is_size else layout_of(x)


@on_coordinates
def select(layout: Layout, *indices: int) -> Layout:
    """These modes, in this order.

    >>> print(select(Layout((2, 3, 5), (1, 2, 6)), 2, 0))
    (5,2):(6,1)
    """
    modes = modes_of(layout_of(layout))
    return join(*[modes[_index(k, modes)] for k in indices])


@on_coordinates
def take(layout: Layout, begin: int, end: int) -> Layout:
    """The modes begin..end-1.

    >>> print(take(Layout((2, 3, 5), (1, 2, 6)), 1, 3))
    (3,5):(2,6)
    """
    modes = modes_of(layout_of(layout))
    begin, end = it.check_index(begin, "a mode"), it.check_index(end, "a mode")
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
    result, want = layout_of(layout), it.as_tuple(profile)
    if len(it.flatten(result._shape)) != len(it.flatten(want)):
        message = f"{result} has not as many modes as the profile {it.text_of(want)}"
        raise LayoutError("SL107", message)
    sizes, strides = it.flatten(result._shape), it.flatten(result._stride)
    return Layout(it.unflatten(sizes, want), it.unflatten(strides, want))


# -- shapes -----------------------------------------------------------------------------------------


def shape_of(x: Any) -> Any:
    """The shape of a layout, or of its text; a shape as it is."""
    x = tiler_of(x) if isinstance(x, str) and ":" not in x else operand_of(x)
    return it.as_tuple(x._shape if hasattr(x, "_stride") else x)


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


@for_users
def shape_div(a: Any, b: Any, where: Any = ()) -> Any:
    """The shape that is left of a when its first b elements become one.

    >>> shape_div((6, 8), 12), shape_div(12, (2, 3)), shape_div((4, 6), (2, 3))
    ((1, 4), 2, (2, 2))

    Raises `LayoutError` (SL800) where neither size divides the other.
    """
    x, y = shape_of(a), shape_of(b)
    return it.plain(_quotient(x, y, Known(facts_for(where, x, y))))


def _quotient(x: Any, y: Any, known: Known) -> Any:
    if isinstance(x, tuple) and isinstance(y, tuple):
        if len(x) != len(y):
            raise LayoutError("SL107", f"{it.text_of(x)} and {it.text_of(y)} nest differently")
        return tuple(_quotient(p, q, known) for p, q in zip(x, y))
    if isinstance(x, tuple):
        result = []
        for p in x:
            result.append(_quotient(p, y, known))
            y = _quotient(y, it.product(p), known)
        return tuple(result)
    size, by = int_(x), int_(it.product(y))
    if known.divides(by, size):
        return known.quotient(size, by)
    if known.divides(size, by):
        return 1
    raise LayoutError("SL800", f"neither of {size} and {by} is shown to divide the other")


@for_users
def crd2crd(coord: Any, source: Any, target: Any) -> Any:
    """The coordinate in one shape with the number of a coordinate in another.

    >>> crd2crd((1, 2), (4, 6), (2, 12))
    (1, 4)
    """
    return idx2crd(crd2offset(coord, shape_of(source)), shape_of(target))


@for_users
def coshape(layout: Any) -> Size:
    """The size of what a layout reaches: one more than its last offset."""
    x = operand_of(layout)
    return as_size(x._cosize if isinstance(x, ComposedLayout) else layout_of(x)._cosize)


@for_users
def contiguity(layout: Any, where: Any = ()) -> Size:
    """How many elements from the first on lie side by side, whatever the sizes are that facts allow.

    At some sizes there may be more: `(M,N):(N,1)` has 1, and where N is 1 it has M.

    >>> contiguity("(4,8):(1,4)"), contiguity("(4,8):(8,1)"), contiguity("(M,N):(1,M)")
    (32, 1, M*N)
    """
    x = operand_of(layout)
    where = facts_for(where, x)
    if isinstance(x, ComposedLayout) and x.swizzle.bits:  # the swizzle moves what lies this far
        most, many = 1 << x.swizzle.source, contiguity(x.layout, where)
        known = Known(facts_for(where, x.layout, x._offset))
        if not known.same(x._offset, 0):
            raise LayoutError("SL801", f"how far {x} goes on from its offset is not decided")
        return many if known.at_most(many, most) else as_size(Min(many, most))
    plain = x.layout if isinstance(x, ComposedLayout) else layout_of(x)
    size, stride = coalesce(plain, where=where)._leaves[0]
    return as_size(int_(size)) if stride == 1 else 1


# -- partitions -------------------------------------------------------------------------------------


def make_layout_like(layout: Any) -> Layout:
    """The compact layout of the same shape whose modes lie in the same order; stride 0 stays.

    >>> print(make_layout_like("(4,8,2):(16,1,0)"))
    (4,8,2):(8,1,0)

    Raises `LayoutError` (SL801) for strides whose order is not known.
    """
    layout = operand_of(layout)
    result = layout_of(layout.layout if isinstance(layout, ComposedLayout) else layout)
    strides = it.flatten(result._stride)
    if not all(isinstance(d, int) for d in strides):
        raise LayoutError("SL801", f"the order of the strides of {result} is not known")
    sizes = tuple(1 if d == 0 else n for n, d in zip(it.flatten(result._shape), strides))
    compact = it.flatten(make_ordered_layout(sizes, tuple(map(int, strides)))._stride)
    rest = [0 if d == 0 else c for c, d in zip(compact, strides)]
    return Layout(result._shape, it.unflatten(rest, result._shape))


@for_users
def local_partition(layout: Any, tile: Any, index: Any, where: Any = ()) -> tuple[Any, Any]:
    """What thread `index` of a thread layout has of a layout: every so many-th element.

    >>> part, offset = local_partition("(8,6):(1,8)", "(4,2):(1,4)", 5)
    >>> print(part, offset)
    (2,3):(4,16) 9

    Raises `LayoutError` as `zipped_divide` does.
    """
    threads = layout_of(tile)
    place = idx2crd(right_inverse(threads)(index), threads._shape)
    sizes = tuple(it.product_each(threads._shape))
    inside = crd2offset(place, threads._shape) if not isinstance(place, tuple) else place

    def partition(plain: Layout) -> tuple[Layout, Size]:
        whole, _ = local_tile(plain, sizes, (keep,) * len(sizes), where)
        tiles, *rest = whole.modes
        return join(*rest), as_size(tiles(inside))

    return part_of(operand_of(layout), partition)


@for_users
def make_layout_tv(threads: Any, values: Any, where: Any = ()) -> tuple[tuple[Size, ...], Layout]:
    """The tile of threads that each have so many values, and its layout of (thread, value).

    >>> tile, tv = make_layout_tv("(4,8):(8,1)", "(2,2):(2,1)")
    >>> print(tile, tv)
    (8, 16) ((8,4),(2,2)):((16,2),(8,1))

    Raises `LayoutError` as `raked_product` and `right_inverse` do.
    """
    t, v = layout_of(threads), layout_of(values)
    whole = raked_product(t, v, where)
    pair = Layout((t._size, v._size), (1, t._size))
    result = composition(right_inverse(whole, where), pair, where)
    return tuple(as_size(int_(d)) for d in it.product_each(whole._shape)), result
