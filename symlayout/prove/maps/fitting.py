"""`fits` of maps: every value that the expression as written computes lies in its type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from itertools import chain, islice
from typing import Any, NamedTuple

from symlayout.digits import solver
from symlayout.digits.bounds import Meter, nonneg_in_steps
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.digits.poly import Poly
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Condition, all_of
from symlayout.expr.facts import Facts
from symlayout.expr.intervals import ALL, Range, allowed, interval
from symlayout.expr.machine import Machine
from symlayout.expr.needs import needs_of
from symlayout.expr.plain import Lines, defined
from symlayout.expr.terms import FloorDiv, Mod, free_names, symbol
from symlayout.expr.tree import Expr, Integer, Symbol, expand
from symlayout.layouts.doors.directions import Directions
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.layouts.maps.values import Duty, Values, extent_duties
from symlayout.layouts.maps.written import WrittenMap, written_map
from symlayout.prove.decide import Problem, decide, subject
from symlayout.prove.maps.cases import Impossible, World
from symlayout.prove.maps.chosen import solve
from symlayout.prove.maps.claims import facts_of, world_of
from symlayout.prove.maps.everywhere import bitwise, comparisons, values_in
from symlayout.prove.maps.goals import Proof
from symlayout.prove.maps.replay import failure_at
from symlayout.prove.maps.roots import extents_of, root_of
from symlayout.prove.maps.rows import Undefined, power_of_two
from symlayout.prove.maps.walk import UNDEFINED, Runner, Walk, runs
from symlayout.prove.question import Question
from symlayout.prove.run import Effort, Run
from symlayout.prove.search import Arrays, Found, Unsafe, Work, length
from symlayout.prove.subject import Duties
from symlayout.prove.verdict import Counterexample, Verdict
from symlayout.text.once import cached_property

LOOKS = 100_000  # at values of points, one by one
CORNERS = 256  # of one assignment of large sizes
AT_ONCE, IN_STEPS, BY_SOLVER = range(3)  # how hard it is tried to see that a value fits
KEPT = 64  # answers about values
SEVERAL = 3  # variables of which places between the ends are looked at as well


def fits_as_written(
    f: IndexFunction,
    bits: int | None,
    where: Any,
    wraps: bool,
    types: Mapping[str, Machine],
) -> Question:
    """What `fits` states of a map."""
    facts = facts_of(where, f)
    unknown = types.keys() - {*f.names, *[v.name for v in f.variables]}
    if unknown:
        raise LayoutError(
            "SL502", f"a type for {min(unknown)!r}, which is not a size or coordinate"
        )
    text = written_map(f).typed(types)
    if isinstance(f, Directions):
        f = replace(f, _box=None)  # as far as strides reach is never below 0, and is not computed
    every = None if bits is None else Machine(bits)
    duties = [*extent_duties(f), *Values(f, text, every, wraps).all()]
    return _Fits(partial(_Fitting, f, text, facts, tuple(dict.fromkeys(duties)), every, wraps))


@dataclass(frozen=True)
class _Fits(Question):
    """That each value lies in its type: `fitting` is asked anew for each decision."""

    fitting: Callable[[Effort, Meter], _Fitting]

    def subjects(self, run: Run) -> list[Any]:
        """The search at some points of larger sizes."""
        claim = self.fitting(run.effort, run.meter)
        attempt = claim.by_bounds() or Attempt(False, "nothing is proved here")
        return [subject(claim.problem(attempt, small=False), run.written)]

    def decided(self, run: Run) -> Verdict:
        """By a proof, or by small sizes, or by some points of larger ones."""
        claim = self.fitting(run.effort, run.meter)
        attempt = claim.attempt()
        large = cache(lambda: decide(claim.problem(attempt, small=False), run))

        def likely() -> Verdict | None:
            left = [*claim.left]
            verdict = large()
            claim.left[:] = left  # what large sizes take is not missing for small ones
            return verdict if verdict.refuted else None

        if not attempt.proved and run.effort.proofs:
            problem = claim.problem(attempt, small=True)
            verdict = decide(replace(problem, likely=likely) if claim.names else problem, run)
            if verdict.status in ("refuted", "vacuous"):
                return verdict
        return large()


@dataclass
class _Fitting:
    f: IndexFunction
    written: WrittenMap
    facts: Facts
    duties: tuple[Duty, ...]
    every: Machine | None
    wraps: bool
    effort: Effort
    meter: Meter
    open: tuple[Duty, ...] = ()  # what the bounds of numbers leave open ...
    doubtful: tuple[Duty, ...] = ()  # ... but for extents
    left: list[int] = field(default_factory=lambda: [0])  # points to look at
    begun: int = field(init=False)  # where the work on this claim begins

    def __post_init__(self) -> None:
        self.begun = self.meter.terms

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The sizes, with those of values that the results do not depend on: `0*int32(m)`."""
        own = {v.name for v in self.f.variables}
        paths = [c for d in self.duties for c in d.path]
        used = free_names(*paths, *[e for d in self.duties for e in d.parts])
        return tuple(dict.fromkeys([*self.f.names, *[n for n in used if n not in own]]))

    # -- proofs -----------------------------------------------------------------------------------

    def by_bounds(self) -> Attempt | None:
        """A proof by numbers that bound each value; None where one of them is left open."""
        names = ranges_of(self.f, self.facts, self.names)
        open = tuple(d for d in self.duties if not _within(d, narrower(d.path, names)))
        self.open = open
        self.doubtful = tuple(d for d in open if d.kind != "extent")
        self.left[0] = LOOKS // max(5, len(open))
        if open or self.divided:
            return None
        return Attempt(True, f"{self.text}, by bounds of their parts")

    @property
    def text(self) -> str:
        """What is proved."""
        return f"all {len(self.duties)} values stay in their types"

    @cached_property
    def divided(self) -> bool:
        """Whether an end of a range or a size of the box may have no value."""
        return any(map(needs_of, ends_of(self.f)))

    def attempt(self) -> Attempt:
        """First by numbers that bound each value, then in digits, where need be case by case."""
        known = self.by_bounds()
        if known is not None:
            return known
        if not self.effort.proofs:
            return Attempt(False, "nothing is proved here")
        by_path: dict[tuple[Condition, ...], list[Duty]] = {}
        for d in self.open:
            by_path.setdefault(d.path, []).append(d)
        try:
            if self.divided or any(d.kind == "extent" for d in self.open):
                self.defined_sizes()
            for path, duties in by_path.items():
                wider = [d for p, own in by_path.items() if {*p} < {*path} for d in own]
                before = {
                    d.question for d in wider
                }  # proved at more points than those of this path
                questions = [d for d in duties if d.kind != "extent" and d.question not in before]
                left = self.left_open(path, questions) if questions else []
                for d in left if not self.all_at_once(path, left) else ():
                    self.by_cases_or_solver(path, d)
        except Undecided as why:
            return Attempt(False, str(why))
        except Impossible:
            return Attempt(False, "the facts contradict each other")
        return Attempt(True, f"{self.text}, at the ends of every range")

    def defined_sizes(self) -> None:
        """Raises `Undecided` for an extent that is not proved to have a value >= 0."""
        world = world_of(
            self.facts, (self.f,), tuple(extents_of(self.f)), self.meter, self.effort.ones
        )
        try:
            Proof(self.meter, begun=self.begun).of(world)
        except (Undecided, LayoutError) as why:
            raise Undecided(f"that each extent is at least 0 is not proved: {why}") from None

    def left_open(
        self, path: tuple[Condition, ...], duties: list[Duty], effort: int = AT_ONCE
    ) -> list[Duty]:
        """What is not proved at the ends of the ranges, with the conditions as constraints.

        With more `effort` several conditions are used together, or the solver is asked.
        """
        question = self.question(path, duties)
        question = question.connected() if effort == AT_ONCE else question
        proved, terms = proved_at_ends(question, effort, self.effort.solver)
        self.meter.terms += terms
        return [d for d, known in zip(duties, proved) if not known]

    def all_at_once(self, path: tuple[Condition, ...], duties: list[Duty]) -> bool:
        """Whether all of them are proved in the same cases, which is less work than one by one.

        First without the conditions, under which other accesses have the same values.  Where it is
        in vain, it leaves as many terms as before for each of them.
        """
        question = self.question(path, duties)
        ways = [question._replace(path=()).connected(), question.connected(), question]
        for way in dict.fromkeys(ways) if len(duties) > 1 else ():
            proved, terms = proved_in_cases(way)
            self.meter.terms += terms
            if proved:
                return True
            self.begun += terms
        return False

    def by_cases_or_solver(self, path: tuple[Condition, ...], d: Duty) -> None:
        """Raises `Undecided`; the solver comes last, it takes longest where it does not know."""
        if not self.left_open(path, [d], IN_STEPS):
            return
        try:
            self.by_cases(path, d)
        except Undecided:
            if self.left_open(path, [d], BY_SOLVER):
                raise

    def by_cases(self, path: tuple[Condition, ...], d: Duty) -> None:
        """Raises `Undecided` with the case in which the value is not proved to lie in its type."""
        text = ""
        for k in range(len(_ends(d, [*d.parts])) if d.kind != "divisor" else 1):
            try:
                self.cases(path, d, k)
                return
            except Undecided as why:
                text = text or str(why)
        raise Undecided(f"{_questions(d)} is not proved: {text}")

    def cases(self, path: tuple[Condition, ...], d: Duty, way: int) -> None:
        """Raises `Undecided` with the case in which this way to prove it is not seen."""
        self.question(path, [d]).in_cases(self.meter, self.begun, way)

    def question(self, path: tuple[Condition, ...], duties: Sequence[Duty]) -> ValueQuestion:
        """The question whether the values are right wherever the conditions hold."""
        plain = tuple(d._replace(path=(), text="") for d in duties)
        return ValueQuestion(self.facts, self.f.variables, path, plain, self.effort.ones)

    # -- failures ---------------------------------------------------------------------------------

    def problem(self, attempt: Attempt, small: bool) -> Problem:
        """The search from point to point of small sizes, or at some points of larger ones."""
        fails = cache(lambda: failing(self.doubtful))
        walk = Walk(IndexFunction(self.f.variables, (Integer(0),)))
        box, corners = Walk(self.f), _Corners(self.f, self.duties)
        names = [v.name for v in self.f.variables]

        def search(arrays: Arrays, work: Work | None) -> Found | None:
            for n in range(length(arrays)):
                sizes = {k: int(c[n]) for k, c in arrays.items()}
                self.left[0] -= 1
                if self.left[0] < 0 and small:
                    raise Unsafe
                hit = at(sizes)
                if hit is not None:
                    return hit
            return None

        def at(sizes: dict[str, int]) -> Found | None:
            try:
                walk.independent(sizes)
                box.sizes_of_box(sizes)
                at_corners = islice(corners.of(sizes), CORNERS)
                one_by_one = (p for p, _ in walk.points(sizes, self.left))
                # without sizes there are no others: the corners first, and then all points
                first = () if small and sizes else at_corners
                places = chain(first, one_by_one if small or not sizes else ())
                for point in places:
                    env = {**sizes, **dict(zip(names, point))}
                    if fails()(env):
                        return Found(sizes, point, first=small)
            except Undefined as where:
                return Found(sizes, where.args[0] if where.args else (), kind=UNDEFINED)
            return None

        def prove(ctx: Context) -> Attempt:
            return attempt

        about = Duties(self.f, self.duties)
        return Problem(
            self.names, self.facts, prove, search, self.replay, listed=small, about=about
        )

    def replay(self, hit: Found) -> Counterexample | None:
        """The failure by the trees, in plain integers."""
        return failure_at(self.f, self.written, self.every, self.wraps, hit)


