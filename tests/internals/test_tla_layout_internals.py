"""Properties of internal modules; `tests/test_tla_layout.py` tests the public interface."""

import json
from pathlib import Path

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tla_layout import SYMBOLIC

from symlayout import LayoutError, parse, prove, tla
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr
from symlayout.layouts.cute.formats import FORMATS, fractal
from symlayout.layouts.cute.inttuple import (
    as_tuple,
    flatten,
    is_static,
    prefix_product,
    suffix_product,
    text_of,
    transform,
    unflatten,
)
from symlayout.tla import Int as Static
from symlayout.tla import make_format

FORMAT_CASES = json.loads((Path(__file__).parents[1] / "data" / "tla_formats.json").read_text())

DTYPES = {8: "s8", 16: "f16", 32: "f32"}

R, C, M, N = (symbol(x) for x in "RCMN")

nested = st.recursive(
    st.integers(1, 5),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple),
    max_leaves=5,
)


def of_profile(shape, leaf):
    return st.tuples(*[leaf] * len(flatten(shape))).map(lambda x: unflatten(x, shape))


# -- IntTuples ---------------------------------------------------------------------------------------


def test_static_integers_stay_static_among_themselves():
    a, b = Static(12), Static(5)
    for op in ("__add__", "__sub__", "__mul__", "__floordiv__", "__mod__"):
        both, mixed = getattr(a, op)(b), getattr(a, op)(int(b))
        assert isinstance(both, Static)
        assert not isinstance(mixed, Static)
        assert both == mixed
    assert type(3 * a) is int
    assert isinstance(a * N, Expr)
    assert str(a * N) == "12*N"
    assert str(-a) == "_-12"


@settings(deadline=None)
@given(nested)
def test_the_queries_follow_their_definitions(t):
    if isinstance(t, tuple):
        assert tla.rank(t) == len(t)
        assert tla.depth(t) == 1 + max(tla.depth(x) for x in t)
        assert tla.product(t) == sympy.prod(tla.product(x) for x in t)
        assert [tla.get(t, k) for k in range(len(t))] == list(t)
    else:
        assert (tla.rank(t), tla.depth(t), tla.product(t), tla.get(t, 0)) == (1, 0, t, t)
    assert unflatten(flatten(t), t) == t
    assert tla.read_inttuple(text_of(t)) == t


@settings(deadline=None)
@given(nested)
def test_compact_strides_count_up_from_either_end(t):
    sizes, up, down = flatten(t), flatten(prefix_product(t)), flatten(suffix_product(t))
    for k in range(len(sizes) - 1):
        assert up[k] * sizes[k] == up[k + 1]
        assert down[k + 1] * sizes[k + 1] == down[k]
    assert up[0] == down[-1] == 1


def test_statics_and_expressions_print_back():
    t = tla.read_inttuple("(_2,(3,2*M))")
    assert text_of(t) == "(_2,(3,2*M))"
    assert t == (2, (3, 2 * M))
    assert [isinstance(x, Static) for x in flatten(t)] == [True, False, False]
    assert is_static(tla.read_inttuple("(_1,(_2,_3))"))


def test_transform_refuses_other_nestings():
    with pytest.raises(LayoutError, match="differ in their nesting"):
        transform(lambda a, b: a + b, (1, 2), (1, (2, 3)))


def test_other_libraries_static_integers():
    Int = type("Int", (), {"value": 7})
    assert as_tuple((Int(), 2)) == (7, 2)
    assert isinstance(as_tuple(Int()), Static)
    for bad in ("x y", 1.5, True, None):
        with pytest.raises(LayoutError):
            as_tuple(bad)


# -- layouts -----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(nested, st.data())
def test_the_three_kinds_of_coordinates_agree(shape, data):
    stride = data.draw(of_profile(shape, st.integers(0, 40)))
    L = tla.make_layout(shape, stride)
    natural = [tla.idx2crd(i, shape) for i in range(L.size)]
    flat = [sum(c * d for c, d in zip(flatten(x), flatten(stride))) for x in natural]
    assert [tla.crd2offset(x, shape, stride) for x in natural] == flat
    assert [tla.crd2offset(i, shape, stride) for i in range(L.size)] == flat
    assert [L(i) for i in range(L.size)] == flat
    assert L.cosize == max(flat) + 1
    assert len(set(natural)) == L.size
    if isinstance(shape, tuple):
        per_mode = [[tla.crd2offset(c, s) for c, s in zip(x, shape)] for x in natural]
        assert [tla.crd2offset(tuple(x), shape, stride) for x in per_mode] == flat


