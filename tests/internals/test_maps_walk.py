"""Points in plain integers: the same whether expressions are run as they are or compiled."""

from __future__ import annotations

import random

import pytest
from maps_random import SIZES, Text

from symlayout.errors import LayoutError
from symlayout.expr.terms import Where, symbol, value
from symlayout.layouts.maps import read_map
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.maps import walk
from symlayout.prove.maps.rows import Undefined
from symlayout.prove.maps.walk import Walk
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
def test_points_are_those_of_pythons_own_operators() -> None:
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


def events(text: str, n: int, budget: int) -> tuple[list[object], list[int]]:
    """The points with their results, how the walk ends, and what is left of the budget."""
    seen, left = list[object](), [budget]
    try:
        for row in Walk(read_map(text)).points({"N": n}, left):
            seen += [*row, *left]
    except (Undefined, Unsafe) as error:
        seen += [type(error), *error.args]
    return seen, left


@pytest.mark.parametrize(
    "text",
    [
        "map i < N, j < 4: (i//2 + j, i%2)",
        "map i < N, j < N if i < 2 and j < i: i*j",
        "map i < N, j < N if j < 2 and i < 3: i*j",
        "map i < N, j < 5 if i*j < 6 and 8//(j - 2) < 9: i + j",
        "map i < N, j < 5 if 8//(i - 2) < 9 and j < 3: i + j",
        "map i < N, j < 5 if j < 3 and 8//(i - 2) < 9: i + j",
        "map i < N, j < 0 if 8//(i - 2) < 9: i + j",
        "map i < N, j < 5: j//(i - 1)",
        "map i < N, j < 5: ceildiv(j, i - j + 2)",
        "map i < N, j < 5 if i < 1 or j < 2: i + j",
        "map i < N, j < i + 1 if 0 < j: k = i*j; m = k + N; k + m*j",
        "map i < N, j < 3: max(i, j) + min(N, j) + (i ^ j)",
        "map i < N, j < 4: (8//(i - 2) if j > 1 else j)",
        "map i < N, j < 4 if i < 2 or (j != 1 and 6//(j - 3) < 9): (i//j if i < j else 2**i)",
        "map i < N, j < 3: 2**(5000*i*j) % 7",
        "map i < N, j < 3: 2**(i - j)",
        "map i < N, j < 3 if j < i - 9: 2**(5000*i)",
    ],
)
def test_rows_end_as_points_one_by_one(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    for n in (0, 1, 4, 7):
        for budget in (0, 1, 5, 9, 17, 1000):
            found = events(text, n, budget)
            with monkeypatch.context() as patch:
                patch.setattr(Walk, "row", Walk.row_by_row)
                expected = events(text, n, budget)
            assert found[0] == expected[0]
            assert found[1] == expected[1] or expected[1] == [-1] > found[1]


def test_conditions_may_be_nested_as_deep_as_a_text_may_have_them() -> None:
    deep = "j == 50"
    for k in range(49):
        deep = f"(j == {k} {'or' if k % 2 else 'and'} {deep})"
    f = read_map(f"map i < N, j < 99 if {deep}: i + j")
    assert [p for p, _ in Walk(f).points({"N": 1}, [999])] == list(f.points({"N": 1}))


def test_conditionals_may_be_nested_deeper_than_python_indents() -> None:
    e, j = symbol("j") - 99, symbol("j")
    for k in range(100):
        e = Where(j, k, e + 1, j * k)
    f = IndexFunction(read_map("map j < 200: j").variables, (e,))
    for (point,), (result,) in Walk(f).points({}, [999]):
        assert result == value(e, {"j": point})


def test_a_definition_may_have_the_name_of_a_size() -> None:
    f = IndexFunction(
        read_map("map j < N: j").variables,
        (symbol("N") + symbol("k"),),
        _lets=(("k", symbol("N") * 2), ("N", symbol("j") + 1)),
    )
    assert [place for _, place in Walk(f).points({"N": 3}, [9])] == [(7,), (8,), (9,)]
