"""Functions of layouts in claims, by the layouts' definitions: what they are, what they demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from symlayout.certificate.calls import Meant as Meant
from symlayout.certificate.definitions import (
    FRACTALS,
    ORDERS,
    ZERO,
    at_least,
    leaves,
    plain,
    product,
)
from symlayout.certificate.layouts import layout_map
from symlayout.errors import LayoutError
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, as_expr
from symlayout.expr.tree import Expr
from symlayout.layouts.applied import Call, shape_alone, tuple_value
from symlayout.layouts.notation import parse

Read = Callable[[str], Expr]


def value(m: Meant, call: Call, read: Read) -> Expr:
    """The value of a call; what it demands is added to what is meant."""
    if call.word == "crd2offset" and len(call.arguments) == 3:
        coord, shape, stride = (tuple_value(a, read) for a in call.arguments)
        m.demands += at_least(0, *leaves(shape))
        return placed(m, coord, shape, stride)
    if (sizes := shape_alone(call, read)) is not None:
        m.demands += at_least(0, *leaves(sizes))
        many = len(sizes) if isinstance(sizes, tuple) else 1
        deep = {"rank": many, "depth": nesting(sizes)}
        whole = product(map(plain, leaves(sizes)))
        return whole if call.word == "size" else plain(deep[call.word])
    text = call.arguments[call.layout]
    known = layout_map(text, m.points)
    m.demands += known.demands
    m.laws += (*known.laws, *known.defined)
    if call.word not in ("offset", "crd2offset"):
        return measure(call.word, text, known)
    arguments = call.arguments[1:] if call.word == "offset" else call.arguments[:1]
    coords = [tuple_value(a, read) for a in arguments]
    flat = not any(isinstance(c, tuple) for c in coords)
    if flat and len(coords) == len(known.shape):
        inside(m, coords, known.shape)
        return known.at(coords)
    coord = coords[0] if len(coords) == 1 else tuple(coords)
    head = re.match(r"\s*([A-Za-z_]*)", text)
    layout = parse(text)
    if hasattr(layout, "_stride") and not (head and head[1] in (*FRACTALS, *ORDERS)):
        return placed(m, coord, layout._shape, layout._stride)
    if isinstance(coord, tuple) and len(coord) == len(known.shape) and len(coords) == 1:
        inside(m, coord, known.shape)
        return known.at(coord)
    raise LayoutError("SL108", f"{call.word} has no definition for these coordinates")


def inside(m: Meant, place: Sequence[Any], shape: Sequence[Any]) -> None:
    for x, d in zip(place, shape, strict=True):
        m.demands += [*at_least(0, x), *at_least(x + 1, plain(d))]


def placed(m: Meant, coord: Any, shape: Any, stride: Any) -> Expr:
    """A tuple meets a tuple mode by mode; a number is split, the leftmost mode fastest."""
    if isinstance(coord, tuple):
        if not (isinstance(shape, tuple) and isinstance(stride, tuple)):
            raise LayoutError("SL108", "a tuple stands where the shape has a number")
        both = zip(coord, shape, stride, strict=True)
        return sum((placed(m, c, n, s) for c, n, s in both), ZERO)
    whole = product(plain(n) for n in leaves(shape))
    inside(m, [coord], [whole])
    return split(coord, shape, stride)


def measure(word: str, text: str, m: Any) -> Expr:
    head = re.match(r"\s*([A-Za-z_]*)", text)
    name = head[1] if head else ""
    layout = parse(text)
    modes = hasattr(layout, "_stride") and name not in (*FRACTALS, *ORDERS)
    match word:
        case "size" if name in FRACTALS:
            return as_expr(m.size)
        case "size":
            return product(map(plain, leaves(layout._shape))) if modes else product(m.shape)
        case "cosize":
            return as_expr(m.size)
        case "bytes":
            if m.bits is None:
                raise LayoutError("SL103", f"{text} has no element type")
            return CeilDiv(m.size * m.bits, 8)
        case "depth":
            if not hasattr(layout, "_stride"):
                raise LayoutError("SL107", f"{text} has no modes that nest")
            flat = name.startswith("Padding")
            return plain(nesting(layout._shape) if modes else 1 if flat else 2)
        case "rank" if modes:
            return plain(len(layout._shape) if isinstance(layout._shape, tuple) else 1)
        case "rank":
            return plain(4 if name.startswith("Padding") else len(m.shape))
        case _:
            return sum((Min(1, Max(0, d - 1)) for d in m.shape), ZERO)


def nesting(shape: Any) -> int:
    """0 for a number, 1 more than the deepest entry for a tuple."""
    return 1 + max(map(nesting, shape), default=0) if isinstance(shape, tuple) else 0


def split(x: Expr, shape: Any, stride: Any) -> Expr:
    """A number among the modes of a shape; the last mode takes the whole quotient that is left."""
    if not isinstance(shape, tuple):
        return x * plain(stride)
    total, below = ZERO, plain(1)
    for k, (n, s) in enumerate(zip(shape, stride, strict=True)):
        size = product(map(plain, leaves(n)))
        digit = FloorDiv(x, below)
        total += split(digit if k == len(shape) - 1 else Mod(digit, size), n, s)
        below = below * size
    return total
