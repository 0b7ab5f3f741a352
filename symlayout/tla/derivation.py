"""`crd2offset` unrolled: how a coordinate is split among the modes, and what each part adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symlayout.digits.simplification import under
from symlayout.expr.facts import Facts
from symlayout.expr.outward import keywords, public
from symlayout.expr.terms import Size, as_expr, free_names
from symlayout.expr.tree import Expr, Integer
from symlayout.hooks import Shown
from symlayout.layouts.cute.coordinates import split
from symlayout.layouts.cute.inttuple import text_of
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.layouts.indexmap import CoordMap, IndexMap
from symlayout.layouts.notation import parse
from symlayout.layouts.strided import Strided
from symlayout.text.once import cached_property
from symlayout.tla.arguments import layout_of


@keywords
@dataclass(frozen=True)
class Term:
    """What one mode adds: `coordinate * stride`, with the path of the mode and its size."""

    path: tuple[int, ...]
    _coordinate: Expr
    _size: Size
    _stride: Size

    coordinate = public("_coordinate", "The coordinate in the mode.")
    size = public("_size", "How many there are.")
    stride = public("_stride", "How far apart they lie.")


@keywords
@dataclass(frozen=True)
class Derivation(Shown):
    """A layout's offset as the sum over its modes, the leftmost mode of each dimension fastest.

    `coords` are the coordinates and `shape` their sizes, `terms` what each innermost mode adds,
    `start` the offset of the first element, `swizzle` what is done to the bits of the sum, `whole`
    what is derived, `where` the facts by which sizes are written.
    """

    layout: Layout
    _shape: tuple[Size, ...]
    _coords: tuple[Any, ...]
    terms: tuple[Term, ...]
    _start: Size = 0
    swizzle: Swizzle | None = None
    whole: Any = None
    where: Any = ()

    shape = public("_shape", "The sizes of the coordinates.")
    coords = public("_coords", "The coordinates.")
    start = public("_start", "The offset of the first element.")

    @property
    def agreement(self) -> str:
        """What the proof says."""
        text = "crd2offset is the sum of coordinate * stride over the modes"
        text = text.replace("crd2offset", "the offset") if self.moved else text
        return f"{text}, moved by {self._start}" if self._start != 0 else text

    @property
    def moved(self) -> bool:
        """Whether the offset is more than that of shape:stride."""
        return self._start != 0 or self.swizzle is not None

    @cached_property
    def natural(self) -> CoordMap:
        """A coordinate of every innermost mode to the coordinate of each dimension.

        >>> made = derive("((4,2),(4,3)):((4,16),(1,32))").natural
        >>> made.shape, made.exprs
        ((4, 2, 4, 3), (i0 + 4*i1, i2 + 4*i3))
        """
        sizes = tuple(int_(t._size) for t in self.terms)
        names = [*self.layout.index_map().symbols, *free_names(int_(self._start))]
        inner = CoordMap.identity(sizes).apart_from(names)
        exprs: list[Expr] = []
        supply = iter(inner._coords)
        for widths, _ in self.layout._groups:
            number: Expr = Integer(0)
            below: Any = Integer(1)
            for w in widths:
                number, below = number + next(supply) * below, below * int_(w)
            exprs.append(as_expr(number))
        whole = tuple(int_(d) for d in self._whole()._origin)
        return CoordMap(inner._shape, inner._coords, tuple(exprs), whole)

    def _whole(self) -> Layout:
        """The layout with every coordinate that its modes have, the origin's rank kept."""
        from symlayout.layouts.cute import inttuple as it

        origin = tuple(it.product(sizes) for sizes, _ in self.layout._groups)
        return Layout(self.layout._shape, self.layout._stride, origin, self.layout.bits)

    def sides(self) -> tuple[IndexMap, IndexMap]:
        """The offset of one number for each dimension, and the sum of mode * stride.

        A swizzle is done to both alike, so it is left out.
        """
        whole = self._whole().index_map()
        if self._start != 0:
            whole = replace(
                whole, _raw=whole._raw + as_expr(int_(self._start)), reference=None, demands=()
            )
        return whole.compose(self.natural), self.sum_of_modes()

    def sum_of_modes(self) -> IndexMap:
        """The sum of coordinate * stride over the innermost modes, from the start on."""
        steps = [as_expr(int_(t._stride)) for t in self.terms]
        raw = sum((c * s for c, s in zip(self.natural._coords, steps)), as_expr(int_(self._start)))
        size = self._whole().index_map()._size
        return IndexMap(self.natural._shape, self.natural._coords, as_expr(raw), size)

    def shortest(self, values: Sequence[Any]) -> tuple[Size, ...]:
        """Sizes, or expressions of the coordinates, as short as the facts make them."""
        return under([int_(v) for v in values], self.where, self._coords, self._shape)

    def __str__(self) -> str:
        named = ", ".join(map(str, self._coords)) + ("," if len(self._coords) == 1 else "")
        lines = [str(self.whole or self.layout)]
        plain = f"{text_of(self.layout._shape)}:{text_of(self.layout._stride)}"
        if plain != lines[0]:
            lines.append(f"  = {plain}" if not self.moved else f"  of {plain}")
        lines += [f"  where {r}" for r in Facts.read(self.where).relations]
        lines.append(f"crd2offset(({named}), shape, stride), mode by mode")
        lines += [f"  {line}" for line in self._mode_lines()]
        if self.swizzle is not None:
            lines += _bit_lines(self.swizzle)
        count, size = self.shortest(
            [self.layout._size, (self.whole or self.layout).index_map()._size]
        )
        low = getattr(self.whole, "_lowest", 0)
        below = isinstance(low, int) and low < 0
        span = f"a buffer of {size}, offsets from {low} on" if below else f"offsets in [0, {size})"
        lines.append(f"{count} coordinates, {span}")
        return "\n".join(lines)

    def _mode_lines(self) -> Iterator[str]:
        rows = [
            (
                f"mode {'.'.join(map(str, t.path))}",
                f"{int_(t._size)}:{int_(t._stride)}",
                str(t._coordinate),
                str(int_(t._stride)),
            )
            for t in self.terms
        ]
        if not rows and self._start == 0:
            yield "= 0"
        wide = [max((len(row[k]) for row in rows), default=0) for k in range(4)]
        for n, (path, mode, digit, stride) in enumerate(rows):
            head = f"{'+' if n else '='} {digit:<{wide[2]}} * {stride:<{wide[3]}}"
            yield f"{head}  {path:<{wide[0]}}  {mode}"
        if self._start != 0:
            sign = "+" if rows else "="
            yield f"{sign} {int_(self._start)!s:<{wide[2] + wide[3] + 3}}  the first element"


