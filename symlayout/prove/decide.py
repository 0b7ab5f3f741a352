"""From a claim to its verdict: digits first, small sizes next, the solver for what remains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations, islice, product
from math import factorial, log, prod
from typing import Any

from symlayout.digits import solver
from symlayout.digits.assume import assume, context_of
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt, Goal
from symlayout.digits.poly import Poly
from symlayout.digits.residues import holds_in_every_case, is_finer
from symlayout.digits.simplification import coordinate_atoms
from symlayout.digits.sizes import rank, sizes_in_order, sizes_near_powers
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.reader import NAME
from symlayout.expr.terms import (
    Size,
    TooLarge,
    as_expr,
    coordinate_symbols,
    free_names,
    symbol,
    value,
)
from symlayout.expr.tree import Integer, Symbol
from symlayout.layouts.demands import Demand
from symlayout.layouts.emptiness import with_emptiness
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.notation import parse
from symlayout.prove import definedness
from symlayout.prove.corners import (
    failing_points,
    failing_sizes,
    far_sizes,
    grown_sizes,
    least_failure,
)
from symlayout.prove.fewer import Settled, try_fewer
from symlayout.prove.question import Question
from symlayout.prove.run import Effort, Run
from symlayout.prove.scope import joined, of_names
from symlayout.prove.search import (
    WHOLE,
    Arrays,
    Found,
    Search,
    Space,
    Starts,
    Unsafe,
    Work,
    as_arrays,
    length,
    products,
    sides_of,
)
from symlayout.prove.verdict import (
    Counterexample,
    Status,
    Verdict,
    may_fail,
)
from symlayout.prove.written import Written

LARGEST_PRODUCT = 1 << 22
SLICE = 1 << 16
MOST_HUGE = 4  # assignments with too many coordinates, of which some are looked at
LITTLE = 1 << 12  # coordinates that are looked at for each of many sizes
MOST_CORNERS = 27
FIRST = 3  # assignments whose coordinates are looked at however many there are ...
SOME = 1 << 22  # ... unless listing them all would take long
FIRST_POINTS = 4096  # looked at before digits are asked about sizes alone
MOST_SIGNS = 2  # facts with != of which both sides are tried
MOST_ONES = 4  # sizes of which 1 is told apart, where a dimension has one place
MOST_SPLIT = 64  # symbols that are split by small divisors
MOST_HITS = 12  # failures in digits, of which the smallest is taken


@dataclass
class Problem:
    """A claim, made ready: how to prove it, how to look for failures, how to replay one."""

    names: tuple[str, ...]
    facts: Facts
    prove: Callable[[Context], Attempt]
    search: Search
    replay: Callable[[Found], Counterexample | None]
    shape: tuple[Size, ...] = ()  # what the search enumerates for each assignment
    starts: Starts | None = None
    weight: int = 1  # what looking at one assignment costs, in points, however few it has
    listed: bool = True  # whether going through all small sizes can find anything
    demands: tuple[Demand, ...] = ()  # what must hold for the claim to be defined
    about: Any = None  # what it is made of, for those who look at it from outside
    # another way to prove it, for what no digit proves and no small size refutes
    late: Callable[[Context], Attempt] | None = None
    # the verdict of going through all places, for what is not listed though there are finitely many
    every: Callable[[], Verdict] | None = None
    # a failure at sizes that are not listed, where one is known: then no other proof is tried
    likely: Callable[[], Verdict | None] = lambda: None


def with_names(problem: Problem, written: Written) -> tuple[Problem, tuple[str, ...]]:
    """The problem, and the names of its facts and demands too, in the order of the claim's text.

    Raises `LayoutError` (SL301) for facts with names that the claim does not have.
    """
    sizes = {*problem.names, *problem.facts.names, *(n for d in problem.demands for n in d.names)}
    if any(d.coords for d in problem.demands):
        problem = replace(problem, demands=tuple(d.apart_from(sizes) for d in problem.demands))
    known = [*problem.names, *free_names(*[e for d in problem.demands for e in d.sides])]
    own = {c.name for d in problem.demands for c in d.coords}
    known = [n for n in known if n in problem.names or n not in own]
    written.check_names(problem.facts, known)
    return problem, written.order([*known, *sorted(problem.facts.names)])


def subject(problem: Problem, written: Written) -> Problem:
    """The problem with all of its names, for those who learn from it."""
    problem, names = with_names(problem, written)
    return replace(problem, names=names)


def decide(problem: Problem, run: Run) -> Verdict:
    """The verdict on a problem."""
    budget = run.effort.solver
    natural = isinstance(budget, int) and not isinstance(budget, bool) and budget >= 1
    if budget is not None and not natural:
        raise LayoutError("SL502", f"a budget is a positive number of solver steps, not {budget!r}")
    decision = _Decision(*with_names(problem, run.written), run)
    try:
        return decision.run()
    except TooLarge as error:
        return decision.verdict("unknown", f"it comes to {error.message}")
    except Settled as by_fewer:
        answer = by_fewer.verdict
        raise Settled(replace(answer, least=joined([decision.least, answer.least]))) from None


@dataclass(frozen=True)
class Asks(Question):
    """A question that is one problem, which depends on the effort."""

    problem: Callable[[Effort], Problem]

    def subjects(self, run: Run) -> list[Any]:
        """The problem."""
        return [subject(self.problem(run.effort), run.written)]

    def decided(self, run: Run) -> Verdict:
        """The problem's verdict."""
        return decide(self.problem(run.effort), run)


