"""Defects of kernels that nobody made a claim about; quiet where that is not certain."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.scan.barriers import missing_barriers
from symlayout.programs.kernels.scan.finding import CODES, Finding, Limits
from symlayout.programs.kernels.scan.masks import bounds
from symlayout.programs.kernels.scan.products import overflow
from symlayout.programs.kernels.scan.races import race
from symlayout.programs.kernels.scan.schedules import rounded_down, twice
from symlayout.programs.kernels.scan.swizzles import outside

__all__ = ["CODES", "Finding", "Limits", "findings"]


DEFAULT = Limits()


def findings(kernel: Kernel, limits: Limits = DEFAULT) -> Iterator[Finding]:
    """The findings of a kernel, in the order of its lines."""
    hits = [*overflow(kernel, limits), *bounds(kernel), *outside(kernel), *race(kernel)]
    hits += [*rounded_down(kernel), *twice(kernel), *missing_barriers(kernel)]
    table: dict[tuple[int, int, str], Finding] = {}
    for f in hits:  # what is inlined twice is said once
        table.setdefault((f.span.line, f.span.column, f.code), f)
    yield from sorted(table.values(), key=lambda f: (f.span.line, f.span.column, f.code))
