"""Room in memory: which arrays lie in one place, one after the other.

An array is there from the instruction that makes it to the last one that reads it.  What lies in one
place is there at different times; two may meet at one instruction, which reads one and makes the
other, where that is known to be safe.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter

from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.buffers import byte_size

BEGIN = attrgetter("begin")
Pair = tuple["Leaf", "Leaf"]


@dataclass(eq=False, slots=True)
class Leaf:
    """One array while the schedule is read.

    `is_parameter` and `is_result` are of its computation; `outer` has room that others count.
    `used` is the last instruction that reads it.  `holds` are beginnings and ends of transfers that
    read it in between, and whose results are other leaves, with it among those `started`.
    """

    shape: Shape
    maker: str
    begin: int
    used: int
    is_parameter: bool = False
    is_result: bool = False
    outer: bool = False
    path: tuple[int, ...] = ()
    started: tuple[Leaf, ...] = ()
    holds: list[tuple[int, int]] = field(default_factory=list)
    room: Room = field(init=False)

    def __post_init__(self) -> None:
        self.room = Room([self])

    def read_until(self, start: int = -1) -> int:
        """The last instruction that reads it, beside what begins there."""
        return max(self.used, *(end for begin, end in self.holds if begin != start), 0)


@dataclass(eq=False, slots=True)
class Room:
    """The arrays of one place in the order in which they are made."""

    parts: list[Leaf]

    @property
    def size(self) -> int:
        """The bytes of the largest."""
        return max(byte_size(leaf.shape) or 0 for leaf in self.parts)

    @property
    def space(self) -> int:
        """The memory space."""
        return self.parts[0].shape.memory_space

    @property
    def is_parameter(self) -> bool:
        """Whether a parameter is among them."""
        return any(leaf.is_parameter for leaf in self.parts)

    @property
    def outer(self) -> bool:
        """Whether others count it."""
        return any(leaf.outer for leaf in self.parts)

    @property
    def is_result(self) -> bool:
        """Whether a result is among them."""
        return any(leaf.is_result for leaf in self.parts)

    def gaps(self) -> tuple[int, int]:
        """Where the first time begins at which nothing is there, and where the last one ends."""
        ends = [0, *(leaf.read_until() for leaf in self.parts)]
        pairs = [(a, leaf.begin) for a, leaf in zip(ends, self.parts) if a < leaf.begin]
        return (pairs[0][0], pairs[-1][1]) if pairs else (0, 0)


class Places:
    """The rooms of a computation, and the pairs of a new and an old array that may meet."""

    def __init__(self, meeting: Iterable[Pair]) -> None:
        self.meeting = {(id(new), id(old)) for new, old in meeting}

    def behind(self, old: Leaf, new: Leaf) -> bool:
        """Whether the new array is made when nobody needs the old one any more."""
        read = old.read_until(new.begin)
        meet = read == new.begin and (id(new), id(old)) in self.meeting
        return old.begin < new.begin and (read < new.begin or meet)

    def fits(self, a: Room, b: Room) -> bool:
        """Whether the arrays of two rooms are there at different times."""
        small, large = sorted((a.parts, b.parts), key=len)
        for leaf in small:
            k = bisect_left(large, leaf.begin, key=BEGIN)
            if k and not self.behind(large[k - 1], leaf):
                return False
            if k < len(large) and not self.behind(leaf, large[k]):
                return False
        return True

    def join(self, a: Room, b: Room) -> None:
        """Puts the arrays of the second room into the first."""
        for leaf in b.parts:
            insort(a.parts, leaf, key=BEGIN)
            leaf.room = a

    def write_over(self, pairs: Iterable[Pair]) -> None:
        """New arrays take the rooms of old ones of as many bytes, where nobody needs these."""
        for new, old in pairs:
            a, b = old.room, new.room
            alike = a.space == b.space and byte_size(old.shape) == byte_size(new.shape)
            if alike and a is not b and self.fits(a, b):
                self.join(*sorted((a, b), key=lambda room: -len(room.parts)))

    def fill(self, hosts: Iterable[Room], guests: Iterable[Room]) -> None:
        """Puts smaller rooms, large ones first, into the smallest that are empty at their times.

        So compilers use an argument that is given away, before its result is put there.
        """
        rows = [(room.size, *room.gaps(), room) for room in hosts]
        free = sorted((row for row in rows if row[1] < row[2]), key=itemgetter(0))
        sizes = [row[0] for row in free]
        for guest in sorted(guests, key=lambda room: (-room.size, room.parts[0].begin)):
            if not (size := guest.size):
                continue
            begin, end = guest.parts[0].begin, guest.parts[-1].read_until()
            for _, low, high, host in free[bisect_left(sizes, size) :]:
                inside = low <= begin and end <= high and host.space == guest.space
                if inside and self.fits(host, guest):
                    self.join(host, guest)
                    break
