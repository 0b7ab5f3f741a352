"""A prover that lies: Z3 never confirms a claim that is false."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace

import pytest
from soundness.claims import claim
from soundness.judging import judged

from symlayout.certificate.confirm.claims import confirm
from symlayout.certificate.confirm.queries import CONFIRMED
from symlayout.checks import checker, verdicts
from symlayout.checks.result import Outcome, Task
from symlayout.errors import LayoutError
from symlayout.layouts.claim import Claim
from symlayout.prove.verdict import Verdict

# false at 0 or 1 alone, at sizes above 2**31, where something is undefined, in one alternative
FALSE = [
    ("bounded", ("map i < 4: i in 4*N",), ("N >= 0",)),
    ("injective", ("map i < 2, j < N: i*(N - 1)",), ()),
    ("injective", ("map i < N: i*(N - 2)",), ()),
    ("onto", ("map i < N - 1: i in N",), ()),
    ("onto", ("(M,N):(N,0)",), ()),
    ("disjoint", ("map i < N: i in 2*N", "map j < N: j*N + 1 in N*N + 2"), ()),
    ("broadcast", ("f32[M+1,N]", "f32[N]"), ()),
    ("tiles", ("f32[M,N]", "2,N"), ()),
    ("valid", ("map i < N, j < N: i + j*(N-1) in N*N",), ()),
    ("fits", ("map i < N: i in N",), ("N <= 2**31 + 1",)),
    ("fits", ("map i < N: i*8 in 8*N",), ("N <= 2**28 + 1",)),
    ("bounded", ("map i < N: i in 2**40",), ()),
    ("bounded", ("map i < N: i in 2**40",), ("N <= 2**40 + 1",)),
    ("injective", ("map i < N, j < 2: i + j*2**33",), ()),
    ("injective", ("map i < N: i % 2**35 in 2**35",), ()),
    ("injective", ("map i < N, j < M: i*2**32 + j",), ()),
    ("onto", ("map i < N: i in N + N//2**34",), ()),
    ("broadcast", ("f32[N]", "f32[min(N,4294967296)]"), ()),
    ("bounded", ("map i < M: i//N in M",), ("N >= 0",)),
    ("injective", ("map i < M: (i, i % K) in (M, M)",), ("K >= 0",)),
    ("bounded", ("map i < M: i % (N - 3) in M",), ()),
    ("valid", ("map i < 4: i + 0*(4 // (N - 1)) in 4",), ()),
    ("bounded", ("map i < M: min(0, i//(N-5)) + i in M",), ()),
    ("fits", ("map i < M: i // (N - 2) in M",), ("M <= 100",)),
    ("bounded", ("map i < N: i in 64",), ("N <= 64 or N == 65",)),
    ("injective", ("(4,N):(1,S)",), ("S in {2, 4, 8}",)),
    ("injective", ("(4,N):(1,S)",), ("S == 4 or S == 3",)),
    ("bijective", ("map i < N: i in M",), ("N == M or N + 1 == M",)),
    ("onto", ("map i < N: i in M",), ("M in {N, 2*N}",)),
    ("fits", ("map i < N: 4*i in 4*N",), ("N in {16, 1073741824}",)),
    ("broadcast", ("f32[A]", "f32[B]"), ("A == B or A == 2*B",)),
    ("disjoint", ("map i < N: 2*i", "map j < M: 2*j + S"), ("S in {1, 3, 4}",)),
    (
        "inverse",
        ("map i < N: i + S in N + S", "map j < N + S if j >= S: j - 1 in N"),
        ("S in {1, 2}",),
    ),
    ("bounded", ("map i < N: i in 64",), ("N <= 3 or N >= 65", "N >= 10")),
    ("injective", ("(4,N):(1,S)",), ("S == 4 or S == 2", "S < 4")),
]
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
