"""The checker: one task to one outcome; the prover is imported on the first task only."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from symlayout.checks.claims_file import locate
from symlayout.checks.result import Outcome, Problem, Task
from symlayout.errors import LayoutError, internal
from symlayout.layouts.claim import names_in
from symlayout.prove.verdict import Verdict

if TYPE_CHECKING:
    from symlayout.layouts.claim import Claim
    from symlayout.layouts.vocabulary import Name
    from symlayout.prove.when.answer import Condition


VERDICTS = 64  # that are kept: a claim is judged by itself, and for what rests on it
STEP = "no step "  # how the name of a claim about a loop's step begins
_verdicts: dict[tuple[str, int | None], Verdict] = {}


def ask(task: Task) -> Verdict:
    """The verdict on a task.

    Raises `LayoutError` for bad input.
    """
    return _verdict(task.claim, task.budget)


def _verdict(claim: Claim, budget: int | None) -> Verdict:
    """The verdict on a claim, of the last few without another proof."""
    from symlayout.prove import verdict_of

    content = claim.key, budget
    if content not in _verdicts:
        verdict = verdict_of(claim, **({} if budget is None else {"budget": budget}))
        if len(_verdicts) >= VERDICTS:
            del _verdicts[next(iter(_verdicts))]
        _verdicts[content] = verdict
    return _verdicts[content]


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


def _broken(task: Task, outcome: Outcome) -> str | None:
    """Why a claim is not known: one that it rests on is refuted, because a value wraps.

    A refutation rests on it at its own sizes; what is undefined there is undefined in the code as well.
    """
    c = outcome.counterexample
    if outcome.status == "proved":
        for name, claim in task.rests:
            if name.startswith(STEP):
                continue  # a loop whose step is 0 stays where it begins
            with suppress(LayoutError):
                if _verdict(claim, task.budget).status == "refuted":
                    return f"rests on '{name}', which is refuted"
    if outcome.status != "refuted" or c is None or c["left"] == "undefined":
        return None
    sizes = c["sizes"]
    for name, claim in task.rests:
        known = names_in(*claim.texts, *map(str, claim.facts))
        facts = (*claim.facts, *[f"{n} == {v}" for n, v in sizes.items() if n in known])
        with suppress(LayoutError):
            if _verdict(replace(claim, facts=facts), None).status == "refuted":
                return f"rests on '{name}', which is refuted at these sizes"
    return None


def _under_assumptions(task: Task) -> tuple[Task, Verdict, Outcome]:
    """The task as it is judged: under the assumptions where it is not proved without them."""
    verdict, facts = ask(task), task.may_be_assumed
    outcome = Outcome.of(verdict)
    sizes = (outcome.counterexample or {}).get("sizes", {})
    if not facts or outcome.status not in ("refuted", "unknown"):
        return task, verdict, outcome
    if outcome.status == "refuted" and _holds(facts, sizes):
        return task, verdict, outcome
    bounded = task.under(facts)
    answer = ask(bounded)
    if answer.status == "vacuous" or "unknown" == answer.status == outcome.status:
        return task, verdict, outcome
    reason = answer.reason
    if answer.proved and sizes:
        beyond = ", ".join(f"{n} = {v}" for n, v in sizes.items())
        reason += f"; beyond what is assumed it fails at {beyond}"
    return bounded, answer, replace(Outcome.of(answer), reason=reason, assumed=list(facts))


def _holds(facts: Sequence[str], sizes: Mapping[str, int]) -> bool:
    from symlayout.expr.facts import Facts

    return Facts.read(list(facts)).holds(sizes)


def judge(task: Task) -> Outcome:
    """The outcome of a task; whatever goes wrong is an outcome too."""
    start = time.perf_counter()
    try:
        task, verdict, outcome = _under_assumptions(task)
        if task.doubt and outcome.status == "refuted":
            return replace(outcome, status="unknown", reason=f"not understood: {task.doubt}")
        if (reason := _broken(task, outcome)) is not None:
            return replace(outcome, status="unknown", reason=reason, counterexample=None)
        if verdict.proved and task.solver != "none":
            return confirmed(task, outcome, lambda: verdict.certificate)
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
