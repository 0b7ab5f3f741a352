"""The report for people: source line with caret, both sides at the counterexample, a replay."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.checks.report.style import OF_STATUS, paint, summary_line
from symlayout.checks.result import Place, Problem, Report, Result, counterexample_lines

HELP = {
    "vacuous": "the facts contradict each other, so the claim says nothing: remove one of them",
    "unknown": "add a fact that bounds the sizes, or split the claim into simpler ones",
}


def render(report: Report, colour: bool) -> str:
    """Problems, then claims that are not as expected, then one line of summary."""
    made = diagnostics(report, colour)
    return f"{made}\n{results(report, colour)}" if made else results(report, colour)


def diagnostics(report: Report, colour: bool) -> str:
    """What was wrong with the input; the command line prints it on stderr."""
    return _joined([problem_lines(p, colour) for p in report.all_problems])


def results(report: Report, colour: bool) -> str:
    """Claims that are not as expected, then one line of summary."""
    wrong = [r for r in report.results if not r.as_expected and r.outcome.problem is None]
    blocks = [result_lines(r, colour) for r in wrong]
    blocks += [[note] for note in report.notes]
    good = "green" if report.exit_code == 0 else "red"
    blocks.append([paint(summary_line(report), good, colour)])
    return _joined(blocks)


def _joined(blocks: list[list[str]]) -> str:
    return "\n\n".join("\n".join(b) for b in blocks) + "\n" if blocks else ""


def source_lines(place: Place, colour: bool) -> Iterator[str]:
    """The line of the file with carets under the span; long lines are cut around it."""
    if not place.source:
        return
    number = str(place.line)
    left = max(0, place.column - 1 - 60)
    shown = place.source[left : left + 120].replace("\t", " ")
    column = place.column - 1 - left
    mark = "^" * max(1, min(place.width, len(shown) - column))
    yield f"  {number} | {shown}"
    yield f"  {' ' * len(number)} | {' ' * column}{paint(mark, 'red', colour)}"


def problem_lines(p: Problem, colour: bool = False) -> list[str]:
    """A mistake: where, what, and what would mend it."""
    head = f"{p.place}: " if p.place else ""
    lines = [f"{paint(head, 'bold', colour)}{paint('error', 'red', colour)}: {p.code}: {p.message}"]
    if p.place:
        lines += source_lines(p.place, colour)
    lines += [f"    {line}" for line in p.excerpt]
    if p.help:
        lines.append(f"  help: {p.help}")
    return lines


def result_lines(r: Result, colour: bool = False) -> list[str]:
    """A claim that is not as expected: where, why, the counterexample, and how to replay it."""
    head = f"{r.task.place}: " if r.task.place else ""
    status = paint(r.outcome.status, OF_STATUS[r.outcome.status], colour)
    lines = [f"{paint(head, 'bold', colour)}{status}, expected {r.task.expect}: {r.task.name}"]
    if r.task.place:
        lines += source_lines(r.task.place, colour)
    lines.append(f"  claim        {r.task.claim}")
    lines += [f"  where        {fact}" for fact in r.task.where]
    lines.append(f"  reason       {r.outcome.reason}")
    if r.outcome.counterexample:
        lines += [
            f"  {x}" for x in counterexample_lines(r.outcome.counterexample, r.outcome.reason)
        ]
    if r.task.because:
        lines.append(f"  because      {r.task.because}")
    if r.outcome.status in HELP:
        lines.append(f"  help         {HELP[r.outcome.status]}")
    lines.append(f"  replay       {r.task.replay}")
    return lines
