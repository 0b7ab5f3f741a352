"""The canonical expression of a term: what the grammar makes of its text, with no text between."""

from __future__ import annotations

from collections.abc import Callable

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Either, comparison, conditional, negation
from symlayout.expr.reader import LIGHT, Scanner, _Expressions, _Parts
from symlayout.expr.term import CALLS, COMPARISONS, DIVISIONS, SUMS, Term
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr, Integer
from symlayout.text import limits

DEEPEST = limits.NESTING // 3  # a term in a term is at most a parenthesis, a sign and a condition


def normal(term: Term) -> Expr:
    """The expression of a written term: as the grammar reads `term.text()`.

    >>> n, two = Term("name", word="n"), Term("num", number=2)
    >>> normal(Term("-", (Term("*", (two, Term("+", (n, two)))), n)))
    n + 4

    Raises `LayoutError` for what has no value, and for a term that a text may be too large for.
    """
    known: Expr | None = term.normal
    if known is None:
        if term.depth > DEEPEST or term.size > limits.OPERATORS or _divisions(term) > DIVIDING:
            raise LayoutError("SL204", "a term that is larger than a text may be")
        known = term.normal = _Terms(term).whole()
    return known


def evaluated(term: Term) -> Expr:
    """The expression of a written term, or the condition of one of type bool, to be evaluated.

    Raises `LayoutError` for what has no value; the term may be larger than a text.
    """
    return condition(term, evaluated) if term.is_condition else _Terms(term).whole()


def condition(term: Term, side: Callable[[Term], Expr] = normal) -> Condition:
    """The condition that a term of type bool is; `side` gives what it compares."""
    if term.op in COMPARISONS:
        a, b = map(side, term.args)
        return comparison(term.op, a, b)
    if term.op == "not":
        return negation(condition(term.args[0], side))
    if term.op not in ("and", "or"):
        raise LayoutError("SL300", f"{term.op} is not a condition")
    first, second = (condition(a, side) for a in term.args)
    return Both(first, second) if term.op == "and" else Either(first, second)


def _divisions(term: Term) -> int:
    return (term.op in DIVISIONS) + sum(map(_divisions, term.args))


DIVIDING = limits.DIVISIONS


class _Terms(_Expressions):
    """The grammar's arithmetic, done on a term instead of a text."""

    def __init__(self, term: Term) -> None:
        super().__init__(Scanner(""), symbol)
        self.term = term
        self.weight = LIGHT + 1 if term.size > LIGHT else 0

    def read(self) -> Expr:
        return self.one(self.term)

    def one(self, term: Term) -> Expr:
        """The expression of a term that is in parentheses, or is the whole."""
        return self.plain(self.parts(term), 0)

    def parts(self, term: Term) -> Expr | _Parts:
        """The expression; of a sum or product what is added or multiplied so far."""
        if term.is_condition:
            raise LayoutError("SL300", "a condition is not a value")
        if term.op == "num":
            self.weight += len(term.word) // 10
            return Integer(term.number)
        if term.op == "name":
            return symbol(term.word)
        if term.op == "where":
            c, a, b = term.args
            value = conditional(condition(c), normal(a), normal(b))
            self.note_choice(value)
            return value
        if term.op == "cast" or term.op in CALLS:
            args = [self.one(a) for a in term.args]
            return args[0] if term.op == "cast" else self.called(CALLS[term.op], args, 0)
        if term.op in ("neg", "~"):
            return self.apply(term.op, None, self.one(term.args[0]), 0)
        a, b = term.args
        own = SUMS.get(term.op)
        chained = own is not None and SUMS.get(a.op, 0) >= own
        return self.apply(term.op, self.parts(a) if chained else self.one(a), self.one(b), 0)
