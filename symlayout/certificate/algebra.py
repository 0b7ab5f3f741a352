"""CuTe's operations by their laws, for the checker: what the layout of an operation's text is.

Operands are read from their texts.  A swizzled layout keeps its swizzle behind what asks for other
coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd
from typing import Any

from symlayout.certificate.asking import Ask, multiple, quotient
from symlayout.certificate.definitions import ONE, ZERO, leaves, plain, product
from symlayout.certificate.modes import (
    Modes,
    coalescing,
    common,
    complement,
    composite,
    concatenation,
    cosize,
    left_inverse,
    merger,
    narrower,
    nesting,
    of_leaves,
    offset_of,
    right_inverse,
    wider,
)
from symlayout.certificate.operands import (
    KEEP,
    SWIZZLE,
    Swizzled,
    Value,
    as_tiles,
    bits_in,
    is_layout_text,
    is_many,
    is_tuple,
    number,
    own_modes,
    sizes_of,
    unknown,
)
from symlayout.certificate.products import (
    divide,
    exponent,
    layout_in_order,
    one_swizzle,
    product_of,
    recast_swizzle,
    repetition,
)
from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner, read_expression
from symlayout.expr.relations import Relation
from symlayout.expr.terms import CeilDiv, Max, Min
from symlayout.expr.tree import Expr, expand
from symlayout.layouts.applied import tuple_value
from symlayout.layouts.doors.algebra import OPTION
from symlayout.layouts.notation import notation_of, parse
from symlayout.layouts.reading import arguments_of

# -- operands -----------------------------------------------------------------------------------------


def operand(text: str, ask: Ask) -> Value:
    """A layout of an operation's text, which may be one of an operation."""
    if notation_of(text).name != "algebra":
        return own_modes(text)
    value = operation(parse(text), ask)
    if isinstance(value, Modes) and value.origin:
        raise unknown(f"an operation on the ragged {text}")
    return value


def tiler(text: str, ask: Ask) -> Any:
    """A layout, sizes, `_`, or several of these in parentheses."""
    inner = text.strip()
    if inner == "_":
        return KEEP
    if inner.startswith("("):
        spans, end = arguments_of(Scanner(inner), 1)
        if end == len(inner):
            parts = [inner[a:b] for a, b in spans]
            if len(parts) > 1 or any(":" in p for p in parts):
                return tuple(tiler(p, ask) for p in parts if p.strip())
    if not is_layout_text(inner):
        return sizes_of(inner)
    layout = operand(inner, ask)
    if isinstance(layout, Swizzled):
        raise unknown(f"the swizzled tiler {inner}")
    return layout


# -- the operations -----------------------------------------------------------------------------------

Texts = Sequence[str]


def behind(x: Value, change: Callable[[Modes], Modes]) -> Value:
    """A change of coordinates; a swizzle stays behind it."""
    if isinstance(x, Swizzled):
        return x._replace(layout=change(x.layout))
    return change(x)


def composition(a: Texts, ask: Ask) -> Value:
    """First the second layout, then the first."""
    alone = SWIZZLE.fullmatch(a[0])
    inner = operand(a[1], ask) if alone or (is_layout_text(a[1]) and not is_many(a[1])) else None
    if alone:
        s = bits_in(alone)
        if isinstance(inner, Swizzled):
            return inner._replace(swizzle=one_swizzle(s, inner.swizzle))
        if inner is None:
            raise unknown(f"a swizzle after {a[1]}")
        return Swizzled(s, ZERO, inner)
    if isinstance(inner, Swizzled):
        raise unknown(f"a layout after {a[1]}")
    tile = as_tiles(tiler(a[1], ask) if inner is None else inner, ask)
    return behind(operand(a[0], ask), lambda m: composite(m, tile, ask))


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


def mode_of(text: str, ask: Ask) -> Modes:
    """A layout, or a size as its compact mode."""
    mode = operand(text, ask) if is_layout_text(text) else Modes(sizes_of(text), ONE)
    if isinstance(mode, Swizzled) or (mode.stride == ONE and isinstance(mode.shape, tuple)):
        raise unknown(f"the mode {text}")
    return mode


def added(a: Texts, rank: str | None, ask: Ask, first: bool) -> Value:
    """Modes put before or behind the others, up to a rank or one alone."""
    rank = a[2] if len(a) > 2 else rank
    unit = mode_of(a[1], ask) if len(a) > 1 else Modes(ONE, ZERO)

    def put(m: Modes) -> Modes:
        many = 1 if rank is None else number(rank) - len(m.each)
        if not 0 <= many <= 64:
            raise unknown(f"the rank {rank}")
        return concatenation([*[unit] * many, *m.each] if first else [*m.each, *[unit] * many])

    return behind(operand(a[0], ask), put)


