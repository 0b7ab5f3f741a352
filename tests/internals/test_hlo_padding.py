"""The padding report: bytes, reasons, and layouts that waste less."""

from __future__ import annotations

import csv
import json
import shlex
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout import hlo, prove, xla
from symlayout.programs.hlo.padding import PaddingReport, better, buffers, total, waste
from symlayout.programs.hlo.waste import padded_elements, reasons

DATA = Path(__file__).parents[1] / "data"
LAYOUTS = [r["layout"] for r in csv.DictReader((DATA / "tpu_layouts.csv").open(newline=""))]

MODULE = """\
ENTRY e {
  x = f32[8,1]{1,0:T(8,128)} parameter(0)
  y = f32[8,128]{1,0:T(8,128)} parameter(1)
  b = f32[1,8]{0,1:T(8,128)} bitcast(x)
  ROOT z = (f32[8,1]{1,0:T(8,128)}, f32[3]{0}) tuple(x, y)
}
"""


@pytest.mark.parametrize(
    ("text", "logical", "physical", "why"),
    [
        ("f32[8,128]{1,0:T(8,128)}", 4096, 4096, []),
        ("f32[3,5]{1,0}", 60, 60, []),
        (
            "bf16[3,5]{1,0:T(8,128)(2,1)}",
            30,
            2048,
            [
                "dimension 0 (3) is padded to 8 by T(8,128)",
                "dimension 1 (5) is padded to 128 by T(8,128)",
            ],
        ),
        (
            "f32[8,128]{1,0:T(3,4)(2,1)}",
            4096,
            6144,
            [
                "dimension 0 (8) is padded to 9 by T(3,4)",
                "dimension 0 inside a tile (3) is padded to 4 by the sub-tile (2,1)",
            ],
        ),
        ("f32[]{:T(128)}", 4, 512, ["a dimension of 1 in front (1) is padded to 128 by T(128)"]),
        (
            "f32[3,5]{1,0:T(*,4)}",
            60,
            64,
            ["dimension 0 with dimension 1 (15) is padded to 16 by T(*,4)"],
        ),
        ("f32[5]{0:L(4)}", 20, 32, ["the 5 elements are padded to 8 by L(4)"]),
        ("s4[3]{0:T(8)E(4)}", 2, 4, ["dimension 0 (3) is padded to 8 by T(8)"]),
        ("f32[2,3]{0,1:PAD(3,5)=0}", 24, 60, ["dimension 0 (2) is widened to 3"]),
    ],
)
def test_bytes_and_reasons(text, logical, physical, why):
    made = waste(xla.read_shape(text))
    assert (made.logical_bytes, made.physical_bytes) == (logical, physical)
    assert list(made.why)[: len(why)] == why
    assert bool(made.why) == (physical > logical)


