"""A swizzle as two pictures, before and after, each element in the colour of its memory bank.

Where every row consists of runs that stay together under the swizzle, a cell is a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symlayout.expr.terms import value
from symlayout.layouts.cute.layout import int_
from symlayout.render.draw.banks import BANK_BITS, BANKS, Rows, draw_banks, run_length, sides
from symlayout.render.draw.canvas import GAP, Canvas

if TYPE_CHECKING:
    from symlayout.layouts.cute.swizzle import ComposedLayout


def before_and_after(
    layout: ComposedLayout, sizes: Mapping[str, int]
) -> tuple[tuple[int, ...], Rows, Rows]:
    """The logical shape, and the offsets by row and column without and with the swizzle.

    >>> from symlayout import parse
    >>> before_and_after(parse("Swizzle(1,0,1) o 0 o (2,2):(2,1)"), {})
    ((2, 2), [[0, 1], [2, 3]], [[0, 1], [3, 2]])

    Raises `LayoutError` (SL405): a picture of more than 16384 elements, or of another rank.
    """
    inner = layout.layout.index_map()
    shape, _ = inner.concrete(sizes)
    rows, columns = sides(shape, "a swizzle is", "draw a part of it, or show --text")
    start = value(int_(layout._offset), sizes)
    names = [c.name for c in inner._coords]
    plain = [
        [
            start + value(inner._raw, {**sizes, **dict(zip(names, (r, c)[-len(shape) :]))})
            for c in range(columns)
        ]
        for r in range(rows)
    ]
    return shape, plain, [[int(layout.swizzle(x)) for x in row] for row in plain]


def svg(
    layout: ComposedLayout, sizes: Mapping[str, int], bits: int = 16, *, card: bool = True
) -> str:
    """Both pictures as one SVG element, for elements of so many bits.

    >>> from symlayout import parse
    >>> svg(parse("Swizzle(3,3,3) o 0 o (8,64):(64,1)"), {}).count("<g><title>")
    128

    Raises `LayoutError` (SL405) for what is too large, or has other than one or two dimensions.
    """
    shape, plain, targets = before_and_after(layout, sizes)
    run = run_length(plain, targets)
    canvas = Canvas()
    top = draw_banks(canvas, "before: " + str(layout.layout), plain, run, bits, GAP)
    draw_banks(canvas, f"after: {layout.swizzle}", targets, run, bits, top + GAP)
    text = (
        f"offsets of {' x '.join(map(str, shape))} elements before and after the swizzle, and the "
        f"bank of {BANKS} of {BANK_BITS} bits that each falls in, for elements of {bits} bits"
    )
    return canvas.svg(str(layout), text, card)
