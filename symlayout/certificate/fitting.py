"""The author of proofs that every value of a map lies in its type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any

from symlayout.certificate.cases import Case
from symlayout.certificate.casework import casework
from symlayout.certificate.semantics import Claim
from symlayout.digits.context import Undecided
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Less
from symlayout.expr.facts import Facts
from symlayout.prove.maps import cases
from symlayout.prove.maps.claims import texts_of
from symlayout.prove.maps.goals import Proof

Rows = list[list[str]]


def written_out(claim: Claim, facts: Facts) -> Mapping[str, Any] | None:
    """The texts and parts of a script for all that is asked; None where none is found.

    All demands at once, each at its points as they are; or one by one, by cases where it takes some.
    """
    names = [str(k) for k in range(len(claim.asked))]
    plain = [at_once(ways[0]) for ways in claim.asked]
    if None not in plain:
        rows = [["about", *names], ["cases"], *[r for rows in plain for r in rows or ()]]
        made = casework(claim, rows, brief=True)
        if made is not None:
            return made
    whole: Rows = []
    for k in range(len(claim.asked)):
        found = shown(claim, k, facts)
        if found is None:
            return None
        whole += [["about", f"{k}{found[0][0]}"], *found[1:]]
    return casework(claim, whole)


def shown(claim: Claim, k: int, facts: Facts) -> Rows | None:
    """A script for one demand: as its points are, by cases, and then with more effort."""
    alone = copy(claim)
    alone.asked = [claim.asked[k]]
    made: dict[int, list[Rows]] = {0: [], 1: []}
    for brief in (True, False):
        for way in (0, 1):
            if brief:
                made[way] = list(by_cases(claim, k, facts) if way else as_they_are(claim, k))
            for rows in made[way]:
                if casework(alone, [["about", f"0{rows[0][0]}"], *rows[1:]], brief) is not None:
                    return rows
    return None


def as_they_are(claim: Claim, k: int) -> Iterator[Rows]:
    """A script for each way of a demand; the first row says in which way."""
    for n, case in enumerate(claim.asked[k]):
        rows = at_once(case)
        if rows is not None:
            yield [[f".{n}" if n else ""], ["cases"], *rows]


def by_cases(claim: Claim, k: int, facts: Facts) -> Iterator[Rows]:
    """The same by the prover's cases."""
    for n, case in enumerate(claim.asked[k]):
        made, extents = Proof(), tuple(d for _, d in case.box)
        given = (case.results, case.evaluated, case.guard)
        root = cases.Case(tuple(case.coords), extents, *given, ops=case.ops)
        try:
            made.of(cases.World(facts, tuple(claim.names), (), (root,)))
        except (Undecided, LayoutError):
            continue
        yield [[f".{n}" if n else ""], *texts_of(made.script)]


def at_once(case: Case) -> Rows | None:
    """The moves that take the conditions as they are; None for a condition with `or`."""
    rows, waiting = Rows(), list(case.guard)
    while waiting:
        c = waiting.pop(0)
        if isinstance(c, Both):
            waiting = [c.first, c.second, *waiting]
        elif isinstance(c, Less):
            rows.append(["keep"])
        else:
            return None
    return [*rows, ["leaf"]]
