"""Z3's integers with operators that call Z3's C functions at once.

Z3's own operators look at the sorts of both operands first, which takes several times as long as
to make the term.  Here all operands are integers, or terms of integers in one context.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symlayout.text.solver import z3

Maker = Callable[..., Any]
SMALL = 2**62  # numbers below this one are given to Z3 as machine integers
KEPT = 100_000  # numbers that a context keeps


class Term:
    """What terms and formulas share: they are kept while Python keeps them."""

    def __init__(self, ast: Any, ctx: Any) -> None:
        self.ast, self.ctx = ast, ctx
        z3.Z3_inc_ref(ctx.ref(), ast)

    @property
    def key(self) -> int:
        """The same number for terms that are the same, while one of them is kept."""
        return self.ast.value  # type: ignore[no-any-return]


class Formula(Term, z3.BoolRef):  # type: ignore[misc]
    """A formula of Z3."""


class Whole(Term, z3.ArithRef):  # type: ignore[misc]
    """A term of Z3 that is an integer."""

    def __add__(self, other: Any) -> Whole:
        return self._with(z3.Z3_mk_add, other)

    def __radd__(self, other: Any) -> Whole:
        return number(other, self.ctx)._with(z3.Z3_mk_add, self)

    def __mul__(self, other: Any) -> Whole:
        return self._with(z3.Z3_mk_mul, other)

    def __rmul__(self, other: Any) -> Whole:
        return number(other, self.ctx)._with(z3.Z3_mk_mul, self)

    def __sub__(self, other: Any) -> Whole:
        return self._with(z3.Z3_mk_sub, other)

    def __rsub__(self, other: Any) -> Whole:
        return number(other, self.ctx)._with(z3.Z3_mk_sub, self)

    def _with(self, make: Maker, other: Any) -> Whole:
        ctx = self.ctx
        return Whole(make(ctx.ref(), 2, (z3.Ast * 2)(self.ast, _ast(self, other))), ctx)

    def __neg__(self) -> Whole:
        return Whole(z3.Z3_mk_unary_minus(self.ctx.ref(), self.ast), self.ctx)

    def __truediv__(self, other: Any) -> Whole:
        return Whole(z3.Z3_mk_div(self.ctx.ref(), self.ast, _ast(self, other)), self.ctx)

    def __mod__(self, other: Any) -> Whole:
        return Whole(z3.Z3_mk_mod(self.ctx.ref(), self.ast, _ast(self, other)), self.ctx)

    def __lt__(self, other: Any) -> Formula:
        return Formula(z3.Z3_mk_lt(self.ctx.ref(), self.ast, _ast(self, other)), self.ctx)

    def __le__(self, other: Any) -> Formula:
        return Formula(z3.Z3_mk_le(self.ctx.ref(), self.ast, _ast(self, other)), self.ctx)

    def __gt__(self, other: Any) -> Formula:
        return Formula(z3.Z3_mk_gt(self.ctx.ref(), self.ast, _ast(self, other)), self.ctx)

    def __ge__(self, other: Any) -> Formula:
        return Formula(z3.Z3_mk_ge(self.ctx.ref(), self.ast, _ast(self, other)), self.ctx)

    def __eq__(self, other: object) -> Formula:
        return Formula(z3.Z3_mk_eq(self.ctx.ref(), self.ast, _ast(self, other)), self.ctx)

    def __ne__(self, other: object) -> Formula:
        rows = (z3.Ast * 2)(self.ast, _ast(self, other))
        return Formula(z3.Z3_mk_distinct(self.ctx.ref(), 2, rows), self.ctx)

    __hash__ = z3.ArithRef.__hash__


def number(n: Any, context: Any = None) -> Whole:
    """The term of a number, or the term that is given."""
    context = context or z3.main_ctx()
    return Whole(_number(n, context) if isinstance(n, int) else n.ast, context)


def _number(n: int, context: Any) -> Any:
    """A number as Z3 has it, which a context keeps: no term of Python's has to."""
    table = vars(context).setdefault("wholes", {})
    hit = table.get(n)
    if hit is None:
        ref, sort = context.ref(), whole_sort(context)
        while len(table) >= KEPT:
            z3.Z3_dec_ref(ref, table.pop(next(iter(table))))
        small = -SMALL < n < SMALL
        hit = z3.Z3_mk_int64(ref, n, sort) if small else z3.Z3_mk_numeral(ref, str(n), sort)
        z3.Z3_inc_ref(ref, hit)
        table[n] = hit
    return hit


