"""Z3's integers with operators that call Z3's C functions at once.

Z3's own operators look at the sorts of both operands first, and its module converts each argument and
asks for an error after each call, in Python: together several times as long as to make the term. Here
all operands are integers, or terms of integers in one context, and a call that fails gives no term.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from symlayout.text.solver import z3

Maker = Callable[..., Any]
SMALL = 2**62  # numbers below this one are given to Z3 as machine integers
KEPT = 100_000  # numbers that a context keeps
POINTER, COUNT = ctypes.c_void_p, ctypes.c_uint
PAIR = POINTER * 2


def function(name: str, *arguments: Any, result: Any = POINTER) -> Maker:
    """A function of Z3's library whose first argument is a context; terms are pointers.

    Z3's module keeps the library's function as the default of an argument.
    """
    (elements,) = getattr(z3, f"Z3_{name}").__defaults__
    kinds = arguments or (POINTER,)
    address = ctypes.cast(elements.f, POINTER).value or 0
    return ctypes.CFUNCTYPE(result, POINTER, *kinds)(address)


ADD, MUL, SUB, DISTINCT, AND, OR = (
    function(f"mk_{word}", COUNT, POINTER)
    for word in ("add", "mul", "sub", "distinct", "and", "or")
)
DIV, MOD, LT, LE, GT, GE, EQ, IMPLIES = (
    function(f"mk_{word}", POINTER, POINTER)
    for word in ("div", "mod", "lt", "le", "gt", "ge", "eq", "implies")
)
MINUS, NOT = function("mk_unary_minus"), function("mk_not")
IF = function("mk_ite", POINTER, POINTER, POINTER)
APP = function("mk_app", POINTER, COUNT, POINTER)
SUBSTITUTE = function("substitute", POINTER, COUNT, POINTER, POINTER)
SIMPLIFY = function("simplify_ex", POINTER, POINTER)
KEEP, RELEASE = function("inc_ref", result=None), function("dec_ref", result=None)
IS_NUMBER = function("is_numeral_ast", result=ctypes.c_bool)
PARTS = function("get_app_num_args", result=COUNT)
PART, HEAD = function("get_app_arg", POINTER, COUNT), function("get_app_decl")
KIND = function("get_decl_kind", result=ctypes.c_int)
DIGITS = function("get_numeral_string", result=ctypes.c_char_p)
ASSERT = function("solver_assert", POINTER, POINTER, result=None)


class Term:
    """What terms and formulas share: they are kept while Python keeps them.

    `key` is the same number for terms that are the same, while one of them is kept.
    """

    def __init__(self, key: int | None, ctx: Any) -> None:
        if not key:
            code = z3.Z3_get_error_code(ctx.ref())
            raise z3.Z3Exception(z3.Z3_get_error_msg(ctx.ref(), code))
        self.key, self.ctx = key, ctx
        KEEP(ctx.ctx, key)

    def __del__(self, release: Maker = RELEASE) -> None:
        if self.ctx.ctx is not None:
            release(self.ctx.ctx, self.key)

    @property
    def ast(self) -> Any:
        """The term as Z3's own module has it."""
        ast = z3.Ast(self.key)
        ast.value = self.key
        return ast


class Formula(Term, z3.BoolRef):  # type: ignore[misc]
    """A formula of Z3."""


def _of_pair(make: Maker) -> Callable[[Whole, Any], Whole]:
    """The operator of a function that takes an array of terms."""

    def operator(self: Whole, other: Any) -> Whole:
        ctx, key = self.ctx, other.key if type(other) is Whole else pointer(other, self.ctx)
        return Whole(make(ctx.ctx, 2, PAIR(self.key, key)), ctx)

    return operator


def _comparison(make: Maker) -> Callable[[Whole, Any], Formula]:
    """The operator of a function that compares two terms."""

    def operator(self: Whole, other: Any) -> Formula:
        ctx, key = self.ctx, other.key if type(other) is Whole else pointer(other, self.ctx)
        return Formula(make(ctx.ctx, self.key, key), ctx)

    return operator


class Whole(Term, z3.ArithRef):  # type: ignore[misc]
    """A term of Z3 that is an integer."""

    __add__, __mul__, __sub__ = map(_of_pair, (ADD, MUL, SUB))
    __lt__, __le__, __gt__, __ge__ = map(_comparison, (LT, LE, GT, GE))

    def __radd__(self, other: Any) -> Whole:
        return number(other, self.ctx) + self

    def __rmul__(self, other: Any) -> Whole:
        return number(other, self.ctx) * self

    def __rsub__(self, other: Any) -> Whole:
        return number(other, self.ctx) - self

    def __neg__(self) -> Whole:
        return Whole(MINUS(self.ctx.ctx, self.key), self.ctx)

    def __truediv__(self, other: Any) -> Whole:
        return Whole(DIV(self.ctx.ctx, self.key, pointer(other, self.ctx)), self.ctx)

    def __mod__(self, other: Any) -> Whole:
        return Whole(MOD(self.ctx.ctx, self.key, pointer(other, self.ctx)), self.ctx)

    def __eq__(self, other: object) -> Formula:
        return Formula(EQ(self.ctx.ctx, self.key, pointer(other, self.ctx)), self.ctx)

    def __ne__(self, other: object) -> Formula:
        pair = PAIR(self.key, pointer(other, self.ctx))
        return Formula(DISTINCT(self.ctx.ctx, 2, pair), self.ctx)

    __hash__ = z3.ArithRef.__hash__


def pointer(term: Any, context: Any) -> int:
    """A number, a term of ours or one of Z3's own module, as the library has it."""
    if isinstance(term, int):
        return _number(term, context)
    return term.key if isinstance(term, Term) else term.ast.value


