"""The checker: one task to one outcome; the prover is imported on the first task only."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from symlayout.checks.claims_file import locate
from symlayout.checks.result import Outcome, Problem, Task
from symlayout.errors import LayoutError, internal
from symlayout.prove.verdict import Verdict

if TYPE_CHECKING:
    from symlayout.layouts.vocabulary import Name
    from symlayout.prove.when.answer import Condition


def ask(task: Task) -> Verdict:
    """The verdict on a task.

    Raises `LayoutError` for bad input.
    """
    from symlayout.prove import verdict_of

    options = {} if task.budget is None else {"budget": task.budget}
    return verdict_of(task.claim, **options)


def condition_of(task: Task, proofs: int | None = None) -> Condition:
    """The condition on sizes under which a task's claim holds; `proofs` is how many are tried.

    Raises `LayoutError` for bad input.
    """
    from symlayout.prove.when import condition

    claim, options = task.claim, dict(task.claim.options)
    effort = {"budget": task.budget, "proofs": proofs}
    options |= {n: v for n, v in effort.items() if v is not None}
    return condition(cast("Name", claim.word), *claim.arguments, where=list(claim.facts), **options)


def judge(task: Task) -> Outcome:
    """The outcome of a task; whatever goes wrong is an outcome too."""
    start = time.perf_counter()
    try:
        outcome = Outcome.of(ask(task))
        if task.doubt and outcome.status == "refuted":
            return replace(outcome, status="unknown", reason=f"not understood: {task.doubt}")
        return outcome
    except LayoutError as error:
        written = error.text in [o.text for o in task.origins]
        if task.derived and error.code in ("SL200", "SL204") and not written:
            return Outcome("unknown", f"the claim cannot be judged: {error.message}")
        problem = locate(error, task.origins, task.place)
    except (Exception, RecursionError) as error:
        message = internal(error).removeprefix("SL900: ")
        problem = Problem("SL900", message, task.place, f"replay: {task.replay}")
    return Outcome.failed(problem, round(time.perf_counter() - start, 6))
