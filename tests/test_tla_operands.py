"""Swizzles, coordinates and negative strides as operands, against their definitions in integers."""

import random

import pytest
from tla_oracle import random_leaves

from symlayout import LayoutError, prove, tla
from symlayout.tla import Chain, ComposedLayout, CoordinateLayout, E, Layout, Swizzle, _


def offset(leaves, index):
    """The offset of an index that may be negative, as C++ divides."""
    total, sign = 0, -1 if index < 0 else 1
    index = abs(index)
    for k, (size, stride) in enumerate(leaves):
        digit = index if k == len(leaves) - 1 else index % size
        total += digit * stride
        index //= size
    return sign * total


def at(x, index):
    """The offset of a layout, a swizzled one, or several after each other."""
    if isinstance(x, Chain):
        return at(x.outer, at(x.inner, index))
    if isinstance(x, Swizzle):
        return index ^ (index >> x.source & (1 << x.bits) - 1) << x.target
    if not isinstance(x, ComposedLayout):
        return offset([(int(s), int(d)) for s, d in x.leaves], index)
    inner = int(x.offset) + at(x.layout, index)
    bits = inner >> x.swizzle.source & (1 << x.swizzle.bits) - 1
    return inner ^ bits << x.swizzle.target


def layout(leaves):
    return Layout(tuple(s for s, _ in leaves), tuple(d for _, d in leaves))


def test_negative_strides_on_the_right():
    rng = random.Random(3)
    answered = 0
    for _round in range(400):
        a = layout(random_leaves(rng, rng.randint(1, 3), 6, (0, 1, 2, 3, 6, 12)))
        b = layout(random_leaves(rng, rng.randint(1, 2), 5, (-6, -4, -2, -1, 0, 1, 2, 4)))
        try:
            result = tla.composition(a, b)
        except LayoutError:
            continue
        answered += 1
        assert all(at(result, c) == at(a, at(b, c)) for c in range(b.size)), (a, b, result)
    assert answered > 100


def test_one_sign_on_the_right_of_symbols():
    assert str(tla.composition("(4,N):(8,1)", "4:-1")) == "4:-8"
    with pytest.raises(LayoutError, match="one sign"):
        tla.composition("(4,N):(8,1)", "(4,2):(-1,1)")


