"""Small divisors: proofs that look at every remainder."""

from __future__ import annotations

import itertools
import operator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout.certificate.kernel import recheck
from symlayout.digits.assume import assume
from symlayout.digits.context import Context
from symlayout.digits.residues import holds_in_every_case
from symlayout.digits.windows import window
from symlayout.expr.facts import Facts, read_relations
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import value

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


def test_proved_for_large_numbers_only():
    assert sl.prove.holds("(N*N + 1) % 7 != 0", where="N >= 1000000").proved


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


coefficient = st.integers(-4, 4)


@given(
    st.lists(coefficient, min_size=2, max_size=4),
    st.integers(2, 9),
    st.integers(0, 8),
    st.sampled_from(["!=", "==", "<=", ">="]),
)
@settings(max_examples=60, deadline=None)
def test_what_residues_say_is_what_numbers_say(line, modulus, rest, op):
    """A polynomial of one symbol modulo a small number takes its values in one period."""
    power = " + ".join(f"({c})*N**{k}" for k, c in enumerate(line))
    claim = f"({power}) % {modulus} {op} {rest}"
    verdict = sl.prove.holds(claim)
    relation = read_relations(claim)[0]
    true = all(relation.holds({"N": n}) for n in range(1, modulus + 1))
    assert verdict.status == ("proved" if true else "refuted"), verdict


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


@pytest.mark.parametrize(
    "claim",
    [
        "(N*N+1)*(N*N+2)*(N*N+3)*(N*N+5)*(N*N+7)*(N*N+11)*(N*N+13)*(N*N+17)*(N*N+19)*(N*N+23)"
        " % 1000000000039 != 0",
        "(M*N+1)*(M*M+2*N)*(N*N+3)*(N*M+5)*(N*N+7*M)*(N*N+11)*(M*N+13)*(N*N+17)*(M*N+19)*(N*N+23)"
        " % 1000003 != 1",
        "A**5 + B**5 != C**5",
        "(A*A - 2*B*B)*(A*A - 2*B*B) >= 1",
    ],
)
def test_a_hard_claim_ends_as_unknown(claim):
    assert sl.prove.holds(claim).status == "unknown"


def test_a_window_with_a_top_digit_that_may_be_negative_has_its_least_value():
    ctx = Context()
    ctx.residues = True
    assume(ctx, Facts.read("z >= -9"), ["z"], {})
    for text in ("z%6", "z%2"):
        ctx.poly(read_expression(text))
    (root,) = ctx.roots.values()
    assert [ctx.atoms[d].low for d in root.digits] == [0, 0, -2]
    assert ctx.atoms[window(ctx, root, 1, 2)].low == -6
    assert ctx.atoms[window(ctx, root, 0, 1)].low == 0


TERMS = ("N % 4", "M % 3", "min(N % 4, M % 3)", "max(N % 4, 2)", "(N % 4)*(M % 3)//2")
OF_MANY = ("0", "min(M, N)", "max(M % 3, N)", "(M + N)//(N % 4 + 1)", "2**(1000*(N % 4))")


@given(
    st.lists(st.integers(-3, 3), min_size=len(TERMS), max_size=len(TERMS)),
    st.integers(-9, 9),
    st.sampled_from(["==", "!=", ">="]),
    st.sampled_from(OF_MANY),
)
@example([0, 0, 2, 0, 0], -1, "!=", "0")
@example([0, 0, 0, 2, 0], -1, "!=", "0")
@example([0, 0, 0, 0, 2], -1, "!=", "0")
@example([0, 0, 0, 0, 0], 0, "!=", "2**(1000*(N % 4))")
@settings(max_examples=200, deadline=None)
def test_each_case_of_few_values_is_looked_at(factors, constant, kind, more):
    """Where all values are few, what holds in every case is what is true, and else no more."""
    text = " + ".join(f"({c})*({t})" for c, t in zip(factors, TERMS))
    e = read_expression(f"{text} + ({constant}) + {more}")
    ctx = Context()
    ctx.residues = True
    assume(ctx, Facts.read(()), ["M", "N"], {})
    p = ctx.poly(e)
    holds = {"==": operator.eq, "!=": operator.ne, ">=": operator.ge}[kind]
    span = range(1, 13)
    true = all(holds(value(e, {"M": m, "N": n}), 0) for m in span for n in span)
    proved = holds_in_every_case(ctx, p, kind)
    assert true or not proved
    if more == "0":
        assert proved == (true and bool(ctx.resolve(p).atoms))
