"""What is kept while a kernel is followed: when a statement is executed, and what is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Range
from symlayout.programs.kernels.forms import RESERVED
from symlayout.programs.kernels.nodes import TRUE, both, conjuncts
from symlayout.programs.kernels.values import Value

Env = dict[str, Value]


@dataclass
class Path:
    """When a statement is executed, and why not all is executed that seems to be.

    `reached` is what `and` and `or` ask before what is evaluated.
    """

    condition: Term = TRUE
    reached: Term = TRUE
    inexact: str = ""

    @contextmanager
    def only_where(self, c: Term) -> Iterator[None]:
        """What is executed only where the condition is true as well."""
        before, self.condition = self.condition, both(self.condition, c)
        try:
            yield
        finally:
            self.condition = before

    def certain(self) -> Term:
        """The condition, less what depends on unknowns."""
        return reduce(both, [c for c in conjuncts(self.condition) if not c.unknowns], TRUE)


@dataclass
class Returns:
    """The values of a function that is followed, each with its condition.

    So many loops are around the call; `in_loop` tells whether a return is in one of the function.
    """

    nested: int = 0
    values: list[tuple[Term, Value]] = field(default_factory=list)
    in_loop: bool = False


class Unknowns:
    """Values of which no more is known than their range, and the names that are taken."""

    def __init__(self, used: Iterable[str]) -> None:
        self.used = {*used, *RESERVED}
        self.ranges: dict[str, Range] = {}
        self.doubtful_because: dict[str, str] = {}  # of those that are not understood
        self.uniform: set[str] = set()  # flags, which are the same throughout

    def fresh(self, word: str) -> str:
        """A name that nothing has."""
        candidate, k = word, 1
        while candidate in self.used:
            k += 1
            candidate = f"{word}{k}"
        self.used.add(candidate)
        return candidate

    def doubts_of(self, words: Iterable[str]) -> list[str]:
        """Why some of these are doubtful."""
        because = self.doubtful_because
        return [because[w] for w in sorted(words) if w in because]

    def within(self, *nodes: Term) -> set[str]:
        """The unknowns in nodes, and in their own ranges."""
        words: set[str] = set()
        waiting = [*nodes]
        while waiting:
            for x in waiting.pop().unknowns:
                if x.word not in words and x.word in self.ranges:
                    words.add(x.word)
                    waiting += [self.ranges[x.word].low, self.ranges[x.word].high]
        return words
