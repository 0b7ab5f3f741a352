"""What a kernel in C evaluates, in which order and when: conditions, choices, what changes inside."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_kernels_attacks import HEADER, ONE, contract, of, triton, verdicts

SMALL = f"{ONE}; where n >= 1"

# the contract, the kernel, a part of the claim's name, its verdict
CHOICES = {
    "a product that is chosen where it is small": (
        SMALL,
        "int n, int a, int b) {\n  int i = a < 1000 && b < 1000 ? a * b : 0;\n"
        "  if (i < n) x[i] = 1;\n}\n",
        "no overflow",
        "proved",
    ),
    "a product that is chosen where it is large": (
        SMALL,
        "int n, int a, int b) {\n  int i = a > 1000 || b > 1000 ? a * b : 0;\n"
        "  if (i < n) x[i] = 1;\n}\n",
        "no overflow",
        "refuted",
    ),
    "a product behind what bounds it": (
        SMALL,
        "int n, int a, int b) {\n  if (a < 1000 && b < 1000 && a * b < n) x[a * b] = 1;\n}\n",
        "no overflow",
        "proved",
    ),
    "a product before what bounds it": (
        SMALL,
        "int n, int a, int b) {\n  if (a * b < n && a < 1000 && b < 1000) x[a * b] = 1;\n}\n",
        "no overflow",
        "refuted",
    ),
    "a product behind a way out": (
        SMALL,
        "int n, int a, int b) {\n  if (a >= 1000 || b >= 1000 || a * b >= n) return;\n"
        "  x[a * b] = 1;\n}\n",
        "no overflow",
        "proved",
    ),
    "a product before a way out": (
        SMALL,
        "int n, int a, int b) {\n  if (a * b >= n || a >= 1000 || b >= 1000) return;\n"
        "  x[a * b] = 1;\n}\n",
        "no overflow: mask",
        "refuted",
    ),
    "a product in a condition inside of another": (
        SMALL,
        "int n, int a) {\n  if (a < 1000) {\n    if (a * a < n) x[a * a] = 1;\n  }\n}\n",
        "no overflow",
        "proved",
    ),
    "a guard of 64 bits beside 32": (
        SMALL,
        "int n, int a, int b) {\n  if ((long)a * b < n) { int k = a * b; x[k] = 1; }\n}\n",
        "no overflow",
        "proved",
    ),
    "a difference without a sign behind its condition": (
        SMALL,
        "size_t n, size_t a) {\n  size_t k = a > 0 ? a - 1 : 0;\n  if (k < n) x[k] = 1;\n}\n",
        "no wrap",
        "proved",
    ),
    "a difference without a sign before its condition": (
        f"{SMALL}; where a >= 0",
        "size_t n, size_t a) {\n  if (a - 1 < n && a > 0) x[0] = 1;\n}\n",
        "no wrap",
        "refuted",
    ),
    "a quotient where it is asked": (
        f"{SMALL}; where b >= -5",
        "int n, int a, int b) {\n  int i = b > 0 ? a / b : 0;\n  if (i < n) x[i] = 1;\n}\n",
        "no divisor",
        "proved",
    ),
    "a quotient where it is not": (
        f"{SMALL}; where b >= -5",
        "int n, int a, int b) {\n  int i = b > 0 ? a / b : 0;\n  i = i + a / b;\n"
        "  if (i < n) x[i] = 1;\n}\n",
        "no divisor below 1: b in line 7",
        "refuted",
    ),
    "a load that is chosen": (
        SMALL,
        "int n, int i) {\n  float v = i < n ? x[i] : 0.f;\n  x[0] = v;\n}\n",
        "in bounds: load",
        "proved",
    ),
    "a load that is chosen wrongly": (
        SMALL,
        "int n, int i) {\n  float v = i < n ? 0.f : x[i];\n  x[0] = v;\n}\n",
        "in bounds: load",
        "refuted",
    ),
    "a load behind `and`": (
        SMALL,
        "int n, int i) {\n  if (i < n && x[i] > 0) x[0] = 1;\n}\n",
        "in bounds: load",
        "proved",
    ),
    "a load before `and`": (
        SMALL,
        "int n, int i) {\n  if (x[i] > 0 && i < n) x[0] = 1;\n}\n",
        "in bounds: load",
        "refuted",
    ),
    "a load behind `or`": (
        SMALL,
        "int n, int i) {\n  if (i >= n || x[i] > 0) x[0] = 1;\n}\n",
        "in bounds: load",
        "proved",
    ),
    "a load behind the other `or`": (
        SMALL,
        "int n, int i) {\n  if (i < n || x[i] > 0) x[0] = 1;\n}\n",
        "in bounds: load",
        "refuted",
    ),
    "a store inside of a condition": (
        SMALL,
        "int n, int i) {\n  if (n > 2 && (x[n + 5] = 1)) x[0] = 1;\n}\n",
        "in bounds: store of x in line 5",
        "refuted",
    ),
    "an unknown function inside of a choice": (
        SMALL,
        "int n, int i) {\n  x[0] = n > 2 ? other(x, n) : 3;\n}\n",
        "understood: line 5",
        "unknown",
    ),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", CHOICES)
def test_what_is_not_evaluated_owes_nothing(tmp_path: Path, name: str) -> None:
    lines, body, part, status = CHOICES[name]
    found = verdicts(tmp_path / "k.cu", contract("//", lines) + HEADER + body)
    assert status in of(found, part), found
    if status == "proved":
        assert of(found, part) == {status}, found


CONSTANTS = {  # the condition of a store to x[n], and whether it may be true
    "n < 7u - 8": True,
    "n + (4 - 8) < 0": True,
    "(unsigned)4294967299L > n + 3": False,
    "threadIdx.x >= (int)16L * k": False,
    "threadIdx.x >= (int)16u * k": False,
    "threadIdx.x > (unsigned)-1 - 1": False,
    "65536L * 65536 <= n": False,
    "n < 2147483647u + 1u": True,
}


@pytest.mark.parametrize("condition", CONSTANTS)
def test_constants_have_types(tmp_path: Path, condition: str) -> None:
    lines = "grid (1,) block (1,); x is f32[n]; where n <= 1000, n >= 0, k >= -50, k <= -1"
    body = f"int n, short k) {{\n  if ({condition}) x[n] = 1;\n}}\n"
    found = verdicts(tmp_path / "k.cu", contract("//", lines) + HEADER + body)
    expected = {"refuted"} if CONSTANTS[condition] else {"proved"}
    assert (of(found, "in bounds") or {"proved"}) == expected, found


@pytest.mark.parametrize(
    "between",
    [
        "__global__ void g(float* x, int n) { put(n) }\n",  # which the grammar does not know
        "__global__ void g(float* x, int n);\n",
        "struct S { int n; };\n",
    ],
)
def test_a_contract_speaks_of_the_next_kernel_alone(tmp_path: Path, between: str) -> None:
    kernel = f"{HEADER}int n) {{ x[0] = 1; }}\n"
    found = verdicts(tmp_path / "k.cu", f"{contract('//', ONE)}{between}{kernel}")
    assert not of(found, "f: ")
    assert set(found) == {"kernel"}


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("#define CHECK(c) do { if (!(c)) abort(); } while (0)", "proved"),
        ('#define CHECK(c) do { if (!(c)) printf("check"); } while (0)', "refuted"),
        ("#define CHECK(c)", "refuted"),
        ('#include "inner.h"', "refuted"),
    ],
)
def test_what_a_header_checks_is_a_fact_where_it_ends(
    tmp_path: Path, header: str, status: str
) -> None:
    (tmp_path / "outer.h").write_text(f"{header}\n")
    (tmp_path / "inner.h").write_text("#define CHECK(c) do { if (!(c)) errors++; } while (0)\n")
    kernel = f"{HEADER}int n) {{ x[threadIdx.x] = 1; }}\n"
    host = "void host(float* x, int n) {\n  CHECK(n >= 32);\n  f<<<1, 32>>>(x, n);\n}\n"
    text = f'#include "outer.h"\n// symlayout: kernel\n//   x is f32[n]\n{kernel}{host}'
    assert of(verdicts(tmp_path / "k.cu", text), "in bounds") == {status}


def test_a_hint_of_tritons_is_asked_where_it_stands(tmp_path: Path) -> None:
    body = "def f(x, n, m):\n    if m > 5:\n        tl.assume(m > 3)\n        tl.load(x)\n"
    found = verdicts(tmp_path / "k.py", triton("grid (1,); x is f32[n]", body))
    assert of(found, "assume") == {"proved"}


def test_a_load_of_tritons_that_is_chosen(tmp_path: Path) -> None:
    body = "def f(x, n, m):\n    v = tl.load(x + m) if m < n else 0.0\n    tl.store(x, v)\n"
    found = verdicts(tmp_path / "k.py", triton("grid (1,); x is f32[n]", body))
    assert of(found, "in bounds") == {"proved"}
