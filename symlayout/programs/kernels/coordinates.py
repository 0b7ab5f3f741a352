"""An offset as the coordinates of an array: the terms with a dimension's stride are its coordinate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import as_expr, coordinate_symbols, free_names, value
from symlayout.expr.tree import Add, Expr, Integer, Mul, Symbol, exact_quotient, expand
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.terms import Part, row
from symlayout.layouts.notation import parse
from symlayout.programs.kernels.policy import Remember

SAMPLES = 30  # assignments of sizes that are looked at
POINTS = 40  # of each
TRIES = 600  # assignments that are drawn until enough satisfy the facts
SMALL = 5  # how far sizes reach above the least one


@dataclass(frozen=True)
class Array:
    """A layout as sizes and strides; `strides` is None where it has none."""

    text: str
    sizes: tuple[Expr, ...]
    strides: tuple[Expr, ...] | None
    start: Expr
    size: Expr

    @property
    def box(self) -> str:
        """The sizes as a map's box."""
        return row(parts_of(self.sizes))

    @property
    def map(self) -> str:
        """The offset of every element as a map, of an array that has strides."""
        names = coordinate_symbols(len(self.sizes), free_names(*self.sizes, self.size))
        domain = ", ".join(f"{c} < {d}" for c, d in zip(names, self.sizes))
        places = sum((c * s for c, s in zip(names, self.strides or ())), self.start)
        return f"map {domain}: {places}"


def read_array(text: str) -> Array:
    """The array that a layout's text spells.

    >>> made = read_array("f32[M,N]{1,0}")
    >>> made.sizes, made.strides
    ((M, N), (N, 1))

    Raises `LayoutError` for a text that is no layout.
    """
    m: Any = parse(text).index_map()
    coords = tuple(m._coords)
    formula = expand(as_expr(m._shortest))
    strides: list[Expr] | None = [formula.coeff(c, 1) for c in coords]
    start = formula
    for c, s in zip(coords, strides or ()):
        start = expand(start - s * c)
    free = {x for e in (*(strides or ()), start) for x in e.free_symbols}
    if free & set(coords):
        strides, start = None, Integer(0)
    sizes = tuple(map(as_expr, m._shape))
    return Array(text, sizes, None if strides is None else tuple(strides), start, as_expr(m._size))


def coordinates(offset: Expr, array: Array) -> Iterator[tuple[Expr, ...]]:
    """Ways to write the offset as coordinates of a strided array, the plainest first."""
    if array.strides is None:
        return
    rest = offset - array.start
    for e in (rest, expand(rest)):
        coords = _quotients(e, array.strides)
        if coords is not None and _same(coords, array, offset):
            yield coords


def _same(coords: tuple[Expr, ...], array: Array, offset: Expr) -> bool:
    assert array.strides is not None
    total = sum((c * s for c, s in zip(coords, array.strides)), array.start)
    return bool(expand(total - offset) == 0)


def _weight(stride: Expr) -> tuple[int, int]:
    number, rest = stride.as_coeff_Mul()
    return (len(Mul.make_args(rest)) if rest != 1 else 0, abs(int(number)))


def _quotients(e: Expr, strides: tuple[Expr, ...]) -> tuple[Expr, ...] | None:
    """The quotients by the strides, the largest stride first; None where something remains."""
    quotients: dict[int, Expr] = {}
    for k in sorted(range(len(strides)), key=lambda k: _weight(strides[k]), reverse=True):
        s = strides[k]
        if s == 0:
            quotients[k] = Integer(0)
            continue
        quotient: Expr = Integer(0)
        left: Expr = Integer(0)
        for term in Add.make_args(e):
            q = term if s == 1 else _quotient(term, s)
            if q is None:
                left += term
            else:
                quotient += q
        quotients[k], e = quotient, left
    return tuple(quotients[k] for k in range(len(strides))) if e == 0 else None


def _quotient(term: Expr, s: Expr) -> Expr | None:
    """`term / s` where that has no denominator."""
    if isinstance(s, Add):
        factors = list(Mul.make_args(term))
        if s in factors:
            factors.remove(s)
            return Mul(*factors)
        return None
    return exact_quotient(term, s)


