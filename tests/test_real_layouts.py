"""Layouts that compilers have written, decided as the compilers and their checks say."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import pytest

from symlayout import parse, prove

DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="") as f:
        return list(csv.DictReader(f))


BITCASTS = rows("tpu_bitcasts.csv")
LAYOUTS = rows("tpu_layouts.csv")
PROGRAM = rows("tpu_program_layouts.csv")


def test_there_is_something_to_decide():
    assert {r["same_size"] for r in BITCASTS} == {"True"}  # or it would be no bitcast
    assert {r["same_padding"] for r in BITCASTS} == {"True", "False"}
    assert {r["same_elements_row_major"] for r in BITCASTS} == {"True", "False"}
    assert (len(BITCASTS), len(LAYOUTS), len(PROGRAM)) == (127, 697, 258)


@pytest.mark.parametrize("row", BITCASTS, ids=lambda r: f"{r['source']}-{r['target']}")
def test_a_compiler_s_bitcast(row):
    holes = row["same_size"] == row["same_padding"] == "True"
    verdict = prove.reinterpret(row["source"], row["target"])
    assert verdict.status == ("proved" if holes else "refuted"), verdict
    order = row["same_elements_row_major"] == "True"
    verdict = prove.bitcast(row["source"], row["target"])
    assert verdict.status == ("proved" if order else "refuted"), verdict


def swapped():
    """Pairs that no compiler wrote: a source with the next row's target."""
    for one, other in pairwise(BITCASTS):
        yield one["source"], other["target"]


@pytest.mark.parametrize(("source", "target"), list(swapped())[::2])
def test_a_bitcast_that_no_compiler_wrote(source, target):
    a, b = parse(source).index_map(), parse(target).index_map()
    verdict = prove.reinterpret(source, target)
    if a.bits == b.bits and max(a.size, b.size) <= 1 << 20:
        same = a.size == b.size and ((a.buffer() >= 0) == (b.buffer() >= 0)).all()
        assert verdict.status == ("proved" if same else "refuted"), verdict
    elif a.size * a.bits != b.size * b.bits:
        assert verdict.refuted


def numbered(layouts, step):
    return sorted({r["layout"] for r in layouts})[::step]


@pytest.mark.parametrize("text", [*numbered(LAYOUTS, 14), *numbered(PROGRAM, 9)])
def test_every_element_has_a_place_of_its_own(text):
    layout = parse(text)
    assert prove.injective(layout).proved
    assert prove.bounded(layout).proved
    assert str(parse(str(layout))) == str(layout)


@pytest.mark.parametrize("row", LAYOUTS[::14], ids=lambda r: f"{r['generation']}-{r['layout']}")
def test_a_buffer_has_the_bytes_that_the_compiler_allots(row):
    layout = parse(row["layout"])
    assert layout.byte_size == int(row["bytes"])
    assert prove.bytes(layout, int(row["bytes"])).proved
    assert prove.bytes(layout, int(row["bytes"]) + 1).refuted
