"""What layouts waste: bytes of a buffer against bytes of its elements, why, and what would not.

A row of the report is a buffer of the module: what instructions outside fusions leave in memory.
Buffers of one shape are one row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import permutations
from math import prod
from typing import Any

from symlayout.hlo.module import Instruction, Module
from symlayout.hlo.waste import padded_elements, reasons
from symlayout.xla import AnyShape, BufferShape, Shape, TupleShape

# opcodes whose result is a view of a buffer that another instruction made
VIEWS = frozenset(
    [
        "bitcast",
        "tuple",
        "get-tuple-element",
        "copy-done",
        "while",
        "conditional",
        "optimization-barrier",
    ]
)
LANES = 128  # elements of 32 bits in the shortest one-dimensional tile
MOST_PERMUTED = 4  # dimensions under a tile whose every choice is tried


@dataclass(frozen=True)
class Waste:
    """One buffer: bytes of its elements and of the buffer, why they differ, and a better layout.

    `why` has a sentence for each dimension that is padded; `better` is the layout of the same
    family (another minor_to_major, another number of rows in the tile) with the fewest bytes,
    empty when this one is the best.  `name` is the first instruction, `uses` how many there are.
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

    @property
    def factor(self) -> float:
        """Bytes of the buffer for each byte of its elements; 1 for an array without elements."""
        return self.physical_bytes / self.logical_bytes if self.logical_bytes else 1.0

    @property
    def wasted(self) -> int:
        """Bytes of padding in all the buffers of this shape."""
        return (self.physical_bytes - self.logical_bytes) * self.uses


@dataclass(frozen=True)
class PaddingReport:
    """The buffers of a module, the largest factor first."""

    rows: tuple[Waste, ...]
    file: str = field(default="", compare=False)

    def top(self, count: int | None = None) -> tuple[Waste, ...]:
        """The first rows."""
        return self.rows if count is None else self.rows[:count]

    def above(self, factor: float) -> tuple[Waste, ...]:
        """The rows whose buffer has more than `factor` times the bytes of its elements."""
        return tuple(r for r in self.rows if r.factor > factor)

    def as_json(self, count: int | None = None) -> list[dict[str, Any]]:
        """The rows as JSON can hold them."""
        return [
            {**asdict(r), "why": list(r.why), "factor": round(r.factor, 4)} for r in self.top(count)
        ]

    def table(self, count: int | None = None) -> str:
        """The rows as text: factor, bytes, uses, line, shape, then why and what is better.

        >>> report = padding_report("ENTRY e {\\n  x = f32[8,1]{1,0:T(8,128)} parameter(0)\\n}")
        >>> print(report.table())
         factor  logical  physical  uses  line  buffer
         128.00       32      4096     1     2  f32[8,1]{1,0:T(8,128)}
                 dimension 1 (1) is padded to 128 by T(8,128)
                 better: f32[8,1]{0,1:T(1,128)} with 512 bytes, 16.00
        """
        lines = [" factor  logical  physical  uses  line  buffer"]
        for r in self.top(count):
            lines.append(
                f"{r.factor:7.2f} {r.logical_bytes:8} {r.physical_bytes:9} {r.uses:5} {r.line:5}  "
                f"{r.shape}"
            )
            lines += [f"{'':8} {why}" for why in r.why]
            if r.better:
                factor = r.better_bytes / r.logical_bytes
                lines.append(f"{'':8} better: {r.better} with {r.better_bytes} bytes, {factor:.2f}")
        return "\n".join(lines)


def padding_report(source: Module | str, file: str = "") -> PaddingReport:
    """The padding of every buffer of a module (or of its text), worst first.

    Shapes whose sizes are no plain numbers are left out.
    """
    from symlayout.hlo.reader import read_module

    module = read_module(source) if isinstance(source, str) else source
    found: dict[str, Waste] = {}
    for i in buffers(module):
        for shape in arrays_of(i.shape):
            text = str(shape)
            if text in found:
                found[text] = replace(found[text], uses=found[text].uses + 1)
                continue
            made = waste(shape)
            if made is not None:
                found[text] = replace(made, name=i.name, line=module.line_of(i.at)[0])
    rows = sorted(found.values(), key=lambda r: (-r.factor, -r.wasted, r.line))
    return PaddingReport(tuple(rows), file)


