"""Moves that put one coordinate for others: rotations, exclusive ors, blocks one after the other.

Each is a bijection of the points: the new coordinate is an expression of those that it stands for,
and what is reached is written in it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import reduce
from itertools import product
from math import gcd, lcm, prod
from typing import Any

from symlayout.digits import powers
from symlayout.digits.context import Undecided
from symlayout.digits.poly import ONE, ZERO, Poly, atom
from symlayout.digits.samples import behind
from symlayout.expr.terms import (
    BITS,
    Application,
    BitAnd,
    BitOr,
    BitXor,
    FloorDiv,
    Mod,
    Operation,
    exponent_of,
    value,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Symbol, expand
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
    polys = [ctx.resolve(q).substitute({x: put}) for q in results]
    if not all(view.free_of(q, {x, n}) for q in polys):
        return None
    definition = Mod(view.expr(p), view.expr(d))
    return ("renamed", "turn", (c,), y, view.expr(d), definition, *map(view.expr, polys))


def turn_as_written(view: View) -> Move | None:
    """A rotation as it is written, whose remainder is all that speaks of the coordinate."""
    case = view.case
    for node in dict.fromkeys(n for e in case.results for n in sorted(e.atoms(Mod), key=str)):
        e, d = node.args
        for c in view.coords if d.free_symbols.isdisjoint(view.coords) else ():
            if e.coeff(c) not in (Integer(1), -Integer(1)) or not view.removable(c):
                continue
            if (e - e.coeff(c) * c).expand().has(c):
                continue
            number = view.env[c].single()
            if number is None or view.extent(number) != view.poly(d):
                continue
            y = view.new(number)
            results = [r.xreplace({node: y}) for r in case.results]
            if not any(r.has(c) for r in results) and _has_values(View(view.world, case)):
                return ("renamed", "turn", (c,), y, d, node, *results)
    return None


def _has_values(view: View) -> bool:
    """Whether all that is evaluated has a value: what a rotation is by does not stand behind it."""
    try:
        view.reached()
    except Undecided:
        return False
    return True


def blocks(view: View) -> Move | None:
    """Blocks of different sizes one after the other: `P(i) + j` for j < P(i + 1) - P(i)."""
    case = view.case
    for k, d in enumerate(() if case.premises or case.guard else case.shape):
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
        polys = [q for q in results if a in q.atoms and q.by_power(a).get(1) == ONE]
        for q in polys:
            whole = view.expr(q.substitute({a: ZERO}))  # where j is 0
            base = whole.xreplace({i: Integer(0)})
            first = expand(whole - base)
            if any(first.has(c) for c in case.coords if c != i) or base.has(i):
                continue
            exact, n = without_rest(first)
            step, parts = without_rest(view.expr(view.poly(d)))
            if expand((exact.xreplace({i: i + 1}) - exact) * parts - step * n) != 0:
                continue
            count = view.expr(view.poly(case.shape[m]))
            size = whole_quotient(exact.xreplace({i: count}), n)
            end = first.xreplace({i: count})
            if view.ctx.resolve(view.poly(end) - view.poly(size)) != ZERO:
                raise Open(f"whether {end} is {size}", halving(view, count, denominator(exact, n)))
            y = view.new(b)
            new = atom(view.atom(y, view.poly(size) - 1))
            answers = [
                r.substitute({a: new - view.poly(first)}) if r is not q else view.poly(base) + new
                for r in results
            ]
            if not all(view.free_of(r, {a, b}) for r in answers):
                continue
            texts = map(view.expr, answers)
            return ("renamed", "blocks", (i, j), y, size, first + j, *texts)
    return None


def halving(view: View, count: Expr, n: int) -> Move | None:
    """The move that divides the count of blocks by the denominator of what they add up to."""
    free = sorted(count.free_symbols, key=str)
    if n == 1 or not free:
        return None
    a, b = view.world.fresh("a", view.case), view.world.fresh("b", view.case)
    return ("divide", free[0], Integer(n), a, b)


def denominator(e: Expr, n: int) -> int:
    """The least common denominator of the terms of `e / n`."""
    return n // gcd(n, *[int(t.as_coeff_Mul()[0]) for t in Add.make_args(expand(e))])


def whole_quotient(e: Expr, n: int) -> Expr:
    """`e / n`, which is always an integer, as one quotient."""
    least = denominator(e, n)
    pairs = [t.as_coeff_Mul() for t in Add.make_args(expand(e))]
    dividend = Add(*[Integer(int(c) * least // n) * t for c, t in pairs])
    return dividend if least == 1 else FloorDiv(dividend, Integer(least))


def without_rest(e: Expr) -> tuple[Expr, int]:
    """The expression as `p / n`, without quotients that leave no remainder for any symbols."""
    if not e.args:
        return e, 1
    parts = [without_rest(a) for a in e.args]
    if isinstance(e, FloorDiv) and parts[0][1] == 1 and e.args[1].is_Integer and e.args[1] > 0:
        p, n = expand(parts[0][0]), int(e.args[1])
        free = sorted(p.free_symbols, key=str)
        if free and not p.has(Application) and n ** len(free) <= RESIDUES:
            each = product(range(n), repeat=len(free))
            if all(value(p, {s.name: v for s, v in zip(free, at)}) % n == 0 for at in each):
                return p, n
    if isinstance(e, Add):
        n = lcm(*[m for _, m in parts])
        return Add(*[p * (n // m) for p, m in parts]), n
    if isinstance(e, Mul):
        return Mul(*[p for p, _ in parts]), prod(m for _, m in parts)
    return e, 1


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
            if not powers.of_form(ctx, size):
                continue
            others = [q for q in operands if q is not p]
            if any(x in view.behind(q) for q in others):
                continue
            if not all(ctx.nonneg(q) and ctx.nonneg(size - 1 - q) for q in others):
                continue
            y = view.new(x)
            new = atom(view.atom(y, ctx.high(x)))
            polys = [q.substitute({n: new}) for q in results]
            if not all(view.free_of(q, {x, n}) for q in polys):
                continue
            texts = map(view.expr, polys)
            pairs = bit_spellings(view, n)
            return ("renamed", "xor", (view.symbols[x],), y, view.expr(size), pairs, *texts)
    return None


def exclusive_as_written(view: View, values: Sequence[Expr]) -> Move | None:
    """An exclusive or as it is written: `x ^ v`, or `x ^ x//2 ^ v`, inside of other operations, too.

    A bit of `x ^ x//2**j ^ v` is that of x, changed by bits of x above it and by v: from the highest
    bit on, each value below a power of two comes once as x takes each once.
    """
    case, ctx = view.case, view.ctx
    nodes = dict.fromkeys(n for e in values for n in sorted(e.atoms(BitXor), key=str))
    for node in nodes:
        operands = operands_of(BitXor, node)
        within = any(o.has(node) and o.func != BitXor for e in values for o in e.atoms(*BITS))
        for c in operands if not any(e.has(Operation) for e in operands) else ():
            if (
                not isinstance(c, Symbol)
                or c not in view.coords
                or operands.count(c) != 1
                or not view.removable(c)
            ):
                continue
            others = [e for e in operands if e != c]
            if not (within or any(e.has(c) for e in others)):
                continue  # its digits say more
            if not all(not e.has(c) or moved_down(e, c) for e in others):
                continue
            size = view.sizes[view.coords.index(c)]
            y = view.world.fresh(f"{c.name.strip('$')}_", case)
            results = [e.xreplace({node: y}) for e in case.results]
            if not powers.of_form(ctx, size) or any(e.has(c) for e in results):
                continue
            with suppress(Undecided):
                view.polys(case.evaluated)  # has values: it stands nowhere after the move
                polys = view.polys([e for e in others if not e.has(c)])
                if all(ctx.nonneg(p) and ctx.nonneg(size - 1 - p) for p in polys):
                    return ("renamed", "xor", (c,), y, view.expr(size), ((node, node),), *results)
    return None


def moved_down(e: Expr, c: Symbol) -> bool:
    """Whether it is `c // 2**j` for j >= 1."""
    return isinstance(e, FloorDiv) and e.args[0] == c and exponent_of(e.args[1]) > 0


def bit_spellings(view: View, number: int) -> tuple[tuple[Expr, Expr], ...]:
    """The operations on bits as they stand, and with operands in digits; those of that atom first."""
    rows: dict[Expr, tuple[bool, Expr]] = {}
    for e in view.case.values:
        for node in sorted(e.atoms(BitXor, BitOr, BitAnd), key=str):
            if any(node in o.args and o.func == node.func for o in e.atoms(type(node))):
                continue  # a part of another one
            place = view.placed(node)
            main = any(view.env[c].single() == number for c in view.env if c == place)
            operands = [view.expr(view.poly(a)) for a in operands_of(type(node), node)]
            rows[node] = main, reduce(node.func, operands)
    order = sorted(rows.items(), key=lambda row: not row[1][0])
    return tuple((node, same) for node, (_, same) in order)


def operands_of(kind: Any, e: Expr) -> list[Expr]:
    """The operands of operations of one kind inside one another."""
    return [p for a in e.args for p in operands_of(kind, a)] if isinstance(e, kind) else [e]
