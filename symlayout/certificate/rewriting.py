"""Expressions of a case in other words: operations on bits as sums, or the same bits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symlayout.certificate.cases import (
    BITS,
    ZERO,
    Case,
    World,
    goal,
    power_of_two,
    read,
    whole_number,
)
from symlayout.certificate.exact import Rejected
from symlayout.certificate.goals import Goals, instead, no_number, within
from symlayout.certificate.part import Goal
from symlayout.certificate.words import Words
from symlayout.expr.terms import BitAnd, BitOr, BitXor, FloorDiv, Mod
from symlayout.expr.tree import Expr, Integer


def bits(g: Goals, w: World, case: Case, way: str, text: str, low: str, step: str) -> Any:
    """An operation on bits as a sum, or on fewer bits."""
    node, y, n = read(text), read(low), g.of_case(w, case, read(step))
    if not isinstance(node, BITS) or y not in node.args or not power_of_two(n):
        raise Rejected(f"{node} is not an operation on bits of {y}")
    x = node.args[1] if y == node.args[0] else node.args[0]
    op, both = type(node), isinstance(node, BitAnd)
    goals = [goal("==", x, x), goal(">=", y, 0), goal("<", y, n)]
    match way:
        case "apart":  # x has no bit below n, y has none from n on
            goals.append(goal("==", Mod(x, n), 0))
            result = ZERO if both else x + y
        case "bit":
            goals += [goal(">=", x, 0), goal("<", x, 2), goal("<", y, 2)]
            result = {BitAnd: x * y, BitOr: x + y - x * y, BitXor: x + y - 2 * x * y}[op]
        case "low":  # from n on the bits are those of x
            result = op(Mod(x, n), y) + (ZERO if both else FloorDiv(x, n) * n)
        case "high":  # below n the bits are those of x
            goals = [goal("==", x, x), goal("==", Mod(y, n), 0)]
            result = op(FloorDiv(x, n), FloorDiv(y, n)) * n + (ZERO if both else Mod(x, n))
        case "halves":  # each bit is that of the operands' bits, below n and from n on
            goals = [goal("==", x, x), goal("==", y, y)]
            result = op(FloorDiv(x, n), FloorDiv(y, n)) * n + op(Mod(x, n), Mod(y, n))
        case "both":  # what both have is in the sum twice, in `|` once and in `^` not at all
            goals = [goal("==", x, x), goal("==", y, y)]
            result = x + y - (1 if op is BitOr else 2) * BitAnd(x, y)
            if both:  # what the complement of y does not take
                result = x - BitAnd(x, (-y - 1).expand())
        case _:
            raise Rejected(f"script: {way!r} does not say how to write operations on bits")
    return [g.here(w, case, "bits", *goals)], [instead(case, node, result)]


def rewrite(g: Goals, w: World, case: Case, which: str, text: str, same: str, *texts: str) -> Any:
    """A result, or an expression wherever it is, in other words with the same bits.

    The texts are so many expressions with what they are equal to, and then words with the numbers
    of bits that they have.
    """
    many, words, goals = 2 * whole_number(same), Words(), list[Goal]()
    k = whole_number(which) if which.isdigit() else None
    if (k or 0) >= len(case.results) or len(texts) % 2 or many > len(texts):
        raise Rejected("script: no result, or no words")
    old = read(which) if k is None else case.results[k]
    table: dict[Expr, Expr] = {}
    for one, other in zip(texts[:many:2], texts[1:many:2]):
        e, equal = (g.of_case(w, case, read(t)) for t in (one, other))
        goals.append(goal("==", e, equal))
        table[no_number(e)] = equal
    for part, number in zip(texts[many::2], texts[many + 1 :: 2]):
        e, bits = g.of_case(w, case, read(part)), whole_number(number)
        words.limit(e, bits)
        goals += within(e, Integer(2) ** bits)
    result = g.of_case(w, case, read(text))
    words.check_zero((g.of_case(w, case, old) - result).xreplace(table))
    changed = instead(case, old, result)
    if k is not None:
        changed = replace(case, results=(*case.results[:k], result, *case.results[k + 1 :]))
    return [g.here(w, case, "bits", *goals)], [changed]
