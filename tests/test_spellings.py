"""The documents' spellings: C++, protocol-buffer text, negative dimension numbers, names as texts."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xla_random import shapes

from symlayout import LayoutError, parse, prove, recheck, tla
from symlayout.__main__ import main


@settings(max_examples=100, deadline=None)
@given(shapes())
def test_dimensions_may_be_counted_from_the_end(shape):
    order = [m - shape.rank for m in shape.minor_to_major]
    text = str(shape)
    head, brace, rest = text.partition("{")
    if brace:
        listed = ",".join(map(str, shape.minor_to_major))
        text = head + brace + ",".join(map(str, order)) + rest.removeprefix(listed)
    assert parse(text.replace("*", "-1")) == shape


def test_the_documents_examples_read():
    declared = (
        "Layout w2xh4 = MakeLayout(MakeShape(Int<2>{}, 4),\nMakeStride(Int<12>{}, Int<1>{}));"
    )
    assert str(parse(declared)) == "(_2,4):(_12,_1)"
    typed = "Layout<Shape<Shape<_4,_2>,Shape<_4,_3>>, Stride<Stride<_4,_16>,Stride<_1,_32>>>{}"
    assert parse(typed)(1, 5) == 37
    assert parse("cute::make_layout(cute::make_shape(4, cute::Int<8>{}))").stride == (1, 4)
    assert parse("make_layout(make_tuple(int{2}, Int<3>{}))").shape == (2, 3)
    constant = parse("make_layout(make_shape(integral_constant<int, 3>{}))").shape[0]
    assert isinstance(constant, tla.Static)
    assert parse("zN(8,12,4,4)").shape == ((4, 2), (4, 3))
    assert (
        tla.MakeLayout(tla.MakeShape(tla.Int(2), 4), tla.MakeStride(tla._12, tla._1)).cosize == 16
    )


def test_a_permutation_from_the_end_is_certified():
    verdict = prove.bitcast("f32[M,N]{1,0}", "f32[N,M]{0,1}", perm="-1,-2")
    assert verdict.proved
    assert recheck(verdict.certificate).ok
    with pytest.raises(LayoutError):
        prove.bitcast("f32[M,N]{1,0}", "f32[N,M]{0,1}", perm="-1,1")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["zN", "nZ", "zZ", "nN"]), *[st.integers(1, 5)] * 4)
def test_formats_with_other_fractals(name, rows, cols, height, width):
    layout = parse(f"{name}({rows}, {cols}, {height}, {width})")
    assert parse(str(layout)) == layout
    down, across = -(-rows // height), -(-cols // width)
    for i, j in product(range(rows), range(cols)):
        (a, r), (b, c) = divmod(i, height), divmod(j, width)
        inner = r * width + c if name[0] == "z" else c * height + r
        outer = a * across + b if name[1] == "Z" else b * down + a
        assert layout.index_map().offset(i, j) == outer * height * width + inner
    verdict = prove.injective(f"{name}(R,C,{height},{width})")
    assert verdict.proved
    assert recheck(verdict.certificate).ok


@pytest.mark.parametrize("spelling", ["text", "cpp", "proto"])
def test_the_command_prints_the_spelling(spelling, capsys):
    layout = "f32[M,3]{1,0:T(2,2)}" if spelling == "proto" else "zN(f16,R,C)"
    assert main(["formula", layout, "--spelling", spelling]) == 0
    text = capsys.readouterr().out.strip()
    if spelling == "proto":
        assert parse(text) == parse(layout)
    else:  # modes have no element type
        assert prove.equal(text.removesuffix(";"), layout).proved
        assert "zN" not in text
    other = "zN(f16,R,C)" if spelling == "proto" else "f32[M,3]"
    assert main(["formula", other, "--spelling", spelling]) == (0 if spelling == "text" else 2)


VECTOR = "element_type: F32 dimensions: 2 "

MATRIX = VECTOR + "layout { minor_to_major: 0 "


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("MakeLayout()", "SL107"),
        ("MakeLayout(MakeShape(2,3), MakeStride(3,1)", "SL101"),
        ("MakeLayout(MakeShape(2,3), MakeStride(3))", "SL107"),
        ("MakeLayout(MakeShape(2,3), MakeStride(3,1), MakeShape(2,MakeShape(3)))", "SL107"),
        ("MakeLayout(MakeShape(-2,3), MakeStride(3,1))", "SL102"),
        ("MakeLayout(MakeShape(2,3), MakeStride(3,1)) x", "SL101"),
        ("MakeLayout(MakeShape(2,?), MakeStride(3,1))", "SL200"),
        ("MakeLayout(1, 2, 3, 4)", "SL107"),
        ("Layout<Shape<_4,_2>, Stride<_4>>{}", "SL107"),
        ("Layout<Shape<_4,_2>, Stride<_4,_1>", "SL101"),
        ("Layout<Shape<4+2,_2>, Stride<_4,_1>>{}", "SL101"),
        ("MakeLayout(" + "MakeShape(" * 200 + "1", "SL204"),
        ("Layout<" + "Shape<" * 5000, "SL204"),
        ("MakeLayout(MakeShape(Int<" + "9" * 5000 + ">{}))", "SL101"),
        ("element_type: F33 dimensions: 2", "SL103"),
        ("dimensions: 2", "SL103"),
        ("element_type: F32 dimensions: 2 layout { minor_to_major: 1 }", "SL104"),
        ("element_type: F32 dimensions: -2", "SL102"),
        ("element_type: F32 dimensions: 2 layout { minor_to_major: 0", "SL101"),
        ("element_type: F32 dimension: 2", "SL101"),
        ("element_type: F32 minor_to_major: 0", "SL101"),
        ("element_type: F32 element_type: F32", "SL101"),
        (
            MATRIX + "tiles { dimensions: 0 } }",
            "SL102",
        ),
        (
            MATRIX + "tiles { dimensions: -1 } }",
            "SL105",
        ),
        (MATRIX + "padding_value: X }", "SL106"),
        (
            VECTOR + "is_dynamic_dimension: true is_dynamic_dimension: true",
            "SL101",
        ),
        ("minor_to_major: 0", "SL100"),
        ("element_type: TUPLE " + "tuple_shapes { " * 300, "SL204"),
        ("zN(8,12,4)", "SL107"),
        ("zN(8,12)", "SL103"),
        ("zN(8,12,0,4)", "SL102"),
    ],
)
def test_spellings_that_mean_nothing(text, code):
    with pytest.raises(LayoutError) as caught:
        parse(text)
    assert caught.value.code == code, caught.value
