"""Certificates that lie in their steps: Z3's own check does not rest on what they say."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from symlayout import Claim, prove
from symlayout.certificate.confirm import claims as confirming
from symlayout.certificate.confirm.solving import Disagreement
from symlayout.checks.cli.main import run
from symlayout.errors import LayoutError

FALSE = Claim("injective", ("(M,N):(S,1)",))  # true where S >= N
SIZES = [{"step": "fact", "fact": k} for k in range(3)]
COORDINATES = [{"step": "coordinate", "name": x} for x in "ij"]
SAME = [["this", 0, "identity"]] * 2
NATURAL = [["this", 0, "plain"]] * 2


def rule(law: str, new: dict[str, str], whys: list[Any], **arguments: str) -> dict[str, Any]:
    return {"step": "law", "law": law, "with": arguments, "new": new, "why": whys}


def name(new: str, value: str) -> dict[str, Any]:
    return rule("let", {"y": new}, [], x=value)


def solution(atom: str, value: str) -> dict[str, Any]:
    return {"step": "solve", "atom": atom, "is": value, "why": ["known", "known"]}


DIGITS = rule("R2", {}, ["known"] * 3, d="N", q="i", r="j")
STRIDE = [*SIZES, name("S", "N"), solution("S", "N"), *COORDINATES, DIGITS]
UNNAMED = [*SIZES, name("t", "zz"), name("zz", "i"), solution("zz", "i"), solution("t", "i")]
FORGERIES = {
    "coordinates are given back as they are": (["i", "j"], [], SAME),
    "a size is called new": (["offset//N", "offset%N"], STRIDE, SAME),
    "a name depends on coordinates": (["u", "v"], [name("u", "i"), name("v", "j")], None),
    "a name has no meaning at first": (["t", "j"], UNNAMED, SAME),
    "a fact that there is not": (["offset//N", "offset%N"], [{"step": "fact", "fact": 99}], SAME),
    "a divisor of no fact": (["offset//N", "offset%N"], [{"step": "defined", "fact": 99}], SAME),
    "a coordinate of another": (
        ["offset//N", "offset%N"],
        [{"step": "coordinate", "name": "k"}],
        SAME,
    ),
    "another relation of a goal": (
        ["offset//N", "offset%N"],
        [],
        [["this", 7, "identity"]] * 2,
    ),
    "an unknown of nobody's": (["offset//N", "offset%N"], [solution("zz", "N")], SAME),
    "no goals": (["offset//N", "offset%N"], [], []),
}


def forged(back: list[str], steps: list[Any], goals: list[Any] | None) -> dict[str, Any]:
    """A certificate of a true claim, made one of the false claim with these steps."""
    data = prove.injective(*FALSE.arguments, where=["S >= N"]).certificate
    assert data is not None
    result = copy.deepcopy(dict(data))
    result["facts"], result["texts"]["back"] = [], back
    if goals is None:  # the names are those of the coordinates, by what they are called
        goals = [["this", 0, ["known", "known"]]] * 2
    result["parts"] = {
        "defined": {"steps": SIZES, "goals": NATURAL},
        "offsets": {"steps": steps, "goals": goals},
    }
    return result


@pytest.mark.parametrize("kind", FORGERIES)
def test_a_forged_step_confirms_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirming, "_with_expressions", unknown)
    data = forged(*FORGERIES[kind])
    answer = confirming.by_certificate(confirming.statement_of(FALSE), data)
    assert answer.status == "unknown", answer


def test_a_part_that_is_left_out_confirms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirming, "_with_expressions", unknown)
    claim = Claim("injective", FALSE.arguments, (), ("S >= N",))
    data = prove.injective(*claim.arguments, where=list(claim.facts)).certificate
    assert data is not None
    statement = confirming.statement_of(claim)
    assert confirming.by_certificate(statement, data).status == "confirmed"
    del (short := copy.deepcopy(dict(data)))["parts"]["offsets"]
    assert confirming.by_certificate(statement, short).status == "unknown"


def unknown(*_: object) -> confirming.Confirmation:
    """What the claim's expressions say where the steps alone are looked at."""
    raise confirming.NotConfirmed("the steps alone are asked")


def test_prove_tells_of_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(*_: object) -> None:
        raise Disagreement("M = 1")

    monkeypatch.setattr(confirming, "_as_it_is", lie)
    with pytest.raises(LayoutError, match="Z3 has a counterexample to a claim that was proved: M"):
        run(["prove", "bounded", "f32[M,N]", "--check", "z3"])
