"""Properties of internal modules; `tests/test_renaming.py` tests the public interface."""

from __future__ import annotations

from soundness import maps
from soundness.claims import WORDS

from symlayout.layouts.vocabulary import CLAIMS


def test_every_word_is_asked():
    assert {*WORDS, *maps.PAIRS} == set(CLAIMS)
