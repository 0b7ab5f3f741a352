"""Why a claim fails for all sizes of a kind: relations over sizes from which its failure follows.

A claim about all coordinates fails where one coordinate, written in sizes, is a counterexample: it lies
in the box, and a goal is false there.  Two coordinates of one offset refute `injective`, unequal
counts `bijective`; a broken demand, or a false relation, any claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any, NamedTuple, TypeGuard

from symlayout.expr.facts import NEGATED, Relation
from symlayout.expr.terms import FloorDiv, Mod, as_expr, count_operations, divisors_of
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.bijection import inside
from symlayout.prove.decide import Problem
from symlayout.prove.search import Arrays, Numeric, Unsafe
from symlayout.prove.statement import MULTIPLE, Goal, Statement, let
from symlayout.prove.subject import Buffers, Places, Rules
from symlayout.prove.when.answer import all_placed, placed
from symlayout.prove.when.parts import Parts

PLACES = 600  # coordinates in all
CORNERS = 8
ENDS = 9  # expressions for one coordinate
PAIRS = 160  # coordinates of which pairs are looked at
HINTS = 5  # expressions that a branch suggests
ALWAYS = Relation("==", Integer(0), Integer(0))
SHOWN = 6  # of all that fit, tried as proofs


class Failure(NamedTuple):
    """Relations from which it follows that the claim fails, and how."""

    relations: tuple[Relation, ...]
    reason: str


class Failures:
    """The ways in which the problems of a claim may fail."""

    def __init__(self, subjects: Sequence[Any], parts: Parts) -> None:
        self.subjects, self.parts = subjects, parts
        self.plain = list(self._plain())
        self.hints: list[Expr] = []
        self.seen: Sequence[tuple[Expr, ...]] = ()  # where alone it is looked at, if anywhere
        self.known: dict[Any, list[tuple[Expr, ...]]] = {}  # places

    def of(self, arrays: Arrays, count: int) -> Iterator[tuple[Failure, Any]]:
        """Failures with the assignments (flags) at which they are one, the simple ones first."""
        for failure in self.plain:
            yield failure, self.flags(failure, arrays, count)
        for s in self.subjects:
            about = s.about if isinstance(s, Problem) else None
            if _image(about) and about.word != "onto":
                yield from self.collisions(about.map, arrays, count)
            if _image(about) and about.word in ("valid", "bijective"):
                about = inside(about.map, about.map._size, self.parts.names, self.parts.facts)
            if isinstance(about, Statement) and about.coords:
                yield from self.at_places(about, arrays, count)

    def flags(self, failure: Failure, arrays: Arrays, count: int) -> Any:
        import numpy as np

        from symlayout.expr.facts import COMPARE

        result: Any = np.ones(count, dtype=bool)
        for r in failure.relations:
            left, bad = Numeric(r.left, self.parts.names)(arrays)
            right, worse = Numeric(r.right, self.parts.names)(arrays)
            result = result & COMPARE[r.op](left, right) & ~np.asarray(bad) & ~np.asarray(worse)
        return np.broadcast_to(result, (count,))

    # -- sizes alone ------------------------------------------

    def _plain(self) -> Iterator[Failure]:
        for s in self.subjects:
            for d in s.demands:
                yield from _broken(d)
            if isinstance(s, Rules):
                for c in s.checks:
                    opposite = tuple(r.negation for r in c.needs)  # none: it cannot hold
                    yield Failure(opposite or (ALWAYS,), c.message)
                continue
            about = s.about
            if isinstance(about, Statement):
                goals = (*about.sizes, *(() if about.coords else about.goals))
                for g in goals:
                    some = tuple(Relation(">=", as_expr(d), Integer(1)) for d in about.hollow)
                    pair = about.symbolic(g.left), about.symbolic(g.right)
                    for r in _opposites(g.op, *pair):
                        yield Failure((*some, r), f"{_denial(g)}")
                    for d in dict.fromkeys(x for e in pair for x in divisors_of(e, always=True)):
                        zero = Relation("==", d, Integer(0))
                        yield Failure((*some, zero), f"it divides by {d}, which is 0")
            elif _image(about):
                m = about.map
                yield from counts(about.word, m._elements, m._size, "elements")
            elif isinstance(about, Buffers):
                (a, b), (u, v) = about.maps, about.unit
                for op in ("<", ">"):
                    sides = as_expr(a._size) * u, as_expr(b._size) * v
                    yield Failure((Relation(op, *sides),), "the buffers differ in size")

    # -- one coordinate ---------------------------------------

    def at_places(self, s: Statement, arrays: Arrays, count: int) -> Iterator[tuple[Failure, Any]]:
        """Coordinates at which a goal is false, as far as they are one at all of the sizes."""
        import numpy as np

        places = self.places(s.coords, s.shape, s.ends)
        if not places:
            return
        env, inside = self.environment(places, s.coords, s.shape, arrays, count)
        argument: Any = inside
        for g in s.premises:
            argument = argument & ~_spread(s.wrong([g], env), inside.shape)
        for g in s.goals:
            try:
                wrong = _spread(s.wrong([g], env), inside.shape) & argument
            except Unsafe:
                if count > 1:  # looked at one by one, fewer are
                    raise
                continue
            order = np.argsort(-wrong.sum(axis=1), kind="stable")
            for k in order[:SHOWN].tolist():
                if wrong[k].any():
                    for failure in self.falsehoods(s, g, places[k]):
                        yield failure, wrong[k]

    def falsehoods(self, s: Statement, g: Goal, place: tuple[Expr, ...]) -> Iterator[Failure]:
        """That the goal is false at the place, as relations."""
        table = dict(zip(s.coords, place))

        def there(*expressions: Any) -> tuple[Expr, ...] | None:
            return all_placed([s.symbolic(e) for e in expressions], table)

        offsets = {let(n) for n in s.offsets}
        differ = g.op == "==" and {g.left, g.right} <= offsets
        at = f"at {coordinate_list(place)}"
        text = f"the offsets differ {at}" if differ else f"it is false {at}"
        inside = list(_inside(place, s.shape))
        for x in s.premises:
            sides = there(x.left, x.right)
            if sides is None:
                return
            inside.append(Relation(x.op, *sides))
        for d in (x for e in (g.left, g.right) for x in divisors_of(s.symbolic(e), always=True)):
            for divisor in there(d) or ():
                zero = Relation("==", divisor, Integer(0))
                yield Failure((*inside, zero), f"it divides by 0 {at}")
        for r in _opposites(g.op, *sides) if (sides := there(g.left, g.right)) else ():
            yield Failure((*inside, r), text)

    # -- two coordinates --------------------------------------

    def collisions(self, m: IndexMap, arrays: Arrays, count: int) -> Iterator[tuple[Failure, Any]]:
        """Two coordinates that have one offset at most of the sizes."""
        import numpy as np

        places = self.places(m._coords, m._shape)[:PAIRS]
        if not places:  # those that are given are coordinates by dimension, these by mode
            return
        env, inside = self.environment(places, m._coords, m._shape, arrays, count)
        offset = Numeric(as_expr(m._raw), (*self.parts.names, *[c.name for c in m._coords]))
        try:
            at = _spread(offset(env)[0], inside.shape)
        except Unsafe:
            return
        coords = [_spread(env[c.name], inside.shape) for c in m._coords]
        hits: list[tuple[int, int, int, Any]] = []
        for a in range(len(places)):
            same = (at[a + 1 :] == at[a]) & inside[a] & inside[a + 1 :]
            apart: Any = np.zeros(same.shape, dtype=bool)
            for c in coords:
                apart |= c[a + 1 :] != c[a]
            same &= apart
            sums = same.sum(axis=1)
            for b in np.nonzero(sums)[0].tolist():
                hits.append((-int(sums[b]), a, a + 1 + b, same[b]))
        hits.sort(key=lambda x: x[:3])
        for _, a, b, flags in hits[:SHOWN]:
            for failure in _meeting(m, places[a], places[b]):
                yield failure, flags

    # -- coordinates written in sizes -------------------------

    def places(
        self, coords: Sequence[Symbol], shape: Sequence[Any], ends: bool = False
    ) -> list[tuple[Expr, ...]]:
        """Coordinates as expressions of sizes: numbers, corners, then the shortest."""
        if self.seen:
            return [p for p in self.seen if len(p) == len(coords)]
        key = (*coords, *shape, ends, *self.hints[:HINTS])
        if key not in self.known:
            each = [self.values(c, as_expr(d), ends) for c, d in zip(coords, shape)]
            short = shortest(each, PLACES, 8 * PLACES)
            first = [p for p in short if all(e.is_Integer for e in p)]
            first += islice(product(*[(as_expr(d) - 1, Integer(0)) for d in shape]), CORNERS)
            self.known[key] = list(dict.fromkeys([*first, *short]))
        return self.known[key]

    def values(self, c: Symbol, d: Expr, ends: bool) -> list[Expr]:
        """What the coordinate may be: ends of its range, edges of the tiles that it is divided by."""
        hits: dict[Expr, None] = {Integer(0): None, d - 1: None}
        if ends:
            return list(hits)
        hits[Integer(1)] = None
        hits.update(dict.fromkeys(self.hints[:HINTS]))
        own = {*self.parts.extents}
        for x, block, rest in self.parts.exchanges():
            if c in x.free_symbols:  # in the last block, where the other one has all of its bits
                hits.setdefault(block * FloorDiv(d, block) + rest)
                hits.setdefault(block * FloorDiv(d, block))
        divisors = (t for x, t in self.parts.divisions() if c in x.free_symbols)
        tiles = dict.fromkeys(t for t in divisors if not t.free_symbols & own)
        for t in tiles:
            hits.update(dict.fromkeys((t, t - 1, t * FloorDiv(d, t), FloorDiv(d, t))))
        hits.update(dict.fromkeys(Symbol(n) for n in self.parts.names[:4]))
        for s, _ in self.parts.strides():
            hits.setdefault(s)
            for other, _ in self.parts.strides():
                if other not in (s, 0):
                    hits.setdefault(FloorDiv(s, other))
        for shape in self.parts.shapes:
            for e in shape:
                hits.update(dict.fromkeys((e, e - 1) if e != d else ()))
        for e in self.parts.sizes:
            if not e.free_symbols & own and count_operations(e) <= (0, 1):
                hits.setdefault(e)
        most = ENDS + 2 * len(tiles) + len(self.hints[:HINTS])
        return list(islice((e for e in hits if not e.free_symbols & own), most))

    def environment(
        self,
        places: Sequence[tuple[Expr, ...]],
        coords: Sequence[Symbol],
        shape: Sequence[Any],
        arrays: Arrays,
        count: int,
    ) -> tuple[Arrays, Any]:
        """Sizes and coordinates as arrays, place by place, and which lie in the box."""
        import numpy as np

        names = self.parts.names
        known: dict[Expr, Any] = {}

        def at(e: Expr) -> Any:
            if e not in known:
                result, bad = Numeric(e, names)(arrays)
                result = np.where(np.broadcast_to(bad, (count,)), -1, result)
                known[e] = np.broadcast_to(result, (count,)).astype(np.int64)
            return known[e]

        inside: Any = np.ones((len(places), count), dtype=bool)
        env = {n: np.tile(c, len(places)) for n, c in arrays.items()}
        for k, (c, d) in enumerate(zip(coords, shape)):
            column = np.stack([at(p[k]) for p in places])
            inside &= (column >= 0) & (column < at(as_expr(d)))
            env[c.name] = np.where(inside, column, 0).ravel()
        return env, inside


def hints(branch: Sequence[Relation]) -> list[Expr]:
    """What the relations of a branch suggest for coordinates: sides, and where remainders begin."""
    hits: dict[Expr, None] = {}
    for r in branch:
        for e in (r.left, r.right):
            for x in sorted(e.atoms(Mod), key=str):
                a, b = x.args
                hits.update(dict.fromkeys((b * FloorDiv(a, b), x, FloorDiv(a, b))))
            if not e.is_Integer and not e.has(Mod):
                hits.setdefault(e)
                if r.left.is_Symbol and r.right.is_Symbol:
                    hits.setdefault(e - 1)
    return list(hits)


def _image(about: Any) -> TypeGuard[Places]:
    return isinstance(about, Places) and isinstance(about.map, IndexMap)


def _spread(values: Any, shape: tuple[int, ...]) -> Any:
    import numpy as np

    return np.broadcast_to(values, (shape[0] * shape[1],)).reshape(shape)


def shortest(each: list[list[Expr]], count: int, most: int) -> list[tuple[Expr, ...]]:
    """The shortest places with a value of each coordinate's, of no more than so many."""
    while prod(map(len, each)) > most:
        longest = max(range(len(each)), key=lambda k: len(each[k]))
        each[longest] = each[longest][:-1]
    measured = product(*[[(_length(e), e) for e in values] for values in each])
    results = sorted(measured, key=lambda place: sum([length for length, _ in place]))
    return [tuple([e for _, e in place]) for place in results[:count]]


