"""Properties of internal modules; `tests/test_kernels_turns.py` tests the public interface."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout.checks.kernel_files import read_kernels
from symlayout.checks.reading import ANYWHERE
from symlayout.programs.kernels.forms import listed

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
    ((kernel, _),) = read_kernels(str(file), ANYWHERE)
    table = listed(kernel)
    expected = ACCESSES[code]
    doubted = bool(table["skipped"]) or any(a["doubt"] for a in table["accesses"])
    assert doubted == (expected is None), table
    if expected is not None:
        rows = [(a["kind"], a["array"], a["index"], a["guard"]) for a in table["accesses"]]
        assert [f"{k} {a} {i}{f' if {g}' if g else ''}" for k, a, i, g in rows] == expected


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
    ((kernel, _),) = read_kernels(str(file), ANYWHERE)
    (access,) = listed(kernel)["accesses"]
    assert access["index"] == (index or "n*4 + lane")
