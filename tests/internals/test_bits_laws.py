"""Operations on bits and powers of two in digits: what is proved of them holds in plain integers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from types import CodeType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout import LayoutError
from symlayout.certificate.cases import beside_number
from symlayout.certificate.exact import Poly, as_poly
from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import ZERO
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import BitAnd, BitOr, BitXor, FloorDiv

NAMES = ("M", "N", "k", "x")
FACTS = (
    *(
        "M == 4",
        "N == 3",
        "N == 6",
        "k == 2",
        "k >= 2",
        "N <= 7",
        "M < 2**k",
        "N < 2**k",
        "M == 2*N",
    ),
    *("M % 4 == 0", "N == 1", "x == 0", "x >= 0", "M >= 5", "x >= -1", "x <= 3"),
)
LEAVES = (
    "M",
    "N",
    "k",
    "x",
    "1",
    "3",
    "5",
    "8",
    "2**k",
    "2**k - 1",
    "M*2**k",
    "4*M",
    "8*N",
    "N % 8",
)
POWERS = ("2**(k*x + 3)", "2**(x + 1)", "2**(M - N + 4)", "2**(k - 1)*2", "2**(k*x)", "2**(2*k)")
Env = dict[str, int]


def drawn(rng: random.Random, deep: int = 2) -> str:
    """An expression."""
    if not deep or rng.random() < 0.2:
        return rng.choice(LEAVES if rng.random() < 0.9 else POWERS)
    a, b = drawn(rng, deep - 1), drawn(rng, deep - 1)
    op = rng.choice(["&", "|", "^", "&", "|", "^", "+", "%", "//"])
    if op in "%//":
        b = rng.choice(["2**k", "4", "2", "8"])
    return f"(({a}) {op} ({b}))"


def related(rng: random.Random, e: str) -> str:
    """What may be equal to it, or a bound of it."""
    a, b = drawn(rng, 1), drawn(rng, 0)
    near = [f"(({a}) ^ ({e}))", f"(({e}) % 2**k)", "0", "2**k", "2**k - 1", "4", "7", a, b]
    if e.count("(") and e[1:-1].count(")"):
        left = e[2:].partition(")")[0]
        near += [left, left, f"({left}) + ({b})"] if left.count("(") == 0 else []
    return rng.choice(near)


@lru_cache
def code(text: str) -> CodeType:
    """The expression compiled."""
    return compile(text, "", "eval")


def value(text: str, env: Env) -> int | None:
    """What Python computes; None where that is undefined."""
    try:
        result = eval(code(text), {}, env)
    except (ZeroDivisionError, TypeError, ValueError):
        return None
    return result if isinstance(result, int) else None


def assignments(facts: list[str]) -> Iterator[Env]:
    """Small sizes that satisfy the facts; `x` may be below 0."""
    for values in product(range(1, 9), range(1, 8), range(1, 4), range(-1, 3)):
        env = dict(zip(NAMES, values))
        if env["x"] < 1 and not {"x == 0", "x >= 0", "x >= -1"} & {*facts}:
            continue  # sizes are at least 1 where nothing else is said
        if all(value(f"int({f})", env) for f in facts):
            yield env


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(8))
def test_what_digits_say_of_bits_holds_in_plain_integers(seed: int) -> None:
    rng, said = random.Random(seed), Counter[str]()
    for _ in range(16):
        facts = rng.sample(FACTS, rng.randint(0, 2))
        every = list(assignments(facts))
        ctx = Context()
        assume(ctx, Facts.read(facts), NAMES, {})
        if not every or ctx.contradiction:
            continue
        for _ in range(12):
            a = drawn(rng)
            b = related(rng, a)
            try:
                rest = ctx.resolve(ctx.poly(read_expression(a)) - ctx.poly(read_expression(b)))
            except (Undecided, LayoutError):
                continue
            values = [(value(a, env), value(b, env)) for env in every]
            known = [(v, w) for v, w in values if v is not None and w is not None]
            if rest == ZERO:
                said["equal"] += 1
                assert all(v == w for v, w in known), (a, b, facts)
            elif ctx.nonneg(rest):
                said["at least"] += 1
                assert all(v >= w for v, w in known), (a, b, facts)
            elif ctx.nonneg(-rest):
                said["at most"] += 1
                assert all(v <= w for v, w in known), (a, b, facts)
    assert all(said[word] > 3 for word in ("equal", "at least", "at most")), said


@pytest.mark.parametrize(
    ("least", "greatest"),
    [
        ("M", "M | N"),
        ("N", "M | N"),
        ("M & N", "M"),
        ("M & N", "N"),
        ("M | N", "M + N"),
        ("M ^ N", "M + N"),
        ("M & N", "7"),
        ("M | N", "15"),
        ("8*M | N", "8*M + N"),
        ("8*M + N", "8*M ^ N"),
        ("8*M & N", "0"),
        ("2**k*M + x % 2**k", "2**k*M | x % 2**k"),
        ("M ^ (M ^ N)", "N"),
    ],
)
def test_what_follows_from_the_bits_is_known(least: str, greatest: str) -> None:
    ctx = Context()
    assume(ctx, Facts.read(["M <= 15", "N <= 7", "x >= 0"]), NAMES, {})
    below, above = (ctx.poly(read_expression(e)) for e in (least, greatest))
    assert ctx.nonneg(above - below)


def of_numbers(word: Any, *operands: Poly) -> Poly:
    """A quotient or a remainder of two numbers; for a division by 1 no certificate has a step."""
    x, d = (sum(c for _, c in p.terms) for p in operands)
    assert d > 1
    return as_poly(x // d if word is FloorDiv else x % d)


@given(st.integers(-300, 300), st.integers(-300, 300))
def test_the_checker_of_certificates_has_bits_of_numbers_as_digits(x: int, c: int) -> None:
    for word, value in ((BitAnd, x & c), (BitOr, x | c), (BitXor, x ^ c)):
        for a, b in ((x, c), (c, x)):
            assert beside_number(word, as_poly(a), as_poly(b), of_numbers) == as_poly(value)
