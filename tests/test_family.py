"""Linear layouts of all sizes 2**k: their texts, what is proved of them, and nothing false."""

from __future__ import annotations

import copy
import random

import pytest
from certificates import seal
from soundness import families

from symlayout import LayoutError, parse, prove, recheck
from symlayout.__main__ import main

XOR = "linear row [[1,1]*2**k], col [[0,1]*2**k] -> x 2**k, y 2**k"

SWIZZLED = "linear offset [[0,1],[0,2],[1,1],[2,2],[4,0]*2**(k-2)] -> row 2**k, col 4"

GRAY = "linear i [[1],[3]*2**k] -> 2**(k+1)"

LOW_FIRST = "linear i [[1]*2**k,[2**k]*2**m] -> 2**(k+m)"


@pytest.mark.sample(9)
@pytest.mark.parametrize("seed", range(60))
def test_verdicts_agree_with_brute_force_and_are_certified(seed: int) -> None:
    rng = random.Random(seed)
    word, status, wrong = families.judged(rng, checked=True)
    assert not wrong
    assert status != "unknown", word


@pytest.mark.parametrize(
    "text",
    [
        "linear a [[2**100+3,1]] -> x 2**k, y 2",
        "linear a [[1]*2**62] -> x 2**62*2**k",
        "linear a [[1]*2**62] -> x 2**62",
        "linear a [[2**63]*2**k,[2**62]] -> x 2**(k+64)",
    ],
)
def test_what_is_larger_than_a_number_that_is_read_prints_as_a_power(text: str) -> None:
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("word", "texts", "facts", "status"),
    [
        ("bijective", [XOR], [], "proved"),
        ("inverse", [XOR, XOR.replace("row", "a").replace("col", "b")], [], "proved"),
        ("bijective", [SWIZZLED], ["k >= 2"], "proved"),
        ("bijective", [SWIZZLED], [], "refuted"),
        ("onto", [GRAY], [], "proved"),
        ("bijective", [GRAY], ["k >= 0"], "proved"),
        ("bijective", ["linear i [[3]*2**k] -> 2**(k+1)"], [], "refuted"),
        ("injective", ["linear i [[3]*2**k] -> 2**(k+1)"], [], "proved"),
        ("bijective", [LOW_FIRST], [], "proved"),
        ("equal", [LOW_FIRST, "linear i [[1]*2**(m+k)] -> 2**m*2**k"], [], "proved"),
        ("equal", [LOW_FIRST, "linear i [[1]*2**m,[2**m]*2**k] -> 2**(k+m)"], [], "proved"),
        ("equal", ["linear i [[1]*2**k] -> 2**k", "linear i [[1],[2]] -> 8"], ["k == 2"], "proved"),
        ("equal", ["linear i [[1]*2**k] -> 2**k", "linear i [[1],[2]] -> 8"], [], "refuted"),
        ("onto", ["linear lane [[1]*2**k], warp [[0]*2**m] -> 2**k"], [], "proved"),
        ("injective", ["linear lane [[1]*2**k], warp [[0]*2**m] -> 2**k"], [], "refuted"),
        ("injective", ["linear lane [[1]*2**k], warp [[0]*2**m] -> 2**k"], ["m == 0"], "proved"),
        ("bounded", ["linear i [[1]*2**k] -> 2**m"], ["m >= k"], "proved"),
        ("bounded", ["linear i [[1]*2**k] -> 2**m"], [], "refuted"),
        ("equal", [f"linear i [[{x}]*2**k] -> 2**(k+1)" for x in (3, 2)], [], "refuted"),
        ("equal", [f"linear i [[{x}]*2**k] -> 2**(k+1)" for x in (1, 3)], [], "refuted"),
        ("valid", ["linear i [[1]*2**k] -> 2**(k+1)"], [], "proved"),
        ("valid", ["linear i [[1]*2**k] -> 2**m"], ["k >= 2"], "refuted"),
        ("valid", ["linear lane [[1]*2**k], warp [[0]*2**m] -> 2**k"], [], "refuted"),
        ("bijective", [f"{XOR} o {XOR}"], [], "proved"),
        ("equal", [f"{XOR} o {XOR} o {XOR}", XOR], [], "proved"),
        ("equal", [f"{XOR} o {XOR}", XOR], [], "refuted"),
        ("bijective", [f"linear i [[1]*2**m] -> 2**m o {LOW_FIRST}"], [], "refuted"),
        ("bijective", [f"linear i [[1]*2**m] -> 2**m o {LOW_FIRST}"], ["m == k + 3"], "refuted"),
        ("bijective", [f"linear a [[1]*2**n] -> 2**n o {LOW_FIRST}"], ["n == k + m"], "proved"),
        ("bijective", ["linear i [[1],[2]] o linear j [[3],[1]]"], [], "proved"),
        ("inverse", [f"{XOR} o {XOR}", f"{XOR} o {XOR}"], [], "proved"),
        ("disjoint", ["linear i [[1]*2**k] -> 2**k", LOW_FIRST], [], "refuted"),
        ("injective", ["linear i [[1]*2**k] -> 2**k"], ["k >= 3", "k <= 2"], "vacuous"),
    ],
)
def test_claims(word: str, texts: list[str], facts: list[str], status: str) -> None:
    verdict = getattr(prove, word)(*texts, where=facts)
    assert verdict.status == status, verdict.reason
    if status == "proved":
        assert recheck(verdict.certificate).ok
        assert getattr(prove, word)(*map(parse, texts), where=facts).status == status


