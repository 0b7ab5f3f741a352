"""What claims about index functions say as statements of Rocq, from what the readers of maps read.

Like `statement`, it has to be read to believe a theorem: where a map is defined and which values it
computes is what `definedness` and `machine` read in its text.
"""

from __future__ import annotations

from typing import Any

from symlayout.certificate.bits import bits
from symlayout.certificate.cases import ZERO, Case, bits_of_number
from symlayout.certificate.definitions import leaves
from symlayout.certificate.functions import Function
from symlayout.certificate.rocq.notations import Sizes, layout, listed, of_modes
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
from symlayout.expr.terms import BITS, put, symbol
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.doors.directions import Directions
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.written import written_map
from symlayout.layouts.notation import notation_of, parse

# what is said of the results of one function beside where they are defined
WORDS: dict[str, tuple[str, ...]] = {
    "fits": (),
    "bounded": ("lands",),
    "injective": ("one_to_one",),
    "onto": ("reaches",),
    "valid": ("lands", "one_to_one"),
    "bijective": ("lands", "one_to_one", "reaches"),
}
# and of two functions, by their numbers
PAIRS: dict[str, tuple[tuple[str, int, int], ...]] = {
    "equal": (("same_function", 0, 1),),
    "formula": (("same_function", 0, 1),),
    "inverse": (("undone_by", 0, 1), ("undone_by", 1, 0)),
    "disjoint": (("never_meet", 0, 1),),
}
OF_BITS = frozenset([*map(op_of, (kind.row for kind in BITS)), "~"])
WRITTEN = ("map", "affine map", "indexing map", "einops")


def stated(claim: Claim) -> tuple[Stated, list[str]]:
    """The statement of a claim about one map, and the propositions that it joins."""
    if claim.word not in WORDS or len(claim.functions) != 1:
        raise missing(f"a proof by script that a layout is {claim.word}")
    as_written(claim.text(0))
    return meaning(claim)


def meaning(claim: Claim) -> tuple[Stated, list[str]]:
    """The statement of a claim about functions, and the propositions that it joins."""
    if not claim.functions or claim.word not in {**WORDS, **PAIRS}:
        raise missing(f"a proof by script that a layout is {claim.word}")
    says = [at_points(*ways) for ways in claim.duties]
    if claim.word != "fits":
        says += [at_points(e) for f in claim.functions for e in f.extents]
    say = Sizes()
    texts = [index(claim, k, say) for k in range(len(claim.functions))]
    for word in WORDS.get(claim.word, ()):
        sizes = claim.functions[0].places or ()
        box = "" if word == "one_to_one" else f" {listed(outer(term(d)) for d in sizes)}"
        says.append(f"{word} {texts[0]}{box}")
    says += [f"{word} {texts[a]} {texts[b]}" for word, a, b in PAIRS.get(claim.word, ())]
    says += [*dict.fromkeys(say.needs), *demanded(claim)]
    facts = tuple((relation(r), *needs(r.left, r.right)) for r in claim.facts)
    return Stated(tuple(map(name, claim.names)), facts, together(says)), says


def as_written(text: str) -> None:
    """Raises `LayoutError` for what is not a map whose text is what the checker computes with."""
    read: Any = parse(text)
    if notation_of(text).name not in WRITTEN or not isinstance(read, IndexFunction):
        raise missing("a proof by script about another layout than a map")
    tree = written_map(read)
    ends = [e for _, low, high in tree.ranges for e in (low, high)]
    guard = [] if tree.guard is None else [tree.guard]
    computed = [*[e for _, e in tree.lets], *tree.results]
    steps = {node.op for e in [*ends, *guard, *tree.box] for node in e.steps()}
    if steps & OF_BITS or any(node.op == "~" for e in computed for node in e.steps()):
        raise missing("a proof by script about operations on bits")
    table: dict[Symbol, Expr] = {}
    for name_of, e in read._lets:
        table[symbol(name_of)] = put(e, table)
    for e in [*table.values(), *[put(e, table) for e in read._results]]:
        if bits_of_number(e) != e:  # which the checker reads as sums
            raise missing("a proof by script about operations on bits of numbers")


def demanded(claim: Claim) -> list[str]:
    """That the layouts among the arguments are defined."""
    return [f"defined {layout(claim, k)}" for k, f in enumerate(claim.functions) if f.demands]


def index(claim: Claim, k: int, say: Sizes) -> str:
    """A function of a claim."""
    f = claim.functions[k]
    if claim.word == "formula" and k == 1:
        return of_map(f, True)
    text = claim.text(k)
    if (vectors := bits(text)) is not None:
        return of_bits(vectors)
    kind, read = notation_of(text).name, parse(text)
    if kind == "thread-value":
        modes = of_modes(read.layout, say)
        return f"(thread_value ({modes}) {say.all(leaves(read.tile))})"
    if isinstance(read, Directions):
        every = [f"{of_modes(part, say)}" for _, part in read.parts]
        sizes = listed(outer(term(d)) for _, d in f.box)
        return f"(of_layouts {sizes} {listed(every)})"
    if not notation_of(text).functions:
        return f"(of_layout {layout(claim, k, say)})"
    if kind not in WRITTEN or not isinstance(read, IndexFunction):
        raise missing("a proof by script about another layout than a map")
    return of_map(f, claim.word in PAIRS)


def of_bits(vectors: Any) -> str:
    """The vectors of a linear layout, input by input."""
    rows, first = list[str](), 0
    for _, many in vectors.inputs:
        own = vectors.places[first : first + many]
        rows.append(listed(listed(map(str, place)) for place in own))
        first += many
    return f"(linear {listed(rows)} {listed(map(str, vectors.sizes))})"


def of_map(f: Function, compared: bool) -> str:
    """A map, each of whose variables counts from 0: those of two maps are to be the same."""
    if compared and any(e != 0 for e in f.ends[::2]):
        raise missing("a range that does not begin at 0, of a map beside another one,")
    guard = " /\\ ".join(map(condition, f.guard)) or "True"
    text = f"Result ({guard}) {listed(outer(term(e)) for e in f.results)}"
    for x, d in reversed(f.box):
        text = f"Range {term(d)} (fun {name(x.name)} => {text})"
    return f"({text})"


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


def of_case(case: Case) -> str:
    """The points of a case and its results."""
    guard = " /\\ ".join(map(condition, case.guard)) or "True"
    text = f"Result ({guard}) {listed(outer(term(e)) for e in case.results)}"
    for x, d in reversed(case.box):
        text = f"Range {term(d)} (fun {name(x.name)} => {text})"
    return f"({text})"
