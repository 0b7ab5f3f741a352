"""A finding is told in the words of the source, at its expression, with a change that removes it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from symlayout import scan
from symlayout.__main__ import main

HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
ROW = (
    "def f(x_ptr, y_ptr, stride, n, B: tl.constexpr):\n"
    "    row = tl.program_id(0)\n"
    "    start = x_ptr + row * stride\n"
    "    cols = tl.arange(0, B)\n"
    "    tl.store(start + cols, 0, mask=cols < n)\n"
)
BOTH = (
    "def f(x_ptr, y_ptr, stride, n, B: tl.constexpr):\n"
    "    row = tl.program_id(0)\n"
    "    cols = tl.arange(0, B)\n"
    "    at = row * stride + cols\n"
    "    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=cols < n), mask=cols < n)\n"
)
TILE = (
    "def f(c_ptr, M, N, stride_cm, BM: tl.constexpr, BN: tl.constexpr):\n"
    "    i = tl.program_id(0) * BM + tl.arange(0, BM)\n"
    "    j = tl.program_id(1) * BN + tl.arange(0, BN)\n"
    "    c = c_ptr + i[:, None] * stride_cm + j[None, :]\n"
    "    tl.store(c, 0, mask=(i[:, None] < M) & (j[None, :] < N))\n"
)
MASK = (
    "def f(x_ptr, y_ptr, n, B: tl.constexpr):\n"
    "    pid = tl.program_id(0)\n"
    "    offs = pid * B + tl.arange(0, B)\n"
    "    mask = offs < n\n"
    "    x = tl.load(x_ptr + offs, mask=mask)\n"
    "    tl.store(y_ptr + offs, x)\n"
)
CUDA = (
    "__global__ void f(float* out, int width, int height) {\n"
    "  int x = blockIdx.x * 32 + threadIdx.x;\n"
    "  int y = blockIdx.y * 32 + threadIdx.y;\n"
    "  for (int j = 0; j < 32; j += 8)\n"
    "    if (x < width && y + j < height) out[(y + j) * width + x] = 0;\n"
    "}\n"
)
NAMED = (
    "__global__ void f(float* x, int n) {\n"
    "  int base = blockIdx.x * n;\n"
    "  for (int j = threadIdx.x; j < n; j += 32) x[base + j] = 1;\n"
    "}\n"
)
LOOP = (
    "def f(x_ptr, y_ptr, n, B: tl.constexpr):\n"
    "    p = tl.program_id(0).to(tl.int64)\n"
    "    for k in range(n // B):\n"
    "        c = k * B + tl.arange(0, B)\n"
    "        tl.store(y_ptr + p * n + c, tl.load(x_ptr + p * n + c, mask=c < n), mask=c < n)\n"
)
TURNS = (
    "__global__ void f(float* x, int n) {\n"
    "  for (int k = 0; k < n / 64; k++) {\n"
    "    int c = k * 64 + threadIdx.x;\n"
    "    if (c < n) x[c] = 1;\n"
    "  }\n"
    "}\n"
)
CASES = {  # a kernel, the line of the expression, the expression, what is to be written
    "a row": ("k.py", HEAD + ROW, 8, "row * stride", "row.to(tl.int64) * stride"),
    "two arrays": ("k.py", HEAD + BOTH, 9, "row * stride", "row.to(tl.int64) * stride"),
    "a tile": (
        "k.py",
        HEAD + TILE,
        9,
        "i[:, None] * stride_cm",
        "i[:, None].to(tl.int64) * stride_cm",
    ),
    "another name of the language": (
        "k.py",
        (HEAD + ROW).replace("tl", "lang"),
        8,
        "row * stride",
        "row.to(lang.int64) * stride",
    ),
    "a mask": (
        "k.py",
        HEAD + MASK,
        11,
        "tl.store(y_ptr + offs, x)",
        "tl.store(y_ptr + offs, x, mask=offs < n)",
    ),
    "a mask after a comma": (
        "k.py",
        HEAD + MASK.replace("offs, x)", "offs, x,)"),
        11,
        "tl.store(y_ptr + offs, x,)",
        "tl.store(y_ptr + offs, x, mask=offs < n)",
    ),
    "tiles": ("k.py", HEAD + LOOP, 8, "n // B", "tl.cdiv(n, B)"),
    "tiles of CUDA": ("k.cu", TURNS, 2, "n / 64", "(n + 64 - 1) / 64"),
    "CUDA": ("k.cu", CUDA, 5, "(y + j) * width", "(int64_t)(y + j) * width"),
    "a definition": (
        "k.cu",
        NAMED,
        2,
        "blockIdx.x * n",
        "int64_t base = (int64_t)blockIdx.x * n;",
    ),
}


def found(file: Path, text: str) -> list[Any]:
    file.write_text(text)
    return [f for f, _ in scan(file).findings]


@pytest.mark.parametrize("case", CASES)
def test_help_is_in_the_names_of_the_source_and_removes_the_finding(
    case: str, tmp_path: Path
) -> None:
    name, text, line, expression, write = CASES[case]
    (one,) = found(tmp_path / name, text)
    assert (one.span.line, one.expression) == (line, expression)
    assert one.mend == f"write `{write}`"
    old = f"int base = {expression};" if case == "a definition" else expression
    lines = text.split("\n")
    assert lines[line - 1].count(old) == 1
    lines[line - 1] = lines[line - 1].replace(old, write)
    assert found(tmp_path / name, "\n".join(lines)) == []


@pytest.mark.parametrize("program", ["row", "pid", "tl.program_id(0)"])
def test_a_program_has_its_name_in_the_source(program: str, tmp_path: Path) -> None:
    head = "" if "(" in program else f"    {program} = tl.program_id(0)\n"
    text = (
        f"def f(x, y, B: tl.constexpr):\n{head}"
        f"    v = tl.load(x + {program} * B + tl.arange(0, B))\n"
        "    tl.store(y, tl.sum(v, axis=0))\n"
    )
    (one,) = found(tmp_path / "k.py", HEAD + text)
    assert f": {program} is in no part of the address" in one.message
    assert f"(if {program} == 0)" in one.mend
    assert one.expression == "tl.store(y, tl.sum(v, axis=0))"


def test_names_of_a_report_are_those_of_the_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(CUDA)
    assert main(["scan", str(file)]) == 1
    text = capsys.readouterr().out
    assert "blockIdx.y = " in text
    assert re.search(r"(blockIdx|threadIdx)_", text) is None


def test_a_loop_has_the_value_that_it_has_in_the_source(tmp_path: Path) -> None:
    """The sizes of a finding, put into the source's own expressions, overflow under its guards."""
    (one,) = found(tmp_path / "k.cu", CUDA)
    n = one.sizes
    y = n["blockIdx_y"] * 32 + n["threadIdx_y"]
    assert n["j"] in (0, 8, 16, 24)
    assert (y + n["j"]) * n["width"] >= 1 << 31


