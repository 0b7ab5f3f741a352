"""Proofs about index functions by cases: worlds of sizes, cases of a domain, and their script.

What is claimed of each point is shown in every case.  What is claimed of the places that are reached
is shown by mixed radix in every case, by something that tells each two of the cases apart, and by
counting: as many points as places.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations, islice
from math import gcd
from typing import Any

from symlayout.digits.bounds import Meter
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import prove_injective
from symlayout.digits.poly import ONE, ZERO, Poly
from symlayout.digits.radix import decompose
from symlayout.errors import LayoutError
from symlayout.expr.needs import is_mark
from symlayout.expr.printing import sort_key
from symlayout.expr.terms import BITS, Exp2, FloorDiv, Mod, free_names, symbol
from symlayout.expr.traversal import length
from symlayout.expr.tree import Expr, Integer, Mul, Symbol, expand, preorder_traversal
from symlayout.prove.maps.cases import (
    Case,
    Impossible,
    Move,
    Open,
    World,
    inside,
    power_move,
    root_of,
    successors,
    worlds,
)
from symlayout.prove.maps.choice import next_move
from symlayout.prove.maps.general import generalisations
from symlayout.prove.maps.unsettled import division
from symlayout.prove.maps.view import View
from symlayout.prove.maps.words import normal_form

STEPS = 40  # worlds that are looked at in one proof
DEEP = 8  # moves of worlds inside one another
PARTS = 40  # cases of one root
MOVES = 80  # that take one root apart
PAIRS = 120  # of cases that are told apart in one world
WORK = 60_000  # parts of expressions that are looked at in one proof
GENERAL = 6  # more general claims that are tried
BRIEF = 20_000  # terms for each of them, and for a proof before they are tried
TERMS = 200_000  # of polynomials that are looked at in one proof; most need less than 3000
BITS_WORK = 5  # each operation on bits is looked at in several ways
NAMED = 40  # expressions of sizes that are looked at for a name
NEAR = 3  # numbers that a sum of sizes is compared with, one next to the other
SEPARATORS = 3  # divisors that are tried for two cases

Script = list[tuple[Move, Case | World | None]]  # each move with what it takes apart


@dataclass
class Proof:
    """A proof in the making; `words` are those about the places of the first roots."""

    meter: Meter
    words: frozenset[str] = frozenset()
    apart: tuple[tuple[int, int], ...] = ()  # owners whose places are not to meet
    steps: int = 0
    cases: int = 0
    work: int = 0
    script: Script = field(default_factory=list)
    begun: int = -1  # where its own work begins
    limit: int = TERMS
    rewrites: bool = False  # whether operations on bits are brought to their normal form first
    settled_roots: list[Script] = field(default_factory=list)  # of the world that is open

    def __post_init__(self) -> None:
        if self.begun < 0:
            self.begun = self.meter.terms

    def whole(self, world: World) -> Proof:
        """The proof as it stands, or with names for expressions; raises `Undecided`."""
        try:
            self.of(world)
            return self
        except (Undecided, LayoutError):
            with suppress(Undecided, LayoutError):
                if any(e.has(*BITS) for r in world.roots if not r.ops for e in r.results):
                    result = replace(self.anew(), rewrites=True)
                    result.of(world)
                    return result
            other = self.named(world)
            if other is None:
                raise
            return other

    def anew(self) -> Proof:
        """A proof of the same that is not begun."""
        return Proof(self.meter, self.words, self.apart, limit=self.limit)

    def named(self, world: World) -> Proof | None:
        """The proof with names for expressions; None where there are none to name."""
        names = names_for(world)
        if not names:
            return None
        result = self.anew()
        result.by(world, names)
        return result

    def by(self, world: World, moves: Sequence[Move]) -> None:
        """The script that begins with moves of which each leads to one world."""
        for move in moves:
            self.script.append((move, world))
            (world,) = worlds(world, move)
        self.of(world)

    @property
    def generality(self) -> str:
        """Which numbers the proof has sizes for."""
        match self.script[:1]:
            case [(("general", _, values, _), _)] if values:
                return f"; so for any size in place of {', '.join(str(e) for _, e in values)}"
        return ""

    def general(self, world: World) -> Proof:
        """The proof with sizes for numbers, and with fewer facts; raises `Undecided`."""
        begun = self.meter.terms
        for move in islice(generalisations(world), GENERAL):
            if self.meter.terms - begun > 3 * BRIEF:
                break
            (other,) = worlds(world, move)
            for names in dict.fromkeys(((), tuple(names_for(other)))):
                result = Proof(self.meter, self.words, self.apart, limit=BRIEF)
                with suppress(Undecided, LayoutError):
                    result.by(world, (move, *names))
                    return result
        raise Undecided("no more general claim is proved")

    def of(self, world: World, deep: int = DEEP, forced: Move | None = None) -> None:
        """Writes the script; raises `Undecided` with the case that is missing."""
        self.steps += 1
        if self.steps > STEPS:
            raise Undecided(f"more than {STEPS} cases of sizes")
        where = f"in the case {world.wording}: " if world.wording else ""
        start, move = len(self.script), forced
        try:
            move = power_move(world) if move is None and deep else move
            if move is None:
                self.script += self.here(world)
                return
        except Impossible:
            self.script.append((("impossible",), world))
            return
        except Open as why:
            del self.script[start:]
            if why.move is None or not deep or told_apart(world, why.move):
                raise Undecided(f"{where}{why}") from None
            if len(world.roots) > 1 and all(root.ops for root in world.roots):
                self.each(world, deep, why.move)
                return
            move = why.move
        except (Undecided, LayoutError) as error:
            raise Undecided(f"{where}{error}") from None
        self.script.append((move, world))
        for w in worlds(world, move):
            self.of(w, deep - 1, after(w, move))

    def each(self, world: World, deep: int, move: Move) -> None:
        """Root by root, where one of them needs its sizes taken apart by the move."""
        known = self.settled_roots
        self.script.append((("each",), None))
        for k, root in enumerate(world.roots):
            if k < len(known):
                self.script += [(("cases",), None), *known[k]]
            else:
                self.of(replace(world, roots=(root,)), deep, move if k == len(known) else None)

    def here(self, world: World) -> Script:
        """The script of one world."""
        world.context()
        script: Script = [(("cases",), world)]
        hits: list[list[Case]] = []
        self.settled_roots = []
        for root in world.roots:
            begin = len(script)
            leaves = self.taken_apart(world, root, script)
            self.settled_roots.append(script[begin:])
            if not root.ops:
                hits.append(leaves)
        pairs = sum(len(hits[m]) * len(hits[n]) for m, n in self.apart)
        if "injective" in self.words:
            pairs += sum(len(leaves) ** 2 // 2 for leaves in hits)
        if pairs > PAIRS:
            raise Undecided(f"more than {PAIRS} pairs of cases")
        for owner, leaves in enumerate(hits):
            if "injective" in self.words:
                for a, b in combinations(leaves, 2):
                    script.append((separation(world, a, b), None))
            if "onto" in self.words:
                count_goal(world, leaves, world.boxes[owner])
        for m, n in self.apart:
            for a in hits[m]:
                for b in hits[n]:
                    script.append((separation(world, a, b), None))
        self.cases += sum(map(len, hits)) or 1
        return script

    def taken_apart(self, world: World, root: Case, script: Script) -> list[Case]:
        """The cases of a root at which nothing is open, and the moves to them."""
        waiting, done, moves = [root_of(root)], list[Case](), 0
        while self.rewrites and not root.ops:
            move = normal_form(View(world, waiting[0]))
            if move is None:
                break
            script.append((move, waiting[0]))
            waiting = successors(waiting[0], move)
        while waiting:
            case = waiting.pop(0)
            self.spend(case)
            move = next_move(world, case, self.settled)
            if move is None:
                script.append((("leaf",), case))
                done.append(case)
            else:
                script.append((move, case))
                waiting = successors(case, move) + waiting
            moves += move is not None
            if moves > MOVES:
                raise Undecided(f"more than {MOVES} steps lead to no end")
            if len(waiting) + len(done) > PARTS:
                raise Undecided(f"more than {PARTS} cases of the domain")
        return done

    def spend(self, case: Case) -> None:
        """Counts what a case is made of; raises `Undecided` where it has been too much."""
        parts = sum(map(length, case.expressions))
        bits = any(e.has(*BITS) for e in case.expressions)
        self.work += parts * (BITS_WORK if bits else 1)
        if self.work > WORK or self.meter.terms - self.begun > self.limit:
            raise Undecided("it takes too many steps")

    def settled(self, view: View) -> str:
        """What is missing of a case's own proof, "" where nothing is."""
        if view.case.ops:
            return pointwise(view)
        why = placement(view, self.words, view.world.boxes[view.case.owner])
        return why or (count_gap(view.case) if "onto" in self.words else "")


