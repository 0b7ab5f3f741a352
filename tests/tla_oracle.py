"""Independent answers for tests and benchmarks: plain integers, exhaustive, no NumPy."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

Nested = int | tuple["Nested", ...]
Leaves = list[tuple[int, int]]


def offset(leaves: Leaves, index: int) -> int:
    """The offset of a linear index, the last mode taking the whole quotient."""
    total = 0
    for k, (size, stride) in enumerate(leaves):
        digit = index if k == len(leaves) - 1 else index % size
        total, index = total + digit * stride, index // size
    return total


def values(leaves: Leaves) -> list[int]:
    """The offset of every index of the layout."""
    count = 1
    for size, _ in leaves:
        count *= size
    return [offset(leaves, i) for i in range(count)]


def factorizations(n: int) -> Iterator[tuple[int, ...]]:
    """Every ordered way to write n as a product of numbers above 1."""
    if n == 1:
        yield ()
        return
    for first in range(2, n + 1):
        if n % first == 0:
            for rest in factorizations(n // first):
                yield (first, *rest)


def is_layout(function: list[int]) -> bool:
    """Whether some sizes and strides give this function: every factorization is tried."""
    for sizes in factorizations(len(function)):
        leaves, below = [], 1
        for s in sizes:
            leaves.append((s, function[below]))
            below *= s
        if values(leaves or [(1, 0)]) == function:
            return True
    return False


def composes(a: Leaves, b: Leaves) -> bool:
    """Whether a layout with the profile of b (its modes refined) is a after b."""
    alone = [[offset(a, i * d) for i in range(s)] for s, d in b]
    for digits in itertools.product(*[range(s) for s, _ in b]):
        inner = sum(i * d for i, (_, d) in zip(digits, b))
        if offset(a, inner) != sum(f[i] for f, i in zip(alone, digits)):
            return False
    return all(map(is_layout, alone))


def chains(top: int) -> Iterator[tuple[int, ...]]:
    """Every beginning of mode sizes whose product is at most `top`."""
    yield ()
    for first in range(2, top + 1):
        for rest in chains(top // first):
            yield (first, *rest)


def has_left_inverse(a: Leaves) -> bool:
    """Whether sizes and integer strides give every offset of a its index back.

    All sizes are tried.  Where not even real strides fit (least squares leave a rest) there are no
    integers either; the others are asked of Z3.
    """
    import numpy as np

    offsets = np.array(values(a))
    index = np.arange(len(offsets))
    for sizes in chains(int(offsets.max())):
        columns, rest = [], offsets
        for size in sizes:
            columns.append(rest % size)
            rest = rest // size
        digits = np.stack([*columns, rest], axis=1)
        strides = np.linalg.lstsq(digits.astype(float), index.astype(float), rcond=None)[0]
        if np.abs(digits @ strides - index).max() < 1e-3 and integers_fit(digits, index):
            return True
    return False


def integers_fit(rows, right) -> bool:
    """Whether rows @ x == right has a solution in integers."""
    import z3

    unknowns = [z3.Int(f"d{k}") for k in range(rows.shape[1])]
    solver = z3.Solver()
    for row, value in zip(rows.tolist(), right.tolist()):
        solver.add(sum(c * d for c, d in zip(row, unknowns)) == value)
    return bool(solver.check() == z3.sat)


def complement_exists(a: Leaves, bound: int) -> bool:
    """Whether some layout fills the holes of a up to a multiple of its reach, each place once."""
    image = sorted(set(values(a)))
    whole = image[-1] + 1
    for end in range(whole, 2 * whole * max(bound, 1) + 1):
        covered: set[int] = set()
        fill = []
        for x in range(end):
            if x not in covered:
                moved = {x + y for y in image}
                if moved & covered or max(moved) >= end:
                    break
                covered |= moved
                fill.append(x)
        else:
            if is_layout(fill):
                return True
    return False


def random_leaves(rng: random.Random, modes: int, size: int, strides: tuple[int, ...]) -> Leaves:
    """Random modes: sizes from 1 to `size`, strides from the list."""
    return [(rng.randint(1, size), rng.choice(strides)) for _ in range(modes)]
