"""Parts of a kernel between barriers: which of them a thread may execute with no barrier between."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

Pair = tuple[int, int]


@dataclass
class Phases:
    """The part that is followed, how many `barriers` begin one, and how many may be one (`joins`).

    `waits` counts those as well that only some threads come to; `apart` are the loops around whose
    turns a barrier keeps apart, `branches` the parts in which the branches around begin, `passing` the
    pairs of parts with no barrier between.
    """

    phase: int = 0
    barriers: int = 0
    joins: int = 0
    waits: int = 0
    apart: list[str] = field(default_factory=list)
    branches: list[int] = field(default_factory=list)
    passing: set[Pair] = field(default_factory=set)

    def begin(self) -> None:
        """A barrier that all threads come to: another part begins."""
        self.barriers += 1
        self.phase = self.barriers

    def since(self, first: int, count: int) -> set[int]:
        """A part and those that begin at the barriers behind so many."""
        return {first, *range(count + 1, self.barriers + 1)}

    def turn_back(self) -> None:
        """The second way of a branch begins where the first one began: with none of its barriers."""
        self.branches.append(self.phase)
        self.phase = self.branches[-2]

    def meet(self, before: int, count: int, ends: set[int]) -> None:
        """What follows may be executed with none of the barriers behind so many, unless each of the
        ways that end in these parts has one.
        """
        if ends & reached(self.passing, before):
            self.passing |= {(inside, before) for inside in self.since(before, count)}
            self.phase = before
            return
        self.begin()
        self.passing |= {(end, self.phase) for end in ends}


def reached(passing: Iterable[Pair], part: int) -> set[int]:
    """The parts that a thread may come to from one without a barrier, that one among them.

    >>> sorted(reached({(0, 1), (1, 2), (3, 0)}, 0))
    [0, 1, 2]
    """
    pairs, parts, waiting = [*passing], {part}, [part]
    while waiting:
        p = waiting.pop()
        more = {b for a, b in pairs if a == p} - parts
        parts |= more
        waiting += more
    return parts


def meeting(passing: Iterable[Pair], turns: Iterable[Pair]) -> set[Pair]:
    """The parts that no barrier may stand between, the one that comes first in the kernel first.

    Those of one turn and of the next may stand in the kernel either way.

    >>> sorted(meeting({(0, 1), (1, 2)}, {(4, 3)}))
    [(0, 1), (0, 2), (1, 2), (3, 4), (4, 3)]
    """
    pairs = {*passing}
    meetings = {(p, q) for p, _ in pairs for q in reached(pairs, p) if p != q}
    return meetings | {pair for p, q in turns for pair in ((p, q), (q, p))}
