"""Index maps against NumPy: what an array's own views say of its elements' places."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import CoordMap, IndexMap, LayoutError

LAW = settings(max_examples=60, deadline=None, derandomize=True)

SHAPES = st.lists(st.integers(1, 5), max_size=4).map(tuple)


def places(m: IndexMap, **sizes) -> np.ndarray:
    """The offset of every element, as an array of the map's shape."""
    shape, _ = m.concrete(sizes)
    every = np.indices(shape) if shape else ()
    return np.broadcast_to(m.evaluate(*every, **sizes), shape)


@st.composite
def arrays(draw):
    """(map, array of offsets): a permuted, padded, row-major array."""
    shape = draw(SHAPES)
    grown = tuple(d + draw(st.integers(0, 2)) for d in shape)
    order = draw(st.permutations(range(len(shape))))
    inverse = [order.index(d) for d in range(len(shape))]
    base = np.arange(prod(grown)).reshape([grown[d] for d in order]).transpose(inverse)
    view = base[tuple(slice(0, d) for d in shape)]
    strides = [s // base.itemsize for s in base.strides]
    return IndexMap.strided(shape, strides, size=max(1, prod(grown))), view


# -- one map --------------------------------------------------------------------------------------


@given(SHAPES)
@LAW
def test_row_major_is_numpy_s_default(shape):
    m = IndexMap.row_major(shape)
    assert (m.rank, m.elements, m.size) == (len(shape), prod(shape), prod(shape))
    assert (places(m) == np.arange(prod(shape)).reshape(shape)).all()
    assert m.buffer().tolist() == list(range(prod(shape)))


@given(arrays())
@LAW
def test_strided_maps_are_numpy_s_views(pair):
    m, view = pair
    assert (places(m) == view).all()
    for at in list(np.ndindex(view.shape))[:20]:
        assert m.offset(*at) == view[at]
        assert type(m.offset(*at)) is int


@given(arrays())
@LAW
def test_the_buffer_holds_every_element_at_its_place(pair):
    m, view = pair
    buffer = m.buffer()
    assert len(buffer) == m.size
    assert (buffer[view] == np.arange(view.size).reshape(view.shape)).all()
    assert (buffer == -1).sum() == m.size - view.size


@given(arrays(), st.data())
@LAW
def test_transposes_reshapes_and_slices_are_numpy_s(pair, data):
    m, view = pair
    perm = data.draw(st.permutations(range(view.ndim)))
    assert (places(m.transpose(perm)) == view.transpose(perm)).all()
    flat = data.draw(st.sampled_from([(view.size,), (1, view.size), (view.size, 1), view.shape]))
    assert (places(m.reshape(flat)) == view.reshape(flat)).all()
    start = [data.draw(st.integers(0, d - 1)) for d in view.shape]
    step = [data.draw(st.integers(1, 3)) for _ in view.shape]
    shape = [
        data.draw(st.integers(1, (d - a - 1) // s + 1)) for a, s, d in zip(start, step, view.shape)
    ]
    cut = view[tuple(slice(a, a + n * s, s) for a, n, s in zip(start, shape, step))]
    assert (places(m.slice(start, shape, step)) == cut).all()
    assert m.slice(start, shape, step).size == m.size


@given(arrays(), st.data())
@LAW
def test_composition_is_one_after_the_other(pair, data):
    m, view = pair
    inner = CoordMap.identity(view.shape)
    perm = data.draw(st.permutations(range(view.ndim)))
    turned = CoordMap.identity([view.shape[p] for p in perm])
    back = turned.transpose([list(perm).index(d) for d in range(view.ndim)])
    both = m.compose(back)
    for at in list(np.ndindex(*[view.shape[p] for p in perm]))[:30]:
        assert both.offset(*at) == m.offset(*back(*at))
    assert m.compose(inner)._raw == m._raw or view.ndim == 0


def test_a_map_without_dimensions():
    m = IndexMap.row_major(())
    assert (m.shape, m.offset(), m.size, m.elements) == ((), 0, 1, 1)
    assert m.buffer().tolist() == [0]
    assert m.evaluate() == 0


def test_a_size_of_zero():
    m = IndexMap.row_major((0, 4))
    assert m.buffer().tolist() == []
    assert (m.size, m.elements) == (0, 0)
    with pytest.raises(LayoutError) as e:
        m.offset(0, 0)
    assert e.value.code == "SL400"


def test_the_largest_offsets_that_fit_are_right():
    m = IndexMap.row_major((2**31, 2**31))
    assert m.evaluate([2**31 - 1], [2**31 - 1]).tolist() == [2**62 - 1]
    assert m.offset(2**31 - 1, 2**31 - 1) == 2**62 - 1
    assert IndexMap.row_major((2**80,)).offset(2**79) == 2**79
