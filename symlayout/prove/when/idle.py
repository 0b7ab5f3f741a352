"""Conditions without relations that change nothing: what the other terms say already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from symlayout.expr.facts import Facts, Relation
from symlayout.prove.verdict import Verdict
from symlayout.prove.when.answer import Term, holding, negations

CASES = 8  # of what is to be contradictory, for one relation


def without_idle(
    form: Sequence[Term], facts: Facts, contradicted: Callable[[Facts], Verdict]
) -> tuple[list[Term], list[Verdict]]:
    """An or of ands without relations whose falsehood another term covers, and why.

    `contradicted` tells whether no sizes satisfy facts.
    """
    terms, verdicts = list(form), list[Verdict]()
    for k, term in enumerate(form):
        for r in term if len(form) > 1 else ():
            rest = tuple(x for x in terms[k] if x != r)
            if not rest or len(rest) == len(terms[k]):
                continue
            others = [t for n, t in enumerate(terms) if n != k]
            why = _covered(rest, r, others, facts, contradicted)
            if why:
                terms[k] = rest
                verdicts += why
    return terms, verdicts


def _covered(
    rest: Term,
    r: Relation,
    others: Sequence[Term],
    facts: Facts,
    contradicted: Callable[[Facts], Verdict],
) -> list[Verdict]:
    """Why the rest without the relation implies one of the other terms; nothing where it does not."""
    choices = [[n for x in t for n in negations(x, facts)] for t in others]
    rows = [
        (*n, *[x for one in row for x in one])
        for n in negations(r, facts)
        for row in product(*choices)
    ]
    if not 0 < len(rows) <= CASES:
        return []
    verdicts = list[Verdict]()
    for row in rows:
        verdict = contradicted(holding(facts, (*rest, *row)))
        if verdict.status not in ("proved", "vacuous"):
            return []
        verdicts.append(verdict)
    return verdicts
