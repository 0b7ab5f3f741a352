"""Layouts of wider and narrower elements over the same memory: upcast, downcast, recast."""

from __future__ import annotations

from math import gcd
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size, as_expr
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.tla.arguments import layout_of
from symlayout.tla.known import Known, facts_for


def upcast(layout: Any, n: int, where: Any = ()) -> Any:
    """The layout counted in elements that are n old ones wide.

    >>> print(upcast(Layout((4, (3, 2)), (6, (2, 1))), 2))
    (4,(3,1)):(3,(1,1))
    >>> from symlayout.tla import read_layout
    >>> print(upcast(read_layout("(M,N):(N,1)"), 2, where="N % 2 == 0"))
    (M,N//2):(N//2,1)

    Each mode whose stride is a multiple of n keeps its size; one whose stride divides n shrinks to
    the wide elements that it meets.  The law: the offsets are `x // n` for every old offset x.
    Raises `LayoutError` (SL800) for a stride that neither divides n nor is a multiple of it, and
    where the modes inside a wide element together leave it.
    """
    layout, width = _operand(layout), _width(n)
    if isinstance(layout, ComposedLayout):
        where = facts_for(where, layout)
        return _with_swizzle(layout, upcast(layout.layout, n, where), -_exponent(n), where)
    known = Known(facts_for(where, layout))
    _check_inside(layout, n)
    pairs = it.transform(
        lambda s, d: _up(s, d, width, layout, known), layout._shape, layout._stride
    )
    return _unpair(layout, pairs)


def _operand(x: Any) -> Any:
    """A layout, or a swizzled one, as a value."""
    if isinstance(x, str):
        from symlayout.layouts.cute.reader import read_layout

        x = read_layout(x)
    return x if isinstance(x, ComposedLayout) else layout_of(x)


def _exponent(n: int) -> int:
    """The power of two that n is; a swizzle's bits move by it."""
    if n & (n - 1):
        raise LayoutError("SL800", f"a swizzle is counted in powers of two, not in {n}")
    return n.bit_length() - 1


def _with_swizzle(old: ComposedLayout, layout: Layout, bits: int, where: Any) -> ComposedLayout:
    """The swizzle moved by so many bits: those below it are within an element, or are new ones.

    Raises `LayoutError` (SL800) where the swizzle moves bits within an element of the new width.
    """
    s, start, n = old.swizzle, old._offset, 1 << abs(bits)
    if s.bits and s.base + bits < 0:
        raise LayoutError("SL800", f"{s} moves parts of an element that is {n} old ones wide")
    if bits < 0 and not Known(facts_for(where, old.layout)).divides(n, start):
        raise LayoutError("SL800", f"the offset {start} of {old} is not a multiple of {n}")
    swizzle = Swizzle(s.bits, max(0, s.base + bits), s.shift)
    offset = start * n if bits > 0 else Known(facts_for(where, old.layout)).quotient(start, n)
    return ComposedLayout(swizzle, offset, layout)


