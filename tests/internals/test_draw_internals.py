"""Properties of internal modules; `tests/test_draw.py` tests the public interface."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xla_random import shapes

from symlayout import IndexMap, Verdict, parse, prove, sizes
from symlayout.errors import LayoutError
from symlayout.expr.facts import read_relations
from symlayout.render.draw.grid import Grid, grids
from symlayout.render.draw.levels import levels_of
from symlayout.render.draw.notebook import layout_html, verdict_html
from symlayout.render.draw.sizes import read_sizes
from symlayout.render.draw.svg import svg
from symlayout.render.draw.text import draw

TILED = """\
shape (3, 5), 24 offsets of which 9 are padding, in parentheses
     0   1    2   3    4   5
0 |  0   1 |  4   5 |  8  (9)
1 |  2   3 |  6   7 | 10 (11)
  |--------+--------+--------
2 | 12  13 | 16  17 | 20 (21)
3 |(14)(15)|(18)(19)|(22)(23)
"""


def test_a_tiled_layout() -> None:
    assert draw(parse("f32[3,5]{1,0:T(2,2)}").index_map(), {}) == TILED


def test_colour_marks_the_same_cells() -> None:
    made = draw(parse("f32[3,5]{1,0:T(2,2)}").index_map(), {}, colour=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", made) == TILED
    assert len(set(re.findall(r"48;5;\d+", made))) == 4
    assert [t.strip() for t in re.findall(r"\x1b\[2m(.*?)\x1b", made)] == re.findall(
        r"\(\d+\)", TILED
    )


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(1, 7), st.integers(1, 9)),
    st.tuples(st.integers(1, 4), st.integers(1, 4)),
    st.booleans(),
)
def test_a_grid_holds_each_offset_of_the_buffer_once(
    shape: tuple[int, int], tile: tuple[int, int], transposed: bool
) -> None:
    order = "0,1" if transposed else "1,0"
    made = parse(f"f32[{shape[0]},{shape[1]}]{{{order}:T({tile[0]},{tile[1]})}}").index_map()
    ((outer, grid),) = grids(made, {})
    assert outer == ()
    for r, row in enumerate(grid.cells):
        for c, x in enumerate(row):
            if not grid.is_padding(r, c):
                assert x == made.offset(r, c)
    every = [x for row in grid.cells for x in row if x is not None]
    assert len(set(every)) == len(every)
    # the tile's own padding is shown whole, up to the buffer's end
    assert set(every) == set(range(int(made.size)))


def test_a_pitch_is_padding_at_the_end_of_the_rows() -> None:
    ((_, grid),) = grids(IndexMap.strided((2, 3), (5, 1)), {})
    assert grid.cells == ((0, 1, 2, 3, 4), (5, 6, 7, None, None))
    assert grid.columns == 3
    assert grid.is_padding(0, 3)
    assert not grid.is_padding(1, 2)


def test_overlapping_maps_are_drawn_too() -> None:
    ((_, grid),) = grids(IndexMap.strided((3, 4), (1, 1)), {})
    assert grid.cells == ((0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5))
    assert grid.columns == 4


def test_borders_of_two_levels() -> None:
    made = parse("((2,3),(4,2)):((4,16),(1,8))").index_map()
    ((_, grid),) = grids(made, {})
    assert isinstance(grid, Grid)
    assert (grid.row_borders, grid.column_borders) == ({2: 1, 4: 1}, {4: 1})


def test_ranks() -> None:
    assert draw(IndexMap.row_major((3,)), {}).splitlines()[1:] == ["    0  1  2", "0 | 0  1  2"]
    three = draw(IndexMap.row_major((6, 2, 2)), {})
    assert three.count(":, :]") == 4
    assert three.endswith("... and 2 more of these\n")
    assert "(no elements)" in draw(IndexMap.row_major((0, 4)), {})


def test_large_layouts_are_cut() -> None:
    text = draw(IndexMap.row_major((200, 300)), {}, width=60)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 60
    assert len(lines) < 30
    assert ".." in text
    assert lines[-1].split()[-1] == "59999"
    with pytest.raises(LayoutError, match="too large"):
        draw(IndexMap.row_major((2**11, 2**11)), {})


def test_sizes_are_chosen_under_the_facts() -> None:
    made = IndexMap.row_major(sizes("M N"))
    assert read_sizes(made.symbols, [], []) == ({"M": 4, "N": 4}, ["M", "N"])
    facts = ["N == 2*M", "M % 3 == 0"]
    values, chosen = read_sizes(made.symbols, ["M=3"], facts)
    assert (values, chosen) == ({"M": 3, "N": 6}, ["N"])
    values, _ = read_sizes(made.symbols, [], facts)
    assert all(r.holds(values) for f in facts for r in read_relations(f))


@pytest.mark.parametrize(
    ("given", "where", "text"),
    [
        (["K=3"], [], "'K' is not a size"),
        (["M=x"], [], "a whole number"),
        (["M=-1"], [], "a whole number"),
        (["M:1"], [], "NAME=N"),
        (["M=3", "N=4"], ["M == N"], "do not satisfy"),
        ([], ["M % 7 == 6", "N == M + 1000"], "no small sizes"),
    ],
)
def test_sizes_that_mean_nothing(given: list[str], where: list[str], text: str) -> None:
    with pytest.raises(LayoutError, match=text) as caught:
        read_sizes(("M", "N"), given, where)
    assert caught.value.code == "SL402"


@settings(max_examples=20, deadline=None)
@given(
    st.tuples(st.integers(1, 6), st.integers(1, 7)), st.tuples(st.integers(1, 3), st.integers(1, 3))
)
def test_svg_shows_what_the_text_shows(shape: tuple[int, int], tile: tuple[int, int]) -> None:
    made = parse(f"f32[{shape[0]},{shape[1]}]{{1,0:T({tile[0]},{tile[1]})}}").index_map()
    picture = ElementTree.fromstring(svg(made, {}))
    boxes = [g for g in picture.iter() if g.tag.endswith("}g") and g[0].tag.endswith("}title")]
    cells = [int(box[-1].text or "") for box in boxes]
    assert sorted(cells) == list(range(int(made.size)))
    padding = sum(box.get("data-padding") == "1" for box in boxes)
    assert padding == int(made.size) - shape[0] * shape[1]


def test_svg_of_other_ranks() -> None:
    for shape in ((), (3,), (2, 2, 2), (0, 3), (90, 90)):
        made = IndexMap.row_major(shape)
        ElementTree.fromstring(svg(made, {}))


def test_notebooks() -> None:
    made = parse("f32[M,N]{1,0:T(8,128)}").index_map()
    text = layout_html(made)
    assert "\\left\\lfloor" in text
    assert "at M = 12, N = 192" in text
    assert "<svg" in text
    large = layout_html(IndexMap.row_major((2**12, 2**12)))
    assert "no picture: " in large
    refuted = verdict_html(prove.equal("f32[M,N]{1,0}", "f32[M,N]{0,1}"))
    assert "refuted" in refuted
    assert "<th>coordinates</th><td>(0, 1)</td>" in refuted
    assert "<th>left</th><td>1</td>" in refuted
    assert made._repr_html_() == text
    assert prove.equal("f32[M,N]{1,0}", "f32[M,N]{0,1}")._repr_html_() == refuted
    hostile = verdict_html(Verdict("proved", "a <b>", "c & d"))
    assert "a &lt;b&gt;" in hostile
    assert "c &amp; d" in hostile


@pytest.mark.parametrize(
    "text",
    [
        "f32[M,N]{1,0:T(8,128)}",
        "((2,R),(4,2)):((4,16),(1,8))",
        "zN(f16,R,C)",
        "strided f32[M,N] strides(S,1) offset 4",
    ],
)
def test_every_notation_shows_its_text_its_formula_and_its_picture(text: str) -> None:
    notation = parse(text)
    shown = notation._repr_html_()
    assert (
        shown == f"<div><code>{notation}</code></div>{layout_html(notation.index_map(), notation)}"
    )
    assert "$\\operatorname{offset}(" in shown
    assert "<svg" in shown


@settings(max_examples=40, deadline=None)
@given(shapes(max_rank=2, least=1))
def test_borders_of_every_level_part_cells_of_different_tiles(shape):
    levels = levels_of(shape, {})
    made = grids(shape.index_map(), {}, levels)
    for outer, grid in made:
        for n, level in grid.column_borders.items():
            for r in range(grid.rows):
                a, b = (levels((*outer, r, c)[-shape.rank :]) for c in (n - 1, n))
                assert a[level - 1] != b[level - 1]
    if not shape.tiles:
        assert levels is None


def test_a_picture_without_tiles_of_its_own_has_the_borders_of_its_steps():
    layout = parse("strided f32[4,6] strides(6,1)")
    assert levels_of(layout, {}) is None
    ((_, grid),) = grids(parse("zN(8,12,4,4)").index_map(), {})
    assert (grid.row_borders, grid.column_borders) == ({}, {4: 1, 8: 1})


@pytest.mark.parametrize(
    ("text", "rows", "columns"),
    [
        ("zN(8,12,4,4)", {4: 1}, {4: 1, 8: 1}),
        ("zN(7,9,4,4)", {4: 1}, {4: 1, 8: 1}),
        ("PaddingRowMajor(f16,6,6,2,3)", {2: 1, 4: 1}, {3: 1}),
        ("(2,(2,2,2)):(8,(1,2,4))", {}, {2: 2, 4: 1, 6: 2}),
        ("Swizzle(1,0,1) o 0 o ((2,2),4):((4,8),1)", {2: 1}, {}),
        ("pad_reshape_transpose(f32[4,8]{1,0:T(2,4)(2,1)})", {2: 1}, {4: 1}),
        ("f32[4,8]{1,0:T(4,4)(2,4)(2,1)}", {2: 2}, {1: 3, 4: 1}),
    ],
)
def test_every_level_of_blocks_has_its_border(text, rows, columns):
    layout = parse(text)
    ((_, grid),) = grids(layout.index_map(), {}, levels_of(layout, {}))
    assert rows.items() <= grid.row_borders.items()
    assert columns.items() <= grid.column_borders.items()
    if not text.startswith(("pad", "f32")):
        assert (grid.row_borders, grid.column_borders) == (rows, columns)
