"""LaTeX: the formula with floor and ceiling brackets."""

from __future__ import annotations

from typing import Any

from sympy.printing.latex import LatexPrinter

from symlayout.expr.edge import Made, operand
from symlayout.expr.tree import Expr
from symlayout.render.emit.source import Source, condition


class Printer(LatexPrinter):  # type: ignore[misc]
    """SymPy's printer, without parentheses around what has brackets of its own."""

    def doprint(self, e: Any) -> str:
        """The text of an expression of ours or of SymPy's."""
        return str(super().doprint(operand(e)))

    def _needs_mul_brackets(self, expr: Expr, first: bool = False, last: bool = False) -> bool:
        if _has_brackets(expr):
            return False
        return bool(super()._needs_mul_brackets(expr, first, last))

    def parenthesize(self, item: Any, *level: Any, **options: Any) -> str:
        """An operand."""
        if _has_brackets(item):
            return str(self._print(item))
        return str(super().parenthesize(item, *level, **options))


def _has_brackets(e: Any) -> bool:
    return isinstance(e, Made) and e.row.brackets


def emit(s: Source) -> str:
    """One line of display mathematics: the results, where the definitions, if the guard."""
    code: Any = Printer().doprint
    row = ", ".join(map(code, s.f._results))
    row = rf"\left({row}\right)" if s.f.tupled else row
    lets = r",\ ".join(f"{code(n)} = {code(e)}" for n, e in s.lets)
    where = rf" \quad \text{{where }} {lets}" if lets else ""
    guard = ""
    if s.f._guard is not None:
        text = condition(s.f._guard, code, r"\land", r"\lor").code
        guard = rf" \quad \text{{if }} {text}"
    return f"{head(s.name, ', '.join(map(code, s.coords)))} = {row}{where}{guard}\n"


def latex(layout: Any, formula: Expr, name: str = "offset") -> str:
    """The equation without a line break."""
    printer = Printer()
    arguments = ", ".join(printer.doprint(c) for c in layout._coords)
    return f"{head(name, arguments)} = {printer.doprint(formula)}"


def head(name: str, arguments: str) -> str:
    """The function's name, and its arguments in parentheses."""
    return rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}({arguments})"
