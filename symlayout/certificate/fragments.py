"""Fragments of NVIDIA's matrix units, for the checker: accumulators and operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from symlayout.certificate.shares import Held, Parts, Place, digits, inputs, parts_of, repeats


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
