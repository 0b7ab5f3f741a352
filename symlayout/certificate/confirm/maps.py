"""Both maps of a move: where each point of a case goes, and where each point of the new ones is from.

They are made from the move's texts alone.  Whether they fit the cases that the move makes is Z3's
question (`splits`), so a mistake here confirms nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symlayout.certificate.cases import read
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.definitions import names_in
from symlayout.expr.terms import FloorDiv, Mod
from symlayout.expr.tree import Expr, Symbol

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


SAME = Branch({}, {})


def of_case(move: Sequence[str]) -> Branch:
    """The maps of a move that keeps to one case; raises `NotConfirmed` where they are not known."""
    match list(move):
        case ["reindex", _, old, new, *texts] if old.isdigit() and new.isdigit():
            k, m = 2 * int(old), 2 * int(old) + 3 * int(new)
            forth = dict(zip(texts[k:m:3], map(read, texts[k + 2 : m : 3])))
            return Branch(forth, dict(zip(texts[:k:2], map(read, texts[1:k:2]))))
        case ["weaken", _, _]:
            return SAME
    raise NotConfirmed(f"the move {move[0]!r} is not one that Z3 is asked about")


def of_sizes(move: Sequence[str]) -> Branch:
    """The maps of a move that keeps to one world; raises `NotConfirmed` where they are not known."""
    match list(move):
        case ["reindex", _, old, new, *texts] if old.isdigit() and new.isdigit():
            k, m = 2 * int(old), 2 * int(old) + 2 * int(new)
            back = dict(zip(map(read, texts[:k:2]), map(read, texts[1:k:2])))
            sizes = {x.name: e for x, e in back.items() if isinstance(x, Symbol)}
            return Branch(dict(zip(texts[k:m:2], map(read, texts[k + 1 : m : 2]))), sizes)
        case ["weaken", *_]:
            return SAME
    raise NotConfirmed(f"the move {move[0]!r} is not one that Z3 is asked about")
