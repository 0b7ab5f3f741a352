"""Certificates of claims under facts with alternatives: one of each case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from symlayout.certificate.casewise import is_empty
from symlayout.certificate.codec import read_proof
from symlayout.certificate.exact import FREE
from symlayout.expr.choices import Choice, combinations
from symlayout.expr.facts import Facts, Relation
from symlayout.layouts.claim import Claim

Certificate = dict[str, Any]
Author = Callable[[Claim], "Certificate | None"]


def of_alternatives(
    question: Claim, plain: Facts, choices: Sequence[Choice], author: Author
) -> Certificate | None:
    """The facts and the certificates of all cases, which an author writes; None where one has none.

    Of a case without sizes it shows that its facts contradict each other.
    """
    certificates: list[Certificate] = []
    for case in combinations(choices):
        facts = plain.and_(case)
        own = author(replace(question, facts=facts.relations)) or _of_nothing(facts, author)
        if own is None:
            return None
        certificates.append(own)
    texts = [*map(str, plain.relations), *map(str, choices)]
    return {"facts": texts, "cases": certificates}


def _of_nothing(facts: Facts, author: Author) -> Certificate | None:
    """That one of the facts is false wherever the others hold, if that is shown.

    Of an equality one side may be among the others: it says from where on a size is.  Where the
    others contradict each other as well, one of them is asked alone.
    """
    case = frozenset(facts.relations)
    for r, rest in _premises(facts.relations):
        hit = author(Claim("holds", (str(r.negation),), (), tuple(rest)))
        if hit is not None and is_empty(read_proof(hit, FREE), case, FREE):
            return hit
    return None


def _premises(facts: Sequence[Relation]) -> Iterator[tuple[Relation, Sequence[Relation]]]:
    """A fact that may be false, and under which others."""
    facts = [f for f in facts if not f.introduces]
    for r in facts:
        sides = [Relation(op, r.left, r.right) for op in (">=", "<=")] if r.op == "==" else []
        for more in ([], sides[:1], sides[1:]):
            yield r, [f for f in (*facts, *more) if f != r]
    for r, other in permutations(facts, 2):
        if r.names & other.names:
            yield r, [other]
