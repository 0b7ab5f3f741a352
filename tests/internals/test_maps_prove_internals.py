"""Properties of internal modules; `tests/test_maps_prove.py` tests the public interface."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from symlayout.digits.context import Context
from symlayout.digits.poly import Poly
from symlayout.expr.terms import BitAnd, symbol
from symlayout.prove.maps import choice


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 2), (-1, 1), (1, 1), (0, None)])
def test_what_may_be_2_or_below_0_is_no_single_bit(low: int, high: int | None) -> None:
    ctx = Context()
    x = ctx.symbol("x", low, None if high is None else Poly.of(high))
    y = ctx.symbol("y", 0, Poly.of(1))
    a, b = symbol("x"), symbol("y")
    for p, q in ((x, y), (y, x)):
        move = choice._bit(SimpleNamespace(ctx=ctx), BitAnd(a, b), a, b, p, q)
        assert (move is not None) == (low >= 0 and high == 1)
