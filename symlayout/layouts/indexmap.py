"""The one currency: an index map takes logical coordinates to an offset in a buffer.

Every notation ends in an `IndexMap`, and everything after the notations works on index maps only.
`IndexMap` is coordinates -> offset; `CoordMap` is coordinates -> coordinates of another array
(reshape, transpose, pad, the inverse of an index map); they compose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from symlayout.errors import LayoutError, no_size
from symlayout.expr.needs import changed, keeping, needs_of
from symlayout.expr.outward import keywords, outward, public
from symlayout.expr.terms import (
    FloorDiv,
    Mod,
    Size,
    SizeSymbol,
    as_expr,
    as_size,
    ceildiv,
    coordinate_symbols,
    free_names,
    is_concrete,
    listed_sizes,
    outside,
    product,
    put,
    substitute,
    symbol,
    symbols_in,
    value,
)
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.hooks import Shown
from symlayout.layouts.demands import Demand, definedness, extents
from symlayout.layouts.spans import Span
from symlayout.text.lines import count
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

Reference = Callable[[tuple[int, ...], Mapping[str, int]], int]
NAME = regex(r"[A-Za-z_]\w*", re.ASCII)
LARGEST_BUFFER = 1 << 28


def row_major_number(coords: Sequence[Any], shape: Sequence[Size]) -> Any:
    """The linear index of the coordinates, the last dimension fastest (Horner's form)."""
    number: Any = Integer(0)
    for c, d in zip(coords, shape):
        number = number * d + c
    return number


def row_major_coords(number: Any, shape: Sequence[Size]) -> tuple[Any, ...]:
    """The coordinates of a linear index: the inverse of `row_major_number`."""
    coords: list[Any] = []
    below: Any = Integer(1)
    for position in range(len(shape) - 1, -1, -1):
        quotient = FloorDiv(number, 1 if below == 0 else below)  # size 0: there is no coordinate
        last = position == 0 or shape[position] == 0
        coords.append(quotient if last else Mod(quotient, shape[position]))
        below = below * shape[position]
    return tuple(reversed(coords))


def _inward(size: Any) -> Size:
    """A size as the package keeps it."""
    expr = as_expr(size)
    return int(expr) if isinstance(expr, Integer) else expr


def _replace(e: Any, old: Sequence[Symbol], new: Sequence[Any]) -> Expr:
    return put(as_expr(e), {s: as_expr(n) for s, n in zip(old, new)})


@keywords
@dataclass(frozen=True)
class CoordMap(Shown):
    """Logical coordinates to the coordinates of another array.

    `shape` and `coords` are the sizes and symbols of the coordinates that go in, `exprs` and
    `sizes` what comes out: an expression and a size per dimension of the other array.

    >>> CoordMap.identity((6, 4)).reshape((3, 8)).exprs
    ((4*i + j)//8, (4*i + j)%8)
    """

    _shape: tuple[Size, ...]
    _coords: tuple[Symbol, ...]
    _exprs: tuple[Expr, ...]
    _sizes: tuple[Size, ...]

    shape = public("_shape", "The sizes of the coordinates that go in.")
    coords = public("_coords", "The symbols of the coordinates that go in.")
    exprs = public("_exprs", "The coordinate in each dimension of the other array.")
    sizes = public("_sizes", "The sizes of the other array.")

    @staticmethod
    def read_fields(values: dict[str, Any]) -> dict[str, Any]:
        """What is given as SymPy's becomes ours."""
        kinds = {"_shape": _inward, "_coords": as_expr, "_exprs": as_expr, "_sizes": _inward}
        if not any(map(outside, chain.from_iterable(values[n] for n in kinds))):
            return values
        return {n: tuple(map(kind, values[n])) for n, kind in kinds.items()}

    @staticmethod
    def identity(shape: Sequence[Size]) -> CoordMap:
        """Every coordinate to itself."""
        sizes = tuple(as_size(d) for d in listed_sizes(shape, "sizes"))
        coords = coordinate_symbols(len(sizes), free_names(*sizes))
        return CoordMap(sizes, coords, coords, sizes)

    def transpose(self, perm: Sequence[int]) -> CoordMap:
        """Dimension k of the result is dimension perm[k] (NumPy's meaning)."""
        check_permutation(perm, len(self._sizes))
        exprs, sizes = tuple(self._exprs[p] for p in perm), tuple(self._sizes[p] for p in perm)
        return replace(self, _exprs=exprs, _sizes=sizes)

    def apart_from(self, names: Iterable[str]) -> CoordMap:
        """The same map with coordinate symbols that are none of the names."""
        all_names = {*names, *free_names(*self._shape, *self._sizes)}
        if not all_names & {c.name for c in self._coords}:
            return self
        fresh = coordinate_symbols(len(self._coords), all_names)
        exprs = tuple(_replace(e, self._coords, fresh) for e in self._exprs)
        return replace(self, _coords=fresh, _exprs=exprs)

    def pad(self, sizes: Sequence[Size]) -> CoordMap:
        """The array grows at the high end to `sizes`; the elements keep their coordinates."""
        grown = tuple(as_size(d) for d in sizes)
        self = self.apart_from(free_names(*grown))
        if len(grown) != len(self._sizes):
            message = f"{len(grown)} padded sizes for {len(self._sizes)} dimensions"
            raise LayoutError("SL403", message)
        for d, g in zip(self._sizes, grown):
            if isinstance(d, int) and isinstance(g, int) and g < d:
                raise LayoutError("SL403", f"the padded size {g} is smaller than {d}")
        return replace(self, _sizes=grown)

    def reshape(self, sizes: Sequence[Size]) -> CoordMap:
        """The same row-major numbers in an array of other sizes, equally many in all."""
        targets = tuple(as_size(d) for d in sizes)
        self = self.apart_from(free_names(*targets))
        check_same_count(self._sizes, targets)
        number = row_major_number(self._exprs, self._sizes)
        return replace(self, _exprs=row_major_coords(number, targets), _sizes=targets)

    def index_map(self) -> IndexMap:
        """The row-major index of the other array: what memory holds after the last step."""
        number = as_expr(row_major_number(self._exprs, self._sizes))
        number = keeping(number, [n for e in self._exprs for n in needs_of(e)])
        return IndexMap(self._shape, self._coords, number, product(self._sizes))

    def simplified(self, where: Any = ()) -> CoordMap:
        """The same map with every expression simplified under the coordinates' ranges and facts."""
        from symlayout.digits.simplification import simplify_all

        return replace(self, _exprs=simplify_all(self._exprs, self._coords, self._shape, where))

    def __call__(self, *coords: Any) -> tuple[Size, ...]:
        """The coordinates in the other array."""
        if len(coords) != len(self._coords):
            raise LayoutError("SL108", mismatch(len(coords), len(self._coords)))
        return tuple(outward(as_size(_replace(e, self._coords, coords))) for e in self._exprs)

    def evaluate(self, *coords: Any, **sizes: int) -> tuple[Any, ...]:
        """The coordinates in the other array for arrays of coordinates, each as int64.

        >>> IndexMap.row_major((3, 10)).inverse().evaluate([0, 14, 29])
        (array([0, 1, 2]), array([0, 4, 9]))

        Raises `LayoutError`: SL400 out of range, SL401 beyond 64 bits, SL402 a missing size.
        """
        from symlayout.layouts.filling import values_at

        if len(coords) != len(self._coords):
            raise LayoutError("SL108", mismatch(len(coords), len(self._coords)))
        known = {n: int(as_expr(v)) for n, v in sizes.items()}
        shape = [value(d, known) for d in self._shape]
        return values_at(self._exprs, dict(zip(self._coords, coords)), shape, known)


def coordinate_words(names: Any, rank: int) -> list[str]:
    """The names of coordinates, given as `y,x` or in a list.

    Raises `LayoutError` (SL108) for another number of them.
    """
    if isinstance(names, str):
        words = names.replace(",", " ").split()
    else:
        words = list(map(str, names)) if isinstance(names, Iterable) else []
    if len(words) != rank:
        own = ",".join("ijklmnopq"[:rank])
        message = mismatch(len(words), rank, "coordinate name")
        raise LayoutError("SL108", message, help=f"one for each dimension, such as {own}")
    return words


def check_permutation(perm: Sequence[int], rank: int) -> None:
    """Raises `LayoutError` (SL403) unless perm is a permutation of range(rank)."""
    if sorted(listed_sizes(perm, "dimensions")) != list(range(rank)):
        message = f"{list(perm)} is not a permutation of the {rank} dimensions"
        raise LayoutError("SL403", message, help=f"they are numbered 0 to {rank - 1}")


def mismatch(number: int, rank: int, what: str = "coordinate") -> str:
    """What is said of coordinates that are too many or too few.

    >>> mismatch(1, 2)
    '1 coordinate for 2 dimensions'
    """
    return f"{count(number, what)} for {count(rank, 'dimension')}"


def check_same_count(old: Sequence[Size], new: Sequence[Size]) -> None:
    """Raises `LayoutError` (SL403) when the two shapes certainly differ in their element counts."""
    from symlayout.expr.tree import expand

    a, b = product(old), product(new)
    difference = a - b if is_concrete(a, b) else expand(as_expr(a) - as_expr(b))
    if isinstance(difference, (int, Integer)) and difference != 0:
        message = f"a reshape keeps the number of elements: {list(old)} and {list(new)} differ"
        raise LayoutError("SL403", message)


@keywords
@dataclass(frozen=True)
class IndexMap(Shown):
    """Logical coordinates to an offset in a buffer of `size` elements, for all sizes.

    `shape`: the logical sizes; `coords`: one symbol per dimension; `raw`: the offset as its
    notation defines it (`formula` is the same, simplified); `size`: elements of the buffer, padding
    included; `bits`: per element, when known; `text`: how it was written; `reference`: the
    definition in plain integers, (coordinates, sizes by name) -> offset, which replays use;
    `vanishing`: sizes of which one that is 0 leaves no buffer at all, whatever `size` gives there;
    `span`: first offset and strides, where `size` follows from their signs; `demands`: what must
    hold for the map to be defined, by default that its extents are >= 0 and that nothing divides by 0.

    >>> from symlayout.expr.terms import symbol
    >>> A = IndexMap.row_major((symbol("M"), symbol("N")))
    >>> A.formula, A.size, A.offset(2, 3)
    (N*i + j, M*N, 2*N + 3)
    """

    _shape: tuple[Size, ...]
    _coords: tuple[Symbol, ...]
    _raw: Expr
    _size: Size
    bits: int | None = None
    text: str = field(default="", compare=False)
    reference: Reference | None = field(default=None, compare=False, repr=False)
    symbols: tuple[str, ...] = field(default=(), compare=False, repr=False)
    least: tuple[tuple[str, int], ...] = field(default=(), compare=False, repr=False)
    _vanishing: tuple[Size, ...] = field(default=(), compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)
    demands: tuple[Demand, ...] | None = field(default=None, compare=False, repr=False)
    # it is made of that one
    behind: IndexMap | None = field(default=None, compare=False, repr=False)

    shape = public("_shape", "The logical sizes.")
    coords = public("_coords", "One symbol for each dimension.")
    size = public("_size", "The number of elements of the buffer, padding included.")
    elements = public("_elements", "The number of logical elements.")
    raw = public(
        "_raw", "The offset as its notation defines it; `formula` is the same, simplified."
    )
    vanishing = public("_vanishing", "Sizes that leave no buffer where one of them is 0.")

    @staticmethod
    def read_fields(values: dict[str, Any]) -> dict[str, Any]:
        """What is given as SymPy's becomes ours: its quotients and remainders are those of integers.

        Sizes that are numbers become Python's; the symbols are found where none are given.
        """
        shape, coords, raw, size = (values[n] for n in ("_shape", "_coords", "_raw", "_size"))
        if len(coords) != len(shape):
            raise LayoutError("SL403", mismatch(len(coords), len(shape)))
        sympy = any(map(outside, (raw, size, *shape, *coords)))
        if sympy:
            raw, coords = as_expr(raw), tuple(map(as_expr, coords))
        if sympy or any(isinstance(d, Integer) for d in (size, *shape)):  # `T*0` is the number 0
            shape, size = tuple(map(_inward, shape)), _inward(size)
        values |= {"_shape": shape, "_coords": coords, "_raw": raw, "_size": size}
        if values["symbols"]:
            return values
        own = {c.name for c in coords}
        clash = own & set(free_names(*shape, size))
        if clash:
            raise LayoutError("SL403", f"{min(clash)!r} is a coordinate and a size of one map")
        hits = [s for s in symbols_in(*shape, size, raw) if s.name not in own]
        least = tuple((s.name, s.least) for s in hits if isinstance(s, SizeSymbol))
        return values | {"symbols": tuple(s.name for s in hits), "least": least}

    @staticmethod
    def row_major(shape: Sequence[Size]) -> IndexMap:
        """The compact map with the last dimension fastest."""
        return CoordMap.identity(shape).index_map()

    @staticmethod
    def strided(
        shape: Sequence[Size],
        strides: Sequence[Size],
        offset: Size = 0,
        size: Size | None = None,
        **more: Any,
    ) -> IndexMap:
        """`offset + sum(coordinate * stride)`; the size is that of the `Span` when not given."""
        sizes = tuple(map(as_size, listed_sizes(shape, "sizes")))
        steps = tuple(map(as_size, listed_sizes(strides, "strides")))
        if len(sizes) != len(steps):
            raise LayoutError("SL107", mismatch(len(steps), len(sizes), "stride"))
        coords = coordinate_symbols(len(sizes), free_names(*sizes, *steps, offset))
        raw = as_expr(offset) + sum((c * s for c, s in zip(coords, steps)), Integer(0))
        if size is None:
            span = Span(as_size(offset), tuple(zip(sizes, steps)))
            size = span.size()
            more = {"_vanishing": sizes, "span": span, **more}
        return IndexMap(sizes, coords, as_expr(raw), size, **more)

    @property
    def rank(self) -> int:
        """The number of logical dimensions."""
        return len(self._shape)

    @cached_property
    def demanded(self) -> tuple[Demand, ...]:
        """What must hold for the map to be defined."""
        if self.demands is not None:
            return self.demands
        before = () if self.behind is None else self.behind.demanded
        offset = definedness("the offset", [self._raw], self._shape, self._coords)
        return (
            *before,
            *extents(self._shape),
            *offset,
            *definedness("the size", [self._size], self._shape),
        )

    @property
    def _elements(self) -> Size:
        """The number of logical elements."""
        return product(self._shape)

    @property
    def formula(self) -> Any:
        """The offset with the fewest divisions, then the fewest operations, as SymPy's expression."""
        return self._shortest.sympy

    def under(self, where: Any) -> Any:
        """`formula`, simplified under facts as well."""
        return self._shortest_under(where).sympy

    @cached_property
    def _shortest(self) -> Expr:
        """What `formula` says, proved equal to `raw`."""
        return self._shortest_under(())

    def _shortest_under(self, where: Any) -> Expr:
        """`_shortest`, simplified under facts as well."""
        from symlayout.digits.simplification import simplify_all

        return simplify_all((self._raw,), self._coords, self._shape, where)[0]

    def offset(self, *coords: Any) -> Size:
        """The offset at the coordinates: an int when all is concrete, else an expression.

        Raises `LayoutError` (SL400) for a number that is out of range.
        """
        self.check_coordinates(coords)
        result = substitute(_replace(self._raw, self._coords, coords), {})
        if is_concrete(*self._shape, result):
            return result
        return outward(as_size(_replace(self._shortest, self._coords, coords)))

    def apart_from(self, names: Iterable[str]) -> IndexMap:
        """The same map with coordinate symbols that are none of the names."""
        all_names = {*names, *self.symbols}
        if not all_names & {c.name for c in self._coords}:
            return self
        fresh = coordinate_symbols(self.rank, all_names)
        return replace(self, _coords=fresh, _raw=_replace(self._raw, self._coords, fresh))

    def named(self, names: str | Sequence[str]) -> IndexMap:
        """The same map with these names of coordinates, such as `y,x`.

        >>> from symlayout.expr.terms import symbol
        >>> IndexMap.row_major((symbol("M"), symbol("N"))).named("y,x").formula
        N*y + x

        Raises `LayoutError`: SL108 for a wrong number of them, SL201 for names that are no names,
        that are sizes, or that occur twice.
        """
        words = coordinate_words(names, self.rank)
        for k, word in enumerate(words):
            if not NAME.fullmatch(word):
                raise LayoutError("SL201", f"{word!r} is not a name for a coordinate")
            if word in self.symbols or word in words[:k]:
                what = "a size of this map" if word in self.symbols else "given twice"
                raise LayoutError("SL201", f"the coordinate's name {word!r} is {what}")
        fresh = tuple(map(symbol, words))
        return replace(self, _coords=fresh, _raw=_replace(self._raw, self._coords, fresh))

    def check_coordinates(self, coords: Sequence[Any]) -> None:
        """Raises `LayoutError` when the coordinates do not fit the shape."""
        if len(coords) != self.rank:
            message = mismatch(len(coords), self.rank)
            place = ",".join("0" * self.rank)
            help = f"give one number for each dimension, such as {place}" if place else None
            raise LayoutError("SL108", message, help=help)
        for k, (c, d) in enumerate(zip(coords, self._shape)):
            c = as_size(c)
            if isinstance(c, int) and (c < 0 or (isinstance(d, int) and c >= d)):
                message = f"coordinate {c} of dimension {k} is not in [0, {d})"
                raise LayoutError("SL400", message, help="coordinates count from 0")

    def concrete(self, sizes: Mapping[str, int]) -> tuple[tuple[int, ...], int]:
        """The shape and the buffer's size as numbers; raises for a size that is missing or unknown."""
        for name in sizes:
            if name not in self.symbols:
                raise no_size(name, self.symbols, "map")
        for demand in self.demanded:
            broken = "" if demand.coords else demand.broken(sizes)
            if broken:
                raise LayoutError("SL102", broken)
        shape = tuple(value(d, sizes) for d in self._shape)
        empty = any(value(d, sizes) == 0 for d in self._vanishing)
        return shape, 0 if empty else value(self._size, sizes)

    def evaluate(self, *coords: Any, **sizes: int) -> Any:
        """The offsets of arrays of coordinates, as int64; the arrays are broadcast together.

        >>> from symlayout.expr.terms import symbol
        >>> IndexMap.row_major((symbol("M"), symbol("N"))).evaluate([0, 1], [3, 4], M=3, N=10)
        array([ 3, 14])

        Raises `LayoutError`: SL400 out of range, SL401 beyond 64 bits, SL402 a missing size.
        """
        if len(coords) != self.rank:
            raise LayoutError("SL108", mismatch(len(coords), self.rank))
        from symlayout.layouts.filling import values_at

        shape, _ = self.concrete(sizes)
        known = {n: int(as_expr(sizes[n])) for n in self.symbols if n in sizes}
        return values_at((self._shortest,), dict(zip(self._coords, coords)), shape, known)[0]

    def buffer(self, **sizes: int) -> Any:
        """The whole buffer: at each offset the row-major number of its element, -1 in padding.

        >>> IndexMap.strided((2, 2), (1, 3)).buffer()
        array([ 0,  2, -1,  1,  3])
        """
        import numpy as np

        from symlayout.layouts.filling import by_digits

        shape, size = self.concrete(sizes)
        count = int(np.prod(shape, dtype=object)) if shape else 1
        if size > LARGEST_BUFFER or count > LARGEST_BUFFER:
            message = f"a buffer of {max(size, count)} elements is too large to show"
            raise LayoutError("SL405", message)
        if count == 0:
            return np.full(size, -1, dtype=np.int64)
        buffer = by_digits(self._shortest, self._coords, shape, size, sizes)
        if buffer is not None:
            return buffer
        out = np.full(max(0, size), -1, dtype=np.int64)
        axes = np.ix_(*[np.arange(d) for d in shape]) if shape else ()
        offsets = np.broadcast_to(self.evaluate(*axes, **sizes), shape).reshape(-1)
        if int(offsets.min()) < 0 or int(offsets.max()) >= size:
            worst = int(offsets.min()) if int(offsets.min()) < 0 else int(offsets.max())
            raise LayoutError("SL400", f"offset {worst} is outside the buffer of {size} elements")
        out[offsets[::-1]] = np.arange(count)[::-1]
        return out

    # -- building one map from another ------------------------------------------------------------

    def compose(self, inner: CoordMap) -> IndexMap:
        """First `inner`, then this map: `self(inner(c))`, on the shape of `inner`.

        It has no value where `inner` has none, also where the offset does not depend on that.
        """
        if len(inner._sizes) != self.rank:
            message = f"{len(inner._sizes)} coordinates come out, {self.rank} go in"
            raise LayoutError("SL403", message)
        inner = inner.apart_from(self.symbols)
        raw = changed(as_expr(self._raw), lambda e: _replace(e, self._coords, inner._exprs))
        raw = keeping(raw, [n for e in inner._exprs for n in needs_of(e)])
        return IndexMap(
            inner._shape,
            inner._coords,
            raw,
            self._size,
            self.bits,
            _vanishing=self._vanishing,
            span=self.span,
            behind=self,
        )

    def resized(self, size: Size, text: str = "") -> IndexMap:
        """The same offsets in a buffer of another size, for which this one's text was not written."""
        index_map = replace(self, _size=as_size(size), text=text, symbols=(), least=(), span=None)
        rest = [n for n in self.symbols if n in index_map.symbols]  # in their order
        return replace(index_map, symbols=tuple(dict.fromkeys([*rest, *index_map.symbols])))

    def reshape(self, shape: Sequence[Size]) -> IndexMap:
        """The same elements under other coordinates with the same row-major numbers (a view)."""
        return self.compose(CoordMap.identity(shape).reshape(self._shape))

    def transpose(self, perm: Sequence[int]) -> IndexMap:
        """Dimension k of the result is dimension perm[k] of this one (NumPy's meaning)."""
        check_permutation(perm, self.rank)
        shape = tuple(self._shape[p] for p in perm)
        inverse = [list(perm).index(k) for k in range(self.rank)]
        return self.compose(CoordMap.identity(shape).transpose(inverse))

    def slice(
        self,
        start: Sequence[Size],
        shape: Sequence[Size],
        step: Sequence[Size] | None = None,
    ) -> IndexMap:
        """The window of `shape` that begins at `start`, every `step`-th element of it."""
        steps = tuple(map(as_size, step)) if step is not None else (1,) * self.rank
        start = tuple(map(as_size, listed_sizes(start, "the window's first place")))
        shape = tuple(map(as_size, listed_sizes(shape, "the window's sizes")))
        if not len(start) == len(shape) == len(steps) == self.rank:
            raise LayoutError("SL403", f"a slice needs {self.rank} starts, sizes and steps")
        for a, d, s, whole in zip(start, shape, steps, self._shape):
            if is_concrete(a, d, s, whole) and d > 0 and not (a >= 0 and a + (d - 1) * s < whole):
                message = f"the slice {a}:+{d}:{s} leaves the dimension of {whole}"
                raise LayoutError("SL400", message)
        inner = CoordMap.identity(shape).apart_from(free_names(*start, *steps))
        exprs = tuple(as_expr(a + c * s) for a, c, s in zip(start, inner._coords, steps))
        return self.compose(replace(inner, _exprs=exprs, _sizes=self._shape))

    def tile(self, tile: Sequence[Size]) -> IndexMap:
        """Coordinates (number of the tile in each dimension..., place in the tile...).

        The sizes are (ceil(d/t)..., t...); where t does not divide d the last tile reaches past d.
        """
        tile = listed_sizes(tile, "a tile's sizes")
        if len(tile) != self.rank:
            raise LayoutError("SL403", f"{len(tile)} tile sizes for {self.rank} dimensions")
        tile = tuple(map(as_size, tile))
        counts = [ceildiv(d, t) for d, t in zip(self._shape, tile)]
        inner = CoordMap.identity((*counts, *tile)).apart_from(free_names(*self._shape))
        outer, within = inner._coords[: self.rank], inner._coords[self.rank :]
        exprs = tuple(as_expr(o * t + w) for o, t, w in zip(outer, tile, within))
        return self.compose(replace(inner, _exprs=exprs, _sizes=self._shape))

    def pad(self, shape: Sequence[Size], where: Any = ()) -> IndexMap:
        """The map with larger sizes: padding of the buffer made addressable.

        Raises `LayoutError` (SL403) unless the larger map is proved to stay in the buffer and to
        give no two coordinates one offset.
        """
        from symlayout.digits.placement import prove_bounded, prove_injective
        from symlayout.digits.simplification import in_digits

        wider = tuple(map(as_size, shape))
        demands = (*self.demanded, *extents(wider))
        grown = replace(
            self, _shape=wider, text="", reference=None, symbols=(), demands=demands, span=None
        )
        if grown.rank != self.rank:
            raise LayoutError("SL403", f"{grown.rank} padded sizes for {self.rank} dimensions")
        offset, size, _, ctx = in_digits(
            grown._raw, grown._coords, grown._shape, grown._size, where
        )
        for attempt in (prove_bounded(ctx, offset, size), prove_injective(ctx, offset)):
            if not attempt.proved:
                raise LayoutError("SL403", f"cannot pad to {list(shape)}: {attempt.reason}")
        return grown

    def inverse(self, where: Any = ()) -> CoordMap:
        """The map from offsets back to coordinates, in closed form; right on every occupied offset.

        >>> from symlayout.expr.terms import symbol
        >>> IndexMap.row_major((symbol("M"), symbol("N"))).inverse().exprs
        (i//N, i%N)

        Raises `LayoutError` (SL404) when the map is not injective, or not proved to be.
        """
        from symlayout.digits.inversion import inverse_exprs

        coords = coordinate_symbols(1, self.symbols)
        exprs = inverse_exprs(self._raw, self._coords, self._shape, self._size, coords[0], where)
        return CoordMap((self._size,), coords, exprs, self._shape)
