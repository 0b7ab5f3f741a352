"""The same bytes and holes in two buffers: searched over arrays, replayed in plain integers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import gcd, prod
from typing import Any, ClassVar

from symlayout.expr.arrays import each_once
from symlayout.expr.facts import Facts
from symlayout.expr.terms import as_expr, value
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.decide import map_names, offset_at
from symlayout.prove.image import REPLAYED
from symlayout.prove.mixed import mixed_digits
from symlayout.prove.search import (
    ARRAY_SAFE,
    Arrays,
    Found,
    Numeric,
    Unsafe,
    Work,
    as_arrays,
    environment,
    length,
    points,
    sides_of,
    sizes_of,
)
from symlayout.prove.verdict import Counterexample
from symlayout.text.once import cached_property

MOST_UNITS = 1 << 20  # occupied units of two buffers that are listed at a time
SORTING = 100  # steps of arithmetic that take as long as a unit in order


@dataclass(frozen=True)
class Same:
    """Two buffers are of one size, and elements occupy the same units of both."""

    first: IndexMap
    second: IndexMap
    facts: Facts
    kinds: ClassVar[frozenset[str]] = frozenset(["hole", "sizes"])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The sizes, with those of facts alone."""
        own = map_names(self.first, self.second)
        return tuple(dict.fromkeys([*own, *sorted(self.facts.names)]))

    @cached_property
    def unit(self) -> tuple[int, int]:
        """How many units an element of each has."""
        return units(self.first, self.second)

    @cached_property
    def both(self) -> tuple[tuple[IndexMap, int], ...]:
        """Each map with the units of its elements."""
        return tuple(zip((self.first, self.second), self.unit))

    def large(self, arrays: Arrays) -> bool:
        """Whether there are too many units to list."""
        shapes = [(sides_of(arrays, self.names, m._shape)[2], u) for m, u in self.both]
        return sum(float(u * volume.sum()) for volume, u in shapes) > MOST_UNITS

    def search(self, arrays: Arrays, work: Work | None = None) -> Found | None:
        """The first sizes at which bytes or holes differ, and the first such unit."""
        import numpy as np

        count = length(arrays)
        if self.large(arrays):
            if count == 1:
                return self.hole(sizes_of(arrays))
            both = np.array_split(range(count), 2)
            halves = ({n: c[at] for n, c in arrays.items()} for at in both)
            hits = (self.search(half, work) for half in halves)
            return next((f for f in hits if f is not None), None)
        totals = []
        for m, u in self.both:
            size, _ = Numeric(m._size, self.names)(arrays, work)
            totals.append(np.broadcast_to(np.asarray(size, dtype=np.int64) * u, (count,)))
        unlike = totals[0] != totals[1]
        stop = int(np.argmax(unlike)) if unlike.any() else count
        if stop:
            before = {n: c[:stop] for n, c in arrays.items()}
            places = [_places(m, before, self.names, work) for m, _ in self.both]
            ends = [int(e) * u for (_, at), u in zip(places, self.unit) for e in _ends(at)]
            low, high = min(ends), max(ends)
            span = high - low
            if max(-low, high, span * stop) > ARRAY_SAFE:
                raise Unsafe
            one, two = (_units(p, u, low, span) for p, u in zip(places, self.unit))
            if work is not None:
                work.numbers += SORTING * (len(one) + len(two))
            wrong = np.setxor1d(one, two, assume_unique=True)
            if len(wrong):
                n, at = divmod(int(wrong[0]), span)
                here = {k: int(c[n]) for k, c in arrays.items()}
                return Found(here, (at + low,), kind="hole")
        if stop < count:
            return Found({k: int(c[stop]) for k, c in arrays.items()}, (), kind="sizes")
        return None

    def hole(self, sizes: dict[str, int]) -> Found | None:
        """The same for one assignment with too many units to list: the least gaps, by the digits."""
        totals = [value(m._size, sizes) * u for m, u in self.both]
        if totals[0] != totals[1]:
            return Found(sizes, (), kind="sizes")
        digits = [mixed_digits(m, sizes) for m, _ in self.both]
        gaps = [None if d is None else d.gap() for d in digits]
        for gap, u in zip(gaps, self.unit):
            at = 0 if gap is None else gap * u
            hit = Found(sizes, (at,), kind="hole", first=False)
            if gap is not None and self.replay(hit) is not None:
                return hit
        raise Unsafe

    def replay(self, hit: Found) -> Counterexample | None:
        """Buffers of different sizes, or a unit that only one of them uses."""
        total = [value(m._size, hit.sizes) * u for m, u in self.both]
        if total[0] != total[1]:
            note = f"buffers of {total[0]} and {total[1]} units"
            return Counterexample(hit.sizes, (), total[0], total[1], note=note)
        if hit.kind != "hole":
            return None
        (at,) = hit.coords
        sides = [_has(m, at // u, hit.sizes) for m, u in self.both]
        if sides[0] == sides[1] or None in sides:
            return None
        words = ["an element" if s else "padding" for s in sides]
        note = f"at offset {at} the one buffer has {words[0]}, the other {words[1]}"
        return Counterexample(hit.sizes, (), words[0], words[1], note=note)


def units(a: IndexMap, b: IndexMap) -> tuple[int, int]:
    """How many units an element of each has, the unit being the largest that divides both."""
    if a.bits is None or b.bits is None:
        return 1, 1
    g = gcd(a.bits, b.bits)
    return a.bits // g, b.bits // g


def _places(
    m: IndexMap, arrays: Arrays, names: tuple[str, ...], work: Work | None = None
) -> tuple[Any, Any]:
    """The assignment and the offset of each element, also of those outside the buffer.

    They are listed, since a buffer may be far larger than what it holds.
    """
    import numpy as np

    m = m.apart_from(names)
    offset = Numeric(as_expr(m._raw), (*names, *[c.name for c in m._coords]))
    none = np.zeros(0, dtype=np.int64)
    owners, places, first = [none], [none], 0
    for window, batch in points(arrays, names, m._shape, whole=True):
        at = offset(environment(batch, m._coords), work)[0]
        places.append(np.broadcast_to(at, (len(batch.owner),)))
        owners.append(first + batch.owner)
        first += length(window)
    return np.concatenate(owners), np.concatenate(places)


def _ends(places: Any) -> tuple[int, int]:
    """The first place and the one behind the last, of no places 0 and 1."""
    return (int(places.min()), int(places.max()) + 1) if len(places) else (0, 1)


def _units(places: tuple[Any, Any], unit: int, low: int, span: int) -> Any:
    """The units that elements lie in, in order: `span` of them for each assignment, from `low` on."""
    import numpy as np

    owners, at = places
    every = each_once(owners * span + (at * unit - low))
    return (every[:, None] + np.arange(unit)).ravel()


def _has(m: IndexMap, offset: int, sizes: dict[str, int]) -> bool | None:
    """Whether an element lies at the offset: in plain integers, beyond a size in arrays, or in digits.

    None where that is not decided.
    """
    shape = [value(d, sizes) for d in m._shape]
    if prod(shape) <= REPLAYED:
        return any(offset_at(m, c, sizes) == offset for c in product(*[range(d) for d in shape]))
    if prod(shape) <= MOST_UNITS:
        return offset in _places(m, as_arrays(sizes), tuple(sizes))[1]
    digits = mixed_digits(m, sizes)
    return None if digits is None else digits.hit(offset)
