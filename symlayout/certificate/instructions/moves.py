"""The checker's rules of what takes a part of an array, orders it anew, or puts arrays together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as each_of
from math import prod

from symlayout.certificate.definitions import Map
from symlayout.certificate.instructions.call import (
    Call,
    Rule,
    unknown,
)
from symlayout.certificate.layouts import layout_map
from symlayout.certificate.shaping import Rules, equality
from symlayout.errors import LayoutError
from symlayout.expr.terms import CeilDiv, value

MOST_PLACES = 50_000  # elements whose places are looked at one by one


def _bitcast(r: Rules, c: Call) -> None:
    """Each element of the result lies where the operand has one, in a buffer of the same bytes.

    Where both have one formula of the offset, the operand has an element at the same coordinates.
    """
    if any(e.later for e in (*c.arrays(r, 1)[0].dims, *c.result(r).dims)):
        unknown("bitcast of sizes that are known at run time")
    a, b = layout_map(str(c.operands[0])), layout_map(str(c.out))
    sizes = [*a.shape, *b.shape, a.size, b.size]
    if not all(d.is_Integer for d in sizes) or a.demands or b.demands or None in (a.bits, b.bits):
        unknown("bitcast of sizes that are no numbers")
    r.need(a.bits == b.bits)
    r.one_of(equality(CeilDiv(a.size * a.bits, 8), CeilDiv(b.size * b.bits, 8)))
    within = len(a.shape) == len(b.shape) and all(x >= y for x, y in zip(a.shape, b.shape))
    if within and b.at(a.coords) == a.raw:
        return
    r.need(set(_offsets(b)) <= set(_offsets(a)))


def _offsets(m: Map) -> Iterator[int]:
    """The offset of each element; raises `LayoutError` where there are too many."""
    sides = [range(int(str(d))) for d in m.shape]
    if prod(map(len, sides)) > MOST_PLACES:
        raise LayoutError("SL800", f"there are more than {MOST_PLACES} elements to look at")
    for place in each_of(*sides):
        yield value(m.raw, {c.name: k for c, k in zip(m.coords, place)})


FUNCTIONS: dict[str, Rule] = {"lies_within": _bitcast}
