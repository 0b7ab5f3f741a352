"""How many claims of each word there are, what became of them, and how long they took."""

from __future__ import annotations

from symlayout.checks.result import Report, Result
from symlayout.prove.verdict import STATUSES
from symlayout.text.escape import terminal
from symlayout.text.lines import columns

SLOWEST = 5
COLUMNS = ("claims", *STATUSES, "errors", "cached", "seconds")


def lines(report: Report) -> list[str]:
    """A table with a row for each claim word, and the slowest claims that were judged now."""
    words: dict[str, list[Result]] = {}
    for r in report.results:
        words.setdefault(r.task.claim.word or "(unread)", []).append(r)
    rows = [(word, *_row(hits)) for word, hits in sorted(words.items())]
    rows.append(("all", *_row(list(report.results))))
    results = columns([("claim word", *COLUMNS), *rows])
    judged = [r for r in report.results if not r.cached and r.outcome.seconds > 0]
    slow = sorted(judged, key=lambda r: -r.outcome.seconds)[:SLOWEST]
    if slow:
        results += ["", "slowest"]
        for r in slow:
            place = f"{r.task.place}: " if r.task.place else ""
            results.append(terminal(f"  {r.outcome.seconds:8.3f} s  {place}{r.task.name}"))
    return results


def _row(hits: list[Result]) -> list[str]:
    statuses = [r.outcome.status for r in hits]
    counts = [len(hits), *(statuses.count(s) for s in (*STATUSES, "error"))]
    counts.append(sum(r.cached for r in hits))
    seconds = sum(r.outcome.seconds for r in hits if not r.cached)
    return [*map(str, counts), f"{seconds:.2f}"]
