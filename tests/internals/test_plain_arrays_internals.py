"""Properties of internal modules; `tests/test_plain_arrays.py` tests the public interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout.expr import plain_arrays, plain_numpy

NUMBERS = st.lists(st.integers(-9, 9), min_size=1, max_size=8)

OPERATORS = ("+", "-", "*", "//", "%", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^")

SHAPES = st.sampled_from([(1, 1), (1, 4), (3, 1), (3, 4), (4,), (1,), ()])


def plain(a: Any) -> Any:
    return plain_arrays.array(a.tolist())


def drawn(data: st.DataObject, shape: tuple[int, ...]) -> Any:
    count = int(np.prod(shape))
    numbers = st.lists(st.integers(-9, 9), min_size=count, max_size=count)
    return np.array(data.draw(numbers), dtype=np.int64).reshape(shape)


def computed(op: str, a: Any, b: Any) -> Any:
    return eval(f"a {op} b", {"a": a, "b": b})


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from(OPERATORS), SHAPES, SHAPES)
def test_operations_broadcast_as_numpy_s_do(data, op, one, two) -> None:
    a, b = drawn(data, one), drawn(data, two)
    with np.errstate(divide="ignore"):
        wanted = computed(op, a, b)
    made = computed(op, plain(a), plain(b))
    assert (made.tolist(), made.shape) == (wanted.tolist(), wanted.shape)
    assert computed(op, plain(a), 3).tolist() == computed(op, a, 3).tolist()
    with np.errstate(divide="ignore"):
        assert computed(op, 3, plain(a)).tolist() == computed(op, 3, a).tolist()


KEYS = [
    *("1", "-1", ":", "1:", "::-1", ":, None", "None", ":, 1", "1, 2", "..., 0"),
    *("[2, 0, 1]", "np.array([2, 0])", "np.array([True, False, True])", ":, np.array([0, 3])"),
]


@pytest.mark.parametrize("key", KEYS)
def test_parts_are_numpy_s(key: str) -> None:
    table = np.arange(12).reshape((3, 4))
    wanted = eval(f"a[{key}]", {"a": table, "np": np})
    made = eval(f"a[{key}]", {"a": plain(table), "np": plain_arrays})
    assert np.asarray(wanted).tolist() == plain_arrays.asarray(made).tolist()


@settings(max_examples=100, deadline=None)
@given(NUMBERS, st.data())
def test_functions_are_numpy_s(numbers, data) -> None:
    a, p = np.array(numbers), plain_arrays.array(numbers)
    other = data.draw(st.lists(st.integers(-9, 9), min_size=len(a), max_size=len(a)))
    for name in ("argmax", "argmin", "flatnonzero", "sort", "diff", "cumsum", "unique", "sign"):
        wanted, made = getattr(np, name)(a), getattr(plain_numpy, name)(p)
        assert np.asarray(wanted).tolist() == plain_arrays.asarray(made).tolist(), name
    for name in ("maximum", "minimum", "gcd", "setxor1d"):
        made = getattr(plain_numpy, name)(p, plain_arrays.array(other))
        assert made.tolist() == getattr(np, name)(a, np.array(other)).tolist(), name
    assert plain_numpy.argsort(p).tolist() == np.argsort(a, kind="stable").tolist()
    assert plain_numpy.lexsort((p, plain_arrays.array(other))).tolist() == (
        np.lexsort((a, np.array(other))).tolist()
    )
    counts = np.abs(np.array(other))
    assert plain_numpy.repeated(p, plain(counts)).tolist() == np.repeat(a, counts).tolist()
    assert (
        plain_numpy.bincount(plain(counts), 4).tolist() == np.bincount(counts, minlength=4).tolist()
    )
    for side in ("left", "right"):
        wanted = np.searchsorted(np.sort(a), other, side=side)
        assert (
            plain_numpy.searchsorted(plain_numpy.sort(p), other, side).tolist() == wanted.tolist()
        )
    assert (p > 0).any() == (a > 0).any()
    q, b = p.copy(), a.copy()
    q[p > 2], b[a > 2] = 0, 0
    assert q.tolist() == b.tolist()
