"""Python functions as index functions; pairs of maps that undo each other or never meet."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import symlayout as sl
from symlayout import LayoutError, prove, recheck

COLUMNS = "map i < M*N: (i//N, i%N) in (M, N)"

ROWS = "map a < M, b < N: a*N + b in M*N"


def serpentine(i: Any, j: Any) -> Any:
    if i % 2 == 0:
        return i, j
    return i, 5 - j


def nested(i: Any, j: Any) -> Any:
    if i > 2:
        if j == i:
            return abs(i - j) ^ 5
        return -(i // 3) % 4
    return (i << 2) | (j & 3) if i else divmod(j, 4)[1] - (i + 1) ** 2


def chosen(i: Any, j: Any) -> Any:
    return sl.where(i < j, i * 2, ~j >> 1)


@pytest.mark.parametrize("function", [serpentine, nested, chosen, lambda i, j: (j, i, 3)])
def test_a_traced_function_has_the_functions_values(function: Callable[..., Any]) -> None:
    made = sl.index_map(function, {"i": "N", "j": (-2, 6)})
    for i, j in product(range(7), range(-2, 6)):
        wanted = function(i, j)
        assert made.at((i, j), {"N": 7}) == (wanted if isinstance(wanted, tuple) else (wanted,))
    assert sl.parse(str(made)) == made


def test_claims_about_functions() -> None:
    by_eight = sl.index_map(lambda i: divmod(i, 8), {"i": "8*K"}, box=("K", 8))
    assert prove.bijective(by_eight).proved
    assert prove.bijective(sl.index_map(serpentine, {"i": "M", "j": 6}, box=("M", 6))).proved
    wrong = sl.index_map(lambda i, j: (i, 6 - j), {"i": "M", "j": 6}, box=("M", 6))
    assert prove.bijective(wrong).refuted
    guarded = sl.index_map(
        lambda b, t: b * 128 + t, {"b": "ceildiv(n, 128)", "t": 128}, "n", guard="b*128 + t < n"
    )
    assert prove.bijective(guarded).proved


def test_what_a_function_divides_by_counts_where_it_cancels() -> None:
    made = sl.index_map(lambda i: (i // (i - 3)) * 0 + i, {"i": "N"}, box="N")
    assert prove.bounded(made).refuted


@pytest.mark.parametrize(
    "function", [lambda i: i / 2, lambda i: [0, 1][i], lambda i: range(i), lambda i: 3**i, int]
)
def test_what_has_no_meaning_for_all_values_is_an_error(function: Callable[..., Any]) -> None:
    with pytest.raises(LayoutError):
        sl.index_map(function, {"i": "N"})


def test_a_loop_over_ways_without_end_is_an_error() -> None:
    def halved(i: Any) -> Any:
        while i > 0:
            i = i // 2
        return i

    with pytest.raises(LayoutError, match="conditions"):
        sl.index_map(halved, {"i": "N"})


def test_what_is_settled_by_a_choice_on_the_way_is_left_out() -> None:
    text = "map -2 <= i < N, j < M: (M, -1 - (max(N, j) if j != 7 else i)) in (N, 8*N)"
    assert prove.onto(text, where="N == M").refuted
    assert prove.onto(
        "map i < N, j < 2: (max(N, 0) if j == 0 else i) - N in 1", where="N == 1"
    ).proved


def test_maps_that_undo_each_other() -> None:
    assert prove.inverse(COLUMNS, ROWS).proved
    assert prove.inverse("map i < N: N - 1 - i", "map i < N: N - 1 - i").proved
    assert prove.inverse("map i < 4 if i > 0: i - 1", "map i < 3: i + 1").proved
    assert prove.inverse("map i < N: i", "map i < N + 1: i").refuted
    assert prove.inverse("map i < N + 1: i", "map i < N: i").refuted
    assert prove.inverse("map i < N: i", "map i < N if i > 0: i").refuted
    wrong = prove.inverse(COLUMNS, ROWS.replace("a*N", "a*M"))
    assert wrong.counterexample is not None
    assert wrong.counterexample.sizes == {"M": 2, "N": 1}
    with pytest.raises(LayoutError, match="2 results"):
        prove.inverse(COLUMNS, "map i < N: i")


def test_maps_that_never_meet() -> None:
    even, odd = "map i < N: 2*i", "map j < M: 2*j + 1"
    assert prove.disjoint(even, odd).proved
    assert prove.disjoint(even, odd.replace("2*j", "3*j")).refuted
    assert prove.disjoint("map i < N: (i, 0)", "map i < N: (i, 1)").proved
    assert prove.disjoint("map i < N: i", "map N <= i < N + M: i").proved
    assert prove.disjoint("map i < N + 1: i", "map N <= i < N + M: i").refuted
    assert prove.disjoint("map i < N: i//k", "map i < N: 0 - 1 - i", where="k >= 0").refuted


def test_pairs_are_certified() -> None:
    plain = prove.inverse("map i < N: i in N", "map i < N: i in N")
    assert plain.proved
    assert recheck(plain.certificate).ok


@pytest.mark.parametrize("size", ["N", "r", "r0", "i_r", "rr0"])
def test_no_name_of_a_size_is_taken_for_a_result(size: str) -> None:
    for a, b in (
        (f"map i < {size}: 2*i", f"map j < {size}: 2*j + 1"),
        (f"map i < {size}: i + {size}", f"map i < {size}: i"),
        (f"map i < {size}: 3*i*{size}", f"map i < {size}: (3*i + 1)*{size}"),
    ):
        verdict = prove.disjoint(a, b)
        assert verdict.proved
        assert recheck(verdict.certificate).ok
    meeting = prove.disjoint(f"map i < {size}: i", f"map i < {size}: {size} - i")
    assert meeting.refuted


def test_a_formula_of_a_map_is_read_in_its_domain_and_language() -> None:
    assert prove.formula("map i < M, j < N: i*N + j", "j + N*i").proved
    assert prove.formula("map i < M, j < N: i*N + j", "j + M*i").refuted
    even = "map i < N if i % 2 == 0: i//2*2"
    assert prove.formula(even, "i").proved
    assert prove.formula(even, "i + N//N - 1").proved
    assert prove.formula("map i < N: i//2*2", "i").counterexample.coords == (1,)
    below = "map 0 - N <= i < 0: -((0 - i)//2)"
    assert prove.formula(below, "i/2", language="c").proved
    assert prove.formula(below, "i//2", language="python").refuted
