"""What is proved stays proved with numbers, more facts and in other words: a short run."""

from __future__ import annotations

import corpus
import monotone
import pytest

ROWS = monotone.sample(96, 7)


@pytest.mark.parametrize("n", range(8))
def test_no_variant_of_a_proved_row_is_lost(n: int) -> None:
    assert monotone.lost(ROWS[n::8], most=3, seed=n) == []


@pytest.mark.parametrize(
    ("kind", "text", "other"),
    [
        ("min", "map i < N: min(i, M - 1)", "map i < N: (i if i <= M - 1 else M - 1)"),
        (
            "max",
            "max(a, max(b, 1)) >= 1",
            "(a if a >= (b if b >= 1 else 1) else (b if b >= 1 else 1)) >= 1",
        ),
        ("ceildiv", "(4, ceildiv(N, 4)):(1,4)", "(4, (((N) + (4) - 1)//(4))):(1,4)"),
        ("ceildiv", "n//ceildiv(a, b)", "n//(((a) + (b) - 1)//(b))"),
        ("shifts", "map i < N: (i//8, i%8) in (N, 8)", "map i < N: ((i >> 3), (i & 7)) in (N, 8)"),
        ("shifts", "map i < N: i//T + i//6", "map i < N: i//T + i//6"),
        ("named", "map i < N: (i + 1)%N in N", "map i < N: zz = (i + 1); zz%N in N"),
        ("named", "map i < N: a = i; a", "map i < N: a = i; a"),
        ("inlined", "map i < N: a = i + 1; b = a*2; b - 1", "map i < N: ((i + 1)*2) - 1"),
    ],
)
def test_a_spelling_says_the_same(kind: str, text: str, other: str) -> None:
    assert monotone.SPELLINGS[kind](text) == other


def test_variants_have_numbers_and_facts() -> None:
    row = {"word": "injective", "arguments": ["(M,N):(S,1)"], "where": ["S >= N"]}
    texts = [monotone.text_of(v) for v in monotone.variants(row)]
    assert 'injective "(8,N):(S,1)" --where "S >= N"   # number M = 8' in texts
    assert 'injective "(M,N):(4,1)" --where "4 >= N"   # number S = 4' in texts
    assert any("# fact N % 128 == 0" in t for t in texts)
    assert monotone.with_number(row | {"where": ["S >= N", "N % 2 == 0"]}, "N", 3) is None


def test_what_is_unknown_or_refuted_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"word": "injective", "arguments": ["(M,N):(N,1)"], "verdict": "proved"}
    other = monotone.Variant("number", "", row | {"arguments": ["(M,2):(1,1)"]})
    monkeypatch.setattr(monotone, "variants", lambda row: [other])
    assert monotone.lost([row], 0) == ['refuted: injective "(M,2):(1,1)"   # number']
    assert corpus.asked(row).proved
