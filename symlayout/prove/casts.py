"""`bitcast` and `reinterpret`: one buffer, two shapes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.digits.poly import Poly
from symlayout.digits.simplification import coordinate_atoms
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import as_expr, coordinate_symbols, value
from symlayout.expr.tree import Symbol
from symlayout.layouts.indexmap import (
    IndexMap,
    check_permutation,
    row_major_coords,
    row_major_number,
)
from symlayout.prove.decide import claim_maps, map_names
from symlayout.prove.question import Question
from symlayout.prove.statement import Goal, Offset, Plain, Statement, let
from symlayout.prove.word import states


def read_perm(perm: Any, rank: int) -> tuple[int, ...]:
    """A permutation from numbers or a text such as "1,0"."""
    try:
        text = re.sub(r"[(){}\[\],]", " ", perm) if isinstance(perm, str) else ""
        numbers = [int(p) for p in (text.split() if isinstance(perm, str) else perm)]
    except (TypeError, ValueError):
        hint = f"write the numbers 0 to {rank - 1} in the order that is meant, such as 1,0"
        raise LayoutError("SL403", f"{perm!r} is not a permutation", help=hint) from None
    numbers = [p + rank if -rank <= p < 0 else p for p in numbers]
    check_permutation(numbers, rank)
    return tuple(numbers)


@states
def bitcast(
    a: Any, b: Any, *, perm: Any = None, where: Any = (), budget: int | None = None
) -> Question:
    """The element with the same row-major number lies at the same place; padding and bits count.

    With `perm`, dimension k of B is dimension perm[k] of A: the bitcast is a transpose.
    """
    facts, (left, right) = claim_maps("bitcast", where, a, b)
    names = map_names(left, right)
    if perm is not None:
        order = read_perm(perm, left.rank)
        left = replace(left.transpose(order), demands=left.demanded)
    return _bitcast(left, right, names, facts)


def _bitcast(a: IndexMap, b: IndexMap, sizes: tuple[str, ...], facts: Facts) -> Statement:
    """Elements, buffers and bits agree, and so does the place of each row-major number."""
    coords = coordinate_symbols(a.rank, {*a.symbols, *b.symbols, *facts.names})
    target = row_major_coords(row_major_number(coords, a._shape), b._shape)
    totals = [("elements", a._elements, b._elements), ("buffer sizes", a._size, b._size)]
    if a.bits is not None and b.bits is not None:
        totals.append(("bits of an element", a.bits, b.bits))

    def note(words: Plain) -> str:
        here, there = words["here"], words["there"]
        shape = [value(d, words["sizes"]) for d in a._shape]
        number = int(row_major_number(here.place, shape))
        return f"element {number} lies at {here} as {here.place} and at {there} as {there.place}"

    differ = "differ: {left} and {right}"
    return Statement(
        sizes,
        facts,
        [Goal(let("here"), "==", let("there"), note, other="there")],
        sizes=[Goal(x, "==", y, f"the {what} {differ}") for what, x, y in totals],
        coords=coords,
        shape=a._shape,
        offsets={"here": Offset(a, coords), "there": Offset(b, target)},
        demands=(*a.demanded, *b.demanded),
        strategy=lambda ctx, effort: prove_bitcast(ctx, a, b),
    )


def prove_bitcast(ctx: Context, a: IndexMap, b: IndexMap, nonempty: bool = True) -> Attempt:
    """Equal sizes, and one polynomial for both once the row-major number is in digits."""
    if a.bits is not None and b.bits is not None and a.bits != b.bits:
        return Attempt(False, f"elements of {a.bits} and of {b.bits} bits")
    for x, y in ((a._elements, b._elements), (a._size, b._size)):
        if ctx.poly(as_expr(x)) != ctx.poly(as_expr(y)):
            return Attempt(False, f"the sizes {x} and {y} are not proved equal")
    if not ctx.poly(as_expr(a._elements)).terms:
        return Attempt(True, "there is no element")
    goals = None
    reason = "the offsets are not proved equal"
    for left, right in ((a, b), (b, a)):
        try:
            p, q = _both(ctx, left, right, nonempty)
        except Undecided as why:
            reason = str(why)
            continue
        if p == q:
            return Attempt(True, f"in digits both sides are {ctx.text(p)}")
        goals = [(p - q, "==")]
        reason = f"in digits the difference is {ctx.text(p - q)}"
    return Attempt(False, reason, goals)


def _both(ctx: Context, a: IndexMap, b: IndexMap, nonempty: bool) -> tuple[Poly, Poly]:
    """Both offsets over the coordinates of `a`."""
    env = coordinate_atoms(ctx, a._coords, a._shape, nonempty)
    number = ctx.poly(row_major_number(a._coords, a._shape), env)
    for _ in range(3):
        before = len(ctx.replaced)
        target: dict[Symbol, Poly] = {}
        rest = ctx.resolve(number)
        for k in range(b.rank - 1, -1, -1):
            if k == 0:
                target[b._coords[0]] = rest
            else:
                rest, target[b._coords[k]] = ctx.divmod(rest, ctx.poly(b._shape[k]))
        here = {c: ctx.resolve(p) for c, p in env.items()}
        left = ctx.poly(a._raw, here)
        right = ctx.poly(b._raw, {c: ctx.resolve(p) for c, p in target.items()})
        if len(ctx.replaced) == before:
            break
        ctx.forget()
    return ctx.resolve(left), ctx.resolve(right)
