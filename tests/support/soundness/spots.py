"""Claims with too many elements to look at all of them: some places, or one assignment in blocks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from soundness.arithmetic import Env
from soundness.truth import Bitcast, Elements, Injective, OfLayouts, Onto, Several, Truth, full

BLOCK = 1 << 20
WHOLE = 70_000_000  # elements of one assignment that are looked at block by block
SAMPLES = 500


def alone(env: Env) -> dict[str, Any]:
    """One assignment, in integers of any size."""
    return {n: np.array([int(v[0])], dtype=object) for n, v in env.items()} | {
        "": np.zeros(1, dtype=object)
    }


def sides_of(claim: OfLayouts, env: Env) -> list[int]:
    """The sizes of the claim's places."""
    return [int(full(s, 1)[0]) for s in claim.box(env)]


def sampled(claim: Truth, env: Env) -> tuple[int, ...] | None:
    """A place at which the claim is false at one assignment, among corners and random ones."""
    if isinstance(claim, Several):
        found = (sampled(part, env) for part in claim.parts)
        return next((f for f in found if f is not None), None)
    if not isinstance(claim, OfLayouts) or claim.undefined(env, 1)[0]:
        return None
    if isinstance(claim, (Injective, Onto)):
        return () if collides(claim, env) else None
    sides = sides_of(claim, env)
    if min(sides, default=1) < 1:
        return None
    rng = random.Random(7)
    ends = [sorted({0, 1 % n, n // 2, n - 1}) for n in sides]
    places = [[rng.choice(e) for e in ends] for _ in range(60)]
    places += [[rng.randrange(n) for n in sides] for _ in range(SAMPLES)]
    found = claim.compared(Elements.chosen(places, len(sides), env), env)
    if found is None:
        return None
    wrong = np.broadcast_to(np.asarray(found[2], dtype=bool), (len(places),))
    return tuple(places[int(np.argmax(wrong))]) if wrong.any() else None


def blocks(claim: OfLayouts, env: Env, sides: Sequence[int]) -> Iterator[Any]:
    """The offsets of all elements, block by block."""
    small = {n: v.astype(np.int64) for n, v in env.items() if n}
    for start in range(0, prod(sides), BLOCK):
        number = np.arange(start, min(start + BLOCK, prod(sides)))
        coords = []
        for n in reversed(sides):
            coords.append(number % n)
            number = number // n
        yield np.broadcast_to(claim.a.offsets(coords[::-1], small), coords[0].shape)


def collides(claim: OfLayouts, env: Env) -> bool:
    """Whether an offset comes twice (injective), or one of the buffer never (onto)."""
    sides = sides_of(claim, env)
    size = int(full(claim.a.size(env), 1)[0])
    if not 0 < prod(sides) <= WHOLE or size > 2 * WHOLE:
        return False
    taken = np.zeros(size, dtype=bool)
    for at in blocks(claim, env, sides):
        if at.min() < 0 or at.max() >= size:
            return False  # not of this kind
        taken[at] = True
    found = int(np.count_nonzero(taken))
    return found < (prod(sides) if isinstance(claim, Injective) else size)


def doubted(claim: Truth, env: Env, example: Any) -> str:
    """What is wrong with a counterexample that has too many elements around it; "" for nothing."""
    if isinstance(claim, Several):
        parts = [p for p in claim.parts if isinstance(p, Injective) == (example.other is not None)]
        found = [doubted(p, env, example) for p in parts]
        return "" if "" in found else "; ".join(found)
    if not isinstance(claim, OfLayouts) or not example.coords:
        return ""
    sides = sides_of(claim, env)
    if not inside(example.coords, sides):
        return f"{example.coords} is outside of {tuple(sides)}"
    if isinstance(claim, Injective):
        both = Elements.chosen([example.coords, example.other], len(sides), env)
        x, y = both.offsets(claim.a)
        right = example.coords != example.other and inside(example.other, sides) and x == y
        return "" if right else f"{example.coords} and {example.other} lie at {x} and {y}"
    if isinstance(claim, Bitcast):
        return "" if other_place(claim, env, example.coords) else f"{example.coords} agrees"
    found = claim.compared(Elements.chosen([example.coords], len(sides), env), env)
    if found is None or np.broadcast_to(np.asarray(found[2], dtype=bool), (1,))[0]:
        return ""
    return f"{example.coords} is right"


def inside(place: Sequence[int], sides: Sequence[int]) -> bool:
    """Whether a place lies in a box."""
    return len(place) == len(sides) and all(0 <= x < n for x, n in zip(place, sides))


def other_place(claim: Bitcast, env: Env, place: Sequence[int]) -> bool:
    """Whether a bitcast moves the element at a place."""
    sides = sides_of(claim, env)
    order = claim.perm or tuple(range(len(sides)))
    number = 0
    for x, p in zip(place, order):
        number = number * sides[p] + x
    back = [place[order.index(k)] for k in range(len(order))]
    coords = []
    for n in reversed([int(full(s, 1)[0]) for s in claim.b.sides(env)]):
        coords.append(number % n)
        number //= n
    x = Elements.chosen([back], len(back), env).offsets(claim.a)[0]
    return bool(x != Elements.chosen([coords[::-1]], len(coords), env).offsets(claim.b)[0])
