"""The claims about index functions that are no index maps: guards, several results, conditionals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sympy import Expr, Integer, Symbol

from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.errors import LayoutError
from symlayout.expr.conditions import rewritten
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import as_expr, rebuild, symbol
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.notation import notation_of, parse
from symlayout.prove.decide import Problem, decide
from symlayout.prove.maps import goals
from symlayout.prove.maps.cases import Case, World, evaluated
from symlayout.prove.maps.walk import UNDEFINED, Walk, searcher, undefined_at
from symlayout.prove.search import Found
from symlayout.prove.subject import Places
from symlayout.prove.verdict import Counterexample, Verdict

WEIGHT = 512  # what looking at one assignment costs, in points
UNCERTIFIED = "not certified: the checker has no steps for cases of a domain yet"


def index_function(given: Any, plain: bool = False) -> IndexFunction | None:
    """The index function that is given, unless (but for `plain`) it is an index map."""
    if isinstance(given, str) and notation_of(given).functions:
        given = parse(given)
    if not isinstance(given, IndexFunction) or (given.plain and not plain):
        return None
    return given


def boxed(f: IndexFunction, size: Any) -> IndexFunction:
    """The map with that size for its box; one of a single result."""
    if size is None:
        return f
    if len(f.results) != 1:
        raise LayoutError("SL403", f"{f} has several results: write their box behind them")
    made = read_expression(size) if isinstance(size, str) else as_expr(size)
    return replace(f, box=(made,))


def start(function: IndexFunction, owner: int = 0, mark: str = "") -> tuple[Case, list[Expr]]:
    """The whole domain as one case, and what has to be >= 0 of the sizes.

    Raises `Undecided` for a range that depends on a variable.
    """
    if not function.rectangular:
        raise Undecided("ranges that depend on other variables have no cases yet")
    coords = tuple(symbol(f"{mark}{v.name}") for v in function.variables)
    table: dict[Symbol, Expr] = {
        symbol(v.name): x + v.low for v, x in zip(function.variables, coords)
    }

    def put(e: Expr) -> Expr:
        return rebuild(e, lambda s: table.get(s, s))

    values = tuple(map(put, function.evaluated))
    guard = () if function.guard is None else (rewritten(function.guard, put),)
    ends = [e for v in function.variables for e in (v.low, v.high)]
    shape = tuple(v.high - v.low for v in function.variables)
    sizes = [*shape, *evaluated(*ends, *(function.box or ()))]
    return Case(coords, shape, (*evaluated(*values), *values), guard, owner), sizes


def world_of(facts: Facts, *functions: IndexFunction) -> World:
    """All points of the functions, at all sizes."""
    cases: list[Case] = []
    extents: list[Expr] = []
    for k, f in enumerate(functions):
        case, sizes = start(f, k, "$" * k)
        cases.append(case)
        extents += sizes
    names = dict.fromkeys([*[n for f in functions for n in f.names], *sorted(facts.names)])
    boxes = tuple(f.box if f.box is not None else (Integer(1),) * len(f.results) for f in functions)
    return World(facts, tuple(names), tuple(extents), boxes, tuple(cases))


def attempted(goal: goals.Goal, facts: Facts, *functions: IndexFunction) -> Attempt:
    """What the cases say."""
    proof = goals.Proof(goal)
    try:
        proof.of(world_of(facts, *functions))
    except Undecided as why:
        return Attempt(False, str(why))
    said = f"in {proof.cases} cases" if proof.cases != 1 else "in digits"
    return Attempt(True, f"{said}, each by mixed radix; {UNCERTIFIED}", details={"by": "parts"})


GOALS: Mapping[str, goals.Goal] = {
    "injective": goals.injective,
    "bounded": goals.bounded,
    "onto": goals.bijective,
    "bijective": goals.bijective,
}


def about_places(word: str, f: IndexFunction, where: Any, budget: int | None) -> Verdict:
    """`injective`, `bounded`, `onto` or `bijective`."""
    if f.box is None and word != "injective":
        message = f"{word} speaks of a box: write `in SIZE` or `in (M, N)` behind the result"
        raise LayoutError("SL403", message)
    facts = facts_of(where, f)
    walk = Walk(f)

    def test(sizes: dict[str, int], left: list[int]) -> Found | None:
        walk.independent(sizes)
        box = walk.sizes_of_box(sizes)
        seen: dict[tuple[int, ...], tuple[int, ...]] = {}
        failure: Found | None = None
        for point, place in walk.points(sizes, left):
            if failure is not None:
                continue  # what has no value is told first
            if word in ("bounded", "bijective") and not _inside(place, box):
                failure = Found(sizes, point, kind="outside")
            elif word in ("injective", "bijective") and place in seen:
                failure = Found(sizes, seen[place], point, "collision")
            seen.setdefault(place, point)
        if failure is None and word in ("onto", "bijective"):
            missing = _first_missing(box, seen, left)
            failure = None if missing is None else Found(sizes, missing, kind="gap")
        return failure

    def prove(ctx: Context) -> Attempt:
        if f.box is None and len(f.results) > 1:
            return Attempt(False, "several results are told apart by their box: write `in (M, N)`")
        return attempted(GOALS[word], facts, f)

    replay = partial(_replayed, f)
    return decided_by(facts, prove, test, replay, budget, f, word=word)


def facts_of(where: Any, *functions: IndexFunction) -> Facts:
    """The facts, which speak of sizes alone."""
    facts = Facts.read(where)
    for f in functions:
        own = {v.name for v in f.variables} | {n for n, _ in f.lets}
        if own & facts.names:
            name = min(own & facts.names)
            raise LayoutError("SL301", f"the facts speak of {name!r}, a name inside of {f}")
    return facts


def decided_by(
    facts: Facts,
    prove: Callable[[Context], Attempt],
    test: Any,
    replay: Callable[[Found], Counterexample | None],
    budget: int | None,
    *functions: IndexFunction,
    word: str = "",
) -> Verdict:
    """The verdict by the cases, and by a search from point to point."""
    names = tuple(dict.fromkeys(n for f in functions for n in f.names))
    about = Places(word, functions)
    problem = Problem(names, facts, prove, searcher(test), replay, weight=WEIGHT, about=about)
    return decide(problem, budget)


def _inside(place: tuple[int, ...], box: tuple[int, ...]) -> bool:
    return all(0 <= x < d for x, d in zip(place, box))


def _first_missing(box: tuple[int, ...], seen: Any, left: list[int]) -> tuple[int, ...] | None:
    """The first place of the box that is none of those."""
    from itertools import product

    for place in product(*map(range, box)):
        left[0] -= 1
        if place not in seen:
            return place
    return None


def _shown(place: tuple[int, ...]) -> str:
    return str(place[0]) if len(place) == 1 else str(place)


def _replayed(f: IndexFunction, found: Found) -> Counterexample | None:
    """The failure, by the map's own definition in plain integers."""
    sizes = found.sizes
    if found.kind == UNDEFINED:
        note = undefined_at(f, found.coords, sizes)
        return Counterexample(sizes, found.coords, "undefined", None, note=note) if note else None
    if found.kind == "gap":
        if any(f.at(p, sizes) == found.coords for p in f.points(sizes)):
            return None
        note = f"no point of the domain has the result {_shown(found.coords)}"
        return Counterexample(sizes, (), _shown(found.coords), None, note=note)
    if found.kind not in ("collision", "outside"):
        return None
    here = f.at(found.coords, sizes)
    if found.kind == "collision":
        if found.other is None or found.other == found.coords or f.at(found.other, sizes) != here:
            return None
        note = f"{found.coords} and {found.other} both have the result {_shown(here)}"
        return Counterexample(sizes, found.coords, _shown(here), _shown(here), found.other, note)
    walk = Walk(f)
    box = walk.sizes_of_box(sizes)
    if _inside(here, box):
        return None
    note = f"at {found.coords} the result is {_shown(here)}, outside of the box {_shown(box)}"
    return Counterexample(sizes, found.coords, _shown(here), _shown(box), note=note)
