"""A certificate as a theorem of Rocq: each of its parts is a lemma, and the claim follows from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from symlayout.certificate.definitions import ONE, Map, number, product
from symlayout.certificate.exact import Work
from symlayout.certificate.part import Part
from symlayout.certificate.proof import Held, Proof, Use
from symlayout.certificate.reading import numerals
from symlayout.certificate.rocq.notations import layout, listed
from symlayout.certificate.rocq.replay import Replay, new_of, pattern_of, used_lines
from symlayout.certificate.rocq.statement import (
    Stated,
    asks,
    laws,
    stated,
    together,
    values,
    with_needs,
)
from symlayout.certificate.rocq.terms import implied, missing, name, needs, outer, relation, term
from symlayout.certificate.semantics import Claim
from symlayout.expr.facts import Relation
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr

APART = ("injective", "valid", "bijective")  # words that ask for the coordinates back
VALUED = ("holds", "broadcast", "divides", "formula")  # words whose goals are to have values


class Lemma(NamedTuple):
    """A part of a certificate as a lemma, by its name, and the unknowns that it is about."""

    title: str
    part: Part
    fixed: Mapping[str, str]  # unknowns of sizes, and what they equal
    goals: int


def theorem(proof: Proof, title: str = "claim") -> str:
    """The text of a module with the claim of a certificate and its proof.

    Raises `LayoutError` for what has no theorem yet.
    """
    if proof.by in ("blocks", "rank", "cases", "sizes"):
        raise missing(f"a proof by {proof.by}")
    claim = Claim(proof.claim, proof.hint, proof.points)
    printer = Theorem(claim, proof, stated(claim))
    return printer.text(title)


class Theorem:
    """What is printed of one claim."""

    def __init__(self, claim: Claim, proof: Proof, statement: Stated) -> None:
        self.claim, self.proof, self.statement = claim, proof, statement
        self.lemmas: dict[str, Lemma] = {}
        self.parts: dict[str, Part] = {}
        self.lines: list[str] = []
        self.more: list[str] = []  # lemmas about the parts
        self.title = ""
        self.count = 0

    def text(self, title: str) -> str:
        """The lemmas, the theorem and its proof."""
        printed, self.title = [], title
        for k, part in enumerate(self.claim.parts(self.proof.by, self.proof.texts)):
            self.parts[part.name] = part
            if part.name not in self.proof.parts:
                raise missing(f"the part {part.name!r}, which the certificate lacks,")
            if self.is_lemma(part):
                printed.append(self.lemma(f"{title}_part_{k}", part, self.proof.parts[part.name]))
        self.say(f"intros {' '.join([*self.statement.sizes, *self.hypotheses])}.")
        self.prove()
        body = "\n".join(f"  {line}" for line in self.lines)
        comment = str(self.claim_text).replace("(*", "( *").replace("*)", "* )")
        head = f"(* {comment} *)\n" if '"' not in comment else ""
        own = f"{head}{self.statement.theorem(title)}\nProof.\n{body}\nQed.\n"
        return "\n".join([*printed, *self.more, own])

    def is_lemma(self, part: Part) -> bool:
        """Whether a part is a lemma: one without a place shows nothing."""
        return not part.nowhere

    def prove(self) -> None:
        """The claim, from the lemmas."""
        known = ""
        if "defined" in self.lemmas:
            known = f"pose proof {self.used('defined')} as defined'; "
        self.say(*[f"split; [{known}valued |]." for _ in values(self.claim)])
        self.say(*[f"split; [{known}repeat split; valued |]." for _ in asks(self.claim)])
        for k, _ in enumerate(laws(self.claim)):
            self.say("split.", "{")
            self.law(self.parts[f"law {k}"])
            self.say("}")
        PROOFS[self.claim.word](self)

    def law(self, part: Part) -> None:
        """What layouts rest on, at each place."""
        coords = [*map(name, part.box)]
        self.say(f"intros {' '.join([*coords, *[f'R{x}' for x in coords]])}.")
        if part.name not in self.lemmas:
            self.say("exfalso; lia.")
            return
        ranges = [proof for x in coords for proof in (f"(proj1 R{x})", f"(proj2 R{x})")]
        self.say(f"exact {self.used(part.name, coords, ranges)}.")

    @property
    def claim_text(self) -> str:
        """The claim, as a comment says it."""
        return str(self.proof.claim).replace('"', "'")

    def say(self, *lines: str) -> None:
        """Lines of the theorem's proof."""
        self.lines += lines

    @property
    def hypotheses(self) -> list[str]:
        """The names of the facts, and of what they need to have a value."""
        facts = self.statement.facts
        return [n for k, fact in enumerate(facts) for n in names_of_fact(k, len(fact))]

    # -- the parts of a certificate ---------------------------------------------------------------

    def lemma(self, title: str, part: Part, steps: Held) -> str:
        """A part as a lemma with its proof."""
        names, suppositions, texts = self.suppositions(part)
        sizes, count = [*map(name, names)], len(suppositions)
        facts = [f"F{k}'" for k in range(count + len(part.premises))]
        every = [*suppositions, *part.premises]
        replay = Replay(facts, every, names, part.box, self.claim.own, Work())
        replay.needs = [needs(r.left, r.right) for r in every]
        replay.ranges = {x: (f"L'{name(x)}", f"U'{name(x)}") for x in part.box}
        fixed = constants(part, steps)
        replay.fixed = {x: f"D'{name(x)}" for x in fixed}
        for step in steps.steps:
            replay.apply(step)
        valued = self.claim.word in VALUED or part.name.startswith("law")
        both = zip(part.goals, steps.goals, strict=True)
        if self.gives_back(part):
            rows = self.returned(replay, part, steps)
            goals, results = [g for g, _ in rows], [proof for _, proof in rows]
        else:
            goals = [alternatives(goal, valued) for goal in part.goals]
            results = [proof for goal, why in both for proof in replay.goal(goal, why, valued)]
        self.lemmas[part.name] = Lemma(title, part, fixed, len(results))
        known = [text for row in texts for text in row]
        known += [f"{name(x)} = {outer(text)}" for x, text in fixed.items()]
        known += [
            text
            for x, d in part.box.items()
            for text in (f"0 <= {name(x)}", f"{name(x)} < {outer(term(d))}")
        ]
        known += [relation(r) for r in part.premises]
        unknowns = [*sizes, *map(name, fixed), *map(name, part.box)]
        head = f"forall {' '.join(unknowns)} : Z,\n  " if unknowns else ""
        hypotheses = [n for k, row in enumerate(texts) for n in names_of_fact(k, len(row))]
        own = [*unknowns, *hypotheses, *[f"D'{name(x)}" for x in fixed]]
        own += [n for pair in replay.ranges.values() for n in pair]
        own += facts[count:]
        whole = f"exact {conjunction(results)}."
        body = [f"intros {' '.join(own)}.", *used_lines(replay.lines, [whole]), whole]
        text = "\n".join(f"  {line}" for line in body)
        says = implied(known, together(goals or ["True"]))
        return f"Lemma {title} :\n  {head}{says}.\nProof.\n{text}\nQed.\n"

    def gives_back(self, part: Part) -> bool:
        """Whether a part says that expressions of the offset give the coordinates back."""
        return bool(part.constant) or (part.name == "offsets" and self.claim.word in APART)

    def suppositions(
        self, part: Part
    ) -> tuple[Sequence[str], Sequence[Relation], Sequence[tuple[str, ...]]]:
        """The sizes of a part, and its facts, also as texts with what they need to have a value."""
        own = tuple(self.claim.facts), tuple(self.claim.names)
        if (part.facts, part.names) not in ((None, None), own):
            raise missing("a part about other sizes")
        return self.claim.names, self.claim.facts, self.statement.facts

    def returned(self, replay: Replay, part: Part, steps: Held) -> list[tuple[str, str]]:
        """That expressions of the offset give the coordinates back: statements and proofs."""
        offset, raw = self.proof.texts.offset, self.claim.decisive.raw
        back = map(read_expression, self.proof.texts.sequence("back"))
        rows = zip(back, part.goals, steps.goals, strict=True)
        return [replay.returns(e, offset, raw, goal, why) for e, goal, why in rows]

    def used(self, part: str, coords: Sequence[str] = (), ranges: Sequence[str] = ()) -> str:
        """The lemma of a part, at coordinates whose ranges are known."""
        own = self.lemmas[part]
        fixed = [*map(name, own.fixed)]
        defined = [f"D'{x}" for x in fixed]
        arguments = [*self.statement.sizes, *fixed, *coords, *self.hypotheses, *defined, *ranges]
        return f"({' '.join([own.title, *arguments])})"

    def opened(
        self, part: str, coords: Sequence[str] = (), ranges: Sequence[str] = ()
    ) -> list[str]:
        """The goals of a part as hypotheses, whose names are given back; none where it has no place."""
        if part not in self.lemmas:
            self.say("exfalso; lia.")
            return []
        names = []
        for _ in range(self.lemmas[part].goals):
            self.count += 1
            names.append(f"G{self.count}'")
        if not names:
            return []
        verb = "destruct" if len(names) > 1 else "pose proof"
        self.say(f"{verb} {self.used(part, coords, ranges)} as {pattern_of(names)}.")
        return names

    # -- what layouts are -------------------------------------------------------------------------

    def offsets(self, text: str, m: Map, title: str) -> None:
        """That the offset at a place is what the checker says."""
        coords = [name(c.name) for c in m.coords]
        head = f"forall {' '.join(coords)} : Z, " if coords else ""
        self.say(f"assert ({title} : {head}offset {text} {listed(coords)} = {outer(term(m.raw))}).")
        self.say("{ written. }")

    def size(self, text: str, m: Map, title: str) -> None:
        """That the size is what the checker says."""
        self.say(f"assert ({title} : size {text} = {outer(term(m.size))}).", "{ sized. }")

    def place(self, m: Map) -> tuple[list[str], list[str]]:
        """A place of a layout by its coordinates, and the proofs of their ranges."""
        return self.box([name(c.name) for c in m.coords], m.shape)

    def box(self, coords: list[str], shape: Sequence[Expr]) -> tuple[list[str], list[str]]:
        """A place of a box by these names, and the proofs of their ranges."""
        self.say("intros p' I'.", "pose proof (inside_length _ _ I') as L'.")
        pattern = "[| x' p']"
        for c in reversed(coords):
            pattern = f"[| {c} {pattern}]"
        self.say(f"destruct p' as {pattern}; try (wrong_length L'); clear L'.")
        ranges = [*[f"I'{c}" for c in coords], "_"]
        if coords:
            self.say(f"destruct I' as {pattern_of(ranges)}.")
        for c, d in zip(coords, shape):
            self.say(f"destruct I'{c} as [L'{c} U'{c}].", f"unfolded_in U'{c}.")
            self.say(f"assert (B'{c} : {c} < {outer(term(d))}) by below.")
        return coords, [proof for c in coords for proof in (f"L'{c}", f"B'{c}")]

    def defined(self) -> None:
        """That the layout is defined."""
        for part in self.lemmas:
            if part == "defined":
                self.say(f"pose proof {self.used(part)} as defined'.")
        self.say("defined_by.")


