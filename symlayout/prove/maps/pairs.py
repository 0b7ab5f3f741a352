"""`inverse` and `disjoint`: two index functions that undo each other, or never meet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less, rewritten
from symlayout.expr.terms import rebuild, symbol
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction, function_of
from symlayout.layouts.maps.reader import read_map
from symlayout.layouts.notation import notation_of, parse
from symlayout.prove.maps.bits import arithmetic
from symlayout.prove.maps.blocks import about_families
from symlayout.prove.maps.cases import Case, divisor_remainders
from symlayout.prove.maps.claims import (
    Plan,
    by_rank,
    decided_by,
    extents_of,
    facts_of,
    families,
    root_of,
    variables_of,
)
from symlayout.prove.maps.ranks import difference, meeting, there_and_back
from symlayout.prove.maps.walk import UNDEFINED, Walk, undefined_at
from symlayout.prove.search import Found
from symlayout.prove.verdict import Counterexample, Verdict, certified


def _both(word: str, *given: Any) -> list[IndexFunction]:
    results = []
    for g in given:
        if isinstance(g, str) and notation_of(g).functions:
            g = parse(g)
        if not isinstance(g, IndexFunction):
            raise LayoutError("SL502", f"{word} speaks of maps such as `map i < N: i in N`")
        results.append(g)
    return results


@certified
def inverse(f: Any, g: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """G(F(x)) = x on all of F's domain, F(G(y)) = y on all of G's; each lands in the other's domain."""
    made = families(f, g)
    if made is not None:
        return about_families("inverse", made, where, budget)
    a, b = _both("inverse", f, g)
    for x, y in ((a, b), (b, a)):
        if len(x.results) != len(y.variables):
            message = f"{len(x.results)} results of one map for {len(y.variables)} variables"
            raise LayoutError("SL403", f"{message} of the other")
    facts = facts_of(where, a, b)
    ways = ((a, b, Walk(a), Walk(b)), (b, a, Walk(b), Walk(a)))

    def prove(ctx: Context) -> Attempt:
        try:
            return inverse_plan(a, b).attempt(facts)
        except Undecided as why:
            return Attempt(False, str(why))

    def test(sizes: dict[str, int], left: list[int]) -> Found | None:
        for _, _, walk, _ in ways:
            walk.independent(sizes)
            walk.sizes_of_box(sizes)
        images = [dict(walk.points(sizes, left)) for _, _, walk, _ in ways]
        for k, (ours, theirs) in enumerate((images, images[::-1])):
            for point, place in ours.items():
                if theirs.get(place) != point:
                    return Found(sizes, point, kind="FG"[k])
        return None

    def replay(hit: Found) -> Counterexample | None:
        sizes = hit.sizes
        if hit.kind == UNDEFINED:
            return _undefinedness(hit, a, b)
        if hit.kind not in ("F", "G"):
            return None
        x, y = (a, b) if hit.kind == "F" else (b, a)
        there = x.at(hit.coords, sizes)
        if not y.has(there, sizes):
            note = f"{hit.coords} goes to {there}, which is not in the other map's domain"
            return Counterexample(sizes, hit.coords, str(there), None, note=note)
        back = y.at(there, sizes)
        if back == hit.coords:
            return None
        note = f"{hit.coords} goes to {there}, and that to {back}"
        return Counterexample(sizes, hit.coords, str(back), str(hit.coords), note=note)

    linear = there_and_back(a, b)
    if linear is not None:
        text = "their product is the identity over F2, both ways"
        return by_rank(facts, linear, text, replay, budget, a, b, word="inverse")
    return decided_by(facts, prove, test, replay, budget, a, b, word="inverse")


def _undefinedness(hit: Found, *functions: IndexFunction) -> Counterexample | None:
    for f in functions:
        note = undefined_at(f, hit.coords, hit.sizes)
        if note:
            return Counterexample(hit.sizes, hit.coords, "undefined", None, note=note)
    return None


