"""Definedness, against a reading in plain integers of claims with a few small assignments.

Every symbol has a range of its own, negative and zero values included, so that all assignments can
be listed: a claim is proved when it is defined and true at each, and else refuted at the first.
"""

from __future__ import annotations

import itertools
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import IndexMap, prove
from symlayout.expr.facts import Facts
from symlayout.expr.terms import FloorDiv, symbol, value
from symlayout.layouts.demands import Demand
from symlayout.layouts.emptiness import with_emptiness
from symlayout.layouts.spans import Span

NAMES = (("S", "E"), ("M", "N"), ("b", "a"), ("i0", "I"), ("zz", "_q"))
SIZES = ("2", "3", "x", "y", "x-1", "y+1", "x-y", "y-x", "4//x", "x*y", "(x-y)*(x-y)")
STEPS = (*SIZES, "-1", "-x", "0", "5%x", "x//(y-1)", "-x*y", "1-x")


class Undefined(Exception):
    """The claim means nothing at this assignment."""


def at(text, env):
    """The value of an expression of ours."""
    try:
        return eval(text, {}, dict(env))
    except ZeroDivisionError:
        raise Undefined from None


def extent(text, env, least=0):
    made = at(text, env)
    if made < least:
        raise Undefined
    return made


def strided(shape, steps, start, env):
    """Extents, offsets in row-major order, and the buffer's size."""
    sides = [extent(d, env) for d in shape]
    if 0 in sides:
        return sides, [], 0
    strides, first = [at(s, env) for s in steps], at(start, env)
    places = itertools.product(*map(range, sides))
    offsets = [first + sum(c * s for c, s in zip(p, strides)) for p in places]
    return sides, offsets, 1 + max(offsets) - min(0, *offsets)