# -- which way ---------------------------------------------------------------------------------------


def holding(
    f: IndexFunction, array: Array, facts: Facts, remember: Remember
) -> tuple[Expr, ...] | None:
    """The coordinates of the only result, where no small sizes speak against them.

    That is: every point whose offset lies in the buffer has its coordinates in the array, too.
    """
    ways = list(coordinates(f._outputs[0], array))

    def number() -> str:
        for k, coords in enumerate(ways):
            every = _assignments(f, array, facts)
            if not any(_speaks_against(f, coords, array, env) for env in every):
                return str(k)
        return ""

    sizes = (array.sizes, array.strides, array.start, array.size)
    parts = ("coordinates", f, *sizes, *facts.relations, *ways)
    which = remember("\0".join(map(str, parts)), number) if ways else ""
    if which and not (which.isascii() and which.isdigit() and int(which) < len(ways)):
        which = number()  # a damaged row
    return ways[int(which)] if which else None


def _speaks_against(
    f: IndexFunction, coords: tuple[Expr, ...], array: Array, env: Mapping[str, int]
) -> bool:
    try:
        sizes = [value(d, env) for d in array.sizes]
        whole = value(array.size, env) if min(sizes, default=1) > 0 else 0
        return any(
            not all(0 <= value(c, here) < d for c, d in zip(coords, sizes))
            and 0 <= value(f._outputs[0], here) < whole
            for here in _points(f, env)
        )
    except LayoutError:
        return False


def _points(f: IndexFunction, env: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Points of the domain, often at the ends of ranges, always the same ones."""
    own = {v.name for v in f.variables}
    ends = [
        None
        if own & {s.name for e in (v._low, v._high) for s in e.free_symbols}
        else (value(v._low, env), value(v._high, env))
        for v in f.variables
    ]
    draw = Random(1).random
    seen: set[tuple[int, ...]] = set()
    for _ in range(POINTS):
        here = dict(env)
        for v, fixed in zip(f.variables, ends):
            low, high = fixed or (value(v._low, here), value(v._high, here))
            if high <= low:
                break
            kind = int(3 * draw())
            here[v.name] = (low, high - 1, low + int((high - low) * draw()))[kind]
        else:
            point = tuple([here[n] for n in own])
            if point not in seen and (f._guard is None or value(f._guard, here)):
                yield here
            seen.add(point)


def _assignments(f: IndexFunction, array: Array, facts: Facts) -> Iterator[Mapping[str, int]]:
    """Small sizes that satisfy the facts."""
    free = {s.name for e in (*array.sizes, array.size) for s in e.free_symbols}
    yield from _sizes(facts, tuple(sorted({*f.names, *free, *facts.names})))


@lru_cache(maxsize=64)  # accesses of one kernel have their names in common
def _sizes(facts: Facts, names: tuple[str, ...]) -> tuple[Mapping[str, int], ...]:
    """Small numbers for names that satisfy the facts; not to be changed."""
    random, hits = Random(0), list[Mapping[str, int]]()
    domains = [(n, d.first, d.modulus) for n in names for d in [facts.domain(n)]]
    for _ in range(TRIES):
        env = {n: first + modulus * random.randrange(SMALL) for n, first, modulus in domains}
        for r in facts.relations:
            if r.op == "==" and isinstance(r.left, Symbol):
                env[r.left.name] = _value(r.right, env, env[r.left.name])
        if facts.holds(env):
            hits.append(env)
            if len(hits) == SAMPLES:
                break
    return tuple(hits)


def _value(e: Expr, env: Mapping[str, int], otherwise: int) -> int:
    try:
        return value(e, env)
    except LayoutError:
        return otherwise


def parts_of(row: tuple[Expr, ...]) -> list[Part]:
    """Expressions as the results of a map."""
    return [Part(str(e), e) for e in row]


def equalities(facts: Facts) -> dict[Symbol, Expr]:
    """The symbols that facts say are equal to something else."""
    table: dict[Symbol, Expr] = {}
    for r in facts.relations:
        if r.op == "==" and isinstance(r.left, Symbol) and r.left not in r.right.free_symbols:
            table.setdefault(r.left, r.right)
    return table
