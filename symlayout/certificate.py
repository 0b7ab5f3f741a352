"""Certificates: a proof as JSON that `recheck` verifies without the prover.

A certificate holds the claim's own text, the facts, sizes that satisfy them, and the parts of the
proof.  A part is a list of steps (facts, coordinates, splits, substitutions, bounds, divisions), each
with its reasons, and what decides the claim: digits, coordinates, solvers' obligations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Expr

from symlayout.errors import LayoutError
from symlayout.facts import Facts
from symlayout.indexmap import IndexMap
from symlayout.notation import parse
from symlayout.prover.author import Author
from symlayout.prover.sizes import sizes_in_order
from symlayout.recheck import FORMAT, METHODS, VERSION, Box, Claim, Ledger
from symlayout.recheck_poly import Rejected

TRACE = False
ROUNDS = 5  # walks until no step is new
SAMPLES = 8


def certificate(
    word: str, arguments: Sequence[Any], options: Mapping[str, Any], facts: Facts
) -> dict[str, Any] | None:
    """The certificate of a claim that is proved, or None where no proof is found in this form."""
    facts = facts.at_least(pair for a in arguments for pair in _least(a))
    made: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "claim": {
            "word": word,
            "arguments": [_argument(a) for a in arguments if a is not None],
            "options": {k: str(v) for k, v in options.items() if v is not None},
        },
        "facts": [str(r) for r in facts.relations],
    }
    claim = Claim(made)
    sizes = _sizes(claim)
    if not sizes:
        return None
    made["sizes"] = sizes[0]
    for by in METHODS[word]:
        parts = _parts(claim, by, sizes)
        if parts is not None:
            return {**made, "by": by, "parts": parts}
    return None


def _least(given: Any) -> tuple[tuple[str, int], ...]:
    """The least values that the sizes of a layout carry; a text has none."""
    m = given.index_map() if hasattr(given, "index_map") else given
    return m.least if isinstance(m, IndexMap) else ()


def _argument(given: Any) -> Any:
    """An argument as text; a map that no text spells as its parts."""
    if isinstance(given, (str, int, float)):
        return str(given)
    if isinstance(given, Expr):
        return str(given)
    text = getattr(given, "text", "") or str(given)
    try:
        same = not isinstance(given, IndexMap) or parse(text).index_map() == given
        if same:
            parse(text)
            return text
    except LayoutError:
        pass
    m = given if isinstance(given, IndexMap) else given.index_map()
    return {
        "shape": [str(d) for d in m.shape],
        "coords": [c.name for c in m.coords],
        "offset": str(m.raw),
        "size": str(m.size),
        "bits": m.bits,
    }


def _sizes(claim: Claim) -> list[dict[str, int]]:
    """Sizes that satisfy the facts: the smallest, and some that are larger."""
    found = []
    for k, sizes in enumerate(sizes_in_order(claim.facts, claim.names, 400)):
        if k < 3 or k % 17 == 0:
            found.append(sizes)
    return found[:1] + found[1:][-SAMPLES:]


def _parts(claim: Claim, by: str, sizes: list[dict[str, int]]) -> dict[str, Any] | None:
    authors: dict[str, Author] = {}

    def open(name: str, box: Box) -> Ledger:
        if name not in authors:
            authors[name] = Author(claim, box, sizes)
        authors[name].again()
        return authors[name]

    for _ in range(ROUNDS):
        before = {n: len(a.part["steps"]) for n, a in authors.items()}
        try:
            METHODS[claim.word][by](claim, open)
        except Rejected as why:
            if TRACE:
                print("REJ", by, why)
            return None
        if before == {n: len(a.part["steps"]) for n, a in authors.items()}:
            break
    return {n: a.part for n, a in authors.items()}
