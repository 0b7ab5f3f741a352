"""Where SymPy begins: our expressions as SymPy's, and SymPy's as ours.

Nothing else of the package makes SymPy's expressions.  The module is imported when someone looks at
one or gives one, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import sympy
from sympy import Function, Symbol

from symlayout.errors import LayoutError
from symlayout.expr.operators import CONDITIONS, OPERATORS, Operator, members
from symlayout.expr.printing import PRECEDENCE
from symlayout.expr.spelling import Spelled
from symlayout.expr.traversal import fold
from symlayout.text.limits import DEPTH


def operand(value: Any) -> Any:
    """A number or one of our expressions as SymPy's; texts are not evaluated."""
    if isinstance(value, sympy.Basic):
        return value
    if hasattr(value, "_sympy_"):
        return value._sympy_()
    if isinstance(value, (str, bytes)):
        raise LayoutError("SL203", f"{value!r} is not an integer or an expression")
    return sympy.sympify(value, strict=True)


RELATIONS = {
    "<": sympy.StrictLessThan,
    "<=": sympy.LessThan,
    ">": sympy.StrictGreaterThan,
    ">=": sympy.GreaterThan,
    "==": sympy.Equality,
    "!=": sympy.Unequality,
}


def relation(op: str, left: Any, right: Any) -> Any:
    """The comparison of two expressions as SymPy's, not evaluated.

    >>> from symlayout.expr.terms import symbol
    >>> relation("<=", symbol("M"), symbol("N"))
    M <= N
    """
    return RELATIONS[op](operand(left), operand(right), evaluate=False)


class Made(Function):  # type: ignore[misc]
    """An operator of ours as SymPy knows it; a class of each is made from the rows of `operators`."""

    row: Operator
    integer = sympy.Integer
    is_integer = True
    is_real = True

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return super().__new__(cls, *map(operand, args), **options)

    def _sympyrepr(self, printer: Any) -> str:
        return f"{type(self).__name__}({', '.join(printer._print(x) for x in self.args)})"


def latex_power(text: str, exp: str | None) -> str:
    """LaTeX in brackets of its own, raised to a power where there is one.

    >>> latex_power(r"\\max(a, b)", "2")
    '\\\\max(a, b)^{2}'
    """
    return text if exp is None else f"{text}^{{{exp}}}"


class _Template(str):
    """The text of an argument in a template of LaTeX; `{0:*}` puts a sum or product in parentheses."""

    product: str

    def __format__(self, spec: str) -> str:
        return self.product if spec else str(self)


def _latex(self: Any, printer: Any, exp: str | None = None) -> str:
    """The operator by the template of its row."""
    row, texts = self.row, list[_Template]()
    for a in self.args:
        texts.append(_Template(printer._print(a)))
        texts[-1].product = printer.parenthesize(a, PRECEDENCE["Mul"])
    if row.arity is None:
        texts = [_Template(", ".join(texts))]
    text = row.latex.format(*texts)
    bare = exp is not None and row.form in ("power", "choice")
    return latex_power(rf"\left({text}\right)" if bare else text, exp)


def _kind(row: Operator) -> Any:
    bases = (Spelled,) if row.form not in ("bits", "choice") else ()
    fields = {**members(row), "__module__": __name__}
    if row.arity is not None:
        fields["nargs"] = row.arity
    if row.latex:  # else SymPy writes a call
        fields["_latex"] = _latex
    return type(row.name, (*bases, Made), fields)


OURS: dict[str, Any] = {row.name: _kind(row) for row in OPERATORS}
globals().update(OURS)  # for pickle


class SizeSymbol(Symbol):  # type: ignore[misc]
    """A symbol that carries its least value."""

    __slots__ = ("least",)
    least: int

    def __new__(cls, name: str, least: int = 1) -> SizeSymbol:
        symbol = Symbol.__xnew__(cls, name)
        symbol.least = least
        return symbol  # type: ignore[no-any-return]

    def __getnewargs_ex__(self) -> tuple[tuple[str, int], dict[str, Any]]:
        return ((self.name, self.least), {})

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.least)


KINDS: dict[str, Any] = {
    **{k.__name__: k for k in (sympy.Add, sympy.Mul, sympy.Pow)},
    **OURS,
    **{row.name: partial(row.sympy, sympy) for row in CONDITIONS.values() if row.sympy is not None},
}


def to_sympy(e: Any) -> Any:
    """The expression of SymPy that is equal to ours, equal parts made once."""
    return fold(e, _outside)


def _outside(x: Any, args: list[Any]) -> Any:
    if x.is_Integer:
        return sympy.Integer(x.p)
    if x.is_Symbol:
        least = getattr(x, "least", None)
        if least is not None:
            return SizeSymbol(x.name, least)
        if type(x).__name__ == "Dummy":
            return sympy.Dummy(x.name, dummy_index=x.number)
        return Symbol(x.name)
    kind = KINDS[type(x).__name__]
    if kind is sympy.Mul and len(args) == 2 and args[0].is_Integer and args[1].is_Add:
        return sympy.Mul(*args, evaluate=False)  # ours keeps them apart
    return kind(*args)


