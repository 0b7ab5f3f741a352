"""Numbers between which an expression stays, read off its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from math import inf

from symlayout.expr.facts import Facts
from symlayout.expr.ranges import ALL as ALL
from symlayout.expr.ranges import Range as Range
from symlayout.expr.ranges import add, multiply
from symlayout.expr.terms import Application
from symlayout.expr.tree import Add, Expr, Integer, Pow, Symbol


def allowed(facts: Facts, names: Iterable[str]) -> dict[str, Range]:
    """The values of symbols, as far as facts about each alone say.

    >>> allowed(Facts.read("M <= 8"), ["M", "N"])
    {'M': (1, 8), 'N': (1, inf)}
    """
    domains = {n: facts.domain(n) for n in names}
    return {n: (d.first, inf if d.last is None else d.last) for n, d in domains.items()}


def interval(e: Expr, known: Mapping[str, Range]) -> Range:
    """Bounds of the expression, wherever it has a value.

    >>> from symlayout.expr.terms import Mod
    >>> interval(Mod(Symbol("i"), 8) * Symbol("N"), {"i": (0, 99), "N": (1, 4)})
    (0, 28)
    """
    memo: dict[Expr, Range] = {}

    def visit(x: Expr) -> Range:
        if x not in memo:
            memo[x] = _interval(x, known, visit)
        return memo[x]

    try:
        return visit(e)
    except OverflowError:  # a number that no float, and so no infinity, is added to
        return ALL


def _interval(e: Expr, known: Mapping[str, Range], visit: Callable[[Expr], Range]) -> Range:
    if isinstance(e, Integer):
        return (int(e), int(e))
    if isinstance(e, Symbol):
        return known.get(e.name, ALL)
    parts: list[Range] = [visit(a) for a in e.args]
    if isinstance(e, Application):
        return e.row.interval(*parts)
    if isinstance(e, Pow):
        parts = [parts[0]] * int(e.exp)
    return reduce(add if isinstance(e, Add) else multiply, parts)
