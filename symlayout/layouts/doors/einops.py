"""einops' patterns: `einops b (h d) n -> b n (h d)`, which element of the input goes where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from symlayout.errors import did_you_mean
from symlayout.expr.reader import Scanner, expression_at
from symlayout.expr.terms import FloorDiv, Mod, coordinate_symbols, symbol
from symlayout.expr.tree import Expr, Integer, Mul
from symlayout.layouts.maps.function import ZERO, IndexFunction, Variable
from symlayout.layouts.maps.reader import RESERVED
from symlayout.text.patterns import regex

AXIS = regex(r"[A-Za-z_]\w*|1(?!\w)", re.A)


class Side(NamedTuple):
    """One side of a pattern: groups of axes, and where each axis stands in the text."""

    groups: tuple[tuple[str, ...], ...]
    places: dict[str, int]

    @property
    def axes(self) -> list[str]:
        """All axes that have a name, in order."""
        return list(self.places)


def read_einops(text: str) -> IndexFunction:
    """The index function of a pattern: coordinates of the input to those of the output.

    >>> print(read_einops("einops b (h d) n -> b n (h d)"))
    map i < b, j < d*h, k < n: (i, k, d*(j//d) + j%d) in (b, n, d*h)

    Axes are sizes, or numbers given behind a comma: `einops (h d) -> d h, h=8`.  What a reduction
    leaves out is dropped from the result.  Raises `LayoutError` with the place of the mistake: SL201
    an axis twice on one side, SL403 an axis that is new on the right, which repeats the input.
    """
    s = Scanner(text, language="python")
    s.expect("einops", "of a pattern")
    left = _side(s)
    s.expect("->", "between the two sides")
    right = _side(s)
    sizes: dict[str, Expr] = {a: symbol(a) for a in left.axes}
    while s.take(","):
        at = s.skip()
        name = s.name() or ""
        if name not in sizes:
            near = did_you_mean(name, list(sizes)) or f"its axes: {', '.join(sizes) or 'none'}"
            raise s.error("SL201", f"the pattern has no axis {name!r}", at, help=near)
        s.expect("=", "behind the name of an axis")
        sizes[name] = expression_at(s)
    s.end("the pattern")
    for axis in right.axes:
        if axis not in left.places:
            message = f"the axis {axis!r} is new on the right: the input is repeated along it"
            hint = "write the pattern the other way around: from the output to the input"
            raise s.error("SL403", message, right.places[axis], help=hint)
    if not left.groups:
        raise s.error("SL403", "the input has no axis", 0)
    return _function(left, right, sizes)


def _side(s: Scanner) -> Side:
    groups: list[tuple[str, ...]] = []
    places: dict[str, int] = {}
    inside: list[str] | None = None
    while True:
        at = s.skip()
        if s.take("("):
            if inside is not None:
                raise s.error("SL101", "parentheses do not nest in a pattern", at)
            inside = []
        elif inside is not None and s.take(")"):
            groups.append(tuple(inside))
            inside = None
        elif s.peek("..."):
            raise s.error("SL101", "name the axes that '...' stands for", at, at + 3)
        else:
            axis = s.match(AXIS)
            if axis is None:
                break
            if RESERVED(axis):  # the map would not read back
                raise s.error("SL201", f"{axis!r} is a word of the language", at, s.at)
            if axis != "1":
                if axis in places:
                    raise s.error("SL201", f"the axis {axis!r} stands twice on one side", at, s.at)
                places[axis] = at
            s.check_rank(len(groups) + len(places) + 1)
            if inside is None:
                groups.append((axis,))
            else:
                inside.append(axis)
    if inside is not None:
        raise s.missing("')' to close the axes")
    return Side(tuple(groups), places)


def _function(left: Side, right: Side, sizes: dict[str, Expr]) -> IndexFunction:
    def size(group: Sequence[str]) -> Expr:
        return Mul(*[sizes[a] for a in group if a != "1"])

    names = {x.name for e in sizes.values() for x in e.free_symbols} | set(sizes)
    coords = coordinate_symbols(len(left.groups), names)
    value: dict[str, Expr] = {}
    for x, group in zip(coords, left.groups):
        named = [a for a in group if a != "1"]
        for k, axis in enumerate(named):
            below = size(named[k + 1 :])
            if size(named) == 0:  # no coordinate to take apart: nothing is divided by a size of 0
                value[axis] = Integer(0)
                continue
            digit: Expr = x if below == 1 else FloorDiv(x, below)
            value[axis] = digit if k == 0 else Mod(digit, sizes[axis])
    results: list[Expr] = []
    for group in right.groups:
        total: Expr = Integer(0)
        for axis in group:
            if axis != "1":
                total = total * sizes[axis] + value[axis]
        results.append(total)
    variables = tuple(Variable(x.name, ZERO, size(g)) for x, g in zip(coords, left.groups))
    box = tuple(size(g) for g in right.groups)
    if not results:  # everything is reduced to one element
        return IndexFunction(variables, (Integer(0),), (Integer(1),))
    single = len(results) == 1
    return IndexFunction(variables, tuple(results), box, tupled=not single)
