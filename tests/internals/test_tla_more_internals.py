"""Properties of internal modules; `tests/test_tla_more.py` tests the public interface."""

import re

import numpy as np
import pytest
from test_tla_more import L, Other

from symlayout import LayoutError, tla
from symlayout.expr.terms import symbol
from symlayout.layouts.strided import read_strided

M, N = symbol("M"), symbol("N")


def test_anything_with_shape_and_stride_is_a_layout():
    assert str(tla.as_layout(Other())) == "((4,2),3):((1,8),16)"
    assert tla.as_layout(L("(2,3):(3,1)")) == L("(2,3):(3,1)")
    assert str(tla.as_layout("(2,3)")) == "(2,3):(1,2)"
    assert str(tla.as_layout([2, (3, N)])) == "(2,(3,N)):(1,(2,6))"
    assert str(tla.as_layout(N)) == "N:1"
    assert str(tla.as_layout(np.zeros((3, 4), np.int8).T)) == "(4,3):(1,4)"
    assert tla.as_layout(read_strided("strided f32[M,N]")).bits == 32
    for bad, rule in [
        (np.zeros(4)[::-1], "begins at offset 3"),
        (object(), "a value of type object is not a layout of shape:stride"),
        ("Swizzle(1,0,1) o 0 o 4:1", "composed"),
    ]:
        with pytest.raises(LayoutError, match=re.escape(rule)):
            tla.as_layout(bad)


def test_symbolic_coordinate_layouts():
    made = tla.composition(tla.identity_layout((M, N)), L("(4,N):(1,M)"), where="M % 4 == 0")
    assert str(made) == "(4,N):(1@0,1@1)"
    i = symbol("i")
    assert tla.identity_layout((M, N))((i, 2)) == (i, 2)
    with pytest.raises(LayoutError, match="undecided"):
        tla.composition(tla.identity_layout((M, N)), L("4:1"))
