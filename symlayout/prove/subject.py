"""What problems are made of, for those who look at them from outside: conditions are learned so."""

from __future__ import annotations

from typing import Any, NamedTuple


class Places(NamedTuple):
    """What `injective`, `onto` and `bijective` speak of: a map, or an index function."""

    word: str
    map: Any

    @property
    def maps(self) -> tuple[Any, ...]:
        """The map, or all index functions that the claim is about."""
        return self.map if isinstance(self.map, tuple) else (self.map,)


class Buffers(NamedTuple):
    """What `reinterpret` speaks of: two maps, and how many units an element of each has."""

    maps: tuple[Any, Any]
    unit: tuple[int, int]


class Duties(NamedTuple):
    """What `fits` asks of a map as it is written: each value in its type, where its path is true."""

    map: Any
    duties: tuple[Any, ...]


class Rules(NamedTuple):
    """What claims about sizes alone speak of: clauses of relations, all of which must hold."""

    checks: tuple[Any, ...]
    facts: Any
    names: tuple[str, ...]
    demands: tuple[Any, ...]
