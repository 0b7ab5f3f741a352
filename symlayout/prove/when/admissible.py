"""Claims about layouts that are made of others only where facts say that they can be.

An operation of the algebra asks for facts such as `M % 2 == 0`; each that it names is assumed in turn,
until the claim can be asked.  So the condition is sufficient: other sizes may do as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import combinations

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation, read_relations
from symlayout.expr.terms import Mod
from symlayout.expr.tree import Expr, Integer
from symlayout.prove.verdict import Verdict
from symlayout.prove.when.answer import Condition, spelling
from symlayout.prove.when.course import HOLDS, SOLVER, links, verdict_of

CASES = 12  # that are asked
DEEPEST = 4  # facts of a case


def admissible(
    question: Callable[[Facts], Condition], where: Facts, error: LayoutError
) -> Condition | None:
    """The condition under facts that the error names, those that the next error names, and so on.

    `question` gives the condition under facts.  None where none of the cases can be asked.
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
            condition = question(where.and_(relations))
        except LayoutError as further:
            if len(case) < DEEPEST:
                waiting.extend((*case, n) for n in further.needs)
            continue
        if not condition.sufficient or not condition.relations or condition.verdict_if is None:
            continue
        claim = condition.claim
        more = [n for r in relations for n in sorted(r.names)]
        names.update(dict.fromkeys([*condition.names, *more]))
        terms += [list(dict.fromkeys([*map(spelling, relations), *t])) for t in condition.relations]
        verdicts.append(condition.verdict_if)
    if not verdicts:
        return None
    whole = verdict_of(verdicts, HOLDS)
    facts = tuple(map(str, where.relations))
    texts = _without_repetition(terms, where)
    return Condition(claim, facts, texts, "sufficient", whole, names=tuple(names))


def _without_repetition(terms: list[list[str]], where: Facts) -> list[list[str]]:
    """Without relations that follow from others of their term, and terms from which another follows."""
    for term in terms:
        _told_as_equal(term)
        for r in list(term):
            rest = [x for x in term if x != r]
            if rest and _follows([r], rest, where):
                term.remove(r)
    terms.sort(key=len)
    remainder = [t for k, t in enumerate(terms) if t not in terms[:k]]
    for t in reversed(remainder):
        if any(_follows(u, t, where) for u in remainder if u is not t):
            remainder = [u for u in remainder if u is not t]
    return remainder


def _told_as_equal(term: list[str]) -> None:
    """A size that divides a number and is divided by it is that number: `2 % M`, `M % 2`."""
    for one, other in combinations(list(term), 2):
        (a, b), (c, d) = (_division(text) for text in (one, other))
        number, size = (a, b) if isinstance(a, Integer) else (b, a)
        if (a, b) == (d, c) and isinstance(number, Integer) and number > 0 and size is not None:
            term[term.index(one)] = spelling(Relation("==", size, number))
            term.remove(other)


def _division(text: str) -> tuple[Expr | None, Expr | None]:
    """What is divided and by what, of `a % b == 0` for b that is a size."""
    (r, *more) = read_relations(text)
    if more or r.op != "==" or r.right != 0 or not isinstance(r.left, Mod):
        return None, None
    return r.left.args[0], r.left.args[1]


def _follows(relations: list[str], premises: list[str], where: Facts) -> bool:
    from symlayout.prove.relation import holds

    facts = where.and_([r for text in premises for r in read_relations(text)])
    for r in (r for text in relations for r in read_relations(text)):
        about = links(facts, set(r.names))
        if holds((r,), where=about, budget=SOLVER).status != "proved":
            return False
    return True
