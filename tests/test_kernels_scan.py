"""What a scan finds: one finding for one mistake, and none in the same code done right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symlayout.__main__ import main

TRITON = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"

TILES = (
    "def tiles(y, M, N, BM: tl.constexpr, BN: tl.constexpr):\n"
    "    p = tl.program_id(0)\n"
    "    m = p // tl.cdiv(N, BN)\n"
    "    n = p % tl.cdiv(N, BN)\n"
    "    i = (m * BM + tl.arange(0, BM)).to(tl.int64)\n"
    "    j = n * BN + tl.arange(0, BN)\n"
    "    inside = (i < M)[:, None] & (j < N)[None, :]\n"
    "    tl.store(y + i[:, None] * N + j[None, :], 0, mask=inside)\n"
)

GROUPED = TILES.replace(
    "    m = p // tl.cdiv(N, BN)\n    n = p % tl.cdiv(N, BN)\n",
    "    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)\n"
    "    first = p // (8 * columns) * 8\n"
    "    height = min(rows - first, 8)\n"
    "    m = first + p % (8 * columns) % height\n"
    "    n = p % (8 * columns) // height\n",
)

BATCHED = (
    "def batched(y, H, T, D: tl.constexpr):\n"
    "    p = tl.program_id(0)\n"
    "    b = (p // (H * T)).to(tl.int64)\n"
    "    h = p // T % H\n"
    "    t = p % T\n"
    "    tl.store(y + ((b * H + h) * T + t) * D + tl.arange(0, D), 0)\n"
)

LOOP = (
    "def loop(x, y, N, B: tl.constexpr):\n"
    "    p = tl.program_id(0).to(tl.int64)\n"
    "    for k in range(tl.cdiv(N, B)):\n"
    "        c = k * B + tl.arange(0, B)\n"
    "        v = tl.load(x + p * N + c, mask=c < N)\n"
    "        tl.store(y + p * N + c, v, mask=c < N)\n"
)

SUM = (
    "def total(x, y, N, B: tl.constexpr):\n"
    "    p = tl.program_id(0)\n"
    "    v = tl.load(x + p * B + tl.arange(0, B), mask=p * B + tl.arange(0, B) < N)\n"
    "    tl.atomic_add(y, tl.sum(v, axis=0))\n"
)

INVERSE = (
    "def a_4x2_to_b_8x1(i, j):\n    return i * 2 + j, 0\n\n\n"
    "def b_8x1_to_a_4x2(t, l):\n    return t // 2, t % 2\n\n\n"
)

MISTAKES = {
    "schedule of rows": (TILES, "p // tl.cdiv(N, BN)", "p // tl.cdiv(M, BM)", "schedule", 13),
    "schedule of heads": (BATCHED, "p // T % H", "p // H % H", "schedule", 11),
    "tail": (LOOP, "tl.cdiv(N, B)", "N // B", "schedule", 8),
    "race": (SUM, "atomic_add", "store", "race", 9),
    "inverse": (INVERSE + "@triton.jit\n" + LOOP, "t % 2", "l % 2", "inverse", 9),
}

RIGHT = {
    "tiles": TILES,
    "grouped tiles": GROUPED,
    "heads": BATCHED,
    "a loop": LOOP,
    "a sum": SUM,
    "inverses": INVERSE + "@triton.jit\n" + LOOP,
    "a tail of its own": LOOP.replace("tl.cdiv(N, B)", "N // B")
    + "    c = N // B * B + tl.arange(0, B)\n"
    + "    tl.store(y + p * N + c, tl.load(x + p * N + c, mask=c < N), mask=c < N)\n",
    "whole tiles": LOOP.replace("tl.cdiv(N, B)", "N // B").replace(", mask=c < N", ""),
    "one program stores": SUM.replace(
        "    tl.atomic_add(y,", "    if p == 0:\n        tl.store(y,"
    ),
}

SWIZZLE = (
    "__global__ void f(const float* x) {\n  __shared__ float s[64 * 8];\n"
    "  int r = threadIdx.x / 8, c = threadIdx.x % 8;\n  s[r * 8 + (c ^ (r & 7))] = x[0];\n}\n"
)

HOST = (
    "void host(int a, int b, int c) {\n  int64_t n = (int64_t)a * b * c;\n"
    "  int m = a * b * c;\n  size_t k = a * b * 4;\n  f<<<1, 1>>>(0, n);\n}\n"
)


def scanned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, name: str
) -> list[tuple[str, int]]:
    file = tmp_path / name
    file.write_text(text)
    main(["scan", "--all", "--json", str(file)])
    data = json.loads(capsys.readouterr().out)
    assert data["skipped"] == []
    return [(f["kind"], f["line"]) for f in data["findings"]]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_at_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mistake: str
) -> None:
    text, old, new, kind, line = MISTAKES[mistake]
    assert old in text
    head = TRITON.removesuffix("@triton.jit\n") if "_to_" in text else TRITON
    assert scanned(tmp_path, capsys, head + text.replace(old, new), "k.py") == [(kind, line)]


@pytest.mark.parametrize("name", RIGHT)
def test_right_code_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    head = TRITON.removesuffix("@triton.jit\n") if "_to_" in RIGHT[name] else TRITON
    assert scanned(tmp_path, capsys, head + RIGHT[name], "k.py") == []


def test_a_swizzle_leaves_rows_that_are_no_power_of_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scanned(tmp_path, capsys, SWIZZLE, "k.cu") == []
    wrong = SWIZZLE.replace("64 * 8", "64 * 6").replace("x / 8", "x / 6").replace("x % 8", "x % 6")
    assert scanned(tmp_path, capsys, wrong.replace("r * 8", "r * 6"), "k.cu") == [("bounds", 4)]


def test_a_product_that_is_widened_late_is_found_on_the_host_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scanned(tmp_path, capsys, SWIZZLE + HOST, "k.cu") == []
    wrong = HOST.replace("(int64_t)a", "a")
    assert scanned(tmp_path, capsys, SWIZZLE + wrong, "k.cu") == [("overflow", 7)]


def test_the_programs_of_a_schedule_do_meet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.py"
    file.write_text(TRITON + TILES.replace("p // tl.cdiv(N, BN)", "p // tl.cdiv(M, BM)"))
    assert main(["scan", "--json", str(file)]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    sizes = found["counterexample"]["sizes"]
    rows, columns = (-(-sizes[k] // sizes[f"B{k}"]) for k in "MN")
    tiles = [(p // rows, p % columns) for p in range(rows * columns)]
    assert len(set(tiles)) < len(tiles)


ROWS = (
    "def rows(x, w, stride, H, N, B: tl.constexpr):\n"
    "    row, group = tl.program_id(0), tl.program_id(1)\n"
    "    c = tl.arange(0, B)\n"
    "    at = row * stride + c\n"
    "    tl.load(x + at, mask=c < N)\n"
)

SMALL = {
    "rows": ("", ["overflow"]),
    "a weight for each group": ("    tl.load(w + group * N + c, mask=c < N)\n", ["overflow"] * 2),
    "a weight that rows have too": (
        "    tl.load(x + at + group * N, mask=c < N)\n    tl.load(w + group * N + c, mask=c < N)\n",
        ["overflow"],
    ),
    "heads": ("    tl.load(w + row % H * H + c, mask=c < N)\n", ["overflow"]),
}


@pytest.mark.parametrize("case", SMALL)
def test_arrays_that_can_only_be_small_are_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    more, kinds = SMALL[case]
    file = tmp_path / "k.py"
    file.write_text(TRITON + ROWS.replace("H, N", "num_heads, N") + more.replace("H", "num_heads"))
    main(["scan", "--json", str(file)])
    assert [f["kind"] for f in json.loads(capsys.readouterr().out)["findings"]] == kinds


def test_a_quotient_times_its_divisor_is_no_product(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "__global__ void f(const float* x, float* y, int n, int T, int C) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
        "  int b = i / T, t = i % T;\n  y[b * T + t] = x[b * T + t];\n}\n"
    )
    assert scanned(tmp_path, capsys, text, "k.cu") == []
    wrong = text.replace("x[b * T + t]", "x[b * T * C + t * C]")
    assert scanned(tmp_path, capsys, wrong, "k.cu") == [("overflow", 5)]
