"""Ways through an expression, without recursion: it may be as deep as it likes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symlayout.expr.tree import Expr


def walk(e: Expr, parts: Callable[[Expr], tuple[Expr, ...]] = attrgetter("args")) -> Iterator[Expr]:
    """The expression and its parts from the left, each once."""
    seen: set[Expr] = set()
    waiting = [e]
    while waiting:
        x = waiting.pop()
        if x not in seen:
            seen.add(x)
            yield x
            waiting += parts(x)[::-1]


def preorder_traversal(e: Expr) -> Iterator[Expr]:
    """The expression and its parts from the left, each as often as it occurs."""
    waiting = [e]
    while waiting:
        x = waiting.pop()
        yield x
        waiting += x.args[::-1]


@lru_cache(maxsize=10_000)
def length(e: Expr) -> int:
    """How many parts an expression has, each counted as often as it occurs."""
    count, waiting = 0, [e]
    while waiting:
        count += 1
        waiting += waiting.pop().args
    return count


def fold(
    e: Any,
    make: Callable[[Any, list[Any]], Any],
    known: dict[Any, Any] | None = None,
    parts: Callable[[Any], Iterable[Any]] = attrgetter("args"),
) -> Any:
    """What `make` makes of an expression and of what its parts came to, each of them asked once.

    >>> from symlayout.expr.tree import Symbol
    >>> fold(Symbol("x") + 2, lambda e, sizes: 1 + sum(sizes))
    3
    """
    known = {} if known is None else known
    waiting = [e]
    while waiting:
        x = waiting[-1]
        if x in known:
            waiting.pop()
            continue
        inner = parts(x)
        missing = [a for a in inner if a not in known] if inner else []
        if missing:
            waiting += missing
        else:
            known[waiting.pop()] = make(x, [known[a] for a in inner] if inner else [])
    return known[e]
