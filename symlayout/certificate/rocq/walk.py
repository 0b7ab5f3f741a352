"""Points of a case as hypotheses of Rocq, and what moves make of them.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from symlayout.certificate.cases import (
    Case,
    World,
    contrary,
    read,
    rest_of_guard,
    ways_to_split,
    whole_number,
)
from symlayout.certificate.exact import Rejected
from symlayout.certificate.part import Part
from symlayout.certificate.rocq.replay import pattern_of
from symlayout.certificate.rocq.terms import AND, condition, missing, name, outer, relation, term
from symlayout.certificate.rocq.theorem import Theorem
from symlayout.certificate.script import Move, Script
from symlayout.expr.conditions import ALWAYS, Condition, Less
from symlayout.expr.facts import Relation
from symlayout.expr.terms import Where, put, symbol
from symlayout.expr.tree import Expr, Symbol

STEPS = ("split", "reindex", "weaken", "xor")  # the moves of a case that are printed
End = Callable[[World, Case, Move], None]


class Went(NamedTuple):
    """A move on the way to a leaf: the case before and after it, and what is shown of both.

    `olds` are the map's coordinates before, `back` the case's own by those after.
    """

    move: Move
    before: Case
    after: Case
    parts: Sequence[Part]
    olds: Mapping[str, Expr]
    condition: Condition = ALWAYS  # of a split: what holds
    back: Mapping[Symbol, Expr] = MappingProxyType({})


class Walk(Theorem):
    """Goes through the moves of a case: hypotheses say what its points are.

    A coordinate x has `L'x` and `U'x` for its range.  `V'v` says that an unknown is a result, and
    `O'p` what a coordinate of the map is.
    """

    script: Script
    known: dict[str, str]  # hypotheses of facts, by their texts
    values: Sequence[str] = ()
    olds: Mapping[str, Expr] = MappingProxyType({})
    way: tuple[Went, ...] = ()
    moved = False  # whether sizes have other names than in the statement

    def is_lemma(self, part: Part) -> bool:
        """That a condition has a value shows nothing in Rocq, where each expression has one."""
        return super().is_lemma(part) and not part.name.endswith(" known")

    def gives_back(self, part: Part) -> bool:
        """Expressions that give coordinates back are parts of a goal, as all others are."""
        return False

    def suppositions(
        self, part: Part
    ) -> tuple[Sequence[str], Sequence[Relation], Sequence[tuple[str, ...]]]:
        """The sizes of a part, and its facts."""
        names = self.claim.names if part.names is None else part.names
        facts = self.claim.facts if part.facts is None else part.facts
        return names, facts, [(relation(r),) for r in facts]

    def used(self, part: str, coords: Sequence[str] = (), ranges: Sequence[str] = ()) -> str:
        """The lemma of a part, at coordinates whose ranges are known."""
        own = self.lemmas[part]
        names, facts, _ = self.suppositions(own.part)
        fixed = [*map(name, own.fixed)]
        arguments = [*map(name, names), *fixed, *coords, *map(self.fact, facts)]
        defined = [f"D'{x}" for x in fixed]
        return f"({' '.join([own.title, *arguments, *defined, *ranges])})"

    def fact(self, r: Relation) -> str:
        """The proof of a fact."""
        return self.known.get(relation(r), "ltac:(known)")

    def at(self, part: Part, after: str = "") -> str:
        """The lemma of a part at the point that is looked at."""
        coords = [name(x) + after for x in part.box]
        ranges = [proof for x in coords for proof in (f"L'{x}", f"U'{x}")]
        premises = ["ltac:(known)" for _ in part.premises]
        return self.used(part.name, coords, [*ranges, *premises])

    def fresh(self, word: str) -> str:
        """A name that nothing has."""
        self.count += 1
        return f"{word}{self.count}'"

    # -- points -----------------------------------------------------------------------------------

    def entered(self, case: Case) -> None:
        """The coordinates of a root, and their ranges in the words of the script."""
        for x, d in case.box:
            self.say(f"intros {name(x.name)} [L'{name(x.name)} U'{name(x.name)}].")
            if self.moved:
                self.ranged(name(x.name), d)

    def ranged(self, x: str, d: Expr) -> None:
        """The upper end of a range in other words."""
        self.say(f"assert (N' : {x} < {outer(term(d))}) by known.")
        self.say(f"clear U'{x}; rename N' into U'{x}.")

    def valued(self, before: Case, after: Case) -> None:
        """Results in other words."""
        for v, old, new in zip(self.values, before.results, after.results):
            text = outer(term(new))
            if text != outer(term(old)):
                self.say(f"assert (N' : {v} = {text}) by (rewrite V'{v}; same).")
                self.say(f"clear V'{v}; rename N' into V'{v}.")

    # -- moves ------------------------------------------------------------------------------------

    def case(self, w: World, case: Case, end: End) -> None:
        """A case, by its next move."""
        move = self.script.next()
        if move[0] == "leaf":
            end(w, case, move)
        elif move[0] in STEPS:
            getattr(self, move[0])(w, case, move, end)
        else:
            raise Rejected(f"script: {move[0]!r} is not a move of a case")

    def goes(self, went: Went, w: World, end: End) -> None:
        """On with the case after a move."""
        before, self.way = self.way, (*self.way, went)
        self.case(w, went.after.flat(), end)
        self.way = before

    def split(self, w: World, case: Case, move: Move, end: End) -> None:
        """A condition that is shown to be true or false, or an analysis of both cases."""
        c, texts = self.script.condition(w, case, move[2:]), move[2:]
        parts, cases = self.script.step(w, case, move)
        _, branches = ways_to_split(move[1], c)
        flat = list(cases)
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
        for yes, inner in zip(branches, left):
            self.say("{")
            if inner is None:
                self.say("exfalso; known.")
            else:
                if isinstance(c, Less) and any(e.has(Where) for e in case.expressions):
                    self.say("decided.")
                self.say("kept D'.")
                self.valued(case, inner)
                own = c if yes else contrary(c)
                self.goes(Went(move, case, inner, parts, self.olds, own), w, end)
            self.say("}")

    def reindex(self, w: World, case: Case, move: Move, end: End) -> None:
        """Other coordinates: those of the point that is looked at."""
        (forth, back), (after,) = self.script.step(w, case, move)
        old, new, texts = renamed(move)
        if not forth.nowhere:
            self.say(f"pose proof {self.at(forth)} as G'.")
        here: dict[Expr, str] = {x: self.set_aside(name(x.name)) for x in old}
        extents = dict(after.box)
        says = []
        for y in new:
            says += [f"0 <= {name(y.name)}", f"{name(y.name)} < {outer(term(extents[y]))}"]
        says += [f"{outer(term(e))} = {here[x]}" for x, e in old.items()]
        more = list(zip(self.values, after.results)) if texts else []
        says += [f"{v} = {outer(term(e))}" for v, e in more]
        hyps = self.exist(
            [name(y.name) for y in new], says, [outer(term(e, here)) for e in new.values()]
        )
        for n, own in enumerate(name(y.name) for y in new):
            self.say(f"rename {hyps[2 * n]} into L'{own}.")
            self.say(f"rename {hyps[2 * n + 1]} into U'{own}.")
        for (v, _), hyp in zip(more, hyps[len(hyps) - len(more) :]):
            self.say(f"clear V'{v}; rename {hyp} into V'{v}.")
        self.say(*[f"destruct {hyp}." for hyp in hyps[2 * len(new) :][: len(old)]])
        for x, d in case.box:
            if x not in old and term(extents[x]) != term(d):
                self.ranged(name(x.name), extents[x])
        self.say(*["clear G'." for _ in [0] if not forth.nowhere])
        if not more:
            self.valued(case, after)
        before = self.olds
        self.olds = {p: put(e, old) for p, e in before.items()}
        for p, e in self.olds.items():
            self.say(f"assert (N' : {p} = {outer(term(e))}) by (rewrite O'{p}; same).")
            self.say(f"clear O'{p}; rename N' into O'{p}.")
        self.goes(Went(move, case, after, [forth, back], before, back=old), w, end)
        self.olds = before

    def set_aside(self, x: str) -> str:
        """Another name for a coordinate, whose own may be taken by another one."""
        other = self.fresh(x)
        self.say(*[f"rename {word}{x} into {word}{other}." for word in ("", "L'", "U'")])
        return other

    def weaken(self, w: World, case: Case, move: Move, end: End) -> None:
        """A larger range of a coordinate."""
        if len(move) != 3:
            raise missing("a new coordinate for an operation on bits")
        (part,), (after,) = self.script.step(w, case, move)
        x = name(move[1])
        if not part.nowhere:
            self.say(f"pose proof {self.at(part)} as G'.")
        self.ranged(x, after.extent(symbol(move[1])))
        self.say(*["clear G'." for _ in [0] if not part.nowhere])
        self.goes(Went(move, case, after, [part], self.olds), w, end)

    # -- back to the root -------------------------------------------------------------------------

    def back_up(self, went: Went) -> None:
        """From the case after a move to the one before it: what was known there."""
        if went.move[0] == "split":
            self.unsplit(went)
        elif went.move[0] == "reindex":
            self.old_coordinates(went)
        else:
            raise missing(f"the points of a case after the move {went.move[0]!r}")
        equal = "".join(f"rewrite ?X'{name(x.name)}; " for x in went.back)
        if went.move[0] == "reindex" and renamed(went.move)[2]:
            equal = ""
        decided = "decided; " if went.move[0] == "split" else ""
        rows = [(v, "V'", e) for v, e in zip(self.values, went.before.results)]
        rows += [(p, "O'", e) for p, e in went.olds.items()]
        for v, word, e in rows:
            self.say(f"assert (N' : {v} = {outer(term(e))}).")
            self.say(f"{{ rewrite {word}{v}; {decided}{equal}first [same | known]. }}")
            self.say(f"clear {word}{v}; rename N' into {word}{v}.")
        self.say(*[f"kept X'{name(x.name)}." for x in went.back], "try kept G'.")

    def unsplit(self, went: Went) -> None:
        """A condition that was shown of all points holds here."""
        if went.move[1] in ("true", "false"):
            self.say(f"assert ({condition(went.condition)}) as D'.")
            self.say(f"{{ pose proof {self.at(went.parts[0])} as G'; lia. }}", "kept D'.")

    def old_coordinates(self, went: Went) -> None:
        """The coordinates before others took their place."""
        before, (_, new, texts) = went.before, renamed(went.move)
        gone = {x for x, _ in went.after.box} - {x for x, _ in before.box} | {*went.back}
        self.say(f"pose proof {self.at(went.parts[1])} as G'.")
        here: dict[Expr, str] = {
            x: self.set_aside(name(x.name)) for x, _ in went.after.box if x in gone
        }
        for x, e in went.back.items():
            self.say(
                f"destruct (named ({outer(term(e, here))})) as [{name(x.name)} X'{name(x.name)}]."
            )
        equal = "".join(f"rewrite ?X'{name(x.name)}; " for x in went.back)
        for x, d in before.box:
            own = name(x.name)
            if x in went.back:
                self.say(f"assert (L'{own} : 0 <= {own}) by ({equal}known).")
                self.say(f"assert (U'{own} : {own} < {outer(term(d))}) by ({equal}known).")
            elif not set(went.back).isdisjoint(d.free_symbols):
                self.say(f"assert (N' : {own} < {outer(term(d))}) by ({equal}known).")
                self.say(f"clear U'{own}; rename N' into U'{own}.")
        for c in (*before.guard, *before.premises):
            self.say(f"assert {condition(c)} as D' by ({equal}known).", "kept D'.")
        if texts:  # results that are given are those of the new coordinates
            for y, e in new.items():
                self.say(f"assert (Y' : {outer(term(e))} = {here[y]}).")
                self.say(f"{{ {equal}known. }}", "destruct Y'.")
            self.say(f"clear G'; pose proof {self.at(went.parts[0])} as G'.")
        else:
            self.say("clear G'.")

    def exist(self, names: Sequence[str], says: Sequence[str], values: Sequence[str]) -> list[str]:
        """Unknowns of which something holds: for these values, by what is known."""
        head = "".join(f"exists {x}, " for x in names)
        self.say(f"assert (N' : {head}{AND.join(says)}).")
        self.say(f"{{ {'; '.join(f'exists ({v})' for v in values)}; point_known. }}")
        word = self.fresh("E")
        hyps = [f"{word}{k}" for k in range(len(says))]
        whole = pattern_of(hyps)
        for x in reversed(names):
            whole = f"[{x} {whole}]"
        self.say(f"destruct N' as {whole}.")
        return hyps


def renamed(move: Move) -> tuple[dict[Symbol, Expr], dict[Symbol, Expr], Sequence[str]]:
    """Old coordinates by the new ones, new ones by the old, and the results that are given."""
    texts = move[4:]
    k = 2 * whole_number(move[2])
    m = k + 3 * whole_number(move[3])
    old = {symbol(x): read(t) for x, t in zip(texts[:k:2], texts[1:k:2])}
    new = {symbol(y): read(t) for y, t in zip(texts[k:m:3], texts[k + 2 : m : 3])}
    return old, new, texts[m:]
