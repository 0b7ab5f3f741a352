"""What the writer of a model can do about padding: other sizes that hold the same elements.

Every suggestion is a layout with fewer bytes; that it has them is a claim of its own (`bytes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.buffers import byte_size

MOST_PERMUTED = 4


@dataclass(frozen=True)
class Suggestion:
    """What to do in the source, the layout that comes out, and its bytes."""

    words: str
    layout: str
    bytes: int

    @property
    def claim(self) -> str:
        """The claim that shows the bytes."""
        return f"bytes '{self.layout}' {self.bytes}"


def suggestion(shape: Shape) -> Suggestion | None:
    """The change of the source that saves most, None where none saves anything.

    >>> from symlayout.layouts.xla import read_shape
    >>> suggestion(read_shape("f32[3,4,100]{2,1,0:T(8,128)}")).words
    'merge dimensions 0 and 1 (3 x 4 to 12)'
    >>> suggestion(read_shape("f32[100,3]{1,0:T(8,128)}")).words
    'swap dimensions 0 and 1 (100,3 to 3,100)'
    """
    whole = byte_size(shape)
    if whole is None or not shape.tiles or shape.padded is not None:
        return None
    best: Suggestion | None = None
    for words, other in _others(shape):
        size = byte_size(other)
        if size is not None and size < (whole if best is None else best.bytes):
            best = Suggestion(words, str(other), size)
    return best


def _others(shape: Shape) -> Iterator[tuple[str, Shape]]:
    """The shapes that a change in the source leads to, the smaller changes first."""
    sizes = [int(str(d)) for d in shape.dims]
    order = shape.physical_order()  # most major first: neighbours there are merged without a copy
    for a, b in pairwise(order):
        if b == a + 1 and 1 not in (sizes[a], sizes[b]):
            union = (*sizes[:a], sizes[a] * sizes[b], *sizes[b + 1 :])
            numbers = tuple(k - (k > a) for k in shape.minor_to_major if k != b)
            both = f"{sizes[a]} x {sizes[b]} to {sizes[a] * sizes[b]}"
            words = f"merge dimensions {a} and {b} ({both})"
            yield words, replace(shape, dims=union, minor_to_major=numbers)
    if shape.rank <= MOST_PERMUTED:
        for perm in permutations(range(shape.rank)):
            targets = [k for k, p in enumerate(perm) if k != p]
            if len(targets) == 2:
                a, b = targets
                swapped = tuple(sizes[p] for p in perm)
                one, two = (",".join(map(str, s)) for s in (sizes, swapped))
                yield f"swap dimensions {a} and {b} ({one} to {two})", replace(shape, dims=swapped)
