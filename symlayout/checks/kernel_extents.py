"""The sizes of a kernel's arrays, as its masks, its loops and its launch suggest them.

An offset is a sum of products.  The terms that one stride divides are an index times that stride; the
size along it is what a mask compares the index with, else how many values its variable has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import gcd
from typing import NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import CeilDiv, FloorDiv, Mod, put, symbol
from symlayout.expr.tree import (
    ONE,
    ZERO,
    Add,
    Expr,
    Integer,
    Mul,
    Symbol,
    exact_quotient,
    expand,
    product,
    total,
)
from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.nodes import Node, conjuncts
from symlayout.text.patterns import regex

LANE = regex(r"lane_\d+_")
LANES = {k: f"lane_{k}_" for k in range(8)}


class Dimension(NamedTuple):
    """A size of an array, None where nothing says it, and its stride."""

    size: Expr | None
    stride: Expr


class Bound(NamedTuple):
    """What a mask or a loop says: an index without what it is shifted by, less than a size."""

    terms: Expr
    size: Expr


class Extents:
    """The sizes that a kernel's accesses suggest; `sizes` are those of its launch along each axis."""

    def __init__(self, kernel: Kernel, sizes: Mapping[int, Expr]) -> None:
        self.kernel = kernel
        arrays = {a.array for a in kernel.accesses}
        self.factors = {*kernel.constants, *kernel.grids.values()}
        self.plain = [p for p in kernel.parameters if p not in arrays and p not in self.factors]
        self.put_sizes(sizes)

    def put_sizes(self, sizes: Mapping[int, Expr]) -> None:
        """Takes the sizes of the launch: numbers of programs and threads that the kernel asks for."""
        own = self.kernel
        self.counts = {symbol(own.programs[k]): e for k, e in sizes.items() if k in own.programs}
        threads = {k: w for k, w in own.grids.items() if k >= THREADS and k in sizes}
        self.known = {symbol(w): sizes[k] for k, w in threads.items()}
        self.rows = [(a, [*self._bounds(a)]) for a in own.accesses]

    # -- expressions ------------------------------------------------------------------------------

    def read(self, node: Node) -> Expr:
        """The value of a node, multiplied out, with the sizes of the launch that are known.

        Raises `LayoutError` for what is no expression.
        """
        return expand(put(read_expression(node.text(LANES)), self.known))

    def varies(self, e: Expr) -> bool:
        """Whether it depends on more than parameters and the sizes of the launch."""
        return any(str(s) not in (*self.plain, *self.factors) for s in e.free_symbols)

    def split(self, e: Expr) -> tuple[Expr, Expr]:
        """The terms that depend on lanes, programs and counters, and the others."""
        terms = Add.make_args(e)
        return total(t for t in terms if self.varies(t)), total(
            t for t in terms if not self.varies(t)
        )

    def _bounds(self, access: Access) -> Iterator[Bound]:
        """What the guard of an access and the conditions of its loops say."""
        conditions = [c for r in access.ranges for c in conjuncts(r.within)]
        for c in (*conjuncts(access.guard), *conditions):
            if c.op not in ("<", "<=", ">", ">="):
                continue
            with suppress(LayoutError):
                left, right = map(self.read, c.args if c.op[0] == "<" else c.args[::-1])
                index, rest = self.split(expand(left - right))
                size = expand(-rest)
                more = expand(size + 1)
                size = more if c.op[-1] == "=" and isinstance(more, Symbol) else size
                signs = [t.as_coeff_Mul()[0].p > 0 for t in Add.make_args(index)]
                if index != 0 and all(signs) and size.free_symbols:
                    yield Bound(index, size)

    # -- sizes ------------------------------------------------------------------------------------

    def dimensions(self, access: Access) -> list[Dimension]:
        """The dimensions of an array as one access sees them, the outermost first."""
        with suppress(LayoutError):
            own = next(bounds for a, bounds in self.rows if a is access)
            others = [b for a, bounds in self.rows if a is not access for b in bounds]
            rows = _Reading(self, access, own, others).dimensions(self.read(access.offset), ONE)
            if len(rows) == 1 and rows[0].size is not None and isinstance(rows[0].stride, Integer):
                return [Dimension(expand(rows[0].size * rows[0].stride), ONE)]
            return rows
        return []

    def array(self, array: str) -> list[Dimension]:
        """The dimensions of an array: those of the access that says the most, as large as all need."""
        every = [self.dimensions(a) for a in self.kernel.accesses if a.array == array]
        best = max(every, key=lambda row: (all(d.size for d in row), len(row)), default=[])
        for rows in every:
            if [d.stride for d in rows] == [d.stride for d in best]:
                best = [Dimension(_larger(a.size, b.size), a.stride) for a, b in zip(best, rows)]
        return best

    def axis(self, axis: int) -> Expr | None:
        """How many programs an axis needs, by the masks of the indices that its number is part of."""
        word = symbol(self.kernel.programs.get(axis, ""))
        for _, bounds in self.rows:
            for b in bounds:
                size = total(t for t in Add.make_args(b.size) if t.free_symbols)
                for term in Add.make_args(b.terms):
                    *factors, last = sorted(Mul.make_args(term), key=self.varies)
                    if last == word:
                        return _blocks(size, product(factors))
                    if isinstance(last, FloorDiv) and last.args[0] == word:
                        return expand(_blocks(size, product(factors)) * last.args[1])
        return None

    def threads(self, axis: int) -> int | None:
        """The threads of a block along an axis, by the stride of what is beside their number."""
        word = symbol(self.kernel.programs.get(axis, ""))
        for access in self.kernel.accesses:
            for e in self._parts(access):
                terms = Add.make_args(e)
                numbers = [t.as_coeff_Mul() for t in terms if t != word and self.varies(t)]
                sizes = [n.p for n, rest in numbers if n.p > 1 and isinstance(rest, Symbol)]
                if word in terms and sizes:
                    return int(min(sizes))
        return None

    def _parts(self, access: Access) -> Iterator[Expr]:
        """The indices of an access: those that are compared, and those of its offset's strides."""
        bounds = next(rows for a, rows in self.rows if a is access)
        yield from (b.terms for b in bounds)
        with suppress(LayoutError):
            yield self.read(access.offset)


