"""One line for everything that is not as expected, for editors and for `grep`."""

from __future__ import annotations

from symlayout.checks.report.style import not_checked, summary_line
from symlayout.checks.result import Report
from symlayout.text.escape import terminal


def render(report: Report, colour: bool) -> str:
    """`file:line:column: status: name: reason`, and the summary last."""
    lines = [f"{p.place}: error: {p.code}: {p.message}" for p in report.all_problems]
    for r in report.wrong:
        help = f"; help: {r.hint}" if r.hint else ""
        name, reason = r.task.name, r.outcome.reason
        lines.append(f"{r.task.place}: {r.outcome.status}: {name}: {reason}{help}")
    lines += [f"{file}:1:1: not checked: {what}" for file, what in not_checked(report)]
    return "\n".join([*map(terminal, lines), summary_line(report)]) + "\n"
