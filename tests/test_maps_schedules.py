"""Schedules and swizzles for all sizes, with certificates; each with one thing wrong, refuted."""

from __future__ import annotations

import json
import time

import pytest
from schedules import ROWS, Row, Twin

from symlayout import prove, recheck

SECONDS = 1.0  # of the processor, for a proof
TWINS = [(row, twin) for row in ROWS for twin in row.twins]


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """What is imported once is no part of a proof's time."""
    prove.bijective("map i < M*N: (i//N, i%N) in (M, N)")


@pytest.mark.sample(5)
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_it_is_proved_for_all_sizes_and_certified(row: Row) -> None:
    start = time.process_time()
    verdict = getattr(prove, row.word)(*row.texts, where=list(row.where))
    assert verdict.proved, verdict
    assert time.process_time() - start < SECONDS
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("row", "twin"), TWINS, ids=[f"{r.name}: {t.wrong or 'without' + t.right}" for r, t in TWINS]
)
def test_one_thing_wrong_is_refuted_at_the_smallest_sizes(row: Row, twin: Twin) -> None:
    texts = [t.replace(twin.right, twin.wrong) for t in row.texts]
    assert texts != list(row.texts)
    verdict = getattr(prove, row.word)(*texts, where=list(row.where))
    assert verdict.refuted, verdict
    assert verdict.counterexample.sizes == twin.sizes
    assert "smaller" not in verdict.reason


def test_a_script_of_another_claim_is_turned_down() -> None:
    """What is proved of the right claim proves nothing of the wrong one."""
    for row in (ROWS[0], ROWS[3], ROWS[18]):
        made = getattr(prove, row.word)(*row.texts, where=list(row.where)).certificate
        for twin in row.twins:
            forged = json.loads(json.dumps(made))
            texts = [t.replace(twin.right, twin.wrong) for t in row.texts]
            forged["claim"]["arguments"] = texts
            assert not recheck(forged).ok
