"""Proofs by script as proofs of Rocq: each part is a lemma, each split an analysis of cases.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.certificate.cases import Case, World, contrary, read, rest_of_guard, ways_to_split
from symlayout.certificate.exact import Rejected
from symlayout.certificate.functions import Function
from symlayout.certificate.part import Part
from symlayout.certificate.proof import Proof
from symlayout.certificate.rocq.notations import listed
from symlayout.certificate.rocq.points import at_points, stated
from symlayout.certificate.rocq.statement import Stated
from symlayout.certificate.rocq.terms import condition, missing, name, outer, term
from symlayout.certificate.rocq.theorem import Theorem
from symlayout.certificate.script import Move
from symlayout.certificate.semantics import Claim
from symlayout.expr.conditions import ALWAYS, Less

MOVES = ("cases", "about", "leaf", "split", "back")


def by_script(proof: Proof, title: str) -> str:
    """The text of a module with the claim of a proof by script, and its proof."""
    for move in proof.texts.script:
        if move[0] not in MOVES:
            raise missing(f"the move {move[0]!r} of a script")
    claim = Claim(proof.claim, proof.hint, proof.points)
    statement, says = stated(claim)
    if claim.word not in ("bounded", "fits") and proof.texts.script[0][0] != "back":
        raise missing(f"a script that tells places apart and shows that a map is {claim.word}")
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
        if self.script.moves[0][0] == "back":
            self.undone(many)
        elif self.world.roots:
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

    # -- a function that gives each point back -----------------------------------------------------

    def undone(self, many: int) -> None:
        """What is said of results, as another function undoes the map."""
        letter, *texts = self.script.moves[0][1:]
        f, w = self.claim.functions[0], self.script.inverse_world(self.world)
        if any(e != 0 for e in f.ends[::2]):
            raise missing("a map that is undone, one of whose ranges does not begin at 0")
        first = many + len(f.extents)
        trips = w.roots[len(f.extents) :]
        own = self.says[first:]
        self.says[first:] = [at_points(root) for root in trips]
        self.cases(w, range(many, many + len(w.roots)))
        self.says[first:] = own
        for k in range(len(trips)):
            self.say(f"rename P{first + k}' into T{k}'.")
        marks = [name(f"{letter}{k}") for k in range(len(f.results))]
        place = listed(outer(term(read(t))) for t in texts)
        for k, text in enumerate(own):
            self.say(f"assert (P{first + k}' : {text}).", "{")
            getattr(self, f"_{text.split()[0]}")(f, trips, marks, place)
            self.say("}")

    def trip(self, k: int, root: Case) -> None:
        """What is known of a point, by a round trip."""
        ranges = [f"{name(x.name)} (conj L'{name(x.name)} U'{name(x.name)})" for x, _ in root.box]
        guard = ["ltac:(lia)" for _ in root.guard]
        proof = " ".join([f"T{k}'", *ranges, *guard])
        self.say(f"pose proof ({proof}) as G'.")

    def _lands(self, f: Function, trips: Sequence[Case], marks: list[str], place: str) -> None:
        self.say("cbn [lands inside].")
        for x, _ in f.box:
            self.say(f"intros {name(x.name)} [L'{name(x.name)} U'{name(x.name)}].")
        self.say("intros.")
        self.trip(0, trips[0])
        self.say("lia.")

    def _one_to_one(self, f: Function, trips: Sequence[Case], marks: list[str], place: str) -> None:
        self.say(
            f"apply (one_to_one_by _ (fun place => match place with {listed(marks)} => {place}",
            "  | _ => [] end)).",
            "intros p' r' I'.",
        )
        for x, _ in f.box:
            self.say(f"coordinate p' {name(x.name)} I' L'{name(x.name)} U'{name(x.name)}.")
        self.say("no_coordinate p' I'.", "destruct I' as [K' E']; subst r'.")
        self.trip(0, trips[0])
        self.say("each_by lia.")

    def _reaches(self, f: Function, trips: Sequence[Case], marks: list[str], place: str) -> None:
        self.say("intros r' I'.")
        for x in marks:
            self.say(f"coordinate r' {x} I' L'{x} U'{x}.")
        self.say("no_coordinate r' I'.")
        self.trip(1, trips[1])
        self.say(f"exists {place}; cbn [takes].", "each_by lia.")

    # -- cases ------------------------------------------------------------------------------------

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
