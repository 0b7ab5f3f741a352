"""What MLIR's affine maps and XLA's indexing maps share: `(d0, d1)[s0] -> (d0 floordiv 8, s0)`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symlayout.expr.reader import NAME, Scanner, expression_at
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.maps.reader import RESERVED
from symlayout.layouts.reading import items
from symlayout.text.patterns import regex

NEGATIVE = regex(r"\bmod\s*\(?\s*(-\s*\d+)")
OPERATORS = ("floordiv", "ceildiv", "mod")


def affine_parts(s: Scanner) -> tuple[list[str], list[str], tuple[Expr, ...]]:
    """The names of the dimensions, those of the symbols, and the results.

    >>> affine_parts(Scanner("(i, j)[n] -> (i mod n, j)", language="python"))
    (['i', 'j'], ['n'], (i%n, j))
    """
    s.words = True
    names: dict[str, Symbol] = {}
    dims = _names(s, "(", ")", names)
    symbols: list[str] = []
    brackets = [("{", "}"), ("[", "]")]  # XLA's values of run time stand in braces, on either side
    while pair := next((p for p in brackets if s.peek(p[0])), None):
        brackets.remove(pair)
        symbols += _names(s, *pair, names)
    s.expect("->", "behind the names")
    s.expect("(", "before the results")
    start = s.at
    results = items(s, ")", "between the results", lambda: expression_at(s, names.get))
    check_moduli(s, start)
    if not results:
        raise s.error("SL403", "a map without results has nothing to be asked about")
    return dims, symbols, tuple(results)


def box_at(s: Scanner, own: Iterable[str], many: int) -> tuple[Expr, ...] | None:
    """`in (M, N)` behind a map: the sizes of what its results lie in; None where there is none.

    >>> box_at(Scanner("in (8, N)", language="python"), ["d0"], 2)
    (8, N)
    """
    s.words = False
    if not s.take("in"):
        return None
    at = s.skip()
    if many > 1:
        s.expect("(", "before the sizes of the box")
        sizes = items(s, ")", "between the sizes", lambda: expression_at(s))
    else:
        sizes = [expression_at(s)]
    if len(sizes) != many:
        raise s.error("SL403", f"a box of {len(sizes)} sizes for {many} results", at)
    for x in {x.name for e in sizes for x in e.free_symbols}.intersection(own):
        raise s.error("SL201", f"the box speaks of {x}, which is not a size", at)
    return tuple(sizes)


def linear_parts(e: Expr, coords: Sequence[Symbol]) -> tuple[list[Expr], Expr] | None:
    """The strides and the offset of a formula, None where these do not say it.

    >>> i, n = symbol("i"), symbol("n")
    >>> linear_parts(n * (i + 2), [i]), linear_parts(i * i, [i])
    (([n], 2*n), None)
    """
    whole = e.expand()
    start = whole.xreplace(dict.fromkeys(coords, Integer(0))).expand()
    strides = [whole.coeff(c) for c in coords]
    rest = whole - start - sum(c * d for c, d in zip(coords, strides))
    linear = rest.expand() == 0 and not any(d.has(*coords) for d in strides)
    return (strides, start) if linear else None


def check_moduli(s: Scanner, start: int) -> None:
    """Raises `LayoutError` (SL202) for a remainder by a number below 1, which has no meaning there."""
    match = NEGATIVE.search(s.text, start, s.at)
    if match is not None:
        message = f"a remainder by {match[1].replace(' ', '')} is not defined: moduli are positive"
        raise s.error("SL202", message, match.start(1), match.end(1))


def _names(s: Scanner, opening: str, closing: str, known: dict[str, Symbol]) -> list[str]:
    def read() -> str:
        at = s.skip()
        name = s.need(NAME, "a name")
        if name in known:
            raise s.error("SL201", f"the name {name!r} has a meaning already", at, s.at)
        if name in OPERATORS:
            raise s.error("SL201", f"{name!r} is an operator", at, s.at)
        if RESERVED(name):  # the map would not read back
            raise s.error("SL201", f"{name!r} is a word of the language", at, s.at)
        s.check_rank(len(known) + 1)
        known[name] = symbol(name)
        return name

    s.expect(opening, "before the names")
    return items(s, closing, "between the names", read, limited=False)
