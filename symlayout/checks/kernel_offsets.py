"""The dimensions of one access: its offset taken apart into indices and strides."""

from __future__ import annotations

from contextlib import suppress
from math import gcd
from typing import TYPE_CHECKING

from symlayout.checks.kernel_dimensions import (
    LANES,
    Bound,
    Dimension,
    has_factor,
    joined,
    quotient,
    without_axes,
)
from symlayout.errors import LayoutError
from symlayout.expr.terms import FloorDiv, Mod
from symlayout.expr.tree import (
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
from symlayout.programs.kernels.access import Access

if TYPE_CHECKING:
    from symlayout.checks.kernel_extents import Extents


class Offset:
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
            return self.dimensions(quotient(e, Integer(common)), expand(stride * common))
        size = self._bound(e)
        factor, by_launch = (None, False) if size is not None else self._factor(e)
        if size is None and (factor is None or by_launch):
            size = self._overlapping(e)
        if size is not None or factor is None:
            size = self._count(e) if size is None else size
            more = [t for t in Add.make_args(rest) if t.as_coeff_Mul()[0].p > 0]
            return [Dimension(size and expand(size + total(more)), stride)]
        apart = [t for t in (*Add.make_args(e), *Add.make_args(rest)) if has_factor(t, factor)]
        outer, inner = total(apart), expand(e + rest - total(apart))
        rows = self.dimensions(quotient(outer, factor), expand(stride * factor))
        rows += self.dimensions(inner, stride) if self.extents.varies(inner) else []
        return joined(rows) if by_launch else rows

    def _bound(self, e: Expr) -> Expr | None:
        """The size that a mask compares an index with."""
        for b in self.own:
            if b.terms == e:
                return b.size
        plain = without_axes(e)
        return next((b.size for b in self.others if without_axes(b.terms) == plain), None)

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
