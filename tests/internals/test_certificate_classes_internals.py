"""What the modules behind `tests/test_certificate_classes.py` promise each other."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import parse, prove, recheck
from symlayout.certificate.codec import seal
from symlayout.certificate.enumeration import ranges
from symlayout.certificate.proof import Statement
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError
from symlayout.expr.terms import value


def forged(made, **changes):
    result = {**json.loads(json.dumps(made)), **changes}
    return recheck({**result, "seal": seal(result)})


def test_only_where_there_is_no_place_are_goals_left_out():
    made = prove.equal("f32[0,N]{1,0}", "f32[0,N]{0,1}").certificate
    assert made["parts"]["offsets"] == {"steps": [], "goals": []}
    for one in ("1", "M", "K-K+1"):
        claim = {**made["claim"], "arguments": [f"f32[{one},N]{{1,0}}", f"f32[N,{one}]{{0,1}}"]}
        assert not forged(made, claim=claim, sizes={"M": 2, "N": 2, "K": 1}).ok
        claim = {**made["claim"], "arguments": [f"f32[{one},N]{{1,0}}", f"f32[{one},N]{{0,1}}"]}
        assert not forged(made, claim=claim, sizes={"M": 2, "N": 2, "K": 1}).ok


def test_a_size_that_a_fact_makes_0_is_one_only_with_that_fact():
    made = prove.equal("bf16[a,i-1]{1,0:T(1)}", "RowMajor(a, i-1, C)", where="i <= 1").certificate
    assert {"step": "have", "that": "-1"}.items() <= made["parts"]["offsets"]["steps"][-1].items()
    assert forged(made).ok
    for fact in ("i <= 2", "i >= 1", "i != 2", "a <= 1", "C <= 1"):
        assert not forged(made, facts=[fact]).ok
    for shape in ("[a,i+1]", "[a,2-i]", "[a,i*i]"):
        texts = [f"bf16{shape}{{1,0:T(1)}}", f"RowMajor({shape[1:-1]}, C)"]
        assert not forged(made, claim={**made["claim"], "arguments": texts}).ok


def test_neither_side_of_what_is_not_0_can_be_left_out():
    made = prove.holds("N/(O - i) <= N", where="O != i").certificate
    script = made["texts"]["script"]
    assert [m[0] for m in script].count("sizes") == 2
    assert forged(made).ok
    for k, move in enumerate(script):
        for other in (["impossible"], ["cases"], ["sizes", "O - 1"], None):
            moves = [*script[:k], *([] if other is None else [other]), *script[k + 1 :]]
            if other != move:
                assert not forged(made, texts={**made["texts"], "script": moves}).ok
    for fact in ("O >= i", "O != i + 1", "O != 1"):
        assert not forged(made, facts=[fact], sizes={"N": 1, "O": 2, "i": 1}).ok


def test_a_layout_against_a_map_is_defined():
    made = prove.equal("map i < N: i", "f32[N]{0:T(t)}", where="t >= 1").certificate
    assert forged(made).ok
    assert made["parts"]["defined"]["goals"]
    parts = {k: v for k, v in made["parts"].items() if k != "defined"}
    assert not forged(made, parts=parts).ok
    assert not forged(made, parts={**parts, "defined": {"steps": [], "goals": []}}).ok
    for fact in ("t >= 0", "t >= -1", "t + N >= 1"):
        assert not forged(made, facts=[fact]).ok


def test_arrays_that_are_broadcast_have_the_extents_of_their_coordinates():
    made = prove.broadcast("map i < 3, j < K: i*5 + j in 3*K", "f32[3,K]").certificate
    assert forged(made).ok
    for text in ("map i < 3, j < K+1: i*5 + j", "map i < 4, j < K: i", "map j < 3, i < 2: i", "K"):
        assert not forged(made, claim={**made["claim"], "arguments": [text, "f32[3,K]"]}).ok


def test_a_square_is_no_more_than_it_is():
    made = prove.holds("a*a + b*b >= 2*a*b").certificate
    assert forged(made).ok
    for text in ("a*a + b*b >= 2*a*b + 1", "a*a + b*b >= 3*a*b", "a*a + b >= 2*a*b", "a*b >= b*b"):
        assert not forged(made, claim={**made["claim"], "arguments": [text]}).ok
    (goal,) = made["parts"]["sizes"]["goals"]
    assert goal[2][0] == "square"
    for other in ("a + b", "a - 2*b", "a - b - 1", "a", "0"):
        wrong = [*goal[:2], ["square", {"a": other}, *goal[2][2:]]]
        assert not forged(made, parts={"sizes": {"steps": [], "goals": [wrong]}}).ok


def test_a_divisor_is_no_0_only_where_the_condition_is_on_the_way():
    text = "map i < N: (i//{} if {} else 0) in N"
    made = prove.bounded(text.format("k", "k > 0"), where="k >= -1").certificate
    assert forged(made).ok
    for divisor, condition in (("k", "k >= 0"), ("k", "N > 0"), ("k - 1", "k > 0"), ("k", "k < 0")):
        claim = {**made["claim"], "arguments": [text.format(divisor, condition)]}
        assert not forged(made, claim=claim).ok
        for moves in ([*made["texts"]["script"]], []):
            assert not forged(made, claim=claim, texts={**made["texts"], "script": moves}).ok


FACTS = """
    {0}*{1} <= {2}; {0}*{1} == {2}; 2*{0}*{1} < {2}; -{0}*{1} >= {2}; {0}*x*{1} <= {2}; {0}**3 < {2}
    max({0}, {1}) <= {2}; max({0}, {1} + 1) < {2}; max({0}, {1}) >= {2}; max({0}, {1}) == {2}
    min({0}, {1}) >= {2}; min({0}, 3) > {2}; min({0}, {1}) <= {2}; {0} + {1} <= {2}
    {0} >= {2}; {0} <= {2}; {0} >= 1; {1} >= 1; ({0} | 1) == {2}; ({0} | {1}) <= {2}; ({0} | -2) < {2}