class NoPlace(Exception):
    """What is claimed of every place of a box is true: the box is proved to have none."""


def every_place(
    ctx: Context, coords: Sequence[Symbol], shape: Sequence[Size], nonempty: bool = True
) -> dict[Symbol, Poly]:
    """The atoms of `coordinate_atoms`, for what is claimed of every place of the box alone.

    Raises `NoPlace`, which proves the claim, where an extent is proved to be 0.
    """
    for extent in shape if nonempty else ():
        if ctx.nonneg(-ctx.poly(as_expr(extent))):
            raise NoPlace(f"the extent {extent} is 0: there is no place")
    return coordinate_atoms(ctx, coords, shape, nonempty)


class _Decision:
    def __init__(self, problem: Problem, names: tuple[str, ...], run: Run) -> None:
        self.p = problem
        self.space = Space(names, problem.facts)
        self.course = run
        self.probes = 0  # sizes looked at alone, wherever they lie ...
        self.spent = 0  # ... points looked at in order ...
        self.work = Work()  # ... and numbers that steps of formulas have been taken for
        self.effort = run.effort
        self.least = of_names(names, problem.facts)
        self.huge = 0  # assignments of which only some coordinates have been looked at
        # a failure that the definitions do not confirm: others may be behind it
        self.doubted = False
        self.listed = problem.listed  # else assignments are looked at for what is demanded alone
        self.stream = self.slices()
        self.open = definedness.Open()

    def verdict(self, status: Status, reason: str, **more: Any) -> Verdict:
        # what was claimed is for the word to say
        return Verdict(status, "", reason, least=self.least, **more)

    def run(self) -> Verdict:
        facts, names, meter = self.p.facts, self.space.names, self.course.meter
        ctx = context_of(facts, names, meter=meter)
        if ctx.contradiction:
            return self.vacuous()
        possible = self.satisfiable(ctx)
        if possible is False:
            return self.vacuous()
        self.open = definedness.open_demands(self.p.demands, facts, names, meter)
        if not self.effort.proofs:
            hit = self.probe_ends(ctx, [])
            return self.verdict("unknown", self.search_result()) if hit is None else hit
        alone = self.attempt(ctx)
        self.listed = self.p.listed or alone.proved
        attempt = self.open.joined(alone)
        if attempt.proved:
            if possible is None:
                reason = "it follows from the facts, but whether they can hold is not decided"
                return self.verdict("unknown", reason)
            return self.verdict("proved", attempt.reason, details=attempt.details)
        verdict = self.early(ctx, attempt.goals or [])
        if verdict is not None:
            return verdict
        if self.complete:
            return self.exhausted(possible)
        verdict = self.by_cases() if possible and not self.open.demands else None
        if verdict is not None:
            return verdict
        reason = attempt.reason
        few = len(self.space.names) <= MOST_SPLIT
        if attempt.goals and possible and few and is_finer(ctx, attempt.goals):
            answer = self.by_residues()
            if answer is not None and not self.open.demands:
                return answer
            if answer is not None:  # what it demands is still to be proved
                attempt = self.open.joined(Attempt(True, answer.reason))
        probing = self.effort.probes and bool(self.space.names) and not self.complete
        if probing and not self.p.listed:  # a few ends cost less than the solver
            verdict = self.probe_ends(ctx, attempt.goals or [])
            if verdict is not None:
                return verdict
        if self.p.late is not None and possible and not self.open.demands:
            later = self.p.late(ctx)
            if later.proved:
                return self.verdict("proved", later.reason, details=later.details)
        if possible and self.p.likely() is None:
            try_fewer(self.course, self.p.facts)
        if attempt.goals is not None:
            answer = self.solve(ctx, attempt.goals)
            if answer is not None and possible:
                return answer
        verdict = self.look(self.effort.more)
        if verdict is None and probing and self.p.listed and not self.complete:
            verdict = self.probe()
        if verdict is not None:
            return verdict
        if self.complete:
            return self.exhausted(possible)
        return self.verdict("unknown", f"{reason}; {self.search_result()}")

    def search_result(self) -> str:
        """What a search without a counterexample has looked at."""
        count = self.spent + self.probes
        if not count:
            return "no values were tried, as they are too large to compute with"
        return f"no counterexample among the {count} point{'s' * (count > 1)} that were tried"

    def early(self, ctx: Context, goals: list[Goal]) -> Verdict | None:
        """A failure among the first sizes, or in digits; what lies beyond those is not waited for."""
        verdict = self.look(min(FIRST_POINTS, self.effort.points))
        in_digits = cache(lambda: self.in_digits(ctx, goals))
        if verdict is None and not (self.complete or self.p.shape or self.open.demands):
            hit = in_digits()
            if hit is not None and self.beyond(hit, self.effort.points):
                return hit
        if verdict is None and not self.complete:
            verdict = self.look(self.effort.points - FIRST_POINTS)
        if verdict is None and not self.complete:
            hit = in_digits()
            first = None if hit is None else self.before(hit)
            verdict = hit if first is None else first
        if verdict is None and not self.complete and self.p.every is not None:
            listed = self.p.every()
            verdict = None if listed.status == "unknown" else listed
        return verdict

    def before(self, verdict: Verdict) -> Verdict | None:
        """The first failure, where as many points again as are listed at first may come to it."""
        points = self.effort.points
        far = self.beyond(verdict, (self.spent + points) // self.p.weight)
        return self.look(points) if self.effort.smallest and not far else None

    def beyond(self, verdict: Verdict, most: int) -> bool:
        """Whether more sizes than that many come before those of the counterexample."""
        assert verdict.counterexample is not None
        sizes = verdict.counterexample.sizes
        steps = prod(self.p.facts.domain(n).modulus for n in sizes)
        top = prod(max(1, abs(v)) for v in sizes.values()) // steps
        before = top * log(top + 1) ** (len(sizes) - 1) / factorial(max(0, len(sizes) - 1))
        return before > most

    def vacuous(self) -> Verdict:
        return self.verdict("vacuous", f"the facts contradict each other: {self.p.facts}")

    def exhausted(self, possible: bool | None) -> Verdict:
        if possible is None and not self.spent:
            return self.vacuous()  # every assignment has been listed, and none satisfied the facts
        reason = "every allowed point has been checked"
        return self.verdict("proved", reason, details={"by": "cases"})

    def satisfiable(self, ctx: Context) -> bool | None:
        """Whether some sizes satisfy the facts; None when that is not decided."""
        if not self.p.facts.loose.relations:
            return True
        if any(map(self.p.facts.holds, ctx.sampled_sizes(self.space.names))):
            return True
        known = (k for k in self.effort.known if k.keys() >= {*self.space.names})
        if any(map(self.p.facts.holds, known)):
            return True
        try:
            for after, limit in products(self.base(), self.base() * 4096):
                for _ in self.space.assignments(limit, after):
                    self.space.complete = False
                    return True
                if self.space.complete:
                    return False
        except Unsafe:
            self.space.complete = False
        if next(sizes_near_powers(self.p.facts, self.space.names), None) is not None:
            return True
        answer = solver.consistent(ctx, self.effort.solver)
        if answer.status == "model" and self.p.facts.holds(
            _assignment(answer.model, self.space.names)
        ):
            return True
        return False if answer.status == "proved" and not ctx.dropped else None

    def base(self) -> int:
        """The least product that any assignment can have."""
        return prod(self.p.facts.domain(n).magnitude for n in self.space.names)

    def attempt(self, ctx: Context) -> Attempt:
        try:
            return self.p.prove(ctx)
        except NoPlace as why:
            return Attempt(True, str(why))
        except Undecided as why:
            return Attempt(False, str(why))

    # -- counterexamples --------------------------------------------------------------------------

    @property
    def complete(self) -> bool:
        """Whether every assignment has been looked at, at all of its coordinates."""
        return self.listed and self.space.complete and not self.huge and not self.doubted

    def look(self, points: int) -> Verdict | None:
        """Searches on, in order, until about that many more points have been looked at."""
        limit = self.spent + points
        try:
            for assignment, cost in self.stream:
                if cost > WHOLE:
                    self.huge += 1
                hit = self.first(assignment, self.p.listed, self.work)
                if hit is not None:
                    return self.refuted(hit, smallest=hit.first and self.huge < 2)
                self.spent += min(cost, WHOLE)
                if self.huge == MOST_HUGE:
                    raise Unsafe
                if self.spent > limit or self.work.numbers > self.effort.work:
                    return None
        except Unsafe:
            self.space.complete = False
            self.stream = iter(())
        return None

    def first(self, arrays: Arrays, claim: bool = True, work: Work | None = None) -> Found | None:
        """The first assignment at which something is undefined, or the claim (if meant) false."""
        undefined = self.open.first(arrays, work) if self.open.demands else None
        if undefined is not None:
            if not arrays:
                return undefined
            arrays = definedness.before(arrays, undefined)
        hit = self.p.search(arrays, work) if claim and length(arrays) else None
        return undefined if hit is None else hit

    def slices(self) -> Iterator[tuple[Arrays, int]]:
        """All assignments in order, a few at a time, with the number of points of each slice."""
        import numpy as np

        base = self.base()
        if not (self.p.listed or self.open.demands):
            return
        for after, limit in products(base, base * LARGEST_PRODUCT):
            for assignment in self.space.assignments(limit, after, self.work):
                complete, self.space.complete = self.space.complete, False
                volume = np.maximum(self.volumes(assignment, self.work), self.p.weight)
                start = 0
                while start < len(volume):
                    reach = np.cumsum(volume[start:])
                    stop = start + max(1, int(np.searchsorted(reach, SLICE, side="right")))
                    part = {n: c[start:stop] for n, c in assignment.items()}
                    yield part, int(volume[start:stop].sum())
                    start = stop
                self.space.complete = complete
            if self.space.complete:
                return

    def volumes(self, arrays: Arrays, work: Work | None = None) -> Any:
        """How many points each assignment has, those at which demands are looked at included."""
        volume = sides_of(arrays, self.space.names, self.p.shape, self.p.starts, work)[2]
        for box in {d.box for d in self.open.demands if d.coords}:
            volume = volume + sides_of(arrays, self.space.names, box, work=work)[2]
        return volume

    def refuted(self, hit: Found, smallest: bool) -> Verdict | None:
        with suppress(TooLarge):
            return self.confirmed(hit, smallest)
        self.doubted = True
        return None

    def confirmed(self, hit: Found, smallest: bool) -> Verdict | None:
        """The refutation, where the definitions confirm it."""
        sizes = {n: hit.sizes[n] for n in self.space.names}
        if not self.p.facts.holds(sizes):
            return None
        example = definedness.explain(self.open.demands, hit)
        if example is None and hit.kind != definedness.UNDEFINED:
            example = self.p.replay(hit)
        if example is None:
            self.doubted = True
            return None
        reason = example.note or f"{example.left} is not {example.right}"
        if not smallest:
            reason += may_fail(sizes)
        return self.verdict("refuted", reason, counterexample=example)

    def probe(self) -> Verdict | None:
        """The least sizes, however many places they have; larger ones, at powers of two."""
        first = FIRST if self.p.listed else 0
        for k, sizes in enumerate(islice(sizes_in_order(self.p.facts, self.space.names), first)):
            with suppress(Unsafe, OverflowError):
                if not SOME < self.volumes(as_arrays(sizes))[0] <= WHOLE:
                    hit = self.p.search(as_arrays(sizes), None)
                    if hit is not None:
                        return self.refuted(hit, smallest=hit.first and k == 0)
        seen: set[tuple[int, ...]] = set()
        left = self.effort.probed // (1 + len(self.space.names) + len(self.p.shape))
        for exponents in self.growths():
            left -= 1
            if left < 0:
                break
            sizes = {n: self.near(n, 2**k) for n, k in zip(self.space.names, exponents)}
            if (row := tuple(sizes.values())) in seen:
                continue
            seen.add(row)
            hit = self.at(sizes)
            if hit is not None:
                return self.refuted(self.shrink(hit), smallest=False)
        far = far_sizes(self.p.facts, self.space.names)
        hits = (self.at(sizes) for sizes in far if tuple(sizes.values()) not in seen)
        hit = next((h for h in hits if h is not None), None)
        return None if hit is None else self.refuted(self.shrink(hit), smallest=False)

    def growths(self) -> Iterator[tuple[int, ...]]:
        """Exponents of sizes: one of them or all grow, a few are the greatest that facts allow, then
        all with one of them behind the others.
        """
        rank = len(self.space.names)
        steps = range(1, 24) if self.p.listed else (*range(1, 72), *range(72, 1032, 32))
        if not self.effort.proofs:
            yield from self.ends()
        for k in steps:
            yield from (tuple(k * (n == m) for n in range(rank)) for m in range(rank))
            yield (k,) * rank
        yield from self.ends()
        for k in steps if rank > 1 else ():
            for m, less in product(range(rank), (1, 2)):
                yield tuple(max(0, k - less * (n == m)) for n in range(rank))

    def ends(self) -> Iterator[tuple[int, ...]]:
        """Exponents of which a few are the greatest that facts allow."""
        highs = [self.p.facts.domain(n).high for n in self.space.names]
        bounded = [n for n, high in enumerate(highs) if high is not None]
        for some in chain.from_iterable(combinations(bounded, k) for k in (1, 2, 3)):
            exponents = enumerate(highs)
            yield tuple((high or 0).bit_length() if n in some else 0 for n, high in exponents)

    def probe_ends(self, ctx: Context, goals: list[Goal]) -> Verdict | None:
        """The same, then sizes as the facts tie them: `M == N + 1` holds at no two powers of two."""
        verdict = self.probe()
        if verdict is not None:
            return verdict
        points = chain(
            failing_sizes(ctx, goals, self.space.names, self.effort.corners),
            grown_sizes(ctx, self.space.names),
        )
        left = self.effort.probed // (1 + len(self.space.names)) // 8
        for sizes in islice(points, left):
            hit = self.at(sizes)
            if hit is not None:
                return self.refuted(self.shrink(hit), smallest=False)
        return None

    def near(self, name: str, target: int) -> int:
        d = self.p.facts.domain(name)
        up = d.first + -(-max(target - d.first, 0) // d.modulus) * d.modulus
        return up if d.last is None else min(up, d.last)

    def at(self, sizes: dict[str, int]) -> Found | None:
        """A failure at those sizes, where it is soon found: among all coordinates, or at corners."""
        with suppress(TooLarge):
            return self.failure_at(sizes)
        return None

    def failure_at(self, sizes: dict[str, int]) -> Found | None:
        """The same; raises `TooLarge` for values that nobody computes."""
        if not self.p.facts.holds(sizes):
            return None
        self.probes += 1
        if definedness.broken(self.open.demands, sizes):
            return Found(sizes, (), kind=definedness.UNDEFINED)
        if not self.p.listed:
            return self.p.search({n: [v] for n, v in sizes.items()}, None)
        with suppress(Unsafe, OverflowError):
            if self.volumes(as_arrays(sizes))[0] <= LITTLE:
                return self.first(as_arrays(sizes))
        shape = [value(d, sizes) for d in self.p.shape]
        ends = product(*[dict.fromkeys((d - 1, 0, min(1, d - 1))) for d in shape])
        corners = ends if all(d > 0 for d in shape) else [()]  # without a place: the sizes alone
        places = (Found(sizes, c, first=False) for c in islice(corners, MOST_CORNERS))
        return next((f for f in places if self.p.replay(f) is not None), None)

    def in_digits(self, ctx: Context, goals: list[Goal]) -> Verdict | None:
        """The first of the points where the digits fail, and where smaller sizes are at hand, these."""
        hits: list[Found] = []
        most = self.effort.corners
        whole = not (self.p.shape or self.open.demands)
        all_of_them = least_failure(ctx, goals, self.space.names) if whole else None
        if all_of_them is not None:
            least = min(all_of_them, key=self.rank, default=None)
            return None if least is None else self.refuted(least, smallest=True)
        for where, goal in self.open.goals or ():
            hit = next(failing_points(where, [goal], self.space.names, most), None)
            if hit is not None:
                hit = Found(hit.sizes, (), kind=definedness.UNDEFINED)
                hits += [hit] if self.refuted(hit, False) is not None else []
        rank = len(self.p.shape)
        boxed = any(len(box) == rank for box in ctx.boxes or [()])  # else no point is of the claim
        for hit in failing_points(ctx, goals, self.space.names, most) if boxed else ():
            if len(hit.coords) == rank and self.refuted(hit, False) is not None:
                hits.append(hit)
                if len(hits) == MOST_HITS or not self.effort.smallest:
                    break
        if not hits:
            return None
        best = min(hits, key=self.rank)
        return self.refuted(self.shrink(best) if self.effort.smallest else best, smallest=False)

    def rank(self, hit: Found) -> tuple[Any, ...]:
        """Where a failure stands in the order of counterexamples."""
        sizes = [hit.sizes[n] for n in self.space.names]
        return *rank(sizes), hit.coords

    def shrink(self, hit: Found) -> Found:
        """Halves the distance of each size to its least value for as long as the claim fails."""
        for _ in range(3):
            before = hit.sizes
            for name in self.space.names:
                low, high = self.p.facts.domain(name).first, hit.sizes[name]
                while low < high:
                    middle = self.near(name, (low + high) // 2)
                    if middle >= high:
                        break
                    smaller = self.at({**hit.sizes, name: middle})
                    if smaller is None:
                        low = middle + 1
                    else:
                        hit, high = smaller, middle
            if hit.sizes == before:
                break  # the next round would ask the same
        return hit

    def by_cases(self) -> Verdict | None:
        """What is proved with more than the facts say at once, or with what they say in another way."""
        if self.by_signs():
            return self.verdict("proved", "it holds on either side of what the facts let not be 0")
        if self.by_ends():
            return self.verdict("proved", "it holds where sizes end at those that they are tied to")
        alone_size = self.by_ones() if self.effort.ones else None
        if alone_size is not None:
            message = f"it holds where {alone_size} is 1, and where it is more"
            return self.verdict("proved", message)
        return None

    def by_signs(self) -> bool:
        """Whether it is proved for either sign of what `!=` facts compare."""
        unequal = [r for r in self.p.facts.relations if r.op == "!=" and r.names]
        unequal = sorted(unequal, key=lambda r: -len(r.names))[:MOST_SIGNS]
        if not unequal:
            return False
        for ops in product("<>", repeat=len(unequal)):
            more = [Relation(op, r.left, r.right) for op, r in zip(ops, unequal)]
            ctx = self.under(more)
            if not ctx.contradiction and not self.attempt(ctx).proved:
                return False
        return True

    def under(self, more: Sequence[Relation]) -> Context:
        """What is known of the sizes where more holds."""
        facts = self.p.facts.and_(more)
        return context_of(facts, self.space.names, meter=self.course.meter)

    def by_ends(self) -> bool:
        """Whether it is proved with `M <= K` as an end of M, where K ends at a number.

        Products of them are bounded so; as `K = M + slack`, which comes first, differences are.
        """
        ctx = Context(self.course.meter)
        ctx.ends = True
        assume(ctx, self.p.facts, self.space.names, {})
        return ctx.tied and not ctx.contradiction and self.attempt(ctx).proved

    def by_ones(self) -> str | None:
        """A size of which it is proved that it holds where that is 1, and where it is more."""
        for n in self.single[:MOST_ONES]:
            sides = (Relation(op, symbol(n), Integer(1)) for op in ("==", ">"))
            contexts = (self.under([r]) for r in sides)
            if all(ctx.contradiction or self.attempt(ctx).proved for ctx in contexts):
                return n
        return None

    @property
    def single(self) -> list[str]:
        """The sizes of dimensions that may be 1: a stride along one place is none."""
        sizes = dict.fromkeys(n for d in self.p.shape for n in free_names(as_expr(d)))
        return [n for n in sizes if self.p.facts.domain(n).first == 1]

    def by_residues(self) -> Verdict | None:
        """Once more, with symbols split by small divisors, and extremes told by differences.

        What is left is looked at case by case.
        """
        ctx = Context(self.course.meter)
        ctx.residues = ctx.differences = True
        assume(ctx, self.p.facts, self.space.names, {})
        attempt = self.attempt(ctx)
        if attempt.proved:
            return self.verdict("proved", attempt.reason, details=attempt.details)
        goals = attempt.goals or []
        if not goals or not all(holds_in_every_case(ctx, p, kind) for p, kind in goals):
            return None
        return self.verdict("proved", "it holds for every remainder of the small divisors")

    # -- the solver -------------------------------------------------------------------------------

    def solve(self, ctx: Context, goals: list[Goal]) -> Verdict | None:
        obligations = []
        questions = [*(self.open.goals or ()), *((ctx, g) for g in goals)]
        for where, (goal, kind) in questions:
            answer = solver.always(where, goal, kind, self.effort.solver)
            if answer.status == "proved":
                obligations.append(answer.obligation)
                continue
            if answer.status == "model":
                sizes = _assignment(answer.model, self.space.names)
                if all(v < 2**31 for v in sizes.values()):
                    hit = self.at(sizes)
                    if hit is not None:
                        first = self.look(self.effort.more)
                        return first if first is not None else self.refuted(self.shrink(hit), False)
            return None
        conditions = f"{len(questions)} side condition{'s' * (len(questions) > 1)}"
        reason = f"Z3 proves the {conditions} that the digits leave"
        return self.verdict("proved", reason, details={"obligations": obligations})


def _assignment(model: dict[str, int], names: tuple[str, ...]) -> dict[str, int]:
    return {n: model.get(n, 1) for n in names}


# -- what the claims share --------------------------------------------


def as_map(argument: Any, claim: str = "a claim", where: Any = ()) -> IndexMap:
    """The index map of a layout, a text or an index map; operations are asked for under the facts."""
    if isinstance(argument, IndexMap):
        return argument
    layout = parse(argument) if isinstance(argument, str) else argument
    if not hasattr(layout, "index_map"):
        raise LayoutError("SL502", f"{claim} speaks of layouts, and {argument!r} is none")
    if hasattr(layout, "under"):
        layout = layout.under(where)
    result = layout.index_map()
    assert isinstance(result, IndexMap)
    return in_order_of(argument, result) if isinstance(argument, str) else result


def in_order_of(text: str, m: IndexMap) -> IndexMap:
    """The map with its sizes in the order in which the text writes them, not SymPy's by name."""
    place: dict[str, int] = {}
    for word in NAME.findall(text):
        place.setdefault(word, len(place))
    order = tuple(sorted(m.symbols, key=lambda n: place.get(n, len(place))))
    return m if order == m.symbols else replace(m, symbols=order)


def claim_facts(where: Any, *maps: IndexMap) -> Facts:
    """The facts, with the least values that the maps' own symbols carry."""
    return Facts.read(where).at_least(pair for m in maps for pair in m.least)


def claim_maps(word: str, where: Any, *layouts: Any) -> tuple[Facts, list[IndexMap]]:
    """The facts of a claim and its maps, whose sizes are 0 wherever these let a buffer be empty."""
    maps = [as_map(g, word, where) for g in layouts]
    facts = claim_facts(where, *maps)
    return facts, [with_emptiness(m, facts) for m in maps]


def shared_coords(rank: int, facts: Facts, *maps: IndexMap) -> tuple[Symbol, ...]:
    """Coordinate symbols that no size of the maps or of the facts is called by."""
    return coordinate_symbols(rank, {*facts.names, *(n for m in maps for n in m.symbols)})


def offset_at(m: IndexMap, coords: tuple[int, ...], sizes: dict[str, int]) -> int | str:
    """The offset in plain Python integers, by the notation's definition where it has one."""
    try:
        if m.reference is not None:
            return int(m.reference(coords, sizes))
        env = {**sizes, **{c.name: v for c, v in zip(m._coords, coords)}}
        return value(as_expr(m._raw), env)
    except TooLarge:
        raise
    except LayoutError as error:
        return f"undefined: {error.message}"


def size_at(e: Size, sizes: dict[str, int]) -> int | str:
    """The value in plain Python integers, or why there is none."""
    try:
        return value(e, sizes)
    except LayoutError as error:
        if error.code != "SL202":
            raise
        return f"undefined: {error.message}"


def polynomials(ctx: Context, pairs: list[tuple[Any, dict[Symbol, Poly]]]) -> list[Poly]:
    """The expressions' polynomials, all with the digits that any of them has made."""
    for _ in range(3):
        before = len(ctx.replaced)
        polys = [ctx.poly(e, env) for e, env in pairs]
        if len(ctx.replaced) == before or not ctx.has_opaque:
            break  # only a quotient atom can look different once more is split
        ctx.forget()
    return [ctx.resolve(p) for p in polys]


def all_names(*parts: Any) -> tuple[str, ...]:
    """Symbols in the order of first appearance."""
    return tuple(free_names(*[as_expr(p) if not isinstance(p, str) else Integer(0) for p in parts]))


def map_names(*maps: IndexMap) -> tuple[str, ...]:
    """The maps' sizes in the order of first appearance."""
    return tuple(dict.fromkeys(n for m in maps for n in m.symbols))
