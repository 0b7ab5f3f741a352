"""What sizes decide while an operation is read: yes is left to be shown, no has sizes to show it.

Whether two modes join, or a tile divides, depends on sizes.  A relation that holds at all sizes that
the certificate lists counts as true, and stays behind as something to be proved; where it fails at
one of them, which the facts allow, it is false.  So no list of sizes leads to a wrong reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symlayout.certificate.definitions import ZERO, Law, plain
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation
from symlayout.expr.terms import FloorDiv, Mod
from symlayout.expr.tree import Expr, exact_quotient, expand

Points = tuple[tuple[tuple[str, int], ...], ...]  # sizes by name


def points_of(sizes: Sequence[Mapping[str, int]]) -> Points:
    """The sizes as a value that can be a key."""
    return tuple(tuple(sorted(p.items())) for p in sizes)


class Ask:
    """Questions about sizes, which these points decide; `demands` and `laws` are what answers rest on.

    >>> from symlayout.expr.facts import read_relations
    >>> ask = Ask(points_of([{"M": 4, "N": 6}, {"M": 8, "N": 6}]))
    >>> print([ask.holds(*read_relations(t)) for t in ("M % 4 == 0", "N % M == 0", "4 >= 1")])
    [True, False, True]
    >>> print(*ask.demands)
    M%4 == 0
    """

    def __init__(self, points: Points = ()) -> None:
        self.points = [dict(p) for p in points]
        self.demands: list[Relation] = []
        self.laws: list[Law] = []

    def holds(self, *relations: Relation) -> bool:
        """Whether all of them hold; then they are demands."""
        open_ = [r for r in relations if r.names]
        if not all(r.holds({}) for r in relations if not r.names):
            return False
        if open_ and not self.points:
            raise LayoutError("SL801", f"no sizes are listed that tell whether {open_[0]}")
        for point in self.points:
            for r in open_:
                if not r.names <= point.keys():
                    raise LayoutError("SL801", f"the sizes listed do not tell whether {r}")
                if not r.holds(point):
                    return False
        self.demands += [r for r in open_ if r not in self.demands]
        return True

    def demand(self, *relations: Relation) -> None:
        """Something that must hold; raises `LayoutError` (SL800) where it does not at sizes listed."""
        for r in relations:
            if not self.holds(r):
                raise LayoutError("SL800", f"the operation is not defined: {r} fails")

    def same(self, a: Any, b: Any) -> bool:
        """Whether a == b."""
        x, y = plain(a), plain(b)
        return x == y or expand(x - y) == 0 or self.holds(Relation("==", x, y))

    def at_most(self, a: Any, b: Any) -> bool:
        """Whether a <= b."""
        return self.holds(Relation("<=", plain(a), plain(b)))

    def divides(self, d: Any, x: Any) -> bool:
        """Whether x is a multiple of d, which is at least 1."""
        return self.holds(*multiple(x, d))

    def all_divide(self, pairs: Sequence[tuple[Any, Any]]) -> bool:
        """Whether in all of the pairs the first divides the second."""
        return self.holds(*[r for d, x in pairs for r in multiple(x, d)])


def multiple(x: Any, d: Any) -> list[Relation]:
    """That x is a multiple of d, which is at least 1."""
    whole, by = plain(x), plain(d)
    relations = [Relation(">=", by, plain(1))]
    if exact_quotient(expand(whole), by) is None:
        relations.append(Relation("==", Mod(whole, by), ZERO))
    return relations


def quotient(x: Any, d: Any) -> Expr:
    """x / d, where d divides x."""
    whole, by = plain(x), plain(d)
    ratio = exact_quotient(expand(whole), by)
    return FloorDiv(whole, by) if ratio is None else ratio
