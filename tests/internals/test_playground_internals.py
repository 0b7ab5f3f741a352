"""Properties of internal modules; `tests/test_playground.py` tests the public interface."""

from __future__ import annotations

import pytest
from test_playground import TILES, asked

from symlayout.layouts.vocabulary import CLAIMS


@pytest.mark.parametrize("word", sorted(CLAIMS))
@pytest.mark.parametrize(
    "more", ["", "x", "'", "-- x", "--perm 1,0", "--where 'N == 1'", "8 --help", "-5"]
)
def test_every_question_has_an_answer(word: str, more: str) -> None:
    made = asked("judge", layout=TILES, word=word, arguments=more)
    assert made.get("code") != "SL900", made
    assert ("status" in made) != bool(made.get("error"))
    if "status" in made:
        assert not more.startswith("--where")  # no fact that the command does not show
