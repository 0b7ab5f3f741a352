"""What is printed is escaped for where it goes, whatever names, reasons and files hold."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import Claim, Report, Verdict, prove
from symlayout.__main__ import main
from symlayout.checks.report import FORMATS, render
from symlayout.checks.report.full import problem_lines, result_lines
from symlayout.checks.result import Outcome, Place, Problem, Result, Task
from symlayout.errors import LayoutError
from symlayout.prove.verdict import Counterexample
from symlayout.render.draw.notebook import verdict_html
from symlayout.text import escape

CANARY = (
    "::error::x\x1b[2J\r\n::error file=a::b\n\x00\u202e\u200b\u2028\x85\ud800]]><script>\"'&%0A"
    "##[error]c\nproved: a\n  reason"
)
SAFE = CANARY.replace("\x00", "")
TEXTS = st.text(st.characters() | st.sampled_from(":\n\r\x1b#[]<>&'\"%"), max_size=40)


def wild(text: str) -> Report:
    """A report in which every field that comes from outside is that text."""
    place = Place(text, 3, 5, 7, text * 3)
    task = Task(
        text,
        Claim(text, (text, text), ((text, text),), (text,)),
        because=text,
        tags=(text,),
        place=place,
    )
    numbers = {"sizes": {text: 1}, "coords": [1], "left": text, "right": None, "note": text + "."}
    problem = Problem("SL601", text, place, text)
    outcomes = [
        Outcome("refuted", text, numbers),
        Outcome("unknown", text, details={text: text}),
        Outcome.failed(problem),
    ]
    results = tuple(Result(task, outcome) for outcome in outcomes)
    return Report(results, (problem, replace(problem, place=None)), (text,), (f"padding {text}",))


def judge_lines(text: str) -> None:
    """Every line has only what is seen, and none is a command of GitHub's."""
    for line in text.split("\n"):
        assert line == escape.visible(line), line
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line


@settings(max_examples=40)
@given(TEXTS)
def test_a_report_has_the_lines_of_one_without_wild_names(text: str) -> None:
    for format in ("full", "concise"):
        made = render(wild(text), format)
        judge_lines(made.replace(f"padding {text}", ""))
    tame = render(wild("x"), "concise")
    assert render(wild(text), "concise").count("\n") == tame.count("\n")


def test_the_canary_in_every_format() -> None:
    for format in FORMATS:
        made = render(wild(CANARY), format)
        for c in "\x00\x1b\r\u202e\u200b\u2028\x85\ud800":
            assert c not in made, (format, c)
        assert "##[" not in made.replace('"##[', "") or format in ("json", "sarif", "junit")
        made.encode("ascii" if format in ("json", "sarif", "junit") else "utf-8")


@settings(max_examples=40)
@given(TEXTS)
def test_json_and_xml_are_read_back(text: str) -> None:
    report = wild(text)
    data = json.loads(render(report, "json"))
    assert data["claims"][0]["name"] == text
    assert data["claims"][0].get("because", "") == text
    json.loads(render(report, "sarif"))
    root = ElementTree.fromstring(render(report, "junit"))
    assert [case.get("name") for case in root.iter("testcase")][2] == (
        escape.NOT_XML.sub("?", escape.visible(text))
    )
    assert not list(root.iter("script"))


@settings(max_examples=40)
@given(TEXTS)
def test_a_workflow_command_is_one_line(text: str) -> None:
    report = wild(text)
    lines = render(report, "github").split("\n")
    assert len(lines) == 2 + len(report.all_problems) + 2
    for line in lines[:-2]:
        assert re.fullmatch(r"::error [^:\x00-\x1f]*(?:::.*)", line), line
        assert "##[" not in line
        assert line.isprintable()


@settings(max_examples=40)
@given(TEXTS)
def test_html_has_no_element_of_others(text: str) -> None:
    c = Counterexample({text: 1}, (1,), 2, 3, note=text)
    made = verdict_html(Verdict("refuted", text, text, c))
    tame = verdict_html(Verdict("refuted", "x", "x", replace(c, sizes={"x": 1})))
    assert re.findall(r"<[^>]*>", made) == re.findall(r"<[^>]*>", tame)


@settings(max_examples=40)
@given(st.lists(TEXTS.filter(lambda t: "\0" not in t and t.isprintable()), max_size=4))
def test_words_are_those_of_a_shell(words: list[str]) -> None:
    assert shlex.split(escape.shell(words)) == words


