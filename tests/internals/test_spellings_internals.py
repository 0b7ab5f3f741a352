"""Properties of internal modules; `tests/test_spellings.py` tests the public interface."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from xla_random import shapes, with_symbols

from symlayout import LayoutError, parse, tla, xla
from symlayout.expr.terms import symbol
from symlayout.layouts.cute import inttuple
from symlayout.layouts.xla.proto import read_proto
from symlayout.tla import read_cpp

ATOMS = st.one_of(
    st.integers(0, 9),
    st.integers(0, 9).map(tla.Static),
    st.sampled_from(["M", "n_2", "I", "N"]).map(symbol),
    st.sampled_from(["M + 1", "ceildiv(M, 8)", "M//4*2", "min(M, 3)", "M % 5 + 2"]).map(
        lambda t: tla.read_inttuple(t)
    ),
)


@st.composite
def layouts(draw):
    shape = draw(
        st.recursive(ATOMS, lambda t: st.lists(t, min_size=1, max_size=3).map(tuple), max_leaves=6)
    )
    stride = inttuple.transform(lambda _: draw(ATOMS), shape)
    return tla.Layout(shape, stride)


@pytest.mark.explore
@settings(max_examples=200, deadline=None)
@given(layouts())
def test_cpp_reads_back(layout):
    text = tla.cpp_text(layout)
    made = parse(text)
    assert (made, str(made)) == (layout, str(layout))
    assert read_cpp(f"auto a = tla::{text};") == layout


@settings(max_examples=150, deadline=None)
@given(shapes(), st.booleans())
def test_protocol_buffer_text_reads_back(shape, named):
    assume(shape.padded != ())  # a field of no values is no field
    shape = with_symbols(shape)[0] if named else shape
    text = xla.proto_text(shape)
    made = parse(text)
    assert made == shape
    assert read_proto(text.replace(" dimensions", ",\n# a comment\ndimensions")) == shape
    layout = xla.Layout.of(shape)
    assert layout.shape(shape.dtype, shape.dims) == shape
    if shape.rank:
        plain = xla.Shape(shape.dtype, shape.dims)
        assert f"{plain}{layout}" == str(layout.shape(shape.dtype, shape.dims))
        assert read_proto(xla.proto_text(layout)) == layout


def test_names_are_sizes_in_constructors():
    made = xla.Shape("f32", ("A", "ceildiv(N, 8)", "<=B", "?"))
    assert str(made) == "f32[A,ceildiv(N,8),<=B,?]"
    padded = xla.Shape("f32", (2, 3), (0, 1), padded_dimensions=("P", 5), padding_value=0)
    assert str(padded) == "f32[2,3]{0,1:PAD(P,5)=0}"
    shared = xla.Layout((1, 0), tiles=(xla.Tile((8, 128)), xla.Tile((2, 1))))
    assert str(shared.shape("bf16", ("M", "N"))) == "bf16[M,N]{1,0:T(8,128)(2,1)}"
    assert xla.make_shape("F32", ("A", "B")).size_of(-1) == symbol("B")


def test_a_constructor_reads_texts_and_runs_nothing():
    for bad in ("__import__('os')", "1.5", "", "M]"):
        with pytest.raises(LayoutError):
            xla.Shape("f32", (bad,))
