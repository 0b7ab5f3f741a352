"""Certificates: a proof as JSON that `recheck` verifies without the prover.

A certificate holds the claim's own text, the facts, sizes that satisfy them, the expressions that
decide the claim (coordinates as functions of the offset), and the parts of the proof: steps, each an
instance of a law with its reasons, and the reason for each goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache, partial
from itertools import permutations, product
from typing import Any

from sympy import Expr

from symlayout.certificate import plans
from symlayout.certificate.author import Author, divides
from symlayout.certificate.codec import (
    FORMAT,
    VERSION,
    read_statement,
    read_texts,
    seal,
    written_part,
)
from symlayout.certificate.enumeration import failing_case
from symlayout.certificate.exact import Rejected
from symlayout.certificate.proof import METHODS, Held, Texts
from symlayout.certificate.semantics import Claim
from symlayout.certificate.witness import EFFORT, QUICK, THOROUGH, Effort
from symlayout.digits.simplification import coordinate_kinds
from symlayout.digits.sizes import sizes_in_order
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.layouts.claim import Claim as Asked
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.notation import parse
from symlayout.prove.casts import PERMUTED_RANK

ROUNDS = 5  # walks until no step is new
SAMPLES = 8
LISTED = 160  # sizes of which the samples are some
Open = Callable[[str, Mapping[str, Expr]], Author]


def certificate(asked: Asked) -> dict[str, Any] | None:
    """The certificate of a claim that is proved, or None where no proof is found in this form."""
    word, facts = asked.word, Facts.read(asked.facts)
    facts = facts.at_least(pair for a in asked.arguments for pair in _least(a))
    made: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "claim": {
            "word": word,
            "arguments": [_argument(word, a) for a in asked.arguments],
            "options": {k: str(v) for k, v in asked.options},
        },
        "facts": [str(r) for r in facts.relations],
        "hint": None,
    }
    try:
        claim = Claim(read_statement(made["claim"], made["facts"]))
    except (LayoutError, Rejected):
        return None  # an argument that its text does not give back
    sizes = _sizes(claim.given, tuple(claim.names))
    if not sizes:
        return None
    made["sizes"] = sizes[0]
    found = _found(claim, sizes)
    if found is not None:
        return sealed({**made, **found})
    texts = {"formula": _formula(claim)}
    try:
        found_at = failing_case(claim, Texts(formula=texts["formula"]))
    except LayoutError:
        return None
    if found_at is not None:
        return None
    return sealed({**made, "by": "cases", "texts": texts, "parts": {}})


def _found(claim: Claim, sizes: Sequence[dict[str, int]]) -> dict[str, Any] | None:
    """The first proof of any kind: by laws or with solvers, briefly at first, then thoroughly."""
    methods = METHODS.get(claim.word, ("definition",))
    orders = tuple(product(_orders(claim), _residues(claim)))
    asked: dict[str, bool] = {}
    for each, solver in product((QUICK, THOROUGH), (False, True)):
        token = EFFORT.set(Effort(each, asked=asked))
        try:
            for hint, by, kinds, (late, residues) in product(
                _hints(claim), methods, _kinds(claim), orders
            ):
                claim.hint = hint
                author = partial(Author, claim, sizes=sizes, kinds=kinds, residues=residues)
                found = _proof(claim, by, partial(author, solver=solver, late=late))
                if found is not None:
                    return {"by": by, "hint": hint if by.startswith("order") else None, **found}
        finally:
            EFFORT.reset(token)
    return None


def sealed(certificate: dict[str, Any]) -> dict[str, Any]:
    """The certificate with its checksum."""
    return {**certificate, "seal": seal(certificate)}


def _kinds(claim: Claim) -> list[dict[str, str]]:
    """Sizes that facts let start at 0 may be treated as coordinates."""
    kinds = coordinate_kinds(claim.given)
    return [{}, kinds] if kinds else [{}]


def _orders(claim: Claim) -> tuple[bool, ...]:
    """Facts with divisions in them may be taken before the digit engine begins, or after."""
    return (False, True) if any(map(divides, claim.given.relations)) else (False,)


def _residues(claim: Claim) -> tuple[bool, ...]:
    """Products may be divided by a small number as they stand, or by their factors' remainders."""
    relations = [r for goal in claim.goals for r in goal] if claim.word == "holds" else []
    return (False, True) if any(map(divides, relations)) else (False,)