""".strip().replace("\n", ";")

NAMES = st.sampled_from("xy")

FACT = st.builds(str.format, st.sampled_from(FACTS.split(";")), NAMES, NAMES, st.integers(-4, 9))


@settings(deadline=None)
@given(st.lists(FACT, min_size=1, max_size=5))
def test_no_size_that_facts_allow_lies_outside_of_its_range(facts):
    claim = Claim(Statement("holds", ("x + y == y + x",), facts=tuple(facts)))
    try:
        found = ranges(claim)
    except LayoutError:
        return  # no end is found
    for x, y in product(range(-14, 15), repeat=2):
        if claim.allows({"x": x, "y": y}):
            assert x in found["x"]
            assert y in found["y"]


@pytest.mark.parametrize("bytes_", ["0", "-4", "0-N", "N-N", "4-8*N"])
def test_an_empty_array_is_aligned_to_no_number_below_1(bytes_):
    made = prove.aligned("f32[0,N]", "4").certificate
    assert forged(made).ok
    claim = {**made["claim"], "arguments": ["f32[0,N]", bytes_]}
    assert not forged(made, claim=claim).ok


def test_an_alignment_to_no_bytes_is_none_of_an_empty_array_either():
    made = prove.aligned("f32[0]", "4").certificate
    claim = {**made["claim"], "arguments": ["f32[0]", "0"]}
    assert not forged(made, claim=claim).ok


@pytest.mark.parametrize("name", ["mod", "max", "ceildiv", "truncmod"])
def test_a_size_may_have_a_function_s_name(name):
    made = prove.bounded(f"(4,({name},N)):(E<0>,(E<1,0>,E<1,1>))").certificate
    assert forged(made).ok
    other = prove.injective(f"({name},N):(N,1)", where=f"{name} == 3").certificate
    assert forged(other).ok
    assert not forged(other, facts=[f"{name} == 4"]).ok


def test_the_idiom_is_the_ceiling_in_plain_integers():
    m = parse("f32[R,x]{1,0:T(M,M)}").index_map()
    for sizes in ({"R": 3, "x": 5, "M": 2}, {"R": 2, "x": 4, "M": 3}):
        big = -(-sizes["x"] // sizes["M"]) * sizes["M"] ** 2
        at = {**sizes, **{c.name: k for c, k in zip(m.coords, (sizes["R"] - 1, sizes["x"] - 1))}}
        i, j, t = sizes["R"] - 1, sizes["x"] - 1, sizes["M"]
        assert value(m._raw, at) == j % t + i % t * t + j // t * t * t + i // t * big


@pytest.mark.parametrize("strides", ["(N,64)", "(64,N)", "(1,1)"])
def test_of_equal_steps_prover_and_checker_take_one_row(strides):
    """At the sizes where they look the steps are equal: each took a row of its own."""
    text = f"strided f32[M,N] strides{strides}"
    along = [prove.aligned(text, "256", dim=dim) for dim in ("0", "1")]
    asked = prove.aligned(text, "256")
    assert asked.status == along[1].status
    for row, verdict in enumerate(along):
        if verdict.proved:
            whole = {**verdict.certificate["claim"], "options": {}}
            assert forged(verdict.certificate, claim=whole).ok == (row == 1)