class ValueQuestion(NamedTuple):
    """What is asked of values wherever conditions hold, with all that has to do with them.

    Several accesses of a kernel ask the same of values that they share.
    """

    facts: Facts
    variables: tuple[Variable, ...]
    path: tuple[Condition, ...]
    duties: tuple[Duty, ...]
    ones: bool

    def connected(self) -> ValueQuestion:
        """The question without facts, ranges and conditions that share no name with the values.

        What these contradict is not seen there.
        """
        ranges = [(v, {v.name, *free_names(v._low, v._high)}) for v in self.variables]
        conditions = [(c, {*free_names(c)}) for c in self.path]
        known = {n for d in self.duties for n in free_names(*d.parts)}
        before: set[str] = set()
        while known != before:
            before = {*known}
            known.update(*[own for v, own in ranges if v.name in known])
            known.update(*[own for _, own in conditions if own & known])
            known.update(*[r.names for r in self.facts.relations if r.names & known])
        return self._replace(
            facts=self.facts.only(r for r in self.facts.relations if r.names & known),
            variables=tuple(v for v, _ in ranges if v.name in known),
            path=tuple(c for c, own in conditions if own & known),
        )

    def world(self, meter: Meter) -> World:
        """All points at which the values are computed."""
        results = tuple(e for d in self.duties for e in d.parts)
        f = IndexFunction(self.variables, results, None, all_of(self.path))
        return world_of(self.facts, (f,), (root_of(f),), meter, self.ones)

    def in_cases(self, meter: Meter, begun: int, way: int = 0) -> None:
        """Raises `Undecided` with the case in which one of these ways to prove them is not seen."""
        world = self.world(meter)
        (root,) = world.roots
        rest, results, ops = list(root.results), list[Expr](), list[str]()
        for d in self.duties:
            own = [rest.pop(0) for _ in d.parts]
            zero = d.kind == "divisor"
            results += goals if (goals := own if zero else _ends(d, own)[way]) else []
            ops += ["!=" if zero else ">="] * len(goals)
        values = (*root.evaluated, *root.results)
        root = replace(root, results=tuple(results), evaluated=values, ops=tuple(ops))
        try:
            Proof(meter, begun=begun).of(replace(world, roots=(root,)))
        except LayoutError as error:
            raise Undecided(error.message) from None


