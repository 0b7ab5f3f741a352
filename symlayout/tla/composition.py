"""Composition: the layout R with B's profile and `R(c) == A(B(c))` for every coordinate c of B.

R is a sum over the leaves of B, so it exists exactly when `A(B(c))` is the sum of what A gives for
each leaf alone (nothing carries from one leaf into another, or the carries fit), and what A gives
for each leaf is a layout by itself.  On numbers both are decided by their digits, and where these do
not tell, by looking at every coordinate.
"""

from __future__ import annotations

from typing import Any, overload

from symlayout.errors import LayoutError
from symlayout.expr.terms import as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import idx2crd
from symlayout.layouts.cute.layout import Keep, Layout, int_, join
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.tla.arguments import layout_of, operand_of, tiler_of
from symlayout.tla.basis import CoordinateLayout
from symlayout.tla.chain import Chain
from symlayout.tla.coalesce import from_leaves
from symlayout.tla.known import facts_for
from symlayout.tla.law import check_not_empty, too_large
from symlayout.tla.operands import along, sum_of_paths, swizzle_behind, swizzle_product
from symlayout.tla.structure import by_digits
from symlayout.tla.values import Break, Mode, as_mode, enumerable, modes_of, multiples, offsets_at


@overload
def composition(a: Swizzle | ComposedLayout, b: Any, where: Any = ()) -> ComposedLayout: ...


@overload
def composition(a: CoordinateLayout, b: Any, where: Any = ()) -> CoordinateLayout: ...


@overload
def composition(a: Any, b: Any, where: Any = ()) -> Layout: ...


def composition(a: Any, b: Any, where: Any = ()) -> Any:
    """First `b`, then `a`: the layout R with `R(c) == a(b(c))` for every coordinate c of b.

    >>> from symlayout.tla import read_layout
    >>> print(composition(read_layout("(6,2):(8,2)"), read_layout("(4,3):(3,1)")))
    ((2,2),3):((24,2),8)

    A leaf of b becomes a tuple where the answer needs it.  `b` may be a tiler: a tuple with a
    layout, a number n (which is n:1), `_` (the mode as it is) or such a tuple for each mode of `a`.
    A `Swizzle` or `ComposedLayout` as `a` gives a `ComposedLayout`, a `CoordinateLayout` one.  As `b`
    they are moved by `a`, or added up along their paths.  Below 0 a layout's offsets are those above,
    with a sign, as C++ divides.
    Raises `LayoutError` with the condition: SL800 when there is no such layout, SL801 when neither
    its law nor the opposite is proved.
    """
    a, b = operand_of(a), operand_of(b) if isinstance(b, str) and ":" in b else b
    if isinstance(a, CoordinateLayout | Chain):
        return a.through(composition, b, where)
    if any(isinstance(x, ComposedLayout | Chain) for x in (a, b)):
        where = facts_for(where, a, tiler_of(b))  # facts may be about the offset as well
    if isinstance(b, Swizzle):
        if isinstance(a, Swizzle):
            return swizzle_product(a, b)
        b = ComposedLayout(b, 0, Layout(a._size, 1))
    if isinstance(b, ComposedLayout | Chain):
        return _after_swizzle(a, b, where)
    if isinstance(a, Swizzle):
        return ComposedLayout(a, 0, layout_of(b))
    if isinstance(a, ComposedLayout):
        return a.map(composition, b, where)
    if isinstance(b, CoordinateLayout):
        routes = along(layout_of(a), b)
        return sum_of_paths(b, [(p, composition(mode, way, where)) for p, mode, way in routes])
    outer: Layout = layout_of(a)
    b = tiler_of(b)
    where = facts_for(where, outer, b)
    if isinstance(b, (tuple, list)):
        return _by_mode(outer, tuple(b), where)
    if isinstance(b, Keep):
        return outer
    inner = as_tile(b)
    if inner.concrete and outer.concrete:
        return _concrete(outer, inner)
    before = outer._leaves[:-1]
    if before and inner._size != 0:  # an index has no digit in a mode without elements
        check_not_empty(f"{outer} after {inner}", from_leaves([*before]), where)
    from symlayout.tla.symbolic import compose

    return compose(outer, inner, where)


