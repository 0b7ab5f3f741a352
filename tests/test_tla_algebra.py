import random
from itertools import pairwise

import pytest
from tla_oracle import complement_exists, composes, random_leaves, values

from symlayout import LayoutError, tla
from symlayout.tla import Layout, Static, _

L = tla.read_layout


def assert_composed(a, b, made):
    assert made.size == b.size
    for i in range(b.size):
        c = tla.idx2crd(i, b.shape)
        assert tla.crd2offset(c, made.shape, made.stride) == tla.crd2offset(
            tla.crd2offset(c, b.shape, b.stride), a.shape, a.stride
        )


def test_strides_beyond_64_bits_compose_exactly():
    a, b = L(f"({2**40},4):(1,{2**61})"), L(f"(3,4):(1,{2**40})")
    made = tla.composition(a, b)
    assert str(made) == f"(3,4):(1,{2**61})"
    assert_composed(a, b, made)
    assert str(tla.composition(L(f"4:{2**62}"), L("4:1"))) == f"4:{2**62}"
    assert str(tla.composition(L("4:1"), L(f"4:{2**62}"))) == f"4:{2**62}"


def test_coalesce_examples():
    assert str(tla.coalesce(L("(_2,(_1,_6)):(_1,(_6,_2))"))) == "_12:_1"
    assert str(tla.coalesce(L("(2,(1,6)):(1,(6,2))"), (1, 1))) == "(2,6):(1,2)"
    assert str(tla.coalesce(L("(1,1):(5,7)"))) == "1:0"
    assert str(tla.coalesce(L("(_1,_1):(_5,_7)"))) == "_1:_0"
    assert str(tla.coalesce(L("(2,3):(4,1)"))) == "(2,3):(4,1)"
    with pytest.raises(LayoutError, match="does not fit"):
        tla.coalesce(L("(2,3):(4,1)"), (1, 1, 1))


def test_grouping_modes():
    assert str(tla.group_modes(L("(2,3,5,7):(1,2,6,30)"), 1, 3)) == "(2,(3,5),7):(1,(2,6),30)"
    with pytest.raises(LayoutError, match="no modes 1 to 9"):
        tla.group_modes(L("(2,3):(1,2)"), 1, 9)


# -- composition -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "r"),
    [
        ("(4,5):(2,10)", "2:5", "2:12"),
        ("(6,9):(3,12)", "2:8", "2:18"),
        ("(8,10,2):(60,3,16)", "4:9", "4:63"),
        ("(10,9):(1,60)", "5:12", "5:62"),
        ("(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)"),
        ("(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))"),
        ("20:2", "(5,4):(4,1)", "(5,4):(8,2)"),
        ("(_4,_8):(_8,_1)", "_2:_4", "_2:_1"),
        ("4:1", "8:1", "8:1"),
        ("(4,2):(1,9)", "3:0", "3:0"),
        ("(4,2):(1,9)", "(1,2):(5,4)", "(1,2):(0,9)"),
    ],
)
def test_composition_examples(a, b, r):
    made = tla.composition(L(a), L(b))
    assert str(made) == r
    assert_composed(L(a), L(b), made)


@pytest.mark.parametrize(
    ("a", "b", "rule"),
    [
        ("(6,8):(1,10)", "4:4", "do not repeat"),
        ("(6,2):(1,7)", "(3,2):(2,3)", r"carry into each other, at \(2,1\) the offset is 8"),
        ("(3,2):(1,10)", "5:1", "does not divide the size 5"),
    ],
)
def test_compositions_that_no_layout_is(a, b, rule):
    with pytest.raises(LayoutError, match=rule) as e:
        tla.composition(L(a), L(b))
    assert e.value.code == "SL800"


def test_tilers_compose_mode_by_mode():
    a = L("(12,(4,8)):(59,(13,1))")
    assert str(tla.composition(a, (L("3:4"), L("8:2")))) == "(3,(2,4)):(236,(26,1))"
    assert str(tla.composition(a, (L("3:4"),))) == "(3,(4,8)):(236,(13,1))"
    assert str(tla.composition(a, (_, 8))) == "(12,(4,2)):(59,(13,1))"
    assert tla.composition(a, _) == a
    with pytest.raises(LayoutError, match="a tiler of 3 modes"):
        tla.composition(a, (1, 2, 3))


