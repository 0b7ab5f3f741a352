"""What claims about index functions say as statements of Rocq, from what the readers of maps read.

Like `statement`, it has to be read to believe a theorem: where a map is defined and which values it
computes is what `definedness` and `machine` read in its text.
"""

from __future__ import annotations

from typing import Any

from symlayout.certificate.cases import ZERO, Case
from symlayout.certificate.functions import Function
from symlayout.certificate.rocq.notations import listed
from symlayout.certificate.rocq.statement import Stated, together
from symlayout.certificate.rocq.terms import (
    condition,
    implied,
    missing,
    name,
    needs,
    outer,
    relation,
    term,
)
from symlayout.certificate.semantics import Claim
from symlayout.expr.facts import Relation
from symlayout.expr.term import op_of
from symlayout.expr.terms import BITS
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.written import written_map
from symlayout.layouts.notation import notation_of, parse

# what is said of results beside where they are defined
WORDS: dict[str, tuple[str, ...]] = {
    "fits": (),
    "bounded": ("lands",),
    "injective": ("one_to_one",),
    "valid": ("lands", "one_to_one"),
    "bijective": ("lands", "one_to_one", "reaches"),
}
NOTATIONS = ("map", "affine map", "indexing map", "einops")
OF_BITS = frozenset([*map(op_of, (kind.row for kind in BITS)), "~"])


def stated(claim: Claim) -> tuple[Stated, list[str]]:
    """The statement of a claim about a map, and the propositions that it joins."""
    if claim.word not in WORDS or len(claim.functions) != 1:
        raise missing(f"a proof by script that a layout is {claim.word}")
    (f,) = claim.functions
    as_written(claim.text(0))
    says = [at_points(*ways) for ways in claim.duties]
    if claim.word != "fits":
        says += map(at_points, f.extents)
    says += [of_results(word, f) for word in WORDS[claim.word]]
    facts = tuple((relation(r), *needs(r.left, r.right)) for r in claim.facts)
    return Stated(tuple(map(name, claim.names)), facts, together(says)), says


def as_written(text: str) -> None:
    """Raises `LayoutError` for what is not a map whose text is what the checker computes with."""
    read: Any = parse(text)
    if notation_of(text).name not in NOTATIONS or not isinstance(read, IndexFunction):
        raise missing("a proof by script about another layout than a map")
    tree = written_map(read)
    ends = [e for _, low, high in tree.ranges for e in (low, high)]
    guard = [] if tree.guard is None else [tree.guard]
    every = [*ends, *guard, *[e for _, e in tree.lets], *tree.results, *tree.box]
    if any(node.op in OF_BITS for e in every for node in e.steps()):
        raise missing("a proof by script about operations on bits")


def at_points(*ways: Case) -> str:
    """The relations of a case at each of its points where the guard holds; one of the ways suffices."""
    case = ways[0]
    if any((w.box, w.guard) != (case.box, case.guard) for w in ways):
        raise missing("a choice of demands at other points")
    goals = [
        together([relation(Relation(op, e, ZERO)) for op, e in zip(w.ops, w.results)]) for w in ways
    ]
    says = goals[0] if len(ways) == 1 else " \\/ ".join(f"({goal})" for goal in goals)
    text = implied(list(map(condition, case.guard)), says)
    for x, d in reversed(case.box):
        text = f"forall {name(x.name)}, 0 <= {name(x.name)} < {outer(term(d))} ->\n  {text}"
    return f"({text})"


def of_results(word: str, f: Function) -> str:
    """What is said of the results of a map, and of its box."""
    box = "" if word == "one_to_one" else f" {listed(outer(term(d)) for d in f.places or ())}"
    return f"{word} {index(f.root)}{box}"


def index(case: Case) -> str:
    """The points of a case and its results."""
    guard = " /\\ ".join(map(condition, case.guard)) or "True"
    text = f"Result ({guard}) {listed(outer(term(e)) for e in case.results)}"
    for x, d in reversed(case.box):
        text = f"Range {term(d)} (fun {name(x.name)} => {text})"
    return f"({text})"
