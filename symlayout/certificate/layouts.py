"""The map of a layout's text, by the definition of its notation."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from symlayout.certificate.algebra import operand, operation
from symlayout.certificate.asking import Ask, Points
from symlayout.certificate.bits import bits, is_padded
from symlayout.certificate.definedness import Demands, Evaluation, defined
from symlayout.certificate.definitions import (
    FRACTALS,
    ORDERS,
    OUTSIDE_FIRST,
    ZERO,
    Law,
    Map,
    at_least,
    format_map,
    mode_map,
    names_in,
    parts_map,
    plain,
    strides,
    tile_map,
)
from symlayout.certificate.exact import Work
from symlayout.certificate.modes import Modes
from symlayout.certificate.operands import Swizzled
from symlayout.certificate.proof import Drawn
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation
from symlayout.expr.terms import (
    Operation,
    divisors_of,
    symbol,
)
from symlayout.expr.tree import Expr
from symlayout.layouts.maps.written import written_map
from symlayout.layouts.notation import notation_of, parse


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
        from symlayout.certificate.composites import quotient, tile_of

        return quotient(layout.name, inner, tile_of(layout.arguments[1]))
    value = operation(layout, ask)
    colons = 2 if isinstance(value, Modes) and value.origin else 1
    whole = swizzled(value, 1) if isinstance(value, Swizzled) else mode_map(value, colons)
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


def in_dimensions(layout: Any, points: Points) -> Map:
    """A broadcast in dimensions."""
    from symlayout.certificate.composites import broadcast

    return broadcast(layout, layout_map(str(layout.operand), points))


def by_steps(text: str, layout: Any) -> Map:
    """A tiled layout by literal steps."""
    from symlayout.certificate.composites import steps

    return steps(layout.steps_of)


def swizzled(layout: Any, colons: int | None = None) -> Map:
    """A layout with an exclusive or of bits."""
    from symlayout.certificate.swizzles import swizzle

    return swizzle(layout, colons)


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
    "swizzled": lambda text, layout: swizzled(layout),
    "strided": lambda text, layout: strides(layout),
    "protocol buffer": buffer_map,
    "C++": cpp,
    "pad_reshape_transpose": by_steps,
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
    "broadcast_in_dim": in_dimensions,
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
