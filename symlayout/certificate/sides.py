"""The author of proofs by signs: a stride may be 0 or more, a size more than another or less."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

from symlayout.certificate.definitions import names_in
from symlayout.certificate.exact import FREE, Rejected, polynomial
from symlayout.certificate.proof import LISTS
from symlayout.certificate.semantics import Claim
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import FloorDiv, symbol
from symlayout.expr.tree import Expr, Integer

ZERO = Integer(0)
MOST_SIDES = 6  # polynomials whose signs are tried
DEEPEST = 2  # of them one after the other
Sizes = Sequence[dict[str, int]]
Show = Callable[[Claim, Sizes, int], "dict[str, Any] | None"]


class Half(NamedTuple):
    """The proofs for sizes of one side: rows of the script, and the parts of each proof."""

    rows: list[list[str]]
    proofs: list[dict[str, Any]]


def on_each_side(
    claim: Claim, show: Show, sizes: Callable[[Facts, tuple[str, ...]], Sizes]
) -> dict[str, Any] | None:
    """The texts and parts of a proof by the signs of polynomials; None where none is found."""

    def halves(c: Claim, deep: int) -> Half | None:
        for e in list(signs(c))[:MOST_SIDES]:
            rows, proofs = [["sizes", str(e)]], list[dict[str, Any]]()
            for r in (Relation(">=", e, ZERO), Relation("<", e, ZERO)):
                half = whole(under(c, r), deep)
                if half is None:
                    break
                rows, proofs = rows + half.rows, proofs + half.proofs
            else:
                return Half(rows, proofs)
        return None

    def whole(c: Claim, deep: int) -> Half | None:
        points = sizes(c.assumptions, tuple(c.names))
        if not points:
            return None
        proof = show(c, points, 0)
        if proof is None:
            return halves(c, deep - 1) if deep > 1 else None
        texts = proof["texts"]
        lists = [[key, *texts[key]] for key in LISTS if key in texts]
        return Half([["proof", proof["by"], texts["offset"]], *lists], [proof["parts"]])

    if claim.by_script or claim.word == "fits":
        return None
    half = halves(claim, DEEPEST)
    if half is None:
        return None
    parts = {f"{k} {n}": part for k, proof in enumerate(half.proofs) for n, part in proof.items()}
    return {"texts": {"script": half.rows}, "parts": parts}


def under(claim: Claim, r: Relation) -> Claim:
    """The claim for the sizes for which the relation holds too."""
    result = copy(claim)
    result.facts = [*claim.facts, r]
    result.assumptions = Facts((*claim.assumptions.relations, r))
    return result


def signs(claim: Claim) -> Iterator[Expr]:
    """What may be 0 or more: sizes that facts let be 0, less 1, and how far unequal sizes are apart.

    Then what is divided in a stride, less its divisor: the quotient is 0 where that is less.  Last
    sizes of dimensions that may be 1, less 2: a stride along one place is none.
    """
    for n in claim.names:
        sizes = claim.assumptions.domain(n)
        if sizes.first <= 0 and (sizes.last is None or sizes.last > 0):
            yield symbol(n) - 1
    for r in claim.assumptions.relations:
        gap = r.left - r.right - 1
        if r.op == "!=" and r.names and is_polynomial(gap):
            yield gap
    for m in claim.maps:
        for q in sorted(m.raw.atoms(FloorDiv), key=str):
            gap = q.args[0] - q.args[1]
            if names_in(gap) <= {*claim.names} and is_polynomial(gap):
                yield gap
    for n in dict.fromkeys(n for m in claim.maps for d in m.shape for n in sorted(names_in(d))):
        if claim.assumptions.domain(n).first == 1:
            yield symbol(n) - 2


def is_polynomial(e: Expr) -> bool:
    """Whether nothing is divided."""
    try:
        polynomial(e, FREE)
    except Rejected:
        return False
    return True
