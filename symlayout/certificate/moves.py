"""The moves of a proof by cases: each replaces a case by others that have the very same points.

A move is checked by goals of its own, which come out as parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symlayout.certificate.cases import (
    BITS,
    ZERO,
    Case,
    World,
    contrary,
    goal,
    names_of,
    power_of_two,
    read,
    rest_of_guard,
    whole_number,
    with_truth,
)
from symlayout.certificate.exact import Rejected
from symlayout.certificate.part import Goal, Part
from symlayout.certificate.renaming import Renaming, fitting, within
from symlayout.certificate.words import Words
from symlayout.expr.conditions import ALWAYS, Condition, Less
from symlayout.expr.terms import BitAnd, BitOr, BitXor, FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr, Integer

Move = tuple[str, ...]


def ways_to_split(how: str, c: Condition) -> tuple[list[Goal], list[bool]]:
    """What is shown of a condition by which something is split, and its branches."""
    match how, c:
        case "true", Less():
            return [goal("<", c.left, c.right)], [True]
        case "false", Less():
            return [goal("<=", c.right, c.left)], [False]
        case "known", Less():
            return [goal("==", e, e) for e in (c.left, c.right)], [True, False]
        case "open", _:
            return [], [True, False]
    raise Rejected(f"script: {how!r} is not a way to split by {c}")


class Moves(Renaming):
    """What each move of a case shows, and the cases that it makes of one."""

    def step(self, w: World, case: Case, move: Move) -> tuple[list[Part], list[Case]]:
        """What a move shows, and the cases that it makes of one."""
        make = getattr(self, f"_{move[0]}") if move[0] in MOVES else None
        if make is None:
            raise Rejected(f"script: {move[0]!r} is not a move of a case")
        fitting(make, w, case, *move[1:])
        return make(w, case, *move[1:])  # type: ignore[no-any-return]

    def _split(self, w: World, case: Case, how: str, *texts: str) -> Any:
        """A condition, which is true at some points and false at the others.

        It is shown to be `true` or `false` at all of them, or is `known` from here on in two cases, or
        `open`: the first condition to be decided.  Without a text it is the one that comes next.
        """
        c = self.condition(w, case, texts)
        goals, branches = ways_to_split(how, c)
        parts = [self.here(w, case, how, *goals)] if goals else []
        cases = []
        for yes in branches:
            guard = case.guard if texts else rest_of_guard(case.guard, yes)
            if guard is None or (c, yes) == (ALWAYS, False):
                continue
            here = c if yes else contrary(c)
            more = (here,) if how == "known" and isinstance(here, Less) else ()
            guard = (here, *guard) if how == "open" else guard
            inner = replace(case, guard=guard, premises=(*case.premises, *more))
            cases.append(with_truth(inner, c, yes, how in ("true", "false")))
        return parts, cases

    def _weaken(self, w: World, case: Case, *texts: str) -> Any:
        """More points: a coordinate has a larger range, or a new one is for an operation on bits."""
        make = self._larger if len(texts) == 2 else self._any_value
        fitting(make, w, case, *texts)
        part, box, more, result = make(w, case, *texts)
        return [part], [replace(result, box=box, premises=(*result.premises, *more), loose=True)]

    def _larger(self, w: World, case: Case, x: str, size: str) -> Any:
        c, e = symbol(x), self.of_sizes(w, read(size))
        part = self.part(w, "weaken", case.before(c), goal("<=", case.extent(c), e))
        return part, tuple((y, e if y == c else n) for y, n in case.box), (), case

    def _any_value(self, w: World, case: Case, text: str, y: str, extent: str, which: str) -> Any:
        """`a & b` is at most each of both that is not negative, whatever the other is."""
        node, (new,) = read(text), self.fresh(w.vocabulary | names_of(case), y)
        size = self.of_case(w, case, read(extent))
        if not isinstance(node, BITS) or case.guard:
            raise Rejected(f"{node} is not an operation on bits that is evaluated now")
        values, more = [self.of_case(w, case, e) for e in node.args], list[Expr]()
        goals = [goal("==", e, e) for e in values]
        if isinstance(node, BitAnd):
            if which not in ("0", "1", "01", "10"):
                raise Rejected(f"script: {which!r} are not operands")
            first, *more = (values[int(k)] for k in which)
            goals += [*within(first, size), *[goal(">=", e, 0) for e in more]]
        elif power_of_two(size):
            goals += [g for e in values for g in within(e, size)]
        else:
            raise Rejected(f"{size} is not a power of 2")
        part, result = self.here(w, case, "weaken", *goals), self.instead(case, node, new)
        box = (*result.box, (new, size))
        return part, box, [Less(new, e + 1) for e in more], result

    def instead(self, case: Case, node: Expr, by: Expr) -> Case:
        """The case with another expression for one that it equals, wherever it is."""
        table = {self.no_number(node): by}
        return case.at_points(lambda e: e.xreplace(table))

    def no_number(self, e: Expr) -> Expr:
        """What is rewritten; a number is part of what is not: an exponent, a sign."""
        if e.is_Integer:
            raise Rejected(f"script: {e} is no expression to rewrite")
        return e

    def _bits(self, w: World, case: Case, way: str, text: str, low: str, step: str) -> Any:
        """An operation on bits as a sum, or on fewer bits."""
        node, y, n = read(text), read(low), self.of_case(w, case, read(step))
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
        return [self.here(w, case, "bits", *goals)], [self.instead(case, node, result)]

    def _rewrite(self, w: World, case: Case, which: str, text: str, same: str, *texts: str) -> Any:
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
            e, equal = (self.of_case(w, case, read(t)) for t in (one, other))
            goals.append(goal("==", e, equal))
            table[self.no_number(e)] = equal
        for part, number in zip(texts[many::2], texts[many + 1 :: 2]):
            e, bits = self.of_case(w, case, read(part)), whole_number(number)
            words.limit(e, bits)
            goals += within(e, Integer(2) ** bits)
        result = self.of_case(w, case, read(text))
        words.check_zero((self.of_case(w, case, old) - result).xreplace(table))
        changed = self.instead(case, old, result)
        if k is not None:
            changed = replace(case, results=(*case.results[:k], result, *case.results[k + 1 :]))
        return [self.here(w, case, "bits", *goals)], [changed]


MOVES = ("split", "reindex", "weaken", "rewrite", "bits", "blocks", "xor")