def names_of_fact(k: int, many: int) -> list[str]:
    """The hypotheses of a fact, and of what it needs."""
    return [f"F{k}'", *[f"F{k}'_{n}" for n in range(many - 1)]]


def constants(part: Part, steps: Held) -> dict[str, str]:
    """The unknowns of sizes alone that the goals speak of, and what they equal."""
    laws = {n: (s, v) for s in steps.steps if isinstance(s, Use) for v, n in s.new.items()}
    needed, waiting = set[str](), [x for x in part.constant if x in laws]
    while waiting:
        x = waiting.pop()
        if x not in needed:
            needed.add(x)
            waiting += [a for p in laws[x][0].arguments.values() for a in p.atoms if a in laws]
    rows = [(x, step, v) for x, (step, v) in laws.items() if x in needed]
    return {x: dict(new_of(step.law, step.arguments))[v] for x, step, v in rows}


def alternatives(goal: Sequence[Relation], valued: bool) -> str:
    """A goal: one of its relations holds, and (valued) has a value."""
    if len(goal) == 1:
        return together(with_needs(goal[0])) if valued else relation(goal[0])
    if valued:
        return (
            "(" + r" \/ ".join(" /\\ ".join(with_needs(r)) for r in goal) + ")" if goal else "False"
        )
    return "(" + r" \/ ".join(map(relation, goal)) + ")"


