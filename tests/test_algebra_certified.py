"""The checker's own reading of CuTe's operations: what it is, and that no list of sizes bends it."""

from __future__ import annotations

import json

import pytest
from algebra_rows import SYMBOLIC
from certificates import seal

from symlayout import parse, prove, recheck


@pytest.mark.sample(13)
@pytest.mark.parametrize(
    ("text", "facts"), [row[:2] for row in SYMBOLIC], ids=lambda x: str(x)[:60]
)
def test_every_operation_that_is_proved_is_certified(text, facts):
    made = parse(text).under(facts).layout
    if "o Swizzle" in str(made):
        return  # one after the other: it has no text but its own
    verdict = prove.equal(text, str(made), where=facts)
    assert verdict.proved, verdict
    assert verdict.certificate is not None, text
    answer = recheck(verdict.certificate)
    assert answer.ok, answer.failures


NESTED = [
    ("coalesce(zipped_divide((M,N):(N,1), (BM,N)))", "(BM,N,M//BM):(N,1,BM*N)", ["M % BM == 0"]),
    ("composition((M,N):(N,1), left_inverse((M,N):(N,1)))", "(N,M):(1,N)", []),
    ("upcast(zipped_divide((M,N):(N,1), (8,8)), 4)",
     "((8,2),(M//8,N//8)):((N//4,1),(2*N,2))", ["M % 8 == 0", "N % 8 == 0"]),
    ("recast(recast((M,N):(N,1), 32, 8), 8, 32)", "(M,N):(N,1)", []),
    ("blocked_product((M,K):(K,1), (4,4):(4,1))", "((M,4),(K,4)):((K,4*K*M),(1,K*M))", []),
    ("make_layout((M,N):(N,1), complement((M,N):(N,1), M*N*K))", "((M,N),K):((N,1),M*N)", []),
    ("coalesce((M,N,K):(1,M,7))", "(M*N,K):(1,7)", []),
    ("left_inverse((M,N):(ld,1))", "(ld,M):(M,1)", ["ld % N == 0"]),
    ("tile_to_shape(Swizzle<3,3,3> o 0 o (8,64):(64,1), (8*M,64*N))",
     "Swizzle(3,3,3) o 0 o (8*M,(64,N)):(64,(1,512*M))", []),
    ("composition(Swizzle<2,0,3>, Swizzle<2,0,3> o 0 o (M,8):(8,1))",
     "Swizzle(0,0,3) o 0 o (M,8):(8,1)", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "other", "facts"), NESTED)
def test_nested_operations_are_certified(text, other, facts):
    verdict = prove.equal(text, other, where=facts)
    assert verdict.proved, verdict
    assert verdict.certificate is not None
    answer = recheck(verdict.certificate)
    assert answer.ok, answer.failures


SWIZZLES = [
    ("injective", "compose_swizzle(S<2,0,2>, upcast((M,8):(8,1), 2))", []),
    ("injective", "zipped_divide(Swizzle<3,3,3> o 0 o (M,64):(64,1), (8,64))", ["M % 8 == 0"]),
    ("bijective", "tile_to_shape(Swizzle<3,3,3> o 0 o (8,64):(64,1), (8*M,64*N))", []),
    ("valid", "composition(Swizzle<3,3,3>, (8*M,64):(64,1))", []),
    ("valid", "Swizzle<3,3,3> o 0 o (8*M,64):(64,1)", []),
    ("injective", "slice_((_,K), Swizzle<2,0,2> o 0 o (M,N):(N,1))", ["K < N"]),
]


@pytest.mark.parametrize(("word", "text", "facts"), SWIZZLES)
def test_a_swizzle_of_full_rank_permutes_what_an_operation_gives(word, text, facts):
    verdict = getattr(prove, word)(text, where=facts)
    assert verdict.proved, verdict
    answer = recheck(verdict.certificate)
    assert answer.ok, answer.failures


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("injective", "compose_swizzle(S<2,0,2>, (M,4):(3,1))"),
        ("injective", "slice_((_,K), Swizzle<2,0,2> o 0 o (M,N):(N,1))"),
        ("bijective", "compose_swizzle(S<2,0,2>, (M,4):(8,1))"),
        ("valid", "compose_swizzle(S<2,0,2>, (M,4):(0,1))"),
    ],
)
def test_a_swizzle_mends_nothing(word, text):
    assert getattr(prove, word)(text).refuted


def forged(made, **changes):
    result = {**json.loads(json.dumps(made)), **changes}
    return recheck({**result, "seal": seal(result)})


def test_sizes_that_decide_are_of_the_facts():
    made = prove.equal("coalesce((M,N):(N,1))", "N:1", where=["M == 1"]).certificate
    assert recheck(made).ok
    assert not forged(made, points=[{"M": 2, "N": 3}]).ok
    assert not forged(made, points=[{"N": 3}]).ok
    assert not forged(made, points=[]).ok
    assert not forged(made, points=[{"M": 1, "N": True}]).ok
    assert not forged(made, points="M").ok
    assert not forged(made, points=[{"M": 1, "N": 3}] * 1000).ok


def test_sizes_that_have_something_in_common_do_not_prove_it():
    """At M == 1 and N == 1 the modes join; a claim that they do is false, whatever is listed."""
    made = prove.equal("coalesce((M,N):(N,1))", "N:1", where=["M == 1"]).certificate
    for points in ([{"M": 1, "N": 3}], [{"M": 1, "N": 1}], [{"M": 1, "N": n} for n in range(1, 9)]):
        assert not forged(made, facts=[], points=points).ok
    one = prove.equal("coalesce((M,N):(1,M))", "M*N:1").certificate
    claim = {**one["claim"], "arguments": ["coalesce((M,N):(1,ld))", "M*N:1"]}
    points = [{"M": m, "N": n, "ld": m} for m in (2, 3) for n in (2, 5)]
    assert not forged(one, claim=claim, points=points, sizes=points[0]).ok


@pytest.mark.parametrize(
    ("claim", "facts"),
    [
        ("size(zipped_divide((M,N):(N,1), (4,N))) == M*N", ["M % 4 == 0"]),
        ("cosize(coalesce((M,N):(1,M))) == M*N and rank(coalesce((M,N):(1,M))) == 1", []),
        ("size(composition((M,N):(N,1), (M,N):(1,M))) == size((N,M))", []),
    ],
)
def test_sizes_of_operations_in_relations_are_certified(claim, facts):
    verdict = prove.holds(claim, where=facts)
    assert verdict.proved, verdict
    made = verdict.certificate
    assert recheck(made).ok
    wrong = {**made["claim"], "arguments": [claim.replace("==", ">", 1)]}
    assert not forged(made, claim=wrong).ok
