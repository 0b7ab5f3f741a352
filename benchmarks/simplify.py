"""`simplify` on index expressions: divisions left against the ideal, and SymPy's own `simplify` beside.

Divisions are counted as they stand (a quotient, a remainder and a rounded-up quotient are one each, and
one that occurs twice counts twice).  The ideal is worked out by hand; a remainder is not written as
`x - d*(x//d)`, which would save the ideal a division and hide the layout.  SymPy gets the same
expression with its own `floor`, `ceiling` and `Mod`, symbols that are declared positive (sizes) or
non-negative (coordinates), and a time limit.  Every result is compared with what was given at random
points; "wrong" marks one that differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import sympy
from sympy import Expr, Symbol
from timing import OutOfTime, at_most, count_processor_time, measure, milliseconds, table

import symlayout as sl
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import (
    Size,
    ceildiv,
    count_operations,
    free_names,
    substitute,
    to_sympy,
    value,
)
from symlayout.layouts.indexmap import CoordMap, IndexMap
from symlayout.layouts.xla.derivation import pad_reshape_transpose

LIMIT = 20.0  # ms
DIVISIONS = (sympy.floor, sympy.ceiling, sympy.Mod)


@dataclass(frozen=True)
class Case:
    """An expression, what is known of its symbols, and the divisions that its shortest form has."""

    title: str
    given: Expr
    where: tuple[str, ...]
    ideal: int


def sizes(text: str) -> list[Size]:
    """Sizes from a text with commas."""
    return [read_expression(part) for part in text.split(",")]


def ranges(m: CoordMap | IndexMap) -> list[str]:
    """The facts that the coordinates are in range."""
    return [f"0 <= {c} < {d}" for c, d in zip(m.coords, m.shape)]


def texts() -> Iterator[Case]:
    """Expressions as people write them."""
    box = ("0 <= i < M", "0 <= j < N", "0 <= k < K")
    rows: list[tuple[str, tuple[str, ...], int]] = [
        ("8*(i//8) + i%8", ("i >= 0",), 0),
        ("(i//4)//8 + (i//2)//16", ("i >= 0",), 1),
        ("i%32//8*8 + i%8", ("i >= 0",), 1),
        ("((i*N + j)*K + k)//K%N", box, 0),
        ("((i*N + j)*K + k)//(N*K)*N + ((i*N + j)*K + k)%(N*K)//K", box, 0),
        ("(128*i + j)//64", ("i >= 0", "0 <= j < 128"), 1),
        ("(6*i*s + 4*s*j + 2*k)//(2*s)", ("i >= 0", "j >= 0", "0 <= k < s"), 0),
        ("(i*t + j)//t*u + (i*t + j)%t//u", ("i >= 0", "0 <= j < t", "j < u"), 0),
        ("ceildiv(ceildiv(M, 4), 2)", (), 1),
        ("ceildiv(N, 128)*128 - N", ("N % 128 == 0",), 0),
        ("min(i//8, ceildiv(M, 8) - 1)", ("0 <= i < M",), 1),
        ("(i*ceildiv(N, 8)*8 + j)//(ceildiv(N, 8)*8)", ("i >= 0", "0 <= j < N"), 0),
    ]
    for text, where, ideal in rows:
        yield Case(text, read_expression(text), where, ideal)


def reshapes() -> Iterator[Case]:
    """Chains of reshapes and permutes of arrays."""
    array = CoordMap.identity

    def case(title: str, made: CoordMap, expr: Any, ideal: int, *where: str) -> Case:
        return Case(title, sympy.sympify(expr), (*ranges(made), *where), ideal)

    m = array((6, 4)).reshape((3, 8)).reshape((2, 12)).reshape((6, 4))
    yield case("[6,4] > [3,8] > [2,12] > [6,4], row", m, m.exprs[0], 0)
    m = array(sizes("M,N")).reshape(sizes("M*N")).reshape(sizes("M,N"))
    yield case("[M,N] > [M*N] > [M,N], column", m, m.exprs[1], 0)
    m = array(sizes("A,B,C")).reshape(sizes("A,B*C")).reshape(sizes("A*B,C"))
    yield case("[A,B,C] > [A,B*C] > [A*B,C], row", m, m.exprs[0], 0)
    m = array(sizes("A,B,C,D,E")).reshape(sizes("A*B*C,D*E")).reshape(sizes("A,B,C,D,E"))
    yield case("rank 5 merged to rank 2 and back, third", m, m.exprs[2], 0)
    m = array(sizes("A,B,C,D")).transpose((0, 2, 1, 3)).reshape(sizes("A*C,B*D"))
    yield case("[A,B,C,D] permuted 0,2,1,3 and merged, offset", m, m.index_map()._raw, 0)
    m = array(sizes("M,p*q")).reshape(sizes("M,p,q")).transpose((0, 2, 1))
    yield case("[M,p*q] > [M,p,q] permuted 0,2,1, offset", m, m.index_map()._raw, 2)
    m = array(sizes("M,N")).transpose((1, 0)).reshape(sizes("M,N")).reshape(sizes("M*N"))
    yield case("[M,N] transposed > [M,N] > [M*N]", m, m.exprs[0], 0)
    m = array((32, 64)).reshape((32, 4, 16)).transpose((1, 0, 2)).reshape((128, 16))
    yield case("[32,64] > [32,4,16] permuted 1,0,2 > [128,16], offset", m, m.index_map()._raw, 2)
    padded = [ceildiv(d, t) * t for d, t in zip(sizes("M,N"), (8, 128))]
    flat = array(sizes("M,N")).pad(padded).reshape([padded[0] * padded[1]]).reshape(padded)
    yield case("[M,N] padded to 8,128 > flat > back, column", flat, flat.exprs[1], 0)


def tilings() -> Iterator[Case]:
    """Tiles by pad, reshape and transpose; and a layout after its inverse, or before it."""
    for title, text, ideal in (
        ("[M,N] by T(8,128)", "f32[M,N]{1,0:T(8,128)}", 5),
        ("[2048,2048] by T(8,128)", "f32[2048,2048]{1,0:T(8,128)}", 4),
        ("[M,N] by T(s,t)", "f32[M,N]{1,0:T(s,t)}", 5),
        ("[A,B,M,N] by T(8,128)", "f32[A,B,M,N]{3,2,1,0:T(8,128)}", 6),
        ("[M,N] by T(8,128)(2,1)", "bf16[M,N]{1,0:T(8,128)(2,1)}", 7),
        ("[M,N] by T(8,128)(4,1)", "s8[M,N]{1,0:T(8,128)(4,1)}", 7),
    ):
        made = pad_reshape_transpose(text)
        yield Case(f"pad-reshape-transpose of {title}", made._raw, tuple(ranges(made)), ideal)
    whole = ("M % 8 == 0", "N % 128 == 0")
    for text, where in (
        ("f32[M,N]{0,1}", ()),
        ("f32[M,N]{1,0:T(8,128)}", ()),
        ("f32[M,N]{1,0:T(s,t)}", ()),
        ("bf16[M,N]{1,0:T(8,128)(2,1)}", ()),
        ("f32[M,N]{1,0:T(8,128)}", whole),
        ("bf16[M,N]{1,0:T(8,128)(2,1)}", whole),
    ):
        layout = sl.parse(text).index_map()
        back = layout.inverse(where)
        facts = (*ranges(layout), *where)
        title = f"inverse of apply, {text[text.find('{') :]}{', tiles divide' if where else ''}"
        row = substitute(back.exprs[0], {back.coords[0].name: layout._raw})
        yield Case(f"{title}, row", sympy.sympify(row), facts, 0)
        if where:
            offset = substitute(layout._raw, {c.name: e for c, e in zip(layout.coords, back.exprs)})
            title = title.replace("inverse of apply", "apply of inverse")
            facts = (*where, f"0 <= {back.coords[0]} < {layout.size}")
            yield Case(title, sympy.sympify(offset), facts, 0)


# -- SymPy, and the check of results -------------------------------------------------------------------


def declared(e: Expr, where: Sequence[str]) -> Expr:
    """The expression in SymPy's own functions, its symbols declared positive or non-negative."""
    facts = Facts.read(where)
    table = {}
    for s in e.free_symbols:
        low = facts.domain(s.name).low
        kind = {"positive": True} if low >= 1 else {"nonnegative": True}
        table[s] = Symbol(s.name, integer=True, **kind)
    return to_sympy(e).xreplace(table)


