"""Points in plain integers: the same whether expressions are run as they are or compiled."""

from __future__ import annotations

import random

import pytest
from maps_random import SIZES, Text

from symlayout.errors import LayoutError
from symlayout.expr.terms import symbol
from symlayout.layouts.maps import read_map
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.maps import walk
from symlayout.prove.maps.walk import Undefined, Walk
from symlayout.prove.run import Effort
from symlayout.prove.search import Unsafe

Points = dict[tuple[int, int], tuple[int, ...]]


def walked(text: str, n: int) -> tuple[Points, object]:
    """The points with their results, and where something is seen to have no value."""
    found: Points = {}
    try:
        for (i, j), place in Walk(read_map(text)).points({"N": n}, [10_000]):
            found[i, j] = place
    except Undefined as where:
        return found, where.args[0]
    return found, None


def by_definition(made: Text, n: int) -> tuple[Points, object]:
    found: Points = {}
    for i, j, size in made.points():
        if size == n:
            place = made.at((i, j, n))
            if place == "undefined":
                return found, (i, j)
            if isinstance(place, tuple):
                found[i, j] = place
    return found, None


@pytest.mark.explore
@pytest.mark.parametrize("often", [1, 2, 10, 10_000])
def test_points_are_those_of_pythons_own_operators(
    monkeypatch: pytest.MonkeyPatch, often: int
) -> None:
    monkeypatch.setattr(walk, "OFTEN", often)
    rng = random.Random(5)
    undefined = guarded = several = 0
    for _ in range(150):
        made = Text(rng)
        try:
            read_map(made.text)
        except LayoutError:
            continue  # a division by 0 as it is written, or too large
        for n in SIZES:
            expected = by_definition(made, n)
            assert walked(made.text, n) == expected, made.text
            undefined += expected[1] is not None
        guarded += bool(made.guard)
        several += len(made.results) > 1
    assert min(undefined, guarded, several) > 20


def test_a_map_without_variables_has_one_point() -> None:
    f = IndexFunction((), (symbol("N") + 1,))
    assert list(Walk(f).points({"N": 4}, [0])) == [((), (5,))]


def test_a_search_looks_at_no_more_points_than_the_effort_allows() -> None:
    looked = []

    def test(sizes: dict[str, int], budget: list[int]) -> None:
        looked.append(sizes)
        budget[0] -= 9

    def all_of(effort: Effort) -> int:
        looked.clear()
        search = walk.searcher(test, effort)
        with pytest.raises(Unsafe):
            search({"N": list(range(1, walk.POINTS))}, None)
        return len(looked)

    assert all_of(Effort(points=100, more=0)) == 10
    assert all_of(Effort(points=100, more=1)) == walk.POINTS // 10