def test_the_smallest_counterexample_says_what_to_require() -> None:
    verdict = prove.bijective(SWIZZLED)
    assert verdict.counterexample.sizes == {"k": 1}
    assert "add k >= 2" in verdict.reason
    verdict = prove.injective("linear a [[1,0]*2**k,[0,1]*2**m], b [[1,1]*2**(k-2)] -> 2**k, 2**m",
                              where=["k >= 4", "m >= k"])  # fmt: skip
    assert verdict.counterexample.sizes == {"k": 4, "m": 4}
    assert {verdict.counterexample.coords, verdict.counterexample.other} == {(1, 1), (16, 0)}


def test_long_numbers_are_looked_at_as_well() -> None:
    verdict = prove.injective("linear a [[1]*2**k], b [[1]*2**k] -> 2**k", where="k >= 70")
    assert verdict.counterexample.sizes == {"k": 70}
    assert verdict.counterexample.other == (1, 0)
    twice = prove.bijective(f"linear i [[2]*2**k] -> 2**(k+1) o {GRAY.replace('k+1', 'k')}")
    assert twice.refuted
    with pytest.raises(LayoutError, match="more than 62 bits"):
        parse(XOR).instance({"k": 40})


def test_no_name_changes_a_verdict() -> None:
    for names in ("km", "mk", "zA"):
        text = LOW_FIRST.replace("k", "?").replace("m", names[1]).replace("?", names[0])
        assert prove.bijective(text).proved
        assert prove.bijective(text, where=f"{names[1]} == 3").proved


def test_a_layout_after_another_is_composed_at_every_size() -> None:
    whole = parse(XOR).compose(parse(XOR))
    assert str(parse(str(whole))) == str(whole)
    for k in range(1, 4):
        one = parse(XOR).instance({"k": k})
        assert whole.instance({"k": k}) == one.compose(one)
        assert whole.compose(one).instance({"k": k}) == one.compose(one).compose(one)
    with pytest.raises(LayoutError, match="2 coordinates go into 1 inputs"):
        parse(f"{LOW_FIRST} o {XOR}")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("linear i [[1]*2**k]", "SL403"),
        ("linear i [[1]*2**k] -> 2**k o", "SL101"),
        ("linear i [[1]*2**k] -> 2**k o linear", "SL403"),
        ("linear i [[1]*2**k] -> 2**k o linear j [[1]", "SL101"),
        ("linear i [[1]*2**k] -> 2**k o map i < 2: i in 2", "SL101"),
        ("linear i [[1]*3] -> 2**k", "SL403"),
        ("linear i [[1]*2**k] -> 3*2**k", "SL403"),
        ("linear i [[1]*2**k] -> 3", "SL403"),
        ("linear i [[1,1]*2**k] -> 2**k", "SL403"),
        ("linear i [[1]*3**k] -> 2**k", "SL403"),
        ("linear k [[1]*2**k] -> 2**k", "SL201"),
        ("linear i [[1]*2**k] -> k 2**k", "SL201"),
        ("linear i [[1]*2**if] -> 2**k", "SL201"),
        ("linear i [[1]*2**] -> 2**k", "SL101"),
        ("linear i [[1]*2**(k] -> 2**k", "SL101"),
        ("linear i [[1]*2**(k*m)] -> 2**k", "SL101"),
        ("linear i [[1]*2**(2*3)] -> 2**k", "SL101"),
        ("linear i [[1]*2**-k] -> 2**k", "SL101"),
        ("linear i [[1]*k] -> 2**k", "SL101"),
        ("linear i [[1]*2**99999999] -> 2**k", "SL204"),
        ("linear i [[1]*2**99] -> 2**99", "SL204"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code


def test_it_is_drawn_at_given_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", XOR, "--size", "k=1"]) == 0
    assert capsys.readouterr().out.startswith("linear row [[1,1]], col [[0,1]] -> x 2, y 2")
    assert main(["show", LOW_FIRST, "--size", "k=1"]) == 0
    told = capsys.readouterr()
    assert "m=2" in told.err
    assert main(["show", SWIZZLED, "--size", "k=1"]) == 2
    assert "exponent" in capsys.readouterr().err


def test_other_claims_say_what_can_be_asked() -> None:
    with pytest.raises(LayoutError, match="bit by bit") as error:
        prove.aligned(XOR, 16)
    assert error.value.code == "SL403"
    with pytest.raises(LayoutError, match="is not a linear layout"):
        prove.equal(XOR, "map i < M: i in M")
    with pytest.raises(LayoutError, match="name inside"):
        prove.bijective(XOR, where="row >= 2")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("linear b [[3*2**(k-1)]] -> 2**(k+m)", []),
        ("linear a [[2**k]] -> 2**(k+1)", []),
        (XOR, []),
        ("linear i [[1]*2**k] -> 2**m", ["m >= k"]),
    ],
)
def test_what_is_valid_is_certified(text, where):
    verdict = prove.valid(text, where=where)
    assert verdict.proved, verdict
    assert recheck(verdict.certificate).ok


