"""The normal form of operations on bits (`expr/words.py`) in proofs by cases."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from symlayout.digits.context import Undecided
from symlayout.digits.poly import ZERO, Poly
from symlayout.errors import LayoutError
from symlayout.expr.terms import BITS, FloorDiv, symbol
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.expr.words import Words, WordTooLarge
from symlayout.prove.maps.cases import Move
from symlayout.prove.maps.view import View

WIDEST = 64  # bits that a word is known to lie in
MULTIPLE = 16  # the greatest exponent of a power of two that sizes are divided by


def same_bits(view: View) -> Move | None:
    """The move for the first result that is claimed to be 0, and is a sum of words that is."""
    for k, (op, e) in enumerate(zip(view.case.ops, view.case.results)):
        if op == "==" and e.has(*BITS):
            # what is asked makes digits that moves do not need
            apart = View(view.world, view.case)
            for table in tables(apart, e):
                words = Words(partial(width, apart))
                if words.zero(as_multiples(e, table)):
                    return ("words", k, Integer(0), *premises(table, words))
    return None


def normal_form(view: View) -> Move | None:
    """The move that writes the first result with operations on bits in their normal form."""
    for k, e in enumerate(view.case.results):
        if e.has(*BITS):
            for table in reversed(tables(view, e)):
                words = Words(partial(width, view))
                with suppress(WordTooLarge):
                    result = words.expression(words.of(as_multiples(e, table)))
                    if result != e:
                        return ("words", k, result, *premises(table, words))
    return None


Table = dict[Symbol, int]


def tables(view: View, e: Expr) -> list[Table]:
    """What sizes are written as multiples of: none, and each of which that is known."""
    sizes = [x for x in map(symbol, view.world.names) if e.has(x)]
    multiples = {x: d for x in sizes if (d := multiple(view, x)) > 1}
    return [{}, multiples] if multiples else [{}]


def as_multiples(e: Expr, table: Table) -> Expr:
    """The expression with sizes as multiples; those that it has already stay as they are."""
    parts = {x: FloorDiv(x, d) for x, d in table.items()}
    whole = {x: table[x] * part for x, part in parts.items()}
    return e.xreplace({part: part for part in parts.values()} | whole)


def premises(table: Table, words: Words) -> list[Any]:
    """What a proof by words rests on: multiples, and how many bits words have."""
    ends = [(x, n) for x, n in words.widths.items() if n is not None]
    return [len(table), *[y for row in (*table.items(), *ends) for y in row]]


def multiple(view: View, size: Symbol) -> int:
    """The greatest power of two that is known to divide a size."""
    p, d = view.ctx.poly(size), 1
    while d < 1 << MULTIPLE and view.ctx.resolve(view.ctx.divmod(p, Poly.of(2 * d))[1]) == ZERO:
        d *= 2
    return d


def width(view: View, e: Expr) -> int | None:
    """The number of bits that an expression is known to lie in; None where it is not."""
    try:
        p = view.poly(e)
    except (Undecided, LayoutError):
        return None
    if not view.ctx.nonneg(p) or not view.ctx.nonneg((1 << WIDEST) - 1 - p):
        return None
    low, high = 0, WIDEST
    while low < high:
        middle = (low + high) // 2
        if view.ctx.nonneg((1 << middle) - 1 - p):
            high = middle
        else:
            low = middle + 1
    return high