def inverse_plan(a: IndexFunction, b: IndexFunction) -> Plan:
    """There and back again is where it began, both ways, and each lands in the other's domain."""
    ways = composition(a, b), composition(b, a)
    return Plan((a, b), (*extents_of(a), *extents_of(b), *ways))


def composition(x: IndexFunction, y: IndexFunction) -> Case:
    """x, and then y: results less x's variables are 0, what puts x's results in y's domain is >= 0."""
    root = root_of(x)
    landed, inside, steps = landing(root, y)
    back = [e - own for own, e in zip(variables_of(x).values(), landed)]
    return replace(
        root,
        results=(*back, *inside),
        evaluated=(*root.evaluated, *root.results, *steps),
        ops=("==",) * len(back) + (">=",) * len(inside),
    )


def landing(root: Case, y: IndexFunction) -> tuple[list[Expr], list[Expr], list[Expr]]:
    """y where a root's results are its variables: results, what has to be >= 0, what is evaluated."""
    put: dict[Symbol, Expr] = {symbol(v.name): e for v, e in zip(y.variables, root.results)}

    def change(e: Expr) -> Expr:
        return arithmetic(rebuild(e, lambda s: put.get(s, s)))

    inside, ends = list[Expr](), list[Expr]()
    for v, e in zip(y.variables, root.results):
        low, high = change(v.low), change(v.high)
        ends += [low, high]
        inside += [e - low, high - 1 - e]
    for c in _union(y.guard):
        condition = rewritten(c, change)
        assert isinstance(condition, Less)
        ends += [condition.left, condition.right]
        inside.append(condition.right - condition.left - 1)
    values = list(map(change, y.evaluated))
    many = len(y.results)
    steps = [*divisor_remainders(*ends, *values), *ends, *values]
    return values[len(values) - many :], inside, steps


def _union(guard: Condition | None) -> list[Less]:
    if guard is None:
        return []
    if isinstance(guard, Less):
        return [guard]
    if isinstance(guard, Both):
        return [*_union(guard.first), *_union(guard.second)]
    raise Undecided("a guard with `or` in it, of a map that has to be the inverse")


