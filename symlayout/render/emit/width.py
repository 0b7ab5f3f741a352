"""The shortest machine integers that are proved to hold every value that emitted code computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from symlayout.digits.assume import context_of
from symlayout.digits.context import Undecided
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.intervals import interval
from symlayout.expr.machine import INT, TYPES, Machine
from symlayout.expr.terms import put
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.decide import NoPlace, claim_facts, map_names
from symlayout.prove.maps.everywhere import never_below
from symlayout.prove.statement import Goal, Statement
from symlayout.render.emit.factoring import steps
from symlayout.render.emit.source import Source

WIDE = TYPES["int64"]


def width(s: Source, *formulas: Expr) -> tuple[Machine, str]:
    """The first of uint32, int32 and int64 that holds all values on the way to the formulas.

    A sentence says what is known of it.

    >>> from symlayout import IndexMap, sizes
    >>> from symlayout.render.emit.source import of_layout
    >>> made = IndexMap.row_major(sizes("M N"))
    >>> small = of_layout(made, made.formula, "offset", Facts.read(["M <= 4096", "N <= 4096"]))
    >>> print(width(small, made.formula)[1])
    every value is in [0, 2**32), proved for all coordinates in range where M <= 4096, N <= 4096
    >>> str(width(of_layout(made, made.formula, "offset", Facts()), made.formula)[0])
    'int64'

    Of int64 nothing is proved: a buffer that fits in memory has smaller offsets.
    """
    for machine in (TYPES["uint32"], INT):
        if s.layout is None:
            fits, points = fit_map(s, formulas, machine), "points of the map"
        else:
            fits, points = fit(s.layout, formulas, machine, s.facts), "coordinates in range"
        if fits:
            ends = "[0, 2**32)" if not machine.signed else "[-2**31, 2**31)"
            where = ", ".join(str(r) for r in s.facts.relations)
            comment = f"every value is in {ends}, proved for all {points}"
            return machine, comment + (f" where {where}" if where else "")
    return WIDE, ""


def fit_map(s: Source, formulas: Sequence[Expr], machine: Machine) -> bool:
    """Whether parameters, guard, definitions and formulas of a map are proved to be of the type.

    What is asked before the guard is proved without it.
    """
    if s.facts.names & {c.name for c in s.coords}:
        return False
    definitions = s.written
    anywhere = replace(s.f, _guard=None)
    before = [*s.parameters, *[v for e in s.sides for v in steps(e)]]
    inside = [v for e in (*[e for _, e in s.lets], *formulas) for v in steps(e)]
    pairs = [(anywhere, v) for v in before] + [(s.f, v) for v in inside]
    expansions = ((f, put(v, definitions)) for f, v in dict.fromkeys(pairs))
    return all(_stays(s, f, v, machine) for f, v in expansions)


def _stays(s: Source, f: IndexFunction, e: Expr, machine: Machine) -> bool:
    low, high = interval(e, s.ranges)
    goals = [(e, machine.low)] * (low < machine.low) + [(-e, -machine.high)] * (high > machine.high)
    return all(never_below(f, s.facts, goals))


def fit(layout: Any, formulas: Sequence[Expr], machine: Machine, facts: Facts) -> bool:
    """Whether the digits prove that every value on the way to the formulas is one of the type."""
    coords: tuple[Symbol, ...] = layout._coords
    if facts.names & {c.name for c in coords}:
        return False  # what a fact calls by that name is no coordinate
    values = dict.fromkeys(s for e in formulas for s in steps(e))
    ends = ((">=", machine.low), ("<=", machine.high))
    goals = [Goal(s, op, end) for s in values for op, end in ends]
    known = claim_facts(facts, layout)
    statement = Statement(map_names(layout), known, goals, coords=coords, shape=layout._shape)
    try:
        ctx = context_of(known, statement.known)
        return not ctx.contradiction and statement.in_digits(ctx).proved
    except (Undecided, NoPlace, LayoutError):
        return False
