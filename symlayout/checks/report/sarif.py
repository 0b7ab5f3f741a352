"""SARIF 2.1.0, the exchange format of static analysers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from symlayout.checks.report.style import not_checked
from symlayout.checks.result import Fix, Place, Problem, Report, Result, evidence
from symlayout.errors import CODES
from symlayout.text.escape import as_json, visible
from symlayout.text.version import VERSION

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
NOT_CHECKED = "not-checked"
RULES = {
    "refuted": "the claim is refuted by a counterexample",
    "unknown": "the claim is neither proved nor refuted",
    "vacuous": "the facts of the claim contradict each other",
    "proved": "the claim is proved, but was expected to be refuted",
    NOT_CHECKED: "what could have been checked, and is not",
}


def render(report: Report, colour: bool) -> str:
    """One run, with a result for everything that is not as expected."""
    return as_json(data(report)) + "\n"


def data(report: Report) -> dict[str, Any]:
    """The log as plain data."""
    hits = [_problem(p) for p in report.all_problems]
    left = [(NOT_CHECKED, what, Place(file, 1)) for file, what in not_checked(report)]
    table = log([*hits, *[_result(r) for r in report.wrong]], RULES | CODES, notes=left)
    for r, row in zip(report.wrong, table["runs"][0]["results"][len(hits) :]):
        if r.changes:
            row["fixes"] = [_change(f) for f in r.changes]
    return table


def _change(fix: Fix) -> dict[str, Any]:
    """A text put in at a place."""
    at = {"startLine": fix.place.line, "startColumn": fix.place.column}
    region = {**at, "endLine": fix.end[0], "endColumn": fix.end[1]}
    put = {"deletedRegion": region, "insertedContent": {"text": fix.text}}
    where = {"uri": _uri(fix.place.file)}
    change = {"artifactLocation": where, "replacements": [put]}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


Row = tuple[str, str, Place | None]  # a rule, a text, and where


def log(
    hits: Sequence[Row], known: Mapping[str, str], level: str = "error", notes: Sequence[Row] = ()
) -> dict[str, Any]:
    """The log of findings and of notes, and what their rules mean."""
    results = [_finding(*row, level) for row in hits]
    results += [_finding(*row, "note") for row in notes]
    used = {r["ruleId"] for r in results}
    rules = [
        {"id": name, "shortDescription": {"text": text}}
        for name, text in known.items()
        if name in used
    ]
    driver = {"name": "symlayout", "version": VERSION, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _problem(p: Problem) -> Row:
    text = p.message + (f" ({p.help})" if p.help else "")
    return p.code, text, p.place


def _result(r: Result) -> Row:
    head = f"{r.task.name}: expected {r.task.expect}, {r.outcome.status}: {r.outcome.reason}"
    return r.outcome.status, "\n".join([head, *evidence(r)]), r.task.place


def _finding(rule: str, text: str, place: Place | None, level: str) -> dict[str, Any]:
    table: dict[str, Any] = {"ruleId": rule, "level": level, "message": {"text": text}}
    if place is not None:
        region: dict[str, Any] = {"startLine": place.line, "startColumn": place.column}
        region["endColumn"] = place.column + place.width
        location = {"artifactLocation": {"uri": _uri(place.file)}}
        table["locations"] = [{"physicalLocation": {**location, "region": region}}]
    return table


def _uri(file: str) -> str:
    from urllib.parse import quote

    try:
        path = PurePath(file)
        return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))
    except UnicodeEncodeError:  # halves of letters that no file system gives
        return quote(visible(file))
