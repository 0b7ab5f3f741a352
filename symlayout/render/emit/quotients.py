"""Fewest divisions: nested quotients share their inner one, a remainder comes from its quotient."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from symlayout.expr.terms import Exp2, FloorDiv, Mod, exponent_of, put
from symlayout.expr.tree import Expr, Symbol
from symlayout.render.emit.lines import fresh

Test = Callable[[Expr, Expr], bool]


class Parts(NamedTuple):
    """Definitions in order, the results, and the quotients by dividend and divisor."""

    rows: list[tuple[Symbol, Expr]]
    results: list[Expr]
    quotients: dict[tuple[Expr, Expr], Symbol]


def nested_quotients(e: Expr, positive: Callable[[Expr], bool]) -> Expr:
    """`x // (c*d)` as `(x//c) // d`, for positive c and d, where `x//c` is divided by d anyway.

    >>> i, K = Symbol("i"), Symbol("K")
    >>> nested_quotients(FloorDiv(i, 4*K) + Mod(FloorDiv(i, 4), K), lambda d: True)
    (i//4)//K + (i//4)%K
    """
    while True:
        divisions = e.atoms(FloorDiv, Mod)
        table: dict[Expr, Expr] = {}
        for division in sorted(divisions, key=str):
            inner, d = division.args
            if not isinstance(inner, FloorDiv):
                continue
            x, c = inner.args
            whole = FloorDiv(x, c * d)
            if whole in divisions and positive(c) and positive(d):
                table.setdefault(whole, FloorDiv(inner, d))
        if not table:
            return e
        e = _replacement(e, table)


def named_quotients(
    rows: Sequence[tuple[Symbol, Expr]],
    results: Sequence[Expr],
    used: Collection[str],
    test: Test,
    lets: Collection[Symbol] = (),
) -> Parts:
    """Each quotient whose remainder is taken as well has a name: `x % d` is then `x - d*name`.

    `test` says of a dividend and a divisor whether that may be done; definitions `lets` have names
    of their own.
    """
    names = [s for s, _ in rows]
    values = [e for _, e in rows] + [*results]
    table: dict[tuple[Expr, Expr], Symbol] = {}
    free = fresh({*used, *[s.name for s in names]})
    while True:
        pair = _innermost(values, table, test)
        if pair is None:
            break
        quotient = FloorDiv(*pair)
        at = min(len(names), next(k for k, e in enumerate(values) if _divides(e, pair)))
        if quotient in values[: len(names)]:
            defined = values.index(quotient)
            names.insert(at, names.pop(defined))
            values.pop(defined)
        else:
            names.insert(at, next(free))
        values.insert(at, quotient)
        table[pair] = names[at]
        swap: dict[Expr, Expr] = {quotient: names[at]}
        values = [e if k == at else _replacement(e, swap) for k, e in enumerate(values)]
    order = dict(zip([s for s in names if s not in lets], fresh(used)))  # t0, t1, ... without gaps

    def renamed(e: Expr) -> Expr:
        return put(e, order)

    definitions = [(order.get(s, s), renamed(e)) for s, e in zip(names, values)]
    known = {(renamed(a), renamed(b)): order.get(s, s) for (a, b), s in table.items()}
    return Parts(definitions, [renamed(e) for e in values[len(names) :]], known)


def _innermost(
    values: Iterable[Expr], known: Collection[tuple[Expr, Expr]], test: Test
) -> tuple[Expr, Expr] | None:
    """The smallest dividend and divisor of both a quotient and a remainder."""
    pairs: dict[type, set[tuple[Expr, Expr]]] = {FloorDiv: set(), Mod: set()}
    for e in values:
        for division in e.atoms(FloorDiv, Mod):
            pairs[type(division)].add(division.args)
    both = [
        (a, b)
        for a, b in pairs[FloorDiv] & pairs[Mod]
        if (a, b) not in known and not _is_shift(b) and test(a, b)
    ]
    return min(both, key=lambda pair: (len(str(pair)), str(pair)), default=None)


def _is_shift(divisor: Expr) -> bool:
    """Whether a division is a shift, and its remainder a mask."""
    return isinstance(divisor, Exp2) or bool(exponent_of(divisor))


def _divides(e: Expr, pair: tuple[Expr, Expr]) -> bool:
    return any(division.args == pair for division in e.atoms(FloorDiv, Mod))


def _replacement(e: Expr, table: dict[Expr, Expr]) -> Expr:
    """The expression with such parts replaced, the outermost first."""
    done: dict[Expr, Expr] = {}

    def visit(x: Expr) -> Expr:
        if x in table:
            return table[x]
        if x.args and x not in done:
            args = [visit(a) for a in x.args]
            done[x] = x if all(p is q for p, q in zip(args, x.args)) else x.func(*args)
        return done.get(x, x)

    return visit(e)
