"""The law of empty layouts: with a size of 0 a strided buffer has no elements, so no bytes."""

from __future__ import annotations

import json

import pytest

from symlayout import prove, recheck


def test_modes_without_true_elements_have_no_buffer():
    text = "((4,ceildiv(M,4)),N):((1,4*N),4):(M,N)"
    for word in ("bounded", "injective", "valid"):
        assert getattr(prove, word)(text, where=["M >= 0", "N >= 0"]).proved
    for empty in ("(4):(1):(M)", "f32[M]{0:PAD(4)}"):
        assert prove.onto(empty, where="M == 0").proved
    assert prove.bytes("f32[M]{0:PAD(4)}", 0, where="M == 0").proved
    assert prove.bytes("f32[0]{0:PAD(4)}", 0).proved
    assert prove.onto("(4):(1):(0)").proved
    assert prove.onto(text, where=["M == 0", "N <= 3"]).proved


@pytest.mark.parametrize(
    ("word", "args"),
    [
        ("injective", ["(M):(8//t)"]),
        ("onto", ["(M):(8//t)"]),
        ("bijective", ["(M,4):(8//t,M)"]),
        ("bounded", ["(M):(8//t)"]),
        ("equal", ["(M):(8//t)", "(M):(7//t)"]),
        ("formula", ["f32[M]{0}", "i//t"]),
        ("formula", ["f32[4,M]{1,0}", "i%(s-t)"]),
    ],
)
def test_a_box_without_places_asks_for_no_divisor(word, args):
    facts = ["M == 0", "0 <= t", "s >= 0"] if "s" in args[-1] else ["M == 0", "t >= 0"]
    assert getattr(prove, word)(*args, where=facts).proved
    one = getattr(prove, word)(*args, where=["M == 1", *facts[1:]])
    assert one.status == "refuted"
    assert "undefined" in f"{one.counterexample.left}{one.counterexample.right}"


def test_a_box_without_places_is_no_excuse_for_sizes():
    assert prove.equal("f32[M,2]", "f32[M,3]", where="M == 0").status == "refuted"
    assert prove.injective("f32[M,N-2]", where="M == 0").status == "refuted"
    assert prove.bytes("f32[M,4]", 16, where="M == 0").status == "refuted"
    for word, least in (("bytes", 0), ("padding", 2)):
        text = "strided f32[2,S] strides(2,5%S)"
        assert getattr(prove, word)(text, least, where="0 <= S <= 0").proved


def test_a_block_of_no_size():
    for name in ("PaddingRowMajor", "PaddingColumnMajor"):
        made = prove.injective(f"{name}(N,N,b,2)", where="b >= 0")
        assert made.reason == "the block size b is 0 at b = 0; add b >= 1"


@pytest.mark.parametrize("word", ["onto", "bijective"])
def test_an_empty_result_leaves_the_operand_unread(word):
    text = "broadcast_in_dim(f32[4], dims=(1), to=f32[N,4])"
    verdict = getattr(prove, word)(text, where="N >= 0")
    assert verdict.refuted
    assert prove.onto(text).proved


def test_steps_of_tiles_that_mean_nothing_prove_nothing():
    verdict = prove.bijective("pad_reshape_transpose(s4[5]{0:T(s)})", where="s == -1")
    assert verdict.refuted
    assert "the tile size s is -1" in verdict.reason
    padded = "pad_reshape_transpose(f32[M]{0:PAD(P)})"
    assert prove.injective(padded, where="P >= 0").refuted
    assert prove.injective(padded, where="P >= M").proved


def test_no_counterexample_lies_in_a_box_without_places():
    tiled = prove.valid("s8[a%4]{0:T(3)(2,2)(x,x//2)}", where=["x % 3 != 1", "a != x + 1"])
    assert tiled.counterexample is None  # found at a == 4*n, at coordinate -1, once
    text = "((M+1,M+1),(N-4,N-4)):(((M+1)*(N-4),1),(M+1,((M+1)*(N-4))*(M+1)))"
    wanted = "r%(M+1)*((M+1)*(N-4)) + r//(M+1) + z%(N-4)*(M+1) + z//(N-4)*(M+1)*(M+1)*(N-4)"
    nested = prove.formula(text, wanted, coords="r z", where=["N-4 >= 0"])
    assert nested.counterexample is None


@pytest.mark.parametrize(
    ("word", "text", "certain"),
    [
        ("injective", "((K,1),(16,N//4,2*M)):((16*(N//4),K),(1,16,16*(N//4)*K))", True),
        ("bounded", "((N//4,N),(2*M,5)):((M*N,0),(5*(N//4),1))", True),
        ("bijective", "((N//4,4),M):((4,1),4*(N//4))", True),
        ("bijective", "((N-1,2),5):((10,5),1)", True),
        ("onto", "((ceildiv(M,4),2),(3,N-1)):((6*(N-1),1),(2,6))", True),
        ("bijective", "(0,N):(1,S)", True),
        ("bijective", "((N//4,4),M):((8,1),4*(N//4))", False),
        ("onto", "((N-1,2),5):((20,5),1)", False),
        ("injective", "((N-1,2),5):((5,5),1)", False),
    ],
)
def test_factors_of_an_extent_that_may_be_0(word: str, text: str, certain: bool) -> None:
    """Where a factor is 0 there is no place, and else each is at least 1."""
    verdict = getattr(prove, word)(text)
    assert verdict.status == ("proved" if certain else "refuted"), verdict
    made = verdict.certificate
    assert not certain or recheck(json.loads(json.dumps(made))).ok


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("injective", "(3,(2,N)):(1@0,(2@1,4@0))"),
        ("bounded", "(M,(2,N)):(3@0,(3@1,8@0))"),
        ("valid", "(M,N):(2@0,3@1)"),
        ("bijective", "(M,(3,N)):(1@1,(1@0,3@0))"),
        ("onto", "(M,N):(1@0,1@1)"),
        ("bounded", "(2*M,(2*M,N)):(1@1,(2@1,1@1))"),
        ("onto", "(N,(2,M)):(1@0,(0@0,1@0))"),
    ],
)
def test_directions_of_nothing_reach_nothing(word, text):
    """Strides say how far elements reach; an array without elements has a box without places."""
    names = [n for n in "MN" if n in text]
    verdict = getattr(prove, word)(text, where=[f"{n} >= 0" for n in names])
    assert verdict.proved
    assert recheck(json.loads(json.dumps(verdict.certificate))).ok


def test_a_name_that_the_map_lost_is_still_a_size() -> None:
    text = "broadcast_in_dim(strided s8[1,4] strides(P,1), dims=(1,2), to=s8[M,3,4])"
    assert prove.aligned(text, "8//P", dim=2).status == "refuted"  # P = 9 gives 0 bytes
    assert prove.aligned(text, "8//P", dim=2, where=["P == 8", "M >= 1"]).proved
