"""The domain of an index function in boxes: every guard, conditional and last part a case apart.

A case is a box of coordinates with the results as expressions of them; the cases of a world are the
whole domain, each point once, and the worlds are all sizes.  Every step keeps both: a range is cut
in two, a coordinate is moved, a size M is written as a*D or as a*D + b with 1 <= b < D.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import sympy
from sympy import Add, Expr, Integer, Mul, Symbol, expand

from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly
from symlayout.digits.simplification import coordinate_atoms, simplify_all
from symlayout.expr.conditions import Both, Condition, Either, Less, leaves, negated, rewritten
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.operations import Where
from symlayout.expr.terms import (
    DIVISIONS,
    Max,
    Min,
    Mod,
    Operation,
    TruncMod,
    free_names,
    rebuild,
    symbol,
)

PAIRS = 6  # sizes and divisors that are tried
PARTS = 64  # cases of one world
SMALL = 8  # numbers by whose remainders a domain is split


class Impossible(Exception):
    """The facts of a world contradict each other: there is nothing to prove."""


@dataclass(frozen=True)
class Case:
    """A box of coordinates, what is evaluated at each of its points, and what is still to be split.

    The last of `values` are the results; `owner` is the map that it is a part of.
    """

    coords: tuple[Symbol, ...]
    shape: tuple[Expr, ...]
    values: tuple[Expr, ...]
    guard: tuple[Condition, ...] = ()
    owner: int = 0

    def put(self, table: Mapping[Symbol, Expr]) -> Case:
        """The case with symbols replaced in everything but the coordinates."""

        def change(e: Expr) -> Expr:
            return rebuild(e, lambda s: table.get(s, s))

        return replace(
            self,
            shape=tuple(map(change, self.shape)),
            values=tuple(map(change, self.values)),
            guard=tuple(rewritten(c, change) for c in self.guard),
        )

    @property
    def expressions(self) -> list[Expr]:
        """Everything that occurs."""
        sides = [e for c in self.guard for x in leaves(c) for e in (x.left, x.right)]
        return [*self.shape, *sides, *self.values]


@dataclass(frozen=True)
class World:
    """Some of the sizes: facts, extents that have to be >= 0, and the cases of the domain."""

    facts: Facts
    names: tuple[str, ...]
    extents: tuple[Expr, ...]
    boxes: tuple[tuple[Expr, ...], ...]
    cases: tuple[Case, ...]
    said: str = ""

    def context(self) -> Context:
        """What is known of the sizes; raises `Impossible` where the facts contradict."""
        ctx = Context()
        assume(ctx, self.facts, self.names, {})
        if ctx.contradiction:
            raise Impossible
        return ctx

    def inside(self, case: Case) -> tuple[Context, dict[Symbol, Poly]]:
        """What is known at the points of a case, and the coordinates there."""
        ctx = self.context()
        return ctx, coordinate_atoms(ctx, case.coords, case.shape)

    def fresh(self, letter: str) -> Symbol:
        """A symbol of no other name."""
        used = {*self.names, *self.facts.names}
        for c in self.cases:
            used |= {x.name for x in c.coords} | set(free_names(*c.expressions))
        k = 0
        while f"{letter}{k}" in used:
            k += 1
        return symbol(f"{letter}{k}")


def evaluated(*expressions: Expr) -> tuple[Expr, ...]:
    """`0 % d` for every divisor that is not in a conditional: sums may cancel, these do not."""
    found: dict[Expr, None] = {}

    def visit(e: Expr) -> None:
        if isinstance(e, Where):
            return
        if isinstance(e, DIVISIONS) and not e.args[1].is_Integer:
            found.setdefault(e.args[1])
        for a in e.args:
            visit(a)

    for e in expressions:
        visit(e)
    return tuple(Mod(Integer(0), d) for d in found)


# -- guards and conditionals -----------------------------------------------------------------------


def refined(world: World) -> World:
    """The world with every guard and conditional gone; raises `Undecided` with what stands open."""
    waiting, done = list(world.cases), list[Case]()
    while waiting:
        if len(waiting) + len(done) > PARTS:
            raise Undecided(f"more than {PARTS} cases")
        case = waiting.pop(0)
        parts = _guarded(world, case) if case.guard else _branched(world, case)
        if parts is None:
            done.append(case)
        else:
            waiting = parts + waiting
    return replace(world, cases=tuple(done))


def _known(ctx: Context, env: dict[Symbol, Poly], c: Less) -> bool | None:
    """Whether it is true, or false, at every point; None where that is not known."""
    if c.left.has(Operation) or c.right.has(Operation):
        raise Undecided(f"whether {c}")
    gap = ctx.poly(c.right, env) - ctx.poly(c.left, env)
    if ctx.nonneg(gap - 1):
        return True
    return False if ctx.nonneg(-gap) else None


def _guarded(world: World, case: Case) -> list[Case]:
    """The parts of a case by the first of its conditions."""
    first, *rest = case.guard
    if isinstance(first, Both):
        return [replace(case, guard=(first.first, first.second, *rest))]
    if isinstance(first, Either):
        other = (negated(first.first), first.second, *rest)
        return [replace(case, guard=(first.first, *rest)), replace(case, guard=other)]
    ctx, env = world.inside(case)
    known = _known(ctx, env, first)
    rid = replace(case, guard=tuple(rest))
    if known is not None:
        return [rid] if known else []
    short = _shortened(world, ctx, rid, first)
    if short is None:
        raise Undecided(f"whether {first}")
    return [short]


def _shortened(world: World, ctx: Context, case: Case, c: Less) -> Case | None:
    """The case with the range of one coordinate shortened to where `left < right` is true."""
    gap = expand(c.right - c.left)
    tried = [gap, *simplify_all((gap,), case.coords, case.shape, world.facts)]
    for e in dict.fromkeys(map(expand, tried)):
        for k, x in enumerate(case.coords):
            slope = e.coeff(x, 1)
            rest = expand(e - slope * x)
            if slope not in (1, -1) or not rest.free_symbols.isdisjoint(case.coords):
                continue
            # 0 < rest - x is x < rest; 0 < rest + x is x >= 1 - rest
            cut = rest if slope == -1 else 1 - rest
            p = ctx.poly(cut)
            if not (ctx.nonneg(p) and ctx.nonneg(ctx.poly(case.shape[k]) - p)):
                continue
            size = cut if slope == -1 else expand(case.shape[k] - cut)
            moved = case if slope == -1 else case.put({x: x + cut})
            shape = (*case.shape[:k], size, *case.shape[k + 1 :])
            return replace(moved, shape=shape)
    return None


def _branched(world: World, case: Case) -> list[Case] | None:
    """The parts of a case by one of its conditionals; None where it has none."""
    found = [w for e in case.values for w in sorted(e.atoms(Where), key=sympy.default_sort_key)]
    plain = [w for w in found if not (w.args[0].has(Where) or w.args[1].has(Where))]
    # the outermost first: what is not chosen does not have to have a value
    outer = [w for w in plain if not any(o is not w and o.has(w) for o in plain)]
    if not outer:
        return None
    chosen = outer[0]
    p, q, a, b = chosen.args
    ctx, env = world.inside(case)
    known = _known(ctx, env, Less(p, q))
    made = []
    for x, g in ((a, Less(p, q)), (b, Less(q, p + 1))):
        values = tuple(e.xreplace({chosen: x}) for e in case.values)
        made.append(replace(case, values=(*evaluated(x), *values), guard=(g,)))
    if known is None:
        return made
    return [replace(made[not known], guard=())]


# -- splits ----------------------------------------------------------------------------------------


def splits(world: World) -> Iterator[list[World]]:
    """Ways to go on where a world is not proved: each a list of worlds that are all of it."""
    for c in _of_sizes(world):
        either = (Relation("<", c.left, c.right), Relation("<=", c.right, c.left))
        yield [
            replace(world, facts=world.facts.and_((r,)), said=f"{world.said}, {r}".lstrip(", "))
            for r in either
        ]
    for size, divisor in _pairs(world):
        made = _by_remainder(world, size, divisor)
        if made:
            yield made
    for k, case in enumerate(world.cases):
        for parts in (*_residues(case), *_cuts(world, case)):
            yield [replace(world, cases=(*world.cases[:k], *parts, *world.cases[k + 1 :]))]
    for k, case in enumerate(world.cases):
        opened = _opened(case)
        if opened != case:
            yield [replace(world, cases=(*world.cases[:k], opened, *world.cases[k + 1 :]))]


def _of_sizes(world: World) -> list[Less]:
    """The conditions that speak of sizes alone and are not decided."""
    ctx = world.context()
    own = {x for c in world.cases for x in c.coords}
    found: dict[Less, None] = {}
    for case in world.cases:
        for c in [x for g in case.guard for x in leaves(g)]:
            found[c] = None
        for w in sorted({w for e in case.values for w in e.atoms(Where)}, key=str):
            found[Less(w.args[0], w.args[1])] = None
    made = []
    for c in found:
        free = c.left.free_symbols | c.right.free_symbols
        if free.isdisjoint(own) and not (c.left.has(Operation) or c.right.has(Operation)):
            with suppress(Undecided):
                if _known(ctx, {}, c) is None:
                    made.append(c)
    return made


def _by_remainder(world: World, size: Symbol, divisor: Expr) -> list[World]:
    """The sizes that are a multiple of the divisor, and those that are not."""
    ctx = world.context()
    try:
        if not (ctx.positive(ctx.poly(divisor)) and ctx.nonneg(ctx.poly(size))):
            return []
    except Undecided:
        return []
    a, b = world.fresh("a"), world.fresh("b")
    zero, one = Integer(0), Integer(1)
    some = (Relation(">=", b, one), Relation("<", b, divisor))
    made = []
    for by, more, said in (
        (a * divisor, (), f"{size} = {a}*{divisor}"),
        (a * divisor + b, some, f"{size} = {a}*{divisor} + {b}, 1 <= {b} < {divisor}"),
    ):
        table: dict[Symbol, Expr] = {size: by}

        def put(e: Expr, table: dict[Symbol, Expr] = table) -> Expr:
            return rebuild(e, lambda s: table.get(s, s))

        kept = [Relation(r.op, put(r.left), put(r.right)) for r in world.facts.relations]
        facts = Facts((*kept, Relation(">=", a, zero), *more))
        fresh = tuple(x.name for x in (a, b) if x in by.free_symbols)
        made.append(
            World(
                facts,
                (*[n for n in world.names if n != size.name], *fresh),
                tuple(map(put, world.extents)),
                tuple(tuple(map(put, box)) for box in world.boxes),
                tuple(c.put(table) for c in world.cases),
                f"{world.said}, {said}" if world.said else said,
            )
        )
    return made


def _pairs(world: World) -> list[tuple[Symbol, Expr]]:
    """Sizes and divisors whose remainder may tell the cases apart, the plainest first."""
    found: dict[tuple[Symbol, Expr], None] = {}
    everything = [e for c in world.cases for e in c.expressions]
    everything += [*world.extents, *[e for box in world.boxes for e in box]]
    own = {x for c in world.cases for x in c.coords}
    for e in everything:
        for x in sorted(e.atoms(*DIVISIONS), key=sympy.default_sort_key):
            a, d = x.args
            if isinstance(a, Symbol) and a not in own and own.isdisjoint(d.free_symbols):
                found[a, d] = None
    for c in world.cases:
        whole_of = dict(zip(c.coords, c.shape))
        tests = [a for e in c.values for w in e.atoms(Where) for a in w.args[:2]]
        for x in sorted({x for e in tests for x in e.atoms(Mod, TruncMod)}, key=str):
            whole = whole_of.get(x.args[0])
            if isinstance(whole, Symbol) and x.args[1].is_Integer:
                found[whole, x.args[1]] = None
    gaps = [x.right - x.left for c in world.cases for g in c.guard for x in leaves(g)]
    for e in everything:
        for x in sorted(e.atoms(Min, Max), key=sympy.default_sort_key):
            gaps += [x.args[0] - y for y in x.args[1:]]
        for x in sorted(e.atoms(Where), key=sympy.default_sort_key):
            gaps.append(x.args[0] - x.args[1])
    for gap in gaps:
        terms = [t.as_coeff_Mul() for t in Add.make_args(expand(gap))]
        sizes = [t for k, t in terms if abs(k) == 1 and isinstance(t, Symbol) and t not in own]
        for s in sizes:
            for k, t in terms:
                factors = [f for f in Mul.make_args(t) if isinstance(f, Symbol)]
                numbers = [abs(k)] if abs(k) > 1 and t != 1 else []
                for d in [*factors, *numbers]:
                    if d != s and d not in own:
                        found[s, d] = None
    made = [(s, d) for s, d in found if s not in d.free_symbols and d != 1]
    return made[:PAIRS]


def _cuts(world: World, case: Case) -> Iterator[tuple[Case, ...]]:
    """The case cut in two along a coordinate: at a multiple of a divisor, and before the last."""
    own = set(case.coords)
    divisors: dict[Expr, None] = {}
    for e in case.values:
        for x in sorted(e.atoms(*DIVISIONS), key=sympy.default_sort_key):
            if own.isdisjoint(x.args[1].free_symbols):
                divisors.setdefault(expand(x.args[1]))
    ctx = world.context()
    for k, size in enumerate(case.shape):
        for at in [*[_multiple(size, d) for d in divisors], expand(size - 1)]:
            if at is None or at == 0:
                continue
            try:
                ends = [ctx.poly(at), ctx.poly(expand(size - at))]
            except Undecided:
                continue
            if all(ctx.nonneg(p) for p in ends):
                yield _cut(case, k, at)


def _cut(case: Case, k: int, at: Expr) -> tuple[Case, Case]:
    """The places of coordinate k below `at`, and the others."""
    x, size = case.coords[k], case.shape[k]
    low = replace(case, shape=(*case.shape[:k], at, *case.shape[k + 1 :]))
    high = case.put({x: x + at})
    rest = expand(size - at)
    return low, replace(high, shape=(*case.shape[:k], rest, *case.shape[k + 1 :]))


def _multiple(size: Expr, divisor: Expr) -> Expr | None:
    """The multiple of the divisor in the size, where a rest remains."""
    size, divisor = expand(size), expand(divisor)
    if size.has(sympy.Function) or divisor.has(sympy.Function) or divisor == 1:
        return None
    whole = Integer(0)
    for term in Add.make_args(size):
        number, rest = term.as_coeff_Mul()
        step, part = divisor.as_coeff_Mul()
        quotient = rest / part
        if not quotient.as_numer_denom()[1].is_Number or step <= 0:
            continue
        whole += Integer(int(number) // int(step)) * quotient * divisor
    whole = expand(whole)
    return whole if whole not in (0, size) else None


def _residues(case: Case) -> Iterator[tuple[Case, ...]]:
    """The case by the remainders of a coordinate, where a small number divides its size."""
    sides = [a for e in case.values for w in e.atoms(Where) for a in w.args[:2]]
    sides += [e for c in case.guard for x in leaves(c) for e in (x.left, x.right)]
    found: dict[tuple[Expr, Symbol], None] = {}
    for x in sorted({x for e in sides for x in e.atoms(*DIVISIONS)}, key=str):
        d = x.args[1]
        if d.is_Integer and 2 <= d <= SMALL:
            found |= {(d, c): None for c in case.coords if c in x.args[0].free_symbols}
    for d, c in found:
        k = case.coords.index(c)
        each = expand(case.shape[k] / d)
        if all(t.as_coeff_Mul()[0].is_Integer for t in Add.make_args(each)):
            shape = (*case.shape[:k], each, *case.shape[k + 1 :])
            yield tuple(replace(case.put({c: d * c + r}), shape=shape) for r in range(int(d)))


def _opened(case: Case) -> Case:
    """The case with every minimum and maximum of coordinates a conditional."""
    own = set(case.coords)

    def visit(e: Expr) -> Expr:
        if not e.args:
            return e
        args: list[Any] = [visit(a) for a in e.args]
        if isinstance(e, (Min, Max)) and not own.isdisjoint(e.free_symbols):
            made = args[0]
            for a in args[1:]:
                made = Where(made, a, made, a) if isinstance(e, Min) else Where(made, a, a, made)
            return made
        return e.func(*args)

    return replace(case, values=tuple(map(visit, case.values)))
