"""A layout `shape:stride`, with the true sizes (origin shape) of a ragged array."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError
from symlayout.expr.outward import keywords, outward, public
from symlayout.expr.terms import CeilDiv, Size, as_expr, as_size, value
from symlayout.expr.tree import Expr
from symlayout.hooks import Shown
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.inttuple import IntTuple, flatten, text_of
from symlayout.text.once import cached_property

if TYPE_CHECKING:
    from symlayout.layouts.demands import Demand
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.layouts.spans import Span

Modes = tuple[tuple[tuple[Size, ...], tuple[Size, ...]], ...]


@keywords
@dataclass(frozen=True)
class Layout(Shown):
    """Two IntTuples that nest alike: how many of each mode, and how far apart they lie.

    >>> from symlayout.tla import read_layout
    >>> A = read_layout("((4,2),(4,3)):((4,16),(1,32))")
    >>> A(1, 5), A.size, A.cosize
    (37, 96, 96)

    `origin` has the true size of each logical dimension, by default the product of each mode;
    `bits` are those of an element, when known; `name` is the format it was made by.  Where the
    origin has fewer dimensions than there are modes, neighbouring modes belong together (equally
    many each). Raises `LayoutError` (SL107) for strides that nest otherwise, SL102 for a negative
    size.
    """

    _shape: IntTuple
    _stride: IntTuple
    _origin: tuple[Size, ...] = ()
    bits: int | None = None
    name: str = field(default="", compare=False)

    shape = public("_shape", "How many of each mode.")
    stride = public("_stride", "How far apart the elements of each mode lie.")
    origin = public("_origin", "The true size of each logical dimension.")
    size = public("_size", "The number of coordinates, those beyond the true sizes included.")
    elements = public("_elements", "The number of elements: the product of the true sizes.")
    cosize = public(
        "_cosize", "One more than the offset of the last coordinate; 0 where it is empty."
    )
    leaves = public("_leaves", "The size and the stride of each innermost mode.")
    groups = public("_groups", "The innermost sizes and strides of each logical dimension.")

    @staticmethod
    def read_fields(values: dict[str, Any]) -> dict[str, Any]:
        """Tuples, and the products of the modes where no origin is given."""
        shape, stride = it.as_tuple(values["_shape"]), it.as_tuple(values["_stride"])
        if not it.congruent(shape, stride):
            message = f"the strides {text_of(stride)} do not nest as {text_of(shape)} does"
            raise LayoutError("SL107", message)
        for size in (*flatten(shape), *values["_origin"]):
            check_size(size)
        origin = tuple(it.as_leaf(d) for d in values["_origin"])
        origin = origin or tuple(it.plain(m) for m in it.product_each(shape))
        return {**values, "_shape": shape, "_stride": stride, "_origin": origin}

    def __post_init__(self) -> None:
        if not self._origin:
            return
        modes = it.product_each(self._shape)
        if not modes or len(modes) % len(self._origin):
            message = f"the origin {text_of(self._origin)} does not fit {len(modes)} modes"
            raise LayoutError("SL107", message)
        for k, (true, (sizes, _)) in enumerate(zip(self._origin, self._groups)):
            content = it.product(sizes)
            if isinstance(true, int) and isinstance(content, int) and true > content:
                raise LayoutError(
                    "SL107",
                    f"dimension {k} of {int(true)} is larger than its modes hold: {int(content)}",
                )

    @property
    def rank(self) -> int:
        """The number of top-level modes."""
        return it.rank(self._shape)

    @property
    def depth(self) -> int:
        """How deep the shape nests."""
        return it.depth(self._shape)

    @property
    def _size(self) -> Size:
        """The number of coordinates, those beyond the true sizes included."""
        return as_size(it.product(self._shape))

    @property
    def _elements(self) -> Size:
        """The number of elements: the product of the true sizes."""
        return as_size(it.product(self._origin))

    @cached_property
    def _cosize(self) -> Size:
        """1 + the offset of the last coordinate, negative strides as positive; 0 for an empty layout.

        Symbols are taken to be at least 1: claims whose facts say otherwise know better.
        """
        return self.span.size()

    @property
    def span(self) -> Span:
        """How far the offsets reach."""
        from symlayout.layouts.spans import Span

        return Span(0, tuple((int_(n), int_(d)) for n, d in self._leaves))

    @property
    def demands(self) -> tuple[Demand, ...]:
        """What must hold for it to be defined: no negative size, and the true sizes in their modes."""
        demands: list[Demand] = []
        from symlayout.layouts.demands import at_least, definedness, extents, within

        for true, (sizes, _) in zip(self._origin, self._groups):
            if _covers(sizes, true):
                demands += at_least("the block size", [int_(sizes[0])], 1)
        demands += extents(map(int_, flatten(self._shape)))
        for true, (sizes, _) in zip(self._origin, self._groups):
            content = int_(it.product(sizes))
            if true != content:
                demands += extents([int_(true)], "the true size")
                fit = _covers(sizes, true)
                demands += () if fit else within("the modes' size", int_(true), content)
        steps = map(int_, flatten(self._stride))
        return (*demands, *definedness("the stride", steps, tuple(map(int_, self._origin))))

    @property
    def _leaves(self) -> tuple[tuple[Size, Size], ...]:
        """The (size, stride) of every leaf, from left to right."""
        return tuple(zip(flatten(self._shape), flatten(self._stride)))

    @property
    def modes(self) -> tuple[Layout, ...]:
        """The top-level modes, each a layout."""
        return tuple(self[k] for k in range(self.rank))

    @cached_property
    def _groups(self) -> Modes:
        """For each logical dimension the flat sizes and strides of its modes."""
        shape = self._shape if isinstance(self._shape, tuple) else (self._shape,)
        stride = self._stride if isinstance(self._stride, tuple) else (self._stride,)
        if not self._origin:
            return ()
        each = len(shape) // len(self._origin)
        return tuple(
            (flatten(shape[k : k + each]), flatten(stride[k : k + each]))
            for k in range(0, len(shape), each)
        )

    @property
    def concrete(self) -> bool:
        """Whether every size and stride is a number."""
        return it.is_concrete(self._shape, self._stride)

    def __getitem__(self, mode: int) -> Layout:
        return Layout(it.get(self._shape, mode), it.get(self._stride, mode), bits=self.bits)

    def __call__(self, *coord: Any) -> Any:
        """The offset at a coordinate: one integer, one per mode, or nested; with `_` the slice.

        Raises `LayoutError` when it does not fit (SL108) or is out of range (SL400).
        """
        return outward(self._at(*coord))

    def _at(self, *coord: Any) -> Any:
        question = coord[0] if len(coord) == 1 else coord
        if has_keep(question):
            return slice_layout(question, self)
        argument = it.as_tuple(question)
        from symlayout.layouts.cute.coordinates import check_coordinate, crd2offset

        result = crd2offset(argument, self._shape, self._stride)
        check_coordinate(argument, self._shape)
        return result

    def __str__(self) -> str:
        if self.name:
            return self.name
        text = f"{text_of(self._shape)}:{text_of(self._stride)}"
        if self._origin == it.product_each(self._shape):
            return text
        return f"{text}:{text_of(self._origin)}"

    def __repr__(self) -> str:
        return f"read_layout({str(self)!r})"

    def index_map(self) -> IndexMap:
        """The map from true coordinates (one per logical dimension) to offsets.

        >>> from symlayout.tla import read_layout
        >>> read_layout("(M,N):(N,1)").index_map().raw
        N*i + j

        Its shape is the origin, its size the cosize.
        """
        from symlayout.expr.terms import coordinate_symbols, free_names
        from symlayout.expr.tree import Integer
        from symlayout.layouts.indexmap import IndexMap

        sizes = tuple(int_(d) for d in self._origin)
        names = free_names(*sizes, *flatten(self._shape), *flatten(self._stride))
        coords = coordinate_symbols(len(sizes), names)
        raw: Expr = Integer(0)
        from symlayout.layouts.cute.coordinates import split

        for c, (widths, steps) in zip(coords, self._groups):
            digits = split(c, tuple(1 if w == 0 else int_(w) for w in widths))  # 0: no coordinate
            raw += sum((x * int_(d) for x, d in zip(digits, steps)), Integer(0))
        whole = self._origin == it.product_each(it.as_tuple(self._shape))
        return IndexMap(
            sizes,
            coords,
            as_expr(raw),
            0 if any(d == 0 for d in sizes) else int_(self._cosize),
            self.bits,
            str(self),
            Reference(self),
            _vanishing=flatten(self._shape) if whole else sizes,
            span=self.span,
            demands=self.demands,
        )

    def linear_map(self) -> IndexMap:
        """The map from the one-integer coordinate (leftmost mode fastest) to offsets."""
        flat_shape = (flatten(self._shape),)
        flat_stride = (flatten(self._stride),)
        return Layout(flat_shape, flat_stride, bits=self.bits).index_map()


def int_(x: Size) -> Size:
    """The plain integer of a static one, anything else as it is."""
    return int(x) if isinstance(x, int) else x


def check_size(size: Size) -> None:
    """Raises `LayoutError` (SL102) for a negative size."""
    if isinstance(size, int) and size < 0:
        raise LayoutError("SL102", f"the size {int(size)} is negative")


def _covers(sizes: tuple[Size, ...], true: Size) -> bool:
    """Whether the modes are `n` and `ceildiv(true, n)`, which hold `true` where they are defined."""
    if len(sizes) != 2 or not isinstance(sizes[1], CeilDiv):
        return False
    whole, tile = sizes[1].args
    return bool(whole == true and tile == sizes[0])


@dataclass(frozen=True)
class Reference:
    """A layout's offset in plain integers, straight from the definition of `crd2offset`.

    >>> from symlayout.tla import read_layout
    >>> Reference(read_layout("((4,2),(N,3)):((4,16),(1,32))"))((5, 4), {"N": 4})
    52
    """

    layout: Layout

    def __call__(self, coords: tuple[int, ...], sizes: Mapping[str, int]) -> int:
        total = 0
        from symlayout.layouts.cute.coordinates import offset_of_flat

        for c, (widths, steps) in zip(coords, self.layout._groups):
            numbers = tuple(value(int_(w), sizes) for w in widths)
            strides = tuple(value(int_(d), sizes) for d in steps)
            total += offset_of_flat(c, numbers, strides)
        return total


class Keep:
    """The mark `_`: in a slice the whole mode, in a tiler the mode as it is."""

    def __repr__(self) -> str:
        return "_"


_ = Keep()


def join(*layouts: Layout) -> Layout:
    """The layout whose modes are the given layouts."""
    return Layout(tuple(x._shape for x in layouts), tuple(x._stride for x in layouts))


def slice_and_offset(coord: Any, layout: Layout) -> tuple[Layout, Size]:
    """The modes where the coordinate is `_`, and the offset of all the other coordinates.

    >>> from symlayout.tla import _
    >>> part, offset = slice_and_offset((_, 5), Layout((4, 8), (8, 1)))
    >>> print(part, offset)
    (4):(8) 5

    Raises `LayoutError`: SL108 for a coordinate that does not fit, SL400 for one out of range.
    """
    layouts, offset = _cut(coord, layout)
    if isinstance(coord, Keep):
        return layouts[0], offset
    return join(*layouts), as_size(offset)


def _cut(coord: Any, layout: Layout) -> tuple[list[Layout], Size]:
    if isinstance(coord, Keep):
        return [layout], 0
    if isinstance(coord, (tuple, list)) and has_keep(coord):
        if not isinstance(layout._shape, tuple) or len(coord) != layout.rank:
            raise LayoutError("SL108", f"the coordinate {coord} does not fit {layout}")
        layouts: list[Layout] = []
        total: Size = 0
        for c, mode in zip(coord, layout.modes):
            more, offset = _cut(c, mode)
            layouts += more
            total = total + offset
        return layouts, total
    argument = it.as_tuple(coord)
    from symlayout.layouts.cute.coordinates import check_coordinate, crd2offset

    check_coordinate(argument, layout._shape)
    return [], crd2offset(argument, layout._shape, layout._stride)


def has_keep(coord: Any) -> bool:
    """Whether `_` occurs in the coordinate."""
    if isinstance(coord, (tuple, list)):
        return any(map(has_keep, coord))
    return isinstance(coord, Keep)


def slice_layout(coord: Any, layout: Layout) -> Layout:
    """The modes of the layout where the coordinate is `_`."""
    return slice_and_offset(coord, layout)[0]
