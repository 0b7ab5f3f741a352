"""`injective`, `onto`, `bijective` and `bounded`: where the offsets fall."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
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
from symlayout.prove.maps.blocks import about_families
from symlayout.prove.maps.claims import (
    about_places,
    families,
    index_function,
    or_by_cases,
    with_box,
)
from symlayout.prove.statement import Goal, Offset, Statement, let
from symlayout.prove.subject import Places
from symlayout.prove.swizzled import composition, in_blocks, inner, permutation
from symlayout.prove.verdict import Verdict, also_written, certified

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


def _by_another(
    word: str, claim: Callable[..., Verdict], a: Any, where: Any, budget: int | None
) -> Verdict | None:
    """The verdict on an index function, or on a swizzle by that of `claim` on the map before it."""
    layouts = families(a)
    if layouts is not None:
        return about_families(word, layouts, where, budget)
    function = index_function(a)
    if function is not None:
        return about_places(word, function, where, budget)
    swizzled = composition(a, where)
    return None if swizzled is None else permutation(word, claim, swizzled, where)


@certified
def injective(a: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """No two coordinates have one offset."""
    verdict = _by_another("injective", injective, a, where, budget)
    if verdict is not None:
        return verdict
    facts, (m,) = claim_maps("injective", where, a)
    m = m.apart_from(facts.names)
    return Statement(
        map_names(m),
        facts,
        images=[Once(m, facts)],
        shape=m._shape,
        demands=m.demanded,
        strategy=or_by_cases(
            "injective", a, facts, lambda ctx: prove_injective(ctx, _offset_poly(ctx, m))
        ),
        about=Places("injective", m),
    ).decided(budget)


# -- bounded --------------------------------------------


@certified
def bounded(a: Any, size: Any = None, *, where: Any = (), budget: int | None = None) -> Verdict:
    """0 <= offset < size (by default the layout's own)."""
    layouts = families(a)
    if layouts is not None and size is None:
        return about_families("bounded", layouts, where, budget)
    function = index_function(a)
    if function is not None:
        return about_places("bounded", with_box(function, size), where, budget)
    swizzled = composition(a, where) if size is None else None
    before = None if swizzled is None else in_blocks(bounded, swizzled, where)
    if before is not None:
        return before
    facts, (m,) = claim_maps("bounded", where, a)
    m = m.apart_from(facts.names)
    limit = m._size if size is None else read_size(size, set(m.symbols) | facts.names)

    names = tuple(dict.fromkeys([*map_names(m), *all_names(limit)]))
    where_needed = m._shape if size is None else ()  # an empty box asks for no size of its buffer
    demands = definedness("the size", [limit], where_needed)
    statement = inside(m, limit, names, facts, demands)
    if size is None and statement.strategy is not None:
        strategy = or_by_cases("bounded", a, facts, statement.strategy)
        statement = replace(statement, strategy=strategy)
    return statement.decided(budget)


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
        strategy=lambda ctx: prove_bounded(ctx, _offset_poly(ctx, m), ctx.poly(limit)),
    )


def validity(a: Any, where: Any = (), budget: int | None = None) -> Verdict:
    """0 <= offset < size, and no two coordinates have one offset: what `valid` says."""
    verdict = _by_another("valid", validity, a, where, budget)
    if verdict is not None:
        return verdict
    facts, (m,) = claim_maps("valid", where, a)
    swizzled = composition(a, where)  # which only permutes the offsets before it
    first = m if swizzled is None else claim_maps("valid", where, inner(swizzled))[1][0]
    m, first = m.apart_from(facts.names), first.apart_from(facts.names)

    def prove(ctx: Context) -> Attempt:
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
        about=Places("valid", m),
    ).decided(budget)


def read_size(size: Any, known: set[str]) -> Size:
    """A size from a number, an expression or a text whose names are known."""
    if isinstance(size, str):
        known = known | also_written(size)
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


@certified
def onto(a: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """Every offset of [0, size) is hit."""
    verdict = _by_another("onto", onto, a, where, budget)
    if verdict is not None:
        return verdict
    facts, (m,) = claim_maps("onto", where, a)
    m = m.apart_from(facts.names)

    def prove(ctx: Context) -> Attempt:
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
        about=Places("onto", m),
    ).decided(budget)


@certified
def bijective(a: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """Every offset of [0, size) is hit exactly once."""
    verdict = _by_another("bijective", bijective, a, where, budget)
    if verdict is not None:
        return verdict
    facts, (m,) = claim_maps("bijective", where, a)
    m = m.apart_from(facts.names)

    def prove(ctx: Context) -> Attempt:
        f = _stored_poly(ctx, m)
        return prove_bijective(ctx, f, ctx.poly(m._size), ctx.poly(m._elements))

    return replace(
        inside(m, m._size, map_names(m), facts),
        images=[Once(m, facts), Hit(m, facts)],
        weight=GAP_WEIGHT,
        strategy=or_by_cases("bijective", a, facts, prove),
        about=Places("bijective", m),
    ).decided(budget)
