"""A proof is not lost by facts that it does not need; a certificate may leave facts out."""

from __future__ import annotations

import json

import pytest

from symlayout import prove, recheck

GROUPED = "map p < M*N: f = p//(K*N)*K; w = min(M - f, K); (f + p%(K*N)%w, p%(K*N)//w) in (M, N)"

FACTS = (
    ["N % 2 == 0"],
    ["K % 4 == 0"],
    ["M // 2 == N"],
    ["M >= 2*K"],
    ["N % 2 == 0", "M & (M - 1) == 0", "N >= 2"],
    ["K % 8 == 0", "N % 64 == 0", "M % 64 == 0"],
)


@pytest.mark.explore
@pytest.mark.parametrize("where", FACTS)
def test_facts_that_a_schedule_does_not_need(where: list[str]) -> None:
    verdict = prove.bijective(GROUPED, where=where)
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer.failures


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
