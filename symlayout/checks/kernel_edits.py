"""Changes of a kernel's source that may make a refuted claim hold: each has to be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symlayout.checks.kernel_casts import casts
from symlayout.checks.kernel_masks import masks
from symlayout.checks.kernel_slips import slips, swaps
from symlayout.checks.kernel_source import Edit, Source
from symlayout.programs.kernels.written import Code


def edits(file: str, code: Code, values: Mapping[str, int]) -> Iterator[Edit]:
    """The changes to try, the likeliest first; `values` are those of the counterexample."""
    source = Source(file, code)
    if code.kind == "fits":
        over = code.overflow(values)
        if over is not None:
            yield from casts(source, over)
        return
    if not code.accesses or not code.accesses[-1].array:
        return
    access = code.accesses[-1]
    address = code.address(access) or access.span
    yield from swaps(source, access, address)  # a mask may hide such a slip
    yield from masks(source, access, address, values)
    yield from slips(source, address)
