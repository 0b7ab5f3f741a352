"""Properties of internal modules; `tests/test_catlass_page.py` tests the public interface."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout.expr.reader import read_expression
from symlayout.layouts.applied import tuple_value
from symlayout.layouts.cute.tuples import plain_tuples


def tuples():
    leaf = st.sampled_from(["_3", "5", "N", "Int<7>{}", "int{2}"])

    def call(parts):
        return f"MakeShape({', '.join(parts)})"

    return st.recursive(leaf, lambda x: st.lists(x, min_size=1, max_size=3).map(call), max_leaves=6)


@given(tuples())
def test_c_plus_plus_tuples_read_as_tuples(text):
    plain = plain_tuples(f"tla::MakeCoord({text}, 1)")
    assert len(plain) == len(f"tla::MakeCoord({text}, 1)")
    own = text.replace("MakeShape", "").replace("Int<7>{}", "7").replace("int{2}", "2")
    assert tuple_value(plain, read_expression) == tuple_value(f"({own}, 1)", read_expression)


@given(st.text("Shape<_4,>{}() MakeInt:N1=& ", max_size=30))
def test_every_place_stays(text):
    assert len(plain_tuples(text)) == len(text)


@pytest.mark.parametrize("text", ["Shape < N and M > 3", "Tile<N", "a<b>c", "Int + C"])
def test_comparisons_are_no_types(text):
    assert plain_tuples(text) == text
