"""Claims about layouts that are made of others only where facts say that they can be.

An operation of the algebra asks for facts such as `M % 2 == 0`; each that it names is assumed in turn,
until the claim can be asked.  So the condition is sufficient: other sizes may do as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, read_relations
from symlayout.prove.verdict import Verdict
from symlayout.prove.when.answer import Condition, spelled
from symlayout.prove.when.course import HOLDS, SOLVER, linked, verdict_of

CASES = 12  # that are asked
DEEPEST = 4  # facts of a case


def admissible(
    asked: Callable[[Facts], Condition], where: Facts, error: LayoutError
) -> Condition | None:
    """The condition under facts that the error names, those that the next error names, and so on.

    `asked` gives the condition under facts.  None where none of the cases can be asked.
    """
    terms: list[list[str]] = []
    verdicts: list[Verdict] = []
    claim, names = "", dict[str, None]()
    waiting: deque[tuple[str, ...]] = deque((n,) for n in error.needs)
    for _ in range(CASES):
        if not waiting:
            break
        case = waiting.popleft()
        relations = [r for text in case for r in read_relations(text)]
        try:
            made = asked(where.and_(relations))
        except LayoutError as further:
            if len(case) < DEEPEST:
                waiting.extend((*case, n) for n in further.needs)
            continue
        if not made.sufficient or not made.relations or made.verdict_if is None:
            continue
        claim = made.claim
        names.update(dict.fromkeys([*made.names, *[n for r in relations for n in sorted(r.names)]]))
        terms += [list(dict.fromkeys([*map(spelled, relations), *t])) for t in made.relations]
        verdicts.append(made.verdict_if)
    if not verdicts:
        return None
    whole = verdict_of(verdicts, HOLDS)
    facts = tuple(map(str, where.relations))
    shown = _without_repetition(terms, where)
    return Condition(claim, facts, shown, "sufficient", whole, names=tuple(names))


def _without_repetition(terms: list[list[str]], where: Facts) -> list[list[str]]:
    """Without relations that follow from others of their term, and terms from which another follows."""
    for term in terms:
        for r in list(term):
            rest = [x for x in term if x != r]
            if rest and _follows([r], rest, where):
                term.remove(r)
    terms.sort(key=len)
    kept = [t for k, t in enumerate(terms) if t not in terms[:k]]
    for t in reversed(kept):
        if any(_follows(u, t, where) for u in kept if u is not t):
            kept = [u for u in kept if u is not t]
    return kept


def _follows(relations: list[str], given: list[str], where: Facts) -> bool:
    from symlayout.prove.relation import holds

    facts = where.and_([r for text in given for r in read_relations(text)])
    for r in (r for text in relations for r in read_relations(text)):
        about = linked(facts, set(r.names))
        if holds((r,), where=about, budget=SOLVER).status != "proved":
            return False
    return True
