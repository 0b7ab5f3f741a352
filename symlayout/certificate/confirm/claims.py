"""Whether Z3 confirms a proved claim: as it is, or step by step from its certificate.

First Z3 looks for a counterexample to the claim as its text says it: box, facts, `//` and `%`.  Where
that exceeds its budget, the certificate is the guide: its expressions (an inverse) replace a search,
and then each of its steps is a small query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal

from symlayout.certificate.codec import read_proof
from symlayout.certificate.confirm.export import back_of, claim_of, statement_of
from symlayout.certificate.confirm.formulas import Query
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.confirm.queries import CONFIRMED, Questions
from symlayout.certificate.confirm.solving import (
    NAMES,
    Budget,
    Disagreement,
    holds_by_cvc5,
)
from symlayout.certificate.confirm.splits import Splits
from symlayout.certificate.confirm.swizzles import permutes
from symlayout.certificate.confirm.trail import Trail
from symlayout.certificate.confirm.walk import parts_of
from symlayout.certificate.exact import FREE, Rejected
from symlayout.certificate.proof import ENTIRE, Proof, Statement, Texts
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError
from symlayout.expr.choices import combinations, split_choices
from symlayout.expr.conditions import leaves
from symlayout.expr.terms import CeilDiv, FloorDiv, Mod
from symlayout.layouts.claim import Claim as Asked

Status = Literal["confirmed", "unknown", "disagrees"]


@dataclass(frozen=True)
class Confirmation:
    """A solver's answer to a proved claim: confirmed (and how), unknown, or a counterexample."""

    status: Status
    how: str = ""
    note: str = ""
    by: str = "Z3"

    def __str__(self) -> str:
        if self.status == "confirmed":
            return f"confirmed by {self.by} {self.how}"
        return f"{self.by} {self.status}: {self.note}"


def confirm(
    question: Asked,
    certificate: Callable[[], Mapping[str, Any] | None] = lambda: None,
    solver: str = "z3",
) -> Confirmation | None:
    """A solver's answer to a proved claim; None for a claim word that it is not asked about.

    `certificate` makes the claim's certificate where the claim as it is exceeds Z3's budget; cvc5 is
    asked about the claim as it is alone.

    >>> print(confirm(Asked("bounded", ("f32[M,N]{1,0}",))))
    confirmed by Z3 as it is
    >>> print(confirm(Asked("injective", ("(4,N):(1,2)",))).status)
    disagrees
    """
    if question.word not in CONFIRMED:
        return None
    plain, choices = split_choices(list(question.facts))
    if choices:
        return _in_cases(
            question, [(*plain, *case) for case in combinations(choices)], certificate, solver
        )
    by = NAMES[solver]
    answer = _answer(lambda: _as_it_is(question, Budget.QUICK, by), by)
    if answer.status != "unknown" or by != "Z3":
        return answer
    if script := back_of(question):
        answer = _answer(lambda: _in_few_steps(claim_of(statement_of(question)), script))
        if answer.status != "unknown":
            return answer
    data = certificate()
    if data is None:
        return _answer(lambda: _as_it_is(question, Budget.CLAIM, by))
    return by_certificate(statement_of(question), data)


def _answer(asking: Callable[[], Confirmation], by: str = "Z3") -> Confirmation:
    """The solver's answer, unknown where a claim is not turned into queries or exceeds the budget."""
    try:
        return asking()
    except Disagreement as counterexample:
        return Confirmation("disagrees", note=str(counterexample), by=by)
    except (LayoutError, Rejected, NotConfirmed) as error:
        return Confirmation("unknown", note=getattr(error, "message", str(error)), by=by)


def _in_cases(
    question: Asked,
    cases: Sequence[tuple[Any, ...]],
    certificate: Callable[[], Mapping[str, Any] | None],
    solver: str,
) -> Confirmation:
    """The answer for a claim whose facts have alternatives: confirmed where it is in every case."""
    once = cache(certificate)

    def of_case(k: int) -> Mapping[str, Any] | None:
        data = once()
        return None if data is None else dict(data["cases"][k])

    answers = []
    for k, facts in enumerate(cases):
        one = replace(question, facts=tuple(map(str, facts)))
        answer = confirm(one, partial(of_case, k), solver)
        assert answer is not None
        if answer.status != "confirmed":
            return answer
        answers.append(answer.how)
    how = answers[0] if len(set(answers)) == 1 else "; ".join(answers)
    return Confirmation("confirmed", f"{how} in each of {len(cases)} cases", by=NAMES[solver])


