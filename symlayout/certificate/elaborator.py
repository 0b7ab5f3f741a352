"""Certificates: a proof as JSON that `recheck` verifies without the prover.

A certificate holds the claim's own text, the facts, sizes that satisfy them, the expressions that
decide the claim (coordinates as functions of the offset), and the parts of the proof: steps, each an
instance of a law with its reasons, and the reason for each goal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, permutations, product
from random import Random
from typing import Any

from symlayout.certificate.alternatives import ALTERNATIVES
from symlayout.certificate.author import Start, beginner
from symlayout.certificate.bits import ranks_show
from symlayout.certificate.codec import (
    FORMAT,
    VERSION,
    is_identifier,
    read_statement,
    read_texts,
    seal,
)
from symlayout.certificate.enumeration import MOST, failing_case
from symlayout.certificate.exact import FREE, Rejected
from symlayout.certificate.fitting import script_of_goals, with_definitions
from symlayout.certificate.parts import Elaboration, emitted_formula, part_json
from symlayout.certificate.proof import ENTIRE, METHODS, Texts
from symlayout.certificate.samples import sizes_of
from symlayout.certificate.semantics import OF_GOALS, Claim
from symlayout.certificate.sides import on_each_side
from symlayout.certificate.splitting import of_alternatives
from symlayout.certificate.witness import QUICK, THOROUGH, Effort
from symlayout.digits.assume import sample_sizes
from symlayout.digits.bounds import Meter
from symlayout.digits.context import Undecided
from symlayout.digits.sizes import sizes_in_order
from symlayout.errors import LayoutError
from symlayout.expr.choices import split_choices
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Operation
from symlayout.expr.tree import Integer
from symlayout.layouts.applied import calls
from symlayout.layouts.claim import Claim as Asked
from symlayout.layouts.doors.algebra import Algebra
from symlayout.layouts.doors.family import Chain, Family
from symlayout.layouts.doors.operations import begins
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.notation import parse
from symlayout.prove.buffers import PERMUTED_RANK
from symlayout.prove.maps.arguments import families
from symlayout.prove.maps.blocks import witness
from symlayout.prove.maps.script import scripts_of

FEW = 10_000  # points that are looked at before the solvers are asked
LISTED = 160  # sizes of which those are some that decide what an operation is
NEAR, APART, DRAWN = 8, 16, 1000  # sizes that decide what an operation is
HEAD = {"format": FORMAT, "version": VERSION}
TERMS = 100_000  # that the digits look at in all attempts: proofs that are found take a twentieth


def certificate(question: Asked, parts: bool = False) -> dict[str, Any] | None:
    """The certificate of a claim that is proved, or None where no proof is found in this form.

    `parts` says that it is proved by cases: then these are written first.
    """
    plain, choices = split_choices(list(question.facts))
    facts = facts_of(replace(question, facts=tuple(plain)))
    if choices:
        cases = of_alternatives(question, facts, choices, certificate)
        claim = claim_json(question, facts)["claim"]
        return cases and with_checksum({**HEAD, "claim": claim, "by": ALTERNATIVES, **cases})
    return _certificate(question, facts, points_of(question, facts), parts)


def _certificate(
    question: Asked, facts: Facts, points: Sequence[dict[str, int]], parts: bool = False
) -> dict[str, Any] | None:
    word = question.word
    table: dict[str, Any] = {
        **HEAD,
        **claim_json(question, facts),
        "hint": None,
    }
    if points:
        table["points"] = points
    try:
        claim = Claim(read_statement(table["claim"], table["facts"]), points=points, work=FREE)
    except (LayoutError, Rejected):
        return None  # an argument that its text does not give back
    if word == "fits" and not claim.functions:  # the values on the way of this formula are meant
        formula = emitted_formula(claim)
        claim.options["formula"] = table["claim"]["options"]["formula"] = formula
    sizes = sizes_of(claim.assumptions, tuple(claim.names))
    if not sizes or not all(map(is_identifier, claim.names)):
        return None
    table["sizes"] = sizes[0]
    if claim.shapes:
        return _of_blocks(claim, question, facts, sizes, table)
    if ranks_show(word, claim.arguments):
        return with_checksum({**table, "by": "rank", "texts": {}, "parts": {}})
    parts = parts and bool(claim.functions) and claim.of_places
    by_cases = _by_cases(claim, question, facts) if parts else None
    names = _first_proof(claim, sizes) if by_cases is None else None
    if names is not None:
        return with_checksum({**table, **names})
    by_cases = _by_cases(claim, question, facts) if not parts else by_cases
    if by_cases is not None:
        return with_checksum({**table, "by": "script", **by_cases})
    each = _each_point(claim, MOST)
    if each is not None:
        return with_checksum({**table, **each})
    by_cases = _of_goals(claim, facts)
    if by_cases is not None:
        return with_checksum({**table, "by": "script", **by_cases})
    sides = on_each_side(claim, _first_proof, sizes_of)
    return None if sides is None else with_checksum({**table, "by": "sizes", "hint": None, **sides})


def claim_json(question: Asked, facts: Facts) -> dict[str, Any]:
    """The claim and its facts as a certificate has them, all of it text."""
    claim = {
        "word": question.word,
        "arguments": [_argument(question.word, a) for a in question.arguments],
        "options": {k: str(v) for k, v in question.options},
    }
    return {"claim": claim, "facts": [str(r) for r in facts.relations]}


def facts_of(question: Asked) -> Facts:
    """The facts of a claim, and that sizes are at least 1 where its arguments know which are sizes."""
    facts = Facts.read(question.facts)
    return facts.at_least(pair for a in question.arguments for pair in _least(a))


def _of_blocks(
    claim: Claim,
    question: Asked,
    facts: Facts,
    sizes: Sequence[dict[str, int]],
    table: Mapping[str, Any],
) -> dict[str, Any] | None:
    """A proof in blocks of bits, of a claim about linear layouts of all sizes."""
    layouts = families(*question.arguments)
    if layouts is None:
        return None
    texts = {"offset": "offset", "script": witness(question.word, layouts, facts)}
    for each, solver in product((QUICK, THOROUGH), (False, True)):
        effort = Effort(each)
        try:
            first, parts = beginner(Start.of(claim, sizes, each, own=claim.own), effort), {}
            for part in claim.parts("blocks", read_texts(texts)):
                parts[part.name] = part_json(part, first.within({}, part.premises, solver, effort))
            return with_checksum({**table, "by": "blocks", "texts": texts, "parts": parts})
        except (LayoutError, Rejected, Undecided):
            continue
    return None


def _first_proof(
    claim: Claim, sizes: Sequence[dict[str, int]], few: int = FEW
) -> dict[str, Any] | None:
    """The first proof of any kind: by laws, briefly at first, then thoroughly; then with solvers.

    Points are looked at where there are but few, sooner than they are shown with more effort.
    """
    if claim.by_script:
        return None
    elaboration, questions = Elaboration(claim, sizes), dict[str, bool]()
    methods = [by for by in METHODS.get(claim.word, ("definition",)) if by not in ENTIRE]
    meter = Meter()
    for solver, each in product((False, True), (QUICK, THOROUGH)):
        if (solver, each) == (False, THOROUGH) and few:
            seen = _each_point(claim, few)
            if seen is not None:
                return seen
        effort = Effort(each, answers=questions, meter=meter)
        for hint, by, way in product(_hints(claim), methods, elaboration.ways):
            if meter.terms > TERMS:
                return None
            claim.hint = hint
            own = Effort(each, answers=questions, meter=meter) if way.without else effort
            names = elaboration.proof(by, way, solver, own)
            if names is not None:
                return {"by": by, "hint": hint if by.startswith("order") else None, **names}
    return None


def _each_point(claim: Claim, most: int) -> dict[str, Any] | None:
    """That the claim is looked at wherever it says something, where that is at so many points."""
    with suppress(LayoutError):
        if failing_case(claim, Texts(), most) is None:
            return {"by": "cases", "hint": None, "texts": {}, "parts": {}}
    return None


def _by_cases(claim: Claim, question: Asked, facts: Facts) -> Mapping[str, Any] | None:
    """The texts and parts of a proof by cases, of claims about index functions."""
    if not claim.functions and claim.word in OF_GOALS:
        try:
            goals = [r for p in claim.parts("definition", Texts()) for g in p.goals for r in g]
        except LayoutError:
            return None  # what is claimed is read otherwise by the checker
        if any(e.has(Operation) for r in goals for e in (r.left, r.right)):
            claim.duties = claim.of_goals()
    if not claim.functions and not claim.duties:
        return None
    if not claim.of_places:
        return script_of_goals(claim, facts)
    scripts = scripts_of(question.word, question.arguments, question.options, facts)
    return with_definitions(claim, scripts, facts)


def _of_goals(claim: Claim, facts: Facts) -> Mapping[str, Any] | None:
    """A proof by cases of a claim that is goals alone, where no other proof is found."""
    if claim.functions or claim.word not in OF_GOALS:
        return None
    with suppress(LayoutError):
        claim.duties = claim.of_goals()
        return script_of_goals(claim, facts)
    return None


def with_checksum(certificate: dict[str, Any]) -> dict[str, Any]:
    """The certificate with its checksum."""
    return {**certificate, "seal": seal(certificate)}


def _hints(claim: Claim) -> Iterator[str | None]:
    """For a reinterpretation: the transposes that it could be, none of them first for equal shapes."""
    shapes = [tuple(m.shape) for m in claim.maps] if claim.word == "reinterpret" else [()]
    turned: list[str] = []
    if len(shapes) == 2 and len(shapes[0]) == len(shapes[1]) <= PERMUTED_RANK:
        a, b = shapes
        every = list(permutations(range(len(a))))[1:]
        turned = [",".join(map(str, p)) for p in every if tuple(a[k] for k in p) == b]
    yield from [None, *turned] if shapes[0] == shapes[-1] else [*turned, None]


def _least(argument: Any) -> tuple[tuple[str, int], ...]:
    """The least values that the sizes of a layout carry; a text has none."""
    if isinstance(argument, (IndexFunction, Family, Chain)):
        return ()
    m = argument.index_map() if hasattr(argument, "index_map") else argument
    return m.least if isinstance(m, IndexMap) else ()


def _argument(word: str, argument: Any) -> Any:
    """An argument as text; a map that no text spells as its parts."""
    if isinstance(argument, (str, int, float)):
        return on_one_line(str(argument))
    if isinstance(argument, tuple):
        sizes = [str(d) for d in argument]
        return sizes if word == "broadcast" else ",".join(sizes)
    if not hasattr(argument, "index_map") and not isinstance(argument, IndexMap):
        return str(argument)
    if isinstance(argument, IndexFunction):
        if word == "fits" and argument.source is not None and argument.source[1] is None:
            return argument.source[0]  # it speaks of the text as it is written
        return str(argument)
    text = getattr(argument, "text", "") or str(argument)
    try:
        same = not isinstance(argument, IndexMap) or parse(text).index_map() == argument
        if same:
            parse(text)
            return text
    except LayoutError:
        pass
    m = argument if isinstance(argument, IndexMap) else argument.index_map()
    return {
        "shape": [str(d) for d in m._shape],
        "coords": [c.name for c in m._coords],
        "offset": str(m._raw),
        "size": str(m._size),
        "bits": m.bits,
    }


def on_one_line(text: str) -> str:
    """The text of a layout without line breaks, where those mean no more than blanks."""
    if text.isprintable():
        return text
    with suppress(LayoutError):
        layout = parse(text)
        plain = text if isinstance(layout, IndexFunction) else str(layout)  # without comments
        for one in (" ".join(text.split()), plain):
            with suppress(LayoutError):
                if one.isprintable() and _same(layout, parse(one)):
                    return one
    return text


def _same(a: Any, b: Any) -> bool:
    """Whether two layouts are one."""
    if a == b:
        return True
    maps = [m.index_map() for m in (a, b) if hasattr(m, "index_map")]
    return len(maps) == 2 and maps[0] == maps[1]


def points_of(question: Asked, facts: Facts) -> list[dict[str, int]]:
    """Sizes that decide what the operations of a claim are; none where there are no operations."""
    names, texts = dict.fromkeys(sorted(facts.names)), list[str]()
    for a in question.arguments:
        with suppress(LayoutError):
            many = [c.arguments[c.layout] for c in calls(a)] if isinstance(a, str) else []
            texts += [t for t in many if begins(t)]
    if not texts and not any(
        begins(a) if isinstance(a, str) else isinstance(a, Algebra) for a in question.arguments
    ):
        return []
    values: list[Any] = [a for a in question.arguments if not isinstance(a, str)]
    for t in [*texts, *[a for a in question.arguments if isinstance(a, str)]]:
        with suppress(LayoutError):
            values.append(parse(t))
    for v in values:
        layout: Any = v.under(facts) if isinstance(v, Algebra) else v
        if hasattr(layout, "index_map"):
            with suppress(LayoutError):
                names |= dict.fromkeys(layout.index_map().symbols)
    return far_and_near(facts, tuple(names)) if names else []


def far_and_near(facts: Facts, names: tuple[str, ...]) -> list[dict[str, int]]:
    """The smallest sizes that satisfy the facts, and some that have little in common."""
    rng, apart = Random(0), sample_sizes(facts, names)
    constants = {abs(int(n)) for r in facts.relations for e in (r.left, r.right)
                 for n in e.atoms(Integer)} - {0}  # fmt: skip
    values = [*range(1, 14), *[k * c for c in constants if c > 1 for k in (1, 2, 3, 5)]]
    for _ in range(DRAWN):
        sizes = {n: rng.choice(values) for n in names}
        if facts.holds(sizes):
            apart.append(sizes)
    near = list(islice(sizes_in_order(facts, names), LISTED))
    apart = sorted([*apart, *near[LISTED // 4 :]], key=lambda s: -len({*s.values()} - {1}))
    points = [*near[:NEAR], *apart[:APART]]
    return [dict(pairs) for pairs in dict.fromkeys(tuple(s.items()) for s in points)]
