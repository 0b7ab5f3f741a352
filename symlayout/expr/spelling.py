"""How SymPy's printers spell our operators: `pycode`, `lambdify`, `ccode`, `rewrite`."""

from __future__ import annotations

from functools import reduce
from typing import Any

import sympy
from sympy import Expr
from sympy.printing.precedence import PRECEDENCE

ATOM = PRECEDENCE["Atom"]


class Spelled:
    """Methods that SymPy's code printers look for, one for each family of languages.

    The templates are those of the rows of `operators`, which are right on arrays as well, and for
    operands of either sign.

    >>> from symlayout.expr.terms import CeilDiv, FloorDiv, Mod, TruncDiv, symbol
    >>> i, N = symbol("i"), symbol("N")
    >>> sympy.pycode(8*FloorDiv(i, 8) + CeilDiv(N, 4)), sympy.ccode(TruncDiv(i, 8) + 1)
    ('(-(-N//4)) + 8*(i//8)', '(i/8) + 1')
    >>> sympy.ccode(FloorDiv(i, 8)), Mod(i, 8).rewrite(sympy.floor)
    ('(i/8 - (i%8 != 0 && (i < 0) != (8 < 0)))', i - 8*floor(i/8))
    """

    args: tuple[Expr, ...]
    row: Any

    def _pythoncode(self, printer: Any) -> str:
        if type(printer).__name__ == "SymPyPrinter" and self.row.sympy:  # arguments may be symbols
            return f"({printer._print(self.row.sympy(sympy, *self.args))})"
        module = getattr(printer, "_module", "")
        if self.row.form == "extreme" and module:  # NumPy's, and those that follow it
            name = printer._module_format(f"{module}.{self.row.ufunc}")
            return _joined(f"{name}({{0}}, {{1}})", self, printer)
        return _code(self, printer, "Python")

    _numpycode = _scipycode = _cupycode = _jaxcode = _sympycode = _pythoncode
    _mpmathcode = _lambdacode = _cmathcode = _pythoncode

    def _ccode(self, printer: Any) -> str:
        if self.row.form == "extreme":
            return _joined(self.row.code["C"], self, printer)
        return _code(self, printer, "C")

    _cxxcode = _ccode

    def _eval_rewrite_as_floor(self, *args: Expr, **hints: Any) -> Any:
        if not self.row.sympy:
            return None
        result = self.row.sympy(sympy, *args)
        return result.rewrite(sympy.floor) if self.row.form == "quotient" else result


def _texts(e: Any, printer: Any) -> list[str]:
    return [printer.parenthesize(a, ATOM, strict=True) for a in e.args]


def _joined(template: str, e: Any, printer: Any) -> str:
    return reduce(template.format, _texts(e, printer))


def _code(e: Any, printer: Any, language: str) -> str:
    """The template of the row, or a call by the operator's own word."""
    texts = _texts(e, printer)
    template = e.row.code.get(language)
    return str(template.format(*texts)) if template else f"{e.row.op}({', '.join(texts)})"