def conjunction(proofs: Sequence[str]) -> str:
    """The proof that all of some propositions hold."""
    whole = proofs[-1] if proofs else "I"
    for proof in reversed(proofs[:-1]):
        whole = f"(conj {proof} {whole})"
    return whole


# -- the words of claims --------------------------------------------------------------------------


def of_sizes(t: Theorem) -> None:
    """Relations of sizes, and laws of layouts in them."""
    for k, part in enumerate(t.lemmas):
        t.say(f"pose proof {t.used(part)} as P{k}'.")
    t.say("parts_known; intros; parts_known.")


def separated(t: Theorem, text: str) -> None:
    """That expressions of the offset give the coordinates back."""
    m = t.claim.decisive
    own = t.lemmas.get("offsets")
    if own is None:
        t.say("intros p' q' I' _ _; exfalso; clear q'; revert p' I'.")
        t.place(m)
        t.say("lia.")
        return
    for x, equals in own.fixed.items():
        t.say(f"destruct (named {equals}) as [{name(x)} D'{name(x)}].")
    back = [read_expression(e) for e in t.proof.texts.sequence("back")]
    offset = name(t.proof.texts.offset)
    says = listed(outer(term(e)) for e in back)
    t.say(f"apply (separates_by _ (fun {offset} => {says})).")
    coords, ranges = t.place(m)
    goals = t.opened("offsets", coords, ranges)
    t.say("rewrite ?O0'.")
    for g in goals:
        t.say(f"apply cons_eq; [exact {g} |].")
    t.say("reflexivity.")


