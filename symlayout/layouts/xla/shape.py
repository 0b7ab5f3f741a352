"""Shapes as values: element type, sizes, and how the elements lie in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from symlayout.errors import LayoutError
from symlayout.expr.outward import for_users, keywords, outward, public
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import (
    Max,
    Min,
    Size,
    as_expr,
    as_size,
    ceildiv,
    coordinate_symbols,
    free_names,
    listed_sizes,
    product,
)
from symlayout.expr.tree import Expr
from symlayout.hooks import Shown
from symlayout.layouts.xla.dtypes import BITS
from symlayout.layouts.xla.tiling import (
    Placed,
    Tile,
    TileSize,
    ceildiv_fast,
    sizes_after,
    tile_pairs,
)
from symlayout.layouts.xla.validity import Fault, faults, overflow_fault
from symlayout.text.once import cached_property

if TYPE_CHECKING:
    from symlayout.layouts.demands import Demand
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.layouts.xla.definition import Definition


@keywords
@dataclass(frozen=True)
class Dynamic:
    """A size known at run time only: at most `bound` (`<=N`), or without a bound (`?`).

    >>> str(Dynamic(5)), str(Dynamic())
    ('<=5', '?')
    """

    _bound: Size | None = None

    bound = public("_bound", "The most that the size can be, or None.")

    @staticmethod
    def read_fields(values: dict[str, Any]) -> dict[str, Any]:
        """The bound as a size."""
        bound = values["_bound"]
        return {**values, "_bound": None if bound is None else as_size(bound)}

    def __str__(self) -> str:
        from symlayout.layouts.xla.printing import size_text

        return "?" if self._bound is None else f"<={size_text(self._bound)}"


Dim: TypeAlias = Size | Dynamic
PaddingValue: TypeAlias = int | float | str


@keywords
@dataclass(frozen=True, repr=False)
class Shape(Shown):
    """An array's element type, sizes and layout, validated when it is made.

    >>> Shape("f32", (3, 5), (1, 0), tiles=((2, 2),))
    read_shape('f32[3,5]{1,0:T(2,2)}')
    >>> str(Shape("bf16", (4, 2)))
    'bf16[4,2]'

    `dims`: the sizes (int, SymPy expression, text or `Dynamic`), in elements; `minor_to_major`:
    dimension numbers, most minor first, negative ones from the end, row-major when left out;
    `tiles`: tuples of sizes and `"*"`; `padded_dimensions` (one width each) and `padding_value`:
    the old fields (`PAD`); `levels` (D),
    `tail_alignment` (L, in elements), `index_type` (#), `pointer_type` (*), `element_bits` (E, 0
    for the type's own), `memory_space` (S), `splits` (SC), `physical` (P), `metadata_bytes` (M).
    `explicit` says whether the layout is written out; `notes` what a lenient reading changed or
    let pass.  Raises `LayoutError` for the first rule that is broken.
    """

    dtype: str
    _dims: tuple[Dim, ...]
    minor_to_major: tuple[int, ...] = ()
    _tiles: tuple[Tile, ...] = ()
    _padded_dimensions: tuple[Size, ...] | None = None
    padding_value: PaddingValue | None = None
    levels: tuple[str, ...] = ()
    _tail_alignment: Size = 1
    index_type: str | None = None
    pointer_type: str | None = None
    element_bits: int = 0
    memory_space: int = 0
    splits: tuple[tuple[int, tuple[int, ...]], ...] = ()
    physical: Any = None
    metadata_bytes: int = 0
    explicit: bool | None = field(default=None, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    dims = public("_dims", "The sizes as they are written, in elements.")
    sizes = public("_sizes", "The sizes, a bound for each bounded dynamic one; SL402 for `?`.")
    tiles = public("_tiles", "The tiles: sizes and `*`.")
    padded_dimensions = public("_padded_dimensions", "The padded widths (`PAD`), or None.")
    padded = public("_padded", "`padded_dimensions` in short.")
    tail_alignment = public(
        "_tail_alignment", "What the buffer is rounded up to (`L`), in elements."
    )
    widths = public(
        "_widths", "The sizes that are laid out: the padded widths where there are some."
    )
    tiled_sizes = public("_tiled_sizes", "The sizes after every tile, the most major first.")
    buffer_size = public("_buffer_size", "Elements of the buffer, padding included.")
    byte_size = public("_byte_size", "Bytes of the buffer, padding included, rounded up.")
    true_rank = public("_true_rank", "The number of dimensions with a size of more than 1.")

    def __post_init__(self) -> None:
        if not self.notes:
            hits = self.first_fault()
            if hits is not None:
                raise LayoutError(hits.code, hits.message, help=hits.help)

    @staticmethod
    def read_fields(values: dict[str, Any]) -> dict[str, Any]:
        """Lower case, tuples, plain ints, dimension numbers from 0 on."""
        listed = listed_sizes(values["_dims"], "the sizes of a shape")
        dims = tuple(d if isinstance(d, Dynamic) else dim(d) for d in listed)
        explicit, padded = values["explicit"], values["_padded_dimensions"]
        if explicit is None:
            explicit = bool(values["minor_to_major"])
        rank = len(dims)
        arguments = tuple(whole(m, "a dimension number") for m in values["minor_to_major"])
        order = arguments or tuple(reversed(range(rank)))
        plain = ("element_bits", "memory_space", "metadata_bytes")
        return {
            **values,
            "dtype": str(values["dtype"]).lower(),
            "_dims": dims,
            "explicit": explicit,
            "minor_to_major": tuple(m + rank if -rank <= m < 0 else m for m in order),
            "_tiles": tuple(tuple(tile_size(t) for t in tile) for tile in values["_tiles"]),
            "_padded_dimensions": None if padded is None else tuple(map(read_size, padded)),
            "_tail_alignment": as_size(values["_tail_alignment"]),
            "splits": tuple((d, tuple(i)) for d, i in values["splits"]),
            "levels": tuple(values["levels"]),
            **{name: whole(values[name], name) for name in plain},
        }

    def first_fault(self) -> Fault | None:
        """The first rule that the shape breaks, or None."""
        hits = next(faults(self), None)
        if hits is None and all(isinstance(d, int) for d in self._dims):
            hits = overflow_fault(self._byte_size)
        return hits

    def __str__(self) -> str:
        from symlayout.layouts.xla.printing import shape_text

        return shape_text(self)

    def __repr__(self) -> str:
        from symlayout.layouts.xla.printing import repr_text

        return repr_text(str(self), bool(self.notes))

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self._dims)

    @property
    def _true_rank(self) -> Size:
        """The number of dimensions with a size of more than 1; an expression of symbolic sizes.

        >>> Shape("f32", (3, 1, 5, 1)).true_rank
        2
        """
        total: Any = 0
        for d in self._sizes:
            total += int(d > 1) if isinstance(d, int) else Max(0, Min(1, d - 1))
        return as_size(total)

    @for_users
    def size_of(self, dimension: int) -> Size:
        """The size of a dimension; negative numbers count from the end.

        >>> Shape("f32", (3, 5)).size_of(-1)
        5

        Raises `LayoutError` (SL108) for a number that no dimension has.
        """
        if not -self.rank <= dimension < self.rank:
            message = f"{self} has {self.rank} dimensions, and none is {dimension}"
            raise LayoutError("SL108", message)
        return self._sizes[dimension]

    @property
    def is_sparse(self) -> bool:
        """Whether a dimension is stored compressed (C), as a singleton (S) or loosely (H)."""
        return any(level[0] != "D" for level in self.levels)

    @property
    def bits(self) -> int:
        """Bits per element: E, or the element type's own.

        >>> Shape("s4", (8,)).bits, Shape("s4", (8,), element_bits=8).bits
        (4, 8)
        """
        return self.element_bits or BITS[self.dtype]

    @cached_property
    def _sizes(self) -> tuple[Size, ...]:
        """The sizes, a bound for each bounded dynamic one.

        Raises `LayoutError` (SL402) for `?`.
        """
        return tuple(self._size(k, d) for k, d in enumerate(self._dims))

    def _size(self, k: int, d: Dim) -> Size:
        if not isinstance(d, Dynamic):
            return d
        if d._bound is None:
            help = "give it a name or a bound: a symbol such as N, or <=N"
            raise LayoutError("SL402", f"dimension {k} of {self} has no size", help=help)
        return d._bound

    @property
    def _padded(self) -> tuple[Size, ...] | None:
        """`padded_dimensions` in short."""
        return self._padded_dimensions

    @property
    def _widths(self) -> tuple[Size, ...]:
        """The sizes that are laid out: the padded widths where there are some."""
        return self._sizes if self._padded is None else self._padded

    def physical_order(self) -> tuple[int, ...]:
        """The dimension numbers as memory has them, the most major first."""
        return tuple(reversed(self.minor_to_major))

    @cached_property
    def _tiled_sizes(self) -> tuple[Size, ...]:
        """The sizes after every tile, the most major first."""
        return sizes_after([self._widths[k] for k in self.physical_order()], self._tiles)

    def tile_pairs(self) -> list[tuple[Size, Size]]:
        """(tile size, the size it tiles) for every entry of every tile."""
        return outward(self._tile_pairs())  # type: ignore[no-any-return]

    def _tile_pairs(self) -> list[tuple[Size, Size]]:
        return tile_pairs([self._widths[d] for d in self.physical_order()], self._tiles)

    @cached_property
    def _buffer_size(self) -> Size:
        """Elements of the buffer, padding included; 0 where there is no element."""
        if any(d == 0 for d in self._sizes):
            return 0
        count = product(self._tiled_sizes)
        if self._tail_alignment == 1:
            return count
        return product((ceildiv_fast(count, self._tail_alignment), self._tail_alignment))

    @property
    def _byte_size(self) -> Size:
        """Bytes of the buffer, padding included, rounded up.

        >>> Shape("bf16", (3, 5), (1, 0), tiles=((8, 128), (2, 1))).byte_size
        2048
        """
        self.check_meaning()
        if self.bits % 8 == 0:
            return product((self._buffer_size, self.bits // 8))
        return ceildiv(product((self._buffer_size, self.bits)), 8)

    def check_meaning(self) -> None:
        """Raises `LayoutError` when a lenient reading kept something that means nothing."""
        if self.notes:
            for hits in faults(self):
                if hits.moves:
                    raise LayoutError(hits.code, hits.message, help=hits.help)

    def placed(self, coords: tuple[Any, ...]) -> Placed:
        """Widths and coordinates after every tile, the most major first."""
        order = self.physical_order()
        now = Placed(tuple(self._widths[k] for k in order), tuple(coords[k] for k in order))
        return reduce(Placed.tiled, self._tiles, now)

    @property
    def demands(self) -> tuple[Demand, ...]:
        """What must hold for it to be defined: extents >= 0, tile sizes >= 1, widths >= extents."""
        from symlayout.layouts.demands import at_least, extents, within

        bounds = [getattr(d, "_bound", d) for d in self._dims]
        demands = [*extents(d for d in bounds if d is not None)]
        for d, width in zip(bounds, self._padded or ()):
            demands += () if d is None else within("the padded width", d, width)
        for tile in self._tiles:
            demands += at_least("the tile size", tile, 1)
        return (*demands, *at_least("the tail alignment", [self._tail_alignment], 1))

    @property
    def definition(self) -> Definition:
        """The offset by definition, in plain integers."""
        from symlayout.layouts.xla.definition import Definition

        return Definition(self._widths, self.minor_to_major, self._tiles)

    def symbols(self) -> list[str]:
        """The names of the sizes, in the order of the text."""
        entries = [t for tile in self._tiles for t in tile if not isinstance(t, str)]
        return free_names(*self._sizes, *(self._padded or ()), *entries, self._tail_alignment)

    def index_map(self) -> IndexMap:
        """Coordinates to the element's place in the buffer, by the tile formula.

        >>> A = Shape("f32", (3, 5), (1, 0), tiles=((2, 2),)).index_map()
        >>> A.offset(2, 3), A.size
        (17, 24)

        Raises `LayoutError` where the shape has a `?`, or a lenient reading left no meaning.
        """
        return self._index_map

    @cached_property
    def _index_map(self) -> IndexMap:
        from symlayout.layouts.indexmap import IndexMap, row_major_number

        self.check_meaning()
        names = self.symbols()
        coords = coordinate_symbols(self.rank, names)
        now = self.placed(coords)
        raw: Expr = as_expr(row_major_number(now.coords, now.sizes))
        return IndexMap(
            self._sizes,
            coords,
            raw,
            self._buffer_size,
            self.bits,
            text=str(self),
            reference=self.definition,
            symbols=tuple(names),
            _vanishing=() if self._padded is None else self._sizes,
            demands=self.demands,
        )


def whole(n: Any, what: str) -> int:
    """A plain int; raises `LayoutError` (SL203) for anything else, symbols too."""
    result = as_size(n)
    if not isinstance(result, int):
        raise LayoutError("SL203", f"{what} is a plain number, not {result}")
    return result


def tile_size(t: Any) -> TileSize:
    """A tile's entry: `"*"` or a size."""
    return t if t == "*" else read_size(t)


def read_size(size: Any) -> Size:
    """A size that may be a text, such as `"M"` or `"ceildiv(N, 8)"`."""
    return as_size(read_expression(size) if isinstance(size, str) else size)


def dim(size: Any) -> Dim:
    """A size, or in a text one that is known at run time only (`"?"`, `"<=N"`)."""
    text = size.strip() if isinstance(size, str) else ""
    if text == "?":
        return Dynamic()
    return Dynamic(read_size(text[2:])) if text.startswith("<=") else read_size(size)
