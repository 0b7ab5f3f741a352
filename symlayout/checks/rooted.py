"""A report with the paths that a project has from its root, whatever folder it was made in."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from symlayout.checks.result import Place, Problem, Report, Result


def with_paths_from_root(report: Report, root: Path) -> Report:
    """The report, its files named as they are from the root; files outside of it stay as they are."""
    name = cache(lambda file: from_root(file, root))  # of few files, each of many claims
    return replace(
        report,
        results=tuple(_result(r, name) for r in report.results),
        problems=tuple(_problem(p, name) for p in report.problems),
        files=tuple(map(name, report.files)),
        padding=tuple(_row(row, name) for row in report.padding),
        modules=tuple(_row(row, name) for row in report.modules),
        launches=tuple(_row(row, name) for row in report.launches),
        left=tuple((name(file), text) for file, text in report.left),
    )


Name = Callable[[str], str]


def from_root(file: str, root: Path) -> str:
    """The path of a file from the root that it lies below."""
    full = os.path.abspath(file)
    inside = Path(full).is_relative_to(root) and os.path.lexists(full)
    return Path(full).relative_to(root).as_posix() if inside else file


def _place(place: Place | None, name: Name) -> Place | None:
    if place is None or name(place.file) == place.file:
        return place
    return place._replace(file=name(place.file))


def _problem(problem: Problem, name: Name) -> Problem:
    return replace(problem, place=_place(problem.place, name))


def _result(r: Result, name: Name) -> Result:
    if _place(r.task.place, name) is r.task.place and not r.changes and not r.outcome.problem:
        return r
    task = replace(r.task, place=_place(r.task.place, name))
    fixes = [f._replace(place=f.place._replace(file=name(f.place.file))) for f in r.changes]
    outcome = r.outcome
    if outcome.problem is not None:
        outcome = replace(outcome, problem=_problem(outcome.problem, name))
    return replace(r, task=task, outcome=outcome, changes=tuple(fixes))


def _row(row: dict[str, Any], name: Name) -> dict[str, Any]:
    return {**row, "file": name(str(row["file"]))} if "file" in row else row
