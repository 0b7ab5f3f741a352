"""Divides and products of layouts, for the checker."""

from __future__ import annotations

from typing import Any

from symlayout.certificate.asking import Ask, multiple, quotient
from symlayout.certificate.definitions import ONE, ZERO, leaves, plain, product
from symlayout.certificate.modes import (
    Modes,
    by_mode,
    coalescing,
    complement,
    composite,
    concatenation,
    cosize,
    nesting,
)
from symlayout.certificate.operands import KEEP, as_tile, is_tuple, unknown
from symlayout.errors import LayoutError
from symlayout.expr.tree import expand


def divided(a: Modes, t: Any, ask: Ask) -> Modes:
    """Each mode as the place in its tile and which tile: `a` after the tile and its complement."""
    if is_tuple(t):
        return by_mode(lambda m, p: divided(m, p, ask), a, t)
    if t is KEEP:
        return a
    tile = as_tile(t, ask)
    return composite(a, concatenation([tile, complement(tile, a.size, ask)]), ask)


def zipped(a: Modes, t: Any) -> Modes:
    """All places in tiles as the first mode, all that says which tile as the second."""
    if not is_tuple(t):
        return a
    tiles, rests = [], []
    for mode, part in zip(a.each, t):
        pair = [mode, Modes(ONE, ZERO)] if part is KEEP else zipped(mode, part).each
        tiles.append(pair[0])
        rests.append(pair[1])
    return concatenation([concatenation(tiles), concatenation([*rests, *a.each[len(t) :]])])


def opened(word: str, a: Modes) -> Modes:
    """`logical`: as it is; `tiled`, `flat`: the modes of the second, of both, beside one another."""
    if word in ("logical", "zipped"):
        return a
    first, second = a.each
    return concatenation([*(first.each if word == "flat" else [first]), *second.each])


def divide(word: str, a: Modes, t: Any, ask: Ask) -> Modes:
    """A divide of one of the four forms."""
    modes = divided(a, t, ask)
    return modes if word == "logical" else opened(word, zipped(modes, t))


def multiplied(a: Modes, t: Any, ask: Ask) -> Modes:
    """The layout, and where its copies lie: its complement after their order."""
    if is_tuple(t):
        return by_mode(lambda m, p: multiplied(m, p, ask), a, t)
    if t is KEEP:
        return a
    order = as_tile(t, ask)
    copies = cosize(order, ask)
    try:
        free = complement(a, expand(a.size * copies), ask)
    except LayoutError:
        if not (a.numbers and copies.is_Integer):
            raise
        reach = max(int(n) * int(d) for n, d in a.rows)
        free = complement(a, plain(reach * int(copies)), ask, apart=True)
    return concatenation([a, composite(free, order, ask)])


def product_of(word: str, a: Modes, t: Any, ask: Ask) -> Modes:
    """A product of one of the six forms."""
    if word not in ("blocked", "raked"):
        modes = multiplied(a, t, ask)
        return modes if word == "logical" else opened(word, zipped(modes, t))
    if not isinstance(t, Modes):
        raise unknown(f"a {word} product with sizes")
    many = max(len(a.each), len(t.each))
    first, copies = multiplied(of_rank(a, many), of_rank(t, many), ask).each
    pairs = zip(first.each, copies.each)
    return concatenation([concatenation([m, c] if word == "blocked" else [c, m]) for m, c in pairs])


def of_rank(a: Modes, many: int) -> Modes:
    """With modes 1:0 behind the others up to that many."""
    return concatenation([*a.each, *[Modes(ONE, ZERO)] * (many - len(a.each))])


def layout_in_order(shape: Any, order: Any) -> Modes:
    """The compact layout whose modes follow one another as the order says."""
    sizes = leaves(shape)
    places = [int(k) for k in leaves(order)]
    if len(places) != len(sizes):
        raise unknown("an order of another length")
    steps, below = [ZERO] * len(sizes), ONE
    for k in sorted(range(len(sizes)), key=lambda k: (places[k], k)):
        steps[k], below = below, expand(below * sizes[k])
    return Modes(shape, nesting(steps, shape))


def repetition(block: Modes, shape: Any, order: Any, ask: Ask) -> Modes:
    """A block repeated to fill a shape that it divides, its modes joined."""
    sizes = [product(leaves(n)) for n in shape] if is_tuple(shape) else [shape]
    whole, counts = of_rank(block, len(sizes)), []
    for have, want in zip(whole.each, sizes, strict=True):
        ask.demand(*multiple(want, have.size))
        counts.append(quotient(want, have.size))
    grid = layout_in_order(tuple(counts), tuple(range(len(counts))) if order is None else order)
    modes = product_of("blocked", whole, grid, ask)
    return coalescing(modes, (KEEP,) * len(modes.each), ask)
