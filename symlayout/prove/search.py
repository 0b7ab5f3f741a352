"""Counterexamples: small sizes first, vectorised, always the same one.

The order is the one that "smallest" means: the least product of the sizes (one of 0 counts as 1, so
that finitely many come before any other), then the sizes in the order of the symbols' first
appearance, then the coordinates in row-major order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import prod
from operator import add, mul
from typing import Any, NamedTuple

from symlayout.expr.arrays import STEPS, Operand, Program, program
from symlayout.expr.facts import Domain, Facts
from symlayout.expr.terms import Size, symbols_in
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.text.once import cached_property

ARRAY_SAFE = 2**62
BATCH = 1 << 13  # points evaluated at a time: arrays that fit in the cache, and on the heap
MOST = 1 << 20  # assignments listed at a time ...
MOST_NUMBERS = 1 << 22  # ... and sizes of them all
WHOLE = 1 << 24  # coordinates of one assignment that are all looked at; of more, some are chosen
GRID = 1 << 14  # how many of them
CORNERED = 4  # dimensions of a box of which all corners are looked at
BLOCK = 1 << 16  # coordinates at a time where all of one assignment are listed
SPARSE = 4  # an offset is looked up in a table where that is at most so many times as long
FIRST_PRODUCT = 16
GROWTH = 4
SHORTEST = 1 << 8  # products up to which lists of assignments are remembered
SHORT = 1 << 12  # products above which a step lists half as many again: arrays stay small

FEW = 1 << 16  # assignments that facts of long numbers are asked about exactly
SLOW = 500_000  # steps of one expression that are taken in integers of any size
CALL = 500  # numbers: what a step costs however few it is taken for

Arrays = dict[str, Any]


class Unsafe(Exception):
    """A value might leave 64 bits: the search cannot go on with arrays."""


@dataclass
class Work:
    """Numbers that steps have been taken for, as a search counts them: long formulas cost more."""

    numbers: int = 0


class Numeric:
    """An expression compiled for arrays of symbols' values; division by zero is flagged.

    What could leave 64 bits on its way is computed in Python's integers, as long as that is not much.
    A result that does leave them is `Unsafe`: no value is ever wrong.
    """

    def __init__(self, e: Expr | int, names: Sequence[str]) -> None:
        self.expr = Integer(e) if isinstance(e, int) else e
        self.known = names
        self.spare = SLOW

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The symbols that occur."""
        used = {s.name for s in symbols_in(self.expr)}
        return tuple(n for n in self.known if n in used)

    @cached_property
    def program(self) -> Program:
        """The straight-line program, made on first use: most claims are proved without it."""
        return program(self.expr)

    @cached_property
    def short(self) -> bool:
        """Whether the numbers that are written in the program are short ones."""
        operands = [x for s in self.program.steps for x in (s.left, s.right)]
        numbers = [x for x in (*operands, self.program.result) if isinstance(x, int)]
        return all(abs(x) <= ARRAY_SAFE for x in numbers)

    @cached_property
    def run(self) -> Callable[..., Any]:
        """The compiled program."""
        return _program(self.expr, self.names)

    def __call__(self, env: Arrays, work: Work | None = None) -> tuple[Any, Any]:
        """The values and where they are undefined; `Unsafe` when one could leave 64 bits.

        What that takes is added to the work.
        """
        import numpy as np

        e = self.expr
        if type(e) is Symbol:
            return env[e.name], False
        if type(e) is Integer and abs(e.p) <= ARRAY_SAFE:
            return e.p, False
        if all(len(env[n]) for n in self.names) and not self.safe(env):
            return self.slowly(env)
        if work is not None:
            many = max((len(env[n]) for n in self.names), default=1)
            work.numbers += len(self.program.steps) * (many + CALL)
        return self.run(np, *[env[n] for n in self.names])  # type: ignore[no-any-return]

    def slowly(self, env: Arrays) -> tuple[Any, Any]:
        """In integers of any size, for so many steps; `Unsafe` where a result has more than 64 bits."""
        import numpy as np

        self.spare -= len(self.program.steps) * max((len(env[n]) for n in self.names), default=1)
        if self.spare < 0:
            raise Unsafe
        values, bad = self.exact(env)
        results = np.asarray(values, dtype=object)
        if results.size and (results.max() > ARRAY_SAFE or results.min() < -ARRAY_SAFE):
            raise Unsafe
        return results.astype(np.int64), np.asarray(bad, dtype=bool)

    def exact(self, env: Arrays) -> tuple[Any, Any]:
        """The same in integers of any size, slowly."""
        import numpy as np

        try:
            return self.run(np, *[env[n].astype(object) for n in self.names])  # type: ignore[no-any-return]
        except OverflowError:  # a power of two that nobody computes with
            raise Unsafe from None

    def safe(self, env: Arrays) -> bool:
        """Whether no intermediate value can leave 64 bits for these arrays."""
        if not self.short:
            return False
        reach: dict[Operand, int] = {n: _reach(env[n]) for n in self.names}
        for target, op, left, right, _ in self.program.steps:
            a = abs(left) if isinstance(left, int) else reach[left]
            b = abs(right) if isinstance(right, int) else reach[right]
            top = REACH[op](a, b) if op in REACH else _top(op, a, b, isinstance(right, int))
            if top > ARRAY_SAFE:
                return False
            reach[target] = top
        return True


