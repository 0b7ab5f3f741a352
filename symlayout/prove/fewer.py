"""A claim without some of its facts: what holds under fewer holds under all of them.

A fact may write a size in a form that a proof does not need: `N % 2 == 0` makes two of N where N
itself is what everything is divided by.  A fact that says from where on a size is, is never left out:
without it the size would be at least 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from symlayout.digits.bounds import Meter
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.prove.run import Effort, Run

if TYPE_CHECKING:
    from symlayout.prove.verdict import Verdict

FEW, MANY = 3, 6  # facts of which any are left out, or one is kept
LONG = 15_000  # terms of polynomials: most proofs need less than 3000
BUDGET = 200_000  # of the solver for each
# a failure under fewer facts says nothing, however small it is
BRIEFLY = Effort(points=4096, more=0, probes=False, fewer=False, smallest=False, solver=BUDGET)


def left_out(facts: Facts, meter: Meter) -> Iterator[frozenset[int]]:
    """The numbers of facts that are left out, the most first: any of few, all or all but one of many.

    Which choices these are does not depend on the order of the facts.  Fewer are left out only where
    more have not taken long by the meter.
    """
    rows = facts.relations
    idle = [k for k, r in enumerate(rows) if not any(map(Facts((r,)).bounds_below, r.names))]
    least = 1 if len(idle) <= FEW else len(idle) - 1 if len(idle) <= MANY else len(idle)
    begun = meter.terms
    for n in range(len(idle), max(least, 1) - 1, -1):
        if meter.terms - begun > LONG:
            return
        yield from map(frozenset, combinations(idle, n))


def without_facts(facts: Facts, without: frozenset[int]) -> Facts:
    """The facts but for those of these numbers, whose names stay known."""
    return facts.only(r for k, r in enumerate(facts.relations) if k not in without)


class Settled(Exception):
    """The claim that is being decided is proved by fewer facts: no part of it need be looked at."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict


def try_fewer(run: Run, premises: Facts) -> None:
    """Asks the whole claim once more, under fewer of its facts; some sizes satisfy the given ones.

    Raises `Settled` where it is proved by them.  Where less is given than the claim has, nothing
    says that its facts can hold.
    """
    claim = run.fewer
    if claim is None or claim.tried or not run.effort.fewer:
        return
    facts = claim.facts
    if not {*facts.relations} <= {*premises.relations}:
        return
    claim.tried = True
    briefly = replace(run, effort=BRIEFLY)
    for without in left_out(facts, run.meter):
        try:
            answer = claim.under(without_facts(facts, without)).decided(briefly)
        except LayoutError:  # what is defined under all of them alone
            continue
        if answer.proved:
            text = ", ".join(str(facts.relations[k]) for k in sorted(without))
            raise Settled(replace(answer, reason=f"{answer.reason}; also without {text}"))