def _bit_lines(swizzle: Swizzle) -> list[str]:
    """Which bits of the sum a swizzle changes.

    >>> print(*_bit_lines(Swizzle(2, 0, 3)), sep="; ")
    Swizzle(2,0,3) of x, that sum: x ^ ((x & 0b11000) >> 3);   bit 0 ^= bit 3;   bit 1 ^= bit 4
    """
    mask = bin(((1 << swizzle.bits) - 1) << swizzle.source)
    move = f">> {swizzle.shift}" if swizzle.shift >= 0 else f"<< {-swizzle.shift}"
    lines = [f"{swizzle} of x, that sum: x ^ ((x & {mask}) {move})"]
    both = ((swizzle.target + k, swizzle.source + k) for k in range(swizzle.bits))
    return lines + [f"  bit {t} ^= bit {s}" for t, s in both]


def derive(layout: Any, where: Any = ()) -> Derivation:
    """The offset of a coordinate, mode by mode.

    >>> print(derive("((4,2),(4,3)):((4,16),(1,32))"))
    ((4,2),(4,3)):((4,16),(1,32))
    crd2offset((i, j), shape, stride), mode by mode
      = i%4  * 4   mode 0.0  4:4
      + i//4 * 16  mode 0.1  2:16
      + j%4  * 1   mode 1.0  4:1
      + j//4 * 32  mode 1.1  3:32
    96 coordinates, offsets in [0, 96)

    `layout` is a text, a `Layout`, a swizzled or a strided one; sizes are written as short as the
    facts `where` make them.  The last mode of a dimension takes the whole quotient that remains.
    Raises `LayoutError` for what is not a shape:stride.
    """
    whole = parse(layout) if isinstance(layout, str) else layout
    start: Size = 0
    swizzle = None
    if isinstance(whole, ComposedLayout):
        result, start, swizzle = whole.layout, whole._offset, whole.swizzle
    elif isinstance(whole, Strided):
        result, start = Layout(whole._dims, whole._strides, bits=whole.bits), whole._start
    else:
        result = layout_of(whole)
    m = result.index_map()
    terms: list[Term] = []
    each = max(1, result.rank // max(1, len(result._origin)))  # modes of a dimension

    def sizes_of(values: Sequence[Any]) -> tuple[Size, ...]:
        return under(values, where, m._coords, m._shape)

    for k, (c, (widths, steps)) in enumerate(zip(m._coords, result._groups)):
        digits = sizes_of(split(c, tuple(1 if w == 0 else int_(w) for w in widths)))
        paths = [p for mode in range(k * each, (k + 1) * each) for p in _paths(result, mode)]
        for path, x, w, s in zip(paths, digits, sizes_of(widths), sizes_of(steps)):
            terms.append(Term(path, as_expr(x), w, s))
    own = None if isinstance(whole, str) or whole is result else whole
    return Derivation(result, m._shape, m._coords, tuple(terms), start, swizzle, own, where)


def _paths(layout: Layout, mode: int) -> Iterator[tuple[int, ...]]:
    """The paths of the innermost modes, from left to right."""

    def walk(t: Any, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not isinstance(t, tuple):
            yield path
            return
        for k, x in enumerate(t):
            yield from walk(x, (*path, k))

    shape = layout._shape if isinstance(layout._shape, tuple) else (layout._shape,)
    yield from walk(shape[mode], (mode,))
