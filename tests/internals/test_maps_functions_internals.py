"""Properties of internal modules; `tests/test_maps_functions.py` tests the public interface."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from symlayout import IndexMap, LayoutError, parse
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Operation, symbol, value
from symlayout.layouts.maps.reader import read_map
from symlayout.prove.maps.undone import solutions


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
    ((letter, found, _),) = solutions(f, Facts(), "injective")
    for sizes in ({"M": 5, "N": 3}, {"M": 2, "N": 9}):
        for point in product(*[range(sizes.get(v.name, 9)) for v in f.variables]):
            env = {**sizes, **dict(zip((v.name for v in f.variables), point))}
            if all(value(v.low, env) <= x < value(v.high, env) for v, x in zip(f.variables, point)):
                place = {f"{letter}{k}": x for k, x in enumerate(f.at(point, sizes))}
                assert tuple(value(e, {**sizes, **place}) for e in found) == point


def test_variables_that_no_result_speaks_of_have_their_first_values() -> None:
    f = read_map("map i < M, 3 <= j < N, k < 4: i in M")
    (_, found, _) = list(solutions(f, Facts(), "onto"))[-1]
    assert [value(e, {"r0": 5, "M": 9, "N": 7}) for e in found] == [5, 3, 0]


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
