"""Shifts by sizes: what a text with them means, what is proved of them, and what is undefined."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout.certificate.codec import seal
from symlayout.certificate.kernel import recheck
from symlayout.certificate.renaming import moved_down
from symlayout.digits.context import Context
from symlayout.errors import LayoutError
from symlayout.expr.arrays import program
from symlayout.expr.evaluation import evaluate
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import Exp2, divisors_of, from_sympy, symbol, to_sympy, value
from symlayout.prove.maps.walk import runner

TEXTS = (
    "i << k",
    "i >> k",
    "1 << k",
    "2**(k + 1) - i",
    "4**k + i",
    "i & ((1 << k) - 1)",
    "i & -(1 << k)",
    "i | 1 << k",
    "i ^ ((1 << k) - 1)",
    "(i >> k) << j",
    "(i << (k + j)) % (1 << j)",
    "i % (1 << k) + (i >> k)",
)
NUMBERS = st.integers(-40, 40)
COUNTS = st.integers(0, 12)


@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=30, deadline=None)
@given(i=NUMBERS, j=COUNTS, k=COUNTS)
def test_it_has_the_value_that_python_computes(text: str, i: int, j: int, k: int) -> None:
    env = {"i": i, "j": j, "k": k}
    e, expected = read_expression(text), eval(text, {}, env)
    assert value(e, env) == expected
    assert value(read_expression(str(e)), env) == expected
    assert runner(e)(env) == expected
    sizes = {"j": j, "k": k}
    assert evaluate(e, {"i": [i, i]}, sizes).tolist() == [expected, expected]
    if not e.has(read_expression("a ^ b").func, read_expression("a | b").func):
        assert value(from_sympy(to_sympy(e)), env) == expected


@pytest.mark.parametrize("text", [*TEXTS, "0 << k", "(1 << k) - (1 << k)", "(i << k) % 1"])
def test_it_has_no_value_where_the_count_is_negative(text: str) -> None:
    e = read_expression(text)
    assert divisors_of(e)
    with pytest.raises(LayoutError) as error:
        value(e, {"i": 5, "j": 2, "k": -3})
    assert error.value.code == "SL202"


def test_huge_counts_are_told_and_not_computed() -> None:
    e = read_expression("1 << k")
    for compute in (lambda: value(e, {"k": 10**9}), lambda: Exp2(10**9)):
        with pytest.raises(LayoutError) as error:
            compute()
        assert error.value.code == "SL204"
    with pytest.raises(LayoutError) as error:
        evaluate(e, {}, {"k": 10**9})
    assert error.value.code in ("SL204", "SL401")
    run = program(e).python(("k",))
    with pytest.raises(OverflowError):
        run(np, np.array([10**9], dtype=object))


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


@pytest.mark.parametrize("text", ["((1 << a) << b)", "1 << (a + b)", "2**a*2**b"])
def test_one_power_has_one_polynomial(text: str) -> None:
    ctx = Context()
    assert ctx.poly(read_expression(text)) == ctx.poly(Exp2(symbol("b") + symbol("a")))


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


def test_a_traced_function_shifts_by_its_arguments() -> None:
    K = symbol("K")
    made = sl.index_map(lambda i, k: (i << k) + (1 << k) + 2**k + (i >> K), {"i": "N", "k": 5})
    assert [made.at((i, k), {"N": 9, "K": 2})[0] for i, k in ((3, 0), (5, 4))] == [5, 113]
    masked = sl.index_map(lambda i: i & (2**K - 1), {"i": "N"})
    assert str(masked.results[0]) == "i%(2**K)"


def test_certificates_of_powers_are_turned_down_when_a_number_is_changed() -> None:
    made = sl.prove.holds("1 << k <= 1 << n", where=["k <= n"]).certificate
    text = str(made["parts"])
    assert "power" in text
    assert not recheck({**made, "facts": ["k <= n + 1"]}).ok
    wrong = {**made, "claim": {**made["claim"], "arguments": ["1 << k < 1 << n"]}}
    assert not recheck(wrong).ok


@pytest.mark.parametrize("word", ["c//2**K", "c//1", "c//3", "d//2", "c*2", "c"])
def test_only_a_shift_by_a_number_moves_every_bit_down(word: str) -> None:
    """`c ^ (c >> K)` is 0 where K is 0: the checker takes no power of a size for a shift."""
    c = symbol("c")
    assert not moved_down(read_expression(word), c)
    assert moved_down(read_expression("c//4"), c)


def test_an_exclusive_or_with_itself_shifted_by_a_size_is_no_bijection() -> None:
    verdict = sl.prove.bijective("map c < 8: c ^ (c >> K) in 8", where=["K >= 0"])
    assert verdict.status == "refuted"
    assert verdict.counterexample.sizes == {"K": 0}
    gray = sl.prove.bijective("map c < 8: c ^ (c//2) in 8").certificate
    text = json.dumps(gray).replace("c//2", "c//2**K")
    forged = json.loads(text)
    forged["facts"], forged["sizes"] = ["K >= 0"], {"K": 1}
    forged.pop("seal")
    answer = recheck({**forged, "seal": seal(forged)})
    assert not answer.ok
    assert "both sides of an exclusive or" in answer.failures[0]
