"""`inverse` and `disjoint`: two index functions that undo each other, or never meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from symlayout.digits.bounds import Meter
from symlayout.errors import LayoutError
from symlayout.layouts.demands import Demand
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction, function_of
from symlayout.layouts.maps.reader import read_map
from symlayout.layouts.notation import notation_of, parse
from symlayout.prove.maps.arguments import families
from symlayout.prove.maps.blocks import about_families
from symlayout.prove.maps.claims import (
    Plan,
    Walked,
    by_cases,
    by_rank,
    facts_of,
    where_empty,
)
from symlayout.prove.maps.ranks import Failing, difference, meeting, there_and_back
from symlayout.prove.maps.roots import composition, extents_of, points_of, root_of, with_goals
from symlayout.prove.maps.walk import Walk
from symlayout.prove.question import Question
from symlayout.prove.search import Found
from symlayout.prove.word import states


def _both(word: str, *maps: Any) -> list[IndexFunction]:
    results = []
    for g in maps:
        if isinstance(g, str) and notation_of(g).functions:
            g = parse(g)
        if not isinstance(g, IndexFunction):
            raise LayoutError("SL502", f"{word} speaks of maps such as `map i < N: i in N`")
        results.append(g)
    return results


@states
def inverse(f: Any, g: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """G(F(x)) = x on all of F's domain, F(G(y)) = y on all of G's; each lands in the other's domain."""
    layouts = families(f, g)
    if layouts is not None:
        return about_families("inverse", layouts, where)
    a, b = _both("inverse", f, g)
    for x, y in ((a, b), (b, a)):
        if len(x._results) != len(y.variables):
            message = f"{len(x._results)} results of one map for {len(y.variables)} variables"
            raise LayoutError("SL403", f"{message} of the other")

    def test(sizes: dict[str, int], *images: Points) -> Found | None:
        ours, theirs = map(dict, images)
        for kind, there, back in (("F", ours, theirs), ("G", theirs, ours)):
            for point, place in there.items():
                if back.get(place) != point:
                    return Found(sizes, point, kind=kind)
        return None

    by_bits = there_and_back(a, b), "their product is the identity over F2, both ways"
    return _stated("inverse", a, b, where, inverse_plan, test, *by_bits)


Place = tuple[int, ...]
Points = list[tuple[Place, Place]]  # each with its results


def _stated(
    word: str,
    a: IndexFunction,
    b: IndexFunction,
    where: Any,
    plan: Callable[[IndexFunction, IndexFunction], Plan],
    test: Callable[[dict[str, int], Points, Points], Found | None],
    linear: Failing | None,
    reason: str,
    demands: tuple[Demand, ...] = (),
) -> Walked:
    """By the bits of linear layouts, or by the cases of a plan and a look at all points of both."""
    facts = facts_of(where, a, b)
    a, b = where_empty(a, facts), where_empty(b, facts)
    if linear is not None:
        return by_rank(facts, linear, reason, a, b, word=word, demands=demands)
    walks = Walk(a), Walk(b)

    def search(sizes: dict[str, int], left: list[int]) -> Found | None:
        for walk in walks:
            walk.start(sizes)
        ours, theirs = (list(walk.points(sizes, left)) for walk in walks)
        return test(sizes, ours, theirs)

    def plan_for(general: bool, ones: bool, meter: Meter) -> Plan:
        return replace(plan(a, b), general=general)

    prove, late = (by_cases(partial(plan_for, g), facts) for g in (False, True))
    return Walked(facts, prove, search, (a, b), word, demands, late)


def inverse_plan(a: IndexFunction, b: IndexFunction) -> Plan:
    """There and back again is where it began, both ways, and each lands in the other's domain."""
    ways = composition(a, b), composition(b, a)
    return Plan((a, b), (*extents_of(a), *extents_of(b), *ways))


@states
def disjoint(f: Any, g: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """No place is reached by both."""
    layouts = families(f, g)
    if layouts is not None:
        return about_families("disjoint", layouts, where)
    a, b = _both("disjoint", f, g)
    if len(a._results) != len(b._results):
        raise LayoutError("SL403", f"{len(a._results)} and {len(b._results)} results")

    def test(sizes: dict[str, int], ours: Points, theirs: Points) -> Found | None:
        first = {place: point for point, place in reversed(ours)}
        meetings = ((first[place], point) for point, place in theirs if place in first)
        return next((Found(sizes, p, q, "meeting") for p, q in meetings), None)

    by_bits = meeting(a, b), "linear layouts"
    return _stated("disjoint", a, b, where, disjoint_plan, test, *by_bits)


def disjoint_plan(a: IndexFunction, b: IndexFunction) -> Plan:
    """No place of the one is a place of the other."""
    roots = (*extents_of(a), *extents_of(b), root_of(a, 0), root_of(b, 1))
    return Plan((a, b), roots, apart=((0, 1),))


# -- equal -----------------------------------------------------------------------------------------


def as_function(layout: Any) -> IndexFunction:
    """An index function, or a layout as one."""
    read = _function_or_map(layout)
    return read if isinstance(read, IndexFunction) else function_of(read)


def equal_plan(a: IndexFunction, b: IndexFunction) -> Plan:
    """Both have the same points, and the same results at each of them."""
    root, landed, inside, steps = points_of(a, b)
    same = [x - y for x, y in zip(root.results, landed)]
    forth = with_goals(root, same, inside, *steps)
    root, _, inside, steps = points_of(b, a)
    back = with_goals(root, [], inside, *steps)
    return Plan((a, b), (*extents_of(a), *extents_of(b), forth, back))


def demands_of(layout: Any) -> tuple[Demand, ...]:
    """What must hold for a layout to be defined; what an index function demands is in its points."""
    read = _function_or_map(layout)
    return () if isinstance(read, IndexFunction) else read.demanded


def _function_or_map(layout: Any) -> IndexFunction | IndexMap:
    read: Any = parse(layout) if isinstance(layout, str) else layout
    if isinstance(read, (IndexFunction, IndexMap)):
        return read
    m: IndexMap = read.index_map()
    return m


def equal_functions(
    a: IndexFunction,
    b: IndexFunction,
    where: Any,
    demands: tuple[Demand, ...] = (),
) -> Walked:
    """Same points, and the same results at each; the demands are of layouts among them."""
    for x, y, what in (
        (a.variables, b.variables, "variables"),
        (a._results, b._results, "results"),
    ):
        if len(x) != len(y):
            raise LayoutError("SL403", f"{len(x)} {what} of one map against {len(y)} of the other")

    def test(sizes: dict[str, int], *images: Points) -> Found | None:
        ours, theirs = map(dict, images)
        points = sorted({*ours, *theirs})
        hits = (p for p in points if ours.get(p) != theirs.get(p))
        return next((Found(sizes, p, kind="differ") for p in hits), None)

    by_bits = difference(a, b), "each bit has the same vector"
    return _stated("equal", a, b, where, equal_plan, test, *by_bits, demands)


def handwritten(f: IndexFunction, text: str, language: str | None) -> IndexFunction:
    """The function with a hand-written expression for its results."""
    domain = ", ".join(map(str, f.variables))
    guard = "" if f._guard is None else f" if {f._guard}"
    return read_map(f"map {domain}{guard}: {text}", language)
