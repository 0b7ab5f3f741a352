"""The domain of an index function in boxes: cases, and the moves that lead from one to its parts.

A root is a domain, a guard, what is evaluated at each of its points, and its results.  A move takes a
case apart, or writes its points in other coordinates; a world holds some of the sizes, and a move of
the world divides a size, tells sizes apart, or knows one as a power of two.  The moves of a proof
are its script: the checker takes the same steps by definitions of its own (`certificate/script.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from symlayout.digits.assume import assume, untouched
from symlayout.digits.bounds import Meter
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly, atom
from symlayout.digits.samples import behind
from symlayout.digits.simplification import no_factor_is_0
from symlayout.expr.conditions import Both, Condition, Either, Less, negation, rewritten, sides
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.needs import marks_of
from symlayout.expr.terms import (
    BitAnd,
    BitOr,
    BitXor,
    CeilDiv,
    Exp2,
    FloorDiv,
    Where,
    free_names,
    put,
    rebuild,
    symbol,
)
from symlayout.expr.tree import Expr, Integer, Pow, Symbol, expand
from symlayout.prove.maps.bits import masks
from symlayout.text.once import cached_property

ZERO, ONE = Integer(0), Integer(1)
Move = tuple[Any, ...]  # a word, and what it speaks of


class Impossible(Exception):
    """The facts of a world contradict each other: there is nothing to prove."""


class Open(Undecided):
    """What is not decided, and the move of the world that may decide it."""

    def __init__(self, why: str, move: Move | None = None) -> None:
        super().__init__(why)
        self.move = move


@dataclass(frozen=True)
class Case:
    """A box of coordinates, whose extents may speak of those before; what is evaluated there.

    `ops` say what is claimed of each result at every point (`>=`, `==`, `!=` 0); none are where
    results are places.  `loose` is a box that may hold more than the points of the domain.
    """

    coords: tuple[Symbol, ...]
    shape: tuple[Expr, ...]
    results: tuple[Expr, ...]
    evaluated: tuple[Expr, ...] = ()
    guard: tuple[Condition, ...] = ()
    premises: tuple[Less, ...] = ()
    ops: tuple[str, ...] = ()
    owner: int = 0
    loose: bool = False

    def changed(self, change: Any) -> Case:
        """Every expression changed, the coordinates apart."""
        return replace(
            self,
            shape=tuple(map(change, self.shape)),
            results=tuple(map(change, self.results)),
            evaluated=tuple(map(change, self.evaluated)),
            guard=tuple(rewritten(c, change) for c in self.guard),
            premises=tuple(Less(change(c.left), change(c.right)) for c in self.premises),
        )

    def put(self, table: Mapping[Any, Expr]) -> Case:
        """The case with symbols replaced in everything but the coordinates."""
        memo: dict[Expr, Expr] = {}
        return self.changed(lambda e: put(e, table, memo))

    def without(self, node: Expr, by: Expr) -> Case:
        """The case with another expression in the place of a part."""
        return self.changed(lambda e: e.xreplace({node: by}))

    @property
    def values(self) -> tuple[Expr, ...]:
        """What is evaluated at each point, the results last."""
        return (*self.evaluated, *self.results)

    @property
    def expressions(self) -> list[Expr]:
        """Everything that occurs."""
        return [*self.shape, *sides(*self.guard, *self.premises), *self.values]


@dataclass(frozen=True)
class World:
    """Some of the sizes: facts, the roots of what is claimed, and the boxes of their places."""

    facts: Facts
    names: tuple[str, ...]
    boxes: tuple[tuple[Expr, ...], ...]
    roots: tuple[Case, ...]
    wording: str = ""
    below: tuple[tuple[Symbol, Expr], ...] = ()  # sizes less than others: remainders
    ones: bool = True  # whether dimensions of one place are told from longer ones
    meter: Meter = field(default_factory=Meter, compare=False)  # what its contexts count by

    @cached_property
    def views(self) -> dict[Any, Any]:
        """What is known of the places of cases, as views of them begin (`view`)."""
        return {}

    def context(self) -> Context:
        """What is known of the sizes; raises `Impossible` where the facts contradict."""
        known, terms = sizes_known(self.facts, self.names, self.below)
        self.meter.terms += terms  # as if it were made here: a limit knows no cache
        ctx = known.fork()
        ctx.meter = self.meter
        if ctx.contradiction:
            raise Impossible
        return ctx

    @property
    def expressions(self) -> list[Expr]:
        """Everything that occurs."""
        return [e for r in self.roots for e in r.expressions]

    def fresh(self, letter: str, *cases: Case) -> Symbol:
        """A symbol of no other name."""
        used = {*self.names, *self.facts.names}
        for c in (*self.roots, *cases):
            used |= {x.name for x in c.coords} | set(free_names(*c.expressions))
        k = 0
        while f"{letter}{k}" in used:
            k += 1
        return symbol(f"{letter}{k}")


@lru_cache(maxsize=256)  # each case of a world begins with it
def sizes_known(
    facts: Facts, names: tuple[str, ...], below: tuple[tuple[Symbol, Expr], ...]
) -> tuple[Context, int]:
    """What is known of sizes, not to be changed, and how many terms it takes to find out."""
    if not below:  # the decision itself begins with it
        ctx = untouched(facts, names, ())
    else:
        ctx = Context()
        assume(ctx, facts, names, {}, partial(_bound, ctx, below))
    return ctx, ctx.meter.terms


def _bound(ctx: Context, below: tuple[tuple[Symbol, Expr], ...]) -> None:
    """Sizes less than others, where the facts do not contradict each other already."""
    for x, d in below if not ctx.contradiction else ():
        n, high = ctx.by_name[x.name], ctx.poly(d) - 1
        if high.is_constant and high.constant == ctx.atoms[n].low:
            ctx.replace(n, high)
        elif n in ctx.replaced or n in behind(ctx, high) or ctx.atoms[n].high is not None:
            ctx.assume_nonnegative(high - ctx.poly(x))
        else:
            ctx.bound_above(n, high)


def inside(ctx: Context, coords: Iterable[Symbol], shape: Iterable[Expr]) -> dict[Symbol, Poly]:
    """An atom for each coordinate; an extent may speak of those before.  There is a point."""
    env: dict[Symbol, Poly] = {}
    for c, d in zip(coords, shape):
        high = ctx.poly(d, env) - 1
        ctx.assume_nonnegative(high)
        if d.free_symbols.isdisjoint(env):
            no_factor_is_0(ctx, d)
        high = ctx.resolve(high)
        env[c] = Poly({}) if high == 0 else atom(ctx.new_atom(c.name, "coord", 0, high))
    return env


# -- the parts of a case ---------------------------------------------------------------------------


def parts(case: Case, move: Move) -> list[Case]:
    """The cases that a move makes of one."""
    match move:
        case ("true",):
            return [replace(case, guard=case.guard[1:])]
        case ("false",) | ("empty", _):
            return []
        case ("keep",):
            first = case.guard[0]
            assert isinstance(first, Less)
            return [replace(case, guard=case.guard[1:], premises=(*case.premises, first))]
        case ("or",):
            first, rest = case.guard[0], case.guard[1:]
            assert isinstance(first, Either)
            other = (negation(first.first), first.second, *rest)
            return [
                _conditions(replace(case, guard=(first.first, *rest))),
                _conditions(replace(case, guard=other)),
            ]
        case ("if", p, q):
            return [_branch(case, p, q, yes) for yes in (True, False)]
        case ("cut", x, at):
            return [_below(case, x, at), _from(case, x, at)]
        case ("below", x, at):
            return [_below(replace(case, guard=case.guard[1:]), x, at)]
        case ("from", x, at):
            return [_from(replace(case, guard=case.guard[1:]), x, at)]
        case ("digits", x, d, count, high, low):
            k = case.coords.index(x)
            result = case.put({x: d * high + low})
            shape = (*result.shape[:k], count, d, *result.shape[k + 1 :])
            coords = (*case.coords[:k], high, low, *case.coords[k + 1 :])
            return [replace(result, coords=coords, shape=shape)]
        case ("cancel", node, p, q, by):
            result = case.without(node, by)
            return [replace(result, evaluated=(*result.evaluated, p, q))]
        case ("instead", node, by):
            return [case.without(node, by)]
        case ("some", node, y, size, _):
            result = case.without(node, y)
            result = replace(result, evaluated=(*result.evaluated, *node.args))
            return [
                replace(result, coords=(*case.coords, y), shape=(*result.shape, size), loose=True)
            ]
        case ("words", k, by, *_):
            results = (*case.results[:k], by, *case.results[k + 1 :])
            evaluated = marks_of(*case.evaluated, case.results[k])
            return [replace(case, results=results, evaluated=evaluated)]
        case ("bits", _, node, _, _, by):
            result = case.without(node, by)
            return [replace(result, evaluated=(*result.evaluated, *node.args))]
        case ("renamed" | "merge" | "widen" | "extent" | "common", *_):
            return [recoordination(case, move)]
    raise AssertionError(move)


def _below(case: Case, x: Symbol, at: Expr) -> Case:
    """The case with a range that ends sooner."""
    k = case.coords.index(x)
    return replace(case, shape=(*case.shape[:k], at, *case.shape[k + 1 :]))


def _from(case: Case, x: Symbol, at: Expr) -> Case:
    """The case with a range that begins later, counted from there."""
    k = case.coords.index(x)
    high = case.put({x: x + at})
    size = expand(case.shape[k] - at)
    return replace(high, shape=(*high.shape[:k], size, *high.shape[k + 1 :]))


def recoordination(case: Case, move: Move) -> Case:
    """The case in other coordinates, or with another extent."""
    match move:
        case ("merge", x, z, y):
            many, step = (case.shape[case.coords.index(c)] for c in (x, z))
            result = case.changed(lambda e: _without(e, x, z, y - step * x))
            rows = [
                (y, many * step) if c == x else (c, d) for c, d in zip(case.coords, result.shape)
            ]
            coords, shape = zip(*[(c, d) for c, d in rows if c != z])
            return replace(result, coords=coords, shape=shape)
        case ("renamed", _, old, y, size, _, *results):
            both = [(c, d) for c, d in zip(case.coords, case.shape) if c not in old[1:]]
            both = [(y, size) if c == old[0] else (c, d) for c, d in both]
            coords, shape = zip(*both)
            return replace(case, coords=coords, shape=shape, results=tuple(results), evaluated=())
        case ("common", node, y, which):
            a, *more = (node.args[int(k)] for k in which)
            result = case.without(node, y)
            return replace(
                result,
                coords=(*case.coords, y),
                shape=(*result.shape, a + 1),
                premises=(*result.premises, *[Less(y, e + 1) for e in more]),
                evaluated=(*result.evaluated, *node.args),
                loose=True,
            )
        case ("widen" | "extent" as word, x, size):
            k = case.coords.index(x)
            shape = (*case.shape[:k], size, *case.shape[k + 1 :])
            return replace(case, shape=shape, loose=case.loose or word == "widen")
    raise AssertionError(move)


def _without(e: Expr, x: Symbol, z: Symbol, by: Expr) -> Expr:
    """The expression with a sum for z, in which x is hoped to cancel."""
    return e.xreplace({z: by}).expand() if e.has(x, z) else e


def _conditions(case: Case) -> Case:
    """The guard's conditions one after the other."""
    while case.guard and isinstance(case.guard[0], Both):
        first = case.guard[0]
        case = replace(case, guard=(first.first, first.second, *case.guard[1:]))
    return case


