"""Properties of internal modules; `tests/test_hlo_rules.py` tests the public interface."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout.expr.terms import symbol, value
from symlayout.programs.hlo.windows import Window


@settings(max_examples=200, deadline=None)
@given(*[st.integers(1, 4)] * 3, *[st.integers(-2, 3)] * 2, st.integers(1, 3), st.integers(0, 7))
def test_windows_are_counted_as_they_are_laid(size, stride, dilation, low, high, base, elements):
    w = Window(size, stride, low, high, base, dilation)
    length = (elements - 1) * base + 1 if elements else 0
    span = (size - 1) * dilation + 1
    starts = range(-low, length + high - span + 1, stride)
    places = len(starts) if length + low + high > 0 else 0
    assert w.over(elements) == value(w.over(symbol("N")), {"N": elements}) == places