# -- complement --------------------------------------------------------------------------------------


def test_complement_examples():
    for a, m, r in [
        ("4:1", 24, "6:4"),
        ("6:4", 24, "4:1"),
        ("(4,6):(1,4)", 24, "1:0"),
        ("4:2", 24, "(2,3):(1,8)"),
        ("(2,4):(1,6)", 24, "3:2"),
        ("(2,2):(1,6)", 24, "(3,2):(2,12)"),
        ("(_2,_2):(_1,_6)", Static(24), "(_3,_2):(_2,_12)"),
        ("(4,2):(0,1)", 8, "4:2"),
        ("4:1", 10, "3:4"),
        ("(3,2):(1,1)", 8, "2:4"),
    ]:
        assert str(tla.complement(L(a), m)) == r
    assert str(tla.complement(L("4:2"))) == "2:1"
    assert str(tla.complement(L("4:1"), (6, (2, 2)))) == "6:4"


def test_a_complement_that_does_not_exist_says_which_stride():
    with pytest.raises(LayoutError, match=r"the stride 3 is not a multiple of 2\*1"):
        tla.complement(L("(2,2):(1,3)"), 12)
    with pytest.raises(LayoutError, match="negative stride"):
        tla.complement(L("(2,2):(1,-2)"), 12)


def test_layouts_without_elements():
    empty = "(4,0):(1,4)"
    for operation in (tla.complement, tla.right_inverse, tla.left_inverse):
        with pytest.raises(LayoutError, match="has no elements"):
            operation(empty)
    with pytest.raises(LayoutError, match="has no elements"):
        tla.logical_divide("8:1", 0)
    assert str(tla.composition("4:1", "(0,3):(1,2)")) == "(0,3):(0,0)"
    assert str(tla.coalesce(empty)) == "0:1"


def test_layouts_without_modes():
    for operation in (tla.coalesce, tla.filter, tla.right_inverse, tla.left_inverse):
        assert operation("():()").size == 1
    assert str(tla.complement("():()", 8)) == "8:1"
    assert str(tla.composition("(4,8):(8,1)", "():()")) == "():()"


# -- divides and products ----------------------------------------------------------------------------


def test_divides_of_the_cute_tutorial():
    a = L("(9,(4,8)):(59,(13,1))")
    tiler = (L("3:3"), L("(2,4):(1,8)"))
    assert str(tla.logical_divide(L("(4,2,3):(2,1,8)"), L("4:2"))) == "((2,2),(2,3)):((4,1),(2,8))"
    assert str(tla.logical_divide(a, tiler)) == "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"
    assert str(tla.zipped_divide(a, tiler)) == "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"
    assert str(tla.tiled_divide(a, tiler)) == "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"
    assert str(tla.flat_divide(a, tiler)) == "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"


def test_products_of_the_cute_tutorial():
    a = L("(2,2):(4,1)")
    assert str(tla.logical_product(a, L("6:1"))) == "((2,2),(2,3)):((4,1),(2,8))"
    assert str(tla.logical_product(a, L("(4,2):(2,1)"))) == "((2,2),(4,2)):((4,1),(8,2))"
    block, grid = L("(2,5):(5,1)"), L("(3,4):(1,3)")
    assert str(tla.blocked_product(block, grid)) == "((2,3),(5,4)):((5,10),(1,30))"
    assert str(tla.raked_product(block, grid)) == "((3,2),(4,5)):((10,5),(30,1))"
    assert str(tla.zipped_product(block, grid)) == "((2,5),(3,4)):((5,1),(10,30))"
    assert str(tla.tiled_product(block, grid)) == "((2,5),3,4):((5,1),10,30)"
    assert str(tla.flat_product(block, grid)) == "(2,5,3,4):(5,1,10,30)"


@pytest.mark.parametrize(
    ("block", "shape"),
    [("(2,4,8):(1,2,8)", "(16,8*M)"), ("(2,4):(1,2)", 16), ("(M,N):(1,M)", "8*M")],
)
def test_a_block_of_more_modes_than_the_shape_fills_none(block, shape):
    with pytest.raises(LayoutError, match="modes does not fill"):
        tla.tile_to_shape(block, shape)


