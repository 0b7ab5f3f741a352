"""Encodings of AMD's matrix units: accumulators and operands of MFMA and WMMA, and shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.errors import LayoutError
from symlayout.layouts.doors.encoding import (
    Encoding,
    Rows,
    Step,
    Table,
    blocks,
    excerpt,
    exchange,
    filled,
    own_part,
    reach,
    stack,
)
from symlayout.layouts.doors.linear import Vector, power

LANES = 64  # of a wave of MFMA
SHAPES = ((32, 32), (16, 16), (4, 64), (64, 4))
WIDE = ((16, 16), (32, 16))  # of WMMA


def mfma(e: Encoding, shape: list[int]) -> Rows:
    """An accumulator: lanes along a row, or a column if transposed; four elements of a lane follow."""
    rank, (m, n) = len(shape), _instruction(e, len(shape), SHAPES, None)
    across = e.flag("isTransposed")
    if (m, n) == (64, 4) and not across:
        raise LayoutError("SL403", "the tile of 64 by 4 is a transposed one")
    bits = e.number("elementBitWidth", 32)
    if bits not in (32, 64):
        raise LayoutError("SL403", f"elementBitWidth = {bits} is neither 32 nor 64")
    fast, slow, wide, deep = (rank - 2, rank - 1, m, n) if across else (rank - 1, rank - 2, n, m)
    run, lanes = 1 if bits == 64 else 4, LANES // wide
    steps: list[Step] = [("register", slow, run), ("lane", fast, wide), ("lane", slow, lanes)]
    steps.append(("register", slow, deep // (run * lanes)))
    return _waves(e, shape, steps, blocks(e, rank), list(reversed(range(rank))))


def mfma_operand(e: Encoding, shape: list[int], total: int, other: int, cga: list[Vector]) -> Rows:
    """An operand: lanes along what is not summed over, then along the sum, `kWidth` of it each."""
    rank, parent = len(shape), e.parent
    instr = _instruction(parent, rank, SHAPES, None)
    wide, width = instr[e.number("opIdx")], e.width
    steps: list[Step] = [("register", total, width), ("lane", other, wide)]
    steps.append(("lane", total, LANES // wide))
    if wide == LANES:  # a lane has as much of the sum as 16 lanes have of the other operand's
        steps.append(("register", total, LANES // min(instr)))
    order = [total, other, *reversed(range(rank - 2))]
    return _waves(parent, shape, steps, cga, order, total)


def _waves(
    e: Encoding,
    shape: list[int],
    steps: list[Step],
    cga: Sequence[Vector],
    order: list[int],
    still: int | None = None,
) -> Rows:
    """Tiles of a wave, and waves side by side; a dimension's tiles and repeats follow one another."""
    rank = len(shape)
    tiles = e.sizes("tilesPerWarp", rank, (1,) * rank)
    warps = e.sizes("warpsPerCTA", rank)
    more: list[Step] = [("register", d, tiles[d]) for d in order if d != still]
    order_of = [(None if d == still else d, warps[d]) for d in reversed(range(rank))]
    waves: list[Step] = [("warp", *row) for row in order_of]
    rows = stack([*steps, *more, *waves], shape, cga, order)
    count = [sum(power(c) or 0 for n, _, c in part if n == "register") for part in (steps, more)]
    own, rest = rows["register"][: count[0]], rows["register"][count[0] :]
    between, last = rest[: count[1]], rest[count[1] :]
    for d in order:
        many = 0 if d == still else power(tiles[d]) or 0
        own += between[:many]
        between = between[many:]
        own += [v for v in last if v[d]]
    return {**rows, "register": own}


