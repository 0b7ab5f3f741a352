"""Claims about finitely many points: every one of them is looked at, in plain integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from sympy import Expr

from symlayout.errors import LayoutError
from symlayout.meaning import Claim, Texts
from symlayout.terms import value

MOST = 50_000  # points
Sizes = dict[str, int]


def points(box: Mapping[str, Sequence[int]]) -> Iterator[Sizes]:
    """Every place of a box; raises `LayoutError` where there are too many."""
    if prod(map(len, box.values())) > MOST:
        raise LayoutError("SL800", "there are too many points to look at each")
    for chosen in product(*box.values()):
        yield dict(zip(box, chosen))


def failing_case(c: Claim, texts: Texts) -> Sizes | None:
    """The first sizes that the facts allow for which the claim fails, or None; all are looked at."""
    ranges = {}
    for name in c.names:
        domain = c.given.domain(name)
        if domain.last is None or domain.last - domain.first > MOST:
            raise LayoutError("SL800", f"the size {name} has no bound")
        ranges[name] = range(domain.first, domain.last + 1)
    return next((s for s in points(ranges) if c.allows(s) and not holds_at(c, s, texts)), None)


def holds_at(c: Claim, sizes: Sizes, texts: Texts) -> bool:
    """Whether a claim holds for these sizes, in plain integers at every place."""

    def each(box: Mapping[str, Expr]) -> Iterator[Sizes]:
        for at in points({n: range(value(d, sizes)) for n, d in box.items()}):
            yield {**sizes, **at}

    held = [[value(m.raw, at) for at in each(m.box())] for m in c.maps]
    whole = [value(m.size, sizes) for m in c.maps]
    once = [len(set(h)) == len(h) for h in held]
    within = [all(0 <= v < n for v in h) for h, n in zip(held, whole)]
    covered = [set(range(n)) <= set(h) for h, n in zip(held, whole)]
    match c.word:
        case "injective":
            return once[0]
        case "onto":
            return covered[0]
        case "valid" | "bijective":
            return once[0] and within[0] and (covered[0] or c.word == "valid")
        case "reinterpret":
            a, b = ([v * u + k for v in h for k in range(u)] for h, u in zip(held, c.units()))
            x, y = (n * u for n, u in zip(whole, c.units()))
            return x == y and set(a) == set(b)
    parts = list(c.parts("", texts))
    cases = [(p, at) for p in parts for at in each(p.box) if all(r.holds(at) for r in p.given)]
    return all(any(r.holds(at) for r in goal) for part, at in cases for goal in part.goals)
