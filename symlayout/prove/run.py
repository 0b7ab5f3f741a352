"""How a statement is decided: how much work that may be, how the claim is written, what is asked again.

A `Run` is handed down with the statement; nothing else says how hard a proof is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from symlayout.digits.bounds import Meter
from symlayout.prove.written import Written

if TYPE_CHECKING:
    from symlayout.digits.context import Context
    from symlayout.digits.placement import Attempt
    from symlayout.expr.facts import Facts
    from symlayout.prove.question import Question


@dataclass(frozen=True)
class Effort:
    """How many points a search looks at, before and after the solver; `probes` beyond them.

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
    fewer: bool = True  # whether the claim is asked under fewer of its facts as well
    smallest: bool = True  # whether smaller failures are looked for than the first one in digits
    solver: int | None = None  # the solver's own budget, in its rlimit


USUAL = Effort()
Strategy = Callable[["Context", Effort], "Attempt"]  # a way to prove a claim
NOTHING = Written()
FAR = Effort(points=0, more=0, proofs=False, probed=4000, fewer=False)


@dataclass
class Fewer:
    """The claim that is being decided: its facts, and what it states, once, under others."""

    facts: Facts
    under: Callable[[Facts], Question]
    tried: bool = False


@dataclass(frozen=True)
class Run:
    """The effort of a decision, what the claim is written as, and the whole claim for fewer facts.

    A new run has a new meter: answers do not depend on what was asked before.
    """

    effort: Effort = USUAL
    written: Written = NOTHING
    fewer: Fewer | None = None
    meter: Meter = field(default_factory=Meter, compare=False)  # counts the work of the decision
