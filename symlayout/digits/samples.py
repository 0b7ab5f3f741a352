"""Sample points: a few that satisfy everything known, to turn down what is false at once.

A polynomial that is negative at one of them is not >= 0, and no proof of that needs to be tried.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from symlayout.digits.poly import Poly
from symlayout.expr.operators import BY_OP

if TYPE_CHECKING:
    from symlayout.digits.state import State

Definition: TypeAlias = tuple[str, list[Poly]]  # an operation and its operands
Points: TypeAlias = list[tuple[int, dict[int, int]]]  # each with its number
SPREAD = (0, 1, 1031, 5, 130, 17)  # how far sample points lie above a size's least value

LARGEST_EXPONENT = 1100


def sample(ctx: State) -> None:
    """Chooses sample points for the symbols made so far; call it once the facts are in."""
    points: Points = [(k, {}) for k in range(len(SPREAD))]
    for n in by_dependence(ctx):
        points = placed(ctx, points, n)
    replaced = [(n, ctx.resolve(by)) for n, by in ctx.replaced.items()]
    constraints, nonzero = (list(map(ctx.resolve, ps)) for ps in (ctx.constraints, ctx.nonzero))
    ctx.samples = []
    for _, point in points:
        for n, by in replaced:
            point[n] = by.value(point)
        if all(c.value(point) >= 0 for c in constraints) and all(c.value(point) for c in nonzero):
            ctx.samples.append(point)


def behind(ctx: State, p: Poly) -> set[int]:
    """The atoms of p, and those that their bounds, definitions and divisors speak of, and so on."""
    hits: set[int] = set()
    pending = list(p.atoms)
    while pending:
        n = pending.pop()
        if n in hits:
            continue
        hits.add(n)
        info = ctx.atoms[n]
        weights = () if info.root in (None, n) else ctx.roots[info.root].weights
        for q in (info.high, ctx.replaced.get(n), *operation(ctx, n)[1:], *weights):
            if q is not None:
                pending += q.atoms
    return hits


def by_dependence(ctx: State) -> list[int]:
    """The atoms that stand, each after those that its bound and definition speak of."""
    order: dict[int, None] = {}
    opened: set[int] = set()
    pending = list(range(len(ctx.atoms)))[::-1]
    while pending:
        n = pending[-1]
        if n in order or n in ctx.replaced:
            pending.pop()
        elif n in opened:
            order[pending.pop()] = None
        else:
            opened.add(n)
            parts = (ctx.atoms[n].high, *operation(ctx, n)[1:])
            before = {a for p in parts if p is not None for a in ctx.resolve(p).atoms}
            pending += sorted(before - opened, reverse=True)
    return list(order)


def operation(ctx: State, number: int) -> tuple[Any, ...]:
    """The `op` of an operator and its arguments, for an atom that is what it makes of them, else ()."""
    results = ctx.atoms[number].definition
    return results if results and results[0] in BY_OP else ()


def definition(ctx: State, number: int) -> Definition:
    """What a defined atom is of which polynomials, as they are by now."""
    word, *parts = operation(ctx, number)
    return word, [ctx.resolve(p) for p in parts]


def value_of(word: str, parts: list[Poly], point: dict[int, int]) -> int | None:
    """The value that a defined atom has at a point; None where it divides by no positive number.

    Nor has it one where it is a power of two that is too large to compute with.
    """
    row, values = BY_OP[word], list(map(Poly.value, parts, repeat(point)))
    if row.divisor is not None and values[row.divisor] < 1:
        return None
    if row.natural and not row.defined(*values):
        return None
    if row.form == "power" and values[0] > LARGEST_EXPONENT:
        return None
    return row.value(*values)


def placed(ctx: State, points: Points, number: int) -> Points:
    """The points that have a value for the atom, which they are given."""
    choices: Points = []
    if operation(ctx, number):
        word, parts = definition(ctx, number)
        for k, point in points:
            value = value_of(word, parts, point)
            if value is not None:
                point[number] = value
                choices.append((k, point))
        return choices
    info = ctx.atoms[number]
    low, size = info.low or 0, info.kind == "size"
    high = None if info.high is None else ctx.resolve(info.high)
    for k, point in points:
        step = SPREAD[(k + number) % len(SPREAD)] if size else 0
        if high is None:
            if info.kind == "coord" and k % 2 == 0:  # it may be large, where what is known lets it
                step = SPREAD[k % len(SPREAD)]
            point[number] = low + step
            choices.append((k, point))
            continue
        top = high.value(point)
        if top >= low:  # else its range is empty there
            step = step if size else (top - low) * ((k + number) % 4) // 3
            point[number] = min(low + step, top)
            choices.append((k, point))
    return choices
