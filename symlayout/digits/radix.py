"""Mixed radix: an offset as `start + sum(stride * digit)`, sorted so that carries never happen.

When each stride exceeds the largest offset that the smaller ones reach together, the digits can be
read off the offset: the map is injective, and its inverse is a chain of divisions.  When each stride
is at most one more than that reach, no offset is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from symlayout.digits.context import Context
from symlayout.digits.poly import ONE, ZERO, Poly, atom
from symlayout.digits.windows import join

ORDERS = 6  # of digits that are tried in vain


@dataclass(frozen=True)
class Digit:
    """One digit of an offset: its atom, stride and count; `flipped` when the stride was negative."""

    atom: int
    stride: Poly
    count: Poly
    flipped: bool = False


class Radix(NamedTuple):
    """An offset as `start + sum(stride*digit)` and the digits that it leaves out."""

    start: Poly
    digits: tuple[Digit, ...]
    missing: tuple[int, ...]
    whole: bool  # the digits range over a full box


def decompose(ctx: Context, f: Poly) -> Radix | None:
    """The offset in digits, or None when it is not linear in them."""
    poly = join(ctx, ctx.resolve(f), coordinates_only=True)
    digits: list[Digit] = []
    start = ctx.resolve(f)
    for x in sorted(poly.atoms):
        if not _is_digit(ctx, x):
            if not is_size(ctx, x):
                return None
            continue
        parts = poly.by_power(x)
        high = ctx.high(x)
        if max(parts) > 1 or high is None:
            return None
        stride = ctx.resolve(parts[1])
        if any(_is_digit(ctx, a) or not is_size(ctx, a) for a in stride.atoms):
            return None
        count = high + 1
        if ctx.nonneg(-stride - 1):
            digits.append(Digit(x, -stride, count, flipped=True))
        else:
            digits.append(Digit(x, stride, count))
    start = _without(ctx, poly)
    for d in digits:
        if d.flipped:
            start = start - d.stride * (d.count - 1)
    start = ctx.resolve(start)
    if not all(is_size(ctx, a) for a in start.atoms):
        return None  # the end of a flipped digit's range speaks of another: nothing begins there
    missing, whole = _coverage(ctx, [d.atom for d in digits])
    return Radix(start, tuple(digits), missing, whole)


def merge(ctx: Context, f: Poly) -> bool:
    """Makes one coordinate of several that f divides only together; True when it did.

    Where coordinates fill a compact mixed radix, `y = b*i + j` takes every value of [0, a*b) exactly
    once, so a map of y is injective (or onto) exactly when it is as a map of (i, j).  j is replaced
    by `y - b*i`; i must then drop out, or nothing is concluded (see `is_size`).
    """
    for x in sorted(f.atoms):
        info = ctx.atoms[x]
        if info.kind != "quotient" or is_size(ctx, x):
            continue
        p = ctx.resolve(info.definition[1])
        p = p - p.constant
        radix = decompose(ctx, p)
        order = None if radix is None else without_carries(ctx, radix.digits)
        if radix is None or order is None or not order.compact or radix.start != ZERO:
            continue
        plain = all(
            ctx.atoms[d.atom].kind == "coord"
            and d.atom not in ctx.replaced
            and d.atom not in ctx.roots
            and not d.flipped
            for d in order.digits
        )
        if not plain or len(order.digits) < 2:
            continue
        unit, *others = order.digits
        y = ctx.new_atom(f"y{len(ctx.atoms)}", "coord", 0, order.reach[-1] - 1)
        for point in ctx.samples:
            point[y] = p.value(point)
        ctx.replace(unit.atom, atom(y) - (p - atom(unit.atom)))
        for d in others:
            ctx.atoms[d.atom].kind = "merged"
        low = ctx.resolve(atom(unit.atom))
        ctx.constraints += [low, unit.count - 1 - low]
        return True
    return False


def _is_digit(ctx: Context, number: int) -> bool:
    info = ctx.atoms[number]
    if info.kind == "window":
        return ctx.is_coordinate(info.definition[0])
    return ctx.is_coordinate(number)


def is_size(ctx: Context, *numbers: int) -> bool:
    """Whether no coordinate is behind the atoms: neither in a definition nor in a divisor of it.

    `K % (i + 1)` is a digit of the size K, and another number for each coordinate i.
    """
    seen, pending = set[int](), [*numbers]
    while pending:
        n = pending.pop()
        if n in seen:
            continue
        seen.add(n)
        info = ctx.atoms[n]
        if info.kind == "merged" or _is_digit(ctx, n):
            return False
        parts = [p for p in info.definition[1:] if isinstance(p, Poly)]  # others are numbers
        root = info.definition[0] if info.kind == "window" else info.root
        if root is not None:
            parts += ctx.roots[root].weights
        pending += [a for p in parts for a in ctx.resolve(p).atoms]
    return True


def _without(ctx: Context, poly: Poly) -> Poly:
    return Poly({m: c for m, c in poly.terms.items() if not any(_is_digit(ctx, a) for a in m)})


def _coverage(ctx: Context, used: list[int]) -> tuple[tuple[int, ...], bool]:
    """The coordinates' digits that no used atom covers, and whether all roots are full boxes."""
    covered: set[int] = set()
    whole = True
    for x in used:
        info = ctx.atoms[x]
        if info.kind == "window":
            root = ctx.roots[info.definition[0]]
            first, last = (root.digits.index(d) for d in info.definition[1:])
            covered |= set(root.digits[first : last + 1])
            whole = whole and root.exact
        elif x in ctx.replaced:
            covered |= _leaves(ctx, x)
        else:
            covered.add(x)
            if info.root is not None and info.root != x:
                whole = whole and _exact_above(ctx, x)
    coords = [n for n, a in enumerate(ctx.atoms) if a.kind == "coord"]
    every = set[int]().union(*[_leaves(ctx, c) for c in coords])
    return tuple(sorted(every - covered)), whole


