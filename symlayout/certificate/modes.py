"""Nested shapes with strides, and what CuTe's operations make of their modes, for the checker.

Everything is by the operations' laws: modes join where the later stride goes on where the earlier
one ends, a complement lies between and behind the modes, a composition takes the second layout's
offsets apart by the first one's sizes.  `Ask` answers what depends on sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

from symlayout.certificate.asking import Ask, multiple, quotient
from symlayout.certificate.definitions import ONE, ZERO, Law, leaves, plain, product
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation
from symlayout.expr.terms import CeilDiv, FloorDiv, Mod, coordinate_symbols
from symlayout.expr.tree import Expr, expand

Leaf = tuple[Expr, Expr]
MOST = 4096  # elements that are looked at one by one


class Modes(NamedTuple):
    """A nested shape with strides."""

    shape: Any
    stride: Any
    origin: tuple[Any, ...] = ()
    bits: int | None = None

    @property
    def rows(self) -> list[Leaf]:
        """The modes that are numbers."""
        return list(zip(leaves(self.shape), leaves(self.stride), strict=True))

    @property
    def size(self) -> Expr:
        """The number of coordinates."""
        return expand(product(leaves(self.shape)))

    @property
    def each(self) -> list[Modes]:
        """The top-level modes; a number is one."""
        if not isinstance(self.shape, tuple):
            return [self]
        return [Modes(n, d) for n, d in zip(self.shape, self.stride, strict=True)]

    @property
    def numbers(self) -> bool:
        """Whether all sizes and strides are numbers, and few enough to look at each place."""
        both = [e for leaf in self.rows for e in leaf]
        return all(e.is_Integer for e in both) and 0 < int(self.size) <= MOST


def concatenation(layouts: Sequence[Modes]) -> Modes:
    """The layout whose modes are these."""
    return Modes(tuple(x.shape for x in layouts), tuple(x.stride for x in layouts))


def of_leaves(rows: Sequence[Leaf]) -> Modes:
    """The flat layout: a number for one leaf, 1:0 for none."""
    if len(rows) == 1:
        return Modes(*rows[0])
    return concatenation([Modes(*row) for row in rows]) if rows else Modes(ONE, ZERO)


def nesting(values: Sequence[Any], like: Any) -> Any:
    """The values in place of the numbers of a nested tuple."""
    if len(values) != len(leaves(like)):
        raise LayoutError("SL107", "there are not as many modes as the profile has")
    rest = iter(values)

    def put(t: Any) -> Any:
        return tuple([put(x) for x in t]) if isinstance(t, tuple) else next(rest)

    return put(like)


def merger(rows: Sequence[Leaf], ask: Ask) -> list[Leaf]:
    """Without modes of size 1, and neighbours joined where the later one goes on with the earlier."""
    result: list[Leaf] = []
    for n, d in rows:
        if ask.same(n, 1):
            continue
        if result and ask.same(result[-1][0] * result[-1][1], d):
            result[-1] = (expand(result[-1][0] * n), result[-1][1])
        else:
            result.append((n, d))
    return result


def merger_beyond(rows: Sequence[Leaf], ask: Ask) -> list[Leaf]:
    """As `merger`, but the last stride stays: numbers beyond the size go on with it."""
    result = merger(rows, ask)
    gone = bool(rows) and ask.same(rows[-1][0], 1)
    if gone and not (result and ask.same(result[-1][0] * result[-1][1], rows[-1][1])):
        result.append(rows[-1])
    return result or [(ONE, ZERO)]


def by_mode(operation: Callable[[Modes, Any], Modes], a: Modes, parts: Sequence[Any]) -> Modes:
    """The operation on each mode that has a part; the other modes stay."""
    if not isinstance(a.shape, tuple) or len(parts) > len(a.shape):
        raise LayoutError("SL107", f"{len(parts)} parts for a layout of fewer modes")
    done = [operation(m, p) for m, p in zip(a.each, parts)]
    return concatenation([*done, *a.each[len(parts) :]])


def coalescing(a: Modes, profile: Any, ask: Ask) -> Modes:
    """As few modes as there can be with the same offsets."""
    if isinstance(profile, tuple):
        return by_mode(lambda m, p: coalescing(m, p, ask), a, profile)
    return of_leaves(merger(a.rows, ask))


def natural(a: Modes, ask: Ask) -> None:
    """No stride is negative."""
    ask.demand(*[Relation(">=", d, ZERO) for _, d in a.rows if not (d.is_Integer and d >= 0)])


def full(a: Modes, ask: Ask) -> list[Leaf]:
    """The modes without those of stride 0, which is told of each, and of size 1."""
    rows = [(n, d) for n, d in a.rows if not ask.same(n, 1)]
    rows = [(n, d) for n, d in rows if not ask.same(d, 0)]
    ask.demand(*[Relation(">=", d, ONE) for _, d in rows])
    return rows


def cosize(a: Modes, ask: Ask) -> Expr:
    """One more than the last offset."""
    natural(a, ask)
    return expand(sum(((n - 1) * d for n, d in a.rows), ONE))


# -- offsets of numbers, looked at one by one -------------------------------------------------------


def places(rows: Sequence[Leaf]) -> list[int]:
    """The offsets of all coordinates, the first mode fastest."""
    hits = [0]
    for n, d in rows:
        hits = [x + int(d) * k for k in range(int(n)) for x in hits]
    return hits


def steps_of(values: Sequence[int]) -> list[Leaf] | None:
    """The fewest modes that go through these offsets one after the other; None where there are none."""
    values, rows = list(values), list[Leaf]()
    if values[0] != 0:
        return None
    while len(values) > 1:
        d, n = values[1], 1
        while n < len(values) and values[n] == n * d:
            n += 1
        if len(values) % n:
            return None
        for k in range(0, len(values), n):
            if [v - values[k] for v in values[k : k + n]] != values[:n]:
                return None
        rows.append((plain(n), plain(d)))
        values = values[::n]
    return rows


def at_number(rows: Sequence[Leaf], x: int) -> int:
    """The offset of a number, whose last digit takes all that is left."""
    total = 0
    for k, (n, d) in enumerate(rows):
        total += (x if k == len(rows) - 1 else x % int(n)) * int(d)
        x //= int(n)
    return total


# -- composition ------------------------------------------------------------------------------------


def digits(n: Expr, shape: Sequence[Expr]) -> list[Expr]:
    """The coordinate in the shape whose number is `n`, the first one fastest."""
    hits: list[Expr] = []
    below: Expr = ONE
    for k, d in enumerate(shape):
        digit = FloorDiv(n, below) if k else n
        hits.append(digit if k == len(shape) - 1 else Mod(digit, d))
        below = below * d
    return hits


def offset_of(n: Expr, rows: Sequence[Leaf]) -> Expr:
    """The offset of a number; beyond the size it goes on with the last mode."""
    both = zip(digits(n, [size for size, _ in rows]), rows)
    return sum((x * d for x, (_, d) in both), ZERO)


def composite(a: Modes, b: Any, ask: Ask) -> Modes:
    """The layout with the shape of `b`, in which modes may be split, that gives `a` at b's offsets."""
    if isinstance(b, (tuple, list)) and not isinstance(b, Modes):
        return by_mode(lambda m, t: composite(m, t, ask), a, b)
    if b is None:
        return a
    natural(a, ask)
    natural(b, ask)
    if a.numbers and b.numbers:
        parts = modes_of_offsets(a.rows, b.rows)
    else:
        rows = merger_beyond(a.rows, ask)
        parts = [modes_of_steps(rows, n, d, ask) for n, d in b.rows]
        if len(rows) > 1 and len(parts) > 1:  # numbers of one mode add up, and so do multiples
            same_after(a, b, parts, ask)
    modes = [of_leaves(p) for p in parts]
    shapes, strides = ([getattr(m, key) for m in modes] for key in ("shape", "stride"))
    return Modes(nesting(shapes, b.shape), nesting(strides, b.shape))