def buffers(module: Module) -> Iterator[Instruction]:
    """The instructions that leave a buffer: not those inside fusions, and no views."""
    inside = set()
    for i in module.instructions:
        for key in ("calls", "to_apply"):
            inside |= set(re.findall(r"[\w.\-]+", i.attributes.get(key, "")))
    for computation in module.computations:
        entry_or_control = computation.entry or computation.name not in inside
        for i in computation.instructions if entry_or_control else ():
            inner_parameter = i.opcode == "parameter" and not computation.entry
            if i.opcode not in VIEWS and not inner_parameter:
                yield i


def arrays_of(shape: AnyShape) -> Iterator[Shape]:
    """The arrays in a shape."""
    if isinstance(shape, TupleShape):
        for s in shape:
            yield from arrays_of(s)
    elif isinstance(shape, BufferShape):
        yield shape.content
    elif isinstance(shape, Shape):
        yield shape


def waste(shape: Shape) -> Waste | None:
    """What one layout wastes, None where a size is no plain number.

    >>> from symlayout.xla import read_shape
    >>> made = waste(read_shape("bf16[3,5]{1,0:T(8,128)(2,1)}"))
    >>> made.logical_bytes, made.physical_bytes, made.why[0]
    (30, 2048, 'dimension 0 (3) is padded to 8 by T(8,128)')
    """
    if not all(isinstance(d, int) for d in shape.dims) or not _plain_tiles(shape):
        return None
    logical = _bytes(prod(int(str(d)) for d in shape.dims), shape.bits)
    physical = int(str(shape.byte_size))
    best = better(shape) if physical > logical else None
    return Waste(
        str(shape),
        logical,
        physical,
        tuple(reasons(shape)),
        "" if best is None else str(best),
        physical if best is None else int(str(best.byte_size)),
    )


def better(shape: Shape) -> Shape | None:
    """The layout of the same family with the fewest bytes; None when it is this one.

    The family: every order of dimensions under the first tile, and that tile with another power of
    two of rows, down to what its sub-tiles pack.  Of equally small ones the first with the fewest
    changes is taken.
    """
    sizes = [int(str(d)) for d in shape.dims]
    least, best = padded_elements(sizes, shape.minor_to_major, shape.tiles), None
    if shape.padded is not None or least == 0:
        return None
    for tiles in _tile_family(shape):
        for order in _orders(shape):
            count = padded_elements(sizes, order, tiles)
            if count < least:
                least, best = count, (order, tiles)
    if best is None:
        return None
    found = replace(shape, minor_to_major=best[0], tiles=best[1])
    return found if int(str(found.byte_size)) < int(str(shape.byte_size)) else None


def _tile_family(shape: Shape) -> list[tuple[tuple[Any, ...], ...]]:
    """This shape's tiles first, then those with other powers of two of rows."""
    family = [shape.tiles]
    if not shape.tiles or not all(isinstance(t, int) for t in shape.tiles[0]):
        return family
    first, rest = [int(t) for t in shape.tiles[0]], shape.tiles[1:]
    packed = prod(int(t[0]) for t in rest if len(t) == 2 and t[1] == 1)
    unit = packed if len(first) > 1 else LANES * max(packed, 32 // shape.bits)
    rows = unit
    while rows <= max(first[0], 8 * packed if len(first) > 1 else 0):
        tiles = ((rows, *first[1:]), *rest)
        if tiles != shape.tiles:
            family.append(tiles)
        rows *= 2
    return family


def _orders(shape: Shape) -> Iterator[tuple[int, ...]]:
    """Orders of the dimensions: this one first, then every choice of those under the tile."""
    yield shape.minor_to_major
    covered = min(len(shape.tiles[0]) if shape.tiles else 0, shape.rank)
    if covered > MOST_PERMUTED:
        return
    for minor in permutations(shape.minor_to_major, covered):
        order = (*minor, *[k for k in shape.minor_to_major if k not in minor])
        if order != shape.minor_to_major:
            yield order


def _plain_tiles(shape: Shape) -> bool:
    entries = [t for tile in shape.tiles for t in tile]
    return all(isinstance(t, (int, str)) for t in (*entries, shape.tail_alignment))


def _bytes(elements: int, bits: int) -> int:
    return -(-elements * bits // 8)


def total(rows: Sequence[Waste]) -> tuple[int, int]:
    """The bytes of elements and of buffers of all the rows."""
    return (
        sum(r.logical_bytes * r.uses for r in rows),
        sum(r.physical_bytes * r.uses for r in rows),
    )
