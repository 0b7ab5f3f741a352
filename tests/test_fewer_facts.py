"""A proof is not lost by facts that it does not need; a certificate may leave facts out."""

from __future__ import annotations

import json
from itertools import product

import pytest

from symlayout import prove
from symlayout.certificate.codec import seal
from symlayout.certificate.kernel import recheck
from symlayout.expr.facts import Facts
from symlayout.prove.fewer import left_out, without_facts

GROUPED = "map p < M*N: f = p//(K*N)*K; w = min(M - f, K); (f + p%(K*N)%w, p%(K*N)//w) in (M, N)"
FACTS = (
    ["N % 2 == 0"],
    ["K % 4 == 0"],
    ["M // 2 == N"],
    ["M >= 2*K"],
    ["N % 2 == 0", "M & (M - 1) == 0", "N >= 2"],
    ["K % 8 == 0", "N % 64 == 0", "M % 64 == 0"],
)


@pytest.mark.parametrize("where", FACTS)
def test_facts_that_a_schedule_does_not_need(where: list[str]) -> None:
    verdict = prove.bijective(GROUPED, where=where)
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer.failures


def test_a_fact_that_a_schedule_does_not_need_costs_no_proof() -> None:
    """No certificate is found under this fact since every divisor of a definition is a demand."""
    assert prove.bijective(GROUPED, where=["N % 2 == K % 2"]).proved


@pytest.mark.parametrize(
    ("word", "text", "where"),
    [
        ("bounded", "map b < M, t < K if b*K + t < M*N: x = b*K + t; (x//N, x%N) in (M, N)", "K%2"),
        ("injective", "f32[M,N]{1,0:T(K,8)}", "M%K"),
    ],
)
def test_other_words_and_layouts(word: str, text: str, where: str) -> None:
    verdict = getattr(prove, word)(text, where=f"{where} == 0")
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer.failures


def test_what_says_from_where_on_a_size_is_stays() -> None:
    rows = ["N >= 0", "N == -1", "M % 2 == 0", "0 <= M < N", "2*K > -3", "K != 0", "max(K, 0) <= N"]
    for picked in product((False, True), repeat=len(rows)):
        facts = Facts.read([r for r, yes in zip(rows, picked) if yes])
        for without in left_out(facts):
            fewer = without_facts(facts, without)
            for name in "KMN":
                assert fewer.bounds_below(name) == facts.bounds_below(name)
                assert fewer.domain(name).low <= facts.domain(name).low or facts.domain(name).empty


def test_contradicting_facts_prove_nothing() -> None:
    assert prove.bijective(GROUPED, where=["N % 2 == 0", "N % 4 == 1"]).status == "vacuous"


def test_a_fact_that_is_needed_cannot_be_left_out() -> None:
    text = "map b < N//K, t < K if b*K + t < N: b*K + t in N"
    verdict = prove.onto(text, where=["N % K == 0", "M % 2 == 0", "M == N + K"])
    assert verdict.proved, verdict
    made = json.loads(json.dumps(verdict.certificate))
    assert recheck(made).ok
    for numbers in (["0"], ["0", "1"], ["0", "1", "2", "3", "4", "5", "6"]):
        script = made["texts"]["script"]
        first = [m for m in script if m[0] in ("join", "back", "box", "without")]
        moves = [*first, ["without", *numbers], *script[len(first) :]]
        forged = {**made, "texts": {**made["texts"], "script": moves}}
        assert not recheck({**forged, "seal": seal(forged)}).ok


SWIZZLED = "map r < R, c < N: r*N + (c ^ (r % N)) in R*N"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (SWIZZLED, ["N & (N - 1) == 0", "N % 8 == 0"]),
        (SWIZZLED, ["N & (N - 1) == 0", "R & (R - 1) == 0", "N % R == 0"]),
        ("map x < 1 << K: x ^ (x >> 1) in 1 << K", ["K % 2 == 0", "K & (K - 1) == 0"]),
    ],
)
def test_a_power_of_two_that_a_fact_divides(text: str, where: list[str]) -> None:
    """What is left of a power, divided, is written as a quotient; the proof needs no such fact."""
    verdict = prove.bijective(text, where=where)
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer.failures


def test_the_choices_of_facts_do_not_depend_on_their_order() -> None:
    rows = ["N % 2 == 0", "N >= 0", "M % N == 1", "K != 3", "M*K <= 9"]
    for many in range(1, len(rows) + 1):
        texts = rows[:many]
        forth, back = Facts.read(texts), Facts.read(texts[::-1])
        both = [
            [{str(f.relations[k]) for k in without} for without in left_out(f)]
            for f in (forth, back)
        ]
        assert all(choice in both[1] for choice in both[0])
        assert [len(c) for c in both[0]] == [len(c) for c in both[1]]
