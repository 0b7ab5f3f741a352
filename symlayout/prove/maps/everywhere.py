"""What is true of values at every point of a map, in digits and without cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symlayout.digits.bounds import Meter, nonneg_in_steps
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Condition, Less, conjuncts
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Operation
from symlayout.expr.tree import Expr
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.decide import polynomials
from symlayout.prove.maps.cases import Impossible, World, inside
from symlayout.prove.maps.claims import world_of
from symlayout.prove.maps.roots import root_of


def never_below(f: IndexFunction, facts: Facts, goals: Sequence[tuple[Expr, int]]) -> list[bool]:
    """Which expressions are proved to be at least a number wherever the map has a point.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> from symlayout.expr.reader import read_expression
    >>> first = read_expression("M - pid//(G*N)*G")
    >>> never_below(read_map("map pid < M*N if G <= M: pid"), Facts(), [(first, 1), (first, 2)])
    [True, False]
    """
    return [_never_below(f, facts, e, low) for e, low in goals]


def _never_below(f: IndexFunction, facts: Facts, e: Expr, low: int) -> bool:
    one = IndexFunction(f.variables, (e - low,), None, f._guard)
    try:
        world = world_of(facts, (one,), (root_of(one),), Meter())
        if bitwise(*world.roots[0].results):
            return False
        ctx, (p,) = values_in(world, world.roots[0].results)
        return ctx.nonneg(p) or (bool(ctx.constraints) and nonneg_in_steps(ctx, p))
    except (Undecided, Impossible, LayoutError):
        return False


def values_in(world: World, exprs: Sequence[Expr]) -> tuple[Context, list[Poly]]:
    """Values at every point of the one case, in a context that knows what its guard compares."""
    (case,) = world.roots
    ctx = world.context()
    env = inside(ctx, case.coords, case.shape)
    conditions = [c for c in comparisons(case.guard) if not bitwise(c.left, c.right)]
    sides = [e for c in conditions for e in (c.right, c.left)]
    polys = polynomials(ctx, [(e, env) for e in [*sides, *exprs]])
    for _ in conditions:
        ctx.constraints.append(ctx.resolve(polys.pop(0) - polys.pop(0) - 1))
    return ctx, polys


def comparisons(path: Iterable[Condition]) -> list[Less]:
    """The comparisons that are true wherever all of the conditions are."""
    return [c for c in conjuncts(*path) if isinstance(c, Less)]


def bitwise(*parts: Expr) -> bool:
    """Whether bits or conditionals occur."""
    return any(e.has(Operation) for e in parts)
