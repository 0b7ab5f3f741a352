"""Two dumps of one program: what got larger, which layouts changed, which copies came or went.

Buffers are matched by what made them in the program (`op_name`) and by element type and sizes;
names of instructions change from one compilation to the next.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.buffers import buffers, byte_size, own_arrays
from symlayout.programs.hlo.memory import Footprint, footprint
from symlayout.programs.hlo.metadata import op_name
from symlayout.programs.hlo.module import Module
from symlayout.text.lines import columns, count
from symlayout.text.patterns import regex

NUMBER = regex(r"(?:\.\d+|\.clone|\.remat\d*)+$")
SHOWN = 12
COUNTS = ("bytes", "wasted", "peak", "needed")
Key = tuple[str, str]


@dataclass(frozen=True)
class Change:
    """Buffers of one origin and one array: the layouts and the bytes before and after.

    A side is empty where there is no such buffer.
    """

    origin: str
    array: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    bytes_before: int
    bytes_after: int

    @property
    def grown(self) -> int:
        """How many bytes more there are."""
        return self.bytes_after - self.bytes_before


@dataclass(frozen=True)
class Difference:
    """What differs between two modules, the largest changes first."""

    before: Footprint
    after: Footprint
    changes: tuple[Change, ...]
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()

    @property
    def wasted(self) -> tuple[int, int]:
        """The bytes of padding before and after."""
        spaces = (side.spaces.values() for side in (self.before, self.after))
        first, second = (sum(s.wasted for s in theirs) for theirs in spaces)
        return first, second

    @property
    def unsized(self) -> tuple[int, int]:
        """How many arrays have no size in bytes before and after; none of the changes is about them."""
        return self.before.unsized, self.after.unsized

    def as_json(self) -> dict[str, Any]:
        """The difference as JSON can hold it."""
        return {
            "schema": 1,
            "before": self.before.as_json(),
            "after": self.after.as_json(),
            "wasted": {"before": self.wasted[0], "after": self.wasted[1]},
            "changes": [{**asdict(c), "grown": c.grown} for c in self.changes],
            "copies": {"came": list(self.came), "went": list(self.went)},
        }

    def lines(self, top: int = SHOWN) -> Iterator[str]:
        """The difference for people: at most `top` changes, and as many copies of a kind."""
        rows: list[tuple[str, ...]] = [("space", *COUNTS)]
        for space in sorted({*self.before.spaces, *self.after.spaces}):
            a, b = self.before.spaces.get(space), self.after.spaces.get(space)
            called = next((side.called for side in (a, b) if side is not None), "")
            cells = (_arrow(getattr(a, k, None), getattr(b, k, None)) for k in COUNTS)
            rows.append((f"S({space}) {called}".rstrip(), *cells))
        yield from columns(rows)
        if self.before.unsized or self.after.unsized:
            yield f"without arrays whose sizes are no numbers: {_arrow(*self.unsized)}"
        yield f"moved to change layouts: {_arrow(self.before.moved, self.after.moved)} bytes"
        for c in self.changes[:top]:
            yield f"{c.grown:+,} bytes  {c.array} of {c.origin or 'no known origin'}"
            yield f"    {_tally(c.before) or 'not there'} -> {_tally(c.after) or 'gone'}"
        yield from _cut(len(self.changes), top, "change")
        for word, hits in (("came", self.came), ("went", self.went)):
            yield from (f"copy {word}: {line}" for line in hits[:top])
            yield from _cut(len(hits), top, f"copy that {word}", f"copies that {word}")


def _cut(number: int, top: int, *words: str) -> Iterator[str]:
    """How many of what was not shown, and how to see it."""
    if number > top:
        yield f"... and {count(number - top, *words)} more: --top {number} shows all"


def _arrow(a: int | None, b: int | None) -> str:
    one, two = ("-" if n is None else f"{n:,}" for n in (a, b))
    return one if one == two else f"{one} -> {two}"


def _tally(layouts: tuple[str, ...]) -> str:
    numbers = Counter(layouts)
    return ", ".join(f"{n} x {text}" if n > 1 else text for text, n in numbers.items())


def difference(before: Module, after: Module) -> Difference:
    """What differs between two modules of one program.

    >>> from symlayout.programs.hlo.reader import read_module
    >>> text = "ENTRY e { x = f32[8,1]{1,0:T(8,128)} parameter(0) }"
    >>> other = "ENTRY e { x = f32[8,1]{0,1:T(1,128)} parameter(0) }"
    >>> [c.grown for c in difference(read_module(text), read_module(other)).changes]
    [-3584]
    """
    first, second = _groups(before), _groups(after)
    changes = []
    for key in {**first, **second}:
        a, b = first.get(key, []), second.get(key, [])
        old, new = (tuple(sorted(_layouts(side))) for side in (a, b))
        if old != new or len(a) != len(b):
            changes.append(Change(*key, old, new, _bytes(a), _bytes(b)))
    changes.sort(key=lambda c: (-abs(c.grown), c.array, c.origin))
    sides = footprint(before), footprint(after)
    copies = [[f"{t.source} to {t.target} ({t.bytes:,} bytes)" for t in f.traffic] for f in sides]
    return Difference(
        *sides,
        tuple(changes),
        tuple(_without(copies[1], copies[0])),
        tuple(_without(copies[0], copies[1])),
    )


def _groups(module: Module) -> dict[Key, list[Shape]]:
    """The buffers by origin and array; without an origin by the instruction's name."""
    hits: dict[Key, list[Shape]] = defaultdict(list)
    for i in buffers(module):
        for shape in own_arrays(i):
            if byte_size(shape) is not None:
                origin = op_name(i) or NUMBER.sub("", i.name)
                hits[origin, str(Shape(shape.dtype, shape._dims))].append(shape)
    return hits


def _layouts(shapes: list[Shape]) -> list[str]:
    return [str(s)[len(str(Shape(s.dtype, s._dims))) :] or "no layout" for s in shapes]


def _bytes(shapes: list[Shape]) -> int:
    return sum(byte_size(s) or 0 for s in shapes)


def _without(names: list[str], others: list[str]) -> list[str]:
    left = list(others)
    results = []
    for line in names:
        if line in left:
            left.remove(line)
        else:
            results.append(line)
    return results
