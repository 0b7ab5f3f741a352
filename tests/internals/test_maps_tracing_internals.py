"""Properties of internal modules; `tests/test_maps_tracing.py` tests the public interface."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, index_map
from symlayout.expr.terms import symbol


def test_several_results_are_a_coord_map_and_one_is_an_index_map() -> None:
    pair = index_map(lambda i: divmod(i, 8), {"i": "8*K"}, box=("K", 8))
    made = pair.coord_map()
    assert [str(e) for e in made.exprs] == ["i//8", "i%8"]
    assert made.sizes == (symbol("K"), 8)
    one = index_map(lambda i, j: i * 8 + j, {"i": "M", "j": 8}, box="8*M").index_map()
    assert one.offset(2, 3) == 19
    for wrong, said in (
        (index_map(lambda i: (i, i), {"i": "M"}), "no box"),
        (index_map(lambda i: (i, i), {"i": "M"}, ("M", "M"), "i > 3"), "has a guard"),
        (index_map(lambda i: (i ^ 3, i), {"i": "M"}, ("M", "M")), "bits or conditionals"),
    ):
        with pytest.raises(LayoutError, match=said):
            wrong.coord_map()
