"""Lines of source files as Python's and C's readers count them; numbers with their nouns."""

from __future__ import annotations

from itertools import accumulate

from symlayout.text.patterns import regex

LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def lines_of(text: str) -> list[str]:
    """The lines with their ends; a form feed or a separator of Unicode ends none.

    >>> lines_of("a\\x0cb\\r\\nc")
    ['a\\x0cb\\r\\n', 'c']
    """
    return LINE.findall(text)


def count(number: int, word: str, several: str = "") -> str:
    """A number with its noun.

    >>> count(1, "claim"), count(2, "claim"), count(0, "access", "accesses")
    ('1 claim', '2 claims', '0 accesses')
    """
    return f"{number} {word if number == 1 else several or f'{word}s'}"


def first_few(names: list[str], most: int) -> str:
    """The first names, and whether there are more.

    >>> first_few(["a", "b"], 3), first_few(["a", "b"], 1)
    ('a, b', 'a, ...')
    """
    return ", ".join([*names[:most], *["..."] * (len(names) > most)])


def starts_of(lines: list[str]) -> list[int]:
    """Where each line begins, and where the last one ends.

    >>> starts_of(["a\\n", "bc"])
    [0, 2, 4]
    """
    return [0, *accumulate(map(len, lines))]
