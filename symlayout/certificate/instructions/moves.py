"""The checker's rules of what takes a part of an array, orders it anew, or puts arrays together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product as each_of
from math import prod

from symlayout.certificate.definitions import Map, at_least, product
from symlayout.certificate.instructions.call import (
    MANY,
    Call,
    Rule,
    distinct,
    fits,
    fixed,
    is_kind,
    of_kinds,
    unknown,
)
from symlayout.certificate.layouts import layout_map
from symlayout.certificate.runtime import Curve
from symlayout.certificate.shaping import BROADCASTS, Array, Extent, Rules, equality
from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Mod, value
from symlayout.expr.tree import Expr, Integer

MOST_PLACES = 50_000  # elements whose places are looked at one by one


def _broadcast(r: Rules, c: Call) -> None:
    (a,), out = c.arrays(r, 1), c.result(r)
    r.one_type(a, out)
    explicit = "dimensions" in c.attributes or bool(a.dims)
    BROADCASTS["hlo"](r, a.dims, out.dims, c.numbers(r, "dimensions") if explicit else [])


def _transpose(r: Rules, c: Call) -> None:
    (a,), out, order = c.arrays(r, 1), c.result(r), c.numbers(r, "dimensions")
    r.same_type(a, out)
    r.need(sorted(order) == list(range(len(a.dims))))
    r.same_sizes([a.dims[k] for k in order], out.dims)


def _reverse(r: Rules, c: Call) -> None:
    (a,), dims = c.arrays(r, 1), c.numbers(r, "dimensions")
    r.alike(a, c.result(r))
    distinct(r, dims, len(a.dims))


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


def _reshape(r: Rules, c: Call) -> None:
    (a,) = c.arrays(r, 1)
    same_count(r, a, c.result(r))


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


def _slice(r: Rules, c: Call) -> None:
    (a,), out = c.arrays(r, 1), c.result(r)
    r.same_type(a, out)
    windows = re.findall(r"\[\s*(\d+)\s*:\s*(\d+)\s*(?::\s*(\d+)\s*)?\]", c.at(r, "slice"))
    r.need(c.attributes["slice"].count("[") == len(windows) == len(a.dims) == len(out.dims))
    for (first, last, step), e, o in zip(windows, a.dims, out.dims):
        start, limit, stride = int(first), int(last), int(step or 1)
        r.need(start <= limit and stride >= 1)
        fits(r, fixed(limit), e)
        r.equal(fixed(CeilDiv(Integer(limit - start), Integer(stride))), o)


def _pad(r: Rules, c: Call) -> None:
    (a, value), out = c.arrays(r, 2), c.result(r)
    r.same_type(a, out)
    r.same_type(value, out)
    text = c.attributes.get("padding", "").strip()
    entries = text.split("x") if text else []
    r.need(not value.dims and len(entries) == len(a.dims) == len(out.dims))
    for entry, e, o in zip(entries, a.dims, out.dims):
        r.need(re.fullmatch(r"-?\d+_-?\d+(_\d+)?", entry) is not None)
        low, high, between = [*map(int, entry.split("_")), 0][:3]
        _padded(r, e, o, low + high, between)


def _padded(r: Rules, e: Extent, o: Extent, margin: int, between: int) -> None:
    """A size with what is put beside its elements and between them."""

    def image(n: Expr) -> Expr:
        return n + margin + Max(n - 1, Integer(0)) * between

    def room(n: Expr) -> list[list[Relation]]:
        reached = (n - 1) * (between + 1) + 1  # where there is an element
        return [[x] for x in at_least(0, reached + margin)] if margin < 0 else []

    def inverse(n: Expr, whole: Expr) -> list[list[Relation]]:
        """No element and the margin alone, or whole steps behind the first element."""
        steps = FloorDiv(whole - margin - 1, Integer(between + 1))
        exact = Relation("==", Mod(whole - margin - 1, Integer(between + 1)), Integer(0))
        empty = Relation("==", whole, Integer(margin))
        return [
            [empty, exact],
            [empty, Relation(">=", whole, Integer(margin + 1))],
            [Relation("==", n, Max(steps + 1, Integer(0)))],
        ]

    if e.size is None:
        r.curves.append(Curve(e.expr, o.expr, image, inverse, room))
    else:
        r.goals += room(e.size)
        r.equal(fixed(image(e.size)), o)


def _concatenate(r: Rules, c: Call) -> None:
    many, out = c.arrays(r, 1, MANY), c.result(r)
    axis = c.axis(r, "dimensions", len(out.dims))
    for a in many:
        r.same_type(a, out)
        r.need(len(a.dims) == len(out.dims))
        for k, (x, y) in enumerate(zip(a.dims, out.dims)):
            if k != axis:
                r.equal(x, y)
    r.equal(fixed(sum((a.dims[axis].expr for a in many), Integer(0))), out.dims[axis])


def _starts(r: Rules, starts: list[Array], rank: int) -> None:
    """Integers of one type, one for each dimension: scalars, or one list."""
    of_kinds(r, "signed unsigned", *starts)
    for s in starts:
        r.one_type(s, starts[0])
    if len(starts) == 1 and len(starts[0].dims) == 1:
        r.equal(starts[0].dims[0], fixed(rank))
    else:
        r.need(len(starts) == rank and all(not s.dims for s in starts))


def _dynamic_slice(r: Rules, c: Call) -> None:
    (a, *starts), out = c.arrays(r, 1, MANY), c.result(r)
    r.same_type(a, out)
    _starts(r, starts, len(a.dims))
    sizes = c.numbers(r, "dynamic_slice_sizes")
    r.need(len(sizes) == len(a.dims) == len(out.dims))
    for size, e, o in zip(sizes, a.dims, out.dims):
        r.equal(fixed(size), o)
        fits(r, fixed(size), e)


def _dynamic_update_slice(r: Rules, c: Call) -> None:
    (a, update, *starts), out = c.arrays(r, 2, MANY), c.result(r)
    r.one_type(a, out)  # it is written in place
    r.alike(a, out)
    r.same_type(update, a)
    _starts(r, starts, len(a.dims))
    r.need(len(update.dims) == len(a.dims))
    for x, y in zip(update.dims, a.dims):
        fits(r, x, y)


def _dot(r: Rules, c: Call) -> None:
    both, out = c.arrays(r, 2), c.result(r)
    axes = []
    for side, a in zip(("lhs", "rhs"), both):
        batch, inner = (c.integers(r, f"{side}_{k}_dims") for k in ("batch", "contracting"))
        distinct(r, batch + inner, len(a.dims))
        axes.append((batch, inner))
    (a, b), ((ab, ac), (bb, bc)) = both, axes
    for p, q in ((ab, bb), (ac, bc)):
        r.same_sizes([a.dims[k] for k in p], [b.dims[k] for k in q])
    results = [a.dims[k] for k in ab]
    results += [e for k, e in enumerate(a.dims) if k not in ab + ac]
    results += [e for k, e in enumerate(b.dims) if k not in bb + bc]
    r.same_sizes(results, out.dims)


def _iota(r: Rules, c: Call) -> None:
    c.arrays(r, 0)
    out = c.result(r)
    r.need(not is_kind(out.dtype, "pred"))
    c.axis(r, "iota_dimension", len(out.dims))


MOVES: dict[str, Rule] = {
    "bitcast": _bitcast,
    "broadcast": _broadcast,
    "concatenate": _concatenate,
    "dot": _dot,
    "dynamic-slice": _dynamic_slice,
    "dynamic-update-slice": _dynamic_update_slice,
    "iota": _iota,
    "pad": _pad,
    "reshape": _reshape,
    "reverse": _reverse,
    "slice": _slice,
    "transpose": _transpose,
}
