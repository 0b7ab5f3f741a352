"""How SymPy's printers spell our divisions and extremes: `pycode`, `lambdify`, `ccode`, `rewrite`."""

from __future__ import annotations

from functools import reduce
from typing import Any

import sympy
from sympy import Expr
from sympy.printing.precedence import PRECEDENCE

ATOM = PRECEDENCE["Atom"]


class Spelled:
    """Methods that SymPy's code printers look for, one for each family of languages."""

    args: tuple[Expr, ...]
    row: Any

    def _pythoncode(self, printer: Any) -> str:
        args = [printer.parenthesize(a, ATOM, strict=True) for a in self.args]
        return _by_row(self, "Python", args) or python(self, args, printer)

    _numpycode = _scipycode = _cupycode = _jaxcode = _sympycode = _pythoncode
    _mpmathcode = _lambdacode = _cmathcode = _pythoncode

    def _ccode(self, printer: Any) -> str:
        args = [printer.parenthesize(a, ATOM, strict=True) for a in self.args]
        return _by_row(self, "C", args) or c(self, args)

    _cxxcode = _ccode

    def _eval_rewrite_as_floor(self, *args: Expr, **hints: Any) -> Expr:
        return floors(self, args) if self.row.form else self


def _by_row(e: Any, language: str, args: list[str]) -> str:
    """A call by the template of its row, of an operator that is nothing but its row; "" of others."""
    if e.row.form:
        return ""
    return str(e.row.code.get(language, f"{e.row.op}({', '.join(args)})").format(*args))


def python(e: Any, args: list[str], printer: Any) -> str:
    """Python's operators, on arrays as well.

    >>> from symlayout.expr.terms import CeilDiv, FloorDiv, symbol
    >>> sympy.pycode(8*FloorDiv(symbol("i"), 8) + CeilDiv(symbol("N"), 4))
    '(-(-N//4)) + 8*(i//8)'
    """
    word = type(e).__name__
    if word in ("Min", "Max"):
        return _extreme(word, args, printer)
    if word == "Exp2":
        return f"2**{args[0]}"
    a, b = args
    match word:
        case "FloorDiv":
            return f"{a}//{b}"
        case "Mod":
            return f"{a}%{b}"
        case "CeilDiv":
            return f"(-(-{a}//{b}))"
        case _:  # |a|//|b| with the sign of a*b, |a|%|b| with that of a: on arrays as well
            way, op = f"(1 - 2*({a} < 0))", "//" if word == "TruncDiv" else "%"
            if type(printer).__name__ == "SymPyPrinter":  # the operands may be symbols
                sign = printer._module_format("sympy.sign")
                way = f"{sign}({a})" + (f"*{sign}({b})" if op == "//" else "")
            elif op == "//":
                way = f"(1 - 2*(({a} < 0) != ({b} < 0)))"
            return f"({way}*(abs({a}){op}abs({b})))"


def _extreme(word: str, args: list[str], printer: Any) -> str:
    module = getattr(printer, "_module", "")
    if type(printer).__name__ == "SymPyPrinter":
        return f"{printer._module_format(f'sympy.{word}')}({', '.join(args)})"
    if module:  # NumPy's, and those that follow it
        name = printer._module_format(f"{module}.{word.lower()}imum")
        return reduce(lambda text, a: f"{name}({text}, {a})", args)
    return f"{word.lower()}({', '.join(args)})"


def c(e: Any, args: list[str]) -> str:
    """C's operators, right for operands of either sign.

    >>> from symlayout.expr.terms import FloorDiv, TruncDiv, symbol
    >>> sympy.ccode(TruncDiv(symbol("i"), 8) + 1)
    '(i/8) + 1'
    >>> sympy.ccode(FloorDiv(symbol("i"), 8))
    '(i/8 - (i%8 != 0 && (i < 0) != (8 < 0)))'
    """
    word = type(e).__name__
    if word in ("Min", "Max"):
        text, sign = args[0], "<" if word == "Min" else ">"
        for a in args[1:]:
            text = f"({text} {sign} {a} ? {text} : {a})"
        return text
    if word == "Exp2":
        return f"(1 << {args[0]})"
    a, b = args
    apart, rest = f"({a} < 0) != ({b} < 0)", f"{a}%{b} != 0"
    match word:
        case "FloorDiv":
            return f"({a}/{b} - ({rest} && {apart}))"
        case "Mod":
            return f"({a}%{b} + ({rest} && {apart} ? {b} : 0))"
        case "CeilDiv":
            return f"({a}/{b} + ({rest} && ({a} < 0) == ({b} < 0)))"
        case "TruncDiv":
            return f"({a}/{b})"
        case _:
            return f"({a}%{b})"


def floors(e: Any, args: tuple[Expr, ...]) -> Expr:
    """The same in SymPy's `floor`, and its `Min` and `Max`.

    >>> from symlayout.expr.terms import Mod, symbol
    >>> Mod(symbol("i"), 8).rewrite(sympy.floor)
    i - 8*floor(i/8)
    """
    word = type(e).__name__
    if word in ("Min", "Max"):
        return getattr(sympy, word)(*args)
    if word == "Exp2":
        return sympy.Pow(2, args[0])
    a, b = args
    size = sympy.sign(a) * sympy.sign(b) * sympy.floor(sympy.Abs(a) / sympy.Abs(b))
    table = {
        "FloorDiv": lambda: sympy.floor(a / b),
        "Mod": lambda: a - b * sympy.floor(a / b),
        "CeilDiv": lambda: -sympy.floor(-a / b),
        "TruncDiv": lambda: size,
        "TruncMod": lambda: a - b * size,
    }
    return table[word]()
