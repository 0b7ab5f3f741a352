"""Conversions, other libraries, coordinate layouts, and what layouts share."""

import itertools
import random

import pytest
from tla_oracle import random_leaves, values

from symlayout import LayoutError, parse, prove, tla
from symlayout.tla import CoordinateLayout, Direction, E, Layout, _

L = tla.read_layout

# -- XLA ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "xla"),
    [
        ("zN(f16, R, C)", "f16[R,C]{0,1:T(16,16)(16,1)}"),
        ("nZ(s8, R, C)", "s8[R,C]{1,0:T(32,16)(32,1)}"),
        ("zZ(f32, R, C)", "f32[R,C]{1,0:T(16,8)}"),
        ("nN(f16, R, C)", "f16[R,C]{0,1:T(16,16)}"),
        ("L0C(f32, R, C)", "f32[R,C]{0,1:T(16,16)(16,1)}"),
        ("Weight4BitnZ(s4, R, C)", "s4[R,C]{1,0:T(32,16)(32,1)}"),
        ("PaddingRowMajor(f16, R, C, br, bc)", "f16[R,C]{1,0:T(br,bc)}"),
        ("PaddingColumnMajor(f16, R, C, 4, 8)", "f16[R,C]{0,1:T(8,4)}"),
        ("RowMajor(f16, R, C)", "f16[R,C]{1,0}"),
        ("ColumnMajor(f16, R, C)", "f16[R,C]{0,1}"),
        ("Vector(f32, n)", "f32[n]{0}"),
        ("NC1HWC0(f16, N, C1, H, W, 16)", "f16[N,C1,H,W,16]{4,3,2,1,0}"),
    ],
)
def test_layouts_with_an_xla_form(a, xla):
    made = tla.to_xla(L(a))
    assert str(made) == xla
    assert prove.equal(L(a), made).proved
    back = tla.to_tla(made)
    assert prove.equal(back, L(a)).proved


@pytest.mark.parametrize(
    ("xla", "a"),
    [
        (
            "f32[M,N]{1,0:T(8,128)}",
            "((8,ceildiv(M, 8)),(128,ceildiv(N, 128))):((128,1024*ceildiv(N, 128)),(1,1024)):(M,N)",
        ),
        (
            "bf16[M,N]{1,0:T(8,128)(2,1)}",
            "((2,4,ceildiv(M, 8)),(128,ceildiv(N, 128)))"
            ":((1,256,1024*ceildiv(N, 128)),(2,1024)):(M,N)",
        ),
        ("f32[M,N]{0,1}", "(M,N):(1,M)"),
        ("f32[8,8]{1,0:T(2,4)(2,1,1,1)}", "((2,2,2),(4,2)):((8,1,32),(2,16))"),
        ("f32[N]{0:T(256)}", "((256,ceildiv(N, 256))):((1,256)):(N)"),
        ("f32[]", "():()"),
        ("f32[<=2*N]", "(2*N):(1)"),
        ("f32[<=N,3]{1,0:T(8,128)}", "((8,ceildiv(N, 8)),128):((128,1024),1):(N,3)"),
    ],
)
def test_xla_shapes_as_modes(xla, a):
    made = tla.to_tla(xla)
    assert str(made) == a
    assert prove.equal(made, xla).proved


def test_what_has_no_form_on_the_other_side():
    for a, dtype, rule in [
        ("(M,N):(2*N,1)", "f32", "no XLA layout is proved"),
        ("(M,N):(N,1)", None, "has no element type"),
        ("(2,2,2,2,2,2):(32,16,8,4,2,1)", "f32", "too many"),
    ]:
        with pytest.raises(LayoutError, match=rule):
            tla.to_xla(L(a), dtype)
    for xla, rule in [
        ("f32[4,5,6]{2,1,0:T(*,2,3)}", "combines or adds"),
        ("f32[9,9]{1,0:T(3,4)(2,1)}", "2 does not divide 3"),
        ("f32[9]{0:T(3,4)}", "combines or adds"),
        ("(f32[2], s32[])", "not an array"),
    ]:
        with pytest.raises(LayoutError, match=rule):
            tla.to_tla(xla)


def test_facts_let_a_conversion_through():
    assert str(tla.to_xla(L("(M,N):(K,1)"), "f32", where="K == N")) == "f32[M,N]{1,0}"
    with pytest.raises(LayoutError, match="no XLA layout"):
        tla.to_xla(L("(M,N):(K,1)"), "f32")


# -- other libraries ---------------------------------------------------------------------------------


class Other:
    """A layout of another library."""

    shape = ((4, 2), 3)
    stride = ((1, 8), 16)


