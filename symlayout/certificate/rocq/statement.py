"""What a claim says as a statement of Rocq: this module, `terms` and `notations` are to be read to
believe a theorem, beside the readers of texts and Rocq's library `proofs/coq/Layouts.v`.

It is printed from the claim's text, and knows nothing of a certificate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from symlayout.certificate.applied import Meant
from symlayout.certificate.definitions import Law
from symlayout.certificate.reading import expressions, numerals
from symlayout.certificate.rocq.notations import Sizes, function, layout, listed
from symlayout.certificate.rocq.terms import (
    implied,
    missing,
    name,
    needs,
    number,
    relation,
    term,
)
from symlayout.certificate.semantics import Claim
from symlayout.certificate.storage import row_dimension
from symlayout.expr.relations import Relation
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.cute.tuples import plain_tuples
from symlayout.layouts.notation import notation_of


class Stated(NamedTuple):
    """The sizes of a claim, what is known of them, and what is said."""

    sizes: tuple[str, ...]
    facts: tuple[tuple[str, ...], ...]  # each with what it needs to have a value
    says: str

    def theorem(self, title: str) -> str:
        """The theorem's statement."""
        known = [text for fact in self.facts for text in fact]
        return f"Theorem {title} :\n  {quantified(self.sizes, implied(known, self.says))}."


def quantified(names: Sequence[str], text: str) -> str:
    """What holds for all integers of these names."""
    return f"forall {' '.join(names)} : Z,\n  {text}" if names else text


def stated(claim: Claim) -> Stated:
    """The statement of a claim; raises `LayoutError` for what the library does not know yet."""
    if claim.shapes:
        raise missing("a layout with a variable number of bits")
    facts = tuple((relation(r), *needs(r.left, r.right)) for r in claim.facts)
    if claim.word not in WORDS:
        raise missing(f"the claim word {claim.word!r}")
    says = together(
        [
            *values(claim),
            *[f"({choice(goal)})" for goal in asks(claim)],
            *laws(claim),
            WORDS[claim.word](claim),
        ]
    )
    return Stated(tuple(map(name, claim.names)), facts, says)


def values(claim: Claim) -> list[str]:
    """That the sizes which layouts are made of have a value."""
    say = Sizes()
    for k in range(1 if claim.word == "tiles" else len(claim.maps)):
        layout(claim, k, say)
    return list(dict.fromkeys(say.needs))


def asks(claim: Claim) -> list[Sequence[Relation]]:
    """What operations of CuTe's algebra ask of sizes."""
    texts = [a for a in claim.arguments[: len(claim.maps)] if isinstance(a, str)]
    of_algebra = [notation_of(a).name == "algebra" for a in texts]
    rows = [[r] for m, yes in zip(claim.maps, of_algebra) if yes for r in m.demands]
    return list({str(row[0]): row for row in rows}.values())


def laws(claim: Claim) -> list[str]:
    """What operations rest on, where a word is about layouts."""
    return [] if claim.word in OF_RELATIONS else [everywhere(law) for law in claim.laws()]


def together(parts: Sequence[str]) -> str:
    """All of them hold."""
    return " /\\\n  ".join(parts) or "True"


def with_needs(r: Relation) -> list[str]:
    """A relation whose sides have a value."""
    return [*needs(r.left, r.right), relation(r)]


def everywhere(law: Law) -> str:
    """A relation at all coordinates of a box."""
    ranges = [f"0 <= {name(c.name)} < {term(d)}" for c, d in zip(law.coords, law.shape)]
    body = together(with_needs(law.relation))
    text = quantified([name(c.name) for c in law.coords], implied(ranges, body))
    return f"({text})" if ranges else text


def of_sizes(claim: Claim) -> str:
    """What is said of sizes alone: relations, and what the layouts in them demand."""
    laws = [everywhere(law) for law in claim.laws()]
    return together([*map(choice, [*claim.demands, *claim.goals]), *laws])


def choice(goal: Sequence[Relation]) -> str:
    """One of some relations, with values for its sides."""
    if len(goal) == 1:
        return together(with_needs(goal[0]))
    return "(" + r" \/ ".join(" /\\ ".join(with_needs(r)) for r in goal) + ")" if goal else "False"