def test_tile_to_shape_and_its_condition():
    assert str(tla.tile_to_shape(L("(8,16):(16,1)"), (32, 64), (1, 0))) == (
        "((8,4),(16,4)):((16,512),(1,128))"
    )
    with pytest.raises(LayoutError, match="8 does not divide 20"):
        tla.tile_to_shape(L("(8,16):(16,1)"), (20, 64))


def test_ordered_layouts():
    assert str(tla.make_ordered_layout((2, (3, 4)), (1, (0, 2)))) == "(2,(3,4)):(3,(1,6))"
    with pytest.raises(LayoutError, match="does not nest"):
        tla.make_ordered_layout((2, 3), (1, (0, 2)))


def test_products_and_divides_refuse_what_has_no_mode():
    with pytest.raises(LayoutError, match="a tiler of 2 modes"):
        tla.logical_divide(L("8:1"), (2, 2))
    with pytest.raises(LayoutError, match="a product with 3 modes"):
        tla.logical_product(L("(2,2):(1,2)"), (2, 2, 2))


def test_downcast_meets_the_same_memory():
    for text, n in [("(4,8):(8,1)", 2), ("(4,(2,4)):(1,(4,16))", 4), ("1:1", 4)]:
        a = L(text)
        made = tla.downcast(a, n)
        wanted = sorted(x * n + k for x in values(list(a.leaves)) for k in range(n))
        assert sorted(values(list(made.leaves))) == wanted


def test_recast_examples_and_conditions():
    assert str(tla.recast(L("(4,8):(8,1)"), 16, 32)) == "(4,4):(4,1)"
    assert str(tla.recast(L("(4,8):(8,1)"), 16, 8)) == "(4,16):(16,1)"
    assert str(tla.recast(L("(_4,_8):(_8,_1)"), 16, 16)) == "(_4,_8):(_8,_1)"
    assert str(tla.upcast(L("(_4,_8):(_8,_1)"), 4)) == "(_4,_2):(_2,_1)"
    assert str(tla.upcast(L("(4,3):(0,2)"), 2)) == "(4,3):(0,1)"
    assert str(tla.upcast(L("(M,8):(8*N,1)"), 4)) == "(M,2):(2*N,1)"
    for bad, rule in [
        (lambda: tla.upcast(L("8:3"), 2), "neither divides"),
        (lambda: tla.upcast(L("8:-1"), 2), "neither divides"),
        (lambda: tla.upcast(L("(4,2):(1,2)"), 4), "leave an element together"),
        (lambda: tla.upcast(L("8:N"), 2), "not a multiple of 2"),
        (lambda: tla.downcast(L("8:2"), 2), "0 modes have stride 1"),
        (lambda: tla.downcast(L("(8,2):(1,1)"), 2), "2 modes have stride 1"),
        (lambda: tla.upcast(L("8:1"), 0), "at least 1"),
        (lambda: tla.recast(L("8:1"), 0, 8), "mean nothing"),
        (lambda: tla.recast(L("8:1"), 1.5, 8), "must be an integer"),
    ]:
        with pytest.raises(LayoutError, match=rule):
            bad()


STRIDES = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 60)


def layout(leaves):
    return Layout(tuple(s for s, _d in leaves), tuple(d for _s, d in leaves))


def attempt(operation, *arguments):
    """The result and None, or None and the code of the error."""
    try:
        return operation(*arguments), None
    except LayoutError as e:
        return None, e.code


# -- coalesce and its kin ----------------------------------------------------------------------------


def test_coalesce_keeps_every_offset_and_joins_all_that_joins():
    rng = random.Random(2)
    for _k in range(200):
        leaves = random_leaves(rng, 4, 4, (0, 1, 2, 4, 8, 16))
        made = tla.coalesce(layout(leaves))
        assert values(list(made.leaves)) == values(leaves)
        assert all(s != 1 for s, _d in made.leaves) or made.leaves == ((1, 0),)
        for (s, d), (_s, after) in pairwise(made.leaves):
            assert s * d != after


def test_filter_keeps_the_set_of_offsets():
    rng = random.Random(3)
    for _k in range(100):
        leaves = random_leaves(rng, 3, 4, (0, 0, 1, 4, 16))
        made = tla.filter(layout(leaves))
        assert set(values(list(made.leaves))) == set(values(leaves))
        assert all(d != 0 for _s, d in made.leaves) or made.leaves == ((1, 0),)
    assert str(tla.filter(L("(2,4):(0,1)"), (1, 1))) == "(1,4):(0,1)"


