"""Triton's shared memory, and encodings that are vectors as they are written, for the checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from symlayout.certificate.shares import Held, Place, digits, parts_of


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
