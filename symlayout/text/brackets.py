"""Text in brackets: what commas separate."""

from __future__ import annotations


def split_commas(text: str) -> list[str]:
    """The parts between commas that stand in no bracket.

    >>> split_commas("a = f(x, y), b = [1, 2]")
    ['a = f(x, y)', ' b = [1, 2]']
    """
    parts, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
