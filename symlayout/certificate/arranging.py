"""Coordinates of a case that are arranged in another way: blocks in a row, an exclusive or of bits."""

from __future__ import annotations

from typing import Any

from symlayout.certificate.cases import (
    BITS,
    ZERO,
    Case,
    World,
    goal,
    names_of,
    operands,
    power_of_two,
    read,
    whole_number,
)
from symlayout.certificate.definitions import names_in
from symlayout.certificate.exact import Rejected
from symlayout.certificate.goals import Goals
from symlayout.certificate.part import Goal
from symlayout.certificate.renaming import renamed, same
from symlayout.expr.terms import BitXor, FloorDiv, put, symbol
from symlayout.expr.tree import Expr, Symbol


def blocks(
    g: Goals, w: World, case: Case, i: str, j: str, y: str, size: str, text: str, *results: str
) -> Any:
    """y = P(i) + j, where j < P(i + 1) - P(i): the blocks lie one after the other from P(0) = 0."""
    m, c, (new,) = symbol(i), symbol(j), g.fresh(w.vocabulary | names_of(case), y)
    n, whole = g.of_sizes(w, read(size)), g.of_case(w, case, read(text))
    first, block, count = (whole - c).expand(), case.extent(c), case.extent(m)
    if not names_in(first) <= {*w.names, i} or case.coords.index(m) >= case.coords.index(c):
        raise Rejected(f"{whole} is not a beginning of a block and {j}")
    result = renamed(w, case, [m, c], ((new, n),), {}, results)
    if not names_in(block) <= {*w.names, i} or not names_in(count) <= set(w.names):
        raise Rejected(f"the extents of {i} and {j} speak of other coordinates")
    steps = [goal(">=", block, 0), goal("==", put(first, {m: m + 1}) - first, block)]
    ends = [goal("==", put(first, {m: ZERO}), 0), goal("==", put(first, {m: count}), n)]
    return [
        g.part(w, "blocks", {i: count}, *steps),
        g.part(w, "ends", {}, *ends, goal(">=", count, 0)),
        g.here(w, case, "same", *same(case.results, result.results, {new: whole})),
    ], [result]


def xor(g: Goals, w: World, case: Case, x: str, y: str, size: str, many: str, *texts: str) -> Any:
    """y = x ^ v: each value of [0, 2**k) once for every v below 2**k, as x has them all."""
    c, (new,) = symbol(x), g.fresh(w.vocabulary | names_of(case), y)
    n, k = g.of_sizes(w, read(size)), whole_number(many)
    pairs, results = texts[: 2 * k], texts[2 * k :]
    if not power_of_two(n) or case.extent(c) != n or len(pairs) != 2 * k or not k:
        raise Rejected(f"{x} does not have all values below a power of 2")
    table: dict[Expr, Expr] = {}
    goals: list[Goal] = []
    first: list[str] = []
    for row, (old, text) in enumerate(zip(pairs[::2], pairs[1::2])):
        node, by = read(old), g.of_case(w, case, read(text))
        a, b = operands(node), operands(by)
        if len(a) != len(b) or type(node) is not type(by) or not isinstance(node, BITS):
            raise Rejected(f"{node} and {by} are not the same operation")
        goals += [goal("==", p, q) for p, q in zip(a, b)]
        if row and isinstance(node, BitXor) and sorted(map(str, b)) == first:
            table[node] = new
        elif row == 0:
            first = sorted(map(str, b))
            others = [q for q in b if q != c]
            if len(others) != len(b) - 1 or not isinstance(node, BitXor):
                raise Rejected(f"{by} is not an exclusive or of {c} and others")
            if any(c in q.free_symbols and not moved_down(q, c) for q in others):
                raise Rejected(f"{c} stands on both sides of an exclusive or")
            goals += [g for q in others for g in (goal(">=", q, 0), goal("<", q, n))]
            table[node] = new
        elif c in by.free_symbols:
            raise Rejected(f"{c} stands in another operation on bits")
        else:
            table[node] = table[by] = symbol(f"bits{row}_{y}")
    opaque = [s for s in table.values() if s != new]
    if not (w.vocabulary | names_of(case)).isdisjoint(s.name for s in opaque):
        raise Rejected("a name of the checker's has a meaning already")
    result = renamed(w, case, [c], ((new, n),), {}, results)
    plain = case.every(lambda e: e.xreplace(table))
    orders = {(type(k), *sorted(map(str, operands(k)))): s for k, s in table.items()}
    mirrored = {k for e in result.results for k in e.atoms(*BITS)}
    table |= {
        k: orders[o] for k in mirrored if (o := (type(k), *sorted(map(str, operands(k))))) in orders
    }
    seen = [e.xreplace(table) for e in result.results]
    # the same expressions are the same: they are looked at in the case that is made
    equalities = same(plain.results, seen, {})
    free = g.here(w, case, "same", *equalities)
    free = free._replace(
        box={**free.box, new.name: n},
        names=(*w.names, *dict.fromkeys(s.name for s in opaque)),
    )
    return [g.here(w, case, "xor", *goals), free], [result]


def moved_down(e: Expr, c: Symbol) -> bool:
    """Whether it is `c // 2**j`, for a number j >= 1: each bit of c goes to a lower place."""
    number = isinstance(e, FloorDiv) and e.args[0] == c and e.args[1].is_Integer
    return bool(number and power_of_two(e.args[1]))
