"""How a layout comes about: pad, reshape and transpose step by step, and the formula term by term.

The index map of the steps is made by literal array operations on coordinates and shares nothing
with the tile formula of `tiling.py`, so that a proof that the two are equal says something.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from symlayout.digits.simplification import under
from symlayout.expr.facts import Facts
from symlayout.expr.outward import keywords, public
from symlayout.expr.terms import Size, as_expr, ceildiv, product
from symlayout.expr.tree import Expr, Integer
from symlayout.hooks import Shown
from symlayout.layouts.indexmap import CoordMap, IndexMap, row_major_number
from symlayout.layouts.xla.definition import Steps
from symlayout.layouts.xla.linear import as_shape, strides
from symlayout.layouts.xla.printing import comma_list, size_text, spaced_list
from symlayout.layouts.xla.shape import Shape
from symlayout.text.once import cached_property


class Step(NamedTuple):
    """One operation: what it does, and the sizes after it, the most major dimension first."""

    operation: str
    sizes: tuple[Size, ...]


class Term(NamedTuple):
    """One term `coordinate * stride` of the linear index."""

    coordinate: Expr
    stride: Size


@keywords
@dataclass(frozen=True)
class Derivation(Shown):
    """A layout as pad, reshape and transpose steps, and as the terms of its linear index.

    `steps` begin with the array itself; `coordinates` are those of the array after the last step;
    `size` is the number of elements of the buffer.
    """

    layout: Shape
    _steps: tuple[Step, ...]
    coordinates: CoordMap
    _size: Size
    where: Any = ()
    agreement = "the linear index is where pad, reshape and transpose put the element"

    steps = public("_steps", "What is done, and the sizes after it; the array itself comes first.")
    size = public("_size", "How many elements the buffer has.")
    terms = public("_terms", "The terms of the linear index, the largest stride first.")

    @cached_property
    def _terms(self) -> tuple[Term, ...]:
        """The terms of the linear index by the tile formula, the largest stride first."""
        places = self.layout.placed(self.coordinates._coords)
        pairs = zip(self._shortest(places.coords), self._shortest(strides(places.sizes)))
        return tuple(Term(as_expr(e), s) for e, s in pairs if e != 0)

    def _shortest(self, values: Sequence[Any]) -> tuple[Size, ...]:
        """Sizes, or coordinates after the steps, as short as the facts make them."""
        return under(values, self.where, self.coordinates._coords, self.coordinates._shape)

    def index_map(self) -> IndexMap:
        """The index map of the steps: made by array operations, not by the tile formula."""
        array, layout = self.coordinates, self.layout
        number = as_expr(row_major_number(array._exprs, array._sizes))
        text = f"pad_reshape_transpose({layout})"
        names = tuple(layout.symbols())  # known here, and slow to find in a deep expression
        known = Steps(layout._widths, layout.minor_to_major, layout._tiles)
        return IndexMap(
            array._shape,
            array._coords,
            number,
            self._size,
            layout.bits,
            text,
            known,
            symbols=names,
            _vanishing=() if layout._padded is None else layout._sizes,
            demands=layout.demands,
        )

    def sides(self) -> tuple[IndexMap, IndexMap]:
        """The two maps of which the proof says that they agree: the tile formula's, the steps'."""
        return self.layout.index_map(), self.index_map()

    def __str__(self) -> str:
        places = self.layout.placed(self.coordinates._coords)
        lines = [str(self.layout), *(f"  where {r}" for r in Facts.read(self.where).relations)]
        lines.append("linear index, term by term")
        lines.append(f"  coordinates  ({spaced_list(self._shortest(places.coords))})")
        lines.append(f"  sizes        ({spaced_list(self._shortest(places.sizes))})")
        lines += self._term_lines()
        lines.append("pad, reshape, transpose")
        width = max(len(s.operation) for s in self._steps)
        lines += [f"  {s.operation:<{width}}  [{spaced_list(s.sizes)}]" for s in self._steps]
        size, value = self._shortest([self._size, self.layout._byte_size])
        lines.append(f"buffer: {size} elements, {value} bytes")
        return "\n".join(lines)

    def _term_lines(self) -> list[str]:
        if not self._terms:
            return ["  = 0"]
        width = max(len(str(t.coordinate)) for t in self._terms)
        signs = ["=", *["+"] * (len(self._terms) - 1)]
        return [f"  {x} {t.coordinate!s:<{width}} * {t.stride}" for x, t in zip(signs, self._terms)]


def derive(layout: Any, where: Any = ()) -> Derivation:
    """How the layout comes about, in steps whose shapes are shown and in terms of its formula.

    >>> print(derive("f32[3,5]{1,0:T(2,2)}"))
    f32[3,5]{1,0:T(2,2)}
    linear index, term by term
      coordinates  (i//2, j//2, i%2, j%2)
      sizes        (2, 3, 2, 2)
      = i//2 * 12
      + j//2 * 4
      + i%2  * 2
      + j%2  * 1
    pad, reshape, transpose
      the array                       [3, 5]
      T(2,2): pad to whole tiles      [4, 6]
      T(2,2): reshape, a bitcast      [2, 2, 3, 2]
      T(2,2): transpose by (0,2,1,3)  [2, 3, 2, 2]
    buffer: 24 elements, 96 bytes

    `layout` is a text or a `Shape`; sizes are written as short as the facts `where` make them.
    Raises `LayoutError` for what is not an array, or has a `?`.
    """
    shape = as_shape(layout)
    builder = _Steps(shape)
    steps = [Step(s.operation, under(s.sizes, where)) for s in builder.steps]
    return Derivation(shape, tuple(steps), builder.array, builder.size, where)


def pad_reshape_transpose(layout: Any) -> IndexMap:
    """The index map that literal pad, reshape and transpose steps give.

    >>> pad_reshape_transpose("f32[3,5]{1,0:T(2,2)}").offset(2, 3)
    17
    """
    return derive(layout).index_map()


class _Steps:
    """Carries the steps out on coordinates, and keeps what each one was."""

    def __init__(self, shape: Shape) -> None:
        shape.check_meaning()
        # the layout's own coordinate symbols: tile sizes may be called i or j
        coords = shape.index_map()._coords
        self.array = CoordMap(shape._sizes, coords, coords, shape._sizes)
        self.steps = [Step("the array", shape._sizes)]
        if shape._padded is not None:
            self.record(f"PAD({comma_list(shape._padded)})", self.array.pad(shape._padded))
        order = shape.physical_order()
        if order != tuple(range(shape.rank)):
            operation = f"physical order, transpose by ({comma_list(order)})"
            self.record(operation, self.array.transpose(order))
        for tile in shape._tiles:
            self.tile(tile)
        self.size: Size = product(self.array._sizes)
        if shape._tail_alignment != 1:
            n = shape._tail_alignment
            self.size = product((ceildiv(self.size, n), n))
            self.steps.append(Step(f"L({size_text(n)}): a multiple of {n} elements", (self.size,)))

    def record(self, operation: str, array: CoordMap) -> None:
        self.array = array
        self.steps.append(Step(operation, array._sizes))

    def tile(self, tile: Sequence[Size | str]) -> None:
        """Pads the tiled suffix to whole tiles, splits it, and brings the tile to the minor end."""
        name = f"T({comma_list(tile)})"
        missing = len(tile) - len(self.array._sizes)
        if missing > 0:
            sizes = (1,) * missing + self.array._sizes
            self.record(f"{name}: reshape, leading 1s", self.reshape(sizes))
        if any(isinstance(t, str) for t in tile):
            self.record(f"{name}: reshape, * merges", self.reshape(self.merge(tile)))
        widths = [t for t in tile if not isinstance(t, str)]
        sizes = self.array._sizes
        lead, n = len(sizes) - len(widths), len(widths)
        counts = [ceildiv(d, t) for d, t in zip(sizes[lead:], widths)]
        padded = [product((c, t)) for c, t in zip(counts, widths)]
        self.record(f"{name}: pad to whole tiles", self.array.pad((*sizes[:lead], *padded)))
        pairs = [x for pair in zip(counts, widths) for x in pair]
        self.record(f"{name}: reshape, a bitcast", self.reshape((*sizes[:lead], *pairs)))
        outside = [lead + 2 * k for k in range(n)]
        within = [lead + 2 * k + 1 for k in range(n)]
        perm = (*range(lead), *outside, *within)
        self.record(f"{name}: transpose by ({comma_list(perm)})", self.array.transpose(perm))

    def reshape(self, sizes: tuple[Size, ...]) -> CoordMap:
        """The array under other sizes; an empty one has no elements whose coordinates matter."""
        if 0 in sizes:
            return replace(self.array, _exprs=(Integer(0),) * len(sizes), _sizes=sizes)
        return self.array.reshape(sizes)

    def merge(self, tile: Sequence[Size | str]) -> tuple[Size, ...]:
        """The sizes with each dimension under a `*` multiplied into the next more minor one."""
        sizes = list(self.array._sizes)
        lead = len(sizes) - len(tile)
        for k in range(len(tile) - 1, -1, -1):
            if isinstance(tile[k], str):
                sizes[lead + k] = product((sizes[lead + k], sizes[lead + k + 1]))
                del sizes[lead + k + 1]
        return tuple(sizes)
