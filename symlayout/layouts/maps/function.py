"""The value of a map: what code computes for every point of its domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from symlayout.expr.conditions import Condition
from symlayout.expr.outward import keywords, public
from symlayout.expr.terms import (
    Operation,
    Size,
    as_expr,
    as_size,
    free_names,
    put,
    symbol,
    value,
)
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.hooks import Shown
from symlayout.text.once import cached_property

if TYPE_CHECKING:
    from symlayout.expr.needs import Need
    from symlayout.layouts.demands import Demand
    from symlayout.layouts.indexmap import CoordMap, IndexMap

ZERO = Integer(0)


@keywords
@dataclass(frozen=True)
class Variable:
    """A variable of the domain and its range: `low <= name < high`."""

    name: str
    _low: Expr
    _high: Expr

    low = public("_low", "The least value.")
    high = public("_high", "One more than the greatest value.")

    def __str__(self) -> str:
        if self._low == 0:
            return f"{self.name} < {self._high}"
        return f"{self._low} <= {self.name} < {self._high}"


@keywords
@dataclass(frozen=True)
class IndexFunction(Shown):
    """Points of a domain to results: one number (a place in a row), or several.

    `guard` is what holds of the domain's points; `lets` are definitions in their order; `box` has
    the sizes of what the results lie in.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> F = read_map("map i < M*N: q = i//N; (q, i - q*N) in (M, N)")
    >>> print(F)
    map i < M*N: q = i//N; (q, -N*q + i) in (M, N)
    >>> F.at((5,), {"M": 3, "N": 4})
    (1, 1)
    """

    variables: tuple[Variable, ...]
    _results: tuple[Expr, ...]
    _box: tuple[Expr, ...] | None = None
    _guard: Condition | None = None
    _lets: tuple[tuple[str, Expr], ...] = ()
    tupled: bool = False  # whether the results are written in parentheses
    # the text it was read from, and its language, for what is said of expressions as they are written
    source: tuple[str, str | None] | None = field(default=None, compare=False, repr=False)

    results = public("_results", "The results as they are written, with the names of `lets`.")
    box = public("_box", "The sizes of what the results lie in, or None.")
    guard = public("_guard", "What holds of the domain's points, or None.")
    lets = public("_lets", "The definitions, each a name and an expression.")
    outputs = public("_outputs", "The results, of variables and sizes alone.")

    def __str__(self) -> str:
        domain = ", ".join(map(str, self.variables))
        guard = "" if self._guard is None else f" if {self._guard}"
        lets = "".join(f"{n} = {e}; " for n, e in self._lets)
        box = "" if self._box is None else f" in {self._row(self._box)}"
        return f"map {domain}{guard}: {lets}{self._row(self._results)}{box}"

    def _row(self, parts: tuple[Expr, ...]) -> str:
        if not self.tupled:
            return str(parts[0])
        return f"({', '.join(map(str, parts))}{',' * (len(parts) == 1)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The sizes, in the order in which they first occur."""
        own = {*[v.name for v in self.variables], *[n for n, _ in self._lets]}
        ends = [e for v in self.variables for e in (v._low, v._high)]
        guard = [] if self._guard is None else [self._guard]
        written = [*[e for _, e in self._lets], *self._results]  # with names that cancel
        used = free_names(*ends, *guard, *self._evaluated, *(self._box or ()), *written)
        return tuple(n for n in used if n not in own)

    @cached_property
    def _written_out(self) -> tuple[tuple[Expr, ...], tuple[Need, ...]]:
        from symlayout.layouts.maps import places

        return places.written_out(self)

    @property
    def _evaluated(self) -> tuple[Expr, ...]:
        """Every definition and every result, of variables and sizes alone.

        What cancels in them is gone, and any number stands for what has no value: see `marks`.
        """
        return self._written_out[0]

    @property
    def _outputs(self) -> tuple[Expr, ...]:
        """The results, of variables and sizes alone, as `evaluated` has them."""
        return self._written_out[0][len(self._lets) :]

    @cached_property
    def _marks(self) -> tuple[Expr, ...]:
        """Expressions that are 0 where all definitions and results have values; else one has none.

        >>> from symlayout.layouts.maps.reader import read_map
        >>> read_map("map x < N: t = 0; u = 5//x; u*t").marks
        (0%x,)
        """
        from symlayout.layouts.maps import places

        return places.marks(self)

    # -- in plain integers ------------------------------------------------------------------------

    def points(self, sizes: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
        """The points of the domain, in order; raises `LayoutError` (SL202) where it has no value."""
        for point in self._points(dict(sizes), 0):
            if self._guard is None or value(self._guard, {**sizes, **self._named(point)}):
                yield point

    def _points(self, env: dict[str, int], k: int) -> Iterator[tuple[int, ...]]:
        if k == len(self.variables):
            yield ()
            return
        v = self.variables[k]
        for x in range(value(v._low, env), value(v._high, env)):
            for rest in self._points({**env, v.name: x}, k + 1):
                yield (x, *rest)

    def _named(self, point: tuple[int, ...]) -> dict[str, int]:
        return {v.name: x for v, x in zip(self.variables, point)}

    def has(self, point: tuple[int, ...], sizes: Mapping[str, int]) -> bool:
        """Whether the point is in the domain; raises `LayoutError` (SL202) where it has no value."""
        env = dict(sizes)
        if len(point) != len(self.variables):
            return False
        for x, v in zip(point, self.variables):
            if not value(v._low, env) <= x < value(v._high, env):
                return False
            env[v.name] = x
        return self._guard is None or bool(value(self._guard, env))

    def at(self, point: tuple[int, ...], sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The results at a point; raises `LayoutError` (SL202) where there is no value."""
        env = {**sizes, **self._named(point)}
        for name, e in self._lets:
            env[name] = value(e, env)
        return tuple(value(e, env) for e in self._results)

    def placed(self, point: Sequence[Expr]) -> tuple[Size, ...]:
        """The results at a point of sizes; raises `LayoutError` (SL108) outside of the domain.

        >>> from symlayout.layouts.maps.reader import read_map
        >>> read_map("map i < N, j < 8 if j != 3: (i + 1, j*N)").placed((symbol("m"), Integer(2)))
        (m + 1, 2*N)
        """
        from symlayout.layouts.maps import places

        return places.placed(self, point)

    # -- as an index map --------------------------------------------------------------------------

    @property
    def rectangular(self) -> bool:
        """Whether no range speaks of another variable."""
        own = {v.name for v in self.variables}
        return all(own.isdisjoint(free_names(v._low, v._high)) for v in self.variables)

    @property
    def plain(self) -> bool:
        """Whether it is an `IndexMap`: one result in a box, ranges from 0 on, only arithmetic."""
        simple = self._guard is None and self.rectangular and not self._lets
        first = all(v._low == 0 for v in self.variables)
        arithmetic = not any(e.has(Operation) for e in self._outputs)
        ends = [*[v._high for v in self.variables], *(self._box or ())]
        sizes = not any(e.is_Integer and e < 0 for e in ends)  # else it has no value at all
        one = len(self._results) == 1 and self._box is not None
        return simple and first and arithmetic and one and sizes

    def index_map(self) -> IndexMap:
        """The map as an `IndexMap`.

        Raises `LayoutError` (SL403): a guard, several results, no box, ranges that do not begin at 0.
        """
        from symlayout.layouts.maps import places

        return places.index_map(self)

    def coord_map(self) -> CoordMap:
        """The map as a `CoordMap`: several results in a box, of a box of coordinates.

        >>> from symlayout.layouts.maps.reader import read_map
        >>> read_map("map i < M, j < 8: (j, i) in (8, M)").coord_map().exprs
        (j, i)

        Raises `LayoutError` (SL403): a guard, no box, a range that does not begin at 0, bits.
        """
        from symlayout.layouts.maps import places

        return places.coord_map(self)

    @cached_property
    def inlined(self) -> IndexFunction:
        """The map without definitions: where one has no value, its first result has none either."""
        from symlayout.layouts.maps import places

        return places.inlined(self)

    @property
    def _box_of_points(self) -> tuple[tuple[Size, ...], tuple[Symbol, ...]]:
        """The ends of the ranges, and the variables."""
        names = tuple(symbol(v.name) for v in self.variables)
        return tuple(as_size(v._high) for v in self.variables), names

    @property
    def arithmetic(self) -> IndexMap | CoordMap:
        """The map as what it is without a guard: one result an `IndexMap`, several a `CoordMap`."""
        return self.index_map() if len(self._results) == 1 else self.coord_map()

    def __call__(self, *coords: Any) -> Any:
        """The result at a point of numbers or sizes, or the tuple of results.

        >>> from symlayout.layouts.maps.reader import read_map
        >>> read_map("map i < M*N: (i//N, i%N) in (M, N)")(7)
        (7//N, 7%N)

        Raises `LayoutError` (SL108) outside of the domain.
        """
        results = self.placed(tuple(map(as_expr, coords)))
        return results if self.tupled else results[0]

    def evaluate(self, *coords: Any, **sizes: int) -> Any:
        """The results at numbers or arrays; raises `LayoutError` (SL403) where there is a guard.

        >>> from symlayout.layouts.maps.reader import read_map
        >>> read_map("map i < M*N: (i//N, i%N) in (M, N)").evaluate([5, 7], M=2, N=4)
        (array([1, 1]), array([1, 3]))
        """
        return self.inlined.arithmetic.evaluate(*coords, **sizes)

    @property
    def demands(self) -> tuple[Demand, ...]:
        """Extents are at least 0, the box's as well, and everything has a value."""
        shape, coords = self._box_of_points
        sizes = [*shape, *[as_size(d) for d in self._box or ()]]
        from symlayout.layouts.demands import definedness, extents

        return (*extents(sizes), *definedness("the result", self._outputs, shape, coords))

    @property
    def _missing(self) -> str:
        from symlayout.layouts.maps import places

        return places.missing(self)

    def guarded(self, change: Mapping[Symbol, Expr]) -> Condition | None:
        """The guard with symbols replaced."""
        if self._guard is None:
            return None
        return put(self._guard, change)  # type: ignore[return-value]


def function_of(m: IndexMap) -> IndexFunction:
    """An index map as an index function.

    >>> from symlayout.layouts.indexmap import IndexMap
    >>> print(function_of(IndexMap.row_major((symbol("M"), symbol("N")))))
    map i < M, j < N: N*i + j in M*N
    """
    variables = [Variable(c.name, ZERO, as_expr(d)) for c, d in zip(m._coords, m._shape)]
    bits = getattr(m.reference, "bitwise", None)  # a swizzle's own operations, not their sum
    raw = as_expr(m._raw) if bits is None else bits(m._coords)
    return IndexFunction(tuple(variables), (raw,), (as_expr(m._size),))
