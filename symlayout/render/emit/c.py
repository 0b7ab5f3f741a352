"""C: a function on int64_t; right for negative operands too, fast where none can occur.

C's `/` and `%` round towards zero, which is floor division where nothing is negative.  Where that
cannot be seen from the expression, a division goes through `floor_div` or `floor_mod`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow, Symbol

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.operations import BITS, Where
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod
from symlayout.render.emit.lines import (
    ATOM,
    PRODUCT,
    Text,
    not_code,
    parameters,
    safe_names,
    share,
    write,
)

_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while bool true false nullptr alignas alignof constexpr
    static_assert thread_local typeof typeof_unqual and or not xor bitand bitor compl new
    delete class public private protected template this namespace operator try catch throw
    using virtual typename friend explicit export mutable int64_t int32_t int16_t int8_t main
    NULL asm linux unix i386 errno stdin stdout stderr INT64_C
"""
RESERVED = frozenset(_WORDS.split())
HELPERS = {
    "floor_div": "static inline int64_t floor_div(int64_t a, int64_t b) {\n"
    "  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}\n",
    "floor_mod": "static inline int64_t floor_mod(int64_t a, int64_t b) {\n"
    "  return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);\n}\n",
    "ceil_div": "static inline int64_t ceil_div(int64_t a, int64_t b) {\n"
    "  return a / b + (a % b != 0 && (a < 0) == (b < 0));\n}\n",
    "min_of": "static inline int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }\n",
    "max_of": "static inline int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }\n",
}
INT64 = 2**63 - 1


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`static inline int64_t name(coordinates, sizes)`, with the helpers that it uses."""
    check_numbers(formula)
    symbols = parameters(layout, formula)
    names = safe_names(symbols, RESERVED, (name, *HELPERS))
    used = set(names.values()) | RESERVED | set(HELPERS) | {name}
    parts, rest = share(formula, used, cost=len("  const int64_t t0 = ;\n"))
    coords = set(layout.coords)
    known = facts.with_least(*symbols)
    low: dict[Symbol, int] = {s: 0 if s in coords else known.domain(s.name).first for s in symbols}
    writer = Writer(low)
    body = []
    for symbol, part in parts:
        names[symbol] = symbol.name
        body.append(f"  const int64_t {symbol.name} = {writer.code(part, names)};")
        bound = least(part, low)
        if bound is not None:
            low[symbol] = bound
    body.append(f"  return {writer.code(rest, names)};")
    helpers = [HELPERS[h] for h in HELPERS if h in writer.used]
    arguments = ", ".join(f"int64_t {names[s]}" for s in symbols) or "void"
    head = f"static inline int64_t {name}({arguments}) {{"
    return "\n".join(["#include <stdint.h>", "", *helpers, head, *body, "}"]) + "\n"


def least(e: Expr, low: Mapping[Symbol, int]) -> int | None:
    """A lower bound that can be read off the expression, or None where none can.

    >>> i, N = Symbol("i"), Symbol("N")
    >>> least(8*FloorDiv(i, 8) + N - 1, {i: 0, N: 1}), least(i - N, {i: 0, N: 1})
    (0, None)
    """
    if isinstance(e, Integer):
        return int(e)
    if isinstance(e, Symbol):
        return low.get(e)
    if isinstance(e, Add):
        return _sum([least(a, low) for a in e.args])
    if isinstance(e, Mul):
        return _product([least(a, low) for a in e.args])
    if isinstance(e, Pow):
        return _product([least(e.base, low)] * int(e.exp))
    bounds = [least(a, low) for a in e.args]
    if isinstance(e, Where):
        return _sum([min(bounds[2:])]) if None not in bounds[2:] else None  # type: ignore[type-var]
    if type(e) in BITS:
        return 0 if all(b is not None and b >= 0 for b in bounds) else None
    if isinstance(e, Max):
        known = [b for b in bounds if b is not None]
        return max(known) if known else None
    if any(b is None for b in bounds):
        return None
    if isinstance(e, Min):
        return _sum([min(b for b in bounds if b is not None)])
    a, b = bounds[0], bounds[1]
    return 0 if a is not None and b is not None and a >= 0 and b >= 1 else None


def _sum(bounds: list[int | None]) -> int | None:
    known = [b for b in bounds if b is not None]
    return sum(known) if len(known) == len(bounds) else None


def _product(bounds: list[int | None]) -> int | None:
    result = 1
    for b in bounds:
        if b is None or b < 0:
            return None
        result *= b
    return result


class Writer:
    """Writes expressions, and notes which helpers they need."""

    def __init__(self, low: Mapping[Symbol, int]) -> None:
        self.low = low
        self.used: set[str] = set()

    def code(self, e: Expr, names: Mapping[Symbol, str]) -> str:
        return write(e, names, self.call).code

    def plain(self, e: Expr) -> bool:
        """Whether C's own division is the floor: dividend >= 0 and divisor >= 1."""
        a, b = (least(x, self.low) for x in e.args)
        return a is not None and b is not None and a >= 0 and b >= 1

    def helper(self, name: str, *arguments: str) -> Text:
        self.used.add(name)
        return Text(f"{name}({', '.join(arguments)})")

    def call(self, e: Expr, visit: Callable[[Expr], Text]) -> Text:
        if isinstance(e, (Min, Max)):
            word = "min_of" if isinstance(e, Min) else "max_of"
            first, *rest = (visit(a).code for a in e.args)
            text = Text(first)
            for other in rest:
                text = self.helper(word, text.code, other)
            return text
        if isinstance(e, Where):
            p, q, x, y = (visit(a).code for a in e.args)
            return Text(f"({p} < {q} ? {x} : {y})")
        if not isinstance(e, (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod)):
            raise not_code(e, "C")
        a, b = e.args
        if isinstance(e, CeilDiv):
            return self.helper("ceil_div", visit(a).code, visit(b).code)
        quotient = isinstance(e, (FloorDiv, TruncDiv))
        if isinstance(e, (TruncDiv, TruncMod)) or self.plain(e):
            left, right = visit(a).at(PRODUCT), visit(b).at(ATOM)
            return Text(f"{left} {'/' if quotient else '%'} {right}", PRODUCT)
        return self.helper("floor_div" if quotient else "floor_mod", visit(a).code, visit(b).code)


def check_numbers(e: Expr) -> None:
    """Raises `LayoutError` (SL401) for a number in the formula that int64_t does not hold."""
    for number in e.atoms(Integer):
        if abs(int(number)) > INT64:
            raise LayoutError("SL401", f"the number {number} of the formula does not fit int64_t")
