"""`symlayout.check` and `symlayout.recheck`: what the command line does, from Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import symlayout as sl
from symlayout.__main__ import main

CLAIMS = """[[claim]]
name = "rows"
prove = "injective '(M,N):(N,1)'"

[[claim]]
name = "padded rows"
prove = "injective '(M,N):(P,1)'"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.layout.toml"
    path.write_text(CLAIMS)
    return path


def statuses(report: object) -> dict[str, str]:
    return {r.task.name: r.outcome.status for r in report.results}


def test_a_file_and_its_folder_have_the_same_results(file: Path) -> None:
    report = sl.check(file)
    assert statuses(report) == {"rows": "proved", "padded rows": "refuted"}
    assert report.exit_code == 1
    assert statuses(sl.check([str(file.parent)])) == statuses(report)


def test_it_agrees_with_the_command_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(file), "--format", "json", "--no-cache"]) == 1
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert {c["name"]: c["verdict"] for c in claims} == statuses(sl.check(file))


@pytest.mark.parametrize("facts", ["P >= N", ["P >= N"], ("P >= N", "N > 1")])
def test_facts_hold_for_every_claim(file: Path, facts: str | list[str]) -> None:
    assert sl.check(file, where=facts).exit_code == 0


def test_a_solver_confirms(file: Path) -> None:
    first, second = sl.check(file, solver="z3").results
    assert first.outcome.confirmed["status"] == "confirmed"
    assert second.outcome.confirmed is None
    assert sl.check(file).results[0].outcome.confirmed is None


def test_hints_say_what_would_make_it_true(file: Path) -> None:
    assert "P" in sl.check(file, hints=True).results[1].hint
    assert sl.check(file).results[1].hint == ""


def test_bad_input_is_a_problem(tmp_path: Path, file: Path) -> None:
    report = sl.check([tmp_path / "none.toml", file])
    assert [p.code for p in report.problems] == ["SL601"]
    assert len(report.results) == 2
    assert report.exit_code == 2
    with pytest.raises(sl.LayoutError, match="one of z3, cvc5, none"):
        sl.check(file, solver="yices")


def test_an_error_that_claims_share_is_told_once(file: Path) -> None:
    report = sl.check(file, where="M <")
    assert [p.code for p in report.all_problems] == ["SL200"]
    assert set(statuses(report).values()) == {"error"}


def test_nothing_to_check_is_a_problem_unless_allowed(tmp_path: Path) -> None:
    assert sl.check(tmp_path).exit_code == 2
    assert sl.check(tmp_path, allow_empty=True).exit_code == 0


def test_a_certificate_is_checked_without_the_prover() -> None:
    made = sl.prove.injective("(M,N):(N,1)").certificate
    answer = sl.recheck(made, 'injective "(M,N):(N,1)"')
    assert answer.ok
    assert not sl.recheck(made, 'injective "(M,N):(1,M)"').ok
