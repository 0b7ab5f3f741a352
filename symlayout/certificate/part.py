"""The parts of a proof: goals for the places of a box, and what is known there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symlayout.certificate.definitions import Map, names_in, plain
from symlayout.expr.relations import Relation
from symlayout.expr.tree import Expr

Goal = Sequence[Relation]  # one of them holds


class Part(NamedTuple):
    """Goals for the places of a box where `premises` hold; `constant` is the same for all of them.

    `facts` and `names` are those of the claim unless a proof by cases has others.  `place` is a map
    whose coordinates are to be given back.
    """

    name: str
    box: Mapping[str, Expr]
    goals: Sequence[Goal]
    constant: frozenset[str] = frozenset()
    premises: Sequence[Relation] = ()
    facts: Sequence[Relation] | None = None
    names: Sequence[str] | None = None
    place: Map | None = None

    @property
    def nowhere(self) -> bool:
        """Whether the box has no place, because a size is the number 0: then all goals hold."""
        return without_place(self.box)

    @property
    def strangers(self) -> set[str]:
        """Names without a meaning here, which a step may give to any new unknown.

        Those of `constant` alone may be new ones.
        """
        relations = [*(self.facts or ()), *self.premises, *[r for g in self.goals for r in g]]
        used = names_in(*self.box.values()).union(*[r.names for r in relations])
        return used - {*(self.names or ()), *self.box, *self.constant}


def without_place(box: Mapping[str, Expr]) -> bool:
    """Whether a size of the box is 0, or a number below it."""
    return any(d.is_Integer and d <= 0 for d in map(plain, box.values()))