def _length(e: Expr) -> int:
    return 0 if e.is_Integer else 1 + sum(count_operations(e))


def _inside(place: Sequence[Expr], shape: Sequence[Any]) -> Iterator[Relation]:
    for x, d in zip(place, shape):
        if not x.is_Integer:
            yield Relation(">=", x, Integer(0))
        yield Relation("<", x, as_expr(d))


def coordinate_list(place: Sequence[Expr]) -> str:
    """The coordinates for people."""
    return f"({', '.join(str(e).replace('%', ' % ') for e in place)}{',' * (len(place) == 1)})"


def _denial(g: Goal) -> str:
    """What is false, in words."""
    if g.op == MULTIPLE:
        return f"{g.right} does not divide {g.left}"
    return f"{g} is false"


def _opposites(op: str, a: Expr, b: Expr) -> Iterator[Relation]:
    """Relations each of which says that `a op b` is false."""
    if op == MULTIPLE:
        yield Relation("==", b, Integer(0))
        if b != 0:
            yield Relation(">", Mod(a, b), Integer(0))
            yield Relation("!=", Mod(a, b), Integer(0))
    elif op == "==":
        yield from (Relation(way, a, b) for way in ("<", ">", "!="))
    else:
        yield Relation(NEGATED[op], a, b)


