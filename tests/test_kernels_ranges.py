"""Numbers that a kernel of Triton's computes from data: what is known of their range is enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check

HEAD = """import triton
import triton.language as tl
import triton.language.core as core


# symlayout: kernel grid (1,)
#   x is f32[n]
#   y is f32[B]
#   table is f32[2**k]
#   where k >= 0
@triton.jit
def f(x, y, table, n, k: tl.constexpr, B: tl.constexpr, ALL: tl.constexpr):
    i = tl.arange(0, B)
    o = tl.program_id(0) + i
    taken = tl.load(x + o, mask=o < n, other=0) > 0
"""

# a body, and whether its last access is proved to be in bounds
BODIES = {
    "what is taken, one behind the other": (
        "p = tl.cumsum(taken.to(tl.int32), axis=0) - 1\n    tl.store(y + p, 0, mask=taken)",
        True,
    ),
    "what is not taken has no place of its own": (
        "p = tl.cumsum(taken.to(tl.int32), axis=0) - 1\n    tl.store(y + p, 0)",
        False,
    ),
    "how many are taken": (
        "p = tl.sum(taken.to(tl.int32), axis=0)\n    tl.store(y + p - 1, 0, mask=p > 0)",
        True,
    ),
    "all may be taken": ("tl.store(y + tl.sum(taken.to(tl.int32)), 0)", False),
    "the place of the largest": ("tl.store(y + tl.argmax(tl.load(y + i), 0), 0)", True),
    "the place after the largest": ("tl.store(y + 1 + tl.argmin(tl.load(y + i), 0), 0)", False),
    "a fraction between two ends": (
        "c = ((i + 0.5) * 0.3).to(tl.int32)\n"
        "    tl.store(x + tl.minimum(tl.maximum(c, 0), n - 1), 0)",
        True,
    ),
    "a fraction below an end": (
        "c = ((i + 0.5) * 0.3).to(tl.int32)\n    tl.store(x + tl.minimum(c, n - 1), 0)",
        False,
    ),
    "a fraction behind a mask": (
        "c = (i / 3).to(tl.int32)\n    tl.store(y + c, 0, mask=(c >= 0) & (c < B))",
        True,
    ),
    "as many lanes as a power of two": (
        "j = tl.arange(0, triton.next_power_of_2(B))\n    tl.store(y + j, 0, mask=j < B)",
        True,
    ),
    "as many lanes as a power of two, and no mask": (
        "tl.store(y + tl.arange(0, triton.next_power_of_2(B)), 0)",
        False,
    ),
    "the power of two that is at least 0": (
        "tl.store(y + triton.next_power_of_2(0) - 1, 0)",
        False,
    ),
    "a power of two that is at least what may be 0": (
        "p = triton.next_power_of_2(k)\n    tl.load(y + p - 1, mask=p <= B)",
        False,
    ),
    "what is taken of each row": (
        "rows = tl.arange(0, 16)[:, None] * n + i[None, :]\n"
        "    taken = tl.load(x + rows, mask=rows < n, other=0) > 0\n"
        "    p = tl.cumsum(taken.to(tl.int32), axis=1) - 1\n    tl.store(y + p, 0, mask=taken)",
        True,
    ),
    "what is taken of each column": (
        "rows = tl.arange(0, 16)[:, None] * n + i[None, :]\n"
        "    taken = tl.load(x + rows, mask=rows < n, other=0) > 0\n"
        "    p = tl.cumsum(taken.to(tl.int32)) - 1\n    tl.store(y + p, 0, mask=taken & (p < 15))",
        False,
    ),
    "half of a power of two": (
        "j = tl.arange(0, triton.next_power_of_2(B) // 2)\n    tl.store(y + j, 0)",
        True,
    ),
    "a power of two": ("tl.load(table + 2**k - 1)", True),
    "a number of a power of two's": ("tl.load(table + 2**k)", False),
    "a mask or none": (
        "if ALL:\n        mask = o < n\n    else:\n        mask = None\n"
        "    if not ALL:\n        return\n    tl.store(x + o, 0, mask=mask)",
        True,
    ),
    "a mask or none where there is none": (
        "if ALL:\n        mask = o < n\n    else:\n        mask = None\n"
        "    if ALL:\n        return\n    tl.store(x + o, 0, mask)",
        False,
    ),
    "a turn of the language's own": (
        "for j in core.static_range(1, 3):\n        tl.load(y + j, mask=j < B)",
        True,
    ),
    "no kernel is made of what is raised": (
        "if ALL:\n        raise ValueError('no')\n    tl.store(x + o, 0, mask=o < n)",
        True,
    ),
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", BODIES)
def test_a_range_is_enough(tmp_path: Path, name: str) -> None:
    body, proved = BODIES[name]
    file = tmp_path / "k.py"
    file.write_text(f"{HEAD}    {body}\n")
    found = [r for r in check([str(file)]).results if r.task.name.startswith("f: in bounds")]
    assert (found[-1].outcome.status == "proved") == proved, found[-1].outcome
    assert not [r for r in found if r.outcome.status == "refuted"] or not proved
