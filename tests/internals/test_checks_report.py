"""The reports: one golden file a format on one fixture, and what each format promises."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft4Validator, FormatChecker

from symlayout import Report, Verdict, __version__, check, emit, parse, prove
from symlayout.checks import hints
from symlayout.checks import report as reporters
from symlayout.checks.report import FORMATS, render
from symlayout.prove.verdict import Counterexample
from symlayout.render.emit import TARGETS

GOLDEN = Path(__file__).parents[1] / "golden"
DATA = Path(__file__).parents[1] / "data"
FIXTURE = "defects.layout.toml"
ENDINGS = {"markdown": "md", "json": "json", "sarif": "sarif", "junit": "xml"}

AT = Counterexample({"M": 1, "N": 128}, (0, 1), 2, 1)
HIT = Counterexample({"M": 1, "N": 128}, (), 1, None, note="no coordinate has the offset 1")
VERDICTS = {
    "injective": Verdict("proved", "injective", "mixed radix", seconds=0.002),
    "bijective": Verdict("refuted", "bijective", "offset 1 is never hit", HIT, seconds=0.003),
    "formula": Verdict("refuted", "formula", "the offsets differ", AT, seconds=0.004),
    "onto": Verdict("unknown", "onto", "the budget is spent", seconds=0.005),
    "bounded": Verdict("vacuous", "bounded", "N % 128 == 0 and N < 128", seconds=0.006),
    "padding": Verdict("proved", "padding", "at most 2", details={"ratio": 2}, seconds=0.007),
}


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Report:
    """The fixture, judged by set verdicts: the reports do not depend on the prover's wording."""

    def answer(word: str) -> Any:
        def claim(*texts: str, where: list[str], **options: str) -> Verdict:
            parse(texts[0])
            if word == "formula" and len(where) > 1:  # with a fact of its hint
                return Verdict("proved", "formula", "both sides are equal", seconds=0.004)
            return VERDICTS[word]

        return claim

    for word in VERDICTS:
        monkeypatch.setattr(prove, word, answer(word))
    monkeypatch.chdir(GOLDEN)
    mend = "it holds exactly when N % 128 == 0 or M <= 8"
    monkeypatch.setattr(hints, "hint", lambda t: mend if t.claim.word == "formula" else "")
    made = check([FIXTURE, "missing.layout.toml"], hints=True)
    clean = [r for r in made.results if r.outcome.problem is None]
    assert [r.outcome.seconds for r in clean] == [0.002, 0.003, 0.004, 0.005, 0.006, 0.007]
    return made


def steady(text: str, report: Report) -> str:
    """The report without what differs from run to run: times of failures, the version."""
    for r in report.results:
        if r.outcome.problem is not None and r.outcome.seconds:
            text = text.replace(f'"seconds": {r.outcome.seconds}', '"seconds": 0.0')
            text = text.replace(f'time="{r.outcome.seconds:.6f}"', 'time="0.000000"')
            total = sum(x.outcome.seconds for x in report.results)
            text = text.replace(f'time="{total:.6f}"', 'time="0.027000"')
    return text.replace(f'"version": "{__version__}"', '"version": "0"')


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_has_its_golden_file(report: Report, format: str) -> None:
    file = GOLDEN / f"defects.{format}.{ENDINGS.get(format, 'txt')}"
    made = steady(render(report, format), report)
    if os.environ.get("SYMLAYOUT_WRITE_GOLDEN"):
        file.write_text(made, encoding="utf-8")
    assert made == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("package", "table", "word"), [(reporters, FORMATS, "render"), (emit, TARGETS, "emit")]
)
def test_a_format_or_target_is_one_file_and_one_row(
    package: ModuleType, table: tuple[str, ...], word: str
) -> None:
    files = [m.name for m in pkgutil.iter_modules(package.__path__)]
    modules = {name: importlib.import_module(f"{package.__name__}.{name}") for name in files}
    made = {name for name, m in modules.items() if callable(getattr(m, word, None))}
    assert made == set(table), "a file without a row, or a row without a file"


def test_colour_adds_nothing_but_colour(report: Report) -> None:
    import re

    made = render(report, "full", colour=True)
    assert "\x1b[31;1m" in made
    assert re.sub(r"\x1b\[[\d;]*m", "", made) == render(report, "full")


def test_summaries_and_exit_code(report: Report) -> None:
    assert report.exit_code == 2
    assert report.summary() == {
        "files": 1,
        "claims": 9,
        "as_expected": 2,
        "proved": 2,
        "refuted": 2,
        "unknown": 1,
        "vacuous": 1,
        "errors": 4,
        "exit_code": 2,
    }
    good = Report(tuple(r for r in report.results if r.as_expected))
    assert (good.exit_code, good.summary()["as_expected"]) == (0, 2)
    wrong = Report(tuple(r for r in report.results if r.outcome.problem is None))
    assert wrong.exit_code == 1


@pytest.mark.parametrize("format", ["full", "concise", "github"])
def test_the_summary_comes_last(report: Report, format: str) -> None:
    last = render(report, format).splitlines()[-1]
    assert last.startswith("9 claims in 1 file (2 proved, 2 refuted, 1 unknown, 1 vacuous): ")
    assert last.endswith("2 as expected, 4 not as expected, 4 errors")


