"""Verdicts on tasks: each claim is judged once, by itself and for what rests on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symlayout.checks.result import RESTS, Outcome, Task
from symlayout.errors import LayoutError
from symlayout.layouts.claim import names_in
from symlayout.programs.kernels.policy import LOG
from symlayout.prove.verdict import Verdict

if TYPE_CHECKING:
    from symlayout.layouts.claim import Claim

STEP = "no step "  # how the name of a claim about a loop's step begins


def ask(task: Task) -> Verdict:
    """The verdict on a task.

    Raises `LayoutError` for bad input.
    """
    return _verdict(task.claim, task.budget)


def _verdict(claim: Claim, budget: int | None) -> Verdict:
    """The verdict on a claim; the prover is imported when it is asked for the first time."""
    from symlayout.prove.kept import kept_verdict

    return kept_verdict(claim, budget)


def broken(task: Task, outcome: Outcome) -> str | None:
    """Why a claim is not known: one that it rests on is refuted, because a value wraps.

    A refutation rests on it at its own sizes; what is undefined there is undefined in the code as well.
    """
    c = outcome.counterexample
    if outcome.status == "proved":
        for name, claim in task.rests:
            if name.startswith(STEP):
                continue  # a loop whose step is 0 stays where it begins
            with suppress(LayoutError):
                if _fails(task, claim, task.budget):
                    return f"{RESTS} '{name}', which is refuted"
    if outcome.status != "refuted" or c is None or c["left"] == "undefined":
        return None
    sizes = c["sizes"]
    for name, claim in task.rests:
        known = names_in(*claim.texts, *map(str, claim.facts))
        facts = (*claim.facts, *[f"{n} == {v}" for n, v in sizes.items() if n in known])
        with suppress(LayoutError):
            if _fails(task, replace(claim, facts=facts), None):
                return f"{RESTS} '{name}', which is refuted at these sizes"
    return None


def _fails(task: Task, claim: Claim, budget: int | None) -> bool:
    """Whether a claim that a task rests on is refuted, also with what is known of its blocks."""
    more = task.about_blocks(claim)
    known = [claim, replace(claim, facts=(*claim.facts, *more))] if more else [claim]
    return all(_verdict(c, budget).status == "refuted" for c in known)


def under_assumptions(task: Task) -> tuple[Task, Verdict, Outcome]:
    """The task as it is judged: under the assumptions where it is not proved without them."""
    verdict = ask(task)
    result = task, verdict, Outcome.of(verdict)
    for facts in task.further:
        status, c = result[2].status, result[2].counterexample
        if status not in ("refuted", "unknown"):
            return result
        if c is not None and _holds(facts, c["sizes"]):
            continue  # it is refuted under these as well
        bounded = task.under(facts)
        answer = ask(bounded)
        if answer.status != "vacuous" and not "unknown" == answer.status == status:
            result = bounded, answer, replace(Outcome.of(answer), assumed=list(facts))
    return result


def beyond(task: Task) -> dict[str, Any] | None:
    """A counterexample to a proved claim where sizes are as large as their types let them be.

    Little is looked at: that there is none is not said.
    """
    from symlayout.prove import question_of
    from symlayout.prove.run import FAR, Run

    free = task.of_types()
    if task.doubt or not {f for f, _ in task.types}.intersection(map(str, task.claim.facts)):
        return None
    with suppress(LayoutError):
        claim = free.claim
        states = question_of(
            claim.word, *claim.arguments, where=list(claim.facts), **dict(claim.options)
        )
        outcome = Outcome.of(states.decided(Run(FAR)))
        if outcome.status == "refuted" and broken(free, outcome) is None:
            return outcome.counterexample
    return None


def _holds(facts: Sequence[str], sizes: Mapping[str, int]) -> bool:
    """Whether facts hold at sizes; those that they introduce are logarithms of others."""
    from symlayout.expr.choices import combinations, split_choices
    from symlayout.expr.facts import Facts

    logarithms = {f"{LOG}{n}": max(1, v).bit_length() - 1 for n, v in sizes.items()}
    plain, choices = split_choices(list(facts))
    own = Facts().and_(plain)
    every = {**logarithms, **sizes}
    return any(own.and_(case).holds(every) for case in combinations(choices))
