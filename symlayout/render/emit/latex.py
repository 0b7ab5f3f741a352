"""LaTeX: the formula with floor and ceiling brackets."""

from __future__ import annotations

from typing import Any

from sympy import Expr
from sympy.printing.latex import LatexPrinter

from symlayout.expr.facts import Facts
from symlayout.expr.terms import CeilDiv, FloorDiv


class Printer(LatexPrinter):  # type: ignore[misc]
    """SymPy's printer, without parentheses around floor and ceiling brackets in a product."""

    def _needs_mul_brackets(self, expr: Expr, first: bool = False, last: bool = False) -> bool:
        if isinstance(expr, (FloorDiv, CeilDiv)):
            return False
        return bool(super()._needs_mul_brackets(expr, first, last))


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`name(i, j) = ...` as one line of display mathematics."""
    return latex(layout, formula, name) + "\n"


def latex(layout: Any, formula: Expr, name: str = "offset") -> str:
    """The equation without a line break."""
    printer = Printer()
    arguments = ", ".join(printer.doprint(c) for c in layout.coords)
    head = rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}({arguments})"
    return f"{head} = {printer.doprint(formula)}"
