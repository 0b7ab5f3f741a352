"""Operands of CuTe's operations, for the checker: layouts, tilers and sizes by their texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from symlayout.certificate.asking import Ask
from symlayout.certificate.definitions import FRACTALS, ONE, ORDERS, ZERO, check_size, plain
from symlayout.certificate.modes import Modes
from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner, read_expression
from symlayout.expr.relations import Relation
from symlayout.expr.tree import Expr
from symlayout.layouts.applied import tuple_value
from symlayout.layouts.doors.operations import begins
from symlayout.layouts.notation import notation_of, parse
from symlayout.layouts.reading import arguments_of

SWIZZLE = re.compile(r"\s*(?:Swizzle|Sw?)\s*[(<]\s*(\d+)\s*,\s*(\d+)\s*,\s*(-?\d+)\s*[)>]\s*")
KEEP = None  # `_`


class Bits(NamedTuple):
    """`Swizzle<B, M, S>`: bits above the lowest `base` are xored with those `shift` higher."""

    bits: int
    base: int
    shift: int


class Swizzled(NamedTuple):
    """A swizzle after an offset after a layout."""

    swizzle: Bits
    offset: Expr
    layout: Modes


Value = Modes | Swizzled


def bits_in(match: re.Match[str]) -> Bits:
    """The numbers of a swizzle; raises `LayoutError` for more bits than are written out."""
    numbers = [int(n) for n in match.group(1, 2, 3)]
    check_size(max(map(abs, numbers)), "bits of a swizzle")
    return Bits(*numbers)


def unknown(what: str) -> LayoutError:
    """The error for what the checker has no reading of."""
    return LayoutError("SL106", f"{what} has no definition in the checker")


def own_modes(text: str) -> Value:
    """A layout that is spelled by its modes, or has them by its notation."""
    kind, layout = notation_of(text).name, parse(text)
    if kind == "shape:stride" and text.count(":") == 1:
        return Modes(plain_tuple(layout._shape), plain_tuple(layout._stride))
    if kind == "swizzled" and text.count(":") == 1:
        s, inner = layout.swizzle, layout.layout
        swizzle = Bits(s.bits, s.base, s.shift)
        modes = Modes(plain_tuple(inner._shape), plain_tuple(inner._stride))
        return Swizzled(swizzle, plain(layout._offset), modes)
    if kind in ("strided", "memref") and layout._start == 0:
        return Modes(tuple(map(plain, layout._dims)), tuple(map(plain, layout._strides)))
    if (
        kind == "XLA"
        and not layout._tiles
        and layout._padded is None
        and layout._tail_alignment == 1
    ):
        return in_order(layout)
    raise unknown(text)


def in_order(shape: Any) -> Modes:
    """An XLA shape without tiles: the dimensions from the most minor one on."""
    if shape.notes or any(hasattr(d, "_bound") for d in shape._dims) or shape.element_bits:
        raise unknown(str(shape))
    sizes, steps, below = [plain(d) for d in shape._dims], [ZERO] * len(shape._dims), ONE
    for k in shape.minor_to_major:
        steps[k], below = below, below * sizes[k]
    return Modes(tuple(sizes), tuple(steps))


def plain_tuple(t: Any) -> Any:
    """A nested tuple of expressions."""
    return tuple(map(plain_tuple, t)) if isinstance(t, tuple) else plain(t)


def is_layout_text(text: str) -> bool:
    """Whether a text is a layout, and no size."""
    named = re.match(r"\s*([A-Za-z]\w*)\s*[(<\[]", text)
    head = named[1] if named else ""
    return ":" in text or begins(text) or head in (*FRACTALS, *ORDERS) or "[" in text


def sizes_of(text: str) -> Any:
    """Sizes, nested as they are written."""
    return plain_tuple(tuple_value(text, read_expression))


def is_tuple(t: Any) -> bool:
    """Whether a tiler is several, one for each mode."""
    return isinstance(t, tuple) and not isinstance(t, Modes)


def as_tile(t: Any, ask: Ask) -> Modes:
    """A layout; a size n is n:1."""
    if isinstance(t, Modes):
        return t
    ask.demand(Relation(">=", t, ONE))
    return Modes(t, ONE)


def as_tiles(t: Any, ask: Ask) -> Any:
    """The same with layouts for all sizes."""
    return (
        tuple(as_tiles(p, ask) for p in t) if is_tuple(t) else t if t is KEEP else as_tile(t, ask)
    )


def number(text: str) -> int:
    """A number."""
    if not re.fullmatch(r"\s*\d{1,9}\s*", text):
        raise unknown(f"the number {text}")
    return int(text)


def is_many(text: str) -> bool:
    """Whether a tiler is several in parentheses."""
    inner = text.strip()
    if not inner.startswith("("):
        return False
    return arguments_of(Scanner(inner), 1)[1] == len(inner)


def behind(x: Value, change: Callable[[Modes], Modes]) -> Value:
    """A change of coordinates; a swizzle stays behind it."""
    if isinstance(x, Swizzled):
        return x._replace(layout=change(x.layout))
    return change(x)


def alone(x: Value) -> Modes:
    """A layout without a swizzle."""
    if isinstance(x, Swizzled):
        raise unknown("a swizzled operand")
    return x
