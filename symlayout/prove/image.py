"""What is said of all offsets together: none twice, none left out, the same ones in two buffers.

Each is searched for over arrays, and replayed in plain integers, as the goals of a statement are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import Any, ClassVar, Protocol

from symlayout.expr.facts import Facts
from symlayout.expr.terms import as_expr, value
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import function_of
from symlayout.prove.decide import offset_at
from symlayout.prove.mixed import LISTED, mixed_digits
from symlayout.prove.search import (
    WHOLE,
    Arrays,
    Found,
    Numeric,
    Search,
    Unsafe,
    Work,
    all_offsets,
    environment,
    first_collision,
    length,
    points,
    sides_of,
    sizes_of,
)
from symlayout.prove.verdict import Counterexample
from symlayout.text.once import cached_property

FEW = 1 << 18  # coordinates of one assignment up to which digits at its sizes are not asked
REPLAYED = 20_000  # coordinates of which a replay looks at each in plain integers


class Image(Protocol):
    """A goal about all offsets of one or two maps."""

    @property
    def kinds(self) -> frozenset[str]:
        """Of what its search finds."""

    def search(self, arrays: Arrays, work: Work | None = None) -> Found | None:
        """The first assignment at which it fails; what that takes is added to the work."""

    def replay(self, hit: Found) -> Counterexample | None:
        """The failure by the maps' own definitions; None where it is none."""

    def large(self, arrays: Arrays) -> bool:
        """Whether it is one assignment, of so many coordinates that digits are asked."""


