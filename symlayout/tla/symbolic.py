"""The algebra where sizes are symbols, or too many to look at: candidates, each proved by its law.

A candidate is built from conditions (one size divides another, or is at most another) that the
facts decide; the prover then holds it against the law itself.  So a condition may be sufficient
only, never wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import Mod, Size, as_expr, as_size, ceildiv, coordinate_symbols
from symlayout.expr.tree import Integer
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import split
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.layouts.indexmap import IndexMap
from symlayout.tla.coalesce import Leaf, filter_zeros, from_leaves, merge, merge_to_the_end
from symlayout.tla.known import Known, facts_for, lowest_terms, names_of, tied_to
from symlayout.tla.law import require, require_equal


def _undecided_error(operation: str, condition: str, known: Known, *needs: Relation) -> LayoutError:
    """The error that tells the condition; each of `needs` would bring the answer nearer."""
    facts = f"the facts ({known.facts})" if known.facts.relations else ""
    lacking = f"{facts} do not say so" if facts else "no fact says so"
    message = f"{operation} is undecided: it needs that {condition}, and {lacking}"
    help = "give the condition as a fact: --where FACT, or where=[FACT] in Python"
    return LayoutError("SL801", message, help=help, needs=tuple(map(str, needs)))


def _multiple(size: Size, of: Size) -> Relation:
    return Relation("==", Mod(as_expr(size), as_expr(of)), Integer(0))


def _at_most(size: Size, limit: Size) -> Relation:
    return Relation("<=", as_expr(size), as_expr(limit))


# -- composition ---------------------------------------------------------------------------


def compose(a: Layout, b: Layout, where: Any) -> Layout:
    """The composition of symbolic layouts, proved by `R(c) == a(b(c))`."""
    known = Known(facts_for(where, a, b))
    steps = [r for n, r in b._leaves if not (known.same(r, 0) or known.same(n, 1))]
    below = [known.at_most(r, -1) for r in steps]
    if any(below):  # C++ divides towards 0: the offset of -x is minus that of x
        if not all(below):
            raise _undecided_error(
                f"{a} after {b}", "all strides on the right have one sign", known
            )
        return negative(compose(a, negative(b), known.facts))
    leaves = merge_to_the_end(a._leaves, known.same) or [(1, 0)]
    parts = [_restrict(leaves, n, r, known, f"{a} after {b}") for n, r in b._leaves]
    shape = it.unflatten([_nest([s for s, _ in p]) for p in parts], b._shape)
    stride = it.unflatten([_nest([d for _, d in p]) for p in parts], b._shape)
    result = Layout(shape, stride)
    _check_composition(a, b, parts, known, result)
    return result


def negative(layout: Layout) -> Layout:
    """The layout with the opposite offsets."""
    return Layout(layout._shape, it.transform(lambda d: as_size(-int_(d)), layout._stride))


def _nest(values: list[Size]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


def _restrict(
    leaves: list[Leaf], count: Size, step: Size, known: Known, operation: str
) -> list[Leaf]:
    """The modes that `count` steps of size `step` meet, one mode of the layout after the other."""
    if known.same(count, 1):
        return [(count, 0)]
    if known.same(step, 0):
        return [(count, 0)]
    result: list[Leaf] = []
    for size, stride in leaves[:-1]:
        if known.divides(size, step):
            step = known.quotient(step, size)
            continue
        if known.at_most((count - 1) * step + 1, size):
            return [*result, (count, stride * step)]
        if not known.divides(step, size):
            condition = f"{step} divides {size}, or {size} divides {step}"
            reach = _at_most((count - 1) * step + 1, size)
            needs = _multiple(size, step), _multiple(step, size), reach
            raise _undecided_error(operation, condition, known, *needs)
        room = known.quotient(size, step)
        if not known.divides(room, count):
            condition = f"{room} divides {count}, or {count} <= {room}"
            raise _undecided_error(
                operation, condition, known, _multiple(count, room), _at_most(count, room)
            )
        result.append((room, stride * step))
        count, step = known.quotient(count, room), 1
        if known.same(count, 1):
            return result
    return [*result, (count, leaves[-1][1] * step)]


def _check_composition(
    a: Layout, b: Layout, parts: list[list[Leaf]], known: Known, result: Layout
) -> None:
    sizes = tuple(int_(n) for n, _ in b._leaves)
    coords = coordinate_symbols(len(sizes), names_of(a, b))
    left: Any = Integer(0)
    for (count, _), part, c in zip(b._leaves, parts, coords):
        if not known.same(it.product([s for s, _ in part]), count):
            raise _undecided_error(f"{a} after {b}", f"{result} has the size of {b}", known)
        left += linear(c, part)
    inner = sum((c * int_(r) for c, (_, r) in zip(coords, b._leaves)), Integer(0))
    law = linear(inner, list(a._leaves))
    require_equal(
        f"{a} after {b}", _map(sizes, coords, left), _map(sizes, coords, law), known.facts
    )


def linear(index: Any, leaves: list[Leaf]) -> Any:
    """The offset of a linear index as an expression."""
    digits = split(index, tuple(int_(s) for s, _ in leaves))
    return as_expr(sum((x * int_(d) for x, (_, d) in zip(digits, leaves)), Integer(0)))


def _map(sizes: tuple[Size, ...], coords: Any, raw: Any) -> IndexMap:
    return IndexMap(sizes, coords, as_expr(raw), 1)


# -- complement ---------------------------------------------------------------------------


def chain(leaves: list[Leaf], known: Known, operation: str) -> list[Leaf]:
    """The modes in an order in which each stride is a multiple of the size times the one before."""
    rest = list(leaves)
    result: list[Leaf] = []
    below: Size = 1
    while rest:
        for k, (size, stride) in enumerate(rest):
            others = rest[:k] + rest[k + 1 :]
            reach = size * stride
            if known.divides(below, stride) and all(known.divides(reach, d) for _, d in others):
                result.append((size, stride))
                rest, below = others, reach
                break
        else:
            texts = ", ".join(f"{s}:{d}" for s, d in rest)
            condition = f"each stride of {texts} is a multiple of what lies below it ({below})"
            raise _undecided_error(operation, condition, known, *_next_in_chain(rest, below, known))
    return result


def _next_in_chain(rest: list[Leaf], below: Size, known: Known) -> Iterator[Relation]:
    """What would make a mode the next one, where it is one relation."""
    for k, (size, stride) in enumerate(rest):
        others = [d for _, d in rest[:k] + rest[k + 1 :]]
        pairs = [(stride, below), *[(d, size * stride) for d in others]]
        lacking = [(d, of) for d, of in pairs if not known.divides(of, d)]
        if len(lacking) == 1:
            yield _multiple(*lacking[0])


def complement_of(layout: Layout, bound: Size, where: Any) -> Layout:
    """The complement of a symbolic layout: together they are proved to be a bijection."""
    known = Known(facts_for(where, layout, bound))
    operation = f"the complement of {layout} in {bound}"
    full = [leaf for leaf in filter_zeros(layout)._leaves if not known.same(leaf[0], 1)]
    below: Size = 1
    holes: list[Leaf] = []
    for size, stride in chain(full, known, operation):
        holes.append((known.quotient(stride, below), below))
        below = as_size(int_(size) * int_(stride))
    if known.divides(below, bound):
        count = known.quotient(bound, below)
    else:
        count = ceildiv(*map(as_size, lowest_terms(bound, below)))
    holes.append((count, below))
    rest = [(s, d) for s, d in holes if not known.same(s, 1)]
    result = from_leaves(merge(rest, known.same))
    both = [*full, *rest]
    whole = Layout(tuple(s for s, _ in both), tuple(d for _, d in both)).index_map()
    sized = replace(whole, _size=as_size(int_(below) * int_(count)), reference=None, symbols=())
    from symlayout import prove

    require(operation, prove.bijective(sized, where=tied_to(known.facts, sized.symbols)))
    return result


# -- inverses ---------------------------------------------------------------------------


def right_inverse_of(layout: Layout, where: Any) -> Layout:
    """The right inverse of a symbolic layout, proved to be one and to be the largest."""
    known = Known(facts_for(where, layout))
    rest = _with_places(layout, known)
    results: list[Leaf] = []
    reach: Size = 1
    while True:
        for k, (size, stride, place) in enumerate(rest):
            if known.same(stride, reach):
                results.append((size, place))
                reach = as_size(int_(size) * int_(reach))
                rest = rest[:k] + rest[k + 1 :]
                break
        else:
            break
    for size, stride, _ in rest:
        if not (known.same(stride, 0) or known.at_most(reach + 1, stride)):
            condition = f"{stride} > {reach} (the mode {size}:{stride} may give more)"
            needs = _at_most(reach + 1, stride), Relation("==", as_expr(stride), as_expr(reach))
            raise _undecided_error(f"the right inverse of {layout}", condition, known, *needs)
    result = from_leaves(merge(results, known.same))
    check_right_inverse(f"the right inverse of {layout}", layout, result, known)
    return result


def check_right_inverse(operation: str, layout: Layout, result: Layout, known: Known) -> None:
    """Raises `LayoutError` unless `layout(result(i)) == i` is proved for every index i."""
    coords = coordinate_symbols(1, names_of(layout, result))
    law = linear(linear(coords[0], list(result._leaves)), list(layout._leaves))
    size = (as_size(result._size),)
    require_equal(operation, _map(size, coords, law), _map(size, coords, coords[0]), known.facts)


def _with_places(layout: Layout, known: Known) -> list[tuple[Size, Size, Size]]:
    """The (size, stride, place) of each mode: its place is its stride as a digit of the index."""
    result = []
    place: Size = 1
    for size, stride in layout._leaves:
        if not known.same(size, 1):
            result.append((int_(size), int_(stride), place))
        place = as_size(place * int_(size))
    return result


def left_inverse_of(layout: Layout, where: Any, weak: bool = False) -> Layout:
    """The left inverse of a symbolic layout, proved by its law.

    By way of its complement; or, where strides divide each other and no mode reaches the next one's,
    by the digits of an offset between the strides.
    """
    known = Known(facts_for(where, layout))
    try:
        rest = complement_of(layout, layout._cosize, known.facts)
        whole = Layout((layout._shape, rest._shape), (layout._stride, rest._stride))
        result = right_inverse_of(whole, known.facts)
        check_left_inverse(layout, result, known, weak)
        return result
    except LayoutError:
        other = _between_strides(layout, known)
        if other is None or not _gives_back(layout, other, known, weak):
            raise
    return other


def _gives_back(layout: Layout, result: Layout, known: Known, weak: bool) -> bool:
    try:
        check_left_inverse(layout, result, known, weak)
    except LayoutError:
        return False
    return True


def check_left_inverse(layout: Layout, result: Layout, known: Known, weak: bool) -> None:
    """Raises `LayoutError` unless `result(layout(i)) == i` is proved, or the same of offsets."""
    sizes = tuple(int_(s) for s, _ in layout._leaves)
    coords = coordinate_symbols(len(sizes), names_of(layout))
    offset = sum((c * int_(d) for c, (_, d) in zip(coords, layout._leaves)), Integer(0))
    places = it.flatten(it.prefix_product(sizes))
    index = sum((c * int_(p) for c, p in zip(coords, places)), Integer(0))
    back = linear(offset, list(result._leaves))
    if weak:
        back, index = linear(back, list(layout._leaves)), as_expr(offset)
    law = _map(sizes, coords, back), _map(sizes, coords, index)
    require_equal(f"the left inverse of {layout}", *law, known.facts)


def _between_strides(layout: Layout, known: Known) -> Layout | None:
    """The digits of an offset between a layout's strides, each with its mode's place."""
    rest = [m for m in _with_places(layout, known) if not known.same(m[1], 0)]
    result: list[Leaf] = []
    below: Size = 1
    while rest:
        first = [m for m in rest if all(known.divides(m[1], d) for _, d, _ in rest)]
        if not first or not known.divides(below, first[0][1]):
            return None
        size, stride, place = first[0]
        step = known.quotient(stride, below)
        if result:
            result[-1] = (step, result[-1][1])
        elif not known.same(step, 1):
            result.append((step, 0))  # a hole: no offset has such a digit
        result.append((size, place))  # the size is what lies below the next stride
        below = stride
        rest.remove(first[0])
    return from_leaves(result) if result else None


def exact_quotient(whole: Size, part: Size, where: Any) -> Size:
    """`whole / part`, or a `LayoutError` when the facts do not show that it is exact."""
    known = Known(facts_for(where, whole, part))
    if not known.divides(part, whole):
        condition, need = f"{part} divides {whole}", _multiple(whole, part)
        raise _undecided_error("the number of blocks", condition, known, need)
    return known.quotient(whole, part)
