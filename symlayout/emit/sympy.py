"""SymPy: the formula in SymPy's own functions (`floor`, `Mod`, ...), as `sympify` reads it."""

from __future__ import annotations

from typing import Any

from sympy import Expr

from symlayout.facts import Facts
from symlayout.terms import to_sympy


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """One line: the expression."""
    return f"{to_sympy(formula)}\n"
