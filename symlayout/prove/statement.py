"""One statement for each claim: a box of coordinates, and what must hold at every place of it.

A statement is proved in digits, searched over arrays, and replayed in plain integers, where an offset
comes from its notation's own definition: three readings of the same goals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from operator import call
from typing import Any, NamedTuple

from symlayout.digits.bounds import Meter, nonzero
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.digits.poly import ZERO, Poly
from symlayout.errors import LayoutError
from symlayout.expr.conditions import comparison
from symlayout.expr.facts import COMPARE, SIDES, Facts
from symlayout.expr.needs import marks_of
from symlayout.expr.plain import function
from symlayout.expr.terms import BITS, Max, Min, Size, Where, as_expr, put, rebuild, value
from symlayout.expr.tree import Expr, Symbol
from symlayout.layouts.demands import Demand
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.decide import (
    Problem,
    decide,
    every_place,
    offset_at,
    polynomials,
    size_at,
    subject,
)
from symlayout.prove.image import Image, any_of, first_of
from symlayout.prove.maps.bits import arithmetic
from symlayout.prove.question import Question
from symlayout.prove.run import USUAL, Effort, Run, Strategy
from symlayout.prove.search import (
    Arrays,
    Found,
    Numeric,
    Search,
    Starts,
    Work,
    environment,
    first_failing,
    length,
)
from symlayout.prove.verdict import Counterexample, Verdict, may_fail
from symlayout.text.once import cached_property

MULTIPLE = "%"  # the left side is a multiple of the right one, which is not 0
# how a goal is said to be proved, and not to be
SAID = {
    "==": ("in digits both sides are {right}", "in digits the difference is {rest}"),
    "!=": ("{rest} is never 0", "{rest} != 0 is not proved"),
    ">=": ("{rest} >= 0 at the ends of every range", "{rest} >= 0 is not proved"),
    MULTIPLE: ("every remainder is 0", "the remainder {rest} is not proved 0"),
}
Plain = Mapping[str, Any]


class Goal(NamedTuple):
    """`left op right`; sides are expressions of sizes, coordinates and offsets (`let`).

    `note` tells a failure, `proof` and `doubt` what the digits say; in braces are `goal`, `left`,
    `right`, `place` or `rest`, and offsets by name.  `display` are the two values of a counterexample,
    where they are not the sides; `other` is an offset whose place it has as well.
    """

    left: Size
    op: str
    right: Size
    note: str | Callable[[Plain], str] = ""
    display: tuple[Any, Any] | None = None
    proof: str | None = None
    doubt: str | None = None
    other: str | None = None

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"

    @property
    def sides(self) -> tuple[Size, Size]:
        """Both sides."""
        return self.left, self.right


@dataclass(frozen=True)
class Offset:
    """The offset of a map at a place, whose coordinates are expressions."""

    map: IndexMap
    place: Sequence[Any]

    @cached_property
    def definition(self) -> Expr:
        """The map's expression at the place."""
        table = {s: as_expr(c) for s, c in zip(self.map._coords, self.place)}
        return put(as_expr(self.map._raw), table)


class Reached(NamedTuple):
    """An offset in plain integers, and where; "undefined: ..." where it has no value."""

    place: tuple[int, ...]
    value: int | str

    def __str__(self) -> str:
        return str(self.value)


Comparison = Callable[[Any, Any], Any]


@cache
def let(name: str) -> Symbol:
    """The symbol that stands for an offset in goals; no text can name it."""
    return Symbol(f"${name}")