@pytest.mark.parametrize("text", LAYOUTS)
def test_layouts_of_a_real_compiler(text):
    shape = xla.read_shape(text)
    made = waste(shape)
    assert made.physical_bytes == shape.byte_size
    assert bool(made.why) == (made.physical_bytes > -(-shape.bits * elements(shape) // 8))
    if made.better:
        assert xla.read_shape(made.better).byte_size == made.better_bytes < made.physical_bytes
        assert xla.read_shape(made.better).dims == shape.dims


def elements(shape):
    count = 1
    for d in shape.dims:
        count *= d
    return count


@given(st.data())
def test_padded_elements_are_those_of_the_shape(data):
    rank = data.draw(st.integers(1, 3))
    dims = data.draw(st.lists(st.integers(1, 9), min_size=rank, max_size=rank))
    order = tuple(data.draw(st.permutations(range(rank))))
    first = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    later = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    tiles = (tuple(first), tuple(later))
    shape = xla.Shape("f32", tuple(dims), order, tiles=tiles)
    assert padded_elements(dims, order, tiles) == shape.buffer_size
    assert bool(list(reasons(shape))) == (shape.buffer_size != elements(shape))


@given(
    st.lists(st.integers(1, 300), min_size=2, max_size=3),
    st.sampled_from(
        [("f32", ((8, 128),)), ("bf16", ((8, 128), (2, 1))), ("s8", ((32, 128), (4, 1)))]
    ),
)
def test_nothing_of_the_family_is_smaller_than_what_is_called_better(dims, kind):
    dtype, tiles = kind
    shape = xla.Shape(dtype, tuple(dims), tuple(reversed(range(len(dims)))), tiles=tiles)
    found = better(shape) or shape
    packed = tiles[1][0] if len(tiles) > 1 else 1
    for rows in (1, 2, 4, 8, 16, 32):
        for order in permutations(range(len(dims))):
            if packed <= rows <= max(tiles[0][0], 8 * packed):
                other = xla.Shape(dtype, shape.dims, order, tiles=((rows, 128), *tiles[1:]))
                assert other.byte_size >= found.byte_size


def test_a_better_layout_keeps_the_other_properties():
    found = better(xla.read_shape("bf16[512,16]{1,0:T(8,128)(2,1)S(1)}"))
    assert str(found) == "bf16[512,16]{0,1:T(8,128)(2,1)S(1)}"
    assert better(xla.read_shape("f32[8,128]{1,0:T(8,128)}")) is None
    assert better(xla.read_shape("pred[]{:T(512)}")) is None
    assert better(xla.read_shape("f32[0,3]{1,0:T(8,128)}")) is None


def test_buffers_are_not_views_and_not_inside_fusions():
    text = (DATA / "hlo" / "transpose3d.tpu_v5e.hlo").read_text()
    module = hlo.read_module(text)
    opcodes = [i.opcode for i in buffers(module)]
    assert "bitcast" not in opcodes
    assert "parameter" in opcodes
    fused = hlo.read_module((DATA / "hlo" / "layernorm.tpu_v5e.hlo").read_text())
    names = {i.name for i in buffers(fused)}
    assert "x.1" in names
    assert not any(name.startswith("param_") for name in names)


def test_a_report_worst_first():
    report = hlo.padding_report(MODULE, "m.hlo")
    assert [(r.shape, r.uses, r.factor) for r in report.rows] == [
        ("f32[8,1]{1,0:T(8,128)}", 1, 128.0),
        ("f32[8,128]{1,0:T(8,128)}", 1, 1.0),
    ]
    assert report.above(4) == report.top(1) == report.rows[:1]
    assert report.above(128) == ()
    assert total(report.rows) == (32 + 4096, 4096 + 4096)
    assert report.rows[0].wasted == 4064
    again = json.loads(json.dumps(report.as_json(1)))
    assert again[0]["factor"] == 128.0
    assert again[0]["better"] == "f32[8,1]{0,1:T(1,128)}"
    table = report.table(1).splitlines()
    assert table[1].split() == ["4,064", "128.00", "4,096", "1", "2", "f32[8,1]{1,0:T(8,128)}"]
    assert [line.split()[0] for line in table[2:]] == ["made", "dimension", "better:", "no"]


def test_shapes_that_are_no_numbers_are_left_out():
    text = "ENTRY e {\n  x = f32[N,3]{1,0:T(8,128)} parameter(0)\n  y = f32[?]{0} parameter(1)\n}"
    assert hlo.padding_report(text) == PaddingReport(())


def test_rows_are_by_wasted_bytes_in_every_module():
    for file in sorted((DATA / "hlo").glob("*.hlo")):
        rows = hlo.padding_report(file.read_text()).rows
        wasted = [r.wasted for r in rows]
        assert wasted == sorted(wasted, reverse=True)
        assert wasted[-1] >= 0
        for r in rows:
            assert 1 <= r.at_once <= r.uses
            if r.suggestion_claim:
                word, layout, size = shlex.split(r.suggestion_claim)
                assert word == "bytes"
                assert prove.bytes(layout, size).proved
                assert int(size) < r.physical_bytes
