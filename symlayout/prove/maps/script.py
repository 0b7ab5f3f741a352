"""The script of a claim about index functions: the moves that prove it, for its certificate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from symlayout.digits.bounds import Meter
from symlayout.digits.context import Undecided
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.notation import notation_of, parse
from symlayout.prove.fewer import left_out, without_facts
from symlayout.prove.maps.claims import (
    WANTED,
    Plan,
    plan_of,
    where_empty,
    with_box,
    with_values,
)
from symlayout.prove.maps.pairs import (
    as_function,
    disjoint_plan,
    equal_plan,
    handwritten,
    inverse_plan,
)


def scripts_of(
    word: str, arguments: tuple[Any, ...], options: Any, facts: Facts
) -> Iterator[list[list[str]]]:
    """The moves as texts, by all facts or by fewer; none where the claim is not proved by them."""
    meter = Meter()
    every = frozenset[int]()
    for general, without in (
        (False, every),
        (True, every),
        *[(False, w) for w in left_out(facts, meter)],
    ):
        with suppress(Undecided, LayoutError):
            fewer = without_facts(facts, without)
            plan = proof_plan(word, arguments, dict(options), fewer, meter, general)
            if plan is None:
                return
            plan = replace(plan, without=tuple(sorted(without)))
            try:
                texts = plan.texts(facts, meter)
            except Undecided:
                valued = with_values(plan, without_facts(facts, without))
                if valued is None:
                    raise
                texts = valued.texts(facts, meter)
            yield texts


def proof_plan(
    word: str,
    arguments: tuple[Any, ...],
    options: dict[str, str],
    facts: Facts,
    meter: Meter,
    general: bool = False,
) -> Plan | None:
    """What the claim asks to be proved; None for a claim that is not about index functions."""
    values = [parse(a) if isinstance(a, str) and notation_of(a).functions else a for a in arguments]
    by_hand = isinstance(values[0], IndexMap) and values[0].text == ""
    if not by_hand and not any(isinstance(g, IndexFunction) for g in values):
        return None
    f = where_empty(as_function(values[0]), facts)
    if word in WANTED:
        boxed = with_box(f, values[1]) if len(values) > 1 else f
        return plan_of(word, boxed, facts, meter, general=general)
    if word == "formula":
        other = handwritten(f, str(values[1]), options.get("language"))
        return replace(equal_plan(f, other), general=general)
    makers = {"inverse": inverse_plan, "disjoint": disjoint_plan, "equal": equal_plan}
    if word not in makers:
        return None
    plan = makers[word](f, where_empty(as_function(values[1]), facts))
    return replace(plan, general=general)
