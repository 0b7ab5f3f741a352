"""Claims and what is known of them: every row is asked again through the public interface."""

from __future__ import annotations

import corpus
import pytest

SHARDS = 32
ROWS = corpus.rows()
SLOW = corpus.rows(slow=True)


def shard(rows: list[corpus.Row], n: int) -> list[corpus.Row]:
    """Every 32nd row, so that the rows of one claim word go to several processes."""
    return rows[n::SHARDS]


def test_every_claim_word_has_proved_and_refuted_rows() -> None:
    for file in corpus.files():
        verdicts = {row.get("verdict") for row in corpus.read(file)}
        assert file.stem == corpus.WHEN or {"proved", "refuted"} <= verdicts, file.name
    assert len(ROWS) + len(SLOW) > 12_000


def test_no_row_is_there_twice() -> None:
    keys = [corpus.key(row) for row in [*ROWS, *SLOW]]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("n", range(SHARDS))
def test_the_answers_are_those_of_the_rows(n: int) -> None:
    assert corpus.differences(shard(ROWS, n)) == []


@pytest.mark.parametrize("n", range(SHARDS))
def test_a_tenth_of_the_proofs_is_certified_as_the_rows_say(n: int) -> None:
    proved = [r for r in shard(ROWS, n) if "certified" in r and corpus.in_tenth(r)]
    assert [r for r in proved if corpus.certified(r) != r["certified"]] == []


@pytest.mark.explore
@pytest.mark.parametrize("n", range(SHARDS))
def test_slow_rows_and_the_other_proofs(n: int) -> None:
    assert corpus.differences(shard(SLOW, n)) == []
    rest = [*shard(SLOW, n), *[r for r in shard(ROWS, n) if not corpus.in_tenth(r)]]
    assert [r for r in rest if "certified" in r and corpus.certified(r) != r["certified"]] == []


LONG = ("matmul", "grouped_matmul", "tiles", "elementwise")  # take seconds each


def cases() -> list[object]:
    """The sources; those that take long are exploration."""
    names = [(path, path.rpartition("/")[2].partition(".")[0]) for path in corpus.sources()]
    return [pytest.param(p, marks=[pytest.mark.explore] * (n in LONG)) for p, n in names]


@pytest.mark.parametrize("path", cases())
def test_reports_of_kernels_and_modules_are_as_they_were(path: str) -> None:
    assert corpus.report_of(path) == corpus.reports()[path]


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "refuted"},
        {"where": ["N == 1", "P == 1"]},
        {"arguments": ["(M,N):(1,1)"]},
        {"error": "SL200"},
    ],
)
def test_another_answer_is_a_difference(change: corpus.Row) -> None:
    row = {"word": "injective", "arguments": ["(M,N):(N,1)"], "verdict": "proved"}
    assert corpus.differences([row]) == []
    other = row | change
    if "where" in change:
        other |= {"arguments": ["(M,N):(P,1)"], "verdict": "refuted"}
    assert len(corpus.differences([other])) == 1
