"""Certificates: a proof as JSON that `recheck` verifies without the prover.

A certificate holds the claim's own text, the facts, sizes that satisfy them, and the parts of the
proof.  A part is a list of steps (facts, coordinates, splits, substitutions, bounds, divisions), each
with its reasons, and what decides the claim: digits, coordinates, solvers' obligations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations, product
from typing import Any

from symlayout.errors import LayoutError
from symlayout.facts import Facts
from symlayout.indexmap import IndexMap
from symlayout.notation import parse
from symlayout.prover.author import Author
from symlayout.prover.casts import PERMUTED_RANK
from symlayout.prover.sizes import sizes_in_order
from symlayout.recheck import FORMAT, VERSION, seal
from symlayout.recheck_cases import cases
from symlayout.recheck_claims import METHODS, Claim
from symlayout.recheck_ledger import Box, Ledger
from symlayout.recheck_poly import Rejected
from symlayout.simplification import coordinate_kinds
from symlayout.terms import Size

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
        "hint": None,
    }
    try:
        claim = Claim(made)
    except (LayoutError, Rejected, ValueError):
        return None  # an argument that its text does not give back
    sizes = _sizes(claim)
    if not sizes:
        return None
    made["sizes"] = sizes[0]
    for solver, hint, by, kinds in product(
        (False, True), _hints(claim), METHODS[word], _kinds(claim)
    ):
        claim.hint = hint
        author = partial(Author, claim, sizes=sizes, kinds=kinds, solver=solver)
        parts = _parts(claim, by, author)
        if parts is not None:
            return sealed({**made, "by": by, "hint": hint, "parts": parts})
    try:
        cases(claim)
    except (KeyError, Rejected):
        return None
    return sealed({**made, "by": "cases", "parts": {}})


def sealed(certificate: dict[str, Any]) -> dict[str, Any]:
    """The certificate with its checksum."""
    return {**certificate, "seal": seal(certificate)}


def _kinds(claim: Claim) -> list[dict[str, str]]:
    """Sizes that facts let start at 0 may be treated as coordinates."""
    kinds = coordinate_kinds(claim.facts)
    return [{}, kinds] if kinds else [{}]


def _hints(claim: Claim) -> Iterator[str | None]:
    """For a reinterpretation: the transposes that it could be, none of them first."""
    yield None
    if claim.word != "reinterpret":
        return
    a, b = claim.maps
    if a.rank != b.rank or not 2 <= a.rank <= PERMUTED_RANK:
        return
    for perm in list(permutations(range(a.rank)))[1:]:
        if tuple(a.shape[p] for p in perm) == tuple(b.shape):
            yield ",".join(map(str, perm))


def _least(given: Any) -> tuple[tuple[str, int], ...]:
    """The least values that the sizes of a layout carry; a text has none."""
    m = given.index_map() if hasattr(given, "index_map") else given
    return m.least if isinstance(m, IndexMap) else ()


def _argument(given: Any) -> Any:
    """An argument as text; a map that no text spells as its parts."""
    if isinstance(given, (str, int, float)):
        return str(given)
    if isinstance(given, (list, tuple)):
        return [str(d) for d in given]
    if not hasattr(given, "index_map") and not isinstance(given, IndexMap):
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


def _parts(claim: Claim, by: str, author: Callable[..., Author]) -> dict[str, Any] | None:
    """The parts of a proof of that kind, walked until no step is new; None where it fails."""
    authors: dict[str, Author] = {}

    def open(name: str, box: Box, whole: Size | None = None) -> Ledger:
        if name not in authors:
            authors[name] = author(box, whole=whole)
        authors[name].again()
        return authors[name]

    for _ in range(ROUNDS):
        before = {n: len(a.part["steps"]) for n, a in authors.items()}
        try:
            METHODS[claim.word][by](claim, open)
        except Rejected:
            return None
        if before == {n: len(a.part["steps"]) for n, a in authors.items()}:
            break
    return {n: a.part for n, a in authors.items()}
