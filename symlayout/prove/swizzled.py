"""Swizzled layouts: a swizzle whose bit matrix has full rank only permutes, so the layout decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import ZERO
from symlayout.expr.facts import Facts
from symlayout.expr.terms import as_expr, free_names
from symlayout.layouts.cute.layout import int_
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.notation import parse
from symlayout.prove.verdict import Verdict


def composition(given: Any) -> ComposedLayout | None:
    """The swizzled layout that is given, as a value or as a text."""
    layout = parse(given) if isinstance(given, str) else given
    return layout if isinstance(layout, ComposedLayout) else None


def permutation(
    word: str, claim: Callable[..., Verdict], a: ComposedLayout, where: Any
) -> Verdict | None:
    """The verdict on a swizzled layout by that on its layout; None where this says nothing.

    Onto whole blocks of the swizzle, a bijection stays one; what is injective stays so anywhere.
    """
    facts = Facts.read(where)
    if word != "injective" and not (a.offset == 0 and _whole(a, facts)):
        return None
    assert a.swizzle.bijective(), a.swizzle
    before = claim(inner(a), where=facts)
    if before.refuted:
        return None
    width = a.swizzle.width
    rank = f"the {width} x {width} bit matrix of {a.swizzle} has rank {width}"
    return replace(before, reason=f"{rank}; {before.reason}")


def inner(a: ComposedLayout) -> IndexMap:
    """The layout's map, defined where the whole one is."""
    return replace(a.layout.index_map(), demands=a.demands)


def _whole(a: ComposedLayout, facts: Facts) -> bool:
    """Whether the swizzle's block divides the layout's range of offsets."""
    ctx, reach = Context(), as_expr(int_(a.layout.cosize))
    assume(ctx, facts, free_names(reach), {})
    try:
        return ctx.divmod(ctx.poly(reach), ctx.poly(as_expr(a.swizzle.block)))[1] == ZERO
    except Undecided:
        return False
