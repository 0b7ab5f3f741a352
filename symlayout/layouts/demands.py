"""What must hold for a layout to be defined: extents, tile sizes, padded widths, divisors.

An assignment gives every symbol an integer; where a demand does not hold there, a claim about the
layout is refuted, with the demand as the reason and the fact that would exclude the assignment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import (
    DIVISIONS,
    SIMPLE,
    Exp2,
    Size,
    as_expr,
    as_size,
    coordinate_symbols,
    divisors_of,
    free_names,
    put,
    value,
)
from symlayout.expr.tree import Add, Expr, Integer, Symbol, expand, preorder_traversal
from symlayout.text.once import cached_property


@dataclass(frozen=True)
class Demand:
    """`value` has a value and is at least `least` (with None it only has to have one).

    `what` is its name, such as "the extent"; `box` has extents: where one of them is 0 or less,
    nothing is asked; `coords` are coordinates of that box, over all of which the value is taken;
    `help` is the fact that would make it hold, where the value itself says too little.

    >>> from symlayout.expr.terms import symbol
    >>> Demand("the extent", symbol("N") - 4).broken({"N": 1})
    'the extent N - 4 is -3 at N = 1; add N >= 4'
    """

    what: str
    value: Size
    least: Size | None = 0
    box: tuple[Size, ...] = ()
    coords: tuple[Symbol, ...] = ()
    help: str = ""

    @property
    def sides(self) -> tuple[Size, ...]:
        """What has to have a value."""
        return (self.value,) if self.least is None else (self.value, self.least)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The symbols that are no coordinates."""
        own = {c.name for c in self.coords}
        return tuple([n for n in free_names(*self.sides, *self.box) if n not in own])

    def apart_from(self, names: Iterable[str]) -> Demand:
        """The same demand with coordinates that are none of the names."""
        if not self.coords:
            return self
        all_names = {*names, *self.names}
        if all_names.isdisjoint(c.name for c in self.coords):
            return self
        fresh = coordinate_symbols(len(self.coords), all_names)
        table = dict(zip(self.coords, fresh))
        results = [as_size(put(as_expr(e), table)) for e in self.sides]
        least = None if self.least is None else results[1]
        return replace(self, value=results[0], least=least, coords=fresh)

    @cached_property
    def divisors(self) -> tuple[Expr, ...]:
        """What must not be 0, the innermost divisor first."""
        hits = (divisors_of(as_expr(e)) for e in self.sides if not isinstance(e, int))
        return tuple(dict.fromkeys(d for part in hits for d in reversed(part)))

    @property
    def relation(self) -> Relation:
        """`value >= least`, with the terms on the side where they are positive."""
        assert self.least is not None
        left: list[Expr] = []
        right: list[Expr] = []
        for term in Add.make_args(expand(as_expr(self.value) - as_expr(self.least))):
            factor = term.as_coeff_Mul()[0]
            (left if factor > 0 else right).append(term if factor > 0 else -term)
        return Relation(">=", Add(*left), Add(*right))

    def holds(self, sizes: Mapping[str, int], place: Sequence[int] = ()) -> bool:
        """Whether it holds for these sizes, at a place of its box where it has coordinates."""
        return not self.broken(sizes, place)

    def broken(self, sizes: Mapping[str, int], place: Sequence[int] = ()) -> str:
        """Why it does not hold, with the fact that would exclude it; "" where it holds."""
        env = {**sizes, **{c.name: x for c, x in zip(self.coords, place)}}
        if self.box and not _elements(self.box, sizes):
            return ""
        try:
            here = value(self.value, env)
            least = None if self.least is None else value(self.least, env)
        except LayoutError as error:
            if error.code != "SL202":
                raise
            return self._undefined_part(env)
        if least is None or here >= least:
            return ""
        if self.help:
            return f"{self.what}{_assignment(env, *self.sides)}; add {self.help}"
        text = f"{self.what} {self.value}"
        if isinstance(self.least, int):
            return f"{text} is {here}{_assignment(env, *self.sides)}{self.fact}"
        message = f"{text} is less" if isinstance(self.value, int) else f"{text} is {here}, less"
        whole = all(isinstance(e, (int, Symbol)) for e in self.sides)
        at = "" if whole else _assignment(env, *self.sides)
        limit = str(self.least) if str(self.least) == str(least) else f"{self.least} = {least}"
        return f"{message} than {limit}{at}{self.fact}"

    @property
    def fact(self) -> str:
        """Which fact would make it hold: "; add N >= 4", "" where none can."""
        r = self.relation
        if not r.names:
            return ""
        return f"; add {self._bound_text(r)}"

    def _bound_text(self, r: Relation) -> str:
        if not r.in_domain:
            return str(r)
        (name,), domain = r.names, Facts((r,)).domain(next(iter(r.names)))
        return f"{name} >= {domain.low}" if domain.high is None else f"{name} <= {domain.high}"

    def _undefined_part(self, env: Mapping[str, int]) -> str:
        """The innermost division by zero, or shift by less than 0."""
        for e in self.sides:
            for part in reversed(list(preorder_traversal(as_expr(e)))):
                count = _value(part.args[0], env) if isinstance(part, Exp2) else None
                if count is not None and count < 0:
                    return f"{self.what} {e} {_shift_text(part.args[0], env)}"
                if isinstance(part, DIVISIONS) and _value(part.args[1], env) == 0:
                    d = part.args[1]
                    at = _assignment(env, d)
                    text = f"0{at}" if isinstance(d, Symbol) else f"{d}, which is 0{at}"
                    return f"{self.what} {e} divides by {text}; add {d} != 0"
                if isinstance(part, SIMPLE) and _value(part, env) is None:
                    return f"{self.what} {e} has no value, because {part} has none"
        raise AssertionError(self)


