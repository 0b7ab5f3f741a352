"""Properties of internal modules; `tests/test_prove_fits.py` tests the public interface."""

from __future__ import annotations

import itertools

import pytest

from symlayout import parse, prove
from symlayout.expr.intermediates import intermediates
from symlayout.expr.terms import value


@pytest.mark.parametrize("layout", ["f32[M,N]{1,0:T(2,3)}", "f32[M,N]{0,1}", "f32[M]{0:T(4)(2)}"])
@pytest.mark.parametrize("bits", [4, 5, 6, 7])
def test_the_verdict_is_that_of_every_point(layout: str, bits: int) -> None:
    where = ["M <= 6", "N <= 5"] if "N" in layout else ["M <= 6"]
    m = parse(layout).index_map()
    steps = intermediates(m.formula)
    limit = 2 ** (bits - 1)
    holds = True
    for sizes in itertools.product(range(1, 7), range(1, 6)):
        env = dict(zip(("M", "N"), sizes))
        for point in itertools.product(*[range(value(d, env)) for d in m.shape]):
            here = {**env, **{c.name: v for c, v in zip(m.coords, point)}}
            holds = holds and all(-limit <= value(s, here) < limit for s in steps)
    verdict = prove.fits(layout, bits, where=where)
    assert verdict.status == ("proved" if holds else "refuted")