def stays(t: Theorem, text: str, m: Map, size: str) -> None:
    """That offsets lie in a size."""
    coords, ranges = t.place(m)
    goals = t.opened("bounds", coords, ranges)
    if not goals:
        return
    t.say(f"rewrite O0'{size}; split; [apply Z.ge_le; exact {goals[0]} | exact {goals[1]}].")


def covers(
    t: Theorem, text: str, m: Map, names: tuple[str, str, str] = ("inverse", "O0'", "Z0'")
) -> None:
    """That a place is known for each offset."""
    (part, offset, size), n = names, name(t.proof.texts.offset)
    t.say(f"unfold covers; rewrite {size}; intros {n} N'.")
    goals = t.opened(part, [n], ["(proj1 N')", "(proj2 N')"])
    if not goals:
        return
    place = [outer(term(read_expression(e))) for e in t.proof.texts.sequence(part)]
    t.say(f"exists {listed(place)}; split.")
    t.say("{ unfolded; parts_known. }")
    t.say(f"rewrite {offset}; etransitivity; [| exact {goals[-1]}]; same.")


SWIZZLED = re.compile(r"\(swizzled (\S+) (\S+) (\S+) (.*)\)", re.S)


def one_layout(*steps: str) -> Callable[[Theorem], None]:
    """A word of one layout, shown in steps that the statement joins."""

    def prove(t: Theorem) -> None:
        text, m = layout(t.claim, 0), t.claim.decisive
        swizzle = SWIZZLED.fullmatch(text) if m is not t.claim.maps[0] else None
        before = text if swizzle is None else f"(before_swizzle {swizzle[4]})"
        t.offsets(before, m, "O0'")
        if steps != ("separates",):
            t.size(before, m, "Z0'")
        if swizzle is not None and "covers" in steps:
            own = outer(term(t.claim.maps[0].size))
            t.say(f"assert (Z1' : size {text} = {own}).", "{ block_computed; sized. }")
        t.say("split.", "{")
        t.defined()
        t.say("}")
        for step in steps:
            by_step(t, step, before, m, swizzle is None)
            if swizzle is not None:
                of_swizzle(t, step, text)
        t.say("parts_known.")

    return prove


def by_step(t: Theorem, step: str, text: str, m: Map, plain: bool) -> None:
    """One of the things that words of layouts join."""
    kind = {"stays": f"stays {text} (size {text})", "separates": f"separates {text}"}
    kind["covers"] = f"covers {text}"
    if step == "covers" and t.proof.by == "count" and not plain:
        return
    t.say(f"assert ({step}' : {kind[step]}).", "{")
    if step == "stays":
        stays(t, text, m, ", Z0'")
    elif step == "separates":
        separated(t, text)
    elif t.proof.by == "count":
        by_count(t, text, m)
    else:
        covers(t, text, m)
    t.say("}")


