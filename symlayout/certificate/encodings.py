"""Triton's encodings, for the checker: which element a register of a lane, warp and block holds.

Each is written down as arithmetic on the numbers of register, lane, warp and block.  All of it takes
digits of powers of two apart and puts them side by side, so it is linear over F2, and known by its
values at the points with one bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from symlayout.certificate.shares import Held, Place, digits, inputs, parts_of, repeats
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


def elements(encoding: Any, shape: Sequence[int]) -> Held:
    """What an encoding says of a tensor; raises `LayoutError` (SL106) for a kind without meaning."""
    fields = dict(encoding.fields)
    match encoding.kind:
        case "blocked":
            return blocks(fields, shape)
        case "slice":
            return slice_of(fields, shape)
        case "nvidia_mma" | "dot_op" | "amd_mfma" | "amd_wmma" | "nvmma_shared":
            return of_matrix_unit(encoding.kind, fields, shape)
    from symlayout.certificate.vectors import literal_vectors, shared_memory

    match encoding.kind:
        case "swizzled_shared" | "shared":
            return shared_memory(fields, shape)
        case "amd_rotating_shared":
            return shared_memory(fields, shape, rotating=True)
        case "linear":
            return literal_vectors(fields, shape, ("register", "lane", "warp", "block"))
        case "shared_linear":
            return literal_vectors(fields, shape, ("offset", "block"))
    raise unknown(encoding.kind)


def unknown(kind: str) -> LayoutError:
    """The error for a kind without a meaning here."""
    return LayoutError("SL106", f"#ttg.{kind} has no definition in the checker")


def of_matrix_unit(kind: str, fields: Mapping[str, Any], shape: Sequence[int]) -> Held:
    """What the instructions of matrix units read and write."""
    from symlayout.certificate.fragments import accumulator, operand
    from symlayout.certificate.units import OPERANDS, UNITS

    if kind in UNITS:
        return UNITS[kind](fields, shape)
    if kind == "nvidia_mma":
        return accumulator(fields, shape)
    parent = fields["parent"].kind
    if parent in OPERANDS:
        return OPERANDS[parent](fields, shape)
    if parent in ("blocked", "nvidia_mma"):
        return operand(fields, shape)
    raise unknown(f"dot_op of #ttg.{parent}")


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