def _branch(case: Case, p: Expr, q: Expr, yes: bool) -> Case:
    """Where `p < q` is true, or false: only one branch is evaluated."""
    table: dict[Expr, Expr] = {}
    for e in case.expressions:
        for w in e.atoms(Where):
            if (w.args[0], w.args[1]) == (p, q):
                table[w] = w.args[2] if yes else w.args[3]

    def change(e: Expr) -> Expr:
        while e.has(Where) and not e.atoms(Where).isdisjoint(table):
            e = e.xreplace(table)
        return e

    result = case.changed(change)
    branches = [change(b) for b in table.values()]
    condition = Less(p, q) if yes else Less(q, p + 1)
    evaluated = dict.fromkeys((*marks_of(*branches), *result.evaluated))
    return replace(result, evaluated=tuple(evaluated), guard=(condition, *result.guard))


def root_of(case: Case) -> Case:
    """A root as proofs begin with it."""
    return _conditions(case)


def successors(case: Case, move: Move) -> list[Case]:
    """The parts of a case, their guards' conditions one after the other."""
    return [_conditions(c) for c in parts(case, move)]


# -- the parts of a world --------------------------------------------------------------------------


def worlds(world: World, move: Move) -> list[World]:
    """The worlds that a move makes of one; raises `Undecided` for a divisor of unknown sign."""
    match move:
        case ("sizes", e):
            both = Relation(">=", e, ZERO), Relation("<", e, ZERO)
            return [
                replace(world, facts=world.facts.and_((r,)), wording=_saying(world, str(r)))
                for r in both
            ]
        case ("divide", size, divisor, a, b):
            ctx = world.context()
            if not (ctx.positive(ctx.poly(divisor)) and ctx.nonneg(ctx.poly(size))):
                raise Undecided(f"{size} is not proved to be divided by a positive {divisor}")
            high = _substitution(world, size, a * divisor + b, (a, b), (Relation(">=", b, ONE),))
            below, text = (*high.below, (b, divisor)), f"{high.wording}, {b} < {divisor}"
            exact = _substitution(world, size, a * divisor, (a,), ())
            return [exact, replace(high, below=below, wording=text)]
        case ("power", size, k):
            return [_power(world, size, k)]
        case ("value", size, number):
            return [_value(world, size, number)]
        case ("call", c, e, low):
            return [_name(world, c, e, low)]
        case ("general", table, values, relations):
            return [_general(world, dict(table), [x for x, _ in values], relations)]
    raise AssertionError(move)


