"""Swizzles: `x ^ ((x & yyy) >> S)` on offsets, composed with layouts.

A swizzle is linear over the field of two elements: it adds (xor) bits to other bits.  It is a
bijection of [0, 2**n) exactly when its n x n matrix of bits has rank n.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError
from symlayout.expr.outward import keywords, outward, public
from symlayout.expr.terms import FloorDiv, Mod, Size, as_expr, as_size, put
from symlayout.expr.tree import Expr, Symbol
from symlayout.hooks import Shown
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout, int_, slice_and_offset
from symlayout.layouts.demands import Demand, definedness
from symlayout.layouts.spans import Span
from symlayout.text.limits import SWIZZLE

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap


@dataclass(frozen=True)
class Swizzle(Shown):
    """CuTe's `Swizzle<B, M, S>`: B bits, above the lowest M, are xored with those S places higher.

    >>> Swizzle(3, 4, 3)(0b1010000000)
    720

    A negative S takes the bits from below.  Raises `LayoutError` (SL102) for negative B or M, or
    when the two groups of bits overlap (|S| < B).
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        for name, low in (("bits", 0), ("base", 0)):
            if it.check_index(getattr(self, name), name) < low:
                raise LayoutError("SL102", f"Swizzle: {name} must be at least {low}")
        if abs(it.check_index(self.shift, "shift")) < self.bits:
            message = f"Swizzle: the shift {self.shift} is shorter than its {self.bits} bits"
            raise LayoutError("SL102", message)
        if self.width > SWIZZLE:
            raise LayoutError("SL204", f"Swizzle: it reaches more than {SWIZZLE} bits")

    @property
    def source(self) -> int:
        """The lowest bit that is read."""
        return self.base + max(0, self.shift)

    @property
    def target(self) -> int:
        """The lowest bit that is changed."""
        return self.base - min(0, self.shift)

    @property
    def width(self) -> int:
        """The number of low bits that the swizzle reads or changes."""
        return max(self.source, self.target) + self.bits if self.bits else 0

    @property
    def block(self) -> int:
        """Only bits below this power of two change: each aligned block is mapped onto itself."""
        return 1 << (self.target + self.bits) if self.bits else 1

    def __call__(self, x: Any) -> Any:
        """The swizzled offset of a number, an array of them, or an expression (not negative)."""
        if isinstance(x, int) or not hasattr(x, "free_symbols"):
            read = (x >> self.source) & ((1 << self.bits) - 1)
            return x ^ (read << self.target)
        return self.expression(x)

    def expression(self, x: Any) -> Any:
        """The swizzled offset with divisions instead of bits: xor of y and z is y + z - 2*y*z."""
        total = x
        for k in range(self.bits):
            y = Mod(FloorDiv(x, 2 ** (self.source + k)), 2)
            z = Mod(FloorDiv(x, 2 ** (self.target + k)), 2)
            total = total + 2 ** (self.target + k) * y * (1 - 2 * z)
        return total

    def matrix(self, width: int | None = None) -> list[int]:
        """The bit matrix: for each input bit the number whose bits it changes.

        >>> Swizzle(1, 0, 1).matrix()
        [1, 3]
        """
        return [self(1 << k) for k in range(self.width if width is None else width)]

    def bijective(self, width: int | None = None) -> bool:
        """Whether the swizzle maps the numbers of `width` bits onto themselves, each once."""
        columns = self.matrix(width)
        inside = all(c < 1 << len(columns) for c in columns)
        return inside and rank_over_f2(columns) == len(columns)

    def bitwise(self, x: Expr) -> Expr:
        """What becomes of an offset that is not negative, as a shift, a mask and an exclusive or.

        >>> print(Swizzle(3, 3, 3).bitwise(Symbol("x")))
        (x ^ ((x//8) & 56))
        """
        from symlayout.expr.terms import BitAnd, BitXor

        step = self.source - self.target
        target = FloorDiv(x, 2**step) if step > 0 else x * 2**-step
        return BitXor(x, BitAnd(target, ((1 << self.bits) - 1) << self.target))

    def __str__(self) -> str:
        return f"Swizzle({self.bits},{self.base},{self.shift})"

    def __repr__(self) -> str:
        return f"Swizzle({self.bits}, {self.base}, {self.shift})"


def rank_over_f2(rows: list[int]) -> int:
    """The rank of a matrix of bits, each row a number.

    >>> rank_over_f2([0b11, 0b01, 0b10])
    2
    """
    pivots: list[int] = []
    for row in rows:
        for p in pivots:
            row = min(row, row ^ p)
        if row:
            pivots.append(row)
    return len(pivots)


