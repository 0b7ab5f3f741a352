"""The claims about index functions that are no index maps: guards, several results, conditionals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from math import prod
from typing import Any

from symlayout.digits.bounds import Meter
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.plain import places
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import as_expr
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.demands import Demand
from symlayout.layouts.doors.directions import Directions
from symlayout.layouts.emptiness import with_emptiness
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.prove.corners import far_sizes
from symlayout.prove.decide import Problem, decide, subject
from symlayout.prove.fewer import without_facts
from symlayout.prove.maps import chosen, goals
from symlayout.prove.maps.bits import of_map
from symlayout.prove.maps.cases import ONE, ZERO, Case, World
from symlayout.prove.maps.chosen import Chosen
from symlayout.prove.maps.ends import digits_of_one, guessed_box
from symlayout.prove.maps.failures import is_inside, replay
from symlayout.prove.maps.likely import LARGEST, failing, numbers_in
from symlayout.prove.maps.moves import texts_of
from symlayout.prove.maps.ranks import Failing, of_places, proof, whole
from symlayout.prove.maps.residual import Residual, Residue, divisors
from symlayout.prove.maps.roots import composition, extents_of, in_box, root_of, with_goals
from symlayout.prove.maps.rows import Undefined
from symlayout.prove.maps.undone import solutions
from symlayout.prove.maps.walk import UNDEFINED, Test, Walk, searcher
from symlayout.prove.question import Question
from symlayout.prove.run import Effort, Run, Strategy
from symlayout.prove.search import Found, Search, Unsafe
from symlayout.prove.subject import Places
from symlayout.prove.verdict import Verdict

FAR_POINTS = 6000  # of all sizes that are looked at wherever they lie
FARTHEST = 1 << 40  # of numbers of a map that sizes may be
MARKS = 4
KEPT = 8  # proofs, for the certificates that are asked for next
WEIGHT = 512  # what looking at one assignment costs, in points


def where_empty(f: IndexFunction, facts: Facts) -> IndexFunction:
    """The function with a box of no places where facts let it have no points.

    What strides that are directions reach is said of layouts with elements (see `emptiness`).
    """
    if not isinstance(f, Directions):
        return f
    maps = [with_emptiness(layout.index_map(), facts) for _, layout in f.parts]
    return replace(f, _box=tuple(as_expr(m._size) for m in maps))


def with_box(f: IndexFunction, size: Any) -> IndexFunction:
    """The map with that size for its box; one of a single result."""
    if size is None:
        return f
    if len(f._results) != 1:
        raise LayoutError("SL403", f"{f} has several results: write their box behind them")
    result = read_expression(size) if isinstance(size, str) else as_expr(size)
    return replace(f, _box=(result,))


def world_of(
    facts: Facts,
    functions: Sequence[IndexFunction],
    roots: Sequence[Case],
    meter: Meter,
    ones: bool = True,
) -> World:
    """What is claimed of the functions, at all sizes."""
    names = dict.fromkeys([*[n for f in functions for n in f.names], *sorted(facts.names)])
    boxes = tuple(
        tuple(map(of_map, f._box)) if f._box is not None else (Integer(1),) * len(f._results)
        for f in functions
    )
    return World(facts, tuple(names), boxes, tuple(roots), ones=ones, meter=meter)


@dataclass(frozen=True)
class Plan:
    """What is proved by cases: roots, and what is wanted of the places that they reach."""

    functions: tuple[IndexFunction, ...]
    roots: tuple[Case, ...]
    words: frozenset[str] = frozenset()
    apart: tuple[tuple[int, int], ...] = ()
    # what undoes the results, or a box by which places are told apart that have none
    instead: tuple[tuple[str, ...], ...] = ()
    without: tuple[int, ...] = field(default=(), compare=False)  # facts that are left out
    reason: str = field(default="", compare=False)  # how it is proved
    general: bool = False  # whether it is proved of more sizes than those of the claim
    residues: tuple[Residue, ...] = ()  # sizes that are looked at modulo a number

    @lru_cache(maxsize=KEPT)  # noqa: B019
    def outcome(self, facts: Facts, ones: bool) -> tuple[goals.Proof | None, str, int]:
        """The proof, or the case that is missing, and the work; kept for its certificate."""
        meter = Meter()
        world = world_of(facts, self.functions, self.roots, meter, ones)
        try:
            return self.decided(world), "", meter.terms
        except Undecided as why:
            text = str(why)
        except LayoutError as error:
            text = error.message
        return None, text, meter.terms

    def decided(self, world: World) -> goals.Proof:
        """The proof: a brief one, one of a more general claim where that takes long, or any."""
        meter = world.meter
        if self.residues:
            return Residual(meter, self.words, self.apart, residues=self.residues).whole(world)
        proof = goals.Proof(meter, self.words, self.apart)
        if self.general:
            return proof.general(world)
        try:
            return replace(proof, limit=goals.BRIEF, script=[]).whole(world)
        except Undecided:
            if meter.terms <= goals.BRIEF:
                raise
        with suppress(Undecided):
            return proof.general(world)
        return proof.anew().whole(world)  # what was tried before is no part of its limit

    def proof(self, facts: Facts, ones: bool, meter: Meter) -> goals.Proof:
        """The proof; raises `Undecided`.  The meter counts its work, whether it is kept or not."""
        proof, why, terms = self.outcome(facts, ones)
        meter.terms += terms
        if proof is None:
            raise Undecided(why)
        return proof

    def proved(self, facts: Facts, ones: bool, meter: Meter) -> Plan:
        """The plan, with a proof that is kept; raises `Undecided`."""
        self.proof(facts, ones, meter)
        return self

    def attempt(self, facts: Facts, ones: bool, meter: Meter) -> Attempt:
        """What the cases say."""
        try:
            result = self.proof(facts, ones, meter)
        except Undecided as why:
            return Attempt(False, str(why))
        text = f"in {result.cases} cases" if result.cases != 1 else "in digits"
        reason = (self.reason or f"{text}, each by mixed radix") + result.generality
        return Attempt(True, reason, details={"by": "parts"})

    def texts(self, facts: Facts, meter: Meter) -> list[list[str]]:
        """The moves of the proof as texts; raises `Undecided`."""
        fewer = without_facts(facts, frozenset(self.without))
        moves = texts_of(self.proof(fewer, True, meter).script)
        first = [["weaken", *map(str, self.without)]] if self.without else []
        return [*map(list, self.instead), *first, *moves]


WANTED = {
    "injective": frozenset({"injective"}),
    "bounded": frozenset({"bounded"}),
    "onto": frozenset({"bounded", "injective", "onto"}),
    "bijective": frozenset({"bounded", "injective", "onto"}),
    "valid": frozenset({"bounded", "injective"}),
}


def plan_of(
    word: str,
    f: IndexFunction,
    facts: Facts,
    meter: Meter,
    ones: bool = True,
    general: bool = False,
) -> Plan:
    """How a word is proved of the places that one function reaches.

    Quotient and remainder by a size of the box are as good as what is divided: that is tried first.
    Raises `Undecided` with what is missing for the map as it is written.
    """
    pair = digits_of_one(f)
    if pair is not None:
        k, one = pair
        with suppress(Undecided):
            plan = replace(plain_plan(word, one), general=general)
            return replace(plan, instead=(("join", str(k)), *plan.instead)).proved(
                facts, ones, meter
            )
    rows = solutions(f, facts, word) if word != "bounded" else ()
    plans = [partial(undone_plan, word, f, *row) for row in rows]
    plans.insert(len(plans) if f._guard is not None else 0, partial(plain_plan, word, f))
    if word == "injective" and len(f._results) > 1 and f._box is not None:
        plans.append(partial(plain_plan, word, f, wide=True))
    missing = dict[bool, Undecided]()
    for make in plans:
        try:
            return replace(make(), general=general).proved(facts, ones, meter)
        except Undecided as why:
            missing.setdefault(make.func is undone_plan, why)
    raise missing[False]


def undone_plan(
    word: str,
    f: IndexFunction,
    letter: str,
    texts: tuple[Expr, ...],
    residues: tuple[Residue, ...] = (),
) -> Plan:
    """That the expressions of the results give back each point, or a point for each place."""
    ends = (ONE,) * len(f._results) if f._box is None else f._box
    marks = [Variable(f"{letter}{k}", ZERO, d) for k, d in enumerate(ends)]
    g = IndexFunction(tuple(marks), texts, tupled=True)
    roots = extents_of(f)
    if word == "onto":
        roots.append(with_goals(root_of(f), [], [ONE]))
    else:
        roots.append(composition(f, g, landed=word != "injective"))
    if word in ("onto", "bijective"):
        roots.append(composition(g, f))
    places, points = (", ".join(row) for row in ([str(v.name) for v in marks], map(str, texts)))
    reason = f"the place ({places}) is that of the point ({points})" + " alone" * (word != "onto")
    instead = ("back", letter, *map(str, texts))
    return Plan((f, g), tuple(roots), instead=(instead,), reason=reason, residues=residues)


def plain_plan(word: str, f: IndexFunction, wide: bool = False) -> Plan:
    """What is to be proved of the places that one function reaches, each as it is written.

    `wide` is to tell places apart by a box that holds them all, where the function's may not.
    """
    if word == "bounded":
        return Plan((f,), (*extents_of(f), in_box(f)))
    if word == "injective" and len(f._results) > 1:
        box = guessed_box(f) if f._box is None or wide else f._box
        if box is None:
            raise Undecided("several results are told apart by their box: write `in (M, N)`")
        instead = (("box", *map(str, box)),) if box is not f._box else ()
        boxed = f if box is f._box else replace(f, _box=box)
        return Plan((boxed,), (*extents_of(f), root_of(f)), WANTED[word], instead=instead)
    return Plan((f,), (*extents_of(f), root_of(f)), WANTED[word])


def about_places(word: str, f: IndexFunction, where: Any) -> Walked:
    """`injective`, `bounded`, `onto` or `bijective`."""
    if f._box is None and word != "injective":
        message = f"{word} speaks of a box: write `in SIZE` or `in (M, N)` behind the result"
        raise LayoutError("SL403", message)
    facts = facts_of(where, f)
    f = where_empty(f, facts)
    linear = whole(f)
    if linear is not None:
        return by_rank(facts, *of_places(word, linear), f, word=word)
    walk = Walk(f)

    def test(sizes: dict[str, int], left: list[int]) -> Found | None:
        box = walk.start(sizes)
        seen: dict[tuple[int, ...], tuple[int, ...]] = {}
        failure: Found | None = None
        try:
            for point, place in walk.points(sizes, left):
                if failure is not None:
                    continue  # what has no value is told first
                if word in ("bounded", "bijective", "valid") and not is_inside(place, box):
                    failure = Found(sizes, point, kind="outside")
                elif word in ("injective", "bijective", "valid") and place in seen:
                    failure = Found(sizes, seen[place], point, "collision")
                seen.setdefault(place, point)
        except Unsafe:  # a failure stands, whatever there is behind it
            if failure is None:
                raise
        if failure is None and word in ("onto", "bijective"):
            missing = _first_missing(box, seen, left)
            failure = None if missing is None else Found(sizes, missing, kind="gap")
        return failure

    def plan(general: bool, ones: bool, meter: Meter) -> Plan:
        return plan_of(word, f, facts, meter, ones, general)

    prove, late = (by_cases(partial(plan, g), facts) for g in (False, True))
    return Walked(facts, prove, test, (f,), word, late=late)


def with_values(plan: Plan, facts: Facts) -> Plan | None:
    """The plan value by value of a size that divides a small number, where there is one."""
    values = () if plan.residues else divisors(facts)
    return replace(plan, residues=values) if values else None


def by_cases(plan: Callable[[bool, Meter], Plan], facts: Facts) -> Strategy:
    """A proof by the cases of a plan, where there is one."""

    def prove(ctx: Context, effort: Effort) -> Attempt:
        try:
            chosen_plan = plan(effort.ones, ctx.meter)
        except Undecided as why:
            return Attempt(False, str(why))
        attempt = chosen_plan.attempt(facts, effort.ones, ctx.meter)
        valued = None if attempt.proved else with_values(chosen_plan, facts)
        again = valued and valued.attempt(facts, effort.ones, ctx.meter)
        return again if again and again.proved else attempt

    return prove


def _with_effort(prove: Strategy, effort: Effort, ctx: Context) -> Attempt:
    """What is tried of a whole claim alone, where that is not asked under fewer facts already."""
    return prove(ctx, effort) if effort.fewer else Attempt(False, "")


def facts_of(where: Any, *functions: IndexFunction) -> Facts:
    """The facts, which speak of sizes alone."""
    facts = Facts.read(where)
    for f in functions:
        own = {v.name for v in f.variables} | {n for n, _ in f._lets}
        if own & facts.names:
            name = min(own & facts.names)
            raise LayoutError("SL301", f"the facts speak of {name!r}, a name inside of {f}")
    return facts


@dataclass(frozen=True)
class Walked(Question):
    """A question about index functions: by the cases, and by a search from point to point."""

    facts: Facts
    prove: Strategy
    test: Test
    functions: tuple[IndexFunction, ...]
    word: str
    demands: tuple[Demand, ...] = ()
    late: Strategy | None = None  # another way to prove it, where no small size refutes it

    def problem(self, effort: Effort) -> Problem:
        """What is proved, searched and replayed."""
        names = tuple(dict.fromkeys(n for f in self.functions for n in f.names))
        return Problem(
            names,
            self.facts,
            lambda ctx: self.prove(ctx, effort),
            searcher(self.test, effort),
            partial(replay, self.functions),
            weight=WEIGHT,
            demands=self.demands,
            about=Places(self.word, self.functions),
            late=None if self.late is None else partial(_with_effort, self.late, effort),
        )

    def subjects(self, run: Run) -> list[Any]:
        """The problem."""
        return [subject(self.problem(run.effort), run.written)]

    def decided(self, run: Run) -> Verdict:
        """The verdict; where it is open, sizes at which mistakes show often are looked at."""
        problem = self.problem(run.effort)
        likely = cache(partial(self.failure, problem, run))
        verdict = decide(replace(problem, likely=likely), run)
        failure = likely() if verdict.status == "unknown" else None
        return verdict if failure is None else failure

    def failure(self, problem: Problem, run: Run) -> Verdict | None:
        """A failure at sizes at which mistakes show often, where there is one."""
        if not run.effort.more:
            return None
        search: Search | None = None
        sizes = problem.names and failing(self.test, self.functions, self.facts, problem.names)
        if sizes:
            search = searcher(self.test, run.effort)
        else:
            hit = self.far_failure(problem.names)
            if hit is None:
                return None
            sizes, search = hit.sizes, lambda arrays, work: hit
        fixed = self.facts.and_([f"{n} == {v}" for n, v in sizes.items()])
        there = decide(replace(problem, facts=fixed, search=search), run)
        if there.status != "refuted":
            return None
        more = " (smaller sizes may fail as well)" if sizes else ""
        return replace(there, reason=there.reason.removesuffix(more) + more)

    def far_failure(self, names: Sequence[str]) -> Found | None:
        """A failure at a few points of sizes however large, which facts bound or which are small."""
        functions, left = list(dict.fromkeys(self.functions)), FAR_POINTS
        choices = [Chosen(f, functions) for f in functions]
        every = (*names, *sorted(self.facts.names.difference(names)))
        marks = sorted({m for m in numbers_in(functions, FARTHEST) if m > LARGEST})[:MARKS]
        for sizes in far_sizes(self.facts, every, marks):
            try:
                hit, many = chosen.failing(self.word, choices, sizes, min(left, chosen.POINTS))
            except Undefined as where:
                return Found(sizes, where.args[0] if where.args else (), kind=UNDEFINED)
            except (Unsafe, ZeroDivisionError, LayoutError):
                continue
            left -= many
            if hit is not None or left < 1:
                return hit
        return None


def by_rank(
    facts: Facts,
    failing: Failing,
    reason: str,
    *functions: IndexFunction,
    word: str = "",
    demands: tuple[Demand, ...] = (),
) -> Walked:
    """The question about linear layouts, of which the first failure is known if there is one."""
    prove, test = proof(failing, reason)
    return Walked(facts, lambda ctx, effort: prove(ctx), test, functions, word, demands)


def _first_missing(box: tuple[int, ...], seen: Any, left: list[int]) -> tuple[int, ...] | None:
    """The first place of the box that is none of those; behind so many places there is one."""
    left[0] -= min(len(seen), prod(box)) + 1
    return next((place for place in places(box) if place not in seen), None)
