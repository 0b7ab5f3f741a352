"""Advice about padding: bytes are promised where compilers deliver them, and advice refuses nothing."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import hlo
from symlayout.__main__ import main

FOLDERS = Path(__file__).parent / "data" / "dumps" / "folders"

MODULE = """HloModule m, is_scheduled=true
fused {{ a = f32[40,6,50]{{2,1,0:T(8,128)}} parameter(0) ROOT s = f32[40,6,50]{{2,1,0:T(8,128)}} sine(a) }}
summed {{ a = f32[40,6,50]{{2,1,0:T(8,128)}} parameter(0) b = f32[]{{:T(128)}} parameter(1)
  c = f32[6,50]{{1,0:T(8,128)}} reduce(a, b), dimensions={{0}}, to_apply=sum
  ROOT d = (f32[6,50]{{1,0:T(8,128)}}, f32[6,50]{{1,0:T(8,128)}}) tuple(c, c) }}
outer {{ a = f32[40,6,50]{{2,1,0:T(8,128)}} parameter(0) b = f32[]{{:T(128)}} parameter(1)
  ROOT d = (f32[6,50]{{1,0:T(8,128)}}, f32[6,50]{{1,0:T(8,128)}}) fusion(a, b), kind=kLoop, calls=summed }}
mixed {{ a = f32[40,6,50]{{2,1,0:T(8,128)}} parameter(0) b = f32[]{{:T(128)}} parameter(1)
  c = f32[6,50]{{1,0:T(8,128)}} reduce(a, b), dimensions={{0}}, to_apply=sum
  e = f32[40,50]{{1,0:T(8,128)}} reduce(a, b), dimensions={{1}}, to_apply=sum
  ROOT d = (f32[6,50]{{1,0:T(8,128)}}, f32[40,50]{{1,0:T(8,128)}}) tuple(c, e) }}
dotted {{ a = f32[40,6,50]{{2,1,0:T(8,128)}} parameter(0)
  ROOT d = f32[40,6,6]{{2,1,0:T(8,128)}} dot(a, a), lhs_batch_dims={{0}}, rhs_batch_dims={{0}},
    lhs_contracting_dims={{2}}, rhs_contracting_dims={{2}} }}
body {{ p = (s32[], f32[40,6,50]{{2,1,0:T(8,128)}}) parameter(0) k = s32[] get-tuple-element(p), index=0
  g = f32[40,6,50]{{2,1,0:T(8,128)}} get-tuple-element(p), index=1
  {inner}
  ROOT t = (s32[], f32[40,6,50]{{2,1,0:T(8,128)}}) tuple(k, h) }}
cond {{ p = (s32[], f32[40,6,50]{{2,1,0:T(8,128)}}) parameter(0) ROOT c = pred[] constant(true) }}
ENTRY e {{ x = f32[12000]{{0:T(1024)}} parameter(0) z = s32[] constant(0)
  i = f32[]{{:T(128)}} constant(1)
  m = f32[40,6,50]{{2,1,0:T(8,128)}} {maker}
  t = (s32[], f32[40,6,50]{{2,1,0:T(8,128)}}) tuple(z, m)
  w = (s32[], f32[40,6,50]{{2,1,0:T(8,128)}}) while(t), condition=cond, body=body
  r = f32[40,6,50]{{2,1,0:T(8,128)}} get-tuple-element(w), index=1
  {reader}
  ROOT o = (s32[]) tuple(z) }}
