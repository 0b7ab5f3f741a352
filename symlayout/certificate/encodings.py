"""Triton's encodings, for the checker: which element a register of a lane, warp and block holds.

Each is written down as arithmetic on the numbers of register, lane, warp and block.  All of it takes
digits of powers of two apart and puts them side by side, so it is linear over F2, and known by its
values at the points with one bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from symlayout.certificate.shares import At, Held, Parts, Place, digits, parts_of, repeats
from symlayout.errors import LayoutError


def blocks(fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """Registers, then lanes, then warps along each dimension; registers again for what is left."""
    share, order = parts_of(fields, shape), fields["order"]
    s, t, w = (fields[k] for k in ("sizePerThread", "threadsPerWarp", "warpsPerCTA"))
    again = repeats(share.own, [a * b * c for a, b, c in zip(s, t, w)])
    registers = [min(a, n) for a, n in zip(s, share.own)]  # none holds an element again, since 3.9

    def at(point: Sequence[int]) -> Place:
        r, lane, warp, block = point
        rest = digits(r // prod(registers), again, order)
        places = [digits(r, registers, order), digits(lane, t, order), digits(warp, w, order)]
        each = zip(*places, rest, s, t, w)
        place = [x + a * (y + b * (z + c * u)) for x, y, z, u, a, b, c in each]
        return share.at(block, place)

    return inputs(prod(registers) * prod(again), prod(t), prod(w), share, at)


def inputs(registers: int, lanes: int, warps: int, share: Parts, at: At) -> Held:
    """The four inputs."""
    counts = {"register": registers, "lane": lanes, "warp": warps, "block": 2 ** len(share.vectors)}
    return Held(counts, at)


def fragment(
    share: Parts,
    warps: Sequence[int],
    order: Sequence[int],
    tile: Sequence[int],
    again: Sequence[int],
    registers: int,
    element: Callable[[int, int], tuple[int, int]],
    still: int | None = None,
) -> Held:
    """Tiles of an instruction: warps side by side in `order`, repeated in the order `again`.

    `element` is the place in a tile of a register and a lane, `registers` those of one tile, and
    along `still` all warps have the same.
    """
    moving = [1 if d == still else n for d, n in enumerate(warps)]
    reach = [t * n for t, n in zip(tile, moving)]
    count = repeats(share.own, reach)

    def at(point: Sequence[int]) -> Place:
        r, lane, warp, block = point
        inner = [*[0] * (len(tile) - 2), *element(r % registers, lane)]
        steps = [0 if d == still else x for d, x in enumerate(digits(warp, warps, order))]
        rest = digits(r // registers, count, again)
        each = zip(inner, steps, rest, tile, reach)
        return share.at(block, [x + t * y + n * z for x, y, z, t, n in each])

    return inputs(registers * prod(count), 32, prod(warps), share, at)


def warps_first(fields: Mapping[str, Any], rank: int) -> list[int]:
    """Ampere's warps go along columns first, Hopper's along rows."""
    order = list(range(rank))[::-1]
    return [order[1], order[0], *order[2:]] if fields["versionMajor"] == 3 else order


def accumulator(fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """Four lanes to a row, two columns each; the rows of a tile are eight apart in registers."""
    rank, instr = len(shape), fields["instrShape"]
    m, n = instr[:2] if fields["versionMajor"] == 3 else instr[-2:]
    down = m // 8

    def element(r: int, lane: int) -> tuple[int, int]:
        return lane // 4 + 8 * (r // 2 % down), lane % 4 * 2 + r % 2 + 8 * (r // (2 * down))

    tile, share = [1] * (rank - 2) + [m, n], parts_of(fields, shape)
    order = warps_first(fields, rank)
    warps, registers = fields["warpsPerCTA"], m * n // 32
    return fragment(share, warps, order, tile, range(rank)[::-1], registers, element)


def operand(fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """A lane has `kWidth` neighbours along the sum, and again four lanes further on."""
    rank, parent = len(shape), dict(fields["parent"].fields)
    first = fields["opIdx"] == 0
    still = rank - 1 if first else rank - 2
    share = parts_of(parent, shape, still)
    if fields["parent"].kind == "blocked":
        return threads(parent, share, shape, still)
    width = fields["kWidth"]
    down = 2 if first else 1

    def element(r: int, lane: int) -> tuple[int, int]:
        other = lane // 4 + 8 * (r // width % down)
        k = lane % 4 * width + r % width + 4 * width * (r // (width * down))
        return (other, k) if first else (k, other)

    tile = [1] * (rank - 2) + ([16, 8 * width] if first else [8 * width, 8])
    again = [still, 2 * rank - 3 - still, *range(rank - 2)[::-1]]
    order = warps_first(parent, rank)
    warps, registers = parent["warpsPerCTA"], 2 * width * down
    return fragment(share, warps, order, tile, again, registers, element, still)


def threads(parent: Mapping[str, Any], share: Parts, shape: Sequence[int], still: int) -> Held:
    """An operand without a matrix unit: every lane and warp has all of the sum."""
    order = parent["order"]
    s = [shape[d] if d == still else n for d, n in enumerate(parent["sizePerThread"])]
    t, w = (parent[k] for k in ("threadsPerWarp", "warpsPerCTA"))
    many = [1 if d == still else t[d] * w[d] for d in range(len(s))]
    again = repeats(share.own, [a * b for a, b in zip(s, many)])

    def at(point: Sequence[int]) -> Place:
        r, lane, warp, block = point
        x, rest = digits(r, s, order), digits(r // prod(s), again, order)
        y, z = digits(lane, t, order), digits(warp, w, order)
        outer = [0 if d == still else y[d] + t[d] * z[d] for d in range(len(s))]
        place = [a + n * (o + m * u) for a, n, o, m, u in zip(x, s, outer, many, rest)]
        return share.at(block, place)

    return inputs(prod(s) * prod(again), prod(t), prod(w), share, at)


def shared_memory(fields: Mapping[str, Any], shape: Sequence[int], rotating: bool = False) -> Held:
    """Offsets count columns, then rows; a row's columns are exchanged by its phase.

    Rotating, the phase goes on with the number of the block of rows.
    """
    share, order = parts_of(fields, shape), fields["order"]
    vec, per, most = (fields[k] for k in ("vec", "perPhase", "maxPhase"))

    def at(point: Sequence[int]) -> Place:
        offset, block = point
        place = digits(offset, share.own, order)
        if len(order) > 1:
            column, row = order[:2]
            phase = place[row] // per % most
            phase ^= place[row] // (per * most) % most if rotating else 0
            place[column] ^= phase * vec % share.own[column]
        return share.at(block, place)

    return Held({"offset": prod(share.own), "block": 2 ** len(share.vectors)}, at)


def literal_vectors(fields: Mapping[str, Any], shape: Sequence[int], names: Sequence[str]) -> Held:
    """Vectors as they are written, cut off at the shape; registers repeat what is left.

    First along the dimensions in which registers move, as they do, then from the last one.
    """
    rows = {n: [tuple(v) for v in fields.get(n, ())] for n in names}
    written, rank = list(rows.get("register", ())), len(shape)
    first = [
        next((k for k, v in enumerate(written) if v[d]), len(written) + rank - d)
        for d in range(rank)
    ]
    for d in sorted(range(rank), key=first.__getitem__):
        size = shape[d]
        most = max([v[d] for vectors in rows.values() for v in vectors], default=0)
        reach = 1 << most.bit_length()
        while reach < size and "register" in rows:
            rows["register"].append(tuple(reach if e == d else 0 for e in range(len(shape))))
            reach *= 2
    if "register" in rows:  # a register beyond the shape holds nothing
        registers = [v for v in rows["register"] if all(x < n for x, n in zip(v, shape))]
        rows["register"] = registers

    def at(point: Sequence[int]) -> Place:
        place = [0] * len(shape)
        for x, name in zip(point, names):
            for k, v in enumerate(rows[name]):
                if x >> k & 1:
                    place = [a ^ b % n for a, b, n in zip(place, v, shape)]
        return place

    return Held({n: 2 ** len(rows[n]) for n in names}, at)


def elements(encoding: Any, shape: Sequence[int]) -> Held:
    """What an encoding says of a tensor; raises `LayoutError` (SL106) for a kind without meaning."""
    fields = dict(encoding.fields)
    match encoding.kind:
        case "blocked":
            return blocks(fields, shape)
        case "nvidia_mma":
            return accumulator(fields, shape)
        case "dot_op" if fields["parent"].kind in ("blocked", "nvidia_mma"):
            return operand(fields, shape)
        case "swizzled_shared" | "shared":
            return shared_memory(fields, shape)
        case "amd_rotating_shared":
            return shared_memory(fields, shape, rotating=True)
        case "linear":
            return literal_vectors(fields, shape, ("register", "lane", "warp", "block"))
        case "shared_linear":
            return literal_vectors(fields, shape, ("offset", "block"))
        case "slice":
            return slice_of(fields, shape)
    from symlayout.certificate.units import OPERANDS, UNITS

    if encoding.kind in UNITS:
        return UNITS[encoding.kind](fields, shape)
    if encoding.kind == "dot_op" and fields["parent"].kind in OPERANDS:
        return OPERANDS[fields["parent"].kind](fields, shape)
    raise LayoutError("SL106", f"#ttg.{encoding.kind} has no definition in the checker")


def slice_of(fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """The parent's elements without one dimension; of registers with the same ones the first."""
    dim = fields["dim"]
    whole = elements(fields["parent"], [*shape[:dim], 1, *shape[dim:]])
    bits = whole.counts["register"].bit_length() - 1
    rest = [k for k in range(bits) if any(whole.at((1 << k, 0, 0, 0)))]

    def at(point: Sequence[int]) -> Place:
        r = sum((point[0] >> n & 1) << k for n, k in enumerate(rest))
        place = whole.at((r, *point[1:]))
        return [*place[:dim], *place[dim + 1 :]]

    return Held({**whole.counts, "register": 2 ** len(rest)}, at)
