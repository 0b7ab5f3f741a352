"""From TLA layouts to XLA shapes and back, each answer proved equal to what it came from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Size, as_size, ceildiv, product
from symlayout.layouts.cute.layout import Layout
from symlayout.tla.arguments import layout_of
from symlayout.tla.known import Known, facts_for, tied_to

if TYPE_CHECKING:
    from symlayout.layouts.xla import Shape

UNSIGNED = (1, 2, 4, 8, 16, 32, 64)
LARGEST_RANK = 5


def to_xla(layout: Any, dtype: str | None = None, where: Any = ()) -> Shape:
    """The XLA shape and layout that address as this layout does.

    >>> from symlayout.tla import read_layout
    >>> print(to_xla(read_layout("zN(f16, R, C)")))
    f16[R,C]{0,1:T(16,16)(16,1)}
    >>> print(to_xla(read_layout("(M,N):(1,M)"), "f32"))
    f32[M,N]{0,1}

    The element type is that of the format, or unsigned of the layout's width when none is given.
    Raises `LayoutError` (SL800) when no permutation and tiles are proved to be the layout.
    """
    from symlayout import prove
    from symlayout.layouts.xla import read_shape

    layout = layout_of(layout)
    facts = facts_for(where, layout)
    word = dtype or _dtype_of(layout)
    m = layout.index_map()
    if m.rank > LARGEST_RANK:
        raise LayoutError("SL405", f"{m.rank} dimensions are too many to try every permutation")
    dims = ",".join(map(str, layout._origin))
    for text in _candidates(layout):
        shape: Any = read_shape(f"{word}[{dims}]{{{text}}}")
        other = shape.index_map()
        known = tied_to(facts, (*m.symbols, *other.symbols))
        if prove.equal(m, other, where=known).proved:
            hit: Shape = shape
            return hit
    raise LayoutError("SL800", f"no XLA layout is proved to address as {layout} does")


def _dtype_of(layout: Layout) -> str:
    from symlayout.layouts.xla.dtypes import BITS

    named = re.match(r"\w+\((\w+)\s*,", layout.name)
    if named and named.group(1) in BITS:
        return named.group(1)
    if layout.bits in UNSIGNED:
        return f"u{layout.bits}"
    raise LayoutError("SL103", f"{layout} has no element type", help="give one: dtype='f32'")


def _candidates(layout: Layout) -> Iterator[str]:
    """minor_to_major and tiles: the blocks of each dimension as tiles, in every order.

    A block of h rows and w columns is a tile (h, w) row by row, and a tile (h, w)(h, 1) column by
    column: the second tile takes one column of all h rows at a time.
    """
    blocks = [_block(sizes) for sizes, _ in layout._groups]
    tiled = [k for k, b in enumerate(blocks) if b is not None]
    for order in permutations(range(len(blocks))):
        text = ",".join(map(str, order))
        if not tiled:
            yield text
            continue
        minor = order[: max(len(tiled), max(order.index(k) for k in tiled) + 1)]
        sizes = [1 if blocks[k] is None else blocks[k] for k in reversed(minor)]
        tile = f"T({','.join(map(str, sizes))})"
        yield f"{text}:{tile}"
        if len(sizes) == 2:
            yield f"{text}:{tile}({sizes[0]},1)"


def _block(sizes: tuple[Size, ...]) -> Size | None:
    """The size of a dimension's blocks, None where it has no inner mode."""
    inner = [int(s) if isinstance(s, int) else s for s in sizes[:-1]]
    return as_size(product(inner)) if len(sizes) > 1 else None


Digit = tuple[int, Size, Size]  # the dimension, how much one step is there, how many steps


def to_tla(shape: Any, where: Any = ()) -> Layout:
    """The TLA layout that addresses as this XLA shape (or its text) does.

    >>> print(to_tla("f32[M,N]{1,0:T(8,128)}"))
    ((8,ceildiv(M, 8)),(128,ceildiv(N, 128))):((128,1024*ceildiv(N, 128)),(1,1024)):(M,N)

    Each tile splits a dimension into more modes.  Raises `LayoutError` (SL800) for what modes
    cannot say: dimensions combined by `*`, and tiles that do not divide the tiles that they split.
    """
    from symlayout import prove
    from symlayout.layouts.xla import Shape, read_shape

    result = read_shape(shape) if isinstance(shape, str) else shape
    if not isinstance(result, Shape):
        raise LayoutError("SL800", f"{result} is not an array, so it has no shape:stride")
    m = result.index_map()
    if result._dims != m._shape:  # of sizes that are known at run time their bounds
        result = replace(result, _dims=m._shape)
    facts = facts_for(where, *result._dims, *[t for tile in result._tiles for t in tile])
    layout = _assembly(result, Known(facts))
    other = layout.index_map()
    known = tied_to(Facts.read(facts), (*m.symbols, *other.symbols))
    verdict = prove.equal(other, m, where=known)
    if not verdict.proved:
        raise LayoutError("SL800", f"{result} is not proved to be {layout}: {verdict.reason}")
    return layout


def _assembly(shape: Shape, known: Known) -> Layout:
    """The modes of each dimension: the digits that the tiles split it into."""
    digits: list[Digit] = [(d, 1, shape._dims[d]) for d in reversed(shape.minor_to_major)]
    for tile in shape._tiles:
        digits = _tile_digits(digits, tile, shape, known)
    strides: dict[int, list[tuple[Size, Size, Size]]] = {d: [] for d in range(len(shape._dims))}
    below: Size = 1
    for dim, step, count in reversed(digits):
        strides[dim].append((step, count, below))
        below = as_size(below * count)
    sizes, steps = [], []
    for d in range(len(shape._dims)):
        modes = _in_order(strides[d], shape, known)
        sizes.append(tuple(c for c, _ in modes) if len(modes) > 1 else modes[0][0])
        steps.append(tuple(s for _, s in modes) if len(modes) > 1 else modes[0][1])
    bits = shape.bits or None
    return Layout(tuple(sizes), tuple(steps), tuple(shape._dims), bits)


def _tile_digits(
    digits: list[Digit], tile: tuple[Any, ...], shape: Shape, known: Known
) -> list[Digit]:
    if "*" in tile or len(tile) > len(digits):
        raise LayoutError("SL800", f"{shape} combines or adds dimensions, which modes cannot say")
    outer, inner = digits[: len(digits) - len(tile)], []
    counts = []
    for (dim, step, count), t in zip(digits[len(digits) - len(tile) :], tile):
        whole = step == 1 and known.same(count, shape._dims[dim])
        if not whole and not known.divides(t, count):
            raise LayoutError("SL800", f"the tile size {t} does not divide {count} in {shape}")
        left = known.quotient(count, t) if known.divides(t, count) else ceildiv(count, t)
        counts.append((dim, as_size(step * t), left))
        inner.append((dim, step, as_size(t)))
    return [*outer, *counts, *inner]


def _in_order(
    modes: list[tuple[Size, Size, Size]], shape: Shape, known: Known
) -> list[tuple[Size, Size]]:
    """Count and stride of a dimension's digits, the lowest first; counts of 1 are dropped."""
    rest = [m for m in modes if not (len(modes) > 1 and known.same(m[1], 1))] or modes[:1]
    results: list[tuple[Size, Size]] = []
    below: Size = 1
    while rest:
        hits = next((m for m in rest if known.same(m[0], below)), None)
        if hits is None:
            raise LayoutError("SL800", f"the digits of {shape} have no order that is proved")
        rest.remove(hits)
        results.append((hits[1], hits[2]))
        below = as_size(below * hits[1])
    return results