class _Reading:
    """One access that is taken apart: its own bounds count before those of others."""

    def __init__(
        self, extents: Extents, access: Access, own: list[Bound], others: list[Bound]
    ) -> None:
        self.extents, self.access, self.own, self.others = extents, access, own, others
        self.text = access.offset.text(LANES)

    def dimensions(self, e: Expr, stride: Expr) -> list[Dimension]:
        """The dimensions of an index, in which a step counts `stride` elements."""
        e, rest = self.extents.split(e)
        signs = [t.as_coeff_Mul()[0].p for t in Add.make_args(e)]
        if all(n < 0 for n in signs) and rest.free_symbols:  # it is counted downwards
            return [Dimension(expand(rest + 1), stride)]
        common = gcd(*signs)
        if common > 1:
            return self.dimensions(_quotient(e, Integer(common)), expand(stride * common))
        size = self._bound(e)
        factor, by_launch = (None, False) if size is not None else self._factor(e)
        if size is None and (factor is None or by_launch):
            size = self._overlapping(e)
        if size is not None or factor is None:
            size = self._count(e) if size is None else size
            more = [t for t in Add.make_args(rest) if t.as_coeff_Mul()[0].p > 0]
            return [Dimension(size and expand(size + total(more)), stride)]
        apart = [t for t in (*Add.make_args(e), *Add.make_args(rest)) if _has(t, factor)]
        outer, inner = total(apart), expand(e + rest - total(apart))
        rows = self.dimensions(_quotient(outer, factor), expand(stride * factor))
        rows += self.dimensions(inner, stride) if self.extents.varies(inner) else []
        return _joined(rows) if by_launch else rows

    def _bound(self, e: Expr) -> Expr | None:
        """The size that a mask compares an index with."""
        for b in self.own:
            if b.terms == e:
                return b.size
        plain = _without_axes(e)
        return next((b.size for b in self.others if _without_axes(b.terms) == plain), None)

    def _overlapping(self, e: Expr) -> Expr | None:
        """The size that an index is compared with that shares most terms with another: it is moved."""
        terms = Add.make_args(e)
        rows = [(b, {*Add.make_args(b.terms)}) for b in self.own]
        rows = [(b, own) for b, own in rows if len(own) > 1 and own & {*terms}]
        if not rows:
            return None
        b, own = max(rows, key=lambda row: len(row[1] & {*terms}))
        moves = [self._count(t) for t in terms if t not in own]
        return expand(b.size + total(n - 1 for n in moves if isinstance(n, Integer)))

    def _factor(self, e: Expr) -> tuple[Expr | None, bool]:
        """The stride of the outermost index: of parameters, else of constants and numbers.

        The second tells whether it is one of those, which blocks of one index have as well.
        """
        rows = []
        for term in Add.make_args(e):
            number, rest = term.as_coeff_Mul()
            sizes = [f for f in Mul.make_args(rest) if not self.extents.varies(f)]
            known = self.extents.factors
            constant = [f for f in sizes if {str(s) for s in f.free_symbols} <= known]
            rows.append((number.p, constant, [f for f in sizes if f not in constant]))
        most = max(rows, key=lambda row: (len(row[2]), -self._place(row[2])))
        if most[2]:
            return product(most[2]), False
        times, constant, _ = max(rows, key=lambda row: (len(row[1]), abs(row[0])))
        factor = product([Integer(abs(times)), *constant])
        return (None, False) if factor == 1 else (factor, True)

    def _place(self, factors: list[Expr]) -> int:
        """Where the first of some factors is in the text of the offset."""
        return min((self.text.find(str(f)) for f in factors), default=0)

    def _count(self, e: Expr) -> Expr | None:
        """How many values a variable has that counts from 0."""
        if isinstance(e, Mod):
            return e.args[1]
        if isinstance(e, FloorDiv) and (whole := self._bound(e.args[0])) is not None:
            return exact_quotient(whole, e.args[1])
        if isinstance(e, Symbol) and e in self.extents.counts:
            return self.extents.counts[e]
        word = str(e)
        with suppress(LayoutError):
            for k, size in enumerate(self.access.shape):
                if word == LANES.get(k):
                    return self.extents.read(size)
            for r in self.access.ranges:
                if word == r.word and r.low.value == 0 and not r.loaded:
                    high = self.extents.read(r.high)
                    return None if self.extents.varies(high) else high
        return None