def of_swizzle(t: Theorem, step: str, text: str) -> None:
    """What holds before bits are exchanged holds after it."""
    kind = {"stays": f"stays {text} (size {text})", "separates": f"separates {text}"}
    kind["covers"] = f"covers {text}"
    t.say(f"assert ({step}_after' : {kind[step]}).", "{")
    if step == "stays":
        t.say("apply swizzle_within; [lia | lia | unfolded; parts_known | exact stays'].")
    elif step == "separates":
        t.say("apply swizzle_separates; [lia | lia | lia | exact separates'].")
    else:
        (same,) = t.opened("blocks")
        if t.proof.by == "count":
            by_count(t, text, t.claim.decisive, f"Z1'; etransitivity; [| symmetry; exact {same}]")
        else:
            t.say(
                "apply swizzle_covers; [lia | lia | lia | unfolded; parts_known | | exact covers']."
            )
            t.say(f"rewrite Z1', Z0'; exact {same}.")
    t.say("}")


def by_count(t: Theorem, text: str, m: Map, size: str = "Z0'") -> None:
    """As many places as offsets."""
    goals = t.opened("sizes")
    whole = outer(term(product(m.shape)))
    t.say("apply covers_by_count; [defined_by | | assumption | assumption].")
    t.say(f"rewrite {size}; transitivity ({whole}); [unfold product; written | exact {goals[0]}].")


def bounded(t: Theorem) -> None:
    """Offsets in the layout's own size, or in another one."""
    if not t.claim.sizes:
        one_layout("stays")(t)
        return
    text, m = layout(t.claim, 0), t.claim.maps[0]
    t.say(*["split; [parts_known |]." for _ in needs(*t.claim.sizes)])
    t.offsets(text, m, "O0'")
    t.say("split.", "{")
    t.defined()
    t.say("}")
    stays(t, text, m, "")


def equal(t: Theorem) -> None:
    """One shape, and one offset at each place."""
    a, b = t.claim.maps
    first, second = layout(t.claim, 0), layout(t.claim, 1)
    t.offsets(first, a, "O0'")
    t.offsets(second, b, "O1'")
    for _ in "ab":
        t.say("split.", "{")
        t.defined()
        t.say("}")
    t.say("split.", "{")
    goals = t.opened("sizes") if t.lemmas["sizes"].goals else []
    left, right = (listed(outer(term(d)) for d in m.shape) for m in (a, b))
    t.say(f"transitivity {left}; [lists |].", f"transitivity {right}; [| symmetry; lists].")
    t.say(*[f"apply cons_eq; [exact {g} |]." for g in goals], "reflexivity.", "}")
    coords, ranges = t.place(a)
    for g in t.opened("offsets", coords, ranges):
        t.say(f"rewrite ?O0', ?O1'; etransitivity; [exact {g} |]; same.")


def formula(t: Theorem) -> None:
    """The offset is what an expression says."""
    text, m = layout(t.claim, 0), t.claim.maps[0]
    t.offsets(text, m, "O0'")
    t.say("split.", "{")
    t.defined()
    t.say("}")
    coords, ranges = t.place(m)
    if "offsets" not in t.lemmas:
        t.say("exfalso; lia.")
        return
    t.say(f"pose proof {t.used('offsets', coords, ranges)} as G'.")
    t.say("rewrite O0'; parts_known.")


def of_bitcast(t: Theorem) -> None:
    """The elements with one number have one offset."""
    a, b = t.claim.maps
    first, order = permuted(t.claim, layout(t.claim, 0))
    second = layout(t.claim, 1)
    if order is not None:
        shape, own = tuple(a.shape[k] for k in order), tuple(a.coords[k] for k in order)
        a = a._replace(shape=shape, coords=own)
    t.offsets(first, a, "O0'")
    t.offsets(second, b, "O1'")
    t.size(first, a, "Z0'")
    t.size(second, b, "Z1'")
    for _ in "ab":
        t.say("split.", "{")
        t.defined()
        t.say("}")
    count, size = t.opened("sizes")
    left, right = (outer(term(product(m.shape))) for m in (a, b))
    t.say("split.", "{")
    t.say(f"transitivity ({left}); [unfold product; written |].")
    t.say(f"transitivity ({right}); [exact {count} | unfold product; written].", "}")
    t.say("split.", f"{{ rewrite ?Z0', ?Z1'; exact {size}. }}")
    word, titles = "same_elements_by", ("O0'", "O1'")
    if t.proof.by.endswith("of B"):
        word, titles, a, b = "same_elements_back", ("O1'", "O0'"), b, a
        first, second = second, first
    t.say(f"apply {word}.")
    coords, ranges = t.place(a)
    goals = t.opened("offsets", coords, ranges)
    if not goals:
        return
    (g,) = goals
    n = f"number {listed(coords)} (shape {first})"
    place = listed(outer(term(e)) for e in element(a, b))
    t.say(f"assert (Q' : place_at (shape {second}) ({n}) = {place}) by lists.")
    t.say(f"rewrite Q', {', '.join(f'?{t}' for t in titles)}; etransitivity; [exact {g} |]; same.")


