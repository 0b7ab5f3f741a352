"""Layouts by their definitions: what the notations' readers read, as expressions with div and mod.

`recheck` rebuilds the layouts of a claim here, apart from the index maps that the prover works on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from sympy import Expr, Integer, Symbol

from symlayout.errors import LayoutError
from symlayout.notation import parse
from symlayout.proof import Drawn
from symlayout.reader import read_expression
from symlayout.terms import (
    CeilDiv,
    FloorDiv,
    Min,
    Mod,
    as_expr,
    coordinate_symbols,
    rebuild,
    symbol,
)

ZERO, ONE = Integer(0), Integer(1)


class Map(NamedTuple):
    """Coordinates to offsets: 0 <= coords[k] < shape[k], in `size` elements of `bits`."""

    shape: tuple[Expr, ...]
    coords: tuple[Symbol, ...]
    raw: Expr
    size: Expr
    bits: int | None

    @property
    def names(self) -> set[str]:
        """The sizes that occur."""
        return names_in(*self.shape, self.raw, self.size) - {c.name for c in self.coords}

    def at(self, place: Sequence[Expr]) -> Expr:
        """The offset of an element."""
        table = dict(zip(self.coords, place, strict=True))
        return rebuild(self.raw, lambda s: table.get(s, s))

    def box(self) -> dict[str, Expr]:
        """The coordinates and their sizes."""
        return {c.name: d for c, d in zip(self.coords, self.shape)}

    def apart_from(self, names: set[str]) -> Map:
        """The same with other coordinates, where one has the name of a size."""
        if names.isdisjoint(c.name for c in self.coords):
            return self
        coords = coordinate_symbols(len(self.coords), names)
        return self._replace(coords=coords, raw=self.at(coords))


def names_in(*expressions: Expr) -> set[str]:
    """The names of the symbols."""
    return {s.name for e in expressions for s in e.free_symbols}


def product(factors: Iterable[Any]) -> Expr:
    """The product, 1 of none."""
    return reduce(lambda a, b: a * b, factors, ONE)


def number(place: Sequence[Any], shape: Sequence[Any]) -> Expr:
    """The row-major number of a place."""
    return reduce(lambda n, x: n * x[1] + x[0], zip(place, shape, strict=True), ZERO)


def plain(x: Any) -> Expr:
    """An expression; static integers become plain ones."""
    return Integer(int(x)) if isinstance(x, int) else as_expr(x)


def tiled(shape: Any) -> Map:
    """An XLA shape: the sizes in physical order, cut by one tile after the other."""
    order = list(reversed(shape.minor_to_major))
    coords = coordinate_symbols(len(order), set(shape.symbols()))
    d, x = [plain(shape.widths[k]) for k in order], [coords[k] for k in order]
    for tile in shape.tiles:
        missing = max(0, len(tile) - len(d))
        d, x = [ONE] * missing + d, [ZERO] * missing + x
        first = len(d) - len(tile)
        blocks: list[tuple[Expr, Expr]] = []  # (which block, of how many)
        within: list[tuple[Expr, Expr]] = []  # (where in it, of how many)
        joined: tuple[Expr, Expr] = (ZERO, ONE)  # `*` joins a dimension with the next one
        for t, a, n in zip(tile, x[first:], d[first:]):
            a, n = joined[0] * n + a, joined[1] * n
            joined = (a, n) if t == "*" else (ZERO, ONE)
            if t != "*":
                blocks.append((FloorDiv(a, t), CeilDiv(n, t)))
                within.append((Mod(a, t), plain(t)))
        x = [*x[:first], *[a for a, _ in blocks + within]]
        d = [*d[:first], *[n for _, n in blocks + within]]
    total, tail = product(d), plain(shape.tail_alignment)
    total = total if tail == 1 else CeilDiv(total, tail) * tail
    return Map(tuple(map(plain, shape.sizes)), coords, number(x, d), total, shape.bits)


def magnitude(stride: Expr) -> Expr:
    """|stride|; a symbol's sign is what is written."""
    return -stride if stride.could_extract_minus_sign() else stride


def occupied(size: Expr, shape: Iterable[Expr]) -> Expr:
    """The buffer's size, 0 where there is no element."""
    return size * product(Min(d, 1) for d in dict.fromkeys(shape) if not d.is_Number or d == 0)


def nested(layout: Any) -> Map:
    """shape:stride: a coordinate is split among its modes, the leftmost one fastest."""
    groups = [[(plain(n), plain(s)) for n, s in zip(*group)] for group in layout.groups]
    shape = tuple(map(plain, layout.origin))
    every = [e for group in groups for pair in group for e in pair]
    coords = coordinate_symbols(len(shape), names_in(*shape, *every))
    raw, size = ZERO, ONE
    for c, modes in zip(coords, groups):
        below = ONE
        for k, (n, stride) in enumerate(modes):
            digit, n = FloorDiv(c, below), ONE if n == 0 else n
            raw += (digit if k == len(modes) - 1 else Mod(digit, n)) * stride
            size, below = size + (n - 1) * magnitude(stride), below * n
    size = occupied(size, [n for group in groups for n, _ in group])
    return Map(shape, coords, raw, size, layout.bits)


def strided(layout: Any) -> Map:
    """Sizes, strides and a first offset."""
    shape, steps = (tuple(map(plain, t)) for t in (layout.dims, layout.strides))
    start = plain(layout.start)
    coords = coordinate_symbols(len(shape), names_in(*shape, *steps, start))
    raw = sum((c * s for c, s in zip(coords, steps)), start)
    reach = sum(((d - 1) * s for d, s in zip(shape, steps) if s == magnitude(s)), start)
    return Map(shape, coords, raw, occupied(reach + 1, shape), layout.bits)


def layout_map(given: Any) -> Map:
    """The map of a layout's text, or of its shape, coordinates, offset and size.

    >>> layout_map("f32[M,N]{1,0:T(8,128)}").size
    1024*ceildiv(M, 8)*ceildiv(N, 128)

    Raises `LayoutError` for a text that is no layout.
    """
    if isinstance(given, Drawn):
        raw, size, *shape = map(read_expression, (given.offset, given.size, *given.shape))
        return Map(tuple(shape), tuple(map(symbol, given.coords)), raw, size, given.bits)
    layout = parse(given)
    if hasattr(layout, "tiles"):
        return tiled(layout)
    if hasattr(layout, "operand") or hasattr(layout, "steps_of"):
        from symlayout.derived import derived

        return derived(layout)
    if hasattr(layout, "strides"):
        return strided(layout)
    if hasattr(layout, "swizzle"):  # the exclusive or of bits, written with div and mod
        inner = nested(layout.layout)
        raw = layout.swizzle.expression(plain(layout.offset) + inner.raw)
        leaves = [plain(n) for sizes, _ in layout.layout.groups for n in sizes]
        return inner._replace(raw=raw, size=occupied(plain(layout.cosize), leaves))
    if hasattr(layout, "groups"):
        return nested(layout)
    raise LayoutError("SL106", f"{given} is no single buffer")
