"""Brackets, strings and comments of module text: where something ends, and what commas separate.

Every pattern takes what it has matched once and for all (`++`, `*+`), so that a text is read in a
time that is linear in its length, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from symlayout.errors import LayoutError
from symlayout.text.patterns import regex

STRING = r'"[^"\\]*+(?:(?>\\.[^"\\]*+))*+"'
# where `//` divides: a shape's sizes and tiles, and the values of attributes, each in one line
SIZES = r"\[[^\[\]\n]*+\]|:T\([^{}\n]{0,400}+(?=\})|=\{[^{}\n]*+\}"
# a string or a comment that is never closed reaches to the end
TEXTS = rf'{STRING}|".*+'
COMMENT = regex(rf"{TEXTS}|{SIZES}|/\*(?:.*?\*/|.*+)|//[^\n]*+", re.S)
BLOCKS = regex(rf'(?:(?>[^"/]++|{TEXTS}|/(?!\*)))*+', re.S)
LINES = regex(rf'(?:(?>[^"/]++|{TEXTS}|/(?!/)))*+', re.S)
BLOCK = regex(r"/\*.*?\*/", re.S)
BRACKET = regex(TEXTS + r"|[(){}\[\]]", re.S)
TOKEN = regex(TEXTS + r"|[(){}\[\],]", re.S)
VISIBLE = regex(r"[^\n]")
CLOSES = {")": "(", "]": "[", "}": "{"}
DEEPEST = 200  # brackets in brackets


def without_comments(text: str) -> str:
    """The text with blanks in place of its comments: every other character keeps its place.

    A division between sizes is not a comment.

    >>> without_comments("a /* b */ c // d")
    'a           c     '
    >>> without_comments("f32[N//2] a // b")
    'f32[N//2] a     '
    """
    if "//" in text and text.startswith("//", _end(LINES, text, 0)):
        return COMMENT.sub(_blank, text)
    pieces, at = [], 0
    while (begin := _end(BLOCKS, text, at)) < len(text):
        end = text.find("*/", begin + 2) + 2
        if end < 2:
            break
        pieces += [text[at:begin], _blanks(text[begin:end])]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _blank(match: re.Match[str]) -> str:
    token = match.group()
    if token[0] == '"' or token.startswith("/*") > token.endswith("*/"):
        return token
    return _blanks(token) if token[0] == "/" else BLOCK.sub(lambda m: _blanks(m[0]), token)


def _blanks(token: str) -> str:
    return VISIBLE.sub(" ", token) if "\n" in token else " " * len(token)


def closing(text: str, at: int, stop: int | None = None) -> int:
    """The place behind the bracket that closes the one at `at`; strings are skipped.

    >>> closing("f(a{b}, c) d", 1)
    10

    Raises `LayoutError` (SL721) when it is never closed before `stop`.
    """
    open_at: list[int] = []
    for match in BRACKET.finditer(text, at, len(text) if stop is None else stop):
        token = match.group()
        if token in "({[":
            open_at.append(match.start())
            if len(open_at) > DEEPEST:
                break
        elif token in CLOSES:
            if text[open_at[-1]] != CLOSES[token]:
                break
            open_at.pop()
            if not open_at:
                return match.end()
    place = open_at[-1] if 0 < len(open_at) <= DEEPEST else at
    raise LayoutError("SL721", f"{text[place]!r} is never closed", text=text, at=place)


def split_commas(text: str, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, str]]:
    """The parts between commas outside brackets, without blanks around them, and their places.

    >>> list(split_commas("f32[2,3]{1,0} %a, %b"))
    [(0, 'f32[2,3]{1,0} %a'), (18, '%b')]
    """
    end = len(text) if stop is None else stop
    depth, part = 0, start
    for match in TOKEN.finditer(text, start, end):
        token = match.group()
        if token in "({[":
            depth += 1
        elif token in CLOSES:
            depth -= 1
        elif token == "," and depth == 0:
            yield from _part(text, part, match.start())
            part = match.end()
    yield from _part(text, part, end)


def _part(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    inner = text[start:stop]
    word = inner.strip()
    if word:
        yield start + len(inner) - len(inner.lstrip()), word


def bracket_pattern(depth: int, opens: str, closes: str) -> str:
    """A pattern for a bracket with everything in it, down to that many brackets in each other."""
    one, two = re.escape(opens), re.escape(closes)
    inner = rf'[^{one}{two}"]++|{STRING}'
    text = rf"{one}(?:(?>{inner}))*+{two}"
    for _ in range(depth - 1):
        text = rf"{one}(?:(?>{inner}|{text}))*+{two}"
    return text
