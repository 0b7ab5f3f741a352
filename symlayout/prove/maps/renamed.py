"""Moves that put one coordinate for others: rotations, exclusive ors, blocks one after the other.

Each is a bijection of the points: the new coordinate is an expression of those that it stands for,
and what is reached is written in it alone.
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import Any

import sympy
from sympy import Expr, Integer

from symlayout.digits.poly import ONE, ZERO, Poly, atom
from symlayout.digits.samples import behind
from symlayout.expr.operations import BitAnd, BitOr, BitXor
from symlayout.expr.terms import FloorDiv, Mod
from symlayout.prove.maps.cases import Move, Open
from symlayout.prove.maps.view import View

RESIDUES = 64  # values of a polynomial's symbols that are looked at


def turn(view: View, x: int, p: Poly, d: Poly) -> Move | None:
    """A rotation: `(x + s) % d` takes each value of [0, d) once, for every s, where x < d."""
    ctx = view.ctx
    key = ("//", p, d)
    n = next((k for k, a in enumerate(ctx.atoms) if a.definition[:3] == key), None)
    if n is None or n in ctx.replaced or not view.removable(view.symbols[x]):
        return None
    slope = p.by_power(x)[1]
    rest = p.by_power(x).get(0, ZERO)
    if x in behind(ctx, rest):
        return None
    y, c = view.new(x), view.symbols[x]
    new = atom(view.atom(y, ctx.high(x)))
    results = view.reached()
    put = slope * (new + d * atom(n) - rest)  # x, where y is the remainder
    made = [ctx.resolve(q).substitute({x: put}) for q in results]
    if not all(view.free_of(q, {x, n}) for q in made):
        return None
    definition = Mod(view.expr(p), view.expr(d))
    return ("renamed", "turn", (c,), y, view.expr(d), definition, *map(view.expr, made))


def blocks(view: View) -> Move | None:
    """Blocks of different sizes one after the other: `P(i) + j` for j < P(i + 1) - P(i)."""
    case = view.case
    for k, d in enumerate(() if case.given or case.guard else case.shape):
        j = case.coords[k]
        before = [c for c in case.coords[:k] if d.has(c)]
        if len(before) != 1 or any(e.has(j) for e in case.shape):
            continue
        (i,) = before
        m = case.coords.index(i)
        if any(e.has(i) for n, e in enumerate(case.shape) if n != k):
            continue
        if view.env[j].single() is None or view.env[i].single() is None:
            continue
        a, b = view.env[j].single(), view.env[i].single()
        assert a is not None
        assert b is not None
        before_j = View(view.world, case, k)
        if not before_j.ctx.nonneg(before_j.poly(d)):
            continue
        results = view.reached()
        found = [q for q in results if a in q.atoms and q.by_power(a).get(1) == ONE]
        for q in found:
            whole = view.expr(q.substitute({a: ZERO}))  # where j is 0
            base = whole.xreplace({i: Integer(0)})
            first = sympy.expand(whole - base)
            if any(first.has(c) for c in case.coords if c != i) or base.has(i):
                continue
            exact = without_rest(first)
            if (
                sympy.expand(
                    exact.xreplace({i: i + 1}) - exact - without_rest(view.expr(view.poly(d)))
                )
                != 0
            ):
                continue
            count = view.expr(view.poly(case.shape[m]))
            size = whole_quotient(sympy.expand(exact.xreplace({i: count})))
            end = first.xreplace({i: count})
            if view.ctx.resolve(view.poly(end) - view.poly(size)) != ZERO:
                raise Open(f"whether {end} is {size}", halved(view, count, exact))
            y = view.new(b)
            new = atom(view.atom(y, view.poly(size) - 1))
            made = [
                r.substitute({a: new - view.poly(first)}) if r is not q else view.poly(base) + new
                for r in results
            ]
            if not all(view.free_of(r, {a, b}) for r in made):
                continue
            texts = map(view.expr, made)
            return ("renamed", "blocks", (i, j), y, size, first + j, *texts)
    return None


def halved(view: View, count: Expr, exact: Expr) -> Move | None:
    """The move that divides the count of blocks by the denominator of what they add up to."""
    n = sympy.ilcm(1, *[t.as_coeff_Mul()[0].q for t in sympy.Add.make_args(exact)])
    free = sorted(count.free_symbols, key=str)
    if n == 1 or not free:
        return None
    a, b = view.world.fresh("a", view.case), view.world.fresh("b", view.case)
    return ("divide", free[0], Integer(n), a, b)


def whole_quotient(e: Expr) -> Expr:
    """A sum with fractions, which is always an integer, as one quotient."""
    n = sympy.ilcm(1, *[t.as_coeff_Mul()[0].q for t in sympy.Add.make_args(e)])
    return e if n == 1 else FloorDiv(sympy.expand(e * n), Integer(n))


def without_rest(e: Expr) -> Expr:
    """The expression with fractions for quotients that leave no remainder, whatever its symbols are."""
    if not e.args:
        return e
    args = [without_rest(a) for a in e.args]
    if isinstance(e, FloorDiv) and args[1].is_Integer and args[1] > 0:
        p, n = sympy.expand(args[0]), int(args[1])
        free = sorted(p.free_symbols, key=str)
        whole = p.is_polynomial(*free) and all(c.is_Integer for c in sympy.Poly(p, *free).coeffs())
        if free and whole and n ** len(free) <= RESIDUES:
            each = product(range(n), repeat=len(free))
            if all(int(p.subs(dict(zip(free, at)))) % n == 0 for at in each):
                return p / n
    made: Expr = e.func(*args)
    return made


def exclusive(view: View) -> Move | None:
    """An exclusive or: `x ^ v` takes each value of [0, 2**k) once, for every v, where x < 2**k."""
    ctx = view.ctx
    results = view.reached()
    for n, (kind, operands) in view.bits.items():
        if kind is not BitXor:
            continue
        for p in operands:
            x = p.single()
            if x is None or x not in view.symbols or not view.removable(view.symbols[x]):
                continue
            size = view.extent(x)
            if not size.is_constant or size.constant & (size.constant - 1):
                continue
            others = [q for q in operands if q is not p]
            if any(x in view.behind(q) for q in others):
                continue
            if not all(ctx.nonneg(q) and ctx.nonneg(size - 1 - q) for q in others):
                continue
            y = view.new(x)
            new = atom(view.atom(y, ctx.high(x)))
            made = [q.substitute({n: new}) for q in results]
            if not all(view.free_of(q, {x, n}) for q in made):
                continue
            made = [view.expr(q) for q in made]
            pairs = written(view, n)
            return ("renamed", "xor", (view.symbols[x],), y, view.expr(size), pairs, *made)
    return None


def written(view: View, number: int) -> tuple[tuple[Expr, Expr], ...]:
    """The operations on bits as they stand, and with operands in digits; those of that atom first."""
    rows: dict[Expr, tuple[bool, Expr]] = {}
    for e in view.case.values:
        for node in sorted(e.atoms(BitXor, BitOr, BitAnd), key=str):
            if any(node in o.args and o.func == node.func for o in e.atoms(type(node))):
                continue  # a part of another one
            placed = view.placed(node)
            main = view.env[placed].single() == number if placed in view.env else False
            operands = [view.expr(view.poly(a)) for a in joined(type(node), node)]
            rows[node] = main, reduce(node.func, operands)
    ordered = sorted(rows.items(), key=lambda row: not row[1][0])
    return tuple((node, same) for node, (_, same) in ordered)


def joined(kind: Any, e: Expr) -> list[Expr]:
    """The operands of operations of one kind inside one another."""
    return [p for a in e.args for p in joined(kind, a)] if isinstance(e, kind) else [e]
