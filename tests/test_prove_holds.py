"""The claim `holds`: relations between integer expressions, against all small numbers."""

from __future__ import annotations

import itertools
import random

import pytest
import sympy

import symlayout as sl
from symlayout import LayoutError, prove
from symlayout.expr.facts import Facts
from symlayout.expr.terms import symbol

NAMES = ("a", "b", "c", "x")
RANGE = range(5)
FORMS = (
    *("({} + {})", "({} + {})", "({} - {})", "{}*{}", "{}*{}", "({})//{}", "({})%{}"),
    *("ceildiv({}, {})", "min({}, {})", "max({}, {})"),
)


@pytest.mark.parametrize(
    ("relation", "where"),
    [
        ("(L*d + e)//d == L", ["0 <= e < d", "L >= 0"]),
        ("(L*d + e) % d == e", ["0 <= e < d", "L >= 0"]),
        ("0 <= L*d + e < P*d", ["0 <= e < d", "0 <= L < P"]),
        ("0 <= x//d < P", ["0 <= x < P*d"]),
        ("(x//m) % d == x//m", ["0 <= x < m*d"]),
        ("ceildiv(ceildiv(d, a), b) == ceildiv(d, a*b)", []),
        ("ceildiv(d, t)*t == d", ["d % t == 0"]),
        ("ceildiv(d, t)*t > d", ["d % t != 0"]),
        ("x == y", ["x//d == y//d", "x % d == y % d"]),
        ("x*y != 0", []),
        ("x != y", ["x != y"]),
        ("min(r, d - 1) == 0 and max(r, 1) >= r", ["r >= 0", "d == 1"]),
        ("min(x, y) + max(x, y) == x + y", []),
        ("min(x, 7) + max(x, 7) == x + 7", ["x >= -9"]),
        ("max(x, y) - min(x, y) == abs(x - y)", []),
        ("min(x + z, y + z) == min(x, y) + z", ["z >= -3"]),
        ("min(x, y, z) + max(-x, -y, -z) == 0", []),
        ("1 < 2", []),
        ("a < c", ["a < b", "b < c"]),
        ("a <= d", ["a < b", "b < c", "c <= d"]),
    ],
)
def test_what_is_true_of_all_numbers(relation: str, where: list[str]) -> None:
    verdict = prove.holds(relation, where=where)
    assert verdict.proved, verdict
    quote = "'" if "!" in relation else '"'  # in double quotes a shell reads "!" as its history
    assert verdict.claim == f"holds {quote}{relation}{quote}"


@pytest.mark.parametrize(
    ("relation", "where", "sizes", "left", "right"),
    [
        ("L*d + e < P*d", ["0 <= e < d", "0 <= L <= P"], {"L": 1, "d": 1, "e": 0, "P": 1}, 1, 1),
        ("x < 3", [], {"x": 3}, 3, 3),
        ("0 <= x < 3", [], {"x": 3}, 3, 3),
        ("x != 4", ["x % 2 == 0"], {"x": 4}, 4, 4),
        ("x//y*y == x", [], {"x": 1, "y": 2}, 0, 1),
        ("x == y", ["x//d == y//d", "symbol d"], {"x": 1, "y": 2, "d": 3}, 1, 2),
        ("1 > 2", [], {}, 1, 2),
    ],
)
def test_what_is_not_has_the_smallest_numbers(
    relation: str, where: list[str], sizes: dict[str, int], left: int, right: int
) -> None:
    found = prove.holds(relation, where=where).counterexample
    assert found is not None
    assert list(found.sizes.items()) == list(sizes.items())
    assert (found.coords, found.left, found.right) == ((), left, right)


def test_a_division_by_zero_is_no_truth() -> None:
    found = prove.holds("N//D <= N", where="D >= 0").counterexample
    assert found is not None
    assert found.sizes == {"N": 1, "D": 0}
    assert "division by zero" in str(found.left)


def test_facts_that_contradict_prove_nothing() -> None:
    assert prove.holds("x == x + 1", where=["x >= 3", "x <= 2"]).status == "vacuous"


def test_sympy_relations_and_sizes_with_a_least_value() -> None:
    n = symbol("N")
    assert prove.holds(sympy.Ge(n, 1, evaluate=False)).proved
    m = sl.sizes("M", min=4)
    assert prove.holds(sympy.Gt(m, 3, evaluate=False)).proved
    assert prove.holds([sympy.Gt(n, 3), "N < 9"]).claim == 'holds "N > 3 and N < 9"'


@pytest.mark.parametrize("bad", ["", "x", "x = 1", "x <", [], None, 3, True])
def test_what_is_no_relation(bad: object) -> None:
    with pytest.raises(LayoutError) as caught:
        prove.holds(bad)
    assert caught.value.code in ("SL200", "SL300")


def test_facts_about_something_else_are_refused() -> None:
    with pytest.raises(LayoutError) as caught:
        prove.holds("x >= 1", where="y >= 2")
    assert caught.value.code == "SL301"


def _term(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*NAMES, *NAMES, "1", "2", "3"])
    left, right = _term(rng, depth - 1), _term(rng, depth - 1)
    form = rng.choice(FORMS)
    if "//" in form or "%" in form or "ceil" in form:
        right = rng.choice(["a", "b", "2", "3"])
    return form.format(left, right)


@pytest.mark.parametrize("seed", range(60))
def test_random_relations_agree_with_every_small_number(seed: int) -> None:
    """Half are true: they compare two spellings of one value, or a value with its bound."""
    rng = random.Random(seed)
    e, d = _term(rng, 2), rng.choice(["a", "b", "3"])
    relation = rng.choice(
        [
            f"{e} {rng.choice(['<=', '<', '==', '!=', '>='])} {_term(rng, 2)}",
            f"({e})//{d}*{d} + ({e})%{d} == {e}",
            f"0 <= ({e})%{d} < {d}",
            f"{e} <= ceildiv({e}, {d})*{d}",
            f"{e} < ceildiv({e}, {d})*{d}",
        ]
    )
    used = Facts.read(relation).names
    facts = ["0 <= x < c", "x >= 0", "c % a == 0", "a <= b", "b != c", "a == 2"]
    where = [f for f in rng.sample(facts, 2) if Facts.read(f).names <= used]
    verdict = prove.holds(relation, where=where, budget=20_000)
    wanted, known = Facts.read(relation), Facts.read(where)
    low = {n: known.domain(n).low for n in NAMES}
    points = (dict(zip(NAMES, p)) for p in itertools.product(RANGE, repeat=4))
    points = (p for p in points if all(p[n] >= low[n] for n in NAMES) and known.holds(p))
    false = any(not wanted.holds(p) for p in points)
    if verdict.proved:
        assert not false
    if verdict.counterexample is not None:
        sizes = verdict.counterexample.sizes
        assert known.holds(sizes)
        assert not wanted.holds(sizes)
    if false:
        assert verdict.refuted
