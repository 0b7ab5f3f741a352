"""Sizes as broadcasting sees them: a number or expression, a bound `<=N`, or `?`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import Size, as_expr, as_size
from symlayout.expr.tree import Dummy, Expr, Integer, Symbol, expand

# a relation where the answer depends on the symbols
Condition = bool | Relation


@dataclass(frozen=True)
class Extent:
    """The size of one dimension: static, bounded (`<=N`), or unbounded (`?`: `size` is None).

    >>> print(Extent(3), Extent(3, dynamic=True), Extent(None, dynamic=True))
    3 <=3 ?
    """

    size: Size | None
    dynamic: bool = False
    unknown: Symbol | None = field(default=None, compare=False)  # what stands for a `?`

    def __post_init__(self) -> None:
        if self.size is None and not self.dynamic:
            raise LayoutError("SL402", "a static dimension needs a size")
        if isinstance(self.size, int) and self.size < 0:
            raise LayoutError("SL102", f"a size of {self.size} must be at least 0")

    def __str__(self) -> str:
        if self.size is None:
            return "?"
        return f"<={self.size}" if self.dynamic else str(self.size)

    @property
    def unbounded(self) -> bool:
        """Whether nothing is known of the size."""
        return self.size is None

    @property
    def bound(self) -> Size:
        """The static size or the bound."""
        assert self.size is not None
        return self.size

    @property
    def expr(self) -> Expr:
        """The size or bound as an expression, of `?` its symbol."""
        if self.size is None:
            return self.unknown or Dummy("later")
        return as_expr(self.size)


def extent(size: Any) -> Extent:
    """The extent of a size however it is written: a number, an expression, text, a dynamic size.

    >>> [str(extent(x)) for x in (3, "<=N", "?", "2*M")]
    ['3', '<=N', '?', '2*M']
    """
    if isinstance(size, Extent):
        return size
    if isinstance(size, str):
        return _read(size)
    if hasattr(size, "_bound"):
        return Extent(size._bound, dynamic=True, unknown=getattr(size, "unknown", None))
    return Extent(as_size(size))


def _read(text: str) -> Extent:
    from symlayout.expr.reader import read_expression

    word = text.strip()
    if word == "?":
        return Extent(None, dynamic=True)
    if word.startswith("<="):
        return Extent(as_size(read_expression(word[2:])), dynamic=True)
    return Extent(as_size(read_expression(word)))


def extents(shape: Any) -> tuple[Extent, ...]:
    """The extents of a shape: text in any notation, a parsed layout, an index map, or the sizes.

    >>> [str(e) for e in extents("f32[M,<=8,1]{2,1,0}")]
    ['M', '<=8', '1']

    Raises `LayoutError` for text that cannot be read and for values that are no sizes.
    """
    if isinstance(shape, str):
        from symlayout.layouts.notation import parse

        shape = parse(shape)
    if isinstance(shape, Sequence):
        return tuple(extent(d) for d in shape)
    if hasattr(shape, "_dims") and hasattr(shape, "dtype"):  # an array: sizes may be dynamic
        return tuple(extent(d) for d in shape._dims)
    result = shape.index_map() if hasattr(shape, "index_map") else shape
    sizes = getattr(result, "_shape" if hasattr(result, "_shape") else "shape", None)
    if isinstance(sizes, tuple) and not any(isinstance(d, tuple) for d in sizes):
        return tuple(extent(d) for d in sizes)
    raise LayoutError("SL700", f"{shape!r} has no sizes that could be broadcast")


def equal(a: Size, b: Size) -> Condition:
    """Whether the sizes are equal: a bool when that is certain, else the relation.

    >>> from symlayout.expr.terms import symbol
    >>> equal(3, 3), equal(3, 4), str(equal(5, symbol("N")))
    (True, False, 'N == 5')
    """
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if a == b:
        return True
    difference = expand(as_expr(a) - as_expr(b))
    if isinstance(difference, Integer):
        return bool(difference == 0)
    if not isinstance(a, Expr) or (isinstance(b, Symbol) and not isinstance(a, Symbol)):
        a, b = b, a
    return Relation("==", as_expr(a), as_expr(b))
