"""Facts through names that a claim does not have: what they leave to its own, against all values."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check

KERNEL = """
import triton
import triton.language as tl


# symlayout: kernel grid (1,)
#   x is f32[{size}]
#   where {facts}
@triton.jit
def f(x, n, m, k):
    tl.load(x + {place})
"""


@pytest.mark.parametrize(
    ("size", "place", "facts", "status"),
    [
        ("n", "1", "n > m", "proved"),
        ("n", "2", "n > m", "refuted"),
        ("n", "2", "n > m, m > k", "proved"),
        ("n", "3", "n > m, m >= 2, k >= n", "refuted"),
        ("n", "2", "n > m, m == 2*k", "proved"),
        ("n", "5", "n > m, m % 5 == 0", "proved"),
        ("n", "4", "n >= 2*m + k, m*k >= 2", "refuted"),
        ("n", "3", "n >= 2*m + k, m + k >= 3, k <= 7", "proved"),
        ("8", "n - 1", "n <= k, k <= 8", "proved"),
        ("8", "n - 1", "1 <= n <= k < 9", "proved"),
        ("8", "n - 1", "n <= k <= 9 and m >= n", "refuted"),
        ("8", "n", "n + m <= k, k <= 8", "proved"),
        ("n", "2", "n >= 3 and m >= n", "proved"),
    ],
)
def test_a_refutation_leaves_values_to_every_name(
    size: str, place: str, facts: str, status: str, tmp_path: Path
) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL.format(size=size, place=place, facts=facts))
    report = check([str(file)])
    (found,) = [r for r in report.results if "in bounds" in r.task.name]
    assert found.outcome.status == status, found.outcome