def _reach(numbers: Any) -> int:
    """How far from 0 the numbers of an array are."""
    return max(-int(numbers.min()), int(numbers.max()), 0)


# how far from 0 an operation's value is, of two numbers which are so far from 0
REACH: dict[str, Callable[[int, int], int]] = {"+": add, "-": add, "*": mul}


def _top(op: str, a: int, b: int, fixed: bool) -> int:
    """The same for any operation, at most twice what is safe; `fixed` is a divisor that is written."""
    row = STEPS[op]
    low = b if fixed and row.form == "quotient" else 0 if 1 in row.natural else -b
    ends = ((-a, a), (low, min(b, 64) if op == "<<" else b))
    return int(min(max(map(abs, row.interval(*ends[: row.arity]))), 2 * ARRAY_SAFE))


@lru_cache(maxsize=1024)
def _program(e: Expr, names: tuple[str, ...]) -> Callable[..., Any]:
    """The compiled program of an expression, made once for all searches."""
    return program(e).python(names, guarded=True)


@dataclass
class Space:
    """The sizes over which a claim ranges: their names in order of appearance, and the facts."""

    names: tuple[str, ...]
    facts: Facts
    complete: bool = field(default=False, init=False)  # all assignments have been listed

    def assignments(self, limit: int, after: int = 0, work: Work | None = None) -> Iterator[Arrays]:
        """Assignments with after < product <= limit, smallest first, as arrays in batches.

        A size of 0 counts as 1 in the limit, so that each batch is finite.  `Unsafe` for a limit
        beyond 64 bits.
        """
        if limit >= 2 * ARRAY_SAFE:  # products of sizes would not be numbers of 64 bits
            raise Unsafe
        domains = tuple([self.facts.domain(name) for name in self.names])
        listing = _remembered_listing if limit <= SHORTEST else _listing
        columns, count, cut = listing(domains, limit, after)
        if not cut:
            self.complete = True
        env = dict(zip(self.names, columns))
        keep: Any = None
        for r in self.facts.loose.relations:
            true = self._holds(r, env, count, work)
            keep = true if keep is None else keep & true
        if keep is not None:
            env, count = {n: c[keep] for n, c in env.items()}, int(keep.sum())
        if count:
            yield env

    def _holds(self, relation: Any, env: Arrays, count: int, work: Work | None) -> Any:
        import numpy as np

        from symlayout.expr.facts import COMPARE

        sides = [Numeric(e, self.names) for e in (relation.left, relation.right)]
        try:
            (left, bad), (right, worse) = [side(env, work) for side in sides]
        except Unsafe:
            if count > FEW:
                raise
            (left, bad), (right, worse) = [side.exact(env) for side in sides]
        truth = COMPARE[relation.op](left, right) & ~np.asarray(bad) & ~np.asarray(worse)
        return np.broadcast_to(truth, (count,))


