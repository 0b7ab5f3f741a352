"""Case by case: what the few values of bounded digits decide.

`x % m` depends on the remainders of x's symbols alone: with `N = m*n + r`, a polynomial of N differs
from the same polynomial of r by a multiple of m.  Where a context splits symbols in that way (see
`Context.residues`), a goal that is left has atoms of a few values each, and each case is looked at.
"""

from __future__ import annotations

from itertools import product
from math import prod

from symlayout.digits.context import Context
from symlayout.digits.division import LARGEST_MODULUS
from symlayout.digits.poly import Poly
from symlayout.digits.samples import by_dependence, definition, operation, value_of

MOST_CASES = 4096
MOST_FACTORS = 400_000  # of the polynomials of all cases together


def divides_by_small(ctx: Context, goals: list[tuple[Poly, str]]) -> bool:
    """Whether a goal speaks of a quotient by a small number, so that residues may settle it."""
    results = {a for p, _ in goals for a in ctx.resolve(p).atoms}
    definitions = [operation(ctx, a) for a in results]
    divisors = [ctx.resolve(d[2]) for d in definitions if d and d[0] == "//"]
    return any(d.is_constant and d.constant <= LARGEST_MODULUS for d in divisors)


def is_finer(ctx: Context, goals: list[tuple[Poly, str]]) -> bool:
    """Whether remainders may settle a goal, or differences: it speaks of several extremes."""
    atoms = [a for p, kind in goals if kind == "==" for a in ctx.resolve(p).atoms]
    extremes = sum(ctx.atoms[a].kind == "extreme" for a in dict.fromkeys(atoms))
    return extremes > 1 or divides_by_small(ctx, goals)


def holds_in_every_case(ctx: Context, p: Poly, kind: str) -> bool:
    """Whether `p kind 0` for all values of the atoms that have only a few, the others being any."""
    p = ctx.resolve(p)
    about = _closure(ctx, p)
    order = [a for a in by_dependence(ctx) if a in about]
    few = {a: n for a in order if not operation(ctx, a) and (n := _count(ctx, a)) is not None}
    while few and prod(few.values()) > MOST_CASES:
        del few[max(few, key=lambda a: (few[a], a))]
    known: set[int] = set(few)
    settlements = [a for a in order if operation(ctx, a) and _from(ctx, a, known)]
    if prod(few.values()) * (1 + p.length) > MOST_FACTORS or not few:
        return False
    lows = [ctx.atoms[a].low or 0 for a in few]
    facts = [q for q in _facts(ctx) if q[0].atoms <= known]
    for values in product(*[range(low, low + n) for low, n in zip(lows, few.values())]):
        case = dict(zip(few, values))
        for a in settlements:
            result = value_of(*definition(ctx, a), case)
            if result is None:
                return False
            case[a] = result
        if any(_false(q.value(case), op) for q, op in facts):
            continue
        if not _proved(ctx, p.substitute({a: Poly.of(v) for a, v in case.items()}), kind):
            return False
    return True


def _facts(ctx: Context) -> list[tuple[Poly, str]]:
    """What is known to be at least 0, or not to be 0."""
    natural = [(ctx.resolve(q), ">=") for q in ctx.constraints]
    return [*natural, *[(ctx.resolve(q), "!=") for q in ctx.nonzero]]


def _false(value: int, kind: str) -> bool:
    return value < 0 if kind == ">=" else value == 0


def _closure(ctx: Context, p: Poly) -> set[int]:
    """The atoms of p, and those that the definitions of these speak of."""
    hits: set[int] = set()
    pending = list(p.atoms)
    while pending:
        a = pending.pop()
        if a not in hits:
            hits.add(a)
            pending += [b for q in operation(ctx, a)[1:] for b in ctx.resolve(q).atoms]
    return hits


def _count(ctx: Context, a: int) -> int | None:
    """How many values an atom has, where that is a number."""
    low, high = ctx.atoms[a].low, ctx.high(a)
    if low is None or high is None or not high.is_constant:
        return None
    return max(0, high.constant - low + 1)


def _from(ctx: Context, a: int, known: set[int]) -> bool:
    """Whether an atom's value follows from known ones, which it then joins."""
    if any(not ctx.resolve(q).atoms <= known for q in operation(ctx, a)[1:]):
        return False
    known.add(a)
    return True


def _proved(ctx: Context, p: Poly, kind: str) -> bool:
    if kind == "==":
        return not p.terms
    if kind == ">=":
        return ctx.nonneg(p)
    return ctx.nonneg(p - 1) or ctx.nonneg(-p - 1)
