"""Strided layouts: NumPy's, PyTorch's and MLIR memrefs' sizes, strides and offset, in elements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError
from symlayout.expr.outward import keywords, public
from symlayout.expr.reader import NAME, Scanner, expression_at
from symlayout.expr.terms import Size, as_size, value
from symlayout.hooks import Shown
from symlayout.layouts.demands import Demand, definedness, extents
from symlayout.layouts.reading import items, shown_at
from symlayout.layouts.spans import Span
from symlayout.layouts.xla.dtypes import BITS, help_for
from symlayout.text.lines import count

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap


@keywords
@dataclass(frozen=True)
class Strided(Shown):
    """An array whose element at `c` lies at `offset + sum(c * stride)`, counted in elements.

    >>> A = Strided("f32", (3, 4), (4, 1))
    >>> print(A, A.index_map().offset(2, 3))
    strided f32[3,4] strides(4,1) 11

    A stride may be 0 (a broadcast) or negative.  An offset may be negative too: it counts from where
    the first element would lie without an offset, and `bounded` is refuted.
    Raises `LayoutError`: SL103 an unknown dtype, SL107 strides that do not fit, SL102 a negative
    size.
    """

    dtype: str
    _dims: tuple[Size, ...]
    _strides: tuple[Size, ...]
    _start: Size = 0

    dims = public("_dims", "The sizes.")
    strides = public("_strides", "How far apart the elements of each dimension lie.")
    start = public("_start", "Where the first element lies.")
    size = public("_size", "The number of elements of the buffer.")
    lowest = public("_lowest", "The least offset of an element.")
    highest = public("_highest", "The greatest offset of an element.")

    @staticmethod
    def read_fields(values: dict[str, Any]) -> dict[str, Any]:
        """Tuples of sizes."""
        if (dtype := values["dtype"]) not in BITS:
            message = f"the element type {dtype!r} is not known"
            raise LayoutError("SL103", message, help=help_for(dtype))
        sizes = {n: tuple(as_size(x) for x in values[n]) for n in ("_dims", "_strides")}
        return {**values, **sizes, "_start": as_size(values["_start"])}

    def __post_init__(self) -> None:
        if len(self._dims) != len(self._strides):
            number = count(len(self._strides), "stride")
            raise LayoutError("SL107", f"{number} for {count(len(self._dims), 'size')}")
        for d in self._dims:
            if isinstance(d, int) and d < 0:
                raise LayoutError("SL102", f"the size {d} is negative")

    @property
    def empty(self) -> bool:
        """Whether there is certainly no element."""
        return any(d == 0 for d in self._dims)

    @property
    def bits(self) -> int:
        """Bits per element."""
        return BITS[self.dtype]

    @property
    def _lowest(self) -> Size:
        """The least offset of an element."""
        return self.span.lowest()

    @property
    def _highest(self) -> Size:
        """The greatest offset of an element."""
        return self.span.highest()

    @property
    def span(self) -> Span:
        """How far the offsets reach."""
        return Span(self._start, tuple(zip(self._dims, self._strides)))

    @property
    def demands(self) -> tuple[Demand, ...]:
        """What must hold for it to be defined."""
        steps = definedness("the stride", self._strides, self._dims)
        return (*extents(self._dims), *steps, *definedness("the offset", [self._start], self._dims))

    @property
    def _size(self) -> Size:
        """The elements of the buffer: 1 + the greatest offset - the least one where that is negative.

        With symbols it is that of an array with elements, every symbol being at least 1: claims whose
        facts say otherwise know the signs of strides, and take the size to be 0 where a dimension is.
        """
        return self.span.size()

    def __str__(self) -> str:
        text = f"strided {self.dtype}[{_list(self._dims)}] strides({_list(self._strides)})"
        return text if self._start == 0 else f"{text} offset {self._start}"

    def __repr__(self) -> str:
        return f"read_strided({str(self)!r})"

    def index_map(self) -> IndexMap:
        """Coordinates to offsets; its size is `size`."""
        from symlayout.layouts.indexmap import IndexMap

        return IndexMap.strided(
            self._dims,
            self._strides,
            self._start,
            self._size,
            bits=self.bits,
            text=str(self),
            reference=_Reference(self),
            _vanishing=self._dims,
            span=self.span,
            demands=self.demands,
        )


@dataclass(frozen=True)
class _Reference:
    """The offset by definition, in plain integers."""

    strided: Strided

    def __call__(self, coords: tuple[int, ...], sizes: Mapping[str, int]) -> int:
        steps = [value(s, sizes) for s in self.strided._strides]
        return value(self.strided._start, sizes) + sum(c * s for c, s in zip(coords, steps))


def _list(values: tuple[Size, ...]) -> str:
    return ",".join(str(v) for v in values)


def read_strided(text: str) -> Strided:
    """The strided layout that a text spells.

    >>> read_strided("strided f32[M,N] strides(N,1) offset 4").index_map().raw
    N*i + j + 4

    Without `strides(...)` they are row-major.  Raises `LayoutError` with the place of the mistake.
    """
    s = Scanner(text)
    if s.name() != "strided":
        raise s.error("SL101", "a strided layout begins with the word 'strided'", 0)
    start = s.skip()
    dtype = s.name() or ""
    if dtype not in BITS:
        what = f"the element type {dtype!r} is not known" if dtype else "an element type is missing"
        raise s.error("SL103" if dtype else "SL101", what, start, s.at, help=help_for(dtype))
    s.expect("[", "before the sizes")
    dims = _values(s, "]")
    at = s.skip()
    strides = row_major(dims)
    if s.match(NAME) == "strides":
        s.expect("(", "before the strides")
        strides = _values(s, ")")
    else:
        s.at = at
    end = s.skip()
    offset: Size = 0
    word = s.match(NAME)
    if word == "offset":
        offset = as_size(expression_at(s))
    elif word is not None:
        raise s.error("SL101", f"expected 'strides' or 'offset', found {word!r}", end)
    s.end("the strided layout")
    with shown_at(s, at):
        return Strided(dtype, dims, strides, offset)


def _values(s: Scanner, close: str) -> tuple[Size, ...]:
    return tuple(items(s, close, f"or {close!r} in the list", lambda: as_size(expression_at(s))))


def row_major(dims: tuple[Size, ...]) -> tuple[Size, ...]:
    """The strides without gaps, the last dimension's being 1.

    >>> row_major((2, 3, 4))
    (12, 4, 1)
    """
    *products, _ = accumulate(reversed(dims), mul, initial=1)
    return tuple(as_size(x) for x in reversed(products))
