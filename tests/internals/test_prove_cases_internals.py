"""Properties of internal modules; `tests/test_prove_cases.py` tests the public interface."""

from __future__ import annotations

from typing import Any

import pytest
from plain_judge import assignments, meant
from test_prove_cases import ask, load

import symlayout as sl
from symlayout.certificate.codec import read_statement
from symlayout.certificate.proof import Texts
from symlayout.certificate.semantics import Claim
from symlayout.expr.facts import Facts


def judged(case: dict[str, Any]):
    """(assignments in order, whether the claim holds at one), or None where it is not enumerated.

    The claim's meaning is the one that `recheck` goes by, in plain integers at every place.
    """
    word, *arguments = case["claim"]
    options = {k: case[k] for k in ("perm", "coords") if isinstance(case.get(k), str)}
    where = case.get("where", [])
    written = {"word": word, "arguments": arguments, "options": options}
    facts = [where] if isinstance(where, str) else list(where)
    claim = Claim(read_statement(written, facts))
    if word == "fits":
        claim.options["formula"] = str(sl.parse(arguments[0]).index_map().under(facts))
    example = ask(case).counterexample
    names = claim.names if example is None else list(example.sizes)  # in the order of the text
    if len(names) > 4 or set(names) != set(claim.names):
        return None
    return assignments(names, Facts.read(where)), lambda sizes: meant(claim, sizes, Texts())


@pytest.mark.sample(6)
@pytest.mark.parametrize("case", load("proved"))
def test_proved(case):
    verdict = ask(case)
    assert verdict.proved, verdict
    assert verdict.counterexample is None
    assert verdict.reason
    known = judged(case)
    if known is not None:
        points, holds = known
        for _, sizes in zip(range(60), points):
            assert holds(sizes) is not False, sizes


@pytest.mark.parametrize("case", load("refuted"))
def test_refuted_with_the_smallest_counterexample(case):
    verdict = ask(case)
    assert verdict.refuted, verdict
    found = verdict.counterexample
    assert found.sizes == case["sizes"]
    for key in ("left", "right"):
        if key in case:
            assert getattr(found, key) == case[key]
    for key in ("coords", "other"):
        if isinstance(case.get(key), list):
            assert list(getattr(found, key)) == case[key]
    known = judged(case)
    if known is not None:
        points, holds = known
        assert not holds(found.sizes)
        assert next((s for s in points if holds(s) is False), found.sizes) == found.sizes


@pytest.mark.parametrize("case", load("vacuous"))
def test_vacuous(case):
    verdict = ask(case)
    assert verdict.status == "vacuous", verdict
    assert "contradict" in verdict.reason
    assert all(str(r) in verdict.reason for r in Facts.read(case["where"]).relations)
