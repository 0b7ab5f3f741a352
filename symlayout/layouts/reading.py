"""What readers of notations share: lists in brackets, and mistakes shown where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner

T = TypeVar("T")


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
