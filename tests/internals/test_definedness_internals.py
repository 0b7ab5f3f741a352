"""Properties of internal modules; `tests/test_definedness.py` tests the public interface."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

import symlayout as sl
from symlayout import CoordMap, IndexMap, prove
from symlayout.errors import LayoutError
from symlayout.expr.needs import Need, keeping, needs_of
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import FloorDiv, symbol
from symlayout.layouts.maps.reader import read_map

# -- Python functions ------------------------------------------------------------------------------


def unused(x: Any) -> Any:
    x = 5 // x
    return 0


def taken(x: Any) -> Any:
    return (5 // x) * 0 if x >= 0 else 0


def untaken(x: Any) -> Any:
    return (5 // x) * 0 if x > 0 else 0


def short(x: Any) -> Any:
    return x * 0 if x > 0 and 5 // x > 1 else 0


def long(x: Any) -> Any:
    return x * 0 if 5 // x > 1 and x > 0 else 0


@pytest.mark.parametrize(
    ("function", "low", "defined"),
    [
        (unused, 0, False),
        (unused, 1, True),
        (taken, 0, False),
        (untaken, 0, True),
        (short, 0, True),
        (long, 0, False),
        (lambda x: (7 % x) * 0, 0, False),
        (lambda x: 5 // x - 5 // x, 0, False),
        (lambda x: (5 // x) % 1, 0, False),
        (lambda x: (1 << x) * 0, -1, False),
        (lambda x: (8 >> x) * 0, -1, False),
        (lambda x: (2**x) * 0, -1, False),
        (lambda x: (2**x) * 0, 0, True),
        (lambda x: (5 % x) ** 0 - 1, 0, False),
        (lambda x: divmod(5, x)[0] * 0, 0, False),
        (lambda x: min(5 // x, 3) * 0, 0, False),
        (lambda x: sl.where(x > 0, 5 // x, 0) * 0, 0, False),  # both are computed
        (lambda x: ((5 // x) & 0) | 0, 0, False),
        (lambda x: (x - x + sympy.floor(5 / sympy.Symbol("x"))) % 1, 0, False),
        (lambda x: x * 0 + sympy.floor(5 / sympy.Symbol("x")) * 0, 0, True),  # SymPy folds it
    ],
)
def test_what_a_function_computes_has_to_have_a_value(
    function: Any, low: int, defined: bool
) -> None:
    index = sl.index_map(function, {"x": (low, 2)}, box=1)
    verdict = prove.bounded(index)
    assert verdict.proved == defined, (index, verdict)
    assert prove.bounded(read_map(str(index))).status == verdict.status
    if not defined:
        assert verdict.counterexample.coords == (low,)


def test_a_point_has_no_value_where_a_definition_has_none() -> None:
    f = read_map("map x < 3: t = 0; u = (5 // (x - 1)) * t; (x, u) in (3, 1)")
    assert f(2) == (2, 0)
    for ask in (lambda: f(1), lambda: f.at((1,), {}), lambda: f.coord_map().evaluate([0, 1])):
        with pytest.raises(LayoutError):
            ask()
    (first, second) = read_map("map x < 3: t = 0; u = (5 // (x - K)) * t; (x, u)")(2)
    assert (str(first), second) == ("0%(2 - K) + 2", 0)


def test_a_size_that_cancels_is_a_size_of_the_map() -> None:
    f = read_map("map x < 2: t = 0; K*t + x")
    assert f.names == ("K",)
    assert prove.injective(f).proved
    assert prove.bounded("map x < 2: t = 0; K*t + x in 1").counterexample.sizes == {"K": 1}


# -- maps of coordinates, and the rule itself -------------------------------------------------------


def test_a_composition_has_no_value_where_its_inner_map_has_none() -> None:
    start, x = read_expression("5//K"), symbol("x")
    row = IndexMap.strided((4, 4), (0, 1)).slice((start, 0), (1, 4))
    assert prove.bounded(row).proved
    assert prove.bounded(row, where="K >= 0").counterexample.sizes == {"K": 0}
    inner = CoordMap((2,), (x,), (FloorDiv(7, x),), (8,))
    flat = IndexMap.strided((8,), (0,)).compose(inner)
    assert prove.bounded(flat).counterexample.coords == (0,)


@pytest.mark.parametrize(
    ("text", "divisors"),
    [
        ("(i//N + 3) % (5//K)", ["N", "K", "5//K"]),
        ("(1 << k) * 0", ["max(k + 1, 0)"]),
        ("x//i - x//i", ["i"]),
        ("(4//i if i > 0 else 5//j) * 0", ["i", "j"]),
        ("(4//i if 5//j > 0 else 0) * 0", ["j", "i"]),
        ("(4//i if i > 0 else 0) + 1//i", ["i"]),
        ("(5 % (3//i - 3//i + 2)) | 0", ["i"]),
        ("min(4//i, 4//i)**0", ["i"]),
    ],
)
def test_an_expression_needs_what_is_written_in_it(text: str, divisors: list[str]) -> None:
    e = read_expression(f"({text})")
    assert sorted({str(n.divisor) for n in needs_of(e)}) == sorted(divisors)
    assert read_expression(f"({e})") == e


def test_a_need_is_kept_once_and_not_where_another_one_says_it() -> None:
    i, j = symbol("i"), symbol("j")
    path = ((j, i),)
    e = keeping(j, [Need(i), Need(i), Need(i, path)])
    assert str(e) == "j + 0%i"
    assert keeping(e, [Need(i, path)]) is e
    assert str(keeping(j, [Need(i, path)])) == "j + (0%i if j < i else 0)"