def permuted(claim: Claim, text: str) -> tuple[str, list[int] | None]:
    """The first layout with its dimensions in another order, where the claim or a hint names one."""
    perm, rank = claim.options.get("perm", claim.hint), len(claim.maps[0].shape)
    if perm is None:
        return text, None
    order = [k % rank for k in numerals(perm)]
    return f"(permuted {listed(map(str, order))}%nat {text})", order


def element(a: Map, b: Map) -> list[Expr]:
    """The place of b with the row-major number of a place of a, as the checker has it."""
    rest, place = number(a.coords, a.shape), list[Expr]()
    for size in reversed(b.shape[1:]):
        d = ONE if size == 0 else size
        rest, place = FloorDiv(rest, d), [Mod(rest, d), *place]
    return [rest, *place] if b.shape else []


def tiles(t: Theorem) -> None:
    """First offset + tile layout is what the whole addresses."""
    text, (m, tile) = layout(t.claim, 0), t.claim.maps
    part = t.parts["offsets"]
    t.offsets(text, m, "O0'")
    for part_name in t.lemmas:
        if part_name != "offsets":
            t.say(f"pose proof {t.used(part_name)} as K'.", "pieces K'.")
    t.say("split.", "{ split; [defined_by |].", "split; [unfolded; parts_known | with_room]. }")
    if t.claim.first:
        t.say("split; [unfolded; parts_known |].")
    names = [*map(name, part.box)]
    count = len(names) - len(tile.coords)
    grid, sizes = names[:count], [*part.box.values()]
    _, outer_ranges = t.box(grid, sizes[:count]) if grid else ([], [])
    _, inner_ranges = t.box(names[count:], sizes[count:])
    t.say("intro N'; unfolded_in N'; pieces N'.")
    proofs = []
    for k, r in enumerate(part.premises):
        t.say(f"assert (R{k}' : {relation(r)}) by below.")
        proofs.append(f"R{k}'")
    goals = t.opened("offsets", names, [*outer_ranges, *inner_ranges, *proofs])
    if not goals:
        return
    (g,), ((r,),) = goals, part.goals
    t.say("cbn [each2 map]; rewrite !O0'.")
    t.say(f"transitivity ({outer(term(r.right))}); [same |].")
    t.say(f"transitivity ({outer(term(r.left))}); [symmetry; exact {g} | same].")


def of_size(t: Theorem) -> None:
    """A relation about the size of a layout."""
    text, m = layout(t.claim, 0), t.claim.maps[0]
    t.size(text, m, "Z0'")
    t.say(f"pose proof {t.used('sizes')} as G'.")
    t.say("split.", "{")
    t.defined()
    t.say("}")
    t.say("rewrite Z0'; unfolded.")
    t.say(
        "first [assumption | etransitivity; [| exact G']; same | unfold product in *; cbn in *; lia]."
    )


def aligned(t: Theorem) -> None:
    """Rows begin at multiples."""
    text, m = layout(t.claim, 0), t.claim.maps[0]
    t.offsets(text, m, "O0'")
    t.say(*["split; [parts_known |]." for _ in needs(*t.claim.sizes)])
    t.say("split.", "{")
    t.defined()
    t.say("}", "split.", "{")
    t.opened("step")
    t.say("lia.", "}")
    coords, ranges = t.place(m)
    t.say("intro A'; cbn [nth] in A'.")
    if "rows" not in t.lemmas:
        t.say("exfalso; lia.")
        return
    _, multiple = t.opened("rows", coords, ["ltac:(lia)" for _ in ranges])
    t.say(f"split; [lia | rewrite O0'; etransitivity; [| exact {multiple}]; same].")


