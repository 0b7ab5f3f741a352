"""Claims about numbers: what they say has finitely many places, at each of which Rocq computes.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from symlayout.certificate.enumeration import ranges
from symlayout.certificate.proof import Proof
from symlayout.certificate.rocq.points import meaning
from symlayout.certificate.rocq.statement import Stated
from symlayout.certificate.rocq.statement import stated as of_layouts
from symlayout.certificate.rocq.terms import missing, name, number
from symlayout.certificate.semantics import Claim
from symlayout.expr.terms import value
from symlayout.expr.tree import Expr

MOST = 1024  # points that are compared with one another
MOST_ALONE = 1 << 14  # points that are looked at one by one
MOST_SIZES = 64  # that are looked at one after the other
ALONE = ("bounded", "equal", "inverse", "formula", "fits", "bytes", "aligned", "padding")


def by_numbers(proof: Proof, title: str) -> str:
    """The text of a module with a claim whose sizes are few numbers, and its proof."""
    claim = Claim(proof.claim, proof.hint, proof.points)
    sides = ranges(claim) if claim.names else {}
    if prod(map(len, sides.values())) > MOST_SIZES:
        raise missing("a proof by looking at every place, where there are many sizes,")
    boxes = [[d for _, d in f.box] for f in claim.functions] or [[*m.shape] for m in claim.maps]
    most = MOST_ALONE if claim.word in ALONE else MOST
    if not sides and any(points(box) > most for box in boxes):
        raise missing(f"a proof about more than {most} places, each of which is looked at,")
    stated = says(claim)
    statement = stated.theorem(title)
    known = [f"F{k}'" for k, _ in enumerate(text for fact in stated.facts for text in fact)]
    lines = [f"intros {' '.join([*stated.sizes, *known])}."] if [*stated.sizes, *known] else []
    for n, values in sides.items():
        rows = " \\/ ".join(f"{name(n)} = {number(v)}" for v in values) or "False"
        lines.append(f"assert ({rows}) as V'{name(n)} by lia.")
    lines += [f"revert {' '.join(reversed(known))}."] if sides and known else []
    for n in sides:
        lines.append(
            f"repeat (destruct V'{name(n)} as [V'{name(n)} | V'{name(n)}]); subst {name(n)};"
        )
    body = "\n".join(f"  {line}" for line in [*lines, "by_numbers."])
    comment = str(proof.claim).replace("(*", "( *").replace("*)", "* )").replace('"', "'")
    return f"(* {comment} *)\n{statement}\nProof.\n{body}\nQed.\n"


def says(claim: Claim) -> Stated:
    """What a claim says, of functions or of layouts."""
    return meaning(claim)[0] if claim.functions else of_layouts(claim)


def points(box: Iterable[Expr]) -> int:
    """How many places a box has; where an extent speaks of a coordinate, more than there may be."""
    sizes = [value(d, {}) if d.is_Integer else MOST_ALONE + 1 for d in box]
    return prod(max(n, 0) for n in sizes)
