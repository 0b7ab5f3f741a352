"""Markdown: a table of what is not as expected, for the summary page of a CI run."""

from __future__ import annotations

from symlayout.checks.report.style import not_checked, summary_line
from symlayout.checks.result import Report
from symlayout.text.escape import ANYWHERE, visible


def render(report: Report, colour: bool) -> str:
    """A heading with the summary, and a row for everything that is not as expected."""
    rows = [(str(p.place or ""), "error", f"{p.code}: {p.message}") for p in report.all_problems]
    for r in report.wrong:
        message = f"{r.task.name}: {r.outcome.reason}" + (f"; {r.hint}" if r.hint else "")
        rows.append((str(r.task.place or ""), r.outcome.status, message))
    rows += [(file, "not checked", what) for file, what in not_checked(report)]
    lines = [f"### symlayout: {summary_line(report)}"]
    if rows:
        lines += ["", "| place | verdict | why |", "|---|---|---|"]
        lines += [f"| {_code(place)} | {word} | {_cell(text)} |" for place, word, text in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Text in which no letter means anything to Markdown or HTML."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#+-.!|~&" else c for c in visible(text))


def _code(text: str) -> str:
    code = ANYWHERE.sub(r"#\\x23", visible(text).replace("`", "").replace("|", ""))
    return f"`{code}`" if code else ""
