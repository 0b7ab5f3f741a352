"""Changes of a kernel's source that may make a refuted claim hold: each has to be checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from symlayout.checks.kernel_casts import casts, together
from symlayout.checks.kernel_masks import masks
from symlayout.checks.kernel_slips import barriers, slips, swaps
from symlayout.checks.kernel_source import Edit, Source
from symlayout.programs.kernels.written import Code
from symlayout.text.brackets import split_commas
from symlayout.text.patterns import regex

COPY = regex(r"((?:AscendC::)?DataCopy)\s*\((.*)\)", re.S)
SIMPLE = regex(r"[\w.]+")


def edits(file: str, code: Code, values: Mapping[str, int]) -> Iterator[Edit]:
    """The changes to try, the likeliest first; `values` are those of the counterexample."""
    source = Source(file, code)
    if code.kind == "fits":
        over = code.overflow(values)
        if over is not None:
            yield from casts(source, over)
            for access in code.accesses[-1:]:
                yield from together(source, code.address(access) or access.span)
        return
    if code.kind == "blocks":
        yield from pads(source, code)
    if not code.accesses or not code.accesses[-1].array:
        return
    access = code.accesses[-1]
    if access.array in code.kernel.shared and len(code.accesses) > 1:
        yield from barriers(source, *sorted(code.accesses, key=lambda a: a.span.line)[:2])
    address = code.address(access) or access.span
    yield from swaps(source, access, address)  # a mask may hide such a slip
    yield from masks(source, access, address, values)
    yield from slips(source, address)


def pads(source: Source, code: Code) -> Iterator[Edit]:
    """`DataCopyPad` in the place of a copy of AscendC's that is not of whole blocks."""
    copy = COPY.fullmatch(source.of(code.span)) if code.span.end else None
    parts = [p.strip() for p in split_commas(copy[2])] if copy is not None else []
    accesses = [a for a in code.kernel.accesses if a.span.line == code.span.line]
    if copy is None or len(parts) != 3 or len(accesses) != 1:
        return
    size = code.kernel.elements.get(accesses[0].array, 0) // 8
    count = parts[2] if SIMPLE.fullmatch(parts[2]) else f"({parts[2]})"
    padding = ", {false, 0, 0, 0}" if accesses[0].kind == "load" else ""
    length = f"{{1, (uint32_t)({count} * {size}), 0, 0, 0}}"
    text = f"{copy[1]}Pad({parts[0]}, {parts[1]}, {length}{padding})"
    at, end = source.at(code.span)
    yield Edit(at, end, text, f"write `{text}`")
