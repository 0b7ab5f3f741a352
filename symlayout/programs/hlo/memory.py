"""Where the memory of a module goes: arguments, outputs, and each memory space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from symlayout.layouts.xla import Shape, TupleShape
from symlayout.programs.hlo.aliases import NUMBER
from symlayout.programs.hlo.bitcasts import bitcast_of
from symlayout.programs.hlo.buffers import (
    arrays_of,
    at_bounds,
    buffers,
    byte_size,
    is_tiled,
    own_arrays,
    running,
)
from symlayout.programs.hlo.lives import Buffer, Lives, live_ranges
from symlayout.programs.hlo.module import LEFT_OUT, UNKNOWN, Instruction, Module, same_array
from symlayout.text.once import cached_property

# opcodes that move elements and calculate nothing
MOVES = frozenset({"copy", "transpose", "reshape"})
HOST = 5  # the memory space of the host
# the memories of a TPU, by the numbers that its compiler and Pallas use
MEMORIES = {
    0: "HBM",
    1: "VMEM",
    2: "semaphores",
    3: "CMEM",
    4: "SMEM",
    HOST: "host",
    6: "scalars",
    8: "semaphores of the SparseCore",
    10: "semaphores of the SparseCore's subcores",
    11: "SMEM of the SparseCore",
    12: "SMEM of the SparseCore's subcores",
}
POINTS = 200  # of a curve
ALIVE_SHOWN = 50
PLAIN = MOVES | {"parameter", "bitcast", "tuple", "get-tuple-element"}


@dataclass(frozen=True)
class Space:
    """A memory space: bytes of its buffers, of their padding, and the most at one time.

    `peak` is None where the module has no schedule; `at` is the instruction of the peak, `alive` the
    buffers that are needed then.  `temporaries` is the most that is needed at one time beside
    arguments and outputs, `needed` all three, as compilers count: an output over an argument once.
    `called` is the name of the memory, where it is known.
    """

    bytes: int
    wasted: int
    buffers: int
    peak: int | None = None
    at: str = ""
    temporaries: int | None = None
    needed: int | None = None
    alive: tuple[Buffer, ...] = field(default=(), repr=False)
    curve: tuple[int, ...] = field(default=(), repr=False)
    called: str = ""

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
    """What a module needs; arguments and outputs in the memory of the host, `S(5)`, stand apart.

    `pointers` are the entries of the table of a tuple that it returns.  The table is no array of the
    module: a compiler adds it, 8 bytes an entry on a CPU, 4 on a TPU, where it is rounded up to the
    unit in which buffers are allocated (1,024 bytes on v3, 512 on v4 and v5e, 32 on v5p and later).
    `left_out` counts the instructions that could not be read: without them it is computed.
    """

    arguments: int | None
    outputs: int | None
    pointers: int
    spaces: dict[int, Space]
    unsized: int
    traffic: tuple[Traffic, ...] = ()
    lives: Lives | None = field(default=None, repr=False, compare=False)
    left_out: int = 0
    host_arguments: int = 0
    host_outputs: int = 0

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON can hold them."""
        return {
            "arguments": self.arguments,
            "outputs": self.outputs,
            "pointers": self.pointers,
            "host_arguments": self.host_arguments,
            "host_outputs": self.host_outputs,
            "spaces": {str(n): _space_json(s) for n, s in self.spaces.items()},
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
            room = at_bounds(shape)
            bits = prod(int(str(d)) for d in room._dims) * room.bits
            row = values.setdefault(shape.memory_space, [0, 0, 0])
            row[0] += size
            row[1] += size - -(-bits // 8)
            row[2] += 1
    names = MEMORIES if is_tiled(module) else {HOST: MEMORIES[HOST]}
    spaces = {
        n: _space(n, Space(size, wasted, count, called=names.get(n, "")), lives)
        for n, (size, wasted, count) in sorted(values.items())
    }
    entry = module.entry
    root = None if entry is None else entry.root
    arguments = [] if entry is None else [s for p in entry.parameters for s in arrays_of(p.shape)]
    outputs = [] if root is None else list(arrays_of(root.shape))
    if module.dialect == "stablehlo" and entry is not None:
        # what a function of StableHLO returns: its last operation is the tuple of that
        outputs = [s for i in entry.instructions[-1:] for s in arrays_of(i.shape)]
    device = [[s for s in side if s.memory_space != HOST] for side in (arguments, outputs)]
    host = [[s for s in side if s.memory_space == HOST] for side in (arguments, outputs)]
    tuple_size = len(root.shape) if root is not None and isinstance(root.shape, TupleShape) else 0
    unknown = entry is None and module.dialect == "hlo"
    return Footprint(
        None if unknown or _is_open(entry.parameters if entry else ()) else _total(device[0]),
        None if unknown or _is_open([root] if root else ()) else _total(device[1]),
        tuple_size,
        spaces,
        unsized,
        tuple(sorted(traffic(module), key=lambda t: (-t.bytes, t.line))),
        lives,
        module.left_out,
        *(_total(side) or 0 for side in host),
    )


def _space(n: int, space: Space, lives: Lives | None) -> Space:
    """A memory space, with what is needed at one time where there is a schedule."""
    if lives is None:
        return space
    return replace(
        space,
        peak=lives.peak[n],
        at=lives.where.get(n, ""),
        temporaries=lives.temporary[n],
        needed=lives.fixed[n] + lives.temporary[n],
        alive=tuple(lives.alive.get(n, ())),
        curve=tuple(lives.curve.get(n, ())),
    )


def _space_json(s: Space) -> dict[str, Any]:
    """A memory space as JSON can hold it: the first buffers of the peak, and a coarse curve."""
    numbers = {"bytes": s.bytes, "wasted": s.wasted, "buffers": s.buffers, "peak": s.peak}
    step = max(1, -(-len(s.curve) // POINTS))
    alive = [
        {
            "name": b.maker,
            "part": list(b.path),
            "shape": str(b.shape),
            "bytes": b.size,
            "kind": b.kind,
        }
        for b in s.alive[:ALIVE_SHOWN]
    ]
    return {
        **numbers,
        "called": s.called,
        "at": s.at,
        "temporaries": s.temporaries,
        "needed": s.needed,
        "alive": alive,
        "alive_count": len(s.alive),
        "curve": [max(s.curve[k : k + step]) for k in range(0, len(s.curve), step)],
    }


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
    calls = [module.by_name.get(name) for _, name in i.called]
    inner = [one for call in calls if call is not None for one in call.instructions]
    plain = None not in calls and all(one.opcode in PLAIN for one in inner)
    return plain and any(one.opcode in MOVES and not _stays(one) for one in inner)


def _stays(i: Instruction) -> bool:
    """Whether a copy, transpose or reshape leaves the bytes in their order, as a bitcast does."""
    shape = i.operands[0].shape if len(i.operands) == 1 else None
    if not isinstance(shape, Shape) or not isinstance(i.shape, Shape):
        return False
    if i.opcode == "copy" and same_array(shape, i.shape) and _order(shape) == _order(i.shape):
        return True  # to another memory space, or so that two do not share a buffer
    hit = bitcast_of(shape, i.shape)
    order = [int(n) for n in NUMBER.findall(i.attributes.get("dimensions", ""))]
    return hit is not None and hit.does(i.opcode, shape, order)


def _move(module: Module, i: Instruction) -> Iterable[Traffic]:
    shape = i.operands[0].shape if len(i.operands) == 1 else None
    if not isinstance(shape, Shape) or not isinstance(i.shape, Shape):
        return
    if i.opcode in MOVES and _stays(i):
        return
    read, text = byte_size(shape), byte_size(i.shape)
    if read is None or text is None:
        return
    line = module.line_of(i.at)[0]
    yield Traffic(i.name, i.opcode, str(shape), str(i.shape), read + text, line)


def _order(shape: Shape) -> tuple[object, ...]:
    return shape.minor_to_major, shape._tiles
