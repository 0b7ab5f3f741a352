"""Python functions as index functions; pairs of maps that undo each other or never meet."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import symlayout as sl
from symlayout import IndexMap, LayoutError, parse, prove
from symlayout.certificate.kernel import recheck
from symlayout.expr.facts import Facts
from symlayout.expr.operations import Operation
from symlayout.expr.terms import symbol, value
from symlayout.layouts.maps.reader import read_map
from symlayout.prove.maps.undone import solutions

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


@pytest.mark.parametrize(
    "text",
    [
        "map i < N: (i//8, i % 8)",
        "map i < N: (i % 8, i//8)",
        "map i < M, j < N: ((i*N + j)//4, (i*N + j) % 4)",
        "map i < M, j < N: (min(i, j), i - j)",
        "map i < M, j < N: (i - j, max(j, i))",
        "map i < N, j < 8: (j*5 % 8, i - j)",
        "map 2 <= i < M, j < 7: ((j*2 + i) % 7, i)",
        "map i < M, j < 8: (i ^ j, j)",
        "map i < M, j < N: i*N - j",
        "map i < M, j < i: (i - j, 1 - i)",
        "map 2 <= i < 9: i*3",
        "map i < M, j < 4, k < 2: i*8 + (3 - j)*2 + k",
    ],
)
def test_what_undoes_a_map_gives_back_each_point(text: str) -> None:
    f = read_map(text)
    ((letter, found),) = solutions(f, Facts(), "injective")
    for sizes in ({"M": 5, "N": 3}, {"M": 2, "N": 9}):
        for point in product(*[range(sizes.get(v.name, 9)) for v in f.variables]):
            env = {**sizes, **dict(zip((v.name for v in f.variables), point))}
            if all(value(v.low, env) <= x < value(v.high, env) for v, x in zip(f.variables, point)):
                place = {f"{letter}{k}": x for k, x in enumerate(f.at(point, sizes))}
                assert tuple(value(e, {**sizes, **place}) for e in found) == point


def test_variables_that_no_result_speaks_of_have_their_first_values() -> None:
    f = read_map("map i < M, 3 <= j < N, k < 4: i in M")
    (_, found) = list(solutions(f, Facts(), "onto"))[-1]
    assert [value(e, {"r0": 5, "M": 9, "N": 7}) for e in found] == [5, 3, 0]


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


@pytest.mark.parametrize("many", [1, 40])
@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8])
@pytest.mark.parametrize(
    "text",
    [
        "map i < N: i - 2147483648 + i//2*2 - i in N",
        "map i < N: ceildiv(i - 2147483648, 3) + i//2 - i//5 + i//7 in N",
        "map i < N: (i - 2147483648)/3 + i/2 - i/5 + i/7 in N",
        "map i < N: (i - 9223372036854775807)/3 in N",
        "map i < N: min(i, 5000000000) in N",
        "map i < N: i & 8589934591 in N",
        "map i < N: ceildiv(i, -3) + i//-5 + i % -7 in N",
        "map i < N: i/-3 + i%-7 in N",
        "map i < N: i//ceildiv(N - 97, 16) in N",
        "map i < N: t = i//4; t*4 + i%4 in N",
        "map i < N: t = i//4; (t, i - 4*t) in (N, 4)",
    ],
)
def test_arrays_have_the_values_of_points_whatever_their_type_holds(
    text: str, kind: Any, many: int
) -> None:
    f = read_map(text)
    if any(e.has(Operation) for e in f._outputs):
        f = IndexMap((100,), (symbol("i"),), f._outputs[0], 100)
        wanted = [(value(f._raw, {"i": i}),) for i in range(100)]
        made = f.evaluate(np.tile(np.arange(100, dtype=kind), many))
    else:
        wanted = [f.at((i,), {"N": 100}) for i in range(100)]
        made = f.evaluate(np.tile(np.arange(100, dtype=kind), many), N=100)
    columns = made if isinstance(made, tuple) else (made,)
    assert list(zip(*[c.tolist() for c in columns])) == wanted * many


def test_arrays_have_no_value_where_a_definition_has_none() -> None:
    f = read_map("map i < N, j < 5: t = N//j; (i, j) in (N, 5)")
    assert f.evaluate([1], [2], N=7)[1].tolist() == [2]
    with pytest.raises(LayoutError, match="division by zero"):
        f.evaluate([1, 2], [2, 0], N=7)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("f32[N + 1,M]{1,0:T(8,16)}", {"N": 1, "M": 3}),
        ("s8[4,M]{1,0:T(8)(2,1)}", {"M": 9}),
        ("bf16[M,N]{1,0:T(8,128)(2,1)}", {"M": 5, "N": 130}),
        ("f32[N,M,3]{0,1,2:T(4,8)}", {"N": 5, "M": 2}),
    ],
)
def test_an_inverse_is_evaluated_at_the_offsets_of_all_elements(
    text: str, sizes: dict[str, int]
) -> None:
    m = parse(text).index_map()
    grid = list(product(*[range(value(d, sizes)) for d in m.shape]))
    offsets = m.evaluate(*zip(*grid), **sizes)
    assert list(zip(*[c.tolist() for c in m.inverse().evaluate(offsets, **sizes)])) == grid
