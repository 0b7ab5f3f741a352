"""LaTeX: the formula with floor and ceiling brackets."""

from __future__ import annotations

from typing import Any

from sympy.printing.latex import LatexPrinter

from symlayout.expr.edge import CeilDiv, FloorDiv, Mod, latex_power, operand
from symlayout.expr.tree import Expr
from symlayout.render.emit.source import Source, condition


class Printer(LatexPrinter):  # type: ignore[misc]
    """SymPy's printer, without parentheses around what has brackets of its own."""

    own = (FloorDiv, CeilDiv, Mod)

    def doprint(self, e: Any) -> str:
        """The text of an expression of ours or of SymPy's."""
        return str(super().doprint(operand(e)))

    def _needs_mul_brackets(self, expr: Expr, first: bool = False, last: bool = False) -> bool:
        if isinstance(expr, self.own):
            return False
        return bool(super()._needs_mul_brackets(expr, first, last))

    def parenthesize(self, item: Any, *level: Any, **options: Any) -> str:
        """An operand."""
        if isinstance(item, self.own):
            return str(self._print(item))
        return str(super().parenthesize(item, *level, **options))

    def _print_Where(self, e: Expr, exp: str | None = None) -> str:
        p, q, a, b = map(self._print, e.args)
        text = rf"\begin{{cases}} {a} & {p} < {q} \\ {b} & \text{{else}} \end{{cases}}"
        return text if exp is None else latex_power(rf"\left({text}\right)", exp)

    def bits(self, e: Expr, sign: str, exp: str | None) -> str:
        """Both sides with the sign of the operation between them."""
        a, b = map(self._print, e.args)
        return latex_power(rf"\left({a} {sign} {b}\right)", exp)

    def _print_BitXor(self, e: Expr, exp: str | None = None) -> str:
        return self.bits(e, r"\oplus", exp)

    def _print_BitAnd(self, e: Expr, exp: str | None = None) -> str:
        return self.bits(e, r"\mathbin{\&}", exp)

    def _print_BitOr(self, e: Expr, exp: str | None = None) -> str:
        return self.bits(e, r"\mathbin{|}", exp)


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
