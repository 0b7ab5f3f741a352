"""Which of the facts that many claims share speak of the symbols of one claim.

A claim takes no fact about a symbol that it does not have, but a file's facts are written for all
its claims: each takes those that are tied to its own symbols, through other facts too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from symlayout.checks.result import Origin, Outcome, Problem, Result, Task
from symlayout.errors import LayoutError, unknown_name
from symlayout.layouts.claim import Claim, names_in, sizes_in
from symlayout.text.patterns import regex

SYMBOL = "symbol "  # how a fact begins that introduces a name
INTRODUCES = regex(r"\bsymbol\s+(?=[A-Za-z_])")


def relevant(facts: Sequence[Origin], texts: Iterable[str]) -> tuple[Origin, ...]:
    """The facts that share a symbol with the texts, or with another fact that does.

    A fact without any symbol is relevant to all.
    """
    if not facts:
        return ()
    spoken = [_names(f.text) for f in facts]
    having: dict[str, list[int]] = {}
    for number, own in enumerate(spoken):
        for name in own:
            having.setdefault(name, []).append(number)
    names: set[str] = set()
    waiting = [n for text in texts for n in sizes_in(text)]
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting += {n for number in having.pop(name, ()) for n in spoken[number]} - names
    return tuple(f for f, own in zip(facts, spoken) if not own or own & names)


def without_others(facts: tuple[Origin, ...], texts: Iterable[str]) -> tuple[Origin, ...]:
    """What relevant facts say of the symbols of the texts: `n > m`, `m >= 4` is `n >= 5`.

    Names that equalities tie to them stay.  Where others cannot be left out, the facts stay as they
    are, and the claim is an error that names one.
    """
    if not facts:
        return facts
    own = {n for text in texts for n in sizes_in(text)}
    if all(_names(f.text) <= own for f in facts):
        return facts
    from symlayout.expr.facts import Facts  # few claims need it, and a cached one should not wait
    from symlayout.expr.ties import ties

    try:
        links = ties(own, Facts.read([f.text for f in facts]))
    except LayoutError:
        return facts
    own |= links.equal
    foreign = [f for f in facts if not _names(f.text) <= own]
    if links.others or not foreign:
        return facts
    origins = (Origin(text, foreign[0].place, False) for text in links.consequences)
    return (*about(facts, own), *origins)


def about(facts: Iterable[Origin], own: Collection[str]) -> Iterator[Origin]:
    """The facts about these names alone, and of a chain the comparisons that have no others.

    A fact with alternatives is about each of its names.
    """
    from symlayout.expr.choices import split_choices
    from symlayout.expr.facts import Facts

    for f in facts:
        plain, choices = split_choices([f.text])
        if choices:
            yield from [f] if {*own} & choices[0].names else []
            continue
        parts = Facts.read(plain).relations
        mine = [r for r in parts if r.names <= {*own}]
        yield from (
            [f] if len(mine) == len(parts) else (Origin(str(r), f.place, False) for r in mine)
        )


def under(claim: Claim, facts: Sequence[Origin]) -> Claim:
    """A claim that another one rests on, under the facts that hold for all claims."""
    texts = (*claim.texts, *map(str, claim.facts))
    shared = without_others(relevant(facts, texts), texts)
    more = introduced(shared, (), texts)
    return replace(claim, facts=(*(o.text for o in (*shared, *more)), *claim.facts))


@dataclass(frozen=True)
class Draft:
    """A claim whose shared facts are known, before it is known which names are those of others.

    `shared` are the facts that fit it, `own` its own, which stay as they are.
    """

    task: Task
    shared: tuple[Origin, ...]
    own: tuple[Origin, ...]
    budget: int | None = None

    @staticmethod
    def of(task: Task, facts: Sequence[Origin]) -> Draft:
        """A task with facts of its own under those that hold for all claims."""
        own = tuple(Origin(f, task.place, False) for f in task.claim.facts)  # type: ignore[arg-type]
        rests = tuple((name, under(c, facts)) for name, c in task.rests)
        task = replace(task, rests=rests) if rests else task
        return Draft(task, relevant(facts, (*task.claim.texts, *task.claim.facts)), own)

    @property
    def spoken(self) -> tuple[str, ...]:
        """The texts whose names shared facts may use."""
        return (*self.task.claim.texts, *(o.text for o in self.own))

    def finished(self, errors: Collection[Origin]) -> Task | Result:
        """The task under its facts; an error where one of them has a name that nobody knows."""
        task = self.task
        faulty = next((o for o in self.shared if o in errors), None)
        if faulty is not None:
            message = f"not checked: a name of the fact {faulty.text!r} is not known"
            return Result(task, Outcome.failed(Problem("SL500", message, task.place)))
        shared = without_others(self.shared, self.spoken)
        where = (*shared, *introduced(shared, self.own, task.claim.texts), *self.own)
        if not (where or self.shared) and self.budget is None:
            return task
        claim = replace(task.claim, facts=tuple(o.text for o in where))
        origins = tuple(dict.fromkeys((*task.origins, *where, *self.shared)))
        budget = task.budget if self.budget is None else self.budget
        return replace(task, claim=claim, origins=origins, budget=budget)


def unknown_names(drafts: Sequence[Draft]) -> dict[Origin, LayoutError]:
    """The errors of shared facts with a name that no claim has, and no other fact."""
    shared = dict.fromkeys(o for d in drafts for o in d.shared)
    if not shared:
        return {}
    known = {n for d in drafts for t in d.spoken for n in sizes_in(t)}
    lone = strays(shared, known)
    return {o: unknown_name(n, o.text, known, 'symbols = ["{}"]') for o, n in lone.items()}


def strays(facts: Iterable[Origin], known: Collection[str]) -> dict[Origin, str]:
    """The facts with a name that is not known and that no other fact has, each with that name."""
    from symlayout.expr.choices import Choice, occurrences, split_choices
    from symlayout.expr.facts import Facts, Relation

    read: dict[Origin, set[str]] = {}
    names, relations, choices = {*known}, list[Relation](), list[Choice]()
    for f in facts:
        try:
            plain, more = split_choices([f.text])
            own = Facts.read(plain)
        except LayoutError:  # of functions of layouts, or a mistake that is told elsewhere
            names |= _names(f.text)
            continue
        read[f] = {*own.names, *(n for c in more for n in c.names)}
        relations += own.relations
        choices += more
    every = Facts.read(relations)
    names |= every.introduced
    count = every.occurrences + occurrences(dict.fromkeys(choices))
    lone = {f: sorted(n for n in own - names if count[n] < 2) for f, own in read.items()}
    return {f: own[0] for f, own in lone.items() if own}


def introduced(
    facts: Sequence[Origin], own: Sequence[Origin], texts: Iterable[str]
) -> Iterator[Origin]:
    """`symbol NAME` for each name that a claim under shared facts, and its own, has in one alone."""
    if not facts:
        return
    names = {n for text in texts for n in sizes_in(text)}
    if all(_names(f.text) <= names for f in facts):
        return
    every = (*facts, *own)
    while lone := {f: n for f, n in strays(every, names).items() if f in facts}:
        for f, n in lone.items():
            if n not in names:
                names.add(n)
                yield Origin(f"symbol {n}", f.place, False)


@lru_cache(maxsize=10_000)
def _names(fact: str) -> frozenset[str]:
    return names_in(INTRODUCES.sub("", fact)) - {"and", "or", "in"}