@lru_cache(maxsize=KEPT)
def proved_at_ends(
    question: ValueQuestion, effort: int, budget: int | None
) -> tuple[tuple[bool, ...], int]:
    """Which values are proved at the ends of the ranges, and the terms that it takes."""
    meter, duties, proved = Meter(), question.duties, set[Duty]()
    try:
        world = question.world(meter)
        questions = list(world.roots[0].results)
        values = [[questions.pop(0) for _ in d.parts] for d in duties]
        plain = [(d, v) for d, v in zip(duties, values) if not bitwise(*v)]
        ctx, polys = values_in(world, [e for _, v in plain for e in v])
    except (Undecided, LayoutError):
        return (False,) * len(duties), meter.terms
    for d, v in plain:
        ways = _ends(d, [polys.pop(0) for _ in v])
        if any(all(_holds(ctx, q, effort, budget) for q in way) for way in ways):
            proved.add(d)
    return tuple(d in proved for d in duties), meter.terms


@lru_cache(maxsize=KEPT)
def proved_in_cases(question: ValueQuestion) -> tuple[bool, int]:
    """Whether all of it is proved in the same cases, and the terms that it takes."""
    meter = Meter()
    try:
        question.in_cases(meter, 0)
    except (Undecided, LayoutError):
        return False, meter.terms
    return True, meter.terms