@keywords
@dataclass(frozen=True)
class ComposedLayout(Shown):
    """A swizzle after an offset after a layout: c -> swizzle(offset + layout(c)).

    >>> A = ComposedLayout(Swizzle(2, 0, 2), 0, Layout((4, 4), (4, 1)))
    >>> print(A, [A(1, j) for j in range(4)])
    Swizzle(2,0,2) o 0 o (4,4):(4,1) [5, 4, 7, 6]
    """

    swizzle: Swizzle
    _offset: Size
    layout: Layout

    offset = public("_offset", "What is added before the swizzle.")
    shape = public("_shape", "The shape of the layout.")
    size = public("_size", "The number of coordinates.")
    cosize = public("_cosize", "The range of offsets, rounded up to whole blocks of the swizzle.")

    @staticmethod
    def read_fields(values: dict[str, Any]) -> dict[str, Any]:
        """The offset as a size."""
        return {**values, "_offset": it.as_leaf(values["_offset"])}

    def __post_init__(self) -> None:
        if isinstance(self._offset, int) and self._offset < 0:
            message = f"the offset {int(self._offset)} before a swizzle is negative"
            raise LayoutError("SL102", message)
        if any(isinstance(d, int) and d < 0 for d in it.flatten(self.layout._stride)):
            raise LayoutError("SL102", f"{self.layout} has a negative stride before a swizzle")

    @property
    def _shape(self) -> it.IntTuple:
        """The shape of the layout."""
        return self.layout._shape

    @property
    def _size(self) -> Size:
        """The number of coordinates."""
        return self.layout._size

    @property
    def _cosize(self) -> Size:
        """The layout's range of offsets, rounded up to whole blocks that the swizzle permutes."""
        return self.span.size()

    @property
    def span(self) -> Span:
        """How far the offsets before the swizzle reach, in whole blocks."""
        return Span(int_(self._offset), self.layout.span.steps, self.swizzle.block)

    @property
    def demands(self) -> tuple[Demand, ...]:
        """What must hold for it to be defined."""
        defined = definedness("the offset", [self._offset], self.layout._origin)
        known = isinstance(self._offset, int)  # which was looked at when it was made
        natural = () if known else (Demand("the offset before the swizzle", self._offset),)
        return (*self.layout.demands, *defined, *natural)

    def __call__(self, *coord: Any) -> Any:
        return outward(self._at(*coord))

    def _at(self, *coord: Any) -> Any:
        return self.swizzle(as_size(self._offset + self.layout._at(*coord)))

    def __str__(self) -> str:
        return f"{self.swizzle} o {self._offset} o {self.layout}"

    def __repr__(self) -> str:
        return f"read_layout({str(self)!r})"

    def index_map(self) -> IndexMap:
        """Coordinates to swizzled offsets."""
        from dataclasses import replace

        inner = self.layout.index_map()
        raw = self.swizzle.expression(as_expr(int_(self._offset)) + inner._raw)
        return replace(
            inner,
            _raw=raw,
            _size=self._cosize,
            text=str(self),
            reference=_Reference(self),
            symbols=(),
            span=self.span,
            demands=self.demands,
        )

    def map(self, operation: Callable[..., Layout], *arguments: Any) -> ComposedLayout:
        """The same swizzle and offset after the result of an operation on the layout.

        >>> from symlayout.tla import zipped_divide
        >>> A = ComposedLayout(Swizzle(2, 0, 2), 0, Layout((8, 4), (4, 1)))
        >>> print(A.map(zipped_divide, (4, 2)))
        Swizzle(2,0,2) o 0 o ((4,2),(2,2)):((4,1),(16,2))

        For operations on coordinates: composition, divides, coalesce.
        """
        return ComposedLayout(self.swizzle, self._offset, operation(self.layout, *arguments))

    def slice(self, coord: Any) -> ComposedLayout:
        """The modes where the coordinate is `_`; the rest moves the offset.

        >>> from symlayout.tla import _
        >>> print(ComposedLayout(Swizzle(2, 0, 2), 0, Layout((4, 4), (4, 1))).slice((1, _)))
        Swizzle(2,0,2) o 4 o (4):(1)
        """
        part, target = slice_and_offset(coord, self.layout)
        return ComposedLayout(self.swizzle, as_size(int_(self._offset) + target), part)


@dataclass(frozen=True)
class _Reference:
    """The offset by definition: bits of plain integers."""

    composed: ComposedLayout

    def __call__(self, coords: tuple[int, ...], sizes: Mapping[str, int]) -> int:
        from symlayout.expr.terms import value
        from symlayout.layouts.cute.layout import Reference

        inner = Reference(self.composed.layout)(coords, sizes)
        target: int = self.composed.swizzle(value(int_(self.composed._offset), sizes) + inner)
        return target

    def bitwise(self, coords: Sequence[Symbol]) -> Expr:
        """The offset as an exclusive or, which is shorter than the same in arithmetic."""
        inner = self.composed.layout.index_map()
        raw = put(as_expr(inner._raw), dict(zip(inner._coords, coords)))
        return self.composed.swizzle.bitwise(as_expr(int_(self.composed._offset)) + raw)


def compose_swizzle(swizzle: Swizzle, layout: Layout, offset: Size = 0) -> ComposedLayout:
    """`swizzle` after `layout`, moved by `offset` before the bits are swizzled.

    >>> print(compose_swizzle(Swizzle(2, 0, 2), Layout((4, 4), (4, 1))))
    Swizzle(2,0,2) o 0 o (4,4):(4,1)

    Raises `LayoutError` (SL107) where the one is not a swizzle or the other no layout.
    """
    if not isinstance(swizzle, Swizzle) or not isinstance(layout, Layout):
        raise LayoutError("SL107", f"{swizzle} o {offset} o {layout} is not a swizzle of a layout")
    return ComposedLayout(swizzle, offset, layout)
