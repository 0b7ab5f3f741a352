"""Compositions with a swizzle or with coordinates on the right.

A layout that moves the bits which a swizzle reads and changes, each to a place of its own, moves the
swizzle with them: `A(S(x)) == S'(A(x))`.  A layout after one of coordinates adds up what its modes
give along each path.
"""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size, as_size
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.tla.basis import CoordinateLayout, Path
from symlayout.tla.coalesce import coalesce, merge_to_the_end
from symlayout.tla.known import Known, facts_for
from symlayout.tla.values import Break, all_offsets, as_mode, enumerable, modes_of, offsets_at


def swizzle_product(outer: Swizzle, inner: Swizzle) -> Swizzle:
    """The swizzle that is `outer` after `inner`.

    >>> swizzle_product(Swizzle(2, 0, 3), Swizzle(2, 0, 3))
    Swizzle(0, 0, 3)
    >>> swizzle_product(Swizzle(1, 0, 3), Swizzle(1, 1, 3))
    Swizzle(2, 0, 3)

    Raises `LayoutError` (SL800) where both together are no swizzle.
    """
    width = max(outer.width, inner.width)
    moves = {k: outer(inner(1 << k)) ^ (1 << k) for k in range(width)}
    moves = {k: m for k, m in moves.items() if m}
    if not moves:
        return Swizzle(0, outer.base, outer.shift)
    source, target = min(moves), min(moves.values()).bit_length() - 1
    pattern = {source + k: 1 << target + k for k in range(len(moves))}
    if moves != pattern or abs(source - target) < len(moves):
        raise LayoutError("SL800", f"{outer} after {inner} is not a swizzle")
    return Swizzle(len(moves), min(source, target), source - target)


def swizzle_behind(a: Layout, b: ComposedLayout, plain: Layout, where: Any) -> Any:
    """A layout after a swizzled one, from `plain`, the layout after that without its swizzle.

    Raises `LayoutError` (SL800) where that is not a swizzle after an offset after a layout.
    """
    known = Known(facts_for(where, a, b.layout, b._offset))
    if b.swizzle.bits == 0 and known.same(b._offset, 0):
        return plain
    leaves = merge_to_the_end(a._leaves, known.same)
    if len(leaves) == 1 and leaves[0][1] == 1:
        return b  # one mode of stride 1: nothing is moved
    result = ComposedLayout(image_of(a, b.swizzle), _start(a, b._offset, known), plain)
    if enumerable(b.layout) and a.concrete and isinstance(b._offset, int):
        inside = b.swizzle(int(b._offset) + all_offsets(b.layout))
        if (all_offsets(result) == offsets_at(a, inside)).all():
            return result
    elif known.same(b._offset, 0) and stays_apart(a, b.swizzle, known):
        return result
    raise LayoutError("SL800", f"{a} after {b} is not a swizzle after an offset after a layout")


def _start(a: Layout, offset: Size, known: Known) -> Size:
    if known.same(offset, 0):
        return 0
    if not isinstance(offset, int) or not a.concrete:
        raise LayoutError("SL801", f"where {a} takes the offset {offset} is not decided")
    return int(offsets_at(a, [int(offset)])[0])


def image_of(a: Layout, s: Swizzle) -> Swizzle:
    """The swizzle of the bits to which the layout takes those of a swizzle.

    >>> image_of(Layout((8, 8), (8, 1)), Swizzle(2, 0, 3))
    Swizzle(2, 0, -3)

    Raises `LayoutError` (SL800) where these are not powers of two, one after the other.
    """
    first, low = coalesce(a)._leaves[0], [1 << s.source, 1 << s.target]
    if a.concrete:
        rows = [[x << k for k in range(max(s.bits, 1))] for x in low]
        reads, writes = ([int(x) for x in offsets_at(a, row)] for row in rows)
    elif isinstance(first[1], int):
        reads, writes = ([(x << k) * int(first[1]) for k in range(max(s.bits, 1))] for x in low)
    else:
        raise LayoutError("SL800", f"where {a} takes the bits of {s} is not known")
    source, target = reads[0].bit_length() - 1, writes[0].bit_length() - 1
    in_order = min(source, target) >= 0 and all(
        (x, y) == (1 << source + k, 1 << target + k) for k, (x, y) in enumerate(zip(reads, writes))
    )
    if min(reads[0], writes[0]) < 1 or not in_order or abs(source - target) < s.bits:
        raise LayoutError("SL800", f"{a} takes the bits of {s} to places of no swizzle")
    return Swizzle(s.bits, min(source, target), source - target)


