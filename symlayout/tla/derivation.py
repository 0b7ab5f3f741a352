"""`crd2offset` unrolled: how a coordinate is split among the modes, and what each part adds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr, Integer

from symlayout.expr.terms import Size, as_expr
from symlayout.layouts.cute.coordinates import split
from symlayout.layouts.cute.inttuple import text_of
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.layouts.indexmap import CoordMap, IndexMap
from symlayout.tla.arguments import layout_of


@dataclass(frozen=True)
class Term:
    """What one mode adds: `coordinate * stride`, with the path of the mode and its size."""

    path: tuple[int, ...]
    coordinate: Expr
    size: Size
    stride: Size


@dataclass(frozen=True)
class Derivation:
    """A layout's offset as the sum over its modes, the leftmost mode of each dimension fastest.

    `coords` are the coordinates and `shape` their sizes, `terms` what each innermost mode adds.
    """

    layout: Layout
    shape: tuple[Size, ...]
    coords: tuple[Any, ...]
    terms: tuple[Term, ...]
    agreement = "crd2offset is the sum of coordinate * stride over the modes"

    @cached_property
    def natural(self) -> CoordMap:
        """A coordinate of every innermost mode to the coordinate of each dimension.

        >>> made = derive("((4,2),(4,3)):((4,16),(1,32))").natural
        >>> made.shape, made.exprs
        ((4, 2, 4, 3), (i0 + 4*i1, i2 + 4*i3))
        """
        sizes = tuple(int_(t.size) for t in self.terms)
        inner = CoordMap.identity(sizes).apart_from(self.layout.index_map().symbols)
        exprs: list[Expr] = []
        supply = iter(inner.coords)
        for widths, _ in self.layout.groups:
            number: Expr = Integer(0)
            below: Any = Integer(1)
            for w in widths:
                number, below = number + next(supply) * below, below * int_(w)
            exprs.append(as_expr(number))
        whole = tuple(int_(d) for d in self._whole().origin)
        return CoordMap(inner.shape, inner.coords, tuple(exprs), whole)

    def _whole(self) -> Layout:
        """The layout with every coordinate that its modes have, the origin's rank kept."""
        from symlayout.layouts.cute import inttuple as it

        origin = tuple(it.product(sizes) for sizes, _ in self.layout.groups)
        return Layout(self.layout.shape, self.layout.stride, origin, self.layout.bits)

    def sides(self) -> tuple[IndexMap, IndexMap]:
        """`crd2offset` of one number for each dimension, and the sum of mode * stride."""
        return self._whole().index_map().compose(self.natural), self.unrolled()

    def unrolled(self) -> IndexMap:
        """The sum of coordinate * stride over the innermost modes."""
        steps = [as_expr(int_(t.stride)) for t in self.terms]
        raw = sum((c * s for c, s in zip(self.natural.coords, steps)), Integer(0))
        size = self._whole().index_map().size
        return IndexMap(self.natural.shape, self.natural.coords, as_expr(raw), size)

    def __str__(self) -> str:
        named = ", ".join(map(str, self.coords)) + ("," if len(self.coords) == 1 else "")
        lines = [str(self.layout)]
        plain = f"{text_of(self.layout.shape)}:{text_of(self.layout.stride)}"
        if plain != lines[0]:
            lines.append(f"  = {plain}")
        lines.append(f"crd2offset(({named}), shape, stride), mode by mode")
        lines += [f"  {line}" for line in self._mode_lines()]
        lines.append(
            f"{self.layout.size} coordinates, offsets in [0, {self.layout.index_map().size})"
        )
        return "\n".join(lines)

    def _mode_lines(self) -> Iterator[str]:
        rows = [
            (
                f"mode {'.'.join(map(str, t.path))}",
                f"{int_(t.size)}:{int_(t.stride)}",
                str(t.coordinate),
                str(int_(t.stride)),
            )
            for t in self.terms
        ]
        if not rows:
            yield "= 0"
        wide = [max((len(row[k]) for row in rows), default=0) for k in range(4)]
        for n, (path, mode, digit, stride) in enumerate(rows):
            head = f"{'+' if n else '='} {digit:<{wide[2]}} * {stride:<{wide[3]}}"
            yield f"{head}  {path:<{wide[0]}}  {mode}"


def derive(layout: Any) -> Derivation:
    """The offset of a coordinate, mode by mode.

    >>> print(derive("((4,2),(4,3)):((4,16),(1,32))"))
    ((4,2),(4,3)):((4,16),(1,32))
    crd2offset((i, j), shape, stride), mode by mode
      = i%4  * 4   mode 0.0  4:4
      + i//4 * 16  mode 0.1  2:16
      + j%4  * 1   mode 1.0  4:1
      + j//4 * 32  mode 1.1  3:32
    96 coordinates, offsets in [0, 96)

    `layout` is a text or a `Layout`.  The last mode of a dimension takes the whole quotient that
    remains.  Raises `LayoutError` for what is no shape:stride.
    """
    made = layout_of(layout)
    m = made.index_map()
    terms: list[Term] = []
    each = _each(made)
    for k, (c, (widths, steps)) in enumerate(zip(m.coords, made.groups)):
        digits = split(c, tuple(1 if w == 0 else int_(w) for w in widths))
        paths = [p for mode in range(k * each, (k + 1) * each) for p in _paths(made, mode)]
        for path, x, w, s in zip(paths, digits, widths, steps):
            terms.append(Term(path, as_expr(x), w, s))
    return Derivation(made, m.shape, m.coords, tuple(terms))


def _each(layout: Layout) -> int:
    """How many modes each dimension has."""
    return max(1, layout.rank // max(1, len(layout.origin)))


def _paths(layout: Layout, mode: int) -> Iterator[tuple[int, ...]]:
    """The paths of the innermost modes, from left to right."""

    def walk(t: Any, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not isinstance(t, tuple):
            yield path
            return
        for k, x in enumerate(t):
            yield from walk(x, (*path, k))

    shape = layout.shape if isinstance(layout.shape, tuple) else (layout.shape,)
    yield from walk(shape[mode], (mode,))
