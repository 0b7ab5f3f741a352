"""The moves of a proof by cases: each replaces a case by others that have the very same points.

A move is checked by goals of its own, which come out as parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from inspect import signature
from typing import Any

from symlayout.certificate.cases import (
    BITS,
    Case,
    World,
    contrary,
    goal,
    names_of,
    power_of_two,
    read,
    rest_of_guard,
    ways_to_split,
    with_truth,
)
from symlayout.certificate.exact import Rejected
from symlayout.certificate.goals import Goals, instead, within
from symlayout.certificate.part import Part
from symlayout.expr.conditions import ALWAYS, Less
from symlayout.expr.terms import BitAnd, symbol
from symlayout.expr.tree import Expr

Move = tuple[str, ...]
Step = tuple[list[Part], list[Case]]
# each is a function here, or of another module, which is imported when a script has that move
MOVES: dict[str, Callable[..., Any] | str] = {}


def step(g: Goals, w: World, case: Case, move: Move) -> Step:
    """What a move shows, and the cases that it makes of one."""
    make = move_of(move[0])
    fitting(make, g, w, case, *move[1:])
    return make(g, w, case, *move[1:])  # type: ignore[no-any-return]


def move_of(word: str) -> Callable[..., Any]:
    """What checks a move; raises `Rejected` for another word."""
    make = MOVES.get(word)
    if make is None:
        raise Rejected(f"script: {word!r} is not a move of a case")
    if not isinstance(make, str):
        return make
    module, _, name = make.partition(":")
    return getattr(import_module(f"symlayout.certificate.{module}"), name)  # type: ignore[no-any-return]


def fitting(make: Any, *arguments: Any) -> None:
    """Raises `Rejected` for more or fewer texts than a move has."""
    try:
        signature(make).bind(*arguments)
    except TypeError:
        raise Rejected(f"script: {len(arguments) - 3} texts are no move") from None


def split(g: Goals, w: World, case: Case, how: str, *texts: str) -> Any:
    """A condition, which is true at some points and false at the others.

    It is shown to be `true` or `false` at all of them, or is `known` from here on in two cases, or
    `open`: the first condition to be decided.  Without a text it is the one that comes next.
    """
    c = g.condition(w, case, texts)
    goals, branches = ways_to_split(how, c)
    parts = [g.here(w, case, how, *goals)] if goals else []
    cases = []
    for yes in branches:
        guard = case.guard if texts else rest_of_guard(case.guard, yes)
        if guard is None or (c, yes) == (ALWAYS, False):
            continue
        here = c if yes else contrary(c)
        more = (here,) if how == "known" and isinstance(here, Less) else ()
        guard = (here, *guard) if how == "open" else guard
        inner = replace(case, guard=guard, premises=(*case.premises, *more))
        cases.append(with_truth(inner, c, yes, how in ("true", "false")))
    return parts, cases


def weaken(g: Goals, w: World, case: Case, *texts: str) -> Any:
    """More points: a coordinate has a larger range, or a new one is for an operation on bits."""
    make = larger if len(texts) == 2 else any_value
    fitting(make, g, w, case, *texts)
    part, box, more, result = make(g, w, case, *texts)
    return [part], [replace(result, box=box, premises=(*result.premises, *more), loose=True)]


def larger(g: Goals, w: World, case: Case, x: str, size: str) -> Any:
    c, e = symbol(x), g.of_sizes(w, read(size))
    part = g.part(w, "weaken", case.before(c), goal("<=", case.extent(c), e))
    return part, tuple((y, e if y == c else n) for y, n in case.box), (), case


def any_value(g: Goals, w: World, case: Case, text: str, y: str, extent: str, which: str) -> Any:
    """`a & b` is at most each of both that is not negative, whatever the other is."""
    node, (new,) = read(text), g.fresh(w.vocabulary | names_of(case), y)
    size = g.of_case(w, case, read(extent))
    if not isinstance(node, BITS) or case.guard:
        raise Rejected(f"{node} is not an operation on bits that is evaluated now")
    values, more = [g.of_case(w, case, e) for e in node.args], list[Expr]()
    goals = [goal("==", e, e) for e in values]
    if isinstance(node, BitAnd):
        if which not in ("0", "1", "01", "10"):
            raise Rejected(f"script: {which!r} are not operands")
        first, *more = (values[int(k)] for k in which)
        goals += [*within(first, size), *[goal(">=", e, 0) for e in more]]
    elif power_of_two(size):
        goals += [g for e in values for g in within(e, size)]
    else:
        raise Rejected(f"{size} is not a power of 2")
    part, result = g.here(w, case, "weaken", *goals), instead(case, node, new)
    box = (*result.box, (new, size))
    return part, box, [Less(new, e + 1) for e in more], result


MOVES |= {"split": split, "weaken": weaken}
MOVES |= {"reindex": "renaming:reindex", "blocks": "arranging:blocks", "xor": "arranging:xor"}
MOVES |= {"bits": "rewriting:bits", "rewrite": "rewriting:rewrite"}
