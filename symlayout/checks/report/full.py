"""The report for people: source line with caret, both sides at the counterexample, a replay."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.checks.report.style import (
    MEMORY,
    OF_STATUS,
    confirmation,
    confirmation_line,
    module_claims,
    overview,
    paint,
    ranking,
    summary_line,
    under_assumptions,
)
from symlayout.checks.result import RESTS, Place, Problem, Report, Result, account
from symlayout.programs.kernels.policy import POLICY
from symlayout.text import escape
from symlayout.text.suggestions import excerpt

HELP = {
    "vacuous": "the facts contradict each other, so the claim says nothing: remove one of them",
    "unknown": "add a fact that bounds the sizes, or split the claim into simpler ones",
}

SEVERAL = 3  # claims that rest on one are told together
ORDER = {"unknown": 1, "vacuous": 1}  # after all others


def render(report: Report, colour: bool) -> str:
    """Problems, then claims that are not as expected, then one line of summary."""
    text = diagnostics(report, colour)
    return f"{text}\n{results(report, colour)}" if text else results(report, colour)


def diagnostics(report: Report, colour: bool) -> str:
    """What was wrong with the input; the command line prints it on stderr."""
    return _paragraphs([problem_lines(p, colour) for p in report.all_problems])


def failures(report: Report, colour: bool, verbose: bool = False) -> str:
    """Claims that are not as expected, and nothing else."""
    return _paragraphs(_failures(report, colour, verbose))


def _failures(report: Report, colour: bool, verbose: bool = False) -> list[list[str]]:
    """Refuted claims first, then unknown ones."""
    rows = sorted(report.wrong, key=lambda r: ORDER.get(r.outcome.status, 0))
    resting = {} if verbose else _resting(rows)
    first = {own[0]: [rows[k] for k in own] for own in resting.values()}
    others = {n for own in resting.values() for n in own[1:]}
    blocks, by_fix = list[list[str]](), dict[tuple[str, ...], list[str]]()
    for n, r in enumerate(rows):
        if n in others:
            continue
        lines = _together(first[n], colour) if n in first else result_lines(r, colour, verbose)
        helps = [x for x in lines if x.startswith("  help: write ")]
        key = (*lines[1:3], *helps) if helps and not verbose else ()
        if key in by_fix:
            by_fix[key].append(f"  the same change is right for: {escape.message(r.task.name)}")
            continue
        blocks.append(lines)
        by_fix[key or (str(len(blocks)),)] = lines
    return blocks


def _resting(rows: list[Result]) -> dict[tuple[str, ...], list[int]]:
    """The numbers of unknown claims of one kernel that rest on others, if there are several."""
    table: dict[tuple[str, ...], list[int]] = {}
    for n, r in enumerate(rows):
        if r.outcome.status == "unknown" and r.outcome.reason.startswith(RESTS):
            kernel = r.task.name.partition(": ")[0]
            file = r.task.place.file if r.task.place else ""
            table.setdefault((file, kernel), []).append(n)
    return {key: own for key, own in table.items() if len(own) >= SEVERAL}


def _together(rows: list[Result], colour: bool) -> list[str]:
    """Claims that rest on others: how many there are, and on which they rest."""
    first = rows[0]
    place = f"{first.task.place}: " if first.task.place else ""
    status = paint(first.outcome.status, OF_STATUS[first.outcome.status], colour)
    head = f"{paint(escape.terminal(place), 'bold', colour)}{status}, expected {first.task.expect}"
    kernel = escape.message(first.task.name.partition(": ")[0])
    lines = [f"{head}: {kernel}: {len(rows)} claims"]
    reasons = dict.fromkeys(r.outcome.reason for r in rows)
    word = "each " if len(reasons) == 1 else ""
    others = [f"  {word}{escape.terminal(reason)}" for reason in reasons]
    return [*lines, *others[:-1], f"{others[-1]} (-v shows them)"]


def listing(report: Report, colour: bool) -> Iterator[str]:
    """A line for every claim, as expected or not: its place, verdict, name and time."""
    for r in report.results:
        status = r.outcome.status
        word = paint(status, OF_STATUS.get(status, "red"), colour)
        duration = "cached" if r.cached else f"{r.outcome.seconds:.2f} s"
        if status == "proved":
            word += under_assumptions(r) + r.outcome.condition
        if r.outcome.confirmed is not None:
            word += f", {confirmation(r.outcome.confirmed)}"
        place = escape.terminal(f"{r.task.place}: ") if r.task.place else ""
        yield f"{place}{word}: {escape.message(r.task.name)} ({duration})"


def results(report: Report, colour: bool, verbose: bool = False) -> str:
    """Claims that are not as expected, notes, and a summary.

    Without `verbose` a run over files of several kinds leaves out the memory of modules.
    """
    blocks, more = _failures(report, colour, verbose), overview(report)
    notes = [n for n in report.notes if verbose or not more or not MEMORY.match(n)]
    if any(map(MEMORY.match, notes)) and (table := ranking(report)):
        blocks.append([escape.terminal(line) for line in table])
    blocks += [[escape.terminal(line) for line in note.split("\n")] for note in notes]
    if any(r.task.assumed for r in report.results):
        larger = _larger_sizes(report) if verbose or not more else []
        blocks += [[escape.terminal(line) for line in lines] for lines in larger]
        blocks.append([POLICY])
    if report.confirmations():
        blocks.append([confirmation_line(report)])
    blocks += [more] if more else []
    good = "green" if report.exit_code == 0 else "red"
    blocks.append([*module_claims(report), paint(summary_line(report), good, colour)])
    return _paragraphs(blocks)


def _larger_sizes(report: Report) -> list[list[str]]:
    """The notes on what fails beyond what is assumed."""
    if not any(r.outcome.beyond for r in report.results):
        return []
    from symlayout.checks.report import kernels  # whose imports few runs need

    return list(kernels.larger_sizes(report.results))


def _paragraphs(blocks: list[list[str]]) -> str:
    return "\n\n".join("\n".join(b) for b in blocks) + "\n" if blocks else ""


def source_lines(place: Place, colour: bool) -> Iterator[str]:
    """The line of the file with carets under the span; long lines are cut around it."""
    if not place.source:
        return
    number = str(place.line)
    at, source = place.column - 1 - place.cut, place.source.replace("\t", " ")
    text, mark = excerpt(source, at, place.width, 120)
    blank = len(mark) - len(mark.lstrip())
    yield f"  {number} | {text[2:]}"
    yield f"  {' ' * len(number)} | {mark[2:blank]}{paint(mark[blank:], 'red', colour)}"


def problem_lines(p: Problem, colour: bool = False) -> list[str]:
    """A mistake: where, what, and what would mend it."""
    head = escape.terminal(f"{p.place}: ") if p.place else ""
    what = f"{paint('error', 'red', colour)}: {p.code}: {escape.message(p.message)}"
    lines = [f"{paint(head, 'bold', colour)}{what}"]
    if p.place:
        lines += source_lines(p.place, colour)
    lines += [f"    {line}" for line in p.excerpt]
    if p.help:
        lines.append(f"  help: {escape.message(p.help)}")
    return lines


def result_lines(r: Result, colour: bool = False, verbose: bool = False) -> list[str]:
    """A claim that is not as expected: where, why, the counterexample, and how to replay it.

    One about a kernel is told in the words of its source; `verbose` adds the claim itself.
    """
    place, words = r.task.place, list[str]()
    if r.in_words_of_source:
        from symlayout.checks.report import kernels  # whose imports few runs need

        place, words = kernels.place_of(r), list(kernels.lines(r))
    head = escape.terminal(f"{place}: ") if place else ""
    status = paint(r.outcome.status, OF_STATUS[r.outcome.status], colour)
    status += under_assumptions(r) if r.outcome.status == "proved" else ""
    name = escape.message(r.task.name)
    lines = [f"{paint(head, 'bold', colour)}{status}, expected {r.task.expect}: {name}"]
    if place:
        lines += source_lines(place, colour)
    if r.in_words_of_source:
        lines += [f"  {escape.terminal(text)}" for text in words]
        if not verbose:
            return lines
    posed = bool(r.task.claim.word)
    texts = [f"claim        {r.task.claim.line}"] if posed else []
    texts += account(r)
    if r.task.because:
        texts.append(f"because      {r.task.because}")
    if posed and r.outcome.status in HELP:
        texts.append(f"help         {HELP[r.outcome.status]}")
    if posed:
        texts.append(f"replay       {r.task.replay}")
    if r.hint and not r.in_words_of_source:
        texts.append(f"help: {r.hint}")
    lines += [f"  {escape.terminal(text)}" for text in texts]
    return lines
