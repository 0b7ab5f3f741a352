"""The page of schedules: every map of the examples is on it, drawn as it is, and proved."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from symlayout import check
from symlayout.__main__ import main

ROOT = Path(__file__).parents[1]

FILE = ROOT / "examples" / "schedules.layout.toml"

PAGE = (ROOT / "docs" / "schedules.md").read_text(encoding="utf-8")

DRAWN = dict(re.findall(r"```\{schedule\} (\w+) (\S+)", PAGE))

TABLE = tomllib.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def report() -> Any:
    return check([str(FILE)])


def test_all_is_as_expected(report: Any) -> None:
    assert report.exit_code == 0
    assert len(report.results) == len(TABLE["claim"])


def test_every_map_is_on_the_page_and_proved(report: Any) -> None:
    assert list(DRAWN) == list(TABLE["maps"])
    assert len(DRAWN) == 10
    for name in DRAWN:
        own = [
            result.outcome.status
            for row, result in zip(TABLE["claim"], report.results)
            if name in row["prove"].split()
        ]
        assert set(own) == {"proved"}


def test_show_draws_a_map(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "map i < N, j < i + 1: i*(i + 1)//2 + j", "--size", "N=3"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "    0 1 2",
        "0 | 0 . .",
        "1 | 1 2 .",
        "2 | 3 4 5",
    ]
    assert main(["show", "map i < N: (i, 0, N - 1 - i)", "--svg", "--size", "N=3"]) == 0
    assert capsys.readouterr().out.count("<rect") == 10