def ends_of(f: IndexFunction) -> list[Expr]:
    """The ends of the ranges, and the sizes of the box."""
    return [*[e for v in f.variables for e in (v._low, v._high)], *(f._box or ())]


def ranges_of(f: IndexFunction, facts: Facts, more: Iterable[str] = ()) -> dict[str, Range]:
    """The values of sizes and coordinates, as far as facts about single symbols say.

    `more` are sizes of which the map itself does not speak.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> ranges_of(read_map("map i < N, j < i + 1: j"), Facts.read("N <= 8"))["j"]
    (0, 7)
    """
    names = allowed(facts, (*f.names, *more, *facts.names))
    for v in f.variables:
        low, high = interval(v._low, names)[0], interval(v._high, names)[1]
        names[v.name] = (low, high - 1)
    return names


def _within(d: Duty, known: Mapping[str, tuple[float, float]]) -> bool:
    low, high = interval(d.value, known)
    if d.kind == "divisor":
        return low >= 1 or high <= -1
    if d.divisor is not None and interval(d.divisor, known)[0] >= 0:
        return True
    return (d.low is None or low >= d.low) and (d.high is None or high <= d.high)


def _questions(d: Duty) -> str:
    if d.kind == "divisor":
        return f"{d.text} != 0"
    return f"{d.low} <= {d.text}" + ("" if d.high is None else f" <= {d.high}")


def _ends(d: Duty, parts: list[Any]) -> list[list[Any]]:
    """Ways to prove it: each is several polynomials that are >= 0."""
    p = parts[0]
    if d.kind == "divisor":
        return [[p - 1], [-p - 1]]
    ends = [p - d.low] if d.low is not None else []
    ways = [[*ends, -p + d.high] if d.high is not None else ends]
    return [parts[1:], *ways] if d.divisor is not None else ways


def _holds(ctx: Context, p: Poly, effort: int, budget: int | None) -> bool:
    """Whether p >= 0: in digits, or by several conditions together, or by the solver."""
    if ctx.nonneg(p) or effort == AT_ONCE:
        return ctx.nonneg(p)
    if effort == IN_STEPS:
        return nonneg_in_steps(ctx, p)
    return solver.always(ctx, p, ">=", budget).status == "proved"


def narrower(path: Iterable[Condition], known: Mapping[str, Range]) -> Mapping[str, Range]:
    """The ranges of single names, where the conditions are true."""
    table = dict(known)
    for c in comparisons(path):
        if isinstance(c.left, Symbol):
            low, high = table.get(c.left.name, ALL)
            table[c.left.name] = (low, min(high, interval(c.right, table)[1] - 1))
        if isinstance(c.right, Symbol):
            low, high = table.get(c.right.name, ALL)
            table[c.right.name] = (max(low, interval(c.left, table)[0] + 1), high)
    return table


