"""What is to be shown of the cases of a domain: where their results lie, and that none occurs twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from math import gcd

import sympy
from sympy import Expr, Symbol

from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import prove_injective
from symlayout.digits.poly import ONE, ZERO, Poly, atom
from symlayout.digits.samples import behind
from symlayout.digits.simplification import coordinate_atoms
from symlayout.errors import LayoutError
from symlayout.expr.operations import BitXor
from symlayout.expr.terms import Operation, symbol
from symlayout.prove.decide import polynomials
from symlayout.prove.maps.cases import Case, Impossible, World, refined, splits

STEPS = 60  # worlds that are looked at in one proof
DEEP = 4  # splits inside one another

Goal = Callable[[World], None]  # raises `Undecided`


@dataclass
class Proof:
    """Worlds that are proved one after the other, split where that helps."""

    goal: Goal
    steps: int = 0
    cases: int = 0

    def of(self, world: World, deep: int = DEEP) -> None:
        """Raises `Undecided` with the case that is missing."""
        self.steps += 1
        if self.steps > STEPS:
            raise Undecided(f"more than {STEPS} steps")
        try:
            defined_sizes(world)
            made = refined(world)
            self.goal(made)
            self.cases += len(made.cases)
            return
        except Impossible:
            return
        except (Undecided, LayoutError) as error:
            why = str(error)
        where = f"in the case {world.said}: " if world.said else ""
        if deep:
            for worlds in splits(world):
                before = self.steps, self.cases
                try:
                    for w in worlds:
                        self.of(w, deep - 1)
                    return
                except Undecided:
                    self.cases = before[1]
                    if self.steps > STEPS:
                        break
        raise Undecided(where + why)


def defined_sizes(world: World) -> None:
    """Every extent is at least 0."""
    ctx = world.context()
    for e in (*world.extents, *[d for box in world.boxes for d in box]):
        if not ctx.nonneg(ctx.poly(e)):
            raise Undecided(f"{e} >= 0 is not proved")


@dataclass(frozen=True)
class Digits:
    """The results of a case in digits; `moved` are digits and what stands for their exclusive or."""

    ctx: Context
    results: list[Poly]
    moved: tuple[tuple[int, int, Poly], ...] = ()

    def renamed(self) -> list[Poly]:
        """The results, with an exclusive or as the digit itself: a bijection for every other value.

        For 0 <= v < 2**k that does not depend on x, `x -> x ^ v` permutes [0, 2**k).  Where x occurs
        nowhere else, putting x for `x ^ v` only renumbers the points.
        """
        made = self.results
        for x, y, v in self.moved:
            if x in self.ctx.replaced or y in self.ctx.replaced:
                raise Undecided("a digit of an exclusive or is split")
            info = self.ctx.atoms[x]
            if info.root is not None and not self.ctx.roots[info.root].exact:
                raise Undecided(f"{self.ctx.name(x)} does not take all of its values")
            if not behind(self.ctx, v).isdisjoint({x, y}):
                raise Undecided("both sides of an exclusive or depend on one digit")
            for p in made:
                for a in p.atoms - {y}:
                    if a == x or not behind(self.ctx, atom(a)).isdisjoint({x, y}):
                        raise Undecided(f"{self.ctx.name(x)} stands outside of its exclusive or")
            made = [p.substitute({y: atom(x)}) for p in made]
            self.ctx.atoms[y].kind = "merged"
        return made


def in_digits(ctx: Context, env: dict[Symbol, Poly], case: Case, many: int) -> Digits:
    """Everything that the case evaluates, in digits: so it has a value at every point."""
    nodes = sorted({x for e in case.values for x in e.atoms(BitXor)}, key=sympy.default_sort_key)
    table: dict[Expr, Expr] = {}
    moved: list[tuple[int, int, Poly]] = []
    for k, node in enumerate(nodes):
        x, y, v = _exclusive(ctx, env, node)
        if any(x == other for other, _, _ in moved):
            raise Undecided("two exclusive ors of one digit")
        placed = symbol(f"$xor{k}")
        table[node], env = placed, {**env, placed: atom(y)}
        moved.append((x, y, v))
    values = [e.xreplace(table) for e in case.values]
    if any(e.has(Operation) for e in values):
        raise Undecided("operations on bits that are no exclusive or of a digit")
    made = polynomials(ctx, [(e, env) for e in values])
    return Digits(ctx, made[len(made) - many :], tuple(moved))


def _exclusive(ctx: Context, env: dict[Symbol, Poly], node: Expr) -> tuple[int, int, Poly]:
    """The digit of an exclusive or, a new one for its value, and the other side."""
    if any(a.has(Operation) for a in node.args):
        raise Undecided("exclusive ors inside one another")
    a, b = (ctx.poly(e, env) for e in node.args)
    for u, v in ((ctx.resolve(a), ctx.resolve(b)), (ctx.resolve(b), ctx.resolve(a))):
        x = u.single()
        if x is None or not ctx.is_coordinate(x) or ctx.atoms[x].low != 0:
            continue
        high = ctx.high(x)
        if high is None or not high.is_constant or high.constant & (high.constant + 1):
            continue
        if ctx.nonneg(v) and ctx.nonneg(high - v) and x not in behind(ctx, v):
            return x, ctx.new_atom("xor", "coord", 0, high), v
    raise Undecided(f"{node}: no side is proved to be a whole digit of a power of two")


# -- goals -----------------------------------------------------------------------------------------


def bounded(world: World) -> None:
    """Every result lies in the box."""
    for case in world.cases:
        ctx, env = world.inside(case)
        box = world.boxes[case.owner]
        made = in_digits(ctx, env, case, len(box))
        for p, d in zip(made.results, box):
            for q in (p, ctx.poly(d) - 1 - p):
                if not ctx.nonneg(q):
                    raise Undecided(f"{ctx.text(ctx.resolve(q))} >= 0 is not proved")


def injective(world: World) -> None:
    """No two points have the same results: equal results have equal numbers in the box."""
    for case in world.cases:
        ctx, env = world.inside(case)
        box = world.boxes[case.owner]
        results = in_digits(ctx, env, case, len(box)).renamed()
        number = ZERO
        for p, d in zip(results, box):
            number = number * ctx.poly(d) + p if len(box) > 1 else p
        attempt = prove_injective(ctx, ctx.resolve(number))
        if not attempt.proved:
            raise Undecided(attempt.reason)
    for a, b in combinations(world.cases, 2):
        apart(world, a, b)


def apart(world: World, a: Case, b: Case) -> None:
    """No result of the one is a result of the other."""
    ctx = world.context()
    fresh = {x: symbol(f"${x.name}") for x in b.coords}
    other = replace(b.put(fresh), coords=tuple(fresh.values()))
    env = coordinate_atoms(ctx, a.coords, a.shape)
    env = {**env, **coordinate_atoms(ctx, other.coords, other.shape)}
    many = len(world.boxes[a.owner])
    both = replace(a, values=(*a.values, *other.values))
    results = in_digits(ctx, env, both, len(other.values) + many).results
    ours, theirs = results[:many], results[len(results) - many :]
    for p, q in zip(ours, theirs):
        gap = ctx.resolve(p - q)
        if ctx.nonneg(gap - 1) or ctx.nonneg(-gap - 1) or _never_zero(gap):
            return
    raise Undecided("two parts of the domain are not proved to have different results")


def _never_zero(p: Poly) -> bool:
    """Whether a number divides all of it but its constant."""
    factors = [c for m, c in p.terms.items() if m]
    g = gcd(*factors)
    return bool(g > 1 and p.constant % g)


def counted(world: World) -> None:
    """There are as many points as places in the box."""
    ctx = world.context()
    total = ZERO
    for case in world.cases:
        sizes = [ctx.poly(d) for d in case.shape]
        if not all(ctx.nonneg(p) for p in sizes):
            raise Undecided("a part of the domain is not proved to have a size >= 0")
        total = total + reduce(lambda x, y: x * y, sizes, ONE)
    places = reduce(lambda x, y: x * y, [ctx.poly(d) for d in world.boxes[0]], ONE)
    if ctx.resolve(total - places) != ZERO:
        said = f"{ctx.text(ctx.resolve(total))} points and {ctx.text(ctx.resolve(places))} places"
        raise Undecided(said)


def bijective(world: World) -> None:
    """Bounded, injective, and as many points as places."""
    bounded(world)
    injective(world)
    counted(world)
