"""Z3's integers with operators of our own are the terms that Z3's operators make."""

from __future__ import annotations

import gc
from operator import add, eq, ge, gt, le, lt, mod, mul, ne, sub, truediv

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from symlayout.expr import whole
from symlayout.expr.whole import (
    applied,
    both,
    choice,
    contrary,
    either,
    implied,
    integer,
    number,
    product,
    replaced,
    total,
    value,
)

CONTEXT = z3.Context()
OPERATORS = [add, sub, mul, truediv, mod, lt, le, gt, ge, eq, ne]
X, Y = z3.Int("x", CONTEXT), z3.Int("y", CONTEXT)
A, B = integer("x", CONTEXT), integer("y", CONTEXT)


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_make_the_terms_of_z3(operator) -> None:
    for theirs, ours in ((X, A), (Y, B), (X + 1, A + 1), (-X, -A)):
        for other, own in ((Y, B), (Y, Y), (0, 0), (-3, -3), (2**70, 2**70)):
            assert operator(theirs, other).eq(operator(ours, own))
            if operator not in (truediv, mod, lt, le, gt, ge, eq, ne):
                assert operator(other, theirs).eq(operator(own, ours))


@pytest.mark.parametrize("operator", [add, sub, mul])
def test_a_term_of_z3_may_come_first(operator) -> None:
    assert operator(X, B).eq(operator(X, Y))


@given(st.integers())
def test_numbers_of_any_size(n: int) -> None:
    assert number(n, CONTEXT).eq(z3.IntVal(n, CONTEXT))
    assert value(number(n, CONTEXT)) == n
    assert value(A) is None


def test_formulas() -> None:
    p, q = A < B, B < 1
    assert both([p, q], CONTEXT).eq(z3.And(X < Y, Y < 1))
    assert either([p, q], CONTEXT).eq(z3.Or(X < Y, Y < 1))
    assert both([], CONTEXT).eq(z3.BoolVal(True, CONTEXT))
    assert either([], CONTEXT).eq(z3.BoolVal(False, CONTEXT))
    assert contrary(p).eq(z3.Not(X < Y))
    assert implied(p, q).eq(z3.Implies(X < Y, Y < 1))
    assert choice(p, A, B).eq(z3.If(X < Y, X, Y))
    assert total([A, B, A]).eq(z3.Sum([X, Y, X]))
    assert product([A, B, A]).eq(z3.Product([X, Y, X]))


def test_functions_and_replacement() -> None:
    whole = z3.IntSort(CONTEXT)
    f = z3.Function("f", whole, whole, whole)
    assert applied(f, [A, B]).eq(f(X, Y))
    assert replaced(A + B, A, B * 2).eq(z3.substitute(X + Y, (X, Y * 2)))


@pytest.mark.explore
def test_terms_that_are_kept_have_their_own_keys() -> None:
    terms = [A + k for k in range(2000)]
    gc.collect()
    assert len({t.key for t in terms}) == len(terms)
    assert [(A + k).key for k in range(2000)] == [t.key for t in terms]
    assert all(t.eq(X + k) for k, t in enumerate(terms))


@pytest.mark.explore
def test_contexts_are_apart() -> None:
    for _ in range(20):
        own = z3.Context()
        x = integer("x", own)
        solver = z3.Solver(ctx=own)
        solver.add(x > 2**40, x * x < 2**80)
        assert str(solver.check()) == "unsat"


@pytest.mark.explore
def test_numbers_that_a_context_no_longer_keeps(monkeypatch) -> None:
    monkeypatch.setattr(whole, "KEPT", 3)
    own = z3.Context()
    x = integer("x", own)
    terms = [x + k for k in range(50)]
    assert len(vars(own)["wholes"]) <= 3
    gc.collect()
    assert [str(t) for t in terms] == [f"x + {k}" for k in range(50)]
    assert all(value(number(k, own)) == k for k in range(50))
