"""Shifts by sizes: what a text with them means, what is proved of them, and what is undefined."""

from __future__ import annotations

import pytest

import symlayout as sl
from symlayout import recheck


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("1 << k == 1", ["k >= 1000000000"]),
        ("1 << k == 1", ["k == 1000000000"]),
        ("2**(1000*k) % 3 == 1", []),
    ],
)
def test_nothing_is_refuted_by_what_is_not_computed(claim: str, where: list[str]) -> None:
    assert sl.prove.holds(claim, where=where).status in ("unknown", "proved")


PROVED = [
    ("bounded", ["map i < N: i << K in N << K"], []),
    ("injective", ["map i < N: i << K"], []),
    ("bijective", ["map i < N, j < 1 << K: (i << K) + j in N << K"], []),
    ("bijective", ["map i < N << K: (i >> K, i & ((1 << K) - 1)) in (N, 1 << K)"], []),
    ("bijective", ["map a < N, b < 1 << K: (a << K) | b in N << K"], []),
    ("bijective", ["map r < R, c < 1 << K: (r << K) + (c ^ (r % (1 << K))) in R << K"], []),
    (
        "inverse",
        [
            "map i < N << K: (i >> K, i & ((1 << K) - 1)) in (N, 1 << K)",
            "map a < N, b < 1 << K: (a << K) | b in N << K",
        ],
        [],
    ),
    ("bounded", ["map i < N, k < K: i << k in N << K"], []),
    ("bounded", ["map i < N, k < K: i >> k in N"], []),
    ("holds", ["1 << (a + b) == (1 << a)*(1 << b)"], []),
    ("holds", ["2**k >= k + 1"], ["k >= 0"]),
    ("holds", ["1 << k <= 1 << n"], ["k <= n"]),
    ("holds", ["x*(1 << k) <= x*(1 << 50)"], ["k <= 50"]),
    ("holds", ["(x << k) >> k == x"], ["x >= -9"]),
    ("holds", ["(1 << k) % 4 == 0"], ["k >= 2"]),
    ("equal", ["map i < N: (i << K)/2 + i/(1 << K)", "map i < N: (i << K)/2 + (i >> K)"], []),
    ("bijective", ["(N,1 << K):(1 << K,1)"], []),
    ("fits", ["map i < N: i << K"], ["N <= 1024", "K <= 20"]),
    ("fits", ["map i < N: i >> K"], ["N <= 1024", "K <= 31"]),
]


@pytest.mark.parametrize(("word", "given", "where"), PROVED)
def test_it_is_proved_with_a_certificate(word: str, given: list[str], where: list[str]) -> None:
    verdict = getattr(sl.prove, word)(*given, where=where)
    assert verdict.proved, verdict
    assert verdict.certificate is not None
    made = recheck(verdict.certificate)
    assert made.ok, made.failures


REFUTED = [
    ("bounded", ["map i < N: i << K in N*K"], [], {"N": 2, "K": 1}),
    ("bijective", ["map i < N: i << K in N << K"], [], {"N": 1, "K": 1}),
    ("bijective", ["(N,M):(1 << K,1)"], [], {"N": 2, "M": 1, "K": 1}),
    ("holds", ["(x >> k) << k == x"], [], {"x": 1, "k": 1}),
    ("holds", ["1 << k >= 1"], ["k >= -3"], {"k": -1}),
    ("holds", ["1 << (k - 2) >= 1"], [], {"k": 1}),
    ("holds", ["x / (1 << k) == x >> k"], ["x >= -5"], {"x": -1, "k": 1}),
    ("fits", ["map i < N: i << K"], ["N == 1"], {"N": 1, "K": 32}),
    ("fits", ["map i < N: i & ((1 << K) - 1)"], ["K <= 31"], {"N": 1, "K": 31}),
]


@pytest.mark.parametrize(("word", "given", "where", "sizes"), REFUTED)
def test_it_is_refuted_by_the_smallest_sizes(
    word: str, given: list[str], where: list[str], sizes: dict[str, int]
) -> None:
    verdict = getattr(sl.prove, word)(*given, where=where)
    assert verdict.status == "refuted"
    assert verdict.counterexample.sizes == sizes


def test_a_shape_that_shifts_by_less_than_0_says_what_would_exclude_it() -> None:
    verdict = sl.prove.bounded("(N,M):(1 << K,1)", where=["K >= -2"])
    assert verdict.status == "refuted"
    assert "shifts by -1 at K = -1; add K >= 0" in verdict.reason


def test_certificates_of_powers_are_turned_down_when_a_number_is_changed() -> None:
    made = sl.prove.holds("1 << k <= 1 << n", where=["k <= n"]).certificate
    text = str(made["parts"])
    assert "power" in text
    assert not recheck({**made, "facts": ["k <= n + 1"]}).ok
    wrong = {**made, "claim": {**made["claim"], "arguments": ["1 << k < 1 << n"]}}
    assert not recheck(wrong).ok
