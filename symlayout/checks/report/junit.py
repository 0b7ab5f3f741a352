"""JUnit's XML: a test case for every claim, a suite for every file."""

from __future__ import annotations

from symlayout.checks.report.style import not_checked
from symlayout.checks.result import Problem, Report, Result, evidence
from symlayout.text.escape import visible, xml


def render(report: Report, colour: bool) -> str:
    """`<testsuites>`: a claim not as expected is a failure, bad input an error, the rest skipped."""
    suites = []
    for file in _files(report):
        problems = [p for p in report.problems if (p.place.file if p.place else "") == file]
        results = [r for r in report.results if _file(r) == file]
        left = [what for name, what in not_checked(report) if name == file]
        suites.append(_suite(file, problems, results, left))
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    return f"{head}{''.join(suites)}</testsuites>\n"


def _file(r: Result) -> str:
    return r.task.place.file if r.task.place else ""


def _files(report: Report) -> list[str]:
    named = [p.place.file if p.place else "" for p in report.problems]
    named += [file for file, _ in report.left]
    return list(dict.fromkeys([*report.files, *named, *map(_file, report.results)]))


def _suite(file: str, problems: list[Problem], results: list[Result], left: list[str]) -> str:
    cases = [_case(file, "file", 0.0, _error(p)) for p in problems]
    failures = 0
    for r in results:
        body = ""
        if r.outcome.problem is not None:
            body = _error(r.outcome.problem)
        elif not r.as_expected:
            failures += 1
            body = _failure(r)
        cases.append(_case(file, r.task.name, r.outcome.seconds, body))
    for what in left:
        skipped = f"      <skipped message={_attribute(f'not checked: {what}')}/>\n"
        cases.append(_case(file, "not checked", 0.0, skipped))
    errors = len(problems) + sum(r.outcome.problem is not None for r in results)
    seconds = sum(r.outcome.seconds for r in results)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" time="{seconds:.6f}"'
    counts += f' skipped="{len(left)}"' if left else ""
    return f"  <testsuite name={_attribute(file)} {counts}>\n{''.join(cases)}  </testsuite>\n"


def _case(file: str, name: str, seconds: float, body: str) -> str:
    head = (
        f'    <testcase classname={_attribute(file)} name={_attribute(name)} time="{seconds:.6f}"'
    )
    return f"{head}>\n{body}    </testcase>\n" if body else f"{head}/>\n"


def _failure(r: Result) -> str:
    message = f"{r.outcome.status}, expected {r.task.expect}: {r.outcome.reason}"
    lines = [f"claim: {r.task.claim.line}"] if r.task.claim.word else []
    lines += [f"where: {fact}" for fact in r.task.claim.facts]
    text = _text([*lines, *evidence(r)])
    return f"      <failure message={_attribute(message)}>{text}</failure>\n"


def _error(p: Problem) -> str:
    lines = [str(p.place)] if p.place else []
    lines += [f"help: {p.help}"] if p.help else []
    return f"      <error message={_attribute(f'{p.code}: {p.message}')}>{_text(lines)}</error>\n"


def _text(lines: list[str]) -> str:
    return xml("\n".join(lines))


def _attribute(text: str) -> str:
    return f'"{xml(visible(text))}"'
