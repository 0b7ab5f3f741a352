"""Layouts made of layouts, by their definitions: literal steps, and the place of a broadcast."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from symlayout.certificate.algebra import operand, operation
from symlayout.certificate.asking import Ask, Points
from symlayout.certificate.bits import bits, is_padded
from symlayout.certificate.definedness import Demands, Evaluation, defined
from symlayout.certificate.definitions import (
    FRACTALS,
    ONE,
    ORDERS,
    OUTSIDE_FIRST,
    ZERO,
    Law,
    Map,
    at_least,
    format_map,
    mode_map,
    names_in,
    number,
    parts_map,
    plain,
    product,
    strides,
    swizzle,
    tile_map,
)
from symlayout.certificate.exact import Work
from symlayout.certificate.modes import Modes, digits
from symlayout.certificate.operands import Swizzled
from symlayout.certificate.proof import Drawn
from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner, expression_at
from symlayout.expr.relations import Relation
from symlayout.expr.terms import (
    CeilDiv,
    FloorDiv,
    Mod,
    Operation,
    coordinate_symbols,
    divisors_of,
    symbol,
)
from symlayout.expr.tree import Expr, expand
from symlayout.layouts.maps.written import written_map
from symlayout.layouts.notation import notation_of, parse


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


def broadcast(layout: Any, points: Points) -> Map:
    """A broadcast in dimensions: the operand's own place, 0 where its size is 1."""
    inner = layout_map(str(layout.operand), points)
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


def buffer_map(text: str, layout: Any) -> Map:
    """An XLA shape, if it is one buffer."""
    if not hasattr(layout, "_tiles"):
        raise LayoutError("SL106", f"{text} is not a single buffer")
    return tile_map(layout)


def format_layout(text: str, layout: Any) -> Map:
    """A format by its own definition where there is one, and by its modes otherwise."""
    head = text.partition("(")[0].strip()
    return format_map(text) if head in (*FRACTALS, *ORDERS, *OUTSIDE_FIRST) else mode_map(layout)


def modes_layout(text: str, layout: Any) -> Map:
    """`shape:stride`, in which strides may be left out, and an origin shape."""
    return mode_map(layout, None if re.match(r"\s*[A-Za-z_]", text) else text.count(":"))


def function_map(text: str, layout: Any) -> Map:
    """An index function of arithmetic alone: each variable from 0 on, one result in a box."""
    rows, ranges = list(layout.variables), list[Expr]()
    if layout._guard is not None or layout._lets or len(layout._results) != 1 or not layout._box:
        raise LayoutError("SL106", f"{text} has no definition in the checker yet")
    coords = tuple(symbol(v.name) for v in rows)
    for v in rows:
        if v._low != 0 or not names_in(v._high).isdisjoint(c.name for c in coords):
            raise LayoutError("SL106", f"the range {v} has no definition in the checker yet")
        ranges.append(v._high)
    (raw,), (size,) = layout._results, layout._box
    if any(e.has(Operation) for e in (raw, size, *ranges)):
        raise LayoutError("SL106", f"{text} has bits or conditionals")
    evaluated = [Relation("==", size, size)] if divisors_of(size) else []
    demands = (*at_least(0, *ranges, size), *evaluated)
    box = tuple(zip(coords, ranges))
    laws = everywhere(Evaluation({}).whole(written_map(layout), box))
    return Map(tuple(ranges), coords, raw, size, None, demands, defined=laws)


def everywhere(demands: Demands) -> tuple[Law, ...]:
    """Demands without conditions as laws."""
    laws = list[Law]()
    for (case,) in demands:
        coords, shape = tuple(case.coords), tuple(d for _, d in case.box)
        laws += [Law(coords, shape, Relation(case.ops[0], e, ZERO)) for e in case.results]
    return tuple(laws)


DIVIDES = ("logical_divide", "zipped_divide", "tiled_divide", "flat_divide")


def algebra(layout: Any, points: Points) -> Map:
    """An operation of CuTe's algebra; a divide of what has no modes here is one of coordinates."""
    ask = Ask(points)
    if layout.name in DIVIDES and not has_modes(layout.arguments[0], points):
        inner = layout_map(layout.arguments[0], points)
        return quotient(layout.name, inner, tile_of(layout.arguments[1]))
    value = operation(layout, ask)
    colons = 2 if isinstance(value, Modes) and value.origin else 1
    whole = swizzle(value, 1) if isinstance(value, Swizzled) else mode_map(value, colons)
    # what an operation asks for is asked for without an element as well
    return whole._replace(demands=(*whole.demands, *ask.demands), laws=tuple(ask.laws), within=())


