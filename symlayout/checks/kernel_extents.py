"""The sizes of a kernel's arrays, as its masks, its loops and its launch suggest them.

An offset is a sum of products.  The terms that one stride divides are an index times that stride; the
size along it is what a mask compares the index with, else how many values its variable has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from symlayout.checks.kernel_dimensions import LANES, Bound, Dimension, blocks_of, larger
from symlayout.checks.kernel_offsets import Offset
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.term import Term
from symlayout.expr.terms import FloorDiv, put, symbol
from symlayout.expr.tree import (
    ONE,
    Add,
    Expr,
    Integer,
    Mul,
    Symbol,
    expand,
    product,
    total,
)
from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.nodes import conjuncts


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

    def read(self, node: Term) -> Expr:
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
            rows = Offset(self, access, own, others).dimensions(self.read(access.offset), ONE)
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
                best = [Dimension(larger(a.size, b.size), a.stride) for a, b in zip(best, rows)]
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
                        return blocks_of(size, product(factors))
                    if isinstance(last, FloorDiv) and last.args[0] == word:
                        return expand(blocks_of(size, product(factors)) * last.args[1])
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