def failing(duties: Iterable[Duty]) -> Callable[[Mapping[str, int]], bool]:
    """Whether one of the values is computed at a point, and not what it has to be."""
    lines = Lines(power=power_of_two)

    def wrong(d: Duty) -> str:
        x = lines.of(d.value)
        ends = [f"{x} < {d.low}"] * (d.low is not None) + [f"{x} > {d.high}"] * (d.high is not None)
        test = f"{x} == 0" if d.kind == "divisor" else " or ".join(ends)
        return f"if {test or False}: return True"

    for d in sorted(duties, key=lambda d: bool(d.path)):  # first what is computed everywhere
        path = all_of(d.path)
        if path is None:
            lines.lines.append(wrong(d))
        else:
            lines.lines += [f"if {lines.of(path)}:", *lines.nested(partial(wrong, d))]
    lines.lines.append("return False")
    fails: Callable[[Mapping[str, int]], bool] = defined("fails(env)", lines.lines, lines.calls)

    def test(env: Mapping[str, int]) -> bool:
        try:
            return fails(env)
        except ZeroDivisionError:  # of a value that is computed
            return True

    return test


@dataclass
class _Corners:
    """Places where values of large sizes are largest: the ends of ranges, and where conditions turn."""

    f: IndexFunction
    duties: tuple[Duty, ...]

    @cached_property
    def ends(self) -> list[Runner]:
        """The ends of every variable's range."""
        return [runs(v._low, v._high) for v in self.f.variables]

    @cached_property
    def turns(self) -> list[list[Runner]]:
        """For every variable, where one of the conditions (or a divisor) turns."""
        gaps = [c.right - c.left for d in self.duties for c in comparisons(d.path)]
        gaps += [d.value for d in self.duties if d.kind == "divisor"]
        lines: list[list[Runner]] = []
        for k, v in enumerate(self.f.variables):
            x, later = symbol(v.name), {w.name for w in self.f.variables[k + 1 :]}
            hits: dict[Expr, None] = {}
            for gap in dict.fromkeys(map(expand, gaps)):
                slope = gap.coeff(x, 1)
                rest = expand(gap - slope * x)
                if slope in (1, -1) and later.isdisjoint(free_names(rest)) and not rest.has(x):
                    hits[-rest * slope] = None
            lines.append([runs(e) for e in hits])
        return lines

    @cached_property
    def steps(self) -> list[list[Expr]]:
        """For every variable the conditions on quotients and remainders of it."""
        leaves = dict.fromkeys(c for d in self.duties for c in comparisons(d.path))
        gaps = [
            c.right - c.left
            for c in leaves
            if c.left.has(FloorDiv, Mod) or c.right.has(FloorDiv, Mod)
        ]
        lines: list[list[Expr]] = []
        for k, v in enumerate(self.f.variables):
            later = {w.name for w in self.f.variables[k + 1 :]}
            own = [g for g in gaps if g.has(symbol(v.name))]
            lines.append([g for g in own if later.isdisjoint(free_names(g))])
        return lines

    def of(self, sizes: dict[str, int]) -> Iterator[tuple[int, ...]]:
        """The places, the last ones first; raises `Undefined` for a range that has no value."""
        names, many = [v.name for v in self.f.variables], len(self.ends)
        point, env = list[int](), dict(sizes)
        open = [iter(self.along(0, env, ()))] if many else []
        if not many:
            yield ()
        while open:
            k = len(open) - 1
            del point[k:]
            x = next(open[k], None)
            if x is None:
                open.pop()
                continue
            point.append(x)
            if k + 1 == many:
                yield (*point,)
                continue
            env[names[k]] = x
            for name in names[k + 1 :]:
                env.pop(name, None)
            open.append(iter(self.along(k + 1, env, (*point,))))

    def along(self, k: int, env: dict[str, int], point: tuple[int, ...]) -> list[int]:
        """The values of a variable, behind those of the variables before."""
        try:
            low, high = self.ends[k](env)
        except ZeroDivisionError:
            raise Undefined(point) from None
        if high < low:
            raise Undefined(point)
        inner = [high - 1, low]
        x = symbol(self.f.variables[k].name)
        for gap in self.steps[k]:
            for t in (*solve(gap, x, 0, env), *solve(gap, x, 1, env)):
                inner += (t - 1, t, t + 1)
        for run in self.turns[k]:
            for t in _values(run, env):
                inner += (t - 1, t, t + 1)
        if len(self.ends) <= SEVERAL:
            inner += ((low + high) // 2, low + 1)
        return [x for x in dict.fromkeys(inner) if low <= x < high]


def _values(run: Runner, env: dict[str, int]) -> list[int]:
    """The value, where it has one."""
    try:
        return [run(env)]
    except (KeyError, ZeroDivisionError):
        return []
