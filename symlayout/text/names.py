"""Names that nothing else has."""

from __future__ import annotations

from collections.abc import Container


def unused(word: str, used: Container[str]) -> str:
    """The name, or where it is taken the name with the fewest underscores behind it that is not.

    >>> unused("i", "ab"), unused("i", ["i", "i_"])
    ('i', 'i__')
    """
    while word in used:
        word += "_"
    return word