def by_certificate(statement: Statement, data: Mapping[str, Any]) -> Confirmation:
    """Z3's answer with the expressions and steps of a certificate for that very claim."""
    return _answer(lambda: _by_proof(statement, read_proof(data, FREE)))


def _by_proof(statement: Statement, proof: Proof) -> Confirmation:
    """By the steps, or else by the expressions; raises `NotConfirmed` where Z3 does not know."""
    if proof.claim != statement:
        raise NotConfirmed("the certificate is for another claim")
    if _has_steps(proof):
        answer = _answer(lambda: _in_steps(proof))
        if answer.status != "unknown":
            return answer
    return _with_expressions(_claim_of(proof), proof.texts)


def _as_it_is(question: Asked, budget: Budget, by: str) -> Confirmation:
    """The claim as it is; raises `NotConfirmed` where the solver does not know."""
    _count(Questions(claim_of(statement_of(question))), Texts(), budget, by)
    return Confirmation("confirmed", "as it is", by=by)


def _in_few_steps(claim: Claim, texts: Texts) -> Confirmation:
    """The claim by a proof's expressions, where no divisor depends on a place: those take all steps."""
    for f in claim.functions:
        own = {x for x, _ in f.box}
        sides = [e for g in f.guard for c in leaves(g) for e in (c.left, c.right)]
        quotients = (q for e in (*f.results, *sides) for q in e.atoms(FloorDiv, CeilDiv, Mod))
        if not all(own.isdisjoint(q.args[1].free_symbols) for q in quotients):
            raise NotConfirmed("a divisor depends on a place")
    return _with_expressions(claim, texts)


def _with_expressions(claim: Claim, texts: Texts) -> Confirmation:
    """The claim by a proof's expressions, with a larger budget; raises `NotConfirmed`."""
    return Confirmation("confirmed", f"in {_count(Questions(claim), texts, Budget.CLAIM)} steps")


def _count(questions: Questions, texts: Texts, budget: Budget, by: str = "Z3") -> int:
    """How many queries confirm the claim, one way for each obligation; raises `NotConfirmed`."""
    count, budget = 0, Budget.BITS if questions.has_bits else budget
    if by == "Z3":
        questions.replace_exact_quotients()
    for name, ways in questions.obligations(texts):
        way = next((way for way in ways if _all_hold(questions, way, budget, by)), None)
        if way is None:
            raise NotConfirmed(f"{name}: beyond {by}'s budget")
        count += len(way)
    if not count:
        raise NotConfirmed("nothing of the claim is a query")
    return count


def _all_hold(questions: Questions, way: Sequence[Query], budget: Budget, by: str) -> bool:
    """Whether all queries are confirmed; raises `Disagreement` where one that is the claim fails."""
    for q in way:
        exact = q.exact and not questions.opaque
        if by == "cvc5":
            hypotheses = (*q.hypotheses, *questions.axioms)
            answer = holds_by_cvc5(hypotheses, q.goal, questions.context, exact)
        else:
            questions.asker.know(questions.new_axioms())
            questions.asker.linear = questions.linear
            briefly = budget is Budget.QUICK and questions.better_in_steps
            each = Budget.HINT if briefly else budget
            answer = questions.asker.holds(q.hypotheses, q.goal, each, exact)
        if answer != "confirmed":
            return False
    return True


def _claim_of(proof: Proof) -> Claim:
    """The claim of a proof, with what it says about how the claim is read."""
    if proof.hint is None and not proof.points:
        return claim_of(proof.claim)
    return Claim(proof.claim, proof.hint, proof.points, FREE)


def _has_steps(proof: Proof) -> bool:
    """Whether the steps of the proof show the claim."""
    return proof.by == "script" or proof.by not in (*ENTIRE, "cases", "sizes")


def _in_steps(proof: Proof) -> Confirmation:
    """The certificate, step by step; raises `NotConfirmed` for one that Z3 does not confirm."""
    claim, count, splits = _claim_of(proof), 0, Splits()
    for m in claim.maps:
        if m.before is not None:
            count += permutes(claim)
    by_cases = proof.by == "script"
    parts = parts_of(claim, proof.texts, splits) if by_cases else claim.parts(proof.by, proof.texts)
    trail = Trail(claim)
    for part in parts:
        if by_cases or not part.nowhere:
            if part.name not in proof.parts:
                raise NotConfirmed(f"{part.name} has no steps")
            count += trail.confirm(part, proof.parts[part.name])
    count += splits.count
    return Confirmation("confirmed", f"in {count} steps")
