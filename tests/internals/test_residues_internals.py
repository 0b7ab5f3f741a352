"""Properties of internal modules; `tests/test_residues.py` tests the public interface."""

from __future__ import annotations

import operator

from hypothesis import example, given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout.digits.assume import assume
from symlayout.digits.context import Context
from symlayout.digits.residues import holds_in_every_case
from symlayout.digits.windows import window
from symlayout.expr.facts import Facts, read_relations
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import value

coefficient = st.integers(-4, 4)


@given(
    st.lists(coefficient, min_size=2, max_size=4),
    st.integers(2, 9),
    st.integers(0, 8),
    st.sampled_from(["!=", "==", "<=", ">="]),
)
@settings(max_examples=60, deadline=None)
def test_what_residues_say_is_what_numbers_say(line, modulus, rest, op):
    """A polynomial of one symbol modulo a small number takes its values in one period."""
    power = " + ".join(f"({c})*N**{k}" for k, c in enumerate(line))
    claim = f"({power}) % {modulus} {op} {rest}"
    verdict = sl.prove.holds(claim)
    relation = read_relations(claim)[0]
    true = all(relation.holds({"N": n}) for n in range(1, modulus + 1))
    assert verdict.status == ("proved" if true else "refuted"), verdict


def test_a_window_with_a_top_digit_that_may_be_negative_has_its_least_value():
    ctx = Context()
    ctx.residues = True
    assume(ctx, Facts.read("z >= -9"), ["z"], {})
    for text in ("z%6", "z%2"):
        ctx.poly(read_expression(text))
    (root,) = ctx.roots.values()
    assert [ctx.atoms[d].low for d in root.digits] == [0, 0, -2]
    assert ctx.atoms[window(ctx, root, 1, 2)].low == -6
    assert ctx.atoms[window(ctx, root, 0, 1)].low == 0


TERMS = ("N % 4", "M % 3", "min(N % 4, M % 3)", "max(N % 4, 2)", "(N % 4)*(M % 3)//2")

OF_MANY = ("0", "min(M, N)", "max(M % 3, N)", "(M + N)//(N % 4 + 1)", "2**(1000*(N % 4))")


@given(
    st.lists(st.integers(-3, 3), min_size=len(TERMS), max_size=len(TERMS)),
    st.integers(-9, 9),
    st.sampled_from(["==", "!=", ">="]),
    st.sampled_from(OF_MANY),
)
@example([0, 0, 2, 0, 0], -1, "!=", "0")
@example([0, 0, 0, 2, 0], -1, "!=", "0")
@example([0, 0, 0, 0, 2], -1, "!=", "0")
@example([0, 0, 0, 0, 0], 0, "!=", "2**(1000*(N % 4))")
@settings(max_examples=200, deadline=None)
def test_each_case_of_few_values_is_looked_at(factors, constant, kind, more):
    """Where all values are few, what holds in every case is what is true, and else no more."""
    text = " + ".join(f"({c})*({t})" for c, t in zip(factors, TERMS))
    e = read_expression(f"{text} + ({constant}) + {more}")
    ctx = Context()
    ctx.residues = True
    assume(ctx, Facts.read(()), ["M", "N"], {})
    p = ctx.poly(e)
    holds = {"==": operator.eq, "!=": operator.ne, ">=": operator.ge}[kind]
    span = range(1, 13)
    true = all(holds(value(e, {"M": m, "N": n}), 0) for m in span for n in span)
    proved = holds_in_every_case(ctx, p, kind)
    assert true or not proved
    if more == "0":
        assert proved == (true and bool(ctx.resolve(p).atoms))
