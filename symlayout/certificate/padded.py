"""Shared memory with padding, for the checker: the offset of an element, empty places counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.terms import FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr, Integer, Symbol


class Row(NamedTuple):
    """A row of elements with empty places: coordinates and their sizes, the offset, the end."""

    box: tuple[tuple[Symbol, Expr], ...]
    offset: Expr
    size: int


def padded_place(fields: Mapping[str, Any], shape: Sequence[int]) -> Row:
    """Where an element lies: its number, and the paddings of all whole intervals before it."""
    coords = [symbol(f"dim{k}") for k in range(len(shape))]
    place: Expr = Integer(0)
    if "offset" in fields:
        for k, bits in enumerate(sources(fields["offset"], shape)):
            met = [Mod(FloorDiv(coords[d], 2**b), 2) for d, b in bits]
            place = place + 2**k * Mod(sum(met, Integer(0)), 2)
    else:
        for d in reversed(fields["order"]):
            place = place * shape[d] + coords[d]
    last = prod(shape) - 1
    offset, size = place, last + 1
    for every, many in fields["pads"]:
        offset, size = offset + FloorDiv(place, every) * many, size + last // every * many
    return Row(tuple((c, Integer(n)) for c, n in zip(coords, shape)), offset, size)


def sources(vectors: Sequence[Sequence[int]], shape: Sequence[int]) -> list[list[tuple[int, int]]]:
    """For each bit of an offset the bits of coordinates of which it is the sum over F2.

    Raises `LayoutError` (SL403) where the vectors do not reach every element once.
    """
    bits = [(d, b) for d, n in enumerate(shape) for b in range(n.bit_length() - 1)]
    rows = [[v[d] >> b & 1 for v in vectors] for d, b in bits]  # a row for each coordinate's bit
    if len(rows) != len(vectors):
        raise LayoutError("SL403", f"{len(vectors)} vectors for {len(rows)} bits of coordinates")
    sides = [[int(i == j) for j in range(len(rows))] for i in range(len(rows))]
    for column in range(len(rows)):
        pivot = next((r for r in range(column, len(rows)) if rows[r][column]), None)
        if pivot is None:
            raise LayoutError("SL403", "the vectors do not reach every element once")
        for one in (rows, sides):
            one[column], one[pivot] = one[pivot], one[column]
        for r in range(len(rows)):
            if r != column and rows[r][column]:
                rows[r] = [x ^ y for x, y in zip(rows[r], rows[column])]
                sides[r] = [x ^ y for x, y in zip(sides[r], sides[column])]
    return [[bits[j] for j, x in enumerate(side) if x] for side in sides]
