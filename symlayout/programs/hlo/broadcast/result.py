"""The size that comes out where two sizes meet."""

from __future__ import annotations

from collections.abc import Callable

from symlayout.expr.facts import Relation
from symlayout.expr.terms import Max, Min, Size, as_expr
from symlayout.expr.tree import Expr, Integer
from symlayout.programs.hlo.broadcast.extent import Condition, Extent, equal

# whether a relation holds for all sizes
Known = Callable[[Relation], bool]


def certainly(relation: Relation) -> bool:
    """The `Known` that knows nothing beyond what holds without facts."""
    return False


def _surely(condition: Condition, known: Known) -> bool:
    return condition if isinstance(condition, bool) else known(condition)


def _surely_not(condition: Condition, known: Known) -> bool:
    return not condition if isinstance(condition, bool) else known(condition.negation)


def common_size(x: Extent, y: Extent, known: Known = certainly) -> Extent:
    """What comes out of two sizes that may meet: equal, or one of them 1.

    >>> from symlayout.programs.hlo.broadcast.extent import extent
    >>> print(common_size(extent(0), extent(1)), common_size(extent("M"), extent(5)))
    0 5
    >>> print(common_size(extent("?"), extent(5)), common_size(extent("<=4"), extent(1)))
    5 <=4

    A known size above 1 wins over `?`; a bounded size with `?` gives `?`, since 1 against any size
    gives that size.
    """
    if x.unbounded or y.unbounded:
        sized = y if x.unbounded else x
        if sized.unbounded or sized.dynamic:
            return Extent(None, dynamic=True)
        if _surely_not(equal(sized.bound, 1), known):
            return sized
        return Extent(None, dynamic=True)
    size = joined_size(x.bound, y.bound, known)
    if not (x.dynamic or y.dynamic):
        return Extent(size)
    if x.dynamic and y.dynamic:
        return Extent(size, dynamic=True)
    static = y if x.dynamic else x
    # a static size above 1 stays: the dynamic one can only be that size, or 1
    return Extent(size, dynamic=not _fixed(static, x if x.dynamic else y, known))


def _fixed(static: Extent, dynamic: Extent, known: Known) -> bool:
    """Whether the result is the static size whatever the dynamic one turns out to be."""
    return _surely_not(equal(static.bound, 1), known) and _surely(equal(dynamic.bound, 1), known)


def joined_size(a: Size, b: Size, known: Known = certainly) -> Size:
    """The size of the result where `a` meets `b`, under the condition that they may meet.

    With a = b, a = 1 or b = 1 it is `max(a, b)` unless a size is 0, and then 0; in all cases
    `max(a, b)*min(a, b, 1)`.

    >>> from symlayout.expr.terms import symbol
    >>> joined_size(symbol("M"), 1), joined_size(symbol("M"), symbol("N"))
    (M, max(M, N)*min(M, N, 1))
    """
    same, one_a, one_b = equal(a, b), equal(a, 1), equal(b, 1)
    if one_a is True:
        return b
    if one_b is True:
        return a
    if _surely(same, known) or _surely(one_b, known) or _surely_not(one_a, known):
        return a
    if _surely(one_a, known) or _surely_not(one_b, known):
        return b
    result: Expr = Max(as_expr(a), as_expr(b))
    sizes = [as_expr(s) for s in (a, b) if not isinstance(s, int)]
    if not all(known(Relation(">=", s, Integer(1))) for s in sizes):
        result = result * Min(as_expr(a), as_expr(b), Integer(1))
    return int(result) if isinstance(result, Integer) else result
