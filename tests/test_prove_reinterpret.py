"""`reinterpret`: which units of two buffers are occupied, against buffers that are filled."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from symlayout import parse, prove, recheck


def units(text, sizes, unit):
    """Which units of the whole buffer hold an element, by filling it."""
    return np.repeat(parse(text).index_map().buffer(**sizes) >= 0, unit)


@pytest.mark.parametrize(
    ("a", "b", "unit", "where"),
    [
        ("f32[M,N]{1,0:T(2,2)}", "f32[M,N]{0,1:T(2,2)}", (1, 1), []),
        ("f32[M,N]{1,0:T(2,3)}", "f32[N,M]{1,0:T(3,2)}", (1, 1), ["M % 3 == 1"]),
        ("bf16[M,6]{1,0:T(2,4)}", "s8[M,12]{1,0:T(4,4)}", (2, 1), ["M % 2 == 1"]),
        ("strided f32[M,3] strides(4,1)", "strided f32[M,2] strides(4,2)", (1, 1), ["M >= 2"]),
        ("strided f32[2,2] strides(7,1)", "strided f32[3] strides(4)", (1, 1), []),
        ("(M,N):(N,1)", "((2,M),N):((1,2*N),2):(M,N)", (1, 1), ["M <= 4", "M % 2 == 0"]),
    ],
)
def test_the_counterexample_is_the_first_unit_that_differs(a, b, unit, where):
    made = prove.reinterpret(a, b, where=where)
    assert made.refuted
    sizes = made.counterexample.sizes
    one, two = (units(t, sizes, u) for t, u in zip((a, b), unit))
    if len(one) != len(two):
        assert (made.counterexample.left, made.counterexample.right) == (len(one), len(two))
        return
    first = int(np.argmax(one != two))
    assert one[first] != two[first]
    assert f"at offset {first} " in made.counterexample.note
    words = ["padding", "an element"]
    assert made.counterexample.left == words[int(one[first])]
    assert made.counterexample.right == words[int(two[first])]


@pytest.mark.parametrize(
    ("a", "b", "unit"),
    [
        ("strided f32[1,2] strides(2,-1)", "bf16[1,2]{1,0:T(2,2)}", (2, 1)),
        ("strided f32[2] strides(-1)", "f32[1]{0:T(2)}", (1, 1)),
        ("strided f32[3] strides(-1)", "strided f32[3] strides(1)", (1, 1)),
        ("(2,3):(-3,-1)", "(6):(-1)", (1, 1)),
        ("(2,3):(-3,-1)", "(6):(1)", (1, 1)),
        ("strided f32[4] strides(-1)", "strided f32[4] strides(1) offset -3", (1, 1)),
        ("strided f32[2] strides(-1)", "strided bf16[4] strides(-1) offset 1", (2, 1)),
        ("strided f32[2] strides(-1)", "strided bf16[4] strides(-1)", (2, 1)),
        ("map i < 3: 2*i - 2 in 3", "map i < 3: 2*i in 3", (1, 1)),
        ("map i < 3: 2*i in 3", "map i < 3: 4 - 2*i in 3", (1, 1)),
    ],
)
def test_elements_outside_a_buffer_are_at_their_places_too(a, b, unit):
    def taken(text, u):
        m = parse(text).index_map()
        places = (m.offset(*c) for c in np.ndindex(*map(int, m.shape)))
        return m.size * u, {p * u + k for p in places for k in range(u)}

    (size, here), (other, there) = map(taken, (a, b), unit)
    made = prove.reinterpret(a, b)
    assert made.proved == (size == other and here == there)
    if made.refuted and size == other:
        first = min(here ^ there)
        assert f"at offset {first} " in made.counterexample.note
        words = ("padding", "an element")
        assert made.counterexample.left == words[first in here]
        assert made.counterexample.right == words[first in there]
    if made.proved:
        assert recheck(made.certificate).ok


def test_a_buffer_may_be_far_larger_than_what_it_holds():
    tracemalloc.start()
    a, b = "strided f32[3,K] strides(1000000000,1)", "strided f32[2,K] strides(2000000000,1)"
    made = prove.reinterpret(a, b)
    assert made.counterexample.sizes == {"K": 1}
    assert "at offset 1000000000 " in made.counterexample.note
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100e6
