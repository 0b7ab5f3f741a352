"""Proofs by cases, as the checker reads them: a script takes sizes and domains apart, part by part.

A root is a domain with a guard, what is evaluated at each of its points, and its results.  A world has
some of the sizes; `sizes` tells them apart by a sign, `divide` writes one as a multiple of a divisor
and less than one, `call` names a quotient.  A case is a box of coordinates: each move replaces it by
others that have the very same points, and says with goals of its own why.  What is claimed is shown
of each leaf; places of different leaves are told apart, and there are as many points as places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import combinations
from typing import Any, NamedTuple

from sympy import Expr, Integer, Symbol, preorder_traversal

from symlayout.certificate.definitions import Map, names_in, number, product
from symlayout.certificate.exact import Rejected, spend
from symlayout.certificate.part import Goal, Part
from symlayout.expr.conditions import (
    Both,
    Condition,
    Conditionals,
    Either,
    Less,
    leaves,
    rewritten,
)
from symlayout.expr.facts import Relation
from symlayout.expr.operations import BitAnd, BitOr, BitXor, Where
from symlayout.expr.reader import Scanner, any_name, expression_at
from symlayout.expr.terms import DIVISIONS, CeilDiv, FloorDiv, Mod, rebuild, symbol

ZERO, ONE = Integer(0), Integer(1)
BITS = (BitAnd, BitOr, BitXor)
MOST_LEAVES = 200
DEEPEST = 20  # moves of worlds inside one another
Move = tuple[str, ...]


def read(text: str) -> Expr:
    """An expression, with operations on bits and conditionals."""
    s = Scanner(text)
    s.more = Conditionals
    made = expression_at(s, any_name)
    s.end("the expression")
    return made


def put(e: Expr, table: Mapping[Symbol, Expr]) -> Expr:
    """The expression with symbols replaced."""
    return rebuild(e, lambda s: table.get(s, s))


def put_all(c: Condition, table: Mapping[Symbol, Expr]) -> Condition:
    """The condition with symbols replaced."""
    return rewritten(c, lambda e: put(e, table))


def holds(c: Less) -> Relation:
    """A comparison as a relation."""
    return Relation("<", c.left, c.right)


def goal(op: str, left: Any, right: Any) -> Goal:
    """A goal of one relation."""
    return [Relation(op, left, Integer(right) if isinstance(right, int) else right)]


def divisors(*expressions: Expr) -> tuple[Expr, ...]:
    """`0 % d` for each divisor that is evaluated whatever the conditions are."""
    found: dict[Expr, None] = {}
    waiting = list(expressions)
    while waiting:
        e = waiting.pop()
        if isinstance(e, DIVISIONS) and not e.args[1].is_Integer:
            found[Mod(ZERO, e.args[1])] = None
        waiting += e.args[:2] if isinstance(e, Where) else e.args
    return tuple(found)


def runs(mask: int) -> list[tuple[int, int]]:
    """Where the runs of ones of a number begin, and how long they are.

    >>> runs(0b110111)
    [(0, 3), (4, 2)]
    """
    digits, made, k = bin(mask)[:1:-1], list[tuple[int, int]](), 0
    while k < len(digits):
        n = len(digits[k:]) - len(digits[k:].lstrip("1"))
        made += [(k, n)] if n else []
        k += n or 1
    return made


def bits_of_number(e: Expr) -> Expr:
    """`x & c`, `x | c` and `x ^ c` for a number c: the bits of c that are 1 are digits of x."""
    if not e.has(*BITS):
        return e
    a = [bits_of_number(x) for x in e.args]
    if isinstance(e, BITS) and (a[0].is_Integer or a[1].is_Integer):
        x, c = (a[1], int(a[0])) if a[0].is_Integer else (a[0], int(a[1]))
        mask, both = (c if c >= 0 else -c - 1), ZERO
        for low, ones in runs(mask):
            both += 2**low * Mod(FloorDiv(x, 2**low), 2**ones)
        both = both if c >= 0 else x - both
        if isinstance(e, BitAnd):
            return both
        return x + c - both if isinstance(e, BitOr) else x + c - 2 * both
    made: Expr = e.func(*a)
    return made


# -- cases ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A box, whose extents may speak of coordinates before; `ops` are claimed of results against 0."""

    box: tuple[tuple[Symbol, Expr], ...]
    results: tuple[Expr, ...]
    evaluated: tuple[Expr, ...] = ()
    guard: tuple[Condition, ...] = ()
    given: tuple[Less, ...] = ()
    ops: tuple[str, ...] = ()
    loose: bool = False  # it may have more points than the domain

    @property
    def coords(self) -> list[Symbol]:
        """The coordinates."""
        return [x for x, _ in self.box]

    def extent(self, x: Symbol) -> Expr:
        """The extent of a coordinate; raises `Rejected` where it is none."""
        for c, d in self.box:
            if c == x:
                return d
        raise Rejected(f"{x} is no coordinate of this case")

    def before(self, x: Symbol) -> dict[str, Expr]:
        """The box of the coordinates before one that its extent speaks of; none for sizes alone."""
        self.extent(x)
        k = self.coords.index(x)
        if self.box[k][1].free_symbols.isdisjoint(self.coords):
            return {}
        return {c.name: d for c, d in self.box[:k]}

    def every(self, change: Any) -> Case:
        """Every expression changed, the coordinates apart."""
        return replace(
            self,
            box=tuple((x, change(d)) for x, d in self.box),
            results=tuple(map(change, self.results)),
            evaluated=tuple(map(change, self.evaluated)),
            guard=tuple(rewritten(c, change) for c in self.guard),
            given=tuple(Less(change(c.left), change(c.right)) for c in self.given),
        )

    @property
    def expressions(self) -> list[Expr]:
        """Everything that occurs, the coordinates apart."""
        sides = [c for g in (*self.guard, *self.given) for c in leaves(g)]
        held = [e for c in sides for e in (c.left, c.right)]
        return [*[d for _, d in self.box], *self.results, *self.evaluated, *held]

    def asked(self, shown: Sequence[Expr], evaluated: Sequence[Expr], same: int = 0) -> Case:
        """The case with results that are claimed to be 0 (so many), or not below it."""
        ops = ("==",) * same + (">=",) * (len(shown) - same)
        return replace(self, results=tuple(shown), evaluated=tuple(evaluated), ops=ops)

    def flat(self) -> Case:
        """With the conditions of a guard that are joined by `and` one after the other."""
        case = self
        while case.guard and isinstance(case.guard[0], Both):
            first, second = case.guard[0].first, case.guard[0].second
            case = replace(case, guard=(first, second, *case.guard[1:]))
        return case


