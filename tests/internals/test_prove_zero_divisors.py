"""What divides by zero has no value, also where the quotient cancels: no claim of it is proved."""

from __future__ import annotations

import pytest
import sympy

from symlayout import prove
from symlayout.expr.facts import Facts
from symlayout.expr.terms import symbol

i, M = symbol("i0"), symbol("M")


@pytest.mark.parametrize(
    "text",
    [
        "i0 + (1//i0) % 1",
        "i0 + 0*(1//i0)",
        "i0 + (1//i0) - (1//i0)",
        "i0 + 0//i0",
        "i0 + 0*(M % i0)",
        "i0*(5//i0)**0",
        "i0 + min(0, 0*ceildiv(1, i0))",
        "i0 + (1//(M - M + i0)) * 0",
    ],
)
def test_a_formula_that_divides_by_zero_is_refuted_there(text):
    made = prove.formula("f32[M]{0}", text)
    assert made.refuted
    assert (made.counterexample.sizes, made.counterexample.coords) == ({"M": 1}, (0,))
    assert "division by zero" in made.counterexample.right
    assert prove.formula("f32[M]{0}", text.replace("//i0", "//(i0+1)")).refuted == (
        text in ("i0 + 0*(M % i0)", "i0 + min(0, 0*ceildiv(1, i0))", "i0 + (1//(M - M + i0)) * 0")
    )


def test_a_divisor_that_is_never_zero_may_cancel():
    for text in ("i0 + 0*(1//M)", "i0 + 1//(M - i0) - 1//(M - i0)", "i0 + 0*(1//(i0 - M))"):
        assert prove.formula("f32[M]{0}", text).proved
    assert prove.formula("f32[M]{0}", "i0 + 0*(1//M)", where="M >= 0").proved  # no element there
    assert prove.formula("f32[M]{0}", "i + 0*(1/i)", language="c").refuted


def test_two_names_of_one_coordinate_do_not_cancel():
    one = sympy.floor(1 / symbol("i0")) - sympy.floor(1 / symbol("i"))
    assert prove.formula("f32[M]{0}", symbol("i") + one).counterexample.coords == (0,)


def test_a_relation_that_divides_by_zero_is_false():
    for text in ("x//y - x//y == 0", "x % y * 0 == 0", "0 <= 0*(1//y)"):
        assert prove.holds(text, where="y >= 0").counterexample.sizes["y"] == 0
        assert prove.holds(text).proved


def test_a_fact_that_divides_by_zero_does_not_hold():
    fact = "x//y - x//y == 0"
    assert not Facts.read(fact).holds({"x": 1, "y": 0})
    assert Facts.read(fact).holds({"x": 1, "y": 1})
    assert not prove.holds("x + y >= 2", where=[fact, "y >= 0"]).refuted
    assert prove.holds("y <= 2", where=[fact, "y >= 0", "symbol x"]).counterexample.sizes["y"] == 3


def test_a_fact_whose_quotients_cancel_is_no_range():
    impossible = "1//y + y == 1//y"  # y == 0, where it divides by zero
    assert Facts.read(impossible).domain("y").low == 1
    assert not prove.holds("y == 0", where=impossible).proved
    assert Facts.read("1//y + y >= 1//y").domain("y").low == 1


def test_sizes_and_strides_that_divide_by_zero_prove_nothing():
    text = "strided f32[4] strides(1 + 0*(4//M))"
    assert prove.bytes(text, 16).proved
    assert not prove.bytes(text, 16, where="M >= 0").proved
    assert not prove.bounded("f32[N]{0}", "N + 0*(1//M)", where=["M >= 0", "N >= M"]).proved
    assert not prove.divides("2 + 0*(1//M)", "4*M", where="M >= 0").proved
