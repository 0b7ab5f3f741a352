"""Operators that are nothing but their row: an atom for each, of which the row's laws are known."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from symlayout.digits import bounds
from symlayout.digits.poly import Poly, atom
from symlayout.digits.state import Undecided
from symlayout.expr.facts import Relation
from symlayout.expr.lawtexts import arguments, laws_of
from symlayout.expr.operators import Operator
from symlayout.expr.ranges import Range
from symlayout.expr.tree import Symbol

if TYPE_CHECKING:
    from symlayout.digits.context import Context


def application(ctx: Context, row: Operator, *args: Poly) -> Poly:
    """The operator for these arguments; raises `Undecided` where it is not proved to have a value."""
    parts = tuple(map(ctx.resolve, args))
    if all(p.is_constant for p in parts):
        values = [p.constant for p in parts]
        if row.defined(*values):
            return Poly.of(row.at(*values))
    for k, p in enumerate(parts):
        if k in row.natural and not ctx.nonneg(p):
            raise Undecided(f"{ctx.text(p)} >= 0 is not proved, an argument of {row.op}")
        if k == row.divisor and not (ctx.positive(p) or ctx.nonneg(-p - 1)):
            raise Undecided(f"{ctx.text(p)} != 0 is not proved, an argument of {row.op}")

    def make() -> int:
        low, high = row.interval(*[bounds_of(ctx, p) for p in parts])
        number = ctx.new_atom(
            f"{row.op}({', '.join(map(ctx.text, parts))})",
            "operator",
            None if low == -inf else int(low),
            None if high == inf else Poly.of(int(high)),
            definition=(row.op, *parts),
        )
        env = dict(zip(map(Symbol, [*arguments(row), "r"]), [*parts, atom(number)]))
        for law in laws_of(row):
            if all(_holds(ctx, r, env) for r in law.premises):
                ctx.constraints += _sides(ctx, law.conclusion, env)
        return number

    return ctx.opaque((row.op, *parts), make)


def bounds_of(ctx: Context, p: Poly) -> Range:
    """Numbers between which a polynomial certainly is."""
    low, high = bounds.least(ctx, p), bounds.least(ctx, -p)
    return (-inf if low is None else low, inf if high is None else -high)


def _sides(ctx: Context, r: Relation, env: dict[Symbol, Poly]) -> list[Poly]:
    """What is not negative where the relation holds."""
    gap = ctx.poly(r.right, env) - ctx.poly(r.left, env)
    strict = int(r.op in ("<", ">"))
    sides = [gap - strict] if r.op in ("<", "<=", "==") else []
    return sides + ([-gap - strict] if r.op in (">", ">=", "==") else [])


def _holds(ctx: Context, r: Relation, env: dict[Symbol, Poly]) -> bool:
    return r.op != "!=" and all(map(ctx.nonneg, _sides(ctx, r, env)))
