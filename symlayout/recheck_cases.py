"""Claims about finitely many points: every one of them is looked at, in plain integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import gcd, prod
from typing import Any

from symlayout.indexmap import IndexMap
from symlayout.recheck_claims import Claim, row_dimension
from symlayout.recheck_poly import Rejected
from symlayout.terms import value

MOST = 50_000  # points

Sizes = dict[str, int]
Offsets = dict[tuple[int, ...], int]


def assignments(c: Claim) -> Iterator[Sizes]:
    """All sizes that satisfy the facts; raises `Rejected` where they are not finitely many."""
    ranges = []
    for name in c.names:
        d = c.facts.domain(name)
        if d.last is None or d.last - d.first > MOST:
            raise Rejected(f"the size {name} has no bound")
        ranges.append(range(d.first, d.last + 1, d.modulus))
    if prod(map(len, ranges)) > MOST:
        raise Rejected("there are too many sizes to look at each")
    for values in product(*ranges):
        sizes = dict(zip(c.names, values))
        if c.facts.holds(sizes):
            yield sizes


def offsets(m: IndexMap, sizes: Sizes, e: Any = None) -> Offsets:
    """The offset of every coordinate, in row-major order."""
    sides = [range(value(d, sizes)) for d in m.shape]
    if prod(map(len, sides)) > MOST:
        raise Rejected("there are too many coordinates to look at each")
    names = [x.name for x in m.coords]
    raw = m.raw if e is None else e
    return {at: value(raw, {**sizes, **dict(zip(names, at))}) for at in product(*sides)}


def _bitcast(c: Claim, s: Sizes) -> bool:
    a, b = c.maps
    if "perm" in c.options:
        a = a.transpose([int(p) for p in c.options["perm"].replace(",", " ").split()])
    bits = a.bits == b.bits or a.bits is None or b.bits is None
    same = bits and value(a.size, s) == value(b.size, s)
    return same and list(offsets(a, s).values()) == list(offsets(b, s).values())


def _reinterpret(c: Claim, s: Sizes) -> bool:
    bits = [m.bits for m in c.maps]
    g = 0 if None in bits else gcd(*[b or 0 for b in bits])
    units = [b // g if g and b else 1 for b in bits]
    totals = [value(m.size, s) * u for m, u in zip(c.maps, units)]
    held = [
        {v * u + k for v in offsets(m, s).values() for k in range(u)} for m, u in zip(c.maps, units)
    ]
    return totals[0] == totals[1] and held[0] == held[1]


def _aligned(c: Claim, s: Sizes) -> bool:
    (m,), dim = c.maps, c.options.get("dim")
    along = row_dimension(m) if dim is None else range(m.rank)[int(dim)]
    step = value(c.sizes[0], s) * 8
    rows = {at: v for at, v in offsets(m, s).items() if along is None or at[along] == 0}
    return m.bits is not None and step > 0 and all(v * m.bits % step == 0 for v in rows.values())


def _inside(c: Claim, s: Sizes, size: Any) -> bool:
    return all(0 <= v < value(size, s) for v in offsets(c.maps[0], s).values())


def _distinct(c: Claim, s: Sizes) -> bool:
    found = list(offsets(c.maps[0], s).values())
    return len(set(found)) == len(found)


def _onto(c: Claim, s: Sizes) -> bool:
    return set(range(value(c.maps[0].size, s))) <= set(offsets(c.maps[0], s).values())


def _padding(c: Claim, s: Sizes) -> bool:
    (m,) = c.maps
    return value(m.size, s) <= Fraction(str(c.arguments[1])) * prod(value(d, s) for d in m.shape)


def _equal(c: Claim, s: Sizes) -> bool:
    a, b = c.maps
    shapes = [[value(d, s) for d in m.shape] for m in (a, b)]
    return shapes[0] == shapes[1] and offsets(a, s) == offsets(b, s)


CASES: dict[str, Callable[[Claim, Sizes], bool]] = {
    "equal": _equal,
    "formula": lambda c, s: offsets(c.maps[0], s) == offsets(c.maps[0], s, c.written()),
    "injective": _distinct,
    "bounded": lambda c, s: _inside(c, s, (*c.sizes, c.maps[0].size)[0]),
    "onto": _onto,
    "bijective": lambda c, s: _distinct(c, s) and _onto(c, s) and _inside(c, s, c.maps[0].size),
    "valid": lambda c, s: _distinct(c, s) and _inside(c, s, c.maps[0].size),
    "bitcast": _bitcast,
    "reinterpret": _reinterpret,
    "padding": _padding,
    "divides": lambda c, s: all(
        value(x, s) % value(d, s) == 0 for d, x in c.pairs or [(c.sizes[0], c.sizes[1])]
    ),
    "aligned": _aligned,
    "bytes": lambda c, s: (
        -(-value(c.maps[0].size, s) * (c.maps[0].bits or 0) // 8) == value(c.sizes[0], s)
    ),
    "holds": lambda c, s: all(r.holds(s) for r in c.relations),
}


def cases(c: Claim) -> None:
    """Looks at every point that the facts allow; raises `Rejected` at the first that fails."""
    for sizes in assignments(c):
        if not CASES[c.word](c, sizes):
            raise Rejected(f"the claim fails at {sizes}")