def _after_swizzle(a: Any, b: ComposedLayout | Chain, where: Any) -> Any:
    """`a` after a swizzled layout: one swizzle where that says it, else one after the other."""
    if isinstance(b, Chain):
        return Chain(a if isinstance(a, Swizzle | ComposedLayout) else layout_of(a), b)
    if isinstance(a, Swizzle):
        try:
            return ComposedLayout(swizzle_product(a, b.swizzle), b._offset, b.layout)
        except LayoutError:
            return Chain(a, b)
    if not isinstance(a, ComposedLayout):
        return _layout_after_swizzle(layout_of(a), b, where)
    inner = _after_swizzle(a.layout, b, where)
    if isinstance(inner, Layout):
        return ComposedLayout(a.swizzle, a._offset, inner)
    if isinstance(inner, ComposedLayout) and a._offset == 0:
        return _after_swizzle(a.swizzle, inner, where)
    if isinstance(inner, ComposedLayout) and inner.swizzle.bits == 0:
        start = as_size(int_(a._offset) + int_(inner._offset))
        return ComposedLayout(a.swizzle, start, inner.layout)
    return Chain(a, b)


def _layout_after_swizzle(a: Layout, b: ComposedLayout, where: Any) -> Any:
    try:
        return swizzle_behind(a, b, composition(a, b.layout, where), where)
    except LayoutError:
        if b.swizzle.bits == 0 and b._offset == 0:
            raise
        return Chain(a, b)


def as_tile(b: Any) -> Layout:
    """A layout; a number n means n:1."""
    if isinstance(b, Layout):
        return b
    size = it.as_leaf(b)
    return Layout(size, it.Static(1) if isinstance(size, it.Static) else 1)


def tiled_modes(a: Layout, tiler: tuple[Any, ...]) -> tuple[Layout, ...]:
    """The modes; raises `LayoutError` (SL107) for a tiler of more."""
    if not isinstance(a._shape, tuple) or len(tiler) > a.rank:
        raise LayoutError("SL107", f"a tiler of {len(tiler)} modes for {a}, which has {a.rank}")
    return a.modes


def _by_mode(a: Layout, tiler: tuple[Any, ...], where: Any) -> Layout:
    result = [composition(m, t, where) for m, t in zip(tiled_modes(a, tiler), tiler)]
    if not all(isinstance(m, Layout) for m in result):
        raise LayoutError("SL800", f"a mode of {it.text_of(tiler)} is swizzled, which no layout is")
    return join(*result, *a.modes[len(tiler) :])


def _concrete(a: Layout, b: Layout) -> Layout:
    if b._size == 0:
        return Layout(b._shape, it.transform(lambda _: 0, b._stride))
    if any(size == 0 for size, _ in a._leaves[:-1]):  # an index has no digit in such a mode
        check_not_empty(f"{a} after {b}", a)
    hits = by_digits(a, b) or _by_looking(a, b)
    modes = [as_mode(leaf) for leaf in hits]
    shapes = it.unflatten([s for s, _ in modes], b._shape)
    strides = it.unflatten([d for _, d in modes], b._shape)
    return as_static_as(Layout(shapes, strides), a, b)


def _by_looking(a: Layout, b: Layout) -> list[list[Mode]]:
    """The modes of each leaf, by its values; what the leaves give together is looked at as well."""
    import numpy as np

    if not enumerable(b):
        raise too_large(f"{a} after {b}", b)
    hits = []
    total = np.zeros((1,), dtype=np.int64)
    inner = np.zeros((1,), dtype=np.int64)
    for size, stride in b._leaves:
        line = multiples(int(size), int(stride))
        values = offsets_at(a, line)
        modes = modes_of(values)
        if isinstance(modes, Break):
            raise _no_layout(a, b, f"{int(size)}:{int(stride)}", modes)
        hits.append(modes)
        total = (values[:, None] + total[None, :]).reshape(-1)
        inner = (line[:, None] + inner[None, :]).reshape(-1)
    wrong = np.flatnonzero(total != offsets_at(a, inner))
    if wrong.size:
        raise _carries(a, b, int(wrong[0]), int(total[wrong[0]]), int(inner[wrong[0]]))
    return hits


def as_static_as(result: Layout, *sources: Layout) -> Layout:
    """The layout with static integers when every integer of its sources is static."""
    if not all(it.is_static(x._shape) and it.is_static(x._stride) for x in sources):
        return result
    return Layout(it.transform(it.Static, result._shape), it.transform(it.Static, result._stride))


def _no_layout(a: Layout, b: Layout, leaf: str, hits: Break) -> LayoutError:
    message = f"no layout is {a} after {b}: along {leaf}, {hits.rule} (index {hits.index})"
    return LayoutError("SL800", message)


def _carries(a: Layout, b: Layout, index: int, alone: int, inner: int) -> LayoutError:
    coord = it.text_of(idx2crd(index, b._shape))
    truth = int(offsets_at(a, [inner])[0])
    return LayoutError(
        "SL800",
        f"no layout is {a} after {b}: its modes carry into each other, at {coord} the offset is "
        f"{truth} and the modes alone give {alone}",
    )
