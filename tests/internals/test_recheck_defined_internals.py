"""Properties of internal modules; `tests/test_recheck_defined.py` tests the public interface."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from maps_random import Text
from soundness import maps
from soundness.vanishing import KINDS, Parts, partial
from test_recheck_defined import SEEDS

from symlayout.certificate.cases import read
from symlayout.certificate.definedness import defined
from symlayout.certificate.enumeration import met
from symlayout.certificate.exact import Rejected, Work
from symlayout.certificate.functions import function
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less
from symlayout.expr.terms import symbol, value


def asked(guard: tuple[Condition, ...], at: dict[str, int]) -> bool | None:
    """Whether a demand says something at a point; None where its conditions have no value."""
    try:
        return all(value(c, at) for c in guard)
    except LayoutError:
        return None


def has_values(text: str, at: dict[str, int]) -> bool:
    """Whether the demands of a map's text hold at a point, the first that fails last."""
    for (case,) in function(text).definitions:
        told = asked(case.guard, at)
        if told is None:
            return False  # a condition before it has no value, and a demand says so
        try:
            if told and not met(case, at):
                return False
        except LayoutError:
            return False
    return True


@pytest.mark.explore
@settings(max_examples=150)
@given(SEEDS)
def test_a_text_is_defined_where_pythons_own_operators_have_values(seed: int) -> None:
    made = Text(random.Random(seed))
    try:
        function(made.text)
    except (LayoutError, Rejected):
        return  # a division by 0 as it is written, or too large
    for i, j, n in made.points():
        value = made.at((i, j, n))
        here = {"i": i + 4, "j": j + 3, "N": n}
        assert has_values(made.text, here) == (value != "undefined"), (made.text, here)


@pytest.mark.explore
@settings(max_examples=150)
@given(SEEDS)
def test_what_comes_to_0_is_defined_where_pythons_own_operators_have_values(seed: int) -> None:
    rng = random.Random(seed)
    domain = [("i", "0", "4"), ("j", "0", "3")]
    parts = Parts(domain, "", [], ["i", "j"], ["9", "9"], ["N"])
    for kind in rng.sample([k for k in KINDS if k.__name__ != "ending"], 2):
        kind(rng, parts, partial(rng, parts.names))
    m = maps.taken_apart(" ".join(maps._words(parts.text)))
    judge = maps.Judge(m)
    try:
        function(m.text)
    except (LayoutError, Rejected):
        return
    for i, j, n in product(range(4), range(3), range(1, 4)):
        here = {"i": i, "j": j, "N": n}
        try:
            if judge.value(m.guard or "True", here):
                judge.place(dict(here))
            value = True
        except (ZeroDivisionError, ValueError):
            value = False
        assert has_values(m.text, here) == value, (m.text, here)


@pytest.mark.parametrize(
    ("text", "demands"),
    [
        ("i + j", []),
        ("i // 3 + 5 % 2", []),
        ("i // N", ["N != 0"]),
        ("i // N // M + i // N", ["N != 0", "M != 0"]),
        ("2**i", ["i >= 0"]),
        ("i >> (j - 1)", ["j - 1 >= 0", "2**(j - 1) != 0"]),
        ("2**i * 0", ["max(i + 1, 0) != 0"]),  # as the reader of one text keeps what cancels
        ("i // (j if i < 3 else 1)", ["(j if i < 3 else 1) != 0"]),
        ("(i // j if j < 3 else i % N)", ["j != 0 if j < 3", "N != 0 if 3 < j + 1"]),
        ("i // (1 + (j // N)*0 + j % M)", ["N != 0", "M != 0", "j%M + 1 != 0"]),
    ],
)
def test_the_demands_of_an_expression(text: str, demands: list[str]) -> None:
    box = ((symbol("i"), symbol("N")), (symbol("j"), symbol("N")))
    said = []
    for (case,) in defined(box, [read(text)], Work()):
        assert case.box == box
        conditions = " and ".join(map(str, case.guard))
        said.append(f"{case.results[0]} {case.ops[0]} 0{' if ' if conditions else ''}{conditions}")
    assert sorted(said) == sorted(demands)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("map i < N // M: i", 0),  # of sizes alone: whether or not there is a point
        (
            "map i < 3, j < i // M: j",
            1,
        ),  # of a range that speaks of another variable: at its values
        ("map i < 3: i in 9 // M", 0),
        ("map i < 3 if i // M < 4: i", 1),
        ("map i < 3: t = 0; i // M * t", 1),
        ("map i < 3, j < 2: t = 0; i // M * t", 2),
    ],
)
def test_where_a_demand_is_asked(text: str, points: int) -> None:
    ((case,),) = function(text).definitions
    assert (len(case.box), str(case.results[0]), case.ops) == (points, "M", ("!=",))


def test_of_two_demands_the_one_at_fewer_points_says_nothing_more() -> None:
    f = function("map i < N // M: t = i // M; (i // M if i > 1 else 0) + t")
    assert [(len(c.box), str(c.results[0])) for (c,) in f.definitions] == [(0, "M")]
    f = function("map i < N: (i // M if i > 1 else 0)")
    ((case,),) = f.definitions
    assert isinstance(case.guard[0], Less)
    assert str(case.guard[0]) == "1 < i"
    f = function("map i < N if i > 1 and i < 3: i // M")
    ((case,),) = f.definitions
    assert isinstance(case.guard[0], Both)
