"""From demands on sizes to a verdict: proved, or the smallest sizes that break a demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from symlayout.digits.clauses import Clause
from symlayout.digits.sizes import SizeReasoner, clauses_text, sizes_in_order
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import as_expr
from symlayout.layouts.demands import Demand, definedness, nonzero
from symlayout.programs.hlo.broadcast.check import Check, first_failing
from symlayout.programs.hlo.broadcast.extent import Extent
from symlayout.prove.definedness import plain
from symlayout.prove.question import Question
from symlayout.prove.run import Run
from symlayout.prove.subject import Rules
from symlayout.prove.verdict import Counterexample, Verdict

# what would mend a refuted claim: details, and words
Repair = Callable[[], tuple[dict[str, Any], str]]


@dataclass(frozen=True)
class Checked:
    """ "Every check holds for all sizes", and so do the demands of what it speaks of.

    `good` is the reason of a proof, `runtime` what is left to run time, `repair` what would make a
    refuted claim hold.
    """

    checks: Sequence[Check]
    sizes: SizeReasoner
    good: str
    details: dict[str, Any]
    runtime: Sequence[str] = ()
    demands: Sequence[Demand] = ()
    repair: Repair = lambda: ({}, "")  # it knows none

    @property
    def rules(self) -> Rules:
        """What conditions are learned from."""
        sizes = self.sizes
        return Rules(tuple(self.checks), sizes.facts, sizes.names, tuple(self.demands))

    def verdict(self) -> Verdict:
        """The verdict.

        A refutation's details have the exact `condition` under which all of that holds, how both
        `directions` of it were proved, and the `code` of the broken rule.
        """
        details, good, sizes = self.details, self.good, self.sizes
        if self.runtime:
            details = {**details, "runtime": list(self.runtime)}
            good += f"; left to run time: {'; '.join(self.runtime)}"
        consistent = sizes.consistent()
        if consistent is False:
            return Verdict("vacuous", "", "the facts contradict each other", _details=details)
        if consistent is None:
            reason = "whether sizes satisfy the facts is not decided within the solver's budget"
            return Verdict("unknown", "", reason, _details=details)
        checks = self.checks
        quotients = [e for c in checks for r in c.needs for e in (r.left, r.right)]
        needs = dict.fromkeys([*self.demands, *definedness("the size", quotients)])
        questions = tuple(d for d in needs if not plain(d, sizes.facts))
        holds = sizes.entails([*clauses_of(questions), *[c.needs for c in checks]])
        if holds:
            return Verdict("proved", "", good, _details={**details, "condition": "always"})
        return _refutation(tuple(checks), questions, sizes, details, self.repair)


@dataclass(frozen=True)
class OfSizes(Question):
    """A question about sizes alone: its checks, with what the run allows to know of the sizes."""

    checked: Callable[[Run], Checked]

    def subjects(self, run: Run) -> list[Any]:
        """The checks and demands."""
        return [self.checked(run).rules]

    def decided(self, run: Run) -> Verdict:
        """The verdict on the checks."""
        return self.checked(run).verdict()


def reasoner(facts: Facts, names: Iterable[str], run: Run) -> SizeReasoner:
    """What is known of the sizes, by their names in the order in which they are written.

    Raises `LayoutError` (SL301) for facts with other names.
    """
    names = list(names)
    run.written.check_names(facts, names)
    order = run.written.order([*names, *sorted(facts.names)])
    return SizeReasoner(facts, order, run.effort.solver)


def clauses_of(demands: Sequence[Demand]) -> list[Clause]:
    """What the demands say: divisors other than 0, and what is at least something."""
    results: list[Clause] = []
    for d in demands:
        results += [(nonzero(x),) for x in d.divisors]
        if d.least is not None:
            results.append((Relation(">=", as_expr(d.value), as_expr(d.least)),))
    return results


def _refutation(
    checks: tuple[Check, ...],
    demands: tuple[Demand, ...],
    sizes: SizeReasoner,
    details: dict[str, Any],
    repair: Repair,
) -> Verdict:
    numbers = _counterexample(checks, demands, sizes)
    undefined = "" if numbers is None else _broken(demands, numbers)
    if numbers is not None and undefined:  # no check has sizes that could be shown
        code = next((c.code for c in checks if not c.holds(numbers)), "SL102")
        example = Counterexample(dict(numbers), (), "undefined", None, note=undefined)
        return Verdict("refuted", "", undefined, example, {**details, "code": code})
    failed = None if numbers is None else first_failing(checks, numbers)
    if numbers is None or failed is None:
        reason = "no sizes that break a rule are found, nor a proof within the solver's budget"
        return Verdict("unknown", "", reason, _details=details)
    short, directions = sizes.shortened([*clauses_of(demands), *[c.needs for c in checks]])
    condition = clauses_text(short)
    left, right, note = _disagreement(failed)
    reason = f"{failed.code}: {note}"
    if condition != "never" or numbers:
        words = "for no sizes" if condition == "never" else f"exactly when {condition}"
        reason += f"; legal {words}"
    more, mending = repair()
    if mending:
        reason += f"; {mending}"
    details = {**details, "condition": condition, "code": failed.code, "directions": directions}
    example = Counterexample(dict(numbers), (), left, right)
    return Verdict("refuted", "", reason, example, {**details, **more})


def _broken(demands: tuple[Demand, ...], numbers: dict[str, int]) -> str:
    """Why the claim is not defined for these sizes, "" where it is."""
    return next((why for d in demands if (why := d.broken(numbers))), "")


def _counterexample(
    checks: tuple[Check, ...], demands: tuple[Demand, ...], sizes: SizeReasoner
) -> dict[str, int] | None:
    """The smallest sizes at which a check fails; those of the solver where they are large."""
    for numbers in sizes_in_order(sizes.facts, sizes.names):
        if _broken(demands, numbers) or first_failing(checks, numbers) is not None:
            return numbers
    return sizes.model_without([*clauses_of(demands), *[c.needs for c in checks]])


def _disagreement(failed: Check) -> tuple[int | str | None, int | str | None, str]:
    """The two sizes that do not go together, and the rule; sizes of run time where those are it."""
    if failed.code == "SL710" and failed.left is not None and failed.right is not None:
        bound = failed.right.size if failed.left.size is None else failed.left.size
        if isinstance(bound, int):
            note = f"{failed.message}; 1 with {bound + 1} gives {bound + 1}, which is not <={bound}"
            return 1, bound + 1, note
    return _number(failed.left), _number(failed.right), failed.message


def _number(e: Extent | None) -> int | str | None:
    if e is None:
        return None
    return e.size if isinstance(e.size, int) and not e.dynamic else str(e)
