"""The page of schedules: every map of the examples is on it, drawn as it is, and proved."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from symlayout import LayoutError, check, parse
from symlayout.__main__ import main
from symlayout.render.draw.schedule import svg, tables, text
from symlayout.render.draw.sizes import read_sizes

ROOT = Path(__file__).parents[2]
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


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_show_every_point(name: str, report: Any) -> None:
    rows = zip(TABLE["claim"], report.results)
    task = next(result.task for row, result in rows if name in row["prove"].split())
    f = parse(str(task.claim.arguments[0]))
    sizes, _ = read_sizes(f.names, [DRAWN[name]])
    shown = sorted(x for t in tables(f, sizes) for cell in t.cells.values() for x in cell.split())
    points = list(f.points(sizes))
    if len(f.results) == 1:
        assert shown == sorted(str(f.at(p, sizes)[0]) for p in points)
    else:
        assert shown == sorted(",".join(map(str, p)) for p in points)
    picture = svg(f, sizes)
    assert picture.count("<svg") == picture.count("</svg>") == 1
    assert all(f">{x}<" in picture for x in shown)


def test_a_picture_of_two_programs_at_one_place() -> None:
    f = parse("map i < 4: (i//2, 0) in (3, 2)")
    assert [t.cells for t in tables(f, {})] == [{(0, 0): "0 1", (1, 0): "2 3"}]
    assert text(f, {}).splitlines()[2:] == [
        "      0   1",
        "0 | 0 1   .",
        "1 | 2 3   .",
        "2 |   .   .",
    ]


def test_pictures_of_nothing_and_of_too_much() -> None:
    assert "(no places)" in text(parse("map i < N: (i, i)"), {"N": 0})
    assert "(no places)" in text(parse("map i < N: (i, i) in (M, N)"), {"M": 0, "N": 0})
    with pytest.raises(LayoutError, match="too large"):
        text(parse("map i < N: (i, i)"), {"N": 10**9})
    with pytest.raises(LayoutError, match="extent of i is -4"):
        text(parse("map i < N - 9: (i, i)"), {"N": 5})
    with pytest.raises(LayoutError, match="division by zero"):
        text(parse("map i < N: (i, 5//(i - 2))"), {"N": 5})
    assert (
        len(text(parse("map i < N, j < N: i*j + 1 if i < j else 0"), {"N": 200}).split("\n")) < 40
    )


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