"""

TYPE = "f32[40,6,50]{2,1,0:T(8,128)}"

SINE = f"h = {TYPE} sine(g)"

SPREAD = "broadcast(i), dimensions={}"

NOTHING = f"n = {TYPE} negate(r)"

DOT = "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}"


@pytest.mark.parametrize(
    ("maker", "inner", "reader", "promised"),
    [
        (SPREAD, SINE, NOTHING, True),
        (SPREAD, f"h = {TYPE} fusion(g), kind=kLoop, calls=fused", NOTHING, True),
        ('custom-call(), custom_call_target="AllocateBuffer"', SINE, NOTHING, True),
        (SPREAD, SINE, "n = f32[6,50]{1,0:T(8,128)} reduce(r, i), dimensions={0}, to_apply=sum", True),
        (SPREAD, SINE, "n = f32[1,6,50]{2,1,0:T(8,128)} dynamic-slice(r, z, z, z), "
         "dynamic_slice_sizes={1,6,50}", True),
        # what treats the two dimensions apart
        (SPREAD, SINE, "n = f32[40,6]{1,0:T(8,128)} reduce(r, i), dimensions={2}, to_apply=sum", False),
        # also inside of fusions, if all of them are
        (SPREAD, SINE, "n = (f32[6,50]{1,0:T(8,128)}, f32[6,50]{1,0:T(8,128)}) fusion(r, i), "
         "kind=kLoop, calls=summed", True),
        (SPREAD, SINE, "n = (f32[6,50]{1,0:T(8,128)}, f32[6,50]{1,0:T(8,128)}) fusion(r, i), "
         "kind=kLoop, calls=outer", True),
        (SPREAD, SINE, "n = (f32[6,50]{1,0:T(8,128)}, f32[40,50]{1,0:T(8,128)}) fusion(r, i), "
         "kind=kLoop, calls=mixed", False),
        (SPREAD, f"h = {TYPE} reverse(g), dimensions={{1}}", NOTHING, False),
        (SPREAD, SINE, "n = f32[40,50,6]{2,1,0:T(8,128)} transpose(r), dimensions={0,2,1}", False),
        (SPREAD, f"h = {TYPE} copy(g)", NOTHING, False),
        ("reshape(x)", SINE, NOTHING, False),
        ('custom-call(x), custom_call_target="mine"', SINE, NOTHING, False),
        # a product makes or reads it, also through the loop and inside of a fusion
        (SPREAD, SINE, f"n = f32[40,6,6]{{2,1,0:T(8,128)}} dot(r, r), {DOT}", False),
        (SPREAD, SINE, "n = f32[40,6,6]{2,1,0:T(8,128)} fusion(r), kind=kOutput, calls=dotted", False),
        (SPREAD, f"h = {TYPE} sine(g)\n  d = f32[40,6,6]{{2,1,0:T(8,128)}} dot(g, g), {DOT}", NOTHING,
         False),
    ],
)  # fmt: skip
def test_bytes_are_promised_where_nothing_treats_dimensions_apart(maker, inner, reader, promised):
    text = MODULE.format(maker=maker, inner=inner, reader=reader).replace(
        "ENTRY", "sum { a = f32[]{:T(128)} parameter(0) b = f32[]{:T(128)} parameter(1) "
        "ROOT r = f32[]{:T(128)} add(a, b) }\nENTRY"
    )  # fmt: skip
    module = hlo.read_module(text)
    assert module.problems == ()
    (row,) = (r for r in hlo.padding_report(module).rows if r.shape == TYPE)
    assert row.physical_bytes == 40 * 8 * 128 * 4 == 163_840
    words = "merge dimensions 1 and 2 (6 x 50 to 300): 163,840 to 61,440 bytes"
    assert (row.suggestion == words) is promised, row.suggestion
    assert "merge" not in row.suggestion or promised
    assert bool(row.suggestion_claim) is promised


def test_no_stored_dump_has_a_promise_for_a_product():
    for file in FOLDERS.glob("*/*after_optimizations.txt"):
        for row in hlo.padding_report(hlo.read_module(file.read_text())).rows:
            assert "swap" not in row.suggestion
            if row.opcode in ("dot", "convolution", "copy", "copy-start"):
                assert row.suggestion_claim == ""


READERS = [  # what makes or reads a buffer of f32[4096,50], and what the report says of it
    ("ROOT d = f32[4096,50]{1,0:T(8,128)} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "no change proposed: result of dot d, the compiler picks its layout"),
    ("ROOT d = f32[4096]{0:T(1024)} dot(n, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "no change proposed: operand of dot d, the compiler picks its layout"),
    ("ROOT r = f32[4096]{0:T(1024)} reduce(n, z), dimensions={1}, to_apply=sum",
     "no change proposed: operand of reduce r, the compiler picks its layout"),
    ("ROOT t = f32[50,4096]{1,0:T(8,128)} transpose(n), dimensions={1,0}",
     "no change proposed: operand of transpose t, the compiler picks its layout"),
    ("ROOT a = f32[4096,50]{1,0:T(8,128)} add(n, n)", "in the source: try dimensions 0 and 1"),
]  # fmt: skip

SMALL = """HloModule m

sum {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

ENTRY e {
  x = f32[4096,50]{1,0:T(8,128)} parameter(0)
  w = f32[50,50]{1,0:T(8,128)} parameter(1)
  v = f32[50]{0:T(128)} parameter(2)
  z = f32[] constant(0)
  n = f32[4096,50]{1,0:T(8,128)} negate(x)
  LAST
}
"""


@pytest.mark.parametrize(("last", "said"), READERS, ids=[said for _, said in READERS])
def test_every_row_says_what_to_change_or_why_nothing(last, said, tmp_path, capsys):
    file = tmp_path / "m.hlo"
    file.write_text(SMALL.replace("LAST", last))
    assert main(["check", str(file), "--no-cache", "--top", "9"]) == 0
    rows = capsys.readouterr().out.partition("padding of ")[2].split("made by ")[1:]
    assert rows
    for row in rows:
        assert row.count("in the source: ") + row.count("no change proposed: ") == 1
    assert said in rows[0]


@pytest.mark.parametrize("folder", sorted(f.name for f in FOLDERS.iterdir() if f.is_dir()))
def test_every_row_of_a_real_module_says_so(folder):
    for file in FOLDERS.joinpath(folder).glob("*optimizations.txt"):
        for row in hlo.padding_report(file.read_text()).above(1.0):
            assert bool(row.suggestion) is not bool(row.no_change)
