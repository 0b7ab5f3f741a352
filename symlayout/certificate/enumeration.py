"""Claims about finitely many points: every one of them is looked at, in plain integers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import inf, prod

from symlayout.certificate.cases import Case, operands
from symlayout.certificate.exact import Poly, Rejected, Work, polynomial
from symlayout.certificate.proof import Texts
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation
from symlayout.expr.terms import BitOr, Max, Min, value
from symlayout.expr.tree import Expr

MOST = 50_000  # points in all
TOGETHER = 8  # demands that are looked at as one at a point
ROUNDS = 8  # of bounds that give bounds
Sizes = dict[str, int]


class Room:
    """How many points may still be looked at."""

    points: int

    def __init__(self, points: int = MOST) -> None:
        self.points = points

    def take(self, points: int) -> None:
        """Raises `LayoutError` where there are too many."""
        self.points -= points
        if self.points < 0:
            raise LayoutError("SL800", "there are too many points to look at each")


def points(box: Mapping[str, range], room: Room) -> Iterator[Sizes]:
    """Every place of a box; raises `LayoutError` where there are too many."""
    for choices in everywhere(list(box.values()), room):
        yield dict(zip(box, choices))


def long(values: range) -> int:
    """How many numbers in a row; `len` knows no more than 2**63 - 1."""
    return max(0, values.stop - values.start)


def everywhere(sides: Sequence[range], room: Room) -> Iterator[tuple[int, ...]]:
    """Every choice of one value of each side; an empty box has none, however long its other sides."""
    room.take(prod(map(long, sides)))
    return product(*sides) if all(sides) else iter(())


def failing_case(c: Claim, texts: Texts, most: int = MOST) -> Sizes | None:
    """The first sizes that the facts allow for which the claim fails, or None; all are looked at.

    Raises `LayoutError` where there are more points than that.
    """
    room = Room(most)
    limits = (s for s in points(ranges(c), room) if c.allows(s))
    return next((s for s in limits if not holds_at(c, s, texts, room)), None)


def by_points(c: Claim, texts: Texts) -> set[str]:
    """What a proof by all points relies on; raises `Rejected` where the claim fails at one."""
    if (sizes := failing_case(c, texts)) is not None:
        raise Rejected(f"cases: the claim fails at {sizes}")
    return {"every allowed point"}


def ranges(c: Claim) -> dict[str, range]:
    """The values that linear facts leave to each size; raises `LayoutError` where there is no end."""
    rows = [p for r in c.facts for single in one_by_one(r) for p in linear(single, c.work)]
    low, high = dict.fromkeys(c.names, -inf), dict.fromkeys(c.names, inf)
    for _ in range(ROUNDS):
        for p in rows:  # the sum of the terms is >= 0: each is at least what the others leave
            most = {m: c * ((high if c > 0 else low)[m[0]] if m else 1) for m, c in p.terms}
            for (name, *_), k in ((m, k) for m, k in p.terms if m):
                rest = sum(v for m, v in most.items() if m != (name,))
                if abs(rest) == inf:
                    continue
                if k > 0:
                    low[name] = max(low[name], -(int(rest) // k))
                else:
                    high[name] = min(high[name], int(rest) // -k)
        for r in c.facts:
            for x in factors_below(
                r, low, c.work
            ):  # no factor exceeds the product: none is below 1
                high[x] = min(high[x], int(r.right))
    for name in c.names:
        if inf in (-low[name], high[name]) or high[name] - low[name] > MOST:
            raise LayoutError("SL800", f"the size {name} has no bound")
    return {n: range(int(low[n]), int(high[n]) + 1) for n in c.names}


def one_by_one(r: Relation) -> list[Relation]:
    """A relation of a maximum below, or a minimum above, as one of each operand."""
    whole = Max if "<" in r.op else Min if ">" in r.op else ()
    return [Relation(r.op, a, r.right) for a in r.left.args] if isinstance(r.left, whole) else [r]


def factors_below(r: Relation, low: Mapping[str, float], work: Work) -> Sequence[str]:
    """The sizes of a product that is no more than a number, where each is at least 1.

    Those of a bitwise `or` too, where none of its operands is negative: it has all of their bits.
    """
    if r.op not in ("<", "<=", "==") or not r.right.is_Integer:
        return ()
    if isinstance(r.left, BitOr):
        names = [e.name for e in operands(r.left) if e.is_Symbol]
        numbers = [e for e in operands(r.left) if e.is_Integer and e >= 0]
        natural = len(names) + len(numbers) == len(operands(r.left))
        natural = natural and all(low[x] >= 0 for x in names)
        return names if natural else ()
    try:
        terms = polynomial(r.left, work).terms
    except Rejected:  # with a division in it
        return ()
    match terms:
        case ((m, k),) if k > 0 and all(low[x] >= 1 for x in m):
            return m
    return ()


def linear(r: Relation, work: Work) -> list[Poly]:
    """The linear polynomials that are >= 0 where the relation holds."""
    try:
        p = polynomial(r.left - r.right, work)
    except Rejected:  # with a division in it
        return []
    if p.degree > 1 or r.op == "!=":
        return []
    more, less = p - int(r.op == ">"), -p - int(r.op == "<")
    return [more] * (r.op in (">", ">=", "==")) + [less] * (r.op in ("<", "<=", "=="))


def holds_at(c: Claim, sizes: Sizes, texts: Texts, room: Room) -> bool:
    """Whether a claim is defined and true for these sizes, in plain integers at every place."""
    try:
        if c.functions:
            return functions_hold(c, sizes, room)
        defined = all(any(r.holds(sizes) for r in goal) for goal in c.definedness())
        return defined and laws_hold(c, sizes, room) and true_at(c, sizes, texts, room)
    except LayoutError as error:
        if error.code == "SL202":  # a division by zero
            return False
        raise


def laws_hold(c: Claim, sizes: Sizes, room: Room) -> bool:
    """Whether what the offsets rest on holds at every place."""
    for law in c.laws():
        box = {x.name: range(value(d, sizes)) for x, d in zip(law.coords, law.shape)}
        if not all(law.relation.holds({**sizes, **at}) for at in points(box, room)):
            return False
    return True


def true_at(c: Claim, sizes: Sizes, texts: Texts, room: Room) -> bool:
    """Whether it is true where it is defined; raises `LayoutError` (SL202) where it is not."""

    def each(box: Mapping[str, Expr]) -> Iterator[Sizes]:
        for at in points({n: range(value(d, sizes)) for n, d in box.items()}, room):
            yield {**sizes, **at}

    if c.word in ("injective", "onto", "valid", "bijective", "reinterpret"):
        values = [[value(m.raw, at) for at in each(m.box())] for m in c.maps]
        return places_hold(c, values, [value(m.size, sizes) for m in c.maps])
    goals = ((part, goal) for part in c.parts("", texts) for goal in part.goals)
    return all(
        any(r.holds(at) for r in goal)
        for part, goal in goals
        for at in each(part.box)
        if all(r.holds(at) for r in part.premises)
    )


def functions_hold(c: Claim, sizes: Sizes, room: Room) -> bool:
    """Whether a claim about index functions is true; raises `LayoutError` where it is not defined."""
    if not all(r.holds(sizes) for f in c.functions for r in f.demands):
        return False
    if not demands_hold(c.duties, sizes, room):
        return False
    world = c.world
    ends: list[list[tuple[int, ...]]] = []
    for root in world.roots:
        places = []
        for at in domain_points(root, sizes, room):
            results = [value(e, at) for e in root.results]
            if any(v < 0 or (op == "==" and v) for op, v in zip(root.ops, results)):
                return False
            places.append(tuple(results))
        if not root.ops:
            ends.append(places)
    if c.word == "disjoint":
        return set(ends[0]).isdisjoint(ends[1])
    if not ends:
        return True
    sides = [value(d, sizes) for d in world.boxes[0]]
    once = len(set(ends[0])) == len(ends[0])
    within = all(0 <= v < d for place in ends[0] for v, d in zip(place, sides))
    if c.word in ("injective", "valid"):
        return once and (within or c.word == "injective")
    covered = set(everywhere([*map(range, sides)], room)) <= set(ends[0])
    return covered and (c.word == "onto" or (once and within))


def demands_hold(demands: Sequence[Sequence[Case]], sizes: Sizes, room: Room) -> bool:
    """Whether each demand is met at every point, in one of its ways, whose points are the same."""
    alike = defaultdict[object, list[Sequence[Case]]](list)
    for ways in demands:
        first = ways[0]
        if any((w.box, w.guard) != (first.box, first.guard) or w.premises for w in ways):
            raise LayoutError("SL106", "the ways to show a demand speak of other points")
        alike[first.box, first.guard].append(ways)
    for rows in alike.values():
        for k in range(0, len(rows), TOGETHER):
            some = rows[k : k + TOGETHER]
            for at in domain_points(some[0][0], sizes, room):
                if not all(any(met(w, at) for w in ways) for ways in some):
                    return False
    return True


def met(case: Case, at: Sizes) -> bool:
    """Whether the results have values, which are as claimed."""
    results = [value(e, at) for e in case.results]
    tests = {"==": int.__eq__, "!=": int.__ne__, ">=": int.__ge__}
    return all(tests[op](v, 0) for op, v in zip(case.ops, results, strict=True))


def domain_points(root: Case, sizes: Sizes, room: Room, k: int = 0) -> Iterator[Sizes]:
    """The points of a domain, with the sizes."""
    if k == len(root.box):
        if all(value(g, sizes) for g in root.guard):
            yield sizes
        return
    x, extent = root.box[k]
    many = range(value(extent, sizes))
    room.take(long(many))
    for v in many:
        yield from domain_points(root, {**sizes, x.name: v}, room, k + 1)


def places_hold(c: Claim, values: Sequence[Sequence[int]], whole: Sequence[int]) -> bool:
    """Whether offsets in buffers of those sizes are as the claim says."""
    if c.word == "reinterpret":
        a, b = ({v * u + k for v in h for k in range(u)} for h, u in zip(values, c.units()))
        x, y = (n * u for n, u in zip(whole, c.units()))
        return x == y and a == b
    (offsets,), (size,) = values, whole
    once = len(set(offsets)) == len(offsets)
    within = all(0 <= v < size for v in offsets)
    covered = size <= len(offsets) and set(range(size)) <= set(offsets)
    names = {"injective": (once,), "onto": (covered,), "valid": (once, within)}
    return all(names.get(c.word, (once, within, covered)))
