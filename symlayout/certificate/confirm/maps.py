"""Both maps of a move: where each point of a case goes, and where each point of the new ones is from.

They are made from the move's texts alone.  Whether they fit the cases that the move makes is Z3's
question (`splits`), so a mistake here confirms nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symlayout.certificate.cases import World, read
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.definitions import names_in
from symlayout.expr.conditions import Condition, Less
from symlayout.expr.terms import FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr, Integer

Table = Mapping[str, Expr]


class Branch(NamedTuple):
    """New names as expressions of the old ones, and back; what is in neither keeps its name."""

    forth: Table
    back: Table

    @property
    def from_new(self) -> bool:
        """Whether the old names are polynomials of the new ones: then these are looked at."""
        divisions = [x for e in self.back.values() for x in e.atoms(FloorDiv, Mod)]
        return all(self.forth.keys().isdisjoint(names_in(x)) for x in divisions)


class Maps(NamedTuple):
    """The branches of a move: of two, the first is where a condition holds."""

    branches: Sequence[Branch]
    first: Condition | None = None


SAME = Branch({}, {})


def of_case(move: Sequence[str]) -> Branch:
    """The maps of a move that keeps to one case; raises `NotConfirmed` where they are not known."""
    match list(move):
        case ["reindex", _, old, new, *texts] if old.isdigit() and new.isdigit():
            k, m = 2 * int(old), 2 * int(old) + 3 * int(new)
            forth = dict(zip(texts[k:m:3], map(read, texts[k + 2 : m : 3])))
            return Branch(forth, dict(zip(texts[:k:2], map(read, texts[1:k:2]))))
        case ["widen", *_]:
            return SAME
    raise NotConfirmed(f"the move {move[0]!r} is not one that Z3 is asked about")


def of_sizes(world: World, move: Sequence[str]) -> Maps:
    """The maps of a move of a world; raises `NotConfirmed` for one whose maps are not known."""
    match list(move):
        case ["sizes", text]:
            return Maps([SAME, SAME], Less(Integer(-1), read(text)))
        case ["divide", size, divisor, a, b]:
            x, d, q, r = symbol(size), read(divisor), symbol(a), symbol(b)
            whole = Branch({a: FloorDiv(x, d)}, {size: q * d})
            rest = Branch({a: FloorDiv(x, d), b: Mod(x, d)}, {size: q * d + r})
            return Maps([whole, rest], Less(Mod(x, d), Integer(1)))
        case ["call", name, text, _]:
            return Maps([Branch({name: read(text)}, {})])
        case ["without", *_]:
            return Maps([SAME])
    raise NotConfirmed(f"the move {move[0]!r} is not one that Z3 is asked about")
