"""`equal` and `formula`: two ways to address, the same for every coordinate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Expr, Symbol

from symlayout.digits.context import Context
from symlayout.digits.placement import Attempt
from symlayout.digits.simplification import coordinate_atoms
from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression, undefined_at_zeros
from symlayout.expr.terms import as_expr, divisors_of, from_sympy, substitute, symbol, value
from symlayout.layouts.applied import applied
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.applied import Applied
from symlayout.prove.decide import (
    Problem,
    as_map,
    claim_facts,
    decide,
    map_names,
    offset_at,
    polynomials,
    shared_coords,
    with_coords,
)
from symlayout.prove.search import (
    Arrays,
    Found,
    Numeric,
    Starts,
    environment,
    first_failing,
    free_starts,
    length,
)
from symlayout.prove.verdict import Counterexample, Verdict, certified


@certified
def equal(a: Any, b: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """Same shape, and the same offset for every coordinate."""
    left, right = as_map(a, "equal"), as_map(b, "equal")
    return decide(comparison(left, right, claim_facts(where, left, right)), budget)


def comparison(a: IndexMap, b: IndexMap, facts: Facts) -> Problem:
    """The problem of two maps with the same coordinates."""
    names = map_names(a, b)
    everything = tuple(dict.fromkeys([*names, *sorted(facts.names)]))
    coords = shared_coords(a.rank, facts, a, b)
    first, second = with_coords(a, coords), with_coords(b, coords)
    if a.rank == b.rank:
        second = with_coords(b, coords)

    def prove(ctx: Context) -> Attempt:
        if a.rank != b.rank:
            return Attempt(False, f"{a.rank} dimensions against {b.rank}")
        for d, e in zip(a.shape, b.shape):
            if ctx.poly(d) != ctx.poly(e):
                # no goals: sizes that differ as polynomials are for the search, not for the solver
                return Attempt(False, f"the sizes {d} and {e} are not proved equal")
        env = coordinate_atoms(ctx, coords, a.shape)
        p, q = polynomials(ctx, [(first, env), (second, env)])
        if p == q:
            return Attempt(True, f"in digits both sides are {ctx.text(p)}")
        return Attempt(False, f"in digits the difference is {ctx.text(p - q)}", [(p - q, "==")])

    others = [first, second, *[as_expr(d) for d in b.shape if d not in a.shape]]
    starts = free_starts(a.shape, others, facts)

    def search(chosen: Arrays) -> Found | None:
        return first_difference(chosen, everything, coords, a, b, first, second, starts)

    def replay(found: Found) -> Counterexample | None:
        shapes = [[value(d, found.sizes) for d in m.shape] for m in (a, b)]
        if shapes[0] != shapes[1]:
            return Counterexample(
                found.sizes, (), str(shapes[0]), str(shapes[1]), note="the shapes differ"
            )
        left, right = (offset_at(m, found.coords, found.sizes) for m in (a, b))
        if left == right and isinstance(left, int):
            return None
        note = f"at {found.coords} the offsets are {left} and {right}"
        return Counterexample(found.sizes, found.coords, left, right, note=note)

    demands = (*a.demanded, *b.demanded)
    return Problem(
        names, facts, prove, search, replay, shape=a.shape, starts=starts, demands=demands
    )


def first_difference(
    chosen: Arrays,
    names: tuple[str, ...],
    coords: tuple[Symbol, ...],
    a: IndexMap,
    b: IndexMap,
    first: Expr,
    second: Expr,
    starts: Starts | None = None,
) -> Found | None:
    """The first point where shapes or offsets differ."""
    import numpy as np

    count = length(chosen)
    unlike = np.zeros(count, dtype=bool)
    if a.rank != b.rank:
        unlike[:] = True
    else:
        for d, e in zip(a.shape, b.shape):
            left, _ = Numeric(d, names)(chosen)
            right, _ = Numeric(e, names)(chosen)
            unlike |= np.broadcast_to(np.asarray(left) != np.asarray(right), (count,))
    stop = int(np.argmax(unlike)) if unlike.any() else count
    before = {n: c[:stop] for n, c in chosen.items()}
    if stop and a.rank == b.rank:
        found = differing(before, names, coords, a, first, second, starts)
        if found is not None:
            return found
    if stop < count:
        return Found({n: int(c[stop]) for n, c in chosen.items()}, ())
    return None


def differing(
    chosen: Arrays,
    names: tuple[str, ...],
    coords: tuple[Symbol, ...],
    a: IndexMap,
    first: Expr,
    second: Expr,
    starts: Starts | None = None,
) -> Found | None:
    """The first coordinate at which two expressions differ or one is undefined."""
    inside = (*names, *[c.name for c in coords])
    left, right = Numeric(first, inside), Numeric(second, inside)

    def failing(batch: Any) -> Any:
        env = environment(batch, coords)
        x, bad = left.checked(env)
        y, worse = right.checked(env)
        return (x != y) | bad | worse

    return first_failing(chosen, names, a.shape, failing, starts)


@certified
def formula(
    a: Any,
    expr: Any,
    *,
    coords: Any = None,
    language: str | None = None,
    where: Any = (),
    budget: int | None = None,
) -> Verdict:
    """A hand-written index expression equals the layout's offset."""
    m = as_map(a, "formula")
    facts = claim_facts(where, m)
    value = Applied(facts)
    written = read_formula(m, expr, facts, coords, language, value)
    demands = tuple(
        d if d.coords else replace(d, box=(*d.box, *m.shape), coords=m.coords)
        for d in value.demands
    )
    # where what is written divides by zero, the comparison shows at which coordinate
    own = IndexMap(m.shape, m.coords, written, m.size, m.bits, text=str(expr), demands=demands)
    return decide(comparison(m, own, facts), budget)