LAST = (
    "__global__ void f(float* x, int N, int K) {\n"
    "  for (int t = 0; t < (K + 15) / 16; t++) {\n"
    "    int k = t * 16 + threadIdx.y;\n"
    "    int c = blockIdx.x * 16 + threadIdx.x;\n"
    "    if (k < K && c < N) x[k * N + c] = 1;\n"
    "  }\n"
    "}\n"
)


def test_sizes_that_bound_a_loop_are_shown(tmp_path: Path) -> None:
    (one,) = found(tmp_path / "k.cu", LAST)
    n = one.sizes
    k = n["t"] * 16 + n["threadIdx_y"]
    assert k < n["K"]
    assert k * n["N"] >= 1 << 31


ALIKE = (
    "__global__ void f(float* x, float* y, int T, int C) {\n"
    "  int b = blockIdx.x;\n"
    "  float* x_b = x + b * T * C;\n"
    "  float* y_b = y + b * T * C;\n"
    "  for (int i = threadIdx.x; i < C; i += 32) {\n"
    "    y_b[i] = 1;\n"
    "    x_b[i] = 1;\n"
    "  }\n"
    "}\n"
)


def test_of_expressions_that_are_alike_each_array_has_its_own(tmp_path: Path) -> None:
    both = found(tmp_path / "k.cu", ALIKE)
    assert {f.span.line: f.message.split()[-2] for f in both} == {3: "x", 4: "y"}
    assert {f.mend for f in both} == {"write `(int64_t)b * T * C`"}


def test_an_expression_in_several_addresses_is_one_finding(tmp_path: Path) -> None:
    (one,) = found(tmp_path / "k.py", HEAD + BOTH)
    assert one.message.endswith("so the addresses into y_ptr and x_ptr wrap")


@pytest.mark.parametrize("line", [8, 10])
def test_a_comment_silences_at_the_expression_and_at_the_access(line: int, tmp_path: Path) -> None:
    lines = (HEAD + ROW).split("\n")
    lines[line - 1] += "  # symlayout: ignore[overflow]"
    assert found(tmp_path / "k.py", "\n".join(lines)) == []


@pytest.mark.parametrize("product", ["B * stride * row", "(row + 1) * stride", "stride * -(-row)"])
def test_what_is_to_be_written_removes_the_finding(product: str, tmp_path: Path) -> None:
    text = HEAD + ROW.replace("row * stride", product)
    (one,) = found(tmp_path / "k.py", text)
    assert one.mend.startswith("write `")
    write = one.mend.removeprefix("write `").rstrip("`")
    assert found(tmp_path / "k.py", text.replace(one.expression, write)) == []
