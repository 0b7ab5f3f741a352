"""The roots of what is claimed of index functions: domains, and what is asked of their points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from symlayout.digits.context import Undecided
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less, sides
from symlayout.expr.terms import Max, Min, put, symbol
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.maps.bits import of_map
from symlayout.prove.maps.cases import Case
from symlayout.prove.maps.placement import Placement


def root_of(function: IndexFunction, owner: int = 0) -> Case:
    """The whole domain as one case, whose results are places."""
    at = Placement(variables_of(function))
    coords = [symbol(v.name) for v in function.variables]
    shape = [at.of(v._high) - at.of(v._low) for v in function.variables]
    guard = () if function._guard is None else (at.condition(function._guard),)
    at.note(*function._marks)
    values = tuple(map(at.value, function._evaluated))
    many = len(function._results)
    lets, results = values[: len(values) - many], values[len(values) - many :]
    return Case(tuple(coords), tuple(shape), results, (*at.marks, *lets), guard, owner=owner)


def variables_of(function: IndexFunction) -> dict[Symbol, Expr]:
    """The variables in coordinates that count from 0."""
    table: dict[Symbol, Expr] = {}
    for v in function.variables:
        low = of_map(put(v._low, table))
        table[symbol(v.name)] = symbol(v.name) + low
    return table


def extents_of(function: IndexFunction) -> list[Case]:
    """That each extent is at least 0 wherever the variables before it have values; and the box."""
    root, cases = root_of(function), list[Case]()
    own, table = set(root.coords), variables_of(function)
    for k, (d, v) in enumerate(zip(root.shape, function.variables)):
        at = Placement(table)
        at.note(v._low, v._high)
        marks = at.marks
        before = 0 if all(own.isdisjoint(e.free_symbols) for e in (d, *marks)) else k
        cases.append(Case(root.coords[:before], root.shape[:before], (d,), marks, ops=(">=",)))
    for d in function._box or ():
        at = Placement({})
        size = at.of(d)
        cases.append(Case((), (), (size,), at.marks, ops=(">=",)))
    return cases


def in_box(f: IndexFunction) -> Case:
    """That each result lies in the box."""
    root, box = root_of(f), f._box or ()
    return with_goals(root, [], [e for r, d in zip(root.results, box) for e in (r, d - 1 - r)])


def with_goals(root: Case, zeros: Sequence[Expr], inside: Sequence[Expr], *steps: Expr) -> Case:
    """That some expressions are 0 and some not below 0; the root's results are evaluated before."""
    return replace(
        root,
        results=(*zeros, *inside),
        evaluated=(*root.evaluated, *root.results, *steps),
        ops=("==",) * len(zeros) + (">=",) * len(inside),
    )


def composition(x: IndexFunction, y: IndexFunction, landed: bool = True) -> Case:
    """x, and then y: results less x's variables are 0; (landed) x's results are in y's domain."""
    root = root_of(x)
    results, inside, steps = landing(root, y)
    back = [e - own for own, e in zip(variables_of(x).values(), results)]
    return with_goals(root, back, inside if landed else [], *steps)


def landing(root: Case, y: IndexFunction) -> tuple[list[Expr], list[Expr], list[Expr]]:
    """y where a root's results are its variables: results, what has to be >= 0, what is evaluated.

    Raises `Undecided` where y divides by the number 0 there.
    """
    at = Placement({symbol(v.name): e for v, e in zip(y.variables, root.results)})
    inside, ends = list[Expr](), list[Expr]()
    try:
        for v, e in zip(y.variables, root.results):
            low, high = at.of(v._low), at.of(v._high)
            ends += [low, high]
            inside += [e - low, high - 1 - e]
        if y._guard is not None:
            ends += map(at.of, sides(y._guard))
            inside += [gap - 1 for gap in gaps(at.condition(y._guard))]
        at.note(*y._marks)
        values = list(map(at.value, y._evaluated))
        marks = at.marks
    except LayoutError as error:
        raise Undecided(error.message) from None
    many = len(y._results)
    return values[len(values) - many :], inside, [*marks, *ends, *values]


def gaps(c: Condition) -> list[Expr]:
    """Numbers that are all above 0 exactly where the condition is true."""
    if isinstance(c, Less):
        return [c.right - c.left]
    first, second = gaps(c.first), gaps(c.second)
    return [*first, *second] if isinstance(c, Both) else [Max(Min(*first), Min(*second))]


def points_of(a: IndexFunction, b: IndexFunction) -> tuple[Case, Any, Any, Any]:
    """The points of one function as those of the other: see `landing`."""
    root = root_of(a)
    at = replace(root, results=tuple(variables_of(a).values()))
    return root, *landing(at, b)
