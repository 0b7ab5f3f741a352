"""Shared memory with padding: `#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [8, 8]}> on 8x8`.

Elements lie in an order of the dimensions, or where the vectors of an offset's bits put them; behind
every so many of them some places stay empty.  Offsets jump over those, so it is no linear layout, but
a map from coordinates to offsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner
from symlayout.expr.terms import FloorDiv, symbol
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.doors.encoding import Encoding, excerpt
from symlayout.layouts.doors.linear import Linear, number_at, power
from symlayout.layouts.maps.function import ZERO, IndexFunction, Variable
from symlayout.layouts.reading import items


@dataclass(frozen=True)
class Padded(IndexFunction):
    """A padded encoding on a shape, from coordinates to offsets."""

    spelling: str = field(default="", compare=False)
    encoding: Encoding | None = None
    shape: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.spelling


def pads_at(s: Scanner) -> tuple[tuple[int, int], ...]:
    """`[32:+4, 64:+8]`: behind every 32 elements 4 empty places, behind every 64 another 8."""

    def pair() -> tuple[int, int]:
        every = number_at(s)
        for sign in (":", "+"):
            s.expect(sign, "between an interval and its padding")
        return every, number_at(s)

    s.expect("[", "before the intervals")
    return tuple(items(s, "]", "between the intervals", pair))


def padded_map(e: Encoding, shape: Sequence[int], text: str) -> Padded:
    """The map of a padded encoding.

    Raises `LayoutError`: SL403 for what is no power of two, or vectors that do not reach every element
    once; SL100 for a tensor in several blocks.
    """
    fields, rank = dict(e.fields), len(shape)
    pads = fields["pads"]
    if not pads or any(power(x) is None for pair in pads for x in pair):
        raise LayoutError("SL403", "intervals and paddings are powers of two")
    if e.vectors("block", rank) or e.vectors("CGALayout", rank):
        raise LayoutError("SL100", "a padded tensor in several blocks has no meaning here")
    coords = [symbol(f"dim{k}") for k in range(rank)]
    number: Expr = ZERO
    own_shape = fields.get("shape", tuple(shape))
    if own_shape != tuple(shape):
        raise LayoutError("SL403", f"shape = {excerpt(own_shape)} is not that of the tensor")
    if "offset" in fields:
        if "order" in fields:
            raise LayoutError("SL101", "padded_shared has an order and offset, which say the same")
        sizes = {f"dim{k}": d for k, d in enumerate(shape)}
        rows = Linear.of({"offset": e.vectors("offset", rank)}, sizes)
        if not rows.invertible:
            raise LayoutError("SL403", "the vectors of `offset` do not reach every element once")
        number = rows.inverse()._results[0]
    else:
        below = 1
        for d in e.order(rank):
            number = number + below * coords[d]
            below *= shape[d]
    total = prod(shape)
    offset, size = number, total
    for every, many in pads:
        offset = offset + many * FloorDiv(number, Integer(every))
        size += many * ((total - 1) // every)
    return Padded(
        tuple(Variable(c.name, ZERO, Integer(d)) for c, d in zip(coords, shape)),
        (offset,),
        (Integer(size),),
        spelling=text,
        encoding=e,
        shape=tuple(shape),
    )
