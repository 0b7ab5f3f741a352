"""From a claim to its condition: learn a form, prove both directions, learn from what fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import islice
from math import prod
from operator import or_
from typing import Any

from symlayout.digits.bounds import Meter
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import Mod, count_operations, divisors_of, free_names
from symlayout.expr.tree import Add, Expr, Integer, Symbol
from symlayout.prove.bijection import bounded
from symlayout.prove.decide import Problem
from symlayout.prove.question import Question
from symlayout.prove.relation import holds
from symlayout.prove.run import Effort, Run
from symlayout.prove.search import Unsafe
from symlayout.prove.subject import Duties, Places
from symlayout.prove.verdict import Verdict
from symlayout.prove.when import points
from symlayout.prove.when.answer import (
    Condition,
    Strength,
    Term,
    cases,
    holding,
    negations,
    term_text,
)
from symlayout.prove.when.atoms import atoms, marks, tidy
from symlayout.prove.when.ends import ends_of
from symlayout.prove.when.failures import Failure, Failures, hints
from symlayout.prove.when.forms import cheapest, common, widest
from symlayout.prove.when.idle import without_idle
from symlayout.prove.when.labels import LITTLE, Judge
from symlayout.prove.when.parts import parts_of
from symlayout.prove.when.pool import apiece, pool, thresholds, within
from symlayout.prove.when.samples import MOST, Samples, assignments, edges, numbers

SIZES = 14  # of a claim, for which a condition is looked for
ROUNDS = 14
BRANCHES = 12
SPLITS = 3  # how often a branch is split by a relation
TRIED = 4  # failures whose proof is tried
ATTEMPTS = 48  # proofs in all
HOLDS = "it holds where the condition does"
SOLVER = 40_000  # the solver's steps for each
DOUBTS = 7  # proofs for which one counts that comes to nothing ...
OPERATIONS = 6  # ... and one more for so many operations of the claim
WORK = 150_000  # terms that its proofs look at: those that come to an end take a twentieth
BRIEFLY = 20_000  # up to which all is asked once more
WANTED = 4  # relations that are tried as necessary ones
FEW = 3  # assignments that are looked at alone
THRESHOLDS = 160  # assignments at thresholds
WIDE = 3  # sizes, of more of which the first assignments may tell little ...
SELDOM = 16  # ... where the claim holds, or fails, at so few of them
ASKED = 24  # assignments for whose labels the claim itself is asked
BRIEF = Effort(points=20_000, more=20_000, probes=False, corners=0, fewer=False)
DIVIDED = 64  # a number whose divisors are looked at one by one
LISTED = 1024  # assignments that are all looked at
LISTING = replace(BRIEF, points=1_000_000, more=1_000_000)

Ask = Callable[..., Any]  # facts, the solver's budget -> what is asked


@dataclass
class Quest:
    """A claim word with its arguments, asked again and again under more facts."""

    ask: Ask
    where: Facts
    left: int = ATTEMPTS
    doubt: int = DOUBTS  # what a proof counts that comes to nothing
    known: tuple[dict[str, int], ...] = ()
    ones: bool = False  # whether dimensions of one place are told from longer ones
    meter: Meter = field(default_factory=Meter)  # the work of its proofs
    verdicts: dict[tuple[Relation, ...], Verdict] = field(default_factory=dict)
    lemmas: dict[Any, Verdict] = field(default_factory=dict)
    listed: dict[tuple[Relation, ...], bool] = field(default_factory=dict)
    names: tuple[str, ...] = ()  # of all sizes

    def remember(self, table: dict[Any, Verdict], key: Any, ask: Callable[[], Question]) -> Verdict:
        """A verdict that is asked for once, and counted."""
        if key not in table:
            effort = replace(BRIEF, known=self.known, ones=self.ones)
            table[key] = ask().decided(Run(effort, meter=self.meter))
            self.left -= self.doubt if table[key].status == "unknown" else 1
        return table[key]

    def subjects(self) -> Sequence[Any]:
        """What is asked, each part ready to be searched from its beginning."""
        result: Sequence[Any] = self.ask(self.where, SOLVER).subjects(Run())
        return result

    def more(self, least: int) -> None:
        """At least so many proofs, unless they have taken long."""
        self.left = max(self.left, least) if self.meter.terms < WORK else min(self.left, 0)

    def again(self) -> None:
        """What is not decided may be asked once more, with dimensions of one place apart."""
        self.ones, self.left = True, ATTEMPTS // 2
        self.verdicts = {k: v for k, v in self.verdicts.items() if v.status != "unknown"}

    def claim(self, more: Sequence[Relation], base: Facts) -> Verdict:
        """The claim under more facts."""

        facts = holding(self.where, more, base)

        def ask() -> Question:
            result: Question = self.ask(facts, SOLVER)
            return result

        key = tuple(more)
        verdict = self.remember(self.verdicts, key, ask)
        if verdict.status == "unknown" and self.listed.setdefault(key, few(facts, self.names)):
            self.listed[key] = False  # it is asked once more
            self.verdicts[key] = ask().decided(Run(LISTING, meter=self.meter))
        return self.verdicts[key]

    def unreached(self, m: Any, facts: Facts) -> Verdict | None:
        """Whether no coordinate reaches the last place of a map, or of an index function of one result.

        That there is such a place is shown as well.
        """
        places = ends_of(m).box
        some = [Relation(">=", d, Integer(1)) for d in places]
        if len(places) != 1 or not settled([self.follows(some, facts)]):
            return None
        every = replace(facts, beside=facts.names)  # also those that no offset depends on
        ask = partial(bounded.question, m, places[0] - 1, where=every, budget=SOLVER)
        return self.remember(self.lemmas, ("unreached", m, facts), ask)

    def contradicted(self, facts: Facts) -> Verdict:
        """Whether no sizes satisfy the facts; a counterexample gives sizes that do."""
        total = Add(*map(Symbol, sorted(facts.names)))
        ask = partial(holds.question, (Relation("<", total, total),), where=facts, budget=SOLVER)
        return self.remember(self.lemmas, ("contradicted", facts), ask)

    def follows(self, relations: Sequence[Relation], facts: Facts) -> Verdict:
        """Whether the relations hold for all sizes that satisfy the facts."""
        relations = [r for r in dict.fromkeys(relations) if not _plainly(r)] or list(relations)[:1]

        def ask() -> Question:
            names = {n for r in relations for n in r.names}
            return holds.question(tuple(relations), where=links(facts, names), budget=SOLVER)

        return self.remember(self.lemmas, (tuple(relations), facts), ask)


def divisors_in(facts: Facts) -> tuple[str, list[int]] | None:
    """A size of which facts say that it divides a small number, and the divisors."""
    for r in facts.relations:
        if r.op == "==" and r.right == 0 and isinstance(r.left, Mod):
            number, size = r.left.args
            least = facts.domain(size.name).first if isinstance(size, Symbol) else 0
            if least >= 1 and number.is_Integer and 1 < number <= DIVIDED:
                every = range(least, int(number) + 1)
                return str(size), [v for v in every if int(number) % v == 0]
    return None


def few(facts: Facts, names: Sequence[str]) -> bool:
    """Whether the facts leave each size a few values, so that all can be looked at."""
    domains = [facts.domain(n) for n in {*names, *facts.names}]
    counts = [0 if d.last is None else (d.last - d.first) // d.modulus + 1 for d in domains]
    return bool(counts) and all(c > 0 for c in counts) and prod(counts) <= LISTED


def _plainly(r: Relation) -> bool:
    """Whether the relation is true as it is written."""
    if r.op in ("==", "<=", ">=") and r.left == r.right:
        return not divisors_of(r.left)
    return not r.names and r.holds({})


def links(facts: Facts, names: set[str]) -> Facts:
    """The facts that the names hang together with."""
    known, size = set(names), -1
    while size < len(known):
        size = len(known)
        for r in facts.relations:
            if r.names & known:
                known |= r.names
    return facts.only(r for r in facts.relations if r.names & known or not r.names)


@dataclass(frozen=True)
class Proof:
    """The verdicts that together prove a direction, or none of them."""

    verdicts: tuple[Verdict, ...] = ()
    complete: bool = True
    reason: str = ""

    @staticmethod
    def of(parts: Sequence[Proof]) -> Proof:
        """The proof of all parts, each reason once."""
        reason = "; ".join(dict.fromkeys(p.reason for p in parts if p.reason))
        return Proof(tuple(v for p in parts for v in p.verdicts), reason=reason)


def course(ask: Ask, where: Facts, proofs: int | None = None) -> Condition:
    """The condition of a claim that `ask` asks under facts."""
    quest = Quest(ask, where, proofs or ATTEMPTS)
    subjects = quest.subjects()
    facts, names = _scope(subjects, where)
    first = ask(where, SOLVER).decided(Run(BRIEF, meter=quest.meter))
    claim = first.claim
    texts = tuple(map(str, where.relations))
    if first.status == "vacuous":
        return Condition(claim, texts, [], "vacuous", reason=first.reason)
    if first.refuted and not names:  # the one assignment that there is
        fails = Verdict("proved", claim, f"it fails: {first.reason}")
        return Condition(claim, texts, [], "exact", None, fails, reason=first.reason)
    if not (first.proved or (subjects and names)):
        return Condition(claim, texts, [], "unknown", reason=first.reason)
    if len(names) > SIZES and not first.proved:
        reason = f"{len(names)} sizes; conditions are looked for among {SIZES}"
        return Condition(claim, texts, [], "unknown", reason=reason)
    if first.proved:
        reason = "it holds for all sizes"
        return Condition(claim, texts, [[]], "exact", first, reason=reason, names=names)
    quest.names = names
    rounds = Course(quest, subjects, facts, names)
    if first.counterexample is not None:
        rounds.example(first.counterexample.sizes, False)
    condition = rounds.run()
    return replace(condition, claim=claim, facts=texts)


def _scope(subjects: Sequence[Any], where: Facts) -> tuple[Facts, tuple[str, ...]]:
    """All facts, those that the claim itself adds included, and the names of sizes."""
    facts, names = where, dict[str, None]()
    for s in subjects:
        facts = facts.and_(s.facts)
        names.update(dict.fromkeys(s.names))
    return facts, (*names, *[n for n in sorted(facts.names) if n not in names])


class Course:
    """The rounds of one claim."""

    def __init__(
        self, quest: Quest, subjects: Sequence[Any], facts: Facts, names: tuple[str, ...]
    ) -> None:
        self.quest, self.subjects, self.facts, self.names = quest, subjects, facts, names
        self.parts = parts_of(subjects, names, facts)
        self.atoms = atoms(self.parts)
        texts = {e for e, _, _ in self.parts.offsets}
        quest.doubt += sum(count_operations(e)[1] for e in texts) // OPERATIONS
        self.samples = Samples(names)
        self.judge = Judge(subjects, names)
        self.failures = Failures(subjects, self.parts)
        self.banned: set[Term] = set()
        self.news = 0  # assignments that proofs have come upon
        self.marks = marks(self.parts)
        self.pool = pool(names, facts, self.marks)
        self.look()

    def look(self) -> None:
        """Labels for the first assignments."""
        rows = list(islice(assignments(self.names, self.facts, self.marks), MOST))
        for sizes, label in zip(rows, self.judge.labels(rows)):
            if label is not None:
                self.samples.add(sizes, label)
        self.look_further()
        far = thresholds(self.names, self.facts, self.atoms)
        question = ASKED
        for sizes in islice(far, THRESHOLDS):
            (label,) = self.judge.labels([sizes])
            if label is None and question > 0:
                question -= 1
                label = False if self.seen_to_fail(sizes) else self.answer(sizes)
            if label is not None:
                self.samples.add(sizes, label)

        for name, op, number in edges(self.samples):
            r = Relation(op, Symbol(name), Integer(number))
            if r not in self.atoms:
                self.atoms.append(r)

    def look_further(self) -> None:
        """Labels for sizes of the pool, where the claim holds, or fails, at few of the first ones."""
        count, true = len(self.samples.rows), self.samples.true.bit_count()
        if len(self.names) <= WIDE or min(true, count - true) * SELDOM >= count:
            return
        self.judge = Judge(self.quest.subjects(), self.names)
        rows = [self.pool.sizes(k) for k in range(min(MOST, len(self.pool.rows)))]
        for sizes, label in zip(rows, self.judge.labels(rows, LITTLE)):
            if label is not None:
                self.samples.add(sizes, label)

    def seen_to_fail(self, sizes: Mapping[str, int]) -> bool:
        """Whether one of the failures is one at these sizes."""
        one = Samples(self.names)
        one.add(sizes, False)
        try:
            return any(flags[0] for _, flags in self.failures.of(one.arrays(), 1))
        except Unsafe:
            return False

    def answer(self, sizes: Mapping[str, int]) -> bool | None:
        """Whether the prover says that the claim holds at these sizes."""
        return {"proved": True, "refuted": False}.get(self.verdict_at(sizes).status)

    def verdict_at(self, sizes: Mapping[str, int]) -> Verdict:
        """The claim at these sizes."""
        at = [Relation("==", Symbol(n), Integer(v)) for n, v in sizes.items()]
        return self.quest.claim(at, self.facts)

    def contradicted_by_more(self, relations: Sequence[Relation], target: bool) -> bool:
        """Whether further assignments within the relations have another label than that."""
        return self.contradicted_at(list(within(self.pool, relations)), target)

    def contradicted_at(self, rows: Sequence[Mapping[str, int]], target: bool) -> bool:
        """Whether one of these assignments has another label than that."""
        new = False
        for sizes, label in zip(rows, self.judge.labels(rows, LITTLE)):
            if label is not None and self.samples.add(sizes, label):
                new = new or label is not target
        return new

    def example(self, sizes: Mapping[str, int], truth: bool) -> bool:
        """One more assignment; False where it is known."""
        if not {*self.names} <= sizes.keys():
            return False
        return self.samples.add(sizes, truth)

    # -- the rounds -------------------------------------------

    def run(self) -> Condition:
        """The condition after a bounded number of rounds.

        Forms say themselves where a dimension has one place; only where none is found so, proofs do.
        """
        result = self.search()
        if result.strength == "unknown" and self.has_extents() and self.quest.meter.terms < BRIEFLY:
            self.quest.again()
            self.banned.clear()
            result = self.search()
        return result

    def has_extents(self) -> bool:
        """Whether a size of a dimension may be 1."""
        own = {n for shape in self.parts.shapes for d in shape for n in free_names(d)}
        return any(self.facts.domain(n).first == 1 for n in own)

    def search(self) -> Condition:
        """The condition that the rounds find with what proofs may do."""
        sufficient: list[tuple[list[Term], Proof]] = []
        for _ in range(ROUNDS):
            form = cheapest(self.samples, self.atoms, self.banned)
            if form is None or self.quest.left <= 0:
                break
            good, retry = self.proof_if(form)
            if retry:
                continue
            sufficient += [(form, good)] if form else []
            only = self.proof_only_if(form)
            if only is None:  # a new assignment, which is worth another round
                if self.quest.left <= 0:
                    self.quest.more(self.quest.doubt)
                continue
            if only.complete:
                form, why = without_idle(form, self.facts, self.quest.contradicted)
                good = Proof((*good.verdicts, *[v for v in why if v.proved]))
                exact = self.condition(form, "exact", good, only)
                return replace(exact, note=self.note(form))
            break
        weakest = max(sufficient, key=lambda x: self.coverage(x[0]).bit_count(), default=None)
        return self.partly(*(weakest or ([], Proof())))

    def coverage(self, form: Sequence[Term]) -> int:
        """The mask of the assignments at which a form is true."""
        return reduce(or_, map(self.samples.holding, form), 0)

    def note(self, form: Sequence[Term]) -> str:
        """That an exact condition says what the claim says, and the weakest shorter one that holds."""
        own = {tidy(r) for r in self.parts.relations}
        if len(form) != 1 or len(form[0]) != 1 or form[0][0] not in own:
            return ""
        self.quest.more(2 * self.quest.doubt)
        for c in widest(self.samples, self.atoms, self.banned):
            if c.term in form or c.mask == self.samples.true or self.quest.left <= 0:
                continue
            if settled(self.proofs(c.term)):
                text = " and ".join(term_text(c.term, self.facts))
                return f"no shorter condition found; it holds if {text}"
        return "no shorter condition found"

    def condition(
        self,
        form: Sequence[Term],
        strength: Strength,
        good: Proof | None = None,
        only: Proof | None = None,
    ) -> Condition:
        """The condition as a value."""
        relations = [term_text(term, self.facts) for term in form]
        return Condition(
            "",
            (),
            relations,
            strength,
            None if good is None else verdict_of(good.verdicts, HOLDS),
            None if only is None else verdict_of(only.verdicts, "it fails for every other size"),
            reason="" if only is None else only.reason,
            names=self.names,
        )

    def proof_if(self, form: Sequence[Term]) -> tuple[Proof, bool]:
        """A verdict for each term; whether something was learned instead."""
        verdicts, retry = [], False
        if sum(self.contradicted_by_more(term, True) for term in form):
            return Proof(), True
        for term in form:
            results = self.proofs(term)
            if settled(results):
                verdicts += [v for v in results if v.proved]
                continue
            retry = True
            hits = [v.counterexample.sizes for v in results if v.counterexample is not None]
            if not sum(self.example(sizes, False) for sizes in hits):
                self.banned.add(term)
        return Proof(tuple(verdicts)), retry

    def proofs(self, term: Term) -> list[Verdict]:
        """The verdicts on the claim for the cases of a term, up to the first that fails."""
        verdicts: list[Verdict] = []
        for case in cases(term, self.facts):
            verdicts.append(self.quest.claim(case, self.facts))
            if not settled(verdicts[-1:]):
                break
        return verdicts

    def partly(self, form: Sequence[Term], proof: Proof) -> Condition:
        """What is proved at least: some sizes at which the claim holds, these and a few more."""
        good, verdicts = list(form), list(proof.verdicts)
        covered, most = self.coverage(form), len(form) + (2 if form else 3)
        self.quest.more((2 if form else 4) * self.quest.doubt)
        for c in widest(self.samples, self.atoms, self.banned):
            if self.quest.left <= 0 or len(good) >= most:
                break
            if not c.mask & ~covered:
                continue
            results = self.proofs(c.term)
            if settled(results):
                good.append(c.term)
                verdicts += [v for v in results if v.proved]
                covered |= c.mask
        if not good:
            return self.necessary()
        return self.condition(good, "sufficient", Proof(tuple(verdicts)))

    def necessary(self) -> Condition:
        """What is proved at least: relations without which the claim fails."""
        relations: list[Relation] = []
        proofs: list[Proof] = []
        exclusion = 0
        for r, mask in common(self.samples, self.atoms)[:WANTED]:
            self.quest.more(self.quest.doubt)
            if not mask & ~exclusion or self.quest.meter.terms >= WORK:
                continue
            parts = [self.fails(n, 1) for n in negations(r, self.facts)]
            if all(p.complete for p in parts):
                relations.append(r)
                proofs += parts
                exclusion |= mask
        if not relations:
            return self.condition([], "unknown")
        only = Proof.of(proofs)
        only = replace(only, reason=_reasons(only.reason))
        return self.condition([tuple(relations)], "necessary", None, only)

    # -- only if ----------------------------------------------

    def proof_only_if(self, form: Sequence[Term]) -> Proof | None:
        """That the claim fails wherever the form is false; None where that is seen to be wrong."""
        proofs: list[Proof] = []
        branches = self.branches(form)
        if len(branches) > BRANCHES:
            return Proof(complete=False)
        if sum(self.contradicted_by_more(b, False) for b in branches):
            return None
        for branch in branches:
            proof = self.fails(branch, SPLITS)
            if not proof.complete:
                if self.learn(branch):
                    return None
                return proof
            proofs.append(proof)
        whole = Proof.of(proofs)
        return replace(whole, reason=_reasons(whole.reason))

    def branches(self, form: Sequence[Term]) -> list[Term]:
        """The negation as an or of ands: one negated relation of each term."""
        results: list[Term] = [()]
        for term in form:
            options = [n for r in term for n in negations(r, self.facts)]
            longer = [tuple(dict.fromkeys((*b, *n))) for b in results for n in options]
            longer = list(dict.fromkeys(longer))
            results = [b for b in longer if not any({*c} < {*b} for c in longer)]
        return results

    def fails(self, branch: Term, splits: int) -> Proof:
        """That the claim fails at all sizes of a branch."""
        facts = holding(self.facts, branch)
        if not (choices := self.where_false(branch)):
            empty = self.no_sizes(facts, branch)
            if not (choices := self.where_false(branch)):
                return empty
        self.quest.known = tuple(self.samples.sizes(k) for k in choices[:1])
        if self.quest.left <= 0:
            return Proof(complete=False)
        hits = self.failing(choices, branch)
        verdict = self.first_proved(hits, branch)
        if not verdict.complete:
            verdict = self.missed(facts)
        if not verdict.complete:
            seen = self.seen_at(self.samples.sizes(choices[0]))
            verdict = self.first_proved(self.failing(choices, branch, seen), branch)
        if not verdict.complete and splits == SPLITS:
            verdict = self.by_divisors(branch)
        return verdict if verdict.complete else self.split(branch, hits, choices, splits)

    def where_false(self, branch: Term) -> list[int]:
        """The numbers of the assignments of a branch at which the claim is false."""
        return numbers(self.samples.holding(branch) & ~self.samples.true)

    def no_sizes(self, facts: Facts, branch: Term) -> Proof:
        """That no sizes are in a branch; where there are some, the first are looked at."""
        if not facts.names:
            return Proof(complete=False)
        empty = self.quest.contradicted(facts)
        if empty.counterexample is not None:
            sizes = empty.counterexample.sizes
            self.look_at({n: sizes.get(n, self.facts.domain(n).first) for n in self.names}, branch)
        return Proof(complete=settled([empty]))

    def first_proved(self, hits: Sequence[tuple[Failure, list[bool]]], branch: Term) -> Proof:
        """The proof of one of the failures that are one at all of the assignments."""
        facts = holding(self.facts, branch)
        for failure in [f for f, flags in hits if all(flags)][:TRIED]:
            verdict = self.quest.follows(failure.relations, facts)
            if settled([verdict]):
                return Proof((verdict,), reason=failure.reason)
            if verdict.counterexample is not None:
                self.elsewhere(verdict.counterexample.sizes, branch)
        return Proof(complete=False)

    def missed(self, facts: Facts) -> Proof:
        """That a map which is to reach all places does not reach the last one."""
        for about in self.parts.places:
            if about.word in ("onto", "bijective"):
                verdict = self.quest.unreached(about.maps[0], facts)
                if verdict is not None and settled([verdict]):
                    return Proof((verdict,), reason="nothing reaches the last place")
        return Proof(complete=False)

    def failing(
        self, choices: list[int], branch: Term, seen: Sequence[tuple[Expr, ...]] = ()
    ) -> list[tuple[Failure, list[bool]]]:
        """Failures and where they are one; at these coordinates, if any are given."""
        rows = [self.samples.sizes(k) for k in choices]
        self.failures.hints, self.failures.seen = hints(branch), seen
        try:
            arrays = self.samples.arrays(choices=choices)
            hits = [(f, flags.tolist()) for f, flags in self.failures.of(arrays, len(choices))]
        except Unsafe:
            hits = self.failing_far(rows, choices)
        for s in self.subjects:
            about = s.about if isinstance(s, Problem) else None
            if isinstance(about, Places) and isinstance(about.map, tuple):
                hits += points.failures(about, rows, hints(branch), seen)
            elif isinstance(about, Duties):
                hits += points.misfits(about, rows, hints(branch))
        return hits

    def seen_at(self, sizes: Mapping[str, int]) -> list[tuple[Expr, ...]]:
        """The coordinates of the counterexample at these sizes: they may be those of others."""
        left = self.quest.left
        c = self.verdict_at(sizes).counterexample
        self.quest.left = left  # it is no proof
        places = [] if c is None else [p for p in (c.coords, c.other) if p]
        return [tuple(map(Integer, p)) for p in places]

    def failing_far(
        self, rows: list[dict[str, int]], choices: list[int]
    ) -> list[tuple[Failure, list[bool]]]:
        """The same where sizes are too large to be looked at together: by a few of them alone."""
        hits: dict[tuple[Relation, ...], Failure] = {}
        order = sorted(choices, key=lambda k: -max(map(abs, self.samples.rows[k])))
        safe = 0
        for k in order:
            with suppress(Unsafe):
                for f, flags in self.failures.of(self.samples.arrays(choices=[k]), 1):
                    if flags[0]:
                        hits.setdefault(f.relations, f)
                safe += 1
            if safe == FEW:
                break
        return [(f, [all(r.holds(s) for r in f.relations) for s in rows]) for f in hits.values()]

    def split(
        self,
        branch: Term,
        hits: Sequence[tuple[Failure, list[bool]]],
        choices: list[int],
        splits: int,
    ) -> Proof:
        """The same, the branch split by a relation on one side of which one failure is enough."""
        if splits == 0:
            return Proof(complete=False)
        every = sum(1 << k for k in choices)
        masks = [sum(1 << k for k, flag in zip(choices, flags) if flag) for _, flags in hits]
        best: tuple[int, int, Relation] | None = None
        largest = sorted(zip(masks, hits), key=lambda pair: -pair[0].bit_count())
        missing = self.missing([hit for _, hit in largest], choices)
        for place, r in enumerate([*missing, *self.atoms]):
            here = self.samples.mask(r) & every
            for side in (here, every & ~here):
                if side and side != every and any(side | m == m for m in masks):
                    rank = (-side.bit_count(), place, r)
                    best = min(best, rank, key=lambda x: x[:2]) if best else rank
        if best is None:
            return Proof(complete=False)
        proofs: list[Proof] = []
        for half in (*cases((best[2],), self.facts), *negations(best[2], self.facts)):
            proof = self.fails((*branch, *half), splits - 1)
            if not proof.complete:
                return proof
            proofs.append(proof)
        return Proof.of(proofs)

    def by_divisors(self, branch: Term) -> Proof:
        """The same, for each value of a size that divides a small number."""
        values = divisors_in(self.facts)
        if values is None:
            return Proof(complete=False)
        proofs: list[Proof] = []
        self.quest.more(2 * len(values[1]))
        for v in values[1]:
            r = Relation("==", Symbol(values[0]), Integer(v))
            proof = self.fails((*branch, r), 1)
            if not proof.complete:
                return proof
            proofs.append(proof)
        return Proof.of(proofs)

    def missing(
        self, hits: Sequence[tuple[Failure, list[bool]]], choices: list[int]
    ) -> list[Relation]:
        """Relations that alone keep a failure from being one at all of the assignments."""
        rows = [self.samples.sizes(k) for k in choices]
        results: dict[Relation, None] = {}
        for failure, _ in hits[:TRIED]:
            false = [r for r in failure.relations if not all(r.holds(s) for s in rows)]
            if len(false) == 1:
                results.setdefault(false[0])
        return list(results)

    def elsewhere(self, sizes: Mapping[str, int], branch: Term) -> None:
        """Looks at sizes of a branch at which a failure is none: the claim may hold there."""
        here = {n: v for n, v in sizes.items() if n in self.names}
        self.look_at({**self.quest.known[0], **here}, branch)

    def look_at(self, row: Mapping[str, int], branch: Term) -> None:
        """Looks at sizes, if they are in a branch."""
        if self.facts.holds(row) and all(r.holds(row) for r in branch):
            (label,) = self.judge.labels([row], spare=True)
            if label is None:  # what the judge may look at is used up
                self.judge = Judge(self.quest.subjects(), self.names)
                (label,) = self.judge.labels([row])
            if label is not None:
                self.news += self.samples.add(row, label)

    def learn(self, branch: Term) -> bool:
        """Whether an assignment of the branch is found at which the claim holds."""
        new, self.news = self.news, 0
        if self.contradicted_by_more(branch, False) or new > 0:
            return True
        rows = [s for s in apiece(self.pool, branch, self.atoms) if not self.samples.known(s)]
        self.judge = Judge(self.quest.subjects(), self.names)  # what it may look at is used up
        return self.contradicted_at(rows, False)


def settled(verdicts: Iterable[Verdict]) -> bool:
    """Whether nothing is left to show."""
    return all(v.status in ("proved", "vacuous") for v in verdicts)


def _reasons(text: str) -> str:
    """The reasons, each once, those at places of one kind together."""
    every = list(dict.fromkeys(text.split("; "))) if text else []
    for kind in ("it is false at ", "the offsets differ at ", "it divides by 0 at "):
        places = [s.removeprefix(kind) for s in every if s.startswith(kind)]
        if len(places) > 1:
            first = next(k for k, s in enumerate(every) if s.startswith(kind))
            every[first] = kind + ", ".join(places[:-1]) + f" or {places[-1]}"
            every = [s for k, s in enumerate(every) if k <= first or not s.startswith(kind)]
    return "; ".join(every)


def verdict_of(verdicts: Sequence[Verdict], reason: str) -> Verdict:
    """One verdict of several: that of the only one, or one with these as its cases."""
    if len(verdicts) == 1:
        return verdicts[0]
    return Verdict("proved", "", reason, _details={"cases": list(verdicts)})