def is_outside(value: Any) -> bool:
    """Whether it is SymPy's."""
    return isinstance(value, sympy.Basic)


def inside(e: Any, make: Mapping[str, Callable[..., Any]]) -> Any:
    """Our expression for SymPy's: floor, ceiling, Mod, Min and Max become ours.

    `make` has what makes each kind.  Raises `LayoutError` for what is not an integer expression.
    """

    def build(x: Any, inner: list[tuple[Any, int]]) -> tuple[Any, int]:
        depth = 1 + max([d for _, d in inner], default=0)
        if depth > 3 * DEPTH:  # more than any that is read has with its numbers
            raise LayoutError("SL204", f"the expression nests more than {DEPTH} operations")
        (word, parts), values = _parts(x), iter(inner)
        return make[word](*[next(values)[0] if is_outside(a) else a for a in parts]), depth

    return fold(e, build, parts=lambda x: list(filter(is_outside, _parts(x)[1])))[0]


def _parts(x: Any) -> tuple[str, tuple[Any, ...]]:
    """The word for the kind of an expression, and what it is made of."""
    if isinstance(x, Symbol):
        if isinstance(x, sympy.Dummy):
            return "Dummy", (x.name, x.dummy_index)
        own = isinstance(x, SizeSymbol)
        return ("SizeSymbol", (x.name, x.least)) if own else ("Symbol", (x.name,))
    if isinstance(x, sympy.Integer):
        return "Integer", (x.p,)
    if isinstance(x, (sympy.floor, sympy.ceiling)):
        kind = "FloorDiv" if isinstance(x, sympy.floor) else "CeilDiv"
        return kind, sympy.fraction(sympy.together(x.args[0]))
    if isinstance(x, sympy.Pow) and not x.exp.is_Number and x.base.is_Integer and x.base > 1:
        bits = int(x.base).bit_length() - 1
        if x.base == 1 << bits:
            return "Exp2", (bits * x.exp,)
    natural = not isinstance(x, sympy.Pow) or (x.exp.is_Integer and x.exp >= 0)
    ours = isinstance(x, (sympy.Add, sympy.Mul, sympy.Pow, Made))
    word = type(x).__name__ if ours else _WORDS.get(x.func)
    if word is None or not natural:
        raise LayoutError("SL203", f"{x} is not an integer expression")
    return word, x.args


_WORDS = {sympy.Mod: "Mod", sympy.Min: "Min", sympy.Max: "Max"}


def plain(e: Any) -> Any:
    """The expression in SymPy's own functions, equal to it for all integers.

    SymPy 1.14 makes `Mod(y*Mod(x, 6), 5)` into `Mod(y*Mod(x, 6)**2, 5)`, which is wrong, so a
    remainder of anything with a remainder inside is written with `floor`: `a - b*floor(a/b)`.
    """
    if not e.args:
        return e
    args = [plain(a) for a in e.args]
    if not isinstance(e, Made) or e.row.sympy is None:
        return e.func(*args)
    if e.row.name == "Mod" and not args[0].has(sympy.Mod):
        return sympy.Mod(*args)
    return e.row.sympy(sympy, *args)


def common_parts(
    expressions: Sequence[Any], names: Iterator[Any]
) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Parts that occur several times, each by a name, and what is left, by SymPy's search."""
    theirs, symbols = list(map(operand, expressions)), map(operand, names)
    parts, rest = sympy.cse(theirs, symbols=symbols, order="none")
    return parts, rest


def lowest_terms(a: Any, b: Any) -> Any:
    """The numerator and the denominator of `a / b` without common factors."""
    return sympy.fraction(sympy.together(sympy.cancel(operand(a) / operand(b))))


_RELATIONS = {
    sympy.Eq: "==",
    sympy.Ne: "!=",
    sympy.Le: "<=",
    sympy.Lt: "<",
    sympy.Ge: ">=",
    sympy.Gt: ">",
}


def is_fact(fact: Any) -> bool:
    """Whether it is a relation of SymPy, several, or what one has become."""
    kinds = (sympy.core.relational.Relational, sympy.And, sympy.logic.boolalg.BooleanAtom)
    return isinstance(fact, kinds)


def comparisons(fact: Any) -> list[tuple[str, Any, Any]]:
    """The comparisons of a fact: sign, left and right side, SymPy's."""
    if isinstance(fact, sympy.And):
        return [c for part in fact.args for c in comparisons(part)]
    if isinstance(fact, sympy.core.relational.Relational):
        return [(_RELATIONS[fact.func], fact.lhs, fact.rhs)]
    return [("==", sympy.Integer(0), sympy.Integer(0 if fact else 1))]