@dataclass(frozen=True)
class Statement(Question):
    """For all sizes that satisfy the facts: `sizes` hold, and `goals` wherever `premises` do.

    `images` speak of the offsets of all places together; a strategy proves what they say.
    """

    names: tuple[str, ...]
    facts: Facts
    goals: Sequence[Goal] = ()
    sizes: Sequence[Goal] = ()
    coords: tuple[Symbol, ...] = ()
    shape: tuple[Size, ...] = ()
    offsets: Mapping[str, Offset] = field(default_factory=dict)
    premises: Sequence[Goal] = ()
    demands: tuple[Demand, ...] = ()
    hollow: tuple[Size, ...] = ()  # where one of them is 0, the goals say nothing
    images: Sequence[Image] = ()
    weight: int = 1  # what looking at one assignment costs, in points
    starts: Starts | None = None
    ends: bool = False  # only the first and the last place can be the first to fail
    # another way to prove it, and what is said beside a proof
    strategy: Strategy | None = None
    late: Strategy | None = None  # one for what no small size refutes
    report: Callable[[Context], tuple[str, dict[str, Any]]] | None = None
    about: Any = None  # what it is made of, where that is more than the statement itself

    def subjects(self, run: Run) -> list[Any]:
        """The statement as a problem."""
        return [subject(self.problem(run.effort), run.written)]

    def decided(self, run: Run | None = None) -> Verdict:
        """The verdict; of finitely many places all are looked at where ends do not decide it."""
        run = run or Run()
        problem = self.problem(run.effort)
        if self.ends and self.finite:
            listed = Attempt(False, "it is for the list")
            left = replace(self, ends=False, strategy=lambda ctx, effort: listed)
            problem.every = partial(left.decided, run)
        verdict = decide(problem, run)
        example = verdict.counterexample
        if not self.ends or example is None or example.left != "undefined":
            return verdict
        first = replace(self, ends=False).decided(run)  # a goal may fail before, at any place
        if first.status == "refuted":
            return first
        text = verdict.reason.removesuffix(may_fail(example.sizes)) + may_fail(example.sizes)
        return replace(verdict, reason=text)

    @property
    def finite(self) -> bool:
        """Whether the facts bound every size from above."""
        return all(self.facts.domain(n).last is not None for n in self.known)

    def problem(self, effort: Effort = USUAL) -> Problem:
        """The statement as what is proved, searched and replayed."""
        prove = self.strategy or self.in_digits
        return Problem(
            self.names,
            self.facts,
            lambda ctx: prove(ctx, effort),
            self.at_ends if self.ends else self.search,
            self.replay,
            shape=() if self.ends else self.shape,
            starts=self.starts,
            weight=self.weight,
            listed=not self.ends,
            demands=self.demands,
            about=self.about or self,
            late=lambda ctx: self.later(ctx, effort),
        )

    def later(self, ctx: Context, effort: Effort) -> Attempt:
        """What is tried once the first sizes do not refute it."""
        attempt = self.of_extremes(effort, ctx.meter)
        late = self.late if effort.fewer else None  # it leaves facts out itself
        return attempt if attempt.proved or late is None else late(ctx, effort)

    def of_extremes(self, effort: Effort, meter: Meter) -> Attempt:
        """In cases, if the goals have a minimum or a maximum, of which a case has one side, or bits.

        A strategy has tried the cases of bits itself.
        """
        kinds = (Min, Max) if self.strategy else (Min, Max, *BITS)
        sides = (self.symbolic(e) for g in (*self.sizes, *self.goals) for e in g.sides)
        if self.images or not any(e.has(*kinds) for e in sides):
            return Attempt(False, "it has no extreme and no operation on bits")
        return self.in_cases(effort, meter)

    # -- in digits --------------------------------------------

    def symbolic(self, side: Size) -> Expr:
        """A side with the offsets' definitions."""
        if not self.offsets or isinstance(side, int):
            return arithmetic(as_expr(side))
        if side not in self.written:
            table = {let(n): o for n, o in self.offsets.items()}
            result = rebuild(side, lambda s: table[s].definition if s in table else s)
            self.written[side] = arithmetic(result)
        return self.written[side]

    @cached_property
    def written(self) -> dict[Expr, Expr]:
        """Sides with the offsets' definitions, as far as they have been asked for."""
        return {}

    def in_digits(self, ctx: Context, effort: Effort = USUAL) -> Attempt:
        """All goals as signs and remainders of polynomials; what is left is for the solver."""
        if any(self.symbolic(e).has(Where) for g in (*self.sizes, *self.goals) for e in g.sides):
            return self.in_cases(effort, ctx.meter)
        missing, _ = self.attempts(ctx, self.sizes, {})
        if missing:  # sizes that differ as polynomials are for the search, not for the solver
            return Attempt(False, missing[0].reason)
        env = every_place(ctx, self.coords, self.shape) if self.coords else {}
        missing, proved = self.attempts(ctx, self.goals, env)
        if not missing:
            text, details = self.report(ctx) if self.report else ("", {})
            reason = "; ".join(dict.fromkeys(a.reason for a in proved if a.reason))
            return Attempt(True, reason + text, details=details)
        for g in self.premises:
            sign, shift = SIDES[g.op]
            left, right = (ctx.poly(self.symbolic(side), env) for side in (g.left, g.right))
            ctx.constraints.append(ctx.resolve((left - right) * sign - shift))
        return Attempt(False, missing[0].reason, [q for a in missing for q in a.goals or ()])

    def in_cases(self, effort: Effort, meter: Meter) -> Attempt:
        """The goals with every conditional decided, case by case."""
        from symlayout.prove.maps.cases import Case, World
        from symlayout.prove.maps.goals import Proof

        goals, results, ops = [*self.sizes, *self.goals], list[Expr](), list[str]()
        sides = [self.symbolic(e) for g in goals for e in g.sides]
        for g, left, right in zip(goals, sides[::2], sides[1::2]):
            if g.op in SIDES:
                sign, shift = SIDES[g.op]
                results.append(sign * (left - right) - shift)
            elif g.op == "==":
                results.append(left - right)
            else:
                return Attempt(False, f"{g}: a conditional stands in it")
            ops.append(">=" if g.op in SIDES else "==")
        conditions = tuple(comparison(g.op, *map(self.symbolic, g.sides)) for g in self.premises)
        root = Case(
            self.coords,
            tuple(map(as_expr, self.shape)),
            tuple(map(arithmetic, results)),
            (*map(arithmetic, marks_of(*sides)), *map(arithmetic, sides)),
            conditions,
            ops=tuple(ops),
        )
        proof = Proof(meter)
        try:
            proof.of(World(self.facts, self.known, (), (root,), ones=effort.ones, meter=meter))
        except (Undecided, LayoutError) as why:
            return Attempt(False, str(why))
        reason = f"in {proof.cases} case{'s' * (proof.cases != 1)}"
        return Attempt(True, reason, details={"by": "parts"})

    def attempts(
        self, ctx: Context, goals: Sequence[Goal], env: dict[Symbol, Poly]
    ) -> tuple[list[Attempt], list[Attempt]]:
        """What of the goals is not proved, and what is."""
        sides = [(self.symbolic(side), env) for g in goals for side in (g.left, g.right)]
        polys = polynomials(ctx, sides) if sides else []
        pairs = zip(goals, polys[::2], polys[1::2])
        tries = [self.attempt(ctx, g, a, b, env) for g, a, b in pairs]
        return [a for a in tries if not a.proved], [a for a in tries if a.proved]

    def attempt(self, ctx: Context, g: Goal, a: Poly, b: Poly, env: dict[Symbol, Poly]) -> Attempt:
        """`a op b` in digits; where that is not proved, a goal that says the same over the integers."""
        proved, rest, kind = _decision(ctx, g.op, a, b, squeeze=not self.coords)
        usual = SAID[MULTIPLE if g.op == MULTIPLE else kind]
        template = usual[not proved] if (own := g.proof if proved else g.doubt) is None else own
        polys = {"left": a, "right": b, "rest": rest}
        for name, o in self.offsets.items():
            if f"{{{name}}}" in template:
                polys[name] = ctx.resolve(ctx.poly(o.definition, env))
        words = {n: ctx.text(p) for n, p in polys.items() if f"{{{n}}}" in template}
        text = template.format(goal=g, **words)
        return Attempt(proved, text, None if proved else [(rest, kind)])

    # -- over arrays --------------------------------------------

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The sizes, with those of facts alone."""
        return tuple(dict.fromkeys([*self.names, *sorted(self.facts.names)]))

    @cached_property
    def compiled(self) -> dict[Size, Numeric]:
        """Each side of the goals for arrays."""
        inside = (*self.known, *[c.name for c in self.coords])
        sides = [x for g in (*self.sizes, *self.premises, *self.goals) for x in (g.left, g.right)]
        return {side: Numeric(self.symbolic(side), inside) for side in dict.fromkeys(sides)}

    @property
    def early(self) -> Sequence[Goal]:
        """What is looked at for each assignment, before any place."""
        return self.sizes if self.coords else (*self.sizes, *self.goals)

    def search(self, arrays: Arrays, work: Work | None = None) -> Found | None:
        """The first assignment at which something fails."""
        large = len(self.images) > 1 and any(i.large(arrays) for i in self.images)
        images = reversed(self.images) if large else self.images  # there gaps are found sooner
        searches: list[Search] = [i.search for i in images]
        if self.goals or self.sizes or not searches:
            searches.append(self.at_places)
        if len(searches) == 1:
            return searches[0](arrays, work)
        return (any_of if large else first_of)(arrays, searches, work)

    def at_places(self, arrays: Arrays, work: Work | None) -> Found | None:
        """The first assignment, and the first place of it, at which a goal fails."""
        import numpy as np

        count = length(arrays)
        wrong = np.broadcast_to(self.wrong(self.early, arrays, work), (count,))
        for d in self.hollow:  # no element: nothing is asked of a size that may have no value
            wrong = wrong & (np.asarray(Numeric(d, self.known)(arrays, work)[0]) != 0)
        stop = int(np.argmax(wrong)) if wrong.any() else count
        if stop and self.coords and self.goals:
            window = {n: c[:stop] for n, c in arrays.items()}
            failing = partial(self.failing, work=work)
            hit = first_failing(window, self.known, self.shape, failing, self.starts)
            if hit is not None:
                return hit
        return None if stop == count else Found({n: int(c[stop]) for n, c in arrays.items()}, ())

    def failing(self, batch: Any, work: Work | None) -> Any:
        """Where among the points what is given holds, and a goal does not."""
        env = environment(batch, self.coords)
        wrong = self.wrong(self.goals, env, work)
        for g in self.premises:
            wrong = wrong & ~self.wrong([g], env, work)
        return wrong

    def wrong(self, goals: Sequence[Goal], env: Arrays, work: Work | None = None) -> Any:
        """Where one of the goals fails, or divides by zero."""
        import numpy as np

        wrong: Any = np.zeros(1, dtype=bool)
        sides = dict.fromkeys(side for g in goals for side in (g.left, g.right))
        values = {side: self.compiled[side](env, work) for side in sides}
        for g in goals:
            (x, bad), (y, worse) = values[g.left], values[g.right]
            if g.op == MULTIPLE:
                none = np.asarray(y) == 0
                false = none | (x % np.where(none, 1, y) != 0)
            else:
                false = ~np.asarray(COMPARE[g.op](x, y))
            wrong = wrong | false | bad | worse
        return wrong

    def at_ends(self, arrays: Arrays, work: Work | None = None) -> Found | None:
        """The first assignment whose first or last place fails, in plain integers."""
        for n in range(length(arrays)):
            sizes = {k: int(c[n]) for k, c in arrays.items()}
            shape = [value(d, sizes) for d in self.shape]
            if all(d > 0 for d in shape):
                for coords in ((0,) * len(shape), tuple([d - 1 for d in shape])):
                    answer = self.holds_at(sizes, coords)
                    if not answer:
                        hit = Found(sizes, coords)
                        if answer is False or self.replay(hit) is not None:
                            return hit
        return None

    @cached_property
    def compared(self) -> tuple[Callable[[Mapping[str, int]], Any] | None, list[Comparison]]:
        """Goals without offsets as one function of their sides, and what compares them."""
        goals = [*self.sizes, *self.goals]
        if self.offsets or not goals or not all(g.op in COMPARE for g in goals):
            return None, []
        sides = [as_expr(side) for side in (*[g.left for g in goals], *[g.right for g in goals])]
        return function(*sides), [COMPARE[g.op] for g in goals]

    def holds_at(self, sizes: dict[str, int], coords: tuple[int, ...]) -> bool | None:
        """Whether all goals hold there, where all of their sides have values; None: to be replayed."""
        run, comparisons = self.compared
        if run is None or self.images or self.premises or self.hollow:
            return None
        env = {**sizes, **{c.name: k for c, k in zip(self.coords, coords)}}
        try:
            values = run(env)
        except (KeyError, TypeError, ZeroDivisionError, LayoutError):
            return None
        many = len(comparisons)
        return all(map(call, comparisons, values[:many], values[many:]))

    # -- in plain integers --------------------------------------------

    def replay(self, hit: Found) -> Counterexample | None:
        """The first goal that is false there, by the definitions; None where all of them hold."""
        for image in self.images:
            if hit.kind in image.kinds or not self.goals:
                return image.replay(hit)
        if any(size_at(d, hit.sizes) == 0 for d in self.hollow):
            return None
        point = Point(hit.sizes, (), hit.sizes, {})
        example = next(filter(None, map(point.failure, self.sizes)), None)
        if example is not None or len(hit.coords) != len(self.coords):
            return example
        sides = [size_at(d, hit.sizes) for d in self.shape]
        if not all(isinstance(d, int) and 0 <= k < d for k, d in zip(hit.coords, sides)):
            return None  # no place of the box
        env = {**hit.sizes, **{c.name: k for c, k in zip(self.coords, hit.coords)}}
        point = Point(hit.sizes, hit.coords, env, self.offsets)
        if not all(map(point.holds, self.premises)):
            return None
        return next(filter(None, map(point.failure, self.goals)), None)


class Point:
    """Sizes and coordinates in plain integers, with what sides come to there."""

    def __init__(
        self,
        sizes: dict[str, int],
        place: tuple[int, ...],
        env: dict[str, int],
        offsets: Mapping[str, Offset],
    ) -> None:
        self.sizes, self.place, self.env, self.offsets = sizes, place, env, offsets
        self.memo: dict[Any, Any] = {}

    @cached_property
    def reached(self) -> dict[str, Reached]:
        """The offsets by their notations' definitions."""
        results = {}
        for name, o in self.offsets.items():
            place = tuple(value(as_expr(c), self.env) for c in o.place)
            results[name] = Reached(place, offset_at(o.map, place, self.sizes))
        return results

    def side(self, side: Any) -> Any:
        """A side's value, why it has none, or several sides as a text."""
        if isinstance(side, tuple):
            return str([self.side(s) for s in side])
        if side not in self.memo:
            self.memo[side] = self.plain(side)
        return self.memo[side]

    def plain(self, side: Size) -> int | str:
        """A side's value, or why it has none."""
        env = self.env
        for name, at in self.reached.items():
            if isinstance(at.value, int):
                env = {**env, let(name).name: at.value}
            elif let(name) in as_expr(side).free_symbols:
                return at.value
        return size_at(side, env)

    def holds(self, g: Goal) -> bool:
        """Whether both sides have a value, and the goal is true."""
        left, right = self.side(g.left), self.side(g.right)
        if not (isinstance(left, int) and isinstance(right, int)):
            return False
        if g.op == MULTIPLE:
            return right != 0 and left % right == 0
        return bool(COMPARE[g.op](left, right))

    def failure(self, g: Goal) -> Counterexample | None:
        """The goal's failure, None where it holds."""
        if self.holds(g):
            return None
        left, right = (self.side(s) for s in g.display or (g.left, g.right))
        at = {"place": self.place, "sizes": self.sizes}
        words = {"goal": g, "left": left, "right": right, **at, **self.reached}
        note = g.note.format_map(words) if isinstance(g.note, str) else g.note(words)
        other = self.reached[g.other].place if g.other else None
        return Counterexample(self.sizes, self.place, left, right, other, note)


def _decision(ctx: Context, op: str, a: Poly, b: Poly, squeeze: bool) -> tuple[bool, Poly, str]:
    """Whether `a op b` is proved, and the polynomial that is then "==", "!=" or ">=" 0."""
    if op in SIDES:
        sign, shift = SIDES[op]
        rest = ctx.resolve(a - b) * sign - shift
        return ctx.nonneg(rest), rest, ">="
    rest = ctx.divmod(a, b)[1] if op == MULTIPLE else ctx.resolve(a - b)
    if op == "!=":
        return nonzero(ctx, rest), rest, op
    return rest == ZERO or (squeeze and ctx.nonneg(rest) and ctx.nonneg(-rest)), rest, "=="
