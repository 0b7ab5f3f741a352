"""Sizes that satisfy the facts of a claim: by them a certificate says that these do not contradict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice

from symlayout.certificate.codec import LARGEST
from symlayout.digits.assume import context_of, sample_sizes
from symlayout.digits.context import Undecided
from symlayout.digits.sizes import sizes_in_order, sizes_near_powers
from symlayout.digits.solver import consistent
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import value

SAMPLES = 8
TRIED = 80  # sizes of which the samples are some ...
MOST_NAMED = 6000  # ... and fewer where there are many symbols
BUDGET = 400_000  # of the solver for sizes that satisfy the facts
EXPONENTS = 100  # of two, in the place of sizes


@lru_cache(maxsize=256)
def sizes_of(facts: Facts, names: tuple[str, ...]) -> tuple[dict[str, int], ...]:
    """Sizes that satisfy the facts: the smallest, and some that are larger."""
    hits = []
    entry = max(SAMPLES, min(TRIED, MOST_NAMED // max(1, len(names))))
    for k, sizes in enumerate(sizes_in_order(facts, names, entry)):
        if k < 3 or k % SAMPLES == 0:
            hits.append(sizes)
    for source in (sample_sizes, by_equality, sizes_near_powers, solved_sizes) if not hits else ():
        batch = (s for s in source(facts, names) if max(map(abs, s.values()), default=0) <= LARGEST)
        hits = hits or [*islice(batch, SAMPLES)]
    return (*hits[:1], *hits[1:][-SAMPLES:])


def by_equality(facts: Facts, names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Sizes of which one is what a fact says: `B == 2**d` is large where d is still small."""
    sides = [pair for r in facts.relations if r.op == "=="
             for pair in ((r.left, r.right), (r.right, r.left))]  # fmt: skip
    for x, e in sides:
        for k in range(EXPONENTS) if x.is_Symbol and not e.has(x) else ():
            sizes = {n: max(k, facts.domain(n).first) for n in names}
            with suppress(LayoutError):
                sizes[x.name] = value(e, sizes)
                if facts.holds(sizes) and sizes[x.name] >= facts.domain(x.name).first:
                    yield sizes


def solved_sizes(facts: Facts, names: Sequence[str]) -> list[dict[str, int]]:
    """Sizes that a solver finds where all small ones fail: a product is to be 4096, or more."""
    with suppress(LayoutError, Undecided):
        model = consistent(context_of(facts, names), BUDGET).model
        sizes = {n: model.get(n, 1) for n in names}
        return [sizes] if facts.holds(sizes) else []
    return []