def test_a_limit_that_is_a_number_is_said_once():
    verdict = prove.injective("linear i [[0,1]*2**(k-1),[4,2]] -> 2**(k+m), 2*2**2")
    assert "less than 3 at" in verdict.reason


def about(certificate: dict, **more: object) -> dict:
    """The certificate with something else in it, and its own seal."""
    made = {**copy.deepcopy(certificate), **more}
    return {**made, "seal": seal(made)}


def test_a_certificate_is_of_its_layout_alone() -> None:
    made = prove.bijective(LOW_FIRST).certificate
    assert made["by"] == "blocks"
    for text in (
        "linear i [[1]*2**k,[2**m]*2**m] -> 2**(k+m)",
        "linear i [[1]*2**k,[1]*2**m] -> 2**(k+m)",
        "linear i [[1]*2**k,[2**k]*2**m] -> 2**(k+m+1)",
        "linear i [[1]*2**k,[2**k]*2**(m-1)] -> 2**(k+m)",
        "linear i [[1]*2**k] -> 2**k",
        "map i < 2: i in 2",
        "linear i [[1],[1]] -> 4",
        f"linear a [[1]*2**k] -> 2**k o {LOW_FIRST}",
        f"{LOW_FIRST} o {LOW_FIRST}",
    ):
        claim = {**made["claim"], "arguments": [text]}
        assert not recheck(about(made, claim=claim)).ok, text


@pytest.mark.parametrize("seed", range(40))
def test_no_other_rows_are_a_proof_of_what_is_false(seed: int) -> None:
    rng = random.Random(seed)
    made = prove.bijective(rng.choice([XOR, LOW_FIRST, GRAY])).certificate
    false = rng.choice(
        [
            "linear i [[1]*2**k,[1]*2**m] -> 2**(k+m)",
            "linear row [[1,1]*2**k], col [[1,1]*2**k] -> x 2**k, y 2**k",
            "linear i [[1],[2]*2**k] -> 2**(k+2)",
        ]
    )
    rows = copy.deepcopy(made["texts"]["script"])
    for _ in range(rng.randint(1, 4)):
        row = rng.choice(rows)
        at = rng.randrange(len(row))
        row[at] = rng.choice(
            ["0", "1", "2", "k", "m", "k + m", "leaf", "link", "axis", "none", "top"]
        )
    texts = {**made["texts"], "script": rows}
    claim = {**made["claim"], "arguments": [false]}
    for by in ("blocks", "rank", "cases", "script", "count"):
        assert not recheck(about(made, claim=claim, texts=texts, by=by)).ok


def test_what_is_valid_lies_within_its_sizes():
    made = prove.valid("linear i [[1]*2**k] -> 2**m", where=["m >= k"]).certificate
    forged = {**made, "facts": []}
    assert not recheck({**forged, "seal": seal(forged)}).ok
    assert prove.valid("linear i [[1]*2**k] -> 2**m").refuted
    assert prove.valid("linear i [[1]*2**k], j [[1]*2**m] -> 2**(k+m)").refuted