def _general(
    world: World, table: Mapping[Expr, Expr], new: Sequence[Symbol], relations: Sequence[Relation]
) -> World:
    """The world with other sizes, of which those relations are all that is known."""
    own = (n for n in world.names if symbol(n) not in table)
    return replace(
        world,
        facts=Facts(tuple(relations)),
        names=(*own, *[x.name for x in new]),
        boxes=tuple(tuple(put_numbers(d, table) for d in box) for box in world.boxes),
        roots=tuple(r.changed(lambda e: put_numbers(e, table)) for r in world.roots),
    )


def put_numbers(e: Expr, table: Mapping[Expr, Expr]) -> Expr:
    """The expression with others for numbers and sizes, exponents apart."""
    if e in table:
        return table[e]
    if not e.args:
        return e
    if isinstance(e, Pow):
        return Pow(put_numbers(e.args[0], table), e.args[1])
    args = [put_numbers(a, table) for a in e.args]
    result: Expr = e if all(a is b for a, b in zip(args, e.args)) else e.func(*args)
    return result


def _value(world: World, size: Symbol, number: Expr) -> World:
    """The world with the one number that a size can be."""

    def put(e: Expr) -> Expr:
        return rebuild(e, lambda s: number if s == size else s)

    relations = (Relation(r.op, put(r.left), put(r.right)) for r in world.facts.relations)
    return replace(
        world,
        facts=Facts(tuple(r for r in dict.fromkeys(relations) if r.names or not r.holds({}))),
        names=tuple(n for n in world.names if n != size.name),
        boxes=tuple(tuple(map(put, box)) for box in world.boxes),
        roots=tuple(r.put({size: number}) for r in world.roots),
        wording=_saying(world, f"{size} = {number}"),
        below=tuple((x, put(d)) for x, d in world.below if x != size),
    )


