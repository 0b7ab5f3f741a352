"""Operations on layouts by what they do to coordinates, for the checker.

A divide of A by the tile (s, t) has inner coordinates a, b and outer ones p, q, and addresses what A
does at (a + s*p, b + t*q).  It is defined here where the tile divides A.  A composition addresses at
each coordinate of B what A does at B's offset.  Elements n times as wide lie at the n-th parts of
the offsets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from symlayout.certificate.definitions import (
    ONE,
    ZERO,
    Map,
    at_least,
    leaves,
    mode_map,
    names_in,
    plain,
    product,
    some,
)
from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.reader import Scanner, expression_at
from symlayout.expr.terms import CeilDiv, FloorDiv, Mod, coordinate_symbols
from symlayout.expr.tree import Expr

DIVIDES = ("logical_divide", "zipped_divide", "tiled_divide", "flat_divide")


def quotient(name: str, inner: Map, tile: list[Expr]) -> Map:
    """A map divided by a tile with a size for each of its dimensions."""
    if name not in DIVIDES or len(tile) != len(inner.shape):
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
    return Map(tuple(shape), coords, inner.at(place), inner.size, inner.bits, demands)


class Modes(NamedTuple):
    """A nested shape with strides, as `tuple_value` reads it."""

    shape: Any
    stride: Any
    origin: tuple[Any, ...] = ()
    bits: int | None = None


def composition(outer: Any, inner: Any) -> Map:
    """First the inner layout, then the outer one, both `shape:stride` without negative strides.

    All strides of the outcome are at least 0 then, so that its last offset is its greatest.
    """
    for layout in (outer, inner):
        if not hasattr(layout, "stride") or layout.bits is not None:
            raise LayoutError("SL106", f"{layout} is no plain shape:stride")
    a, b = (mode_map(Modes(x.shape, x.stride), 1) for x in (outer, inner))
    b = b.apart_from(a.names)
    a = a.apart_from(b.names | {c.name for c in b.coords})
    raw = a.at(digits(b.raw, list(a.shape)))
    last = Map(b.shape, b.coords, raw, ONE, None).at([d - 1 for d in b.shape])
    steps = at_least(0, *leaves(outer.stride), *leaves(inner.stride))
    demands = (*a.demands, *b.demands, *steps)
    return Map(b.shape, b.coords, raw, (1 + last) * some(b.shape), None, demands)


def one_mode(layout: Any) -> Map:
    """A layout as a single mode, which goes through the same offsets; defined where it is one.

    It is where of any two modes one has the size 1, or the later stride is the earlier one times all
    sizes from there to the later mode.
    """
    if not hasattr(layout, "stride") or layout.bits is not None:
        raise LayoutError("SL106", f"{layout} is no plain shape:stride")
    m = mode_map(Modes(layout.shape, layout.stride), 1)
    sizes, steps = map(list, (leaves(layout.shape), leaves(layout.stride)))
    chain = []
    for j in range(1, len(sizes)):
        for i in range(j):
            gap = steps[j] - steps[i] * product(sizes[i:j])
            chain.append(Relation("==", (sizes[i] - 1) * (sizes[j] - 1) * gap, ZERO))
    (c,) = coordinate_symbols(1, m.names)
    raw = m.at(digits(c, list(m.shape)))
    return Map((product(m.shape),), (c,), raw, m.size, None, (*m.demands, *chain))


def wider_elements(layout: Any, n: int) -> Map:
    """A layout counted in elements of n old ones; it is defined where n divides every other stride."""
    if not hasattr(layout, "stride") or layout.bits is not None or n < 1:
        raise LayoutError("SL106", f"{layout} is no plain shape:stride")
    exact: list[Relation] = []

    def made(size: Any, stride: Any) -> tuple[Any, Any]:
        if isinstance(size, tuple):
            both = [made(x, y) for x, y in zip(size, stride)]
            return tuple(x for x, _ in both), tuple(y for _, y in both)
        s, d = plain(size), plain(stride)
        if d == 1 and n > 1:
            return CeilDiv(s, n), ONE
        if not (d.is_Integer and d % n == 0):
            exact.append(Relation("==", Mod(d, n), ZERO))
        return s, FloorDiv(d, n)

    units = [d for d in leaves(layout.stride) if d == 1]
    if len(units) > 1:
        raise LayoutError("SL106", f"{layout} has several modes of stride 1")
    shape, stride = made(layout.shape, layout.stride)
    whole = mode_map(Modes(shape, stride), 1)
    return whole._replace(demands=(*whole.demands, *exact))


MOST = 4096  # elements of a block that are looked at one by one


def whole_block(layout: Any) -> tuple[Map, list[Expr]]:
    """A block of numbers that fills the first places of memory, and its sizes; `LayoutError` else."""
    if not hasattr(layout, "stride") or layout.bits is not None:
        raise LayoutError("SL106", f"{layout} is no plain shape:stride")
    sizes, steps = leaves(layout.shape), leaves(layout.stride)
    if not all(e.is_Integer for e in [*sizes, *steps]) or not 0 < product(sizes) <= MOST:
        raise LayoutError("SL106", f"{layout} is no small block of numbers")
    places = [0]
    for n, d in zip(map(int, sizes), map(int, steps)):
        places = [x + d * k for x in places for k in range(n)]
    if sorted(places) != list(range(len(places))):
        raise LayoutError("SL106", f"{layout} does not fill the first places")
    results = mode_map(Modes(layout.shape, layout.stride), 1)
    return results, list(results.shape)


def blocks(name: str, block: Any, grid: Any) -> Map:
    """Copies of a block, one dimension of the grid along each of its own, or behind one another."""
    a, own = whole_block(block)
    many = product(own)
    if not hasattr(grid, "stride") or grid.bits is not None:
        raise LayoutError("SL106", f"{grid} is no plain shape:stride")
    b = mode_map(Modes(grid.shape, grid.stride), 1)
    steps = at_least(0, *leaves(grid.stride))
    if name == "logical_product":
        shape = [many, product(b.shape)]
    elif len(own) == len(b.shape):
        shape = [x * y for x, y in zip(own, b.shape)]
    else:
        raise LayoutError("SL106", f"{block} and {grid} have not as many modes")
    coords = coordinate_symbols(len(shape), b.names)
    if name == "logical_product":
        inside, copy = digits(coords[0], own), digits(coords[1], list(b.shape))
    elif name == "raked_product":
        inside = [FloorDiv(c, n) for c, n in zip(coords, b.shape)]
        copy = [Mod(c, n) for c, n in zip(coords, b.shape)]
    else:
        inside = [Mod(c, n) for c, n in zip(coords, own)]
        copy = [FloorDiv(c, n) for c, n in zip(coords, own)]
    modes = list(zip(leaves(grid.shape), leaves(grid.stride)))
    reach = sum(((n - 1) * d for n, d in modes), ONE) * some(n for n, _ in modes)
    demands = (*b.demands, *steps)
    return Map(tuple(shape), coords, a.at(inside) + many * b.at(copy), many * reach, None, demands)


def repetition(block: Any, shape: list[Expr]) -> Map:
    """A block repeated to fill a shape that it divides, the first dimension's copies first."""
    a, own = whole_block(block)
    if len(own) != len(shape):
        raise LayoutError("SL106", f"{block} has not as many modes as the shape")
    counts = [FloorDiv(n, t) for n, t in zip(shape, own)]
    exact = [Relation("==", Mod(n, t), ZERO) for n, t in zip(shape, own)]
    coords = coordinate_symbols(len(shape), names_in(*shape))
    copy: Expr = ZERO
    for c, t, n in reversed(list(zip(coords, own, counts))):
        copy = copy * n + FloorDiv(c, t)
    inside = [Mod(c, t) for c, t in zip(coords, own)]
    demands = (*at_least(0, *shape), *exact)
    size = product(own) * product(counts)
    return Map(tuple(shape), coords, a.at(inside) + product(own) * copy, size, None, demands)


def digits(n: Expr, shape: list[Expr]) -> list[Expr]:
    """The coordinate in the shape whose number is `n`, the first one fastest."""
    hits: list[Expr] = []
    below: Expr = ONE
    for k, d in enumerate(shape):
        digit = FloorDiv(n, below) if k else n
        hits.append(digit if k == len(shape) - 1 else Mod(digit, d))
        below = below * d
    return hits


def tile_of(text: str) -> list[Expr]:
    """The sizes of `(16, t)`; raises `LayoutError` for anything else."""
    s = Scanner(text)
    s.expect("(", "before the sizes of a tile")
    sizes: list[Expr] = []
    while not s.take(")"):
        if sizes:
            s.expect(",", "between the sizes")
        sizes.append(expression_at(s))
        if s.take(":") and expression_at(s) != 1:  # `n:1` are n neighbours
            raise LayoutError("SL106", f"the tile {text} has a stride")
    s.end("the tile")
    return sizes
