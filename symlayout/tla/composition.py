"""Composition: the layout R with B's profile and `R(c) == A(B(c))` for every coordinate c of B.

R is a sum over the leaves of B, so it exists exactly when `A(B(c))` is the sum of what A gives for
each leaf alone (nothing carries from one leaf into another, or the carries fit), and what A gives
for each leaf is a layout by itself.  On numbers both are decided by looking at every coordinate.
"""

from __future__ import annotations

from typing import Any, overload

from symlayout.errors import LayoutError
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import idx2crd
from symlayout.layouts.cute.layout import Keep, Layout, join
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.tla.arguments import layout_of, tiler_of
from symlayout.tla.known import facts_for
from symlayout.tla.values import Break, as_mode, enumerable, modes_of, multiples, offsets_at


@overload
def composition(a: Swizzle | ComposedLayout, b: Any, where: Any = ()) -> ComposedLayout: ...


@overload
def composition(a: Any, b: Any, where: Any = ()) -> Layout: ...


def composition(a: Any, b: Any, where: Any = ()) -> Layout | ComposedLayout:
    """First `b`, then `a`: the layout R with `R(c) == a(b(c))` for every coordinate c of b.

    >>> from symlayout.tla import read_layout
    >>> print(composition(read_layout("(6,2):(8,2)"), read_layout("(4,3):(3,1)")))
    ((2,2),3):((24,2),8)

    A leaf of b becomes a tuple where the answer needs it.  `b` may be a tiler: a tuple with a
    layout, a number n (which is n:1), `_` (the mode as it is) or such a tuple for each mode of `a`.
    A `Swizzle` or `ComposedLayout` as `a` gives a `ComposedLayout`.
    Raises `LayoutError` with the condition: SL800 when there is no such layout, SL801 when neither
    its law nor the opposite is proved.
    """
    if isinstance(b, ComposedLayout):
        return _after_swizzle(a, b)
    if isinstance(a, Swizzle):
        return ComposedLayout(a, 0, layout_of(b))
    if isinstance(a, ComposedLayout):
        return a.map(composition, b, where)
    outer: Layout = layout_of(a)
    b = tiler_of(b)
    where = facts_for(where, outer, b)
    if isinstance(b, (tuple, list)):
        return _by_mode(outer, tuple(b), where)
    if isinstance(b, Keep):
        return outer
    inner = as_tile(b)
    if enumerable(inner) and outer.concrete:
        return _concrete(outer, inner)
    from symlayout.tla.symbolic import compose

    return compose(outer, inner, where)


def _after_swizzle(a: Any, b: ComposedLayout) -> ComposedLayout:
    """What changes nothing after a swizzled layout; raises `LayoutError` (SL800) for all else."""
    if isinstance(a, Swizzle) and a.bits == 0:
        return b
    if not isinstance(a, (Swizzle, ComposedLayout)):
        from symlayout.tla.coalesce import coalesce

        outer = coalesce(layout_of(a))
        if outer.leaves[0][1] == 1 and len(outer.leaves) == 1:
            return b
    raise LayoutError("SL800", f"{a} after {b} is no swizzle after an offset after a layout")


def as_tile(b: Any) -> Layout:
    """A layout; a number n means n:1."""
    return b if isinstance(b, Layout) else Layout(it.as_leaf(b), 1)


def _by_mode(a: Layout, tiler: tuple[Any, ...], where: Any) -> Layout:
    if len(tiler) > a.rank or not isinstance(a.shape, tuple):
        raise LayoutError("SL107", f"a tiler of {len(tiler)} modes for {a}, which has {a.rank}")
    made = [composition(m, t, where) for m, t in zip(a.modes, tiler)]
    return join(*made, *a.modes[len(tiler) :])


def _concrete(a: Layout, b: Layout) -> Layout:
    import numpy as np

    if any(s > 1 and d < 0 for s, d in b.leaves):
        raise LayoutError("SL800", f"{b} has negative offsets, where {a} means nothing")
    if b.size == 0:
        return Layout(b.shape, it.transform(lambda _: 0, b.stride))
    modes = []
    total = np.zeros((1,), dtype=np.int64)
    inner = np.zeros((1,), dtype=np.int64)
    for size, stride in b.leaves:
        line = multiples(int(size), int(stride))
        values = offsets_at(a, line)
        found = modes_of(values)
        if isinstance(found, Break):
            raise _no_layout(a, b, f"{int(size)}:{int(stride)}", found)
        modes.append(as_mode(found, int(size)))
        total = (values[:, None] + total[None, :]).reshape(-1)
        inner = (line[:, None] + inner[None, :]).reshape(-1)
    wrong = np.flatnonzero(total != offsets_at(a, inner))
    if wrong.size:
        raise _carries(a, b, int(wrong[0]), int(total[wrong[0]]), int(inner[wrong[0]]))
    shapes = it.unflatten([s for s, _ in modes], b.shape)
    strides = it.unflatten([d for _, d in modes], b.shape)
    return as_static_as(Layout(shapes, strides), a, b)


def as_static_as(made: Layout, *sources: Layout) -> Layout:
    """The layout with static integers when every integer of its sources is static."""
    if not all(it.is_static(x.shape) and it.is_static(x.stride) for x in sources):
        return made
    return Layout(it.transform(it.Static, made.shape), it.transform(it.Static, made.stride))


def _no_layout(a: Layout, b: Layout, leaf: str, found: Break) -> LayoutError:
    return LayoutError(
        "SL800",
        f"no layout is {a} after {b}: along {leaf}, {found.rule} (index {found.index})",
    )


def _carries(a: Layout, b: Layout, index: int, alone: int, inner: int) -> LayoutError:
    coord = it.text_of(idx2crd(index, b.shape))
    truth = int(offsets_at(a, [inner])[0])
    return LayoutError(
        "SL800",
        f"no layout is {a} after {b}: its modes carry into each other, at {coord} the offset is "
        f"{truth} and the modes alone give {alone}",
    )
