"""Layouts by their definitions: what the notations' readers read, as expressions with div and mod.

`recheck` rebuilds the layouts of a claim here, apart from the index maps that the prover works on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from symlayout.certificate.proof import Drawn
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.relations import Relation
from symlayout.expr.terms import (
    BitAnd,
    BitXor,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    as_expr,
    coordinate_symbols,
    divisors_of,
    put,
    symbol,
)
from symlayout.expr.tree import Expr, Integer, Mul, Symbol

ZERO: Expr = Integer(0)
ONE: Expr = Integer(1)


class Law(NamedTuple):
    """A relation that is to hold at all coordinates of a box."""

    coords: tuple[Symbol, ...]
    shape: tuple[Expr, ...]
    relation: Relation

    def apart_from(self, names: set[str]) -> Law:
        """The same with other coordinates, where one has the name of a size."""
        if names.isdisjoint(c.name for c in self.coords):
            return self
        coords = coordinate_symbols(len(self.coords), names)
        table = dict(zip(self.coords, coords))
        r = self.relation
        left, right = (put(e, table) for e in (r.left, r.right))
        return Law(coords, self.shape, Relation(r.op, left, right))


class Map(NamedTuple):
    """Coordinates to offsets: 0 <= coords[k] < shape[k], in `size` elements of `bits`.

    It is defined where all `demands` hold; `pairs` are the tile sizes and what they tile.  Where
    `raw` is a permutation of all integers after another map, that map is `before`.  `room` has the
    sizes of what is laid out, the rest of the last blocks included; () where it is the shape.
    `laws` are to hold as well, each in a box of its own: the offsets rest on them, or have no value
    without them (`defined`).  `within` are those of the demands that only offsets make: without an
    element nothing asks for them.
    """

    shape: tuple[Expr, ...]
    coords: tuple[Symbol, ...]
    raw: Expr
    size: Expr
    bits: int | None
    demands: tuple[Relation, ...] = ()
    pairs: tuple[tuple[Expr, Expr], ...] = ()
    before: Map | None = None
    room: tuple[Expr, ...] = ()
    laws: tuple[Law, ...] = ()
    within: tuple[Relation, ...] = ()
    defined: tuple[Law, ...] = ()
    swizzle: tuple[int, int, int] | None = None  # of what `before` gives: from, to, how many bits

    @property
    def exclusive(self) -> Expr:
        """The offsets, where a swizzle makes them with its operations on bits."""
        if self.before is None or self.swizzle is None:
            return self.raw
        x, (read, change, bits) = self.before.raw, self.swizzle
        mask = Integer((2**bits - 1) * 2**change)
        down = FloorDiv(x, 2 ** (read - change)) if read >= change else x * 2 ** (change - read)
        return BitXor(x, BitAnd(down, mask))

    @property
    def names(self) -> set[str]:
        """The sizes that occur."""
        both = [e for r in self.demands for e in (r.left, r.right)]
        return names_in(*self.shape, self.raw, self.size, *both) - {c.name for c in self.coords}

    def at(self, place: Sequence[Expr]) -> Expr:
        """The offset of an element."""
        if len(place) != len(self.coords):
            raise LayoutError("SL403", f"{len(place)} numbers for {len(self.coords)} coordinates")
        return put(self.raw, dict(zip(self.coords, place)))

    def box(self) -> dict[str, Expr]:
        """The coordinates and their sizes."""
        return {c.name: d for c, d in zip(self.coords, self.shape)}

    def apart_from(self, names: set[str]) -> Map:
        """The same with other coordinates, where one has the name of a size."""
        if names.isdisjoint(c.name for c in self.coords):
            return self
        coords = coordinate_symbols(len(self.coords), names)
        before = None if self.before is None else self.before.apart_from(names)
        return self._replace(coords=coords, raw=self.at(coords), before=before)

    def where_0(self, names: set[str]) -> Map:
        """The same where these sizes are 0: with an extent that is, there is no element.

        A product is 0 where a factor is that is certain to have a value.
        """
        table = {symbol(n): ZERO for n in names}

        def least(e: Expr) -> Expr:
            gone = (put(f, table) == 0 for f in Mul.make_args(e) if not divisors_of(f))
            return ZERO if any(gone) else e

        shape = tuple(map(least, self.shape))
        if ZERO not in shape:
            return self
        demands = tuple(r for r in self.demands if r not in self.within)
        before = None if self.before is None else self.before.where_0(names)
        return self._replace(shape=shape, size=least(self.size), demands=demands, before=before)


def names_in(*expressions: Expr) -> set[str]:
    """The names of the symbols."""
    return {s.name for e in expressions for s in e.free_symbols}


def product(factors: Iterable[Any]) -> Expr:
    """The product, 1 of none."""
    return reduce(lambda a, b: a * b, factors, ONE)


def number(place: Sequence[Any], shape: Sequence[Any]) -> Expr:
    """The row-major number of a place."""
    return reduce(lambda n, x: n * x[1] + x[0], zip(place, shape), ZERO)


def plain(x: Any) -> Expr:
    """An expression; static integers become plain ones."""
    return Integer(int(x)) if isinstance(x, int) else as_expr(x)


def check_size(number: int, what: str, most: int = 64) -> None:
    """Raises `LayoutError` where there are more than that: the definitions are written out."""
    if number > most:
        raise LayoutError("SL102", f"{number} {what}: the checker's limit is {most}")


def at_least(least: Any, *sizes: Any) -> list[Relation]:
    """Demands that these are no less; what numbers meet is left out."""
    relations = [Relation(">=", plain(d), plain(least)) for d in sizes]
    return [r for r in relations if r.names or not r.holds({})]


def demand_values(*parts: Any) -> list[Relation]:
    """Demands that these have a value, also where a digit that is always 0 hides them."""
    table = dict.fromkeys(map(plain, parts))
    return [Relation("==", e, e) for e in table if any(not d.is_Number for d in divisors_of(e))]


def bits_of(dtype: str, element_bits: int = 0) -> int:
    """Bits of an element: its own, or the first number in the type's name; a pred takes a byte."""
    match = re.search(r"\d+", dtype)
    return element_bits or (int(match.group()) if match else 8)


