"""Facts that speak of a symbol through a minimum, a maximum or a quotient end in a verdict."""

from __future__ import annotations

import pytest

from symlayout import prove


@pytest.mark.parametrize(
    "where",
    [
        ["N >= max(N, M)"],
        ["min(N, M) > N - M"],
        ["ceildiv(M, K) < M"],
        ["N + K > max(M, N)"],
        ["N - K >= min(N, K)"],
        ["K % 2 <= 2", "N % 4 == 0", "N % K == 1"],
        ["N + K > max(N, M)", "ceildiv(M, N*K) <= M"],
        ["K % 3 != 0", "N % K <= 2", "M % K < ceildiv(4, N)"],
        ["N == M - N", "K//2 >= M//(N*K)"],
    ],
)
def test_a_true_claim_is_never_refuted(where: list[str]) -> None:
    assert prove.divides("1", "M*N*K", where=where).status in ("proved", "vacuous", "unknown")
    assert prove.divides("2", "2*M*N*K + 1", where=where).status in ("refuted", "vacuous")
