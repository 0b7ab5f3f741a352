"""A box for results that are written without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, Where, symbol
from symlayout.expr.tree import Add, Expr, Integer, Mul, Symbol, expand
from symlayout.layouts.maps.function import IndexFunction


def guessed_box(f: IndexFunction) -> tuple[Expr, ...] | None:
    """Sizes that the results would lie in if nothing in them were negative, None where none are seen.

    Two results that differ as numbers in any box differ: nothing rests on the box being right.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> guessed_box(read_map("map i < M, j < N: (i//8, j%4 + s)"))
    ((M - 1)//8 + 1, s + 4)
    """
    ends: dict[Symbol, Expr] = {}
    for v in f.variables:  # a range that speaks of variables ends where these do
        end = _end(expand(v._high - 1), ends)
        if end is None:
            return None
        ends[symbol(v.name)] = end
    results = [_end(e, ends) for e in f._outputs]
    return (
        None if any(e is None for e in results) else tuple(e + 1 for e in results if e is not None)
    )


def digits_of_one(f: IndexFunction) -> tuple[int, IndexFunction] | None:
    """The first two results `e//d, e%d` in `t, d` of the box, and the map with e in t*d for them.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> k, F = digits_of_one(read_map("map i < 6*K: x = i + 0; (i, x//K, x%K) in (6*K, 6, K)"))
    >>> print(k, F)
    1 map i < 6*K: x = i; $needs = 0%K; (i, i) in (6*K, 6*K)
    """
    box, outputs = f._box or (), f._outputs
    for k, (a, b) in enumerate(pairwise(outputs)):
        if isinstance(a, FloorDiv) and isinstance(b, Mod) and a.args == b.args:
            e, d = a.args
            if box and box[k + 1] == d:
                results = (*f._results[:k], e, *f._results[k + 2 :])
                sizes = (*box[:k], box[k] * d, *box[k + 2 :])
                one = replace(f, _results=results, _box=sizes, tupled=len(results) > 1)
                return k, _with_needs(one, f)
    return None


def _with_needs(one: IndexFunction, f: IndexFunction) -> IndexFunction:
    """The map with a definition of what it needs less than another."""
    lost = [m for m in f._marks if m not in one._marks]
    return replace(one, _lets=(*one._lets, ("$needs", Add(*lost)))) if lost else one


def _end(e: Expr, ends: Mapping[Symbol, Expr]) -> Expr | None:
    """The value where each part is as large as it can be."""
    if isinstance(e, Symbol):
        return ends.get(e, e)
    if isinstance(e, Integer):
        return e
    if isinstance(e, Mod):
        return e.args[1] - 1
    if isinstance(e, Where):  # rows read there and back have the same end
        a, b = [_end(branch, ends) for branch in e.args[2:]]
        return None if a is None or b is None else Max(expand(a), expand(b))
    if isinstance(e, (Add, Mul, FloorDiv, CeilDiv, Min, Max)):
        if isinstance(e, Mul) and e.could_extract_minus_sign():
            return Integer(0)
        parts = [_end(a, ends) for a in e.args]
        return None if any(p is None for p in parts) else e.func(*parts)
    return None
