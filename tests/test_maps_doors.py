"""Index functions that are no texts: SymPy's operators, maps made by hand, traced functions."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

import symlayout as sl
from symlayout import IndexMap, prove, recheck

i, j, M, N = sympy.symbols("i j M N", integer=True)


@pytest.mark.parametrize(
    "made",
    [
        IndexMap((64,), (i,), i // 8 * 8 + i % 8, 64),
        IndexMap((N,), (i,), (i + 3) % N, N),
        IndexMap((M, N), (i, j), i * N + sympy.Mod(i + j, N), M * N),
    ],
)
def test_sympy_divides_integers_in_a_map_made_by_hand(made: IndexMap) -> None:
    verdict = prove.bijective(made)
    assert verdict.proved, verdict
    assert recheck(verdict.certificate).ok


def halves(i: Any) -> Any:
    if i % 2 == 0:
        return i // 2
    return sympy.Symbol("N") + i // 2


def test_a_function_forks_and_takes_sympy_sizes() -> None:
    verdict = prove.bijective(sl.index_map(halves, {"i": "2*N"}, box="2*N"))
    assert verdict.proved, verdict
    assert recheck(verdict.certificate).ok


@pytest.mark.parametrize(
    ("word", "arguments"),
    [
        ("valid", ("map i < N if i > 1: i in N",)),
        ("formula", ("map i < N: (i+1)%N in N", "(i + 1)%N + 0*i")),
        ("formula", ("map i < N if i > 2: 2*i", "i*2")),
        ("injective", ("map i < M, j < N: (i, j)",)),
        ("equal", ("map i < N: i", "f32[N]{0}")),
    ],
)
def test_other_words_are_certified_as_well(word: str, arguments: tuple[str, ...]) -> None:
    verdict = getattr(prove, word)(*arguments)
    assert verdict.proved, verdict
    assert recheck(verdict.certificate).ok
