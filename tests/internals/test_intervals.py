"""Intervals hold every value of an expression whose symbols lie in theirs, against plain integers."""

from __future__ import annotations

from itertools import product
from math import inf

from hypothesis import given, settings
from hypothesis import strategies as st
from test_emit import expressions

from symlayout.expr.facts import Facts
from symlayout.expr.intervals import allowed, interval
from symlayout.expr.terms import (
    BitAnd,
    BitOr,
    BitXor,
    CeilDiv,
    Exp2,
    FloorDiv,
    Max,
    Mod,
    TruncDiv,
    TruncMod,
    Where,
    as_expr,
    value,
)
from symlayout.expr.tree import Symbol

i, j = Symbol("i"), Symbol("j")
KINDS = (FloorDiv, CeilDiv, Mod, TruncDiv, TruncMod, BitAnd, BitOr, BitXor)
EACH = [kind(a, b) for kind in KINDS for a, b in ((i, j), (i + 2, j - 3), (i * j, j), (3 - i, 2))]
EACH += [Where(i, j, i // 2, j), Max(i // j, 1), Exp2(Max(i, 0)) - j, i**3 - i * j]
EXPRESSIONS = [*EACH, *[as_expr(e) for e in expressions(60)]]


ENDS = st.tuples(st.integers(-9, 9), st.integers(0, 7), st.booleans())


@given(st.sampled_from(EXPRESSIONS), ENDS, ENDS)
def test_every_value_lies_in_the_interval(e, first, second) -> None:
    lies_inside(e, first, second)


@settings(max_examples=12)
@given(ENDS, ENDS)
def test_every_operation_stays_in_its_interval(first, second) -> None:
    for e in EACH:
        lies_inside(e, first, second)


def lies_inside(e, first, second) -> None:
    names = sorted(s.name for s in e.free_symbols)
    ranges, many = {}, []
    for name, (low, more, open_) in zip(names, (first, second, first, second, first)):
        ranges[name] = (low, inf if open_ else low + more)
        many.append(range(low, low + more + 4 * open_ + 1))
    low, high = interval(e, ranges)
    for point in list(product(*many))[:400]:
        try:
            found = value(e, dict(zip(names, point)))
        except (ValueError, ZeroDivisionError):
            continue
        assert low <= found <= high, (str(e), ranges, point)


def test_ends_that_are_met() -> None:
    table = allowed(Facts.read(["M <= 9", "N >= 3"]), ["M", "N"])
    M, N = Symbol("M"), Symbol("N")
    assert interval(FloorDiv(N, M), table) == (0, inf)
    assert interval(CeilDiv(N, M), table) == (1, inf)
    assert interval(Mod(N, M), table) == (0, 8)
    assert interval(TruncDiv(-N, M), table) == (-inf, 0)
    assert interval(M - N, table) == (-inf, 6)
    assert interval(Exp2(M), table) == (2, 512)
    assert interval(Exp2(N), table) == (8, inf)


def test_ends_of_bits_without_signs_are_those_of_their_patterns() -> None:
    table = {"i": (3, 9), "j": (4, 5), "k": (0, inf)}
    k = Symbol("k")
    assert interval(BitOr(i, j), table) == (4, 15)
    assert interval(BitXor(i, j), table) == (0, 15)
    assert interval(BitAnd(i, j), table) == (0, 5)
    assert interval(BitOr(i, k), table) == (3, inf)
    assert interval(BitXor(j, k), table) == (0, inf)
    assert interval(BitAnd(k, -i), table) == (0, inf)
    assert interval(BitXor(i, -j), table) == (-16, 15)
