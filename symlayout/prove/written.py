"""The words of a claim: the order of its names, and which names its texts have.

An expression knows no such order: its terms are sorted by name, and answers must not be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from symlayout.layouts.claim import sizes_in
from symlayout.layouts.naming import has_size
from symlayout.layouts.notation import Text
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.expr.facts import Facts

IDENTIFIER = regex(r"[A-Za-z_]\w*\b(?!\s*\()")


@dataclass(frozen=True)
class Written:
    """What a claim is written as: its arguments and facts."""

    values: tuple[Any, ...] = ()

    def order(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names in the order in which the claim's text has them, and then those of facts alone."""
        arguments = tuple(dict.fromkeys(names))
        if len(arguments) < 2:
            return arguments
        place: dict[str, int] = {}
        for part in (part for w in self.values for part in _parts(w)):
            for word in IDENTIFIER.findall(part):
                place.setdefault(word, len(place))
            if all(n in place for n in arguments):  # what follows need not be spelled
                break
        return tuple(sorted(arguments, key=lambda n: place.get(n, len(place))))

    def check_names(self, facts: Facts, names: Iterable[str]) -> None:
        """Raises `LayoutError` (SL301) for facts with names that the claim does not have."""
        check_names(facts, names, *self.values)


def check_names(facts: Facts, names: Iterable[str], *values: Any) -> None:
    """Raises `LayoutError` (SL301) for facts with other names than these and those of the texts."""
    others = facts.written - {*names}
    texts = [w for w in values if isinstance(w, Text)] if others else []
    facts.check_names({*names, *(n for n in others if any(has_size(t, n) for t in texts))})


def also_written(value: Any) -> frozenset[str]:
    """The names of a layout's text, also where a term cancels: facts may use them.

    `(M,1):(1,S)` has the symbol S, though no offset depends on it.
    """
    from symlayout.layouts.xla.dtypes import BITS  # its folder needs SymPy, and a cache does not

    return frozenset(sizes_in(value)) - BITS.keys() if isinstance(value, Text) else frozenset()


def _parts(text: Any) -> Iterator[str]:
    """A text, or what a map made by hand is printed as, field by field."""
    from symlayout.layouts.indexmap import IndexMap

    if not isinstance(text, IndexMap):
        yield str(text)
        return
    for f in fields(text):
        if f.repr:
            yield f"{f.name}={getattr(text, f.name)!r}"
