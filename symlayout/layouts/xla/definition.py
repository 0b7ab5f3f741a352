"""The definition in plain integers: what replays of counterexamples trust.

It shares no code with the tile formula of `tiling.py`: dimensions are numbered here as the formal
definition numbers them, the most minor first, and everything is an `int`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size, value

IntTile = tuple[int | str, ...]


def linear_index(e: Sequence[int], d: Sequence[int]) -> int:
    """`e_n*d_{n-1}*...*d_1 + ... + e_2*d_1 + e_1`, the most minor dimension first in both lists.

    >>> linear_index([1, 2], [3, 5])
    7
    """
    total, stride = 0, 1
    for coordinate, size in zip(e, d):
        total += coordinate * stride
        stride *= size
    return total


def tile_level(e: list[int], d: list[int], tile: IntTile) -> tuple[list[int], list[int]]:
    """Coordinates and sizes after one tile, the most minor dimension first in all lists.

    >>> tile_level([3, 2], [5, 3], (2, 2))
    ([1, 0, 1, 1], [2, 2, 3, 2])
    """
    t = list(reversed(tile))
    missing = len(t) - len(d)
    e, d = e + [0] * missing, d + [1] * missing
    while "*" in t:
        i = t.index("*")
        e[i - 1] = e[i] * d[i - 1] + e[i - 1]
        d[i - 1] = d[i] * d[i - 1]
        del t[i], e[i], d[i]
    widths = [int(w) for w in t]
    n = len(widths)
    within = [e[i] % widths[i] for i in range(n)]
    outside = [e[i] // widths[i] for i in range(n)]
    counts = [(d[i] + widths[i] - 1) // widths[i] for i in range(n)]
    return within + outside + e[n:], widths + counts + d[n:]


@dataclass(frozen=True)
class Definition:
    """A layout's offset by definition: `definition(coordinates, sizes by name) -> int`.

    >>> Definition((3, 5), (1, 0), ((2, 2),))((2, 3), {})
    17

    `widths` are the sizes that the layout lays out (the padded ones where there is padding).
    """

    widths: tuple[Size, ...]
    minor_to_major: tuple[int, ...]
    tiles: tuple[tuple[Size | str, ...], ...]

    def __call__(self, coords: tuple[int, ...], sizes: Mapping[str, int]) -> int:
        d = [value(self.widths[k], sizes) for k in self.minor_to_major]
        e = [int(coords[k]) for k in self.minor_to_major]
        for tile in self.tiles:
            level = tuple(t if isinstance(t, str) else value(t, sizes) for t in tile)
            for t in level:
                if isinstance(t, int) and t < 1:
                    raise LayoutError("SL102", f"tile size {t} must be at least 1")
            e, d = tile_level(e, d, level)
        return linear_index(e, d)


def number(place: Sequence[int], shape: Sequence[int]) -> int:
    """The row-major number of a place, the most major dimension first in both lists."""
    total = 0
    for x, d in zip(place, shape):
        total = total * d + x
    return total


def place(number: int, shape: Sequence[int]) -> list[int]:
    """The place that has that row-major number.

    >>> place(13, (2, 3, 5)), number((0, 2, 3), (2, 3, 5))
    ([0, 2, 3], 13)
    """
    results = []
    for d in reversed(shape[1:]):
        number, x = divmod(number, d)
        results.append(x)
    return [number, *reversed(results)] if shape else []


@dataclass(frozen=True)
class Steps(Definition):
    """An offset by literal pad, reshape and transpose: elements are numbered anew at each step.

    >>> Steps((3, 5), (1, 0), ((2, 2),))((2, 3), {})
    17
    """

    def __call__(self, coords: tuple[int, ...], sizes: Mapping[str, int]) -> int:
        order = list(reversed(self.minor_to_major))
        d = [value(self.widths[k], sizes) for k in order]
        x = [int(coords[k]) for k in order]
        for tile in self.tiles:
            missing = max(0, len(tile) - len(d))
            d, x = [1] * missing + d, [0] * missing + x
            first = len(d) - len(tile)
            union, below = d[:first], 1
            for size, t in zip(d[first:], tile):
                below *= size
                if not isinstance(t, str):
                    union.append(below)
                    below = 1
            x, d = place(number(x, d), union), union
            widths = [value(t, sizes) for t in tile if not isinstance(t, str)]
            for t in widths:
                if t < 1:
                    raise LayoutError("SL102", f"tile size {t} must be at least 1")
            counts = [-(-n // t) for n, t in zip(d[first:], widths)]
            padded = [n * t for n, t in zip(counts, widths)]
            blocks = [n for pair in zip(counts, widths) for n in pair]
            x = place(number(x, [*d[:first], *padded]), [*d[:first], *blocks])
            d = [*d[:first], *blocks]
            turn = [*range(first), *range(first, len(d), 2), *range(first + 1, len(d), 2)]
            x, d = [x[k] for k in turn], [d[k] for k in turn]
        return number(x, d)
