"""Whether a claim holds at given sizes: in plain integers, from the notations' definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import symlayout as sl
from symlayout.facts import Facts
from symlayout.prover.equality import read_formula
from symlayout.prover.measures import row_dimension
from symlayout.reader import read_expression
from symlayout.terms import free_names, value

LIMIT = 24  # sizes with a product up to this are enumerated

Offsets = dict[tuple[int, ...], int]


class Case:
    """A layout's offsets at given sizes, by its definition in plain integers."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.map = sl.parse(text).index_map()

    def shape(self, sizes: dict[str, int]) -> tuple[int, ...]:
        return tuple(value(d, sizes) for d in self.map.shape)

    def size(self, sizes: dict[str, int]) -> int:
        return value(self.map.size, sizes)

    def offsets(self, sizes: dict[str, int]) -> Offsets:
        reference = self.map.reference
        assert reference is not None
        points = product(*[range(d) for d in self.shape(sizes)])
        return {p: reference(p, sizes) for p in points}


Test = Callable[[dict[str, int]], bool]


def truth(word: str, args: list[str]) -> tuple[list[str], Test]:
    """The sizes in order of appearance, and whether the claim holds at given sizes."""
    if word == "divides":
        d, x = (read_expression(a) for a in args)
        names = free_names(x, d)
        return names, lambda s: value(d, s) != 0 and value(x, s) % value(d, s) == 0
    cases = [Case(a) for a in args[: 2 if word in ("equal", "bitcast", "reinterpret") else 1]]
    a = cases[0]
    names = list(dict.fromkeys(n for c in cases for n in c.map.symbols))
    if word == "equal":
        b = cases[1]
        return names, lambda s: a.shape(s) == b.shape(s) and a.offsets(s) == b.offsets(s)
    if word == "bitcast":
        b = cases[1]
        return (
            names,
            lambda s: (
                a.size(s) == b.size(s)
                and list(a.offsets(s).values()) == list(b.offsets(s).values())
            ),
        )
    if word == "reinterpret":
        b = cases[1]
        return (
            names,
            lambda s: (
                a.size(s) == b.size(s) and set(a.offsets(s).values()) == set(b.offsets(s).values())
            ),
        )
    if word == "formula":
        written = read_formula(a.map, args[1], Facts())
        coords = [c.name for c in a.map.coords]

        def same(s: dict[str, int]) -> bool:
            try:
                return all(
                    value(written, {**s, **dict(zip(coords, p))}) == o
                    for p, o in a.offsets(s).items()
                )
            except sl.LayoutError:
                return False

        return names, same
    if word == "padding":

        def count(s: dict[str, int]) -> int:
            n = 1
            for d in a.shape(s):
                n *= d
            return n

        return names, lambda s: a.size(s) <= Fraction(args[1]) * count(s)
    if word == "bounded":
        limit = read_expression(args[1]) if len(args) > 1 else a.map.size
        return names, lambda s: all(0 <= o < value(limit, s) for o in a.offsets(s).values())
    if word == "aligned":
        along = row_dimension(a.map)
        step = int(args[1])
        return names, lambda s: all(
            o * 4 % step == 0 for p, o in a.offsets(s).items() if along is None or p[along] == 0
        )
    tests: dict[str, Test] = {
        "injective": lambda s: len(set(a.offsets(s).values())) == len(a.offsets(s)),
        "onto": lambda s: set(range(a.size(s))) <= set(a.offsets(s).values()),
        "bijective": lambda s: sorted(a.offsets(s).values()) == list(range(a.size(s))),
    }
    return names, tests[word]


def assignments(names: list[str], facts: Facts) -> Iterator[dict[str, int]]:
    """All allowed sizes with a product up to LIMIT (0 counts as 1), smallest first."""
    found: list[tuple[int, tuple[int, ...]]] = []

    def extend(values: tuple[int, ...], bound: int) -> None:
        if len(values) == len(names):
            if facts.holds(dict(zip(names, values))):
                found.append((bound, values))
            return
        low = facts.domain(names[len(values)]).low
        for v in range(max(low, 0), LIMIT // bound + 1):
            extend((*values, v), bound * max(v, 1))

    extend((), 1)
    for _, values in sorted(found):
        yield dict(zip(names, values))
