"""Which of the facts that many claims share speak of the symbols of one claim.

A claim takes no fact about a symbol that it does not have, but a file's facts are written for all
its claims: each takes those that are tied to its own symbols, through other facts too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from symlayout.checks.result import Origin
from symlayout.layouts.claim import names_in, sizes_in


def relevant(facts: Sequence[Origin], texts: Iterable[str]) -> tuple[Origin, ...]:
    """The facts that share a symbol with the texts, or with another fact that does.

    A fact without any symbol is relevant to all.
    """
    spoken = [_names(f.text) for f in facts]
    having: dict[str, list[int]] = {}
    for number, own in enumerate(spoken):
        for name in own:
            having.setdefault(name, []).append(number)
    names: set[str] = set()
    waiting = [n for text in texts for n in sizes_in(text)]
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting += {n for number in having.pop(name, ()) for n in spoken[number]} - names
    return tuple(f for f, own in zip(facts, spoken) if not own or own & names)


@lru_cache(maxsize=10_000)
def _names(fact: str) -> frozenset[str]:
    return names_in(fact) - {"and"}
