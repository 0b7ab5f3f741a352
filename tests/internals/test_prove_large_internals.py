"""Properties of internal modules; `tests/test_prove_large.py` tests the public interface."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout.prove import mixed as digits_at
from symlayout.prove.decide import offset_at

# -- the parts --------------------------------------------


strides = st.integers(-6, 14)

tile = st.integers(1, 4)

layouts = st.one_of(
    st.lists(st.tuples(st.integers(1, 6), strides), min_size=1, max_size=3).map(
        lambda rows: "strided f32[{}] strides({}) offset 100".format(
            ",".join(str(n) for n, _ in rows), ",".join(str(s) for _, s in rows)
        )
    ),
    st.builds(
        "f32[{},{}]{{{}:T({},{}){}}}".format,
        st.integers(1, 9),
        st.integers(1, 9),
        st.sampled_from(["1,0", "0,1"]),
        tile,
        tile,
        st.sampled_from(["", "(2,1)", "(3,2)"]),
    ),
)


@given(layouts)
@settings(max_examples=200)
def test_digits_at_sizes_tell_collisions_and_gaps(text):
    m = sl.parse(text).index_map()
    digits = digits_at.mixed_digits(m, {})
    assert digits is not None
    places = list(itertools.product(*[range(int(d)) for d in m.shape]))
    offsets = [offset_at(m, c, {}) for c in places]
    for offset in range(-2, int(m.size) + 3):
        assert digits.hit(offset) in (None, offset in offsets)
    first = next((n for n in range(int(m.size)) if n not in offsets), None)
    if digits.unique or digits.whole:
        assert digits.gap() == first
    found = digits.stillness({}) or digits.collision({})
    if found is not None:
        assert found.coords != found.other
        assert offset_at(m, found.coords, {}) == offset_at(m, found.other, {})
    if len(set(offsets)) == len(offsets):
        assert found is None
