"""SymPy: Python source that makes the formula of SymPy's own functions (`floor`, `Mod`, ...)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sympy.printing.str import StrPrinter

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less
from symlayout.expr.edge import OURS
from symlayout.expr.operators import BY_NAME, Operator
from symlayout.expr.terms import BITS, SIMPLE, to_sympy
from symlayout.expr.tree import Expr, Symbol
from symlayout.render.emit.python import RESERVED as KEPT
from symlayout.render.emit.source import Source

IMPORTED = (
    "Abs",
    "And",
    "Eq",
    "ITE",
    "Integer",
    "Max",
    "Min",
    "Mod",
    "Mul",
    "Ne",
    "Not",
    "Or",
    "Piecewise",
    "Rational",
    "ceiling",
    "floor",
    "sign",
)
# operators that SymPy does not have
DEFINED = [k.__name__ for k in (*BITS, *SIMPLE)]
RESERVED = KEPT | {"Function", "Symbol", *IMPORTED, *DEFINED}


def emit(s: Source) -> str:
    """Python source: symbols, the guard, definitions, and the result or a tuple of them.

    >>> from symlayout import IndexMap, emit, sizes
    >>> print(emit.emit(IndexMap.row_major((2, sizes("N"))), "sympy", formula=sizes("N")*2), end="")
    from sympy import Symbol
    <BLANKLINE>
    i = Symbol("i")
    j = Symbol("j")
    N = Symbol("N")
    offset = 2*N
    """
    names = s.names(RESERVED, *[f"{s.name}_guard"] * (s.f._guard is not None))
    writer = Made(s.expressions, names)
    lines = [f'{names[p]} = Symbol("{p.name}")' for p in s.parameters]
    words = {"Symbol"} if s.parameters else set[str]()
    if s.f._guard is not None:
        relations = _relations(s.f._guard, writer.text)
        lines.append(f"{s.name}_guard = {relations}")
        words |= {w for w in ("And", "Or") if f"{w}(" in relations} | {"StrictLessThan"}
    lines += [f"{names[n]} = {writer.text(e)}" for n, e in s.lets]
    row = ", ".join(map(writer.text, s.f._results))
    row = f"({row}{',' * (len(s.f._results) == 1)})" if s.f.tupled else row
    used = sorted(words | writer.words)
    head = [f"from sympy import {', '.join(used)}", ""] if used else []
    return "\n".join([*head, *writer.classes, *lines, f"{s.name} = {row}"]) + "\n"


def _relations(g: Condition, text: Callable[[Expr], str]) -> str:
    if isinstance(g, Less):
        return f"StrictLessThan({text(g.left)}, {text(g.right)})"
    word = "And" if isinstance(g, Both) else "Or"
    return f"{word}({_relations(g.first, text)}, {_relations(g.second, text)})"


class Made:
    """Expressions as source, and what it imports and defines before."""

    def __init__(self, expressions: Sequence[Expr], names: Mapping[Symbol, str]) -> None:
        self.names = names
        plain = [to_sympy(e) for e in expressions]
        kinds = {x.row.name for e in plain for x in e.atoms(*[OURS[k] for k in DEFINED])}
        self.classes = [line for k in DEFINED if k in kinds for line in _class(BY_NAME[k])]
        texts = [self.text(e) for e in expressions]
        self.words = {w for w in IMPORTED for t in texts if re.search(rf"\b{w}\(", t)}
        self.words |= {"Function", "Integer"} if kinds else set()

    def text(self, e: Expr) -> str:
        """The source of one."""
        expr = to_sympy(e)
        return f"Integer({expr})" if expr.is_Integer else str(_Printer(self.names).doprint(expr))


def _class(row: Operator) -> list[str]:
    """SymPy has no such operator: a function that knows its value at numbers."""
    words = "abcd"[: row.arity or 2]
    template = f"{{0}} {row.sign} {{1}}" if row.form else row.code.get("Python")
    if template is None:
        raise LayoutError("SL203", f"{row.op} is not an operator that SymPy can compute")
    return [
        f"class {row.name}(Function):",
        "    @classmethod",
        f"    def eval(cls, {', '.join(words)}):",
        f"        if {' and '.join(f'{x}.is_Integer' for x in words)}:",
        f"            return Integer({template.format(*[f'int({x})' for x in words])})",
        "",
    ]


class _Printer(StrPrinter):  # type: ignore[misc]
    """SymPy's text, read back by Python as the very expression: no fraction becomes a float."""

    printmethod = "_as_source"  # not the text that our own operations have for people

    def __init__(self, names: Mapping[Symbol, str]) -> None:
        super().__init__()
        self.names = names

    def _print_Symbol(self, e: Symbol) -> str:
        return self.names[e]

    def _print_Mul(self, e: Expr) -> str:
        number, rest = e.as_coeff_Mul()
        if (
            number != 1 and rest.is_Add
        ):  # so would a number with a sum, which SymPy keeps apart here
            factor = f"Integer({number})" if number.is_Integer else self._print(number)
            return f"Mul({factor}, {self._print(rest)}, evaluate=False)"
        if number == 1 or not (rest.is_Mul and any(a.is_Add for a in rest.args)):
            return str(super()._print_Mul(e))
        # Python would multiply the number with the sum before it, and SymPy then expands the two
        factor = f"({number})" if number < 0 and number.is_Integer else self._print(number)
        return f"{super()._print_Mul(rest)}*{factor}"

    def _print_BitXor(self, e: Expr) -> str:
        return f"{type(e).__name__}({', '.join(map(self._print, e.args))})"

    _print_BitAnd = _print_BitOr = _print_BitXor

    def _print_Rational(self, e: Any) -> str:
        return f"Rational({e.p}, {e.q})"
