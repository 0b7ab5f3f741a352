"""The script of a claim about index functions: the moves that prove it, for its certificate."""

from __future__ import annotations

from typing import Any

from symlayout.digits.context import Undecided
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.notation import notation_of, parse
from symlayout.prove.maps.claims import WANTED, Plan, boxed, plan_of
from symlayout.prove.maps.pairs import (
    as_function,
    disjoint_plan,
    equal_plan,
    handwritten,
    inverse_plan,
)


def script_of(word: str, arguments: tuple[Any, ...], options: Any, facts: Facts) -> Any:
    """The moves as texts; None where the claim is not proved by them."""
    try:
        plan = planned(word, arguments, dict(options))
        return None if plan is None else plan.texts(facts)
    except (Undecided, LayoutError):
        return None


def planned(word: str, arguments: tuple[Any, ...], options: dict[str, str]) -> Plan | None:
    """What the claim asks to be proved; None for a claim that is not about index functions."""
    given = [parse(a) if isinstance(a, str) and notation_of(a).functions else a for a in arguments]
    by_hand = isinstance(given[0], IndexMap) and given[0].text == ""
    if not by_hand and not any(isinstance(g, IndexFunction) for g in given):
        return None
    f = as_function(given[0])
    if word in WANTED:
        return plan_of(word, boxed(f, given[1]) if len(given) > 1 else f)
    if word == "formula":
        return equal_plan(f, handwritten(f, str(given[1]), options.get("language")))
    makers = {"inverse": inverse_plan, "disjoint": disjoint_plan, "equal": equal_plan}
    return makers[word](f, as_function(given[1])) if word in makers else None
