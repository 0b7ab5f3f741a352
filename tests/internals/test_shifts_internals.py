"""Properties of internal modules; `tests/test_shifts.py` tests the public interface."""

from __future__ import annotations

import json

import numpy as np
import pytest
from certificates import seal
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import recheck
from symlayout.certificate.arranging import moved_down
from symlayout.digits.context import Context
from symlayout.errors import LayoutError
from symlayout.expr.arrays import program
from symlayout.expr.evaluation import evaluate
from symlayout.expr.plain import function
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import Exp2, divisors_of, from_sympy, symbol, to_sympy, value

TEXTS = (
    "i << k",
    "i >> k",
    "1 << k",
    "2**(k + 1) - i",
    "4**k + i",
    "i & ((1 << k) - 1)",
    "i & -(1 << k)",
    "i | 1 << k",
    "i ^ ((1 << k) - 1)",
    "(i >> k) << j",
    "(i << (k + j)) % (1 << j)",
    "i % (1 << k) + (i >> k)",
)

NUMBERS = st.integers(-40, 40)

COUNTS = st.integers(0, 12)


@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=30, deadline=None)
@given(i=NUMBERS, j=COUNTS, k=COUNTS)
def test_it_has_the_value_that_python_computes(text: str, i: int, j: int, k: int) -> None:
    env = {"i": i, "j": j, "k": k}
    e, expected = read_expression(text), eval(text, {}, env)
    assert value(e, env) == expected
    assert value(read_expression(str(e)), env) == expected
    assert function(e)(env) == expected
    sizes = {"j": j, "k": k}
    assert evaluate(e, {"i": [i, i]}, sizes).tolist() == [expected, expected]
    if not e.has(read_expression("a ^ b").func, read_expression("a | b").func):
        assert value(from_sympy(to_sympy(e)), env) == expected


@pytest.mark.parametrize("text", [*TEXTS, "0 << k", "(1 << k) - (1 << k)", "(i << k) % 1"])
def test_it_has_no_value_where_the_count_is_negative(text: str) -> None:
    e = read_expression(text)
    assert divisors_of(e)
    with pytest.raises(LayoutError) as error:
        value(e, {"i": 5, "j": 2, "k": -3})
    assert error.value.code == "SL202"


def test_huge_counts_are_told_and_not_computed() -> None:
    e = read_expression("1 << k")
    for compute in (lambda: value(e, {"k": 10**9}), lambda: Exp2(10**9)):
        with pytest.raises(LayoutError) as error:
            compute()
        assert error.value.code == "SL204"
    with pytest.raises(LayoutError) as error:
        evaluate(e, {}, {"k": 10**9})
    assert error.value.code in ("SL204", "SL401")
    run = program(e).python(("k",))
    with pytest.raises(OverflowError):
        run(np, np.array([10**9], dtype=object))


@pytest.mark.parametrize("text", ["((1 << a) << b)", "1 << (a + b)", "2**a*2**b"])
def test_one_power_has_one_polynomial(text: str) -> None:
    ctx = Context()
    assert ctx.poly(read_expression(text)) == ctx.poly(Exp2(symbol("b") + symbol("a")))


def test_a_traced_function_shifts_by_its_arguments() -> None:
    K = symbol("K")
    made = sl.index_map(lambda i, k: (i << k) + (1 << k) + 2**k + (i >> K), {"i": "N", "k": 5})
    assert [made.at((i, k), {"N": 9, "K": 2})[0] for i, k in ((3, 0), (5, 4))] == [5, 113]
    masked = sl.index_map(lambda i: i & (2**K - 1), {"i": "N"})
    assert str(masked.results[0]) == "i%(2**K)"


@pytest.mark.parametrize("word", ["c//2**K", "c//1", "c//3", "d//2", "c*2", "c"])
def test_only_a_shift_by_a_number_moves_every_bit_down(word: str) -> None:
    """`c ^ (c >> K)` is 0 where K is 0: the checker takes no power of a size for a shift."""
    c = symbol("c")
    assert not moved_down(read_expression(word), c)
    assert moved_down(read_expression("c//4"), c)


@pytest.mark.explore
def test_an_exclusive_or_with_itself_shifted_by_a_size_is_no_bijection() -> None:
    verdict = sl.prove.bijective("map c < 8: c ^ (c >> K) in 8", where=["K >= 0"])
    assert verdict.status == "refuted"
    assert verdict.counterexample.sizes == {"K": 0}
    gray = sl.prove.bijective("map c < 8: c ^ (c//2) in 8").certificate
    text = json.dumps(gray).replace("c//2", "c//2**K")
    forged = json.loads(text)
    forged["facts"], forged["sizes"] = ["K >= 0"], {"K": 1}
    forged.pop("seal")
    answer = recheck({**forged, "seal": seal(forged)})
    assert not answer.ok
    assert "both sides of an exclusive or" in answer.failures[0]
