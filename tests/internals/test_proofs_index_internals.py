"""Properties of internal modules; `tests/test_proofs_index.py` tests the public interface."""

from __future__ import annotations

import re
from dataclasses import replace

import book
import pytest
from test_proofs_index import FILES, PROOFS

from symlayout import Report
from symlayout.checks.claims_file import load
from symlayout.checks.result import Result, Task
from symlayout.checks.verdicts import ask
from symlayout.errors import LayoutError


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[Report, float]]:
    made: dict[str, tuple[Report, float]] = book.proved(book.theorems())
    return made


@pytest.fixture(scope="module")
def results(found: dict[str, tuple[Report, float]]) -> list[Result]:
    assert not any(report.problems for report, _ in found.values())
    return [r for report, _ in found.values() for r in report.results]


def tasks(file: str) -> list[Task]:
    loaded = load(str(PROOFS / file))
    assert not loaded.problems
    return [e for e in loaded.entries if isinstance(e, Task)]


@pytest.mark.parametrize("file", FILES)
def test_every_obligation_has_one_role(file: str) -> None:
    for task in tasks(file):
        assert len(task.tags) == 1, task.name
        assert task.tags[0] in book.ROLES, task.name
        assert (task.expect == "refuted") == (task.tags == ("limit",)), task.name
    names = [t.name for t in tasks(file)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("file", FILES)
def test_a_step_speaks_of_symbols(file: str) -> None:
    """A step with a number for a size or a rank would be an example."""
    for task in tasks(file):
        if task.tags == ("step",) and task.claim.word != "holds":
            text = "".join(task.claim.texts)
            sizes = re.findall(r"\w+\[(.*?)\]|^\((.*?)\):", text)
            assert sizes, task.name
            assert not re.search(r"(?<![\w.])\d+(?![\w.])", "".join(map("".join, sizes))), text


@pytest.mark.explore
def test_all_obligations_are_as_expected_and_none_is_proved_by_trying(
    results: list[Result],
) -> None:
    assert [r.task.name for r in results if not r.as_expected] == []
    for result in results:
        assert "every allowed point" not in result.outcome.reason, result.task.name


def test_no_obligation_is_empty(results: list[Result]) -> None:
    """Each proof says what it found in digits, each refutation where."""
    for result in results:
        assert result.outcome.reason
        assert (result.outcome.counterexample is not None) == (result.task.expect == "refuted")


@pytest.mark.parametrize("file", FILES)
def test_every_hypothesis_is_needed(file: str) -> None:
    """Without it the claim is refuted; `x >= 0` only widens what is claimed."""
    for task in tasks(file):
        facts = task.claim.facts
        for k, fact in enumerate(facts):
            if task.expect == "refuted" or re.fullmatch(r"\w+ >= 0", fact):
                continue
            bound = re.fullmatch(r"0 <= (\w+) < .*", fact)
            rest = [*facts[:k], *facts[k + 1 :], *([f"{bound[1]} >= 0"] if bound else [])]
            weaker = under(task, rest)
            if not _ties(task, fact):
                assert ask(weaker).refuted, (task.name, fact)


def under(task: Task, facts: list[str]) -> Task:
    return replace(task, claim=replace(task.claim, facts=tuple(facts)))


def _ties(task: Task, fact: str) -> bool:
    """Whether a fact is what lets another one speak of the claim, so that neither goes alone."""
    try:
        ask(under(task, [w for w in task.claim.facts if w != fact]))
    except LayoutError as error:
        return error.code == "SL301"
    return False
