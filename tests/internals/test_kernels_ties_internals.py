"""Properties of internal modules; `tests/test_kernels_ties.py` tests the public interface."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from symlayout.expr.facts import Facts
from symlayout.expr.ties import ties

NAMES = "nmkp"

LAST = 9  # of every name

ROWS = (
    "{a} > {b}",
    "{a} >= {b} + 2",
    "{a} <= {b}",
    "2*{a} <= {b} + {c}",
    "{a} + {b} <= {c}",
    "{a} == 2*{b}",
    "{a} % {b} == 0",
    "{a} - {b} >= 3",
    "{a} // 2 >= {b}",
    "{a} <= {b} < {c}",
    "{a} != {b}",
    "{a}*{b} <= {c} + 6",
    "min({a}, {b}) >= {c}",
    "{a} <= 7 - {b}",
)

ALONE = ("{a} % 3 == 0", "{a} >= 0", "{a} <= 6", "{a} >= 4", "{a} % 2 == 1", "{a} != 2", "{a} == 5")


def values_of(facts: Facts, names: str) -> set[tuple[int, ...]]:
    """The values of names that facts leave, those of all others tried."""
    every = sorted({*facts.names, *names})
    found = set()
    for row in product(range(LAST + 1), repeat=len(every)):
        env = dict(zip(every, row))
        least = all(env[n] >= (0 if facts.bounds_below(n) else 1) for n in every)
        if least and facts.holds(env):
            found.add(tuple(env[n] for n in names))
    return found


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", range(100))
def test_what_is_said_leaves_the_values_that_all_facts_leave(seed: int) -> None:
    random = Random(seed)
    texts = [
        random.choice(rows).format(**dict(zip("abc", random.sample(NAMES, 3))))
        for rows in (ROWS, ROWS, ROWS, ALONE, ALONE)[: random.randint(1, 5)]
    ]
    facts, own = Facts.read(texts), "n" if seed % 2 else "nm"
    joined = set(own)
    for _ in NAMES:
        joined |= {n for r in facts.relations if r.names & joined for n in r.names}
    facts = Facts(tuple(r for r in facts.relations if r.names <= joined))
    found = ties(own, facts, lambda _: LAST)
    known = {*own, *found.others, *found.equal}
    kept = [r for r in facts.relations if r.names <= known]
    assert values_of(Facts(tuple(kept)).and_(found.consequences), own) == values_of(facts, own), (
        texts
    )