def alone(x: Value) -> Modes:
    """A layout without a swizzle."""
    if isinstance(x, Swizzled):
        raise unknown("a swizzled operand")
    return x


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


def compose_swizzle(a: Texts, ask: Ask) -> Value:
    """A swizzle after an offset after a layout."""
    s = SWIZZLE.fullmatch(a[0])
    if s is None:
        raise unknown(f"the swizzle {a[0]}")
    offset = sizes_of(a[2]) if len(a) > 2 else ZERO
    return Swizzled(bits_in(s), offset, alone(operand(a[1], ask)))


def operation(layout: Any, ask: Ask) -> Value:
    """The layout of an operation; raises `LayoutError` where there is none, or it is not told."""
    texts: list[str] = []
    options: dict[str, str] = {}
    for text in layout.arguments:
        option = OPTION.fullmatch(text)
        if option is None:
            texts.append(text)
        else:
            options[option[1]] = option[2]
    try:
        value = _operation(layout.name, texts, options, ask)
    except LayoutError:
        raise
    except (IndexError, ValueError) as error:
        raise unknown(f"{layout} ({error})") from None
    if any(
        isinstance(m, Modes) and m.shape == () for m in (value, getattr(value, "layout", value))
    ):
        raise unknown(f"{layout} without modes")
    return value


def _operation(name: str, a: Texts, options: dict[str, str], ask: Ask) -> Value:
    form, _, kind = name.partition("_")
    weak = options.get("weak", a[2] if len(a) > 2 and name == "complement" else "False") == "True"

    def first() -> Value:
        return operand(a[0], ask)

    match name:
        case _ if kind == "divide":
            t = tiler(a[1], ask)
            return behind(first(), lambda m: divide(form, m, t, ask))
        case _ if kind == "product":
            t = tiler(a[1], ask)
            return behind(first(), lambda m: product_of(form, m, t, ask))
        case "composition":
            return composition(a, ask)
        case "coalesce":
            profile = sizes_of(a[1]) if len(a) > 1 else KEEP
            return behind(first(), lambda m: coalescing(m, profile, ask))
        case "filter" if len(a) == 1:
            return behind(first(), lambda m: coalescing(without_zeros(m, ask), KEEP, ask))
        case "filter_zeros":
            return behind(first(), lambda m: without_zeros(m, ask))
        case "nullspace":
            x = first()
            return nothing_moves(x.layout if isinstance(x, Swizzled) else x, ask)
        case "complement":
            m = alone(first())
            bound = tiler(a[1], ask) if len(a) > 1 else cosize(m, ask)
            size = bound.size if isinstance(bound, Modes) else product(leaves(bound))
            return complement(m, expand(size), ask, weak)
        case "right_inverse":
            return right_inverse(alone(first()), ask)
        case "max_common_layout":
            return common(alone(first()), alone(operand(a[1], ask)), ask)
        case "left_inverse":
            return left_inverse(alone(first()), ask, weak)
        case "upcast":
            return recast(first(), 1, number(a[1]), ask)
        case "downcast":
            return recast(first(), number(a[1]), 1, ask)
        case "recast":
            return recast(first(), number(a[1]), number(a[2]), ask)
        case "tile_to_shape":
            order = options.get("order", a[2] if len(a) > 2 else None)
            places, shape = None if order is None else sizes_of(order), sizes_of(a[1])
            return behind(first(), lambda m: repetition(m, shape, places, ask))
        case "compose_swizzle":
            return compose_swizzle(a, ask)
        case _:
            return _rearrangement(name, a, options, ask)


def _rearrangement(name: str, a: Texts, options: dict[str, str], ask: Ask) -> Value:
    """Operations that put modes elsewhere."""

    def first() -> Value:
        return operand(a[0], ask)

    match name:
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
            by = mode_of(a[2], ask)
            return behind(first(), lambda m: replacement(m, number(a[1]), by))
        case "unflatten":
            profile = sizes_of(a[1])
            return behind(first(), lambda m: Modes(*(nesting(leaves(t), profile) for t in m[:2])))
        case "append" | "prepend":
            return added(a, options.get("rank"), ask, name == "prepend")
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
        case "slice_" | "slice_layout":
            return slice_of(a[0], operand(a[1], ask), ask)
        case "dice":
            return concatenation(dice(tuple_value(a[0], place), alone(operand(a[1], ask))))
    raise unknown(name)
