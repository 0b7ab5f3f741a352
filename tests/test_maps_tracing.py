"""Python functions as people have them: what is traced, and what is told of what cannot be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import symlayout as sl
from symlayout import LayoutError, index_map


class Block:
    width = 8

    def offset(self, i: Any, j: Any) -> Any:
        return i * self.width + j

    def __call__(self, i: Any) -> Any:
        q, r = divmod(i, self.width)
        return q, self.width - 1 - r


def branches(i: Any, j: Any) -> Any:
    if i % 2 == 0:
        return i // 2, j
    return max(i, j), min(i, 3)


def clipped(i: Any) -> Any:
    return i if 0 <= i < 5 else 0


@pytest.mark.parametrize(
    ("function", "sides"),
    [
        (Block().offset, {"i": 4, "j": 8}),
        (Block(), {"i": 40}),
        (branches, {"i": 6, "j": 5}),
        (clipped, {"i": 9}),
        (lambda i: [i // 2, i % 2], {"i": 4}),
        (lambda i, j: sum([i, j, 1]), {"i": 4, "j": 3}),
        (lambda i: ((i // 8) ^ (i % 8)) << 2 | 1, {"i": 64}),
        (lambda i: -(-i // 4) + abs(i - 3) + (i >> 2 & 3), {"i": 30}),
        (lambda i: 1 if i else 7, {"i": 4}),
        (lambda i: sl.where(i < 3, i, 3 - i), {"i": 6}),
        (lambda i: i if (i < 3 and i != 1) or i > 4 else ~i, {"i": 8}),
        (lambda i, j: 1 if (i < 3) == (j < 2) else 0, {"i": 5, "j": 4}),
        (lambda i, j: 1 if (i < 3) != (j < 2) else 0, {"i": 5, "j": 4}),
        (lambda i: 1 if (i < 3) == True else 0, {"i": 5}),  # noqa: E712
        (lambda i: 1 if (i < 3) != True else 0, {"i": 5}),  # noqa: E712
        (lambda i: 1 if (i < 3) == False else 0, {"i": 5}),  # noqa: E712
        (lambda i: 1 if (i < 3) in (True, 7) else 0, {"i": 5}),
        (lambda i, j: 1 if (i < 3) == j else 0, {"i": 5, "j": 4}),
        (lambda i, j: 1 if (i < 3) != j else 0, {"i": 5, "j": 4}),
        (lambda i, j: sl.where((i < 3) & (j > 1), i, j), {"i": 5, "j": 4}),
        (lambda i, j: sl.where((i < 3) | (j > 1), i, 9), {"i": 5, "j": 4}),
        (lambda i, j: sl.where((i < 3) ^ (j > 1), i, 9), {"i": 5, "j": 4}),
        (lambda i: sl.where(True & (i < 3) ^ True, i, 9), {"i": 5}),
    ],
)
def test_the_map_computes_what_the_function_does(
    function: Callable[..., Any], sides: dict[str, int]
) -> None:
    f = index_map(function, sides)
    count = 0
    for point in f.points({}):
        expected = function(*point)
        row = tuple(expected) if isinstance(expected, (tuple, list)) else (expected,)
        assert f.at(point, {}) == row
        count += 1
    assert count == math.prod(sides.values())


def loops(i: Any) -> Any:
    while i > 0:
        i = i - 1
    return i


def halves(i: Any) -> Any:
    made = i + 1
    return made / 2


def fails(i: Any) -> Any:
    raise ValueError("its own")


def deep(i: Any) -> Any:
    return deep(i - 1) + 1


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (loops, "more than 32 conditions.*line.*while i > 0"),
        (halves, "makes a fraction.*line.*made / 2"),
        (fails, "raises ValueError: its own.*line"),
        (deep, "raises RecursionError.*line"),
        (lambda i: len(i), r"len\(\) of it.*line"),
        (lambda i: float(i), r"float\(\) of it.*line"),
        (lambda i: sum(range(i)), r"range\(\).*line"),
        (lambda i: [1, 2][i], "an index.*line"),
        (lambda i: {i: 1}[i], "a key made of it.*line"),
        (lambda i: f"{i}", "a text of it.*line"),
        (lambda i: list(i), "iterating.*line"),
        (lambda i: i * 0.5, "0.5 is not an integer.*line"),
        (lambda i: i << -1, "a shift by a number is by one from 0 to 63.*line"),
        (lambda i: 3**i, "is a power of two.*line"),
        (lambda i: None, "None is not an integer"),
        (lambda i: (i, (i, i)), "is not an integer"),
        (lambda i: "x", "'x' is not an integer"),
        (lambda i: i < 3, "a comparison is not an integer"),
        (lambda i: sl.where(~(i < 3), i, 0), "`not` turns it round.*line"),
        (lambda i: {True: 1, False: 2}[i < 3], "a key made of it.*line"),
        (lambda i: i // 0, "division by zero.*line"),
        (lambda i, j: i, "does not take the domain's variables"),
    ],
)
def test_what_cannot_be_traced_is_told_with_its_line(
    function: Callable[..., Any], said: str
) -> None:
    with pytest.raises(LayoutError, match=said):
        index_map(function, {"i": "N"})


def test_further_parameters_are_the_sizes_that_are_spoken_of() -> None:
    def tiled(x: int, K: int, *, G: int, step: int = 1) -> tuple[int, int]:
        return x // K * step, x % K + 0 * G

    f = index_map(tiled, {"x": "K*M"}, box=("M", "K"), where="G >= 2")
    assert str(f) == "map x < K*M: (x//K, x%K) in (M, K)"
    g = index_map(lambda i, s: i + s, {"i": "N"}, where="s <= 4")
    assert g.at((3,), {"N": 9, "s": 4}) == (7,)
    with pytest.raises(LayoutError, match="no value for s") as error:
        index_map(lambda i, s: i + s, {"i": "N"})
    assert "where the domain, the box or a fact speaks of it" in str(error.value.help)
    with pytest.raises(LayoutError, match="no value for N"):
        index_map(eval("lambda i, N, /: i + N"), {"i": "N"})


def test_a_name_is_a_variable_or_a_size() -> None:
    with pytest.raises(LayoutError, match="'N' is a variable"):
        index_map(lambda i, N: i // N, {"i": "N*K", "N": "K"})
    with pytest.raises(LayoutError, match="'i' is a variable"):
        index_map(lambda i: i, {"i": "i + 1"})
    assert str(index_map(lambda i, j: i - j, {"i": "N", "j": "i + 1"})).startswith("map i < N, j <")


def test_facts_say_which_way_is_taken_and_stay_with_the_map() -> None:
    def either(i: Any) -> Any:
        return i if i < 8 else 0

    assert "if" in str(index_map(either, {"i": "N"}).results[0])
    f = index_map(either, {"i": "N"}, where="N <= 8")
    assert str(f.results[0]) == "i"
    assert f.guard is not None
    assert list(f.points({"N": 9})) == []  # where the facts do not hold nothing is said
    assert len(list(f.points({"N": 8}))) == 8
    assert sl.prove.injective(f, where="N <= 8").proved
    with pytest.raises(LayoutError, match="the facts speak of 'i'"):
        index_map(either, {"i": "N"}, where="i <= 8")


def test_a_traced_map_is_called_and_evaluated_like_a_layout() -> None:
    tiles = sl.index_map(lambda i: divmod(i, 8), {"i": "8*K"}, box=("K", 8))
    assert tiles(9) == (1, 1)
    assert [list(a) for a in tiles.evaluate([9, 10], K=2)] == [[1, 1], [1, 2]]
    assert isinstance(tiles.arithmetic, sl.CoordMap)
    rows = sl.index_map(lambda i, j: i * 8 + j, {"i": "K", "j": 8}, box="8*K")
    assert rows(1, 2) == 10
    assert isinstance(rows.arithmetic, sl.IndexMap)
    assert rows.evaluate([1, 0], [2, 7], K=2).tolist() == [10, 7]
    with pytest.raises(LayoutError) as error:
        sl.index_map(lambda i: i, {"i": "K"}, box="K", guard="i < 3").evaluate([1], K=4)
    assert error.value.code == "SL403"


def test_a_value_of_an_earlier_call_is_not_used_in_the_next_one() -> None:
    """The ways of a function are calls; what one way decides says nothing about the others."""
    kept: dict[str, Any] = {}

    def condition(i: Any) -> Any:
        return 1 if kept.setdefault("condition", i < 3) else 2

    def result(i: Any, n: Any) -> Any:
        return kept.setdefault("result", i // n) if i < 3 else kept["result"]

    def operand(i: Any, n: Any) -> Any:
        return i + kept.setdefault("operand", i // n) if i < 3 else i - kept["operand"]

    def choice(i: Any) -> Any:
        c = kept.setdefault("choice", i < 3)
        return sl.where(c, 1, 2) if i < 5 else sl.where(c, 3, 4)

    def inner(i: Any) -> Any:
        index_map(lambda j: j + i, {"j": 8})
        return i

    for function in (condition, result, operand, choice, inner):
        with pytest.raises(LayoutError, match="used outside of the function that it traces"):
            index_map(function, {"i": "n"})
    i = kept["operand"]
    for use in (lambda: i + 1, lambda: bool(i), lambda: i < 2, lambda: bool(kept["condition"])):
        with pytest.raises(LayoutError, match="used outside of the function that it traces"):
            use()
