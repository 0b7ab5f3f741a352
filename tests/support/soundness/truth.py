"""What each claim word means, in plain integers: where it fails, and how it fails first.

A claim fails where it is undefined (a negative extent, a tile below 1, a division by zero) or false.
`fails` answers for many sizes at once; `first` for one assignment of sizes tells what a verdict must
show there: the first failing coordinates in row-major order and both values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from soundness.arithmetic import (
    Env,
    array_of,
    comparisons,
    evaluate,
    holds,
    integers,
    largest,
    least,
    names_in,
    undefined,
)
from soundness.layouts import Layout, Tiled

EXACT = ""  # a name in an assignment that asks for integers of any size instead of 64 bits
MOST = 400_000  # elements of one assignment; a counterexample with more is not replayed
MOST_SIDE = 2**62  # of what is counted


class TooMany(Exception):
    """One assignment has more elements than are looked at."""


class Any_:
    """What a verdict shows there is not fixed."""


ANY = Any_()


@dataclass(frozen=True)
class Failure:
    """What a refutation must show at its sizes; ANY where the claim leaves it open."""

    coords: Any = ()
    left: Any = ANY
    right: Any = ANY
    other: Any = None


@dataclass(frozen=True)
class Truth(ABC):
    """A claim's meaning.  `names` are its sizes in order."""

    names: tuple[str, ...]

    def undefined(self, env: Env, count: int) -> Any:
        """For each assignment whether the claim means nothing."""
        return np.zeros(count, dtype=bool)

    def open(self, env: Env, count: int) -> Any:
        """For each assignment whether the definitions leave it open: those are not judged."""
        return np.zeros(count, dtype=bool)

    @abstractmethod
    def false(self, env: Env, count: int) -> Any:
        """For each assignment at which the claim is defined whether it is false."""

    def fails(self, env: Env, count: int) -> Any:
        """For each assignment whether the claim is undefined or false."""
        made = np.array(self.undefined(env, count), dtype=bool)
        good = np.nonzero(~made)[0]
        if len(good):
            made[good] = self.false({n: v[good] for n, v in env.items()}, len(good))
        return made

    def shown(self, env: Env) -> Failure:
        """What a counterexample shows at one assignment at which the claim fails."""
        if self.undefined(env, 1)[0]:
            return Failure(ANY, ANY, ANY, ANY)
        return self.first(env)

    def first(self, env: Env) -> Failure:
        """How it fails at one assignment at which it is false."""
        return Failure()

    def volume(self, env: Env, count: int) -> Any:
        """About how many elements each assignment has."""
        return np.ones(count)


# -- elements of many assignments at once --------------------------------------------


@dataclass(frozen=True)
class Elements:
    """All coordinates of all assignments, each assignment's in row-major order."""

    owner: Any
    coords: list[Any]
    env: Env
    count: int

    @staticmethod
    def of(sides: Sequence[Any], env: Env, count: int) -> Elements:
        """Those of shapes with these sizes."""
        # a side of more than 64 bits is too many all the same, where no other is 0
        ends = [
            np.asarray(np.clip(np.asarray(s), -MOST_SIDE, MOST_SIDE)).astype(np.int64)
            for s in sides
        ]
        many = [np.broadcast_to(s, (count,)) for s in ends]
        volume = np.ones(count, dtype=np.float64)
        for s in many:
            volume = volume * np.maximum(s, 0)
        if volume.max(initial=0) > MOST:
            raise TooMany
        total = volume.astype(np.int64)
        owner = np.repeat(np.arange(count), total)
        number = np.arange(len(owner)) - np.repeat(np.cumsum(total) - total, total)
        coords = []
        for s in reversed(many):
            side = s[owner]
            coords.append(number % np.maximum(side, 1))
            number = number // np.maximum(side, 1)
        if EXACT in env:
            coords = [c.astype(object) for c in coords]
        return Elements(owner, coords[::-1], {n: v[owner] for n, v in env.items()}, count)

    @staticmethod
    def chosen(places: Sequence[Sequence[int]], rank: int, env: Env) -> Elements:
        """Some places of one assignment."""
        owner = np.zeros(len(places), dtype=np.int64)
        coords = [np.array([p[k] for p in places], dtype=object) for k in range(rank)]
        return Elements(owner, coords, {n: v[owner] for n, v in env.items()}, 1)

    def any(self, wrong: Any) -> Any:
        """For each assignment whether any of its elements is wrong."""
        wrong = np.broadcast_to(np.asarray(wrong, dtype=bool), self.owner.shape)
        return np.bincount(self.owner[wrong], minlength=self.count) > 0

    def at(self, n: int) -> tuple[int, ...]:
        """The coordinates of element n."""
        return tuple(int(c[n]) for c in self.coords)

    def offsets(self, a: Layout) -> Any:
        """The layout's offsets."""
        return np.broadcast_to(a.offsets(self.coords, self.env), self.owner.shape)


