"""What facts decide about sizes: the questions that the algebra asks before it proves a law."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symlayout.digits.assume import context_of
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import ZERO, Poly
from symlayout.expr.facts import Facts
from symlayout.expr.terms import FloorDiv, Size, as_expr, as_size, free_names, is_concrete
from symlayout.expr.tree import ONE, Add, exact_quotient, walk
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.tla.chain import Chain


def names_of(*things: Any) -> list[str]:
    """The symbols of layouts, sizes and tilers."""
    hits: dict[str, None] = {}
    for x in things:
        if isinstance(x, Layout):
            parts: Any = (*it.flatten(x._shape), *it.flatten(x._stride), *x._origin)
            hits.update(dict.fromkeys(free_names(*parts)))
        elif isinstance(x, ComposedLayout):
            hits.update(dict.fromkeys(names_of(x.layout, x._offset)))
        elif isinstance(x, Chain):
            hits.update(dict.fromkeys(names_of(x.outer, x.inner)))
        elif isinstance(x, (tuple, list)):
            hits.update(dict.fromkeys(names_of(*x)))
        elif hasattr(x, "free_symbols"):
            hits.update(dict.fromkeys(free_names(x)))
    return list(hits)


def facts_for(where: Any, *things: Any) -> Facts:
    """The facts of a call, read and checked against the symbols of its arguments.

    Raises `LayoutError`: SL300 for what is not a fact, SL301 for a fact about another symbol.
    """
    if isinstance(where, Facts):
        return where  # an outer operation has read them
    facts = Facts.read(where)
    if facts.relations:
        facts.check_names(names_of(*things))
    return facts


def relevant(facts: Facts, *things: Any) -> Facts:
    """The facts that are tied to the symbols of these things, if only through other facts."""
    return tied_to(facts, names_of(*things))


def tied_to(facts: Facts, known: Iterable[str]) -> Facts:
    """The facts that are tied to the symbols of these names, if only through other facts."""
    names = set(known)
    grew = True
    while grew:
        grew = False
        for r in facts.relations:
            if r.names & names and not r.names <= names:
                names |= r.names
                grew = True
    relations = tuple(r for r in facts.relations if r.names <= names)
    return Facts(relations, beside=frozenset(names))


class Known:
    """Answers under facts: True means proved, False that it is not (which proves nothing).

    >>> known = Known(Facts.read("N % 4 == 0"))
    >>> from symlayout.expr.terms import symbol
    >>> known.divides(4, symbol("N")), known.quotient(symbol("N"), 4)
    (True, N//4)
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def _context(self, *sizes: Size) -> tuple[Context, list[Poly]]:
        known = relevant(self.facts, *sizes).with_least(*[as_expr(int_(s)) for s in sizes])
        ctx = context_of(known, free_names(*sizes))
        for s in sizes:
            ctx.poly(as_expr(int_(s)))
        return ctx, [ctx.resolve(ctx.poly(as_expr(int_(s)))) for s in sizes]

    def same(self, a: Size, b: Size) -> bool:
        """Whether a == b."""
        if it.same(a, b):
            return True
        if is_concrete(a, b):
            return False
        try:
            ctx, (p, q) = self._context(a, b)
        except Undecided:
            return False
        return ctx.resolve(p - q) == ZERO

    def at_most(self, a: Size, b: Size) -> bool:
        """Whether a <= b."""
        if isinstance(a, int) and isinstance(b, int):
            return a <= b
        try:
            ctx, (p, q) = self._context(a, b)
            return ctx.nonneg(q - p)
        except Undecided:
            return False

    def divides(self, d: Size, x: Size) -> bool:
        """Whether x is a multiple of d, and d positive."""
        if isinstance(d, int) and isinstance(x, int):
            return d > 0 and x % d == 0
        try:
            ctx, (p, q) = self._context(d, x)
            return ctx.positive(p) and ctx.divmod(q, p)[1] == ZERO
        except Undecided:
            return False

    def quotient(self, x: Size, d: Size) -> Size:
        """x / d, which `divides` has proved to be exact."""
        if isinstance(d, int) and isinstance(x, int):
            return x // d
        result, rest = lowest_terms(x, d)
        return as_size(result) if rest == 1 else as_size(FloorDiv(result, rest))


def lowest_terms(x: Size, d: Size) -> tuple[Any, Any]:
    """A fraction without common factors, of the same value wherever the divisor is not 0.

    >>> from symlayout.expr.terms import symbol
    >>> lowest_terms(6 * symbol("M"), 4 * symbol("M"))
    (3, 2)
    """
    whole, by = as_expr(int_(x)), as_expr(int_(d))
    plain = not any(f.is_Add for e in (whole, by) for t in Add.make_args(e) for f in walk(t))
    result = exact_quotient(whole, by) if plain else None
    if result is not None:
        return result, ONE
    from symlayout.expr.edge import lowest_terms as search

    numerator, denominator = search(whole, by)
    return as_expr(numerator), as_expr(denominator)
