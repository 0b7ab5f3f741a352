"""What two layouts share, what a layout forgets, and what a ragged divide leaves."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.outward import for_users
from symlayout.expr.terms import Size, as_expr, as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Keep, Layout, int_
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.tla.arguments import layout_of, operand_of, tiler_of
from symlayout.tla.chain import Chain
from symlayout.tla.coalesce import Leaf, from_leaves, merge
from symlayout.tla.composition import as_static_as, composition
from symlayout.tla.inverses import largest_section, nested_right_inverse, right_inverse
from symlayout.tla.known import Known, facts_for
from symlayout.tla.law import check_not_empty, too_large
from symlayout.tla.symbolic import check_right_inverse
from symlayout.tla.values import all_offsets, enumerable


def nullspace(layout: Any) -> Layout:
    """The layout of all indices that differ only in modes of stride 0: `layout(R(i)) == 0`.

    >>> print(nullspace(Layout((4, 3, 2), (1, 0, 0))))
    6:4

    R is strictly increasing; `1:0` when no stride is 0.  A swizzle changes nothing of it.
    """
    layout = operand_of(layout)
    layout = layout_of(layout.layout if isinstance(layout, ComposedLayout) else layout)
    free: list[Leaf] = []
    place: Size = 1
    for size, stride in layout._leaves:
        if stride == 0:
            free.append((size, place))
        place = as_size(int_(place) * int_(size))
    return as_static_as(from_leaves(merge(free)), layout)


def max_common_layout(a: Any, b: Any, where: Any = ()) -> Any:
    """The largest layout R with `a(R(i)) == i == b(R(i))`: what can be copied as one vector.

    >>> print(max_common_layout(Layout((8, 4), (1, 8)), Layout((8, 4), (1, 16))))
    8:1
    >>> print(max_common_layout("(M,N):(1,M)", "(M,N):(1,2*M)"))
    M:1

    Raises `LayoutError`: SL801 where the facts do not tell how far the two go together, SL800 for a
    layout without elements, or a swizzled one that does not begin at 0.
    """
    operands = map(operand_of, (a, b))
    x, y = (z if isinstance(z, ComposedLayout | Chain) else layout_of(z) for z in operands)
    for z in (x, y):
        check_not_empty("the largest common layout", _before(z))
    known = Known(facts_for(where, x, y))
    if isinstance(x, Layout) and isinstance(y, Layout):
        both = nested_right_inverse(x), nested_right_inverse(y)
        if both[0] is not None and both[1] is not None:
            return as_static_as(from_leaves(_common_part(both[0], both[1], known)), x, y)
        if not (x.concrete and y.concrete):
            return _symbolic(x, y, known)
    for start in (s for z in (x, y) for s in _offsets_before(z) if not isinstance(s, int)):
        raise _open(f"where {start} lies")
    if not enumerable(_before(x), _before(y)):
        raise too_large("the largest common layout", _before(x))
    import numpy as np

    count = min(int(x._size), int(y._size))
    first, second = all_offsets(x)[:count], all_offsets(y)[:count]
    for z, offsets in ((x, first), (y, second)):
        if count and offsets[0] != 0:
            message = (
                f"the largest common layout: {z} begins at {offsets[0]}, and nothing lies at 0"
            )
            raise LayoutError("SL800", message)
    places = np.flatnonzero((first == second) & (first >= 0) & (first < count))
    plain = from_leaves(largest_section(first[places], places, _before(x)))
    other = _of_inverses(x, y)
    if other is not None and int(other._size) > int(plain._size):
        return other
    return as_static_as(plain, _before(x), _before(y))


def _of_inverses(x: Any, y: Any) -> Any:
    """What the right inverses of two layouts of numbers, swizzled ones, begin with."""
    import numpy as np

    try:
        first, second = right_inverse(x), right_inverse(y)
        count = min(int(first._size), int(second._size))
        apart = np.flatnonzero(all_offsets(first)[:count] != all_offsets(second)[:count])
        return composition(first, Layout(int(apart[0]) if apart.size else count, 1))
    except LayoutError:
        return None


def _before(x: Layout | ComposedLayout | Chain) -> Layout:
    if isinstance(x, Chain):
        return _before(x.inner)
    return x.layout if isinstance(x, ComposedLayout) else x


def _offsets_before(x: Any) -> tuple[Size, ...]:
    """The offsets between the swizzles."""
    if isinstance(x, Chain):
        return *_offsets_before(x.outer), *_offsets_before(x.inner)
    return (x._offset,) if isinstance(x, ComposedLayout) else ()


def _symbolic(x: Layout, y: Layout, known: Known) -> Layout:
    """What the right inverses of both begin with; proved to be a right inverse of both."""
    first, second = (right_inverse(z, known.facts) for z in (x, y))
    leaves = _common_part(
        merge(first._leaves, known.same), merge(second._leaves, known.same), known
    )
    result = from_leaves(leaves)
    whole = any(known.same(result._size, z._size) for z in (first, second))
    if not whole and any(d == 0 for z in (x, y) for _, d in z._leaves):
        raise _open(f"which of several indices of {x} and {y} go together")
    for z in (x, y):
        check_right_inverse(f"the largest common layout of {x} and {y}", z, result, known)
    return result


def _open(what: str) -> LayoutError:
    message = f"the largest common layout is undecided: {what} is not told by the facts"
    return LayoutError(
        "SL801", message, help="give more facts: --where FACT, or where=[FACT] in Python"
    )


def _common_part(first: list[Leaf], second: list[Leaf], known: Known) -> list[Leaf]:
    """The beginning that two layouts without neighbours that could be joined have in common."""
    first, second, result = list(first), list(second), list[Leaf]()
    while first and second:
        (m, p), (n, q) = first[0], second[0]
        if _differ(p, q, known):
            if not (known.at_most(2, m) and known.at_most(2, n)):  # one element lies anywhere
                raise _open(f"whether {m} and {n} are more than 1")
            break
        if not known.same(m, n) and known.at_most(n, m):
            first, second, (m, p), (n, q) = second, first, (n, q), (m, p)
        if not known.at_most(m, n):
            raise _open(f"which of {m} and {n} is the smaller one")
        result.append((m, p))
        first.pop(0)
        if known.same(m, n):
            second.pop(0)
        elif known.divides(m, n):
            second[0] = (known.quotient(n, m), as_size(int_(m) * int_(p)))
        elif not first:
            break
        else:
            more, place = first[0]
            apart = known.at_most(int_(m) + 1, n) and known.at_most(2, more)
            if not apart or not _differ(place, as_size(int_(m) * int_(p)), known):
                raise _open(f"how {m} and {n} go on")
            break
    return merge(result, known.same)


def _differ(p: Size, q: Size, known: Known) -> bool:
    """Whether two strides differ; raises `LayoutError` (SL801) where that is open."""
    if known.same(p, q):
        return False
    if known.at_most(int_(p) + 1, q) or known.at_most(int_(q) + 1, p):
        return True
    raise _open(f"whether {p} and {q} are the same")


@for_users
def max_common_vector(a: Any, b: Any, where: Any = ()) -> Size:
    """How many elements, neighbours in memory, belong together in both layouts.

    >>> max_common_vector(Layout((8, 4), (1, 8)), Layout((8, 4), (1, 16)))
    8
    >>> max_common_vector("(4096,4096):(1,4096)", "(4096,4096):(1,8192)")
    4096
    """
    return as_size(max_common_layout(a, b, where)._size)


@for_users
def in_range(layout: Any, tiler: Any, where: Any = ()) -> tuple[Any, ...]:
    """Which coordinates of a divided layout are elements: one relation of SymPy per ragged dimension.

    >>> from symlayout.tla import read_inttuple, read_layout
    >>> a = read_layout("(M,N):(1,M)")
    >>> [str(r) for r in in_range(a, read_inttuple("(BM,8)"), where="N % 8 == 0")]
    ['BM*q0 + r0 < M']

    In dimension k, `rk` is the place in the tile and `qk` the tile's number.  Nothing is out of
    range where the facts say that the tile divides the dimension.  Raises `LayoutError` (SL107) for
    a tiler that does not fit, or whose modes are no sizes.
    """
    from symlayout.expr.terms import symbol

    layout = operand_of(layout)
    layout, tiler = layout.layout if isinstance(layout, ComposedLayout) else layout, tiler_of(tiler)
    known = Known(facts_for(where, layout, tiler))
    parts = tuple(tiler) if isinstance(tiler, (tuple, list)) else (tiler,)
    sizes = it.product_each(layout._shape) if isinstance(tiler, (tuple, list)) else (layout._size,)
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
            left.append(Relation("<", reach, as_expr(int_(size))))
    return tuple(left)
