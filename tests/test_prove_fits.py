"""`fits`: bounds on every intermediate value of the emitted formula."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, prove
from symlayout.__main__ import main


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("layout", "bits", "where", "status"),
    [
        ("f32[M,N]{1,0:T(8,128)}", 32, ["M <= 4096", "N <= 65536"], "proved"),
        ("f32[M,N]{1,0:T(8,128)}", 32, ["M <= 65536", "N <= 65536"], "refuted"),
        ("f32[M,N]{1,0}", 64, [], "refuted"),
        ("f32[M,N]{1,0}", 64, ["M*N <= 1000000000"], "proved"),
        ("f32[1000,1000]{1,0}", 20, [], "refuted"),
        ("f32[1000,1000]{1,0}", 21, [], "proved"),
        # sizes that facts tie together are no two powers of two
        ("s8[M,2*N]{1,0}", 64, ["M == N+1"], "refuted"),
        ("s8[M,2*N]{1,0}", 64, ["M % 2 == 0", "M == N+1"], "refuted"),
        ("s8[M]{0:T(K)(2)}", 31, ["M % 3 == 0", "K >= M"], "refuted"),
        ("(M-1):(M*N)", 64, ["N == 2*M", "M % 8 == 0"], "refuted"),
        ("map i < N: i*K", 64, ["N == K+1"], "refuted"),
        # an array that is empty at all powers of two
        ("s8[2,N%4]{1,0}", 32, [], "refuted"),
    ],
)
def test_verdicts(layout: str, bits: int, where: list[str], status: str) -> None:
    assert prove.fits(layout, bits, where=where).status == status


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
