"""The report as one JSON object, for programs."""

from __future__ import annotations

from typing import Any

from symlayout.checks.result import Problem, Report, Result
from symlayout.text.escape import as_json

SCHEMA = 1


def render(report: Report, colour: bool) -> str:
    """The object of `data`, indented."""
    return as_json(data(report)) + "\n"


def data(report: Report) -> dict[str, Any]:
    """The report as plain data; `verdict` is "error" where bad input left no verdict."""
    table: dict[str, Any] = {
        "schema": SCHEMA,
        "claims": [claim(r) for r in report.results],
        "errors": [_problem(p) for p in report.all_problems],
        "summary": report.summary(),
    }
    if report.modules:
        table["modules"] = list(report.modules)
    if report.launches:
        table["launches"] = list(report.launches)
    if report.left:
        table["left_out"] = [{"file": file, "message": text} for file, text in report.left]
    if report.padding:
        table["padding"] = list(report.padding)
    return table


def claim(r: Result) -> dict[str, Any]:
    """One claim's object."""
    place = r.task.place
    table = {
        "name": r.task.name,
        **r.task.claim.to_json(),
        "verdict": r.outcome.status,
        "expected": r.task.expect,
        "file": place.file if place else None,
        "line": place.line if place else None,
        "reason": r.outcome.reason,
        "counterexample": r.outcome.counterexample,
        "seconds": r.outcome.seconds,
    }
    if r.outcome.confirmed is not None:
        table["confirmed"] = r.outcome.confirmed
    if r.outcome.details:
        table["details"] = r.outcome.details
    if r.hint:
        table["help"] = r.hint
    if r.task.assumed:
        table["assumed"] = list(r.task.assumed)
    if r.outcome.beyond is not None:
        table["beyond"] = r.outcome.beyond
    if r.in_words_of_source:
        from symlayout.checks.report.kernels import expression_of

        if (expression := expression_of(r)) is not None:
            table["expression"] = expression
    if r.changes:
        table["fixes"] = [
            {
                "title": f.title,
                "line": f.place.line,
                "column": f.place.column,
                "removed": f.removed,
                "text": f.text,
            }
            for f in r.changes
        ]
    if r.task.because:
        table["because"] = r.task.because
    if r.outcome.problem is not None:
        table["error"] = _problem(r.outcome.problem)
    return table


def _problem(p: Problem) -> dict[str, Any]:
    return {
        "code": p.code,
        "message": p.message,
        "file": p.place.file if p.place else None,
        "line": p.place.line if p.place else None,
        "column": p.place.column if p.place else None,
        "help": p.help,
    }
