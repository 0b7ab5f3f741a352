"""Properties of internal modules; `tests/test_derive.py` tests the public interface."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import LayoutError, parse, prove, tla
from symlayout.checks.cli.derive import derivation
from symlayout.expr.terms import value


def test_the_intermediate_shape_of_the_composed_example():
    made = derivation("add(f32[M,3,1], f32[1,2]), broadcast_dimensions={1,2}")
    assert [str(d) for d in made.intermediate] == ["M", "1", "2"]
    assert [str(d) for d in made.result] == ["M", "3", "2"]
    verdict = prove.broadcast("f32[4,3,1]", "f32[1,2]", [1, 2])
    assert verdict.details["intermediate"] == "f32[4,1,2]"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_modes_of_a_layout_add_up_to_its_offset(data):
    n = data.draw(st.integers(1, 3))
    sizes = [
        tuple(data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))) for _ in range(n)
    ]
    steps = [tuple(data.draw(st.integers(0, 20)) for _ in mode) for mode in sizes]
    layout = tla.Layout(tuple(sizes), tuple(steps))
    made = tla.derive(layout)
    for c in product(*map(range, made.shape)):
        env = {s.name: x for s, x in zip(made.coords, c)}
        assert sum(value(t.coordinate * int(t.stride), env) for t in made.terms) == layout(*c)


@pytest.mark.parametrize(
    "text", ["(f32[2], f32[3])", "token[]", "add(f32[2,3], f32[2])", "f32[2,?]", "negate(f32[2])"]
)
def test_what_has_no_derivation(text):
    with pytest.raises(LayoutError):
        derivation(text)


SWIZZLED = st.tuples(
    st.integers(0, 2), st.integers(0, 2), st.sampled_from([2, 3, -2, -3]), st.integers(0, 9)
)


@settings(max_examples=40, deadline=None)
@given(SWIZZLED, st.integers(1, 6), st.integers(1, 6), st.integers(0, 9))
def test_swizzles_and_offsets_step_by_step(swizzle, rows, columns, pitch):
    *numbers, start = swizzle
    text = f"Swizzle({','.join(map(str, numbers))}) o {start} o ({rows},{columns}):({pitch},1)"
    made = tla.derive(text)
    whole = parse(text).index_map()
    for c in product(range(rows), range(columns)):
        env = {s.name: x for s, x in zip(made.coords, c)}
        x = made.start + sum(value(t.coordinate * int(t.stride), env) for t in made.terms)
        bits, base, shift = numbers
        for k in range(bits):  # bit by bit, as it is printed
            x ^= (x >> (base + max(0, shift) + k) & 1) << (base - min(0, shift) + k)
        assert x == whole.offset(*c)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_conditional_sizes_broadcast_as_numpy_does(n, m, k):
    made = parse("broadcast_in_dim(f32[N,K], dims=(0,1), to=f32[M,3])").index_map()
    sizes = {"N": n, "K": k, "M": m}
    legal = n in (1, m) and k in (1, 3)
    assert all(d.holds(sizes) for d in made.demanded if not d.coords) == legal
    if legal:
        array = np.broadcast_to(np.arange(n * k).reshape(n, k), (m, 3))
        for c in np.ndindex(m, 3):
            place = {s.name: x for s, x in zip(made.coords, c)}
            assert value(made._raw, {**sizes, **place}) == array[c]
            assert made.reference(c, sizes) == array[c]
