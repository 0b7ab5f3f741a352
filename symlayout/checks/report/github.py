"""GitHub's workflow commands: an annotation at the line of everything that is not as expected."""

from __future__ import annotations

from symlayout.checks.report.style import not_checked, summary_line
from symlayout.checks.result import Place, Report, counterexample_lines
from symlayout.text.escape import workflow, workflow_property


def render(report: Report, colour: bool) -> str:
    """One `::error` line each, a `::notice` of what was not checked, and the summary last."""
    lines = []
    for p in report.all_problems:
        text = p.message + (f"\nhelp: {p.help}" if p.help else "")
        lines.append(annotation(p.place, f"symlayout {p.code}", text))
    for r in report.results:
        if r.as_expected or r.outcome.problem is not None:
            continue
        parts = [f"{r.task.name}: {r.outcome.reason}"]
        parts += counterexample_lines(r)
        parts.append(f"replay: {r.task.replay}")
        parts += [f"help: {r.hint}"] if r.hint else []
        title = f"{r.outcome.status}, expected {r.task.expect}"
        lines.append(annotation(r.task.place, title, "\n".join(parts)))
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