def modes_of_offsets(a: Sequence[Leaf], b: Sequence[Leaf]) -> list[list[Leaf]]:
    """The modes for each of b's, by looking at all of its offsets."""
    parts, total = [], [0]
    for n, d in b:
        values = [at_number(a, int(d) * k) for k in range(int(n))]
        part = steps_of(values)
        if part is None:
            raise LayoutError("SL800", "the composition is not a layout")
        parts.append(part)
        total = [x + v for v in values for x in total]
    if total != [at_number(a, x) for x in places(b)]:
        raise LayoutError("SL800", "the modes of the composition carry into each other")
    return parts


def modes_of_steps(rows: Sequence[Leaf], n: Expr, d: Expr, ask: Ask) -> list[Leaf]:
    """The modes that n steps of d go through, where each divides or is divided."""
    if ask.same(n, 1) or ask.same(d, 0):
        return [(n, ZERO)]
    result: list[Leaf] = []
    for size, stride in rows[:-1]:
        if ask.divides(size, d):
            d = quotient(d, size)
            continue
        if ask.at_most((n - 1) * d + 1, size):
            return [*result, (n, expand(stride * d))]
        ask.demand(*multiple(size, d))
        room = quotient(size, d)
        ask.demand(*multiple(n, room))
        result.append((room, expand(stride * d)))
        n, d = quotient(n, room), ONE
        if ask.same(n, 1):
            return result
    return [*result, (n, expand(rows[-1][1] * d))]


