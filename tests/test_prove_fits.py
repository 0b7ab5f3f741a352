"""`fits`: bounds on every intermediate value of the emitted formula."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, prove
from symlayout.__main__ import main


def test_a_counterexample_is_replayed() -> None:
    found = prove.fits("f32[M,N]{1,0}", 16).counterexample
    assert found is not None
    assert isinstance(found.left, int)
    assert found.left >= 2**15


@pytest.mark.parametrize("bits", [0, 1, 10_000, "many"])
def test_bad_widths(bits: object) -> None:
    with pytest.raises(LayoutError, match="width"):
        prove.fits("f32[4]", bits)


def test_a_counterexample_adds_nothing_that_the_reason_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["prove", "fits", "f32[M,N]{1,0:T(8,128)}", "16", "--no-hints"]) == 1
    out = capsys.readouterr().out
    assert "(smaller sizes may fail as well)" in out  # the reason says more than the note
    assert out.count("beyond 16 bits") == 1


def test_a_place_that_is_too_far_at_no_end_of_a_size_is_found() -> None:
    """The place is the largest where M is a third of K, and small where it is 1 or K - 3."""
    layout, facts = "f32[K-M+1,K*M,K-M+1]{2,1,0:T(8)}", ["M + 3 <= K", "K <= 1024"]
    verdict = prove.fits(layout, 33, where=facts)
    assert verdict.refuted, verdict
    sizes = verdict.counterexample.sizes
    assert sizes["M"] + 3 <= sizes["K"] <= 1024
    tall, wide = sizes["K"] - sizes["M"] + 1, sizes["K"] * sizes["M"]
    assert tall * wide * -(-tall // 8) * 8 >= 2**32
