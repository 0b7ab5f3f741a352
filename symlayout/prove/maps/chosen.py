"""Points of index functions at which mistakes are likely, however many points there are.

The ends of ranges, where conditions and extremes turn, where quotients step and remainders repeat; and
points at which the result is that of another point.  Their equations are solved one variable at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from math import gcd

from symlayout.errors import LayoutError
from symlayout.expr.conditions import leaves
from symlayout.expr.terms import FloorDiv, Max, Min, Mod, Where, symbol, value
from symlayout.expr.tree import Add, Expr, Mul, Symbol, expand
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.maps.failures import is_inside
from symlayout.prove.maps.walk import Env, Walk
from symlayout.prove.search import Found
from symlayout.text.once import cached_property

POINTS = 1200  # of one function at one assignment
VALUES = 40  # of one variable
MET = 60  # points whose results others are to have
DEEP = 4  # applications inside one another that are solved

Point = tuple[int, ...]
Hits = dict[Point, Point]  # points with their results


def solve(e: Expr, x: Symbol, target: int, env: Env, deep: int = DEEP) -> Iterator[int]:
    """Values of a variable at, or beside, which an expression is that number.

    >>> from symlayout.expr.reader import read_expression
    >>> list(solve(read_expression("(x//8)*3 - N"), Symbol("x"), 0, {"N": 6}))
    [16, 23]
    """
    if e == x:
        yield target
        return
    if not deep or not e.has(x):
        return
    if isinstance(e, (Add, Mul)):
        for item, factor, rest in _linear(e, x):
            with suppress(LayoutError):
                slope = value(factor, env)
                if slope:
                    yield from solve(item, x, (target - value(rest, env)) // slope, env, deep - 1)
    elif isinstance(e, (FloorDiv, Mod)) and not e.args[1].has(x):
        with suppress(LayoutError):
            step = value(e.args[1], env)
            ends = (step * target, step * target + step - 1)
            for t in ends if isinstance(e, FloorDiv) else (target, target + step):
                yield from solve(e.args[0], x, t, env, deep - 1)
    elif isinstance(e, (Min, Max)):
        for part in e.args:
            yield from solve(part, x, target, env, deep - 1)
    elif isinstance(e, Where):
        for part in e.args[2:]:
            yield from solve(part, x, target, env, deep - 1)


@lru_cache(maxsize=512)
def _linear(e: Expr, x: Symbol) -> tuple[tuple[Expr, Expr, Expr], ...]:
    """(item, factor, rest) of a sum in which x occurs in one item alone, which has that factor."""
    plain = expand(e)
    own = [t for t in Add.make_args(plain) if t.has(x)]
    pairs = [_split(t, x) for t in own]
    if len({item for item, _ in pairs}) != 1 or pairs[0][0] == plain:
        return ()  # of several items, each depends on x
    rest = Add(*[t for t in Add.make_args(plain) if not t.has(x)])
    return ((pairs[0][0], Add(*[f for _, f in pairs]), rest),)


def _split(t: Expr, x: Symbol) -> tuple[Expr, Expr]:
    """The factors in which x occurs, and the others."""
    factors = Mul.make_args(t)
    return Mul(*[f for f in factors if f.has(x)]), Mul(*[f for f in factors if not f.has(x)])


class Chosen:
    """Some points of a function, at sizes of any magnitude."""

    def __init__(self, f: IndexFunction, others: Sequence[IndexFunction] = ()) -> None:
        self.f, self.walk = f, Walk(f)
        self.symbols = [symbol(v.name) for v in f.variables]
        names = [v.name for v in f.variables]
        # of the same variables: what happens to the one may happen to the other
        self.family = [f, *[g for g in others if g != f and names == [v.name for v in g.variables]]]

    @cached_property
    def turns(self) -> list[Expr]:
        """What is 0 or 1 where something changes."""
        guards = [f._guard for f in self.family if f._guard is not None]
        gaps = [leaf.right - leaf.left for guard in guards for leaf in leaves(guard)]
        every = [*[e for f in self.family for e in f._evaluated], *gaps]
        for node in {n for e in every for n in e.atoms(Min, Max, Where)}:
            a, b = node.args[:2]
            gaps.append(a - b)
        return list(dict.fromkeys(gaps))

    @cached_property
    def divisions(self) -> list[tuple[Expr, Expr]]:
        """(dividend, divisor) of each quotient and remainder."""
        every = [*[e for f in self.family for e in f._evaluated], *self.turns]
        nodes = {n for e in every for n in e.atoms(FloorDiv, Mod)}
        return [(n.args[0], n.args[1]) for n in sorted(nodes, key=str)]

    def values(self, k: int, env: Env, low: int, high: int) -> list[int]:
        """Values of a variable; `env` has sizes, and the variables before."""
        x, last = self.symbols[k], high - 1
        env = {**{s.name: 0 for s in self.symbols}, **env}
        hits = dict.fromkeys((last, low, low + 1, (low + high) // 2))
        for gap in self.turns:
            for t in (*solve(gap, x, 0, env), *solve(gap, x, 1, env)):
                hits.update(dict.fromkeys((t - 1, t, t + 1)))
        for p, d in self.divisions if len(hits) < VALUES else ():
            if d.has(x) or not p.has(x):
                continue
            with suppress(LayoutError):
                step = value(d, env)
                ends = [value(p, {**env, x.name: at}) for at in (low, last)]
                if step < 1:
                    continue
                for bound in (step, max(ends) // step * step):
                    for t in solve(p, x, bound, env):
                        hits.update(dict.fromkeys((t, t - 1)))
                slope = abs(value(expand(p).coeff(x, 1), env))
                hits.setdefault(low + step // gcd(slope or step, step))
        return [t for t in hits if low <= t < high][:VALUES]

    def points(self, sizes: Env, most: int = POINTS) -> Hits:
        """Points with their results; raises `Undefined` at one that has none."""
        self.walk.start(sizes)
        return dict(islice(self._from(dict(sizes), ()), most))

    def _from(self, env: Env, point: Point) -> Iterator[tuple[Point, Point]]:
        if not self.symbols:
            yield from self.walk.points(env, [1])
            return
        name, ends = self.walk.ends[len(point)]
        high, low = ends(env)
        for x in self.values(len(point), env, low, high) if low < high else ():
            if len(point) == len(self.symbols) - 1:
                yield from self.walk.row_by_row(env, point, x, x + 1, [2])
                continue
            env[name] = x
            yield from self._from(env, (*point, x))
            for later in self.symbols[len(point) + 1 :]:
                env.pop(later.name, None)
        env.pop(name, None)

    def at(self, point: Point, sizes: Env) -> Point | None:
        """The result at a point, if it is one."""
        with suppress(LayoutError):
            if self.f.has(point, sizes):
                return self.f.at(point, sizes)
        return None

    def meeting(self, place: Point, sizes: Env, bases: Sequence[Point]) -> Iterator[Point]:
        """Points whose result is that place: one variable is solved for, the others are at a base."""
        for base in bases:
            own = {**sizes, **dict(zip([x.name for x in self.symbols], base))}
            for k, x in enumerate(self.symbols):
                for t in solve(self.f._outputs[0], x, place[0], own):
                    point = (*base[:k], t, *base[k + 1 :])
                    if self.at(point, sizes) == place:
                        yield point


def failing(
    word: str, choices: list[Chosen], sizes: Env, most: int = POINTS
) -> tuple[Found | None, int]:
    """A failure of a claim at one of the points that are chosen, and how many these are.

    Raises `Undefined` where one of them has no value.
    """
    search = SEARCHES.get(word)
    if search is None:
        return None, 0
    hits = [c.points(sizes, most) for c in choices]
    return search(choices, hits, sizes), sum(map(len, hits))


Search = Callable[[list[Chosen], list[Hits], Env], Found | None]


def _outside(choices: list[Chosen], hits: list[Hits], sizes: Env) -> Found | None:
    box = choices[0].walk.sizes_of_box(sizes)
    points = (p for p, place in hits[0].items() if not is_inside(place, box))
    return next((Found(sizes, p, kind="outside", first=False) for p in points), None)


def _collision(choices: list[Chosen], hits: list[Hits], sizes: Env) -> Found | None:
    return _meeting(choices, hits, sizes, "collision")


def _meeting(
    choices: list[Chosen], hits: list[Hits], sizes: Env, kind: str = "meeting"
) -> Found | None:
    """Two points of one result: of those that are chosen, or that are found for the first of them."""
    ours, theirs, one = hits[0], hits[-1], kind == "collision"
    first: dict[Point, Point] = {}
    for p, place in ours.items():
        q = first.setdefault(place, p)
        if one and q != p:
            return Found(sizes, min(p, q), max(p, q), kind, False)
    for q, place in theirs.items() if not one else ():
        if place in first:
            return Found(sizes, first[place], q, kind, False)
    bases = list(theirs)[:: max(1, len(theirs) // 4)][:4]
    for p, place in islice(ours.items(), MET):
        for q in choices[-1].meeting(place, sizes, [*bases, p] if one else bases):
            if not one or q != p:
                pair = (min(p, q), max(p, q)) if one else (p, q)
                return Found(sizes, pair[0], pair[1], kind, False)
    return None


def _difference(choices: list[Chosen], hits: list[Hits], sizes: Env) -> Found | None:
    for here, other in ((hits[0], choices[-1]), (hits[-1], choices[0])):
        for p, place in here.items():
            if other.at(p, sizes) != place:
                return Found(sizes, p, kind="differ", first=False)
    return None


def _stray(choices: list[Chosen], hits: list[Hits], sizes: Env) -> Found | None:
    for kind, here, other in (("F", hits[0], choices[-1]), ("G", hits[-1], choices[0])):
        for p, place in here.items():
            if other.at(place, sizes) != p:
                return Found(sizes, p, kind=kind, first=False)
    return None


def _either(choices: list[Chosen], hits: list[Hits], sizes: Env) -> Found | None:
    return _outside(choices, hits, sizes) or _collision(choices, hits, sizes)


SEARCHES: dict[str, Search] = {
    "bounded": _outside,
    "injective": _collision,
    "bijective": _either,
    "valid": _either,
    "disjoint": _meeting,
    "equal": _difference,
    "inverse": _stray,
}
