"""Proofs by script as proofs of Rocq: each part is a lemma, each split an analysis of cases.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.certificate.cases import Case, World, contrary, rest_of_guard
from symlayout.certificate.exact import Rejected
from symlayout.certificate.moves import Move, ways_to_split
from symlayout.certificate.part import Part
from symlayout.certificate.proof import Proof
from symlayout.certificate.rocq.points import stated
from symlayout.certificate.rocq.statement import Stated
from symlayout.certificate.rocq.terms import condition, missing, name
from symlayout.certificate.rocq.theorem import Theorem
from symlayout.certificate.semantics import Claim
from symlayout.expr.conditions import ALWAYS, Less

MOVES = ("cases", "about", "leaf", "split")


def by_script(proof: Proof, title: str) -> str:
    """The text of a module with the claim of a proof by script, and its proof."""
    for move in proof.texts.script:
        if move[0] not in MOVES:
            raise missing(f"the move {move[0]!r} of a script")
    claim = Claim(proof.claim, proof.hint, proof.points)
    statement, says = stated(claim)
    return ByScript(claim, proof, statement, says).text(title)


class ByScript(Theorem):
    """What is printed of a claim that a script shows."""

    def __init__(self, claim: Claim, proof: Proof, statement: Stated, says: list[str]) -> None:
        super().__init__(claim, proof, statement)
        self.says = says
        self.script, self.world = claim.script(proof.texts)

    def is_lemma(self, part: Part) -> bool:
        """That a condition has a value shows nothing in Rocq, where each expression has one."""
        return super().is_lemma(part) and not part.name.endswith(" known")

    def prove(self) -> None:
        """Each proposition of the statement, in the order of the script."""
        many = len(self.claim.duties)
        if self.world.roots:
            self.cases(self.world, range(many, many + len(self.world.roots)))
        inner = self.world._replace(boxes=())
        while self.script.at != len(self.script.moves):
            choices = [self.script.way(text) for text in self.script.next("about")[1:]]
            roots = tuple(case for _, case in choices)
            self.cases(inner._replace(roots=roots), [k for k, _ in choices])
        whole = f"P{len(self.says) - 1}'"
        for k in reversed(range(len(self.says) - 1)):
            whole = f"(conj P{k}' {whole})"
        self.say(f"exact {whole}.")

    def cases(self, w: World, numbers: Sequence[int]) -> None:
        """The roots of a world, which are propositions of the statement with these numbers."""
        if self.script.next()[0] != "cases":
            raise missing("a script that takes sizes apart")
        for k, root in zip(numbers, w.roots, strict=True):
            self.say(f"assert (P{k}' : {self.says[k]}).", "{", "cbn [lands inside].")
            for x, _ in root.box:
                self.say(f"intros {name(x.name)} [L'{name(x.name)} U'{name(x.name)}].")
            self.say("intros.")
            self.case(w, root.flat())
            self.say("}")

    def case(self, w: World, case: Case) -> None:
        """A case, by its next move."""
        move = self.script.next()
        if move[0] == "leaf":
            (part,) = self.script.leaf(w, case, (), move[1:])
            if not part.nowhere:
                self.say(f"pose proof {self.at(part)} as G'.")
            self.say("lia.")
            return
        if move[0] != "split":
            raise Rejected(f"script: {move[0]!r} is not a move of a case")
        self.split(w, case, move)

    def split(self, w: World, case: Case, move: Move) -> None:
        """A condition that is shown to be true or false, or an analysis of both cases."""
        c, texts = self.script.condition(w, case, move[2:]), move[2:]
        parts, cases = self.script.step(w, case, move)
        _, branches = ways_to_split(move[1], c)
        flat = [inner.flat() for inner in cases]
        left = [
            None if (c, yes) == (ALWAYS, False) or gone else flat.pop(0)
            for yes in branches
            for gone in [not texts and rest_of_guard(case.guard, yes) is None]
        ]
        if len(branches) == 2:
            self.say(f"assert ({condition(c)} \\/ {condition(contrary(c))}) as D' by lia.")
            self.say("destruct D' as [D' | D'].")
        elif not parts[0].nowhere:
            self.say(f"assert {condition(c if branches[0] else contrary(c))} as D'.")
            self.say(f"{{ pose proof {self.at(parts[0])} as G'; lia. }}")
        else:
            self.say("exfalso; lia.")
            return
        for inner in left:
            self.say("{")
            if inner is None:
                self.say("exfalso; lia.")
            else:
                if isinstance(c, Less):
                    self.say("decided.")
                self.say("kept D'.")
                self.case(w, inner)
            self.say("}")

    def at(self, part: Part) -> str:
        """The lemma of a part at the point that is looked at."""
        coords = [name(x) for x in part.box]
        ranges = [proof for x in coords for proof in (f"L'{x}", f"U'{x}")]
        premises = ["ltac:(lia)" for _ in part.premises]
        return self.used(part.name, coords, [*ranges, *premises])
