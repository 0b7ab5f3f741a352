"""Which of the facts that many claims share speak of the symbols of one claim.

A claim takes no fact about a symbol that it does not have, but a file's facts are written for all
its claims: each takes those that are tied to its own symbols, through other facts too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from symlayout.checks.result import Origin
from symlayout.errors import LayoutError
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


def without_others(facts: tuple[Origin, ...], texts: Iterable[str]) -> tuple[Origin, ...]:
    """What relevant facts say of the symbols of the texts: `n > m`, `m >= 4` is `n >= 5`.

    Names that equalities tie to them stay.  Where others cannot be left out, the facts stay as they
    are, and the claim is an error that names one.
    """
    own = {n for text in texts for n in sizes_in(text)}
    if all(_names(f.text) <= own for f in facts):
        return facts
    from symlayout.expr.facts import Facts  # few claims need it, and a cached one should not wait
    from symlayout.expr.ties import ties

    try:
        links = ties(own, Facts.read([f.text for f in facts]))
    except LayoutError:
        return facts
    own |= links.equal
    foreign = [f for f in facts if not _names(f.text) <= own]
    if links.others or not foreign:
        return facts
    origins = (Origin(text, foreign[0].place, False) for text in links.consequences)
    return (*about(facts, own), *origins)


def about(facts: Iterable[Origin], own: Collection[str]) -> Iterator[Origin]:
    """The facts about these names alone, and of a chain the comparisons that speak of no others."""
    from symlayout.expr.facts import Facts

    for f in facts:
        parts = Facts.read(f.text).relations
        mine = [r for r in parts if r.names <= {*own}]
        yield from (
            [f] if len(mine) == len(parts) else (Origin(str(r), f.place, False) for r in mine)
        )


@lru_cache(maxsize=10_000)
def _names(fact: str) -> frozenset[str]:
    return names_in(fact) - {"and"}
