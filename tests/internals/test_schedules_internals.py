"""Properties of internal modules; `tests/test_schedules.py` tests the public interface."""

from __future__ import annotations

from typing import Any

import pytest
from test_schedules import DRAWN, FILE, TABLE

from symlayout import LayoutError, check, parse
from symlayout.render.draw.schedule import svg, tables, text
from symlayout.render.draw.sizes import read_sizes


@pytest.fixture(scope="module")
def report() -> Any:
    return check([str(FILE)])


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
