"""The size of a strided buffer under facts: the signs of strides, and arrays without elements.

What a strided notation says of the buffer's size (see `Span`) speaks of an array that has elements.
Sizes are at least 1 unless facts say otherwise, so this is what is shown; where the facts of a claim
let a size d be 0, the buffer has `min(1, d) * size` elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from symlayout.digits.assume import context_of
from symlayout.digits.context import Context, Undecided
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Min, Size, as_expr, free_names
from symlayout.expr.tree import Add, Expr, Integer, Mul, expand
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.spans import least_value, plain_sign, sign_under

HOLLOW = "the array may be empty while its buffer is not"


def with_emptiness(m: IndexMap, facts: Facts) -> IndexMap:
    """The map whose `size` is 0 wherever the facts let one of its `vanishing` sizes be 0.

    The signs of strides are those that follow from the facts.

    >>> from symlayout.expr.terms import symbol
    >>> A = IndexMap.strided((symbol("M"), 4), (8, 1))
    >>> with_emptiness(A, Facts()).size, with_emptiness(A, Facts.read("M >= 0")).size
    (8*M - 4, (8*M - 4)*min(M, 1))
    """
    if 0 in m._vanishing:
        return m.resized(0, m.text)
    m = _signed(m, facts)
    doubtful = _doubtful([d for d in m._vanishing if not isinstance(d, int)], facts)
    if not doubtful:
        return m
    ctx = context_of(facts, free_names(*doubtful))
    if any(_at_least(ctx, -d, 0) for d in doubtful):
        return m.resized(0, m.text)  # whatever its strides are, and whether they have a value
    zero = [d for d in doubtful if not _at_least(ctx, d, 1) and not _follows(m._size, d, facts)]
    return m.resized(Min(1, *zero) * m._size, m.text) if zero else m


def vanishes(d: Size, m: IndexMap) -> bool:
    """Whether the buffer is empty where that extent is 0: it, or each factor, is of `vanishing`.

    >>> from symlayout.layouts.notation import parse
    >>> m = parse("((4,N-1),N):((1,4*N),4)").index_map()
    >>> [vanishes(d, m) for d in m.shape]
    [True, True]
    """
    sizes = {v for v in map(as_expr, m._vanishing) if not v.is_Integer or v == 0}
    sizes |= {Integer(1), *map(_primitive, sizes)}
    return as_expr(d) in sizes or {_primitive(f) for f in Mul.make_args(as_expr(d))} <= sizes


def _primitive(e: Expr) -> Expr:
    """The expression divided by the greatest number that divides it; 1 for a number but 0."""
    terms = [t.as_coeff_Mul() for t in Add.make_args(expand(e))]
    divisor = gcd(*[int(c) for c, _ in terms])
    return e if divisor == 0 else Add(*[Integer(int(c) // divisor) * rest for c, rest in terms])


def hollow(m: IndexMap, facts: Facts) -> bool:
    """Whether the facts may leave no element in a buffer that has places.

    >>> from symlayout.layouts.functions import read_call
    >>> m = read_call("broadcast_in_dim(f32[4], dims=(1), to=f32[N,4])").index_map()
    >>> hollow(m, Facts()), hollow(m, Facts.read("N >= 0"))
    (False, True)
    """
    doubtful = _doubtful([d for d in m._shape if not vanishes(d, m)], facts)
    if not doubtful:
        return False
    ctx = context_of(facts, free_names(*doubtful))
    return not all(_at_least(ctx, d, 1) or _follows(m._size, d, facts) for d in doubtful)


def _doubtful(sizes: Iterable[Size], facts: Facts) -> list[Expr]:
    """The sizes whose ranges alone let them be 0."""
    return [d for d in dict.fromkeys(map(as_expr, sizes)) if (least_value(d, facts) or 0) < 1]


def _signed(m: IndexMap, facts: Facts) -> IndexMap:
    """The map whose `size` has the signs that the facts give, not those of symbols from 1 on."""
    if m.span is None:
        return m
    quick = sign_under(facts)
    if all(plain_sign(s) == quick(s) == 1 for s in m.span.signed):
        return m
    ctx = context_of(facts, m.symbols)

    def sign(e: Size) -> int:
        way = quick(e)
        if way == 0:
            way = _at_least(ctx, as_expr(e), 0) - _at_least(ctx, -as_expr(e), 0)
        return way

    result = m.span.size(sign)
    return m if result == m._size else m.resized(result, m.text)


def _at_least(ctx: Context, d: Expr, bound: int) -> bool:
    """Whether the facts leave no room for less."""
    try:
        return ctx.nonneg(ctx.poly(d) - bound)
    except Undecided:
        return False


def _follows(size: Size, d: Expr, facts: Facts) -> bool:
    """Whether the size as it is written is 0 already where d is: so is N*M where M is 0."""
    factors = [f for f in Mul.make_args(d) if (least_value(f, facts) or 0) < 1]
    try:
        return all(expand(as_expr(size).xreplace(_vanish(f))) == 0 for f in factors)
    except LayoutError:  # it is divided by
        return False


def _vanish(f: Expr) -> dict[Expr, Expr]:
    """What to put in so that `f` is 0: a symbol that stands alone in it, or 0 for all of it."""
    for s in f.free_symbols:
        for sign in (1, -1):
            rest = expand(f - sign * s)
            if s not in rest.free_symbols:
                return {s: -sign * rest}
    return {f: Integer(0)}
