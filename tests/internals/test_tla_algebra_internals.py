"""Properties of internal modules; `tests/test_tla_algebra.py` tests the public interface."""

import random

import numpy as np
import pytest
from test_tla_algebra import STRIDES, layout
from tla_oracle import offset, random_leaves

from symlayout.tla import Layout
from symlayout.tla.values import Break, modes_of, offsets_at

# -- functions and modes -----------------------------------------------------------------------------


def test_offsets_in_arrays_are_those_of_the_definition():
    rng = random.Random(1)
    for _k in range(100):
        leaves = random_leaves(rng, 3, 5, STRIDES)
        index = np.array([rng.randrange(400) for _k in range(20)])
        assert offsets_at(layout(leaves), index).tolist() == [offset(leaves, int(i)) for i in index]


def test_offsets_beyond_64_bits_are_exact():
    big = Layout((4, 4), (2**62, 3))
    assert offsets_at(big, np.array([3, 7])).tolist() == [3 * 2**62, 3 * 2**62 + 3]


@pytest.mark.parametrize(
    ("function", "rule"),
    [
        ([0, 1, 3], "does not divide"),
        ([0, 4, 12, 20], "do not repeat"),
        ([0, 1, 5, 6, 9, 11], "do not repeat"),
    ],
)
def test_functions_that_are_no_layout(function, rule):
    found = modes_of(np.array(function))
    assert isinstance(found, Break)
    assert rule in found.rule
