"""What the writer of a model can do about padding.

Bytes are promised only for what TPU compilers deliver: two neighbours in memory merged into one
dimension, in an argument, or in a buffer that only elementwise operations, slices and updates make
and read.  The layouts of all others are the compiler's choice, whatever the order of the source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise, permutations
from typing import NamedTuple

from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.buffers import at_bounds, byte_size

FEW = 16  # elements of a dimension that a tile pads many times over
MOST_PERMUTED = 4  # dimensions whose every order is looked at
LANES = 8  # rows of a tile of 32 bits


class Origin(Enum):
    """Who decides on the layout of a buffer, the weakest first.

    Its shape alone, the source, the source with updates of parts, an operation that treats
    dimensions apart, or a product.
    """

    ARGUMENT = "argument"
    FREE = "free"
    UPDATED = "updated"
    APART = "apart"
    PRODUCT = "product"


class Decision(NamedTuple):
    """Who decides on a layout; `by` is what the buffer is to the instruction that does."""

    origin: Origin
    by: str = ""


@dataclass(frozen=True)
class Suggestion:
    """What to do in the source; the layout that comes out and its bytes, where they are promised."""

    words: str
    layout: str = ""
    bytes: int | None = None

    @property
    def claim(self) -> str:
        """The claim that shows the bytes, empty where nothing is promised."""
        return "" if self.bytes is None else f"bytes '{self.layout}' {self.bytes}"


def suggestion(shape: Shape, origin: Origin = Origin.FREE) -> Suggestion | None:
    """The change of the source that saves most, None where none is known to save anything.

    >>> from symlayout.layouts.xla import read_shape
    >>> made = suggestion(read_shape("f32[5,9,100]{2,1,0:T(8,128)}"), Origin.ARGUMENT)
    >>> made.words, made.layout, made.bytes
    ('merge dimensions 0 and 1 (5 x 9 to 45)', 'f32[45,100]{1,0:T(8,128)}', 24576)
    >>> suggestion(read_shape("f32[4096,3,3]{2,1,0:T(4,128)}"), Origin.PRODUCT).words
    'an elementwise product and a sum in place of the product keeps dimension 0 (4096) minor'
    """
    shape = at_bounds(shape)
    whole = byte_size(shape)
    if whole is None or not shape._tiles or shape._padded is not None:
        return None
    best: Suggestion | None = None
    if origin in (Origin.ARGUMENT, Origin.FREE, Origin.UPDATED):
        first = 0 if origin is Origin.ARGUMENT else 1  # which slices, updates and sums may go over
        for words, other in _merges(replace(shape, splits=()), first):
            if origin is Origin.ARGUMENT:
                other = _smallest(other)
            size = byte_size(other)
            if size is not None and size < (best.bytes if best and best.bytes else whole):
                best = Suggestion(words, str(other), size)
    if best is None and origin is Origin.FREE:
        best = _swap(shape)
    return _few_features(shape) if origin is Origin.PRODUCT else best


def why_none(decision: Decision, smaller: bool) -> str:
    """Why nothing is suggested; `smaller` is whether another layout of the buffer has fewer bytes.

    >>> why_none(Decision(Origin.PRODUCT, "operand of dot %d"), True)
    'operand of dot %d, the compiler picks its layout'
    """
    if decision.by:
        return f"{decision.by}, the compiler picks its layout"
    if not smaller:
        return "no order of dimensions is smaller"
    swapped = " or swapped" if decision.origin is Origin.FREE else ""
    return f"the compiler picks its layout, merged{swapped} dimensions save nothing"


def _sizes(shape: Shape) -> list[int]:
    return [int(str(d)) for d in shape._dims]


def _merges(shape: Shape, first: int) -> Iterator[tuple[str, Shape]]:
    """Neighbours in the source that are neighbours in memory become one dimension without a copy."""
    sizes = _sizes(shape)
    for a, b in pairwise(shape.physical_order()):  # most major first
        alike = b == a + 1 and a >= first and 1 not in (sizes[a], sizes[b])
        if alike and shape.rank > 2:
            union = (*sizes[:a], sizes[a] * sizes[b], *sizes[b + 1 :])
            order = tuple(k - (k > a) for k in shape.minor_to_major if k != b)
            both = f"{sizes[a]} x {sizes[b]} to {sizes[a] * sizes[b]}"
            tiles = _tiles(shape, union[order[1]])
            other = replace(shape, _dims=union, minor_to_major=order, _tiles=tiles)
            yield f"merge dimensions {a} and {b} ({both})", other


def _smallest(shape: Shape) -> Shape:
    """The layout that compilers give an argument: the order of dimensions with the fewest bytes."""
    if shape.rank > MOST_PERMUTED:
        return shape
    orders = (shape.minor_to_major, *permutations(range(shape.rank)))
    layouts = (
        replace(shape, minor_to_major=o, _tiles=_tiles(shape, _sizes(shape)[o[1]])) for o in orders
    )
    return min(layouts, key=lambda one: byte_size(one) or 0)


def _tiles(shape: Shape, rows: int) -> tuple[tuple[int | str, ...], ...]:
    """The tiles that compilers choose for so many rows: as few in a tile as a power of two holds."""
    first, rest = shape._tiles[0], shape._tiles[1:]
    if len(first) != 2 or not isinstance(first[0], int):
        return shape._tiles
    packed = 1
    for tile in rest:
        if len(tile) == 2 and tile[1] == 1 and isinstance(tile[0], int):
            packed *= tile[0]
    most = first[0] if first[0] >= LANES else LANES * packed
    height = max(1, packed)
    while height < min(rows, most):
        height *= 2
    return ((min(height, most), first[1]), *rest)


def _swap(shape: Shape) -> Suggestion | None:
    """The last two dimensions the other way round, where that is fewer bytes in the same layout.

    It is the compiler's choice to keep the order of the source: nothing is promised.
    """
    order, sizes = shape.minor_to_major, _sizes(shape)
    if order != tuple(reversed(range(shape.rank))) or shape.rank < 2:
        return None
    other = replace(shape, _dims=(*sizes[:-2], sizes[-1], sizes[-2]), splits=())
    fewer = byte_size(other)
    if fewer is None or fewer >= (byte_size(shape) or 0):
        return None
    one, two = (",".join(map(str, s)) for s in (sizes, _sizes(other)))
    a, b = shape.rank - 2, shape.rank - 1
    words = f"try dimensions {a} and {b} the other way round ({one} to {two})"
    return Suggestion(f"{words}: compilers may keep the order of the source, or not")


def _few_features(shape: Shape) -> Suggestion | None:
    """What keeps a long dimension minor where a product has a few features."""
    sizes = _sizes(shape)
    if shape.rank < 3 or sizes[shape.minor_to_major[0]] > FEW:
        return None
    longest = max(range(shape.rank), key=lambda k: sizes[k])
    if sizes[longest] < FEW * LANES:
        return None
    words = "an elementwise product and a sum in place of the product keeps dimension"
    return Suggestion(f"{words} {longest} ({sizes[longest]}) minor")
