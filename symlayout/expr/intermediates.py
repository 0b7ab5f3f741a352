"""The values that emitted code computes on its way: every operand, partial product and partial sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol


def intermediates(e: Expr, terms: Callable[[Expr], Sequence[Any]] | None = None) -> list[Expr]:
    """All values in the order in which the code computes them, the result last.

    `terms` tells what a sum adds up: terms, and tuples of a factor and the terms that it stands before.

    >>> i, N = Symbol("i"), Symbol("N")
    >>> intermediates(2*N*i + 1)
    [2, N, 2*N, i, 2*N*i, 1, 2*N*i + 1]
    """
    terms = terms or terms_in_order
    values: dict[Expr, None] = {}

    def total(items: Sequence[Any]) -> Expr:
        value: Expr = Integer(0)
        for n, item in enumerate(items):
            term = item
            if isinstance(item, tuple):
                visit(item[0])
                term = item[0] * total(item[1])
                values.setdefault(term)
            else:
                visit(-item if n and item.could_extract_minus_sign() else item)
            value = value + term
            values.setdefault(value)
        return value

    def visit(x: Expr) -> None:
        if x in values:
            return
        if isinstance(x, (Symbol, Integer)):
            values.setdefault(x)
            return
        if isinstance(x, Add):
            total(terms(x))
            return
        if isinstance(x, Mul):
            number, rest = x.as_coeff_Mul()
            if number == -1:
                visit(rest)  # the sign is that of the product: -(a*b)
                values.setdefault(x)
                return
            product: Expr = Integer(1)
            for factor in factors_in_order(x):
                visit(factor)
                product = product * factor
                values.setdefault(product)
            return
        if isinstance(x, Pow):
            visit(x.base)
            for k in range(2, int(x.exp) + 1):
                values.setdefault(x.base**k)
            return
        for a in x.args:
            visit(a)
        values.setdefault(x)

    visit(e)
    return list(values)


def terms_in_order(e: Expr) -> list[Expr]:
    """The terms of a sum in the order in which code adds them: negative ones and numbers last."""
    return sorted(e.args, key=lambda t: (t.is_Integer, t.could_extract_minus_sign(), _order(t)))


def factors_in_order(e: Expr) -> list[Expr]:
    """The factors of a product in the order in which code multiplies them: the number first."""
    number, rest = e.as_coeff_Mul()
    factors = sorted(Mul.make_args(rest), key=lambda f: (not f.is_Symbol, _order(f)))
    return factors if number == 1 else [number, *factors]


def _order(e: Expr) -> str:
    return str(e)
