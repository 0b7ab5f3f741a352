"""`injective`, `onto`, `bijective` and `bounded`: where the offsets fall."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from symlayout.digits.context import Context
from symlayout.digits.placement import (
    Attempt,
    prove_bijective,
    prove_bounded,
    prove_injective,
    prove_onto,
)
from symlayout.digits.poly import Poly
from symlayout.digits.radix import merge
from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import Size, as_size, free_names, symbol
from symlayout.layouts.demands import Demand, definedness
from symlayout.layouts.emptiness import HOLLOW, hollow, vanishes
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.decide import all_names, claim_maps, every_place, map_names, polynomials
from symlayout.prove.image import Hit, Once
from symlayout.prove.maps.arguments import families, in_general, index_function, or_by_cases
from symlayout.prove.question import Question
from symlayout.prove.run import Effort
from symlayout.prove.statement import Goal, Offset, Statement, let
from symlayout.prove.subject import Places
from symlayout.prove.swizzled import composition, in_blocks, inner, permutation
from symlayout.prove.word import states
from symlayout.prove.written import also_written

PLACED = "every element lies in the buffer, and no two at one place"
GAP_WEIGHT = 100  # a gap is looked for in one assignment after the other


def _stored_poly(ctx: Context, m: IndexMap) -> Poly:
    """The offset, with dimensions of size 0 left out where these make the buffer empty."""
    return _offset_poly(ctx, m, nonempty=all(vanishes(d, m) for d in m._shape))


def _offset_poly(ctx: Context, m: IndexMap, nonempty: bool = True) -> Poly:
    env = every_place(ctx, m._coords, m._shape, nonempty)
    f = polynomials(ctx, [(m._raw, env)])[0]
    while ctx.has_opaque and merge(ctx, f):
        ctx.forget()
        f = polynomials(ctx, [(m._raw, env)])[0]
    return f


def _stated(
    word: str, ask: Callable[..., Question], a: Any, where: Any, plainly: Callable[[], Question]
) -> Question:
    """The question about an index function, or about a swizzle by that of the map before it."""
    layouts = families(a)
    if layouts is not None:
        from symlayout.prove.maps.blocks import about_families

        return about_families(word, layouts, where)
    function = index_function(a)
    if function is not None:
        from symlayout.prove.maps.claims import about_places

        return about_places(word, function, where)
    swizzled = composition(a, where)
    return plainly() if swizzled is None else permutation(word, ask, swizzled, where, plainly)


@states
def injective(a: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """No two coordinates have one offset."""
    return _stated("injective", injective.question, a, where, partial(_injective, a, where))


def _injective(a: Any, where: Any) -> Statement:
    facts, (m,) = claim_maps("injective", where, a)
    m = m.apart_from(facts.names)

    def prove(ctx: Context, effort: Effort) -> Attempt:
        return prove_injective(ctx, _offset_poly(ctx, m))

    return Statement(
        map_names(m),
        facts,
        images=[Once(m, facts)],
        shape=m._shape,
        demands=m.demanded,
        strategy=or_by_cases("injective", a, facts, prove),
        late=in_general("injective", a, facts),
        about=Places("injective", m),
    )


# -- bounded --------------------------------------------


@states
def bounded(a: Any, size: Any = None, *, where: Any = (), budget: int | None = None) -> Question:
    """0 <= offset < size (by default the layout's own)."""
    layouts = families(a)
    if layouts is not None and size is None:
        from symlayout.prove.maps.blocks import about_families

        return about_families("bounded", layouts, where)
    function = index_function(a)
    if function is not None:
        from symlayout.prove.maps.claims import about_places, with_box

        return about_places("bounded", with_box(function, size), where)
    plainly = partial(_bounded, a, size, where)
    swizzled = composition(a, where) if size is None else None
    if swizzled is None:
        return plainly()
    return in_blocks(bounded.question, swizzled, where, plainly)


def _bounded(a: Any, size: Any, where: Any) -> Statement:
    facts, (m,) = claim_maps("bounded", where, a)
    m = m.apart_from(facts.names)
    limit = m._size if size is None else read_size(size, set(m.symbols) | facts.names, a)
    names = tuple(dict.fromkeys([*map_names(m), *all_names(limit)]))
    where_needed = m._shape if size is None else ()  # an empty box asks for no size of its buffer
    demands = definedness("the size", [limit], where_needed)
    statement = inside(m, limit, names, facts, demands)
    if size is None and statement.strategy is not None:
        strategy = or_by_cases("bounded", a, facts, statement.strategy)
        late = in_general("bounded", a, facts)
        statement = replace(statement, strategy=strategy, late=late)
    return statement


def inside(
    m: IndexMap, limit: Size, names: tuple[str, ...], facts: Facts, demands: Iterable[Demand] = ()
) -> Statement:
    """0 <= offset < limit at every coordinate."""
    at, note = let("at"), "at {place} the offset is {left}, outside [0, {right})"
    return Statement(
        names,
        facts,
        [Goal(at, op, end, note, (at, limit)) for op, end in ((">=", 0), ("<", limit))],
        coords=m._coords,
        shape=m._shape,
        offsets={"at": Offset(m, m._coords)},
        demands=(*m.demanded, *demands),
        strategy=lambda ctx, effort: prove_bounded(ctx, _offset_poly(ctx, m), ctx.poly(limit)),
    )


def validity(a: Any, where: Any = ()) -> Question:
    """0 <= offset < size, and no two coordinates have one offset: what `valid` says."""
    return _stated("valid", validity, a, where, partial(_validity, a, where))


def _validity(a: Any, where: Any) -> Statement:
    facts, (m,) = claim_maps("valid", where, a)
    swizzled = composition(a, where)  # which only permutes the offsets before it
    first = m if swizzled is None else claim_maps("valid", where, inner(swizzled))[1][0]
    m, first = m.apart_from(facts.names), first.apart_from(facts.names)

    def prove(ctx: Context, effort: Effort) -> Attempt:
        once = prove_injective(ctx, _offset_poly(ctx, first))
        if not once.proved:
            return once
        within = prove_bounded(ctx, _offset_poly(ctx, m), ctx.poly(m._size))
        return replace(within, reason=f"{PLACED}: {once.reason}") if within.proved else within

    demands = definedness("the size", [m._size], m._shape)
    return replace(
        inside(m, m._size, map_names(m), facts, demands),
        images=[Once(m, facts)],
        strategy=or_by_cases("valid", a, facts, prove),
        late=in_general("valid", a, facts),
        about=Places("valid", m),
    )


def read_size(size: Any, known: set[str], layout: Any) -> Size:
    """A size from a number, an expression or a text whose names are known, or the layout's text's."""
    if isinstance(size, str):
        known = known | also_written(layout)
        try:
            return as_size(read_expression(size, lambda w: symbol(w) if w in known else None))
        except LayoutError as error:
            if error.code == "SL201" and error.text is not None:
                error.help = error.help or _known(error.text[error.at : error.end], known)
            raise
    result = as_size(size)
    for name in free_names(result):
        if name not in known:
            message = f"the name {name!r} is not known here"
            raise LayoutError("SL201", message, help=_known(name, known))
    return result


def _known(name: str, known: set[str]) -> str:
    """What a name may be meant to be: the nearest that is known, or else all that are."""
    names = sorted(known)
    return did_you_mean(name, names) or f"names known here: {', '.join(names[:20]) or 'none'}"


# -- onto and bijective --------------------------------------------


@states
def onto(a: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """Every offset of [0, size) is hit."""
    return _stated("onto", onto.question, a, where, partial(_onto, a, where))


def _onto(a: Any, where: Any) -> Statement:
    facts, (m,) = claim_maps("onto", where, a)
    m = m.apart_from(facts.names)

    def prove(ctx: Context, effort: Effort) -> Attempt:
        if hollow(m, facts):
            return Attempt(False, HOLLOW)
        return prove_onto(ctx, _stored_poly(ctx, m), ctx.poly(m._size))

    return Statement(
        map_names(m),
        facts,
        images=[Hit(m, facts)],
        shape=m._shape,
        demands=m.demanded,
        weight=GAP_WEIGHT,
        strategy=or_by_cases("onto", a, facts, prove),
        late=in_general("onto", a, facts),
        about=Places("onto", m),
    )


@states
def bijective(a: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """Every offset of [0, size) is hit exactly once."""
    return _stated("bijective", bijective.question, a, where, partial(_bijective, a, where))


def _bijective(a: Any, where: Any) -> Statement:
    facts, (m,) = claim_maps("bijective", where, a)
    m = m.apart_from(facts.names)

    def prove(ctx: Context, effort: Effort) -> Attempt:
        f = _stored_poly(ctx, m)
        return prove_bijective(ctx, f, ctx.poly(m._size), ctx.poly(m._elements))

    return replace(
        inside(m, m._size, map_names(m), facts),
        images=[Once(m, facts), Hit(m, facts)],
        weight=GAP_WEIGHT,
        strategy=or_by_cases("bijective", a, facts, prove),
        late=in_general("bijective", a, facts),
        about=Places("bijective", m),
    )
