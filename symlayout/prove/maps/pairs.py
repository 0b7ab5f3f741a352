"""`inverse` and `disjoint`: two index functions that undo each other, or never meet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Expr, Symbol

from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.digits.poly import ZERO
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less, rewritten
from symlayout.expr.terms import rebuild, symbol
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.notation import notation_of, parse
from symlayout.prove.maps.cases import World
from symlayout.prove.maps.claims import UNCERTIFIED, attempted, decided_by, facts_of
from symlayout.prove.maps.goals import apart, in_digits
from symlayout.prove.maps.walk import UNDEFINED, Walk, undefined_at
from symlayout.prove.search import Found
from symlayout.prove.verdict import Counterexample, Verdict, certified


def _both(word: str, *given: Any) -> list[IndexFunction]:
    made = []
    for g in given:
        if isinstance(g, str) and notation_of(g).functions:
            g = parse(g)
        if not isinstance(g, IndexFunction):
            raise LayoutError("SL502", f"{word} speaks of maps such as `map i < N: i in N`")
        made.append(g)
    return made


@certified
def inverse(f: Any, g: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """G(F(x)) = x on all of F's domain, F(G(y)) = y on all of G's; each lands in the other's domain."""
    a, b = _both("inverse", f, g)
    for x, y in ((a, b), (b, a)):
        if len(x.results) != len(y.variables):
            message = f"{len(x.results)} results of one map for {len(y.variables)} variables"
            raise LayoutError("SL403", f"{message} of the other")
    facts = facts_of(where, a, b)
    ways = ((a, b, Walk(a), Walk(b)), (b, a, Walk(b), Walk(a)))

    def prove(ctx: Context) -> Attempt:
        for x, y, _, _ in ways:
            n = len(x.variables)
            try:
                there_and_back = composed(x, y)
            except Undecided as why:
                return Attempt(False, str(why))
            attempt = attempted(lambda w, n=n: _identity(w, n), facts, there_and_back)  # type: ignore
            if not attempt.proved:
                return attempt
        return Attempt(True, f"both ways around are the identity in digits; {UNCERTIFIED}")

    def test(sizes: dict[str, int], left: list[int]) -> Found | None:
        for _, _, walk, _ in ways:
            walk.independent(sizes)
        images = [dict(walk.points(sizes, left)) for _, _, walk, _ in ways]
        for k, (ours, theirs) in enumerate((images, images[::-1])):
            for point, place in ours.items():
                if theirs.get(place) != point:
                    return Found(sizes, point, kind="FG"[k])
        return None

    def replay(found: Found) -> Counterexample | None:
        sizes = found.sizes
        if found.kind == UNDEFINED:
            return _undefined(found, a, b)
        if found.kind not in ("F", "G"):
            return None
        x, y = (a, b) if found.kind == "F" else (b, a)
        there = x.at(found.coords, sizes)
        if there not in set(y.points(sizes)):
            note = f"{found.coords} goes to {there}, which is not in the other map's domain"
            return Counterexample(sizes, found.coords, str(there), None, note=note)
        back = y.at(there, sizes)
        if back == found.coords:
            return None
        note = f"{found.coords} goes to {there}, and that to {back}"
        return Counterexample(sizes, found.coords, str(back), str(found.coords), note=note)

    return decided_by(facts, prove, test, replay, budget, a, b, word="inverse")


def _undefined(found: Found, *functions: IndexFunction) -> Counterexample | None:
    for f in functions:
        note = undefined_at(f, found.coords, found.sizes)
        if note:
            return Counterexample(found.sizes, found.coords, "undefined", None, note=note)
    return None


def composed(x: IndexFunction, y: IndexFunction) -> IndexFunction:
    """x, and then y: the results are y's less x's variables, and what has to be >= 0 for y's domain."""
    put: dict[Symbol, Expr] = {symbol(v.name): e for v, e in zip(y.variables, x.outputs)}

    def change(e: Expr) -> Expr:
        return rebuild(e, lambda s: put.get(s, s))

    inside: list[Expr] = []
    sides: list[Expr] = []
    for v, e in zip(y.variables, x.outputs):
        low, high = change(v.low), change(v.high)
        sides += [low, high]
        inside += [e - low, high - 1 - e]
    for c in _joined(y.guard):
        made = rewritten(c, change)
        assert isinstance(made, Less)
        sides += [made.left, made.right]
        inside.append(made.right - made.left - 1)
    back = [e - symbol(v.name) for v, e in zip(x.variables, map(change, y.outputs))]
    steps = [*x.evaluated, *sides, *map(change, y.evaluated)]
    lets = tuple((f"$step{k}", e) for k, e in enumerate(steps))
    return replace(x, lets=lets, results=(*back, *inside), box=None, tupled=True)


def _joined(guard: Condition | None) -> list[Less]:
    if guard is None:
        return []
    if isinstance(guard, Less):
        return [guard]
    if isinstance(guard, Both):
        return [*_joined(guard.first), *_joined(guard.second)]
    raise Undecided("a guard with `or` in it, of a map that has to be the inverse")


def _identity(world: World, many: int) -> None:
    """The first results are 0, the others at least 0."""
    for case in world.cases:
        ctx, env = world.inside(case)
        results = in_digits(ctx, env, case, len(world.boxes[0])).results
        for k, p in enumerate(results):
            if k < many and ctx.resolve(p) != ZERO:
                raise Undecided(f"{ctx.text(ctx.resolve(p))} == 0 is not proved")
            if k >= many and not ctx.nonneg(p):
                raise Undecided(f"{ctx.text(ctx.resolve(p))} >= 0 is not proved")


@certified
def disjoint(f: Any, g: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """No place is reached by both."""
    a, b = _both("disjoint", f, g)
    if len(a.results) != len(b.results):
        raise LayoutError("SL403", f"{len(a.results)} and {len(b.results)} results")
    facts = facts_of(where, a, b)
    walks = Walk(a), Walk(b)

    def goal(world: World) -> None:
        for x in world.cases:
            ctx, env = world.inside(x)
            in_digits(ctx, env, x, len(a.results))  # it has a value at every point
            for y in world.cases:
                if x.owner < y.owner:
                    apart(world, x, y)

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

    def replay(found: Found) -> Counterexample | None:
        if found.kind == UNDEFINED:
            return _undefined(found, a, b)
        if found.kind != "meeting" or found.other is None:
            return None
        here, there = a.at(found.coords, found.sizes), b.at(found.other, found.sizes)
        if here != there:
            return None
        shown = str(here[0]) if len(here) == 1 else str(here)
        note = f"{found.coords} of the one and {found.other} of the other both reach {shown}"
        return Counterexample(found.sizes, found.coords, shown, shown, found.other, note)

    def prove(ctx: Context) -> Attempt:
        return attempted(goal, facts, a, b)

    return decided_by(facts, prove, test, replay, budget, a, b, word="disjoint")
