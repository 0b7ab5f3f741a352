"""Properties of internal modules; `tests/test_tla_operands.py` tests the public interface."""

import random

import pytest
from test_tla_operands import SWIZZLES, at, layout
from tla_oracle import random_leaves

from symlayout import tla
from symlayout.tla import ComposedLayout, Layout, Swizzle
from symlayout.tla.structure import by_digits
from symlayout.tla.values import all_offsets


def test_what_the_digits_tell_is_what_the_offsets_are():
    rng = random.Random(4)
    text = 0
    for _round in range(1500):
        a = layout(random_leaves(rng, rng.randint(1, 3), 8, (0, 1, 2, 3, 4, 8, 12)))
        b = layout(random_leaves(rng, rng.randint(1, 3), 6, tuple(range(13))))
        parts = by_digits(a, b)
        if parts is None:
            continue
        text += 1
        result = Layout(
            tuple(tuple(s for s, _ in p) or 1 for p in parts),
            tuple(tuple(d for _, d in p) or 0 for p in parts),
        )
        assert result.size == b.size
        assert all(at(result, c) == at(a, at(b, c)) for c in range(b.size)), (a, b, result)
    assert text > 400


@pytest.mark.parametrize("bits", SWIZZLES)
def test_layouts_after_swizzles(bits):
    rng, single = random.Random(5), 0
    sizes = (1, 2, 3, 4, 8)
    for _round in range(150):
        a = layout([(rng.choice(sizes), rng.choice((0, 1, 2, 3, 4, 8, 16, 64))) for _ in range(2)])
        inner = layout([(rng.choice(sizes), 1 << rng.randint(0, 5)) for _ in range(2)])
        b = ComposedLayout(Swizzle(*bits), rng.choice((0, 0, 8)), inner)
        made = tla.composition(a, b)
        single += isinstance(made, ComposedLayout)
        truth = [at(a, at(b, c)) for c in range(inner.size)]
        assert [at(made, c) for c in range(inner.size)] == truth, (a, b, made)
        assert all(x < made.cosize for x in truth)
        assert list(all_offsets(made)) == truth
    assert single > 5
