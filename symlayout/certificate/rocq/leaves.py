"""Proofs by script of what is said of places, where each function has one leaf.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symlayout.certificate.cases import Case, World, contrary, read, ways_to_split
from symlayout.certificate.definitions import number, product
from symlayout.certificate.functions import Function
from symlayout.certificate.part import Part
from symlayout.certificate.proof import Held, Proof
from symlayout.certificate.rocq.notations import listed
from symlayout.certificate.rocq.points import PAIRS, WORDS, at_points, meaning
from symlayout.certificate.rocq.replay import Replay
from symlayout.certificate.rocq.scripts import MOVES, ByScript
from symlayout.certificate.rocq.terms import missing, name, outer, relation, term
from symlayout.certificate.semantics import Claim
from symlayout.expr.conditions import Condition, Less
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr


class Leaf(NamedTuple):
    """A leaf, the conditions on the way to it with what shows them, and its parts by their names."""

    case: Case
    way: list[tuple[Part | None, Condition]]
    parts: Mapping[str, Part]
    box: Sequence[Expr]


def by_leaves(proof: Proof, title: str) -> str:
    """The text of a module with a claim about places, and its proof."""
    moves = proof.texts.script
    known = (*MOVES, "apart")
    first = moves[1:] if moves and moves[0][0] == "box" else moves
    if not first or first[0][0] != "cases" or any(m[0] not in known for m in first):
        raise missing("a script with other moves than those of one leaf for each function")
    claim = Claim(proof.claim, proof.hint, proof.points)
    if not claim.functions or claim.word in ("bounded", "fits"):
        raise missing(f"a proof by script that a layout is {claim.word}")
    return ByLeaves(claim, proof, *meaning(claim)).text(title)


class ByLeaves(ByScript):
    """What is printed of a claim about the places of functions."""

    def gives_back(self, part: Part) -> bool:
        """Expressions of the number of a place give its point back."""
        return part.place is not None

    def returned(self, replay: Replay, part: Part, steps: Held) -> list[tuple[str, str]]:
        """That expressions of the number of a place give its point back."""
        assert part.place is not None
        many = len([n for n, p in self.parts.items() if p.place is not None]) - 1
        texts = [m[1:] for m in self.proof.texts.script if m[0] == "leaf" and len(m) > 1]
        back = map(read_expression, texts[many])
        rows = zip(back, part.goals, steps.goals, strict=True)
        offset, raw = self.proof.texts.offset, part.place.raw
        return [replay.returns(e, offset, raw, goal, why) for e, goal, why in rows]

    def prove(self) -> None:
        """What is demanded, and then what is said of places."""
        own, many, w = self.says, len(self.claim.duties), self.top
        self.known = {relation(r): f"F{k}'" for k, r in enumerate(self.claim.facts)}
        first = many + sum(len(f.extents) for f in self.claim.functions)
        words = [*WORDS.get(self.claim.word, ()), *[p[0] for p in PAIRS.get(self.claim.word, ())]]
        self.says = [
            *own[:first],
            *[at_points(r) if r.ops else "" for r in w.roots[first - many :]],
        ]
        if self.script.next("cases", "box")[0] == "box":
            texts = self.script.moves[0][1:]
            w = w._replace(boxes=(tuple(map(read, texts)),))
            self.script.next("cases")
        self.ends = list[Leaf]()
        for k, root in enumerate(w.roots, many):
            if root.ops:
                self.root(w, root, k)
            else:
                self.ends.append(self.path(w, root, w.boxes[len(self.ends)]))
        self.between(w)
        while self.script.at != len(self.script.moves):
            choices = [self.script.way(text) for text in self.script.next("about")[1:]]
            cases = tuple(case for _, case in choices)
            self.propositions(w._replace(boxes=(), roots=cases), [k for k, _ in choices])
        for k, root in enumerate(w.roots[first - many :]):
            self.say(*([f"rename P{first + k}' into T{k}'."] if root.ops else []))
        for k, text in enumerate(own[first:], first):
            self.say(f"assert (P{k}' : {text}).", "{")
            word = words[k - first] if k - first < len(words) else "demanded"
            getattr(self, f"says_{word}")(k - first)
            self.say("}")
        whole = f"P{len(own) - 1}'"
        for k in reversed(range(len(own) - 1)):
            whole = f"(conj P{k}' {whole})"
        self.say(f"exact {whole}.")

    def root(self, w: World, root: Case, k: int) -> None:
        """A root that makes demands, as a proposition."""
        self.say(f"assert (P{k}' : {self.says[k]}).", "{")
        self.demand(w, root)
        self.say("}")

    def path(self, w: World, root: Case, box: Sequence[Expr]) -> Leaf:
        """The one leaf of a root, and the way to it."""
        case, way = root.flat(), list[tuple[Part | None, Condition]]()
        while (move := self.script.next("leaf", "split"))[0] == "split":
            c = self.script.condition(w, case, move[2:])
            parts, cases = self.script.step(w, case, move)
            _, branches = ways_to_split(move[1], c)
            if len(cases) != 1:
                raise missing("a script with several leaves for one function")
            way.append((parts[0] if parts else None, c if branches[0] else contrary(c)))
            case = cases[0].flat()
        if case.coords != root.coords:
            raise missing("a leaf with other coordinates")
        rows = {p.name.split()[-1]: p for p in self.script.leaf(w, case, box, move[1:])}
        return Leaf(case, way, rows, box)

    def between(self, w: World) -> None:
        """What is shown of leaves together."""
        if "onto" in self.script.words:
            self.count_part = self.script.count_part(w, [self.ends[0].case], w.boxes[0])
        if self.claim.word == "disjoint":
            self.contrast = self.script.told_apart(w, *[leaf.case for leaf in self.ends])

    # -- points ------------------------------------------------------------------------------------

    def point(self, p: str, f: Function, mark: str) -> list[str]:
        """A point of a function by its coordinates, whose names end with a mark."""
        coords = [f"{name(x.name)}{mark}" for x, _ in f.box]
        self.say(f"unfolded_in I{p}.")
        for x in coords:
            self.say(f"coordinate {p} {x} I{p} L'{x} U'{x}.")
        self.say(f"no_coordinate {p} I{p}.", f"destruct I{p} as [K{p} E{p}].")
        texts: dict[Expr, str] = {x: f"{name(x.name)}{mark}" for x, _ in f.box}
        results = listed(outer(term(e, texts)) for e in f.results)
        self.say(f"assert (r' = {results}) as C{p} by (rewrite E{p}; lists).", f"clear E{p}.")
        return coords

    def along(self, leaf: Leaf, mark: str) -> dict[Expr, str]:
        """The way to a leaf, at a point; the names of its coordinates."""
        texts: dict[Expr, str] = {x: f"{name(x.name)}{mark}" for x in leaf.case.coords}
        for part, c in leaf.way:
            if not isinstance(c, Less):
                raise missing("a condition that is no comparison, on the way to a leaf,")
            left, right = (outer(term(e, texts)) for e in (c.left, c.right))
            known = f"pose proof {self.there(part, texts)} as G'; " if part else ""
            self.say(f"assert ({left} < {right}) as D' by ({known}lia).", "decided.", "kept D'.")
        return texts

    def there(self, part: Part, texts: Mapping[Expr, str]) -> str:
        """The lemma of a part at a point."""
        if part.nowhere:
            return "I"
        coords = [texts[symbol(x)] for x in part.box]
        ranges = [proof for x in coords for proof in (f"L'{x}", f"U'{x}")]
        return self.used(part.name, coords, [*ranges, *["ltac:(lia)" for _ in part.premises]])

    def says_demanded(self, k: int) -> None:
        self.defined()

    def says_lands(self, k: int) -> None:
        (leaf,) = self.ends
        self.say("apply (proj2 (lands_takes _ _)); intros p' r' Ip'.")
        self.point("p'", self.claim.functions[0], "")
        self.say("subst r'.")
        texts = self.along(leaf, "")
        self.say(
            f"pose proof {self.there(leaf.parts['places'], texts)} as G'.", "cbn [inside]; lia."
        )

    def same_results(self, results: Sequence[Sequence[str]]) -> None:
        """That two points have the same results, one by one."""
        for k, (a, b) in enumerate(zip(*results, strict=True)):
            self.say(
                f"pose proof (f_equal (fun l => nth {k} l 0) Eq') as X{k}'; cbn [nth] in X{k}'."
            )
            self.say(f"assert ({outer(a)} = {outer(b)}) as Y{k}' by same_by X{k}'.")

    def says_one_to_one(self, k: int) -> None:
        (leaf,), (f,) = self.ends, self.claim.functions
        back = leaf.parts["back"]
        if not back.nowhere:
            for x, equals in self.lemmas[back.name].fixed.items():
                self.say(f"destruct (named {equals}) as [{name(x)} D'{name(x)}].")
        self.say("intros p' q' r' Ip' Iq'.")
        first, second = self.point("p'", f, ""), self.point("q'", f, "_2'")
        if back.nowhere:
            self.say("exfalso; lia.")
            return
        self.say("pose proof (eq_trans (eq_sym Cp') Cq') as Eq'.")
        both = [self.along(leaf, mark) for mark in ("", "_2'")]
        rows = [[term(e, texts) for e in leaf.case.results] for texts in both]
        self.same_results(rows)
        raw = number(leaf.case.results, leaf.box) if len(leaf.box) > 1 else leaf.case.results[0]
        left, right = (outer(term(raw, texts)) for texts in both)
        sizes = listed(outer(term(d)) for d in leaf.box)
        self.say(f"assert ({left} = {right}) as R'.", "{")
        if len(rows[0]) == 1:
            self.say("exact Y0'.")
        else:
            a, b = (listed(map(outer, row)) for row in rows)
            self.say(f"transitivity (number {a} {sizes}); [unfolded; same |].")
            self.say(f"transitivity (number {b} {sizes}); [| unfolded; same].")
            self.say(f"apply (f_equal (fun l => number l {sizes})).")
            self.say("repeat (apply cons_eq; [assumption |]); reflexivity.")
        self.say("}")
        for title, texts in zip(("A'", "B'"), both):
            self.say(f"pose proof {self.there(back, texts)} as {title}.")
        many = len(first)
        for k, (x, y) in enumerate(zip(first, second)):
            last = "" if k == many - 1 else "proj1 "
            deep = "".join("(proj2 " for _ in range(k))
            a, b = (f"({last}{deep}{t}{')' * k})" for t in ("A'", "B'"))
            self.say(f"assert ({x} = {y}) as Z{k}'.")
            self.say(
                f"{{ pose proof {a} as A''; pose proof {b} as B''; rewrite ?R' in A''; lia. }}"
            )
        self.say("each_by lia.")

    def says_reaches(self, k: int) -> None:
        (f,), (leaf,) = self.claim.functions, self.ends
        if f.guard or "lands" not in WORDS[self.claim.word]:
            raise missing("as many points as places, of a map with a guard,")
        sizes, box = (
            listed(outer(term(d)) for d in row) for row in ([d for _, d in f.box], leaf.box)
        )
        coords, results = listed(name(x.name) for x, _ in f.box), listed(map(term, f.results))
        says = f"fun place => match place with {coords} => {results} | _ => [] end"
        self.say("unfold thread_value, of_layout, of_layouts.")
        self.say(f"try change (reaches (ranges {sizes} ({says})) {box}).")
        whole, places = (outer(term(product(row))) for row in ([d for _, d in f.box], leaf.box))
        self.say(f"pose proof {self.there(self.count_part, {})} as G'; pieces G'.")
        self.say("apply reaches_by_count; try assumption.", "{ unfolded; parts_known. }")
        self.say(f"transitivity ({whole}); [unfolded; same |].")
        self.say(f"transitivity ({places}); [first [lia | assumption] | unfolded; same].")

    def says_never_meet(self, k: int) -> None:
        a, b = self.ends
        self.say("intros p' q' r' Ip' Iq'.")
        f, g = self.claim.functions
        self.point("p'", f, "")
        self.point("q'", g, "_2'")
        if a.parts["places"].nowhere or b.parts["places"].nowhere:
            self.say("lia.")
            return
        self.say("pose proof (eq_trans (eq_sym Cp') Cq') as Eq'.")
        both = [self.along(leaf, mark) for leaf, mark in ((a, ""), (b, "_2'"))]
        self.same_results(
            [[term(e, texts) for e in x.case.results] for x, texts in zip((a, b), both)]
        )
        coords = [*both[0].values(), *both[1].values()]
        ranges = [proof for x in coords for proof in (f"L'{x}", f"U'{x}")]
        more = ["ltac:(lia)" for _ in self.contrast.premises]
        self.say(f"pose proof {self.used(self.contrast.name, coords, [*ranges, *more])} as G'.")
        self.say("apart_by G'.")

    def forth(self, f: Function, k: int, also: Function | None = None) -> None:
        """A point of the one is one of the other; there (also) the results are the same."""
        coords = self.point("p'", f, "")
        for j, other, title in ((k, f, "G'"), (0, also, "A'")):
            if other is not None:
                ranges = [f"{x} ltac:(lia)" for x in coords]
                proof = " ".join([f"T{j}'", *ranges, *["ltac:(lia)" for _ in other.guard]])
                self.say(f"pose proof ({proof}) as {title}.")
        self.say("subst r'.", "unfolded.", "places_by.")

    def says_same_function(self, k: int) -> None:
        f, g = self.claim.functions
        self.say("intros p' r'; split; intro Ip'.", "{")
        self.forth(f, 0)
        self.say("}", "{")
        self.forth(g, 1, f)
        self.say("}")

    def says_undone_by(self, k: int) -> None:
        self.say("intros p' r' Ip'.")
        self.forth(self.claim.functions[k], k)
