"""Forged proofs by signs of sizes, of claims about empty boxes, and by what facts divide by."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from certificates import seal

from symlayout import prove, recheck

Json = dict[str, Any]


def made_of(word: str, *arguments: str, where: Any) -> Json:
    verdict = getattr(prove, word)(*arguments, where=where)
    assert verdict.proved
    return json.loads(json.dumps(verdict.certificate))


def accepted(made: Json, **changes: Any) -> bool:
    result = {**json.loads(json.dumps(made)), **changes}
    return recheck({**result, "seal": seal(result)}).ok


@pytest.fixture(scope="module")
def sides() -> Json:
    made = made_of("onto", "(K,2*M):(P,1)", where="0 <= P <= 2*M")
    assert made["by"] == "sizes"
    return made


def test_neither_side_can_be_left_out(sides):
    script = sides["texts"]["script"]
    assert [row[0] for row in script].count("proof") == 2
    assert accepted(sides)
    for k, row in enumerate(script):
        others: list[Any] = [None, ["sizes", "P"], ["sizes", "P - 2"], ["sizes", "1 - P"]]
        others += [["proof", by, "offset"] for by in ("script", "cases", "rank", "sizes", "blocks")]
        for other in (o for o in others if o != row):
            rows = [*script[:k], *([] if other is None else [other]), *script[k + 1 :]]
            assert not accepted(sides, texts={"script": rows}), rows
    for rows in ([*script, script[-1]], [*script, *script], script[1:], script[:-1], []):
        assert not accepted(sides, texts={"script": rows})
    for name in sides["parts"]:
        assert not accepted(sides, parts={n: p for n, p in sides["parts"].items() if n != name})
        empty = {**sides["parts"], name: {"steps": [], "goals": []}}
        assert not accepted(sides, parts=empty)


def test_one_side_is_no_proof_of_the_other(sides):
    """Each side's proof in the place of the other one's."""
    parts, script = sides["parts"], sides["texts"]["script"]
    swapped = {f"{'10'[int(n[0])]}{n[1:]}": part for n, part in parts.items()}
    assert not accepted(sides, parts=swapped)
    halves: list[list[Any]] = []
    for row in script[1:]:
        halves += [[row]] if row[0] == "proof" else []
        halves[-1] += [] if row[0] == "proof" else [row]
    for k in range(2):
        both = {f"{n}{name[1:]}": p for name, p in parts.items() for n in "01" if name[0] == str(k)}
        assert not accepted(
            sides, parts=both, texts={"script": [script[0], *halves[k], *halves[k]]}
        )


@pytest.mark.parametrize("facts", [["0 <= P"], ["0 <= P <= 2*M + 1"], ["-1 <= P <= 2"]])
def test_it_is_a_proof_under_its_facts_alone(sides, facts):
    sizes = {"K": 1, "M": 1, "P": 1}
    assert not accepted(sides, facts=facts, sizes=sizes)


def onto_by_hand(k: int, m: int, p: int) -> bool:
    """Whether i*p + j, for i < k and j < 2*m, takes every value up to its greatest one."""
    values = {i * p + j for i in range(k) for j in range(2 * m)}
    return values == set(range(max(values) + 1))


def test_the_claim_is_true_in_plain_integers():
    box = product(range(1, 5), range(1, 4), range(9))
    assert all(onto_by_hand(k, m, p) == (p <= 2 * m or k == 1) for k, m, p in box)


# -- empty boxes ----------------------------------------------------------------------------------

FACTS = ["t >= 0", "M == 0"]


@pytest.mark.parametrize("others", ["M >= 0", "M == 1", "M <= 1", "M >= -1", "t == 0", "M*M == 0"])
def test_strides_are_free_only_where_facts_leave_no_element(others):
    made = made_of("injective", "(M):(8//t)", where=FACTS)
    assert accepted(made)
    for sizes in ({"M": 0, "t": 0}, {"M": 1, "t": 0}, {"M": 0, "t": 1}, {"M": 1, "t": 1}):
        assert not accepted(made, facts=[others], sizes=sizes)
        assert not accepted(made, facts=["t >= 0", others], sizes=sizes) or others == "M == 0"


@pytest.mark.parametrize(
    ("word", "argument", "more"),
    [
        ("injective", "(M,8//t):(1,M)", []),  # an extent has a value, or there is no box
        ("injective", "(M+1):(8//t)", []),
        ("injective", "(1-M):(8//t)", []),
        ("bounded", "map i < M: i in 8//t", []),  # a box that is written is not that of strides
        ("injective", "f32[M,8]{1,0:T(8//t)}", []),  # nor is a tile
        ("injective", "zN(f16,M,8//t)", []),
        ("bounded", "broadcast_in_dim(strided f32[4] strides(8//t), dims=(1), to=f32[M,4])", []),
        ("bytes", "strided f32[M] strides(8//t)", ["4"]),
        ("bytes", "strided f32[M] strides(8//t)", ["8//t"]),
        ("equal", "(M):(8//t)", ["(M+1):(8//t)"]),
        ("equal", "(M):(8//t)", ["(M,1):(8//t,1)"]),
        ("formula", "(M+1):(8//t)", ["i*(8//t)"]),
    ],
)
def test_nothing_else_is_free_without_an_element(word, argument, more):
    """Claims that are false at M == 0 and t == 0, over proofs of those that are true there."""
    assert not getattr(prove, word)(argument, *more, where=FACTS).proved
    proofs = [
        made_of("injective", "(M):(8//t)", where=FACTS),
        made_of("equal", "(M):(8//t)", "(M):(7//t)", where=FACTS),
        made_of("bytes", "strided f32[M] strides(8//t)", "0", where=FACTS),
    ]
    for made in proofs:
        claim = {"word": word, "arguments": [argument, *more], "options": {}}
        for by in {made["by"], "definition", "cases"}:
            assert not accepted(made, claim=claim, by=by)
            assert not accepted(made, claim=claim, by=by, parts={})


def test_no_sign_of_what_divides_says_that_it_has_a_value():
    """`8//K >= 0` or `8//K < 0`: neither for K == 0, where `K*K >= 1` is false."""
    step = {"step": "defined", "fact": 1}
    apart = {
        "step": "law",
        "law": "multiple",
        "with": {"d": "K", "q": "0"},
        "new": {},
        "why": ["known"],
    }
    part = {"steps": [step, apart], "goals": [["this", 0, "plain"]]}
    base = made_of("holds", "K*K >= 0", where="K >= 0")
    claim = {"word": "holds", "arguments": ["K*K >= 1"], "options": {}}
    for fact in ("8//K", "8//K + 1", "0*K"):
        rows = [
            ["sizes", fact],
            ["proof", "definition", "offset"],
            ["proof", "definition", "offset"],
        ]
        parts = {"0 sizes": part, "1 sizes": part}
        assert not accepted(
            base, claim=claim, by="sizes", hint=None, texts={"script": rows}, parts=parts
        )
        split = ["split", "open", f"-1 < {fact}"]
        rows = [["about", "0"], split, ["cases"], ["leaf"], ["cases"], ["leaf"]]
        for k in range(4):
            names = [f"points {k}", f"points {k + 1}", f"{k} points", f"{k + 1} points"]
            for n in names:
                assert not accepted(
                    base, claim=claim, by="script", texts={"script": rows}, parts={n: part}
                )


@pytest.mark.parametrize(
    "fact", ["K//(K + 1) == 2", "K//(K - 1) == 1", "K//(K - 1) >= 1", "K >= 1"]
)
def test_another_quotient_says_another_thing(fact):
    made = made_of("broadcast", "f32[K]", "f32[2]", where="K//(K - 1) == 2")
    assert accepted(made)
    for k in range(5):
        assert not accepted(made, facts=[fact], sizes={"K": k})


def test_the_quotient_is_that_of_plain_integers():
    assert [k for k in range(2, 50) if k // (k - 1) == 2] == [2]


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("injective", "(M,2):(M,1)"),
        ("injective", "((M,2),3):((M,1),M*M+2)"),
        ("injective", "strided f32[M,2] strides(M,1)"),
        ("injective", "map j < 2*M: M*(j%M) + j//M"),
        ("injective", "(1,(M,2)):(M@0,(M@1,1@1))"),
    ],
)
def test_a_stride_along_one_place_is_none(word, text):
    """A dimension of one place has no stride: one place and more of them are told apart."""
    verdict = getattr(prove, word)(text)
    assert verdict.proved
    made = json.loads(json.dumps(verdict.certificate))
    assert accepted(made)
    assert not accepted(json.loads(json.dumps(made).replace('M - 2"', 'M - 4"')))
    assert not accepted(made, facts=["M >= -1"])


@pytest.mark.parametrize("text", ["(M,3):(M,1)", "(M,2,2):(M,1,2)", "(M,N):(N,M)"])
def test_where_one_place_is_not_all_it_is_refuted(text):
    verdict = prove.injective(text)
    assert verdict.refuted
    sizes = list(verdict.counterexample.sizes.values())
    assert max(sizes) > 1


def test_results_that_share_a_coordinate_reach_all_places():
    """The digits of one result are told apart before a remainder of another is taken for its value."""
    verdict = prove.onto("(2,(4,2*M)):(1@0,(1@1,1@0))")
    assert verdict.proved
    assert recheck(json.loads(json.dumps(verdict.certificate))).ok
    for m in range(1, 6):
        places = {(i + j // 4, j % 4) for i in range(2) for j in range(8 * m)}
        assert places == {*product(range(2 * m + 1), range(4))}


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "text",
    [
        "(2,(3,N+1)):(1,(3,2))",
        "(N+1,(2*M,K)):(K,(2,1))",
        "(N,4,N-1):(1,1,2)",
        "(2,(3,N+1),(5,M)):(1,(3,2),(2,3))",
        "(2,(3,N+1)):(1@0,(3@0,2@0))",
        "((N-1,M),5):((5,5),1)",
    ],
)
def test_digits_that_overlap_leave_a_certificate(text):
    """What each digit leaves of the offset is not negative, and within reach of those below it."""
    verdict = prove.onto(text, where="N >= 1")
    assert verdict.proved
    assert verdict.certificate is not None
    made = json.loads(json.dumps(verdict.certificate))
    assert accepted(made)
    assert not accepted(made, facts=["N >= -3"])
