"""Properties of internal modules; `tests/test_prove_empty.py` tests the public interface."""

from __future__ import annotations

import itertools
import re

import pytest

from symlayout import IndexMap, parse, prove
from symlayout.expr.facts import Facts
from symlayout.expr.terms import symbol, value
from symlayout.layouts.emptiness import with_emptiness

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


def test_an_empty_result_has_not_the_bytes_of_its_operand():
    text = "broadcast_in_dim(f32[4], dims=(1), to=f32[N,4])"
    verdict = prove.reinterpret(text, "f32[4]", where="N >= 0")
    assert verdict.refuted
    assert verdict.counterexample.sizes == {"N": 0}
    assert prove.reinterpret(text, "f32[4]").proved
