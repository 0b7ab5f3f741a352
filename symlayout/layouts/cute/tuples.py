"""C++ tuples inside of other texts: `tla::MakeCoord(1, Int<5>{})` is `(1, 5)`, each place as it was."""

from __future__ import annotations

import re

from symlayout.text.patterns import regex

SCOPE = regex(r"(?<![\w.])(?:tla|cute|Catlass|AscendC)\s*::\s*", re.ASCII)
CALLS = regex(
    r"(?<![\w.])[Mm]ake_?(?:[Ss]hape|[Ss]tride|[Cc]oord|[Tt]ile|[Tt]uple)\s*(?=\()", re.ASCII
)
NUMBERS = regex(
    r"(?<!\w)(?:(?:Int|C)\s*<\s*(-?\d{1,999})\s*>|_(\d{1,999}))\s*(?:\{\s*\}|\(\s*\))?(?!\w)"
    r"|(?<!\w)(?:int|long|size_t|u?int(?:8|16|32|64)_t)\s*\{\s*(\w+)\s*\}",
    re.ASCII,
)
TYPES = regex(r"(?<![\w.])(Layout|Shape|Stride|Coord|Tile|[Tt]uple)\s*<", re.ASCII)
EMPTY = regex(r"\s*(?:\{\s*\}|\(\s*\))")
INSIDE = regex(r"(?!.*\w\s+\w)[\w\s<>,():-]*\Z", re.ASCII | re.S)  # no `a and b`
AFTER = regex(r"\s*(?:[{(,)>:;]|\Z)")


def plain_tuples(text: str) -> str:
    """The text with tuples in place of what C++ makes them of; every place stays where it was.

    >>> plain_tuples("crd2offset(tla::MakeCoord(1, 5), Shape<_4,Int<2>>{}, s)")
    'crd2offset(              (1, 5),      ( 4,    2 )  , s)'

    A layout in angle brackets becomes `shape:stride`, and a static number a plain one.
    """
    if not (SCOPE.search(text) or CALLS.search(text) or TYPES.search(text)):
        return text
    result = SCOPE.sub(_blank, text)
    result = NUMBERS.sub(_number, CALLS.sub(_blank, result))
    chars, at = list(result), 0
    while (match := TYPES.search(result, at)) is not None:
        at = match.end()
        end = _close(result, at)
        if end is not None and INSIDE.match(result[at:end]) and AFTER.match(result, end + 1):
            _open_up(chars, result, match, end)
    return "".join(chars)


def without_marks(text: str) -> str:
    """The text with plain numbers in place of static ones, each place as it was: `_4` is 4.

    >>> without_marks("((_4,_2),N_1)")
    '(( 4, 2),N_1)'
    """
    return re.sub(r"(?<!\w)_(?=\d+(?!\w))", " ", text, flags=re.ASCII)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _number(match: re.Match[str]) -> str:
    """The number alone, where it stood."""
    group = next(k for k, g in enumerate(match.groups(), 1) if g)
    before, after = match.start(group) - match.start(), match.end() - match.end(group)
    return " " * before + match[group] + " " * after


def _close(text: str, at: int) -> int | None:
    """Where the angle bracket before `at` is closed."""
    level = 1
    for k in range(at, len(text)):
        level += {"<": 1, ">": -1}.get(text[k], 0)
        if level == 0:
            return k
    return None


def _open_up(chars: list[str], text: str, match: re.Match[str], end: int) -> None:
    """A type's brackets as a tuple's; those of a layout go, and its commas are colons."""
    layout = match[1] == "Layout"
    chars[match.start() : match.end()] = " " * (match.end() - match.start())
    chars[match.end() - 1], chars[end] = (" ", " ") if layout else ("(", ")")
    level = 0
    for k in range(match.end(), end):
        level += {"<": 1, ">": -1, "(": 1, ")": -1}.get(text[k], 0)
        if layout and level == 0 and text[k] == ",":
            chars[k] = ":"
    empty = EMPTY.match(text, end + 1)
    if empty is not None:
        chars[end + 1 : empty.end()] = " " * (empty.end() - end - 1)
