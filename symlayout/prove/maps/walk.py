"""Points of index functions one after the other: the search for what fails, in plain integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.plain import function as compiled
from symlayout.expr.tree import Expr
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.maps.rows import Points, Row, Undefined, compiled_row, power_of_two
from symlayout.prove.run import Effort
from symlayout.prove.search import Arrays, Found, Search, Unsafe, Work, length
from symlayout.text.once import cached_property

POINTS = 150_000  # that one search looks at
UNDEFINED = "no value"  # the kind of such a failure

Env = dict[str, int]
Runner = Callable[[Mapping[str, int]], Any]


def runs(*exprs: Expr) -> Runner:
    """The values of expressions; `ZeroDivisionError` where one has none."""
    return compiled(*exprs, power=power_of_two)


class Walk:
    """An index function made ready to be run."""

    def __init__(self, function: IndexFunction) -> None:
        self.function = function

    @cached_property
    def ends(self) -> list[tuple[str, Runner]]:
        """The end and the beginning of each variable's range."""
        return [(v.name, runs(v._high, v._low)) for v in self.function.variables]

    @cached_property
    def row(self) -> Row:
        """The points of the last variable."""
        return compiled_row(self.function)

    @cached_property
    def row_by_row(self) -> Row:
        """The same for ranges in which something has no value at all: it says at which point."""
        return compiled_row(self.function, apart=False)

    @cached_property
    def box(self) -> Runner:
        """The sizes of the box."""
        return runs(*(self.function._box or ()))

    def sizes_of_box(self, sizes: Env) -> tuple[int, ...]:
        """The box; raises `Undefined` where it has none."""
        try:
            results = self.box(sizes)
        except ZeroDivisionError:
            raise Undefined from None
        box = results if isinstance(results, tuple) else (results,)
        if any(d < 0 for d in box):
            raise Undefined
        return box

    def start(self, sizes: Env) -> tuple[int, ...]:
        """The box; raises `Undefined` where it or a range of sizes alone has no value."""
        self.independent(sizes)
        return self.sizes_of_box(sizes)

    def points(self, sizes: Env, budget: list[int]) -> Points:
        """The points in order, each with its results."""
        if self.ends:
            yield from self._from(dict(sizes), (), budget)
            return
        try:
            for _, place in self.row_by_row(sizes, (), 0, 1, [1]):
                yield (), place
        except Undefined:
            raise Undefined(()) from None

    def _from(self, env: Env, point: tuple[int, ...], budget: list[int]) -> Points:
        name, ends = self.ends[len(point)]
        try:
            b, a = ends(env)
        except ZeroDivisionError:
            raise Undefined(point) from None
        if b < a:
            raise Undefined(point)
        if len(point) == len(self.ends) - 1:
            try:
                row = self.row(env, point, a, b, budget)
            except (ZeroDivisionError, Unsafe):
                row = self.row_by_row(env, point, a, b, budget)
            yield from row
            return
        for x in range(a, b):
            budget[0] -= 1
            if budget[0] < 0:
                raise Unsafe
            env[name] = x
            yield from self._from(env, (*point, x), budget)

    def independent(self, sizes: Env) -> None:
        """Raises `Undefined` where a range of sizes alone is: whether or not others are empty."""
        for _, ends in self.ends:
            try:
                high, low = ends(sizes)
            except KeyError:
                continue  # it speaks of a variable
            except ZeroDivisionError:
                raise Undefined(()) from None
            if high < low:
                raise Undefined(())


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