def _broken(d: Any) -> Iterator[Failure]:
    """What breaks a demand that speaks of sizes alone."""
    if d.coords:
        return
    some = tuple(Relation(">=", as_expr(e), Integer(1)) for e in d.box)
    for x in d.divisors:
        yield Failure((*some, Relation("==", x, Integer(0))), f"{d.what} divides by {x}")
    if d.least is not None:
        r = Relation("<", as_expr(d.value), as_expr(d.least))
        yield Failure((*some, r), f"{d.what} {d.value} is less than {d.least}")


def counts(
    word: str, points: Any, places: Any, what: str, premises: Sequence[Relation] = ()
) -> Iterator[Failure]:
    """More places than points, or the other way round: then nothing is onto, or one to one."""
    for op, more in (("<", "fewer"), (">", "more")):
        if word == "bijective" or (word == "onto" and op == "<"):
            r = Relation(op, as_expr(points), as_expr(places))
            yield Failure((*premises, r), f"there are {more} {what} than places")


def _meeting(m: IndexMap, p: tuple[Expr, ...], q: tuple[Expr, ...]) -> Iterator[Failure]:
    """That two coordinates are different, in the box, and have the same offset."""
    one, other = (placed(as_expr(m._raw), dict(zip(m._coords, place))) for place in (p, q))
    if one is not None and other is not None:
        inside = (*_inside(p, m._shape), *_inside(q, m._shape))
        text = f"{coordinate_list(p)} and {coordinate_list(q)} have one offset"
        yield from apart(p, q, inside, [Relation("==", one, other)], text)


def apart(
    p: Sequence[Expr],
    q: Sequence[Expr],
    inside: Sequence[Relation],
    equal: Sequence[Relation],
    text: str,
) -> Iterator[Failure]:
    """That two places differ in one of their coordinates, and are alike all the same."""
    for x, y in zip(p, q):
        if x != y:
            for op in ("<", ">"):
                yield Failure((*inside, Relation(op, x, y), *equal), text)
