"""Small divisors: proofs that look at every remainder."""

from __future__ import annotations

import itertools
import operator

import pytest

import symlayout as sl
from symlayout import recheck

PROVED = """
(N*N + 1) % 7 != 0
(N*(N + 1)) % 2 == 0
(N**3 - N) % 6 == 0
(N*N) % 4 <= 1
(N*N) % 3 != 2
(N*N) % 8 != 3
(N*N) % 16 != 5
(N**4) % 5 <= 1
(N*N + 2) % 7 != 0
(N*N + N + 1) % 9 != 0
(5*N*N + 3) % 4 != 1
(M*M + N*N) % 4 != 3
(M*M - N*N) % 4 != 2
(M*N*(M + N)) % 2 == 0
(A*A + B*B + C*C) % 8 != 7
(N**5 - N) % 30 == 0
(N**7 - N) % 42 == 0
(N*N*N) % 9 != 4
M*M - N*N != 8*K - 2
M*M + N*N != 9*K + 3
N*N*N != 9*K - 5
3*M*M - 2*N*N != 8*M - 3
N*(N + 1)//2*2 == N*(N + 1)
N*(N + 1)*(2*N + 1) % 6 == 0
(N*(N - 1))//2 + N == N*(N + 1)//2
""".strip().splitlines()

REFUTED = {
    "(N*N + 1) % 5 != 0": {"N": 2},
    "(N*N) % 7 != 4": {"N": 2},
    "(M*M + N*N) % 4 != 2": {"M": 1, "N": 1},
    "(N**3 - N) % 12 == 0": {"N": 2},
    "M*M - N*N != 8*K": {"M": 3, "N": 1, "K": 1},
    "M*M + N*N != 9*K + 2": {"M": 2, "N": 4, "K": 2},
    "N*(N + 1)//4*4 == N*(N + 1)": {"N": 1},
}


@pytest.mark.parametrize("claim", PROVED)
def test_proved_for_every_remainder_with_a_certificate(claim):
    verdict = sl.prove.holds(claim)
    assert verdict.proved, verdict
    assert verdict.certificate is not None


@pytest.mark.parametrize("claim", REFUTED)
def test_refuted_by_the_smallest(claim):
    assert sl.prove.holds(claim).counterexample.sizes == REFUTED[claim]


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("(N*N) % 4 <= 1", ["N >= -5"]),
        ("(z*z + 1) % 7 != 0", ["z >= -9"]),
        ("(z**3 - z) % 6 == 0", ["z >= -100"]),
        ("(z*y*(z + y)) % 2 == 0", ["z >= -100", "y >= -7"]),
        ("z*z - y*y != 8*x + 2", ["z >= -100", "y >= -7", "x >= -9"]),
    ],
)
def test_numbers_that_may_be_negative_have_remainders_as_well(claim, where):
    verdict = sl.prove.holds(claim, where=where)
    assert verdict.proved
    assert recheck(verdict.certificate).ok


def test_a_remainder_of_a_negative_number_refutes():
    verdict = sl.prove.holds("(N*N*N) % 4 != 3", where="N >= -5")
    assert verdict.counterexample.sizes == {"N": -1}


def test_two_symbols_with_facts():
    for a, b in itertools.product(range(4), repeat=2):
        claim = f"(M*N + {a}) % 4 != {b}"
        verdict = sl.prove.holds(claim, where=["M % 2 == 0", "N % 2 == 1"])
        true = all(operator.ne((m * n + a) % 4, b) for m in range(2, 10, 2) for n in range(1, 9, 2))
        assert verdict.proved == true, verdict


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("min(i, j) <= i", "j//min(j, i) >= 0"),
        ("max(i, j) >= i", "j//max(j, i) >= 0"),
        ("i >= 0", "j % min(j, i) == 0 and symbol j"),
        ("i >= 0", ["j//min(i, j) >= i//min(j, i)", "i % (i//j + 1) >= 0"]),
        ("i >= 0", ["i % min(i, j) == 0", "j % min(i, j) == 0"]),
        ("i >= 0", ["i == min(i//2, j) + i//3", "i//min(i//2 + 1, j) >= j"]),
        ("i + M >= j*j - j*j", "(N - N)//(7 % 4) == ceildiv(M, N) % 2 and symbol N"),
        ("i >= 0", "ceildiv(i, min(ceildiv(i, j), j)) >= 1 and symbol j"),
    ],
)
def test_a_divisor_made_of_what_it_divides(claim, where):
    """No digit is made of itself: such a division stays a quotient of its own."""
    verdict = sl.prove.holds(claim, where=where)
    assert verdict.status == ("vacuous" if "i//3" in where[0] else "proved"), verdict
