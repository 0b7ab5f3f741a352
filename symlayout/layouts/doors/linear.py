"""Linear layouts over F2: each bit of an input adds, without carries, a vector of coordinates.

A linear layout is an index function from inputs (register, lane, warp, block; or an offset) to
coordinates, all of sizes that are powers of two.  `linear register [[0,1],[0,2]], lane [[1,0]] ->
dim0 2, dim1 4` sends register 3 of lane 1 to (1, 3): the vectors of the bits that are 1 are added bit
by bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner
from symlayout.expr.terms import BitXor, FloorDiv, Mod, as_expr, symbol
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.doors.bits import Span, ones
from symlayout.layouts.maps.function import ZERO, IndexFunction, Variable
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.layouts.doors.encoding import Encoding

NUMBER = regex(r"\d+(?!\w)")
BITS = 62  # of one input, and of all coordinates together
Vector = tuple[int, ...]


def power(size: int) -> int | None:
    """The exponent of a power of two; None for any other number.

    >>> power(8), power(6)
    (3, None)
    """
    return size.bit_length() - 1 if size > 0 and not size & (size - 1) else None


@dataclass(frozen=True)
class Linear(IndexFunction):
    """A linear layout: the vectors of each input's bits, and the size of each coordinate.

    >>> a = Linear.of({"register": [(0, 1), (0, 2)], "lane": [(1, 0)]}, {"dim0": 2, "dim1": 4})
    >>> a.at((3, 1), {}), a.rank, a.invertible
    ((1, 3), 3, True)
    >>> print(a.inverse().compose(a))
    linear register [[1,0],[2,0]], lane [[0,1]] -> register 4, lane 2
    """

    ins: tuple[tuple[str, tuple[Vector, ...]], ...] = ()
    outs: tuple[tuple[str, int], ...] = ()
    spelling: str = field(default="", compare=False)  # how it was written, in another notation
    encoding: Encoding | None = None  # of Triton, on a tensor of the `shape`
    shape: tuple[int, ...] = ()

    @staticmethod
    def of(
        ins: Mapping[str, Iterable[Any]],
        outs: Mapping[str, int],
        text: str = "",
        most: int = BITS,
    ) -> Linear:
        """The layout of these vectors, onto coordinates of these sizes.

        Raises `LayoutError` (SL403) for a size that is no power of two, for a vector that leaves the
        sizes or has another length, and where there are no inputs or no coordinates.
        """
        sizes = tuple(outs.items())
        for name, size in sizes:
            if power(size) is None:
                raise LayoutError("SL403", f"the size {size} of {name} is not a power of two")
        if not ins or not sizes:
            raise LayoutError("SL403", "a linear layout has inputs and coordinates")
        rows = []
        for name, arguments in ins.items():
            vectors = tuple(tuple(v) if isinstance(v, (tuple, list)) else (v,) for v in arguments)
            for v in vectors:
                if len(v) != len(sizes):
                    message = f"the vector {list(v)} of {name} has not {len(sizes)} coordinates"
                    raise LayoutError("SL403", message)
                for x, (out, size) in zip(v, sizes):
                    if not 0 <= x < size:
                        message = (
                            f"the vector {list(v)} of {name} leaves {out}, whose size is {size}"
                        )
                        raise LayoutError("SL403", message)
            rows.append((name, vectors))
        widths = [len(v) for _, v in rows] + [sum(power(d) or 0 for _, d in sizes)]
        if max(widths) > most:
            raise LayoutError("SL204", f"more than {most} bits of one input, or of the coordinates")
        return Linear(
            tuple(Variable(n, ZERO, Integer(2 ** len(v))) for n, v in rows),
            tuple(_result(rows, k) for k in range(len(sizes))),
            tuple(Integer(d) for _, d in sizes),
            tupled=len(sizes) != 1,
            ins=tuple(rows),
            outs=sizes,
            spelling=text,
        )

    def __str__(self) -> str:
        if self.spelling:
            return self.spelling
        ins = ", ".join(f"{n} [{','.join(map(_list, v))}]" for n, v in self.ins)
        sizes = ((n, f"2**{BITS}" if d == 1 << BITS else d) for n, d in self.outs)
        return f"linear {ins} -> {', '.join(f'{n} {d}' for n, d in sizes)}"

    @property
    def map_text(self) -> str:
        """The same as a map of arithmetic and exclusive ors."""
        return IndexFunction.__str__(self)

    # -- in bits ----------------------------------------------------------------------------------

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        """Where each coordinate begins in the row-major number of a place."""
        results, below = list[int](), 0
        for _, size in reversed(self.outs):
            results.append(below)
            below += power(size) or 0
        return tuple(reversed(results))

    def number(self, place: Sequence[int]) -> int:
        """The row-major number of a place."""
        return sum(x << s for x, s in zip(place, self.shifts))

    def place(self, number: int) -> tuple[int, ...]:
        """The place of a row-major number."""
        return tuple((number >> s) & (d - 1) for s, (_, d) in zip(self.shifts, self.outs))

    @cached_property
    def columns(self) -> list[int]:
        """The vectors as numbers, those of the last input's lowest bit first."""
        return [self.number(v) for _, vectors in reversed(self.ins) for v in vectors]

    def point(self, number: int) -> tuple[int, ...]:
        """The inputs whose row-major number it is."""
        results = []
        for _, vectors in reversed(self.ins):
            results.append(number & ((1 << len(vectors)) - 1))
            number >>= len(vectors)
        return tuple(reversed(results))

    @cached_property
    def span(self) -> Span:
        """The span of all vectors."""
        return Span(self.columns)

    @property
    def rank(self) -> int:
        """The rank over F2: 2 to the power of it places are reached."""
        return self.span.rank

    @property
    def in_bits(self) -> int:
        """How many bits the inputs have."""
        return len(self.columns)

    @property
    def out_bits(self) -> int:
        """How many bits the coordinates have."""
        return sum(power(d) or 0 for _, d in self.outs)

    @property
    def injective(self) -> bool:
        """Whether no two points have one place."""
        return self.rank == self.in_bits

    @property
    def onto(self) -> bool:
        """Whether every place is reached."""
        return self.rank == self.out_bits

    @property
    def invertible(self) -> bool:
        """Whether every place is reached exactly once."""
        return self.injective and self.onto

    @property
    def replication(self) -> int:
        """How many points each place that is reached has."""
        return 1 << (self.in_bits - self.rank)

    @property
    def free(self) -> dict[str, int]:
        """For each input the bits that change nothing, as a mask."""
        return {n: sum(1 << k for k, v in enumerate(vs) if not any(v)) for n, vs in self.ins}

    # -- the algebra ------------------------------------------------------------------------------

    def compose(self, inner: Linear, most: int = BITS) -> Linear:
        """First `inner`, then this: its coordinates are this one's inputs, one by one.

        Raises `LayoutError` (SL403) where their number or a size differs.
        """
        from symlayout.layouts.doors import linear_algebra

        return linear_algebra.compose(self, inner, most)

    def at(self, point: Sequence[int], sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The coordinates of a point: the sum over F2 of the vectors of its bits that are 1."""
        total = 0
        for x, (_, vectors) in zip(point, self.ins):
            for k in ones(x):
                total ^= self.number(vectors[k])
        return self.place(total)

    def inverse(self) -> Linear:
        """The layout from places back to points.

        Raises `LayoutError` (SL404) unless every place is reached exactly once.
        """
        if not self.invertible:
            ranks = f"rank {self.rank}, {self.in_bits} bits in and {self.out_bits} out"
            raise LayoutError("SL404", f"the layout has no inverse: {ranks}")
        return self.right_inverse()

    def right_inverse(self) -> Linear:
        """A point for each place, of all the one that is 0 in as many late vectors as can be.

        Raises `LayoutError` (SL404) unless every place is reached.
        """
        from symlayout.layouts.doors import linear_algebra

        return linear_algebra.right_inverse(self)

    def product(self, other: Linear) -> Linear:
        """Both side by side: bits of an input of both, and of a coordinate of both, are put above.

        >>> one = Linear.of({"lane": [1, 2]}, {"dim0": 4})
        >>> print(one.product(one))
        linear lane [[1],[2],[4],[8]] -> dim0 16
        """
        from symlayout.layouts.doors import linear_algebra

        return linear_algebra.product(self, other)

    def divide(self, other: Linear) -> Linear | None:
        """The layout whose product with `other`, other below, is this one; None where there is none.

        >>> one = Linear.of({"lane": [1, 2]}, {"dim0": 4})
        >>> print(Linear.of({"lane": [1, 2, 4]}, {"dim0": 8}).divide(one))
        linear lane [[1]] -> dim0 2
        """
        from symlayout.layouts.doors import linear_algebra

        return linear_algebra.divide(self, other)


def _list(vector: Vector) -> str:
    return f"[{','.join(map(str, vector))}]"


def _result(rows: Sequence[tuple[str, Sequence[Vector]]], k: int) -> Expr:
    """A coordinate: sums of digits whose bits lie apart, joined by exclusive ors."""
    layers: list[tuple[int, Expr]] = []  # the bits that a sum has, and the sum
    for name, vectors in rows:
        values = [set(ones(v[k])) for v in vectors]
        for low, row in enumerate(values):
            for out in sorted(row):
                if low and out - 1 in values[low - 1]:
                    continue  # within a run that has begun
                many = 1
                while low + many < len(values) and out + many in values[low + many]:
                    many += 1
                term = _digit(symbol(name), low, many, len(values)) * 2**out
                mask = ((1 << many) - 1) << out
                free = next((n for n, (m, _) in enumerate(layers) if not m & mask), None)
                if free is None:
                    layers.append((mask, term))
                else:
                    layers[free] = layers[free][0] | mask, layers[free][1] + term
    return reduce(BitXor, [e for _, e in layers], as_expr(0))


def _digit(x: Symbol, low: int, many: int, bits: int) -> Expr:
    """So many bits of x from that one on, of all its bits."""
    above: Expr = FloorDiv(x, Integer(2**low)) if low else x
    return Mod(above, Integer(2**many)) if low + many < bits else above


def least_sizes(rows: Iterable[Sequence[Vector]]) -> dict[str, int]:
    """The least powers of two that hold all vectors, by the names dim0, dim1, ..."""
    every = [v for vectors in rows for v in vectors]
    rank = max((len(v) for v in every), default=1)
    most = [max((v[k] for v in every if k < len(v)), default=0) for k in range(rank)]
    return {f"dim{k}": 1 << m.bit_length() for k, m in enumerate(most)}


def number_at(s: Scanner) -> int:
    """A number that is no larger than what is read."""
    at = s.skip()
    word = s.need(NUMBER, "a number")
    if len(word) > BITS // 3 + 1 or int(word) >> BITS:
        raise s.error("SL204", f"a number of more than {BITS} bits", at, s.at)
    return int(word)
