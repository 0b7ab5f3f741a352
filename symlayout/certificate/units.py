"""Encodings of AMD's matrix units, and tiles of shared memory for NVIDIA's, for the checker.

As arithmetic on the numbers of register, lane, warp and block, or of offset and block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from symlayout.certificate.shares import Held, Parts, Place, digits, parts_of, repeats


def waves(
    fields: Mapping[str, Any],
    share: Parts,
    tile: Sequence[int],
    count: int,
    element: Callable[[int, int], Mapping[int, int]],
    still: int | None = None,
) -> Held:
    """Tiles of a wave of 64 lanes: `element` is the place in a tile of a register and a lane.

    Along each dimension a wave has tiles beside one another, then come the other waves, then again the
    same; the dimension that is summed over comes first, if there is one, else the last.
    """
    rank = len(tile)
    order = list(range(rank))[::-1]
    if still is not None:
        order = [still, 2 * rank - 3 - still, *order[2:]]
    beside, warps = (list(fields.get(k, (1,) * rank)) for k in ("tilesPerWarp", "warpsPerCTA"))
    if still is not None:
        beside[still] = 1
    others = [1 if d == still else n for d, n in enumerate(warps)]
    reach = [t * k * n for t, k, n in zip(tile, beside, others)]
    again = repeats(share.own, reach)
    rows = [row for d in order for row in ((d, beside[d], tile[d]), (d, again[d], reach[d]))]

    def at(point: Sequence[int]) -> Place:
        r, lane, warp, block = point
        place, rest = [0] * rank, r // count
        for d, x in element(r % count, lane).items():
            place[d] += x
        for d, many, scale in rows:
            place[d] += rest % many * scale
            rest //= many
        steps = digits(warp, warps, range(rank)[::-1])
        for d in range(rank):
            place[d] += 0 if d == still else steps[d] * tile[d] * beside[d]
        return share.at(block, place)

    registers = count * prod(beside) * prod(again)
    counts = {"register": registers, "lane": 64, "warp": prod(warps)}
    return Held({**counts, "block": 2 ** len(share.vectors)}, at)


def mfma(fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """Lanes count along a row of the tile, and then rows four further on, as elements do."""
    rank, instr = len(shape), fields["instrShape"]
    fast, slow = (rank - 1, rank - 2) if not fields.get("isTransposed") else (rank - 2, rank - 1)
    tile = [1] * (rank - 2) + list(instr[:2])
    few = 1 if fields.get("elementBitWidth", 32) == 64 else 4
    deep = 64 // tile[fast]

    def element(r: int, lane: int) -> dict[int, int]:
        down = r % few + few * (lane // tile[fast]) + few * deep * (r // few)
        return {fast: lane % tile[fast], slow: down}

    return waves(fields, parts_of(fields, shape), tile, max(tile[slow] // deep, few), element)


def mfma_operand(fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """A lane has `kWidth` neighbours along the sum; one lane in a row of 64 has 16 times as many."""
    rank, parent, width = len(shape), dict(fields["parent"].fields), fields["kWidth"]
    first = fields["opIdx"] == 0
    still, other = (rank - 1, rank - 2) if first else (rank - 2, rank - 1)
    wide = parent["instrShape"][0 if first else 1]
    count = width * (16 if wide == 64 else 1)
    tile = [1] * rank
    tile[other], tile[still] = wide, count * (64 // wide)

    def element(r: int, lane: int) -> dict[int, int]:
        along = r % width + width * (lane // wide) + width * (64 // wide) * (r // width)
        return {other: lane % wide, still: along}

    return waves(parent, parts_of(parent, shape, still), tile, count, element, still)


Along = Callable[[int, int], int]


def wmma(fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """16 lanes along a row; the other 16 have every other row at first, eight further on later."""
    rank, version = len(shape), fields["version"]
    instr = fields.get("instrShape", (16, 16, 16))
    across = fields.get("isTranspose", False)
    fast, slow = (rank - 2, rank - 1) if across else (rank - 1, rank - 2)

    def along(r: int, lane: int) -> int:
        if version == 1:
            return lane // 16 + 2 * r
        return r % 8 + 8 * (lane // 16) + 16 * (r // 8)

    return halves(fields, shape, (fast, slow), (instr[0] // 2, instr[0]), along)


def wmma_operand(fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """A lane has `kWidth` neighbours along the sum; both halves of the first version have the same."""
    rank, parent, width = len(shape), dict(fields["parent"].fields), fields["kWidth"]
    first = fields["opIdx"] == 0
    still, other = (rank - 1, rank - 2) if first else (rank - 2, rank - 1)
    count, twice = 16, parent["version"] > 1
    if twice:
        count = max(width, parent.get("instrShape", (16, 16, 16))[2] // 2)

    def along(r: int, lane: int) -> int:
        return r % width + width * (lane // 16) + 2 * width * (r // width) if twice else r

    reach = count * (2 if twice else 1)
    return halves(parent, shape, (other, still), (count, reach), along, still)


def halves(
    fields: Mapping[str, Any],
    shape: Sequence[int],
    axes: tuple[int, int],
    size: tuple[int, int],
    along: Along,
    still: int | None = None,
) -> Held:
    """Tiles of 16 lanes along the first axis, and `along` the second; `ctaLayout` puts them.

    `size` says how many registers a tile has, and how far it goes along the second axis.
    """
    rank, (fast, slow), (count, deep) = len(shape), axes, size
    share = parts_of(fields, shape, still)
    tile = [1] * rank
    tile[fast], tile[slow] = 16, deep
    layout = dict(fields["ctaLayout"].fields) if "ctaLayout" in fields else {}
    bases = {
        n: [tuple(0 if d == still else x for d, x in enumerate(v)) for v in layout.get(n, ())]
        for n in ("register", "warp")
    }
    registers = [v for v in bases["register"] if any(v) or still is None]
    reach = list(tile)
    for v in (*registers, *bases["warp"]):
        for d, x in enumerate(v):
            while reach[d] <= x * tile[d]:
                reach[d] *= 2
    again = repeats(share.own, reach)
    order = list(range(rank))[::-1] if still is None else [still, fast, *range(rank - 2)[::-1]]

    def at(point: Sequence[int]) -> Place:
        r, lane, warp, block = point
        place, rest = [0] * rank, r // count
        place[fast], place[slow] = lane % 16, along(r % count, lane)
        vectors = [v for k, v in enumerate(bases["warp"]) if warp >> k & 1]
        vectors += [v for k, v in enumerate(registers) if rest >> k & 1]
        for v in vectors:
            place = [p ^ x * t for p, x, t in zip(place, v, tile)]
        far = digits(rest >> len(registers), again, order)
        return share.at(block, [p + n * x for p, n, x in zip(place, reach, far)])

    many = count * 2 ** len(registers) * prod(again)
    counts = {"register": many, "lane": 32, "warp": 2 ** len(bases["warp"])}
    return Held({**counts, "block": 2 ** len(share.vectors)}, at)


def tiles(fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """Offsets count within a tile's width, rows of a box of at most 256, and boxes."""
    share, rank = parts_of(fields, shape), len(shape)
    width, bits = fields["swizzlingByteWidth"], fields["elementBitWidth"]
    half = 2 if fields.get("fp4Padded") else 1
    order = [0, 1] if fields.get("transposed") else list(range(rank))[::-1]
    first = order[0]
    box = [min(n, 256) for n in share.own]
    if width:
        box[first] = 8 * width // bits // half
    counts = [n // b for n, b in zip(share.own, box)]
    boxes = list(range(rank)) if width else list(range(rank))[::-1]

    def at(point: Sequence[int]) -> Place:
        offset, block = point
        if half == 2:  # eight places, and eight that hold nothing of their own
            offset = offset % 8 + 8 * (offset // 16)
        place = digits(offset % prod(box), box, order)
        if width:
            row, below = 0, 1
            for d in order[1:]:
                row, below = row + place[d] * below, below * box[d]
            place[first] ^= row % 8 * (width // 16) // 8 * (128 // bits // half)
        far = digits(offset // prod(box), counts, boxes)
        return share.at(block, [x + b * y for x, b, y in zip(place, box, far)])

    return Held({"offset": prod(share.own) * half, "block": 2 ** len(share.vectors)}, at)


UNITS: dict[str, Callable[[Mapping[str, Any], Sequence[int]], Held]] = {
    "amd_mfma": mfma,
    "amd_wmma": wmma,
    "nvmma_shared": tiles,
}
OPERANDS = {"amd_mfma": mfma_operand, "amd_wmma": wmma_operand}
