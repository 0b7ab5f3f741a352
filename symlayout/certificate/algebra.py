"""CuTe's operations by their laws, for the checker: what the layout of an operation's text is.

Operands are read from their texts.  A swizzled layout keeps its swizzle behind what asks for other
coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.certificate.asking import Ask
from symlayout.certificate.definitions import ZERO, leaves, product
from symlayout.certificate.modes import (
    Modes,
    coalescing,
    complement,
    composite,
    cosize,
)
from symlayout.certificate.operands import (
    KEEP,
    SWIZZLE,
    Swizzled,
    Value,
    alone,
    as_tiles,
    behind,
    bits_in,
    is_layout_text,
    is_many,
    number,
    own_modes,
    sizes_of,
    unknown,
)
from symlayout.certificate.products import (
    divide,
    product_of,
)
from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner
from symlayout.expr.tree import expand
from symlayout.layouts.doors.algebra import OPTION
from symlayout.layouts.notation import notation_of, parse
from symlayout.layouts.reading import arguments_of

# -- operands -----------------------------------------------------------------------------------------


def operand(text: str, ask: Ask) -> Value:
    """A layout of an operation's text, which may be one of an operation."""
    if notation_of(text).name != "algebra":
        return own_modes(text)
    value = operation(parse(text), ask)
    if isinstance(value, Modes) and value.origin:
        raise unknown(f"an operation on the ragged {text}")
    return value


def tiler(text: str, ask: Ask) -> Any:
    """A layout, sizes, `_`, or several of these in parentheses."""
    inner = text.strip()
    if inner == "_":
        return KEEP
    if inner.startswith("("):
        spans, end = arguments_of(Scanner(inner), 1)
        if end == len(inner):
            parts = [inner[a:b] for a, b in spans]
            if len(parts) > 1 or any(":" in p for p in parts):
                return tuple(tiler(p, ask) for p in parts if p.strip())
    if not is_layout_text(inner):
        return sizes_of(inner)
    layout = operand(inner, ask)
    if isinstance(layout, Swizzled):
        raise unknown(f"the swizzled tiler {inner}")
    return layout


# -- the operations -----------------------------------------------------------------------------------

Texts = Sequence[str]


def composition(a: Texts, ask: Ask) -> Value:
    """First the second layout, then the first."""
    alone = SWIZZLE.fullmatch(a[0])
    inner = operand(a[1], ask) if alone or (is_layout_text(a[1]) and not is_many(a[1])) else None
    if alone:
        s = bits_in(alone)
        if isinstance(inner, Swizzled):
            from symlayout.certificate.recasting import one_swizzle

            return inner._replace(swizzle=one_swizzle(s, inner.swizzle))
        if inner is None:
            raise unknown(f"a swizzle after {a[1]}")
        return Swizzled(s, ZERO, inner)
    if isinstance(inner, Swizzled):
        raise unknown(f"a layout after {a[1]}")
    tile = as_tiles(tiler(a[1], ask) if inner is None else inner, ask)
    return behind(operand(a[0], ask), lambda m: composite(m, tile, ask))


def operation(layout: Any, ask: Ask) -> Value:
    """The layout of an operation; raises `LayoutError` where there is none, or it is not told."""
    texts: list[str] = []
    options: dict[str, str] = {}
    for text in layout.arguments:
        option = OPTION.fullmatch(text)
        if option is None:
            texts.append(text)
        else:
            options[option[1]] = option[2]
    try:
        value = _operation(layout.name, texts, options, ask)
    except LayoutError:
        raise
    except (IndexError, ValueError) as error:
        raise unknown(f"{layout} ({error})") from None
    if any(
        isinstance(m, Modes) and m.shape == () for m in (value, getattr(value, "layout", value))
    ):
        raise unknown(f"{layout} without modes")
    return value


def _operation(name: str, a: Texts, options: dict[str, str], ask: Ask) -> Value:
    form, _, kind = name.partition("_")
    weak = options.get("weak", a[2] if len(a) > 2 and name == "complement" else "False") == "True"

    def first() -> Value:
        return operand(a[0], ask)

    match name:
        case _ if kind == "divide":
            t = tiler(a[1], ask)
            return behind(first(), lambda m: divide(form, m, t, ask))
        case _ if kind == "product":
            t = tiler(a[1], ask)
            return behind(first(), lambda m: product_of(form, m, t, ask))
        case "composition":
            return composition(a, ask)
        case "coalesce":
            profile = sizes_of(a[1]) if len(a) > 1 else KEEP
            return behind(first(), lambda m: coalescing(m, profile, ask))
        case "complement":
            m = alone(first())
            bound = tiler(a[1], ask) if len(a) > 1 else cosize(m, ask)
            size = bound.size if isinstance(bound, Modes) else product(leaves(bound))
            return complement(m, expand(size), ask, weak)
        case "right_inverse" | "left_inverse" | "max_common_layout":
            from symlayout.certificate.inverses import common, left_inverse, right_inverse

            m = alone(first())
            if name == "max_common_layout":
                return common(m, alone(operand(a[1], ask)), ask)
            return right_inverse(m, ask) if name == "right_inverse" else left_inverse(m, ask, weak)
        case "upcast" | "downcast" | "recast":
            from symlayout.certificate.recasting import recast

            bits = [number(text) for text in a[1:3]]
            old, new = {"upcast": [1, *bits], "downcast": [*bits, 1]}.get(name, bits)
            return recast(first(), old, new, ask)
        case "filter" if len(a) > 1:
            raise unknown(name)
    from symlayout.certificate.rearranging import rearrangement

    return rearrangement(name, a, options, ask, operand)
