"""Properties of internal modules; `tests/test_certificate.py` tests the public interface."""

from __future__ import annotations

import json

import pytest
from certificates import CLAIMS as KINDS
from test_certificate import EMPTY, made_of

import symlayout as sl
from symlayout import Claim, IndexMap, prove, recheck
from symlayout.certificate import enumeration, semantics
from symlayout.certificate.elaborator import certificate
from symlayout.certificate.enumeration import Room
from symlayout.certificate.proof import Statement, Texts
from symlayout.expr.facts import Facts
from symlayout.expr.terms import symbol
from symlayout.layouts.vocabulary import CLAIMS


def test_no_kind_of_claim_is_left_out():
    assert {word for word, *_ in KINDS} == set(CLAIMS)


def test_the_certificate_is_made_when_it_is_asked_for():
    verdict = prove.injective("f32[M,N]{1,0:T(8,128)}")
    assert "certificate" not in vars(verdict)
    assert verdict.certificate is verdict.certificate


def test_it_holds_the_claim_the_facts_and_sizes_that_satisfy_them():
    made = made_of("bounded", "f32[M,N]{1,0}", "4096", where=["M*N <= 4096", "N % 2 == 0"])
    assert made["claim"] == {
        "word": "bounded",
        "arguments": ["f32[M,N]{1,0}", "4096"],
        "options": {},
    }
    assert made["facts"] == ["M*N <= 4096", "N%2 == 0"]
    assert Facts.read(made["facts"]).holds(made["sizes"])


def test_maps_that_no_text_spells():
    M, N = sl.sizes("M N", min=4)
    mine = IndexMap.row_major((M, N)).tile((2, 2)).slice([0, 0, 0, 0], [1, 1, 2, 2])
    for m in (mine, IndexMap.row_major((M, N)).transpose((1, 0))):
        made = json.loads(json.dumps(prove.injective(m).certificate))
        assert set(made["claim"]["arguments"][0]) == {"shape", "coords", "offset", "size", "bits"}
        assert recheck(made).ok


def test_least_values_of_symbols_are_facts():
    N = sl.sizes("N", min=8)
    made = json.loads(json.dumps(prove.bounded(IndexMap.row_major((N - 7,)), N - 7).certificate))
    assert "N >= 8" in made["facts"]
    assert recheck(made).ok


def test_finitely_many_points():
    # a layout whose offset is not linear in digits: every point is looked at
    m = IndexMap((5,), (symbol("i"),), symbol("i") * symbol("i"), 17)
    made = certificate(Claim("injective", (m,)))
    assert made is not None
    assert made["by"] == "cases"
    answer = recheck(json.loads(json.dumps(made)))
    assert answer.ok
    assert answer.relied == ("every allowed point",)
    assert certificate(Claim("onto", (m,))) is None
    bad = {**made, "claim": {**made["claim"], "word": "onto"}}
    assert "cases: the claim fails" in recheck(bad).failures[0]


LONG = (4294967296, 36893488147419103232)


@pytest.mark.parametrize("extent", LONG)
@pytest.mark.parametrize("word", ["injective", "onto", "bijective"])
@pytest.mark.parametrize(
    "text",
    [
        "({},K-4):(1,1)",
        "(K-4,{}):(K,1)",
        "strided f32[K-4,{}] strides({},1)",
        "(K-4,2,{}):({},1,2)",
    ],
)
def test_an_empty_box_is_not_listed_however_long_its_other_sides_are(word, text, extent):
    assert not list(enumeration.points({"a": range(extent), "b": range(0)}, Room()))
    assert recheck(made_of(word, text.replace("{}", str(extent)), where=EMPTY)).ok


def test_valid_maps_of_few_points_have_certificates() -> None:
    """Each point has a place of its own in the box; other places may stay empty."""
    for text in (
        "map i < 3, j < 3: (3*i + 2*j, (i + j)%3) in (11, 3)",
        "(3,(4,4)):(3@1,(3@0,4@1))",
        "tv ((2,1),4):((2,6),3) on (4,3)",
    ):
        verdict = prove.valid(text)
        assert verdict.proved
        assert recheck(json.loads(json.dumps(verdict.certificate))).ok
    for text, right in (("i in 3", True), ("2*i in 3", False), ("i//2 in 3", False)):
        claim = semantics.Claim(Statement("valid", (f"map i < 3: {text}",)))
        assert enumeration.holds_at(claim, {}, Texts(), Room()) == right