def test_a_composition_of_any_size_by_its_digits():
    huge = 1 << 40
    result = tla.composition(
        Layout((huge, huge), (1, 2 * huge)), Layout((huge, 4), (2, huge * huge // 4))
    )
    assert str(result) == f"(({huge // 2},2),4):((2,{2 * huge}),{huge * huge // 2})"


SWIZZLES = [(2, 0, 3), (2, 0, -3), (1, 0, 2), (1, 1, 1), (2, 1, 2), (3, 0, 3)]


@pytest.mark.parametrize("first", SWIZZLES)
@pytest.mark.parametrize("second", SWIZZLES)
def test_swizzles_after_swizzles(first, second):
    b = ComposedLayout(Swizzle(*second), 0, Layout((64,), (1,)))
    made = tla.composition(Swizzle(*first), b)
    assert all(at(made, c) == Swizzle(*first)(at(b, c)) for c in range(64))
    assert first != second or isinstance(made, ComposedLayout)


def test_chains_are_index_maps_and_are_divided():
    chain = tla.composition(Swizzle(1, 0, 3), "Swizzle(1,0,2) o 0 o (8,8):(8,1)")
    assert isinstance(chain, Chain)
    assert prove.bijective(chain).proved
    tiles = tla.zipped_divide(chain, (2, 4))
    assert str(tiles.shape) == "((2, 4), (4, 2))"
    assert tiles((1, 2), (3, 1)) == chain(7, 6)
    more = tla.composition("(8,8):(8,1)", tla.composition("(3,4):(5,1)", chain))
    plain = more.index_map()
    for i in range(8):
        for j in range(8):
            truth = at(more, i + 8 * j)
            assert more(i, j) == truth
            assert plain.reference((i, j), {}) == truth
            assert int(plain._raw.subs(dict(zip(plain.coords, (i, j))))) == truth
    assert tla.max_common_vector(more, more) == tla.max_common_layout(more, more).size
    assert tla.logical_product(chain, 2).shape == ((8, 8), 2)
    for operation in (tla.right_inverse, tla.complement, lambda x: tla.upcast(x, 2)):
        with pytest.raises(LayoutError, match="is a function of coordinates"):
            operation(chain)


@pytest.mark.parametrize("bits", SWIZZLES)
def test_inverses_and_complements_of_swizzled_layouts(bits):
    rng, hits = random.Random(6), 0
    for _round in range(100):
        inner = layout([(1 << rng.randint(0, 3), 1 << rng.randint(0, 4)) for _ in range(2)])
        x = ComposedLayout(Swizzle(*bits), 0, inner)
        image = [at(x, i) for i in range(inner.size)]
        try:
            back = tla.right_inverse(x)
        except LayoutError:
            pass
        else:
            assert all(at(x, at(back, i)) == i for i in range(back.size)), (x, back)
            hits += 1
        try:
            back = tla.left_inverse(x, weak=True)
        except LayoutError:
            pass
        else:
            assert all(at(x, at(back, y)) == y for y in image), (x, back)
        try:
            rest = tla.complement(x, 64)
        except LayoutError:
            continue
        sums = sorted({y + at(rest, j) for y in image for j in range(rest.size)})
        assert sums == list(range(len(sums))), (x, rest)
        assert len(sums) == len(set(image)) * rest.size >= 64
    assert hits > 20


def test_a_swizzled_layout_that_does_not_begin_at_0_has_no_inverse():
    x = ComposedLayout(Swizzle(1, 0, 2), 4, Layout(16, 1))
    for operation in (tla.right_inverse, tla.left_inverse, tla.complement):
        with pytest.raises(LayoutError, match="begins at 4"):
            operation(x)


def test_weak_left_inverses():
    rng, hits = random.Random(7), 0
    for _round in range(300):
        a = layout(random_leaves(rng, rng.randint(1, 3), 5, (0, 0, 1, 2, 3, 4, 6, 12)))
        try:
            result = tla.left_inverse(a, weak=True)
        except LayoutError:
            continue
        hits += 1
        assert all(at(a, at(result, at(a, i))) == at(a, i) for i in range(a.size)), (a, result)
    assert hits > 200
    assert str(tla.left_inverse("(M,K,N):(1,0,M)", weak=True)) == "(M,N):(1,K*M)"
    assert str(tla.left_inverse("4:-1")) == "4:-1"


# -- coordinates ------------------------------------------------------------------------------------


def test_a_layout_after_coordinates():
    a = Layout((4, (2, 3)), (6, (3, 1)))
    turned = CoordinateLayout((2, 4), (E(1, 1), E(0)), a.shape)
    assert str(tla.composition(a, turned)) == "(2,4):(1,6)"
    both = CoordinateLayout((3,), (E(0) + E(1),), (4, 6))
    assert str(tla.composition(Layout((4, 6), (1, 4)), both)) == "(3):(5)"
    assert str(tla.composition("(M,N):(N,1)", "(N,M):(1@1,1@0)")) == "(N,M):(1,N)"
    for wrong in ("(2,2):(1@2,1@0)", "(2,2):(1@0@0,1@1)"):
        with pytest.raises(LayoutError, match="has no mode"):
            tla.composition("(4,6):(1,4)", wrong)
    with pytest.raises(LayoutError, match="goes on where another one ends"):
        tla.composition(a, CoordinateLayout((2, 2), (E(1), E(1, 0)), a.shape))


def test_identity_layouts_are_divided_like_the_data():
    data = tla.zipped_divide("(M,N):(N,1)", ("BM", "BN"), ["M % BM == 0", "N % BN == 0"])
    place = tla.zipped_divide(
        tla.identity_layout(("M", "N")), ("BM", "BN"), ["M % BM == 0", "N % BN == 0"]
    )
    assert place.shape == data.shape
    assert str(place).endswith(":((1@0,1@1),(BM@0,BN@1))")
    ragged = tla.zipped_divide(tla.identity_layout((10, 6)), (4, 4))
    assert str(ragged) == "((4,4),(3,2)):((1@0,1@1),(4@0,4@1))"
    assert ragged((1, 2), (2, 1)) == (9, 6)
    of_symbols = tla.zipped_divide(tla.identity_layout((8, 6)), ("B", 2))
    assert str(of_symbols) == "((B,2),(ceildiv(8, B),3)):((1@0,1@1),(B@0,2@1))"
    part, first = tla.identity_layout((8, (2, 3))).slice((5, _))
    assert (str(part), first) == ("((2,3)):((1@0@1,1@1@1))", (5, (0, 0)))


@pytest.mark.parametrize(
    "operation",
    [
        lambda x: tla.complement(x, 8),
        lambda x: tla.logical_product(x, 4),
        tla.right_inverse,
        tla.nullspace,
        lambda x: tla.upcast(x, 2),
    ],
)
def test_what_coordinates_are_no_operands_of(operation):
    with pytest.raises(LayoutError) as e:
        operation(tla.identity_layout((4, 6)))
    assert e.value.code == "SL107"


# -- domains -----------------------------------------------------------------------------------------


def test_parts_of_domains():
    rng = random.Random(8)
    for _round in range(200):
        shape = tuple(rng.randint(1, 12) for _ in range(rng.randint(1, 3)))
        count = rng.randint(1, 96)
        result = tla.domain_distribute(shape, count)
        values = [at(result, i) for i in range(result.size)]
        assert values == sorted(set(values))
        assert count % result.size == 0
        assert tla.evenly_divides(shape, result)
    assert str(tla.domain_distribute(("8*M", "N"), 4)) == "4:1"
    with pytest.raises(LayoutError, match="greatest common divisor"):
        tla.domain_distribute(("M", "N"), 4)


def test_common_refinements():
    rng, hits = random.Random(9), 0
    for _round in range(300):
        a, b = (layout(random_leaves(rng, 2, 8, (1, 2, 8, 16))) for _ in range(2))
        try:
            x, y = tla.common_refinement(a, b)
        except LayoutError:
            continue
        hits += 1
        assert x.shape == y.shape
        assert all(at(x, i) == at(a, i) and at(y, i) == at(b, i) for i in range(a.size))
    assert hits > 5
    x, y = tla.common_refinement("(M,N):(1,M)", "(M,2,N//2):(1,M,2*M)", "N % 2 == 0")
    assert (str(x), str(y)) == ("M*N:1", "M*N:1")


def test_left_inverses_between_strides():
    assert str(tla.left_inverse("(M,N):(ld,1)", where="ld >= N")) == "(ld,M):(M,1)"
    assert str(tla.left_inverse("(M,N):(2*ld,2)", where="ld >= N")) == "(2,ld,M):(0,M,1)"
    with pytest.raises(LayoutError) as e:
        tla.left_inverse("(M,N):(ld,1)")
    assert e.value.code == "SL801"


# -- what two layouts share, and what an access costs ------------------------------------------------


def test_common_vectors_of_symbols_and_of_large_layouts():
    shared = tla.max_common_vector
    assert str(shared("(M,N):(1,M)", "(M,N):(1,2*M)")) == "M"
    assert shared("(8,M):(1,8)", "(4,N):(1,32)") == 4
    assert shared("(4096,4096):(1,4096)", "(4096,4096):(1,8192)") == 4096
    assert shared("(8,4):(1,0)", "(8,4):(1,0)") == 8
    assert shared("Swizzle(2,0,3) o 0 o (8,8):(8,1)", "(8,8):(8,1)") == 8
    swizzled = "Swizzle(2,0,2) o 0 o (4,4):(1,4)"
    assert str(tla.max_common_layout(swizzled, swizzled)) == "Swizzle(2,0,2) o 0 o 16:1"
    with pytest.raises(LayoutError, match="undecided"):
        shared("(M,N):(1,ld)", "(M,N):(1,ldb)", where=["ld >= M", "ldb >= M"])
    with pytest.raises(LayoutError, match="undecided"):  # where N is 1, all of M is shared
        shared("(M,N):(1,2*M)", "(M,N):(N,1)", where="M >= 8")
    assert str(shared("(M,2):(1,M)", "(4,2,8):(1,4,32)", where="M <= 4")) == "2*M"
    with pytest.raises(LayoutError, match="smaller one"):
        shared("(M,N):(1,2*M)", "(K,N):(1,2*K)")


def test_common_vectors_by_structure_are_those_by_offsets():
    rng = random.Random(10)
    for _round in range(200):
        a, b = (layout(random_leaves(rng, 3, 4, (1, 1, 2, 4, 8, 16))) for _ in range(2))
        size = tla.max_common_vector(a, b)
        result = tla.max_common_layout(a, b)
        assert result.size == size
        assert all(at(a, at(result, i)) == i == at(b, at(result, i)) for i in range(size))


def test_what_an_access_touches():
    assert tla.coalescing("32:4", 32).segments == 4
    assert tla.coalescing("Swizzle(3,0,3) o 0 o 64:1", 16).efficiency == 1.0
    with pytest.raises(LayoutError) as e:
        tla.coalescing("N:1", 32)
    assert e.value.code == "SL402"


@pytest.mark.parametrize("text", ["zN(f16,R,C)", "PaddingRowMajor(f16,R,C,4,8)", "(M,N):(N,1)"])
def test_batches_of_ragged_layouts_do_not_meet(text):
    result = tla.PrependDim(text, "B")
    one = tla.read_layout(text)
    assert result.origin[1:] == one.origin
    assert prove.injective(result).proved
    sizes = {"R": 5, "C": 9, "M": 3, "N": 4, "B": 2}
    first, second = (x.index_map().reference for x in (result, one))
    reach = int(one.cosize.subs(sizes))
    assert first((1, 2, 3), sizes) == reach + second((2, 3), sizes)


# -- texts, swizzles and coordinates everywhere -------------------------------------------------------

SWIZZLED = "Swizzle(3,3,3) o 0 o (64,64):(64,1)"


def test_slices_of_every_kind():
    assert [str(x) for x in tla.slice_and_offset((_, 1), "(8,4):(4,1)")] == ["(8):(4)", "1"]
    assert str(tla.slice_layout((1, _), SWIZZLED)) == "Swizzle(3,3,3) o 64 o (64):(1)"
    part, first = tla.slice_and_offset((_, 1), tla.identity_layout((8, 4)))
    assert (str(part), first) == ("(8):(1@0)", (0, 1))
    assert str(tla.identity_layout((8, 4))(1, _)) == "(4):(1@1)"
    assert str(tla.dice((_, 1), "(8,4):(4,1)")) == "(4):(1)"
    chain = tla.composition(Swizzle(1, 0, 3), "Swizzle(1,0,2) o 0 o (8,8):(8,1)")
    assert [tla.slice_layout((3, _), chain)(j) for j in range(8)] == [chain(3, j) for j in range(8)]


def test_tiles_and_partitions_of_every_kind():
    whole = tla.read_layout(SWIZZLED)
    tile, start = tla.local_tile(SWIZZLED, (8, 32), (2, 1))
    assert start == 0
    assert tile(3, 5) == whole(19, 37)
    place, corner = tla.local_tile(tla.identity_layout((64, 64)), (8, 32), (2, 1))
    assert tuple(a + b for a, b in zip(place(3, 5), corner)) == (19, 37)
    for thread in (0, 5, 31):
        mine, start = tla.local_partition(SWIZZLED, "(4,8):(8,1)", thread)
        at_place, first = tla.local_partition(tla.identity_layout((64, 64)), "(4,8):(8,1)", thread)
        assert start == 0
        assert first == (thread // 8, thread % 8)
        for c in ((0, 0), (3, 1), (15, 7)):
            inside = tuple(a + b for a, b in zip(at_place(c), first))
            assert mine(c) == whole(inside)


def test_questions_about_texts_and_swizzled_layouts():
    assert tla.contiguity("Swizzle(3,3,3) o 0 o (8,64):(64,1)") == 1
    assert tla.contiguity("Swizzle(3,3,3) o 0 o (64,8):(1,64)") == 64
    assert tla.coshape(SWIZZLED) == tla.cosize(SWIZZLED) == 4096
    assert str(tla.make_layout_like(SWIZZLED)) == "(64,64):(64,1)"
    assert str(tla.make_layout("(8,4):(4,1)", "2:32")) == "((8,4),2):((4,1),32)"
    assert (tla.crd2idx((1, 2), "(8,4):(4,1)"), tla.idx2crd(17, "(8,4):(4,1)")) == (6, (1, 2))
    assert tla.crd2offset((1, 9), SWIZZLED) == tla.read_layout(SWIZZLED)(1, 9)
    assert tla.shape_div("(6,8)", 12) == tla.shape_div((6, 8), 12) == (1, 4)
    assert [str(r) for r in tla.in_range(SWIZZLED, (3, 64))] == ["3*q0 + r0 < 64"]


def test_static_marks_stay():
    eight, four = tla.Static(8), tla.Static(4)
    assert (
        str(tla.zipped_divide("(_8,_8):(_1,_8)", (four, four)))
        == "((_4,_4),(_2,_2)):((_1,_8),(_4,_32))"
    )
    assert (
        str(tla.logical_divide("(_8,N):(_1,_8)", (four, 4), "N % 4 == 0"))
        == "((_4,_2),(4,N//4)):((_1,_4),(8,32))"
    )
    assert (
        str(tla.logical_product(Layout((eight,), (tla.Static(1),)), "_4:_1"))
        == "((_8),_4):((_1),_8)"
    )
    assert str(tla.composition("_8:_1", "_4:_2")) == "_4:_2"