def of_layouts(word: str, many: int = 1) -> Callable[[Claim], str]:
    """A word of layouts alone."""
    return lambda claim: f"{word} {' '.join(layout(claim, k) for k in range(many))}"


def bounded(claim: Claim) -> str:
    """That offsets lie in the size, or in another one."""
    if claim.sizes:
        return together(
            [*needs(*claim.sizes), f"bounded_by {layout(claim, 0)} {term(claim.sizes[0])}"]
        )
    return f"bounded {layout(claim, 0)}"


def bitcast(claim: Claim) -> str:
    """That elements with one number have one offset."""
    (a, b), perm = claim.maps, claim.options.get("perm")
    if None not in (a.bits, b.bits) and a.bits != b.bits:
        raise missing("a bitcast of elements of other widths")
    first = layout(claim, 0)
    if perm is not None:
        order = [p + len(a.shape) if p < 0 else p for p in numerals(perm)]
        first = f"(permuted {listed(map(str, order))}%nat {first})"
    return f"bitcast {first} {layout(claim, 1)}"


def formula(claim: Claim) -> str:
    """That the offset is what an expression of the coordinates says."""
    calls = Meant(claim.points)
    says = claim.formula(calls)
    if calls.demands or calls.laws:
        raise missing("a formula with functions of layouts")
    coords = [Symbol(c.name) for c in claim.maps[0].coords]
    return f"formula {layout(claim, 0)}\n  {function(coords, says)}\n  {has_value(coords, says)}"


def has_value(coords: Sequence[Expr], *expressions: Expr) -> str:
    """Where expressions of the coordinates have values, as a function of a place."""
    own = needs(*expressions)
    if not own:
        return "(fun _ => True)"
    pattern, every = listed(map(term, coords)), " /\\ ".join(own)
    return f"(fun place => match place with {pattern} => {every} | _ => True end)"


def takes_bytes(claim: Claim) -> str:
    """How many bytes a buffer takes."""
    size = claim.sizes[0]
    bits = number(claim.bits(claim.maps[0]))
    return together([*needs(size), f"takes_bytes {layout(claim, 0)} {bits} {term(size)}"])


def padding(claim: Claim) -> str:
    """How much of a buffer is padding."""
    most = claim.ratio()
    return f"padding {layout(claim, 0)} {number(most.numerator)} {number(most.denominator)}"


def tiles(claim: Claim) -> str:
    """That first offset + tile layout is what the whole addresses."""
    if re.search(r":|\[|^\s*\w+\s*\(", plain_tuples(claim.text(1))):
        raise missing("a tile that is a layout")
    say, m = Sizes(), claim.maps[0]
    tile = say.all(expressions(claim.text(1)))
    words = f"{layout(claim, 0)} {say.all(m.room or m.shape)} {tile}"
    if not claim.first:
        return together([*say.needs, f"tiles {words}"])
    return together([*say.needs, f"tile_at {words} {say.all(claim.first)}"])


def aligned(claim: Claim) -> str:
    """That rows begin at multiples of some bytes."""
    (m,), (size,), dim = claim.maps, claim.sizes, claim.options.get("dim")
    k = row_dimension(m) if dim is None else range(len(m.shape))[int(dim)]
    along = "None" if k is None else f"(Some {k}%nat)"
    words = f"aligned {layout(claim, 0)} {along} {number(claim.bits(m))} {term(size)}"
    return together([*needs(size), words])


def reinterpret(claim: Claim) -> str:
    """That the bytes are the same, as other elements."""
    u, v = claim.units()
    return f"reinterpret {layout(claim, 0)} {u} {layout(claim, 1)} {v}"


OF_RELATIONS = ("holds", "broadcast", "divides")
WORDS: dict[str, Callable[[Claim], str]] = {
    "holds": of_sizes,
    "broadcast": of_sizes,
    "divides": of_sizes,
    **{word: of_layouts(word) for word in ("injective", "onto", "bijective", "valid")},
    "bounded": bounded,
    "equal": of_layouts("equal", 2),
    "bitcast": bitcast,
    "formula": formula,
    "bytes": takes_bytes,
    "padding": padding,
    "tiles": tiles,
    "aligned": aligned,
    "reinterpret": reinterpret,
}
