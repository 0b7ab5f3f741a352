"""Properties of internal modules; `tests/test_pictures.py` tests the public interface."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xla_random import shapes

from symlayout import parse
from symlayout.__main__ import main
from symlayout.checks.cli.main import run
from symlayout.errors import LayoutError
from symlayout.expr.terms import value
from symlayout.expr.tree import Symbol
from symlayout.render.draw import banks, swizzles, threads
from symlayout.render.draw.blocks import pick_in_tiles
from symlayout.render.draw.interactive import json_text, page
from symlayout.render.draw.levels import level_formulas, levels_of
from symlayout.render.draw.model import model
from symlayout.render.draw.pictures import chosen_sizes, picture
from symlayout.tla import bank_conflicts

DRAWN = (
    "f32[M,N]{1,0:T(8,128)}",
    "bf16[M,N]{1,0:T(8,128)(2,1)}",
    "zN(f16,R,C)",
    "((16,R),(16,C)):((16,256),(1,256*R))",
    "Swizzle(3,3,3) o 0 o (8,64):(64,1)",
    "map p < M*N: first = p//(G*N)*G; (first + p%G, p%(G*N)//G) in (M, N)",
    "f32[2,3,4]",
    "f32[0,3]",
)


@pytest.mark.parametrize("text", DRAWN)
def test_a_picture_says_what_it_shows_and_styles_nothing_else(text: str) -> None:
    made = picture(parse(text))
    root = ElementTree.fromstring(made)
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert [child.tag.rpartition("}")[2] for child in root][:2] == ["title", "desc"]
    assert all(child.text for child in root[:2])
    for part in root.iter():
        assert part.tag.rpartition("}")[2] not in ("style", "script")
        assert not {"id", "class", "style", "href"} & set(part.keys())


@pytest.mark.parametrize("text", ["f32[M,N]{1,0:T(8,128)}", "s8[M,N]{0,1:T(32,128)}", DRAWN[2]])
def test_chosen_sizes_show_more_than_one_tile_and_less_padding_than_elements(text: str) -> None:
    layout = parse(text)
    sizes, _ = chosen_sizes(layout)
    shape, size = layout.index_map().concrete(sizes)
    assert size <= 2 * shape[0] * shape[1]
    borders = levels_of(layout, sizes)
    assert borders is not None
    assert borders((0, 0)) != borders((shape[0] - 1, 0))
    assert borders((0, 0)) != borders((0, shape[1] - 1))


@settings(max_examples=40, deadline=None)
@given(shapes(max_rank=3, least=1), st.data())
def test_formulas_of_levels_are_the_levels(shape, data) -> None:
    levels = levels_of(shape, {})
    coords = tuple(Symbol(f"c{k}") for k in range(shape.rank))
    formulas = level_formulas(shape, coords)
    if levels is None:
        assert formulas == []
        return
    sizes = [value(d, {}) for d in shape.sizes]
    at = [data.draw(st.integers(0, max(0, d - 1))) for d in sizes]
    env = dict(zip((c.name for c in coords), at))
    assert [tuple(value(e, env) for e in level) for level in formulas] == levels(tuple(at))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 200), st.integers(3, 40), st.lists(st.integers(0, 200), max_size=6))
def test_what_is_left_out_is_marked(count: int, most: int, starts: list[int]) -> None:
    shown = pick_in_tiles(count, most, starts)
    numbers = [n for n in shown if n is not None]
    assert numbers == sorted(set(numbers))
    assert len(shown) <= most
    assert not count or (numbers[0], numbers[-1]) == (0, count - 1)
    gaps = [(a, b) for a, b in pairwise(numbers) if b > a + 1]
    assert shown.count(None) == len(gaps)


def test_after_a_swizzle_a_column_of_runs_lies_in_all_banks() -> None:
    layout = parse("Swizzle(3,3,3) o 0 o (8,64):(64,1)")
    _, before, after = swizzles.before_and_after(layout, {})
    assert banks.run_length(before, after) == 8
    for column in range(0, 64, 8):
        assert {banks.bank(row[column], 16) for row in before} == {column // 2}
        assert {banks.bank(row[column], 16) for row in after} == set(range(0, 32, 4))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 3), st.integers(0, 3), st.integers(3, 4))
def test_the_banks_of_a_picture_are_those_of_the_algebra(bits: int, base: int, shift: int) -> None:
    layout = parse(f"Swizzle({bits},{base},{shift}) o 0 o (32):(32)")
    _, _, after = swizzles.before_and_after(layout, {})
    load = [banks.bank(x, 32) for x in after[0]]
    assert bank_conflicts(layout, 32).ways == max(map(load.count, load))


def test_every_element_of_a_tile_is_some_thread_s(capsys: pytest.CaptureFixture[str]) -> None:
    layout = parse("((4,8),(2,2)):((32,1),(16,8))").index_map()
    made = threads.holders_of(layout, {}, (16, 8))
    assert sorted(who for held in made.holders.values() for who in held) == [
        (t, v) for t in range(32) for v in range(4)
    ]
    assert main(["show", "((4,8),(2,2)):((32,1),(16,8))", "--tv", "16x8"]) == 0
    out = capsys.readouterr().out
    assert " ".join(out.splitlines()[1].split()) == "0 | 0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1"


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["f32[2,3]", "--svg", "--html"], "SL600", "two pictures"),
        (["f32[2,3]", "--tv", "2"], "SL402", "ROWS,COLUMNS"),
        (["f32[2,3]", "--tv", "2,2"], "SL402", "outside of 2 x 2"),
        (["f32[6]", "--tv", "2,3"], "SL402", "two dimensions"),
        (["f32[6]", "--svg", "--bits", "x"], "SL600", "--bits"),
        (["f32[6]", "--output", "/no/such/folder/a.svg"], "SL601", "cannot be written: no such"),
    ],
)
def test_mistakes_are_named(argv: list[str], code: str, said: str) -> None:
    with pytest.raises(LayoutError, match=said) as caught:
        run(["show", *argv])
    assert caught.value.code == code


def test_a_model_has_the_comparisons_of_a_guard_and_what_joins_them() -> None:
    guard = model(parse("map i < 8 if i < 2 and (i < 3 or 5 < i): i"), {})["guard"]
    i, steps = {"steps": [], "value": "i"}, [{"steps": [], "value": n} for n in (2, 3, 5)]
    assert guard == ["and", ["<", i, steps[0]], ["or", ["<", i, steps[1]], ["<", steps[2], i]]]


@pytest.mark.parametrize("text", [*DRAWN, "map i < 8, j < M: (i << j % 3) + (i >> j % 2)"])
def test_a_model_is_numbers_names_and_known_operations(text: str) -> None:
    layout = parse(text)
    data = json.loads(json.dumps(model(layout, chosen_sizes(layout)[0])))

    def operations(x) -> set[str]:
        if isinstance(x, dict):
            return {s[1] for s in x.get("steps", ())}.union(*map(operations, x.values()))
        return set().union(*map(operations, x)) if isinstance(x, list) else set()

    script = (Path(swizzles.__file__).parent / "picture.js").read_text(encoding="utf-8")
    known = set(re.findall(r'^    \["(.+?)", ', script, re.M))
    assert operations(data) <= known
    shifts = {"<<", ">>"}
    assert {
        "+",
        "-",
        "*",
        "//",
        "ceildiv",
        "c/",
        "min",
        "max",
        "<",
        "&",
        "|",
        "^",
    } == known - shifts


def test_a_page_runs_its_own_script_and_no_text() -> None:
    made = page(parse("f32[M,N]{1,0:T(8,128)}"), {"M": 12, "N": 192})
    assert "default-src 'none'" in made
    assert made.count("<script") == 2
    assert not re.search(r"\beval\b|innerHTML|new Function|document\.write|insertAdjacent", made)
    assert json.loads(json_text({"a": "</script><!--"})) == {"a": "</script><!--"}
    assert "<" not in json_text("</script><!--")


def test_the_picture_of_the_readme_is_drawn_by_the_command_that_it_names() -> None:
    root = Path(__file__).parents[2]
    kept = (root / "docs" / "tiles.svg").read_text(encoding="utf-8")
    assert kept == picture(parse("f32[M,N]{1,0:T(8,128)}"))
    assert "](docs/tiles.svg)" in (root / "README.md").read_text(encoding="utf-8")


# -- banks ------------------------------------------------------------------------------------------


def rounds_by_counting(offsets, bits):
    """How many words fall into the fullest of 32 banks of 32 bits."""
    words = {b // 32 for x in offsets for b in range(x * bits, (x + 1) * bits)}
    return max([len([w for w in words if w % 32 == b]) for b in range(32)], default=0)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize(
    "text", ["(8,64):(64,1)", "(40,33):(33,1)", "(8,64):(72,1)", "(1,5):(0,3)", "(12):(32)"]
)
def test_rounds_of_rows_and_columns(text, bits):
    _, rows = banks.rows_of(parse(text).index_map(), {})
    told = banks.costs(rows, bits)
    for name, lines in (("row", rows), ("column", [list(c) for c in zip(*rows)])):
        if len(lines[0]) < 2:
            assert not any(f"in a {name}:" in line for line in told)
            continue
        parts = [line[k : k + 32] for line in lines for k in range(0, len(line), 32)]
        worst = max(rounds_by_counting(x, bits) for x in parts)
        wanted = f"in a {name}: {worst} round"
        assert any(wanted in line for line in told), (told, worst)


def test_a_swizzle_takes_the_conflicts_away():
    plain = banks.text(parse("(8,64):(64,1)").index_map(), {}, 16)
    swizzled = banks.text(parse("Swizzle(3,3,3) o 0 o (8,64):(64,1)").index_map(), {}, 16)
    assert "in a column: 8 rounds, 1 would do" in plain
    assert swizzled.endswith("8 neighbours in a column: 1 round\n")
    drawn = banks.svg(parse("(8,64):(72,1)").index_map(), {}, "padded", 16)
    assert drawn.count("<g><title>") == 64
    assert "8 neighbours in a column: 1 round" in drawn


def test_the_worst_column_is_named():
    _, rows = banks.rows_of(parse("map i < 4, j < 3: 32*i*(j//2) + j + i in 200").index_map(), {})
    assert banks.costs(rows, 32)[-1] == "4 neighbours in a column: 1 round"
    _, rows = banks.rows_of(parse("map i < 4, j < 3: 32*i*(j//2) + j in 200").index_map(), {})
    assert banks.costs(rows, 32)[-1].endswith("4 rounds, 1 would do, column 2")


def test_banks_of_three_dimensions_are_not_drawn():
    with pytest.raises(LayoutError, match="one dimension or two"):
        banks.rows_of(parse("f32[2,3,4]{2,1,0}").index_map(), {})
