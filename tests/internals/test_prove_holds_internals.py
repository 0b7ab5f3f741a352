"""Properties of internal modules; `tests/test_prove_holds.py` tests the public interface."""

from __future__ import annotations

import itertools
import random

import pytest
import sympy

import symlayout as sl
from symlayout import prove
from symlayout.expr.facts import Facts
from symlayout.expr.terms import symbol

NAMES = ("a", "b", "c", "x")

RANGE = range(5)

FORMS = (
    *("({} + {})", "({} + {})", "({} - {})", "{}*{}", "{}*{}", "({})//{}", "({})%{}"),
    *("ceildiv({}, {})", "min({}, {})", "max({}, {})"),
)


def test_sympy_relations_and_sizes_with_a_least_value() -> None:
    n = symbol("N")
    assert prove.holds(sympy.Ge(n, 1, evaluate=False)).proved
    m = sl.sizes("M", min=4)
    assert prove.holds(sympy.Gt(m, 3, evaluate=False)).proved
    assert prove.holds([sympy.Gt(n, 3), "N < 9"]).claim == 'holds "N > 3 and N < 9"'


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