@dataclass(frozen=True)
class _OfMap:
    """A map, and the facts under which its offsets are looked at."""

    map: IndexMap
    facts: Facts

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The sizes, with those of facts alone."""
        return tuple(dict.fromkeys([*self.map.symbols, *sorted(self.facts.names)]))

    @cached_property
    def offset(self) -> Numeric:
        """The offset for arrays."""
        return Numeric(as_expr(self.map._raw), (*self.names, *[c.name for c in self.map._coords]))

    def offsets(self, batch: Any, work: Work | None) -> Any:
        """The offsets of a batch of coordinates."""
        import numpy as np

        return np.asarray(
            self.offset(environment(batch, self.map._coords), work)[0], dtype=np.int64
        )

    def large(self, arrays: Arrays, most: int = FEW) -> bool:
        """Whether it is one assignment, of so many coordinates that not all are listed."""
        volume = sides_of(arrays, self.names, self.map._shape)[2]
        return length(arrays) == 1 and bool(volume[0] > most)


class Once(_OfMap):
    """No two coordinates have one offset."""

    kinds: ClassVar[frozenset[str]] = frozenset(["collision"])

    def search(self, arrays: Arrays, work: Work | None = None) -> Found | None:
        """The first assignment at which two coordinates have one offset."""
        if not self.large(arrays, WHOLE):
            offsets = partial(self.offsets, work=work)
            return first_collision(arrays, self.names, self.map._shape, offsets)
        sizes = sizes_of(arrays)
        digits = mixed_digits(self.map, sizes)
        if digits is None:
            return self.at_chosen_points(sizes)
        return digits.stillness(sizes) or digits.collision(sizes)

    def at_chosen_points(self, sizes: dict[str, int]) -> Found | None:
        """A collision of a few points; raises `Unsafe` where there is none: others may collide."""
        from symlayout.prove.maps.chosen import Chosen, failing

        hit, _ = failing("injective", [Chosen(function_of(self.map))], sizes)
        if hit is None:
            raise Unsafe
        return hit

    def replay(self, hit: Found) -> Counterexample | None:
        """Both coordinates have the same offset."""
        if hit.other is None:
            return None
        left = offset_at(self.map, hit.coords, hit.sizes)
        right = offset_at(self.map, hit.other, hit.sizes)
        if left != right or hit.coords == hit.other:
            return None
        note = f"{hit.coords} and {hit.other} both have the offset {left}"
        return Counterexample(hit.sizes, hit.coords, left, right, hit.other, note)


class Hit(_OfMap):
    """Every offset of [0, size) is that of a coordinate."""

    kinds: ClassVar[frozenset[str]] = frozenset(["gap"])

    @cached_property
    def whole(self) -> Numeric:
        """The size for arrays."""
        return Numeric(self.map._size, self.names)

    def search(self, arrays: Arrays, work: Work | None = None) -> Found | None:
        """The first assignment at which an offset is left out."""
        import numpy as np

        count, shape = length(arrays), self.map._shape
        sizes = np.broadcast_to(np.asarray(self.whole(arrays, work)[0], dtype=np.int64), (count,))
        if self.large(arrays):
            return self.large_gap(arrays, int(sizes[0]), work)
        short = sides_of(arrays, self.names, shape)[2] < sizes  # fewer elements: surely a gap
        stop = int(np.argmax(short)) + 1 if short.any() else count
        window = {n: c[:stop] for n, c in arrays.items()}
        done = 0
        for part, batch in points(window, self.names, shape, whole=True):
            many = length(part)
            values = np.broadcast_to(self.offsets(batch, work), (len(batch.owner),))
            starts = np.searchsorted(batch.owner, np.arange(many + 1))
            for n in range(many):
                missing = first_gap(values[starts[n] : starts[n + 1]], int(sizes[done + n]))
                if missing is not None:
                    sizes_here = {k: int(c[n]) for k, c in part.items()}
                    return Found(sizes_here, (missing,), kind="gap")
            done += many
        return None

    def large_gap(self, arrays: Arrays, size: int, work: Work | None) -> Found | None:
        """A gap of one assignment: by its digits, or from a list of all offsets."""
        sizes = sizes_of(arrays)
        digits = mixed_digits(self.map, sizes)
        missing = None if digits is None else digits.gap()
        if missing is not None:
            return Found(sizes, (missing,), kind="gap", first=missing < LISTED)
        offsets = partial(self.offsets, work=work)
        missing = first_gap(all_offsets(arrays, self.names, self.map._shape, offsets), size)
        return None if missing is None else Found(sizes, (missing,), kind="gap")

    def replay(self, hit: Found) -> Counterexample | None:
        """No coordinate has the offset, which is in the buffer."""
        if hit.kind != "gap":
            return None
        (missing,) = hit.coords
        shape = [value(d, hit.sizes) for d in self.map._shape]
        if prod(shape) <= REPLAYED:
            for point in product(*[range(d) for d in shape]):
                if offset_at(self.map, point, hit.sizes) == missing:
                    return None
        elif prod(shape) > WHOLE:  # else the search itself has seen every coordinate
            digits = mixed_digits(self.map, hit.sizes)
            if digits is None or digits.hit(missing) is not False:
                return None
        size = value(self.map._size, hit.sizes)
        note = f"no coordinate has the offset {missing} of [0, {size})"
        return Counterexample(hit.sizes, (), missing, None, note=note)


def first_gap(values: Any, size: int) -> int | None:
    """The least offset of [0, size) that is not among the values."""
    import numpy as np

    reach = min(max(size, 0), len(values) + 1)  # of so many, one is not hit, or it is all
    hit = np.zeros(reach, dtype=bool)
    hit[values[(values >= 0) & (values < reach)]] = True
    return None if hit.all() else int(np.argmin(hit))


def first_of(arrays: Arrays, searches: Sequence[Search], work: Work | None) -> Found | None:
    """The earliest assignment that one of the searches finds, the first one's where several do."""
    hits = [f for f in (search(arrays, work) for search in searches) if f is not None]
    order: list[tuple[int, ...]] = list(zip(*[c.tolist() for c in arrays.values()])) or [()]
    return min(hits, key=lambda f: order.index(tuple(f.sizes.values())), default=None)


def any_of(arrays: Arrays, searches: Sequence[Search], work: Work | None) -> Found | None:
    """What the first of the searches finds that finds anything, in an assignment that is large."""
    for search in searches:
        with suppress(Unsafe):
            hit = search(arrays, work)
            if hit is not None:
                return hit
    return None
