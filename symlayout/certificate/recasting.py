"""Layouts and swizzles counted in elements of other widths, and swizzles in a row, for the checker."""

from __future__ import annotations

from math import gcd

from symlayout.certificate.asking import Ask, multiple, quotient
from symlayout.certificate.definitions import ONE, plain
from symlayout.certificate.modes import (
    Leaf,
    Modes,
    nesting,
)
from symlayout.certificate.operands import (
    Bits,
    Swizzled,
    Value,
    unknown,
)
from symlayout.errors import LayoutError
from symlayout.expr.terms import CeilDiv


def wider(a: Modes, width: int, ask: Ask) -> Modes:
    """Counted in elements of `width` old ones, each of which a mode fills or does not touch."""
    inside, rows = 0, list[Leaf]()
    for n, d in a.rows:
        if d.is_Integer and int(d) % width:
            step = int(d)
            if step < 0 or width % step:
                raise LayoutError("SL800", f"the stride {step} goes through elements of {width}")
            per = width // step
            if n != 1:
                inside += (min(int(n), per) - 1 if n.is_Integer else per - 1) * step
            exact = not n.is_Integer and ask.divides(per, n)
            rows.append((quotient(n, per) if exact else CeilDiv(n, per), ONE))
        else:
            ask.demand(*multiple(d, plain(width)))
            rows.append((n, quotient(d, width)))
    if inside >= width:
        raise LayoutError("SL800", "the modes leave an element together")
    return Modes(*(nesting([row[k] for row in rows], a.shape) for k in (0, 1)))


def narrower(a: Modes, width: int) -> Modes:
    """Counted in elements of which `width` make an old one; the mode of stride 1 has them all."""
    if width == 1:
        return a
    ones = [k for k, (n, d) in enumerate(a.rows) if d == 1 and n != 1]
    ones = ones or [k for k, (_, d) in enumerate(a.rows) if d == 1]
    if len(ones) != 1:
        raise LayoutError("SL800", f"{len(ones)} modes have the stride 1, and one must")
    rows = [(n, d * width) for n, d in a.rows]
    n, d = a.rows[ones[0]]
    rows[ones[0]] = (n * width, d)
    return Modes(*(nesting([row[k] for row in rows], a.shape) for k in (0, 1)))


def recast(x: Value, old: int, new: int, ask: Ask) -> Value:
    """Counted in elements of other bits: in narrower ones first, then in wider ones."""
    if min(old, new) < 1:
        raise unknown("elements of no bits")
    common = gcd(old, new)
    more, fewer = old // common, new // common
    if not isinstance(x, Swizzled):
        return wider(narrower(x, more), fewer, ask)
    by = exponent(more) - exponent(fewer)
    first = recast_swizzle(x.swizzle, exponent(more))
    if by < 0:
        ask.demand(*multiple(x.offset * more, plain(fewer)))
    offset = quotient(x.offset * more, plain(fewer))
    inner = wider(narrower(x.layout, more), fewer, ask)
    return Swizzled(recast_swizzle(first, -exponent(fewer)), offset, inner)


def moved(x: int, s: Bits) -> int:
    """What a swizzle makes of a number."""
    low, high = s.base - min(s.shift, 0), s.base + max(s.shift, 0)
    return x ^ ((x >> high & (1 << s.bits) - 1) << low)


def one_swizzle(outer: Bits, inner: Bits) -> Bits:
    """The swizzle that is one after the other; raises `LayoutError` where it is none."""
    width = max(s.base + abs(s.shift) + s.bits for s in (outer, inner))
    images = [moved(moved(1 << k, inner), outer) for k in range(width)]
    changed = [k for k in range(width) if images[k] != 1 << k]
    if not changed:
        return Bits(0, outer.base, outer.shift)
    source, bits = changed[0], len(changed)
    target = (images[source] ^ 1 << source).bit_length() - 1
    swizzle = Bits(bits, min(source, target), source - target)
    if abs(swizzle.shift) < bits or [moved(1 << k, swizzle) for k in range(width)] != images:
        raise unknown("a swizzle after a swizzle which together are none")
    return swizzle


def recast_swizzle(s: Bits, by: int) -> Bits:
    """The swizzle of elements 2**by narrower, or wider where `by` is negative."""
    if s.bits and s.base + by < 0:
        raise LayoutError("SL800", "the swizzle moves parts of an element")
    return Bits(s.bits, max(0, s.base + by), s.shift)


def exponent(n: int) -> int:
    """The power of two that n is."""
    if n < 1 or n & (n - 1):
        raise unknown(f"a swizzle counted in {n}")
    return n.bit_length() - 1
