"""Properties of internal modules; `tests/test_applied.py` tests the public interface."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from test_applied import CUBE
from xla_random import shapes

from symlayout import parse, prove
from symlayout.expr.reader import read_expression
from symlayout.layouts.applied import calls, tuple_value
from symlayout.layouts.cute import inttuple
from symlayout.prove.applied import read_applied


@settings(max_examples=50, deadline=None)
@given(shapes(least=1), st.data())
def test_an_offset_in_a_relation_is_the_layouts(shape, data):
    place = tuple(data.draw(st.integers(0, d - 1)) for d in shape.dims)
    asked = "".join(f", {c}" for c in place)
    (r,), _ = read_applied(f"offset({shape}{asked}) == {shape.index_map().offset(*place)}")
    assert r.holds({})


def test_every_coordinate_of_a_layout_has_one_offset():
    layout = parse(CUBE)
    for i, j in product(range(8), range(12)):
        texts = [f"{i}, {j}", f"{i + 8 * j}", f"(({i % 4},{i // 4}),({j % 4},{j // 4}))"]
        for text in texts:
            (r,), _ = read_applied(f"offset({CUBE}, {text}) == {layout(i, j)}")
            assert r.holds({}), text


def test_names_like_functions_stay_names():
    assert calls("size + rank*offset") == []
    assert prove.holds("size + 1 > size").proved
    assert prove.holds("_call0 + size((4,N)) == 4*N + _call0").proved


@given(st.recursive(st.integers(0, 9), lambda t: st.lists(t, max_size=3).map(tuple), max_leaves=8))
def test_coordinates_read_back(t):
    text = inttuple.text_of(t)
    if not isinstance(t, tuple) or len(t) != 1:  # (4) is 4
        assert tuple_value(text, read_expression) == _joined(t)


def _joined(t):
    if isinstance(t, tuple):
        return _joined(t[0]) if len(t) == 1 else tuple(map(_joined, t))
    return t
