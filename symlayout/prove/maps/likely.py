"""Sizes at which a mistake shows most often: the least ones, and those about the numbers of the code.

The search goes through small sizes in their order, and a tile of 32 by 32 has its first mistakes at 33.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product
from math import prod

from symlayout.digits.sizes import choices_in_order, holds_at
from symlayout.expr.facts import Facts
from symlayout.expr.tree import Integer, preorder_traversal
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.maps.rows import Undefined
from symlayout.prove.maps.walk import Env
from symlayout.prove.search import Found, Unsafe

LARGEST = 2048  # of a number that is looked at
TRIED = 3000  # assignments
EACH = 20_000  # points of one
ALL = 500_000
BLOCKS = 4  # numbers of the code that are taken for sizes of blocks


def sizes_about(
    functions: Sequence[IndexFunction], facts: Facts, names: Sequence[str]
) -> list[Env]:
    """Assignments that satisfy the facts, the least product first."""
    marks = {1, *(facts.domain(n).first for n in names), *numbers_in(functions)}
    columns = []
    for n in names:
        d = facts.domain(n)
        near = {d.first + k * d.modulus for k in (0, 1, 2)}
        for m in marks:
            up = d.first + -(-(m - d.first) // d.modulus) * d.modulus
            near |= {up, up + d.modulus}
        columns.append(sorted(x for x in near if x >= d.first and (d.last is None or x <= d.last)))
    while prod(map(len, columns)) > 40 * TRIED:
        longest = max(columns, key=len)
        longest.pop()
    return list(islice(choices_in_order(facts, names, columns), TRIED))


def second_blocks(
    functions: Sequence[IndexFunction], facts: Facts, names: Sequence[str]
) -> Iterator[Env]:
    """Least sizes but for one that begins a second block, and for one more: 33 of 32, beside a 2."""
    least = {n: facts.domain(n).first for n in names}
    blocks = sorted({m for m in numbers_in(functions) if m > 2})[:BLOCKS]
    for block, n, other in product(blocks, names, names):
        sizes = {**least, other: least[other] + 1, n: block + 1}
        if holds_at(facts, sizes):
            yield sizes


def numbers_in(functions: Sequence[IndexFunction], most: int = LARGEST) -> Iterator[int]:
    """The numbers that are written in them, up to that one."""
    for f in functions:
        ends = [x for v in f.variables for x in (v._low, v._high)]
        for e in (*f._results, *ends, *[e for _, e in f._lets], *(f._box or ())):
            for part in preorder_traversal(e):
                if isinstance(part, Integer) and 1 < abs(int(part)) <= most:
                    yield abs(int(part))


def failing(
    test: Callable[[Env, list[int]], Found | None],
    functions: Sequence[IndexFunction],
    facts: Facts,
    names: Sequence[str],
) -> Env | None:
    """Sizes at which the test fails, or something has no value."""
    every = (*names, *sorted(facts.names.difference(names)))
    early = _first(test, sizes_about(functions, facts, every))
    return early or _first(test, second_blocks(functions, facts, every))


def _first(
    test: Callable[[Env, list[int]], Found | None], assignments: Iterable[Env]
) -> Env | None:
    """The first of the assignments at which it fails, as far as so many points go."""
    left = ALL
    for sizes in assignments:
        budget = [EACH]
        try:
            if test(sizes, budget) is not None:
                return sizes
        except Undefined:
            return sizes
        except Unsafe:
            pass
        left -= EACH - max(0, budget[0])
        if left < 0:
            break
    return None
