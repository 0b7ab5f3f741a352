"""Text in brackets: what commas and other signs separate."""

from __future__ import annotations

from collections.abc import Collection, Iterator


def outermost(text: str, signs: Collection[str]) -> Iterator[int]:
    """The places of signs that are not inside brackets.

    >>> list(outermost("f(a, b), c", ","))
    [7]
    """
    depth = 0
    for at, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c in signs and depth == 0:
            yield at


def split_commas(text: str) -> list[str]:
    """The parts between commas that are not inside brackets.

    >>> split_commas("a = f(x, y), b = [1, 2]")
    ['a = f(x, y)', ' b = [1, 2]']
    """
    parts, start = [], 0
    for at in outermost(text, ","):
        parts.append(text[start:at])
        start = at + 1
    return [*parts, text[start:]]
