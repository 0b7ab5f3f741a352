"""Z3's own check of `onto`: a place may have several points, and a point may have none."""

from __future__ import annotations

import pytest

from symlayout.checks.cli.main import run

TRUE = [
    "map i < 4, j < 2: (i, 0) in (4, 1)",
    "map i < N, j < 2: (i, 0) in (N, 1)",
    "map i < N + 2: (i, 0) in (N, 1)",
    "map i < 4, j < 2: i ^ 1 in 4",
    "map i < N, j < 3: (0, i, 0) in (1, N, 1)",
    "map i < N if i >= 1: (i - 1, 0) in (N - 1, 1)",
]
FALSE = [
    "map i < 3, j < 2: (i, 0) in (4, 1)",
    "map i < N: (i, 0) in (N + 1, 1)",
    "map i < 4, j < 2: (i | 1) in 4",
]


@pytest.mark.parametrize("text", TRUE)
def test_what_reaches_every_place_is_confirmed(text: str, capsys) -> None:
    assert run(["prove", "onto", text, "--check", "z3"]) == 0
    assert "confirmed by Z3" in capsys.readouterr().out


@pytest.mark.parametrize("text", FALSE)
def test_what_misses_a_place_is_refuted(text: str, capsys) -> None:
    assert run(["prove", "onto", text, "--check", "z3"]) == 1
    assert "confirmed" not in capsys.readouterr().out
