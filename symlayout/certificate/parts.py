"""The parts of a proof: each is searched for in one way after the other, and found once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

from symlayout.certificate import plans
from symlayout.certificate.author import Author, Start, beginner, divides
from symlayout.certificate.codec import read_texts, written_part
from symlayout.certificate.exact import FREE, Rejected
from symlayout.certificate.part import Part, without_place
from symlayout.certificate.proof import Held
from symlayout.certificate.reading import least_given
from symlayout.certificate.semantics import Claim
from symlayout.certificate.witness import Effort
from symlayout.digits.simplification import coordinate_kinds
from symlayout.errors import LayoutError
from symlayout.expr.facts import SIDES, Relation
from symlayout.expr.terms import FloorDiv, Mod
from symlayout.expr.tree import Expr
from symlayout.layouts.indexmap import IndexMap

MOST_ALONE = 4  # facts that are left alone one by one
ROUNDS = 5  # walks until no step is new
Plan = Callable[..., list[str]]
Open = Callable[..., Author]


class Way(NamedTuple):
    """How a proof begins: sizes that may be 0 as coordinates, facts that divide before the digit
    engine or after, products divided as they stand or by the remainders of their factors.

    `without` are facts that are left alone: `t % 5 == 1` splits t where t itself divides; `ends` lets
    a size end where one does that it is at most.
    """

    kinds: int
    late: bool
    residues: bool
    without: frozenset[int] = frozenset()
    ends: bool = False


def idle(claim: Claim) -> list[list[int]]:
    """Facts that a proof may do without: each alone, and all of them that say no size's least value."""
    rows = claim.assumptions.relations
    hits = [k for k, r in enumerate(rows) if not any(least_given(r, n, FREE) for n in r.names)]
    alone = [[k] for k in hits] if len(hits) <= MOST_ALONE else []
    return [*alone, *([hits] if len(hits) > 1 else [])]


