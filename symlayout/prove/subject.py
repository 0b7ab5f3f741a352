"""A claim taken apart instead of decided, and how much work a decision may be.

Conditions are learned from the very problems that a claim word makes for the prover: inside
`taken_apart` each of them is handed over, and nothing is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

TAKEN: ContextVar[list[Any] | None] = ContextVar("taken", default=None)


@dataclass(frozen=True)
class Effort:
    """How many points a search looks at, before and behind the solver; `probes` beyond them.

    `ones` tells dimensions of one place from longer ones, which conditions say in words of their own.
    `work` is how many numbers its steps may be taken for, so that a long formula costs no more.
    Without `proofs` nothing is proved: failures at the greatest sizes that facts allow are looked for.
    """

    points: int = 200_000
    more: int = 8_000_000
    work: int = 400_000_000
    probes: bool = True
    proofs: bool = True
    probed: int = 24_000  # sizes and dimensions of all the larger assignments that are looked at
    ones: bool = True
    corners: int = 3000  # points in digits
    known: tuple[dict[str, int], ...] = ()  # sizes that may show that the facts can hold


USUAL = Effort()
FAR = Effort(points=0, more=0, proofs=False, probed=4000)
EFFORT: ContextVar[Effort] = ContextVar("effort", default=USUAL)


class Places(NamedTuple):
    """What `injective`, `onto` and `bijective` speak of: a map, or an index function."""

    word: str
    map: Any

    @property
    def maps(self) -> tuple[Any, ...]:
        """The map, or all index functions that the claim is about."""
        return self.map if isinstance(self.map, tuple) else (self.map,)


class Buffers(NamedTuple):
    """What `reinterpret` speaks of: two maps, and how many units an element of each has."""

    maps: tuple[Any, Any]
    unit: tuple[int, int]


class Duties(NamedTuple):
    """What `fits` asks of a map as it is written: each value in its type, where its path is true."""

    map: Any
    duties: tuple[Any, ...]


class Rules(NamedTuple):
    """What claims about sizes alone speak of: clauses of relations, all of which must hold."""

    checks: tuple[Any, ...]
    facts: Any
    names: tuple[str, ...]
    demands: tuple[Any, ...]


@contextmanager
def taken_apart() -> Iterator[list[Any]]:
    """The problems that are asked inside, in order; each counts as proved there."""
    hits: list[Any] = []
    token = TAKEN.set(hits)
    try:
        yield hits
    finally:
        TAKEN.reset(token)


@contextmanager
def with_effort(effort: Effort) -> Iterator[None]:
    """What is asked inside is decided with that effort."""
    token = EFFORT.set(effort)
    try:
        yield
    finally:
        EFFORT.reset(token)