def number(n: Any, context: Any = None) -> Whole:
    """The term of a number, or the term that is given."""
    context = context or z3.main_ctx()
    return Whole(pointer(n, context), context)


def _number(n: int, context: Any) -> int:
    """A number as Z3 has it, which a context keeps: no term of Python's has to."""
    table = vars(context).setdefault("wholes", {})
    hit: int | None = table.get(n)
    if hit is None:
        ref, sort = context.ref(), whole_sort(context)
        while len(table) >= KEPT:
            RELEASE(ref, table.pop(next(iter(table))))
        small = -SMALL < n < SMALL
        ast = z3.Z3_mk_int64(ref, n, sort) if small else z3.Z3_mk_numeral(ref, str(n), sort)
        hit = table[n] = ast.value
        KEEP(ref, hit)
    return hit


def whole_sort(context: Any) -> Any:
    """The sort of integers of a context."""
    table = vars(context)
    if "whole_sort" not in table:
        table["whole_sort"] = z3.Z3_mk_int_sort(context.ref())
    return table["whole_sort"]


def value(term: Term) -> int | None:
    """The number that a term is; None for any other term."""
    ref = term.ctx.ctx
    return int(DIGITS(ref, term.key)) if IS_NUMBER(ref, term.key) else None


def integer(name: str, context: Any = None) -> Whole:
    """The unknown integer of that name."""
    context = context or z3.main_ctx()
    ref = context.ref()
    constant = z3.Z3_mk_const(ref, z3.Z3_mk_string_symbol(ref, name), whole_sort(context))
    return Whole(constant.value, context)


def parts(term: Term) -> list[Whole]:
    """The operands of a term, which are integers."""
    ref, context = term.ctx.ctx, term.ctx
    return [Whole(PART(ref, term.key, k), context) for k in range(PARTS(ref, term.key))]


def keys_within(key: int, context: Any) -> list[int]:
    """The keys of the operands of a term, which live as long as it does."""
    ref = context.ctx
    return [PART(ref, key, k) for k in range(PARTS(ref, key))]


def is_constant(term: Term) -> bool:
    """Whether it is an unknown or a number."""
    return PARTS(term.ctx.ctx, term.key) == 0  # type: ignore[no-any-return]


def is_bound(term: Term) -> bool:
    """Whether it is the sum of an unknown and a number, or of two unknowns."""
    ref = term.ctx.ctx
    if PARTS(ref, term.key) != 2 or KIND(ref, HEAD(ref, term.key)) != z3.Z3_OP_ADD:
        return False
    return not any(PARTS(ref, PART(ref, term.key, k)) for k in range(2))


def applied(function: Any, terms: Sequence[Any]) -> Whole:
    """The integer that a function of Z3 gives for terms."""
    context = function.ctx
    return Whole(APP(context.ctx, function.ast, len(terms), array(terms)), context)


def replaced(term: Term, unknown: Any, by: Any) -> Whole:
    """The term in which an unknown is replaced."""
    return with_all(term, 1, array([unknown]), array([by]))


def with_all(term: Term, count: int, unknowns: Any, values: Any) -> Whole:
    """The term in which unknowns are replaced, all at once."""
    return Whole(SUBSTITUTE(term.ctx.ctx, term.key, count, unknowns, values), term.ctx)


def simplified(term: Term, settings: Any) -> Whole:
    """The term after one pass of Z3's simplifier."""
    return Whole(SIMPLIFY(term.ctx.ctx, term.key, settings), term.ctx)


def total(terms: Sequence[Any]) -> Whole:
    """The sum of at least one term."""
    context = terms[0].ctx
    return Whole(ADD(context.ctx, len(terms), array(terms)), context)


def product(terms: Sequence[Any]) -> Whole:
    """The product of at least one term."""
    context = terms[0].ctx
    return Whole(MUL(context.ctx, len(terms), array(terms)), context)


def choice(condition: Any, yes: Any, no: Any) -> Whole:
    """The one term where the formula is true, the other where it is false."""
    context = condition.ctx
    keys = [pointer(t, context) for t in (condition, yes, no)]
    return Whole(IF(context.ctx, *keys), context)


def both(formulas: Sequence[Any], context: Any = None) -> Formula:
    """The conjunction of formulas."""
    context = context or z3.main_ctx()
    if not formulas:
        return Formula(z3.Z3_mk_true(context.ref()).value, context)
    return Formula(AND(context.ctx, len(formulas), array(formulas)), context)


def either(formulas: Sequence[Any], context: Any = None) -> Formula:
    """The disjunction of formulas."""
    context = context or z3.main_ctx()
    if not formulas:
        return Formula(z3.Z3_mk_false(context.ref()).value, context)
    return Formula(OR(context.ctx, len(formulas), array(formulas)), context)


def contrary(formula: Any) -> Formula:
    """The negation of a formula."""
    return Formula(NOT(formula.ctx.ctx, pointer(formula, formula.ctx)), formula.ctx)


def implied(premise: Any, conclusion: Any) -> Formula:
    """The formula that one formula implies the other."""
    context = premise.ctx
    keys = [pointer(t, context) for t in (premise, conclusion)]
    return Formula(IMPLIES(context.ctx, *keys), context)


def tell(solver: Any, formulas: Sequence[Any]) -> None:
    """A solver of Z3's module gets the formulas, without a look at their sorts."""
    context = solver.ctx
    for f in formulas:
        ASSERT(context.ctx, solver.solver, pointer(f, context))


def array(terms: Sequence[Any]) -> Any:
    """Terms as Z3's functions take many of them."""
    return (POINTER * len(terms))(*[pointer(t, t.ctx) for t in terms])