def _hints(claim: Claim) -> Iterator[str | None]:
    """For a reinterpretation: the transposes that it could be, none of them first."""
    yield None
    if claim.word != "reinterpret":
        return
    a, b = claim.maps
    if len(a.shape) != len(b.shape) or not 2 <= len(a.shape) <= PERMUTED_RANK:
        return
    for perm in list(permutations(range(len(a.shape))))[1:]:
        if tuple(a.shape[p] for p in perm) == tuple(b.shape):
            yield ",".join(map(str, perm))


def _least(given: Any) -> tuple[tuple[str, int], ...]:
    """The least values that the sizes of a layout carry; a text has none."""
    m = given.index_map() if hasattr(given, "index_map") else given
    return m.least if isinstance(m, IndexMap) else ()


def _argument(word: str, given: Any) -> Any:
    """An argument as text; a map that no text spells as its parts."""
    if isinstance(given, (str, int, float)):
        return str(given)
    if isinstance(given, tuple):
        sizes = [str(d) for d in given]
        return sizes if word == "broadcast" else ",".join(sizes)
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


@lru_cache(maxsize=256)
def _sizes(given: Facts, names: tuple[str, ...]) -> tuple[dict[str, int], ...]:
    """Sizes that satisfy the facts: the smallest, and some that are larger."""
    found = []
    for k, sizes in enumerate(sizes_in_order(given, names, LISTED)):
        if k < 3 or k % 17 == 0:
            found.append(sizes)
    return (*found[:1], *found[1:][-SAMPLES:])


def _formula(claim: Claim) -> str:
    """The formula that is emitted for the claim's layout under its facts."""
    if claim.word != "fits":
        return ""
    (m,) = claim.maps
    return str(IndexMap(m.shape, m.coords, m.raw, m.size).under(claim.given))


def _proof(claim: Claim, by: str, author: Callable[..., Author]) -> dict[str, Any] | None:
    """The texts and parts of a proof of that kind; None where it is not found."""
    authors: dict[str, Author] = {}

    def open(name: str, box: Mapping[str, Expr], given: Sequence[Relation] = ()) -> Author:
        if name not in authors:
            authors[name] = author(box, given=given)
        return authors[name]

    parts: dict[str, Any] = {}
    try:
        texts = _texts(claim, by, open)
        for part in claim.parts(by, read_texts(texts)):
            writer = open(part.name, part.box, part.given)
            if part.constant & writer.varying:
                return None  # what gives the coordinates back must not know them
            for _ in range(ROUNDS):
                before = len(writer.steps)
                for r in [r for goal in part.goals for r in goal]:
                    writer.walk(r.left)
                    writer.walk(r.right)
                if len(writer.steps) == before:
                    break
            goals = tuple([writer.reason(g) for g in part.goals])
            parts[part.name] = written_part(Held(tuple(writer.steps), goals))
    except (LayoutError, Rejected):
        return None
    return {"texts": texts, "parts": parts}


def _texts(claim: Claim, by: str, open: Open) -> dict[str, Any]:
    """The expressions that a proof of that kind needs."""
    taken = {*claim.names, *[x for m in claim.maps for x in m.box()]}
    word = "unit" if by == "match" else "offset"
    name = next(n for n in (word, *[f"{word}{k}" for k in range(len(taken) + 1)]) if n not in taken)
    texts: dict[str, Any] = {"offset": name}

    def covering(part: str, m: Any) -> None:
        texts[part] = plans.covering(open(part, {name: m.size}), m, name)

    match claim.word, by:
        case "fits", _:
            texts["formula"] = _formula(claim)
        case "padding", _:
            (m,) = claim.maps
            with suppress(LayoutError, Rejected):
                plans.padding(open("sizes", {}), m, Fraction(str(claim.arguments[1])))
        case "reinterpret", "full":
            covering("first", claim.maps[0])
            covering("second", claim.maps[1])
        case "reinterpret", "match":
            (a, b), (u, v) = claim.maps, claim.units()
            for part, m, n, x, y in (("forth", a, b, u, v), ("back", b, a, v, u)):
                writer = open(part, {**m.box(), name: x})
                texts[part] = plans.match(writer, m, n, x, y, name)
    if claim.word in ("injective", "valid", "bijective"):
        m = claim.decisive
        texts["back"] = plans.back(open("offsets", m.box()), m, name)
    if claim.word == "onto" or (claim.word, by) == ("bijective", "no gaps"):
        covering("inverse", claim.decisive)
    return texts