def _listing(
    domains: tuple[Domain, ...], limit: int, after: int
) -> tuple[tuple[Any, ...], int, bool]:
    """Values of the sizes with after < product <= limit, in order, and how many assignments.

    Whether there are more beyond the limit comes last.
    """
    import numpy as np

    bound = np.ones(1, dtype=np.int64)
    columns: list[Any] = []
    cut, ordered = False, True
    for k, domain in enumerate(domains):
        rest = prod(other.magnitude for other in domains[k + 1 :])
        values, whole = _values(domain, limit // rest)
        cut = cut or not whole
        ordered = ordered and not (len(values) and values.min() < 0)
        sizes = np.maximum(np.abs(values), 1)
        ends = np.searchsorted(sizes, limit // rest // bound, side="right")
        if int(ends.sum()) > min(MOST, MOST_NUMBERS // len(domains)):
            raise Unsafe
        cut = cut or bool((ends < len(values)).any())
        begins = np.zeros(len(bound), dtype=np.int64)
        if k == len(domains) - 1:  # what the product exceeds already is not listed
            begins = np.searchsorted(sizes, after // bound, side="right")
        allowed = ends - begins
        rows = np.repeat(np.arange(len(bound)), allowed)
        first_of_row = np.cumsum(allowed) - allowed - begins
        cols = np.arange(len(rows)) - np.repeat(first_of_row, allowed)
        columns = [*(c[rows] for c in columns), values[cols]]
        bound = bound[rows] * sizes[cols]
    if not domains:
        bound = bound[bound > after]
    # the rows stand in the order of their sizes, unless some are negative
    keys = (bound,) if ordered else (*reversed(columns), bound)
    order = np.lexsort(keys)
    return tuple([c[order] for c in columns]), len(order), cut


# short lists are those of most claims, whatever their sizes are called
_remembered_listing = lru_cache(maxsize=64)(_listing)


def _values(d: Domain, top: int) -> tuple[Any, bool]:
    """The allowed values of one size up to a limit, smallest first, and whether these are all."""
    import numpy as np

    if max(d.first, d.modulus) > ARRAY_SAFE:
        raise Unsafe
    first, stop = d.first, top if d.last is None else min(d.last, top)
    if first < -top:
        first += (-top - first + d.modulus - 1) // d.modulus * d.modulus
    values = np.arange(first, min(stop, first + d.modulus * MOST) + 1, d.modulus)
    if first < 0:
        values = values[np.argsort(np.maximum(np.abs(values), 1), kind="stable")]
    return values, first == d.first and stop == d.last


def products(base: int, limit: int) -> Iterator[tuple[int, int]]:
    """(after, limit) pairs that grow from `base` to `limit`."""
    low, high = 0, min(max(FIRST_PRODUCT, base), limit)
    while True:
        yield low, high
        if high >= limit:
            return
        low, high = high, min(high * GROWTH if high < SHORT else high + high // 2, limit)


class Points(NamedTuple):
    """A batch of points: for each the assignment it belongs to, sizes and coordinates."""

    owner: Any
    env: Arrays
    coords: list[Any]
    rank: int


Failing = Callable[[Points], Any]


Starts = Mapping[int, Callable[[Arrays], Any]]


def sides_of(
    arrays: Arrays,
    names: Sequence[str],
    shape: Sequence[Size],
    starts: Starts | None = None,
    work: Work | None = None,
) -> tuple[list[Any], list[Any], Any]:
    """For each dimension the first coordinate and how many there are, and the number of points."""
    import numpy as np

    count = length(arrays)
    sides, lows = [], []
    volume = np.ones(count, dtype=np.float64)
    for k, d in enumerate(shape):
        side, _ = Numeric(d, names)(arrays, work)
        side = np.full(count, max(side, 0)) if isinstance(side, int) else np.maximum(side, 0)
        low = starts[k](arrays) if starts and k in starts else np.zeros(count, dtype=np.int64)
        sides.append(side - low)
        lows.append(low)
        volume *= sides[-1]
    return lows, sides, volume


def points(
    arrays: Arrays,
    names: Sequence[str],
    shape: Sequence[Size],
    most: int = BATCH,
    starts: Starts | None = None,
    whole: bool = False,
) -> Iterator[tuple[Arrays, Points]]:
    """The coordinates of every assignment in row-major order, several assignments to a batch.

    An assignment with more than `most` coordinates comes in parts, if not `whole`; `starts` gives
    for some dimensions the first coordinate (0 elsewhere).
    """
    import numpy as np

    count = length(arrays)
    offsets, sides, volume = sides_of(arrays, names, shape, starts)
    start = 0
    while start < count:
        reach = np.cumsum(volume[start:])
        stop = start + max(1, int(np.searchsorted(reach, most, side="right")))
        part = slice(start, stop)
        total = int(volume[part].sum())
        step = most if stop == start + 1 and not whole else max(total, 1)
        for low in range(0, max(total, 1), step):
            window = {n: c[part] for n, c in arrays.items()}
            high = min(total, low + step)
            rows, ends = ([x[part] for x in columns] for columns in (offsets, sides))
            yield window, _expand(window, rows, ends, low, high)
        start = stop


def _expand(window: Arrays, offsets: list[Any], sides: list[Any], low: int, high: int) -> Points:
    import numpy as np

    counts = np.ones(len(sides[0]) if sides else max(1, length(window)), dtype=np.int64)
    for s in sides:
        counts = counts * s
    first = counts.cumsum() - counts
    if low or high < counts.sum():  # a part of the one assignment
        counts, first = np.array([high - low]), np.array([-low])
    owner = np.arange(len(counts)).repeat(counts)
    number = np.arange(len(owner)) - first.repeat(counts)
    env = {n: c.repeat(counts) for n, c in window.items()}
    coords: list[Any] = []
    for k in range(len(sides) - 1, -1, -1):
        rest = number
        if k:
            number, rest = np.divmod(number, np.maximum(sides[k], 1).repeat(counts))
        coords.append(rest + offsets[k].repeat(counts) if offsets[k].any() else rest)
    return Points(owner, env, coords[::-1], len(sides))


def corners(arrays: Arrays, names: Sequence[str], shape: Sequence[Size]) -> Points:
    """Of each assignment's coordinates the first, the next, and the last, in all directions."""
    import numpy as np

    _, sides, volume = sides_of(arrays, names, shape)
    some = np.nonzero(volume)[0] if len(sides) <= CORNERED else np.zeros(0, dtype=np.int64)
    ends = [(0 * s, np.minimum(s - 1, 1), s - 1) for s in (side[some] for side in sides)]
    places = list(product(*ends))
    owner = np.tile(some, len(places))
    env = {n: c[owner] for n, c in arrays.items()}
    coords = [np.concatenate([place[k] for place in places]) for k in range(len(sides))]
    return Points(owner, env, coords, len(sides))


def length(window: Arrays) -> int:
    """How many assignments the arrays hold; one where there is no size at all."""
    return len(next(iter(window.values()))) if window else 1


def free_starts(
    shape: Sequence[Size], others: Sequence[Expr | int], facts: Facts
) -> dict[int, Callable[[Arrays], Any]]:
    """Dimensions of which only the last coordinates need looking at.

    When the size S of a dimension is a symbol that nothing else speaks of, a failure at a coordinate
    below the next smaller allowed S is a failure at that S already.
    """
    used = [s.name for e in others for s in symbols_in(e)]  # free_symbols visits shared parts again
    used += [s.name for d in shape if not isinstance(d, int) for s in d.free_symbols]
    used += [n for r in facts.loose.relations for n in r.names]
    free: dict[int, Callable[[Arrays], Any]] = {}
    for k, d in enumerate(shape):
        if isinstance(d, Symbol) and used.count(d.name) == 1:
            free[k] = _previous(d.name, facts)
    return free


def _previous(name: str, facts: Facts) -> Callable[[Arrays], Any]:
    domain = facts.domain(name)

    def start(arrays: Arrays) -> Any:
        import numpy as np

        values = arrays[name]
        return np.where(values > domain.first, np.maximum(values - domain.modulus, 0), 0)

    return start


class Found(NamedTuple):
    """A failing point: the sizes, the coordinates, and for a collision the other coordinates."""

    sizes: dict[str, int]
    coords: tuple[int, ...]
    other: tuple[int, ...] | None = None
    kind: str = "point"  # "collision" of two points, "gap": coords is the offset that nothing hits
    first: bool = True  # whether all coordinates before it have been looked at


# the first assignment at which something fails; what that takes is added to the work, if any
Search = Callable[[Arrays, Work | None], Found | None]


def first_failing(
    arrays: Arrays,
    names: Sequence[str],
    shape: Sequence[Size],
    failing: Failing,
    starts: Starts | None = None,
) -> Found | None:
    """The first point, in order, at which `failing` is true.

    Of an assignment with more than `WHOLE` coordinates, the first ones and a grid are looked at.
    """
    import numpy as np

    lows, sides, volume = sides_of(arrays, names, shape, starts)
    huge = length(arrays) == 1 and volume[0] > WHOLE
    arguments = places(arrays, lows, sides) if huge else points(arrays, names, shape, starts=starts)
    for part, (window, batch) in enumerate(arguments):
        if not len(batch.owner):
            continue
        wrong = np.broadcast_to(failing(batch), (len(batch.owner),))
        if wrong.any():
            n = int(np.argmax(wrong))
            sizes = _sizes(window, int(batch.owner[n]))
            return Found(sizes, _coords(batch, n), first=not (huge and part))
    return None


def places(
    arrays: Arrays, lows: Sequence[Any], sides: Sequence[Any]
) -> Iterator[tuple[Arrays, Points]]:
    """Coordinates of one assignment that has too many: the first ones, then a grid of all sides.

    The grid has ends, middles and powers of two of each side, as many as fit in `GRID` points.
    """
    import numpy as np

    counts = [int(s[0]) for s in sides]
    number = np.arange(BATCH, dtype=np.int64)
    coords: list[Any] = []
    for count, low in zip(reversed(counts), reversed(lows)):
        coords.append(number % count + low[0])
        number = number // count
    owner = np.zeros(BATCH, dtype=np.int64)
    inside = number == 0
    coords = [c[inside] for c in reversed(coords)]
    env = {n: np.broadcast_to(c, (len(owner),)) for n, c in arrays.items()}
    yield arrays, Points(owner[inside], {n: c[inside] for n, c in env.items()}, coords, len(sides))
    each = max(3, int(GRID ** (1 / max(1, sum(c > 1 for c in counts)))))
    axes = [np.array(_spread(c, each), dtype=np.int64) + low[0] for c, low in zip(counts, lows)]
    many = int(np.prod([len(a) for a in axes]))
    for start in range(0, min(many, 4 * GRID), BATCH):
        number = np.arange(start, min(start + BATCH, many), dtype=np.int64)
        owner = np.zeros(len(number), dtype=np.int64)
        env = {n: np.broadcast_to(c, (len(owner),)) for n, c in arrays.items()}
        picked: list[Any] = []
        for axis in reversed(axes):
            picked.append(axis[number % len(axis)])
            number = number // len(axis)
        yield arrays, Points(owner, env, picked[::-1], len(sides))


def _spread(count: int, most: int) -> list[int]:
    """Some numbers of [0, count), in order: ends, the middle, and what lies at powers of two."""
    targets = [0, count - 1, 1, count // 2, count - 2]
    for k in range(1, count.bit_length()):
        targets += [2**k, 2**k - 1, count - 2**k]
    return sorted(dict.fromkeys([c for c in targets if 0 <= c < count][:most]))


def first_collision(
    arrays: Arrays, names: Sequence[str], shape: Sequence[Size], offsets: Callable[[Points], Any]
) -> Found | None:
    """The first coordinate whose offset another one has too, with the first such other one."""
    import numpy as np

    if length(arrays) == 1:
        return _collision_of_one(arrays, names, shape, offsets)
    for window, batch in points(arrays, names, shape, whole=True):
        if not len(batch.owner):
            continue
        values = np.broadcast_to(offsets(batch), (len(batch.owner),))
        first = _first_twin(batch.owner, values)
        if first is None:
            continue
        owner = int(batch.owner[first])
        twins = np.nonzero((values == values[first]) & (batch.owner == owner))[0]
        one, other = (_coords(batch, int(t)) for t in twins[:2])
        return Found(_sizes(window, owner), one, other, "collision")
    return None


def _collision_of_one(
    arrays: Arrays, names: Sequence[str], shape: Sequence[Size], offsets: Callable[[Points], Any]
) -> Found | None:
    """The same for one assignment, block by block: the last coordinate of each offset is noted."""
    import numpy as np

    result = all_offsets(arrays, names, shape, offsets)
    if not len(result):
        return None
    low = int(result.min())
    span = int(result.max()) - low + 1
    if span > SPARSE * len(result) + BATCH:
        order = np.argsort(result, kind="stable")
        twins = np.nonzero(np.diff(result[order]) == 0)[0]
        first = int(order[twins].min()) if len(twins) else None
    else:
        last = np.zeros(span, dtype=np.int32)
        for start in range(0, len(result), BLOCK):
            block = result[start : start + BLOCK] - low
            last[block] = np.arange(start, start + len(block), dtype=np.int32)
        first = None
        for start in range(0, len(result), BLOCK):
            block = result[start : start + BLOCK] - low
            early = last[block] != np.arange(start, start + len(block))
            if early.any():
                first = start + int(np.argmax(early))
                break
    if first is None:
        return None
    other = first + 1 + int(np.argmax(result[first + 1 :] == result[first]))
    _, sides, _ = sides_of(arrays, names, shape)
    pair = [_at_number(n, [int(s[0]) for s in sides]) for n in (first, other)]
    return Found(_sizes(arrays, 0), pair[0], pair[1], "collision")


def all_offsets(
    arrays: Arrays, names: Sequence[str], shape: Sequence[Size], offsets: Callable[[Points], Any]
) -> Any:
    """The offsets of every coordinate of one assignment, in row-major order, as short as they fit."""
    import numpy as np

    volume = float(sides_of(arrays, names, shape)[2][0])
    if volume > WHOLE:
        raise Unsafe
    result = np.empty(int(volume), dtype=np.int32)
    done = 0
    for _, batch in points(arrays, names, shape, most=BLOCK):
        values = np.broadcast_to(offsets(batch), (len(batch.owner),))
        if result.dtype == np.int32 and len(values) and max(values.max(), -values.min()) >= 2**31:
            result = result.astype(np.int64)
        result[done : done + len(values)] = values
        done += len(values)
    return result


def _at_number(number: int, sides: Sequence[int]) -> tuple[int, ...]:
    """The coordinates with that row-major number."""
    hits = []
    for side in reversed(sides):
        number, at = divmod(number, side)
        hits.append(at)
    return tuple(reversed(hits))


def _first_twin(owner: Any, values: Any) -> int | None:
    """The first point whose value another point of the same owner has too."""
    import numpy as np

    low = int(values.min())
    span = int(values.max()) - low + 1
    if span * (int(owner[-1]) + 1) < 8 * len(values) + 1024:
        keys = owner * span + (values - low)
        twice = np.bincount(keys)[keys] > 1
        return int(np.argmax(twice)) if twice.any() else None
    order = np.lexsort((values, owner))
    same = (np.diff(values[order]) == 0) & (np.diff(owner[order]) == 0)
    if not same.any():
        return None
    return int(min(order[:-1][same].min(), order[1:][same].min()))


def sizes_of(arrays: Arrays) -> dict[str, int]:
    """The sizes of the first assignment."""
    return _sizes(arrays, 0)


def _sizes(window: Arrays, n: int) -> dict[str, int]:
    return {name: int(c[n]) for name, c in window.items()}


def _coords(batch: Points, n: int) -> tuple[int, ...]:
    return tuple(int(c[n]) for c in batch.coords)


def environment(batch: Points, coords: Sequence[Any]) -> Arrays:
    """The arrays of sizes and coordinates by symbol name."""
    return {**batch.env, **{c.name: a for c, a in zip(coords, batch.coords)}}


def as_arrays(sizes: Mapping[str, int]) -> Arrays:
    """One assignment as arrays of length 1; `Unsafe` where a size is beyond them."""
    import numpy as np

    if any(abs(v) > ARRAY_SAFE for v in sizes.values()):
        raise Unsafe
    return {n: np.array([v], dtype=np.int64) for n, v in sizes.items()}
