"""Inverses and complements of swizzled layouts, from those of the layouts before the swizzle.

A swizzle is its own inverse, and maps each aligned block of offsets onto itself.
"""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.arrays import each_once
from symlayout.expr.terms import Size, as_size
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.tla.chain import Chain
from symlayout.tla.coalesce import from_leaves
from symlayout.tla.composition import composition
from symlayout.tla.known import Known, facts_for
from symlayout.tla.operands import image_of, stays_apart
from symlayout.tla.values import Break, all_offsets, enumerable, modes_of, offsets_at


def from_zero(operation: str, x: ComposedLayout, where: Any) -> None:
    """Raises `LayoutError` unless the offset before the swizzle is 0: only then 0 is reached."""
    if not Known(facts_for(where, x.layout, x._offset)).same(x._offset, 0):
        message = f"{operation} of {x}: it begins at {x._offset}, so not every offset can be told"
        raise LayoutError("SL800", message)


def right_inverse_of(x: ComposedLayout, plain: Layout, where: Any) -> Any:
    """The right inverse of a swizzled layout, from that of its layout.

    What is not filled to whole blocks is cut, or to where the swizzle does not reach yet.  Raises
    `LayoutError` (SL801) where a size does not tell whether it is whole blocks.
    """
    from_zero("the right inverse", x, where)
    s, size = x.swizzle, plain._size
    known = Known(facts_for(where, x.layout))
    if not s.bits or known.at_most(size, 1 << s.source):
        return plain
    if not isinstance(size, int) and not known.divides(s.block, size):
        message = f"the right inverse of {x} is undecided: it needs that {s.block} divides {size}"
        needs = (f"({size}) % {s.block} == 0", f"{size} <= {1 << s.source}")
        raise LayoutError("SL801", message, help=f"add {needs[0]}", needs=needs)
    if isinstance(size, int) and size % s.block:
        size = max(int(size) - int(size) % s.block, min(int(size), 1 << s.source))
        plain = composition(plain, Layout(size, 1), where)
    if isinstance(size, int) and size <= 1 << s.source:
        return plain
    return composition(plain, ComposedLayout(s, 0, Layout(as_size(size), 1)), where)


def left_inverse_of(
    x: ComposedLayout, plain: Layout, where: Any
) -> Layout | ComposedLayout | Chain:
    """The left inverse of a swizzled layout, from that of its layout."""
    from_zero("the left inverse", x, where)
    if not x.swizzle.bits:
        return plain
    known = Known(facts_for(where, x.layout))
    try:
        result = ComposedLayout(image_of(plain, x.swizzle), 0, plain)
    except LayoutError:
        result = None
    if result is not None and enumerable(x.layout) and plain.concrete:
        inner = all_offsets(x.layout)
        back = result.swizzle(offsets_at(plain, x.swizzle(inner)))
        if (back == offsets_at(plain, inner)).all():
            return result
    elif result is not None and stays_apart(plain, x.swizzle, known):
        return result
    return Chain(plain, ComposedLayout(x.swizzle, 0, Layout(x._cosize, 1)))


def same_offsets(x: ComposedLayout, where: Any) -> Layout:
    """A layout without a swizzle that has the same set of offsets.

    That before the swizzle where it has whole blocks: all offsets of a block, or none.  Raises
    `LayoutError` (SL801) where that is not known of a layout too large to be looked at.
    """
    from_zero("the complement", x, where)
    if _has_whole_blocks(x, Known(facts_for(where, x.layout))):
        return x.layout
    if not enumerable(x.layout):
        message = f"the complement of {x} is undecided: whether the swizzle fills the same blocks"
        raise LayoutError("SL801", message)
    hits = modes_of(each_once(all_offsets(x)))
    if isinstance(hits, Break):
        raise LayoutError("SL800", f"{x} has no complement: {hits.rule}")
    return from_leaves(list(hits))


def _has_whole_blocks(x: ComposedLayout, known: Known) -> bool:
    """Whether some modes fill a block, one after the other, and all others go from block to block."""
    rest = [leaf for leaf in x.layout._leaves if not known.same(leaf[0], 1)]
    reach: Size = 1
    while not known.divides(x.swizzle.block, reach):
        following = [leaf for leaf in rest if known.same(leaf[1], reach)]
        if not following:
            return False
        rest.remove(following[0])
        reach = as_size(int_(reach) * int_(following[0][0]))
    return all(known.divides(x.swizzle.block, d) for _, d in rest)