class Elaboration:
    """The proof of one claim, as far as it has been found."""

    ways: list[Way]

    def __init__(self, claim: Claim, sizes: Sequence[dict[str, int]]) -> None:
        self.claim, self.sizes = claim, sizes
        self.begun: dict[Any, Author] = {}  # authors who know the facts
        self.parts: dict[Any, dict[str, Any]] = {}  # what one way has found serves all others
        self.texts: dict[str, Any] = {}  # those whose parts have been found
        kinds = coordinate_kinds(claim.assumptions)
        self.kinds = [{}, kinds] if kinds else [{}]
        late = any(map(divides, claim.assumptions.relations))
        products = [r for goal in claim.goals for r in goal] if claim.word == "holds" else []
        rest = any(map(divides, products))
        lates, rests = [(False, True) if two else (False,) for two in (late, rest)]
        kinds_of = range(len(self.kinds))
        self.ways = [Way(k, a, b) for k in kinds_of for a in lates for b in rests]
        rows = [r for r in claim.assumptions.relations if r.op in SIDES and len(r.names) > 1]
        self.ways += [Way(0, False, False, ends=True)] if rows else []
        self.ways += [Way(0, False, False, frozenset(w)) for w in idle(claim)]

    def begin(self, way: Way, effort: Effort, scope: frozenset[str] = frozenset()) -> Author:
        """An author who begins in that way, with names of its own besides these."""
        key = way, effort.each, scope
        if key not in self.begun:
            kinds = tuple(self.kinds[way.kinds].items())
            more = way._asdict() | {"kinds": kinds, "scope": scope, "own": self.claim.own}
            self.begun[key] = beginner(
                Start.of(self.claim, self.sizes, effort.each, **more), effort
            )
        return self.begun[key]

    def proof(self, by: str, way: Way, solver: bool, effort: Effort) -> dict[str, Any] | None:
        """The texts and parts of a proof of that kind; None where it is not found."""
        authors: dict[str, Author] = {}
        drafts: dict[str, tuple[str, Any]] = {}  # by text: the part that it is for

        def open(
            name: str, box: Mapping[str, Expr], facts: Sequence[Relation] = (), anew: bool = False
        ) -> Author:
            if anew or name not in authors:
                first = self.begin(way, effort)
                if not first.state.names.isdisjoint(box):
                    first = self.begin(way, effort, frozenset(box))
                authors[name] = first.within(box, facts, solver, effort)
            return authors[name]

        parts: dict[str, Any] = {}
        try:
            texts = self.expressions(by, open, drafts)
            for part in self.claim.parts(by, read_texts(texts)):
                key = (part.name, *part.box.items(), *map(tuple, part.goals), *part.premises)
                if part.nowhere:
                    self.parts[key] = {"steps": [], "goals": []}
                elif key not in self.parts:
                    self.parts[key] = part_json(part, open(part.name, part.box, part.premises))
                parts[part.name] = self.parts[key]
        except (LayoutError, Rejected):
            return None
        finally:
            self.texts |= {t: text for t, (part, text) in drafts.items() if part in parts}
        return {"texts": texts, "parts": parts}

    def expressions(
        self, by: str, open: Open, drafts: dict[str, tuple[str, Any]]
    ) -> dict[str, Any]:
        """The expressions that a proof of that kind needs."""
        claim = self.claim
        scope = {*claim.names, *[x for m in claim.maps for x in m.box()]}
        word = "unit" if by == "match" else "offset"
        names = (word, *[f"{word}{k}" for k in range(len(scope) + 1)])
        name = next(n for n in names if n not in scope)
        texts: dict[str, Any] = {"offset": name}

        def supply(
            text: str, plan: Callable[..., list[str]], box: Any, *args: Any, part: str = ""
        ) -> None:
            if without_place(box) or open(part or text, box).nowhere:  # any expressions will do
                first, *others = args
                texts[text] = ["0"] * (len(others[0].shape) + 1 if others else len(first.shape))
            else:
                texts[text] = self.texts.get(text) or plan(open(part or text, box), *args, name)
            drafts[text] = part or text, texts[text]

        def covering(text: str, m: Any) -> None:
            supply(text, plans.covering, {name: m.size}, m)

        match claim.word, by:
            case "padding", _:
                (m,) = claim.maps
                with suppress(LayoutError, Rejected):
                    plans.padding(open("sizes", {}), m, Fraction(str(claim.arguments[1])))
            case "reinterpret", "full":
                covering("first", claim.maps[0])
                covering("second", claim.maps[1])
            case "reinterpret", "match":
                (a, b), (u, v) = claim.maps, claim.units()
                supply("forth", plans.match, {**a.box(), name: u}, a, b, u, v)
                supply("back", plans.match, {**b.box(), name: v}, b, a, v, u)
        if claim.word in ("injective", "valid", "bijective"):
            m = claim.decisive
            try:
                supply("back", plans.back, m.box(), m, part="offsets")
            except Rejected:
                open("offsets", m.box(), anew=True)
                supply("back", plans.back_of_numbers, m.box(), m, part="offsets")
        if claim.word == "onto" or (claim.word, by) == ("bijective", "no gaps"):
            covering("inverse", claim.decisive)
        return texts


def part_json(part: Part, writer: Author) -> dict[str, Any]:
    """The JSON of a part; raises `Rejected` where a goal is not shown."""
    if part.constant & writer.state.varying:
        raise Rejected("what gives the coordinates back must not know them")
    if writer.ctx is not None and writer.ctx.residues:  # symbols are split before their sums
        sides = [e for goal in part.goals for r in goal for e in (r.left, r.right)]
        for x in sorted({x for e in sides for x in e.atoms(FloorDiv, Mod)}, key=str):
            if x.args[0].is_Symbol:
                writer.walk(x)
    for _ in range(ROUNDS):
        before = len(writer.steps)
        for r in [r for goal in part.goals for r in goal]:
            writer.walk(r.left)
            writer.walk(r.right)
        if len(writer.steps) == before and not writer.limits_again():
            break
    goals = tuple([writer.reason(g) for g in part.goals])
    return written_part(Held(tuple(writer.steps), goals))


def emitted_formula(claim: Claim) -> str:
    """The formula that is emitted for the claim's layout under its facts."""
    (m,) = claim.maps
    return str(IndexMap(m.shape, m.coords, m.raw, m.size)._shortest_under(claim.assumptions))
