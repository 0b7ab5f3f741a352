"""What one access costs: the rounds of a banked memory, the segments of global memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError
from symlayout.layouts.cute.inttuple import check_index
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.tla.arguments import operand_of


@dataclass(frozen=True)
class BankConflicts:
    """What an access costs: `ways` rounds of the banks where `least` would do."""

    ways: int
    least: int

    @property
    def extra(self) -> int:
        """Rounds beyond the least possible."""
        return self.ways - self.least


def bank_conflicts(
    access: Any, bits: int, *, banks: int = 32, bank_bits: int = 32
) -> BankConflicts:
    """How many rounds a memory of `banks` banks needs for the offsets of one access.

    >>> from symlayout.tla import Swizzle, compose_swizzle
    >>> column = Layout(32, 32)
    >>> bank_conflicts(column, 32)
    BankConflicts(ways=32, least=1)
    >>> bank_conflicts(compose_swizzle(Swizzle(5, 0, 5), column), 32)
    BankConflicts(ways=1, least=1)

    `access` gives the element's offset for each of the threads (and values) of the access, `bits`
    is the element's width.  Equal words are read once.  Raises `LayoutError` (SL402) for an access
    that is not concrete.
    """
    access = operand_of(access)
    check_numbers("bank conflicts", access, bits=bits, banks=banks, bank_bits=bank_bits)
    return rounds([int(access(k)) for k in range(int(access._size))], bits, banks, bank_bits)


def rounds(offsets: Sequence[int], bits: int, banks: int, bank_bits: int) -> BankConflicts:
    """The same of offsets that are asked for together.

    >>> rounds([0, 32, 64], 32, 32, 32)
    BankConflicts(ways=3, least=1)
    """
    words = words_of(offsets, bits, bank_bits)
    load = Counter(w % banks for w in words)
    return BankConflicts(max(load.values(), default=0), -(-len(words) // banks))


@dataclass(frozen=True)
class Coalescing:
    """What an access moves: `segments` of memory where `least` would hold its elements."""

    segments: int
    least: int

    @property
    def efficiency(self) -> float:
        """The share of what is moved that could not be spared."""
        return self.least / self.segments if self.segments else 1.0


def coalescing(access: Any, bits: int, *, segment_bits: int = 1024) -> Coalescing:
    """How many aligned segments of global memory one access touches, by default of 128 bytes.

    >>> coalescing(Layout(32, 1), 32), coalescing(Layout(32, 2), 32)
    (Coalescing(segments=1, least=1), Coalescing(segments=2, least=1))

    Arguments and errors as for `bank_conflicts`.
    """
    access = operand_of(access)
    check_numbers("the segments", access, bits=bits, segment_bits=segment_bits)
    offsets = {int(access(k)) for k in range(int(access._size))}
    segments = words_of(offsets, bits, segment_bits)
    return Coalescing(len(segments), -(-len(offsets) * bits // segment_bits))


def check_numbers(what: str, access: Layout | ComposedLayout, **numbers: int) -> None:
    """Raises `LayoutError`: SL402 for an access with symbols, SL102 for a number below 1."""
    layout = access.layout if isinstance(access, ComposedLayout) else access
    start = access._offset if isinstance(access, ComposedLayout) else 0
    if not (layout.concrete and isinstance(start, int)):
        raise LayoutError("SL402", f"{what} of {access} need numbers")
    for name, number in numbers.items():
        if check_index(number, name) < 1:
            raise LayoutError("SL102", f"{name} must be at least 1, not {number}")


def words_of(offsets: Iterable[int], bits: int, word_bits: int) -> set[int]:
    """The aligned words of so many bits in which elements lie.

    >>> sorted(words_of([0, 3, 6, 9], 16, 32))
    [0, 1, 3, 4]
    """
    words: set[int] = set()
    for offset in offsets:
        first = offset * bits
        words.update(range(first // word_bits, (first + bits - 1) // word_bits + 1))
    return words
