"""`fits`: no value that the emitted formula computes on its way leaves integers of some width."""

from __future__ import annotations

from typing import Any

from sympy import Expr

from symlayout.digits.context import Context
from symlayout.digits.placement import Attempt, Goal
from symlayout.digits.simplification import coordinate_atoms
from symlayout.errors import LayoutError
from symlayout.expr.intermediates import intermediates
from symlayout.expr.terms import value
from symlayout.layouts.indexmap import row_major_coords
from symlayout.prove.decide import Problem, as_map, claim_facts, decide, map_names
from symlayout.prove.search import Arrays, Found, length
from symlayout.prove.verdict import Counterexample, Verdict, certified

WIDEST = 1024


@certified
def fits(a: Any, bits: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """Every intermediate value of the formula lies in `[-2**(bits-1), 2**(bits-1))`.

    The sizes and coordinates that the formula reads count as values.  A refutation shows the first
    value, in the order of computing, that leaves the range at the last coordinate.
    """
    m = as_map(a, "fits")
    width = read_bits(bits)
    facts = claim_facts(where, m)
    m = m.apart_from(facts.names)
    limit = 2 ** (width - 1)
    steps = intermediates(m.under(facts))

    def prove(ctx: Context) -> Attempt:
        env = coordinate_atoms(ctx, m.coords, m.shape)
        goals: list[Goal] = []
        largest = ""
        for step in steps:
            p = ctx.poly(step, env)
            for q in (p + limit, limit - 1 - p):
                if not ctx.nonneg(q):
                    largest = largest or f"{step} is not proved to fit {width} bits"
                    goals.append((ctx.resolve(q), ">="))
        if goals:
            return Attempt(False, largest, goals)
        return Attempt(True, f"all {len(steps)} values stay in [-2**{width - 1}, 2**{width - 1})")

    def search(chosen: Arrays) -> Found | None:
        count = length(chosen)
        for n in range(count):
            sizes = {k: int(c[n]) for k, c in chosen.items()}
            for coords in _corners([value(d, sizes) for d in m.shape]):
                if _first_outside(m.coords, steps, coords, sizes, limit) is not None:
                    return Found(sizes, coords)
        return None

    def replay(found: Found) -> Counterexample | None:
        outside = _first_outside(m.coords, steps, found.coords, found.sizes, limit)
        if outside is None:
            return None
        step, reached = outside
        note = f"at {found.coords} the value of {step} is {reached}, beyond {width} bits"
        return Counterexample(found.sizes, found.coords, reached, limit - 1, note=note)

    problem = Problem(map_names(m), facts, prove, search, replay, listed=False, demands=m.demanded)
    return decide(problem, budget)


def read_bits(given: Any) -> int:
    """A number of bits, at least 2."""
    try:
        made = int(str(given))
    except ValueError:
        raise LayoutError(
            "SL502", f"a width is a number of bits such as 32, not {given!r}"
        ) from None
    if not 2 <= made <= WIDEST:
        raise LayoutError("SL502", f"a width is from 2 to {WIDEST} bits, not {made}")
    return made


def _corners(shape: list[int]) -> list[tuple[int, ...]]:
    """The first and the last coordinate, where there is one."""
    if any(d < 1 for d in shape):
        return []
    last = 1
    for d in shape:
        last *= d
    return [tuple(int(c) for c in row_major_coords(n, shape)) for n in (0, last - 1)]


def _first_outside(
    symbols: tuple[Any, ...],
    steps: list[Expr],
    coords: tuple[int, ...],
    sizes: dict[str, int],
    limit: int,
) -> tuple[Expr, int] | None:
    """The first value that leaves [-limit, limit)."""
    env = {**sizes, **{s.name: c for s, c in zip(symbols, coords)}}
    for step in steps:
        reached = value(step, env)
        if not -limit <= reached < limit:
            return step, reached
    return None
