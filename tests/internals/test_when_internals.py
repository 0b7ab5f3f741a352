"""Properties of internal modules; `tests/test_when.py` tests the public interface."""

from __future__ import annotations

import pytest
from conditions_known import KNOWN
from test_when import asked_once

from symlayout.expr.facts import read_relations
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.prove.when.answer import spelling


def test_there_are_enough_of_every_word() -> None:
    assert len(KNOWN) >= 60
    assert {k.word for k in KNOWN} == {*CLAIMS}


@pytest.mark.sample(21)
@pytest.mark.parametrize("number", range(len(KNOWN)))
def test_every_relation_reads_back_as_itself(number: int) -> None:
    for text in [t for term in asked_once(number).relations for t in term]:
        (read,) = read_relations(text)
        assert spelling(read) == text
