"""Swizzled layouts, for the checker: the exclusive or of bits of an offset."""

from __future__ import annotations

from typing import Any

from symlayout.certificate.definitions import (
    Map,
    at_least,
    check_size,
    leaves,
    mode_map,
    parts_of,
    plain,
    some,
)
from symlayout.expr.terms import CeilDiv, FloorDiv, Mod


def swizzle(layout: Any, colons: int | None = None) -> Map:
    """The exclusive or of bits, written with div and mod: that of y and z is y + z - 2*y*z."""
    inner, s = mode_map(layout.layout, colons), layout.swizzle
    check_size(max(s.bits, s.base, abs(s.shift)), "bits of a swizzle")
    shape, strides, _ = parts_of(layout.layout)
    start = plain(layout._offset if hasattr(layout, "_offset") else layout.offset)
    steps, sizes = leaves(strides), leaves(shape)
    x = raw = start + inner.raw
    low, high = s.base - min(s.shift, 0), s.base + max(s.shift, 0)
    for k in range(s.bits):
        change, read = 2 ** (low + k), 2 ** (high + k)
        z = Mod(FloorDiv(x, change), 2)
        raw += change * Mod(FloorDiv(x, read), 2) * (1 - 2 * z)
    block = 2 ** (low + s.bits) if s.bits else 1
    reach = sum(((n - 1) * d for n, d in zip(sizes, steps)), start + 1)
    demands = (*inner.demands, *at_least(0, start, *steps))
    size = CeilDiv(reach, block) * block * some(sizes)
    before = inner._replace(raw=x, size=reach * some(sizes), demands=demands)
    permutes = full_rank(low, high, s.bits)
    words = (high, low, s.bits)
    return before._replace(
        raw=raw, size=size, before=before if permutes else None, swizzle=words if permutes else None
    )


def full_rank(low: int, high: int, bits: int) -> bool:
    """Whether adding bits from `high` on to those from `low` on has an inverse, modulo 2.

    >>> full_rank(0, 3, 3), full_rank(0, 0, 1)
    (True, False)
    """
    width = max(low, high) + bits
    rows = [1 << k for k in range(width)]
    for k in range(bits):
        rows[low + k] ^= 1 << (high + k)
    leading: dict[int, int] = {}  # by the highest bit of each
    for row in rows:
        while row and (first := row.bit_length()) in leading:
            row ^= leading[first]
        if row:
            leading[row.bit_length()] = row
    return len(leading) == width
