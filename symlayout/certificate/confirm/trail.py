"""The parts of a proof one after the other: what they begin with in common is confirmed once."""

from __future__ import annotations

from itertools import takewhile
from typing import Any, NamedTuple

from symlayout.certificate.confirm.steps import Steps
from symlayout.certificate.part import Part
from symlayout.certificate.proof import Held, Step


class Mark(NamedTuple):
    """What is known before the step of that number of the part before."""

    number: int
    steps: Steps


class Trail:
    """Confirms parts, each from the last mark that it has in common with the part before."""

    def __init__(self, claim: Any) -> None:
        self.claim = claim
        self.before: tuple[Step, ...] = ()
        self.marks: list[Mark] = []

    def confirm(self, part: Part, proof: Held) -> int:
        """How many steps and reasons Z3 confirms; raises `NotConfirmed` where it does not."""
        pairs = takewhile(lambda pair: pair[0] == pair[1], zip(self.before, proof.steps))
        common = sum(1 for _ in pairs)
        steps, number = self.begin(part, common)
        for k, step in enumerate(proof.steps[number:], number):
            if k == common > number:
                self.marks.append(Mark(k, steps.fork(part)))
            steps.apply(step)
        self.before = proof.steps
        steps.ends(proof.goals)
        return steps.count

    def begin(self, part: Part, common: int) -> tuple[Steps, int]:
        """What a part begins with, and at which step.

        Facts of a case of sizes, where names may mean other sizes, say nothing of what they divide by.
        """
        claim = self.claim
        own = claim.own if part.facts is None else ()
        facts = tuple(claim.facts if part.facts is None else part.facts)
        names = frozenset(claim.names if part.names is None else part.names)
        while self.marks:
            number, steps = self.marks[-1]
            same = (steps.facts, steps.sizes, steps.own) == (facts, names, set(own))
            if same and number <= common and steps.fits(part):
                return steps.fork(part), number
            self.marks.pop()
        return Steps(facts, own, part, names), 0
