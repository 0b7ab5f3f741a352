"""A finding is one of a launch in the file: its sizes, programs and threads fit that launch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symlayout import scan

ADD = """import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, x)


def run(x, y):
    n = x.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    add[grid](x, y, n, 1, BLOCK=1024)
"""
ROWS = """import triton
import triton.language as tl


@triton.jit
def rows(x_ptr, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(x_ptr + row * stride + cols, 0, mask=cols < n)


def run(x, m, n, s):
    rows[(m,)](x, n, s, BLOCK=256)
"""
TILES = """__global__ void tiles(float* out, int width, int height) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height) out[(y + j) * width + x] = 0;
}
void run(float* out, int width, int height) {
  dim3 grid((width + 31) / 32, (height + 31) / 32), block(32, 8);
  tiles<<<grid, block>>>(out, width, height);
}
"""
COUNTED = """import triton
import triton.language as tl


@triton.jit
def counted(x, y, N, B: tl.constexpr):
    p = tl.program_id(0).to(tl.int64)
    for k in range(N // B):
        c = k * B + tl.arange(0, B)
        tl.store(y + p * N + c, tl.load(x + p * N + c, mask=c < N), mask=c < N)


def run(x, y, M, N):
    counted[(M,)](x, y, N, B=64)
"""
SUM = """import triton
import triton.language as tl


@triton.jit
def total(x, y, N, B: tl.constexpr):
    p = tl.program_id(0)
    v = tl.load(x + p * B + tl.arange(0, B), mask=p * B + tl.arange(0, B) < N)
    tl.store(y, tl.sum(v, axis=0))


def run(x, y, N):
    total[(4,)](x, y, N, B=64)
"""
SWAPPED = """import triton
import triton.language as tl


@triton.jit
def swapped(y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    p = tl.program_id(0)
    m = p // tl.cdiv(M, BM)
    n = p % tl.cdiv(N, BN)
    i = (m * BM + tl.arange(0, BM)).to(tl.int64)
    j = n * BN + tl.arange(0, BN)
    inside = (i < M)[:, None] & (j < N)[None, :]
    tl.store(y + i[:, None] * N + j[None, :], 0, mask=inside)


def run(y, M, N):
    swapped[(triton.cdiv(M, 64) * triton.cdiv(N, 32),)](y, M, N, BM=64, BN=32)
"""
Check = Callable[[dict[str, int]], bool]


def cdiv(a: int, b: int) -> int:
    return -(-a // b)


WRONG: dict[str, tuple[str, str, str, str, str, Check]] = {
    "no mask": (
        "k.py",
        ADD,
        "",
        "",
        "bounds",
        lambda s: s["BLOCK"] == 1024 and s["pid"] < cdiv(s["n"], 1024),
    ),
    "no mask, two programs a block": (
        "k.py",
        ADD,
        'triton.cdiv(n, meta["BLOCK"])',
        'triton.cdiv(n, meta["BLOCK"]) * 2',
        "bounds",
        lambda s: s["BLOCK"] == 1024 and s["pid"] < 2 * cdiv(s["n"], 1024),
    ),
    "rows": ("k.py", ROWS, "", "", "overflow", lambda s: s["pid"] > 0),
    "tiles": (
        "k.cu",
        TILES,
        "",
        "",
        "overflow",
        lambda s: (
            s["blockIdx_x"] < cdiv(s["width"], 32)
            and s["blockIdx_y"] < cdiv(s["height"], 32)
            and s["threadIdx_x"] < 32
            and s["threadIdx_y"] < 8
        ),
    ),
    "a tail": ("k.py", COUNTED, "", "", "schedule", lambda s: s["B"] == 64 and s["N"] % 64 > 0),
    "a sum": ("k.py", SUM, "", "", "race", lambda s: s["pid"] < 4),
    "two programs a tile": (
        "k.py",
        SWAPPED,
        "",
        "",
        "schedule",
        lambda s: (s["BM"], s["BN"]) == (64, 32),
    ),
}
RIGHT = {  # the same kernels, in launches that never reach what is wrong
    "a size of whole blocks": ("k.py", ADD, 'triton.cdiv(n, meta["BLOCK"])', "n // 1024"),
    "an asserted size": ("k.py", ADD, "    grid =", "    assert n % 1024 == 0\n    grid ="),
    "few programs": ("k.py", ROWS, "[(m,)]", "[(64,)]"),
    "a short row": ("k.py", ROWS, "(x, n, s,", "(x, n, min(s, 64),"),
    "one block of rows": ("k.cu", TILES, "(height + 31) / 32)", "1)"),
    "narrow tiles": ("k.cu", TILES, "(out, width, h", "(out, std::min(width, 64), h"),
    "an asserted tail": ("k.py", COUNTED, "    counted[", "    assert N % 64 == 0\n    counted["),
    "one program": ("k.py", SUM, "[(4,)]", "[(1,)]"),
    "as many rows": ("k.py", SWAPPED, "cdiv(N, 32),)](y, M, N", "cdiv(32, 32),)](y, 64, 32"),
}


def found(tmp_path: Path, name: str, text: str, old: str = "", new: str = "") -> list[Any]:
    assert old in text
    file = tmp_path / name
    file.write_text(text.replace(old, new) if old else text)
    return [f for f, _ in scan(file).findings]


@pytest.mark.parametrize("case", WRONG)
def test_sizes_of_a_finding_are_those_of_the_launch(case: str, tmp_path: Path) -> None:
    name, text, old, new, code, check = WRONG[case]
    (one,) = found(tmp_path, name, text, old, new)
    assert one.code == code
    assert check(one.sizes), one.sizes


@pytest.mark.parametrize("case", RIGHT)
def test_what_no_launch_reaches_is_not_a_finding(case: str, tmp_path: Path) -> None:
    name, text, old, new = RIGHT[case]
    assert old in text
    assert found(tmp_path, name, text, old, new) == []


@pytest.mark.parametrize("old", ["add[grid](x, y, n, 1, BLOCK=1024)", "rows[(m,)]"])
def test_without_a_launch_any_sizes_are_tried(old: str, tmp_path: Path) -> None:
    text = next(t for t in (ADD, ROWS) if old in t)
    assert len(found(tmp_path, "k.py", text[: text.index("def run")])) == 1


def test_of_several_launches_one_is_enough(tmp_path: Path) -> None:
    whole = "    if n % 1024 == 0:\n        add[(n // 1024,)](x, y, n, 1, BLOCK=1024)\n"
    (one,) = found(tmp_path, "k.py", ADD, "    add[grid]", f"{whole}    add[grid]")
    assert one.sizes["pid"] < cdiv(one.sizes["n"], 1024)
