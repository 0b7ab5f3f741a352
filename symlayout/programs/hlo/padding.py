"""What layouts waste: bytes of a buffer against bytes of its elements, why, and what would not.

A row of the report is a buffer of the module: what instructions outside fusions leave in memory.
Buffers of one shape are one row.  Rows are in the order of the bytes that they waste at one time;
the table begins with those of the main memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import permutations
from math import prod
from typing import Any

from symlayout.errors import LayoutError
from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.buffers import (
    at_bounds,
    buffers,
    byte_size,
    own_arrays,
    placed_arrays,
    running,
)
from symlayout.programs.hlo.elements import MARK
from symlayout.programs.hlo.lives import Lives, live_ranges
from symlayout.programs.hlo.metadata import op_name
from symlayout.programs.hlo.metadata import source as source_of
from symlayout.programs.hlo.module import Module
from symlayout.programs.hlo.suggestions import Decision, Origin, suggestion, why_none
from symlayout.programs.hlo.users import Origins
from symlayout.programs.hlo.waste import padded_elements, reasons
from symlayout.text.lines import columns, in_bytes

LANES = 128  # elements of 32 bits in the shortest one-dimensional tile
USERS_SHOWN = 3
MOST_PERMUTED = 4  # dimensions under a tile whose every choice is tried


@dataclass(frozen=True)
class Waste:
    """One buffer: bytes of its elements and of the buffer, why they differ, and what is better.

    `why` has a sentence for each dimension that is padded; `better` is the layout of the same
    family (another minor_to_major, another number of rows in the tile) with the fewest bytes,
    empty when this one is the best; `suggestion` what to do in the source, or else `no_change` why
    nothing is known to help.  `name` is the first
    instruction, `opcode` what it does, `uses` how many there are, `at_once` how many of them are
    needed at one time (all, without a schedule), `users` who reads the first.
    """

    shape: str
    logical_bytes: int
    physical_bytes: int
    why: tuple[str, ...] = ()
    better: str = ""
    better_bytes: int = 0
    name: str = ""
    line: int = 0
    uses: int = 1
    at_once: int = 1
    space: int = 0
    opcode: str = ""
    op_name: str = ""
    source: str = ""
    users: tuple[str, ...] = ()
    suggestion: str = ""
    suggestion_claim: str = ""
    no_change: str = ""

    @property
    def factor(self) -> float:
        """Bytes of the buffer for each byte of its elements; 1 for an array without elements."""
        return self.physical_bytes / self.logical_bytes if self.logical_bytes else 1.0

    @property
    def wasted(self) -> int:
        """Bytes of padding in the buffers of this shape that are needed at one time."""
        return (self.physical_bytes - self.logical_bytes) * self.at_once


@dataclass(frozen=True)
class PaddingReport:
    """The buffers of a module, those that waste most first."""

    rows: tuple[Waste, ...]
    file: str = field(default="", compare=False)
    sign: str = field(default="", compare=False)  # before names

    def top(self, count: int | None = None) -> tuple[Waste, ...]:
        """The first rows."""
        return self.rows if count is None else self.rows[:count]

    def lines_of(self, count: int | None = None) -> tuple[Waste, ...]:
        """The first rows of the table: those of the main memory, then those of other spaces."""
        rows = sorted(self.rows, key=lambda r: (not r.wasted, r.space != 0))
        return tuple(rows if count is None else rows[:count])

    def above(self, factor: float) -> tuple[Waste, ...]:
        """The rows whose buffer has more than `factor` times the bytes of its elements."""
        return tuple(r for r in self.rows if r.factor > factor)

    def as_json(self, count: int | None = None) -> list[dict[str, Any]]:
        """The rows as JSON can hold them."""
        return [
            {**asdict(r), "why": list(r.why), "users": list(r.users), "wasted": r.wasted}
            | {"factor": round(r.factor, 4)}
            for r in self.top(count)
        ]

    def table(self, count: int | None = None) -> str:
        """The rows as text: bytes wasted, factor, bytes, line, shape; then why and what is better.

        >>> report = padding_report("ENTRY e {\\n  x = f32[8,1]{1,0:T(8,128)} parameter(0)\\n}")
        >>> print(report.table())
          wasted  factor  bytes each  live  line  buffer
           4,064  128.00       4,096     1     2  f32[8,1]{1,0:T(8,128)}
              made by parameter x
              dimension 1 (1) is padded to 128 by T(8,128)
              better: f32[8,1]{0,1:T(1,128)} with 512 bytes, 16.00
              no change proposed: the compiler picks its layout, merged dimensions save nothing
        """
        head = ("wasted", "factor", "bytes each", "live", "line", "buffer")
        cells = columns([head, *map(_cells, self.lines_of(count))], frozenset({len(head) - 1}))
        lines = [f"  {cells[0]}"]
        for line, r in zip(cells[1:], self.lines_of(count)):
            lines += [f"  {line}", *(f"      {text}" for text in _words(r, self.sign))]
        return "\n".join(lines)


def _cells(r: Waste) -> tuple[str, ...]:
    """The numbers of a row."""
    numbers = f"{r.wasted:,}", f"{r.factor:.2f}", f"{r.physical_bytes:,}", f"{r.at_once}"
    return (*numbers, f"{r.line}", r.shape)


def _words(r: Waste, sign: str) -> Iterator[str]:
    """What stands below a row: who makes and reads the buffer, why it is padded, what is better."""
    users = ", ".join(u.replace(" ", f" {sign}", 1) for u in r.users)
    yield f"made by {r.opcode} {sign}{r.name}" + (f", read by {users}" if users else "")
    if r.op_name or r.source:
        yield "from " + " at ".join(t for t in (r.op_name, r.source) if t)
    yield from r.why
    if r.better:
        factor = r.better_bytes / r.logical_bytes
        yield f"better: {r.better} with {in_bytes(r.better_bytes)}, {factor:.2f}"
    if r.suggestion:
        yield f"in the source: {r.suggestion}"
    elif r.no_change:
        yield f"no change proposed: {r.no_change}"


def padding_report(source: Module | str, file: str = "") -> PaddingReport:
    """The padding of every buffer of a module (or of its text), the most bytes first.

    >>> report = padding_report("ENTRY e {\\n  x = f32[8,1]{1,0:T(8,128)} parameter(0)\\n}")
    >>> [(row.shape, row.wasted) for row in report.rows]
    [('f32[8,1]{1,0:T(8,128)}', 4064)]

    Shapes whose sizes are no plain numbers are left out. Sizes are in bytes.
    """
    from symlayout.programs.hlo.reader import read_module

    module = read_module(source) if isinstance(source, str) else source
    lives = live_ranges(module)
    users = _users(module)
    names: dict[str, Waste] = {}
    texts: dict[int, str] = {}
    origins = _origins(module)
    for i in buffers(module):
        for shape in own_arrays(i):
            text = texts.get(id(shape)) or texts.setdefault(id(shape), str(shape))
            if text in names:
                names[text] = replace(names[text], uses=names[text].uses + 1)
                continue
            result = waste(shape, *origins.get(text, Decision(Origin.FREE)))
            if result is not None:
                names[text] = replace(
                    result,
                    name=i.name,
                    line=module.line_of(i.at)[0],
                    opcode=i.opcode,
                    op_name=op_name(i),
                    source=source_of(module, i),
                    users=tuple(users.get(i.name, ())),
                )
    now = [replace(r, at_once=_at_once(r, lives)) for r in names.values()]
    rows = sorted(now, key=lambda r: (-r.wasted, -r.factor, r.line))
    return PaddingReport(tuple(rows), file, module.sign)


def _origins(module: Module) -> dict[str, Decision]:
    """Who decides on the layout of the buffers of each shape: the strongest of all that make one.

    Of shapes without padding nobody asks.
    """
    origins = Origins(module)
    strength = list(Origin)
    texts: dict[int, str] = {}
    names: dict[str, Decision] = {}
    for computation in running(module):
        for i in computation.instructions:
            for path, shape in placed_arrays(i):
                if id(shape) not in texts:
                    texts[id(shape)] = str(shape) if _is_padded(shape) else ""
                text = texts[id(shape)]
                if text and (text not in names or names[text].origin is not strength[-1]):
                    one = origins.of(computation, i, path)
                    known = names.get(text, one)
                    names[text] = max(known, one, key=lambda d: strength.index(d.origin))
    return names


def _is_padded(shape: Shape) -> bool:
    """Whether a buffer has more bytes than its elements."""
    size = byte_size(shape) if shape._tiles else None
    room = at_bounds(shape)
    sizes = [d for d in room._dims if isinstance(d, int)]
    return size is not None and size > _bytes(prod(sizes), room.bits)


def _at_once(row: Waste, lives: Lives | None) -> int:
    return row.uses if lives is None else max(1, lives.at_once[row.shape])


def _users(module: Module) -> dict[str, list[str]]:
    """Who reads each instruction outside of fusions, a few of each.

    An element that is written as an operand, `%x#1`, is no instruction of the text: who reads it
    reads `%x`.
    """
    names: dict[str, list[str]] = {}
    for computation in running(module):
        for i in computation.instructions:
            if MARK in i.name and i.operands:
                names[i.name] = names.setdefault(i.operands[0].name, [])
                continue
            for o in i.operands:
                known = names.setdefault(o.name, [])
                word = f"{i.opcode} {i.name}"
                if len(known) < USERS_SHOWN and word not in known:
                    known.append(word)
    return names


def waste(shape: Shape, origin: Origin = Origin.FREE, by: str = "") -> Waste | None:
    """What one layout wastes, None where a size is not a plain number; `<=N` counts as N.

    `origin` says who decides on the layout, on which the advice depends, and `by` in which words.

    >>> from symlayout.layouts.xla import read_shape
    >>> made = waste(read_shape("bf16[3,5]{1,0:T(8,128)(2,1)}"))
    >>> made.logical_bytes, made.physical_bytes, made.why[0]
    (30, 2048, 'dimension 0 (3) is padded to 8 by T(8,128)')
    """
    text, written, shape = str(shape), shape.element_bits, at_bounds(shape)
    if not all(isinstance(d, int) for d in shape._dims) or not _plain_tiles(shape):
        return None
    logical = _bytes(prod(int(str(d)) for d in shape._dims), shape.bits)
    physical = int(str(shape._byte_size))
    best = advice = None
    if physical > logical:
        with suppress(LayoutError):  # advice takes no module down
            best, advice = better(shape), suggestion(shape, origin)
    no_change = ""
    if physical > logical and advice is None:
        no_change = why_none(Decision(origin, by), best is not None)
    promise = "" if advice is None or advice.bytes is None else advice.bytes
    return Waste(
        text,
        logical,
        physical,
        tuple(reasons(shape)),
        "" if best is None else str(replace(best, element_bits=written)),
        physical if best is None else int(str(best._byte_size)),
        space=shape.memory_space,
        suggestion=""
        if advice is None
        else advice.words + (f": {physical:,} to {promise:,} bytes" if promise else ""),
        suggestion_claim="" if advice is None else advice.claim,
        no_change=no_change,
    )


def better(shape: Shape) -> Shape | None:
    """The layout of the same family with the fewest bytes; None when it is this one.

    The family: every order of dimensions under the first tile, and that tile with another power of
    two of rows, down to what its sub-tiles pack.  Of equally small ones the first with the fewest
    changes is taken.
    """
    sizes = [int(str(d)) for d in shape._dims]
    least, best = padded_elements(sizes, shape.minor_to_major, shape._tiles), None
    if shape._padded is not None or least == 0:
        return None
    for tiles in _tile_family(shape):
        for order in _orders(shape):
            count = padded_elements(sizes, order, tiles)
            if count < least:
                least, best = count, (order, tiles)
    if best is None:
        return None
    hit = replace(shape, minor_to_major=best[0], _tiles=best[1], splits=())
    return hit if int(str(hit._byte_size)) < int(str(shape._byte_size)) else None


def _tile_family(shape: Shape) -> list[tuple[tuple[Any, ...], ...]]:
    """This shape's tiles first, then those with other powers of two of rows."""
    family = [shape._tiles]
    if not shape._tiles or not all(isinstance(t, int) for t in shape._tiles[0]):
        return family
    first, rest = [int(t) for t in shape._tiles[0]], shape._tiles[1:]
    packed = prod(int(t[0]) for t in rest if len(t) == 2 and t[1] == 1)
    unit = packed if len(first) > 1 else LANES * max(packed, 32 // shape.bits)
    rows = unit
    while rows <= max(first[0], 8 * packed if len(first) > 1 else 0):
        tiles = ((rows, *first[1:]), *rest)
        if tiles != shape._tiles:
            family.append(tiles)
        rows *= 2
    return family


def _orders(shape: Shape) -> Iterator[tuple[int, ...]]:
    """Orders of the dimensions: this one first, then every choice of those under the tile."""
    yield shape.minor_to_major
    covered = min(len(shape._tiles[0]) if shape._tiles else 0, shape.rank)
    if covered > MOST_PERMUTED:
        return
    for minor in permutations(shape.minor_to_major, covered):
        order = (*minor, *[k for k in shape.minor_to_major if k not in minor])
        if order != shape.minor_to_major:
            yield order


def _plain_tiles(shape: Shape) -> bool:
    entries = [t for tile in shape._tiles for t in tile]
    return all(isinstance(t, (int, str)) for t in (*entries, shape._tail_alignment))


def _bytes(elements: int, bits: int) -> int:
    return -(-elements * bits // 8)


def total(rows: Sequence[Waste]) -> tuple[int, int]:
    """The bytes of elements and of buffers of all the rows."""
    return (
        sum(r.logical_bytes * r.uses for r in rows),
        sum(r.physical_bytes * r.uses for r in rows),
    )
