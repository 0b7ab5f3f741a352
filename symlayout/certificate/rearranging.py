"""CuTe's operations that choose modes, put them elsewhere or add some, for the checker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd
from typing import Any

from symlayout.certificate.asking import Ask, multiple, quotient
from symlayout.certificate.definitions import ONE, ZERO, leaves, plain, product
from symlayout.certificate.modes import (
    Modes,
    coalescing,
    concatenation,
    cosize,
    merger,
    nesting,
    of_leaves,
    offset_of,
)
from symlayout.certificate.operands import (
    KEEP,
    SWIZZLE,
    Swizzled,
    Value,
    alone,
    behind,
    bits_in,
    is_layout_text,
    is_tuple,
    number,
    sizes_of,
    unknown,
)
from symlayout.certificate.products import layout_in_order, repetition
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.relations import Relation
from symlayout.expr.terms import CeilDiv, Max, Min
from symlayout.expr.tree import Expr, expand
from symlayout.layouts.applied import tuple_value

Texts = Sequence[str]
Operand = Callable[[str, Ask], Value]


def selection(x: Value, indices: Sequence[int]) -> Value:
    """These modes, in this order."""
    return behind(x, lambda m: concatenation([m.each[k] for k in indices]))


def place(text: str) -> Any:
    """A coordinate, or `_` for all of them."""
    return KEEP if text.strip() == "_" else plain(read_expression(text))


def slice_of(text: str, x: Value, ask: Ask) -> Value:
    """The modes where the coordinate is `_`; before a swizzle all others move the offset."""
    coord = tuple_value(text, place)
    whole = x.layout if isinstance(x, Swizzled) else x
    modes, offset = cut(coord, whole, ask)
    if coord is KEEP:
        return x
    rest = concatenation(modes)
    return Swizzled(x.swizzle, expand(x.offset + offset), rest) if isinstance(x, Swizzled) else rest


def has_keep(coord: Any) -> bool:
    """Whether `_` occurs."""
    return any(map(has_keep, coord)) if isinstance(coord, tuple) else coord is KEEP


def cut(coord: Any, a: Modes, ask: Ask) -> tuple[list[Modes], Expr]:
    """The modes that stay, and the offset of the others."""
    if coord is KEEP:
        return [a], ZERO
    if isinstance(coord, tuple):
        if not isinstance(a.shape, tuple) or len(coord) != len(a.shape):
            raise LayoutError("SL108", "the coordinate does not fit")
        both = [cut(c, m, ask) for c, m in zip(coord, a.each)]
        return [m for modes, _ in both for m in modes], sum((x for _, x in both), ZERO)
    ask.demand(Relation(">=", coord, ZERO), Relation("<", coord, a.size))
    return [], offset_of(coord, a.rows)


def dice(coord: Any, a: Modes) -> list[Modes]:
    """The modes where the coordinate is not `_`."""
    if not isinstance(coord, tuple) or len(coord) != len(a.each):
        raise unknown("a coordinate of this form")
    result: list[Modes] = []
    for c, mode in zip(coord, a.each):
        if isinstance(c, tuple) and has_keep(c):
            result += dice(c, mode)
        elif c is not KEEP:
            result.append(mode)
    return result


def without_zeros(a: Modes, ask: Ask) -> Modes:
    """Size 1 for every mode of stride 0; of all others it is told that they are not 0."""
    rows = []
    for n, d in a.rows:
        zero = ask.same(d, 0)
        if not (zero or d.is_Integer):
            ask.demand(Relation(">=", d, ONE))
        rows.append(ONE if zero else n)
    return Modes(nesting(rows, a.shape), a.stride)


def nothing_moves(a: Modes, ask: Ask) -> Modes:
    """The numbers that differ in modes of stride 0 alone."""
    free, place = [], ONE
    for (n, d), (rest, _) in zip(a.rows, without_zeros(a, ask).rows):
        if ask.same(d, 0) and rest == 1:
            free.append((n, place))
        place = expand(place * n)
    return of_leaves(merger(free, ask))


def distribution(shape: Any, count: Any, ask: Ask) -> Modes:
    """As many numbers of each mode as divide what is left of the count."""
    ask.demand(*[Relation(">=", n, ONE) for n in (*leaves(shape), *leaves(count))])
    rest, place, rows = product(leaves(count)), ONE, []
    for n in leaves(shape):
        if n.is_Integer and rest.is_Integer:
            part = plain(gcd(int(n), int(rest)))
        elif ask.divides(n, rest):
            part = n
        else:
            ask.demand(*multiple(n, rest))
            part = rest
        rows.append((part, place))
        rest, place = quotient(rest, part), expand(place * n)
    return of_leaves(merger(rows, ask))


def like(a: Modes) -> Modes:
    """The compact layout whose modes lie in the same order; stride 0 stays."""
    steps = [d for _, d in a.rows]
    if not all(d.is_Integer for d in steps):
        raise unknown("the order of strides that are no numbers")
    sizes = [ONE if d == 0 else n for n, d in a.rows]
    compact = leaves(layout_in_order(tuple(sizes), tuple(steps)).stride)
    rest = [ZERO if d == 0 else c for c, d in zip(compact, steps)]
    return Modes(a.shape, nesting(rest, a.shape))


def batch(a: Modes, count: Expr, step: Expr | None, ask: Ask) -> Modes:
    """A first mode of so many layouts, one behind the other or so far apart."""
    far = cosize(a, ask) if step is None else step
    return concatenation([Modes(count, far), *a.each])


def tile(a: Modes, sizes: Any, true: Sequence[Expr] | None, ask: Ask) -> Modes:
    """A tile with the same blocks and strides; of several modes the last one counts blocks.

    `true` are the sizes of the tile where the layout may end within it.
    """
    many = [product(leaves(t)) for t in sizes] if is_tuple(sizes) else [sizes]
    modes, ragged = [], true is not None
    for t, mode in zip(many, a.each, strict=True):
        if true is None:
            ask.demand(Relation(">=", t, ZERO), Relation("<=", t, mode.size))
        rows = mode.rows
        within = product(n for n, _ in rows[:-1])
        last = t if len(rows) == 1 else CeilDiv(t, within)
        ragged = ragged or last * within != t
        modes.append(Modes(nesting([*[n for n, _ in rows[:-1]], last], mode.shape), mode.stride))
    whole = concatenation(modes) if isinstance(a.shape, tuple) else modes[0]
    return whole._replace(origin=tuple(true or many)) if ragged else whole


def tile_at(a: Modes, sizes: Any, corner: Any, ask: Ask) -> Modes:
    """The tile that begins at a corner, cut where the layout ends."""
    many, first = (list(t) if is_tuple(t) else [t] for t in (sizes, corner))
    rows = zip(many, a.each, first, strict=True)
    true = [Min(t, Max(m.size - c, 0)) for t, m, c in rows]
    return tile(a, sizes, true, ask)


def mode_of(text: str, ask: Ask, operand: Operand) -> Modes:
    """A layout, or a size as its compact mode."""
    mode = operand(text, ask) if is_layout_text(text) else Modes(sizes_of(text), ONE)
    if isinstance(mode, Swizzled) or (mode.stride == ONE and isinstance(mode.shape, tuple)):
        raise unknown(f"the mode {text}")
    return mode


def added(a: Texts, rank: str | None, ask: Ask, first: bool, operand: Operand) -> Value:
    """Modes put before or behind the others, up to a rank or one alone."""
    rank = a[2] if len(a) > 2 else rank
    unit = mode_of(a[1], ask, operand) if len(a) > 1 else Modes(ONE, ZERO)

    def put(m: Modes) -> Modes:
        many = 1 if rank is None else number(rank) - len(m.each)
        if not 0 <= many <= 64:
            raise unknown(f"the rank {rank}")
        return concatenation([*[unit] * many, *m.each] if first else [*m.each, *[unit] * many])

    return behind(operand(a[0], ask), put)


def group(m: Modes, begin: int, end: int) -> Modes:
    """The modes from one to another in one."""
    if not isinstance(m.shape, tuple) or not 0 <= begin <= end <= len(m.shape):
        raise LayoutError("SL107", f"there are no modes {begin} to {end}")
    return concatenation([*m.each[:begin], concatenation(m.each[begin:end]), *m.each[end:]])


def replacement(m: Modes, k: int, by: Modes) -> Modes:
    """Another mode in the place of one."""
    if k >= len(m.each):
        raise LayoutError("SL107", f"there is no mode {k}")
    return concatenation([*m.each[:k], by, *m.each[k + 1 :]])


def got(m: Modes, path: Sequence[int]) -> Modes:
    """The mode at a path."""
    for k in path:
        if not isinstance(m.shape, tuple) or k >= len(m.shape):
            raise LayoutError("SL108", f"there is no mode {k}")
        m = m.each[k]
    return m


def compose_swizzle(a: Texts, ask: Ask, operand: Operand) -> Value:
    """A swizzle after an offset after a layout."""
    s = SWIZZLE.fullmatch(a[0])
    if s is None:
        raise unknown(f"the swizzle {a[0]}")
    offset = sizes_of(a[2]) if len(a) > 2 else ZERO
    return Swizzled(bits_in(s), offset, alone(operand(a[1], ask)))


def rearrangement(
    name: str, a: Texts, options: dict[str, str], ask: Ask, operand: Operand
) -> Value:
    """Operations that put modes elsewhere, and those of swizzles; `operand` reads a layout."""

    def first() -> Value:
        return operand(a[0], ask)

    match name:
        case "filter":
            return behind(first(), lambda m: coalescing(without_zeros(m, ask), KEEP, ask))
        case "filter_zeros":
            return behind(first(), lambda m: without_zeros(m, ask))
        case "nullspace":
            x = first()
            return nothing_moves(x.layout if isinstance(x, Swizzled) else x, ask)
        case "tile_to_shape":
            order = options.get("order", a[2] if len(a) > 2 else None)
            places, shape = None if order is None else sizes_of(order), sizes_of(a[1])
            return behind(first(), lambda m: repetition(m, shape, places, ask))
        case "compose_swizzle":
            return compose_swizzle(a, ask, operand)
        case "flatten":
            return behind(first(), lambda m: concatenation([Modes(*leaf) for leaf in m.rows]))
        case "get":
            path = [number(t) for t in a[1:]]
            return behind(first(), lambda m: got(m, path))
        case "select":
            return selection(first(), [number(t) for t in a[1:]])
        case "take":
            return selection(first(), range(number(a[1]), number(a[2])))
        case "group_modes":
            return behind(first(), lambda m: group(m, number(a[1]), number(a[2])))
        case "replace":
            by = mode_of(a[2], ask, operand)
            return behind(first(), lambda m: replacement(m, number(a[1]), by))
        case "unflatten":
            profile = sizes_of(a[1])
            return behind(first(), lambda m: Modes(*(nesting(leaves(t), profile) for t in m[:2])))
        case "slice_" | "slice_layout":
            return slice_of(a[0], operand(a[1], ask), ask)
        case "dice":
            return concatenation(dice(tuple_value(a[0], place), alone(operand(a[1], ask))))
    return addition(name, a, options, ask, operand)


def addition(name: str, a: Texts, options: dict[str, str], ask: Ask, operand: Operand) -> Value:
    """Operations that make layouts of sizes, or of more modes."""

    def first() -> Value:
        return operand(a[0], ask)

    match name:
        case "append" | "prepend":
            return added(a, options.get("rank"), ask, name == "prepend", operand)
        case "make_layout":
            return concatenation([alone(operand(t, ask)) for t in a])
        case "make_ordered_layout":
            return layout_in_order(sizes_of(a[0]), sizes_of(a[1]))
        case "make_layout_like":
            x = first()
            return like(x.layout if isinstance(x, Swizzled) else x)
        case "domain_distribute":
            return distribution(sizes_of(a[0]), sizes_of(a[1]), ask)
        case "batch" | "PrependDim":
            step = sizes_of(a[2]) if len(a) > 2 else None
            return behind(first(), lambda m: batch(m, sizes_of(a[1]), step, ask))
        case "make_layout_tile":
            return tile(alone(first()), sizes_of(a[1]), None, ask)
        case "get_tile_layout":
            return tile_at(alone(first()), sizes_of(a[1]), sizes_of(a[2]), ask)
    raise unknown(name)
