"""Copies of AscendC's `DataCopy` that are not of whole blocks, whatever the sizes are."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Demand, Kernel
from symlayout.programs.kernels.nodes import FALSE
from symlayout.programs.kernels.policy import COPIED
from symlayout.programs.kernels.scan.finding import Evidence, Finding
from symlayout.programs.kernels.scan.witness import run_of

KINDS = {
    "length": "copies {} bytes",
    "address": "begins at byte {} of the global tensor",
    "local address": "begins at byte {} of the local tensor",
}


def torn_blocks(kernel: Kernel) -> Iterator[Finding]:
    """A finding for each length or address that is a number, and not a multiple of a block."""
    for d in kernel.demands:
        number = _number(d.value)
        if d.kind not in KINDS or number is None or number % COPIED == 0 or not _is_executed(d):
            continue
        text = d.value.text({})
        yield Finding(
            "blocks",
            d.span,
            kernel.name,
            text,
            f"{text} {KINDS[d.kind].format(number)}, not a multiple of {COPIED}",
            f"{_whole(d, number)}use DataCopyPad, which copies any number of bytes",
            evidence=Evidence(Access(d.kind, "", d.value, (), d.span)),
        )


def _number(node: Term) -> int | None:
    """The value of what is made of numbers alone."""
    return None if any(x.op != "num" for x in node.leaves) else run_of(node)({})


def _is_executed(d: Demand) -> bool:
    """Whether nothing is in doubt about it, and no loop around it is without a turn."""
    ends = [(r.low.value, r.high.value) for r in d.ranges]
    empty = any(a is not None and b is not None and b <= a for a, b in ends)
    return not (d.doubt or empty or d.guard == FALSE)


def _whole(d: Demand, number: int) -> str:
    """The nearest lengths in elements, or in bytes where the code has no element's size."""
    size = d.value.args[1].value if d.value.op == "*" else 1
    if d.kind != "length" or not size or COPIED % size:
        return ""
    count, step = number // size, COPIED // size
    below = count - count % step
    near = f"{below} or {below + step}" if below else f"{step}"
    return f"copy {near} {'elements' if d.value.op == '*' else 'bytes'}, or "
