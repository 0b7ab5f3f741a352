"""Properties of internal modules; `tests/test_typing.py` tests the public interface."""

from __future__ import annotations

from typing import get_args

from symlayout import prove, when
from symlayout.layouts.vocabulary import CLAIMS, Name
from symlayout.prove.verdict import STATUSES


def test_the_words_of_type_checkers_are_those_of_the_tables() -> None:
    assert get_args(Name) == tuple(CLAIMS)
    assert STATUSES == ("proved", "refuted", "unknown", "vacuous")
    assert sorted(CLAIMS) == prove.__all__
    for word in CLAIMS:
        assert callable(getattr(prove, word))
        assert callable(getattr(when, word))