@pytest.mark.parametrize("modes", [1, 2, 3])
def test_composition_answers_exactly_when_there_is_an_answer(modes):
    rng = random.Random(40 + modes)
    answers = 0
    for _k in range(250):
        a = random_leaves(rng, rng.randint(1, 3), 10, STRIDES)
        b = random_leaves(rng, modes, 6, tuple(range(13)))
        exists = composes(a, b)
        answers += exists
        made, code = attempt(tla.composition, layout(a), layout(b))
        assert (made is not None) == exists, (a, b)
        if made is None:
            assert code == "SL800"
        else:
            assert_composed(layout(a), layout(b), made)
    assert 20 < answers < 250


def test_carries_that_fit_between_modes_are_found():
    a, b = L("(4,4):(1,4)"), L("(3,2):(3,2)")
    assert str(tla.composition(a, b)) == "(3,2):(3,2)"
    rng = random.Random(5)
    carrying = 0
    for _k in range(1500):
        a, b = random_leaves(rng, 2, 6, (1, 2, 4, 8)), random_leaves(rng, 2, 4, (1, 2, 3, 5))
        try:
            made = tla.composition(layout(a), layout(b))
        except LayoutError:
            continue
        carries = any(
            (i * b[0][1]) % a[0][0] + (j * b[1][1]) % a[0][0] >= a[0][0]
            for i in range(b[0][0])
            for j in range(b[1][0])
        )
        carrying += carries
        assert_composed(layout(a), layout(b), made)
    assert carrying > 10


def test_complement_is_increasing_disjoint_and_covers_or_there_is_none():
    rng = random.Random(6)
    none = 0
    for _k in range(400):
        leaves = random_leaves(rng, rng.randint(1, 3), 4, (0, 1, 2, 3, 4, 6, 8, 12))
        bound = rng.randint(1, 40)
        made, code = attempt(tla.complement, layout(leaves), bound)
        assert (made is not None) == complement_exists(leaves, bound), leaves
        if made is None:
            assert code == "SL800"
            none += 1
            continue
        image, fill = set(values(leaves)), values(list(made.leaves))
        assert all(x < y for x, y in pairwise(fill))
        assert image & set(fill) == {0}
        sums = sorted(x + y for x in image for y in fill)
        assert sums == list(range(len(sums)))
        assert len(sums) >= bound
    assert 40 < none < 360


def test_a_divide_keeps_every_element():
    rng = random.Random(7)
    for _k in range(100):
        rows, cols = rng.choice((4, 6, 12)), rng.choice((4, 8, 10))
        a = Layout((rows, cols), (cols, 1))
        tile = (rng.choice([d for d in range(1, rows + 1) if rows % d == 0]), 2)
        zipped = tla.zipped_divide(a, tile)
        assert sorted(zipped(i) for i in range(zipped.size)) == list(range(rows * cols))
        for r in range(rows):
            for c in range(cols):
                inside = (r % tile[0], c % tile[1])
                outside = (r // tile[0], c // tile[1])
                assert zipped(inside, outside) == a(r, c)


def test_a_product_lays_copies_side_by_side():
    rng = random.Random(8)
    for _k in range(100):
        block = Layout((rng.randint(1, 4), rng.randint(1, 4)), (1, 4))
        copies = tla.make_ordered_layout(
            (rng.randint(1, 3), rng.randint(1, 3)), rng.choice(((0, 1), (1, 0)))
        )
        try:
            made = tla.logical_product(block, copies)
        except LayoutError:
            continue
        offsets = [made(i) for i in range(made.size)]
        assert len(set(offsets)) == made.size
        assert made[0] == block
        assert made.size == block.size * copies.size


# -- other element widths ----------------------------------------------------------------------------


def test_upcast_meets_the_same_memory():
    rng = random.Random(9)
    done = 0
    for _k in range(300):
        n = rng.choice((2, 4))
        leaves = [(rng.choice((1, 2, 4, 8)), rng.choice((1, 2, 4, 8, 16))) for _k in range(2)]
        try:
            made = tla.upcast(layout(leaves), n)
        except LayoutError:
            continue
        done += 1
        assert set(values(list(made.leaves))) == {x // n for x in values(leaves)}
    assert done > 100
    assert str(tla.upcast(L("6:1"), 4)) == "2:1"
