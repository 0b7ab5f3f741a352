"""Where the keys and values of a TOML text stand; `tomllib` reads them but keeps no places.

The text must have passed `tomllib` before: only the parts of the grammar that delimit keys and
values are followed here, nothing is validated.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

from symlayout.text.patterns import regex

Path = tuple[str | int, ...]

KEY = regex(r"[ \t]*+([A-Za-z0-9_-]*+)[ \t]*+")
BLANK = regex(r"(?:(?>[ \t\r\n]++|#[^\n]*+))*+")
SPACE = regex(r"[ \t]*")
SCALAR = regex(r"[^,\]}\s#]+(?: \d[^,\]}\s#]*)?")
STRINGS = ('"""', "'''", '"', "'")
# up to two quotes may stand before the closing three
STRING = regex(
    r"""\"{3}(?:(?>[^"\\]|\\.|"(?!"")))*+"{3,5}|'{3}(?:(?>[^']|'(?!'')))*+'{3,5}|"(?:(?>\\.|[^"\\]))*+"|'[^']*+'""",
    re.S,
)


class Span(NamedTuple):
    """Characters [key, key_end) of a key and [at, end) of its value (an element has no key)."""

    key: int
    key_end: int
    at: int
    end: int


class _Walker:
    """One pass over the text; `spans` holds the span of every path that was met."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.spans: dict[Path, Span] = {}
        self.counts: dict[Path, int] = {}

    def skip(self, pattern: re.Pattern[str] = BLANK) -> None:
        match = pattern.match(self.text, self.at)
        assert match is not None, self.at
        self.at = match.end()

    def document(self) -> None:
        base: Path = ()
        self.skip()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                base = self.header()
            else:
                self.pair(base)
            self.skip()

    def header(self) -> Path:
        start = self.at
        many = self.text.startswith("[[", self.at)
        self.at += 2 if many else 1
        names, _, _ = self.dotted()
        self.skip(SPACE)
        self.at += 2 if many else 1
        path: Path = (*self.inside((), names[:-1]), names[-1])
        if many:
            number = self.counts.get(path, 0)
            self.counts[path] = number + 1
            path = (*path, number)
        self.spans.setdefault(path, Span(start, self.at, start, self.at))
        self.spans.setdefault(path[:1], Span(start, self.at, start, self.at))
        return path if many else self.inside((), names)

    def inside(self, base: Path, names: list[str]) -> Path:
        # a name of an array of tables means its last table
        for name in names:
            base = (*base, name)
            if base in self.counts:
                base = (*base, self.counts[base] - 1)
        return base

    def dotted(self) -> tuple[list[str], int, int]:
        names: list[str] = []
        start = self.at
        while True:
            match = KEY.match(self.text, self.at)
            assert match is not None, self.at
            begin, end = match.span(1)
            name, self.at = match[1], match.end()
            if not name:  # in quotes
                self.skip(STRING)
                end = self.at
                name = tomllib.loads(f"x = {self.text[begin:end]}")["x"]
                self.skip(SPACE)
            if not names:
                start = begin
            names.append(name)
            if self.text[self.at : self.at + 1] != ".":
                return names, start, end
            self.at += 1

    def pair(self, base: Path) -> None:
        names, start, end = self.dotted()
        self.at += 1  # the equals sign
        self.skip(SPACE)
        path = (*self.inside(base, names[:-1]), names[-1])
        value = self.at
        self.value(path)
        self.spans[path] = Span(start, end, value, self.at)

    def value(self, path: Path) -> None:
        c = self.text[self.at]
        if c in "\"'":
            self.skip(STRING)
        elif c == "[":
            self.array(path)
        elif c == "{":
            self.table(path)
        else:
            self.skip(SCALAR)

    def items(self, close: str) -> Iterator[int]:
        """Where each item of an array or a table begins, up to the bracket that closes it."""
        self.at += 1
        while True:
            self.skip()
            c = self.text[self.at]
            if c not in (",", close):
                yield self.at
                continue
            self.at += 1
            if c == close:
                return

    def array(self, path: Path) -> None:
        for number, start in enumerate(self.items("]")):
            self.value((*path, number))
            self.spans[(*path, number)] = Span(start, start, start, self.at)

    def table(self, path: Path) -> None:
        for _ in self.items("}"):
            self.pair(path)


def spans(text: str) -> dict[Path, Span]:
    """The span of every key path of a valid TOML text; elements of arrays have their number.

    >>> made = spans('[facts]\\nwhere = ["N > 1"]  # a fact')
    >>> made[("facts", "where", 0)]
    Span(key=17, key_end=17, at=17, end=24)
    """
    walker = _Walker(text)
    walker.document()
    return walker.spans


def inner_text(text: str, span: Span, value: Any) -> int | None:
    """Where the characters of a string value begin, if they stand in the text letter by letter."""
    raw = text[span.at : span.end]
    for quote in STRINGS:
        if raw.startswith(quote):
            inside = raw[len(quote) : -len(quote)]
            return span.at + len(quote) if inside == value and "\n" not in inside else None
    return None
