"""The author of proofs by cases: writes down why each part of a script holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, product
from typing import Any, NamedTuple

from symlayout.certificate import plans
from symlayout.certificate.author import Author, Start, beginner, divides
from symlayout.certificate.codec import read_texts
from symlayout.certificate.exact import Rejected
from symlayout.certificate.part import Part
from symlayout.certificate.parts import part_json
from symlayout.certificate.semantics import Claim
from symlayout.certificate.witness import QUICK, THOROUGH, Effort
from symlayout.digits.sizes import sizes_in_order
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.tree import Expr

SAMPLES = 6
LISTED = 30  # sizes of which the samples are some

IMPOSSIBLE = "impossible"  # what a part is called whose facts contradict each other


class Local(NamedTuple):
    """What is given in one case of sizes, in the place of a claim."""

    facts: list[Relation]
    assumptions: Facts
    names: list[str]


class Memory(NamedTuple):
    """What scripts of one claim share: authors as they begin, and what they have written."""

    begun: dict[Any, Author]
    entered: dict[Any, Author]
    answers: dict[str, bool]
    parts: dict[Any, dict[str, Any] | str]  # by what is to be shown: a part, or why there is none


def memory() -> Memory:
    """Nothing yet."""
    return Memory({}, {}, {}, {})


class Casework:
    """Writes the parts of one claim's script."""

    claim: Claim
    script: list[list[str]]
    offset: str
    words: frozenset[Any]
    memory: Memory

    def __init__(
        self,
        claim: Claim,
        script: Sequence[Sequence[str]],
        brief: bool = False,
        shared: Memory | None = None,
    ) -> None:
        self.tries = [(QUICK, False, False)]
        if not brief:
            more = product((QUICK, THOROUGH), (False, True), (False,))
            self.tries = [*more, (QUICK, False, True)]
        self.claim, self.script = claim, [list(m) for m in script]
        names = {t for m in script for t in m} | set(claim.names)
        names |= {x.name for f in claim.functions for x, _ in f.box}
        words = ("offset", *[f"offset{k}" for k in range(len(names) + 1)])
        self.offset = next(n for n in words if not any(n in t for t in names))
        self.words = frozenset(w for t in names for w in re.findall(r"[A-Za-z_]\w*", t))
        # names that an author might choose himself
        self.reserved = frozenset(w for w in self.words if re.fullmatch(r"(q|r|s|m|digit)\d+", w))
        self.memory = memory() if shared is None else shared
        self.authors: dict[str, Author] = {}

    def whole(self) -> dict[str, Any]:
        """The texts and the parts; raises `Rejected` for what is not found."""
        script, world = self.claim.script(read_texts(self.texts))
        parts, waiting = dict[str, Any](), set[str]()
        for part in chain(self.claim.before_cases(), script.whole(world)):
            if part.place is None:
                parts[part.name] = self.content(part)
            else:  # the leaf that has just been gone through: what its part says waits for this
                self.script[script.at - 1] = ["leaf", *self.back(part)]
                waiting.add(part.name)
        texts = self.texts
        for part in self.claim.parts("script", read_texts(texts)) if waiting else ():
            values = self.content(part) if part.name in waiting else parts.pop(part.name)
            parts[part.name] = values
        return {"texts": texts, "parts": parts}

    @property
    def texts(self) -> dict[str, Any]:
        """The texts of the certificate."""
        return {"offset": self.offset, "script": self.script}

    # -- one part ---------------------------------------------------------------------------------

    def author(self, part: Part, solver: bool, effort: Effort, late: bool = False) -> Author:
        """An author for a part, who begins with the facts of its sizes: those that divide late."""
        begun, entered = self.memory.begun, self.memory.entered
        key = self.world(part), effort.each, late
        if key not in begun:
            begun[key] = self.beginner(part, effort, late)
        # parts of one case share the places, and what is given of them from the first on
        box, facts = tuple(part.box.items()), tuple(part.premises)
        for k in range(len(facts) + 1):
            place = key, box, facts[:k], solver
            if place in entered:
                author = entered[place]
            elif k:
                author = entered[place] = author.where(facts[k - 1], effort)
            else:
                author = entered[place] = begun[key].within(part.box, (), solver, effort)
        return author.fork(effort)

    def beginner(self, part: Part, effort: Effort, by_digits: bool = False) -> Author:
        """An author who knows the facts of a part's sizes.

        The digits know all but one, of those that divide at first, where facts contradict each other
        or one of them is not followed; or none of these, where several contradict the rest.
        """
        less = self.less(part)
        names_less = {n for n, _ in less}
        facts, names = list(part.facts or ()), list(part.names or ())
        relations = [r for r in facts if not (r.op == "<" and str(r.left) in names_less)]
        last = sorted(relations, key=divides, reverse=True)
        if not part.name.endswith(IMPOSSIBLE):
            last = [r for r in last if divides(r)]
        groups = dict.fromkeys(((), *[(r,) for r in last], tuple(last)))
        for late in groups:
            local = Local(facts, Facts(tuple(r for r in relations if r not in late)), names)
            with suppress(Rejected):
                first = by_digits or bool(late) or bool(less)
                more = {"late": first, "scope": self.words, "less": tuple(less)}
                return beginner(Start.of(local, self.points(part), effort.each, **more), effort)
        raise Rejected("the facts contradict each other")

    def world(self, part: Part) -> tuple[Any, ...]:
        """What an author of the part begins with."""
        return tuple(part.facts or ()), tuple(part.names or ()), self.reserved

    def less(self, part: Part) -> list[tuple[str, Expr]]:
        """Sizes that moves have brought in, such as remainders, with what they are less than."""
        rows = [
            (str(r.left), r.right) for r in part.facts or () if r.op == "<" and r.left.is_Symbol
        ]
        return [(n, d) for n, d in rows if n not in self.claim.names]

    def points(self, part: Part) -> list[dict[str, int]]:
        """Some sizes that satisfy the facts of a part; none where these contradict."""
        if part.name.endswith(IMPOSSIBLE):
            return []
        facts, names = Facts(tuple(part.facts or ())), tuple(part.names or ())
        hits = list(islice(sizes_in_order(facts, names, LISTED), LISTED))
        return [*hits[:1], *hits[1:][:: max(1, LISTED // SAMPLES)]]

    def back(self, part: Part) -> list[str]:
        """The coordinates of a leaf as expressions of its offset."""
        author = self.author(part, False, Effort())
        assert part.place is not None
        if author.nowhere:  # any expressions will do
            return ["0"] * len(part.place.coords)
        lines = plans.back(author, part.place, self.offset)
        self.authors[part.name] = author
        return lines

    def content(self, part: Part) -> dict[str, Any]:
        """The steps and reasons of a part, without a solver where that is enough."""
        first = self.authors.get(part.name)
        if first is not None:
            with suppress(Rejected, LayoutError):
                return part_json(part, first)
        box, goals = tuple(part.box.items()), tuple(map(tuple, part.goals))
        key = self.world(part), box, goals, part.constant, tuple(part.premises)
        for each, solver, late in self.tries:
            if late and not any(map(divides, part.facts or ())):
                continue
            answer = self.memory.parts.get(key)
            if not isinstance(answer, dict):
                answer = self.memory.parts.get((*key, each, solver, late))
            if answer is None:
                effort = Effort(each, answers=self.memory.answers)
                try:
                    author = self.author(part, solver, effort, late)
                    answer = self.memory.parts[key] = part_json(part, author)
                except (Rejected, LayoutError) as why:
                    answer = self.memory.parts[*key, each, solver, late] = str(why)
            if isinstance(answer, dict):
                return answer
            missing = answer
        raise Rejected(f"{part.name}: {missing}")


def casework(
    claim: Claim,
    script: Sequence[Sequence[str]],
    brief: bool = False,
    shared: Memory | None = None,
) -> Mapping[str, Any] | None:
    """The texts and parts of a proof by cases; None where it is not found (briefly: at a glance)."""
    try:
        return Casework(claim, script, brief, shared).whole()
    except (Rejected, LayoutError):
        return None
