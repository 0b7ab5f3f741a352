"""Layouts made of layouts, by their definitions: literal steps, broadcasts, and divides by a tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.certificate.definitions import (
    ONE,
    ZERO,
    Map,
    at_least,
    names_in,
    number,
    plain,
    product,
    tile_map,
)
from symlayout.certificate.modes import digits
from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner, expression_at
from symlayout.expr.relations import Relation
from symlayout.expr.terms import (
    CeilDiv,
    FloorDiv,
    Mod,
    coordinate_symbols,
)
from symlayout.expr.tree import Expr, expand


def steps(shape: Any) -> Map:
    """An XLA shape by pad, reshape and transpose: each step renumbers the elements row by row."""
    whole, order = tile_map(shape), list(reversed(shape.minor_to_major))
    widths = whole.shape if shape._padded is None else tuple(map(plain, shape._padded))
    d, x = [widths[k] for k in order], [whole.coords[k] for k in order]
    for tile in shape._tiles:
        missing = max(0, len(tile) - len(d))
        d, x = [ONE] * missing + d, [ZERO] * missing + x
        first = len(d) - len(tile)
        union = d[:first]  # the sizes after `*` has joined dimensions
        for k in range(len(tile)):
            n = d[first + k]
            union.append(union.pop() * n if k and tile[k - 1] == "*" else n)
        x, d = digits_of(number(x, d), union), union
        sizes = [plain(t) for t in tile if t != "*"]
        counts = [CeilDiv(n, t) for n, t in zip(d[first:], sizes)]
        padded = [*d[:first], *[c * t for c, t in zip(counts, sizes)]]
        halves = [*d[:first], *[n for pair in zip(counts, sizes) for n in pair]]
        x = digits_of(number(x, padded), halves)
        turn = [*range(first), *range(first, len(halves), 2), *range(first + 1, len(halves), 2)]
        x, d = [x[k] for k in turn], [halves[k] for k in turn]
    return whole._replace(raw=number(x, d), pairs=())


def digits_of(n: Expr, shape: Sequence[Expr]) -> list[Expr]:
    """The place whose row-major number in the shape is `n`; where a size is 0 there is none."""
    shape = [ONE if d == 0 else d for d in shape]
    below = [product(shape[k + 1 :]) for k in range(len(shape))]
    results = [FloorDiv(n, s) for s in below]
    return [q if k == 0 else Mod(q, d) for k, (q, d) in enumerate(zip(results, shape))]


def broadcast(layout: Any, inner: Map) -> Map:
    """A broadcast in dimensions: the operand's own place, 0 where its size is 1."""
    shape = tuple(plain(getattr(d, "_bound", d)) for d in layout.to._dims)
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
    whole = Map(shape, coords, inner.at(place), inner.size, inner.bits, demands)
    return whole._replace(laws=inner.laws, defined=inner.defined)


def quotient(name: str, inner: Map, tile: list[Expr]) -> Map:
    """A map divided by a tile with a size for each of its dimensions, which divides them.

    With inner coordinates a, b and outer ones p, q it addresses what the map does at
    (a + s*p, b + t*q).
    """
    if len(tile) != len(inner.shape):
        raise LayoutError("SL106", f"{name} of these arguments has no definition in the checker")
    counts = [FloorDiv(n, t) for n, t in zip(inner.shape, tile)]
    shape: list[Expr] = {
        "logical_divide": list(inner.shape),
        "zipped_divide": [product(tile), product(counts)],
        "tiled_divide": [product(tile), *counts],
        "flat_divide": [*tile, *counts],
    }[name]
    own = inner.names | names_in(*shape)
    coords = coordinate_symbols(len(shape), own)
    arguments: list[Expr] = list(coords)
    if name == "logical_divide":
        place = arguments
    else:
        inside = arguments[: len(tile)] if name == "flat_divide" else digits(arguments[0], tile)
        rest = arguments[len(tile) :] if name == "flat_divide" else arguments[1:]
        outside = digits(rest[0], list(counts)) if name == "zipped_divide" else rest
        place = [a + t * p for a, t, p in zip(inside, tile, outside)]
    exact = [Relation("==", Mod(n, t), ZERO) for n, t in zip(inner.shape, tile)]
    demands = (*inner.demands, *at_least(1, *tile), *exact)
    whole = Map(tuple(shape), coords, inner.at(place), inner.size, inner.bits, demands)
    return whole._replace(laws=inner.laws, defined=inner.defined)


def tile_of(text: str) -> list[Expr]:
    """The sizes of `(16, t)`; raises `LayoutError` for anything else."""
    s = Scanner(text)
    s.expect("(", "before the sizes of a tile")
    sizes: list[Expr] = []
    while not s.take(")"):
        if sizes:
            s.expect(",", "between the sizes")
        sizes.append(expression_at(s))
    s.end("the tile")
    return sizes
