"""Coordinates of a case in other words: two maps that undo each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from symlayout.certificate.cases import Case, World, goal, names_of, read, whole_number
from symlayout.certificate.definedness import Box
from symlayout.certificate.definitions import names_in
from symlayout.certificate.exact import Rejected
from symlayout.certificate.goals import Goals, within
from symlayout.certificate.part import Goal
from symlayout.expr.conditions import Less
from symlayout.expr.terms import put, symbol
from symlayout.expr.tree import Expr, Symbol


def reindex(g: Goals, w: World, case: Case, known: str, old: str, new: str, *texts: str) -> Any:
    """Other coordinates: `x = g(y)` for each old one, and `y = f(x)` for each new one.

    Both maps undo each other, so the points of both cases are the same.  The first conditions,
    as many as `known` says, are those that the new box implies.  Results may be given as well.
    """
    n, k = whole_number(known), 2 * whole_number(old)
    m = k + 3 * whole_number(new)
    if n > len(case.guard) or not all(isinstance(c, Less) for c in case.guard[:n]):
        raise Rejected("script: fewer comparisons come next")
    comparisons = tuple(c for c in case.guard[:n] if isinstance(c, Less))
    before = replace(case, guard=case.guard[n:], premises=(*case.premises, *comparisons))
    back = dict(zip(map(symbol, texts[:k:2]), map(read, texts[1:k:2])))
    if m > len(texts) or not back.keys() <= {*case.coords}:
        raise Rejected("script: other coordinates than there are")
    own = {x.name for x in back}
    names = g.fresh((w.vocabulary | names_of(case)) - own, *texts[k:m:3])
    box = tuple(zip(names, map(read, texts[k + 1 : m : 3])))
    forth = {y: g.of_case(w, case, read(t)) for y, t in zip(names, texts[k + 2 : m : 3])}
    open_case = replace(case, guard=case.guard[n:])
    after = renamed(w, open_case, list(back), box, back, texts[m:])
    if not names_in(*back.values()) <= {*w.names, *[x.name for x in after.coords]}:
        raise Rejected("script: an old coordinate by what is not known of the new ones")
    there = [g for y, d in box for g in within(forth[y], put(d, forth))]
    there += same([*back], [*back.values()], forth)
    there += same(case.results, after.results, forth) if texts[m:] else []
    here = [g for x, e in back.items() for g in within(e, put(case.extent(x), back))]
    here += [goal("<", put(c.left, back), put(c.right, back)) for c in comparisons]
    here += same([*forth], [*forth.values()], back)
    parts = g.here(w, before, "forth", *there), g.here(w, after, "back", *here)
    return list(parts), [after]


def renamed(
    w: World,
    case: Case,
    old: Sequence[Symbol],
    box: Box,
    back: Mapping[Symbol, Expr],
    results: Sequence[str],
) -> Case:
    """The case with other coordinates, where the first of the old ones was, and results of texts.

    Raises `Rejected` where something has the name of an old one that no new ones say.
    """

    def change(e: Expr) -> Expr:
        result = put(e, back)
        # several as one: what is left of each cancels
        return result.expand() if len(box) < len(back) and result is not e else result

    at = min(map(case.coords.index, old), default=len(case.box))
    result = case.every(change)
    rest = [(x, d) for x, d in result.box[at:] if x not in old]
    result = replace(result, box=(*result.box[:at], *box, *rest))
    if results:
        result = replace(result, results=tuple(map(read, results)))
    known = set(w.names)
    for x, d in result.box:
        if not names_in(d) <= known:
            raise Rejected(f"{d} speaks of what is not known where {x} begins")
        known.add(x.name)
    if not names_in(*result.expressions) <= known:
        raise Rejected("something speaks of what is not known here")
    return result


def same(left: Sequence[Expr], right: Sequence[Expr], meaning: Mapping[Symbol, Expr]) -> list[Goal]:
    """That expressions are the same ones, where names mean others: written alike, they are."""
    if len(left) != len(right):
        raise Rejected(f"{len(right)} results for {len(left)}")
    pairs = zip(left, [put(e, meaning) for e in right])
    return [goal("==", a, b) for a, b in pairs if a != b]