class World(NamedTuple):
    """Facts, the names of sizes, the roots, and the box of the places of each root."""

    facts: tuple[Relation, ...]
    names: tuple[str, ...]
    roots: tuple[Case, ...]
    boxes: tuple[tuple[Expr, ...], ...]
    less: tuple[tuple[str, Expr], ...] = ()

    def every(self, change: Any, facts: Sequence[Relation]) -> World:
        """Other facts, and every expression changed."""
        boxes = tuple(tuple(map(change, box)) for box in self.boxes)
        roots = tuple(r.every(change) for r in self.roots)
        less = tuple((n, change(d)) for n, d in self.less)
        return World(tuple(facts), self.names, roots, boxes, less)

    @property
    def taken(self) -> set[str]:
        """Every name that has a meaning."""
        used = {n for r in self.facts for n in r.names} | set(self.names)
        for r in self.roots:
            used |= names_in(*r.expressions) | {x.name for x in r.coords}
        return used


@dataclass
class Script:
    """The moves of a proof, taken one after the other; what has to hold comes out as parts."""

    moves: Sequence[Move]
    wanted: frozenset[str]
    apart: Sequence[tuple[int, int]]
    offset: str
    asked: Sequence[tuple[Case, ...]] = ()  # demands of points, each with the ways to show it
    at: int = 0
    count: int = 0
    found: list[Case] = field(default_factory=list)

    def next(self, *words: str) -> Move:
        """The next move; raises `Rejected` for another one than these, or none."""
        if self.at == len(self.moves):
            raise Rejected("script: it ends too early")
        move = self.moves[self.at]
        if words and move[0] not in words:
            raise Rejected(f"script: move {self.at} is {move[0]!r}, not {' or '.join(words)}")
        self.at += 1
        return move

    def name(self, word: str) -> str:
        """The name of the next part."""
        self.count += 1
        return f"{self.count} {word}"

    def whole(self, world: World) -> Iterator[Part]:
        """All parts; raises `Rejected` where moves are left over.

        Results without a box may be numbered in any: places that are equal have equal numbers.
        """
        if self.asked:
            yield from self.demands(world)
            return
        alone = self.wanted == {"injective"}
        if alone and self.moves and self.moves[0][0] == "sums":
            world = self.summed(world, *self.next()[1:])
        if alone and self.at < len(self.moves) and self.moves[self.at][0] == "box":
            made = tuple(self.of_sizes(world, read(t)) for t in self.next()[1:])
            if len(made) != len(world.boxes[0]):
                raise Rejected(f"a box of {len(made)} sizes for {len(world.boxes[0])} results")
            world = world._replace(boxes=(made,))
        yield from self.world(world)
        if self.at != len(self.moves):
            raise Rejected("script: moves are left over")

    def demands(self, world: World) -> Iterator[Part]:
        """Each demand in one of its ways, some of them in one world."""
        left = set(range(len(self.asked)))
        while left or self.at != len(self.moves):
            chosen = [self.way(text) for text in self.next("about")[1:]]
            left -= {k for k, _ in chosen}
            yield from self.world(world._replace(roots=tuple(case for _, case in chosen)))

    def way(self, text: str) -> tuple[int, Case]:
        """A demand as `4`, or `4.1` for the second way to show it."""
        found = re.fullmatch(r"(\d{1,4})(?:\.(\d))?", text)
        k, way = (int(found[1]), int(found[2] or 0)) if found else (len(self.asked), 0)
        if k >= len(self.asked) or way >= len(self.asked[k]):
            raise Rejected(f"script: {text!r} is nothing that is asked")
        return k, self.asked[k][way]

    def summed(self, w: World, letter: str, *texts: str) -> World:
        """Expressions of results in their place: where these differ, so do the results."""
        made = list[Case]()
        for root in w.roots:
            if root.ops:
                made.append(root)
                continue
            taken = w.taken | names_of(root)
            marks = self.fresh(taken, *[f"{letter}{k}" for k in range(len(root.results))])
            sums = [read(t) for t in texts]
            if len(sums) != len(marks):
                raise Rejected(f"{len(sums)} sums for {len(marks)} results")
            if not names_in(*sums) <= {*w.names, *[s.name for s in marks]}:
                raise Rejected("sums of more than results and sizes")
            table = dict(zip(marks, root.results))
            shown = tuple(put(e, table) for e in sums)
            marked = (*divisors(*shown), *root.evaluated, *root.results)
            made.append(replace(root, results=shown, evaluated=marked))
        return w._replace(roots=tuple(made))

    # -- worlds -----------------------------------------------------------------------------------

    def part(self, w: World, word: str, box: Mapping[str, Expr], *goals: Goal, **more: Any) -> Part:
        """Goals in a world."""
        return Part(self.name(word), box, goals, facts=w.facts, names=w.names, less=w.less, **more)

    def world(self, w: World, deep: int = DEEPEST) -> Iterator[Part]:
        """The parts of one world, by its next move."""
        if not deep:
            raise Rejected(f"sizes are taken apart more than {DEEPEST} times: the limit")
        move = self.next("impossible", "sizes", "divide", "call", "cases")
        match move:
            case ("impossible",):
                yield self.part(w, "impossible", {}, goal(">=", Integer(-1), 0))
            case ("sizes", text):
                e = self.of_sizes(w, read(text))
                yield from self.world(
                    w._replace(facts=(*w.facts, Relation(">=", e, ZERO))), deep - 1
                )
                yield from self.world(
                    w._replace(facts=(*w.facts, Relation("<", e, ZERO))), deep - 1
                )
            case ("divide", size, divisor, a, b):
                yield from self.divided(w, size, self.of_sizes(w, read(divisor)), a, b, deep)
            case ("call", c, text, low):
                yield from self.called(w, c, self.of_sizes(w, read(text)), whole_number(low), deep)
            case ("cases",):
                yield from self.cases(w)
            case _:
                raise Rejected(f"script: the move {move[0]!r} speaks of other things")

    def of_sizes(self, w: World, e: Expr) -> Expr:
        """An expression of sizes; raises `Rejected` for any other name."""
        if not names_in(e) <= set(w.names):
            raise Rejected(f"{e} speaks of what is no size")
        return e

    def fresh(self, taken: set[str], *names: str) -> list[Symbol]:
        """New names; raises `Rejected` for names that have a meaning, or stand twice."""
        if len(set(names)) != len(names) or not taken.isdisjoint(names):
            raise Rejected(f"{', '.join(names)}: names that have a meaning already")
        if not all(n.isidentifier() and n.isascii() for n in names) or self.offset in names:
            raise Rejected(f"{', '.join(names)}: no names")
        return [symbol(n) for n in names]

    def divided(self, w: World, size: str, d: Expr, a: str, b: str, deep: int) -> Iterator[Part]:
        """A size as a*d, or as a*d + b with 1 <= b < d: Euclid, for d >= 1."""
        if size not in w.names or size in names_in(d):
            raise Rejected(f"{size} is no size that could be divided by {d}")
        x, (q, r) = symbol(size), self.fresh(w.taken, a, b)
        least = max((int(f.right) for f in w.facts if at_least_number(f, x)), default=0)
        least = min(max(least, 0), 1)
        yield self.part(w, "divisor", {}, goal(">=", d, 1), goal(">=", x, least))
        for by, fresh, more in (
            (q * d, (q,), [Relation(">=", q, Integer(least))]),
            (
                q * d + r,
                (q, r),
                [Relation(">=", q, ZERO), Relation(">=", r, ONE), Relation("<", r, d)],
            ),
        ):

            def change(e: Expr, by: Expr = by) -> Expr:
                return put(e, {x: by})

            facts = [Relation(f.op, change(f.left), change(f.right)) for f in w.facts]
            made = w.every(change, [*facts, *more])
            names = (*[n for n in w.names if n != size], *[s.name for s in fresh])
            less = tuple((n, e) for n, e in made.less if n != size)
            if len(fresh) == 2:
                less = (*less, (r.name, d))
            yield from self.world(made._replace(names=names, less=less), deep - 1)

    def called(self, w: World, name: str, e: Expr, low: int, deep: int) -> Iterator[Part]:
        """A name for a quotient, with the least that it is and the side on which it lies."""
        if not isinstance(e, (FloorDiv, CeilDiv)):
            raise Rejected(f"{e} is no quotient")
        (x, d), (c,) = e.args, self.fresh(w.taken, name)
        op = ">=" if isinstance(e, CeilDiv) else "<="
        yield self.part(w, "name", {}, goal(">=", d, 1), goal(op, e * d, x), goal(">=", e, low))
        facts = [*w.facts, Relation(">=", c, Integer(low)), Relation(op, c * d, x)]
        made = w.every(lambda f: f.xreplace({e: c}), facts)
        yield from self.world(made._replace(names=(*w.names, name)), deep - 1)

    # -- what is claimed --------------------------------------------------------------------------

    def cases(self, w: World) -> Iterator[Part]:
        """The roots of a world, each taken apart; then what is claimed of all their leaves."""
        ends: list[list[Case]] = []
        for root in w.roots:
            self.found = []
            yield from self.case(w, root.flat(), w.boxes[len(ends)] if not root.ops else ())
            if not root.ops:
                ends.append(self.found)
        for k, found in enumerate(ends):
            if "injective" in self.wanted:
                for a, b in combinations(found, 2):
                    yield self.told_apart(w, a, b)
            if "onto" in self.wanted:
                yield self.counted(w, found, w.boxes[k])
        for m, n in self.apart:
            for a in ends[m]:
                for b in ends[n]:
                    yield self.told_apart(w, a, b)

    def counted(self, w: World, found: Sequence[Case], box: Sequence[Expr]) -> Part:
        """As many points as places: the places of the points are different, and in the box."""
        for case in found:
            own = {x.name for x in case.coords}
            if case.loose or case.given or any(own & names_in(d) for _, d in case.box):
                raise Rejected("count: the points of a case are not those of a box of sizes")
        extents = [goal(">=", d, 0) for case in found for _, d in case.box]
        total = sum((product(d for _, d in case.box) for case in found), ZERO)
        return self.part(w, "count", {}, goal("==", total, product(box)), *extents)

    def told_apart(self, w: World, a: Case, b: Case) -> Part:
        """Some expression of a place differs between every two points of both cases."""
        _, letter, text, modulus = (*self.next("apart"), "", "", "")[:4]
        taken = w.taken | {x.name for c in (a, b) for x in c.coords}
        results = self.fresh(taken, *[f"{letter}{k}" for k in range(len(a.results))])
        used = taken | {s.name for s in results}
        other = self.fresh(used, *[f"{x}_{letter}" for x in b.coords])
        table = dict(zip(b.coords, other))
        e = read(text)
        if not names_in(e) <= {*w.names, *[s.name for s in results]}:
            raise Rejected(f"{e} speaks of more than a place and sizes")
        here = put(e, dict(zip(results, a.results)))
        there = put(e, dict(zip(results, [put(r, table) for r in b.results])))
        box = {x.name: d for x, d in a.box}
        box |= {table[x].name: put(d, table) for x, d in b.box}
        given = tuple(map(holds, a.given))
        given += tuple(Relation("<", put(c.left, table), put(c.right, table)) for c in b.given)
        m = whole_number(modulus)
        differ = goal("!=", here, there) if m < 2 else goal("!=", Mod(here - there, m), 0)
        return self.part(w, "apart", box, differ, given=given)

    def leaf(
        self, w: World, case: Case, box: Sequence[Expr], texts: Sequence[str]
    ) -> Iterator[Part]:
        """What is claimed of a case at which nothing is open."""
        if case.guard:
            raise Rejected("script: a leaf has conditions left")
        own = {x.name: d for x, d in case.box}
        defined = [goal("==", e, e) for e in case.evaluated]
        given = tuple(map(holds, case.given))
        if case.ops:
            shown = [goal(op, e, 0) for op, e in zip(case.ops, case.results)]
            yield self.part(w, "points", own, *defined, *shown, given=given)
            return
        self.found.append(case)
        if len(self.found) > MOST_LEAVES:
            raise Rejected(f"more than {MOST_LEAVES} cases: the limit")
        defined += [goal("==", e, e) for e in case.results]
        if "bounded" in self.wanted:
            for e, d in zip(case.results, box):
                defined += [goal(">=", e, 0), goal("<", e, d)]
        yield self.part(w, "places", own, *defined, given=given)
        if "injective" not in self.wanted:
            return
        raw = number(case.results, box) if len(box) > 1 else case.results[0]
        back = [read(t) for t in texts]
        if len(back) != len(case.box) and texts:
            raise Rejected(f"{len(back)} expressions for {len(case.box)} coordinates")
        if self.offset in own or self.offset in w.taken:
            raise Rejected(f"{self.offset} has a meaning already")
        whole = [put(e, {symbol(self.offset): raw}) for e in back]
        given_back = [goal("==", e, x) for e, x in zip(whole, case.coords)]
        place = Map(tuple(own.values()), tuple(case.coords), raw, product(box), None)
        named = frozenset(names_in(*back) - {self.offset})
        yield self.part(w, "back", own, *given_back, given=given, constant=named, place=place)

    # -- cases ------------------------------------------------------------------------------------

    def case(self, w: World, root: Case, box: Sequence[Expr]) -> Iterator[Part]:
        """The parts of a root, by its moves: the first part of a case is gone through first."""
        waiting = [root]
        while waiting:
            case = waiting.pop()
            spend(sum(1 for e in case.expressions for _ in preorder_traversal(e)))
            move = self.next()
            if move[0] == "leaf":
                yield from self.leaf(w, case, box, move[1:])
                continue
            parts, cases = self.taken(w, case, move)
            yield from parts
            waiting += [c.flat() for c in reversed(cases)]

    def taken(self, w: World, case: Case, move: Move) -> tuple[list[Part], list[Case]]:
        """What a move shows, and the cases that it makes of one."""
        make = getattr(self, f"_{move[0]}") if move[0] in MOVES else None
        try:
            if make is None:
                raise TypeError
            signature(make).bind(w, case, *move[1:])
        except TypeError:
            raise Rejected(f"script: {move[0]!r} with {len(move) - 1} texts is no move") from None
        return make(w, case, *move[1:])  # type: ignore[no-any-return]

    def of_case(self, w: World, case: Case, e: Expr) -> Expr:
        """An expression of sizes and coordinates; raises `Rejected` for any other name."""
        if not names_in(e) <= {*w.names, *[x.name for x in case.coords]}:
            raise Rejected(f"{e} speaks of what is not known here")
        return e

    def here(self, w: World, case: Case, word: str, *goals: Goal) -> Part:
        """Goals at every point of a case."""
        own = {x.name: d for x, d in case.box}
        return self.part(w, word, own, *goals, given=tuple(map(holds, case.given)))

    def first(self, case: Case) -> Less:
        """The first condition of the guard; raises `Rejected` where it is no comparison."""
        if not case.guard or not isinstance(case.guard[0], Less):
            raise Rejected("script: no comparison comes next")
        return case.guard[0]

    def _true(self, w: World, case: Case) -> Any:
        c = self.first(case)
        part = self.here(w, case, "true", goal("<", c.left, c.right))
        return [part], [replace(case, guard=case.guard[1:])]

    def _false(self, w: World, case: Case) -> Any:
        c = self.first(case)
        return [self.here(w, case, "false", goal("<=", c.right, c.left))], []

    def _keep(self, w: World, case: Case) -> Any:
        c = self.first(case)
        part = self.here(w, case, "given", goal("==", c.left, c.left), goal("==", c.right, c.right))
        return [part], [replace(case, guard=case.guard[1:], given=(*case.given, c))]

    def _or(self, w: World, case: Case) -> Any:
        if not case.guard or not isinstance(case.guard[0], Either):
            raise Rejected("script: no `or` comes next")
        c, rest = case.guard[0], case.guard[1:]
        made = [(c.first, *rest), (contrary(c.first), c.second, *rest)]
        return [], [replace(case, guard=g) for g in made]

    def _empty(self, w: World, case: Case, x: str) -> Any:
        c = symbol(x)
        return [self.part(w, "empty", case.before(c), goal("<=", case.extent(c), 0))], []

    def _if(self, w: World, case: Case, p: str, q: str) -> Any:
        left, right = read(p), read(q)
        made = []
        for yes in (True, False):
            branches: list[Expr] = []

            def change(e: Expr, yes: bool = yes, branches: list[Expr] = branches) -> Expr:
                while True:
                    found = [x for x in e.atoms(Where) if x.args[:2] == (left, right)]
                    if not found:
                        return e
                    chosen = {x: x.args[2 if yes else 3] for x in found}
                    branches += chosen.values()
                    e = e.xreplace(chosen)

            inner = case.every(change)
            marks = divisors(*map(change, branches))
            condition = Less(left, right) if yes else Less(right, left + 1)
            made.append(
                replace(
                    inner,
                    evaluated=(*marks, *inner.evaluated),
                    guard=(condition, *inner.guard),
                )
            )
        self.of_case(w, case, left + right)
        return [], made

    def _cut(self, w: World, case: Case, x: str, at: str) -> Any:
        c, e = symbol(x), self.of_sizes(w, read(at))
        d = case.extent(c)
        part = self.part(w, "cut", case.before(c), goal(">=", e, 0), goal("<=", e, d))
        low = replace(case, box=tuple((y, e if y == c else n) for y, n in case.box))
        high = case.every(lambda f: put(f, {c: c + e}))
        size = (d - e).expand()
        return [part], [
            low,
            replace(high, box=tuple((y, size if y == c else n) for y, n in high.box)),
        ]

    def _digits(self, w: World, case: Case, x: str, d: str, count: str, *new: str) -> Any:
        c, step, many = symbol(x), self.of_sizes(w, read(d)), self.of_sizes(w, read(count))
        high, low = self.fresh(w.taken | names_of(case), *new)
        size = case.extent(c)
        goals = goal(">=", step, 1), goal(">=", many, 0), goal("==", step * many, size)
        part = self.part(w, "digits", case.before(c), *goals)
        made = case.every(lambda f: put(f, {c: step * high + low}))
        box = [((high, many), (low, step)) if y == c else ((y, n),) for y, n in made.box]
        return [part], [replace(made, box=tuple(row for rows in box for row in rows))]

    def _merge(self, w: World, case: Case, x: str, z: str, y: str) -> Any:
        """y = d*x + z, where d is the extent of z, if everything is a function of y alone."""
        a, b, (new,) = symbol(x), symbol(z), self.fresh(w.taken | names_of(case), y)
        many, step = self.of_sizes(w, case.extent(a)), self.of_sizes(w, case.extent(b))
        if a == b:
            raise Rejected(f"{x} is one coordinate")
        part = self.part(w, "merge", {}, goal(">=", step, 0), goal(">=", many, 0))
        made = case.every(lambda f: put(f, {b: new - step * a}).expand() if f.has(a, b) else f)
        box = [(new, many * step) if c == a else (c, d) for c, d in made.box if c != b]
        made = replace(made, box=tuple(box))
        if {x, z} & names_of(made):
            raise Rejected(f"something speaks of {x} or {z} alone")
        return [part], [made]

    def _widen(self, w: World, case: Case, x: str, size: str) -> Any:
        c, e = symbol(x), self.of_sizes(w, read(size))
        part = self.part(w, "widen", case.before(c), goal("<=", case.extent(c), e))
        box = tuple((y, e if y == c else n) for y, n in case.box)
        return [part], [replace(case, box=box, loose=True)]

    def _extent(self, w: World, case: Case, x: str, size: str) -> Any:
        """An extent that is the same for all of the coordinates before."""
        c, e = symbol(x), self.of_sizes(w, read(size))
        part = self.part(w, "extent", case.before(c), goal("==", case.extent(c), e))
        return [part], [replace(case, box=tuple((y, e if y == c else n) for y, n in case.box))]

    def _bits(self, w: World, case: Case, way: str, text: str, low: str, step: str) -> Any:
        """An operation on bits as a sum, or on fewer bits."""
        node, y, n = read(text), read(low), Integer(whole_number(step))
        if not isinstance(node, BITS) or y not in node.args or not power_of_two(n):
            raise Rejected(f"{node} is no operation on bits of {y}")
        x = node.args[1] if y == node.args[0] else node.args[0]
        op, both = type(node), isinstance(node, BitAnd)
        goals = [goal("==", x, x), goal(">=", y, 0), goal("<", y, n)]
        match way:
            case "apart":  # x has no bit below n, y has none from n on
                goals.append(goal("==", Mod(x, n), 0))
                made = ZERO if both else x + y
            case "bit":
                goals += [goal(">=", x, 0), goal("<", x, 2), goal("<", y, 2)]
                made = {BitAnd: x * y, BitOr: x + y - x * y, BitXor: x + y - 2 * x * y}[op]
            case "low":  # from n on the bits are those of x
                made = op(Mod(x, n), y) + (ZERO if both else FloorDiv(x, n) * n)
            case "high":  # below n the bits are those of x
                goals = [goal("==", x, x), goal("==", Mod(y, n), 0)]
                made = op(FloorDiv(x, n), FloorDiv(y, n)) * n + (ZERO if both else Mod(x, n))
            case "halves":  # each bit is that of the operands' bits, below n and from n on
                goals = [goal("==", x, x), goal("==", y, y)]
                made = op(FloorDiv(x, n), FloorDiv(y, n)) * n + op(Mod(x, n), Mod(y, n))
            case _:
                raise Rejected(f"script: {way!r} is no way to write operations on bits")
        case_made = case.every(lambda e: e.xreplace({node: made}))
        return [self.here(w, case, "bits", *goals)], [case_made]

    def _cancel(self, w: World, case: Case, text: str, one: str, other: str) -> Any:
        """Two equal operands of an exclusive or, which cancel."""
        node, p, q = read(text), read(one), read(other)
        rest = operands(node)
        if not isinstance(node, BitXor):
            raise Rejected(f"{node} is no exclusive or")
        for e in (p, q):
            if e not in rest:
                raise Rejected(f"{e} is no operand of {node}")
            rest.remove(e)
        made: Expr = ZERO
        for e in rest:
            made = e if made == 0 else BitXor(made, e)
        part = self.here(w, case, "cancel", goal("==", p, q))
        return [part], [case.every(lambda e: e.xreplace({node: made}))]

    def _some(self, w: World, case: Case, text: str, y: str, most: str, which: str) -> Any:
        """A coordinate for what an operation on bits comes to: more points than there are."""
        node, (new,), n = read(text), self.fresh(w.taken | names_of(case), y), whole_number(most)
        if not isinstance(node, BITS) or case.guard:
            raise Rejected(f"{node} is no operation on bits that is evaluated now")
        below = [[goal(">=", p, 0), goal("<", p, n)] for p in node.args]
        if isinstance(node, BitAnd):  # no more than any of its operands that is not negative
            k = whole_number(which)
            below = [below[k % 2], [goal("==", e, e) for e in node.args]]
        elif not power_of_two(Integer(n)):
            raise Rejected(f"{n} is no power of 2")
        part = self.here(w, case, "some", *[g for goals in below for g in goals])
        made = case.every(lambda e: e.xreplace({node: new}))
        return [part], [replace(made, box=(*made.box, (new, Integer(n))), loose=True)]

    def _renamed(self, w: World, case: Case, way: str, *texts: str) -> Any:
        """Other coordinates, in which the results are written; every point has one, and only one."""
        if case.guard or case.given:
            raise Rejected("script: conditions stand open where coordinates are renamed")
        return getattr(self, f"_renamed_{way}", self._no_way)(w, case, *texts)

    def _no_way(self, *given: Any) -> Any:
        raise Rejected("script: no way to rename coordinates")

    def _swapped(
        self,
        w: World,
        case: Case,
        old: Sequence[Symbol],
        y: Symbol,
        size: Expr,
        results: Sequence[str],
    ) -> Case:
        """The case with one coordinate for others, whose results are the texts'."""
        made = [read(t) for t in results]
        if len(made) != len(case.results):
            raise Rejected(f"{len(made)} results for {len(case.results)}")
        kept = [(x, d) for x, d in case.box if x not in old[1:]]
        box = tuple((y, size) if x == old[0] else (x, d) for x, d in kept)
        own = {x.name for x, _ in box}
        gone = {x.name for x in old}
        if any(gone & names_in(d) for x, d in box if x != y) or not names_in(*made) <= own | set(
            w.names
        ):
            raise Rejected(
                f"{', '.join(sorted(gone))} cannot be renamed: something else speaks of it"
            )
        if any(e.has(Where) for e in made):
            raise Rejected("script: a conditional stands open where coordinates are renamed")
        return replace(case, box=box, results=tuple(made), evaluated=())

    def _same(
        self, w: World, case: Case, meaning: Mapping[Symbol, Expr], made: Case, *more: Goal
    ) -> Part:
        """The results are the same ones; everything that was evaluated has a value."""
        shown = [goal("==", e, e) for e in case.evaluated]
        new = [put(e, meaning) for e in made.results]
        shown += [goal("==", a, b) for a, b in zip(case.results, new)]
        return self.here(w, case, "renamed", *more, *shown)

    def _renamed_turn(
        self, w: World, case: Case, x: str, y: str, size: str, text: str, *results: str
    ) -> Any:
        """y = (x + s) % n or (s - x) % n: each value of [0, n) once for every s, as x has them all."""
        c, (new,) = symbol(x), self.fresh(w.taken | names_of(case), y)
        n, e = self.of_sizes(w, read(size)), self.of_case(w, case, read(text))
        if not isinstance(e, Mod) or e.args[1] != n:
            raise Rejected(f"{e} is no remainder of {n}")
        if not any(
            (e.args[0] - sign * c).expand().free_symbols.isdisjoint({c}) for sign in (1, -1)
        ):
            raise Rejected(f"{e} is no rotation of {c}")
        made = self._swapped(w, case, [c], new, n, results)
        whole = self.part(w, "turn", case.before(c), goal("==", case.extent(c), n))
        return [whole, self._same(w, case, {new: e}, made)], [made]

    def _renamed_blocks(
        self, w: World, case: Case, i: str, j: str, y: str, size: str, text: str, *results: str
    ) -> Any:
        """y = P(i) + j, where j < P(i + 1) - P(i): the blocks lie one after the other from P(0) = 0."""
        m, c, (new,) = symbol(i), symbol(j), self.fresh(w.taken | names_of(case), y)
        n, whole = self.of_sizes(w, read(size)), self.of_case(w, case, read(text))
        first = (whole - c).expand()
        if not names_in(first) <= {*w.names, i} or case.coords.index(m) > case.coords.index(c):
            raise Rejected(f"{whole} is no beginning of a block and {j}")
        made = self._swapped(w, case, [m, c], new, n, results)
        block, count = case.extent(c), case.extent(m)
        if not names_in(block) <= {*w.names, i} or not names_in(count) <= set(w.names):
            raise Rejected(f"the extents of {i} and {j} speak of other coordinates")
        steps = [
            goal(">=", block, 0),
            goal("==", put(first, {m: m + 1}) - first, block),
        ]
        ends = [goal("==", put(first, {m: ZERO}), 0), goal("==", put(first, {m: count}), n)]
        return [
            self.part(w, "blocks", {i: count}, *steps),
            self.part(w, "ends", {}, *ends, goal(">=", count, 0)),
            self._same(w, case, {new: whole}, made),
        ], [made]

    def _renamed_xor(
        self, w: World, case: Case, x: str, y: str, size: str, many: str, *texts: str
    ) -> Any:
        """y = x ^ v: each value of [0, 2**k) once for every v below 2**k, as x has them all."""
        c, (new,) = symbol(x), self.fresh(w.taken | names_of(case), y)
        n, k = self.of_sizes(w, read(size)), whole_number(many)
        pairs, results = texts[: 2 * k], texts[2 * k :]
        if not power_of_two(n) or case.extent(c) != n or len(pairs) != 2 * k or not k:
            raise Rejected(f"{x} does not have all values below a power of 2")
        table: dict[Expr, Expr] = {}
        goals: list[Goal] = []
        first: list[str] = []
        for row, (old, written) in enumerate(zip(pairs[::2], pairs[1::2])):
            node, same = read(old), self.of_case(w, case, read(written))
            a, b = operands(node), operands(same)
            if len(a) != len(b) or type(node) is not type(same) or not isinstance(node, BITS):
                raise Rejected(f"{node} and {same} are not the same operation")
            goals += [goal("==", p, q) for p, q in zip(a, b)]
            if row and sorted(map(str, b)) == first:
                table[node] = new
            elif row == 0:
                first = sorted(map(str, b))
                others = [q for q in b if q != c]
                if len(others) != len(b) - 1 or not isinstance(node, BitXor):
                    raise Rejected(f"{same} is no exclusive or of {c} and others")
                if any(c in q.free_symbols for q in others):
                    raise Rejected(f"{c} stands on both sides of an exclusive or")
                goals += [g for q in others for g in (goal(">=", q, 0), goal("<", q, n))]
                table[node] = new
            elif c in same.free_symbols:
                raise Rejected(f"{c} stands in another operation on bits")
            else:
                table[node] = table[same] = symbol(f"bits{row}_{y}")
        opaque = [s for s in table.values() if s != new]
        if not (w.taken | names_of(case)).isdisjoint(s.name for s in opaque):
            raise Rejected("a name of the checker's has a meaning already")
        made = self._swapped(w, case, [c], new, n, results)
        plain = case.every(lambda e: e.xreplace(table))
        shown = [goal("==", e, e) for e in plain.evaluated]
        orders = {(type(k), *sorted(map(str, operands(k)))): s for k, s in table.items()}
        mirrored = {k for e in made.results for k in e.atoms(*BITS)}
        table |= {
            k: orders[o]
            for k in mirrored
            if (o := (type(k), *sorted(map(str, operands(k))))) in orders
        }
        seen = [e.xreplace(table) for e in made.results]
        shown += [goal("==", p, q) for p, q in zip(plain.results, seen)]
        free = self.here(w, case, "renamed", *shown)
        free = free._replace(
            box={**free.box, new.name: n},
            names=(*w.names, *dict.fromkeys(s.name for s in opaque)),
        )
        return [self.here(w, case, "xor", *goals), free], [made]


