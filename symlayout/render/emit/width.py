"""The shortest machine integers that are proved to hold every value that emitted code computes."""

from __future__ import annotations

from typing import Any, NamedTuple

from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.machine import INT, TYPES, Machine
from symlayout.expr.tree import Expr, Symbol
from symlayout.prove.decide import NoPlace, claim_facts, map_names
from symlayout.prove.statement import Goal, Statement
from symlayout.render.emit.factoring import steps

WIDE = TYPES["int64"]


class Width(NamedTuple):
    """A machine type, and the sentence that says what is known of it."""

    machine: Machine
    comment: str

    @property
    def unsigned(self) -> bool:
        """Whether no value is negative."""
        return not self.machine.signed


def width(layout: Any, formula: Expr, facts: Facts, *more: Expr) -> Width:
    """The first of uint32, int32 and int64 that holds all values, those of `more` included.

    >>> from symlayout import IndexMap, sizes
    >>> made = IndexMap.row_major(sizes("M N"))
    >>> print(width(made, made.formula, Facts.read(["M <= 4096", "N <= 4096"])).comment)
    every value is in [0, 2**32), proved for all coordinates in range where M <= 4096, N <= 4096
    >>> str(width(made, made.formula, Facts()).machine)
    'int64'

    Of int64 nothing is proved: a buffer that fits in memory has smaller offsets.
    """
    for machine in (TYPES["uint32"], INT):
        if fit(layout, (formula, *more), machine, facts):
            ends = "[0, 2**32)" if not machine.signed else "[-2**31, 2**31)"
            where = ", ".join(str(r) for r in facts.relations)
            said = f"every value is in {ends}, proved for all coordinates in range"
            return Width(machine, said + (f" where {where}" if where else ""))
    return Width(WIDE, "")


def fit(layout: Any, formulas: tuple[Expr, ...], machine: Machine, facts: Facts) -> bool:
    """Whether the digits prove that every value on the way to the formulas is one of the type."""
    coords: tuple[Symbol, ...] = layout.coords
    if facts.names & {c.name for c in coords}:
        return False  # what a fact calls by that name is no coordinate
    values = dict.fromkeys(s for e in formulas for s in steps(e))
    goals = [Goal(s, op, end) for s in values for op, end in _ends(machine)]
    known = claim_facts(facts, layout)
    statement = Statement(map_names(layout), known, goals, coords=coords, shape=layout.shape)
    ctx = Context()
    try:
        assume(ctx, known, statement.known, {})
        return not ctx.contradiction and statement.in_digits(ctx).proved
    except (Undecided, NoPlace, LayoutError):
        return False


def _ends(machine: Machine) -> tuple[tuple[str, int], tuple[str, int]]:
    return (">=", machine.low), ("<=", machine.high)