def power_fact(world: World, size: Symbol) -> Relation | None:
    """The fact `size & (size - 1) == 0`: its only bit, if it has one, is the highest."""
    zero = {BitAnd(size, size - 1), BitAnd(size - 1, size)}
    for r in world.facts.relations:
        if r.op == "==" and (
            (r.left in zero and r.right == 0) or (r.right in zero and r.left == 0)
        ):
            return r
    return None


def power_move(world: World) -> Move | None:
    """A size that is a power of two, or 0, by a fact, where there are operations on bits."""
    if not any(e.has(BitAnd, BitOr, BitXor) for e in world.expressions):
        return None
    for size in map(symbol, world.names):
        free = not any(size == x or d.has(size) for x, d in world.below)
        if free and power_fact(world, size) is not None:
            ctx = world.context()
            p = ctx.poly(size)
            if ctx.positive(p):
                return ("power", size, world.fresh("k"))
            if not ctx.nonneg(-p):
                return ("sizes", size - 1)
    return None


def _bounds_below(r: Relation, e: Expr) -> bool:
    return r.op == ">=" and bool(expand(r.left - r.right - e).is_Integer)


def _power(world: World, size: Symbol, k: Symbol) -> World:
    """The world with a size as `2**k`, for k >= 0."""
    fact, least = power_fact(world, size), world.facts.domain(size.name).low
    rest = Facts(tuple(r for r in world.facts.relations if r != fact))
    natural = Relation(">=", k, ZERO)
    result = _substitution(replace(world, facts=rest), size, Exp2(k), (k,), (natural,))
    # what the power is at least, its exponent says
    relations = [r for r in result.facts.relations if not _bounds_below(r, Exp2(k))]
    relations.append(Relation(">=", k, Integer((least - 1).bit_length())))
    result = replace(result, facts=Facts(tuple(dict.fromkeys(relations))))
    return replace(
        result,
        boxes=tuple(tuple(map(masks, box)) for box in result.boxes),
        roots=tuple(r.changed(masks) for r in result.roots),
    )


