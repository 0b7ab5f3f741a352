"""What the fuzzer draws of terms that equal 0 and of run-time sizes, and how it judges them."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from soundness import asking, maps
from soundness.arithmetic import comparisons, evaluate, holds, names_in
from soundness.instructions import LATER, at_run_time
from soundness.judging import judge, least_said
from soundness.truth import AtRunTime
from soundness.vanishing import KINDS, Parts, hidden, nothing, partial

X = {"x": np.arange(-1, 3)}  # -1, 0, 1, 2


@pytest.mark.parametrize(
    ("text", "undefined"),
    [
        ("5 // x * 0", [0, 1, 0, 0]),
        ("5 // x - 5 // x", [0, 1, 0, 0]),
        ("(5 // x) % 1", [0, 1, 0, 0]),
        ("min(7 % x, 7 % x)", [0, 1, 0, 0]),
        ("(1 << x) * 0", [1, 0, 0, 0]),
        ("2**(x - 1) * 0", [1, 1, 0, 0]),
        ("0 * (9 >> x)", [1, 0, 0, 0]),
        ("ceildiv(3, x) * (x - x)", [0, 1, 0, 0]),
        ("5 // x if x > 0 else 1", [0, 0, 0, 0]),
        ("5 // x if x < 1 else 1", [0, 1, 0, 0]),
        ("1 if 5 // x < 9 else 1", [0, 1, 0, 0]),
        ("(5 // x if x > 0 else 5 // (x + 1)) * 0", [1, 0, 0, 0]),
        ("1 if x == 0 or 5 // x < 9 else 2", [0, 0, 0, 0]),
        ("1 if x == 1 or 5 // x < 9 else 2", [0, 1, 0, 0]),
        ("1 if x != 0 and 5 // x < 9 else 2", [0, 0, 0, 0]),
        ("1 if 5 // x < 9 and x != 0 else 2", [0, 1, 0, 0]),
        ("1 if 0 < x < 5 // x else 2", [0, 0, 0, 0]),
        ("1 if 5 > x > 5 // x else 2", [0, 1, 0, 0]),
    ],
)
def test_what_is_written_is_computed_but_for_branches_that_are_not_taken(text, undefined):
    bad = np.broadcast_to(evaluate(text, X)[1], (4,))
    assert bad.tolist() == [bool(b) for b in undefined]


@pytest.mark.parametrize("fact", ["N + (8//(N - 1))*0 >= 1", "N + (1 << (N - 2))*0 >= 0"])
def test_a_fact_that_may_have_no_value_is_no_lower_bound(fact):
    assert not least_said(fact)


@pytest.mark.parametrize("fact", ["N + (8//(N - 1))*0 >= 1", "N + 8%(N - 1) - 8%(N - 1) >= 1"])
def test_a_fact_does_not_hold_where_it_has_no_value(fact):
    assert holds(fact, {"N": np.arange(1, 4)}, 3).tolist() == [False, True, True]


def test_a_term_that_comes_to_0_changes_no_value():
    rng, seen = random.Random(1), Counter[bool]()
    for _ in range(300):
        term = nothing(rng, ["x", "y"], partial(rng, ["x", "y"]))
        for x, y in product(range(-1, 4), repeat=2):
            env = {"x": np.array([x]), "y": np.array([y])}
            value, bad = evaluate(term, env)
            seen[bool(np.any(bad))] += 1
            assert np.any(bad) or int(np.broadcast_to(value, (1,))[0]) == 0, (term, x, y)
    assert min(seen[True], seen[False]) > 1000
    assert hidden(rng, ["x"], "x", False) != "x"


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_every_kind_is_drawn_with_a_value_and_without(kind):
    """Where the map has values these are those that it had before, the guard's own apart."""
    rng, seen = random.Random(kind.__name__), Counter[bool]()
    for _ in range(60):
        parts = Parts([("i", "0", "3"), ("j", "0", "2")], "", [], ["i + N", "j"], ["9", "9"], ["N"])
        kind(rng, parts, partial(rng, parts.names))
        m = maps.taken_apart(" ".join(maps._words(parts.text)))
        drawn = maps.Judge(m)
        for n in (1, 2, 3):
            try:
                places = {(e["i"], e["j"]): drawn.place(e) for e in drawn.points({"N": n})}
                box = [drawn.value(d, {"N": n}) for d in m.box]
            except (ZeroDivisionError, ValueError):
                seen[False] += 1
                continue
            seen[True] += 1
            assert box == [9, 9]
            whole = {(i, j): (i + n, j) for i in range(3) for j in range(2)}
            assert places.items() <= whole.items()
            assert m.guard or places == whole
    assert min(seen[True], seen[False]) > 10


