"""A box for results that are written without one."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Add, Expr, Integer, Mul, Symbol

from symlayout.expr.terms import CeilDiv, FloorDiv, Mod, symbol
from symlayout.layouts.maps.function import IndexFunction


def guessed_box(f: IndexFunction) -> tuple[Expr, ...] | None:
    """Sizes that the results would lie in if nothing in them were negative, None where none are seen.

    Two results that differ as numbers in any box differ: nothing rests on the box being right.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> guessed_box(read_map("map i < M, j < N: (i//8, j%4 + s)"))
    ((M - 1)//8 + 1, s + 4)
    """
    ends = {symbol(v.name): v.high - 1 for v in f.variables}
    made = [_end(e, ends) for e in f.outputs]
    return None if any(e is None for e in made) else tuple(e + 1 for e in made if e is not None)


def _end(e: Expr, ends: Mapping[Symbol, Expr]) -> Expr | None:
    """The value where each part is as large as it can be."""
    if isinstance(e, Symbol):
        return ends.get(e, e)
    if isinstance(e, Integer):
        return e
    if isinstance(e, Mod):
        return e.args[1] - 1
    if isinstance(e, (Add, Mul, FloorDiv, CeilDiv)):
        if isinstance(e, Mul) and e.could_extract_minus_sign():
            return Integer(0)
        parts = [_end(a, ends) for a in e.args]
        return None if any(p is None for p in parts) else e.func(*parts)
    return None
