"""What MLIR's affine maps and XLA's indexing maps share: `(d0, d1)[s0] -> (d0 floordiv 8, s0)`."""

from __future__ import annotations

from sympy import Expr, Symbol

from symlayout.expr.reader import Scanner, expression_at
from symlayout.expr.terms import symbol

OPERATORS = ("floordiv", "ceildiv", "mod")


def affine_parts(s: Scanner) -> tuple[list[str], list[str], tuple[Expr, ...]]:
    """The names of the dimensions, those of the symbols, and the results.

    >>> affine_parts(Scanner("(i, j)[n] -> (i mod n, j)", language="python"))
    (['i', 'j'], ['n'], (i%n, j))
    """
    s.words = True
    known: dict[str, Symbol] = {}
    dims = _names(s, "(", ")", known)
    symbols: list[str] = []
    for opening, closing in (("{", "}"), ("[", "]")):  # XLA's values of run time stand in braces
        if s.peek(opening):
            symbols += _names(s, opening, closing, known)
    s.expect("->", "behind the names")
    s.expect("(", "before the results")
    results: list[Expr] = []
    while not s.take(")"):
        if results:
            s.expect(",", "between the results")
        s.check_rank(len(results) + 1)
        results.append(expression_at(s, known.get))
    if not results:
        raise s.error("SL403", "a map without results has nothing to be asked about")
    return dims, symbols, tuple(results)


def _names(s: Scanner, opening: str, closing: str, known: dict[str, Symbol]) -> list[str]:
    s.expect(opening, "before the names")
    made: list[str] = []
    while not s.take(closing):
        if made:
            s.expect(",", "between the names")
        at = s.skip()
        name = s.name()
        if name is None:
            raise s.error("SL101", f"expected a name, found {s.found()}")
        if name in known:
            raise s.error("SL201", f"the name {name!r} has a meaning already", at, s.at)
        if name in OPERATORS:
            raise s.error("SL201", f"{name!r} is an operator", at, s.at)
        s.check_rank(len(known) + 1)
        known[name] = symbol(name)
        made.append(name)
    return made