MOVES = (
    "true", "false", "keep", "or", "empty", "if", "cut", "digits", "widen", "bits", "renamed",
    "cancel", "some", "extent", "merge",
)  # fmt: skip


def contrary(c: Condition) -> Condition:
    """What is true exactly where the condition is false."""
    if isinstance(c, Less):
        return Less(c.right, c.left + 1)
    both = contrary(c.first), contrary(c.second)
    return Either(*both) if isinstance(c, Both) else Both(*both)


def names_of(case: Case) -> set[str]:
    """Every name that occurs in a case."""
    return names_in(*case.expressions) | {x.name for x in case.coords}


def whole_number(text: str) -> int:
    """The number that a text spells; raises `Rejected` for any other text."""
    if not re.fullmatch(r"\d{1,20}", text):
        raise Rejected(f"script: {text!r} is no number")
    return int(text)


def power_of_two(n: Expr) -> bool:
    """Whether it is the number 2**k, for k >= 1."""
    return bool(n.is_Integer and n >= 2 and int(n) & (int(n) - 1) == 0)


def operands(e: Expr) -> list[Expr]:
    """What an operation on bits joins, inner ones of the same kind taken apart."""
    if not isinstance(e, BITS):
        raise Rejected(f"{e} is no operation on bits")
    return [p for a in e.args for p in (operands(a) if type(a) is type(e) else [a])]


def in_any_order(e: Expr) -> tuple[Any, ...]:
    """An operation on bits, whose operands may stand in any order."""
    return type(e), *sorted(map(str, operands(e)))


def at_least_number(r: Relation, x: Symbol) -> bool:
    """Whether a fact says `x >= number`."""
    return bool(r.op == ">=" and r.left == x and r.right.is_Integer)
