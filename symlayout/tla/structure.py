"""Composition of numbers by structure: digits that stay apart need not be looked at one by one.

An index of A is a number in mixed radix, its digits the coordinates of A's modes.  A leaf of B whose
steps fill digits of A from the bottom is a mode for each digit that it meets; and where all leaves
together stay within each digit, nothing carries: A of their sum is the sum of what A gives for each.
"""

from __future__ import annotations

from operator import eq

from symlayout.layouts.cute.layout import Layout
from symlayout.tla.coalesce import merge, merge_to_the_end

Leaf = tuple[int, int]


def by_digits(a: Layout, b: Layout) -> list[list[Leaf]] | None:
    """The modes of A after each leaf of B, or None where the digits do not tell.

    >>> by_digits(Layout((4, 6), (6, 1)), Layout((2, 6), (2, 4)))
    [[(2, 12)], [(6, 1)]]
    """
    own = [(int(s), int(d)) for s, d in a._leaves]
    if not own:
        return None
    leaves = merge_to_the_end(own, eq)
    places, place = [], 1
    for size, _ in leaves:
        places.append(place)
        place *= size
    if place == 0:
        return None
    room: list[int | None] = [size - 1 for size, _ in leaves]
    room[-1] = None  # the last digit takes the whole quotient
    result = []
    for count, step in b._leaves:
        parts = _digits(int(count), int(step), leaves, places, room)
        if parts is None:
            return None
        result.append(merge(parts, eq))
    return result


def _digits(
    count: int, step: int, leaves: list[Leaf], places: list[int], room: list[int | None]
) -> list[Leaf] | None:
    """The modes that `count` steps meet, one for each digit; what they need is taken from `room`."""
    if count < 1 or step < 0:
        return None
    result: list[Leaf] = []
    for k, ((size, stride), place) in enumerate(zip(leaves, places)):
        left = room[k]
        if left is not None and step % (place * size) == 0:
            continue
        if step % place:
            return None
        jump = step // place
        if left is None:
            return [*result, (count, jump * stride)]
        many = count if (count - 1) * jump < size else size // jump
        room[k] = left = left - (many - 1) * jump
        if left < 0:
            return None
        result.append((many, jump * stride))
        if many == count:
            return result
        if size % jump or count % many:
            return None
        count, step = count // many, place * size
    return None