@certified
def disjoint(f: Any, g: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """No place is reached by both."""
    made = families(f, g)
    if made is not None:
        return about_families("disjoint", made, where, budget)
    a, b = _both("disjoint", f, g)
    if len(a.results) != len(b.results):
        raise LayoutError("SL403", f"{len(a.results)} and {len(b.results)} results")
    facts = facts_of(where, a, b)
    walks = Walk(a), Walk(b)

    def test(sizes: dict[str, int], left: list[int]) -> Found | None:
        for walk in walks:
            walk.independent(sizes)
            walk.sizes_of_box(sizes)
        ours = {place: point for point, place in reversed(list(walks[0].points(sizes, left)))}
        theirs = [(place, point) for point, place in walks[1].points(sizes, left)]
        for place, point in theirs:
            if place in ours:
                return Found(sizes, ours[place], point, "meeting")
        return None

    def replay(hit: Found) -> Counterexample | None:
        if hit.kind == UNDEFINED:
            return _undefinedness(hit, a, b)
        if hit.kind != "meeting" or hit.other is None:
            return None
        here, there = a.at(hit.coords, hit.sizes), b.at(hit.other, hit.sizes)
        if here != there:
            return None
        text = str(here[0]) if len(here) == 1 else str(here)
        note = f"{hit.coords} of the one and {hit.other} of the other both reach {text}"
        return Counterexample(hit.sizes, hit.coords, text, text, hit.other, note)

    linear = meeting(a, b)
    if linear is not None:
        return by_rank(facts, linear, "linear layouts", replay, budget, a, b, word="disjoint")
    plan = disjoint_plan(a, b)

    def prove(ctx: Context) -> Attempt:
        return plan.attempt(facts)

    return decided_by(facts, prove, test, replay, budget, a, b, word="disjoint")


def disjoint_plan(a: IndexFunction, b: IndexFunction) -> Plan:
    """No place of the one is a place of the other."""
    roots = (*extents_of(a), *extents_of(b), root_of(a, 0), root_of(b, 1))
    return Plan((a, b), roots, apart=((0, 1),))


# -- equal -----------------------------------------------------------------------------------------


def as_function(given: Any) -> IndexFunction:
    """An index function, or a layout as one."""
    if isinstance(given, str):
        given = parse(given)
    if isinstance(given, IndexFunction):
        return given
    return function_of(given if isinstance(given, IndexMap) else given.index_map())


def equal_plan(a: IndexFunction, b: IndexFunction) -> Plan:
    """Both have the same points, and the same results at each of them."""
    one, other = points_of(a, b), points_of(b, a)
    _, landed, inside, steps = one
    root = root_of(a)
    same = [x - y for x, y in zip(root.results, landed)]
    forth = replace(
        root,
        results=(*same, *inside),
        evaluated=(*root.evaluated, *root.results, *steps),
        ops=("==",) * len(same) + (">=",) * len(inside),
    )
    root, _, inside, steps = other
    back = replace(
        root,
        results=tuple(inside),
        evaluated=(*root.evaluated, *root.results, *steps),
        ops=(">=",) * len(inside),
    )
    return Plan((a, b), (*extents_of(a), *extents_of(b), forth, back))


def points_of(a: IndexFunction, b: IndexFunction) -> tuple[Case, Any, Any, Any]:
    """The points of one function as those of the other: see `landing`."""
    root = root_of(a)
    at = replace(root, results=tuple(variables_of(a).values()))
    return root, *landing(at, b)


def equal_functions(a: IndexFunction, b: IndexFunction, where: Any, budget: int | None) -> Verdict:
    """Same points, and the same results at each."""
    for x, y, what in ((a.variables, b.variables, "variables"), (a.results, b.results, "results")):
        if len(x) != len(y):
            raise LayoutError("SL403", f"{len(x)} {what} of one map against {len(y)} of the other")
    facts = facts_of(where, a, b)
    walks = Walk(a), Walk(b)

    def prove(ctx: Context) -> Attempt:
        try:
            return equal_plan(a, b).attempt(facts)
        except Undecided as why:
            return Attempt(False, str(why))

    def test(sizes: dict[str, int], left: list[int]) -> Found | None:
        for walk in walks:
            walk.independent(sizes)
            walk.sizes_of_box(sizes)
        ours, theirs = (dict(walk.points(sizes, left)) for walk in walks)
        for point in sorted({*ours, *theirs}):
            if ours.get(point) != theirs.get(point):
                return Found(sizes, point, kind="differ")
        return None

    def replay(hit: Found) -> Counterexample | None:
        if hit.kind == UNDEFINED:
            return _undefinedness(hit, a, b)
        if hit.kind != "differ":
            return None
        point, sizes = hit.coords, hit.sizes
        here = [f.at(point, sizes) if f.has(point, sizes) else None for f in (a, b)]
        if here[0] == here[1]:
            return None
        if None in here:
            note = f"{point} is in the domain of one of them alone"
            return Counterexample(sizes, point, None, None, note=note)
        left, right = (str(h[0]) if h and len(h) == 1 else str(h) for h in here)
        note = f"at {point} the results are {left} and {right}"
        return Counterexample(sizes, point, left, right, note=note)

    linear = difference(a, b)
    if linear is not None:
        text = "each bit has the same vector"
        return by_rank(facts, linear, text, replay, budget, a, b, word="equal")
    return decided_by(facts, prove, test, replay, budget, a, b, word="equal")


def handwritten(f: IndexFunction, text: str, language: str | None) -> IndexFunction:
    """The function with a hand-written expression for its results."""
    domain = ", ".join(map(str, f.variables))
    guard = "" if f.guard is None else f" if {f.guard}"
    return read_map(f"map {domain}{guard}: {text}", language)
