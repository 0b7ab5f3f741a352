"""Proofs by script as proofs of Rocq: each part is a lemma, each split an analysis of cases.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from symlayout.certificate.cases import (
    ZERO,
    Case,
    World,
    contrary,
    of_comparison,
    read,
    read_condition,
    ways_to_split,
    whole_number,
)
from symlayout.certificate.exact import Rejected
from symlayout.certificate.functions import Function
from symlayout.certificate.proof import Proof
from symlayout.certificate.rocq.notations import listed
from symlayout.certificate.rocq.places import Places
from symlayout.certificate.rocq.points import at_points, stated
from symlayout.certificate.rocq.statement import Stated, together
from symlayout.certificate.rocq.terms import AND, condition, missing, name, outer, relation, term
from symlayout.certificate.script import Move
from symlayout.certificate.semantics import Claim
from symlayout.certificate.worlds import renamed_world
from symlayout.expr.conditions import ALWAYS, Less
from symlayout.expr.relations import Relation
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Symbol

MOVES = ("cases", "about", "leaf", "split", "back", "reindex", "weaken", "each", "apart", "xor")


def by_script(proof: Proof, title: str) -> str:
    """The text of a module with the claim of a proof by script, and its proof."""
    for move in proof.texts.script:
        if move[0] not in MOVES:
            raise missing(f"the move {move[0]!r} of a script")
    claim = Claim(proof.claim, proof.hint, proof.points)
    statement, says = stated(claim)
    return ByScript(claim, proof, statement, says).text(title)


class ByScript(Places):
    """What is printed of a claim that a script shows."""

    def __init__(self, claim: Claim, proof: Proof, statement: Stated, says: list[str]) -> None:
        super().__init__(claim, proof, statement)
        self.says = says
        self.script, self.top = claim.script(proof.texts)

    def prove(self) -> None:
        """Each proposition of the statement, in the order of the script."""
        self.known = {relation(r): f"F{k}'" for k, r in enumerate(self.claim.facts)}
        many = len(self.claim.duties)
        if self.script.moves[0][0] == "back":
            self.undone(many)
        elif self.top.roots:
            self.propositions(self.top, range(many, len(self.says)))
        inner = self.top._replace(boxes=())
        while self.script.at != len(self.script.moves):
            choices = [self.script.way(text) for text in self.script.next("about")[1:]]
            roots = tuple(case for _, case in choices)
            self.propositions(inner._replace(roots=roots), [k for k, _ in choices])
        whole = f"P{len(self.says) - 1}'"
        for k in reversed(range(len(self.says) - 1)):
            whole = f"(conj P{k}' {whole})"
        self.say(f"exact {whole}.")

    def propositions(self, w: World, numbers: Sequence[int]) -> None:
        """The roots of a world: propositions of the statement with these numbers."""
        whole = together([self.says[k] for k in numbers])
        self.say(f"assert (W' : {whole}).", "{")
        self.world(w)
        pattern = f"P{numbers[-1]}'"
        for k in reversed(numbers[:-1]):
            pattern = f"[P{k}' {pattern}]"
        verb = "destruct W' as" if len(numbers) > 1 else "rename W' into"
        self.say("}", f"{verb} {pattern}.")

    # -- a function that gives each point back -----------------------------------------------------

    def undone(self, many: int) -> None:
        """What is said of results, as another function undoes the map."""
        letter, *texts = self.script.moves[0][1:]
        f, w = self.claim.functions[0], self.script.inverse_world(self.top)
        if any(e != 0 for e in f.ends[::2]):
            raise missing("a map that is undone, one of whose ranges does not begin at 0")
        first = many + len(f.extents)
        trips = w.roots[len(f.extents) :]
        own = self.says[first:]
        self.says[first:] = [at_points(root) for root in trips]
        self.propositions(w, range(many, many + len(w.roots)))
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

    # -- worlds -----------------------------------------------------------------------------------

    def world(self, w: World) -> None:
        """The propositions of a world's roots, by its next move."""
        match self.script.next("split", "reindex", "weaken", "each", "cases"):
            case ("split", how, text):
                self.sides(w, how, text)
            case ("reindex", known, old, new, *texts):
                self.other_sizes(w, known, old, new, texts)
            case ("weaken", *numbers):
                left = frozenset(map(whole_number, numbers))
                facts = tuple(r for k, r in enumerate(w.facts) if k not in left)
                self.world(w._replace(facts=facts))
            case ("each",):
                for k, root in enumerate(w.roots):
                    with self.one_of(k == len(w.roots) - 1):
                        self.world(w._replace(roots=(root,)))
            case _:
                self.roots(w)

    @contextmanager
    def inner(self, facts: Sequence[Relation]) -> Iterator[None]:
        """A goal of its own, in which these facts have names."""
        before = dict(self.known)
        self.say("{")
        for r in facts:
            text = relation(r)
            if text not in self.known:
                self.count += 1
                self.known[text] = f"W{self.count}'"
                self.say(f"assert (W{self.count}' : {text}) by known.")
        yield
        self.say("}")
        self.known = before

    def sides(self, w: World, how: str, text: str) -> None:
        """A condition on sizes, which is open, or is true or false of all of them."""
        c = read_condition(text)
        goals, branches = ways_to_split(how, c)
        if not isinstance(c, Less):
            raise Rejected(f"script: {how!r} is not a way to split sizes by {c}")
        if goals:
            part = self.script.part(w, "impossible" if c == ALWAYS else how, {}, *goals)
            self.say(f"pose proof {self.used(part.name)} as D'.")
        else:
            self.say(f"assert ({condition(c)} \\/ {condition(contrary(c))}) as D' by lia.")
            self.say("destruct D' as [D' | D'].")
        for yes in branches:
            if (c, yes) == (ALWAYS, False):
                self.say("{ exfalso; lia. }")
                continue
            fact = of_comparison(c if yes else Less(c.right, c.left + 1))
            with self.inner([fact]):
                self.say("kept D'.")
                self.world(w._replace(facts=(*w.facts, fact)))

    def other_sizes(self, w: World, known: str, old: str, new: str, texts: Sequence[str]) -> None:
        """Other sizes: what old ones are by the new ones."""
        part, back, forth, more, inner = renamed_world(self.script, w, known, old, new, texts)
        if not all(isinstance(e, Symbol) for e in back):
            raise missing("expressions of sizes that are named")
        self.say(f"pose proof {self.used(part.name)} as G'.")
        values = {y: outer(term(e)) for y, e in forth.items()}
        says = [f"{outer(term(by))} = {name(e.name)}" for e, by in back.items()]
        says = [*map(relation, more), *says]
        hyps = self.exist([name(y.name) for y in values], says, list(values.values()))
        gone = {e.name for e in back}
        self.say(*[f"destruct {hyp}." for hyp in hyps[len(more) :]], "clear G'.")
        before, moved, self.moved = self.known, self.moved, True
        own = {relation(r) for r in w.facts if gone.isdisjoint(r.names)}
        self.known = {text: n for text, n in before.items() if text in own}
        with self.inner(inner.facts):
            self.world(inner)
        self.known, self.moved = before, moved

    def roots(self, w: World) -> None:
        """The roots of a world, each taken apart."""
        for k, root in enumerate(w.roots):
            last = k == len(w.roots) - 1
            if not root.ops:
                self.placed(w, root, w.boxes[0])
                continue
            with self.one_of(last):
                self.demand(w, root)

    def demand(self, w: World, root: Case) -> None:
        """What is demanded of the points of a root."""
        self.say("cbn [lands inside].")
        self.entered(root)
        self.say("intros.")
        self.values = [f"v{k}'" for k in range(len(root.results))]
        for v, e in zip(self.values, root.results):
            self.say(f"destruct (named ({outer(term(e))})) as [{v} V'{v}].")
        goals = [relation(Relation(op, symbol(v), ZERO)) for op, v in zip(root.ops, self.values)]
        self.say(f"enough ({AND.join(goals) or 'True'}) by known.")
        self.case(w, root.flat(), self.at_leaf)

    def at_leaf(self, w: World, case: Case, move: Move) -> None:
        """A leaf of what is demanded."""
        (part,) = self.script.leaf(w, case, (), move[1:])
        if part.nowhere:
            self.say("exfalso; lia.")
            return
        self.say(f"pose proof {self.at(part)} as G'.")
        self.say(*[f"rewrite V'{v}." for v in self.values], "exact G'.")
