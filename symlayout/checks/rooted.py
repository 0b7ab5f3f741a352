"""A report with the paths that a project has from its root, whatever folder it was made in."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from symlayout.checks.result import Place, Problem, Report, Result


def rooted(report: Report, root: Path) -> Report:
    """The report, its files named as they are from the root; files outside of it stay as they are."""
    return replace(
        report,
        results=tuple(_result(r, root) for r in report.results),
        problems=tuple(_problem(p, root) for p in report.problems),
        files=tuple(from_root(f, root) for f in report.files),
        padding=tuple(_row(row, root) for row in report.padding),
        modules=tuple(_row(row, root) for row in report.modules),
    )


def from_root(file: str, root: Path) -> str:
    """The path of a file from the root that it lies below."""
    full = os.path.abspath(file)
    inside = Path(full).is_relative_to(root) and os.path.lexists(full)
    return Path(full).relative_to(root).as_posix() if inside else file


def _place(place: Place | None, root: Path) -> Place | None:
    return None if place is None else replace(place, file=from_root(place.file, root))


def _problem(problem: Problem, root: Path) -> Problem:
    return replace(problem, place=_place(problem.place, root))


def _result(r: Result, root: Path) -> Result:
    task = replace(r.task, place=_place(r.task.place, root))
    moved = [
        replace(f, place=replace(f.place, file=from_root(f.place.file, root))) for f in r.changes
    ]
    r = replace(r, changes=tuple(moved))
    if r.outcome.problem is None:
        return replace(r, task=task)
    outcome = replace(r.outcome, problem=_problem(r.outcome.problem, root))
    return replace(r, task=task, outcome=outcome)


def _row(row: dict[str, Any], root: Path) -> dict[str, Any]:
    return {**row, "file": from_root(str(row["file"]), root)} if "file" in row else row
