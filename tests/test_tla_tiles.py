import itertools

import pytest

from symlayout import LayoutError, tla
from symlayout.tla import _, make_format

L = tla.read_layout


def test_a_tile_keeps_blocks_and_strides():
    a = L("((4,2),(4,3)):((4,16),(1,32))")
    assert str(tla.make_layout_tile(a, (4, 4))) == "((4,1),(4,1)):((4,16),(1,32))"
    assert tla.make_layout_tile(a, (5, 4)).shape == ((4, 2), (4, 1))
    assert tla.make_layout_tile(a, (5, 4)).origin == (5, 4)
    assert str(tla.make_layout_tile(L("(M,N):(N,1)"), (16, 8))) == "(16,8):(N,1)"
    with pytest.raises(LayoutError, match="a tile of 1 size for 2 dimensions"):
        tla.make_layout_tile(a, 4)
    with pytest.raises(LayoutError, match="negative"):
        tla.make_layout_tile(a, (4, -4))


def test_tiles_on_the_grid_address_what_the_parent_addresses():
    parent = make_format("zN", "f16", 64, 64)
    for corner in itertools.product(range(0, 64, 16), range(0, 64, 16)):
        tile = tla.get_tile_layout(parent, (16, 16), corner)
        base = parent(*corner)
        for i, j in itertools.product(range(16), range(16)):
            assert base + tile(i, j) == parent(corner[0] + i, corner[1] + j)


def test_off_the_grid_half_of_a_tile_is_elsewhere():
    parent = make_format("zN", "f16", 64, 64)
    tile, base = tla.get_tile_layout(parent, (16, 16), (8, 8)), parent(8, 8)
    wrong = [
        (i, j)
        for i, j in itertools.product(range(16), range(16))
        if base + tile(i, j) != parent(8 + i, 8 + j)
    ]
    assert len(wrong) == 128


def test_a_tile_view_begins_at_its_corner():
    parent = make_format("nZ", "s8", 100, 33)
    for row, col in itertools.product(range(2), range(2)):
        view, base = tla.tile_view(parent, (row, col), (64, 32))
        assert base == parent(row * 64, col * 32)
        assert list(view.origin) == [min(64, 100 - row * 64), max(0, min(32, 33 - col * 32))]
    flat = make_format("PaddingRowMajor", "f16", 10, 10, 4, 4)
    view, base = tla.tile_view(flat, (1, 1), (4, 4))
    assert base == flat.index_map().offset(4, 4)
    assert str(view) == "(4,1,4,1):(4,48,1,16):(4,4)"
    with pytest.raises(LayoutError, match="does not fit"):
        tla.tile_view(parent, (1, 2, 3), (64, 32))


def test_a_tile_view_of_one_dimension():
    view, base = tla.tile_view(L("100:3"), 2, 16)
    assert (str(view), base) == ("16:3", 96)


def test_slices_keep_what_is_marked():
    a = L("(4,(2,8)):(16,(8,1))")
    for c, r, o in [
        ((1, _), "((2,8)):((8,1))", 16),
        ((_, 5), "(4):(16)", 10),
        ((_, (1, _)), "(4,8):(16,1)", 8),
        ((1, (1, 2)), "():()", 26),
        (_, str(a), 0),
    ]:
        part, offset = tla.slice_and_offset(c, a)
        assert (str(part), offset) == (r, o)
        assert str(tla.slice_layout(c, a)) == r
        assert str(a(c)) == r or "_" not in str(c)
    assert str(tla.dice((_, (1, _)), a)) == "(2):(8)"
    assert str(tla.dice((1, _), a)) == "(4):(16)"
    assert str(tla.dice(_, a)) == "():()"
    for bad in ((_, 1, 2), (_, 16), (_, (2, 0))):
        with pytest.raises(LayoutError):
            tla.slice_and_offset(bad, a)
    with pytest.raises(LayoutError, match="does not fit"):
        tla.dice((_, 1, 2), a)


def test_a_tile_that_is_larger_than_its_layout_is_undefined():
    a, matrix = L("((4,2),(4,3)):((4,16),(1,32))"), L("(M,N):(N,1)")
    for tile in ((16, 4), (8, 13), (9, 4)):
        with pytest.raises(LayoutError, match="larger"):
            tla.make_layout_tile(a, tile)
    with pytest.raises(LayoutError) as caught:
        tla.make_layout_tile(matrix, (16, 8), where=())
    assert (caught.value.code, caught.value.help) == ("SL801", "add 16 <= M")
    fits = tla.make_layout_tile(matrix, (16, 8), where=["M >= 16", "N % 8 == 0"])
    assert str(fits) == "(16,8):(N,1)"
    assert tla.make_layout_tile(L("zN(f16,100,33)"), (112, 48)).origin == (112, 48)
