"""The digits of a layout at given sizes, in plain numbers: collisions and gaps without a listing.

An offset is `start + sum(stride * digit)`.  Two digits collide where multiples of their strides meet;
where no carries occur, the digits of an offset are found from the largest stride down, and an offset
is hit exactly when the coordinates that they make lie inside of the shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd, prod
from typing import Any

from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly
from symlayout.digits.radix import decompose
from symlayout.digits.simplification import coordinate_atoms
from symlayout.errors import LayoutError
from symlayout.expr.terms import as_expr, substitute, value
from symlayout.expr.tree import Expr
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.search import Found, Numeric
from symlayout.text.once import cached_property

LISTED = 1 << 20  # offsets that are looked at one after the other
MULTIPLES = 8  # of a stride, that others are to make


@dataclass(frozen=True)
class Place:
    """One digit: the dimension and the weight in its coordinate, its stride (> 0) and its count."""

    dim: int
    weight: int
    stride: int
    count: int
    flipped: bool


@dataclass(frozen=True)
class Mixed:
    """A layout's offsets at given sizes; `still` are the steps of coordinates that change nothing."""

    shape: tuple[int, ...]
    size: int
    start: int
    digits: tuple[Place, ...]  # the largest stride first
    still: tuple[tuple[int, int], ...]
    whole: bool
    raw: Expr  # the offset that they make
    names: tuple[str, ...]  # of its coordinates

    @cached_property
    def unique(self) -> bool:
        """Whether no two digits' values have one offset: every stride exceeds what is below it."""
        reach = 1
        for d in reversed(self.digits):
            if d.stride < reach:
                return False
            reach += d.stride * (d.count - 1)
        return True

    @property
    def last(self) -> int:
        """The largest offset of the digits' box."""
        return self.start + sum(d.stride * (d.count - 1) for d in self.digits)

    def coordinates(self, values: Mapping[int, Any]) -> list[Any]:
        """The coordinates where the digits have these values, and 0 those that are not given."""
        hits: list[Any] = [0] * len(self.shape)
        for k, d in enumerate(self.digits):
            v = values.get(k, 0)
            hits[d.dim] = hits[d.dim] + d.weight * (d.count - 1 - v if d.flipped else v)
        return hits

    def inside(self, coords: list[int]) -> bool:
        """Whether such coordinates exist."""
        return all(0 <= c < n for c, n in zip(coords, self.shape))

    def lies(self, coords: list[int], offset: int) -> bool:
        """Whether these coordinates exist and have that offset: partial tiles are no full boxes."""
        return self.inside(coords) and value(self.raw, dict(zip(self.names, coords))) == offset

    # -- collisions -------------------------------------------------------------------------------

    def collision(self, sizes: dict[str, int]) -> Found | None:
        """Two coordinates with one offset, the first of them as early as it is easily found."""
        hits = []
        for one, other in self._meetings():
            a, b = self.coordinates(one), self.coordinates(other)
            another = a != b and self.inside(a)
            if another and self.lies(b, value(self.raw, dict(zip(self.names, a)))):
                first, second = sorted((tuple(a), tuple(b)))
                hits.append(Found(sizes, first, second, "collision", first=False))
        return min(hits, key=lambda f: (f.coords, f.other), default=None)

    def _meetings(self) -> list[tuple[dict[int, int], dict[int, int]]]:
        """Pairs of digits' values that have one offset."""
        hits: list[tuple[dict[int, int], dict[int, int]]] = []
        for k, d in enumerate(self.digits):
            for j, e in list(enumerate(self.digits))[k + 1 :]:
                g = gcd(d.stride, e.stride)
                if e.stride // g < d.count and d.stride // g < e.count:
                    hits.append(({k: e.stride // g}, {j: d.stride // g}))
            for many in range(1, min(MULTIPLES, d.count - 1) + 1):
                rest, table = many * d.stride, {}
                for j, e in list(enumerate(self.digits))[k + 1 :]:
                    table[j] = min(rest // e.stride, e.count - 1)
                    rest -= table[j] * e.stride
                if rest == 0:
                    hits.append(({k: many}, table))
        return hits

    def stillness(self, sizes: dict[str, int]) -> Found | None:
        """Two coordinates with one offset, where the offset does not depend on a coordinate."""
        zero = self.coordinates({})
        for dim, weight in self.still:
            other = [c + weight * (k == dim) for k, c in enumerate(zero)]
            if self.inside(zero) and self.inside(other):
                return Found(sizes, tuple(zero), tuple(other), "collision", first=False)
        return None

    # -- gaps -------------------------------------------------------------------------------------

    def hit(self, offset: int) -> bool | None:
        """Whether an element lies there; None where that is not decided."""
        if not self.start <= offset <= self.last:
            return False
        if self.unique:
            rest, values = offset - self.start, {}
            for k, d in enumerate(self.digits):
                values[k] = min(rest // d.stride, d.count - 1)
                rest -= values[k] * d.stride
            return rest == 0 and self.lies(self.coordinates(values), offset)
        if not self.whole:
            return None
        low, high = offset - self.start, self.last - offset  # the offsets of a box are symmetric
        return bool(self._sums[min(low, high)]) if min(low, high) < LISTED else None

    @cached_property
    def _sums(self) -> Any:
        """Which of the first numbers are sums of the strides, each so often as its count allows."""
        import numpy as np

        known = np.zeros(LISTED, dtype=bool)
        known[0] = True
        for d in self.digits:
            left, step = d.count - 1, 1
            while (step := min(step, left)) and d.stride * step < LISTED:
                known[d.stride * step :] |= known[: LISTED - d.stride * step].copy()
                left -= step
                step *= 2
        return known

    def gap(self) -> int | None:
        """An offset of [0, size) that nothing hits: the least, where it is among the first ones."""
        import numpy as np

        many = min(LISTED, self.size)
        rest = np.arange(many, dtype=np.int64) - self.start
        if self.unique and self.last < 2**62:
            hit, values = rest >= 0, {}
            for k, d in enumerate(self.digits):
                values[k] = np.clip(rest // d.stride, 0, d.count - 1)
                rest = rest - values[k] * d.stride
            hit &= rest == 0
            coords = self.coordinates(values)
            for c, n in zip(coords, self.shape):
                hit &= (c >= 0) & (c < n)
            env = {x: np.broadcast_to(c, (many,)) for x, c in zip(self.names, coords)}
            hit &= Numeric(self.raw, self.names)(env)[0] == np.arange(many)
        elif self.whole and not self.unique:
            hit = (rest >= 0) & (rest < LISTED) & self._sums[np.clip(rest, 0, LISTED - 1)]
            hit |= rest >= LISTED
        else:
            return None
        if not hit.all():
            return int(np.argmin(hit))
        later = [x for x in self._beyond() if many <= x < self.size and self.hit(x) is False]
        return min(later, default=None)

    def _beyond(self) -> list[int]:
        """Offsets of coordinates just beyond the shape, and the last one."""
        hits = [self.size - 1, self.last + 1]
        for dim, n in enumerate(self.shape):
            rest, offset = n, self.start
            for d in sorted((d for d in self.digits if d.dim == dim), key=lambda d: -d.weight):
                v = min(rest // d.weight, d.count - 1)
                rest -= v * d.weight
                offset += d.stride * (d.count - 1 - v if d.flipped else v)
            if rest == 0:
                hits.append(offset)
        return hits


def mixed_digits(m: IndexMap, sizes: Mapping[str, int]) -> Mixed | None:
    """The digits at those sizes; None where the offset is not linear in any."""
    try:
        shape = tuple(value(d, sizes) for d in m._shape)
        size = value(m._size, sizes)
        ctx = Context()
        env = coordinate_atoms(ctx, m._coords, shape)
        raw = as_expr(substitute(m._raw, sizes))
        f = ctx.resolve(ctx.poly(raw, env))
        radix = decompose(ctx, f)
    except (LayoutError, Undecided):
        return None
    if radix is None or not radix.start.is_constant or prod(shape) == 0:
        return None
    where = {a: (k, 1) for k, a in enumerate(ctx.boxes[-1]) if a is not None}
    digits = []
    for d in radix.digits:
        at = _where(ctx, d.atom, where)
        if at is None or not (d.stride.is_constant and d.count.is_constant):
            return None
        digits.append(Place(*at, d.stride.constant, d.count.constant, d.flipped))
    still = [_where(ctx, a, where) for a in radix.missing]
    moving = [d for d in digits if d.stride]
    if any(d.stride < 0 for d in digits) or None in still:
        return None
    steps = [s for s in still if s is not None]
    steps += [(d.dim, d.weight) for d in digits if not d.stride and d.count > 1]
    order = tuple(sorted(moving, key=lambda d: -d.stride))
    names = tuple(c.name for c in m._coords)
    return Mixed(shape, size, radix.start.constant, order, tuple(steps), radix.whole, raw, names)


def _where(ctx: Context, number: int, where: dict[int, tuple[int, int]]) -> tuple[int, int] | None:
    """The dimension of a digit and its weight in that coordinate."""
    if number in where:
        return where[number]
    info = ctx.atoms[number]
    root, first = (
        (info.definition[0], info.definition[1]) if info.kind == "window" else (info.root, number)
    )
    if root not in where or first not in ctx.roots[root].digits:
        return None
    weight: Poly = ctx.resolve(ctx.roots[root].weights[ctx.roots[root].digits.index(first)])
    return (where[root][0], weight.constant) if weight.is_constant else None
