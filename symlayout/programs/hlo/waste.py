"""How many elements a tiled buffer has, and which dimension each of its tiles pads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from symlayout.layouts.xla import Shape


@dataclass(frozen=True)
class _Side:
    """A dimension of the tiled array: its size, and what it is of the shape."""

    size: int
    name: str


def padded_elements(
    sizes: Sequence[int], minor_to_major: Sequence[int], tiles: Sequence[Sequence[Any]]
) -> int:
    """The elements of the buffer, padding included.

    >>> padded_elements([8, 128], [1, 0], [(3, 4), (2, 1)])
    1536
    """
    now = [_Side(sizes[k], "") for k in reversed(minor_to_major)]
    for tile in tiles:
        now = [side for side, _, _ in _after_tile(now, tile)]
    return prod(s.size for s in now)


def reasons(shape: Shape) -> Iterator[str]:
    """A sentence for every dimension that a tile, widths or a tail alignment pads.

    >>> from symlayout.layouts.xla import read_shape
    >>> for why in reasons(read_shape("f32[8,128]{1,0:T(3,4)(2,1)}")):
    ...     print(why)
    dimension 0 (8) is padded to 9 by T(3,4)
    dimension 0 inside a tile (3) is padded to 4 by the sub-tile (2,1)
    """
    widths = [int(str(w)) for w in shape._widths]
    for k, (size, width) in enumerate(zip(shape._dims, widths)):
        if size != width:
            yield f"dimension {k} ({size}) is widened to {width}"
    now = [_Side(widths[k], f"dimension {k}") for k in shape.physical_order()]
    for number, tile in enumerate(shape._tiles):
        text = f"({','.join(map(str, tile))})"
        which = f"T{text}" if number == 0 else f"the sub-tile {text}"
        sides = _after_tile(now, tile)
        for _, before, after in sides:
            if before is not None and after != before.size:
                yield f"{before.name} ({before.size}) is padded to {after} by {which}"
        now = [side for side, _, _ in sides]
    count, unit = prod(s.size for s in now), int(str(shape._tail_alignment))
    if count % unit:
        yield f"the {count} elements are padded to {-(-count // unit) * unit} by L({unit})"


def _after_tile(now: Sequence[_Side], tile: Sequence[Any]) -> list[tuple[_Side, _Side | None, int]]:
    """The sides after one tile; with each place in a tile the side it cuts and its padded size."""
    sides = [_Side(1, "a dimension of 1 in front")] * (len(tile) - len(now)) + list(now)
    lead, covered = sides[: len(sides) - len(tile)], sides[len(sides) - len(tile) :]
    union: list[_Side] = []
    entries: list[int] = []
    value: _Side | None = None
    for side, t in zip(covered, tile):
        if value is not None:
            side = _Side(value.size * side.size, f"{value.name} with {side.name}")
        if isinstance(t, str):
            value = side
            continue
        value = None
        union.append(side)
        entries.append(int(t))
    counts = [-(-s.size // t) for s, t in zip(union, entries)]
    outer = [_Side(c, f"the tiles of {s.name}") for c, s in zip(counts, union)]
    inner = [_Side(t, f"{s.name} inside a tile") for t, s in zip(entries, union)]
    return [
        *[(s, None, s.size) for s in lead],
        *[(s, None, s.size) for s in outer],
        *[(s, m, c * t) for s, m, c, t in zip(inner, union, counts, entries)],
    ]