def has_modes(text: str, points: Points) -> bool:
    """Whether the checker knows the modes of a layout; a tiled one has none."""
    if notation_of(text).name == "algebra":
        inner = parse(text)
        return inner.name not in DIVIDES or has_modes(inner.arguments[0], points)
    try:
        operand(text, Ask(points))
    except LayoutError:
        return False
    return True


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


def along(text: str, layout: Any) -> Map:
    """A layout whose strides are steps along one coordinate alone."""
    if len(layout.parts) != 1:
        raise LayoutError("SL106", f"{text} has several coordinates")
    return mode_map(layout.parts[0][1])


def linear(text: str, layout: Any) -> Map:
    """A linear layout with one coordinate, or shared memory with padding."""
    if is_padded(layout):
        from symlayout.certificate.padded import padded_place

        row = padded_place(dict(layout.encoding.fields if layout.encoding else ()), layout.shape)
        coords, shape = zip(*row.box)
        return Map(shape, coords, row.offset, plain(row.size), None)
    results = bits(text)
    if results is None or len(results.sizes) != 1:
        raise LayoutError("SL106", f"{text} has several coordinates")
    (raw,), (size,) = results.results(), results.sizes
    coords, shape = zip(*results.box())
    return Map(shape, coords, raw, plain(size), None, tuple(at_least(0, size)))


# each notation's definition, apart from the index map that its reader's value has
def cpp(text: str, layout: Any) -> Map:
    """A layout in C++: of modes, or of an element type and the name of a format."""
    tag = OF_TAG.search(text) or TAGGED.search(text)
    if tag is None:
        return mode_map(layout)
    sizes = STATIC.sub(r"\1\2", tag[2].rpartition(")")[0])
    element = f"u{layout.bits}, " if layout.bits else ""
    return format_layout(f"{tag[1]}({element}{sizes})", layout)


# of `MakeLayout<half, layout::zN>(M, N)` the format's name, and its sizes
TAGGED = re.compile(r"MakeLayout\s*<[^<>]*?(\w+)\s*>\s*\((.*)", re.S)
OF_TAG = re.compile(
    r"(?<!\w)(?!(?:tla|cute|Catlass|AscendC|layout)\s*::)(\w+)\s*::\s*MakeLayout"
    r"\s*(?:<[^<>,]*>)?\s*\((.*)",
    re.S,
)
STATIC = re.compile(r"(?:\w+\s*::\s*)*\b(?:Int|C)\s*<\s*(\d+)\s*>\s*\{\s*\}|\b_(\d+)\b")
DEFINITIONS: dict[str, Callable[[str, Any], Map]] = {
    "XLA": buffer_map,
    "shape:stride": modes_layout,
    "format": format_layout,
    "swizzled": lambda text, layout: swizzle(layout),
    "strided": lambda text, layout: strides(layout),
    "protocol buffer": buffer_map,
    "C++": cpp,
    "pad_reshape_transpose": lambda text, layout: steps(layout.steps_of),
    "map": function_map,
    "memref": lambda text, layout: strides(layout),
    "affine map": function_map,
    "indexing map": function_map,
    "einops": function_map,
    "thread-value": function_map,
    "directions": along,
    "linear": linear,
    "Triton": linear,
}
# what is made of other layouts, which may be operations that sizes decide
OF_LAYOUTS: dict[str, Callable[[Any, Points], Map]] = {
    "algebra": algebra,
    "broadcast_in_dim": broadcast,
}


def layout_map(argument: Any, points: Points = ()) -> Map:
    """The map of a layout's text, or of its shape, coordinates, offset and size.

    The points decide what its operations are.

    >>> layout_map("f32[M,N]{1,0:T(8,128)}").size
    1024*ceildiv(M, 8)*ceildiv(N, 128)

    Raises `LayoutError` for a text that is not a layout.
    """
    return _layout_map(argument, points if "(" in str(argument) else ())


@lru_cache(maxsize=1000)
def _layout_map(argument: Any, points: Points) -> Map:
    if isinstance(argument, Drawn):
        m = parts_map(argument)
        demands = defined(tuple(zip(m.coords, m.shape)), [m.raw], Work())
        return m._replace(defined=everywhere(demands))
    layout, notation = parse(argument), notation_of(argument).name
    if notation in OF_LAYOUTS:
        return OF_LAYOUTS[notation](layout, points)
    if notation not in DEFINITIONS:
        raise LayoutError("SL106", f"the notation {notation!r} has no definition in the checker")
    return DEFINITIONS[notation](argument, layout)
