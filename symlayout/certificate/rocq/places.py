"""Places of a map told apart, and counted: what the leaves of a script show of its points.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from symlayout.certificate.cases import Case, World, read, whole_number
from symlayout.certificate.moves import Move
from symlayout.certificate.part import Part
from symlayout.certificate.rocq.exclusive import Exclusive
from symlayout.certificate.rocq.notations import listed
from symlayout.certificate.rocq.points import of_case
from symlayout.certificate.rocq.replay import pattern_of
from symlayout.certificate.rocq.terms import AND, implied, name, outer, relation, term
from symlayout.certificate.rocq.walk import Went
from symlayout.expr.terms import put, symbol
from symlayout.expr.tree import Expr, Symbol

SECOND = "''"  # after the names of another point of the same leaf


class Leaf(NamedTuple):
    """A leaf of a map: its points as the map's, how it was reached, and what is shown of it."""

    case: Case
    olds: Sequence[Expr]
    way: Sequence[Went]
    texts: Sequence[str]
    parts: dict[str, Part]  # by their words

    @property
    def unknowns(self) -> list[str]:
        """The coordinates by their names."""
        return [name(x.name) for x in self.case.coords]

    @property
    def known(self) -> list[str]:
        """The ranges of the coordinates, and the conditions."""
        says = []
        for x, d in self.case.box:
            says += [f"0 <= {name(x.name)}", f"{name(x.name)} < {outer(term(d))}"]
        return says + [
            f"{outer(term(c.left))} < {outer(term(c.right))}" for c in self.case.premises
        ]

    def hypotheses(self, after: str = "") -> list[str]:
        """The names of these."""
        ranges = [f"{word}'{x}{after}" for x in self.unknowns for word in "LU"]
        return ranges + [f"M{k}'{after}" for k in range(len(self.case.premises))]

    @property
    def point(self) -> str:
        """The coordinates of the map."""
        return listed(outer(term(e)) for e in self.olds)

    @property
    def results(self) -> str:
        """The results."""
        return listed(outer(term(e)) for e in self.case.results)

    def statement(self) -> str:
        """That a point is one of the leaf's."""
        head = "".join(f"exists {x}, " for x in self.unknowns)
        says = [*self.known, f"p' = {self.point}", f"r' = {self.results}"]
        return f"({head}{AND.join(says)})"

    def pattern(self, equations: Sequence[str], after: str = "") -> str:
        """The pattern that takes this apart."""
        whole = pattern_of([*self.hypotheses(after), *equations])
        for x in reversed(self.unknowns):
            whole = f"[{x}{after} {whole}]"
        return whole

    def at(self, after: str = "") -> str:
        """A point of the leaf as the arguments of a lemma."""
        return " ".join(x + after for x in self.unknowns)


@dataclass
class Own:
    """A lemma about a world: its name, and what it says."""

    title: str
    says: str = "True"


