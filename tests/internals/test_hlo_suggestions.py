"""Advice about padding: bytes are promised where compilers deliver them, and advice refuses nothing."""
# ruff: noqa: E501

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout import prove
from symlayout.__main__ import main
from symlayout.layouts.xla import Shape, read_shape
from symlayout.programs.hlo.buffers import byte_size
from symlayout.programs.hlo.padding import padding_report, waste
from symlayout.programs.hlo.reader import read_module
from symlayout.programs.hlo.suggestions import Origin, suggestion

FOLDERS = Path(__file__).parents[1] / "data" / "dumps" / "folders"


@pytest.mark.parametrize(
    "shape",
    [
        "bf16[7,250]{1,0:T(8,128)(2,1)S(1)SC(1:128)}",
        "bf16[3,7,250]{2,1,0:T(8,128)(2,1)S(1)SC(2:128)}",
        "f32[5,9,100]{2,1,0:T(8,128)SC(0:2)}",
        "s32[6]{0:T(128)S(1)SC(0:4)}",
        "f32[2,3,50,7]{3,2,1,0:T(8,128)SC(1:2)}",
        "f32[100,3]{1,0:T(8,128)SC(0:50)}",
    ],
)
def test_a_shape_with_a_split_takes_no_file_down(shape, tmp_path, capsys):
    assert read_shape(shape).splits
    waste(read_shape(shape))
    file = tmp_path / "m.hlo"
    file.write_text(
        f"HloModule m ENTRY e {{ x = {shape} parameter(0) ROOT n = {shape} negate(x) }}"
    )
    assert main(["check", str(file), "--no-cache"]) == 0
    assert "padding of " in capsys.readouterr().out


@pytest.mark.parametrize("origin", Origin)
@pytest.mark.parametrize(
    ("shape", "words", "layout"),
    [
        # neighbours of an argument, in the layout that compilers give the result
        ("f32[5,9,100]{2,1,0:T(8,128)}", "merge dimensions 0 and 1 (5 x 9 to 45)",
         "f32[45,100]{1,0:T(8,128)}"),
        ("f32[50000,6,50]{0,2,1:T(8,128)}", "merge dimensions 1 and 2 (6 x 50 to 300)",
         "f32[50000,300]{0,1:T(8,128)}"),
        ("f32[100,12,20]{0,2,1:T(8,128)}", "merge dimensions 1 and 2 (12 x 20 to 240)",
         "f32[100,240]{1,0:T(8,128)}"),
        ("bf16[25,8,25]{2,1,0:T(8,128)(2,1)}", "merge dimensions 0 and 1 (25 x 8 to 200)",
         "bf16[200,25]{0,1:T(8,128)(2,1)}"),
        ("f32[3,4,4]{2,1,0:T(4,128)}", "merge dimensions 0 and 1 (3 x 4 to 12)",
         "f32[12,4]{0,1:T(4,128)}"),
        ("bf16[4,25,6]{1,0,2:T(4,128)(2,1)}", "merge dimensions 0 and 1 (4 x 25 to 100)",
         "bf16[100,6]{0,1:T(8,128)(2,1)}"),
        # a tile of fewer rows may not be enough for the next dimension: nothing is saved
        ("f32[2,130,6]{1,0,2:T(2,128)}", "", ""),
        ("f32[3,4,100]{2,1,0:T(4,128)}", "", ""),
        ("f32[8,128]{1,0:T(8,128)}", "", ""),
        ("f32[100,3]{0,1:T(4,128)}", "", ""),
    ],
)  # fmt: skip
def test_a_merge_is_promised_for_an_argument(shape, words, layout, origin):
    made = suggestion(read_shape(shape), origin)
    if origin is Origin.ARGUMENT:
        assert (made.words, made.layout) == (words, layout) if words else made is None
    elif origin in (Origin.APART, Origin.PRODUCT):
        assert made is None or made.bytes is None


