"""Conditions over sizes that need no solver: their cases, each with its equalities put in.

A case contradicts itself where, after that, two sides are the same that are said to differ, or their
difference cannot have its sign wherever the sizes are in their ranges.  That is proved; else the case
is tried at a few sizes, and left open where they say nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.expr.facts import Facts, Relation
from symlayout.expr.intervals import allowed, interval
from symlayout.expr.terms import divisors_of, put, value
from symlayout.expr.tree import ZERO, Expr, Symbol

Clause = tuple[Relation, ...]
MOST_CASES = 200
TRIED = ((1, 1, 1), (2, 3, 5), (1, 2, 3), (3, 2, 1), (7, 1, 2))  # for the sizes of a case, in turn


class Cases:
    """The cases of clauses that hold and of conditions that are broken, under facts."""

    def __init__(self, facts: Facts, names: Sequence[str]) -> None:
        self.facts = facts
        self.names = tuple(dict.fromkeys([*names, *sorted(facts.names)]))
        self.ranges = allowed(facts, self.names)
        self.left = 0

    def satisfiable(
        self, holding: Sequence[Clause], broken: Sequence[Sequence[Clause]]
    ) -> bool | None:
        """Whether sizes make a relation of each clause true and break each condition; None: open.

        A broken condition has a clause none of whose relations is true.
        """
        choices: list[list[Clause]] = [[(r,) for r in c] for c in holding]
        choices += [[tuple(r.negation for r in c) for c in b] for b in broken]
        relations = [r for c in choices for one in c for r in one]
        if not all(map(self._plain, relations)):
            return None
        self.left = MOST_CASES
        known = tuple(r for r in self.facts.relations if self._plain(r))
        return self._visit(known, sorted(choices, key=len))

    def _plain(self, r: Relation) -> bool:
        """Whether its sides have values whatever the sizes: else its negation need not be true."""
        sides = (r.left, r.right)
        names = {s.name for e in sides for s in e.free_symbols}
        return names <= self.ranges.keys() and not any(map(divisors_of, sides))

    def _visit(self, relations: Clause, choices: Sequence[Sequence[Clause]]) -> bool | None:
        self.left -= 1
        if self.left < 0:
            return None
        table = self._solved(relations)
        if table is None:
            return False
        if not choices:
            return True if self._tried(relations, table) else None
        answers = set[bool | None]()
        for further in choices[0]:
            answers.add(self._visit((*relations, *further), choices[1:]))
            if True in answers:
                return True
        return False if answers <= {False} else None

    def _solved(self, relations: Clause) -> dict[Symbol, Expr] | None:
        """Symbols by what they equal; None where the relations contradict each other."""
        table: dict[Symbol, Expr] = {}
        rest = list(relations)
        while hit := next(filter(None, map(_definition, rest)), None):
            x, e = hit
            table = {y: put(other, {x: e}) for y, other in table.items()} | {x: e}
            rest = [Relation(r.op, put(r.left, {x: e}), put(r.right, {x: e})) for r in rest]
        for x, e in table.items():
            (low, high), (least, most) = self.ranges[x.name], interval(e, self.ranges)
            if most < low or least > high:
                return None
        gaps = [(r.op, r.left - r.right) for r in rest]
        same = {g for op, d in gaps if op == "==" for g in (d, -d)}
        if any(op == "!=" and (d == ZERO or d in same) for op, d in gaps):
            return None
        return table if all(self._possible(op, d) for op, d in gaps) else None

    def _possible(self, op: str, gap: Expr) -> bool:
        """Whether `gap op 0` can be true of sizes in their ranges."""
        low, high = interval(gap, self.ranges)
        match op:
            case "==":
                return low <= 0 <= high
            case "!=":
                return (low, high) != (0, 0)
            case ">=" | ">":
                return high >= 0 if op == ">=" else high > 0
        return low <= 0 if op == "<=" else low < 0

    def _tried(self, relations: Clause, table: dict[Symbol, Expr]) -> bool:
        """Whether all relations are true at one of a few sizes."""
        free = [n for n in self.names if n not in {x.name for x in table}]
        for numbers in TRIED:
            sizes = {n: numbers[k % len(numbers)] for k, n in enumerate(free)}
            sizes |= {x.name: value(e, sizes) for x, e in table.items()}
            inside = all(low <= sizes[n] <= high for n, (low, high) in self.ranges.items())
            if inside and self.facts.holds(sizes) and all(r.holds(sizes) for r in relations):
                return True
        return False


def _definition(r: Relation) -> tuple[Symbol, Expr] | None:
    """A symbol and what it equals, of an equality that says so."""
    for x, e in ((r.left, r.right), (r.right, r.left)):
        if r.op == "==" and isinstance(x, Symbol) and x not in e.free_symbols:
            return x, e
    return None
