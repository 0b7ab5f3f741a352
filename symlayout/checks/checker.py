"""The checker: one task to one outcome; the prover is imported on the first task only."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from symlayout.checks.claims_file import locate
from symlayout.checks.conditions import with_condition
from symlayout.checks.result import Outcome, Problem, Task
from symlayout.checks.verdicts import beyond, broken, under_assumptions
from symlayout.errors import LayoutError, internal

if TYPE_CHECKING:
    from symlayout.layouts.claim import Claim
    from symlayout.layouts.vocabulary import Name
    from symlayout.prove.when.answer import Condition


def condition_of(task: Task, proofs: int | None = None) -> Condition:
    """The condition on sizes under which a task's claim holds; `proofs` is how many are tried.

    Raises `LayoutError` for bad input.
    """
    from symlayout.prove.when import condition

    claim, options = task.claim, dict(task.claim.options)
    effort = {"budget": task.budget, "proofs": proofs}
    options |= {n: v for n, v in effort.items() if v is not None}
    return condition(cast("Name", claim.word), *claim.arguments, where=list(claim.facts), **options)


def confirmed(
    task: Task, outcome: Outcome, certificate: Callable[[], Mapping[str, Any] | None]
) -> Outcome:
    """The outcome of a proved claim with the solver's own answer; a disagreement is a problem."""
    from symlayout.certificate.confirm.claims import confirm

    answer = confirm(task.claim, certificate, task.solver)
    if answer is None:
        return outcome
    if answer.status == "disagrees":
        message = f"{answer.by} has a counterexample to a claim that was proved: {answer.note}"
        return Outcome.failed(Problem("SL900", message, task.place, f"replay: {task.replay}"))
    row = {"by": answer.by, "status": answer.status, "how": answer.how, "note": answer.note}
    return replace(outcome, confirmed=row)


def query(claim: Claim) -> str:
    """The claim as a query in SMT-LIB 2.

    Raises `LayoutError` for a claim that is not turned into formulas.
    """
    from symlayout.certificate.confirm.export import smt_lib

    return smt_lib(claim)


def judge(task: Task, notes: bool = True) -> Outcome:
    """The outcome of a task; whatever goes wrong is an outcome too.

    Without `notes`, failures at sizes that are larger than assumed are not looked for.
    """
    start = time.perf_counter()
    try:
        task, verdict, outcome = under_assumptions(task)
        if task.doubt and outcome.status == "refuted":
            return replace(outcome, status="unknown", reason=f"not understood: {task.doubt}")
        if (reason := broken(task, outcome)) is not None:
            return replace(outcome, status="unknown", reason=reason, counterexample=None)
        if verdict.proved and task.assumed and notes:
            outcome = replace(outcome, beyond=beyond(task))
        if verdict.proved and task.solver != "none":
            return confirmed(task, outcome, lambda: verdict.certificate)
        return outcome
    except LayoutError as error:
        written = error.text in [o.text for o in task.origins]
        if task.derived and error.code in ("SL200", "SL204") and not written:
            return Outcome("unknown", f"the claim cannot be judged: {error.message}")
        error = with_condition(error, task.claim.texts, task.claim.facts)
        problem = locate(error, task.origins, task.place)
    except (Exception, RecursionError) as error:
        message = internal(error).removeprefix("SL900: ")
        problem = Problem("SL900", message, task.place, f"replay: {task.replay}")
    return Outcome.failed(problem, round(time.perf_counter() - start, 6))
