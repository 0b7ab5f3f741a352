"""Certificates of claims under facts with alternatives: one of each case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from symlayout.certificate.alternatives import is_empty
from symlayout.certificate.codec import read_proof
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

    Of an equality one side may be among the others: it says from where on a size is.
    """
    for r in facts.relations:
        sides = [Relation(op, r.left, r.right) for op in (">=", "<=")] if r.op == "==" else []
        for more in ([], sides[:1], sides[1:]):
            rest = tuple(f for f in (*facts.relations, *more) if f != r)
            hit = author(Claim("holds", (str(r.negation),), (), rest))
            if hit is not None and is_empty(read_proof(hit), frozenset(facts.relations)):
                return hit
    return None
