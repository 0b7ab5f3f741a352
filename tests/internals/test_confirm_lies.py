"""A prover that lies: Z3 never confirms a claim that is false."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace

import pytest
from false_claims import FALSE
from soundness.claims import claim
from soundness.judging import judged

from symlayout import Claim, Verdict
from symlayout.certificate.confirm.claims import confirm
from symlayout.certificate.confirm.queries import CONFIRMED
from symlayout.checks import checker, verdicts
from symlayout.checks.result import Outcome, Task
from symlayout.errors import LayoutError

DRAWN = 1500
LEAST = 200


def lie(task: Task) -> Verdict:
    """What a prover says that decides nothing."""
    return Verdict("proved", task.claim.quoted, "as every claim", source=task.claim)


def is_confirmed(outcome: Outcome) -> bool:
    return outcome.confirmed is not None and outcome.confirmed["status"] == "confirmed"


@pytest.mark.parametrize(("word", "arguments", "facts"), FALSE)
def test_a_false_claim_is_not_confirmed(
    word: str, arguments: tuple[str, ...], facts: tuple[str, ...], monkeypatch
) -> None:
    monkeypatch.setattr(verdicts, "ask", lie)
    outcome = checker.judge(Task("a lie", Claim(word, arguments, (), facts), solver="z3"))
    assert not is_confirmed(outcome)
    unknown = outcome.confirmed is not None and outcome.confirmed["status"] == "unknown"
    assert unknown or "Z3 has a counterexample" in str(outcome.problem)


@pytest.mark.explore
def test_random_false_claims_of_every_word_are_not_confirmed() -> None:
    counts = Counter[str]()
    for n in range(DRAWN):
        drawn = claim(77, n)
        if drawn.word not in CONFIRMED:
            continue
        if not judged(drawn, SimpleNamespace(status="proved"))[0].startswith("false"):
            continue
        try:
            answer = confirm(
                Claim(drawn.word, drawn.args, tuple(drawn.options.items()), drawn.facts)
            )
        except LayoutError:  # the text is refused, so that no prover is asked about it
            continue
        assert answer is not None
        assert answer.status != "confirmed", f"{drawn}"
        counts[drawn.word] += 1
    assert set(counts) == CONFIRMED
    assert counts.total() >= LEAST


def test_a_true_claim_is_confirmed_by_the_same_path(monkeypatch) -> None:
    monkeypatch.setattr(verdicts, "ask", lie)
    outcome = checker.judge(Task("the truth", Claim("bounded", ("f32[M,N]",)), solver="z3"))
    assert is_confirmed(outcome)


def test_answers_do_not_depend_on_earlier_questions() -> None:
    """Claims that need steps or most of a budget, in two orders in one process."""
    claims = [
        Claim("injective", ("(M,N):(S,1)",), (), ("S >= N",)),
        Claim("injective", ("f32[M,N]{1,0:T(8,128)}",)),
        Claim("bijective", ("map i < N, j < i + 1: i*(i + 1)//2 + j in N*(N + 1)//2",)),
        Claim("injective", ("bf16[3,300]{1,0:T(8,128)(2,1)}",)),
        *[Claim("bounded", (f"map i < M, j < {k}: i*{k} + j in {k}*M",)) for k in range(1, 20)],
    ]
    first = [confirm(c) for c in claims]
    order = list(range(len(claims)))
    random.Random(0).shuffle(order)
    again = {k: confirm(claims[k]) for k in order}
    assert [again[k] for k in range(len(claims))] == first
