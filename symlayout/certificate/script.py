"""Proofs by cases, as the checker reads them: a script takes sizes and domains apart, part by part.

In a world of sizes a condition splits them, other sizes take their place, `weaken` leaves facts out,
`power` writes one as a power of two, and `each` shows what is claimed of points root by root; the moves
of a case are those of `moves`.  What is claimed is shown of each leaf; places of different leaves are
told apart, and there are as many points as places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from symlayout.certificate.cases import (
    ZERO,
    Case,
    World,
    goal,
    holds,
    read,
    whole_number,
)
from symlayout.certificate.definitions import Map, names_in, number, product
from symlayout.certificate.exact import Rejected, Work
from symlayout.certificate.functions import Function
from symlayout.certificate.goals import Goals
from symlayout.certificate.part import Part
from symlayout.expr.relations import Relation
from symlayout.expr.terms import Mod, put, symbol
from symlayout.expr.traversal import length
from symlayout.expr.tree import Expr

Move = tuple[str, ...]
MOST_LEAVES = 200
DEEPEST = 20  # moves of worlds inside one another


@dataclass
class Script(Goals):
    """The moves of a proof, taken one after the other; what has to hold comes out as parts."""

    moves: Sequence[Move]
    words: frozenset[str]
    apart: Sequence[tuple[int, int]]
    offset: str
    duties: Sequence[tuple[Case, ...]] = ()  # demands of points, each with the ways to show it
    divisors: tuple[Expr, ...] = ()  # of results that are joined before all else
    word: str = ""  # what is said of one function, and the function
    function: Function | None = None
    work: Work = field(default_factory=Work)  # what taking it apart may cost
    at: int = 0
    count: int = 0
    leaf_cases: list[Case] = field(default_factory=list)

    def next(self, *words: str) -> Move:
        """The next move; raises `Rejected` for another one than these, or none."""
        if self.at == len(self.moves):
            raise Rejected("script: it ends too early")
        move = self.moves[self.at]
        if words and move[0] not in words:
            raise Rejected(f"script: move {self.at} is {move[0]!r}, not {' or '.join(words)}")
        self.at += 1
        return move

    def whole(self, world: World) -> Iterator[Part]:
        """All parts; raises `Rejected` where moves are left over, or a name has no meaning."""
        for part in self.every_part(world):
            if strangers := part.strangers:
                raise Rejected(f"{part.name}: {min(strangers)} has no meaning here")
            yield part

    def every_part(self, world: World) -> Iterator[Part]:
        """What is claimed of places, and what is demanded of points."""
        if world.roots:
            yield from self.claimed(world)
        self.words, self.apart = frozenset(), ()  # demands say nothing of the places of others
        yield from self.demands(world._replace(boxes=()))

    def claimed(self, world: World) -> Iterator[Part]:
        """What is claimed of functions.

        Results without a box may be numbered in any: places that are equal have equal numbers.
        """
        self.at = len(self.divisors)
        for d in self.divisors:
            yield self.part(world, "joined", {}, goal(">=", self.of_sizes(world, d), 1))
        if self.words and self.at < len(self.moves) and self.moves[self.at][0] == "back":
            world, self.words = self.inverse_world(world), frozenset()
        alone = self.words == {"injective"}
        if alone and self.at < len(self.moves) and self.moves[self.at][0] == "box":
            results = tuple(self.of_sizes(world, read(t)) for t in self.next()[1:])
            if len(results) != len(world.boxes[0]):
                raise Rejected(f"a box of {len(results)} sizes for {len(world.boxes[0])} results")
            world = world._replace(boxes=(results,))
        yield from self.world(world)

    def demands(self, world: World) -> Iterator[Part]:
        """Each demand in one of its ways, some of them in one world."""
        left = set(range(len(self.duties)))
        while left or self.at != len(self.moves):
            choices = [self.way(text) for text in self.next("about")[1:]]
            left -= {k for k, _ in choices}
            yield from self.world(world._replace(roots=tuple(case for _, case in choices)))

    def way(self, text: str) -> tuple[int, Case]:
        """A demand as `4`, or `4.1` for the second way to show it."""
        match = re.fullmatch(r"(\d{1,4})(?:\.(\d))?", text)
        k, way = (int(match[1]), int(match[2] or 0)) if match else (len(self.duties), 0)
        if k >= len(self.duties) or way >= len(self.duties[k]):
            raise Rejected(f"script: {text!r} is nothing that is asked")
        return k, self.duties[k][way]

    def inverse_world(self, w: World) -> World:
        """The world of a function that gives back each point, or a point for each place."""
        from symlayout.certificate.worlds import inverse_world

        return inverse_world(self, w)

    # -- worlds -----------------------------------------------------------------------------------

    def world(self, w: World, deep: int = DEEPEST) -> Iterator[Part]:
        """The parts of one world, by its next move."""
        if not deep:
            raise Rejected(f"sizes are taken apart more than {DEEPEST} times: the limit")
        match self.next("split", "reindex", "weaken", "power", "each", "cases"):
            case ("weaken", *numbers):  # what holds under fewer facts holds under all
                left = frozenset(map(whole_number, numbers))
                facts = tuple(r for k, r in enumerate(w.facts) if k not in left)
                yield from self.world(w._replace(facts=facts), deep - 1)
            case ("each",):  # what is claimed of points is shown of one root after the other
                if not all(root.ops for root in w.roots):
                    raise Rejected("script: places of a root are compared with those of others")
                for root in w.roots:
                    yield from self.world(w._replace(roots=(root,)), deep - 1)
            case ("cases",):
                yield from self.cases(w)
            case move:
                from symlayout.certificate.worlds import sizes

                yield from sizes(self, w, move, deep)

    # -- what is claimed --------------------------------------------------------------------------

    def cases(self, w: World) -> Iterator[Part]:
        """The roots of a world, each taken apart; then what is claimed of all their leaves."""
        ends: list[list[Case]] = []
        for root in w.roots:
            self.leaf_cases = []
            yield from self.case(w, root.flat(), w.boxes[len(ends)] if not root.ops else ())
            if not root.ops:
                ends.append(self.leaf_cases)
        for k, cases in enumerate(ends):
            if "injective" in self.words:
                for a, b in combinations(cases, 2):
                    yield self.told_apart(w, a, b)
            if "onto" in self.words:
                yield self.count_part(w, cases, w.boxes[k])
        for m, n in self.apart:
            for a in ends[m]:
                for b in ends[n]:
                    yield self.told_apart(w, a, b)

    def count_part(self, w: World, cases: Sequence[Case], box: Sequence[Expr]) -> Part:
        """As many points as places: the places of the points are different, and in the box."""
        for case in cases:
            own = {x.name for x in case.coords}
            if case.loose or case.premises or any(own & names_in(d) for _, d in case.box):
                raise Rejected("count: the points of a case are not those of a box of sizes")
        extents = [goal(">=", d, 0) for case in cases for _, d in case.box]
        total = sum((product(d for _, d in case.box) for case in cases), ZERO)
        return self.part(w, "count", {}, goal("==", total, product(box)), *extents)

    def told_apart(self, w: World, a: Case, b: Case) -> Part:
        """Some expression of a place differs between every two points of both cases."""
        _, letter, text, modulus = (*self.next("apart"), "", "", "")[:4]
        names = w.vocabulary | {x.name for c in (a, b) for x in c.coords}
        results = self.fresh(names, *[f"{letter}{k}" for k in range(len(a.results))])
        used = names | {s.name for s in results}
        other = self.fresh(used, *[f"{x}_{letter}" for x in b.coords])
        table = dict(zip(b.coords, other))
        e = read(text)
        if not names_in(e) <= {*w.names, *[s.name for s in results]}:
            raise Rejected(f"{e} speaks of more than a place and sizes")
        here = put(e, dict(zip(results, a.results)))
        there = put(e, dict(zip(results, [put(r, table) for r in b.results])))
        box = {x.name: d for x, d in a.box}
        box |= {table[x].name: put(d, table) for x, d in b.box}
        relations = tuple(map(holds, a.premises))
        relations += tuple(
            Relation("<", put(c.left, table), put(c.right, table)) for c in b.premises
        )
        m = whole_number(modulus)
        differ = goal("!=", here, there) if m < 2 else goal("!=", Mod(here - there, m), 0)
        return self.part(w, "apart", box, differ, premises=relations)

    def leaf(
        self, w: World, case: Case, box: Sequence[Expr], texts: Sequence[str]
    ) -> Iterator[Part]:
        """What is claimed of a case at which nothing is open."""
        if case.guard:
            raise Rejected("script: a leaf has conditions left")
        own = {x.name: d for x, d in case.box}
        relations = tuple(map(holds, case.premises))
        if case.ops:
            goals = [goal(op, e, 0) for op, e in zip(case.ops, case.results)]
            yield self.part(w, "points", own, *goals, premises=relations)
            return
        self.leaf_cases.append(case)
        if len(self.leaf_cases) > MOST_LEAVES:
            raise Rejected(f"more than {MOST_LEAVES} cases: the limit")
        both = zip(case.results, box) if "bounded" in self.words else ()
        within = [g for e, d in both for g in (goal(">=", e, 0), goal("<", e, d))]
        yield self.part(w, "places", own, *within, premises=relations)
        if "injective" not in self.words:
            return
        raw = number(case.results, box) if len(box) > 1 else case.results[0]
        back = [read(t) for t in texts]
        whole = len(back) == len(case.box)
        if texts and not whole:
            raise Rejected(f"{len(back)} expressions for {len(case.box)} coordinates")
        if self.offset in own or self.offset in w.vocabulary:
            raise Rejected(f"{self.offset} has a meaning already")
        known = [put(e, {symbol(self.offset): raw}) for e in back]
        given_back = [goal("==", e, x) for e, x in zip(known, case.coords)]
        if not whole:  # whoever writes a script asks here for the place: that shows nothing
            given_back = [goal("==", ZERO, 1)]
        place = Map(tuple(own.values()), tuple(case.coords), raw, product(box), None)
        named = frozenset(names_in(*back) - {self.offset})
        yield self.part(
            w, "back", own, *given_back, premises=relations, constant=named, place=place
        )

    # -- cases ------------------------------------------------------------------------------------

    def step(self, w: World, case: Case, move: Move) -> tuple[list[Part], list[Case]]:
        """What a move shows, and the cases that it makes of one."""
        from symlayout.certificate.moves import step

        return step(self, w, case, move)

    def case(self, w: World, root: Case, box: Sequence[Expr]) -> Iterator[Part]:
        """The parts of a root, by its moves: the first part of a case is gone through first."""
        waiting = [root]
        while waiting:
            case = waiting.pop()
            self.work.spend(sum(map(length, case.expressions)))
            move = self.next()
            if move[0] == "leaf":
                yield from self.leaf(w, case, box, move[1:])
                continue
            parts, cases = self.step(w, case, move)
            yield from parts
            waiting += [c.flat() for c in reversed(cases)]
