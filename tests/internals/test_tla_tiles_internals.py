"""Properties of internal modules; `tests/test_tla_tiles.py` tests the public interface."""

import itertools

import pytest
from test_tla_tiles import L

from symlayout import LayoutError, prove, tla
from symlayout.expr.terms import symbol
from symlayout.tla import _, make_format

M, N, R, C, p, q = (symbol(x) for x in "MNRCpq")


def test_a_symbolic_tile_is_cut_at_the_edge():
    tile = tla.get_tile_layout(make_format("zN", "f16", R, C), (32, 48), (p, q))
    assert tile.shape == ((16, 2), (16, 3))
    assert [str(x) for x in tile.origin] == ["min(max(R - p, 0), 32)", "min(max(C - q, 0), 48)"]
    with pytest.raises(LayoutError, match="does not fit"):
        tla.get_tile_layout(L("(M,N):(N,1)"), (4, 4), 3)


def test_a_slice_and_its_offset_are_the_layout():
    a = L("((4,2),(M,3)):((1,5),(10,N))")
    part, offset = tla.slice_and_offset((_, (p, 2)), a)
    assert str(part) == "((4,2)):((1,5))"
    assert offset == 2 * N + 10 * p


def test_local_tiles():
    a = L("(8,6):(1,8)")
    for r, c in itertools.product(range(2), range(3)):
        tile, offset = tla.local_tile(a, (4, 2), (r, c))
        for i, j in itertools.product(range(4), range(2)):
            assert offset + tile(i, j) == a(4 * r + i, 2 * c + j)
    rows, offset = tla.local_tile(a, (4, 2), (_, 1))
    assert (str(rows), offset) == ("((4,2),2):((1,8),4)", 16)
    with pytest.raises(LayoutError, match="is not in"):
        tla.local_tile(a, (4, 2), (2, 0))
    tile, offset = tla.local_tile(
        L("(M,N):(N,1)"), (16, 8), (p, q), where=["M % 16 == 0", "N % 8 == 0"]
    )
    assert (str(tile), str(offset)) == ("(16,8):(N,1)", "16*N*p + 8*q")


def test_the_map_of_a_tile_is_a_window_of_the_parent():
    parent = make_format("zZ", "f16", R, C)
    tile = tla.make_layout_tile(parent, (32, 48))
    window = parent.index_map().slice((32 * p, 48 * q), (32, 48))
    base = parent.index_map().offset(32 * p, 48 * q)
    moved = tile.index_map()
    verdict = prove.equal(
        window, type(moved)(moved.shape, moved.coords, moved._raw + base, window.size, moved.bits)
    )
    assert verdict.proved
