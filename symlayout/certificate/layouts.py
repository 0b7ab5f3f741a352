"""Layouts made of layouts, by their definitions: literal steps, and the place of a broadcast."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sympy import Expr, expand

from symlayout.certificate.algebra import blocks, composed, divided, filled, tile_of, widened
from symlayout.certificate.bits import bits
from symlayout.certificate.definitions import (
    FRACTALS,
    ONE,
    ORDERS,
    ZERO,
    Map,
    at_least,
    drawn,
    formatted,
    names_in,
    nested,
    number,
    plain,
    product,
    strided,
    swizzled,
    tiled,
)
from symlayout.certificate.proof import Drawn
from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import (
    CeilDiv,
    FloorDiv,
    Mod,
    Operation,
    coordinate_symbols,
    divisors_of,
    symbol,
)
from symlayout.layouts.notation import notation_of, parse


def stepped(shape: Any) -> Map:
    """An XLA shape by pad, reshape and transpose: each step renumbers the elements row by row."""
    whole, order = tiled(shape), list(reversed(shape.minor_to_major))
    widths = whole.shape if shape.padded is None else tuple(map(plain, shape.padded))
    d, x = [widths[k] for k in order], [whole.coords[k] for k in order]
    for tile in shape.tiles:
        missing = max(0, len(tile) - len(d))
        d, x = [ONE] * missing + d, [ZERO] * missing + x
        first = len(d) - len(tile)
        joined = d[:first]  # the sizes after `*` has joined dimensions
        for k in range(len(tile)):
            n = d[first + k]
            joined.append(joined.pop() * n if k and tile[k - 1] == "*" else n)
        x, d = digits_of(number(x, d), joined), joined
        sizes = [plain(t) for t in tile if t != "*"]
        counts = [CeilDiv(n, t) for n, t in zip(d[first:], sizes)]
        padded = [*d[:first], *[c * t for c, t in zip(counts, sizes)]]
        halves = [*d[:first], *[n for pair in zip(counts, sizes) for n in pair]]
        x = digits_of(number(x, padded), halves)
        turn = [*range(first), *range(first, len(halves), 2), *range(first + 1, len(halves), 2)]
        x, d = [x[k] for k in turn], [halves[k] for k in turn]
    return whole._replace(raw=number(x, d), pairs=())


def digits_of(n: Expr, shape: Sequence[Expr]) -> list[Expr]:
    """The place whose row-major number in the shape is `n`."""
    below = [product(shape[k + 1 :]) for k in range(len(shape))]
    made = [FloorDiv(n, s) for s in below]
    return [q if k == 0 else Mod(q, d) for k, (q, d) in enumerate(zip(made, shape))]


def repeated(layout: Any) -> Map:
    """A broadcast in dimensions: the operand's own place, 0 where its size is 1."""
    inner = layout_map(str(layout.operand))
    shape = tuple(plain(getattr(d, "bound", d)) for d in layout.to.dims)
    if len(layout.dims) != len(inner.shape) or not all(0 <= d < len(shape) for d in layout.dims):
        raise LayoutError("SL702", f"{layout} does not place each dimension of its operand")
    coords = coordinate_symbols(len(shape), names_in(*shape) | inner.names)
    both = list(zip(inner.shape, layout.dims))
    place = [ZERO if n == 1 else coords[d] for n, d in both]
    fits: list[Relation] = []
    for k, (n, d) in enumerate(both):
        if n != 1 and expand(n - shape[d]) != 0:  # it is 1, or the result's size
            fits.append(Relation("==", (n - 1) * (n - shape[d]), ZERO))
            place[k] = Mod(coords[d], n)
    demands = (*inner.demands, *at_least(0, *shape), *fits)
    return Map(shape, coords, inner.at(place), inner.size, inner.bits, demands)


def shaped(text: str, layout: Any) -> Map:
    """An XLA shape, if it is one buffer."""
    if not hasattr(layout, "tiles"):
        raise LayoutError("SL106", f"{text} is no single buffer")
    return tiled(layout)


def named(text: str, layout: Any) -> Map:
    """A format by its own definition where there is one, and by its modes otherwise."""
    head = text.partition("(")[0].strip()
    return formatted(text) if head in (*FRACTALS, *ORDERS) else nested(layout)