def told_apart(world: World, move: Move) -> bool:
    """Whether sizes have been told apart by numbers near that one, time and again."""
    if move[0] != "sizes":
        return False
    gaps = (r.left - r.right - move[1] for r in world.facts.relations if r.op in ("<", ">="))
    return sum(1 for gap in gaps if expand(gap).is_Integer) > NEAR


def after(world: World, move: Move) -> Move | None:
    """What follows at once: a size that has been divided is written as a multiple of what comes out."""
    if move[0] != "call" or not isinstance(move[2].args[0], Symbol):
        return None
    return ("divide", move[2].args[0], move[1], world.fresh("a"), world.fresh("b"))


def names_for(world: World) -> list[Move]:
    """Names for expressions of sizes whose symbols occur in nothing else: no more is known of them.

    The greatest expressions come first; what is named may be divided like any size.
    """
    moves = list[Move]()
    move = _name_for(world)
    while move is not None:
        moves.append(move)
        (world,) = worlds(world, move)
        move = _name_for(world)
    return moves


def _name_for(world: World) -> Move | None:
    """The next name, with the least that it is: 0 or 1."""
    own, c = {symbol(n) for n in world.names}, world.fresh("c")
    every = [*world.expressions, *[d for box in world.boxes for d in box]]
    every = [e for e in every if not is_mark(e)]
    nodes = {x for e in every for x in preorder_traversal(e) if x.args and x.free_symbols}
    plain = not any(e.has(*BITS) for e in every)  # else what bits a power has may be needed
    nodes = {x for x in nodes if x.free_symbols <= own and (plain or not x.has(Exp2))}
    sizes = {x: length(x) for x in nodes}
    for e in sorted(nodes, key=lambda x: (-sizes[x], sort_key(x)))[:NAMED]:
        if e.as_coeff_Mul()[0] != 1 or any(r.xreplace({e: c}).has(*e.free_symbols) for r in every):
            continue
        with suppress(Impossible, Undecided, LayoutError):
            ctx = world.context()
            p = ctx.poly(e)
            if ctx.nonneg(p):
                return ("call", c, e, int(ctx.positive(p)))
    return None