def reinterpret(t: Theorem) -> None:
    """The units of the one are those of the other."""
    a, b = t.claim.maps
    if t.proof.by.startswith("order"):
        text, order = permuted(t.claim, layout(t.claim, 0))
        if order is not None:
            t.say(f"apply (reinterpret_turned _ {text}); [reflexivity | tauto | | |].")
            for other in (text, layout(t.claim, 0)):
                turned(t, a, order, other == text)
        t.say("apply reinterpret_by_numbers; [defined_by | defined_by |].")
        of_bitcast(t)
        return
    both = list(
        zip((layout(t.claim, 0), layout(t.claim, 1)), (a, b), ("O0'", "O1'"), ("Z0'", "Z1'"))
    )
    for text, m, offset, size in both:
        t.offsets(text, m, offset)
        t.size(text, m, size)
    for text, *_ in both:
        t.say(f"assert (defined {text}) as ?.", "{")
        t.defined()
        t.say("}")
    t.opened("sizes")
    if t.proof.by == "full":
        for (text, m, at, size), part, title in zip(both, ("first", "second"), ("A'", "B'")):
            t.say(f"assert (covers {text}) as C{title}.", "{")
            covers(t, text, m, (part, at, size))
            whole = outer(term(product(m.shape)))
            t.say("}", f"assert (stays {text} (size {text})) as S{title}.")
            t.say(f"{{ apply stays_by_count; [defined_by | | exact C{title}].")
            t.say(
                f"  rewrite {size}; transitivity ({whole}); [unfold product; written | sized]. }}"
            )
        t.say("apply reinterpret_by_cover; try assumption; first [lia | rewrite ?Z0', ?Z1'; lia].")
        return
    t.say("split; [assumption |].", "split; [assumption |].")
    t.say("split.", "{ rewrite ?Z0', ?Z1'; lia. }")
    for word, m in (("forth", a), ("back", b)):
        t.say(*(["split.", "{"] if word == "forth" else []))
        units(t, word, m)
        t.say(*(["}"] if word == "forth" else []))


def turned(t: Theorem, m: Map, order: Sequence[int], back: bool) -> None:
    """The places in another order are the same ones."""
    t.say("{")
    rank = range(len(order))
    shape = [m.shape[k] for k in order] if back else m.shape
    own = [f"x{k}'" for k in rank]
    coords, _ = t.box(own, shape)
    place = [own[order.index(k)] for k in rank] if back else [coords[k] for k in order]
    t.say(f"exists {listed(place)}; split; [unfolded; parts_known | reflexivity].", "}")


def units(t: Theorem, word: str, m: Map) -> None:
    """Each unit of a layout is one of the other."""
    t.say("intros p' k' I' K'; revert k' K'; revert p' I'.")
    coords, ranges = t.place(m)
    t.say("intros k' K'.")
    goals = t.opened(word, [*coords, "k'"], [*ranges, "(proj1 K')", "(proj2 K')"])
    if not goals:
        return
    own = t.proof.texts.offset
    texts: dict[Expr, str] = {symbol(own): "k'"}
    place = [outer(term(read_expression(e), texts)) for e in t.proof.texts.sequence(word)]
    t.say(f"exists {listed(place[:-1])}, ({place[-1]}).")
    t.say("split; [unfolded; parts_known |]; split; [lia |].")
    t.say(f"rewrite ?O0', ?O1'; etransitivity; [| etransitivity; [exact {goals[-1]} |]]; same.")


PROOFS: dict[str, Callable[[Theorem], None]] = {
    "holds": of_sizes,
    "broadcast": of_sizes,
    "divides": of_sizes,
    "injective": one_layout("separates"),
    "bounded": bounded,
    "onto": one_layout("covers"),
    "valid": one_layout("stays", "separates"),
    "bijective": one_layout("stays", "separates", "covers"),
    "equal": equal,
    "bitcast": of_bitcast,
    "formula": formula,
    "bytes": of_size,
    "padding": of_size,
    "tiles": tiles,
    "aligned": aligned,
    "reinterpret": reinterpret,
}
