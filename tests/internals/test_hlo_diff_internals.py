"""Properties of internal modules; `tests/test_hlo_diff.py` tests the public interface."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symlayout import hlo
from symlayout.checks.pictures import squares


@given(st.lists(st.floats(1, 1000), min_size=1, max_size=12))
def test_a_map_fills_its_box(areas):
    total = sum(areas)
    made = squares(sorted(areas, reverse=True), (0.0, 0.0, 40.0, total / 40))
    for area, (x, y, w, h) in zip(sorted(areas, reverse=True), made):
        assert abs(w * h - area) < 1e-6 * total
        assert x >= -1e-6
        assert y >= -1e-6
        assert x + w <= 40 + 1e-6
        assert y + h <= total / 40 + 1e-6


def test_arrays_without_sizes_are_counted():
    text = "HloModule m ENTRY e { x = f32[%s,3]{1,0} parameter(0) ROOT y = f32[4]{0} parameter(1) }"
    known, later, bounded = (hlo.read_module(text % n) for n in ("4", "?", "<=4"))
    line = "without arrays whose sizes are no numbers: 0 -> 1"
    assert line in hlo.difference(known, later).lines()
    assert not any("without" in t for t in hlo.difference(known, bounded).lines())
    assert hlo.difference(known, later).as_json()["after"]["unsized"] == 1
