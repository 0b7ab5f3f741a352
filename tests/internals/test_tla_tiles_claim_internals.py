"""Properties of internal modules; `tests/test_tla_tiles_claim.py` tests the public interface."""

import itertools

import pytest
from test_tla_tiles_claim import INSIDE

from symlayout import prove, tla
from symlayout.expr.terms import symbol
from symlayout.layouts.cute.formats import fractal

R, C, s, c = (symbol(x) for x in ("R", "C", "s", "c"))

BLOCKED = tla.Layout(*fractal("zN", R, C, s, c))


def test_symbolic_fractals():
    part = ["BM <= R", "BN <= C"]
    right = prove.tiles(BLOCKED, "BM,BN", where=["BM % s == 0", "BN % c == 0", *part])
    assert right.proved
    assert right.details["tiles"] == ["ceildiv(R, BM)", "ceildiv(C, BN)"]
    wrong = prove.tiles(BLOCKED, "BM,BN", where=part)
    assert wrong.refuted
    assert wrong.details["sufficient"] == "the tile begins at a multiple of (s, c)"


def test_a_symbolic_place_needs_to_be_on_the_grid():
    a = "zN(f16, R, C)"
    on_the_grid = ["p % 16 == 0", "q % 16 == 0", *INSIDE]
    assert prove.tiles(a, "16,16", at="p,q", where=on_the_grid).proved
    assert prove.tiles(a, "16,16", at="16*p,48*q", where=["16*p < R", "48*q < C"]).proved
    assert prove.tiles(a, "16,16", at=(symbol("p") * 16, 0), where="16*p < R").proved
    wrong = prove.tiles(a, "16,16", at="p,q", where=INSIDE)
    assert wrong.refuted
    assert wrong.counterexample.sizes == {"R": 1, "C": 17, "p": 0, "q": 1}


def brute(layout, tile, corners):
    """Whether every tile of concrete numbers addresses what the parent addresses."""
    sizes = layout.origin
    inner = tla.make_layout_tile(layout, tile)
    for corner in corners:
        for k in itertools.product(*map(range, tile)):
            x = tuple(a + b for a, b in zip(corner, k))
            if all(a < d for a, d in zip(x, sizes)) and layout(*corner) + inner(*k) != layout(*x):
                return False
    return True


@pytest.mark.parametrize("shape", [(9, 7), (8, 12), (5, 3)])
def test_the_verdict_is_that_of_brute_force(shape):
    shape_, stride, origin = fractal("zZ", *shape, 4, 2)
    layout = tla.Layout(shape_, stride, origin)
    both = set()
    for tile in itertools.product((2, 3, 4, 8), (1, 2, 3, 4)):
        grid = [range(0, d, t) for d, t in zip(shape, tile)]
        truth = brute(layout, tile, itertools.product(*grid))
        assert prove.tiles(layout, tile).status == ("proved" if truth else "refuted")
        both.add(truth)
    for corner in itertools.product(range(0, shape[0], 2), range(shape[1])):
        truth = brute(layout, (4, 4), [corner])
        verdict = prove.tiles(layout, (4, 4), at=corner)
        assert verdict.status == ("proved" if truth else "refuted")
        both.add(truth)
    assert both == {True, False}


def test_a_place_outside_is_undefined():
    for at, sizes, fact in (
        ("p,0", {"R": 1, "C": 1, "p": 1}, "R >= p + 1"),
        ("R,0", {"R": 1, "C": 1}, ""),  # no fact about R helps
        ("0,q-1", {"R": 1, "C": 1, "q": 0}, "q >= 1"),
        ("16*p,C-2", {"R": 1, "C": 1, "p": 0}, "C >= 2"),
        ("5,0", {"R": 1, "C": 1}, "R >= 6"),
    ):
        made = prove.tiles("zN(f16,R,C)", "16,16", at=at)
        assert made.counterexample.sizes == sizes
        assert (f"; add {fact}" if fact else "less than R = 1 at R = 1") in made.reason
