"""Z3's check of the moves of a proof by cases: no point is lost, and none counts twice.

A move replaces a case by new ones.  Z3 confirms of the two maps between them (`maps`), for all sizes:

- each point of the case goes to one of a new case, with the same result, and comes back from there:
  so what holds at all points of the new cases holds at all of the case's, and where no two points of
  the new cases have one result, no two of the case's have;
- where points are counted, each point of a new case comes from one of the case, and goes there.

What the certificate shows of a move (its parts) holds at the points of the part's box.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from symlayout.certificate.cases import Case, World, contrary, read_condition
from symlayout.certificate.confirm import maps
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.confirm.maps import Branch
from symlayout.certificate.confirm.meanings import Meanings, Scope
from symlayout.certificate.confirm.places import Place, check_names, guards, points
from symlayout.certificate.confirm.rows import in_rows
from symlayout.certificate.part import Part
from symlayout.expr.conditions import Condition, Either
from symlayout.expr.facts import Relation


class View(NamedTuple):
    """What is known at a place, and what the old and the new names mean there."""

    place: Place
    source: Scope | None
    target: Scope | None


class Splits:
    """The moves of one script."""

    def __init__(self) -> None:
        self.meanings, self.count = Meanings(), 0

    def place(
        self,
        facts: Sequence[Relation],
        case: Case | None,
        there: Sequence[Condition],
        parts: Sequence[Part],
        scope: Scope | None,
    ) -> Place:
        """What is known of sizes, or at a point of a case, where the names mean what a scope says."""
        place = Place(self.meanings)
        place.suppose(facts, scope)
        if case is not None:
            place.know(points(self.meanings, case, scope))
        place.conditions(there, scope)
        for part in parts:
            place.learn(part, scope)
        return place

    def there(self, at: Callable[[Scope | None], Place], branch: Branch) -> View:
        """What is known where something goes by a branch: it comes back from there.

        Where the old names are polynomials of the new ones, these are the unknowns.
        """
        m, target = self.meanings, self.meanings.scope(branch.forth)
        place = at(None)
        for x, e in branch.back.items():
            place.equal(m.term(e, target), m.unknown(x))
        if not branch.from_new:
            return View(place, None, target)
        self.count += place.count
        source = m.scope(branch.back)
        place = at(source)
        for y, e in branch.forth.items():
            t = m.term(e, source) - m.unknown(y)
            place.know([m.natural(t), m.natural(-t)])
        return View(place, source, None)

    # -- cases ------------------------------------------------------------------------------------

    def of_case(
        self,
        w: World,
        case: Case,
        move: Sequence[str],
        parts: Sequence[Part],
        cases: Sequence[Case],
        counting: bool,
    ) -> None:
        """A move of a case; `counting`: its points are those that are counted."""
        if move[0] == "blocks":
            self.count += in_rows(self.meanings, w, case, move[1:], parts, cases, counting)
            return
        if move[0] == "split":
            at = partial(self.place, w.facts, case, parts=parts, scope=None)
            for side, new in zip(self.sides(self.condition(case, move), len(cases), at), cases):
                self.one(w, case, maps.SAME, new, [side], (parts, parts), counting)
            return
        branch = maps.of_case(move)
        if len(cases) != 1:
            raise NotConfirmed("a case is left out by", " ".join(move))
        self.one(w, case, branch, cases[0], (), (parts[:1], parts[1:]), counting)

    def condition(self, case: Case | None, move: Sequence[str]) -> Condition:
        """What a case is split by, or sizes are."""
        if len(move) > 2:
            return read_condition(move[2])
        if case is None or not case.guard:
            raise NotConfirmed("no condition comes next")
        c = case.guard[0]
        return c.first if isinstance(c, Either) else c

    def sides(self, c: Condition, many: int, at: Callable[..., Place]) -> list[Condition]:
        """The sides of a condition that have one of so many cases; the others have no points."""
        results = list[Condition]()
        for k, side in enumerate((c, contrary(c))):
            if many - len(results) < 2 - k:
                self.count += 1
                if at(there=[side]).impossible():
                    continue
            results.append(side)
        if len(results) != many:
            raise NotConfirmed("a case is left out, or one too many, where", c)
        return results

    def one(
        self,
        w: World,
        case: Case,
        branch: Branch,
        new: Case,
        there: Sequence[Condition],
        parts: tuple[Sequence[Part], Sequence[Part]],
        counting: bool,
    ) -> None:
        """One of the new cases: `parts` are shown of the points of the case, and of the new one's."""
        check_names(w, case, branch, new)
        self.forth(w, case, there, branch, new, parts)
        if counting and not new.loose:
            self.back(w, case, there, branch, new, parts[1])

    def forth(
        self,
        w: World,
        case: Case,
        there: Sequence[Condition],
        branch: Branch,
        new: Case,
        parts: tuple[Sequence[Part], Sequence[Part]],
    ) -> None:
        """Each point goes to one of the new case with the same results, and comes back from there."""
        m = self.meanings
        at = partial(self.place, w.facts, case, there, parts[0])
        place, source, target = self.there(at, branch)
        if source is not None:
            for part in parts[1]:
                place.learn(part)
        place.show(points(m, new, target))
        for a, b in zip(case.results, new.results, strict=True):
            place.equal(m.term(a, source), m.term(b, target))
        self.count += place.count

    def back(
        self,
        w: World,
        case: Case,
        there: Sequence[Condition],
        branch: Branch,
        new: Case,
        parts: Sequence[Part],
    ) -> None:
        """Each point of the new case is one of the case, from which it goes to the new one."""
        m = self.meanings
        source, place = m.scope(branch.back), self.place(w.facts, new, (), parts, None)
        place.show(points(m, case, source))
        place.show([f for c in there for f in m.condition(c, source)])
        for y, e in branch.forth.items():
            place.equal(m.term(e, source), m.unknown(y))
        self.count += place.count

    # -- worlds -----------------------------------------------------------------------------------

    def of_sizes(
        self, w: World, move: Sequence[str], parts: Sequence[Part], worlds: Sequence[World]
    ) -> None:
        """A move of a world: all sizes are some of a new one, where the same is claimed."""
        if move[0] == "cases":
            if worlds:
                raise NotConfirmed("worlds that no move makes")
            return
        if move[0] == "each":
            apart = [w._replace(roots=(root,)) for root in w.roots if root.ops]
            if parts or len(apart) < len(w.roots) or apart != list(worlds):
                raise NotConfirmed("a root is left out, or not about points alone")
            return
        if move[0] == "split":
            at = partial(self.place, w.facts, None, parts=parts, scope=None)
            for side, new in zip(self.sides(self.condition(None, move), len(worlds), at), worlds):
                self.world(w, maps.SAME, new, [side], parts)
            return
        branch = maps.of_sizes(move)
        if len(worlds) != 1:
            raise NotConfirmed("sizes are left out by", " ".join(move))
        self.world(w, branch, worlds[0], (), parts)

    def world(
        self,
        w: World,
        branch: Branch,
        new: World,
        there: Sequence[Condition],
        parts: Sequence[Part],
    ) -> None:
        """All sizes where the conditions hold are some of a new world, which claims the same."""
        m, coords = self.meanings, {x.name for root in w.roots for x in root.coords}
        fresh = {*branch.forth} - {*branch.back}
        names = {*w.names, *fresh} - ({*branch.back} - {*branch.forth})
        if not fresh.isdisjoint(w.vocabulary) or not new.vocabulary <= names | coords:
            raise NotConfirmed("names that have another meaning")
        if not {n for r in new.facts if r not in w.facts for n in r.names} <= names:
            raise NotConfirmed("a fact of more than sizes")
        place, source, target = self.there(partial(self.place, w.facts, None, there, parts), branch)
        place.show([f for r in new.facts for f in m.relation(r, target)])
        self.same_roots(place, (w, source), (new, target))
        self.count += place.count

    def same_roots(
        self, place: Place, old: tuple[World, Scope | None], new: tuple[World, Scope | None]
    ) -> None:
        """Two worlds claim the same."""
        m, ((w, source), (v, target)) = self.meanings, (old, new)
        forms = [[len(w.roots), *map(len, w.boxes)], [len(v.roots), *map(len, v.boxes)]]
        forms += [[len(c.box) + len(c.results) for c in u.roots] for u in (w, v)]
        if forms[::2] != forms[1::2]:
            raise NotConfirmed("a world that claims something else")
        pairs = [(a, b) for box, other in zip(w.boxes, v.boxes) for a, b in zip(box, other)]
        for a, b in zip(w.roots, v.roots):
            here, there = guards(m, a, source), guards(m, b, target)
            same = [f.key for f in here] == [f.key for f in there]
            if (a.coords, a.ops, a.loose) != (b.coords, b.ops, b.loose) or not same:
                raise NotConfirmed("a world that claims something of other points")
            pairs += zip([d for _, d in a.box], [d for _, d in b.box])
            pairs += zip(a.results, b.results)
        for one, other in pairs:
            place.equal(m.term(one, source), m.term(other, target))
