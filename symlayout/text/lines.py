"""Lines of source files as Python's and C's readers count them; numbers with their nouns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from symlayout.text.patterns import regex

UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB")
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


def in_units(number: int) -> str:
    """Bytes in the largest binary unit that they fill, "" for fewer than 1,024.

    >>> in_units(1023), in_units(1024), in_units(36_373_038_592)
    ('', '1.0 KiB', '33.9 GiB')
    """
    power = min((abs(number).bit_length() - 1) // 10, len(UNITS))
    return f"{number / 1024**power:,.1f} {UNITS[power - 1]}" if power > 0 else ""


def in_bytes(number: int) -> str:
    """Bytes as people read them.

    >>> in_bytes(1), in_bytes(4096)
    ('1 byte', '4,096 bytes (4.0 KiB)')
    """
    unit = in_units(number)
    return ("1 byte" if number == 1 else f"{number:,} bytes") + (f" ({unit})" if unit else "")


def columns(rows: Sequence[Sequence[str]], left: frozenset[int] = frozenset({0})) -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell; those in `left` to the left.

    >>> columns([("a", "bytes"), ("bc", "12")])
    ['a   bytes', 'bc     12']
    """
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    return [
        "  ".join(
            cell.ljust(w) if k in left else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]


def syntax_place(text: str, error: SyntaxError) -> int:
    """The character that Python's parser complains about.

    >>> try:
    ...     compile("x = 1\\ny = (2", "", "exec")
    ... except SyntaxError as error:
    ...     print(syntax_place("x = 1\\ny = (2", error))
    10
    """
    starts = starts_of(lines_of(text))
    line = min(max(error.lineno or 1, 1), len(starts))
    return min(starts[line - 1] + max((error.offset or 1) - 1, 0), len(text))