@settings(deadline=None)
@given(nested, st.data())
def test_the_index_map_its_reference_and_the_layout_agree(shape, data):
    stride = data.draw(of_profile(shape, st.integers(0, 40)))
    L = tla.make_layout(shape, stride)
    m = L.index_map()
    assert m.size == L.cosize
    assert list(m.shape) == [
        tla.product(s) for s in (shape if isinstance(shape, tuple) else (shape,))
    ]
    for i in range(min(L.size, 20)):
        c = tla.idx2crd(i, m.shape)
        assert m.offset(*c) == m.reference(c, {}) == L(c if len(c) > 1 else c[0])


def test_coordinates_that_the_definition_extends():
    assert tla.crd2offset(9, (4, 2), (1, 10)) == 21
    assert tla.crd2offset((1, 5), ((4, 2), (4, 3)), ((4, 16), (1, 32))) == 37
    i = symbol("i")
    assert str(tla.crd2offset(i, (4, N), (1, 10))) == "10*(i//4) + i%4"
    assert tla.crd2idx((1, 2), (4, 8)) == 9


def test_making_layouts():
    assert str(tla.make_layout(tla.make_shape(4, tla.make_shape(2, 3)))) == "(4,(2,3)):(1,(4,8))"
    assert str(tla.make_layout((4, 8), (8, 1), (3, 7))) == "(4,8):(8,1):(3,7)"
    assert str(tla.make_layout(tla.make_layout(4), tla.make_layout(8, 4))) == "(4,8):(1,4)"
    assert str(tla.make_layout((N, M), tla.make_stride(M, 1))) == "(N,M):(M,1)"
    with pytest.raises(LayoutError, match="joined with layouts"):
        tla.make_layout(tla.make_layout(4), 8)
    with pytest.raises(LayoutError, match="made of"):
        tla.make_layout(4, 1, (3,), (2,))


def test_a_zero_size_has_no_buffer():
    assert tla.read_layout("(4,0):(1,4)").cosize == 0
    empty = tla.read_layout("((0,4),(4,0)):((1,4),(16,1))").index_map()
    assert (empty.shape, empty.size) == ((0, 0), 0)
    assert empty.buffer().tolist() == []
    assert make_format("zN", "f16", 0, 16).cosize == 0


# -- formats -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case", FORMAT_CASES, ids=lambda c: f"{c['fmt']}-{c['bits']}-{c['rows']}x{c['cols']}"
)
def test_a_format_is_what_the_real_header_makes(case):
    L = parse(f"{case['fmt']}({DTYPES[case['bits']]},{case['rows']},{case['cols']})")
    assert (L.shape, L.stride) == (as_tuple(case["shape"]), as_tuple(case["stride"]))
    assert L.origin == tuple(case["origin"])
    m = L.index_map()
    for r, c, offset in case["offsets"]:
        assert tla.crd2offset((r, c), L.shape, L.stride) == offset
        assert m.offset(r, c) == m.reference((r, c), {}) == L(r, c) == offset
    tile = case["tile"]
    made = tla.get_tile_layout(L, tile["tileShape"], tile["coord"])
    assert (made.shape, made.stride) == (as_tuple(tile["shape"]), L.stride)
    assert list(made.origin) == tile["origin"]


def test_every_format_has_its_symbolic_statement_tested():
    assert {t.partition("(")[0] for t in SYMBOLIC} == set(FORMATS) - {"Strided"}


@pytest.mark.parametrize(
    ("order", "xla"),
    [
        ("zZ", "{1,0:T(s,c)}"),
        ("nN", "{0,1:T(s,c)}"),
        ("zN", "{0,1:T(c,s)(c,1)}"),
        ("nZ", "{1,0:T(c,s)(c,1)}"),
    ],
)
def test_fractal_formats_are_xla_tiles_for_every_size(order, xla):
    s, c = symbol("s"), symbol("c")
    height, width = (s, c) if order[0] == "z" else (c, s)
    shape, stride, origin = fractal(order, R, C, height, width)
    assert prove.equal(tla.Layout(shape, stride, origin, 16), f"f16[R,C]{xla}").proved


def test_mx_scales_padding_and_pitches():
    assert make_format("MxScalezZ", None, 20, 3).stride == ((2, 64), (1, 32))
    assert make_format("MxScalenN", None, 3, 20).stride == ((1, 32), (2, 64))
    assert make_format("PaddingRowMajor", None, 10, 10, 4, 4).stride == (4, 48, 1, 16)
    assert make_format("PaddingColumnMajor", None, 10, 10, 4, 4).stride == (1, 16, 4, 48)
    assert make_format("RowMajor", "f16", R, C, 128).stride == (128, 1)
    assert make_format("Weight4BitnZ", "s4", 32, 32).cosize == 1024
    assert make_format("zN", "f16", R, C).bits == 16


def test_wide_elements_have_no_fractal():
    with pytest.raises(LayoutError, match="not known"):
        make_format("zN", "f99", 4, 4)
    with pytest.raises(LayoutError, match="not known"):
        make_format("zO", "f16", 4, 4)