def tile_map(shape: Any) -> Map:
    """An XLA shape: the sizes in physical order, cut by one tile after the other."""
    check_size(len(shape._dims), "dimensions")
    check_size(sum(map(len, shape._tiles)), "tile sizes")
    if shape.notes:
        raise LayoutError("SL106", f"{shape} was read leniently")
    if None in (bounds := [getattr(d, "_bound", d) for d in shape._dims]):
        raise LayoutError("SL402", f"a dimension of {shape} has no size")
    sizes, order = [plain(d) for d in bounds], list(reversed(shape.minor_to_major))
    widths = sizes if shape._padded is None else [plain(w) for w in shape._padded]
    tail, tiles = (
        plain(shape._tail_alignment),
        [t for tile in shape._tiles for t in tile if t != "*"],
    )
    demands = [*at_least(0, *sizes), *at_least(1, *tiles, tail)]
    demands += [r for d, w in zip(sizes, widths) if d != w for r in at_least(d, w)]
    coords = coordinate_symbols(len(order), names_in(*sizes, *widths, *map(plain, tiles), tail))
    d, x, pairs = [widths[k] for k in order], [coords[k] for k in order], list[tuple[Expr, Expr]]()
    for tile in shape._tiles:
        missing = max(0, len(tile) - len(d))
        d, x = [ONE] * missing + d, [ZERO] * missing + x
        first = len(d) - len(tile)
        blocks: list[tuple[Expr, Expr]] = []  # (which block, of how many)
        within: list[tuple[Expr, Expr]] = []  # (where in it, of how many)
        union: tuple[Expr, Expr] = (ZERO, ONE)  # `*` joins a dimension with the next one
        for t, a, n in zip(tile, x[first:], d[first:]):
            a, n = union[0] * n + a, union[1] * n
            union = (a, n) if t == "*" else (ZERO, ONE)
            if t != "*":
                blocks.append((FloorDiv(a, t), CeilDiv(n, t)))
                within.append((Mod(a, t), plain(t)))
                pairs.append((plain(t), n))
        x = [*x[:first], *[a for a, _ in blocks + within]]
        d = [*d[:first], *[n for _, n in blocks + within]]
    room, outer = list(widths), shape._tiles[0] if shape._tiles else ()
    for k, t in enumerate(reversed(outer)):  # from the most minor dimension on
        alone = t != "*" and (k + 1 == len(outer) or outer[-k - 2] != "*")
        if k < len(order) and alone:
            minor = shape.minor_to_major[k]
            room[minor] = CeilDiv(widths[minor], t) * t
    total = product(d)
    total = total if tail == 1 else CeilDiv(total, tail) * tail
    total *= some([d for d, w in zip(sizes, widths) if d != w])  # widths hold nothing of no element
    bits = bits_of(shape.dtype, shape.element_bits)
    results = Map(tuple(sizes), coords, number(x, d), total, bits, tuple(demands), tuple(pairs))
    return results._replace(room=tuple(room))