def same_after(a: Modes, b: Modes, parts: Sequence[Sequence[Leaf]], ask: Ask) -> None:
    """The law of a composition: the parts add up to `a` at every offset of `b`."""
    names = {s.name for part in parts for leaf in part for e in leaf for s in e.free_symbols}
    names |= {s.name for x in (a, b) for leaf in x.rows for e in leaf for s in e.free_symbols}
    coords = coordinate_symbols(len(parts), names)
    offset = sum((offset_of(c, part) for c, part in zip(coords, parts)), ZERO)
    inner = sum((c * d for c, (_, d) in zip(coords, b.rows)), ZERO)
    law = Relation("==", offset, offset_of(inner, a.rows))
    ask.laws.append(Law(tuple(coords), tuple(n for n, _ in b.rows), law))


# -- complements -----------------------------------------------------------------------


def chain(rows: Sequence[Leaf], ask: Ask) -> list[Leaf]:
    """The modes in the order in which each stride is a multiple of all that lies below it."""
    rest, result, below = list(rows), list[Leaf](), ONE
    while rest:
        for k, (n, d) in enumerate(rest):
            others = rest[:k] + rest[k + 1 :]
            reach = expand(n * d)
            if ask.all_divide([(below, d), *[(reach, x) for _, x in others]]):
                result.append((n, d))
                rest, below = others, reach
                break
        else:
            raise LayoutError("SL800", "the strides are no multiples of each other")
    return result


def complement(a: Modes, bound: Expr, ask: Ask, apart: bool = False) -> Modes:
    """What lies between the modes and behind them, up to the bound; it may be rounded up.

    Each number below is one of `a` and one of these, in one way only, because both together are the
    digits of a mixed radix.  With `apart` holes are left between copies: sums stay distinct.
    """
    rows = full(a, ask)
    known = all(e.is_Integer for row in rows for e in row)
    apart = apart and known and bound.is_Integer
    order = _sorted(rows, apart) if known else chain(rows, ask)
    below, holes = ONE, list[Leaf]()
    for n, d in order:
        holes.append((FloorDiv(d, below) if apart else quotient(d, below), below))
        below = expand(n * d)
    exact = ask.divides(below, bound)
    holes.append((quotient(bound, below) if exact else CeilDiv(bound, below), below))
    return of_leaves(merger(holes, ask))


def _sorted(rows: Sequence[Leaf], apart: bool) -> list[Leaf]:
    """Modes of numbers by their strides, joined; the set of all offsets is the same."""
    order = sorted(((int(n), int(d)) for n, d in rows), key=lambda x: (x[1], x[0]))
    result: list[tuple[int, int]] = []
    for n, d in order:
        if not apart and result and prod(result[-1]) == d:
            result[-1] = (result[-1][0] * n, result[-1][1])
        else:
            result.append((n, d))
    below = [1, *[n * d for n, d in result]]
    if apart and any(d < b for (_, d), b in zip(result, below)):
        raise LayoutError("SL800", "copies of the layout meet")
    if not apart and any(y[1] % (x[0] * x[1]) for x, y in pairwise(result)):
        offsets = sorted(set(places(rows))) if prod(n for n, _ in order) <= MOST else [1]
        modes = steps_of(offsets)
        if modes is None:
            raise LayoutError("SL800", "its holes are filled by no layout")
        result = [(int(n), int(d)) for n, d in modes]
        if any(y[1] % (x[0] * x[1]) for x, y in pairwise(result)):
            raise LayoutError("SL800", "its holes are filled by no layout")
    return [(plain(n), plain(d)) for n, d in result]
