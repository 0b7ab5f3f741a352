"""Bitcasts that keep a part of an array: the same bytes, fewer elements at the same places.

What lay beyond becomes padding.  The other direction is wrong: what padding holds is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.parts import Verifier

MOST_PLACES = 1 << 24  # places of a buffer that are looked at one by one


def is_partial(source: Shape, target: Shape) -> bool:
    """Whether the numbers of elements differ in buffers of the same bytes."""
    shapes = (source, target)
    if not all(isinstance(d, int) for s in shapes for d in s._dims) or source.bits != target.bits:
        return False
    counts = [prod(int(str(d)) for d in s._dims) for s in shapes]
    return counts[0] != counts[1] and source._byte_size == target._byte_size


def describe_slice(source: Shape, target: Shape) -> str:
    """Which dimensions are cut where the two differ in nothing else, else what is kept.

    >>> from symlayout.layouts.xla import read_shape
    >>> describe_slice(read_shape("s32[5]{0:T(128)}"), read_shape("s32[4]{0:T(128)}"))
    'a slice of dimension 0 (4 of 5); what lay beyond is padding now'
    """
    if _alike(source, target):
        cut = [f"{k} ({t} of {s})" for k, (s, t) in enumerate(_pairs(source, target)) if s != t]
        word = "dimension" if len(cut) == 1 else "dimensions"
        return f"a slice of {word} {' and '.join(cut)}; what lay beyond is padding now"
    return "a part of the elements at the same places; what lay beyond is padding now"


def uncovered(source: Shape, target: Shape) -> list[int]:
    """The dimensions of which the target has elements where the source has padding.

    Of shapes that differ in more than these sizes nothing is said.
    """
    if not _alike(source, target):
        return []
    return [k for k, (a, b) in enumerate(_pairs(source, target)) if b > a]


def lies_within(v: Verifier) -> None:
    """Every element of the result lies where the operand has one, in a buffer of the same bytes.

    Raises `LayoutError` (SL721) for sizes that are no numbers and for buffers that are very large.
    """
    (source,) = v.arrays(1, 1)
    target = v.out
    if not all(isinstance(x, int) for x in (*source._dims, *target._dims)):
        v.unread("sizes")
    v.demand(source.bits == target.bits, f"elements of {source.bits} and {target.bits} bits")
    same = source._byte_size == target._byte_size
    v.demand(same, f"buffers of {source._byte_size} and {target._byte_size} bytes")
    if 0 in target._dims:
        return  # there is no element
    if _alike(source, target):
        for k, (argument, result) in enumerate(_pairs(source, target)):
            rule = f"dimension {k} has {result} elements where the operand has {argument}"
            uncovered = f"{rule}: padding is uncovered, whose content is undefined"
            v.demand(result <= argument, uncovered)
        return
    if int(str(source._buffer_size)) > MOST_PLACES:
        v.unread("buffers of more places than are looked at, size")
    import numpy as np

    value = np.zeros(int(str(source._buffer_size)), dtype=bool)
    for places in _places(source):
        value[places] = True
    for places in _places(target):
        rule = "an element lies where the operand has padding, whose content is undefined"
        inside = bool((places < value.size).all())
        v.demand(inside and bool(value[places].all()), rule)


def _alike(a: Shape, b: Shape) -> bool:
    """Whether the same coordinates lie at the same places: one order, one tiling, one padded size."""
    return (
        a.rank == b.rank
        and a.minor_to_major == b.minor_to_major
        and a._tiles == b._tiles
        and a._tiled_sizes == b._tiled_sizes
        and a._padded is b._padded is None
        and _merged_alike(a, b)
    )


def _merged_alike(a: Shape, b: Shape) -> bool:
    """Whether a coordinate counts the same where `*` merges dimensions.

    What counts a more major one is the size of the dimension that it is merged into.
    """
    if any(isinstance(t, str) for tile in a._tiles[1:] for t in tile):
        return False
    tile = a._tiles[0] if a._tiles else ()
    places = [k + 1 - len(tile) for k, t in enumerate(tile) if isinstance(t, str)]
    inner = [a.physical_order()[p] for p in places if p >= -a.rank]
    return all(a._dims[k] == b._dims[k] for k in inner)


def _pairs(a: Shape, b: Shape) -> list[tuple[int, int]]:
    return [(int(str(x)), int(str(y))) for x, y in zip(a._dims, b._dims)]


def _places(shape: Shape) -> Iterator[Any]:
    """The places of the elements in arrays, a part at a time."""
    import numpy as np

    sizes = [int(str(x)) for x in shape._dims]
    count = prod(sizes)
    index_map = shape.index_map()
    for start in range(0, count, 1 << 20):
        numbers = np.arange(start, min(count, start + (1 << 20)))
        coords = np.unravel_index(numbers, sizes) if sizes else ()
        places = np.asarray(index_map.evaluate(*coords)) if sizes else np.zeros(1, dtype=int)
        yield np.broadcast_to(places, (len(numbers),))


FUNCTIONS: dict[str, Callable[..., None]] = {"lies_within": lies_within}