def test_a_lie_about_what_has_no_value_is_seen(monkeypatch):
    proved = SimpleNamespace(proved=True, refuted=False, status="proved", certificate=None)
    monkeypatch.setattr(asking, "verdict", lambda *given: proved)
    for text in (
        "map x < 2 : t = 0 ; x + ( 5 // x ) * t in 2",
        "map x < N : u = 5 // ( x - 1 ) ; x in N",
        "map x < N if x < 1 and 5 // ( x - N + 1 ) > 0 or x < N : x in N",
    ):
        m = maps.taken_apart(text)
        assert "false at" in maps.judged(m, "bounded")[1]
        defined = maps.taken_apart(text.split(" : ")[0].split(" if ")[0] + " : x in 9")
        both = (m, m._replace(box=("9",)))
        assert "false at" in maps.pair_judged(both, "equal")[1]
        assert maps.judged(defined, "injective")[1] == ""


# -- sizes that run time tells ---------------------------------------------------------------------


def by_trying(truth: AtRunTime, env: dict[str, int], values: range) -> bool:
    """Whether some values of the later names make every relation true."""
    for row in product(values, repeat=len(truth.later)):
        here = {n: np.array([v]) for n, v in {**env, **dict(zip(truth.later, row))}.items()}
        if all(holds(need, here, 1)[0] for need in truth.needs):
            return True
    return False


@pytest.mark.explore
def test_what_run_time_tells_is_solved_as_it_is_found_by_trying():
    seen = Counter[Any]()
    for n in range(150):
        claim = at_run_time(random.Random(f"later/{n}"))
        truth = claim.truth
        assert isinstance(truth, AtRunTime)
        assert "?" in claim.args[0]
        assert LATER not in claim.args[0]
        if len(truth.later) > 2 or any(len(w) > 2 and w.isdigit() for w in numbers(truth)):
            continue
        for values in product((1, 2, 4), repeat=len(truth.names)):
            env = dict(zip(truth.names, values))
            row = {x: np.array([v]) for x, v in env.items()}
            if truth.open(row, 1)[0]:
                seen["open"] += 1
                assert by_trying(truth, env, range(-20, 20))
                continue
            assert truth.fails(row, 1)[0] != by_trying(truth, env, range(30)), (claim, env)
            seen[bool(truth.fails(row, 1)[0])] += 1
    assert min(seen[True], seen[False]) > 100


def numbers(truth: AtRunTime) -> list[str]:
    return [
        w for need in truth.needs for pair in comparisons(need) for s in pair for w in s.split()
    ]


@pytest.mark.parametrize(
    ("needs", "later", "false"),
    [
        (["(4) == (q)", "(5) == (q)"], ["q"], True),
        (["(4) == (q)", "(4) == (q)"], ["q"], False),
        (["(q) + (4) == (r)", "(r) == (9)"], ["q", "r"], False),
        (["(q) == (r)", "(4) == (q)", "(r) == (5)"], ["q", "r"], True),
        (["(q) == (r)"], ["q", "r"], False),
    ],
)
def test_equations_hold_together_or_not(needs, later, false):
    truth = AtRunTime((), tuple(needs), tuple(later))
    assert set(later) <= set(names_in(*needs))
    assert bool(truth.fails({}, 1)[0]) == false


def test_a_negative_size_that_run_time_would_tell_is_left_open():
    truth = AtRunTime((), ("(q) + (4) == (3)",), ("q",))
    assert truth.open({}, 1)[0]
    claim = at_run_time(random.Random(0))
    assert judge(claim, ask=lambda c: SimpleNamespace(status="unknown")).status == "unknown"
