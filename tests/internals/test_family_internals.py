"""What the modules behind `tests/test_family.py` promise each other."""

from __future__ import annotations

import copy
import random

import pytest
from soundness import families
from test_family import GRAY, LOW_FIRST, XOR

from symlayout import LayoutError, parse, prove, recheck
from symlayout.certificate.codec import seal
from symlayout.layouts.doors.family import Family
from symlayout.layouts.doors.linear import Linear
from symlayout.layouts.vocabulary import CLAIMS

IMAGES = ("injective", "valid", "onto", "bijective")


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(40))
def test_an_instance_is_what_the_pieces_say(seed: int) -> None:
    drawn = families.drawn(random.Random(seed))
    read = parse(drawn.text)
    assert parse(str(read)) == read
    for env in families.assignments(list(families.NAMES), []):
        if not families.small([drawn], env):
            continue
        if not drawn.defined(env):
            if isinstance(read, Family):
                with pytest.raises(LayoutError):
                    read.instance(env)
            continue
        made = read.instance(env) if isinstance(read, Family) else read
        points = list(made.points({}))
        assert [made.at(p, {}) for p in points] == [drawn.place(p, env) for p in points]
        assert [d for _, d in made.outs] == drawn.box(env)


def test_a_text_of_numbers_is_a_layout_of_one_size() -> None:
    made = parse("linear i [[1,0]*2**2, [0,1]*4], j [[2**1*2,0]] -> 8, 2*2")
    assert isinstance(made, Linear)
    assert str(made) == "linear i [[1,0],[2,0],[0,1],[0,2]], j [[4,0]] -> dim0 8, dim1 4"


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


@pytest.mark.parametrize("word", CLAIMS)
def test_no_other_claim_breaks_the_check(word: str) -> None:
    made = prove.bijective(LOW_FIRST).certificate
    for arguments in ([LOW_FIRST], [LOW_FIRST] * 2, [LOW_FIRST, "4"], [f"{XOR} o {XOR}"] * 2):
        claim = {**made["claim"], "word": word, "arguments": arguments}
        for by in ("blocks", "script", "cases"):
            follows = by == "blocks" and arguments == [LOW_FIRST] and word in IMAGES
            assert recheck(about(made, claim=claim, by=by)).ok == follows


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
