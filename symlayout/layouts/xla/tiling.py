"""The tile formula: what one tile does to sizes and to coordinates.

With `d` the sizes, `e` the coordinates and `t` the tile over a suffix of the physical dimensions,
the tiled sizes are `(ceil(d/t), t)` and the tiled coordinates `(floor(e/t), e mod t)`, element by
element, the counts of all tiled dimensions before the places in the tile.  A later tile does the
same to the result of the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from symlayout.expr.terms import FloorDiv, Mod, Size, ceildiv, product

COMBINE = "*"
"""The entry of a tile that merges its dimension into the next more minor one."""

TileSize: TypeAlias = Size | str
Tile: TypeAlias = tuple[TileSize, ...]


class Merged(NamedTuple):
    """The suffix that a tile covers, after its `*` entries are carried out.

    `lead` is the number of dimensions that the tile leaves alone; the other fields have one entry
    for each dimension that is tiled.
    """

    lead: int
    sizes: tuple[Size, ...]
    coords: tuple[Any, ...]
    tile: tuple[Size, ...]


class Placed(NamedTuple):
    """Sizes and coordinates of an array in physical order, the most major dimension first."""

    sizes: tuple[Size, ...]
    coords: tuple[Any, ...]

    def tiled(self, tile: Tile) -> Placed:
        """The array under one more tile.

        >>> Placed((3, 5), (2, 3)).tiled((2, 2))
        Placed(sizes=(2, 3, 2, 2), coords=(1, 1, 0, 1))
        """
        at = suffix(self, tile)
        counts = tuple(ceildiv_fast(d, t) for d, t in zip(at.sizes, at.tile))
        digits = [split(d, e, t) for d, e, t in zip(at.sizes, at.coords, at.tile)]
        leading = with_rank(self, tile)
        return Placed(
            (*leading.sizes[: at.lead], *counts, *at.tile),
            (*leading.coords[: at.lead], *(q for q, _ in digits), *(r for _, r in digits)),
        )


def with_rank(places: Placed, tile: Tile) -> Placed:
    """The array with leading dimensions of size 1, as many as the tile has dimensions too many."""
    missing = len(tile) - len(places.sizes)
    if missing <= 0:
        return places
    return Placed((1,) * missing + places.sizes, (0,) * missing + places.coords)


def suffix(places: Placed, tile: Tile) -> Merged:
    """The tiled suffix with `*` carried out: `d[k+1] := d[k] * d[k+1]`, entry k removed.

    >>> suffix(Placed((2, 7, 8, 11, 10), (1, 2, 3, 4, 5)), ("*", "*", 2, "*", 3))
    Merged(lead=0, sizes=(112, 110), coords=(75, 45), tile=(2, 3))
    """
    whole = with_rank(places, tile)
    lead = len(whole.sizes) - len(tile)
    sizes: list[Size] = []
    coords: list[Any] = []
    above_size: Size = 1
    above: Any = 0
    for d, e, t in zip(whole.sizes[lead:], whole.coords[lead:], tile):
        here = above * d + e if above_size != 1 else e
        if isinstance(t, str):
            above_size, above = product((above_size, d)), here
            continue
        sizes.append(product((above_size, d)) if above_size != 1 else d)
        coords.append(here)
        above_size, above = 1, 0
    rest = tuple(t for t in tile if not isinstance(t, str))
    return Merged(lead, tuple(sizes), tuple(coords), rest)


def split(d: Size, e: Any, t: Size) -> tuple[Any, Any]:
    """The number of the tile and the place in it; no division where `e < d <= t` settles it."""
    if t == 1:
        return e, 0
    if isinstance(t, int):
        if isinstance(d, int) and d <= t:
            return 0, e
        if isinstance(e, int):
            return divmod(e, t)
    return FloorDiv(e, t), Mod(e, t)


def ceildiv_fast(d: Size, t: Size) -> Size:
    """`ceildiv` without SymPy where both are numbers."""
    if isinstance(d, int) and isinstance(t, int):
        return -(-d // t)
    return ceildiv(d, t)


def tile_pairs(sizes: Sequence[Size], tiles: Sequence[Tile]) -> list[tuple[Size, Size]]:
    """(tile size, the size it tiles) for every entry of every tile, the first level first.

    >>> tile_pairs((16, 256), ((8, 128), (2, 1)))
    [(8, 16), (128, 256), (2, 8), (1, 128)]
    """
    now = Placed(tuple(sizes), (0,) * len(sizes))
    pairs: list[tuple[Size, Size]] = []
    for tile in tiles:
        at = suffix(with_rank(now, tile), tile)
        pairs += zip(at.tile, at.sizes)
        after = sizes_after(now.sizes, (tile,))
        now = Placed(after, (0,) * len(after))
    return pairs


def sizes_after(sizes: Sequence[Size], tiles: Sequence[Tile]) -> tuple[Size, ...]:
    """The sizes of the tiled array, most major first.

    >>> sizes_after((3, 5), ((2, 2),))
    (2, 3, 2, 2)
    """
    now = tuple(sizes)
    for tile in tiles:
        whole = with_rank(Placed(now, (0,) * len(now)), tile)
        at = suffix(whole, tile)
        counts = tuple(ceildiv_fast(d, t) for d, t in zip(at.sizes, at.tile))
        now = (*whole.sizes[: at.lead], *counts, *at.tile)
    return now
