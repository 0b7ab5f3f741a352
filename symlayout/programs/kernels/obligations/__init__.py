"""What a kernel has to satisfy under its contract: claims about its accesses, each with its place.

A kind of obligation that is new is a row of `EVERY` and a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from symlayout.programs.kernels.access import Span
from symlayout.programs.kernels.obligations import bounds, demands, launches, overflows, writes
from symlayout.programs.kernels.obligations.reading import Obligation, Reading
from symlayout.programs.kernels.rolling import rolled

__all__ = ["Obligation", "Reading", "obligations"]


def understood(reading: Reading) -> Iterator[Obligation]:
    """That each line is understood, which those that are not fail."""
    for line, why in sorted(reading.kernel.skipped.items()):
        yield Obligation(f"understood: line {line}", "understood", Span(line), None, why)


# in the order in which they are reported
EVERY: tuple[Callable[[Reading], Iterator[Obligation]], ...] = (
    bounds.every,
    writes.every,
    overflows.every,
    understood,
    demands.divisors,
    demands.counts,
    demands.others,
    demands.hints,
    launches.every,
)


def obligations(reading: Reading) -> Iterator[Obligation]:
    """Every obligation, in the order of the code.

    Raises `LayoutError` for a layout that cannot be read; `at` is then its place in the file.
    """
    reading = replace(reading, kernel=rolled(reading.kernel))
    for every in EVERY:
        yield from every(reading)