def buffer_size(start: Expr, modes: Sequence[tuple[Expr, Expr]]) -> Expr:
    """A buffer's size: 1 + the greatest offset - the least one where it is below 0, 0 when empty.

    >>> buffer_size(ZERO, [(Integer(3), Integer(-4)), (Integer(2), Integer(1))])
    10
    """
    most = sum(((n - 1) * Max(s, 0) for n, s in modes), start)
    least = sum(((n - 1) * Min(s, 0) for n, s in modes), start)
    return (1 + most - Min(least, 0)) * some([n for n, _ in modes])


def some(extents: Iterable[Expr]) -> Expr:
    """1 where there is an element, 0 where an extent is 0."""
    return product(Min(n, 1) for n in dict.fromkeys(extents) if not n.is_Number or n == 0)


def leaves(tree: Any) -> list[Expr]:
    """The numbers of a nested tuple, from left to right."""
    return [e for g in tree for e in leaves(g)] if isinstance(tree, tuple) else [plain(tree)]


def parts_of(layout: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    """The shape, the strides and the true sizes, as read or as the checker works them out."""
    own = "_" if hasattr(layout, "_stride") else ""
    shape, stride, origin = (getattr(layout, own + part) for part in ("shape", "stride", "origin"))
    return shape, stride, origin


def modes_of(layout: Any) -> tuple[Any, ...]:
    """The top-level modes of a shape; a bare number is one."""
    shape = parts_of(layout)[0]
    return shape if isinstance(shape, tuple) else (shape,)


def mode_map(layout: Any, colons: int | None = None) -> Map:
    """shape:stride: a coordinate is split among its modes, the leftmost one fastest.

    `colons` are those of its text: strides may be left out, and an origin shape; None: nothing is.
    """
    shape, strides, origin = parts_of(layout)
    values, steps = list(modes_of(layout)), leaves(strides)
    check_size(len(steps), "modes")
    if colons == 0:  # compact
        sizes = leaves(shape)
        steps = [product(sizes[:k]) for k in range(len(sizes))]
    with_origin = colons in (2, None)
    many = len(values) // len(origin) if with_origin and origin else 1
    groups: list[list[tuple[Expr, Expr]]] = []
    for k in range(0, len(values), many):
        own = leaves(tuple(values[k : k + many]))
        groups.append(list(zip(own, steps)))
        steps = steps[len(own) :]
    whole = [product(n for n, _ in modes) for modes in groups]
    shape = [plain(d) for d in origin] if with_origin else whole
    modes = [m for group in groups for m in group]
    within = demand_values(*[d for _, d in modes])
    demands = [*at_least(0, *[n for n, _ in modes]), *within]
    if with_origin:
        demands += at_least(0, *shape)
        demands += [r for d, w in zip(shape, whole) if d != w for r in at_least(d, w)]
    coords = coordinate_symbols(len(shape), names_in(*shape, *[e for m in modes for e in m]))
    raw = ZERO
    for c, group in zip(coords, groups):
        below = ONE
        for k, (n, stride) in enumerate(group):
            digit, n = FloorDiv(c, below), ONE if n == 0 else n
            raw += (digit if k == len(group) - 1 else Mod(digit, n)) * stride
            below = below * n
    size = buffer_size(ZERO, modes) * some([d for d, w in zip(shape, whole) if d != w])
    results = Map(tuple(shape), coords, raw, size, layout.bits, tuple(demands))
    return results._replace(room=tuple(whole), within=tuple(within))


def strides(layout: Any) -> Map:
    """Sizes, strides and a first offset."""
    check_size(len(layout._dims), "dimensions")
    shape, steps = (tuple(map(plain, t)) for t in (layout._dims, layout._strides))
    start = plain(layout._start)
    coords = coordinate_symbols(len(shape), names_in(*shape, *steps, start))
    raw = sum((c * s for c, s in zip(coords, steps)), start)
    size = buffer_size(start, list(zip(shape, steps)))
    within = tuple(demand_values(start, *steps))
    demands = (*at_least(0, *shape), *within)
    return Map(shape, coords, raw, size, bits_of(layout.dtype), demands, within=within)


def parts_map(parts: Drawn) -> Map:
    """A map by its parts."""
    raw, size, *shape = map(read_expression, (parts.offset, parts.size, *parts.shape))
    demands = (*at_least(0, *shape), *demand_values(size))
    return Map(tuple(shape), tuple(map(symbol, parts.coords)), raw, size, parts.bits, demands)


# -- named formats --------------------------------------------------------------------------------

ROWS, COLUMNS = "z", "n"  # small: the order inside a fractal; capital: the order of fractals
FRACTALS = {  # order, height, width of a fractal; None: as many as make 256 bits
    "zN": ("zN", 16, None),
    "nZ": ("nZ", None, 16),
    "zZ": ("zZ", 16, None),
    "nN": ("nN", None, 16),
    "L0C": ("zN", 16, 16),
    "Weight4BitnZ": ("nZ", 32, 16),
    "MxScalezZ": ("zZ", 16, 2),
    "MxScalenN": ("nN", 2, 16),
    "PaddingRowMajor": ("zZ", None, None),
    "PaddingColumnMajor": ("nN", None, None),
}
# names that have the order of the fractals first, by those that have it last
OUTSIDE_FIRST = {f"{big}{small}": f"{small}{big}" for big in "NZ" for small in "nz"}
OUTSIDE_FIRST |= {f"FRACTAL_{a}{b}": f"{b.lower()}{a}" for a, b in ("NZ", "ZN", "ZZ")}
INNERMOST_LAST = ("Vector", "VectorLayout", "NC1HWC0", "NDC1HWC0", "CI1KHKWCOCI0", "KDC1KHKWN1N0C0")
CPP_BITS = {"half": 16, "float": 32, "double": 64}  # of C++'s element types without a number
TYPED = re.compile(r"pred|[sufc]\d\w*|bf16|[a-z]+\d\w*_t")
ORDERS = ("RowMajor", "ColumnMajor", "Strided", *INNERMOST_LAST)


def format_map(text: str) -> Map:
    """A format by name: element (r, c) of a matrix in fractals, or a plain order of dimensions."""
    match = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", text)
    if match is None:
        raise LayoutError("SL106", f"{text} is not a format's name with its sizes")
    name, words = match[1], split_commas(match[2])
    name = OUTSIDE_FIRST.get(name, name)
    word = words[0].strip() if words else ""
    bits = CPP_BITS.get(word) or (bits_of(word) if TYPED.fullmatch(word) else None)
    words = words[bits is not None :]
    sizes = [read_expression(w, _static) for w in words]
    if name in FRACTALS and len(sizes) >= 2:
        return fractals(name, sizes, bits)
    if name in ("RowMajor", "ColumnMajor"):
        rows, cols, *pitch = sizes
        inner = [*pitch, cols if name[0] == "R" else rows][0]
        shape, steps = [rows, cols], [inner, ONE] if name[0] == "R" else [ONE, inner]
    elif name == "Strided":
        half = len(sizes) // 2
        shape, steps = sizes[:half], sizes[half:]
    elif name in INNERMOST_LAST:
        shape = sizes
        steps = [product(sizes[k + 1 :]) for k in range(len(sizes))]
    else:
        raise LayoutError("SL106", f"the format {name} has no definition here")
    coords = coordinate_symbols(len(shape), names_in(*shape, *steps))
    raw = sum((c * s for c, s in zip(coords, steps)), ZERO)
    size = buffer_size(ZERO, list(zip(shape, steps)))
    within = tuple(demand_values(*steps))
    demands = (*at_least(0, *shape), *within)
    return Map(tuple(shape), coords, raw, size, bits, demands, within=within)


def fractals(name: str, sizes: Sequence[Expr], bits: int | None) -> Map:
    """The fractal of an element, the place in it, and how many fractals there are, rounded up."""
    order, height, width = FRACTALS[name]
    rows, cols, *block = sizes
    short = plain(256 // (bits or 256))
    h, w = block or (plain(height or short), plain(width or short))
    i, j = coords = coordinate_symbols(2, names_in(*sizes))
    down, across = CeilDiv(rows, h), CeilDiv(cols, w)
    within = Mod(i, h) * w + Mod(j, w) if order[0] == ROWS else Mod(j, w) * h + Mod(i, h)
    which = FloorDiv(i, h) * across + FloorDiv(j, w)
    if order[1] == "N":
        which = FloorDiv(j, w) * down + FloorDiv(i, h)
    demands = (*at_least(0, rows, cols), *at_least(1, h, w))
    size = down * across * h * w
    results = Map((rows, cols), coords, which * (h * w) + within, size, bits, demands)
    return results._replace(room=(down * h, across * w))


def split_commas(text: str) -> list[str]:
    """The parts between commas that stand in no parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts if text.strip() else []


def _static(word: str) -> Expr:
    """`_8` is the number 8 in a layout."""
    return Integer(int(word[1:])) if re.fullmatch(r"_\d+", word) else symbol(word)