@pytest.mark.parametrize(
    ("shape", "origin", "said"),
    [
        ("f32[100,3]{1,0:T(8,128)}", Origin.FREE, "try dimensions 0 and 1 the other way round"),
        ("f32[7,100,3]{2,1,0:T(8,128)}", Origin.FREE, "merge dimensions 1 and 2"),
        # another order than the source's, an argument, or what a product decides
        ("f32[3,100]{0,1:T(8,128)}", Origin.FREE, ""),
        ("f32[100,3]{1,0:T(8,128)}", Origin.ARGUMENT, ""),
        ("f32[100,3]{1,0:T(8,128)}", Origin.APART, ""),
        ("f32[100,3]{1,0:T(8,128)}", Origin.UPDATED, ""),
        ("f32[9,100,3]{2,1,0:T(8,128)}", Origin.UPDATED, "merge dimensions 1 and 2"),
        ("f32[100,3]{1,0:T(8,128)}", Origin.PRODUCT, ""),
        ("f32[4096,3,3]{2,1,0:T(4,128)}", Origin.PRODUCT, "keeps dimension 0 (4096) minor"),
        ("f32[4096,500,3]{2,1,0:T(8,128)}", Origin.PRODUCT, "keeps dimension 0 (4096) minor"),
        ("f32[8,500,3]{2,1,0:T(8,128)}", Origin.PRODUCT, "keeps dimension 1 (500) minor"),
        ("f32[4096,3,500]{2,1,0:T(4,128)}", Origin.PRODUCT, ""),
        ("f32[8,5,3]{2,1,0:T(8,128)}", Origin.PRODUCT, ""),
        ("f32[4096,3,3]{2,1,0:T(4,128)}", Origin.APART, ""),
    ],
)
def test_no_bytes_are_promised_for_what_compilers_decide(shape, origin, said):
    made = suggestion(read_shape(shape), origin)
    assert (said in made.words) if said else made is None
    assert made is None or "merge" in made.words or made.bytes is None
    row = waste(read_shape(shape), origin)
    assert ("bytes" in row.suggestion) is ("merge" in row.suggestion)


@given(
    st.lists(st.integers(1, 300), min_size=1, max_size=4),
    st.sampled_from(
        [("f32", ((8, 128),)), ("f32", ((2, 128),)), ("bf16", ((8, 128), (2, 1))), ("f32", ((1024,),)),
         ("s8", ((32, 128), (4, 1))), ("s4", ((64, 128), (8, 1))), ("f32", ((8, 128), (3, 5)))]
    ),
    st.sampled_from(Origin),
    st.data(),
)  # fmt: skip
def test_what_is_promised_is_less_and_has_a_proof(dims, kind, origin, data):
    order = tuple(data.draw(st.permutations(range(len(dims)))))
    splits = data.draw(st.sampled_from([(), ((0, (1,)),)] if dims[order[-1]] > 1 else [()]))
    shape = Shape(kind[0], tuple(dims), order, tiles=kind[1], splits=splits)
    made = suggestion(shape, origin)
    row = waste(shape, origin)
    if made is None or made.bytes is None:
        assert row.suggestion_claim == ""
        return
    assert made.bytes < byte_size(shape) == row.physical_bytes
    word, layout, size = shlex.split(made.claim)
    assert getattr(prove, word)(layout, size).proved
    assert origin in (Origin.ARGUMENT, Origin.FREE, Origin.UPDATED)
    elements = 1
    for d in read_shape(layout).dims:
        elements *= d
    product = 1
    for d in dims:
        product *= d
    assert elements == product


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
    module = read_module(text)
    assert module.problems == ()
    (row,) = (r for r in padding_report(module).rows if r.shape == TYPE)
    assert row.physical_bytes == 40 * 8 * 128 * 4 == 163_840
    words = "merge dimensions 1 and 2 (6 x 50 to 300): 163,840 to 61,440 bytes"
    assert (row.suggestion == words) is promised, row.suggestion
    assert "merge" not in row.suggestion or promised
    assert bool(row.suggestion_claim) is promised


def test_no_stored_dump_has_a_promise_for_a_product():
    for file in FOLDERS.glob("*/*after_optimizations.txt"):
        for row in padding_report(read_module(file.read_text())).rows:
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
        for row in padding_report(file.read_text()).above(1.0):
            assert bool(row.suggestion) is not bool(row.no_change)


def test_nothing_smaller_is_said_to_be_there():
    row = waste(read_shape("f32[32,32]{1,0:T(8,128)}"), Origin.ARGUMENT)
    assert row.no_change == "no order of dimensions is smaller"
    row = waste(read_shape("f32[4,128]{1,0:T(8,128)}"), Origin.ARGUMENT)
    assert row.no_change.startswith("the compiler picks its layout, merged dimensions save nothing")
    assert waste(read_shape("f32[8,128]{1,0:T(8,128)}")).no_change == ""
