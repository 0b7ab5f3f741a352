"""A proof by cases, gone through once more: its parts, and Z3's check of each move between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields

from symlayout.certificate.cases import Case, World
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.confirm.splits import Splits
from symlayout.certificate.part import Goal, Part
from symlayout.certificate.proof import Texts
from symlayout.certificate.script import DEEPEST, Move, Script
from symlayout.certificate.semantics import Claim
from symlayout.expr.tree import Expr


@dataclass
class Walk(Script):
    """A script whose moves Z3 confirms while its parts come out."""

    splits: Splits = field(default_factory=Splits)
    open: list[list[World]] = field(default_factory=list)  # the worlds that each move has come to

    def step(self, w: World, case: Case, move: Move) -> tuple[list[Part], list[Case]]:
        """What a move of a case shows, and the cases that it makes, which Z3 confirms."""
        parts, cases = super().step(w, case, move)
        counting = "onto" in self.words and not case.ops
        self.splits.of_case(w, case, move, parts, cases, counting)
        return parts, cases

    def leaf(
        self, w: World, case: Case, box: Sequence[Expr], texts: Sequence[str]
    ) -> Iterator[Part]:
        """The parts of a leaf: where places are to differ, the last gives each coordinate back."""
        goals: Sequence[Goal] = ()
        for part in super().leaf(w, case, box, texts):
            yield part
            goals = part.goals
        same = [r.right for goal in goals for r in goal] == case.coords
        if "injective" in self.words and not (case.ops or same):
            raise NotConfirmed("a leaf that does not give all coordinates back")

    def world(self, w: World, deep: int = DEEPEST) -> Iterator[Part]:
        """The parts of a world, whose move Z3 confirms."""
        if self.open:
            self.open[-1].append(w)
        move = self.moves[self.at] if self.at < len(self.moves) else ("",)
        worlds, own = list[World](), list[Part]()
        self.open.append(worlds)
        for part in super().world(w, deep):
            if not worlds:
                own.append(part)
            yield part
        self.open.pop()
        self.splits.of_sizes(w, move, own, worlds)


def parts_of(claim: Claim, texts: Texts, splits: Splits) -> Iterator[Part]:
    """The parts of a proof by cases, whose moves Z3 confirms as they are gone through."""
    script, world = claim.script(texts)
    if script.divisors:
        raise NotConfirmed("results are joined, of which Z3 is not asked")
    yield from claim.before_cases()
    yield from Walk(
        **{f.name: getattr(script, f.name) for f in fields(script)} | {"splits": splits}
    ).whole(world)
