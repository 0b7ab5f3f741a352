"""The operations on arguments that are texts, as claims have them."""

from __future__ import annotations

import re
from typing import Any

from symlayout import tla
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.reader import Scanner
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.reader import read_inttuple
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.layouts.demands import Demand
from symlayout.layouts.doors.algebra import Algebra
from symlayout.layouts.functions import arguments_of
from symlayout.layouts.notation import parse
from symlayout.layouts.strided import Strided
from symlayout.tla.arguments import layout_of
from symlayout.tla.convert import to_tla

NUMBER = r"\s*(-?\d{1,9})\s*"
SWIZZLE = re.compile(rf"\s*(?:Swizzle|Sw?)\s*[(<]{NUMBER},{NUMBER},{NUMBER}[)>]\s*")
# what asks nothing of the sizes
PLAIN = (
    "flatten",
    "make_layout_like",
    "append",
    "prepend",
    "replace",
    "take",
    "select",
    "unflatten",
)


def applied(name: str, arguments: tuple[str, ...], facts: Facts) -> tuple[Any, tuple[Demand, ...]]:
    """The layout that an operation gives, and what its operands demand.

    >>> made, _ = applied("zipped_divide", ("(M,8):(8,1)", "(2,4)"), Facts.read("M % 2 == 0"))
    >>> print(made)
    ((2,4),(M//2,2)):((8,1),(16,4))

    Raises `LayoutError` for arguments that are no layouts or tilers, and what the operation raises.
    """
    first, *rest = arguments
    demands: list[Demand] = []  # the result may say nothing more of what they are about
    operands = [_layout(first, facts, demands), *[_tiler(t, facts, demands) for t in rest]]
    operation = getattr(tla, name)
    made = operation(*operands) if name in PLAIN else operation(*operands, where=facts)
    return made, tuple(demands)


def _layout(text: str, facts: Facts, demands: list[Demand]) -> Any:
    """A layout of any notation that says the same in `shape:stride`; its demands join the list."""
    alone = SWIZZLE.fullmatch(text)
    if alone is not None:
        return Swizzle(*[int(n) for n in alone.groups()])
    made: Any = parse(text)
    if isinstance(made, Algebra):
        made = made.under(facts)
        demands += made.demands
        made = made.layout
    if isinstance(made, (Layout, ComposedLayout)):
        demands += made.demands
        return made
    if isinstance(made, Strided):
        demands += made.demands
        return layout_of(made)
    if hasattr(made, "minor_to_major"):
        demands += made.index_map().demanded
        return to_tla(made, where=facts)
    raise LayoutError("SL107", f"{text} is no shape:stride")


def _tiler(text: str, facts: Facts, demands: list[Demand]) -> Any:
    """A layout, sizes, or several of them in parentheses."""
    inner = text.strip()
    if inner.startswith("("):
        spans, end = arguments_of(Scanner(inner), 1)
        if end == len(inner):
            parts = [inner[a:b] for a, b in spans]
            if any(re.search(r"[:A-Za-z]\w*\s*[(:]|:", p) for p in parts):
                return tuple(_tiler(p, facts, demands) for p in parts)
    if ":" in inner or re.match(r"[A-Za-z]\w*\s*\(", inner):
        return _layout(inner, facts, demands)
    return read_inttuple(inner)
