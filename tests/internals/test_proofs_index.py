"""The book of proofs: every theorem is there, in one form, proved, and its index is true."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import book
import pytest

from symlayout.checks.claims_file import load
from symlayout.checks.result import Report, Result, Task
from symlayout.checks.verdicts import ask
from symlayout.errors import LayoutError

PROOFS = Path(__file__).parents[2] / "proofs"
FILES = sorted(p.name for p in PROOFS.glob("*.layout.toml"))
WITHOUT_RANK = {"10-formats.layout.toml"}
WHOLE = 20  # seconds


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


def test_the_theorems_are_numbered_from_1() -> None:
    assert [t.title.split(". ")[0] for t in book.theorems()] == [str(n) for n in range(1, 13)]
    assert [t.file for t in book.theorems()] == FILES
    assert [int(f.split("-")[0]) for f in FILES] == list(range(1, 13))


@pytest.mark.parametrize("file", FILES)
def test_a_chapter_has_its_sections_in_order(file: str) -> None:
    theorem = book.read(PROOFS / file)
    assert tuple(theorem.sections) == book.SECTIONS
    assert all(text.strip() for text in theorem.sections.values())
    assert "The idea." in theorem.sections["Main statements"]
    lines = (PROOFS / file).read_text().splitlines()
    assert lines[0].startswith("# # ")
    assert not next(line for line in lines if not line.startswith("#"))


@pytest.mark.parametrize("file", FILES)
def test_every_obligation_has_one_role(file: str) -> None:
    for task in tasks(file):
        assert len(task.tags) == 1, task.name
        assert task.tags[0] in book.ROLES, task.name
        assert (task.expect == "refuted") == (task.tags == ("limit",)), task.name
    names = [t.name for t in tasks(file)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("file", [f for f in FILES if f not in WITHOUT_RANK])
def test_what_holds_for_every_rank_has_a_base_and_a_step(file: str) -> None:
    roles = book.read(PROOFS / file).counts
    assert roles["base"] >= 1
    assert roles["step"] >= 2


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


def test_the_index_is_what_the_command_writes(found: dict[str, tuple[Report, float]]) -> None:
    written = (PROOFS / "README.md").read_text(encoding="utf-8")
    promised = re.findall(r"\]\((\S+\.toml)\).*\| < (\d+) s \|", written)
    bounds = {file: int(seconds) for file, seconds in promised}
    assert list(bounds) == FILES
    assert book.index(book.theorems(), bounds) == written
    assert sum(seconds for _, seconds in found.values()) < WHOLE
    for file, (_, seconds) in found.items():
        assert seconds < bounds[file], f"{file} takes longer: run python proofs/book.py"


def test_the_command_writes_and_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (PROOFS / FILES[0]).read_text()
    (tmp_path / FILES[0]).write_text(source)
    monkeypatch.setattr(book, "HERE", tmp_path)
    monkeypatch.setattr(book, "INDEX", tmp_path / "README.md")
    assert book.main(["--print"]) == 0
    printed = capsys.readouterr().out
    assert not (tmp_path / "README.md").exists()
    assert book.main([]) == 0
    assert (tmp_path / "README.md").read_text() == printed
    (tmp_path / FILES[0]).write_text(source.replace("L*d + e < P*d", "L*d + e < P*d - 1"))
    assert book.main([]) == 1
    assert "not as expected: step, inside" in capsys.readouterr().err
