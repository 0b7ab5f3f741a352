"""Which rows and columns of a large picture are shown: of every tile its ends."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


def pick_in_tiles(count: int, most: int, starts: Iterable[int] = ()) -> list[int | None]:
    """All numbers below `count`, or the ends of every tile, and of too many tiles the outer ones.

    `starts` are where tiles begin; None stands for what is left out.

    >>> pick_in_tiles(12, 7, [3, 6, 9])
    [0, 1, 2, None, 9, 10, 11]
    >>> pick_in_tiles(12, 10, [6])
    [0, 1, None, 4, 5, 6, 7, None, 10, 11]
    >>> pick_in_tiles(3, 8)
    [0, 1, 2]
    """
    if count <= most:
        return list(range(count))
    edges = sorted({0, count, *(s for s in starts if 0 < s < count)})
    for edge in range(most // 2, 0, -1):
        tiles = [_ends(low, high, edge) for low, high in pairwise(edges)]
        if sum(map(len, tiles)) <= most:
            return [line for tile in tiles for line in tile]
    return _cut(edges, count, most)


def _ends(low: int, high: int, edge: int) -> list[int | None]:
    """A tile's first and last lines."""
    if high - low <= 2 * edge + 1:
        return list(range(low, high))
    return [*range(low, low + edge), None, *range(high - edge, high)]


def _cut(edges: list[int], count: int, most: int) -> list[int | None]:
    """The first lines and the last, whole tiles of both where they fit."""
    half = max(1, (most - 1) // 2)
    head = max([e for e in edges if e <= half], default=0) or half
    tail = min([e for e in edges if e >= count - half and e < count], default=0) or count - half
    return [*range(head), None, *range(tail, count)]
