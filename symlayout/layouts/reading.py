"""What readers of notations share: lists in brackets, and mistakes shown where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner
from symlayout.text.patterns import regex

T = TypeVar("T")
Span = tuple[int, int]
OPEN, CLOSE = "([{", ")]}"


def items(
    s: Scanner, close: str, between: str, read: Callable[[], T], *, limited: bool = True
) -> list[T]:
    """What stands between commas up to a closing sign; no more than a layout has dimensions.

    >>> s = Scanner("a, b) c")
    >>> items(s, ")", "between the names", s.name), s.at
    (['a', 'b'], 5)
    """
    results: list[T] = []
    while not s.take(close):
        if results:
            s.expect(",", between)
        if limited:
            s.check_rank(len(results) + 1)
        results.append(read())
    return results


@contextmanager
def shown_at(s: Scanner, at: int, end: int | None = None) -> Iterator[None]:
    """A mistake in a value that has been read is shown at these characters of its text."""
    try:
        yield
    except LayoutError as e:
        raise s.error(e.code, e.message, at, end, e.help) from None


@contextmanager
def part_from(s: Scanner, start: int) -> Iterator[None]:
    """A mistake in a part of a text, which is read by itself, is shown in the whole."""
    try:
        yield
    except LayoutError as e:
        end = None if e.end is None else start + e.end
        raise s.error(e.code, e.message, start + (e.at or 0), end, e.help) from None


TEMPLATE = regex(r"\b(?:Layout|Shape|Stride|Tile|Coord|tuple|Int|C|Swizzle)\s*\Z")


def arguments_of(s: Scanner, at: int) -> tuple[list[Span], int]:
    """Where the arguments stand that commas outside brackets part, and the end of the call."""
    spans: list[Span] = []
    start, inside = at, [")"]
    while at < len(s.text):
        c = s.text[at]
        if s.text.startswith("/*", at):
            at = (s.text.find("*/", at) + 2) or len(s.text)
            at = at if at > 1 else len(s.text)
            continue
        if c == "<" and TEMPLATE.search(s.text[max(0, at - 16) : at]):
            inside.append(">")
        elif c == ">" == inside[-1]:
            inside.pop()
        elif c in OPEN:
            inside.append(CLOSE[OPEN.index(c)])
        elif c in CLOSE:
            if c != inside.pop():
                raise s.error("SL101", f"the bracket {c!r} closes another one", at)
            if not inside:
                spans += [(start, at)] if s.text[start:at].strip() or spans else []
                return spans, at + 1
        elif c == "," and len(inside) == 1:
            spans.append((start, at))
            start = at + 1
        at += 1
    raise s.error("SL101", f"expected {inside[-1]!r} to close the call", len(s.text))
