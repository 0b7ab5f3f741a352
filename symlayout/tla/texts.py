"""The operations on arguments that are texts, as claims have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import signature
from typing import Any

from symlayout import tla
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.reader import FUNCTIONS, Scanner, read_expression
from symlayout.expr.terms import as_expr, as_size
from symlayout.layouts.applied import tuple_value
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Keep, Layout, int_
from symlayout.layouts.cute.reader import read_inttuple
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.layouts.demands import Demand, definedness, within
from symlayout.layouts.doors.algebra import OPTION, Algebra
from symlayout.layouts.doors.operations import FIRST, PAIR, begins
from symlayout.layouts.notation import parse
from symlayout.layouts.reading import arguments_of
from symlayout.layouts.strided import Strided
from symlayout.text.patterns import regex
from symlayout.tla.arguments import layout_of
from symlayout.tla.chain import Chain
from symlayout.tla.convert import to_tla
from symlayout.tla.known import Known

# what a stride of 0 makes something else of
ZEROS = ("filter", "filter_zeros", "nullspace")
SLICES = ("slice_", "slice_layout")
NUMBER = r"\s*(-?\d{1,9})\s*"
CALL = regex(r"\s*([A-Za-z]\w*)\s*[(<\[]", re.A)
SWIZZLE = regex(rf"\s*(?:Swizzle|Sw?)\s*[(<]{NUMBER},{NUMBER},{NUMBER}[)>]\s*")


def applied(name: str, arguments: tuple[str, ...], facts: Facts) -> tuple[Any, tuple[Demand, ...]]:
    """The layout that an operation gives, and what its operands demand.

    >>> made, _ = applied("zipped_divide", ("(M,8):(8,1)", "(2,4)"), Facts.read("M % 2 == 0"))
    >>> print(made)
    ((2,4),(M//2,2)):((8,1),(16,4))

    Raises `LayoutError` for arguments that are no layouts or tilers, and what the operation raises.
    """
    demands: list[Demand] = []  # the result may say nothing more of what they are about
    operands: list[Any] = []
    options: dict[str, Any] = {}
    for text in arguments:
        if (option := OPTION.fullmatch(text)) is not None:
            options[option[1]] = _option(option, facts, demands)
        elif operands or FIRST.get(name) == "sizes":
            operands.append(_tiler(text, facts, demands))
        elif FIRST.get(name) == "coordinate":
            operands.append(tuple_value(text, _place))
            numbers = (e for e in it.flatten((operands[-1],)) if not isinstance(e, Keep))
            demands += definedness("the coordinate", numbers)  # `dice` leaves them out
        else:
            operands.append(_layout(text, facts, demands))
    if name in SLICES:
        demands += _inside(operands[0], getattr(operands[1], "_shape", ()))
    if name == "domain_distribute":
        sizes = it.flatten(tuple(operands))
        demands += [Demand("the size", n, 1) for n in sizes if not isinstance(n, (int, Layout))]
    if name in ZEROS:
        _strides_known(name, operands[0], facts)
    operation = getattr(tla, name)
    if "where" in signature(operation).parameters:
        options["where"] = facts
    return operation(*operands, **options), tuple(demands)


def _strides_known(name: str, layout: Any, facts: Facts) -> None:
    """Raises `LayoutError` (SL801) for a stride that is 0 at some sizes, or may be."""
    plain = getattr(layout, "layout", layout)
    known = Known(facts)
    for d in it.flatten(plain._stride):
        if isinstance(d, int) or known.at_most(1, d) or known.at_most(d, -1):
            continue
        message = f"whether the stride {d} is 0, which {name} asks, is not told by the facts"
        raise LayoutError("SL801", message, help=f"add {d} >= 1", needs=(f"{d} >= 1",))


def _inside(coord: Any, shape: Any) -> Iterator[Demand]:
    """That each coordinate is one of its mode; numbers are looked at by the operation."""
    if isinstance(coord, tuple):
        parts = shape if isinstance(shape, tuple) else ()
        for c, n in zip(coord, parts):
            yield from _inside(c, n)
    elif not isinstance(coord, Keep):
        size = int_(it.product(shape))
        if not (isinstance(coord, int) and isinstance(size, int)):
            yield Demand("the coordinate", coord)
            yield from within("the extent", as_expr(coord) + 1, size)


def _place(text: str) -> Any:
    """A coordinate, or `_` for all of them."""
    return tla._ if text.strip() == "_" else as_size(read_expression(text))


def _option(option: re.Match[str], facts: Facts, demands: list[Demand]) -> Any:
    word, text = option.groups()
    if word != "weak":
        return _tiler(text, facts, demands)
    if text not in ("True", "False"):
        raise LayoutError("SL100", f"weak is True or False, not {text}")
    return text == "True"


def _layout(text: str, facts: Facts, demands: list[Demand]) -> Any:
    """A layout of any notation that says the same in `shape:stride`; its demands join the list."""
    if (alone := SWIZZLE.fullmatch(text)) is not None:
        return Swizzle(*[int(n) for n in alone.groups()])
    result: Any = parse(text)
    if isinstance(result, Algebra):
        result = result.under(facts)
        demands += result.demands
        result = result.layout
    if isinstance(result, (Layout, ComposedLayout, Chain)):
        demands += getattr(result, "demands", ())
        return result
    if isinstance(result, Strided):
        demands += result.demands
        return layout_of(result)
    if hasattr(result, "minor_to_major"):
        demands += result.index_map().demanded
        return to_tla(result, where=facts)
    raise LayoutError("SL107", f"{text} is not a shape:stride")


def _tiler(text: str, facts: Facts, demands: list[Demand]) -> Any:
    """A layout, sizes, or several of them in parentheses."""
    inner = text.strip()
    if inner.startswith("("):
        spans, end = arguments_of(Scanner(inner), 1)
        if end == len(inner):
            parts = [inner[a:b] for a, b in spans]
            if any(":" in p or _is_layout(p) for p in parts):
                return tuple(_tiler(p, facts, demands) for p in parts if p.strip())
    if _is_layout(inner):
        return _layout(inner, facts, demands)
    sizes = read_inttuple(inner)
    demands += definedness("the size", it.flatten((sizes,)))
    return sizes


def _is_layout(text: str) -> bool:
    """Whether a text is a layout: no size, and no function of sizes such as `ceildiv(M, 4)`."""
    call = CALL.match(text)
    named = call is not None and call[1] not in (*FUNCTIONS, "Int", "C")
    return PAIR.search(text) is not None or named or begins(text)
