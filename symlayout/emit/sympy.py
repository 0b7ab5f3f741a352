"""SymPy: the formula in SymPy's own functions (`floor`, `Mod`, ...), as `sympify` reads it.

SymPy 1.14 makes `Mod(y*Mod(x, 6), 5)` into `Mod(y*Mod(x, 6)**2, 5)`, which is wrong, so a remainder
of anything with a remainder inside is written with `floor`: `a - b*floor(a/b)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from sympy import Expr

from symlayout.facts import Facts
from symlayout.terms import CeilDiv, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """One line: the expression."""
    return f"{convert(formula)}\n"


def convert(e: Expr) -> Expr:
    """The expression in SymPy's own functions, equal to it for all integers.

    >>> i = sympy.Symbol("i", integer=True)
    >>> convert(8*FloorDiv(i, 8) + Mod(i, 8))
    Mod(i, 8) + 8*floor(i/8)
    """
    if not e.args:
        return e
    return _TABLE.get(e.func, e.func)(*[convert(a) for a in e.args])


def _mod(a: Expr, b: Expr) -> Expr:
    return a - b * sympy.floor(a / b) if a.has(sympy.Mod) else sympy.Mod(a, b)


def _trunc_div(a: Expr, b: Expr) -> Expr:
    return sympy.sign(a) * sympy.sign(b) * sympy.floor(sympy.Abs(a) / sympy.Abs(b))


_TABLE: dict[Any, Callable[..., Expr]] = {
    FloorDiv: lambda a, b: sympy.floor(a / b),
    CeilDiv: lambda a, b: sympy.ceiling(a / b),
    Mod: _mod,
    TruncDiv: _trunc_div,
    TruncMod: lambda a, b: a - b * _trunc_div(a, b),
    Min: sympy.Min,
    Max: sympy.Max,
}