def _name(world: World, c: Symbol, e: Expr, low: int) -> World:
    """The world with a name for an expression of sizes; of a quotient with what it is between."""
    known = [Relation(">=", c, Integer(low))]
    if isinstance(e, (CeilDiv, FloorDiv)):
        x, d = e.args
        known.append(Relation(">=" if isinstance(e, CeilDiv) else "<=", c * d, x))
    table = {e: c}
    for r in world.facts.relations:  # what is known of the expression
        if r.left.has(e) or r.right.has(e):
            known.append(Relation(r.op, r.left.xreplace(table), r.right.xreplace(table)))
    return replace(
        world,
        facts=world.facts.and_(known),
        names=(*world.names, c.name),
        boxes=tuple(tuple(b.xreplace(table) for b in box) for box in world.boxes),
        roots=tuple(r.changed(lambda x: x.xreplace(table)) for r in world.roots),
        wording=_saying(world, f"{c} = {e}"),
    )


def _saying(world: World, more: str) -> str:
    return f"{world.wording}, {more}".lstrip(", ")


def _substitution(
    world: World, size: Symbol, by: Expr, fresh: tuple[Symbol, ...], more: tuple[Relation, ...]
) -> World:
    """The world with a size written in others."""

    def put(e: Expr) -> Expr:
        return rebuild(e, lambda s: by if s == size else s)

    relations = [Relation(r.op, put(r.left), put(r.right)) for r in world.facts.relations]
    bounds = (r.right for r in world.facts.relations if r.op == ">=" and r.left == size)
    if not any(e.is_Integer for e in bounds):
        relations.append(Relation(">=", by, Integer(world.facts.domain(size.name).low)))
    # a multiple of a positive divisor that is at least 1 is at least once the divisor
    least = ONE if not more and world.facts.domain(size.name).low >= 1 else ZERO
    more = (*more, *[Relation("<", by, put(d)) for x, d in world.below if x == size])
    facts = Facts((*relations, Relation(">=", fresh[0], least), *more))
    text = f"{size} = {by}" + "".join(f", {r}" for r in more)
    return World(
        facts,
        (*[n for n in world.names if n != size.name], *[x.name for x in fresh]),
        tuple(tuple(map(put, box)) for box in world.boxes),
        tuple(c.put({size: by}) for c in world.roots),
        _saying(world, text),
        tuple((x, put(d)) for x, d in world.below if x != size),
        world.ones,
        world.meter,
    )
