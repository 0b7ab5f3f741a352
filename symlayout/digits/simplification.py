"""`simplify`: the equal expression with the fewest divisions, then the fewest operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.digits.assume import context_of
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly, atom
from symlayout.digits.rebuild import Rebuild
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import (
    Size,
    as_expr,
    as_size,
    count_operations,
    free_names,
    from_sympy,
    substitute,
)
from symlayout.expr.tree import Expr, Mul, Symbol, expand


def simplify(expr: Any, where: Any = ()) -> Any:
    """The equal expression with the fewest divisions, then the fewest operations.

    >>> simplify("(i*N + j)//N", where=["0 <= j < N", "i >= 0"])
    i
    >>> simplify("8*(i//8) + i%8")
    i

    `expr` is a text or a SymPy expression; symbols are integers, at least 1 unless a fact in `where`
    gives another lower bound.  What comes back is proved equal; when nothing shorter is proved it is
    the expression itself; facts may have names of their own, and so may what comes back.  Raises
    `LayoutError` for what cannot be read.
    """
    return shortest(expr, where).sympy


def shortest(expr: Any, where: Any = ()) -> Expr:
    """What `simplify` says, as the package keeps it."""
    argument = read_expression(expr) if isinstance(expr, str) else from_sympy(expr)
    facts = Facts.read(where).with_least(argument)
    ctx = context_of(facts, free_names(argument), coordinate_kinds(facts))
    return _shortest(ctx, [argument], {})[0]


def coordinate_kinds(facts: Facts) -> dict[str, str]:
    """Symbols that facts let start at 0 are treated as coordinates: a bound above goes to them."""
    return {n: "coord" for n in facts.names if facts.domain(n).low == 0}


def simplify_all(
    exprs: Sequence[Expr], coords: Sequence[Symbol], shape: Sequence[Size], where: Any = ()
) -> tuple[Expr, ...]:
    """The expressions of coordinates `0 <= coords[k] < shape[k]`, each simplified."""
    arguments = [as_expr(e) for e in exprs]
    own = {c.name for c in coords}
    facts = Facts.read(where).with_least(*arguments, *shape)
    ctx = context_of(facts, [n for n in free_names(*shape, *arguments) if n not in own])
    try:
        env = coordinate_atoms(ctx, coords, shape)
    except Undecided:
        return tuple(arguments)
    return _shortest(ctx, arguments, env)


def under(
    values: Sequence[Size], where: Any, coords: Sequence[Symbol] = (), shape: Sequence[Size] = ()
) -> tuple[Size, ...]:
    """Sizes, or expressions of coordinates, as short as facts make them; without facts as given.

    >>> under([read_expression("128*ceildiv(N, 128)"), 3], ["N % 128 == 0"])
    (N, 3)
    >>> under([read_expression("N"), read_expression("M + N")], ["N == 4"])
    (4, M + 4)
    """
    facts = Facts.read(where)
    if not facts.relations:
        return tuple(values)
    results = simplify_all(list(map(as_expr, values)), coords, shape, facts)
    domains = {n: facts.domain(n) for n in facts.names}
    names = {n: d.first for n, d in domains.items() if d.first == d.last}
    return tuple(substitute(as_size(e), names) for e in results)


def coordinate_atoms(
    ctx: Context, coords: Sequence[Symbol], shape: Sequence[Size], nonempty: bool = True
) -> dict[Symbol, Poly]:
    """An atom for each coordinate, ranging over [0, size).

    A statement about every coordinate says nothing where there is none: unless `nonempty` is false,
    the sizes are taken to be at least 1 from here on.
    """
    highs = [ctx.poly(d) - 1 for d in shape]
    if nonempty:
        for high in highs:
            ctx.assume_nonnegative(high)
        for d in shape:
            no_factor_is_0(ctx, as_expr(d))
    env = {}
    box: list[int | None] = []
    for c, high in zip(coords, highs):
        high = ctx.resolve(high)
        if high == 0:
            env[c] = Poly({})  # a dimension of size 1 has the one coordinate 0
            box.append(None)
            continue
        number = ctx.new_atom(f"{c.name}", "coord", 0, high)
        box.append(number)
        env[c] = atom(number)
    ctx.boxes.append(tuple(box))
    return env


def no_factor_is_0(ctx: Context, extent: Expr) -> None:
    """Factors that are not below 0, of an extent that is at least 1, are at least 1 themselves."""
    factors = Mul.make_args(extent)
    for p in [ctx.poly(f) for f in factors] if len(factors) > 1 else ():
        if not ctx.positive(p) and ctx.nonneg(p):
            ctx.assume_nonnegative(p - 1)


def in_digits(
    raw: Expr, coords: Sequence[Symbol], shape: Sequence[Size], size: Size, where: Any = ()
) -> tuple[Poly, Poly, dict[Symbol, Poly], Context]:
    """The offset and the buffer's size as polynomials, the coordinates, and the context of all.

    Raises `LayoutError` (SL202) when a divisor is not proved to be positive.
    """
    facts = Facts.read(where).with_least(as_expr(raw), *shape, size)
    own = {c.name for c in coords}
    ctx = context_of(facts, [n for n in free_names(*shape, as_expr(size), raw) if n not in own])
    try:
        env = coordinate_atoms(ctx, coords, shape)
        offset, whole = ctx.poly(raw, env), ctx.poly(size)
        if ctx.has_opaque:
            offset, whole = ctx.poly(raw, env), ctx.poly(size)
        return ctx.resolve(offset), ctx.resolve(whole), env, ctx
    except Undecided as why:
        raise LayoutError("SL202", str(why)) from None


def _shortest(ctx: Context, exprs: Sequence[Expr], env: dict[Symbol, Poly]) -> tuple[Expr, ...]:
    symbols = {p.single(): c for c, p in env.items() if p.terms}
    back = {n: c for n, c in symbols.items() if n is not None}
    try:
        polys = [ctx.poly(e, env) for e in exprs]
        if ctx.has_opaque:
            ctx.forget()
            polys = [ctx.poly(e, env) for e in exprs]  # again: every digit is known by now
        rebuild, polys = Rebuild(ctx, back), [ctx.resolve(p) for p in polys]
        return tuple(_choose(ctx, e, p, rebuild, env) for e, p in zip(exprs, polys))
    except Undecided:
        return tuple(exprs)


def _choose(ctx: Context, expr: Expr, p: Poly, rebuild: Rebuild, env: dict[Symbol, Poly]) -> Expr:
    """The shortest of the candidates that are proved equal to the polynomial."""
    best = expr
    for candidate in (rebuild.expression(p), expand(expr)):
        if count_operations(candidate) < count_operations(best):
            try:
                if ctx.resolve(ctx.poly(candidate, env) - p) == 0:
                    best = candidate
            except Undecided:
                continue
    return best
