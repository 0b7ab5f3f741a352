"""Domains in parts: a tile spread over modes, even divides, and the modes that two layouts share."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size, as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.tla.arguments import layout_of
from symlayout.tla.coalesce import Leaf, from_leaves, merge
from symlayout.tla.known import Known, facts_for
from symlayout.tla.modes import shape_of


def domain_distribute(shape: Any, count: Any, where: Any = ()) -> Layout:
    """An increasing layout of `count` indices of a shape, as many from each mode as divide evenly.

    >>> print(domain_distribute((15, 14), 6))
    (3,2):(1,15)
    >>> print(domain_distribute(((64, 3), (8, 8)), 128))
    (64,2):(1,192)

    From each mode, the first one first, it takes the greatest common divisor of the mode and of what
    is left of `count`, so its size divides `count` and each mode is divided evenly.  Raises
    `LayoutError`: SL102 for sizes that are not positive, SL801 for a divisor that facts do not tell.
    """
    sizes, rest = it.flatten(shape_of(shape)), as_size(int_(it.product(shape_of(count))))
    for size in (*sizes, rest):
        if isinstance(size, int) and size < 1:
            raise LayoutError("SL102", f"a domain of {int(size)} indices has none to distribute")
    known = Known(facts_for(where, sizes, rest))
    result: list[Leaf] = []
    place: Size = 1
    for size in sizes:
        part = _divisor(int_(size), rest, known)
        result.append((part, place))
        rest = known.quotient(rest, part)
        place = as_size(int_(place) * int_(size))
    return from_leaves(merge(result, known.same))


def _divisor(a: Size, b: Size, known: Known) -> Size:
    """The greatest common divisor, where it is told."""
    from math import gcd

    if isinstance(a, int) and isinstance(b, int):
        return gcd(a, b)
    if known.divides(a, b):
        return a
    if known.divides(b, a):
        return b
    message = f"the greatest common divisor of {a} and {b} is not told by the facts"
    help = f"give one of them as a fact: {a} % ({b}) == 0, {b} % ({a}) == 0"
    raise LayoutError("SL801", message, help=help)


def evenly_divides(shape: Any, tiler: Any, where: Any = ()) -> bool:
    """Whether a tiler divides a shape without a rest: no mode of the divided shape is larger.

    >>> evenly_divides((32, 64), 128), evenly_divides((32, 64), (Layout(8, 3), 32))
    (True, False)

    A tiler of numbers, of layouts (along one mode), or of such for each mode.  With symbols True says
    that the facts prove it, False that they do not.
    """
    sizes = shape_of(shape)
    parts = tiler if isinstance(tiler, (tuple, list)) else None
    known = Known(facts_for(where, sizes, tiler))
    if parts is not None:
        own = sizes if isinstance(sizes, tuple) else (sizes,)
        pairs = zip(own, parts)
        return len(parts) <= len(own) and all(evenly_divides(s, t, known.facts) for s, t in pairs)
    whole = int_(it.product(sizes))
    if not hasattr(tiler, "_stride"):
        return known.divides(int_(it.as_leaf(tiler)), whole)
    from symlayout.tla.divide import logical_divide

    try:
        result = logical_divide(Layout(whole, 1), layout_of(tiler), known.facts)
    except LayoutError:
        return False
    return known.same(result._size, whole)


def common_refinement(a: Any, b: Any, where: Any = ()) -> tuple[Layout, Layout]:
    """Two layouts with their modes cut where either has a cut: the same flat shape, the same offsets.

    >>> first, second = common_refinement("(8,4):(4,1)", "(4,8):(8,1)")
    >>> print(first, second)
    (4,2,4):(4,16,1) (4,2,4):(8,1,2)

    It is the coarsest such shape, so that one loop over it walks through both.  Raises `LayoutError`:
    SL800 where a cut of one does not divide a mode of the other, or the sizes differ, SL801 where the
    facts do not tell.
    """
    x, y = layout_of(a), layout_of(b)
    known = Known(facts_for(where, x, y))
    if not known.same(x._size, y._size):
        sure = x.concrete and y.concrete
        message = f"the sizes {x._size} and {y._size} are not the same"
        raise LayoutError("SL800" if sure else "SL801", message)
    left, right = (list(merge(z._leaves, known.same)) for z in (x, y))
    cut: tuple[list[Leaf], list[Leaf]] = ([], [])
    while left and right:
        (m, _), (n, _) = left[0], right[0]
        size = m if known.divides(m, n) else n
        if not known.divides(size, m):
            sure = isinstance(m, int) and isinstance(n, int)
            message = f"neither of the modes {m} and {n} of {x} and {y} divides the other"
            raise LayoutError("SL800" if sure else "SL801", message)
        for rest, result in zip((left, right), cut):
            whole, stride = rest.pop(0)
            result.append((size, stride))
            over = known.quotient(whole, size)
            if not known.same(over, 1):
                rest.insert(0, (over, as_size(int_(stride) * int_(size))))
    return from_leaves(cut[0]), from_leaves(cut[1])
