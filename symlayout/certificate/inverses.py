"""Inverses of CuTe's layouts, and what those of two layouts have in common, for the checker."""

from __future__ import annotations

from symlayout.certificate.asking import Ask, quotient
from symlayout.certificate.definitions import ONE, ZERO, product
from symlayout.certificate.modes import (
    Leaf,
    Modes,
    complement,
    concatenation,
    cosize,
    full,
    merger,
    natural,
    of_leaves,
)
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation
from symlayout.expr.tree import Expr, expand


def right_inverse(a: Modes, ask: Ask) -> Modes:
    """The numbers of the coordinates with the offsets 0, 1, 2, .. as far as these go.

    A mode whose stride is what has been reached goes on; all others go beyond, or nowhere.
    """
    natural(a, ask)
    rest, place = list[tuple[Expr, Expr, Expr]](), ONE
    for n, d in a.rows:
        if not ask.same(n, 1):
            rest.append((n, d, place))
        place = expand(place * n)
    result, reach = list[Leaf](), ONE
    while (following := next((m for m in rest if ask.same(m[1], reach)), None)) is not None:
        rest.remove(following)
        result.append((following[0], following[2]))
        reach = expand(reach * following[0])
    for _, d, _ in rest:
        if not ask.same(d, 0):
            ask.demand(Relation(">=", d, reach + 1))
    return of_leaves(merger(result, ask))


def left_inverse(a: Modes, ask: Ask, weak: bool) -> Modes:
    """The right inverse of the layout together with its complement."""
    natural(a, ask)
    zeros = [d for n, d in a.rows if not ask.same(n, 1) and ask.same(d, 0)]
    if zeros and (not weak or a.numbers):  # which of several numbers comes back is left open
        raise LayoutError("SL800", "a mode of stride 0 has several numbers at one offset")
    ask.demand(*[Relation(">=", d, ONE) for n, d in full(a, ask)])
    try:
        rest = complement(a, cosize(a, ask), ask)
    except LayoutError:
        return between_strides(a, ask)
    inverse = right_inverse(concatenation([a, rest]), ask)
    some = product(n for n, d in a.rows if not (ask.same(n, 1) or ask.same(d, 0)))
    if not ask.same(inverse.size, some * rest.size):
        raise LayoutError("SL800", "the layout and its complement do not meet every number")
    return inverse


def between_strides(a: Modes, ask: Ask) -> Modes:
    """The digits of an offset between the strides, each of which is a multiple of the one before.

    No mode reaches the next one's stride, so that each digit is a coordinate.
    """
    rest, place = list[tuple[Expr, Expr, Expr]](), ONE
    for n, d in a.rows:
        if not ask.same(n, 1) and not ask.same(d, 0):
            rest.append((n, d, place))
        place = expand(place * n)
    result, below, last = list[Leaf](), ONE, ONE
    while rest:
        first = [m for m in rest if ask.all_divide([(m[1], d) for _, d, _ in rest])]
        if not first or not ask.divides(below, first[0][1]):
            raise LayoutError("SL800", "the strides are no multiples of each other")
        n, d, place = first[0]
        step = quotient(d, below)
        if result:
            ask.demand(Relation("<=", last, step))
            result[-1] = (step, result[-1][1])
        elif not ask.same(step, 1):
            result.append((step, ZERO))
        result.append((n, place))
        last, below = n, d
        rest.remove(first[0])
    return of_leaves(result)


def common(a: Modes, b: Modes, ask: Ask) -> Modes:
    """What the right inverses of two layouts begin with."""
    for x in (a, b):
        ask.demand(*[Relation(">=", d, ONE) for n, d in x.rows if not ask.same(n, 1)])
    first, second = (merger(right_inverse(x, ask).rows, ask) for x in (a, b))
    result = list[Leaf]()
    while first and second:
        (m, p), (n, q) = first[0], second[0]
        if not ask.same(p, q):
            apart(p, q, ask)
            ask.demand(Relation(">=", m, ONE + 1), Relation(">=", n, ONE + 1))
            break
        if not ask.same(m, n) and ask.at_most(n, m):
            first, second, (m, p), (n, q) = second, first, (n, q), (m, p)
        ask.demand(Relation("<=", m, n))
        result.append((m, p))
        first.pop(0)
        if ask.same(m, n):
            second.pop(0)
        elif ask.divides(m, n):
            second[0] = (quotient(n, m), expand(m * p))
        else:
            if first:
                ask.demand(Relation("<", m, n), Relation(">=", first[0][0], ONE + 1))
                apart(first[0][1], expand(m * p), ask)
            break
    return of_leaves(merger(result, ask))


def apart(p: Expr, q: Expr, ask: Ask) -> None:
    """One of two strides is the larger one at all sizes."""
    if not ask.holds(Relation("<", p, q)):
        ask.demand(Relation("<", q, p))
