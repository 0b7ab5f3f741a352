"""Conditions: what must be required of sizes for a claim to hold, and that nothing more is said."""

from __future__ import annotations

import pytest

import symlayout as sl

FORMULA = "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128"
TILED = "f32[M,N]{1,0:T(8,128)}"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (("formula", TILED, FORMULA), "N % 128 == 0 or M <= 8"),
        (("injective", "(M,N):(1,P)"), "P >= M or N == 1"),
        (("equal", "f32[M,N]{1,0}", "f32[M,N]{0,1}"), "M == 1 or N == 1"),
        (("bijective", TILED), "N % 128 == 0 and M % 8 == 0"),
        (("broadcast", "f32[M]", "f32[N]"), "M == N or M == 1 or N == 1"),
    ],
)
def test_the_condition_is_exact_and_short(claim: tuple[str, ...], text: str) -> None:
    word, *arguments = claim
    made = getattr(sl.when, word)(*arguments)
    assert made.exact, made
    assert made.text == text
