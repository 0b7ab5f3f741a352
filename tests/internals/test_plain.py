"""Values by compiled functions, and ratios by arrays, are those of the expressions themselves."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.plain import OFTEN, function
from symlayout.expr.terms import (
    BitAnd,
    BitOr,
    BitXor,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    Where,
    ceildiv,
    symbol,
    value,
)
from symlayout.expr.tree import Add, Expr, Integer
from symlayout.prove.measures import falls, largest

X, M = symbol("i"), symbol("M")
KINDS = (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod, Min, Max, BitAnd, BitOr, BitXor)


def expression(rng: random.Random, depth: int) -> Expr:
    if depth == 0:
        return rng.choice([X, M, Integer(rng.randint(-7, 7))])
    a, b = (expression(rng, depth - 1) for _ in range(2))
    kind = rng.choice(KINDS)
    if rng.random() < 0.4:
        return rng.choice([a + b, a - b, a * b, a**2])
    if kind in (Min, Max, BitAnd, BitOr, BitXor):
        return kind(a, b)
    return kind(a, b if b != 0 else M)


def told(e: Expr, env: dict[str, int]) -> int | str:
    try:
        return value(e, env)
    except LayoutError as error:
        return f"{error.code} {error.message}"


def test_a_function_has_the_values_and_errors_of_its_expression() -> None:
    rng = random.Random(3)
    for n in range(150):
        try:
            e = expression(rng, 1 + n % 4)
        except LayoutError:
            continue  # a division by 0 as it is written
        points = [{"i": rng.randint(-40, 40), "M": rng.randint(-3, 9)} for _ in range(OFTEN + 5)]
        e.usage = None
        first = [told(e, p) for p in points]
        again = [told(e, p) for p in points]  # by now compiled
        e.usage = None
        assert first == again == [told(e, p) for p in points[:1]] + first[1:]


def test_a_function_computes_no_branch_that_is_not_taken() -> None:
    e = Where(X, 1, 0, FloorDiv(5, X))
    run = function(e)
    assert [run({"i": v}) for v in range(-1, 3)] == [0, 0, 5, 2]
    with pytest.raises(ZeroDivisionError):
        function(Where(X, 1, FloorDiv(5, X), 0))({"i": 0})
    assert [value(e, {"i": v % 3}) for v in range(3 * OFTEN)] == [0, 5, 2] * OFTEN


def test_a_sum_may_have_many_terms() -> None:
    e = Add(*[FloorDiv(X, k) for k in range(1, 5000)])
    assert function(e)({"i": 4000}) == sum(4000 // k for k in range(1, 5000))


def test_what_is_no_plain_integer_is_asked_of_the_expression() -> None:
    e = FloorDiv(M, 2) + 1
    for _ in range(OFTEN + 2):
        assert value(e, {"M": np.int64(9)}) == 5  # type: ignore[dict-item]
        with pytest.raises(LayoutError, match="True is not an integer"):
            value(e, {"M": True})
        with pytest.raises(LayoutError, match="no value is given for M"):
            value(e, {})


def test_several_results_of_one_function() -> None:
    run = function(FloorDiv(X, 4), FloorDiv(X, 4) + M)
    assert run({"i": 9, "M": 3}) == (2, 5)


@pytest.mark.parametrize("grown", [8 * ceildiv(M, 8), 128 * ceildiv(M, 128), M, 3 * M + 5, 16])
@pytest.mark.parametrize("given", [range(1, 200), range(5, 900, 3), range(2**62, 2**62 + 9)])
def test_the_largest_ratio_is_that_of_plain_fractions(grown: Expr, given: range) -> None:
    e = Integer(grown) if isinstance(grown, int) else grown
    expected = max(Fraction(value(e, {"M": v}), value(2 * M, {"M": v})) for v in given)
    assert largest(e, 2 * M, "M", given) == expected


def test_no_ratio_of_what_has_no_elements() -> None:
    assert largest(M, M - 3, "M", range(1, 9)) is None
    assert largest(M, FloorDiv(8, M - 3), "M", range(4, 9)) == Fraction(8)


@pytest.mark.sample(7)
@pytest.mark.parametrize("t", [2, 3, 8, 128, 4096])
@pytest.mark.parametrize("facts", ["M >= 1", "M >= 7", "M % 12 == 5", "M <= 100", "M >= 300"])
def test_a_ratio_that_is_said_to_fall_does(t: int, facts: str) -> None:
    known = Facts.read(facts)
    domain = known.domain("M")
    last = domain.first + domain.modulus * 2048 - 1
    seen = range(domain.first, min(last, domain.last or last) + 1, domain.modulus)
    first = seen[-1] + domain.modulus
    beyond = range(first, first if domain.last else first + 9 * t, domain.modulus)
    for grown in (t * ceildiv(M, t), 2 * t * ceildiv(M, 2 * t), t * ceildiv(ceildiv(M, 3), t) * 3):
        worst = largest(grown, M, "M", seen)
        assert worst is not None
        assert falls(grown, M, worst, known) or t > 128
        for limit in (worst, worst / 2, Fraction(1), Fraction(1001, 1000), Fraction(4)):
            if falls(grown, M, limit, known):
                assert all(Fraction(value(grown, {"M": v}), v) <= limit for v in beyond)
    assert not falls(t * ceildiv(M, t), M, Fraction(1), known) or domain.last


def answer(facts: Facts, env: dict[str, int]) -> object:
    try:
        return facts.holds(env)
    except LayoutError as error:
        return error.code, error.message


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["i < M", "i // M >= 1", "i % (M - 3) == 0"],
        ["8 // (i - 2) < 9", "M != 4"],
        ["M != 4", "i*M*2**40 > 5", "ceildiv(i, M) <= i + 2"],
        ["i >= 0", "2**i >= M"],
        ["i < 3", "i**9 * M**9 <= 10**60"],
    ],
)
def test_facts_that_are_asked_often_answer_as_each_relation_does(texts: list[str]) -> None:
    many = [{"i": i, "M": m} for i in (-5, -1, 0, 1, 2, 3, 7) for m in (-3, 0, 1, 3, 4, 2**5000)]
    many += [{"i": 3}, {"i": True, "M": 2}]
    expected = [answer(Facts.read(texts), env) for env in many]
    facts = Facts.read(texts)
    again = [[answer(facts, env) for env in many] for _ in range(3)]
    assert again == [expected] * 3
    assert pickle.loads(pickle.dumps(facts)) == facts
