"""Expressions of an index function with others for its variables, and what all of them need."""

from __future__ import annotations

from collections.abc import Mapping

from symlayout.expr.conditions import Condition, rewritten
from symlayout.expr.needs import Need, changed, essential, needs_of
from symlayout.expr.terms import put
from symlayout.expr.tree import Expr, Symbol
from symlayout.prove.maps.bits import of_map


class Placement:
    """Expressions of a function with others for its variables, and what all of them need."""

    def __init__(self, table: Mapping[Symbol, Expr]) -> None:
        self.table = table
        self.needs: dict[Need, None] = {}

    def of(self, e: Expr) -> Expr:
        """What an expression comes to there, which is then needed."""
        self.note(e)
        return self.value(e)

    def note(self, *expressions: Expr) -> None:
        """Writes down what expressions need there."""
        for e in expressions:
            self.needs.update(dict.fromkeys([n.changed(self.value) for n in needs_of(e)]))

    @property
    def marks(self) -> tuple[Expr, ...]:
        """What is 0 there where all that is needed holds; else a part of it has no value."""
        return tuple([m for m in dict.fromkeys(n.mark for n in essential(self.needs)) if m != 0])

    def condition(self, c: Condition) -> Condition:
        """A condition there, of which each side has a value where it has one as it is written."""
        return rewritten(c, lambda e: changed(e, self.value))

    def value(self, e: Expr) -> Expr:
        """What an expression comes to there, where it has a value."""
        return of_map(put(e, self.table))
