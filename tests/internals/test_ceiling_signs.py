"""Ceilings and floors by negative divisors: ceil(a/b) == -((-a)//b) for every b but 0."""

from __future__ import annotations

import itertools

import pytest

from symlayout import prove, simplify
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import value


def test_a_ceiling_by_a_negative_number_is_not_rounded_down() -> None:
    one = "strided f32[1] strides(0) offset 1000+ceildiv((M%4)//4, 0-2)"
    assert prove.equal(one, "strided f32[1] strides(0) offset 1000").proved
    assert prove.equal(one, "strided f32[1] strides(0) offset 1001").refuted


@pytest.mark.parametrize(
    "text",
    [
        "ceildiv(K*K, 0-2)//K",
        "ceildiv(M, 0-K)*K + M",
        "ceildiv(M*K + 1, 0-K)",
        "M//(0-K)",
        "M%(0-K)",
    ],
)
def test_simplify_keeps_the_value(text: str) -> None:
    given = read_expression(text)
    made = simplify(text)
    for m, k in itertools.product(range(1, 7), repeat=2):
        assert value(made, {"M": m, "K": k}) == value(given, {"M": m, "K": k}), made
