"""Which of the facts that many claims share speak of the symbols of one claim.

A claim takes no fact about a symbol that it does not have, but a file's facts are written for all
its claims: each takes those that are tied to its own symbols, through other facts too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from symlayout.checks.result import Origin

# a name before a bracket is a function, a type or a property: T(8,128), f32[M], ceildiv(N, 8)
SYMBOL = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*[(\[])")

VARIABLE = re.compile(r"\b([A-Za-z_]\w*)\s*<(?![<=])")  # of a map's domain
DEFINED = re.compile(r"\b([A-Za-z_]\w*)\s*=(?!=)")
WORDS = frozenset(["map", "if", "in", "and", "or", "not", "else"])


def names(*texts: str) -> frozenset[str]:
    """The names in texts that may be symbols.

    >>> sorted(names("bf16[M,N]{1,0:T(8,128)}", "K == 2*N"))
    ['K', 'M', 'N']
    """
    return frozenset(n for text in texts for n in SYMBOL.findall(text))


def sizes(text: str) -> frozenset[str]:
    """The names in a layout that may be sizes: not the variables and definitions of a map.

    >>> sorted(sizes("map i < M, 0 <= j < N if j < i: q = i*M; q + j in M*N"))
    ['M', 'N']
    """
    if not text.lstrip().startswith("map "):
        return names(text)
    head, _, body = text.partition(":")
    own = {*VARIABLE.findall(head.partition(" if ")[0]), *DEFINED.findall(body)}
    return names(text) - own - WORDS


def relevant(facts: Sequence[Origin], texts: Iterable[str]) -> tuple[Origin, ...]:
    """The facts that share a symbol with the texts, or with another fact that does.

    A fact without any symbol is relevant to all.
    """
    spoken = [_spoken(f.text) for f in facts]
    having: dict[str, list[int]] = {}
    for number, own in enumerate(spoken):
        for name in own:
            having.setdefault(name, []).append(number)
    known: set[str] = set()
    waiting = [n for text in texts for n in sizes(text)]
    while waiting:
        name = waiting.pop()
        if name not in known:
            known.add(name)
            waiting += {n for number in having.pop(name, ()) for n in spoken[number]} - known
    return tuple(f for f, own in zip(facts, spoken) if not own or own & known)


@lru_cache(maxsize=10_000)
def _spoken(fact: str) -> frozenset[str]:
    return names(fact) - {"and"}
