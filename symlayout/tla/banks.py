"""Bank conflicts: how many rounds a banked memory needs for one access."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from symlayout.errors import LayoutError
from symlayout.layouts.cute.inttuple import check_index
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.swizzle import ComposedLayout


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
    access: Layout | ComposedLayout, bits: int, *, banks: int = 32, bank_bits: int = 32
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
    layout = access.layout if isinstance(access, ComposedLayout) else access
    start = access.offset if isinstance(access, ComposedLayout) else 0
    if not (layout.concrete and isinstance(start, int)):
        raise LayoutError("SL402", f"bank conflicts of {access} need numbers")
    for what, number in (("bits", bits), ("banks", banks), ("bank_bits", bank_bits)):
        if check_index(number, what) < 1:
            raise LayoutError("SL102", f"{what} must be at least 1, not {number}")
    words: set[int] = set()
    for k in range(int(layout.size)):
        first = int(access(k)) * bits
        words.update(range(first // bank_bits, (first + bits - 1) // bank_bits + 1))
    load = Counter(w % banks for w in words)
    return BankConflicts(max(load.values(), default=0), -(-len(words) // banks))
