"""What a map computes, as it is written."""

from __future__ import annotations

from typing import Any, NamedTuple

from symlayout.expr.conditions import Both, Condition, Less
from symlayout.expr.reader import Scanner
from symlayout.expr.written import Spelling, Written, as_written
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.reader import MapReader


class WrittenMap(NamedTuple):
    """The trees of a map: ranges as name, first value and end; guard, definitions, results, box.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> written_map(read_map("map i < N: q = i/8; (q, i - q*8)")).results[1].text
    'i - q*8'
    """

    guard: Written | None
    lets: tuple[tuple[str, Written], ...]
    results: tuple[Written, ...]
    ranges: tuple[tuple[str, Written, Written], ...] = ()
    box: tuple[Written, ...] = ()


def written_map(f: IndexFunction) -> WrittenMap:
    """The trees of a map; of one that has no text, in the order in which code computes it."""
    spell = Spelling().of
    if f.source is not None:
        text, language = f.source
        read: Any = _Reader(as_written(Scanner(text, language=language))).whole()
        ranges = tuple((v.name, zero_or(v._low), v._high) for v in read.variables)
        return WrittenMap(read._guard, read._lets, read._results, ranges, read._box or ())
    guard = None if f._guard is None else _condition(f._guard)
    lets = tuple((n, spell(e)) for n, e in f._lets)
    ranges = tuple((v.name, spell(v._low), spell(v._high)) for v in f.variables)
    box = tuple(map(spell, f._box or ()))
    return WrittenMap(guard, lets, tuple(map(spell, f._results)), ranges, box)


def zero_or(low: Any) -> Written:
    """The tree of a range's first value; the reader puts the number 0 where none is written."""
    return low if isinstance(low, Written) else Spelling().of(low)


class _Reader(MapReader):
    """The reader of maps, with trees for expressions."""

    def free_of_variables(self, box: Any, at: int) -> None:
        """Nothing: the text has been read as a map."""


def _condition(c: Condition) -> Written:
    if isinstance(c, Less):
        return Written("<", (Spelling().of(c.left), Spelling().of(c.right)), "", str(c))
    op = "and" if isinstance(c, Both) else "or"
    return Written(op, (_condition(c.first), _condition(c.second)), "", str(c))