def stays_apart(a: Layout, s: Swizzle, known: Known) -> bool:
    """Whether all bits of a swizzle lie in the first mode of `a`, and its other modes above them."""
    (size, stride), *others = merge_to_the_end(a._leaves, known.same) or [(1, 1)]
    reach = 1 << s.width
    if not isinstance(stride, int) or not known.divides(reach, size):
        return False
    return all(known.divides(int(stride) * reach, d) for _, d in others)


# -- coordinates ----------------------------------------------------------------------------------


def along(a: Layout, b: CoordinateLayout) -> list[tuple[Path, Layout, Layout]]:
    """For each path of a layout of coordinates: the mode of `a` there, and how far `b` goes along it.

    >>> from symlayout.tla import identity_layout
    >>> for path, mode, steps in along(Layout((4, 6), (6, 1)), identity_layout((4, 6))):
    ...     print(path, mode, steps)
    (0,) 4:6 (4,6):(1,0)
    (1,) 6:1 (4,6):(0,1)

    Raises `LayoutError` (SL107) for a path that `a` does not have, or that goes on another one.
    """
    for path in b.paths:
        if any(path[: len(other)] == other for other in b.paths if path != other):
            raise LayoutError("SL107", f"a path of {b} goes on where another one ends")

    def steps(path: Path) -> Layout:
        alone = it.transform(lambda d: dict(d._steps).get(path, 0), b._stride)
        return Layout(b._shape, alone)

    return [(path, _mode_at(a, path), steps(path)) for path in b.paths]


def sum_of_paths(b: CoordinateLayout, parts: list[tuple[Path, Layout]]) -> Layout:
    """What the compositions along all paths give together.

    Raises `LayoutError` (SL800) where that is not a layout.
    """
    return Layout(*_combination(b._shape, b._stride, parts))


def _mode_at(a: Layout, path: Path) -> Layout:
    for k in path:
        if not isinstance(a._shape, tuple) or k >= a.rank:
            raise LayoutError("SL107", f"{a} has no mode {'.'.join(map(str, path))}")
        a = a[k]
    return a


def _combination(shape: Any, stride: Any, parts: list[tuple[Path, Layout]]) -> tuple[Any, Any]:
    """What the paths give together, mode by mode of the layout of coordinates."""
    if isinstance(shape, tuple):
        result = [
            _combination(s, d, [(p, part[k]) for p, part in parts])
            for k, (s, d) in enumerate(zip(shape, stride))
        ]
        return tuple(s for s, _ in result), tuple(d for _, d in result)
    own = [part for p, part in parts if p in dict(stride._steps)]
    if not own:
        return shape, 0
    if len(own) == 1:
        return own[0]._shape, own[0]._stride
    if all(x._shape == own[0]._shape for x in own):
        strides = zip(*[it.flatten(x._stride) for x in own])
        total = [as_size(sum((int_(d) for d in ds), 0)) for ds in strides]
        return own[0]._shape, it.unflatten(total, own[0]._shape)
    if not enumerable(*own):
        raise LayoutError("SL801", f"whether paths together make a layout of {shape} is open")
    hits = modes_of(sum(all_offsets(x) for x in own))
    if isinstance(hits, Break):
        raise LayoutError("SL800", f"no layout of {shape} follows several paths: {hits.rule}")
    return as_mode(hits, int(own[0]._size))