def test_json_has_what_programs_rely_on(report: Report) -> None:
    data = json.loads(render(report, "json"))
    assert data["schema"] == 1
    keys = {"name", "claim", "verdict", "expected", "file", "line", "reason", "counterexample"}
    for claim in data["claims"]:
        assert keys | {"seconds"} <= claim.keys()
    third = data["claims"][2]
    assert (third["file"], third["line"], third["verdict"]) == (FIXTURE, 22, "refuted")
    assert third["counterexample"] == {
        "sizes": {"M": 1, "N": 128},
        "coords": [0, 1],
        "left": 2,
        "right": 1,
    }
    assert [e["code"] for e in data["errors"]] == ["SL601", "SL102", "SL504", "SL501"]


SARIF = json.loads((DATA / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
# the schema is of the fourth draft; every format that it names is checked (URIs above all)
VALIDATOR = Draft4Validator(SARIF, format_checker=FormatChecker())


def test_the_sarif_schema_is_a_schema_and_checks_uris() -> None:
    Draft4Validator.check_schema(SARIF)
    assert SARIF["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    assert SARIF["properties"]["version"]["enum"] == ["2.1.0"]
    assert {"uri", "uri-reference"} <= FormatChecker.checkers.keys()


def test_sarif_follows_the_standard(report: Report) -> None:
    log = json.loads(render(report, "sarif"))
    assert list(VALIDATOR.iter_errors(log)) == []
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    assert len(run["results"]) == 8
    for result in run["results"]:
        # what the standard says in words only: a rule for each result, regions that are not empty
        assert result["ruleId"] in rules
        assert result["message"]["text"]
        for location in result["locations"]:
            region = location["physicalLocation"]["region"]
            assert region["startColumn"] < region["endColumn"]


def test_sarif_follows_the_standard_wherever_files_lie(tmp_path: Path) -> None:
    for name in ("a b.layout.toml", "ü#%?.layout.toml"):
        (tmp_path / name).write_text('[[claim]]\nprove = "onto (4):(2)"\n')
    log = json.loads(render(check([str(tmp_path)]), "sarif"))
    assert list(VALIDATOR.iter_errors(log)) == []
    assert len(log["runs"][0]["results"]) == 2
    assert list(VALIDATOR.iter_errors(json.loads(render(Report(()), "sarif")))) == []


MISTAKES: dict[str, Callable[[Any], Any]] = {
    "no version": lambda log: log.pop("version"),
    "another version": lambda log: log.update(version="2.0.0"),
    "a key of our own": lambda log: log.update(summary={}),
    "no tool": lambda log: log["runs"][0].pop("tool"),
    "a tool without a name": lambda log: log["runs"][0]["tool"]["driver"].pop("name"),
    "a rule without an id": lambda log: log["runs"][0]["tool"]["driver"]["rules"][0].pop("id"),
    "columns of another kind": lambda log: log["runs"][0].update(columnKind="bytes"),
    "a result without a message": lambda log: log["runs"][0]["results"][0].pop("message"),
    "a message without text": lambda log: log["runs"][0]["results"][0]["message"].pop("text"),
    "another level": lambda log: log["runs"][0]["results"][0].update(level="fatal"),
    "lines from 0": lambda log: physical(log)["region"].update(startLine=0),
    "no URI": lambda log: physical(log)["artifactLocation"].update(uri="a b.layout.toml"),
    "no artifact": lambda log: physical(log).pop("artifactLocation"),
}


def physical(log: Any) -> Any:
    """Where the first result lies."""
    return log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_schema_rejects_mistakes(report: Report, mistake: str) -> None:
    log = json.loads(render(report, "sarif"))
    MISTAKES[mistake](log)
    assert len(list(VALIDATOR.iter_errors(log))) == 1


def test_junit_counts_what_it_holds(report: Report) -> None:
    root = ElementTree.fromstring(render(report, "junit"))
    assert root.tag == "testsuites"
    assert [s.get("name") for s in root] == [FIXTURE, "missing.layout.toml"]
    for suite in root:
        assert int(suite.get("tests", "")) == len(suite.findall("testcase"))
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("errors", "")) == len(suite.findall("testcase/error"))
    assert len(root.findall(".//failure")) == 4
    assert len(root.findall(".//error")) == 4


def test_github_annotations_are_one_line_each(report: Report) -> None:
    lines = render(report, "github").splitlines()
    assert len(lines) == 9
    assert all(line.startswith("::error ") for line in lines[:-1])
    assert f"file={FIXTURE},line=22,col=10," in "\n".join(lines)
    assert "50%25 right" in "\n".join(lines)


def test_the_replay_line_replays(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    from symlayout.__main__ import main

    for r in report.results:
        if r.outcome.problem is None:
            command, *argv = shlex.split(r.task.replay)
            assert command == "symlayout"
            assert main(argv) == (0 if r.outcome.status == "proved" else 1)
            assert capsys.readouterr().out.startswith(f"{r.outcome.status}: {r.task.claim.line}\n")
