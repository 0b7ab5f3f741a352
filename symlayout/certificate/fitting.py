"""The author of proofs that every value of a map lies in its type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain, product
from typing import Any

from symlayout.certificate.cases import ZERO, Case
from symlayout.certificate.casework import LISTED, Memory, casework, memory
from symlayout.certificate.parts import idle
from symlayout.certificate.semantics import Claim
from symlayout.digits.context import Undecided
from symlayout.digits.sizes import sizes_in_order
from symlayout.errors import LayoutError
from symlayout.expr.conditions import ALWAYS, Less, conjuncts
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.needs import marks_of
from symlayout.expr.terms import Where, free_names
from symlayout.expr.tree import Expr
from symlayout.prove.maps import cases
from symlayout.prove.maps.bounding import Bounding
from symlayout.prove.maps.goals import Proof
from symlayout.prove.maps.moves import sign, texts_of

Rows = list[list[str]]
MOST_SIGNS = 2  # numbers that are not 0, of which the signs are told apart
MOST_CONDITIONALS = 3  # of a demand, one inside another


def script_of_goals(claim: Claim, facts: Facts) -> Mapping[str, Any] | None:
    """The texts and parts of a script for all that is asked; None where none is found."""
    shared = memory()
    rows = goal_rows(claim, facts, shared)
    return None if rows is None else casework(claim, rows, shared=shared)


def goal_rows(claim: Claim, facts: Facts, shared: Memory) -> Rows | None:
    """The moves for all that is asked; None where none are found.

    All demands at once, each at its points as they are; those for which this does not do one by one,
    by cases where it takes some.  What is shown is written once, and kept.
    """
    many = range(len(claim.duties))
    if not many:
        return Rows()
    plain = [at_once(ways[0]) for ways in claim.duties]
    if None not in plain:
        rows = [["about", *map(str, many)], ["cases"], *[r for rows in plain for r in rows or ()]]
        if casework(claim, rows, brief=True, shared=shared) is not None:
            return rows
    whole: Rows = []
    for k in many:
        script = demand_script(claim, k, facts, shared)
        if script is None:
            return None
        whole += [["about", f"{k}{script[0][0]}"], *script[1:]]
    return whole


def with_definitions(
    claim: Claim, scripts: Iterable[Rows], facts: Facts
) -> Mapping[str, Any] | None:
    """The first of the scripts that proves what functions reach, and where they are defined."""
    shared, defined = memory(), copy(claim)
    defined.of_places = False
    rows = goal_rows(defined, facts, shared)
    if rows is None:
        return None
    tables = (casework(claim, [*script, *rows], shared=shared) for script in scripts)
    return next(filter(None, tables), None)


def demand_script(claim: Claim, k: int, facts: Facts, shared: Memory) -> Rows | None:
    """A script for one demand: as its points are, by cases, and then with more effort."""
    alone = copy(claim)
    alone.duties = [claim.duties[k]]

    def shows(rows: Rows, brief: bool) -> bool:
        script = [["about", f"0{rows[0][0]}"], *rows[1:]]
        return casework(alone, script, brief, shared) is not None

    scripts: list[Rows] = []
    ways = as_they_are(claim, k), by_signs(claim, k), by_cases(claim, k, facts), by_less(claim, k)
    for rows in chain(*ways):
        scripts.append(rows)
        if shows(rows, True):
            return rows
    return next((rows for rows in scripts if shows(rows, False)), None)


def as_they_are(claim: Claim, k: int) -> Iterator[Rows]:
    """A script for each way of a demand; the first row says in which way."""
    for n, case in enumerate(claim.duties[k]):
        rows = at_once(case)
        if rows is not None:
            yield [[f".{n}" if n else ""], ["cases"], *rows]


def by_signs(claim: Claim, k: int) -> Iterator[Rows]:
    """The same on either side of what facts let not be 0."""
    unequal = [r for r in claim.facts if r.op == "!=" and r.names]
    for n, case in enumerate(claim.duties[k] if 0 < len(unequal) <= MOST_SIGNS else ()):
        rows = at_once(case)
        if rows is not None:
            yield [[f".{n}" if n else ""], *sides(unequal, claim.facts, claim.names, rows)]


def by_less(claim: Claim, k: int) -> Iterator[Rows]:
    """The same without facts that may be in the way."""
    for numbers in idle(claim):
        for name, *rows in as_they_are(claim, k):
            yield [name, ["weaken", *map(str, numbers)], *rows]


def sides(
    unequal: Sequence[Relation], facts: Sequence[Relation], names: Sequence[str], leaf: Rows
) -> Rows:
    """The moves of a world: more, and less, for each of the numbers that are unequal."""
    if not any(sizes_in_order(Facts(tuple(facts)), names, LISTED)):
        return [["split", "false", str(ALWAYS)]]
    if not unequal:
        return [["cases"], *leaf]
    results, (r, *others) = Rows(), unequal
    for gap in (r.left - r.right - 1, r.right - r.left - 1):
        more = [*facts, Relation(">=", gap, ZERO)]
        results += [sign(gap), *sides(others, more, names, leaf)]
    return [*results, ["split", "false", str(ALWAYS)]]


def by_cases(claim: Claim, k: int, facts: Facts) -> Iterator[Rows]:
    """The same by the prover's cases, with names for expressions, or by what bounds its operations."""
    proofs = (
        (lambda w: Proof(w.meter).whole(w)),
        (lambda w: Proof(w.meter).named(w)),
        (lambda w: Bounding(w.meter).whole(w)),
    )
    for prove, (n, case) in product(proofs, enumerate(claim.duties[k])):
        extents = tuple(d for _, d in case.box)
        # in the order in which the prover meets them
        order = dict.fromkeys(free_names(*extents, *case.guard, *case.results))
        names = [n for n in order if n in claim.names]
        names += [n for n in claim.names if n not in order]
        marks = marks_of(*extents)
        coords = tuple(case.coords)
        root = cases.Case(coords, extents, case.results, marks, case.guard, ops=case.ops)
        try:
            proof = prove(cases.World(facts, tuple(names), (), (root,)))
        except (Undecided, LayoutError):
            continue
        if proof is not None:
            yield [[f".{n}" if n else ""], *texts_of(proof.script)]


def at_once(case: Case, deep: int = MOST_CONDITIONALS) -> Rows | None:
    """The moves that take the conditions as they are; None for a condition with `or`."""
    choice = next((w for e in case.expressions for w in e.atoms(Where) if plain(w)), None)
    if choice is not None:
        rows: Rows = [["split", "open", str(Less(*choice.args[:2]))]]
        for yes in (True, False):
            more = at_once(with_branch(case, choice, yes), deep - 1) if deep else None
            if more is None:
                return None
            rows += more
        return rows
    conditions = conjuncts(*case.guard)
    if not all(isinstance(c, Less) for c in conditions):
        return None
    return [*[["split", "known"] for _ in conditions], ["leaf"]]


def plain(choice: Expr) -> bool:
    """Whether no conditional is in the condition of one."""
    return not any(e.has(Where) for e in choice.args[:2])


def with_branch(case: Case, choice: Expr, yes: bool) -> Case:
    """The case in which a condition is true, or false."""
    p, q = choice.args[:2]
    hits = {w: w.args[2 if yes else 3] for e in case.expressions for w in e.atoms(Where)
            if w.args[:2] == (p, q)}  # fmt: skip
    inner = case.every(lambda e: e.xreplace(hits))
    return replace(inner, guard=(Less(p, q) if yes else Less(q, p + 1), *inner.guard))
