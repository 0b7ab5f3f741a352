"""The checker's rules of what takes a part of an array, orders it anew, or puts arrays together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as each_of
from math import prod

from symlayout.certificate.definitions import Map, product
from symlayout.certificate.instructions.call import (
    Call,
    Rule,
    unknown,
)
from symlayout.certificate.layouts import layout_map
from symlayout.certificate.shaping import Array, Rules, equality
from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import CeilDiv, value
from symlayout.expr.tree import Integer

MOST_PLACES = 50_000  # elements whose places are looked at one by one


def same_count(r: Rules, a: Array, out: Array) -> None:
    """As many elements of one type."""
    r.one_type(a, out)
    if not any(e.size is None for e in (*a.dims, *out.dims)):
        r.one_of(equality(*(product(e.expr for e in x.dims) for x in (a, out))))
        return
    left, right = ([e.expr for e in x.dims] for x in (a, out))
    zeros = []
    for e in [e for e in left if e in right and not e.is_Integer]:
        if e in right:  # a factor of both may be 0
            left.remove(e)
            right.remove(e)
            zeros.append(Relation("==", e, Integer(0)))
    r.one_of(*zeros, Relation("==", product(left), product(right)))


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


MOVES: dict[str, Rule] = {"bitcast": _bitcast}
