"""Properties of internal modules; `tests/test_hlo_suggestions.py` tests the public interface."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout import prove, xla
from symlayout.__main__ import main
from symlayout.programs.hlo.buffers import byte_size
from symlayout.programs.hlo.padding import waste
from symlayout.programs.hlo.suggestions import Origin, suggestion


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
    assert xla.read_shape(shape).splits
    waste(xla.read_shape(shape))
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
    made = suggestion(xla.read_shape(shape), origin)
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
    made = suggestion(xla.read_shape(shape), origin)
    assert (said in made.words) if said else made is None
    assert made is None or "merge" in made.words or made.bytes is None
    row = waste(xla.read_shape(shape), origin)
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
    shape = xla.Shape(kind[0], tuple(dims), order, tiles=kind[1], splits=splits)
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
    for d in xla.read_shape(layout).dims:
        elements *= d
    product = 1
    for d in dims:
        product *= d
    assert elements == product


def test_nothing_smaller_is_said_to_be_there():
    row = waste(xla.read_shape("f32[32,32]{1,0:T(8,128)}"), Origin.ARGUMENT)
    assert row.no_change == "no order of dimensions is smaller"
    row = waste(xla.read_shape("f32[4,128]{1,0:T(8,128)}"), Origin.ARGUMENT)
    assert row.no_change.startswith("the compiler picks its layout, merged dimensions save nothing")
    assert waste(xla.read_shape("f32[8,128]{1,0:T(8,128)}")).no_change == ""
