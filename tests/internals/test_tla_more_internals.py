"""What the modules behind `tests/test_tla_more.py` promise each other."""

import random
import re

import numpy as np
import pytest
from test_tla_more import L, Other
from tla_oracle import random_leaves, values

from symlayout import LayoutError, tla
from symlayout.expr.terms import symbol
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.strided import read_strided
from symlayout.tla import E
from symlayout.tla.basis import CoordinateLayout, Direction

M, N = symbol("M"), symbol("N")


def layout(leaves):
    return Layout(tuple(s for s, _d in leaves), tuple(d for _s, d in leaves))


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


def test_tensor_layouts_agrees_where_both_answer():
    import tensor_layouts as other

    rng = random.Random(30)
    agreed = 0
    for _k in range(300):
        a, b = random_leaves(rng, 2, 8, (1, 2, 4, 8, 16)), random_leaves(rng, 1, 8, (1, 2, 4, 8))
        theirs = [other.Layout(tuple(s for s, _d in x), tuple(d for _s, d in x)) for x in (a, b)]
        assert tla.as_layout(theirs[0]) == layout(a)
        assert [theirs[0](i) for i in range(layout(a).size)] == values(a)
        assert tla.cosize(layout(a)) == other.cosize(theirs[0])
        coalesced = tla.as_layout(other.coalesce(theirs[0]))
        assert values(list(coalesced.leaves)) == values(list(tla.coalesce(layout(a)).leaves))
        if any(y % x and x % y for x in (a[0][0],) for y in (b[0][1], b[0][0] * b[0][1])):
            continue  # where sizes do not divide, its answers are not all right
        try:
            made = tla.as_layout(other.compose(*theirs))
            ours = tla.composition(layout(a), layout(b))
        except ValueError:
            continue
        agreed += values(list(made.leaves)) == values(list(ours.leaves))
    assert agreed > 100


# -- what layouts share ------------------------------------------------------------------------------


def test_nullspace_is_all_of_the_stride_0_modes():
    rng = random.Random(31)
    for _k in range(100):
        leaves = random_leaves(rng, 3, 4, (0, 1, 4, 16))
        made = tla.nullspace(layout(leaves))
        zero = [i for i, x in enumerate(values(leaves)) if x == 0]
        assert values(list(made.leaves)) == zero
    assert str(tla.nullspace(L("(M,N):(1,0)"))) == "N:M"
    assert str(tla.nullspace(L("(_4,_3):(_1,_0)"))) == "_3:_4"


def test_the_largest_common_vector():
    rng = random.Random(32)
    for _k in range(100):
        a, b = (random_leaves(rng, 2, 4, (1, 2, 4, 8)) for _n in range(2))
        made = tla.max_common_layout(layout(a), layout(b))
        x, y = values(a), values(b)
        places = values(list(made.leaves))
        assert [x[p] for p in places] == [y[p] for p in places] == list(range(len(places)))
        assert tla.max_common_vector(layout(a), layout(b)) == len(places)
    assert tla.max_common_vector(L("(8,4):(1,8)"), L("(8,4):(1,16)")) == 8
    assert tla.max_common_vector(L("(8,4):(4,1)"), L("(8,4):(1,8)")) == 1
    with pytest.raises(LayoutError, match="undecided"):
        tla.max_common_layout(L("(M,4):(1,M)"), L("(8,4):(1,8)"))


def test_directions_add_and_scale():
    d = E(0) * 3 + 2 * E(1, 0)
    assert str(d) == "3@0 + 2@0@1"
    assert d + 0 == 0 + d == d
    assert str(d + E(0) * -3) == "2@0@1"
    assert str(Direction(())) == "0"
    assert d.coordinate((9, (9, 9))) == (3, (2, 0))
    with pytest.raises(LayoutError, match="leaves the shape"):
        d.coordinate((9, 9))
    with pytest.raises(TypeError):
        d + 1
    with pytest.raises(LayoutError, match="no mode -1"):
        E(-1)


def test_symbolic_coordinate_layouts():
    made = tla.composition(tla.identity_layout((M, N)), L("(4,N):(1,M)"), where="M % 4 == 0")
    assert str(made) == "(4,N):(1@0,1@1)"
    i = symbol("i")
    assert tla.identity_layout((M, N))((i, 2)) == (i, 2)
    with pytest.raises(LayoutError, match="undecided"):
        tla.composition(tla.identity_layout((M, N)), L("4:1"))


def test_bad_coordinate_layouts():
    for shape, stride, rule in [
        ((4, 2), (E(0),), "do not nest"),
        ((4,), (1,), "is not a direction"),
        ((4,), (E(1),), "leaves the shape"),
    ]:
        with pytest.raises(LayoutError, match=rule):
            CoordinateLayout(shape, stride, shape)
    made = tla.identity_layout((4, 2))
    for bad in ((1, 2, 3), (4, 0), ((1, 1), 0)):
        with pytest.raises(LayoutError):
            made(bad)