def _shift_text(count: Expr, env: Mapping[str, int]) -> str:
    """What a shift by less than 0 is called."""
    here = f"{_value(count, env)}{_assignment(env, count)}"
    amount = here if isinstance(count, (Symbol, Integer)) else f"{count}, which is {here}"
    fact = Demand("", count).fact
    return f"shifts by {amount}{fact}"


def _value(e: Expr, env: Mapping[str, int]) -> int | None:
    try:
        return value(e, env)
    except LayoutError:
        return None


def _elements(box: Iterable[Size], sizes: Mapping[str, int]) -> bool:
    """Whether the box has a place; an extent without a value is what another demand is about."""
    hits = (_value(as_expr(d), sizes) for d in box)
    return all(d is not None and d >= 1 for d in hits)


def _assignment(env: Mapping[str, int], *parts: Size) -> str:
    text = ", ".join(f"{n} = {env[n]}" for n in free_names(*parts))
    return f" at {text}" if text else ""


def extents(shape: Iterable[Size], what: str = "the extent") -> tuple[Demand, ...]:
    """Each is at least 0: they are looked at one by one, never through their product."""
    return tuple(Demand(what, d) for d in shape if not isinstance(d, int))


def definedness(
    what: str, values: Iterable[Any], box: Sequence[Size] = (), coords: Sequence[Symbol] = ()
) -> tuple[Demand, ...]:
    """Each has a value wherever the box has a place; only what divides can lack one."""
    results = (as_expr(e) for e in values if not isinstance(e, int))
    return tuple(
        Demand(what, e, None, tuple(box), tuple(coords))
        for e in dict.fromkeys(results)
        if divisors_of(e)
    )


def at_least(what: str, values: Iterable[Any], least: int) -> tuple[Demand, ...]:
    """Each has a value of at least that."""
    return tuple(Demand(what, e, least) for e in values if not isinstance(e, (int, str)))


def within(what: str, inner: Size, outer: Size) -> tuple[Demand, ...]:
    """`outer` is at least `inner`."""
    if (isinstance(inner, int) and isinstance(outer, int)) or inner == outer:
        return ()
    return (Demand(what, outer, inner),)


def nonzero(d: Expr) -> Relation:
    """What a divisor has to be."""
    return Relation("!=", d, Integer(0))


def one_or_equal(k: int, a: Size, b: Size, either: bool = False) -> Demand:
    """Size `a` of dimension `k` of an operand is 1, or the result's size `b`; or `b` is 1, if so said.

    >>> from symlayout.expr.terms import symbol
    >>> one_or_equal(0, symbol("K"), symbol("N")).broken({"K": 2, "N": 3})
    'dimension 0 of the operand is K, neither 1 nor N, at K = 2, N = 3; add K == N'
    """
    x, y = as_expr(a), as_expr(b)
    apart = expand(x - y)
    what = f"dimension {k} of the operand is {a}, neither 1 nor {b},"
    one = f"{b} == 1" if isinstance(a, int) else f"{a} == 1"
    target = (x - 1) * apart * ((y - 1) if either else 1)
    return Demand(what, -expand(target**2), help=one if apart.is_Integer else f"{a} == {b}")
