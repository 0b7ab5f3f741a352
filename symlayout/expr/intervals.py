"""Numbers between which an expression stays, read off its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from math import inf, prod

from symlayout.expr.facts import Facts
from symlayout.expr.operations import BitAnd, BitOr, BitXor, Where
from symlayout.expr.terms import CeilDiv, Exp2, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol

Range = tuple[float, float]  # of integers or infinities
ALL: Range = (-inf, inf)


def allowed(facts: Facts, names: Iterable[str]) -> dict[str, Range]:
    """The values of symbols, as far as facts about each alone say.

    >>> allowed(Facts.read("M <= 8"), ["M", "N"])
    {'M': (1, 8), 'N': (1, inf)}
    """
    domains = {n: facts.domain(n) for n in names}
    return {n: (d.first, inf if d.last is None else d.last) for n, d in domains.items()}


def interval(e: Expr, known: Mapping[str, Range]) -> Range:
    """Bounds of the expression, wherever it has a value.

    >>> interval(Mod(Symbol("i"), 8) * Symbol("N"), {"i": (0, 99), "N": (1, 4)})
    (0, 28)
    """
    memo: dict[Expr, Range] = {}

    def visit(x: Expr) -> Range:
        if x not in memo:
            memo[x] = _interval(x, known, visit)
        return memo[x]

    try:
        return visit(e)
    except OverflowError:  # a number that no float, and so no infinity, is added to
        return ALL


def _interval(e: Expr, known: Mapping[str, Range], visit: Callable[[Expr], Range]) -> Range:
    if isinstance(e, Integer):
        return (int(e), int(e))
    if isinstance(e, Symbol):
        return known.get(e.name, ALL)
    parts: list[Range] = [visit(a) for a in e.args]
    if isinstance(e, Add):
        return (_total([a for a, _ in parts], -inf), _total([b for _, b in parts], inf))
    if isinstance(e, Mul):
        return reduce(_product, parts)
    if isinstance(e, Pow):
        return reduce(_product, [parts[0]] * int(e.exp)) if int(e.exp) else (1, 1)
    if isinstance(e, (Min, Max)):
        pick = min if isinstance(e, Min) else max
        return (pick(a for a, _ in parts), pick(b for _, b in parts))
    if isinstance(e, Where):
        (a, b), (c, d) = parts[2:]
        return (min(a, c), max(b, d))
    if isinstance(e, (BitAnd, BitOr, BitXor)):
        return _bits(e, *parts)
    if isinstance(e, Exp2):
        low, high = (max(x, 0) for x in parts[0])
        return (2 ** int(min(low, 512)), inf if high > 512 else 2 ** int(high))
    return _division(e, *parts)


def _total(ends: list[float], open: float) -> float:
    return open if open in ends else sum(ends)


def _product(a: Range, b: Range) -> Range:
    ends = [0 if 0 in (x, y) else prod((x, y)) for x in a for y in b]
    return (min(ends), max(ends))


def _bits(e: Expr, a: Range, b: Range) -> Range:
    """In two's complement: a pattern of as many bits as the larger; with no signs, none."""
    if a[0] >= 0 and b[0] >= 0:
        if isinstance(e, BitAnd):
            return (0, min(a[1], b[1]))
        low = max(a[0], b[0]) if isinstance(e, BitOr) else 0
        high = max(a[1], b[1])
        return (low, high if high == inf else 2 ** int(high).bit_length() - 1)
    if isinstance(e, BitAnd) and (a[0] >= 0 or b[0] >= 0):
        return (0, a[1] if a[0] >= 0 else b[1])
    reach = max(-a[0] - 1, a[1], -b[0] - 1, b[1], 0)
    if reach == inf:
        return ALL
    most = 2 ** int(reach).bit_length()
    return (-most, most - 1)


def _division(e: Expr, a: Range, b: Range) -> Range:
    reach = max(abs(b[0]), abs(b[1])) - 1
    if isinstance(e, Mod):
        if b[0] >= 0:
            return (0, min(a[1], reach) if a[0] >= 0 else reach)
        return (b[0] + 1, max(b[1] - 1, 0))
    if isinstance(e, TruncMod):
        return (-min(reach, -a[0]) if a[0] < 0 else 0, min(reach, a[1]) if a[1] > 0 else 0)
    if b[0] < 0:  # the sign of the divisor is open: |a/b| <= |a|
        most = max(map(abs, a))
        return (0, most) if a[0] >= 0 and b[0] >= 0 else (-most, most)
    kind = {FloorDiv: _floor, CeilDiv: _ceiling, TruncDiv: _towards_zero}[e.func]
    least = max(1, b[0])
    ends = [kind(x, y) for x in a for y in (least, max(least, b[1]))]
    return (min(ends), max(ends))


def _floor(a: float, b: float) -> float:
    if b == inf:
        return -1 if a < 0 else 0
    return a if a in (inf, -inf) else int(a) // int(b)


def _ceiling(a: float, b: float) -> float:
    return -_floor(-a, b)


def _towards_zero(a: float, b: float) -> float:
    return _floor(a, b) if a >= 0 else _ceiling(a, b)
