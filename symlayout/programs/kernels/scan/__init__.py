"""Defects of kernels that nobody made a claim about; quiet where that is not certain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.launches.launch import Launch
from symlayout.programs.kernels.scan.barriers import missing_barriers
from symlayout.programs.kernels.scan.copies import torn_blocks
from symlayout.programs.kernels.scan.divergence import divergent
from symlayout.programs.kernels.scan.finding import CODES, Finding, Limits
from symlayout.programs.kernels.scan.masks import bounds
from symlayout.programs.kernels.scan.products import overflow
from symlayout.programs.kernels.scan.races import race
from symlayout.programs.kernels.scan.schedules import rounded_down, twice
from symlayout.programs.kernels.scan.setting import settings
from symlayout.programs.kernels.scan.swizzles import outside

__all__ = ["CODES", "Finding", "Limits", "findings"]


DEFAULT = Limits()


def findings(
    kernel: Kernel, limits: Limits = DEFAULT, launches: Sequence[Launch] = ()
) -> Iterator[Finding]:
    """The findings of a kernel as it is launched in its file, in the order of its lines."""
    known = settings(kernel, launches)
    hits = [*overflow(kernel, limits, known), *bounds(kernel, known), *outside(kernel)]
    hits += [*race(kernel, known), *rounded_down(kernel, known), *twice(kernel, known)]
    hits += [*missing_barriers(kernel), *divergent(kernel, known), *torn_blocks(kernel)]
    table: dict[tuple[int, int, str], Finding] = {}
    for f in hits:  # what is inlined twice is said once
        table.setdefault((f.span.line, f.span.column, f.code), f)
    yield from sorted(table.values(), key=lambda f: (f.span.line, f.span.column, f.code))
