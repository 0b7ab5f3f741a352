"""Properties of internal modules; `tests/test_certificate_classes.py` tests the public interface."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import parse
from symlayout.certificate.enumeration import ranges
from symlayout.certificate.proof import Statement
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError
from symlayout.expr.terms import value

FACTS = """
    {0}*{1} <= {2}; {0}*{1} == {2}; 2*{0}*{1} < {2}; -{0}*{1} >= {2}; {0}*x*{1} <= {2}; {0}**3 < {2}
    max({0}, {1}) <= {2}; max({0}, {1} + 1) < {2}; max({0}, {1}) >= {2}; max({0}, {1}) == {2}
    min({0}, {1}) >= {2}; min({0}, 3) > {2}; min({0}, {1}) <= {2}; {0} + {1} <= {2}
    {0} >= {2}; {0} <= {2}; {0} >= 1; {1} >= 1; ({0} | 1) == {2}; ({0} | {1}) <= {2}; ({0} | -2) < {2}
""".strip().replace("\n", ";")

NAMES = st.sampled_from("xy")

FACT = st.builds(str.format, st.sampled_from(FACTS.split(";")), NAMES, NAMES, st.integers(-4, 9))


@settings(deadline=None)
@given(st.lists(FACT, min_size=1, max_size=5))
def test_no_size_that_facts_allow_lies_outside_of_its_range(facts):
    claim = Claim(Statement("holds", ("x + y == y + x",), facts=tuple(facts)))
    try:
        found = ranges(claim)
    except LayoutError:
        return  # no end is found
    for x, y in product(range(-14, 15), repeat=2):
        if claim.allows({"x": x, "y": y}):
            assert x in found["x"]
            assert y in found["y"]


def test_the_idiom_is_the_ceiling_in_plain_integers():
    m = parse("f32[R,x]{1,0:T(M,M)}").index_map()
    for sizes in ({"R": 3, "x": 5, "M": 2}, {"R": 2, "x": 4, "M": 3}):
        big = -(-sizes["x"] // sizes["M"]) * sizes["M"] ** 2
        at = {**sizes, **{c.name: k for c, k in zip(m.coords, (sizes["R"] - 1, sizes["x"] - 1))}}
        i, j, t = sizes["R"] - 1, sizes["x"] - 1, sizes["M"]
        assert value(m._raw, at) == j % t + i % t * t + j // t * t * t + i // t * big
