"""The range that facts give a symbol holds every number that satisfies them: listed and compared."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Symbol

from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import SizeSymbol, as_expr, symbol

SOME = settings(max_examples=150, deadline=None, derandomize=True)
OPS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
SMALL = st.integers(-12, 12)
FORMS = (
    "{a}*x + {b} {op} {c}",
    "{c} {op} {b} - {a}*x",
    "x%{m} {op} {b}",
    "x/1 + x%{m} {op} {b}",
    "0*(x/2) + x%{m} == {r}",
    "{r} == x%{m} and x/3 {op} {b}",
    "x//{m} {op} {b}",
    "truncmod(x, {m}) == {r}",
    "x%(0-{m}) == {b}",
    "x*x {op} {c}",
    "x - x + {b} {op} {c}",
    "{a}*x + {b} {op} x//{m} - x//{m}",
    "ceildiv(x, {m}) {op} {b}",
    "min(x, {b}) {op} {c}",
)


@st.composite
def facts_about_x(draw):
    texts = draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=3))
    values = {
        "a": SMALL,
        "b": SMALL,
        "c": SMALL,
        "m": st.integers(1, 6),
        "r": st.integers(-3, 6),
        "op": OPS,
    }
    return [t.format(**{k: draw(s) for k, s in values.items()}) for t in texts]


def inside(facts: Facts, name: str, n: int) -> bool:
    d = facts.domain(name)
    return d.low <= n and (d.high is None or n <= d.high) and n % d.modulus == d.residue


@given(facts_about_x())
@SOME
def test_a_domain_holds_every_number_that_its_facts_allow(texts):
    facts = Facts.read(texts)
    least = min(1, facts.domain("x").low)  # below it only where a fact says so
    allowed = [n for n in range(least, 80) if facts.holds({"x": n})]
    assert all(inside(facts, "x", n) for n in allowed), (texts, facts.domain("x"))
    if facts.domain("x").empty:
        assert not allowed


@given(facts_about_x())
@SOME
def test_a_fact_that_is_all_in_its_domain_adds_nothing(texts):
    for r in Facts.read(texts).relations:
        facts = Facts((r,))
        if r.in_domain:
            for n in range(facts.domain("x").low, 60):
                assert inside(facts, "x", n) == r.holds({"x": n}), str(r)


@given(
    st.lists(st.integers(-3, 3), min_size=2, max_size=3),
    st.integers(-9, 40),
    st.sampled_from(["<", "<=", ">", ">="]),
    st.lists(st.sampled_from(["x >= 0", "y >= -3", "x >= 4", "z <= 5", "y%3 == 2", "x == -2"])),
)
@SOME
def test_a_sum_bounds_its_terms_and_no_more(factors, limit, op, more):
    names = "xyz"[: len(factors)]
    text = " + ".join(f"{k}*{n}" for k, n in zip(factors, names)) + f" {op} {limit}"
    facts = Facts.read([text, *[m for m in more if m[0] in names]])
    ranges = [range(facts.domain(n).low, 16) for n in names]

    def points(k: int = 0):
        if k == len(names):
            yield {}
            return
        for rest in points(k + 1):
            for n in ranges[k]:
                yield {names[k]: n, **rest}

    for env in points():
        if facts.holds(env):
            assert all(inside(facts, n, v) for n, v in env.items()), (text, more, env)


def test_symbols_of_one_name_are_one_symbol():
    x, y = symbol("x"), symbol("y")
    other, least = as_expr(Symbol("x", integer=True, positive=True)), SizeSymbol("x", 2)
    for twin in (other, least):
        facts = Facts((Relation("<=", x - twin + y, symbol("y") * 0 + 10),))
        assert facts.domain("x").high is None  # x cancels: 100 - 100 + 5 <= 10
        facts = Facts((Relation("<=", x + twin + y, symbol("y") * 0 + 10),))
        assert facts.domain("x").high >= 4


def test_huge_numbers_in_facts():
    facts = Facts.read(["x >= " + "9" * 900, "x % " + "7" * 900 + " == 3"])
    d = facts.domain("x")
    assert d.first >= 10**899
    assert d.first % int("7" * 900) == 3
