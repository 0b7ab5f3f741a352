"""Swizzled layouts: a swizzle whose bit matrix has full rank only permutes, so the layout decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from symlayout.digits.assume import context_of
from symlayout.digits.context import Undecided
from symlayout.digits.poly import ZERO
from symlayout.expr.facts import Facts
from symlayout.expr.terms import as_expr, free_names
from symlayout.layouts.cute.layout import int_
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.layouts.doors.algebra import Algebra
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.notation import parse
from symlayout.prove.scope import note
from symlayout.prove.verdict import Verdict


class Swizzled(NamedTuple):
    """A swizzled layout, and the whole map, which says what its text demands and speaks of."""

    layout: ComposedLayout
    whole: IndexMap


def composition(argument: Any, where: Any) -> Swizzled | None:
    """The swizzled layout that is given, as a value or as a text, or that an operation gives."""
    layout = parse(argument) if isinstance(argument, str) else argument
    if isinstance(layout, Algebra):
        layout = layout.under(where)
        value = layout.layout
    else:
        value = layout
    return Swizzled(value, layout.index_map()) if isinstance(value, ComposedLayout) else None


def permutation(
    word: str, claim: Callable[..., Verdict], swizzled: Swizzled, where: Any
) -> Verdict | None:
    """The verdict on a swizzled layout by that on its layout; None where this says nothing.

    On whole blocks of the swizzle, what is onto stays so, and a bijection; what is injective, anywhere.
    """
    facts, a = Facts.read(where), swizzled.layout
    if word != "injective" and not (a._offset == 0 and _whole(a, facts)):
        return None
    assert a.swizzle.bijective(), a.swizzle
    before = claim(inner(swizzled), where=facts)
    if before.refuted:
        return None
    note(before.least, facts)
    width = a.swizzle.width
    rank = f"the {width} x {width} bit matrix of {a.swizzle} has rank {width}"
    return replace(before, reason=f"{rank}; {before.reason}")


def in_blocks(bounded: Callable[..., Verdict], a: Swizzled, where: Any) -> Verdict | None:
    """That no offset leaves the buffer, which has whole blocks of the swizzle; None where it is open.

    The offsets before the swizzle are looked at from where they begin, which is not below 0.
    """
    start, m = as_expr(int_(a.layout._offset)), inner(a)
    before = bounded(replace(m, _raw=start + m._raw, _size=start + m._size), where=where)
    if not before.proved:
        return None
    note(before.least, Facts.read(where))
    swizzle = a.layout.swizzle
    reason = f"{swizzle} leaves no block of {swizzle.block}; {before.reason}"
    return replace(before, reason=reason)


def inner(a: Swizzled) -> IndexMap:
    """The layout's map, defined where the whole one is."""
    before: IndexMap = a.layout.layout.index_map()
    return replace(before, demands=a.whole.demands, symbols=a.whole.symbols)


def _whole(a: ComposedLayout, facts: Facts) -> bool:
    """Whether the swizzle's block divides the layout's range of offsets."""
    reach = as_expr(int_(a.layout._cosize))
    ctx = context_of(facts, free_names(reach))
    try:
        return ctx.divmod(ctx.poly(reach), ctx.poly(as_expr(a.swizzle.block)))[1] == ZERO
    except Undecided:
        return False
