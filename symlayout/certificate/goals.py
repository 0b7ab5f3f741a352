"""What the moves of a proof by cases share: names and goals of parts, and what texts may speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symlayout.certificate.cases import Case, World, goal, holds, read_condition
from symlayout.certificate.definitions import names_in
from symlayout.certificate.exact import Rejected
from symlayout.certificate.part import Goal, Part
from symlayout.expr.conditions import Condition, Either, sides
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr, Symbol


class Goals:
    """Names and goals of the parts of a proof, which are numbered as they come out."""

    offset: str  # a name that only a certificate's own expressions may have
    count: int = 0

    def name(self, word: str) -> str:
        """The name of the next part."""
        self.count += 1
        return f"{self.count} {word}"

    def part(self, w: World, word: str, box: Mapping[str, Expr], *goals: Goal, **more: Any) -> Part:
        """Goals in a world."""
        return Part(self.name(word), box, goals, facts=w.facts, names=w.names, **more)

    def of_sizes(self, w: World, e: Expr) -> Expr:
        """An expression of sizes; raises `Rejected` for any other name."""
        if not names_in(e) <= set(w.names):
            raise Rejected(f"{e} speaks of what is not a size")
        return e

    def fresh(self, scope: set[str], *names: str) -> list[Symbol]:
        """New names; raises `Rejected` for names that have a meaning, or stand twice."""
        if len(set(names)) != len(names) or not scope.isdisjoint(names):
            raise Rejected(f"{', '.join(names)}: names that have a meaning already")
        if not all(n.isidentifier() and n.isascii() for n in names) or self.offset in names:
            raise Rejected(f"{', '.join(names)}: no names")
        return [symbol(n) for n in names]

    def of_case(self, w: World, case: Case, e: Expr) -> Expr:
        """An expression of sizes and coordinates; raises `Rejected` for any other name."""
        if not names_in(e) <= {*w.names, *[x.name for x in case.coords]}:
            raise Rejected(f"{e} speaks of what is not known here")
        return e

    def here(self, w: World, case: Case, word: str, *goals: Goal) -> Part:
        """Goals at every point of a case."""
        own = {x.name: d for x, d in case.box}
        return self.part(w, word, own, *goals, premises=tuple(map(holds, case.premises)))

    def condition(self, w: World, case: Case, texts: Sequence[str]) -> Condition:
        """The condition of a text, or the next one of the guard: of an `or` its first half."""
        if len(texts) == 1:
            c = read_condition(texts[0])
            for e in sides(c):
                self.of_case(w, case, e)
            return c
        if texts or not case.guard:
            raise Rejected("script: no condition comes next")
        c = case.guard[0]
        return c.first if isinstance(c, Either) else c


def within(e: Expr, size: Expr) -> list[Goal]:
    """An expression lies in the range of a coordinate."""
    return [goal(">=", e, 0), goal("<", e, size)]


def instead(case: Case, node: Expr, by: Expr) -> Case:
    """The case with another expression for one that it equals, wherever it is."""
    table = {no_number(node): by}
    return case.at_points(lambda e: e.xreplace(table))


def no_number(e: Expr) -> Expr:
    """What is rewritten; a number is part of what is not: an exponent, a sign."""
    if e.is_Integer:
        raise Rejected(f"script: {e} is no expression to rewrite")
    return e
