"""A module in a few lines for people: totals, what was not checked, copies, the worst buffers."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.programs.hlo.assignment import Assignment, comparison
from symlayout.programs.hlo.claims import ModuleClaims
from symlayout.programs.hlo.memory import HOST, Footprint, Space
from symlayout.programs.hlo.padding import PaddingReport
from symlayout.text.dumps import opcode_counts
from symlayout.text.lines import columns, count, in_bytes, in_units

TRAFFIC_SHOWN = 3
HEAD = ("space", "bytes", "wasted", "factor", "buffers", "peak", "needed", "at")
LEFT = frozenset({0, len(HEAD) - 1})
DEFAULT = 0  # the memory space of what says nothing else


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
    if lines and top:
        lines += _alive(file, check.module.sign, memory, top, theirs)
    if check.nothing_to_check:
        lines.append(f"nothing to check in {file}: all of it was read, and it makes no claim")
    if check.not_checked:
        lines.append(f"not checked in {file}: {opcode_counts(check.not_checked)}")
    if memory.traffic and laid_out:
        lines += _traffic(memory, check.module.sign, top)
    worst = min(top, len(waste.above(1.0)))
    if worst:
        spaces = {row.space for row in waste.lines_of(worst)}
        first = f"S({DEFAULT}) first, then " if len(spaces) > 1 and DEFAULT in spaces else ""
        lines += [f"padding of {file}, {first}the most wasted bytes first:", waste.table(worst)]
    return "\n".join(lines)


def _laid_out(check: ModuleClaims) -> bool:
    """Whether layouts are assigned: before that there are no buffers."""
    return check.module.dialect == "hlo" and any(c.word == "valid" for c in check.claims)


def _memory(file: str, check: ModuleClaims, memory: Footprint) -> Iterator[str]:
    name = f" ({check.module.name})" if check.module.name else ""
    table = f" and a table of {memory.pointers} pointers" if memory.pointers else ""
    sides = f"arguments {_bytes(memory.arguments)}, outputs {_bytes(memory.outputs)}{table}"
    yield f"memory of {file}{name}: {sides}"
    if memory.host_arguments or memory.host_outputs:
        sides = f"arguments {_bytes(memory.host_arguments)}, outputs {_bytes(memory.host_outputs)}"
        yield f"  host memory, S({HOST}): {sides}"
    rows = [_cells(n, s, check.module.sign) for n, s in memory.spaces.items()]
    yield from (f"  {line}" for line in columns([HEAD, *rows], LEFT))
    main = memory.spaces.get(DEFAULT)
    if main is not None and main.needed is not None and main.temporaries is not None:
        fixed, more = in_bytes(main.needed - main.temporaries), in_bytes(main.temporaries)
        yield f"  S({DEFAULT}) needs {in_bytes(main.needed)}: {fixed} for arguments and outputs,"
        yield f"    {more} for temporaries at one time"
    if memory.unsized:
        yield f"  without {count(memory.unsized, 'array')} whose sizes are no numbers"
    if memory.left_out:
        yield f"  computed without {count(memory.left_out, 'instruction')} that could not be read"


def _cells(n: int, s: Space, sign: str) -> tuple[str, ...]:
    numbers = [f"{s.bytes:,}", f"{s.wasted:,}", f"{s.factor:.2f}", f"{s.buffers}"]
    numbers += ["-" if k is None else f"{k:,}" for k in (s.peak, s.needed)]
    return f"S({n}) {s.called}".rstrip(), *numbers, sign + s.at if s.at else ""


def _bytes(number: int | None) -> str:
    return "unknown" if number is None else in_bytes(number)


def _alive(
    file: str, sign: str, memory: Footprint, top: int, theirs: Assignment | None
) -> Iterator[str]:
    """The largest buffers that are needed at the peak, with or without padding."""
    space = memory.spaces.get(DEFAULT)
    if space is None or not space.alive:
        return
    places = {} if theirs is None else theirs.offsets
    yield f"alive at the peak of S({DEFAULT}) in {file}, at {sign}{space.at}:"
    rows: list[tuple[str, ...]] = []
    for b in space.alive[:top]:
        part = f"{{{','.join(map(str, b.path))}}}" if b.path else ""
        offset = places.get((b.maker, b.path)) if b.kind == "temporary" else None
        at = "" if offset is None else f"at {offset:,}"
        rows.append(
            (f"{b.size:,}", in_units(b.size), b.kind, sign + b.maker + part, at, str(b.shape))
        )
    if not any(row[4] for row in rows):
        rows = [(*row[:4], *row[5:]) for row in rows]
    yield from (f"  {line}" for line in columns(rows, frozenset(range(2, len(rows[0])))))
    rest = space.alive[top:]
    if rest:
        yield f"  and {len(rest):,} more with {in_bytes(sum(b.size for b in rest))}"


def _traffic(memory: Footprint, sign: str, top: int) -> Iterator[str]:
    """The instructions that only move elements, three or as many as asked for, and how many more."""
    most = max(top, TRAFFIC_SHOWN)
    number = len(memory.traffic)
    words = "1 instruction only changes" if number == 1 else f"{number} instructions only change"
    yield f"{words} layouts: {in_bytes(memory.moved)} are read and written"
    rows = [
        (f"{t.bytes:,}", f"line {t.line}: {t.opcode} {sign}{t.name} from {t.source} to {t.target}")
        for t in memory.traffic[:most]
    ]
    yield from (f"  {line}" for line in columns(rows, frozenset({1})))
    if rest := memory.traffic[most:]:
        yield f"  and {len(rest):,} more with {in_bytes(sum(t.bytes for t in rest))}"
