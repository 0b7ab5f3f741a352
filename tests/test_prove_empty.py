"""The law of empty layouts: with a size of 0 a strided buffer has no elements, so no bytes."""

from __future__ import annotations

import itertools
import json
import re

import pytest

from symlayout import prove
from symlayout.certificate.kernel import recheck
from symlayout.expr.facts import Facts
from symlayout.expr.terms import symbol, value
from symlayout.layouts.emptiness import with_emptiness
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.notation import parse

M, N = symbol("M"), symbol("N")
LAYOUTS = [
    "strided f32[M,4] strides(8,1)",
    "strided f32[M,N] strides(1,M+1) offset M",
    "strided f32[M//2,N+1] strides(N+3,1)",
    "strided f32[2*M,ceildiv(N,2)] strides(8,1)",
    "strided f32[M,N] strides(N,1)",
    "(M,4):(1,1)",
    "((M,2),N):((3,1),N)",
    "(M,N):(2*N,1)",
    "RowMajor(f64, 2*M, N, 7)",
]


@pytest.mark.parametrize("text", LAYOUTS)
def test_the_size_of_a_layout_with_symbols_is_the_size_with_numbers(text):
    made = with_emptiness(parse(text).index_map(), Facts.read(["M >= 0", "N >= 0"]))
    empty = set()
    for m, n in itertools.product(range(4), repeat=2):
        numbers = re.sub(r"\bN\b", str(n), re.sub(r"\bM\b", str(m), text))
        size = value(made.size, {"M": m, "N": n})
        assert size == parse(numbers).index_map().size, numbers
        empty.add(size == 0)
    assert empty == {True, False}


@pytest.mark.parametrize("text", LAYOUTS)
def test_sizes_that_are_at_least_1_leave_the_size_as_it_is_written(text):
    plain = parse(text.replace("M//2", "M")).index_map()
    for facts in ([], ["M >= 0", "M >= N"], ["0 < M", "N % 4 == 0"]):
        assert with_emptiness(plain, Facts.read(facts)) is plain


def test_a_size_that_is_0_by_itself_needs_no_minimum():
    facts = Facts.read("M >= 0")
    for text in ("strided f32[M,N] strides(N,1)", "f32[M,N]{1,0:T(8,128)}", "(2*M,N):(N,1)"):
        assert "min" not in str(with_emptiness(parse(text).index_map(), facts).size)
    assert str(with_emptiness(parse("(M,4):(8,1)").index_map(), facts).size).count("min(M, 1)") == 1


def test_a_quotient_of_sizes_may_be_0_without_any_fact():
    wrong = prove.bytes("strided f32[M//2,4] strides(8,1)", "4*(8*(M//2-1)+4)")
    assert wrong.counterexample.sizes == {"M": 1}
    assert wrong.counterexample.left == 0
    assert prove.bytes("strided f32[M//2,4] strides(8,1)", "4*(8*(M//2-1)+4)", where="M > 1").proved


def test_bytes_of_an_empty_array():
    text = "strided f32[M,4] strides(8,1)"
    wrong = prove.bytes(text, "4*(8*(M-1)+4)", where="M == 0")
    assert (wrong.counterexample.left, wrong.counterexample.right) == (0, -16)
    assert prove.bytes(text, 0, where="M == 0").proved
    assert prove.bytes(text, "4*(8*M - 4)").proved
    assert prove.bytes(text, "4*(8*M - 4)", where="M >= 0").counterexample.sizes == {"M": 0}
    assert prove.bytes(text, "min(1, M)*4*(8*M - 4)", where="M >= 0").proved


def test_an_empty_layout_is_onto_its_empty_buffer():
    for text in ("(M,4):(1,1)", "(4,M):(1,1)", "strided f32[M,4] strides(2,1)"):
        assert prove.onto(text, where="M == 0").proved
        assert prove.onto(text, where="M >= 0").proved
    assert prove.bijective("strided f32[M,4] strides(4,1)", where="M >= 0").proved
    assert prove.valid("strided f32[M,4] strides(8,1)", where="M >= 0").proved
    wrong = prove.onto("strided f32[M,4] strides(8,1)", where="M >= 0")
    assert wrong.counterexample.sizes == {"M": 2}


def test_two_views_of_nothing_are_one_buffer():
    a, b = "strided f32[M,4] strides(8,1)", "strided f32[M,4] strides(4,1) offset 2"
    assert prove.bitcast(a, b, where="M == 0").proved
    assert prove.reinterpret(a, b, where="M == 0").proved
    assert prove.padding(a, 1, where="M == 0").proved
    assert prove.bitcast(a, b, where="M >= 0").counterexample.sizes == {"M": 1}


def test_nothing_is_stored_of_a_slice_of_nothing():
    whole = parse("strided f32[M,N] strides(8,1)").index_map()
    part = whole.slice((0, 0), (M, 1))
    assert (
        with_emptiness(part, Facts.read("N >= 0")).size
        == with_emptiness(whole, Facts.read("N >= 0")).size
    )
    assert whole.buffer(M=0, N=3).size == 0
    assert IndexMap.strided((M, N), (8, 1)).concrete({"M": 2, "N": 0}) == ((2, 0), 0)


def test_a_size_that_is_given_is_kept():
    given = IndexMap.strided((M,), (1,), size=64)
    assert with_emptiness(given, Facts.read("M >= 0")).size == 64


def test_a_negative_size_is_undefined():
    text = "strided f32[M-2,N] strides(N,1)"
    made = with_emptiness(parse(text).index_map(), Facts())
    assert [value(made.size, {"M": m, "N": 5}) for m in (2, 3, 4)] == [0, 5, 10]
    for verdict in (prove.bytes(text, "4*N*max(0, M - 2)", where="M <= 9"), prove.bijective(text)):
        assert verdict.reason == "the extent M - 2 is -1 at M = 1; add M >= 2"
        assert verdict.counterexample.sizes == {"M": 1, "N": 1}
    assert prove.bytes(text, "4*N*(M - 2)", where="M >= 2").proved
    assert prove.bijective(text, where="M >= 2").proved


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


def test_an_empty_result_has_not_the_bytes_of_its_operand():
    text = "broadcast_in_dim(f32[4], dims=(1), to=f32[N,4])"
    verdict = prove.reinterpret(text, "f32[4]", where="N >= 0")
    assert verdict.refuted
    assert verdict.counterexample.sizes == {"N": 0}
    assert prove.reinterpret(text, "f32[4]").proved


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


def test_directions_of_nothing_go_there_and_back():
    a, b = "(M,N):(1@1,1@0)", "(N,M):(1@1,1@0)"
    assert prove.inverse(a, b, where=["M >= 0", "N >= 0"]).proved
    there = "map i < M, j < N: (j, i) in (N, M)"
    assert prove.equal(a, there, where=["M >= 0", "N >= 0"]).proved