def pointwise(view: View) -> str:
    """Each result is at least 0, or 0, or another number."""
    ctx = view.ctx
    polys = view.polys(view.case.values)
    for op, p in zip(view.case.ops, polys[len(polys) - len(view.case.ops) :]):
        if op == "==" and p != ZERO and not (ctx.nonneg(p) and ctx.nonneg(-p)):
            return f"{ctx.text(p)} == 0 is not proved"
        if op == "!=" and not (ctx.nonneg(p - 1) or ctx.nonneg(-p - 1)):
            return f"{ctx.text(p)} != 0 is not proved"
        if op == ">=" and not ctx.nonneg(p):
            return f"{ctx.text(p)} >= 0 is not proved"
    return ""


def placement(view: View, names: frozenset[str], box: Sequence[Expr]) -> str:
    """The results lie in the box; no two points of the case have the same."""
    ctx = view.ctx
    polys = view.polys(view.case.values)
    results = polys[len(polys) - len(view.case.results) :]
    if any(view.bits and not view.behind(p).isdisjoint(view.bits) for p in results):
        return "an operation on bits is not an exclusive or of a whole digit of a power of two"
    sizes = [ctx.poly(d) for d in box]
    if "bounded" in names:
        for p, d in zip(results, sizes):
            for q in (p, d - 1 - p):
                if not ctx.nonneg(q):
                    return f"{ctx.text(ctx.resolve(q))} >= 0 is not proved"
    if "injective" in names:
        attempt = prove_injective(ctx, number(ctx, results, sizes))
        if not attempt.proved:
            return attempt.reason
    return ""


def number(ctx: Context, results: Sequence[Poly], sizes: Sequence[Poly]) -> Poly:
    """The row-major number of a place in the box."""
    total = ZERO
    for p, d in zip(results, sizes):
        total = total * d + p if len(sizes) > 1 else p
    return ctx.resolve(total)


# -- two cases -------------------------------------------------------------------------------------


