"""What broadcasts demand of sizes: the checker's own rules, from the dialects' texts.

Each demand is a goal: relations of which one must hold, none where nothing helps.  Nothing of
`programs/` has a part in it: only texts are read with their readers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from symlayout.certificate.definitions import at_least, leaves, modes_of, plain, product
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.relations import Relation
from symlayout.expr.tree import Dummy, Expr, Integer, expand
from symlayout.layouts.notation import parse

FLOATS = re.compile(r"b?f\d\w*")


Goal = list[Relation]


class Curve(NamedTuple):
    """`out` is `image(size)`; `inverse` says the same of a size by bounds, `room` when it may be."""

    size: Expr
    out: Expr
    image: Callable[[Expr], Expr]
    inverse: Callable[[Expr, Expr], list[Goal]]
    room: Callable[[Expr], list[Goal]]


def open_in(*values: Expr) -> set[Dummy]:
    """The sizes of run time in expressions."""
    return {s for e in values for s in e.free_symbols if isinstance(s, Dummy)}


def sides(goal: Goal) -> list[Expr]:
    """The expressions of a goal."""
    return [e for r in goal for e in (r.left, r.right)]


def is_false(r: Relation) -> bool:
    """Whether a relation of numbers does not hold."""
    return not r.names and not r.holds({})


class Extent(NamedTuple):
    """The size of a dimension, None for `?`; whether it is known only at run time.

    `mark` is the symbol of a `?`.
    """

    size: Expr | None
    later: bool = False
    mark: Dummy | None = None

    @property
    def expr(self) -> Expr:
        """The size, or the symbol in its place."""
        return (self.mark or Dummy("later")) if self.size is None else self.size


class Array(NamedTuple):
    """The extents of an array, and its element type, empty where it has none."""

    dims: tuple[Extent, ...]
    dtype: str = ""


class Broken(Exception):
    """The structure is wrong: no sizes can help."""


def array(argument: Any) -> Array:
    """The extents of a text, of a parsed layout, or of sizes."""
    if isinstance(argument, tuple):
        return Array(tuple(_extent(w) for w in argument))
    layout = parse(argument) if isinstance(argument, str) else argument
    if hasattr(layout, "to"):  # what is broadcast has the shape that it is broadcast to
        return Array(tuple(_dimension(d) for d in layout.to._dims))
    if hasattr(layout, "_dims") and hasattr(layout, "dtype"):
        dims = tuple(_dimension(d) for d in layout._dims)
        return Array(dims, layout.dtype)
    if hasattr(layout, "layout"):
        layout = layout.layout
    if not hasattr(layout, "_origin"):
        raise LayoutError("SL700", f"{argument} has no sizes that could be broadcast")
    if not isinstance(argument, str) or argument.count(":") == 2 or argument.lstrip()[:1].isalpha():
        return Array(tuple(_dimension(d) for d in layout._origin))
    return Array(tuple(Extent(product(leaves(mode))) for mode in modes_of(layout)))


def _dimension(d: Any) -> Extent:
    if not hasattr(d, "_bound"):
        return Extent(plain(d))
    if d._bound is None:
        return Extent(None, True, getattr(d, "mark", None))
    return Extent(plain(d._bound), True)


def _extent(word: str) -> Extent:
    word = word.strip()
    if word == "?":
        return Extent(None, True)
    later = word.startswith("<=")
    return Extent(read_expression(word[2:] if later else word), later)


class Rules:
    """The goals that one broadcast or one instruction leaves."""

    def __init__(self) -> None:
        self.goals: list[list[Relation]] = []
        self.curves: list[Curve] = []

    def no(self) -> NoReturn:
        """Nothing helps, and what follows has no meaning."""
        self.goals.append([])
        raise Broken

    def need(self, condition: bool) -> None:
        """Something that does not depend on sizes."""
        if not condition:
            self.no()

    def one_of(self, *ways: bool | Relation) -> None:
        """One of them holds."""
        if True not in ways:
            self.goals.append([r for r in ways if isinstance(r, Relation)])

    def natural(self, *arrays: Array) -> None:
        """No extent is negative."""
        for a in arrays:
            for e in a.dims:
                if e.size is not None:
                    self.goals += [[r] for r in at_least(0, e.size)]

    def same_type(self, a: Array, b: Array) -> None:
        """One element type, or floats of different precision; none goes with every type."""
        alike = FLOATS.fullmatch(a.dtype) and FLOATS.fullmatch(b.dtype)
        self.need(not (a.dtype and b.dtype) or bool(alike) or a.dtype == b.dtype)

    def one_type(self, a: Array, b: Array) -> None:
        """The very element type: what is only passed on keeps its precision."""
        self.need(a.dtype == b.dtype)

    def equal(self, x: Extent, y: Extent) -> None:
        """The same size."""
        self.one_of(equality(x.expr, y.expr))

    def same_sizes(self, a: Sequence[Extent], b: Sequence[Extent]) -> None:
        """The same extents one by one."""
        self.need(len(a) == len(b))
        for x, y in zip(a, b):
            self.equal(x, y)

    def alike(self, a: Array, b: Array) -> None:
        """The same type and the same extents."""
        self.same_type(a, b)
        self.same_sizes(a.dims, b.dims)


def equality(x: Expr, y: Expr) -> bool | Relation:
    """x == y, decided where both differ by a number."""
    apart = expand(x - y)
    return bool(apart == 0) if apart.is_Number else Relation("==", x, y)


def same(a: Extent, b: Extent) -> bool | Relation:
    """Equal numbers or bounds; `?` is equal to `?` alone."""
    if a.size is None or b.size is None:
        return a.size is b.size
    return equality(a.size, b.size)


def is_one(e: Extent) -> bool | Relation:
    """Whether the size is 1."""
    return e.size is not None and equality(e.size, Integer(1))