class Places(Exclusive):
    """What is printed of a root whose results are places."""

    def placed(self, w: World, root: Case, box: Sequence[Expr]) -> None:
        """What is said of the results of a map: they lie in a box, are apart, are all of it."""
        words, self.leaves = self.script.words, list[Leaf]()
        self.box_text = listed(outer(term(d)) for d in box)
        self.index = of_case(root)
        with self.lemma_of(w, "points") as own:
            self.points(w, root, box)
            says = " \\/\n  ".join(leaf.statement() for leaf in self.leaves)
            own.says = f"forall p' r', takes {self.index} p' r' ->\n  {says or 'False'}"
        self.say(f"pose proof {self.about(w, own.title)} as A'.")
        if "injective" in words:
            self.backs = [self.back(w, leaf) for leaf in self.leaves]
            pairs = combinations(enumerate(self.leaves), 2)
            self.apart = {(j, k): self.told_apart(w, a, b) for (j, a), (k, b) in pairs}
        goals = [word for word in ("bounded", "injective", "onto") if word in words]
        for k, word in enumerate(goals):
            with self.one_of(k == len(goals) - 1):
                getattr(self, f"_{word}_places")(w, root, box)

    @contextmanager
    def one_of(self, last: bool) -> Iterator[None]:
        """The next of some propositions that are joined, which is known from there on."""
        if last:
            yield
            return
        self.say("apply first_known.", "{")
        yield
        self.say("}", f"intro {self.fresh('Q')}.")

    def about(self, w: World, title: str, *more: str) -> str:
        """A lemma about a world, in it."""
        return f"({' '.join([title, *map(name, w.names), *map(self.fact, w.facts), *more])})"

    @contextmanager
    def lemma_of(self, w: World, word: str) -> Iterator[Own]:
        """The lines that are printed inside are the proof of a lemma about a world."""
        lines, known, moved, self.lines = self.lines, self.known, self.moved, []
        self.known = {relation(r): f"F{k}'" for k, r in enumerate(w.facts)}
        self.moved, own = False, Own(f"{self.title}_{word}_{len(self.more)}")
        names = [*map(name, w.names), *[f"F{k}'" for k in range(len(w.facts))]]
        self.say(*[f"intros {' '.join(names)}." for _ in names[:1]])
        yield own
        head = f"forall {' '.join(map(name, w.names))} : Z,\n  " if w.names else ""
        says = implied([*map(relation, w.facts)], own.says)
        body = "\n".join(f"  {line}" for line in self.lines)
        self.more.append(f"Lemma {own.title} :\n  {head}{says}.\nProof.\n{body}\nQed.\n")
        self.lines, self.known, self.moved = lines, known, moved

    # -- the leaves -------------------------------------------------------------------------------

    def points(self, w: World, root: Case, box: Sequence[Expr]) -> None:
        """The points of a map are those of its leaves."""
        self.say("intros p' r' I'.")
        self.coordinates("p'", "I'", [name(x.name) for x in root.coords])
        self.say("destruct I' as [K' E'].", "pieces K'.")
        self.values = [f"r{k}'" for k in range(len(root.results))]
        self.results("r'", "E'", "V'")
        olds = {f"p{k}'": x for k, x in enumerate(root.coords)}
        for p, x in olds.items():
            self.say(f"destruct (named {name(x.name)}) as [{p} O'{p}].")
        own = listed(name(x.name) for x in root.coords)
        equal = "".join(f"rewrite O'{p}; " for p in olds)
        self.say(f"assert (Z' : {own} = {listed(olds)}) by ({equal}reflexivity).")
        self.say("rewrite Z'; clear Z'.")
        self.olds, start = olds, len(self.lines)

        def end(w: World, case: Case, move: Move) -> None:
            parts = {p.name.partition(" ")[2]: p for p in self.script.leaf(w, case, box, move[1:])}
            self.leaves.append(Leaf(case, [*self.olds.values()], self.way, move[1:], parts))
            self.say(f"leaf {len(self.leaves) - 1}")

        self.case(w, root.flat(), end)
        lines, self.lines = self.lines[start:], self.lines[:start]
        for line in lines:
            word, _, number = line.partition(" ")
            if word == "leaf":
                self.one_of_leaves(int(number))
            else:
                self.say(line)

    def one_of_leaves(self, n: int) -> None:
        """The point is one of a leaf."""
        self.say(*["right."] * n, *["left." for _ in self.leaves[n + 1 : n + 2]])
        self.say(*[f"exists {x}." for x in self.leaves[n].unknowns], "point_known.")

    def coordinates(self, p: str, hypothesis: str, names: Sequence[str]) -> None:
        """A place by its coordinates."""
        for x in names:
            self.say(f"coordinate {p} {x} {hypothesis} L'{x} U'{x}.")
        self.say(f"no_coordinate {p} {hypothesis}.")

    def results(self, r: str, equal: str, word: str) -> None:
        """A list of results by its elements."""
        shape = "[| ? ?]"
        for v in reversed(self.values):
            shape = f"[| {v} {shape}]"
        self.say(f"destruct {r} as {shape}; try discriminate {equal}.")
        self.say(f"injection {equal} as {' '.join(word + v for v in self.values)}.")

    def divided(self, point: str, equations: Sequence[str], after: str = "") -> None:
        """A point by the leaves."""
        whole = "[]"
        for leaf in reversed(self.leaves):
            own = leaf.pattern(equations, after)
            whole = own if leaf is self.leaves[-1] else f"[{own} | {whole}]"
        self.say(f"destruct (A' {point}) as {whole}.")

    def once_more(self, root: Case, p: str, point: str) -> None:
        """A point of the map in the statement's sizes as one in the world's."""
        if self.moved:
            self.say(f"assert (J' : takes {self.index} {p} r').", "{")
            self.coordinates(p, point, [name(x.name) for x in root.coords])
            self.say("cbn [takes]; point_again. }", f"clear {point}; rename J' into {point}.")

    def gone(self, leaf: Leaf) -> bool:
        """Whether a leaf has no points."""
        return any(part.nowhere for part in leaf.parts.values())

    # -- in the box -------------------------------------------------------------------------------

    def _bounded_places(self, w: World, root: Case, box: Sequence[Expr]) -> None:
        self.say("apply lands_by; intros p' r' I'.")
        self.once_more(root, "p'", "I'")
        self.divided("p' r' I'", ["E'", "E''"])
        for leaf in self.leaves:
            self.say("{")
            if self.gone(leaf):
                self.say("exfalso; lia.")
            else:
                self.say(
                    "subst r'; cbn [inside].", f"pose proof {self.at(leaf.parts['places'])} as G'."
                )
                self.say("point_known.")
            self.say("}")

    # -- told apart -------------------------------------------------------------------------------

    def back(self, w: World, leaf: Leaf) -> tuple[str, dict[str, str]]:
        """A lemma that the number of the results gives the point back; and its unknowns of sizes."""
        if self.gone(leaf):
            return "", {}
        part = leaf.parts["back"]
        fixed = self.lemmas[part.name].fixed
        with self.lemma_of(w, "back") as own:
            unknowns = [*map(name, fixed), *leaf.unknowns, "r'"]
            defined = [f"D'{name(x)}" for x in fixed]
            back = listed(outer(term(read(t))) for t in leaf.texts)
            known = [f"{name(x)} = {outer(text)}" for x, text in fixed.items()]
            known += [*leaf.known, f"r' = {leaf.results}"]
            says = f"(fun {name(self.script.offset)} => {back}) (number r' {self.box_text}) = "
            own.says = (
                f"forall {' '.join(unknowns)},\n  {implied(known, says + listed(leaf.unknowns))}"
            )
            self.say(f"intros {' '.join([*unknowns, *defined, *leaf.hypotheses()])} ->.")
            goals = [self.fresh("G") for _ in leaf.unknowns]
            if goals:
                self.say(
                    f"destruct {self.at(part)} as {pattern_of(goals)}."
                    if len(goals) > 1
                    else f"pose proof {self.at(part)} as {goals[0]}."
                )
            self.say("cbn [number]; unfold product; cbn [fold_right].")
            self.say(*[f"apply cons_eq; [etransitivity; [| exact {g}]; same |]." for g in goals])
            self.say("reflexivity.")
        return own.title, dict(fixed)

    def told_apart(self, w: World, a: Leaf, b: Leaf) -> str:
        """A lemma that points of two leaves have other results."""
        part = self.script.told_apart(w, a.case, b.case)
        _, letter, text, modulus = self.script.moves[self.script.at - 1]
        if self.gone(a) or self.gone(b):
            return ""
        other = {x: symbol(f"{x}_{letter}") for x in b.case.coords}
        second = b._replace(case=renamed(b.case, other))
        with self.lemma_of(w, "apart") as own:
            known = [*a.known, *second.known, f"r' = {a.results}", f"r' = {second.results}"]
            names = [*a.unknowns, *second.unknowns, "r'"]
            own.says = f"forall {' '.join(names)},\n  {implied(known, 'False')}"
            hypotheses = [*a.hypotheses(), *second.hypotheses()[: 2 * len(other)]]
            hypotheses += [f"M{k}''" for k in range(len(b.case.premises))]
            self.say(f"intros {' '.join([*names, *hypotheses])} E' E''.")
            self.values = [f"r{k}'" for k in range(len(a.case.results))]
            self.results("r'", "E'", "V'")
            others = " ".join("W'" + v for v in self.values)
            self.say(f"injection E'' as {others}.")
            e = read(text)
            marks = [symbol(f"{letter}{k}") for k in range(len(self.values))]
            whole = outer(term(e, dict(zip(marks, self.values))))
            sides = []
            for word, case in (("V'", a.case), ("W'", second.case)):
                side = outer(term(put(e, dict(zip(marks, case.results)))))
                equal = "".join(f"rewrite ?{word}{v}; " for v in self.values)
                self.say(f"assert (X{word} : {side} = {whole}) by ({equal}same).")
                sides.append(f"({side})")
            self.say(f"pose proof {self.at(part)} as G'.", "apply G'.")
            m = whole_number(modulus)
            if m >= 2:
                both = " - ".join(sides)
                self.say(f"transitivity (({both}) mod {m}); [same |].")
                self.say(f"replace ({both}) with 0 by lia; apply Zmod_0_l.")
            else:
                self.say("lia.")
        return own.title

    def _injective_places(self, w: World, root: Case, box: Sequence[Expr]) -> None:
        self.say("intros p' q' r' P' Q'.")
        self.once_more(root, "p'", "P'")
        self.once_more(root, "q'", "Q'")
        self.divided("p' r' P'", ["E'", "S'"])
        for j, a in enumerate(self.leaves):
            self.say("{")
            self.divided("q' r' Q'", [f"E{SECOND}", f"S{SECOND}"], SECOND)
            for k, b in enumerate(self.leaves):
                self.say("{")
                if self.gone(a) or self.gone(b):
                    self.say("exfalso; lia.")
                elif j == k:
                    self.one_point(w, j, "r'", "S'", f"S{SECOND}")
                    self.say("congruence.")
                else:
                    ends = [(a, "", "S'"), (b, SECOND, f"S{SECOND}")]
                    title = self.apart[min(j, k), max(j, k)]
                    (x, u, e), (y, v, f) = ends if j < k else ends[::-1]
                    known = [*x.hypotheses(u), *y.hypotheses(v), e, f]
                    proof = self.about(w, title, x.at(u), y.at(v), "r'", *known)
                    self.say(f"exfalso; exact {proof}.")
                self.say("}")
            self.say("}")

    def one_point(self, w: World, k: int, results: str, *equal: str) -> None:
        """Two points of a leaf with the same results are one."""
        leaf, (title, fixed) = self.leaves[k], self.backs[k]
        for x, text in fixed.items():
            self.say(f"destruct (named ({outer(text)})) as [{name(x)} D'{name(x)}].")
        own = [*map(name, fixed)]
        defined = [f"D'{x}" for x in own]
        proofs = []
        for after, equation in zip(("", SECOND), equal):
            more = [*own, leaf.at(after), results, *defined, *leaf.hypotheses(after), equation]
            proofs.append(self.about(w, title, *more))
        self.say(f"pose proof (eq_trans (eq_sym {proofs[0]}) {proofs[1]}) as B'.")
        if leaf.unknowns:
            names = " ".join("B'" + x for x in leaf.unknowns)
            self.say(f"injection B' as {names}.")

    # -- counted ----------------------------------------------------------------------------------

    def _onto_places(self, w: World, root: Case, box: Sequence[Expr]) -> None:
        part = self.script.count_part(w, [leaf.case for leaf in self.leaves], box)
        whole = "; ".join(map(self.as_function, self.leaves))
        with self.lemma_of(w, "well") as well:
            well.says = f"well {self.box_text} [{whole}]"
            self.say("cbn [well apart_from fst snd].", f"pose proof {self.at(part)} as C'.")
            for k in range(len(self.leaves)):
                self.say("split; [split; [| split; [| split]] |].")
                self.well(w, k)
            self.say("exact I.")
        points = [self.upwards(w, root, leaf) for leaf in self.leaves]
        self.say(f"assert (H' : forall r', inside r' {self.box_text} -> hit [{whole}] r').", "{")
        self.say(
            f"apply all_hit; [cbn [at_least]; point_known | exact {self.about(w, well.title)} |]."
        )
        self.say(f"pose proof {self.at(part)} as C'.")
        self.say("cbn [counts fst]; unfold product; cbn [fold_right]; known.", "}")
        marks = [f"r{k}'" for k in range(len(box))]
        self.say("intros r' I'.")
        self.coordinates("r'", "I'", marks)
        self.say(
            f"assert (J' : inside {listed(marks)} {self.box_text}) by (cbn [inside]; point_known)."
        )
        self.say("apply H' in J'; cbn [hit fst snd] in J'.")
        pattern = "[]"
        for _ in self.leaves:
            pattern = f"[[y' [Y' E']] | {pattern}]"
        self.say(f"destruct J' as {pattern}.")
        for leaf, title in zip(self.leaves, points):
            self.say("{")
            self.coordinates("y'", "Y'", leaf.unknowns)
            proof = self.about(w, title, leaf.at(), *leaf.hypotheses())
            self.say(f"pose proof {proof} as T'.")
            self.say(f"exists {leaf.point}.", "rewrite <- E'.")
            self.say(
                "revert T'; cbn [takes]; intro T'; point_again." if self.moved else "exact T'."
            )
            self.say("}")

    def as_function(self, leaf: Leaf) -> str:
        """A leaf as its sizes and its results."""
        sizes = listed(outer(term(d)) for _, d in leaf.case.box)
        place = listed(leaf.unknowns)
        return f"({sizes}, fun y' => match y' with {place} => {leaf.results} | _ => [] end)"

    def well(self, w: World, k: int) -> None:
        """A leaf has no size below 0, lies in the box, has no place twice, and none of others."""
        leaf = self.leaves[k]
        self.say("{ cbn [at_least]; point_known. }", "{ intros y' I'.")
        self.coordinates("y'", "I'", leaf.unknowns)
        self.say(f"pose proof {self.at(leaf.parts['places'])} as G'; cbn [inside]; point_known. }}")
        self.say("{ intros y' z' I' J' E'.")
        self.coordinates("y'", "I'", leaf.unknowns)
        self.coordinates("z'", "J'", [x + SECOND for x in leaf.unknowns])
        self.one_point(w, k, leaf.results, "eq_refl", "E'")
        self.say("congruence. }", "{ cbn [apart_from].")
        for j, other in enumerate(self.leaves[k + 1 :], k + 1):
            self.say("split.", "{ intros y' z' I' J' E'.")
            self.coordinates("y'", "I'", leaf.unknowns)
            self.coordinates("z'", "J'", [x + SECOND for x in other.unknowns])
            known = [*leaf.hypotheses(), *other.hypotheses(SECOND), "eq_refl", "E'"]
            more = [leaf.at(), other.at(SECOND), leaf.results, *known]
            self.say(f"exact {self.about(w, self.apart[k, j], *more)}. }}")
        self.say("exact I. }")

    def upwards(self, w: World, root: Case, leaf: Leaf) -> str:
        """A lemma that each point of a leaf is a point of the map."""
        with self.lemma_of(w, "point") as own:
            says = implied(leaf.known, f"takes {self.index} {leaf.point} {leaf.results}")
            own.says = f"forall {leaf.at()},\n  {says}" if leaf.unknowns else says
            self.say(f"intros {leaf.at()} {' '.join(leaf.hypotheses())}.")
            self.values = [f"r{k}'" for k in range(len(leaf.case.results))]
            for v, e in zip(self.values, leaf.case.results):
                self.say(f"destruct (named ({outer(term(e))})) as [{v} V'{v}].")
            self.olds = dict(zip([f"p{k}'" for k in range(len(leaf.olds))], leaf.olds))
            for p, e in self.olds.items():
                self.say(f"destruct (named ({outer(term(e))})) as [{p} O'{p}].")
            goal = f"takes {self.index} {listed(self.olds)} {listed(self.values)}"
            self.say(f"enough (T' : {goal}).", "{ subst; exact T'. }")
            for went in reversed(leaf.way):
                self.back_up(went)
            self.say("cbn [takes].", *[f"rewrite ?O'{p}." for p in self.olds], "point_known.")
        return own.title


def renamed(case: Case, table: Mapping[Symbol, Symbol]) -> Case:
    """A case whose coordinates have other names."""
    inner = case.every(lambda e: put(e, table))
    return replace(inner, box=tuple((table.get(x, x), d) for x, d in inner.box))
