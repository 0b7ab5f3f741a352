"""The checker's own reading of CuTe's operations: what it is, and that no list of sizes bends it."""

from __future__ import annotations

import pytest
from test_algebra_texts import SYMBOLIC

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
