"""GitHub's workflow commands: an annotation at the line of everything that is not as expected."""

from __future__ import annotations

from symlayout.checks.report.style import not_checked, summary_line
from symlayout.checks.result import Place, Report, evidence
from symlayout.text.escape import workflow, workflow_property


def render(report: Report, colour: bool) -> str:
    """One `::error` line each, a `::notice` of what was not checked, and the summary last."""
    lines = []
    for p in report.all_problems:
        text = p.message + (f"\nhelp: {p.help}" if p.help else "")
        lines.append(annotation(p.place, f"symlayout {p.code}", text))
    for r in report.wrong:
        title = f"{r.outcome.status}, expected {r.task.expect}"
        text = "\n".join([f"{r.task.name}: {r.outcome.reason}", *evidence(r)])
        lines.append(annotation(r.task.place, title, text))
    for file, what in not_checked(report):
        lines.append(annotation(Place(file, 1), "not checked", what, "notice"))
    return "\n".join([*lines, summary_line(report)]) + "\n"


def annotation(place: Place | None, title: str, text: str, level: str = "error") -> str:
    """A workflow command at a place."""
    fields = []
    if place is not None:
        fields = [
            f"file={workflow_property(place.file)}",
            f"line={place.line}",
            f"col={place.column}",
        ]
    return f"::{level} {','.join([*fields, f'title={workflow_property(title)}'])}::{workflow(text)}"