def separation(world: World, a: Case, b: Case) -> Move:
    """What differs between every place of the one case and every place of the other."""
    ctx = world.context()
    fresh = {x: symbol(f"${x.name}") for x in b.coords}
    other = b.put(fresh)
    env = inside(ctx, a.coords, a.shape)
    env = {**env, **inside(ctx, fresh.values(), other.shape)}
    many = len(a.results)
    exprs = [*a.results, *other.results]
    for _ in range(2):
        polys = [ctx.poly(e, env) for e in exprs]
        ctx.forget()
    polys = [ctx.resolve(p) for p in polys]
    names = {*world.names, *[x.name for c in (a, b, *world.roots) for x in c.coords]}
    names |= set(free_names(*world.expressions))
    letter = "r"
    while any(n.startswith(letter) or n.endswith(f"_{letter}") for n in names):
        letter += "r"
    for k, (p, q) in enumerate(zip(polys[:many], polys[many:])):
        hit = _separator(ctx, p, q, symbol(f"{letter}{k}"), 1)
        if hit is not None:
            return ("apart", letter, *hit)
    why = "two parts of the domain are not proved to have different results"
    raise Open(why, division(world, ctx, a, b))


def _separator(ctx: Context, p: Poly, q: Poly, text: Expr, deep: int) -> Any:
    """A part of a result in which two cases differ, and a number modulo which they do (or 0)."""
    gap = ctx.resolve(p - q)
    if ctx.nonneg(gap - 1) or ctx.nonneg(-gap - 1):
        return text, 0
    g = gcd(*[c for r in (p, q) for m, c in r.terms.items() if m])
    if g > 1 and (p.constant - q.constant) % g:
        return text, g
    if not deep:
        return None
    radix = decompose(ctx, p)
    strides = [] if radix is None else [d.stride for d in radix.digits]
    tries: list[Poly] = []
    for s in sorted(strides, key=lambda s: -s.length if hasattr(s, "length") else 0):
        tries += [s.exact(Poly.of(k)) for k in (2, 3, 4) if s.exact(Poly.of(k)) is not None]  # type: ignore
        tries.append(s)
    for d in list(dict.fromkeys(t for t in tries if t is not None and t != ONE))[: 2 * SEPARATORS]:
        if not ctx.positive(d):
            continue
        (pq, pr), (qq, qr) = ctx.divmod(p, d), ctx.divmod(q, d)
        e = _of_sizes(ctx, d)
        if e is None:
            continue
        for x, y, result in ((pq, qq, FloorDiv(text, e)), (pr, qr, Mod(text, e))):
            hit = _separator(ctx, ctx.resolve(x), ctx.resolve(y), result, deep - 1)
            if hit is not None:
                return hit
    return None


def _of_sizes(ctx: Context, p: Poly) -> Expr | None:
    """The polynomial of sizes as an expression."""
    names = {n: name for name, n in ctx.by_name.items()}
    if not all(a in names for a in p.atoms):
        return None
    terms = (c * Mul(*[symbol(names[a]) for a in m]) for m, c in p.terms.items())
    return sum(terms, Integer(0))


def count_gap(case: Case) -> str:
    """Why the points of a case are not those of a box of sizes; "" where they are."""
    own: set[Symbol] = set(case.coords)
    if all(own.isdisjoint(d.free_symbols) for d in case.shape):
        return ""
    return "the points of a range that depends on another variable are not counted"


def count_goal(world: World, leaves: Sequence[Case], box: Sequence[Expr]) -> None:
    """There are as many points as places in the box."""
    ctx = world.context()
    total = ZERO
    for case in leaves:
        if case.loose:
            raise Undecided("the cases may hold more than the points of the domain")
        if why := count_gap(case):
            raise Undecided(why)
        sizes = [ctx.poly(d) for d in case.shape]
        if not all(ctx.nonneg(p) for p in sizes):
            raise Undecided("a part of the domain is not proved to have a size >= 0")
        total = total + reduce(lambda x, y: x * y, sizes, ONE)
    places = reduce(lambda x, y: x * y, [ctx.poly(d) for d in box], ONE)
    gap = ctx.resolve(total - places)
    if gap != ZERO and not (ctx.nonneg(gap) and ctx.nonneg(-gap)):
        text = f"{ctx.text(ctx.resolve(total))} points and {ctx.text(ctx.resolve(places))} places"
        raise Undecided(text)
