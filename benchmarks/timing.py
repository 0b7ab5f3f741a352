"""What the benchmark programs share: repeated timing, and tables of aligned columns."""

from __future__ import annotations

import signal
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


class OutOfTime(BaseException):
    """Raised inside a measured function when it may run no longer; no `except Exception` sees it."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises `OutOfTime` in the body after that much processor time (main thread, Unix)."""

    def stop(*_: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Times:
    """The seconds of several runs of one function, warm."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """In milliseconds."""
        return statistics.median(self.seconds) * 1e3

    @property
    def least(self) -> float:
        """In milliseconds: the run that other processes disturbed least."""
        return min(self.seconds) * 1e3


_clock = [time.perf_counter]


def count_processor_time() -> None:
    """From now on times are of this process's own processor time: for a machine that is busy."""
    _clock[0] = time.process_time


def measure(run: Callable[[], object], *, most: int = 51, seconds: float = 0.5) -> Times:
    """One run to warm up, then up to `most` runs or as many as fit the time, but at least 3."""
    run()
    return measure_each((run for _ in range(most)), seconds=seconds)


def measure_each(runs: Iterator[Callable[[], object]], *, seconds: float = 0.5) -> Times:
    """Each function once, for as long as there is time, but at least 3 of them."""
    taken: list[float] = []
    now = _clock[0]
    for run in runs:
        start = now()
        run()
        taken.append(now() - start)
        if len(taken) >= 3 and sum(taken) > seconds:
            break
    return Times(tuple(taken))


def milliseconds(value: float) -> str:
    """Three figures: 0.123, 1.23, 12.3, 123."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns under their heads, the first `left` of them aligned to the left."""
    lines = [list(map(str, r)) for r in (head, *rows)]
    widths = [max(len(r[k]) for r in lines) for k in range(len(head))]
    lines.insert(1, ["-" * w for w in widths])
    return "\n".join(
        "  ".join(
            text.ljust(w) if k < left else text.rjust(w)
            for k, (text, w) in enumerate(zip(r, widths))
        ).rstrip()
        for r in lines
    )
