"""`fits` of maps: every value that the expression as written computes lies in its type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

from sympy import Expr, Integer, Symbol, expand

from symlayout.digits import solver
from symlayout.digits.bounds import Meter
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.digits.poly import Poly
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less
from symlayout.expr.facts import Facts
from symlayout.expr.machine import Machine
from symlayout.expr.terms import Operation, free_names, symbol
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.values import Duty, Types, Values, extents_asked
from symlayout.layouts.maps.written import WrittenMap, written_map
from symlayout.prove.decide import Problem, decide, polynomials
from symlayout.prove.maps.cases import Impossible, World, inside
from symlayout.prove.maps.claims import facts_of, root_of, world_of
from symlayout.prove.maps.goals import Proof
from symlayout.prove.maps.intervals import ALL, Range, interval, ranges_of
from symlayout.prove.maps.replay import failure_at
from symlayout.prove.maps.walk import UNDEFINED, Run, Undefined, Walk, runner, tester
from symlayout.prove.search import Arrays, Found, Unsafe, length
from symlayout.prove.subject import Duties
from symlayout.prove.verdict import Counterexample, Verdict

LOOKS = 100_000  # at values of points, one by one
CORNERS = 256  # of one assignment of large sizes
SEVERAL = 3  # variables of which places between the ends are looked at as well


def fits_as_written(
    f: IndexFunction,
    bits: int | None,
    where: Any,
    wraps: bool,
    types: Mapping[str, Machine],
    budget: int | None,
) -> Verdict:
    """The verdict of `fits` on a map."""
    facts = facts_of(where, f)
    unknown = types.keys() - {*f.names, *[v.name for v in f.variables]}
    if unknown:
        raise LayoutError("SL502", f"a type for {min(unknown)!r}, which is no size or coordinate")
    written = written_map(f)
    every = None if bits is None else Machine(bits)
    duties = [*extents_asked(f), *Values(f, Types(types, every, wraps)).of(written)]
    claim = _Fitting(f, written, facts, tuple(dict.fromkeys(duties)), Types(types, every, wraps))
    attempt = claim.attempt()
    if not attempt.proved:
        verdict = decide(claim.problem(attempt, small=True), budget)
        if verdict.status in ("refuted", "vacuous"):
            return verdict
    return decide(claim.problem(attempt, small=False), budget)


@dataclass
class _Fitting:
    f: IndexFunction
    written: WrittenMap
    facts: Facts
    duties: tuple[Duty, ...]
    types: Types
    doubtful: tuple[Duty, ...] = ()  # what the bounds of numbers leave open
    left: list[int] = field(default_factory=lambda: [0])  # points to look at
    begun: int = field(default_factory=lambda: Meter.terms)  # where the work on this claim begins

    # -- proofs -----------------------------------------------------------------------------------

    def attempt(self) -> Attempt:
        """First by numbers that bound each value, then in digits, where need be case by case."""
        known = ranges_of(self.f, self.facts)
        open = [d for d in self.duties if not _within(d, narrowed(d.path, known))]
        self.doubtful = tuple(d for d in open if d.kind != "extent")
        self.left[0] = LOOKS // max(5, len(open))
        said = f"all {len(self.duties)} values stay in their types"
        if not open:
            return Attempt(True, f"{said}, by bounds of their parts")
        by_path: dict[tuple[Condition, ...], list[Duty]] = {}
        for d in open:
            by_path.setdefault(d.path, []).append(d)
        try:
            self.defined_sizes([d for d in open if d.kind == "extent"])
            for path, duties in by_path.items():
                asked = [d for d in duties if d.kind != "extent"]
                for d in self.left_open(path, asked) if asked else ():
                    self.by_cases_or_solver(path, d)
        except Undecided as why:
            return Attempt(False, str(why))
        except Impossible:
            return Attempt(False, "the facts contradict each other")
        return Attempt(True, f"{said}, at the ends of every range")

    def defined_sizes(self, duties: list[Duty]) -> None:
        """Raises `Undecided` for an extent that is not proved to be >= 0."""
        if duties:
            ctx = self.world((), []).context()
            for d in duties:
                if not ctx.nonneg(ctx.poly(d.value)):
                    raise Undecided(f"{_asked(d)} is not proved")

    def left_open(
        self, path: tuple[Condition, ...], duties: list[Duty], last: bool = False
    ) -> list[Duty]:
        """What is not proved at the ends of the ranges, with the conditions as constraints.

        With `last` the solver is asked as well.
        """
        try:
            world = self.world(path, duties)
            (case,) = world.roots
            ctx = world.context()
            env = inside(ctx, case.coords, case.shape)
            held = [c for c in _conjuncts(case.guard) if not _bitwise(c.left, c.right)]
            asked = list(case.results)
            values = [[asked.pop(0) for _ in d.parts] for d in duties]
            plain = [(d, v) for d, v in zip(duties, values) if not _bitwise(*v)]
            sides = [e for c in held for e in (c.right, c.left)]
            made = polynomials(ctx, [(e, env) for e in [*sides, *[e for _, v in plain for e in v]]])
        except (Undecided, LayoutError):
            return duties
        for _ in held:
            ctx.constraints.append(ctx.resolve(made.pop(0) - made.pop(0) - 1))
        proved = set()
        for d, v in plain:
            ways = _ends(d, [made.pop(0) for _ in v])
            if any(all(_holds(ctx, q, last) for q in way) for way in ways):
                proved.add(d)
        return [d for d in duties if d not in proved]

    def by_cases_or_solver(self, path: tuple[Condition, ...], d: Duty) -> None:
        """Raises `Undecided`; the solver comes last, it takes longest where it does not know."""
        try:
            self.by_cases(path, d)
        except Undecided:
            if self.left_open(path, [d], last=True):
                raise

    def by_cases(self, path: tuple[Condition, ...], d: Duty) -> None:
        """Raises `Undecided` with the case in which the value is not proved to lie in its type."""
        said = ""
        parts = list(self.world(path, [d]).roots[0].results)
        zero = d.kind == "divisor"
        for way in [parts] if zero else _ends(d, parts):
            world = self.world(path, [d])
            (root,) = world.roots
            values = (*root.evaluated, *root.results)
            ops = ("!=" if zero else ">=",) * len(way)
            root = replace(root, results=tuple(way), evaluated=values, ops=ops)
            try:
                Proof(begun=self.begun).of(replace(world, roots=(root,)))
                return
            except (Undecided, LayoutError) as why:
                said = said or str(why)
        raise Undecided(f"{_asked(d)} is not proved: {said}")

    def world(self, path: tuple[Condition, ...], duties: list[Duty]) -> World:
        """All points at which the values are computed."""
        guard: Condition | None = None
        for c in path:
            guard = c if guard is None else Both(guard, c)
        results = tuple(e for d in duties for e in d.parts)
        f = IndexFunction(self.f.variables, results, None, guard)
        return world_of(self.facts, (f,), (root_of(f),))

    # -- failures ---------------------------------------------------------------------------------

    def problem(self, attempt: Attempt, small: bool) -> Problem:
        """The search from point to point of small sizes, or at some points of larger ones."""
        tests = [(_test(d.path), runner(d.value), d) for d in self.doubtful]
        walk = Walk(IndexFunction(self.f.variables, (Integer(0),)))
        box, corners = Walk(self.f), _Corners(self.f, self.duties)

        def search(chosen: Arrays) -> Found | None:
            for n in range(length(chosen)):
                sizes = {k: int(c[n]) for k, c in chosen.items()}
                self.left[0] -= 1
                if self.left[0] < 0 and small:
                    raise Unsafe
                found = at(sizes)
                if found is not None:
                    return found
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
                    env = {**sizes, **{v.name: x for v, x in zip(self.f.variables, point)}}
                    if any(_fails(t, env) for t in tests):
                        return Found(sizes, point, first=small)
            except Undefined as where:
                return Found(sizes, where.args[0] if where.args else (), kind=UNDEFINED)
            return None

        def prove(ctx: Context) -> Attempt:
            return attempt

        about = Duties(self.f, self.duties)
        return Problem(
            self.f.names, self.facts, prove, search, self.replay, listed=small, about=about
        )

    def replay(self, found: Found) -> Counterexample | None:
        """The failure by the trees, in plain integers."""
        return failure_at(self.f, self.written, self.types, found)


def _within(d: Duty, known: Mapping[str, tuple[float, float]]) -> bool:
    low, high = interval(d.value, known)
    if d.kind == "divisor":
        return low >= 1 or high <= -1
    if d.divisor is not None and interval(d.divisor, known)[0] >= 0:
        return True
    return (d.low is None or low >= d.low) and (d.high is None or high <= d.high)


def _asked(d: Duty) -> str:
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


def _holds(ctx: Context, p: Poly, last: bool) -> bool:
    """Whether p >= 0: in digits, or by the solver."""
    return ctx.nonneg(p) or (last and solver.always(ctx, p, ">=").status == "proved")


def _conjuncts(path: Iterable[Condition]) -> list[Less]:
    """The comparisons that are true wherever all of the conditions are."""
    made: list[Less] = []
    for c in path:
        if isinstance(c, Less):
            made.append(c)
        elif isinstance(c, Both):
            made += _conjuncts((c.first, c.second))
    return made


def _bitwise(*parts: Expr) -> bool:
    return any(e.has(Operation) for e in parts)


def narrowed(path: Iterable[Condition], known: Mapping[str, Range]) -> Mapping[str, Range]:
    """The ranges of single names, where the conditions are true."""
    made = dict(known)
    for c in _conjuncts(path):
        if isinstance(c.left, Symbol):
            low, high = made.get(c.left.name, ALL)
            made[c.left.name] = (low, min(high, interval(c.right, made)[1] - 1))
        if isinstance(c.right, Symbol):
            low, high = made.get(c.right.name, ALL)
            made[c.right.name] = (max(low, interval(c.left, made)[0] + 1), high)
    return made


def _test(path: tuple[Condition, ...]) -> Any:
    parts = [tester(c) for c in path]
    return lambda env: all(p(env) for p in parts)


def _fails(test: Any, env: dict[str, int]) -> bool:
    """Whether the value is computed, and not what it has to be."""
    path, run, d = test
    try:
        if not path(env):
            return False
        x = run(env)
    except ZeroDivisionError:
        return True
    if d.kind == "divisor":
        return bool(x == 0)
    return bool((d.low is not None and x < d.low) or (d.high is not None and x > d.high))


@dataclass
class _Corners:
    """Places where values of large sizes are largest: the ends of ranges, and where conditions turn."""

    f: IndexFunction
    duties: tuple[Duty, ...]

    @cached_property
    def ends(self) -> list[tuple[Run, Run]]:
        """The ends of every variable's range."""
        return [(runner(v.low), runner(v.high)) for v in self.f.variables]

    @cached_property
    def turns(self) -> list[list[Run]]:
        """For every variable, where one of the conditions (or a divisor) turns."""
        gaps = [c.right - c.left for d in self.duties for c in _conjuncts(d.path)]
        gaps += [d.value for d in self.duties if d.kind == "divisor"]
        made: list[list[Run]] = []
        for k, v in enumerate(self.f.variables):
            x, later = symbol(v.name), {w.name for w in self.f.variables[k + 1 :]}
            found: dict[Expr, None] = {}
            for gap in dict.fromkeys(map(expand, gaps)):
                slope = gap.coeff(x, 1)
                rest = expand(gap - slope * x)
                if slope in (1, -1) and later.isdisjoint(free_names(rest)) and not rest.has(x):
                    found[-rest * slope] = None
            made.append([runner(e) for e in found])
        return made

    def of(self, env: dict[str, int], point: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
        """The places, the last ones first; raises `Undefined` for a range that has no value."""
        k = len(point)
        if k == len(self.ends):
            yield point
            return
        try:
            low, high = (run(env) for run in self.ends[k])
        except ZeroDivisionError:
            raise Undefined(point) from None
        if high < low:
            raise Undefined(point)
        inner = [t + d for run in self.turns[k] for t in _values(run, env) for d in (-1, 0, 1)]
        if len(self.ends) <= SEVERAL:
            inner += [(low + high) // 2, low + 1]
        for x in dict.fromkeys([high - 1, low, *inner]):
            if low <= x < high:
                yield from self.of({**env, self.f.variables[k].name: x}, (*point, x))


def _values(run: Run, env: dict[str, int]) -> list[int]:
    """The value, where it has one."""
    try:
        return [run(env)]
    except (KeyError, ZeroDivisionError):
        return []
