"""Encodings of NVIDIA's matrix units: accumulators, operands, and tiles in shared memory."""

from __future__ import annotations

from math import prod

from symlayout.errors import LayoutError
from symlayout.layouts.doors.encoding import Encoding, Rows, Step, blocks, excerpt, own_part, stack
from symlayout.layouts.doors.linear import Vector, power

MOST_BOX = 256  # elements along one dimension of what one copy of the hardware brings
ROWS = 8  # of a tile whose columns are exchanged
PHASES = {32: (4, 2), 64: (2, 4), 128: (1, 8)}  # by bytes: rows of a phase, phases


def _tile(inner: int, outer: int, m: int, n: int, width: int) -> list[Step]:
    """One instruction's fragment: pairs of a thread, four of them in a row, eight rows."""
    return [
        ("register", inner, width),
        ("lane", inner, 4),
        ("lane", outer, 8),
        ("register", outer, m // 8),
        ("register", inner, n // (width * 4)),
    ]


def accumulator(e: Encoding, shape: list[int]) -> Rows:
    rank = len(shape)
    if rank < 2:
        raise LayoutError("SL403", "an accumulator has two dimensions at least")
    major, instr = e.number("versionMajor"), e.get("instrShape")
    if major not in (2, 3) or not isinstance(instr, tuple) or len(instr) < 2:
        raise LayoutError("SL100", f"nvidia_mma of version {major} has no meaning here")
    m, n = instr[:2] if major == 3 else instr[-2:]
    if not (type(m) is type(n) is int and power(m) and power(n) and m >= 8 and n >= 8):
        raise LayoutError("SL403", f"instrShape = {excerpt(instr)} is not an instruction's shape")
    steps = _tile(rank - 1, rank - 2, m, n, 2)
    steps += [("warp", d, e.sizes("warpsPerCTA", rank)[d]) for d in warp_order(e, rank)]
    return stack(steps, shape, blocks(e, rank), list(reversed(range(rank))))


def warp_order(e: Encoding, rank: int) -> list[int]:
    """Hopper counts warps along rows first; Ampere along columns."""
    order = list(reversed(range(rank)))
    if e.get("versionMajor") == 3:
        order[:2] = order[1], order[0]
    return order


def operand(e: Encoding, shape: list[int], total: int, other: int, cga: list[Vector]) -> Rows:
    """An operand, of which `total` is summed over: all warps along it have the same elements."""
    rank, parent = len(shape), e.parent
    if parent.number("versionMajor") not in (2, 3):
        raise LayoutError("SL100", f"an operand of #ttg.{parent.kind} has no meaning here")
    if parent.number("versionMajor") == 3 and e.number("opIdx") == 1:
        raise LayoutError("SL403", "Hopper takes its second operand from shared memory")
    width = e.width
    m = 16 if e.number("opIdx") == 0 else 8
    steps = _tile(total, other, m, width * 8, width)
    warps = parent.sizes("warpsPerCTA", rank)
    along = [(d, None if d == total else d) for d in warp_order(parent, rank)]
    steps += [("warp", to, warps[d]) for d, to in along]
    return stack(steps, shape, cga, [total, other, *reversed(range(rank - 2))])


def tiles(e: Encoding, shape: list[int]) -> Rows:
    """Offsets in shared memory as the matrix unit reads it: tiles of eight rows, vectors exchanged.

    A tile's rows are as wide as the swizzle; tiles fill a box of at most 256 along each dimension, and
    boxes the tensor.  With padding for 4-bit elements every other eight places hold nothing new.
    """
    rank, width, bits = len(shape), e.number("swizzlingByteWidth"), e.number("elementBitWidth")
    if width not in (0, *PHASES) or bits not in (8, 16, 32, 64):
        raise LayoutError("SL403", f"{width} bytes of {bits} bits are no tile of shared memory")
    if e.number("rank", rank) != rank:
        raise LayoutError("SL403", f"rank = {e.number('rank')} of a tensor of {rank} dimensions")
    across, padding = e.flag("transposed"), e.flag("fp4Padded")
    if across and rank != 2:
        raise LayoutError("SL100", f"a transposed tile of {rank} dimensions has no meaning here")
    if padding and (width, bits) != (128, 8):
        raise LayoutError("SL403", "fp4Padded is for 128 bytes of 8 bits")
    cga = blocks(e, rank)
    own = own_part(shape, cga)
    order = [0, 1] if across else list(reversed(range(rank)))
    first, tile = order[0], 8 * width // bits // (2 if padding else 1)
    rows = prod(own[d] for d in order[1:])
    if width and rank > 1 and (own[first] < tile or rows < ROWS):
        raise LayoutError("SL403", f"the tensor has less than {ROWS} rows of {tile} elements")
    if width and rank == 1:
        raise LayoutError("SL403", "a row alone has nothing to be exchanged")
    box = [min(n, MOST_BOX) for n in own]
    if width:
        box[first] = tile
    steps: list[Step] = [("register", d, box[d]) for d in order]
    result = stack(steps, shape, cga, list(range(rank))[:: 1 if width else -1])
    offsets = [list(v) for v in result["register"]]
    if width:
        per, phases = PHASES[width]
        vector, at = 128 // bits // (2 if padding else 1), power(tile) or 0
        for k in range(power(ROWS) or 0):
            offsets[at + k][first] ^= vector * ((1 << k) // per % phases)
    if padding:
        offsets.insert(3, [0] * rank)
    return {"offset": [tuple(v) for v in offsets], "block": result["block"]}
