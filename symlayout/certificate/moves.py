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
    operands,
    power_of_two,
    read,
    rest_of_guard,
    whole_number,
    with_truth,
)
from symlayout.certificate.exact import Rejected
from symlayout.certificate.part import Goal, Part
from symlayout.certificate.renaming import Renaming, fitting
from symlayout.certificate.words import Words
from symlayout.expr.conditions import ALWAYS, Condition, Less
from symlayout.expr.terms import BitAnd, BitOr, BitXor, FloorDiv, Mod, put, symbol
from symlayout.expr.tree import Expr, Integer, Symbol

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
            cases.append(with_truth(inner, c, yes))
        return parts, cases

    def _widen(self, w: World, case: Case, x: str, size: str) -> Any:
        c, e = symbol(x), self.of_sizes(w, read(size))
        part = self.part(w, "widen", case.before(c), goal("<=", case.extent(c), e))
        box = tuple((y, e if y == c else n) for y, n in case.box)
        return [part], [replace(case, box=box, loose=True)]

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
                raise Rejected(f"script: {way!r} is no way to write operations on bits")
        case_made = case.every(lambda e: e.xreplace({node: result}))
        return [self.here(w, case, "bits", *goals)], [case_made]

    def _words(self, w: World, case: Case, which: str, text: str, sizes: str, *texts: str) -> Any:
        """A result in other words, with the same bits.

        The texts are so many sizes with what they are multiples of, and then words with the numbers of
        bits that they have.
        """
        k, many, words, goals = whole_number(which), 2 * whole_number(sizes), Words(), list[Goal]()
        if k >= len(case.results) or len(texts) % 2 or many > len(texts):
            raise Rejected("script: no result, or no words")
        table: dict[Symbol, Expr] = {}
        for name, number in zip(texts[:many:2], texts[1:many:2]):
            x, d = symbol(name), whole_number(number)
            goals.append(goal("==", Mod(self.of_sizes(w, x), d), 0))
            table[x] = FloorDiv(x, d) * d
        for part, number in zip(texts[many::2], texts[many + 1 :: 2]):
            e, bits = self.of_case(w, case, read(part)), whole_number(number)
            words.limit(e, bits)
            goals += [goal(">=", e, 0), goal("<", e, 2**bits)]
        result = self.of_case(w, case, read(text))
        words.check_zero(put(self.of_case(w, case, case.results[k]) - result, table))
        results = (*case.results[:k], result, *case.results[k + 1 :])
        return [self.here(w, case, "bits", *goals)], [replace(case, results=results)]

    def _cancel(self, w: World, case: Case, text: str, one: str, other: str) -> Any:
        """Two equal operands of an exclusive or, which cancel."""
        node, p, q = read(text), read(one), read(other)
        rest = operands(node)
        if not isinstance(node, BitXor):
            raise Rejected(f"{node} is not an exclusive or")
        for e in (p, q):
            if e not in rest:
                raise Rejected(f"{e} is not an operand of {node}")
            rest.remove(e)
        result: Expr = ZERO
        for e in rest:
            result = e if result == 0 else BitXor(result, e)
        part = self.here(w, case, "cancel", goal("==", p, q))
        return [part], [case.every(lambda e: e.xreplace({node: result}))]

    def _common(self, w: World, case: Case, text: str, y: str, which: str) -> Any:
        """A coordinate for `a & b`, in [0, a] where a >= 0, whatever b is: more points than are."""
        node, (new,) = read(text), self.fresh(w.vocabulary | names_of(case), y)
        if not isinstance(node, BitAnd) or not case.ops or case.guard:
            raise Rejected(f"{node} is not what two numbers have in common at a point")
        if which not in ("0", "1", "01"):
            raise Rejected(f"script: {which!r} are no operands")
        values = [goal("==", e, e) for e in node.args]
        a, *more = (self.of_case(w, case, node.args[int(k)]) for k in which)
        part = self.here(w, case, "common", *values, *[goal(">=", e, 0) for e in (a, *more)])
        result = case.every(lambda e: e.xreplace({node: new}))
        facts = (*result.premises, *[Less(new, e + 1) for e in more])
        return [part], [
            replace(result, box=(*result.box, (new, a + 1)), premises=facts, loose=True)
        ]

    def _some(self, w: World, case: Case, text: str, y: str, most: str, which: str) -> Any:
        """A coordinate for what an operation on bits comes to: more points than there are."""
        node, (new,), n = (
            read(text),
            self.fresh(w.vocabulary | names_of(case), y),
            whole_number(most),
        )
        if not isinstance(node, BITS) or case.guard:
            raise Rejected(f"{node} is not an operation on bits that is evaluated now")
        below = [[goal(">=", p, 0), goal("<", p, n)] for p in node.args]
        if isinstance(node, BitAnd):  # no more than any of its operands that is not negative
            k = whole_number(which)
            below = [below[k % 2], [goal("==", e, e) for e in node.args]]
        elif not power_of_two(Integer(n)):
            raise Rejected(f"{n} is not a power of 2")
        part = self.here(w, case, "some", *[g for goals in below for g in goals])
        result = case.every(lambda e: e.xreplace({node: new}))
        return [part], [replace(result, box=(*result.box, (new, Integer(n))), loose=True)]


MOVES = ("split", "reindex", "widen", "bits", "renamed", "cancel", "some", "words", "common")