def _without_axes(e: Expr) -> str:
    """An index whose lanes may be along any axis."""
    return LANE.sub("lane", str(e)) if LANE.search(str(e)) else str(e)


def _has(e: Expr, factor: Expr) -> bool:
    return e != 0 and exact_quotient(e, factor) is not None


def _quotient(e: Expr, factor: Expr) -> Expr:
    """The quotient of what a factor divides."""
    return exact_quotient(e, factor) or ZERO


def _larger(a: Expr | None, b: Expr | None) -> Expr | None:
    """The larger of two sizes, the first one where that is not plain."""
    if a is None or b is None:
        return a or b
    more = Add.make_args(expand(b - a))
    return b if all(t.as_coeff_Mul()[0].p > 0 for t in more) else a


def _blocks(size: Expr, block: Expr) -> Expr:
    return size if block == 1 else CeilDiv(size, block)


def _joined(rows: list[Dimension]) -> list[Dimension]:
    """Dimensions of which one is the blocks of another, as that one."""
    while len(rows) > 1:
        a, b = rows[-2:]
        if a.size is None or b.size is None or a.stride != expand(b.size * b.stride):
            break
        if isinstance(a.size, CeilDiv) and a.size.args[1] == b.size:
            size = a.size.args[0]
        elif isinstance(a.size, (Integer, FloorDiv)) and isinstance(b.size, Integer):
            size = expand(a.size * b.size)
        else:
            break
        rows = [*rows[:-2], Dimension(size, b.stride)]
    return rows
