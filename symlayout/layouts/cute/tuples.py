"""C++ tuples inside of other texts: `tla::MakeCoord(1, Int<5>{})` is `(1, 5)`, each place as it was."""

from __future__ import annotations

import re

SCOPE = re.compile(r"(?<![\w.])(?:tla|cute|Catlass|AscendC)\s*::\s*", re.ASCII)
CALLS = re.compile(
    r"(?<![\w.])[Mm]ake_?(?:[Ss]hape|[Ss]tride|[Cc]oord|[Tt]ile|[Tt]uple)\s*(?=\()", re.ASCII
)
NUMBERS = re.compile(
    r"(?<!\w)(?:(?:Int|C)\s*<\s*(-?\d{1,999})\s*>|_(\d{1,999}))\s*(?:\{\s*\}|\(\s*\))?(?!\w)"
    r"|(?<!\w)(?:int|long|size_t|u?int(?:8|16|32|64)_t)\s*\{\s*(\w+)\s*\}",
    re.ASCII,
)
TYPES = re.compile(r"(?<![\w.])(Layout|Shape|Stride|Coord|Tile|[Tt]uple)\s*<", re.ASCII)
EMPTY = re.compile(r"\s*(?:\{\s*\}|\(\s*\))")
INSIDE = re.compile(r"(?!.*\w\s+\w)[\w\s<>,():-]*\Z", re.ASCII | re.S)  # no `a and b`
AFTER = re.compile(r"\s*(?:[{(,)>:;]|\Z)")


def plain_tuples(text: str) -> str:
    """The text with tuples in place of what C++ makes them of; every place stays where it was.

    >>> plain_tuples("crd2offset(tla::MakeCoord(1, 5), Shape<_4,Int<2>>{}, s)")
    'crd2offset(              (1, 5),      ( 4,    2 )  , s)'

    A layout in angle brackets becomes `shape:stride`, and a static number a plain one.
    """
    if not (SCOPE.search(text) or CALLS.search(text) or TYPES.search(text)):
        return text
    made = SCOPE.sub(_blank, text)
    made = NUMBERS.sub(_number, CALLS.sub(_blank, made))
    chars, at = list(made), 0
    while (found := TYPES.search(made, at)) is not None:
        at = found.end()
        end = _close(made, at)
        if end is not None and INSIDE.match(made[at:end]) and AFTER.match(made, end + 1):
            _open_up(chars, made, found, end)
    return "".join(chars)


def unmarked(text: str) -> str:
    """The text with plain numbers in place of static ones, each place as it was: `_4` is 4.

    >>> unmarked("((_4,_2),N_1)")
    '(( 4, 2),N_1)'
    """
    return re.sub(r"(?<!\w)_(?=\d+(?!\w))", " ", text, flags=re.ASCII)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _number(found: re.Match[str]) -> str:
    """The number alone, where it stood."""
    group = next(k for k, g in enumerate(found.groups(), 1) if g)
    before, after = found.start(group) - found.start(), found.end() - found.end(group)
    return " " * before + found[group] + " " * after


def _close(text: str, at: int) -> int | None:
    """Where the angle bracket before `at` is closed."""
    level = 1
    for k in range(at, len(text)):
        level += {"<": 1, ">": -1}.get(text[k], 0)
        if level == 0:
            return k
    return None


def _open_up(chars: list[str], text: str, found: re.Match[str], end: int) -> None:
    """A type's brackets as a tuple's; those of a layout go, and its commas are colons."""
    layout = found[1] == "Layout"
    chars[found.start() : found.end()] = " " * (found.end() - found.start())
    chars[found.end() - 1], chars[end] = (" ", " ") if layout else ("(", ")")
    level = 0
    for k in range(found.end(), end):
        level += {"<": 1, ">": -1, "(": 1, ")": -1}.get(text[k], 0)
        if layout and level == 0 and text[k] == ",":
            chars[k] = ":"
    empty = EMPTY.match(text, end + 1)
    if empty is not None:
        chars[end + 1 : empty.end()] = " " * (empty.end() - end - 1)
