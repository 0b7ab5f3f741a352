"""Answers do not depend on names, on how they sort, or on the order of facts."""

from __future__ import annotations

import re
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl

SYMBOLS = ("qa", "qb", "qc")
SORTED_OTHERWISE = ("A", "Z", "aa", "Zz", "_x", "N2", "b9", "K", "y", "T0")

leaves = st.sampled_from([*SYMBOLS, *SYMBOLS, "2", "3", "7"])
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: "({} {} {})".format(*t)),
        st.tuples(inner, st.sampled_from(["//", "%"]), leaves).map(
            lambda t: "({} {} {})".format(*t)
        ),
        st.tuples(st.sampled_from(["min", "max", "ceildiv"]), inner, leaves).map(
            lambda t: "{}({}, {})".format(*t)
        ),
    ),
    max_leaves=5,
)
comparisons = st.sampled_from(["<=", ">=", "<", ">", "==", "!="])
relations = st.tuples(expressions, comparisons, expressions).map(" ".join)
layouts = st.lists(st.tuples(leaves, expressions), min_size=1, max_size=3).map(
    lambda rows: "strided f32[{}] strides({})".format(
        ",".join(d for d, _ in rows), ",".join(s for _, s in rows)
    )
)
claims = st.one_of(
    st.tuples(st.just("holds"), relations),
    st.tuples(st.sampled_from(["injective", "onto", "bounded"]), layouts),
    st.tuples(st.just("formula"), st.just("f32[qa,qb]"), expressions.map("i*qb + j + {}".format)),
    st.tuples(st.just("bytes"), layouts, expressions),
    st.tuples(st.just("divides"), expressions, expressions),
)


def renamed(text, names):
    """The text with other names for its symbols."""
    return re.sub(r"\bq[abc]\b", lambda m: names[m.group()], text)


def answer(claim, facts, names):
    """Status and counterexample, in the symbols' own names; or the code of the error."""
    word, *arguments = [renamed(part, names) for part in claim]
    where = [renamed(f, names) for f in facts]
    back = {v: k for k, v in names.items()}
    try:
        verdict = getattr(sl.prove, word)(*arguments, where=where, budget=30_000)
    except sl.LayoutError as error:
        return error.code
    found = verdict.counterexample
    if found is None:
        return verdict.status
    return verdict.status, [(back[n], v) for n, v in found.sizes.items()], found.coords, found.other


@pytest.mark.explore
@given(
    claims,
    st.lists(relations, max_size=2),
    st.permutations(SORTED_OTHERWISE),
    st.permutations(SORTED_OTHERWISE),
)
@settings(max_examples=80, deadline=None)
def test_names_and_the_order_of_facts_change_nothing(claim, facts, one, other):
    used = {s for s in SYMBOLS if any(re.search(rf"\b{s}\b", part) for part in claim)}
    facts = [f for f in facts if set(re.findall(r"\bq[abc]\b", f)) <= used]
    first = answer(claim, facts, dict(zip(SYMBOLS, one)))
    assert answer(claim, facts[::-1], dict(zip(SYMBOLS, other))) == first
    assert answer(claim, facts, dict(zip(SYMBOLS, one))) == first  # asked once more


@pytest.mark.parametrize(("n", "m"), [("M", "N"), ("N", "M")])
def test_sizes_are_named_in_the_order_of_the_text(n, m):
    verdict = sl.prove.holds(f"{n}*{m} != 12")
    assert list(verdict.counterexample.sizes.items()) == [(n, 1), (m, 12)]
    found = sl.prove.onto(f"strided f32[3,2] strides({n}%2, {n}+{m})").counterexample
    assert list(found.sizes) == [n, m]


def test_the_order_of_facts_makes_no_difference() -> None:
    layout = "strided s4[ceildiv(L,2),4] strides(j1-E,ceildiv(L,2))"
    facts = ["j1 != 3", "j1 * L <= 6", "E < j1"]
    assert {sl.prove.onto(layout, where=w).status for w in permutations(facts)} == {"proved"}
