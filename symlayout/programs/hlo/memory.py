"""Where the memory of a module goes: arguments, outputs, and each memory space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Any

from symlayout.layouts.xla import Shape, TupleShape
from symlayout.programs.hlo.buffers import (
    arrays_of,
    at_bounds,
    buffers,
    byte_size,
    own_arrays,
    running,
)
from symlayout.programs.hlo.lives import Lives, live_ranges
from symlayout.programs.hlo.module import LEFT_OUT, UNKNOWN, Instruction, Module, same_array
from symlayout.text.once import cached_property

# opcodes that move elements and calculate nothing
MOVES = frozenset({"copy", "transpose", "reshape"})
PLAIN = MOVES | {"parameter", "bitcast", "tuple", "get-tuple-element"}


@dataclass(frozen=True)
class Space:
    """A memory space: bytes of its buffers, of their padding, and the most at one time.

    `peak` is None where the module has no schedule; `at` is the instruction of the peak.
    """

    bytes: int
    wasted: int
    buffers: int
    peak: int | None = None
    at: str = ""

    @property
    def factor(self) -> float:
        """Bytes of buffers for each byte of their elements."""
        value = self.bytes - self.wasted
        return self.bytes / value if value else 1.0


@dataclass(frozen=True)
class Traffic:
    """An instruction that only changes a layout: the bytes that it reads and writes."""

    name: str
    opcode: str
    source: str
    target: str
    bytes: int
    line: int


@dataclass(frozen=True)
class Footprint:
    """What a module needs.  `pointers` are the entries of the table of a tuple that it returns.

    The table is no array of the module: a compiler adds it, 8 bytes an entry on a CPU, 4 on a TPU,
    where it is rounded up to the unit in which buffers are allocated.  `left_out` counts the
    instructions that could not be read: without them it is computed.
    """

    arguments: int | None
    outputs: int | None
    pointers: int
    spaces: dict[int, Space]
    unsized: int
    traffic: tuple[Traffic, ...] = ()
    lives: Lives | None = field(default=None, repr=False, compare=False)
    left_out: int = 0

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON can hold them."""
        return {
            "arguments": self.arguments,
            "outputs": self.outputs,
            "pointers": self.pointers,
            "spaces": {
                str(n): {"bytes": s.bytes, "wasted": s.wasted, "buffers": s.buffers, "peak": s.peak}
                for n, s in self.spaces.items()
            },
            "unsized": self.unsized,
            "traffic": self.moved,
            "left_out": self.left_out,
        }

    @cached_property
    def moved(self) -> int:
        """The bytes that changes of layout read and write."""
        return sum(t.bytes for t in self.traffic)


def footprint(module: Module) -> Footprint:
    """The bytes of a module.

    >>> from symlayout.programs.hlo.reader import read_module
    >>> made = footprint(read_module('''HloModule m, is_scheduled=true
    ... ENTRY e { p = f32[8,1]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[8,1]{1,0:T(8,128)} negate(p) }'''))
    >>> made.arguments, made.outputs, made.spaces[0].wasted, made.spaces[0].peak
    (4096, 4096, 8128, 8192)
    """
    lives = live_ranges(module)
    values: dict[int, list[int]] = {}
    unsized = 0
    for i in buffers(module):
        for shape in own_arrays(i):
            size = byte_size(shape)
            if size is None:
                unsized += 1
                continue
            bits = prod(int(str(d)) for d in at_bounds(shape).dims) * shape.bits
            row = values.setdefault(shape.memory_space, [0, 0, 0])
            row[0] += size
            row[1] += size - -(-bits // 8)
            row[2] += 1
    spaces: dict[int, Space] = {}
    for n, (size_of_all, wasted, count) in sorted(values.items()):
        peak = None if lives is None else lives.peak[n]
        at = "" if lives is None else lives.where.get(n, "")
        spaces[n] = Space(size_of_all, wasted, count, peak, at)
    entry = module.entry
    root = None if entry is None else entry.root
    arguments = [] if entry is None else [s for p in entry.parameters for s in arrays_of(p.shape)]
    outputs = [] if root is None else list(arrays_of(root.shape))
    if module.dialect == "stablehlo" and entry is not None:
        # what a function of StableHLO returns: its last operation is the tuple of that
        outputs = [s for i in entry.instructions[-1:] for s in arrays_of(i.shape)]
    tuple_size = len(root.shape) if root is not None and isinstance(root.shape, TupleShape) else 0
    unknown = entry is None and module.dialect == "hlo"
    return Footprint(
        None if unknown or _is_open(entry.parameters if entry else ()) else _total(arguments),
        None if unknown or _is_open([root] if root else ()) else _total(outputs),
        tuple_size,
        spaces,
        unsized,
        tuple(sorted(traffic(module), key=lambda t: (-t.bytes, t.line))),
        lives,
        module.left_out,
    )


def _is_open(instructions: Iterable[Instruction]) -> bool:
    """Whether the shape of one of them could not be read."""
    return any(i.unread == LEFT_OUT and i.shape is UNKNOWN for i in instructions)


def _total(shapes: Iterable[Shape]) -> int | None:
    sizes = [byte_size(s) for s in shapes]
    return None if None in sizes else sum(s for s in sizes if s is not None)


def traffic(module: Module) -> Iterable[Traffic]:
    """The instructions that only change a layout."""
    for computation in running(module):
        for i in computation.instructions:
            if i.opcode in MOVES or (i.opcode == "fusion" and _only_moves(module, i)):
                yield from _move(module, i)


def _only_moves(module: Module, i: Instruction) -> bool:
    """Whether a fusion calculates nothing, and moves something."""
    names: set[str] = set()
    for _, name in i.called:
        call = module.by_name.get(name)
        if call is None:
            return False
        names |= {inner.opcode for inner in call.instructions}
    return bool(names & MOVES) and names <= PLAIN


def _move(module: Module, i: Instruction) -> Iterable[Traffic]:
    shape = i.operands[0].shape if len(i.operands) == 1 else None
    if not isinstance(shape, Shape) or not isinstance(i.shape, Shape):
        return
    if i.opcode == "copy" and same_array(shape, i.shape) and _order(shape) == _order(i.shape):
        return  # to another memory space, or so that two do not share a buffer
    read, text = byte_size(shape), byte_size(i.shape)
    if read is None or text is None:
        return
    line = module.line_of(i.at)[0]
    yield Traffic(i.name, i.opcode, str(shape), str(i.shape), read + text, line)


def _order(shape: Shape) -> tuple[object, ...]:
    return shape.minor_to_major, shape.tiles