def by_sympy(case: Case, limit: float) -> tuple[str, str, float]:
    """The divisions that SymPy's simplify leaves, its seconds, and what is wrong with it."""
    given = declared(case.given, case.where)
    start = time.perf_counter()
    try:
        with at_most(limit):
            made = sympy.simplify(given)
    except OutOfTime:
        return "-", f"> {limit:g} s", limit
    seconds = time.perf_counter() - start
    left = sum(isinstance(x, DIVISIONS) for x in sympy.preorder_traversal(made))
    wrong = any(
        made.subs({s: env[s.name] for s in made.free_symbols}) != value(case.given, env)
        for env in points(case, 12)
    )
    return f"{left}{' wrong' if wrong else ''}", f"{milliseconds(seconds * 1e3)} ms", seconds


def points(case: Case, count: int) -> list[dict[str, int]]:
    """Random values of the symbols that satisfy the facts."""
    facts = Facts.read(case.where)
    names = sorted({*free_names(case.given), *facts.names})
    rng = random.Random(0)
    found: list[dict[str, int]] = []
    for _ in range(200_000):
        env = {}
        for name in names:
            d = facts.domain(name)
            step = rng.choice((0, 1, 2, rng.randrange(9), rng.randrange(200)))
            env[name] = d.first + d.modulus * step
        if facts.holds(env):
            found.append(env)
            if len(found) == count:
                break
    assert found, case.title
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=5.0, metavar="SECONDS", help=(
        "for SymPy's simplify of each expression; 0 leaves it out (5)"
    ))  # fmt: skip
    parser.add_argument("--cpu", action="store_true", help="processor time, on a busy machine")
    options = parser.parse_args()
    if options.cpu:
        count_processor_time()
    rows = []
    good = True
    cases = [*texts(), *reshapes(), *tilings()]
    for case in cases:
        made = sl.simplify(case.given, where=case.where)
        before, left = count_operations(case.given)[0], count_operations(made)[0]
        if any(value(made, env) != value(case.given, env) for env in points(case, 50)):
            raise SystemExit(f"{case.title}: {made} is not equal to what was given")
        taken = measure(partial(sl.simplify, case.given, where=case.where), seconds=0.3)
        within = left <= case.ideal and taken.median <= LIMIT
        good = good and within
        sympys = by_sympy(case, options.limit)[:2] if options.limit > 0 else ("", "")
        counts = [str(before), str(case.ideal), str(left)]
        said = "ok" if within else "OVER" if left <= case.ideal else "LEFT"
        rows.append([case.title, *counts, milliseconds(taken.median), said, *sympys])
    print(f"{len(cases)} expressions; divisions; at most {LIMIT:g} ms each")
    head = ("expression", "given", "ideal", "ours", "ms", "", "SymPy's", "its time")
    print(table(head, rows))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
