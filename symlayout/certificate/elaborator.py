"""Certificates: a proof as JSON that `recheck` verifies without the prover.

A certificate holds the claim's own text, the facts, sizes that satisfy them, the expressions that
decide the claim (coordinates as functions of the offset), and the parts of the proof: steps, each an
instance of a law with its reasons, and the reason for each goal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import permutations, product
from typing import Any

from symlayout.certificate.bits import ranks_show
from symlayout.certificate.casework import casework
from symlayout.certificate.codec import (
    FORMAT,
    VERSION,
    read_statement,
    seal,
)
from symlayout.certificate.enumeration import MOST, failing_case
from symlayout.certificate.exact import Rejected
from symlayout.certificate.fitting import written_out
from symlayout.certificate.parts import Elaboration, emitted
from symlayout.certificate.proof import METHODS, Texts
from symlayout.certificate.semantics import OF_GOALS, Claim
from symlayout.certificate.witness import EFFORT, QUICK, THOROUGH, Effort
from symlayout.digits.sizes import sizes_in_order
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Operation
from symlayout.layouts.claim import Claim as Asked
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.notation import parse
from symlayout.prove.buffers import PERMUTED_RANK
from symlayout.prove.maps.script import script_of

FEW = 10_000  # points that are looked at before the solvers are asked
SAMPLES = 8
LISTED = 160  # sizes of which the samples are some ...
MOST_NAMED = 6000  # ... and fewer where there are many symbols


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
    if ranks_show(word, claim.arguments):
        return sealed({**made, "by": "rank", "texts": {}, "parts": {}})
    found = _found(claim, sizes)
    if found is not None:
        return sealed({**made, **found})
    by_cases = _by_cases(claim, asked, facts)
    if by_cases is not None:
        return sealed({**made, "by": "script", **by_cases})
    each = _each_point(claim, MOST)
    return None if each is None else sealed({**made, **each})


def _found(claim: Claim, sizes: Sequence[dict[str, int]]) -> dict[str, Any] | None:
    """The first proof of any kind: by laws or with solvers, briefly at first, then thoroughly."""
    if claim.by_script:
        return None
    elaboration, asked = Elaboration(claim, sizes), dict[str, bool]()
    methods = [
        by for by in METHODS.get(claim.word, ("definition",)) if by not in ("script", "rank")
    ]
    for each, solver in product((QUICK, THOROUGH), (False, True)):
        if (each, solver) == (QUICK, True) and (few := _each_point(claim, FEW)) is not None:
            return few  # sooner looked at than shown
        token = EFFORT.set(Effort(each, asked=asked))
        try:
            for hint, by, way in product(_hints(claim), methods, elaboration.ways):
                claim.hint = hint
                found = elaboration.proof(by, way, solver)
                if found is not None:
                    return {"by": by, "hint": hint if by.startswith("order") else None, **found}
        finally:
            EFFORT.reset(token)
    return None


def _each_point(claim: Claim, most: int) -> dict[str, Any] | None:
    """That the claim is looked at wherever it says something, where that is at so many points."""
    texts = {"formula": emitted(claim)}
    with suppress(LayoutError):
        if failing_case(claim, Texts(formula=texts["formula"]), most) is None:
            return {"by": "cases", "hint": None, "texts": texts, "parts": {}}
    return None


def _by_cases(claim: Claim, asked: Asked, facts: Facts) -> Mapping[str, Any] | None:
    """The texts and parts of a proof by cases, of claims about index functions."""
    if not claim.functions and claim.word in OF_GOALS:
        goals = [r for p in claim.parts("definition", Texts()) for g in p.goals for r in g]
        if any(e.has(Operation) for r in goals for e in (r.left, r.right)):
            claim.asked = claim.of_goals()
    if not claim.functions and not claim.asked:
        return None
    if claim.asked:
        return written_out(claim, facts)
    script = script_of(asked.word, asked.arguments, asked.options, facts)
    return None if script is None else casework(claim, script)


def sealed(certificate: dict[str, Any]) -> dict[str, Any]:
    """The certificate with its checksum."""
    return {**certificate, "seal": seal(certificate)}


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
    if isinstance(given, IndexFunction):
        return ()
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
    if isinstance(given, IndexFunction):
        if word == "fits" and given.source is not None and given.source[1] is None:
            return given.source[0]  # it speaks of the text as it is written
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
    listed = max(SAMPLES, min(LISTED, MOST_NAMED // max(1, len(names))))
    for k, sizes in enumerate(sizes_in_order(given, names, listed)):
        if k < 3 or k % 17 == 0:
            found.append(sizes)
    return (*found[:1], *found[1:][-SAMPLES:])