def test_the_shell_reads_what_cannot_be_seen() -> None:
    words = ["a\x1b[2J", "b\nc\\n'", "\u202e$HOME`", "", "'", '"']
    line = f"printf '%s\\0' {escape.shell(words)}"
    assert line.isprintable()
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    assert done.stdout.decode() == "".join(f"{w}\0" for w in words)


@settings(max_examples=40)
@given(TEXTS, st.integers(0, 50), st.integers(0, 50))
def test_an_error_has_its_lines_and_the_caret_its_place(text: str, at: int, length: int) -> None:
    at = min(at, len(text))
    error = LayoutError("SL101", text, text=text, at=at, end=at + length, help=text)
    lines = str(error).split("\n")
    if not text:  # it has no place to show
        assert lines == ["SL101: "]
        return
    assert len(lines) == 4
    judge_lines("\n".join(lines[1:]))
    assert lines[0].isprintable()
    shown, mark = lines[1][2:], lines[2][2:]
    if at < len(text) and text[at] != "\n":
        c = text[at].replace("\t", " ")
        start = mark.index("^")
        assert shown[start:].startswith((escape.visible(c), "\\x3a", "#\\x23", "\\x23"))


@pytest.mark.parametrize(
    "argv",
    [
        ["prove", SAFE],
        ["prove", "injective", SAFE],
        ["prove", "injective", "(4):(1)", "--where", SAFE],
        ["prove", "padding", "(4):(1)", SAFE],
        ["prove", "injective", "(4):(1)", "--certificate", f"/{SAFE}/{SAFE}"],
        ["check", SAFE],
        ["check", ".", "--jobs", SAFE],
        ["check", ".", "--format", SAFE],
        ["check", ".", f"--{SAFE}"],
        ["formula", SAFE],
        ["formula", "(4):(1)", "--at", SAFE],
        ["show", SAFE],
        ["show", "(N):(1)", "--size", SAFE],
        ["recheck", SAFE],
        ["explain", SAFE],
        [SAFE],
        ["completion", SAFE],
        ["schema", SAFE],
    ],
    ids=lambda argv: " ".join("canary" if SAFE in word else word for word in argv),
)
def test_arguments_are_escaped(argv: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    seen = capfd.readouterr()
    judge_lines(seen.err.replace("symlayout: ", ""))
    assert not re.search(r"^proved", seen.err, re.M)


FILE = """
[layouts]
"a b" = {canary}
hbm = "(4):(2)"
[[claim]]
name = {canary}
because = {canary}
tags = [{canary}]
prove = "onto hbm"
[[claim]]
name = {canary}
prove = {canary}
[[claim]]
prove = "injective (4,O):(O,1)"
where = [{canary}]
[[claim]]
prove = "injective hbm"
expect = {canary}
[[claim]]
prove = "injective hbm"
{canary} = 1
"""


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_of_canaries(
    tmp_path: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "::error::\x1b[2J\n::x\u202e##[error].layout.toml"
    text = json.dumps(SAFE.replace("\ud800", "")).replace("\\ud800", "")
    (tmp_path / name).write_text(FILE.format(canary=text), encoding="utf-8")
    (tmp_path / "b.layout.toml").write_text(f"a = 1 # \x1b[2J::error\n{CANARY[:8]} = = \n")
    assert main(["check", str(tmp_path), "--no-cache", "--format", format]) == 2
    seen = capsys.readouterr()
    for c in "\x00\x1b\r\u202e\u200b\u2028\x85":
        assert c not in seen.out + seen.err
    if format in ("full", "concise"):
        judge_lines(seen.out)
        judge_lines(seen.err)
        assert not re.search(r"^proved", seen.out + seen.err, re.M)


def test_a_claim_in_pytest(tmp_path: Path) -> None:
    report = wild(CANARY)
    for r in report.results[:2]:
        judge_lines("\n".join(result_lines(r)))
    for p in report.problems:
        judge_lines("\n".join(problem_lines(p)))


def test_a_verdict_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    layout = "f32[M,\n  N]{1,0}"
    assert prove.injective(layout).proved
    assert main(["prove", "injective", layout]) == 0
    (first, *_) = capsys.readouterr().out.splitlines()
    assert first == "proved for all M, N >= 1: injective $'f32[M,\\n  N]{1,0}'"
