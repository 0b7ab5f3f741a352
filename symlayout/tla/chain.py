"""A layout or a swizzle after a swizzled layout, where both together are no single swizzle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symlayout.expr.outward import outward, public
from symlayout.expr.terms import Size, as_expr, as_size, ceildiv, value
from symlayout.hooks import Shown
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import split
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.layouts.demands import Demand

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap

Outer = Layout | Swizzle | ComposedLayout


@dataclass(frozen=True)
class Chain(Shown):
    """First `inner`, then `outer`, one after the other: c -> outer(inner(c)).

    >>> from symlayout.tla import composition
    >>> A = composition("(2,4):(3,1)", "Swizzle(1,0,2) o 0 o 8:1")
    >>> print(A, [A(c) for c in range(8)])
    (2,4):(3,1) o Swizzle(1,0,2) o 0 o 8:1 [0, 3, 1, 4, 5, 2, 6, 3]

    It has the coordinates of `inner`; operations that ask a layout for other coordinates ask `inner`.
    Beyond its size a layout goes on with its last mode.
    """

    outer: Outer
    inner: ComposedLayout | Chain

    shape = public("_shape", "The shape of the innermost layout.")
    size = public("_size", "The number of coordinates.")
    cosize = public("_cosize", "One more than the largest offset that can be.")

    @property
    def _shape(self) -> it.IntTuple:
        """The shape of the layout behind everything."""
        return self.inner._shape

    @property
    def _size(self) -> Size:
        """The number of coordinates."""
        return self.inner._size

    @property
    def _cosize(self) -> Size:
        """A bound on the offsets: one more than the largest that can be."""
        return _reach(self.outer, self.inner._cosize)

    @property
    def demands(self) -> tuple[Demand, ...]:
        """What must hold for it to be defined."""
        return (*self.inner.demands, *getattr(self.outer, "demands", ()))

    def __call__(self, *coord: Any) -> Any:
        return outward(self._at(*coord))

    def _at(self, *coord: Any) -> Any:
        return at_index(self.outer, self.inner._at(*coord))

    def through(self, operation: Any, *arguments: Any, **options: Any) -> Chain:
        """The same after what an operation makes of the layout behind everything."""
        inner: Any = self.inner
        if isinstance(inner, Chain):
            return Chain(self.outer, inner.through(operation, *arguments, **options))
        plain = operation(inner.layout, *arguments, **options)
        return Chain(self.outer, ComposedLayout(inner.swizzle, inner._offset, plain))

    def index_map(self) -> IndexMap:
        """Coordinates to offsets."""
        from symlayout.layouts.indexmap import IndexMap

        inner = self.inner.index_map()
        raw = as_expr(at_index(self.outer, inner._raw))
        size = int_(self._cosize)
        return IndexMap(
            inner._shape, inner._coords, raw, size, inner.bits, str(self), _Reference(self),
            demands=self.demands,
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.outer} o {self.inner}"


def at_index(outer: Outer, index: Any) -> Any:
    """The offset of a linear index, beyond the size as well.

    >>> at_index(Layout((2, 4), (4, 1)), 9), at_index(Swizzle(1, 0, 2), 4)
    (8, 5)
    """
    if isinstance(outer, Swizzle):
        return outer(index)
    if isinstance(outer, ComposedLayout):
        return outer.swizzle(int_(outer._offset) + at_index(outer.layout, index))
    digits = split(index, tuple(int_(s) for s, _ in outer._leaves))
    return sum((x * int_(d) for x, (_, d) in zip(digits, outer._leaves)), 0)


def _reach(outer: Outer, count: Size) -> Size:
    """One more than the largest offset of the first `count` indices, or beyond it."""
    if isinstance(outer, Swizzle):
        return as_size(int_(ceildiv(count, outer.block)) * outer.block)
    if isinstance(outer, ComposedLayout):
        return _reach(outer.swizzle, as_size(int_(outer._offset) + _reach(outer.layout, count)))
    if not outer._leaves:
        return 1
    *others, (_, last) = outer._leaves
    below = it.product([s for s, _ in others])
    many = as_size(ceildiv(count, int_(below)))
    return Layout((*[s for s, _ in others], many), (*[d for _, d in others], last))._cosize


@dataclass(frozen=True)
class _Reference:
    """The offset by definition, in plain integers."""

    chain: Chain

    def __call__(self, coords: tuple[int, ...], sizes: Mapping[str, int]) -> int:
        inner = self.chain.inner.index_map().reference
        assert inner is not None
        return _number(self.chain.outer, inner(coords, sizes), sizes)


def _number(outer: Outer, index: int, sizes: Mapping[str, int]) -> int:
    if isinstance(outer, Swizzle):
        return int(outer(index))
    if isinstance(outer, ComposedLayout):
        start = value(int_(outer._offset), sizes)
        return int(outer.swizzle(start + _number(outer.layout, index, sizes)))
    total = 0
    for position, (size, stride) in enumerate(outer._leaves):
        whole = value(int_(size), sizes)
        digit = index if position == len(outer._leaves) - 1 else index % whole
        total += digit * value(int_(stride), sizes)
        index //= whole
    return total