def _check_inside(layout: Layout, n: int) -> None:
    """The parts of the offsets below n must add up to less than n: then nothing carries."""
    inside = 0
    for size, stride in layout._leaves:
        if isinstance(stride, int) and stride % n and size != 1:
            per = -(-n // abs(stride))
            inside += (min(size, per) - 1 if isinstance(size, int) else per - 1) * stride
    if inside >= n:
        message = f"upcast of {layout} by {n}: its modes leave an element together ({inside})"
        raise LayoutError("SL800", message)


def _width(n: int) -> int:
    if it.check_index(n, "the number of elements in one") < 1:
        raise LayoutError("SL102", f"{n} elements in one: there must be at least 1")
    return n


class _Pair:
    """A leaf of the result; no tuple, so that it does not look like a mode."""

    def __init__(self, size: Size, stride: Size) -> None:
        self.size, self.stride = size, stride


def _unpair(layout: Layout, pairs: Any) -> Layout:
    leaves: tuple[Any, ...] = it.flatten(pairs)
    shape = it.unflatten([p.size for p in leaves], layout._shape)
    return Layout(shape, it.unflatten([p.stride for p in leaves], layout._shape))


def _like(source: Size, number: Size) -> Size:
    return it.Static(number) if isinstance(source, it.Static) else number


def _up(size: Size, stride: Size, n: int, layout: Layout, known: Known) -> _Pair:
    if stride == 0:
        return _Pair(size, stride)
    if not isinstance(stride, int):
        factor = _exact(stride, n)
        if factor is None and known.divides(n, stride):
            factor = known.quotient(stride, n)
        if factor is None:
            message = f"upcast of {layout} by {n}: the stride {stride} is not a multiple of {n}"
            raise LayoutError("SL800", message)
        return _Pair(size, factor)
    step = int(stride)
    if step % n == 0:
        return _Pair(size, _like(stride, step // n))
    if step < 0 or n % step:
        raise LayoutError(
            "SL800",
            f"upcast of {layout} by {n}: the stride {int(stride)} neither divides {n} nor is a "
            "multiple of it",
        )
    per = n // step
    if not isinstance(size, int) and known.divides(per, size):
        return _Pair(known.quotient(size, per), _like(stride, 1))
    return _Pair(it.ceildiv(size, _like(size, per)), _like(stride, 1))


def _exact(e: Size, n: int) -> Size | None:
    """`e / n` when every coefficient of `e` is a multiple of n."""
    from symlayout.expr.terms import as_size
    from symlayout.expr.tree import Add, Integer, exact_quotient, expand

    terms = Add.make_args(expand(as_expr(e)))
    if any(int(t.as_coeff_Mul()[0]) % n for t in terms):
        return None
    return as_size(Add(*[exact_quotient(t, Integer(n)) for t in terms]))


def downcast(layout: Any, n: int, where: Any = ()) -> Any:
    """The layout counted in elements of which n make an old one.

    >>> print(downcast(Layout((4, 3), (3, 1)), 2))
    (4,6):(6,1)

    The mode of stride 1 grows n times.  The law: the offsets are `n * x + k` for every old offset x
    and every 0 <= k < n.  Raises `LayoutError` (SL800) unless exactly one mode has the stride 1.
    """
    layout, width = _operand(layout), _width(n)
    if isinstance(layout, ComposedLayout):
        where = facts_for(where, layout)
        return _with_swizzle(layout, downcast(layout.layout, n, where), _exponent(n), where)
    facts_for(where, layout)  # facts about other symbols are refused
    if n == 1:
        return layout
    ones = [s for s, d in layout._leaves if d == 1 and s != 1]
    units = ones or [s for s, d in layout._leaves if d == 1]
    if len(units) != 1:
        message = f"downcast of {layout}: {len(units)} modes have stride 1, and one must"
        raise LayoutError("SL800", message)
    pairs = it.transform(
        lambda s, d: (
            _Pair(s * _like(s, width), d)
            if d == 1 and (s != 1 or not ones)
            else _Pair(s, d * _like(d, width))
        ),
        layout._shape,
        layout._stride,
    )
    return _unpair(layout, pairs)


def recast(layout: Any, old_bits: int, new_bits: int, where: Any = ()) -> Any:
    """The layout counted in elements of `new_bits` instead of `old_bits`.

    >>> print(recast(Layout((4, 8), (8, 1)), 16, 32))
    (4,4):(4,1)

    Raises `LayoutError` (SL800) where elements of the new width do not fit.
    """
    common = gcd(it.check_index(old_bits, "the old bits"), it.check_index(new_bits, "the new bits"))
    if old_bits < 1 or new_bits < 1:
        raise LayoutError("SL102", f"elements of {old_bits} and {new_bits} bits mean nothing")
    return upcast(downcast(layout, old_bits // common, where), new_bits // common, where)