def whole_sort(context: Any) -> Any:
    """The sort of integers of a context."""
    table = vars(context)
    if "whole_sort" not in table:
        table["whole_sort"] = z3.Z3_mk_int_sort(context.ref())
    return table["whole_sort"]


def value(term: Any) -> int | None:
    """The number that a term is; None for any other term."""
    ref = term.ctx.ref()
    if not z3.Z3_is_numeral_ast(ref, term.ast):
        return None
    return int(z3.Z3_get_numeral_string(ref, term.ast))


def integer(name: str, context: Any = None) -> Whole:
    """The unknown integer of that name."""
    context = context or z3.main_ctx()
    ref = context.ref()
    return Whole(
        z3.Z3_mk_const(ref, z3.Z3_mk_string_symbol(ref, name), whole_sort(context)), context
    )


def applied(function: Any, terms: Sequence[Any]) -> Whole:
    """The integer that a function of Z3 gives for terms."""
    context = function.ctx
    return Whole(z3.Z3_mk_app(context.ref(), function.ast, len(terms), _array(terms)), context)


def replaced(term: Any, unknown: Any, by: Any) -> Whole:
    """The term in which an unknown is replaced."""
    context = term.ctx
    ast = z3.Z3_substitute(context.ref(), term.ast, 1, _array([unknown]), _array([by]))
    return Whole(ast, context)


def total(terms: Sequence[Any]) -> Whole:
    """The sum of at least one term."""
    context = terms[0].ctx
    return Whole(z3.Z3_mk_add(context.ref(), len(terms), _array(terms)), context)


def product(terms: Sequence[Any]) -> Whole:
    """The product of at least one term."""
    context = terms[0].ctx
    return Whole(z3.Z3_mk_mul(context.ref(), len(terms), _array(terms)), context)


def choice(condition: Any, yes: Any, no: Any) -> Whole:
    """The one term where the formula is true, the other where it is false."""
    context = condition.ctx
    return Whole(z3.Z3_mk_ite(context.ref(), condition.ast, yes.ast, no.ast), context)


def both(formulas: Sequence[Any], context: Any = None) -> Formula:
    """The conjunction of formulas."""
    context = context or z3.main_ctx()
    ref = context.ref()
    if not formulas:
        return Formula(z3.Z3_mk_true(ref), context)
    return Formula(z3.Z3_mk_and(ref, len(formulas), _array(formulas)), context)


def either(formulas: Sequence[Any], context: Any = None) -> Formula:
    """The disjunction of formulas."""
    context = context or z3.main_ctx()
    ref = context.ref()
    if not formulas:
        return Formula(z3.Z3_mk_false(ref), context)
    return Formula(z3.Z3_mk_or(ref, len(formulas), _array(formulas)), context)


def contrary(formula: Any) -> Formula:
    """The negation of a formula."""
    return Formula(z3.Z3_mk_not(formula.ctx.ref(), formula.ast), formula.ctx)


def implied(premise: Any, conclusion: Any) -> Formula:
    """The formula that one formula implies the other."""
    context = premise.ctx
    return Formula(z3.Z3_mk_implies(context.ref(), premise.ast, conclusion.ast), context)


def _ast(one: Whole, other: Any) -> Any:
    return _number(other, one.ctx) if isinstance(other, int) else other.ast


def _array(terms: Sequence[Any]) -> Any:
    return (z3.Ast * len(terms))(*[t.ast for t in terms])
