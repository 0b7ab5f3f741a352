"""Brackets, strings and comments of module text: where something ends, and what commas separate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symlayout.errors import LayoutError

STRING = r'"(?:[^"\\]|\\.)*"'
TOKEN = re.compile(STRING + r"|/\*.*?\*/|[(){}\[\]\n,]", re.S)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
CLOSES = {")": "(", "]": "[", "}": "{"}


def closing(text: str, at: int, stop: int | None = None) -> int:
    """The place behind the bracket that closes the one at `at`; strings and comments are skipped.

    >>> closing("f(a{b}, c) d", 1)
    10

    Raises `LayoutError` (SL721) when it is never closed before `stop`.
    """
    open_at: list[int] = []
    for found in TOKEN.finditer(text, at, len(text) if stop is None else stop):
        token = found.group()
        if token in "({[":
            open_at.append(found.start())
        elif token in CLOSES:
            if not open_at or text[open_at[-1]] != CLOSES[token]:
                raise LayoutError(
                    "SL721", f"{token!r} closes nothing here", text=text, at=found.start()
                )
            open_at.pop()
            if not open_at:
                return found.end()
    raise LayoutError("SL721", f"{text[at]!r} is never closed", text=text, at=at)


def statement_end(text: str, at: int) -> int:
    """Where the statement at `at` ends: the first line break outside brackets, or the end.

    Raises `LayoutError` (SL721) for a bracket that is open when the next statement begins.
    """
    open_at: list[int] = []
    for found in TOKEN.finditer(text, at):
        token = found.group()
        if token in "({[":
            open_at.append(found.start())
        elif token in CLOSES:
            if not open_at or text[open_at[-1]] != CLOSES[token]:
                raise LayoutError(
                    "SL721", f"{token!r} closes nothing here", text=text, at=found.start()
                )
            open_at.pop()
        elif token == "\n":
            if not open_at:
                return found.start()
            if STATEMENT.match(text, found.end()):
                raise LayoutError(
                    "SL721", f"{text[open_at[-1]]!r} is never closed", text=text, at=open_at[-1]
                )
    if open_at:
        raise LayoutError(
            "SL721", f"{text[open_at[-1]]!r} is never closed", text=text, at=open_at[-1]
        )
    return len(text)


# the beginning of an instruction, or a closing brace at the margin
STATEMENT = re.compile(
    r"\}|[ \t]+(?:ROOT[ \t]+)?%?[\w.\-]+[ \t]*=[ \t]|(?:ENTRY[ \t]|%)[^\n]*\{[ \t\r]*$", re.M
)


def split_commas(text: str, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, str]]:
    """The parts between commas outside brackets, without comments and blanks, and their places.

    >>> list(split_commas("f32[2,3]{1,0} %a, /*index=1*/%b"))
    [(0, 'f32[2,3]{1,0} %a'), (29, '%b')]
    """
    end = len(text) if stop is None else stop
    depth, part = 0, start
    for found in TOKEN.finditer(text, start, end):
        token = found.group()
        if token in "({[":
            depth += 1
        elif token in CLOSES:
            depth -= 1
        elif token == "," and depth == 0:
            yield from _part(text, part, found.start())
            part = found.end()
    yield from _part(text, part, end)


def _part(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    inner = text[start:stop]
    if "/*" in inner:
        inner = COMMENT.sub(lambda m: " " * len(m.group()), inner)
    word = inner.strip()
    if word:
        yield start + len(inner) - len(inner.lstrip()), word
