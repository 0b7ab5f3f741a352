"""XLA's indexing maps: `(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 7], s0 in [0, 3]`."""

from __future__ import annotations

import re

from symlayout.expr.conditions import Both, Condition, all_of, comparison
from symlayout.expr.reader import Scanner, expression_at
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr
from symlayout.layouts.doors.affine import affine_parts, box_at
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.text.patterns import regex

FLAG = regex(r"is_simplified\s*:\s*(?:true|false)")
NAMED = regex(r"([A-Za-z_]\w*)\s+in\s*\[", re.A)


def read_indexing_map(text: str) -> IndexFunction:
    """The index function of an indexing map: its ranges are the domain, its constraints the guard.

    >>> print(read_indexing_map("(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 63]"))
    map d0 < 64: (d0//8, d0%8)

    Dimensions, symbols and values of run time are all variables, in this order; the bounds are in
    the domain, and may be sizes.  Behind them a box may stand, `in (8, 8)`.  Raises `LayoutError`
    with the place of the mistake.
    Source: XLA's documentation of indexing analysis.
    """
    s = Scanner(text, language="python")
    dims, symbols, results = affine_parts(s)
    s.take(",")
    s.expect("domain", "behind the results")
    s.expect(":", "behind domain")
    ranges: dict[str, tuple[Expr, Expr]] = {}
    tests: list[Condition] = []
    names = [*dims, *symbols]
    while not s.done():
        if s.match(FLAG) is not None:
            s.take(",")
            continue
        at = s.skip()
        named = NAMED.match(text, at)
        e = expression_at(s)
        s.expect("in", "behind what is bounded")
        low, high = _interval(s)
        if named is not None and named[1] in names:
            if named[1] in ranges:
                raise s.error("SL201", f"the range of {named[1]} is given twice", at)
            ranges[named[1]] = low, high
        else:
            tests.append(Both(comparison("<=", low, e), comparison("<=", e, high)))
        if not s.take(","):
            break
    box = box_at(s, names, len(results))
    s.end("the indexing map")
    for name in names:
        if name not in ranges:
            raise s.error("SL101", f"the domain has no range for {name}: write {name} in [0, 7]")
    own = {symbol(n) for n in names}
    for low, high in ranges.values():
        if own & (low.free_symbols | high.free_symbols):
            raise s.error("SL201", "a range speaks of numbers and sizes alone")
    variables = tuple(Variable(n, ranges[n][0], ranges[n][1] + 1) for n in names)
    if not variables:
        raise s.error("SL403", "a map without dimensions has nothing to be asked about", 0)
    return IndexFunction(variables, results, box, all_of(tests), tupled=len(results) != 1)


def _interval(s: Scanner) -> tuple[Expr, Expr]:
    """`[0, 7]`, both ends within."""
    s.expect("[", "before the interval")
    low = expression_at(s)
    s.expect(",", "between the ends")
    high = expression_at(s)
    s.expect("]", "behind the interval")
    return low, high