def spelled(text: str, layout: Any) -> Map:
    """`shape:stride`, in which strides may be left out, and an origin shape."""
    return nested(layout, None if re.match(r"\s*[A-Za-z_]", text) else text.count(":"))


def mapped(text: str, layout: Any) -> Map:
    """An index function of arithmetic alone: each variable from 0 on, one result in a box."""
    rows, ranges = list(layout.variables), list[Expr]()
    if layout.guard is not None or layout.lets or len(layout.results) != 1 or not layout.box:
        raise LayoutError("SL106", f"{text} has no definition in the checker yet")
    coords = tuple(symbol(v.name) for v in rows)
    for v in rows:
        if v.low != 0 or not names_in(v.high).isdisjoint(c.name for c in coords):
            raise LayoutError("SL106", f"the range {v} has no definition in the checker yet")
        ranges.append(v.high)
    (raw,), (size,) = layout.results, layout.box
    if any(e.has(Operation) for e in (raw, size, *ranges)):
        raise LayoutError("SL106", f"{text} has bits or conditionals")
    evaluated = [Relation("==", size, size)] if divisors_of(size) else []
    demands = (*at_least(0, *ranges, size), *evaluated)
    return Map(tuple(ranges), coords, raw, size, None, demands)


def spelled_alone(text: str) -> Any:
    """A layout as `shape:stride`; raises `LayoutError` for any other."""
    if notation_of(text).name != "shape:stride" or text.count(":") != 1:
        raise LayoutError("SL106", f"{text} is no shape:stride")
    return parse(text)


def operated(text: str, layout: Any) -> Map:
    """An operation of the algebra: a divide by a tile, in which the inner layout may be one too."""
    if len(layout.arguments) != 2:
        raise LayoutError("SL106", f"{text} has no definition in the checker")
    first, second = layout.arguments
    if layout.name == "composition" and ":" in second and not second.startswith("(("):
        return composed(*map(spelled_alone, (first, second)))
    if layout.name in ("blocked_product", "raked_product", "logical_product"):
        return blocks(layout.name, *map(spelled_alone, (first, second)))
    if layout.name == "tile_to_shape":
        return filled(spelled_alone(first), tile_of(second))
    if layout.name == "upcast" and second.isdigit():
        return widened(spelled_alone(first), int(second))
    return divided(layout.name, layout_map(layout.arguments[0]), tile_of(layout.arguments[1]))


def linear(text: str, layout: Any) -> Map:
    """A linear layout with one coordinate."""
    made = bits(text)
    if made is None or len(made.sizes) != 1:
        raise LayoutError("SL106", f"{text} has several coordinates")
    (raw,), (size,) = made.results(), made.sizes
    coords, shape = zip(*made.box())
    return Map(shape, coords, raw, plain(size), None, tuple(at_least(0, size)))


# each notation's definition, apart from the index map that its reader's value has
DEFINITIONS: dict[str, Callable[[str, Any], Map]] = {
    "XLA": shaped,
    "shape:stride": spelled,
    "format": named,
    "swizzled": lambda text, layout: swizzled(layout),
    "strided": lambda text, layout: strided(layout),
    "protocol buffer": shaped,
    "C++": lambda text, layout: nested(layout),
    "broadcast_in_dim": lambda text, layout: repeated(layout),
    "pad_reshape_transpose": lambda text, layout: stepped(layout.steps_of),
    "map": mapped,
    "memref": lambda text, layout: strided(layout),
    "affine map": mapped,
    "indexing map": mapped,
    "einops": mapped,
    "thread-value": mapped,
    "linear": linear,
    "Triton": linear,
    "algebra": operated,
}


@lru_cache(maxsize=1000)
def layout_map(given: Any) -> Map:
    """The map of a layout's text, or of its shape, coordinates, offset and size.

    >>> layout_map("f32[M,N]{1,0:T(8,128)}").size
    1024*ceildiv(M, 8)*ceildiv(N, 128)

    Raises `LayoutError` for a text that is no layout.
    """
    if isinstance(given, Drawn):
        return drawn(given)
    layout, notation = parse(given), notation_of(given).name
    if notation not in DEFINITIONS:
        raise LayoutError("SL106", f"the notation {notation!r} has no definition in the checker")
    return DEFINITIONS[notation](given, layout)