def _exact_above(ctx: Context, number: int) -> bool:
    root = ctx.atoms[number].root
    return root is None or root == number or ctx.roots[root].exact


def _leaves(ctx: Context, number: int) -> set[int]:
    """The digits that a symbol has come down to, not those of what it was divided by."""
    if number not in ctx.replaced:
        return {number}
    root = ctx.roots.get(number)
    if root is None:
        return {a for a in ctx.resolve(ctx.replaced[number]).atoms if ctx.is_coordinate(a)}
    return set[int]().union(*[_leaves(ctx, d) for d in root.digits])


class Order(NamedTuple):
    """Digits sorted by stride, each with the reach + 1 of the smaller ones before it."""

    digits: tuple[Digit, ...]
    reach: tuple[Poly, ...]  # reach[k]: 1 + the largest offset of digits[:k]
    compact: bool  # every stride equals the reach before it


def without_carries(ctx: Context, digits: tuple[Digit, ...]) -> Order | None:
    """An order in which each stride is proved >= the reach of the smaller digits together.

    Where none of several strides is proved to be the least, each of them is tried, in a few orders.
    """
    tried = 0

    def search(rest: list[Digit], order: Order) -> Order | None:
        nonlocal tried
        if not rest:
            return order
        reach = order.reach[-1]
        able = [d for d in rest if d.stride == reach][:1]
        compact = order.compact and bool(able)
        if not able:
            able = [d for d in rest if ctx.nonneg(d.stride - reach)]
            least = (
                d for d in able if all(e is d or ctx.nonneg(e.stride - d.stride) for e in able)
            )
            able = next(([d] for d in least), able)
        for digit in able:
            if tried > ORDERS:
                break
            end = reach + digit.stride * (digit.count - 1)
            after = Order((*order.digits, digit), (*order.reach, end), compact)
            whole = search([d for d in rest if d is not digit], after)
            if whole is not None:
                return whole
            tried += 1
        return None

    return search(list(digits), Order((), (ONE,), True))


def without_gaps(ctx: Context, digits: tuple[Digit, ...]) -> Poly | None:
    """The length E such that the digits hit every offset of [0, E), or None when not proved."""
    if not all(ctx.nonneg(d.count - 1) and ctx.nonneg(d.stride) for d in digits):
        return None
    rest = [d for d in digits if d.stride != ZERO]
    reach = ONE
    while rest:
        next_ones = [d for d in rest if d.stride == reach]
        able = next_ones or [d for d in rest if ctx.nonneg(reach - d.stride)]
        if not able:
            return None
        rest.remove(able[0])
        reach = reach + able[0].stride * (able[0].count - 1)
    return reach
