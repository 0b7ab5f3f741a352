"""Claims kept as small files, by what becomes of them: proved, refuted, vacuous or invalid."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from plain_judge import assignments, truth

import symlayout as sl
from symlayout.facts import Facts

CASES = Path(__file__).parent / "cases"


def load(status: str) -> list[Any]:
    """The cases of one folder, each a pytest parameter."""
    found = []
    for path in sorted((CASES / status).glob("*.toml")):
        for n, case in enumerate(tomllib.loads(path.read_text())["case"]):
            found.append(pytest.param(case, id=f"{path.stem}-{n}-{' '.join(case['claim'])}"))
    assert found, status
    return found


def ask(case: dict[str, Any]) -> sl.Verdict:
    word, *args = case["claim"]
    options = {
        k: case[k] for k in ("perm", "coords", "where") if isinstance(case.get(k), (str, list))
    }
    if isinstance(options.get("coords"), list):
        del options["coords"]
    return getattr(sl.prove, word)(*args, **options)


def judged(case: dict[str, Any]):
    """(assignments in order, whether the claim holds at one), or None where the judge cannot say."""
    word, *args = case["claim"]
    alone = word == "divides" and len(args) == 1
    if word == "bytes" or alone or "perm" in case or isinstance(case.get("coords"), str):
        return None
    if any(t in a for a in args for t in ("f64", "2048", "128*n")):
        return None  # the judge knows no element types, and lists every element
    if word == "formula" and "/" in args[1]:
        return None
    try:
        names, holds = truth(word, args)
    except ValueError:
        return None
    facts = Facts.read(case.get("where", []))
    everything = list(dict.fromkeys([*names, *sorted(facts.names)]))
    return (assignments(everything, facts), holds) if len(everything) <= 4 else None


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
            assert holds(sizes), sizes


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
        assert next((s for s in points if not holds(s)), found.sizes) == found.sizes


@pytest.mark.parametrize("case", load("vacuous"))
def test_vacuous(case):
    verdict = ask(case)
    assert verdict.status == "vacuous", verdict
    assert "contradict" in verdict.reason
    assert all(str(r) in verdict.reason for r in Facts.read(case["where"]).relations)


@pytest.mark.parametrize("case", load("invalid"))
def test_invalid(case):
    with pytest.raises(sl.LayoutError) as e:
        ask(case)
    assert e.value.code == case["code"], e.value
    if "at" in case:
        assert e.value.at == case["at"]
