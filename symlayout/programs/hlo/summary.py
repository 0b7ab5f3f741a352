"""A module in a few lines for people: totals, what was not checked, copies, the worst buffers."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.programs.hlo.assignment import Assignment, comparison
from symlayout.programs.hlo.claims import ModuleClaims
from symlayout.programs.hlo.memory import Footprint
from symlayout.programs.hlo.padding import PaddingReport
from symlayout.text.dumps import opcode_counts
from symlayout.text.lines import count

TRAFFIC_SHOWN = 3


def summary(
    file: str,
    check: ModuleClaims,
    memory: Footprint,
    waste: PaddingReport,
    top: int,
    theirs: Assignment | None = None,
) -> str:
    """The lines about one module; none where there is nothing to tell."""
    laid_out = _laid_out(check)
    lines: list[str] = []
    if laid_out and (memory.spaces or memory.unsized):
        lines += _memory(file, check, memory)
    elif memory.left_out and check.module.dialect == "hlo" and check.module.entry is None:
        lines.append(f"memory of {file}: unknown, because the entry computation could not be read")
    if theirs is not None and lines:
        lines += comparison(memory, theirs)
    if check.nothing_to_check:
        lines.append(f"nothing to check in {file}: all of it was read, and it makes no claim")
    if check.not_checked:
        lines.append(f"not checked in {file}: {opcode_counts(check.not_checked)}")
    if memory.traffic and laid_out:
        lines += _traffic(memory)
    worst = min(top, len(waste.above(1.0)))
    if worst:
        lines += [f"padding of {file}, the most wasted bytes first:", waste.table(worst)]
    return "\n".join(lines)


def _laid_out(check: ModuleClaims) -> bool:
    """Whether layouts are assigned: before that there are no buffers."""
    return check.module.dialect == "hlo" and any(c.word == "valid" for c in check.claims)


def _memory(file: str, check: ModuleClaims, memory: Footprint) -> Iterator[str]:
    name = f" ({check.module.name})" if check.module.name else ""
    yield f"memory of {file}{name}: arguments {_bytes(memory.arguments)}, outputs {_outputs(memory)}"
    yield "  space         bytes        wasted  factor  buffers          peak  at"
    for number, s in memory.spaces.items():
        peak = "-" if s.peak is None else f"{s.peak:,}"
        numbers = f"{s.bytes:>15,}{s.wasted:>14,}{s.factor:>8.2f}{s.buffers:>9}{peak:>14}"
        yield f"  S({number}){numbers}  {s.at}".rstrip()
    if memory.unsized:
        arrays = "1 array" if memory.unsized == 1 else f"{memory.unsized} arrays"
        yield f"  without {arrays} whose sizes are no numbers"
    if memory.left_out:
        yield f"  computed without {count(memory.left_out, 'instruction')} that could not be read"


def _bytes(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _outputs(memory: Footprint) -> str:
    table = f" and a table of {memory.pointers} pointers" if memory.pointers else ""
    return f"{_bytes(memory.outputs)} bytes{table}"


def _traffic(memory: Footprint) -> Iterator[str]:
    number = len(memory.traffic)
    words = "1 instruction only changes" if number == 1 else f"{number} instructions only change"
    yield f"{words} layouts: {memory.moved:,} bytes are read and written"
    for t in memory.traffic[:TRAFFIC_SHOWN]:
        yield f"  {t.bytes:>12,}  line {t.line}: {t.opcode} {t.name} from {t.source} to {t.target}"