def test_what_a_ragged_divide_leaves_out_of_range():
    a = L("(M,N):(1,M)")
    tile = tla.read_inttuple("(BM,8)")
    assert [str(r) for r in tla.in_range(a, tile)] == ["BM*q0 + r0 < M", "8*q1 + r1 < N"]
    assert [str(r) for r in tla.in_range(a, tile, where=["M % BM == 0"])] == ["8*q1 + r1 < N"]
    assert tla.in_range(a, tile, where=["M % BM == 0", "N % 8 == 0"]) == ()
    assert tla.in_range(a, (_, 4), where=["N % 4 == 0"]) == ()
    assert [str(r) for r in tla.in_range(L("(10,3):(1,10)"), 4)] == ["4*q0 + r0 < 30"]
    inside = tla.in_range(L("(10,6):(1,10)"), (4, 4))
    zipped = tla.zipped_divide(L("(10,6):(1,10)"), (4, 4))
    found = [
        zipped((r0, r1), (q0, q1))
        for q0, q1, r0, r1 in itertools.product(range(3), range(2), range(4), range(4))
        if all(r.subs({"q0": q0, "q1": q1, "r0": r0, "r1": r1}) for r in inside)
    ]
    assert sorted(found) == list(range(60))
    for bad in ((4, 4, 4), (L("4:1"),)):
        with pytest.raises(LayoutError):
            tla.in_range(a, bad)


# -- coordinate layouts ------------------------------------------------------------------------------


def test_the_identity_gives_every_coordinate_back():
    shape = (4, (2, 3))
    made = tla.identity_layout(shape)
    assert str(made) == "(4,(2,3)):(1@0,(1@0@1,1@1@1))"
    for i in range(24):
        assert made(i) == tla.idx2crd(i, shape)
        assert made(tla.idx2crd(i, shape)) == tla.idx2crd(i, shape)
    assert made.size == 24
    assert tla.make_identity_layout(5)(3) == 3


@pytest.mark.parametrize("b", ["(2,4):(2,4)", "24:1", "(3,2):(4,1)", "(2,3):(0,8)", "4:5"])
def test_a_layout_then_the_identity_is_the_layouts_coordinates(b):
    made = tla.composition(tla.identity_layout((4, 6)), L(b))
    for i in range(L(b).size):
        assert made(i) == tla.idx2crd(L(b)(i), (4, 6))


# -- parse -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["M*N:1", "N//8:1", "():()", "M:1", "Swizzle(1,0,1) o 0 o 4:1"])
def test_parse_reads_what_str_writes(text):
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


def test_operations_take_texts_and_other_libraries_layouts():
    assert str(tla.composition("(N,8):(X,Y)", "4:1", where="N % 4 == 0")) == "4:X"
    assert str(tla.composition(Other(), "8:1")) == "(4,2):(1,8)"
    assert str(tla.coalesce("(M,N):(1,M)")) == "M*N:1"
    assert str(tla.filter("(4,2):(1,0)")) == "4:1"
    assert str(tla.complement("4:2", "24:1")) == "(2,3):(1,8)"
    assert str(tla.right_inverse("(2,3):(3,1)")) == "(3,2):(2,1)"
    assert str(tla.left_inverse("4:2")) == "(2,4):(4,1)"
    divided = "((4,2),(2,3)):((1,8),(4,16))"
    assert str(tla.zipped_divide("(8,6):(1,8)", "(4,2)")) == divided
    assert str(tla.zipped_divide("(8,6):(1,8)", ("4:1", 2))) == divided
    assert str(tla.logical_product("(2,2):(4,1)", "6:1")) == "((2,2),(2,3)):((4,1),(2,8))"
    assert str(tla.raked_product("(2,5):(5,1)", "(3,4):(1,3)")) == "((3,2),(4,5)):((10,5),(30,1))"
    assert str(tla.tile_to_shape("(2,4):(4,1)", "(4,8)")) == "(4,(4,2)):(4,(1,16))"
    assert tla.crd2offset((1, 5), L("((4,2),(4,3)):((4,16),(1,32))")) == 37
    with pytest.raises(LayoutError, match="is not a layout of shape:stride"):
        tla.composition(3.5, "4:1")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Swizzle(2,1,2) o 4 o 2:1", "3:1"),
        ("(1,2):(2,1)", "Swizzle(0,1,2) o 1 o (4,2):(1,4)"),
        ("(0,6):(6,1)", "8:1"),
        ("8:1", "(4,0):(8,8)"),
    ],
)
def test_nothing_lies_at_0_in_common_with_what_does_not_begin_there(a, b):
    for one, other in ((a, b), (b, a)):
        with pytest.raises(LayoutError, match=r"begins at|has no elements"):
            tla.max_common_layout(one, other)


def test_a_complement_in_nothing_is_empty_and_an_empty_array_has_no_tiles():
    assert tla.complement("4:1", 0).size == 0
    for divide in (tla.logical_divide, tla.zipped_divide, tla.tiled_divide, tla.flat_divide):
        assert divide("0:1", 4).size == 0
        assert divide("(8,0):(1,8)", (4, 2)).size == 0


def test_an_index_has_no_digit_in_a_mode_of_size_0_that_others_follow():
    assert str(tla.composition("(2,0):(1,2)", "4:1")) == "4:1"  # the last mode takes the rest
    for a in ("(0,8):(12,8)", "(2,0,16):(1,2,12)"):
        assert tla.composition(a, "0:1").size == 0
        with pytest.raises(LayoutError, match="has no elements"):
            tla.composition(a, "4:1")


def layout(leaves):
    return Layout(tuple(s for s, _d in leaves), tuple(d for _s, d in leaves))


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