def read_formula(
    m: IndexMap,
    expr: Any,
    facts: Facts,
    coords: Any = None,
    language: str | None = None,
    value: Applied | None = None,
) -> Expr:
    """The expression in the map's own coordinate symbols; `value` is of the layouts in it."""
    sizes = set(m.symbols) | facts.names
    meaning = coordinate_names(m, sizes, coords)

    def names(word: str) -> Expr | None:
        if word in meaning:
            return meaning[word]
        return symbol(word) if word in sizes else None

    if not isinstance(expr, str):
        made = from_sympy(expr)
        unknown = {s.name for s in made.free_symbols} - sizes - set(meaning)
        if unknown:
            raise LayoutError("SL201", f"the name {min(unknown)!r} is not known here")
        divisors = [substitute(d, meaning) for d in divisors_of(made)]
        return undefined_at_zeros(as_expr(substitute(made, meaning)), map(as_expr, divisors))
    try:
        plain, inside = applied(expr, value or Applied(facts), names)
        return read_expression(plain, inside, language=language)
    except LayoutError as error:
        if error.text is not None and "_call" in error.text:
            error.text = expr
        if error.code == "SL201" and error.text is not None:
            word = error.text[error.at : error.end]
            known = [*dict.fromkeys([*meaning, *sorted(sizes)])]
            error.help = did_you_mean(word, known) or f"names known here: {', '.join(known)}"
        raise


def coordinate_names(m: IndexMap, sizes: set[str], coords: Any) -> dict[str, Symbol]:
    """The coordinates' names: those given, or i0, i1, ..., i, j, k, ... and the map's own."""
    if coords is not None:
        given = (
            coords.replace(",", " ").split() if isinstance(coords, str) else list(map(str, coords))
        )
        if len(given) != m.rank:
            raise LayoutError(
                "SL108", f"{len(given)} coordinate names for {m.rank} dimensions: {' '.join(given)}"
            )
        clash = set(given) & sizes
        if clash or len(set(given)) != len(given):
            raise LayoutError("SL201", f"the coordinate names {' '.join(given)} are not distinct")
        return dict(zip(given, m.coords))
    meaning: dict[str, Symbol] = {}
    for k, c in enumerate(m.coords):
        for word in (c.name, f"i{k}", "ijklmnopq"[k : k + 1]):
            if word and word not in sizes:
                meaning.setdefault(word, c)
    return meaning
