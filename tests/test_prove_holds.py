"""The claim `holds`: relations between integer expressions, against all small numbers."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, prove


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


@pytest.mark.parametrize("bad", ["", "x", "x = 1", "x <", [], None, 3, True])
def test_what_is_no_relation(bad: object) -> None:
    with pytest.raises(LayoutError) as caught:
        prove.holds(bad)
    assert caught.value.code in ("SL200", "SL300")


def test_facts_about_something_else_are_refused() -> None:
    with pytest.raises(LayoutError) as caught:
        prove.holds("x >= 1", where="y >= 2")
    assert caught.value.code == "SL301"
