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
from symlayout.prove.question import Answered, Question
from symlayout.prove.scope import of_names
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
    word: str,
    ask: Callable[..., Question],
    swizzled: Swizzled,
    where: Any,
    plainly: Callable[[], Question],
) -> Question:
    """The question about a swizzled layout by that about its layout, where this says something.

    On whole blocks of the swizzle, what is onto stays so, and a bijection; what is injective, anywhere.
    """
    facts, a = Facts.read(where), swizzled.layout
    if word != "injective" and not (a._offset == 0 and _whole(a, facts)):
        return plainly()
    assert a.swizzle.bijective(), a.swizzle

    def answer(before: Verdict) -> Verdict | None:
        if before.refuted:
            return None
        width = a.swizzle.width
        rank = f"the {width} x {width} bit matrix of {a.swizzle} has rank {width}"
        least = of_names(before.least, facts)
        return replace(before, reason=f"{rank}; {before.reason}", least=least)

    return Answered(ask(inner(swizzled), where=facts), answer, plainly)


def in_blocks(
    ask: Callable[..., Question], a: Swizzled, where: Any, plainly: Callable[[], Question]
) -> Question:
    """That no offset leaves the buffer: it may have whole blocks of the swizzle.

    The offsets before the swizzle are looked at from where they begin, which is not below 0.
    """
    start, m = as_expr(int_(a.layout._offset)), inner(a)

    def answer(before: Verdict) -> Verdict | None:
        if not before.proved:
            return None
        swizzle = a.layout.swizzle
        reason = f"{swizzle} leaves no block of {swizzle.block}; {before.reason}"
        return replace(before, reason=reason, least=of_names(before.least, Facts.read(where)))

    first = replace(m, _raw=start + m._raw, _size=start + m._size)
    return Answered(ask(first, where=where), answer, plainly)


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
