"""Bits and conditionals in every expression: read, printed, evaluated, emitted, proved."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, parse, prove


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
