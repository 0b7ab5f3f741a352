"""Which arguments of a claim are index functions; of all others nothing more is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.expr.facts import Facts
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.notation import notation_of, parse
from symlayout.prove.run import Effort, Strategy

if TYPE_CHECKING:
    from symlayout.layouts.doors.family import Chain, Family
    from symlayout.layouts.maps.function import IndexFunction

LINEAR = ("linear", "Triton")  # notations of linear layouts


def index_function(layout: Any, plain: bool = False) -> IndexFunction | None:
    """The index function that is given, unless (but for `plain`) it is an index map."""
    if isinstance(layout, str):
        if not notation_of(layout).functions:
            return None
        layout = parse(layout)
    from symlayout.layouts.maps.function import IndexFunction

    if not isinstance(layout, IndexFunction) or (layout.plain and not plain):
        return None
    return layout


def families(*args: Any) -> tuple[Family | Chain, ...] | None:
    """Linear layouts of all sizes, where one of what is given is such; else None."""
    values = [parse(g) if isinstance(g, str) and notation_of(g).name in LINEAR else g for g in args]
    if all(isinstance(g, str) for g in values):
        return None
    from symlayout.layouts.doors.family import as_families

    return as_families(values)


def or_by_cases(word: str, layout: Any, facts: Facts, prove: Strategy) -> Strategy:
    """A proof of a layout that is a map's text by mixed radix, or else by cases."""
    by_cases = _by_cases(word, layout, facts)
    if by_cases is None:
        return prove

    def either(ctx: Context, effort: Effort) -> Attempt:
        try:
            attempt = prove(ctx, effort)
        except Undecided as why:
            attempt = Attempt(False, str(why))
        if attempt.proved:
            return attempt
        other = by_cases(ctx, effort)
        return other if other.proved else attempt

    return either


def in_general(word: str, layout: Any, facts: Facts) -> Strategy | None:
    """A proof of a layout that is a map's text by cases, with sizes for its numbers."""
    return _by_cases(word, layout, facts, general=True)


def _by_cases(word: str, layout: Any, facts: Facts, general: bool = False) -> Strategy | None:
    """A proof by cases; None for a layout that is not a map's text."""
    if isinstance(layout, str):
        if notation_of(layout).name != "map":
            return None
        layout = parse(layout)
    from symlayout.layouts.maps.function import IndexFunction, function_of

    if isinstance(layout, IndexMap) and layout.text == "":  # made by hand
        layout = function_of(layout)
    if not isinstance(layout, IndexFunction):
        return None
    from symlayout.prove.maps.claims import by_cases, plan_of

    return by_cases(lambda ones, meter: plan_of(word, layout, facts, meter, ones, general), facts)
