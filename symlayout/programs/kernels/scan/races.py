"""Stores that every program along an axis, or every thread, makes to the same place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.forms import THREADS, form_of
from symlayout.programs.kernels.scan.finding import Evidence, Finding
from symlayout.programs.kernels.scan.setting import Setting


def race(kernel: Kernel, settings: Sequence[Setting]) -> Iterator[Finding]:
    """A finding for each array, where what the axis counts is read from other places.

    Whether the programs store the same value is not known: the confidence is medium.
    """
    done: set[str] = set()
    if kernel.skipped:
        return
    for access in kernel.accesses:
        if access.kind != "store" or access.doubt or access.array in {*done, *kernel.shared}:
            continue
        for axis, word in sorted(kernel.programs.items()):
            if axis >= THREADS or _speaks(access, word) or not _read(kernel, word):
                continue
            if not any(s.allows({word: 1}) for s in settings):
                continue
            done.add(access.array)
            text = form_of(kernel, access).text(access.offset)
            yield Finding(
                "race",
                access.span,
                kernel.name,
                text,
                f"every program along axis {axis} stores to the same places of {access.array}: "
                f"{word} is in no part of the address or the mask",
                f"let one of them store (if {word} == 0), give each its own place, or add atomically",
                {word: 1},
                "medium",
                Evidence(access, {word: 1}),
            )
            break


def _speaks(access: Access, word: str) -> bool:
    return any(n.unknowns or word in n.names for n in access.nodes)


def _read(kernel: Kernel, word: str) -> bool:
    """Whether what is loaded depends on the axis."""
    loads = [a for a in kernel.accesses if a.kind == "load"]
    return any(word in a.offset.names for a in loads)
