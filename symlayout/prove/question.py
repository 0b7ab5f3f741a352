"""What a claim word states: a question, which says what is to be proved and decides nothing itself.

`decided` is asked by whoever wants the verdict.  Conditions are learned from `subjects`, the problems
that the verdict comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symlayout.prove.run import Run
from symlayout.prove.verdict import Verdict


class Question:
    """What a claim word states."""

    def subjects(self, run: Run) -> list[Any]:
        """The problems that it consists of; none where nothing is asked of a size."""
        return []

    def decided(self, run: Run) -> Verdict:
        """The verdict."""
        raise NotImplementedError


@dataclass(frozen=True)
class Known(Question):
    """What is known without a proof: of numbers alone."""

    verdict: Verdict

    def decided(self, run: Run) -> Verdict:
        """The verdict that is known."""
        return self.verdict


@dataclass(frozen=True)
class Reported(Question):
    """A question of which the verdict says more, once it is known."""

    question: Question
    report: Callable[[Verdict, Run], Verdict]

    def subjects(self, run: Run) -> list[Any]:
        """Those of the question."""
        return self.question.subjects(run)

    def decided(self, run: Run) -> Verdict:
        """The verdict, with what is said of it."""
        return self.report(self.question.decided(run), run)


@dataclass(frozen=True)
class Answered(Question):
    """A question that another one may answer; where this one says nothing, it is asked itself."""

    other: Question
    answer: Callable[[Verdict], Verdict | None]
    itself: Callable[[], Question]

    def subjects(self, run: Run) -> list[Any]:
        """Those of the other question."""
        return self.other.subjects(run)

    def decided(self, run: Run) -> Verdict:
        """What the other question's verdict says of this one, or the verdict itself."""
        answer = self.answer(self.other.decided(run))
        return self.itself().decided(run) if answer is None else answer
