"""Where a polynomial of one unknown is zero or changes its sign, beside all values of a range."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout.digits.roots import MOST_DEGREE, crossings, evaluate

LINES = st.one_of(
    st.lists(st.integers(-60, 60), min_size=1, max_size=5),
    st.lists(st.integers(-9, 9), min_size=1, max_size=4).map(
        lambda zeros: list(map(int, from_zeros(zeros)))
    ),
)


def from_zeros(zeros: list[int]) -> list[int]:
    """The coefficients of the product of all x - z."""
    line = [1]
    for z in zeros:
        line = [b - z * a for a, b in zip([*line, 0], [0, *line])]
    return line


def by_looking(line: list[int], low: int, high: int) -> list[int]:
    """Zeros and the places beside them, and both sides of each change of sign."""
    span = range(low, high + 1)
    values = {x: sum(c * x**k for k, c in enumerate(line)) for x in span}
    zeros = {x for x in span if not values[x]}
    changes = {(x, x + 1) for x in span[:-1] if (values[x] > 0) != (values[x + 1] > 0)}
    beside = {y for x in zeros for y in (x - 1, x, x + 1) if y in values}
    return sorted(beside.union(*changes))


@given(LINES, st.integers(-30, 30), st.integers(-1, 60))
def test_zeros_and_changes_of_sign_are_those_of_all_values(
    line: list[int], low: int, width: int
) -> None:
    expected = by_looking(line, low, low + width) if any(line[1:]) else []
    assert crossings(line, low, low + width) == expected


@given(LINES, st.integers(-30, 30))
def test_without_an_end_all_of_them_are_there(line: list[int], low: int) -> None:
    expected = by_looking(line, low, 130) if any(line[1:]) else []
    assert crossings(line, low, None) == expected


@given(st.lists(st.integers(-60, 60), max_size=5), st.integers(-30, 30))
def test_the_value_is_the_sum_of_the_terms(line: list[int], x: int) -> None:
    assert evaluate(line, x) == sum(c * x**k for k, c in enumerate(line))


@pytest.mark.parametrize("degree", [1, 5, MOST_DEGREE, MOST_DEGREE + 1])
def test_a_degree_has_a_limit(degree: int) -> None:
    line = [-(2**degree), *itertools.repeat(0, degree - 1), 1]
    assert (2 in crossings(line, 0, None)) == (degree <= MOST_DEGREE)
    assert (2 in crossings([*line, 0, 0], 0, None)) == (degree <= MOST_DEGREE)
