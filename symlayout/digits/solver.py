"""Z3 for what the digit engine leaves: the polynomials as they stand, with ranges and constraints."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from symlayout.digits.canonical import Places, in_order, terms_in_order
from symlayout.digits.context import Context
from symlayout.digits.poly import ONE, Poly, atom

RLIMIT = (
    400_000  # about 0.1 s; counts the solver's own steps, so an answer never depends on a clock
)
SMALL = 100_000  # a budget below it is spent on the first of the ways alone
LONGEST = 1500  # factors of what is asked: beyond it, the solver's first look alone takes seconds
DEFAULT: Mapping[str, Any] = MappingProxyType({"arith.solver": 6})
PORTFOLIO = (DEFAULT, {**DEFAULT, "arith.nl.grobner": False})
MOST_BITS = 6  # unknowns that are 0 or 1, which are taken apart


class Answer(NamedTuple):
    """What the solver says of `there is a point where the goal fails`."""

    status: str  # "proved", "model" or "unknown"
    model: dict[str, int]
    obligation: str = ""


def always(ctx: Context, goal: Poly, kind: str, budget: int | None = None) -> Answer:
    """Whether `goal >= 0`, `goal == 0` or `goal != 0` (the kind) holds at every allowed point."""
    from symlayout.text.solver import z3

    goal = ctx.resolve(goal)
    if _length(ctx, [goal]) > LONGEST:
        return Answer("unknown", {})
    ways = PORTFOLIO if (budget or RLIMIT) >= SMALL else PORTFOLIO[:1]
    own = z3.Context()  # of this question's own, so that no answer depends on what was asked before
    variables, facts = encode(ctx, [goal], own)
    value = _term(variables, goal, own)
    facts.append({">=": value < 0, "==": value != 0, "!=": value == 0}[kind])
    cases = _of_cases(ctx, variables, facts, own) if len(ways) > 1 else None
    limit = (budget or RLIMIT) // (len(ways) + bool(cases))
    text = ""
    for options in ways:
        solver = _solver(own, limit, options)
        solver.add(*facts)
        text = text or solver.to_smt2()
        result = solver.check()
        if result != z3.unknown:
            break
    if result == z3.unknown and cases:
        variables, facts = cases
        solver = _solver(own, limit, by_cases=True)
        solver.add(*facts)
        result = solver.check()
    if result == z3.unsat:
        return Answer("proved", {}, text)
    if result == z3.sat:
        return Answer("model", sizes_of(ctx, solver.model(), variables), text)
    return Answer("unknown", {}, text)


def _of_cases(
    ctx: Context, variables: dict[int, Any], facts: list[Any], own: Any
) -> tuple[dict[int, Any], list[Any]] | None:
    """The same with a conditional for each unknown that is 0 or 1; None where they are none or many."""
    from symlayout.text.solver import z3

    bits = [a for a in variables if ctx.atoms[a].low == 0 and ctx.high(a) == ONE]
    if not 0 < len(bits) <= MOST_BITS:
        return None
    one, zero = z3.IntVal(1, own), z3.IntVal(0, own)
    table = {a: z3.If(z3.Bool(f"b{k}", own), one, zero) for k, a in enumerate(bits)}
    pairs = [(variables[a], e) for a, e in table.items()]
    # a fact about numbers alone is true or false as it is
    cases = [z3.substitute(f, *pairs) if z3.is_expr(f) else f for f in facts]
    return {**variables, **table}, cases


def consistent(ctx: Context, budget: int | None = None) -> Answer:
    """Whether the constraints have a solution: "model" with one, "proved" when they have none."""
    from symlayout.text.solver import z3

    names = [Poly({(n,): 1}) for n in ctx.by_name.values()]
    if _length(ctx, names) > LONGEST:
        return Answer("unknown", {})
    solver = _solver(z3.Context(), budget or RLIMIT)
    variables, facts = encode(ctx, names, solver.ctx)
    solver.add(*facts)
    result = solver.check()
    if result == z3.unsat:
        return Answer("proved", {}, solver.to_smt2())
    if result == z3.sat:
        return Answer("model", sizes_of(ctx, solver.model(), variables))
    return Answer("unknown", {})


def _length(ctx: Context, goals: list[Poly]) -> int:
    return sum(ctx.resolve(p).length for p in (*goals, *ctx.constraints, *ctx.nonzero))


def _solver(
    own: Any, budget: int, options: Mapping[str, Any] = DEFAULT, by_cases: bool = False
) -> Any:
    """A solver in a context of Z3's, with so many steps to spend.

    Z3's own choice of tactics is left out: it looks at a clock, and at the memory that all contexts
    together hold, so that an answer would depend on what was asked before.  Bounds of products are
    not optimized: for `n*n` they grow until numbers fill the memory, and Z3 does not count that work.
    """
    from symlayout.text.solver import z3

    cases = "simplify", "cofactor-term-ite", "smt"
    solver = z3.Then(*cases, ctx=own).solver() if by_cases else z3.SimpleSolver(ctx=own)
    settings = {"rlimit": budget, "random_seed": 0, "arith.nl.optimize_bounds": False}
    for key, value in {**settings, **options}.items():
        solver.set(key, value)
    return solver


def encode(ctx: Context, goals: list[Poly], own: Any) -> tuple[dict[int, Any], list[Any]]:
    """Integer variables for the atoms that matter, and their ranges and constraints, in `own`."""
    from symlayout.text.solver import z3

    constraints = [ctx.resolve(c) for c in ctx.constraints]
    nonzero = [ctx.resolve(c) for c in ctx.nonzero]
    polys = (*[ctx.resolve(g) for g in goals], *constraints, *nonzero)
    needs = set[int]().union(*[p.atoms for p in polys])
    while True:
        grown = set(needs)
        for a in needs:
            bound = ctx.high(a)
            if bound is not None:
                grown |= bound.atoms
        if grown == needs:
            break
        needs = grown
    highs = {a: bound for a in needs if (bound := ctx.high(a)) is not None}
    statements = [(">=", c) for c in constraints] + [("!=", c) for c in nonzero]
    statements += [("high", bound - atom(a)) for a, bound in highs.items()]
    statements += [("goal", ctx.resolve(g)) for g in goals]
    order = in_order({a: ctx.atoms[a].low for a in needs}, statements)
    places = {a: k for k, a in enumerate(order)}
    variables = {a: z3.Int(f"x{k + 1}", own) for a, k in places.items()}
    facts = []
    for a in order:
        low = ctx.atoms[a].low
        if low is not None:
            facts.append(variables[a] >= low)
        if a in highs:
            facts.append(variables[a] <= _term(variables, highs[a], own))
    for p in _sorted(constraints, places):
        facts.append(_term(variables, p, own) >= 0)
    for p in _sorted(nonzero, places):
        facts.append(_term(variables, p, own) != 0)
    return variables, facts


def _sorted(polys: list[Poly], places: Places) -> list[Poly]:
    """The polynomials in an order that hangs on the places of their atoms alone."""
    return sorted(polys, key=lambda p: terms_in_order(p, places))


def _term(variables: dict[int, Any], p: Poly, own: Any) -> Any:
    from symlayout.text.solver import z3

    by_place = list(variables.values())
    places = {a: k for k, a in enumerate(variables)}
    parts = []
    for m, c in terms_in_order(p, places):
        factors = [by_place[k] for k in m]
        if c != 1 or not factors:
            factors.insert(0, z3.IntVal(c, own))
        parts.append(z3.Product(*factors) if len(factors) > 1 else factors[0])
    return z3.Sum(*parts) if len(parts) != 1 else parts[0]


def sizes_of(ctx: Context, model: Any, variables: dict[int, Any]) -> dict[str, int]:
    """The symbols' values in a solver's model."""
    env = {a: model.eval(v, model_completion=True).as_long() for a, v in variables.items()}
    values = {}
    for name, number in ctx.by_name.items():
        p = ctx.resolve(Poly({(number,): 1}))
        if ctx.atoms[number].kind == "size" and p.atoms <= set(env):
            values[name] = p.value(env)
    return values
