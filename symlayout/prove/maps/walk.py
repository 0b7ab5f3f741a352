"""Points of index functions one after the other: the search for what fails, in plain integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less
from symlayout.expr.operators import Operator
from symlayout.expr.plain import function as compiled
from symlayout.expr.terms import Exp2, Max, Min, Where
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.maps.rows import Points, Row, Undefined, compiled_row
from symlayout.prove.run import Effort
from symlayout.prove.search import Arrays, Found, Search, Unsafe, Work, length

POINTS = 150_000  # that one search looks at
OFTEN = 500  # points from which on it pays to compile
LARGEST_POWER = 4096  # of two, that is computed
UNDEFINED = "no value"  # the kind of such a failure

Env = dict[str, int]
Runner = Callable[[Env], int]


def _power_of_two(n: int) -> int:
    if n < 0:
        raise ZeroDivisionError
    if n > LARGEST_POWER:
        raise Unsafe
    return 1 << n


def _sum_of(a: Runner, b: Runner) -> Runner:
    return lambda env: a(env) + b(env)


def _product_of(a: Runner, b: Runner) -> Runner:
    return lambda env: a(env) * b(env)


def runner(e: Expr) -> Runner:
    """The expression as a function; `ZeroDivisionError` where it has no value."""
    if isinstance(e, Integer):
        number = int(e)
        return lambda env: number
    if isinstance(e, Symbol):
        name = str(e.name)
        return lambda env: env[name]
    parts = [runner(a) for a in e.args]
    if isinstance(e, (Add, Mul)):
        return reduce(_sum_of if isinstance(e, Add) else _product_of, parts)
    if isinstance(e, Pow):
        return lambda env: int(parts[0](env) ** parts[1](env))
    if isinstance(e, (Min, Max)):
        pick: Any = min if isinstance(e, Min) else max
        return lambda env: int(reduce(pick, [p(env) for p in parts]))
    if isinstance(e, Where):
        p, q, a, b = parts
        return lambda env: a(env) if p(env) < q(env) else b(env)
    if isinstance(e, Exp2):
        return lambda env: _power_of_two(parts[0](env))
    if not e.row.form:
        return lambda env: _value_of(e.row, [p(env) for p in parts])
    op: Callable[[int, int], int] = e.row.value
    return lambda env: op(parts[0](env), parts[1](env))


def _value_of(row: Operator, values: list[int]) -> int:
    if not row.defined(*values):
        raise ZeroDivisionError
    return row.at(*values)


def tester(c: Condition, run: Callable[[Expr], Runner]) -> Callable[[Env], bool]:
    """The condition as a function."""
    if isinstance(c, Less):
        left, right = run(c.left), run(c.right)
        return lambda env: left(env) < right(env)
    first, second = tester(c.first, run), tester(c.second, run)
    if isinstance(c, Both):
        return lambda env: first(env) and second(env)
    return lambda env: first(env) or second(env)


def quick(e: Expr) -> Runner:
    """The same, compiled where every part of it is computed."""
    return (None if e.has(Exp2) else compiled(e)) or runner(e)


class Walk:
    """An index function made ready to be run."""

    def __init__(self, function: IndexFunction) -> None:
        self.function = function
        self.ranges = [(v.name, runner(v._low), runner(v._high)) for v in function.variables]
        self.seen = 0  # points
        self.row: Row | None = None  # from `OFTEN` points on, where it can be
        self.prepare(runner)
        self.box = None if function._box is None else [runner(d) for d in function._box]

    def prepare(self, run: Callable[[Expr], Runner]) -> None:
        """Makes ready what is computed at each point."""
        f = self.function
        self.guard = None if f._guard is None else tester(f._guard, run)
        self.lets = [(n, run(e)) for n, e in f._lets]
        self.results = [run(e) for e in f._results]

    def sizes_of_box(self, sizes: Env) -> tuple[int, ...]:
        """The box; raises `Undefined` where it has none."""
        try:
            results = tuple(d(sizes) for d in self.box or ())
        except ZeroDivisionError:
            raise Undefined from None
        if any(d < 0 for d in results):
            raise Undefined
        return results

    def start(self, sizes: Env) -> tuple[int, ...]:
        """The box; raises `Undefined` where it or a range of sizes alone has no value."""
        self.independent(sizes)
        return self.sizes_of_box(sizes)

    def points(self, sizes: Env, budget: list[int]) -> Points:
        """The points in order, each with its results."""
        env = dict(sizes)
        if self.ranges:
            yield from self._from(env, (), budget)
        elif (place := self.place(env, ())) is not None:
            yield (), place

    def _from(self, env: Env, point: tuple[int, ...], budget: list[int]) -> Points:
        name, low, high = self.ranges[len(point)]
        try:
            a, b = low(env), high(env)
        except ZeroDivisionError:
            raise Undefined(point) from None
        if b < a:
            raise Undefined(point)
        if len(point) == len(self.ranges) - 1:
            yield from self._row(env, point, a, b, budget)
            return
        for x in range(a, b):
            budget[0] -= 1
            if budget[0] < 0:
                raise Unsafe
            env[name] = x
            yield from self._from(env, (*point, x), budget)

    def _row(self, env: Env, point: tuple[int, ...], a: int, b: int, budget: list[int]) -> Points:
        """The points whose last coordinate is in a range."""
        name, rest = self.ranges[-1][0], self._rest(env, point, a, b, budget)
        while rest is None and a < b:
            budget[0] -= 1
            if budget[0] < 0:
                raise Unsafe
            env[name] = a
            if (place := self.place(env, (*point, a))) is not None:
                yield (*point, a), place
            a += 1
            if self.seen == OFTEN:
                rest = self._rest(env, point, a, b, budget)
        yield from rest or ()

    def _rest(
        self, env: Env, point: tuple[int, ...], a: int, b: int, budget: list[int]
    ) -> Points | None:
        """The same by the compiled function; None where that is for `place` to say."""
        try:
            return None if self.row is None else self.row(env, point, a, b, budget)
        except ZeroDivisionError:
            return None

    def place(self, env: Env, point: tuple[int, ...]) -> tuple[int, ...] | None:
        """The results at a point; None where it is none."""
        self.seen += 1
        if self.seen == OFTEN:
            self.row = compiled_row(self.function)
            if self.row is None:
                self.prepare(quick)
        try:
            if self.guard is not None and not self.guard(env):
                return None
            for name, run in self.lets:
                env[name] = run(env)
            return tuple([r(env) for r in self.results])
        except ZeroDivisionError:
            raise Undefined(point) from None

    def independent(self, sizes: Env) -> None:
        """Raises `Undefined` where a range of sizes alone is: whether or not others are empty."""
        for _, low, high in self.ranges:
            try:
                if high(sizes) < low(sizes):
                    raise Undefined(())
            except KeyError:
                continue  # it speaks of a variable
            except ZeroDivisionError:
                raise Undefined(()) from None


Test = Callable[[Env, list[int]], Found | None]


def searcher(test: Test, effort: Effort) -> Search:
    """A search through assignments in their order, until the points are used up."""
    budget = [POINTS if effort.more and effort.probes else effort.points]

    def search(arrays: Arrays, work: Work | None = None) -> Found | None:
        for n in range(length(arrays)):
            sizes = {k: int(c[n]) for k, c in arrays.items()}
            budget[0] -= 1
            if budget[0] < 0:
                raise Unsafe
            try:
                hit = test(sizes, budget)
            except Undefined as where:
                point = where.args[0] if where.args else ()
                hit = Found(sizes, point, kind=UNDEFINED)
            if hit is not None:
                return hit
        return None

    return search


# -- what fails, told again by the value's own definition ------------------------------------------


def undefined_at(function: IndexFunction, point: tuple[int, ...], sizes: Mapping[str, int]) -> str:
    """Why the map has no value at these sizes (up to that point); "" where it has one."""
    from symlayout.expr.terms import value

    own = {v.name for v in function.variables}
    env = dict(sizes)
    try:
        for d in function._box or ():
            if value(d, env) < 0:
                return f"the extent {d} of the box is {value(d, env)}"
        for k, v in enumerate(function.variables):
            free = {s.name for s in v._low.free_symbols | v._high.free_symbols} & own
            if not free <= env.keys():
                continue
            low, high = value(v._low, env), value(v._high, env)
            if high < low:
                return f"the extent of {v.name} is {high - low}"
            if k < len(point):
                env[v.name] = point[k]
        whole = len(point) == len(function.variables)
        if whole and (function._guard is None or value(function._guard, env)):
            function.at(point, sizes)
    except LayoutError as error:
        return error.message
    return ""