def elements(a: Layout, env: Env, count: int) -> Elements:
    """The elements of a layout."""
    return Elements.of(a.sides(env), env, count)


def full(x: Any, count: int) -> Any:
    """One value for each assignment."""
    return np.broadcast_to(array_of(x), (count,))


def first_of(claim: OfLayouts, env: Env) -> Failure:
    """The first place at which two values are wrong, and the values."""
    here = Elements.of(claim.box(env), env, 1)
    found = claim.compared(here, env)
    assert found is not None
    x, y, wrong = (np.broadcast_to(v, here.owner.shape) for v in found)
    n = int(np.argmax(wrong))
    return Failure(here.at(n), int(x[n]), int(y[n]))


def total(a: Layout, env: Env, count: int) -> Any:
    """The number of elements."""
    return full(prod(a.sides(env)), count)


def keyed(owner: Any, values: Any) -> Any:
    """One integer for each pair of an assignment and a value."""
    values = np.asarray(values)
    if not len(values):
        return values.astype(np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low < 2**40 and low > -(2**60) and high < 2**60:
        values = values.astype(np.int64)
    else:  # so far apart that their ranks are taken instead
        values = np.unique(values, return_inverse=True)[1]
        low = 0
    return owner * (int(values.max()) - low + 1) + values - low


@dataclass(frozen=True)
class OfLayouts(Truth):
    """A claim about one layout or two."""

    a: Layout

    @property
    def layouts(self) -> list[Layout]:
        return [a for a in (self.a, getattr(self, "b", None)) if a is not None]

    def undefined(self, env: Env, count: int) -> Any:
        return full(
            np.logical_or.reduce([full(a.undefined(env), count) for a in self.layouts]), count
        )

    def open(self, env: Env, count: int) -> Any:
        found = [full(a.broken(env) & a.empty(env), count) for a in self.layouts]
        return np.logical_or.reduce(found)

    def box(self, env: Env) -> list[Any]:
        """The sizes of the places that the claim is about, in the order of a counterexample."""
        return self.a.sides(env)

    def compared(self, here: Elements, env: Env) -> tuple[Any, Any, Any] | None:
        """Both values at every place, and where they are wrong; None where it is more than places."""
        return None

    def volume(self, env: Env, count: int) -> Any:
        sides = [np.maximum(full(s, count).astype(np.float64), 0) for s in self.a.sides(env)]
        return full(prod(sides), count)


# -- two layouts --------------------------------------------


@dataclass(frozen=True)
class Equal(OfLayouts):
    """Same shape, same offsets."""

    b: Layout

    def unlike(self, env: Env, count: int) -> Any:
        if len(self.a.dims) != len(self.b.dims):
            return np.ones(count, dtype=bool)
        made = np.zeros(count, dtype=bool)
        for x, y in zip(self.a.sides(env), self.b.sides(env)):
            made |= full(np.not_equal(x, y), count)
        return made

    def compared(self, here: Elements, env: Env) -> tuple[Any, Any, Any]:
        x, y = here.offsets(self.a), here.offsets(self.b)
        return x, y, np.not_equal(x, y)

    def false(self, env: Env, count: int) -> Any:
        unlike = self.unlike(env, count)
        if len(self.a.dims) != len(self.b.dims):
            return unlike
        here = elements(self.a, env, count)
        return unlike | here.any(self.compared(here, env)[2])

    def first(self, env: Env) -> Failure:
        if self.unlike(env, 1)[0]:
            return Failure()
        return first_of(self, env)


@dataclass(frozen=True)
class Formula(OfLayouts):
    """The written expression is the offset; what divides by zero is not."""

    written: str
    coords: tuple[tuple[str, ...], ...]  # for each coordinate its names in the expression
    c: bool

    def values(self, here: Elements) -> tuple[Any, Any]:
        """The expression at every place, and where it has no value."""
        named = {n: c for names, c in zip(self.coords, here.coords) for n in names}
        made, bad = evaluate(self.written, {**here.env, **named}, c=self.c)
        return np.broadcast_to(made, here.owner.shape), np.broadcast_to(bad, here.owner.shape)

    def compared(self, here: Elements, env: Env) -> tuple[Any, Any, Any]:
        x, (y, bad) = here.offsets(self.a), self.values(here)
        return x, y, np.not_equal(x, y) | bad

    def false(self, env: Env, count: int) -> Any:
        here = elements(self.a, env, count)
        return here.any(self.compared(here, env)[2])

    def first(self, env: Env) -> Failure:
        here = elements(self.a, env, 1)
        x, y, wrong = self.compared(here, env)
        n = int(np.argmax(wrong))
        return Failure(here.at(n), int(x[n]), ANY if self.values(here)[1][n] else int(y[n]))


@dataclass(frozen=True)
class Bitcast(OfLayouts):
    """Row-major number by row-major number the same place; sizes and bits agree."""

    b: Layout
    perm: tuple[int, ...] | None

    def unlike(self, env: Env, count: int) -> Any:
        if None not in (self.a.bits, self.b.bits) and self.a.bits != self.b.bits:
            return np.ones(count, dtype=bool)
        counts = np.not_equal(total(self.a, env, count), total(self.b, env, count))
        return counts | full(np.not_equal(self.a.size(env), self.b.size(env)), count)

    def pairs(self, env: Env, count: int) -> tuple[Elements, Any, Elements, Any]:
        order = self.perm or tuple(range(len(self.a.dims)))
        sides = self.a.sides(env)
        left = Elements.of([sides[p] for p in order], env, count)
        back = [left.coords[order.index(k)] for k in range(len(order))]
        x = np.broadcast_to(self.a.offsets(back, left.env), left.owner.shape)
        right = elements(self.b, env, count)
        return left, x, right, right.offsets(self.b)

    def false(self, env: Env, count: int) -> Any:
        unlike = np.array(self.unlike(env, count))
        like = np.nonzero(~unlike)[0]
        left, x, _, y = self.pairs({n: v[like] for n, v in env.items()}, len(like))
        made = unlike.copy()
        made[like] = left.any(np.not_equal(x, y))
        return made

    def first(self, env: Env) -> Failure:
        if self.unlike(env, 1)[0]:
            return Failure()
        left, x, right, y = self.pairs(env, 1)
        n = int(np.argmax(np.not_equal(x, y)))
        return Failure(left.at(n), int(x[n]), int(y[n]), right.at(n))


@dataclass(frozen=True)
class Reinterpret(OfLayouts):
    """The same units of the two buffers hold elements; a unit divides both elements."""

    b: Layout

    def units(self) -> tuple[int, int]:
        if self.a.bits is None or self.b.bits is None:
            return 1, 1
        g = int(np.gcd(self.a.bits, self.b.bits))
        return self.a.bits // g, self.b.bits // g

    def taken(self, a: Layout, unit: int, env: Env, count: int) -> tuple[Any, Any]:
        """(assignment, unit) of every unit that an element lies in, also outside the buffer."""
        here = elements(a, env, count)
        at = here.offsets(a)
        units = np.repeat(at, unit) * unit + np.tile(np.arange(unit), len(at))
        return np.repeat(here.owner, unit), units

    def false(self, env: Env, count: int) -> Any:
        u, v = self.units()
        made = full(np.not_equal(self.a.size(env) * u, self.b.size(env) * v), count).copy()
        (p, x), (q, y) = self.taken(self.a, u, env, count), self.taken(self.b, v, env, count)
        owner = np.concatenate([p, q])
        keys = keyed(owner, np.concatenate([x, y]))
        only = np.setxor1d(keys[: len(p)], keys[len(p) :])
        made[owner[np.isin(keys, only)]] = True
        return made


# -- one layout --------------------------------------------


@dataclass(frozen=True)
class Injective(OfLayouts):
    """No offset twice."""

    def false(self, env: Env, count: int) -> Any:
        here = elements(self.a, env, count)
        _, first = np.unique(keyed(here.owner, here.offsets(self.a)), return_index=True)
        distinct = np.bincount(here.owner[first], minlength=count)
        return np.bincount(here.owner, minlength=count) != distinct

    def first(self, env: Env) -> Failure:
        here = elements(self.a, env, 1)
        at = here.offsets(self.a)
        _, back, times = np.unique(at, return_inverse=True, return_counts=True)
        n = int(np.argmax(times[back] > 1))
        m = n + 1 + int(np.argmax(at[n + 1 :] == at[n]))
        return Failure(here.at(n), int(at[n]), int(at[n]), here.at(m))


@dataclass(frozen=True)
class Onto(OfLayouts):
    """Every offset of [0, size) is hit."""

    def volume(self, env: Env, count: int) -> Any:
        return np.maximum(super().volume(env, count), full(self.a.size(env), count).astype(float))

    def hit(self, env: Env, count: int) -> Any:
        """How many different offsets of [0, size) are hit."""
        here = elements(self.a, env, count)
        at = here.offsets(self.a)
        inside = (at >= 0) & (at < full(self.a.size(env), count)[here.owner])
        _, first = np.unique(keyed(here.owner[inside], at[inside]), return_index=True)
        return np.bincount(here.owner[inside][first], minlength=count)

    def false(self, env: Env, count: int) -> Any:
        return self.hit(env, count) < full(self.a.size(env), count)

    def first(self, env: Env) -> Failure:
        here = elements(self.a, env, 1)
        hit = {int(x) for x in here.offsets(self.a)}
        return Failure(
            (), next(x for x in range(int(full(self.a.size(env), 1)[0])) if x not in hit)
        )


@dataclass(frozen=True)
class Bounded(OfLayouts):
    """0 <= offset < limit."""

    limit: str | None

    def undefined(self, env: Env, count: int) -> Any:
        made = super().undefined(env, count)
        if self.limit is not None:
            made = made | (undefined(self.limit, env) & ~full(self.a.empty(env), count))
        return full(made, count)

    def open(self, env: Env, count: int) -> Any:
        made = super().open(env, count)
        if self.limit is not None:
            made = made | (undefined(self.limit, env) & full(self.a.empty(env), count))
        return full(made, count)

    def top(self, env: Env) -> Any:
        return self.a.size(env) if self.limit is None else integers(self.limit, env)

    def compared(self, here: Elements, env: Env) -> tuple[Any, Any, Any]:
        at, top = here.offsets(self.a), full(self.top(env), here.count)[here.owner]
        return at, top, (at < 0) | (at >= top)

    def false(self, env: Env, count: int) -> Any:
        here = elements(self.a, env, count)
        return here.any(self.compared(here, env)[2])

    def first(self, env: Env) -> Failure:
        return first_of(self, env)


@dataclass(frozen=True)
class Several(OfLayouts):
    """All of several claims about one layout: bijective, valid."""

    parts: tuple[Truth, ...]

    def false(self, env: Env, count: int) -> Any:
        return np.logical_or.reduce([p.false(env, count) for p in self.parts])

    def volume(self, env: Env, count: int) -> Any:
        return np.maximum.reduce([p.volume(env, count) for p in self.parts])

    def ways(self, env: Env) -> list[Failure]:
        """The first failure of each part that fails."""
        return [p.first(env) for p in self.parts if p.false(env, 1)[0]]

    def first(self, env: Env) -> Failure:
        return Failure(self.ways(env), ANY, ANY, ANY)


@dataclass(frozen=True)
class Aligned(OfLayouts):
    """Every row along `dim` begins at a multiple of so many bytes."""

    dim: int | None
    bytes: str

    def undefined(self, env: Env, count: int) -> Any:
        bad = undefined(self.bytes, env) | np.less(integers(self.bytes, env), 0)
        bad = bad & ~full(self.a.empty(env), count)
        return super().undefined(env, count) | bad

    def open(self, env: Env, count: int) -> Any:
        bad = undefined(self.bytes, env) | np.less(integers(self.bytes, env), 1)
        return super().open(env, count) | (bad & full(self.a.empty(env), count))

    def box(self, env: Env) -> list[Any]:
        sides = self.a.sides(env)
        if self.dim is not None:
            sides[self.dim] = least(sides[self.dim], 1)
        return sides

    def compared(self, here: Elements, env: Env) -> tuple[Any, Any, Any]:
        at = here.offsets(self.a)
        step = full(integers(self.bytes, env), here.count)[here.owner]
        off = np.not_equal(at * self.a.bits % largest(step * 8, 1), 0)
        return at, step, off | (step < 1)

    def false(self, env: Env, count: int) -> Any:
        here = Elements.of(self.box(env), env, count)
        return here.any(self.compared(here, env)[2])

    def first(self, env: Env) -> Failure:
        found, step = first_of(self, env), int(full(integers(self.bytes, env), 1)[0])
        return Failure(
            found.coords, found.left if step else step
        )  # no row is a multiple of 0 bytes


@dataclass(frozen=True)
class Padding(OfLayouts):
    """size <= ratio * elements."""

    ratio: Fraction

    def false(self, env: Env, count: int) -> Any:
        size = full(self.a.size(env), count)
        return self.ratio.denominator * size > self.ratio.numerator * total(self.a, env, count)

    def first(self, env: Env) -> Failure:
        return Failure((), int(full(self.a.size(env), 1)[0]), int(total(self.a, env, 1)[0]))

    def volume(self, env: Env, count: int) -> Any:
        return np.ones(count)


@dataclass(frozen=True)
class Bytes(OfLayouts):
    """size * bits, rounded up to whole bytes, is the expression."""

    expression: str

    def undefined(self, env: Env, count: int) -> Any:
        return super().undefined(env, count) | full(undefined(self.expression, env), count)

    def volume(self, env: Env, count: int) -> Any:
        return np.ones(count)

    def both(self, env: Env, count: int) -> tuple[Any, Any]:
        assert self.a.bits is not None
        size = full(self.a.size(env), count)
        return -(-size * self.a.bits // 8), full(integers(self.expression, env), count)

    def false(self, env: Env, count: int) -> Any:
        return np.not_equal(*self.both(env, count))

    def first(self, env: Env) -> Failure:
        x, y = self.both(env, 1)
        return Failure((), int(x[0]), int(y[0]))


@dataclass(frozen=True)
class TilesDivide(OfLayouts):
    """Every tile of an XLA layout divides what it tiles."""

    def volume(self, env: Env, count: int) -> Any:
        return np.ones(count)

    def false(self, env: Env, count: int) -> Any:
        assert isinstance(self.a, Tiled)
        return ~full(self.a.divides(env), count).astype(bool)


# -- tiles --------------------------------------------


@dataclass(frozen=True)
class Tiles(OfLayouts):
    """offset of a tile's first element + offset within the tile == the element's own offset.

    `tile` are sizes (then the tile keeps the whole's blocks and strides) or a layout; `corner` is
    the one tile that is meant, None: all of the grid.
    """

    tile: tuple[str, ...] | Layout
    corner: tuple[str, ...] | None

    @property
    def inner(self) -> tuple[str, ...]:
        return self.tile.dims if isinstance(self.tile, Layout) else self.tile

    @property
    def layouts(self) -> list[Layout]:
        return [self.a, self.tile] if isinstance(self.tile, Layout) else [self.a]

    def undefined(self, env: Env, count: int) -> Any:
        made = super().undefined(env, count)
        for t in self.inner:
            made = made | full(undefined(t, env) | np.less(integers(t, env), 1), count)
        for t, d in zip(self.inner, self.a.room(env)):  # a tile is part of its layout
            larger = np.less(d, integers(t, env)) & ~self.a.empty(env)
            made = made | full(larger, count)
        for c, d in zip(self.corner or (), self.a.sides(env)):
            at = integers(c, env)
            made = made | full(undefined(c, env) | np.less(at, 0) | np.less_equal(d, at), count)
        return made

    def open(self, env: Env, count: int) -> Any:
        made = super().open(env, count)
        if self.corner is not None:  # no corner lies in an empty array
            made = made | full(self.a.empty(env), count)
        return made

    def setting(self, env: Env) -> tuple[list[Any], list[Any]]:
        """Tile sizes, and the numbers of tiles (none for a single tile)."""
        sizes = [largest(integers(t, env), 1) for t in self.inner]
        if self.corner is not None:
            return sizes, []
        return sizes, [-(-d // t) for d, t in zip(self.a.sides(env), sizes)]

    def volume(self, env: Env, count: int) -> Any:
        sizes, grid = self.setting(env)
        many = [np.maximum(full(n, count).astype(np.float64), 0) for n in (*sizes, *grid)]
        return full(prod(many), count)

    def box(self, env: Env) -> list[Any]:
        sizes, grid = self.setting(env)
        return [*grid, *sizes]

    def compared(self, here: Elements, env: Env) -> tuple[Any, Any, Any]:
        sizes, _ = self.setting(env)
        place = here.coords[-len(sizes) :]
        if self.corner is None:
            widths = [full(t, here.count)[here.owner] for t in sizes]
            corner = [g * t for g, t in zip(here.coords, widths)]
        else:
            corner = [integers(c, here.env) for c in self.corner]
        index = [c + k for c, k in zip(corner, place)]
        inside: Any = np.ones(here.owner.shape, dtype=bool)
        for x, d in zip(index, self.a.sides(here.env)):
            inside = inside & (x < d)
        start = self.a.offsets(corner, here.env)
        if isinstance(self.tile, Layout):
            moved = self.tile.offsets(place, here.env)
        else:
            zero = [0 * k for k in place]
            moved = self.a.offsets(place, here.env) - self.a.offsets(zero, here.env)
        x, y = np.asarray(start + moved), self.a.offsets(index, here.env)
        return x, y, np.not_equal(x, y) & inside

    def false(self, env: Env, count: int) -> Any:
        here = Elements.of(self.box(env), env, count)
        return here.any(self.compared(here, env)[2])

    def first(self, env: Env) -> Failure:
        return first_of(self, env)


# -- no layouts --------------------------------------------


@dataclass(frozen=True)
class Divides(Truth):
    """The expression d divides the expression x; 0 divides nothing."""

    d: str
    x: str

    def false(self, env: Env, count: int) -> Any:
        return ~holds(f"({self.x}) % ({self.d}) == 0", env, count)


@dataclass(frozen=True)
class Relations(Truth):
    """Every one of some relations is true: holds, and the demands of broadcasts, instructions."""

    needs: tuple[str, ...]

    def false(self, env: Env, count: int) -> Any:
        made = np.zeros(count, dtype=bool)
        for r in self.needs:
            made |= ~np.logical_or.reduce([holds(case, env, count) for case in r.split(" or ")])
        return made

    def first(self, env: Env) -> Failure:
        return Failure(())


@dataclass(frozen=True)
class AtRunTime(Relations):
    """Relations some of whose names run time tells: some values of these make all of them true.

    Such a name is in sums alone, and in no equation twice.  Where no integers do, the claim is false;
    where only negative ones do, it is left open.
    """

    later: tuple[str, ...]

    def solved(self, env: Env, count: int) -> tuple[Any, Any]:
        """For each assignment whether no values do, and whether no natural ones."""
        known, needs = dict(env), list(self.needs)
        wrong, negative = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        while True:
            unknown = {
                n: [x for x in self.later if x in names_in(n) and x not in known] for n in needs
            }
            need = next((n for n in needs if len(unknown[n]) < 2), None)
            if need is None:
                return wrong, wrong | negative  # what is left has several names, each of any value
            needs.remove(need)
            if not unknown[need]:
                wrong |= ~holds(need, known, count)
                continue
            ((left, _, right),), (name,) = comparisons(need), unknown[need]
            apart = [
                full(integers(f"({left}) - ({right})", {**known, name: k}), count) for k in (0, 1)
            ]
            known[name] = -apart[0] * (apart[1] - apart[0])  # the slope is 1 or -1
            negative |= known[name] < 0

    def open(self, env: Env, count: int) -> Any:
        wrong, negative = self.solved(env, count)
        return negative & ~wrong

    def false(self, env: Env, count: int) -> Any:
        return self.solved(env, count)[1]


@dataclass(frozen=True)
class Fits(OfLayouts):
    """No value on the way through the code that is emitted in Python leaves so many bits."""

    lines: tuple[tuple[str, str], ...]  # (name, expression) in order
    coords: tuple[str, ...]
    bits: int

    def false(self, env: Env, count: int) -> Any:
        here = elements(self.a, env, count)
        named = {**here.env, **dict(zip(self.coords, here.coords))}
        limit = 2 ** (self.bits - 1)
        wrong: Any = np.zeros(here.owner.shape, dtype=bool)

        def watch(x: Any) -> None:
            nonlocal wrong
            wrong = wrong | (np.asarray(x) >= limit) | (np.asarray(x) < -limit)

        for name, text in self.lines:
            named[name], _ = evaluate(text, named, c=False, watch=watch)
        return here.any(wrong)

    def first(self, env: Env) -> Failure:
        return Failure(ANY, ANY, ANY, ANY)


def order_of(*layouts: Layout) -> tuple[str, ...]:
    """The layouts' sizes in the order in which they are written."""
    made: dict[str, None] = {}
    for a in layouts:
        words = names_in(a.text)
        made.update(
            dict.fromkeys(
                sorted(
                    names_in(*a.dims, *a.texts()),
                    key=lambda n: words.index(n) if n in words else len(words),
                )
            )
        )
    return tuple(made)
