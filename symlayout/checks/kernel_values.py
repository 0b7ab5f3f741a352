"""The values of all names of a kernel's claim at a counterexample."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from symlayout.checks.result import Result, Task
from symlayout.errors import LayoutError

BARRIER = "__syncthreads();"  # what parts two accesses of shared memory


def values_at(r: Result, coords: Any) -> dict[str, int]:
    """The values of sizes, and of the variables of the claim's map at coordinates."""
    c = r.outcome.counterexample
    sizes = {} if c is None else dict(c["sizes"])
    return sizes | dict(zip(variables(r.task), coords or ()))


def values_of(r: Result) -> dict[str, int]:
    """The values of all names, of two places that conflict those of the second."""
    c = r.outcome.counterexample or {}
    return values_at(r, c.get("other") or c.get("coords"))


def variables(task: Task) -> list[str]:
    """The variables of the claim's map, in the order of its coordinates."""
    from symlayout.layouts.maps.reader import read_map

    with suppress(LayoutError):
        if task.claim.word and task.claim.texts[0].startswith("map "):
            return [str(v.name) for v in read_map(task.claim.texts[0]).variables]
    return []