def wmma(e: Encoding, shape: list[int]) -> Rows:
    """An accumulator: 16 lanes along a row, or a column if transposed; the others have other rows."""
    rank, version = len(shape), _version(e)
    m, n = _instruction(e, rank, WIDE, (16, 16, 16))
    across = e.flag("isTranspose")
    fast, slow = (rank - 2, rank - 1) if across else (rank - 1, rank - 2)
    steps: list[Step] = [("register", slow, 8), ("lane", fast, n), ("lane", slow, 2)]
    if version == 1:
        steps = [steps[1], steps[2], steps[0]]
    steps.append(("register", slow, m // 16))
    tile = [1] * rank
    tile[fast], tile[slow] = n, m
    return _placed(e, shape, steps, tile, blocks(e, rank), list(reversed(range(rank))))


def wmma_operand(e: Encoding, shape: list[int], total: int, other: int, cga: list[Vector]) -> Rows:
    """An operand: 16 lanes along what is not summed over; the first version's others have the same."""
    rank, parent = len(shape), e.parent
    version, width = _version(parent), e.width
    instr = parent.get("instrShape", (16, 16, 16))
    if _instruction(parent, rank, WIDE, (16, 16, 16)) != (16, 16) or len(instr) != 3:
        raise LayoutError("SL100", f"an operand of {excerpt(instr)} has no meaning here")
    depth = instr[2]
    if power(depth) is None:
        raise LayoutError("SL403", f"instrShape = {excerpt(instr)} is not an instruction's shape")
    if version == 1:
        steps: list[Step] = [("register", total, 16), ("lane", other, 16), ("lane", None, 2)]
        depth = 16
    else:
        steps = [("register", total, width), ("lane", other, 16), ("lane", total, 2)]
        steps.append(("register", total, max(1, depth // (2 * width))))
        depth = max(2 * width, depth)
    tile = [1] * rank
    tile[total], tile[other] = depth, 16
    order = [total, other, *reversed(range(rank - 2))]
    return _placed(parent, shape, steps, tile, cga, order, total)


def _placed(
    e: Encoding,
    shape: list[int],
    steps: list[Step],
    tile: list[int],
    cga: Sequence[Vector],
    order: list[int],
    still: int | None = None,
) -> Rows:
    """Tiles of registers and warps where `ctaLayout` puts them, in tiles of an instruction."""
    rank, table = len(shape), dict(e.fields).get("ctaLayout", Table())
    if not isinstance(table, Table):
        raise LayoutError("SL101", f"ctaLayout = {excerpt(table)} is not a table")
    inner = Encoding("ctaLayout", table.fields)
    inner.only("register", "warp")
    bases = {name: inner.vectors(name, rank) for name in ("register", "warp")}
    bases = {n: [tuple(0 if d == still else x for d, x in enumerate(v)) for v in vs]
             for n, vs in bases.items()}  # fmt: skip
    if any(power(x) is None for vs in bases.values() for v in vs for x in v if x):
        raise LayoutError("SL403", f"ctaLayout = {table} has no powers of two")
    bases["register"] = [v for v in bases["register"] if any(v) or still is None]
    every = [v for vs in bases.values() for v in vs]
    far = [t * r for t, r in zip(tile, reach(every, rank))]
    own = own_part(shape, cga)
    rows = stack(steps, shape, cga, ())
    for name, vectors in bases.items():
        rows[name] += [
            tuple(x * t if x * t < n else 0 for x, t, n in zip(v, tile, own)) for v in vectors
        ]
    return filled(rows, order, far, own)


def _instruction(
    e: Encoding, rank: int, known: Sequence[tuple[int, int]], default: tuple[int, ...] | None
) -> tuple[int, int]:
    """Rows and columns of the instruction."""
    instr = e.get("instrShape", default)
    if rank not in (2, 3):
        raise LayoutError("SL403", f"#ttg.{e.kind} is of two or three dimensions, not {rank}")
    if not isinstance(instr, tuple) or instr[:2] not in known:
        raise LayoutError("SL403", f"instrShape = {excerpt(instr)} is not an instruction's shape")
    return instr[0], instr[1]


def _version(e: Encoding) -> int:
    version = e.number("version")
    if version not in (1, 2, 3):
        raise LayoutError("SL100", f"{e.kind} of version {version} has no meaning here")
    return version


def rotating(e: Encoding, shape: list[int]) -> Rows:
    """Offsets in shared memory: the phase of a row is exchanged with that of its block of rows."""
    return exchange(e, shape, lambda row, most: row % most ^ row // most % most)
