"""What a kernel in C evaluates, in which order and when: conditions, choices, what changes inside."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_kernels_attacks import HEADER, ONE, contract, of, triton, verdicts

from symlayout.checks.kernel_files import read_kernels
from symlayout.programs.kernels.forms import listed

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


HELPERS = """
struct S { float* p; int n; };
__device__ float* at(float* p, int k) { return p + k; }
__device__ void inc(float& v) { v += 1; }
__device__ void maybe(float& v, int k) { if (k > 2) v = 1; }
__device__ void other(float*, int);
#define put(i) x[i] = 1;
#define get(i) x[i]
#define twice(i) do { x[i] = 1; x[i] = 2; } while (0)
""".lstrip()

# statements, and the accesses that they make, each as its kind, array and index; None: not understood
ACCESSES: dict[str, list[str] | None] = {
    "int i = 1, k = (i <<= 1) | 1; x[k] = i;": ["store x 3"],
    "int i = 0, j = i++, k = i; y[k] = 3; x[j] = 1;": ["store y 1", "store x 0"],
    "int i = 0; x[i++] = 1, x[i++] = 2; y[i] = 3;": ["store x 0", "store x 1", "store y 2"],
    "int i = 0; if (i++ < 1) y[i] = 3; else x[i] = 4;": ["store y 1"],
    "int i = 0; switch (i++) { case 0: y[i] = 1; break; }": ["store y 1"],
    "int i = 0; if (i++ < 1 && x[i] > 0) i = 5;": ["load x 1"],
    "int i = 0; y[i] = x[i++];": None,
    "int i = 0; i += i++ + 1; y[i] = 2;": None,
    "int i = 0; float v[2] = {x[i++], x[i++]};": None,
    "int a = 0, b = n; std::swap(a, b); x[a] = 1;": None,
    "std::swap(x[n], y[m]);": None,
    "y[0] = at(x, n)[5];": ["load x n + 5", "store y 0"],
    "y[0] = *at(x, n);": ["load x n", "store y 0"],
    "at(x, n)[3] = 1;": ["store x n + 3"],
    "y[0] = 3[x];": None,
    "float* p = x; y[0] = *p++; y[1] = *p;": ["load x 0", "store y 0", "load x 1", "store y 1"],
    "float* p = x; y[0] = *++p;": ["load x 1", "store y 0"],
    "float* p = x; y[0] = p++[2]; y[1] = p[0];": [
        *("load x 2", "store y 0", "load x 1", "store y 1"),
    ],
    "float* p = x; *p++ = 2; *p = 3;": ["store x 0", "store x 1"],
    "float* p = x; *(p += 2) = 1; p[0] = 2;": ["store x 2", "store x 2"],
    "inc(x[n]);": ["load x n", "store x n"],
    "maybe(x[n], m);": None,
    "put(n);": ["store x n"],
    "y[0] = get(n);": ["load x n", "store y 0"],
    "twice(n);": ["store x n", "store x n"],
    "new (x + n) float(1);": None,
    "S s = {.p = x + 3, .n = 2}; y[0] = s.p[n];": None,
    "y[0] = ({ x[n] = 1; 2.f; });": None,
    "x[n ? : m] = 1;": None,
    "for (int i = 0; i < n; next(i)) x[i] = 1;": None,
    "n > 2 ? x[n] = 1 : y[n] = 2;": ["store x n if n > 2", "store y n if n <= 2"],
    "n > 2 && atomicAdd(&x[n], 1.f);": ["atomic x n if n > 2"],
    "if (n != 3 && n == 4) x[n] = 1;": ["store x n if n == 4"],
    "if (n == 4 && n != 3 && n < 9) x[n] = 1;": ["store x n if n == 4"],
    "if (n != 4 && n == 4) x[n] = 1;": [],
    "if (n == 3 && 4 == n) x[n] = 1;": [],
    "if (n > 3 && 4 == n && m != 3) x[n] = 1;": ["store x n if 4 == n and m != 3"],
    "if (n != 3 && m == 3) x[n] = 1;": ["store x n if n != 3 and m == 3"],
    "if (m != n && n == 4) x[n] = 1;": ["store x n if m != n and n == 4"],
    "if (n == 1) x[0] = 1; else if (n == 2) x[1] = 1; else if (n > 1) x[2] = 1;": [
        *("store x 0 if n == 1", "store x 1 if n == 2"),
        "store x 2 if n != 1 and n != 2 and n > 1",
    ],
}


@pytest.mark.parametrize("code", ACCESSES)
def test_every_access_is_found_where_it_is(tmp_path: Path, code: str) -> None:
    file = tmp_path / "k.cu"
    head = "__global__ void f(float* x, float* y, int n, int m) {\n"
    file.write_text(f"{HELPERS}{head}  {code}\n}}\n")
    ((kernel, _),) = read_kernels(str(file))
    table = listed(kernel)
    expected = ACCESSES[code]
    doubted = bool(table["skipped"]) or any(a["doubt"] for a in table["accesses"])
    assert doubted == (expected is None), table
    if expected is not None:
        rows = [(a["kind"], a["array"], a["index"], a["guard"]) for a in table["accesses"]]
        assert [f"{k} {a} {i}{f' if {g}' if g else ''}" for k, a, i, g in rows] == expected


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


@pytest.mark.parametrize(
    ("suffix", "head", "code", "index"),
    [
        (".cu", "__global__ void f(float* x, int n)", "((float3*)x)[n] = v;", "n*3 + lane"),
        (
            ".metal",
            "kernel void f(device float* x, constant int& n)",
            "((device float3*)x)[n] = v;",
            "",
        ),
        (
            *(".metal", "kernel void f(device float* x, constant int& n)"),
            *("((device packed_float3*)x)[n] = v;", "n*3 + lane"),
        ),
        (".cl", "__kernel void f(__global float* x, int n)", "((__global float3*)x)[n] = v;", ""),
        (".cl", "__kernel void f(__global float* x, int n)", "vstore3(v, n, x);", "n*3 + lane"),
    ],
)
def test_three_numbers_have_the_size_of_four_where_the_language_says_so(
    tmp_path: Path, suffix: str, head: str, code: str, index: str
) -> None:
    file = tmp_path / f"k{suffix}"
    file.write_text(f"{head} {{\n  {code}\n}}\n")
    ((kernel, _),) = read_kernels(str(file))
    (access,) = listed(kernel)["accesses"]
    assert access["index"] == (index or "n*4 + lane")
