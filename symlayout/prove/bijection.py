"""`injective`, `onto`, `bijective` and `bounded`: where the offsets fall."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import product
from math import prod
from typing import Any, cast

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
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import Size, as_expr, as_size, free_names, symbol, value
from symlayout.layouts.demands import Demand, defined
from symlayout.layouts.emptiness import HOLLOW, hollow
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.decide import (
    Problem,
    all_names,
    claim_maps,
    decide,
    every_place,
    map_names,
    offset_at,
    polynomials,
)
from symlayout.prove.maps.claims import about_places, boxed, index_function, or_by_cases
from symlayout.prove.mixed import LISTED, mixed
from symlayout.prove.search import (
    WHOLE,
    Arrays,
    Found,
    Numeric,
    Unsafe,
    all_offsets,
    environment,
    first_collision,
    length,
    points,
    sides_of,
    sizes_of,
)
from symlayout.prove.statement import Goal, Offset, Statement, let
from symlayout.prove.subject import Places
from symlayout.prove.swizzled import composed, permuted
from symlayout.prove.verdict import Counterexample, Verdict, certified

GAP_WEIGHT = 100  # a gap is looked for in one assignment after the other
FEW = 1 << 18  # coordinates of one assignment up to which digits at its sizes are not asked
REPLAYED = 20_000  # coordinates of which a gap's replay looks at each in plain integers


def _stored_poly(ctx: Context, m: IndexMap) -> Poly:
    """The offset, with dimensions of size 0 left out where these make the buffer empty."""
    return _offset_poly(ctx, m, nonempty=all(d in m.vanishing for d in m.shape))


def _offset_poly(ctx: Context, m: IndexMap, nonempty: bool = True) -> Poly:
    env = every_place(ctx, m.coords, m.shape, nonempty)
    f = polynomials(ctx, [(m.raw, env)])[0]
    while ctx.has_opaque and merge(ctx, f):
        ctx.forget()
        f = polynomials(ctx, [(m.raw, env)])[0]
    return f


def _numeric(m: IndexMap, facts: Facts) -> tuple[tuple[str, ...], Numeric]:
    names = tuple(dict.fromkeys([*m.symbols, *sorted(facts.names)]))
    return names, Numeric(as_expr(m.raw), (*names, *[c.name for c in m.coords]))


# -- injective --------------------------------------------


def _search_collision(m: IndexMap, facts: Facts) -> Any:
    names, offset = _numeric(m, facts)

    def offsets(batch: Any) -> Any:
        import numpy as np

        return np.asarray(offset(environment(batch, m.coords))[0], dtype=np.int64)

    def search(chosen: Arrays) -> Found | None:
        if not _large(m, names, chosen):
            return first_collision(chosen, names, m.shape, offsets)
        sizes = sizes_of(chosen)
        digits = mixed(m, sizes)
        if digits is None:
            raise Unsafe
        return digits.stillness(sizes) or digits.collision(sizes)

    return search


def _large(m: IndexMap, names: tuple[str, ...], chosen: Arrays, most: int = WHOLE) -> bool:
    """Whether it is one assignment, of so many coordinates that not all are listed."""
    return length(chosen) == 1 and bool(sides_of(chosen, names, m.shape)[2][0] > most)


def _replay_collision(m: IndexMap, found: Found) -> Counterexample | None:
    if found.other is None:
        return None
    left = offset_at(m, found.coords, found.sizes)
    right = offset_at(m, found.other, found.sizes)
    if left != right or found.coords == found.other:
        return None
    note = f"{found.coords} and {found.other} both have the offset {left}"
    return Counterexample(found.sizes, found.coords, left, right, found.other, note)


def _by_another(
    word: str, claim: Callable[..., Verdict], a: Any, where: Any, budget: int | None
) -> Verdict | None:
    """The verdict on an index function, or on a swizzle by the map before it; else None."""
    function = index_function(a)
    if function is not None:
        return about_places(word, function, where, budget)
    swizzled = composed(a)
    return None if swizzled is None else permuted(word, claim, swizzled, where)


@certified
def injective(a: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """No two coordinates have one offset."""
    verdict = _by_another("injective", injective, a, where, budget)
    if verdict is not None:
        return verdict
    facts, (m,) = claim_maps("injective", where, a)
    m = m.apart_from(facts.names)
    return decide(
        Problem(
            map_names(m),
            facts,
            or_by_cases(
                "injective", a, facts, lambda ctx: prove_injective(ctx, _offset_poly(ctx, m))
            ),
            _search_collision(m, facts),
            lambda found: _replay_collision(m, found),
            shape=m.shape,
            demands=m.demanded,
            about=Places("injective", m),
        ),
        budget,
    )


# -- bounded --------------------------------------------


@certified
def bounded(a: Any, size: Any = None, *, where: Any = (), budget: int | None = None) -> Verdict:
    """0 <= offset < size (by default the layout's own)."""
    function = index_function(a)
    if function is not None:
        return about_places("bounded", boxed(function, size), where, budget)
    facts, (m,) = claim_maps("bounded", where, a)
    m = m.apart_from(facts.names)
    limit = m.size if size is None else read_size(size, set(m.symbols) | facts.names)

    names = tuple(dict.fromkeys([*map_names(m), *all_names(limit)]))
    where_needed = m.shape if size is None else ()  # an empty box asks for no size of its buffer
    demands = defined("the size", [limit], where_needed)
    return inside(m, limit, names, facts, demands).decided(budget)


def inside(
    m: IndexMap, limit: Size, names: tuple[str, ...], facts: Facts, demands: Iterable[Demand] = ()
) -> Statement:
    """0 <= offset < limit at every coordinate."""
    at, note = let("at"), "at {place} the offset is {left}, outside [0, {right})"
    return Statement(
        names,
        facts,
        [Goal(at, op, end, note, (at, limit)) for op, end in ((">=", 0), ("<", limit))],
        coords=m.coords,
        shape=m.shape,
        offsets={"at": Offset(m, m.coords)},
        demands=(*m.demanded, *demands),
        strategy=lambda ctx: prove_bounded(ctx, _offset_poly(ctx, m), ctx.poly(limit)),
    )


def read_size(given: Any, known: set[str]) -> Size:
    """A size from a number, an expression or a text whose names are known."""
    if isinstance(given, str):
        return as_size(read_expression(given, lambda w: symbol(w) if w in known else None))
    made = as_size(given)
    for name in free_names(made):
        if name not in known:
            raise LayoutError("SL201", f"the name {name!r} is not known here")
    return made


# -- onto and bijective --------------------------------------------


def _search_gap(m: IndexMap, facts: Facts) -> Any:
    """Search for an offset that nothing hits."""
    names, offset = _numeric(m, facts)
    whole = Numeric(m.size, names)

    def offsets(batch: Any) -> Any:
        return offset(environment(batch, m.coords))[0]

    def search(chosen: Arrays) -> Found | None:
        import numpy as np

        count = length(chosen)
        sizes = np.broadcast_to(np.asarray(whole(chosen)[0], dtype=np.int64), (count,))
        volume = sides_of(chosen, names, m.shape)[2]
        if _large(m, names, chosen, FEW):
            return _large_gap(m, sizes_of(chosen), lambda: chosen_gap(chosen, int(sizes[0])))
        short = volume < sizes  # fewer elements than offsets: surely a gap
        stop = int(np.argmax(short)) + 1 if short.any() else count
        window = {n: c[:stop] for n, c in chosen.items()}
        done = 0
        for part, batch in points(window, names, m.shape, most=WHOLE):
            many = length(part)
            values = np.broadcast_to(offsets(batch), (len(batch.owner),))
            starts = np.searchsorted(batch.owner, np.arange(many + 1))
            for n in range(many):
                missing = first_gap(values[starts[n] : starts[n + 1]], int(sizes[done + n]))
                if missing is not None:
                    sizes_here = {k: int(c[n]) for k, c in part.items()}
                    return Found(sizes_here, (missing,), kind="gap")
            done += many
        return None

    def chosen_gap(chosen: Arrays, size: int) -> int | None:
        return first_gap(all_offsets(chosen, names, m.shape, offsets), size)

    return search


def _large_gap(m: IndexMap, sizes: dict[str, int], listed: Any) -> Found | None:
    """A gap of one assignment with many coordinates: by its digits, or from a list of all offsets."""
    digits = mixed(m, sizes)
    missing = None if digits is None else digits.gap()
    if missing is not None:
        return Found(sizes, (missing,), kind="gap", first=missing < LISTED)
    missing = listed()
    return None if missing is None else Found(sizes, (missing,), kind="gap")


def first_gap(values: Any, size: int) -> int | None:
    """The least offset of [0, size) that is not among the values."""
    import numpy as np

    reach = min(max(size, 0), len(values) + 1)  # of so many, one is not hit, or it is all
    hit = np.zeros(reach, dtype=bool)
    hit[values[(values >= 0) & (values < reach)]] = True
    return None if hit.all() else int(np.argmin(hit))


def _replay_gap(m: IndexMap, found: Found) -> Counterexample | None:
    if found.kind != "gap":
        return None
    (missing,) = found.coords
    shape = [value(d, found.sizes) for d in m.shape]
    if prod(shape) <= REPLAYED:
        for point in product(*[range(d) for d in shape]):
            if offset_at(m, point, found.sizes) == missing:
                return None
    elif prod(shape) > WHOLE:  # else the search itself has seen every coordinate
        digits = mixed(m, found.sizes)
        if digits is None or digits.hit(missing) is not False:
            return None
    size = value(m.size, found.sizes)
    note = f"no coordinate has the offset {missing} of [0, {size})"
    return Counterexample(found.sizes, (), missing, None, note=note)


@certified
def onto(a: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """Every offset of [0, size) is hit."""
    function = index_function(a)
    if function is not None:
        return about_places("onto", function, where, budget)
    facts, (m,) = claim_maps("onto", where, a)
    m = m.apart_from(facts.names)
    return decide(
        Problem(
            map_names(m),
            facts,
            or_by_cases(
                "onto",
                a,
                facts,
                lambda ctx: (
                    Attempt(False, HOLLOW)
                    if hollow(m, facts)
                    else prove_onto(ctx, _stored_poly(ctx, m), ctx.poly(m.size))
                ),
            ),
            _search_gap(m, facts),
            lambda found: _replay_gap(m, found),
            shape=m.shape,
            demands=m.demanded,
            weight=GAP_WEIGHT,
            about=Places("onto", m),
        ),
        budget,
    )


@certified
def bijective(a: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """Every offset of [0, size) is hit exactly once."""
    verdict = _by_another("bijective", bijective, a, where, budget)
    if verdict is not None:
        return verdict
    facts, (m,) = claim_maps("bijective", where, a)
    m = m.apart_from(facts.names)
    collide, gap = _search_collision(m, facts), _search_gap(m, facts)
    inner = inside(m, m.size, map_names(m), facts)

    def prove(ctx: Context) -> Attempt:
        f = _stored_poly(ctx, m)
        return prove_bijective(ctx, f, ctx.poly(m.size), ctx.poly(m.elements))

    def search(chosen: Arrays) -> Found | None:
        if _large(m, map_names(m), chosen, FEW):
            return _first_of(chosen, gap, collide, inner.search)
        found: list[Found] = [
            f for f in (collide(chosen), gap(chosen), inner.search(chosen)) if f is not None
        ]
        order: list[tuple[int, ...]] = list(zip(*[c.tolist() for c in chosen.values()])) or [()]
        return min(found, key=lambda f: order.index(tuple(f.sizes.values())), default=None)

    def replay(found: Found) -> Counterexample | None:
        if found.kind in ("gap", "collision"):
            return (_replay_gap if found.kind == "gap" else _replay_collision)(m, found)
        return inner.replay(found)

    return decide(
        Problem(
            map_names(m),
            facts,
            or_by_cases("bijective", a, facts, prove),
            search,
            replay,
            shape=m.shape,
            weight=GAP_WEIGHT,
            demands=m.demanded,
            about=Places("bijective", m),
        ),
        budget,
    )


def _first_of(chosen: Arrays, *searches: Any) -> Found | None:
    """What the first of the searches finds that finds anything."""
    for search in searches:
        with suppress(Unsafe):
            found = search(chosen)
            if found is not None:
                return cast(Found, found)
    return None
