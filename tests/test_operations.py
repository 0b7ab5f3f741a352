"""Bits and conditionals in every expression: read, printed, evaluated, emitted, proved."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, parse, prove


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("(x ^ N) ^ N == x", []),
        ("(x ^ 5) ^ 3 == x ^ 6", []),
        ("8*x | y == 8*x + y", ["0 <= y < 8"]),
        ("(8*x ^ y) % 8 == y", ["0 <= y < 8"]),
        ("4*x & y == 0", ["0 <= y < 4"]),
        ("0 <= x & y <= y", []),
        ("x | y >= x", []),
        ("x ^ y <= x + y", []),
        ("(x if x < N else N) == min(x, N)", []),
        ("(N - x if x < N else 0) == max(N - x, 0)", []),
    ],
)
def test_laws_of_bits_and_choices_for_all_sizes(text: str, where: list[str]) -> None:
    assert prove.holds(text, where=where).proved


def test_bits_in_facts() -> None:
    assert prove.holds("N <= 8", where=["N & (N - 1) == 0", "N <= 15"]).proved
    assert prove.holds("N == 5", where=["N | 1 == 5", "N != 4"]).proved
    assert prove.holds("N >= 2", where="(N if N < 4 else 4) >= 2").status != "refuted"


@pytest.mark.parametrize(
    ("text", "shown", "layout"),
    [
        ("(M,N)", "map i < M, j < N: N*i + j in M*N", "(M,N):(1,M)"),
        ("(8,4)", "map i < 8, j < 4: 4*i + j in 32", "(8,4):(1,8)"),
        ("(M)", "map i < M: i in M", "(M):(1)"),
        ("(pid//2)", "map pid < N: (pid//2)", "(pid//2):(1)"),
        ("(pid//2, pid%2)", "map pid < N: (pid//2, pid%2)", "(pid//2,pid%2):(1,pid//2)"),
        ("(i ^ 3)", "map i < N: (i ^ 3)", "(i ^ 3):(1)"),
    ],
)
def test_a_shape_or_an_expression_is_no_layout(text: str, shown: str, layout: str) -> None:
    with pytest.raises(LayoutError, match="no layout") as raised:
        parse(text)
    help = str(raised.value.help)
    assert repr(shown) in help
    assert repr(layout) in help
    assert parse(shown).at(tuple(0 for _ in parse(shown).variables), {"M": 3, "N": 4})
