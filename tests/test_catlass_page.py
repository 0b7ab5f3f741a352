"""What someone types who has only CATLASS's page of TLA layouts: its own words work, or help."""

from __future__ import annotations

import json

import pytest

from symlayout import LayoutError, parse, prove, recheck, tla
from symlayout.__main__ import main

SHAPE, STRIDE = "Shape<Shape<_4,_2>,Shape<_4,_3>>{}", "Stride<Stride<_4,_16>,Stride<_1,_32>>{}"

PAGE = "((4,2),(4,3)):((4,16),(1,32))"

RIGHT = [
    ("holds", f"crd2offset(tla::MakeCoord(1, 5), {SHAPE}, {STRIDE}) == 37"),
    ("holds", f"tla::crd2offset(MakeCoord(_1, _5), {SHAPE}, ((4,16),(1,32))) == 37"),
    ("holds", f"offset(Layout<{SHAPE[:-2]}, {STRIDE[:-2]}>{{}}, 1, 5) == 37"),
    ("holds", f"offset(Layout<{SHAPE[:-2]}, {STRIDE[:-2]}>{{}}, 1, 2*k) == 37", "k == 0"),
    ("holds", f"depth({PAGE}) == 2"),
    ("holds", "depth(zN(f16,R,C)) == 2"),
    ("holds", "depth(PaddingRowMajor(f16,R,C,8,8)) == 1"),
    ("holds", "depth((M,N):(N,1)) == 1"),
    ("tiles", PAGE, "MakeShape(4,4)"),
    ("tiles", PAGE, "tla::MakeShape(_4, Int<4>{})"),
    ("tiles", PAGE, "MakeLayout(MakeShape(4,4), MakeStride(4,1))"),
    ("injective", "zN(f16,R,C)"),
]


@pytest.mark.parametrize("claim", RIGHT, ids=lambda c: c[1])
def test_the_pages_spellings_in_claims(claim):
    word, *arguments = claim
    where = arguments.pop() if "k ==" in arguments[-1] else ()
    verdict = getattr(prove, word)(*arguments, where=where)
    assert verdict.status == ("refuted" if where else "proved")
    if verdict.proved:
        made = recheck(json.loads(json.dumps(verdict.certificate)))
        assert made.ok, made.failures


@pytest.mark.parametrize("at", ["1,5", "MakeCoord(1,5)", "tla::MakeCoord(_1, Int<5>{})", "(1,5)"])
def test_the_pages_coordinate(at, capsys):
    assert main(["formula", PAGE, "--at", at]) == 0
    assert capsys.readouterr().out == "37\n"


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (f"auto x = {SHAPE};", "((4,2),(4,3)):((1,4),(8,32))"),
        (f"const auto x = tla::{SHAPE};", "((4,2),(4,3)):((1,4),(8,32))"),
        ("MakeShape(2, R)", "(2,R):(1,2)"),
        ("MakeLayout((2,R),(R,_1))", "(2,R):(R,1)"),
        (f"auto a = Layout<{SHAPE[:-2]}, {STRIDE[:-2]}>{{}}; // {PAGE}", PAGE),
    ],
)
def test_declarations_and_shapes_are_layouts(text, layout):
    assert parse(text) == parse(layout)


WRONG = [
    ("MakeLayot(MakeShape(2,3), MakeStride(3,1))", "did you mean 'MakeLayout'?"),
    ("MakeLayout(MakeShpe(2,3), MakeStride(3,1))", "did you mean 'MakeShape'?"),
    ("MakeLayout(Shap<_2>{})", "did you mean 'Shape'?"),
    ("zM(f16,R,C)", "did you mean 'zN' or 'zZ'?"),
    ("ZN(f16,R,C)", "did you mean 'zN'?"),
    ("MakeLayoutTile(a, MakeShape(4, 4))", "symlayout prove tiles"),
    ("Layout a0 = MakeLayoutTile(a, MakeShape(4, 4));", "symlayout.tla.make_layout_tile"),
    ("GetTileLayout(a, b)", "symlayout prove tiles"),
    ("auto s = Stride<_4,_1>{};", "MakeLayout(MakeShape"),
    ("crd2offset((1,5), shape, stride)", "symlayout formula LAYOUT --at 1,5"),
]


@pytest.mark.parametrize(("text", "help"), WRONG, ids=[w[0] for w in WRONG])
def test_slips_are_told(text, help):
    with pytest.raises(LayoutError) as e:
        parse(text)
    assert help in str(e.value.help)
    assert e.value.text == text


@pytest.mark.parametrize("word", ["crd2ofset", "dept", "sise", "ofset"])
def test_a_misspelt_function_in_a_claim_is_told(word):
    with pytest.raises(LayoutError, match=f"the function '{word}' is not known") as e:
        prove.holds(f"{word}({PAGE}) == 2")
    assert "did you mean" in str(e.value.help)


def test_names_of_sizes_in_python():
    made = tla.MakeLayout(tla.MakeShape("R", "_4"), tla.MakeStride(4, "_1"))
    assert str(made) == "(R,_4):(4,_1)"
    assert tla.crd2offset(tla.MakeCoord("i", 2), made.shape, made.stride) == made("i", 2)


@pytest.mark.parametrize(
    ("relation", "where"),
    [
        ("size((4,N)) == 4*N", ()),
        ("size(MakeShape(4, MakeShape(N, _2))) == 8*N", ()),
        ("size(Shape<_4,Shape<_2,_3>>{}) == 24", ()),
        ("rank((4,(2,3))) == 2 and depth((4,(2,3))) == 2", ()),
        ("rank(7) == 1 and depth(7) == 0 and size(7) == 7", ()),
        ("size((M,N-4)) == M*N - 4*M", ("N >= 4",)),
    ],
)
def test_size_rank_and_depth_of_shapes(relation, where):
    verdict = prove.holds(relation, where=where)
    assert verdict.proved
    assert recheck(json.loads(json.dumps(verdict.certificate))).ok
    if where:
        assert prove.holds(relation).counterexample.left == "undefined"