def tiled(shape, tile, env):
    """The same of a row-major shape with one tile."""
    sides = [extent(d, env) for d in shape]
    widths = [extent(t, env, 1) for t in tile]
    counts = [-(-d // t) for d, t in zip(sides, widths)]
    offsets = []
    for place in itertools.product(*map(range, sides)):
        digits = [c // t for c, t in zip(place, widths)] + [c % t for c, t in zip(place, widths)]
        number = 0
        for digit, size in zip(digits, [*counts, *widths]):
            number = number * size + digit
        offsets.append(number)
    return sides, offsets, prod(counts) * prod(widths)


def true(word, sides, offsets, size, extra):
    if word == "injective":
        return len(set(offsets)) == len(offsets)
    if word == "onto":
        return set(range(size)) <= set(offsets)
    if word == "bounded":
        return all(0 <= x < size for x in offsets)
    if word == "bytes":
        return 4 * size == extra
    assert word == "padding"
    return size <= 2 * prod(sides)


@st.composite
def claims(draw):
    word = draw(st.sampled_from(("injective", "onto", "bounded", "bytes", "padding")))
    rank = draw(st.integers(1, 2))
    shape = [draw(st.sampled_from(SIZES)) for _ in range(rank)]
    kind = draw(st.sampled_from(("strided", "tiled", "nested")))
    steps = [draw(st.sampled_from(SIZES if kind == "tiled" else STEPS)) for _ in range(rank)]
    start = draw(st.sampled_from(("0", "0", "1", "x", "y-1", "3//y"))) if kind == "strided" else "0"
    bytes_ = draw(st.sampled_from(("4", "4*x", "8*x-4", "4*x*y", "12", "0", "4*(x//y)")))
    lows = [draw(st.sampled_from((-2, 0, 1, 1, 2))) for _ in "xy"]
    highs = [low + draw(st.integers(0, 3)) for low in lows]
    ordered = draw(st.sampled_from(("", "", "x > y", "y > x", "x != y")))
    return word, kind, shape, steps, start, bytes_, tuple(zip(lows, highs)), ordered


def text_of(claim, names):
    """The claim as text, with those names for x and y."""
    word, kind, shape, steps, start, bytes_, ranges, ordered = claim
    put = lambda t: t.replace("x", "\0").replace("y", names[1]).replace("\0", names[0])  # noqa: E731
    sizes, strides = (",".join(map(put, part)) for part in (shape, steps))
    layout = {
        "strided": f"strided f32[{sizes}] strides({strides}) offset {put(start)}",
        "tiled": f"f32[{sizes}]{{{','.join(map(str, range(len(shape) - 1, -1, -1)))}:T({strides})}}",
        "nested": f"({sizes}):({strides})",
    }[kind]
    used = {n for n, x in zip(names, "xy") if x in "".join([*shape, *steps, start])}
    facts = [f"{low} <= {n} <= {high}" for n, (low, high) in zip(names, ranges)]
    facts = [f for f, n in zip(facts, names) if n in used or (word == "bytes" and n in put(bytes_))]
    if ordered and len(used) == 2:
        facts.append(put(ordered))
    return layout, put(bytes_), facts, used


def judged(claim):
    """The first assignment at which it fails, in order; "vacuous" or "proved" where there is none."""
    word, kind, shape, steps, start, bytes_, ranges, ordered = claim
    possible = False
    failing = []
    for pair in itertools.product(*[range(low, high + 1) for low, high in ranges]):
        env = dict(zip("xy", pair))
        both = all(x in "".join([*shape, *steps, start]) for x in "xy")
        if ordered and both and not at(ordered, env):
            continue
        possible = True
        try:
            made = tiled(shape, steps, env) if kind == "tiled" else None
            sides, offsets, size = made or strided(shape, steps, start, env)
            good = true(word, sides, offsets, size, at(bytes_, env) if word == "bytes" else 0)
        except Undefined:
            good = False
        if not good:
            failing.append(env)
    return ("refuted" if failing else "proved") if possible else "vacuous", failing


@pytest.mark.explore
@settings(max_examples=250, deadline=None)
@given(claims(), st.permutations(NAMES))
def test_verdicts_are_those_of_plain_integers_whatever_the_names(claim, names):
    word, kind = claim[0], claim[1]
    status, failing = judged(claim)
    seen = []
    for pair in names[:2]:
        layout, bytes_, facts, used = text_of(claim, pair)
        if word == "bytes" and not {n for n in pair if n in bytes_} <= used:
            return  # a size that only the bytes have
        if kind == "nested" and word == "bytes":
            return  # no element type
        more = {"bytes": [bytes_], "padding": ["2"]}.get(word, [])
        verdict = getattr(prove, word)(layout, *more, where=facts)
        assert verdict.status == status, (verdict, layout, facts)
        seen.append(verdict)
        if verdict.refuted:
            found = verdict.counterexample.sizes
            env = {x: found[n] for n, x in zip(pair, "xy") if n in found}
            assert any(all(f[x] == v for x, v in env.items()) for f in failing)
    assert len({v.status for v in seen}) == 1


x, y = symbol("x"), symbol("y")


@pytest.mark.parametrize("stride", [x - y, y - x, x, -x, x * y - 3, (x - y) * (x + y)])
@pytest.mark.parametrize("where", ["x >= -3", "x > y", "y > x", "y == 2*x", "x >= 0"])
def test_the_size_of_a_span_is_its_definition(stride, where):
    """1 + the greatest offset - the least one where that is below 0, whatever the signs are."""
    facts = Facts.read([where, "x <= 5", "y <= 5"])
    m = IndexMap.strided((3, y), (stride, 2), x)
    made = with_emptiness(m, facts).size
    for a, b in itertools.product(range(-3, 6), range(6)):
        env = {"x": a, "y": b}
        if not facts.holds(env) or any(env[n] < facts.domain(n).first for n in env):
            continue
        step = value(stride, env)
        offsets = [a + i * step + 2 * j for i in range(3) for j in range(b)]
        assert value(made, env) == (1 + max(offsets) - min(0, *offsets) if offsets else 0), env


def test_a_size_whose_sign_is_open_is_written_with_max_and_min():
    assert str(Span(0, ((3, x - y),)).size()) == "2*max(x - y, 0) - 2*min(x - y, 0) + 1"
    assert (
        str(with_emptiness(IndexMap.strided((3,), (x - y,)), Facts.read("x > y")).size)
        == "2*x - 2*y + 1"
    )


def test_a_map_of_ones_own_demands_what_it_divides_by():
    i = symbol("i")
    own = IndexMap((8,), (i,), FloorDiv(8, i), 9)
    assert own.demanded == (Demand("the offset", FloorDiv(8, i), None, (8,), (i,)),)
    verdict = prove.bounded(own)
    assert (verdict.status, verdict.counterexample.coords) == ("refuted", (0,))
    assert "divides by 0 at i = 0" in verdict.reason
    assert prove.bounded(IndexMap((8,), (i,), FloorDiv(8, i + 1), 9)).proved
    assert prove.injective(IndexMap((1,), (i,), FloorDiv(8, i), 9)).refuted


def test_a_proof_case_by_case_leaves_the_demands_to_be_proved():
    far = "(b*c - 1000036000099)*(b*c - 1000036000099)"  # 0 at b = 1000003, c = 1000033 alone
    claim = f"a*(a+1) % 2 == 0 and rank({far} - 1 : 1) == 1"
    assert prove.holds(claim, where=["b >= 2", "c >= 2"], budget=100_000).status == "unknown"
    assert prove.holds(f"a*(a+1) % 2 == 0 and rank({far} : 1) == 1").proved
