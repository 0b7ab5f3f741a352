"""Kernels that look right and are not: none of what they break is called proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check

HEAD = "import triton\nimport triton.language as tl\n\n\n"
N = "x is f32[n]"


def verdicts(path: Path, text: str) -> dict[str, set[str]]:
    """The verdicts by the first words of a claim's name and its line."""
    path.write_text(text)
    report = check([str(path)])
    assert not [p for p in report.all_problems if p.code == "SL900"], report.all_problems
    made: dict[str, set[str]] = {}
    for r in report.results:
        made.setdefault(r.task.name, set()).add(r.outcome.status)
    return made


def of(found: dict[str, set[str]], part: str) -> set[str]:
    """The verdicts of the claims whose names have that part."""
    return {s for name, statuses in found.items() if part in name for s in statuses}


def contract(mark: str, lines: str) -> str:
    """A contract's lines, the first with the grid."""
    first, *rest = lines.split("; ")
    return "\n".join([f"{mark} symlayout: kernel {first}", *[f"{mark}   {x}" for x in rest]]) + "\n"


def triton(lines: str, body: str, above: str = "") -> str:
    """A file with one kernel below what stands above it."""
    return f"{HEAD}{above}{contract('#', lines)}@triton.jit\n{body}"


# the contract, the kernel, what stands above it, a part of the claim's name, its verdict
TRITON = {
    "a block of one number is repeated along the other": (
        "grid (1,); x is f32[A]",
        "def f(x, A: tl.constexpr, B: tl.constexpr):\n"
        "    tl.load(x + tl.arange(0, A) + tl.arange(0, B) * 0)\n",
        "",
        "blocks of one size",
        "unknown",
    ),
    "sizes that are equal by a fact": (
        "grid (1,); x is f32[A]; where A == B",
        "def f(x, A: tl.constexpr, B: tl.constexpr):\n"
        "    tl.load(x + tl.arange(0, A) + tl.arange(0, B) * 0)\n",
        "",
        "blocks of one size",
        "proved",
    ),
    "an argument that is 1 is the compiler's: its quotient rounds down": (
        "grid (1,); x is f32[n]",
        "def f(x, n):\n    tl.load(x + (n - 2) // 4)\n",
        "",
        "in bounds",
        "refuted",
    ),
    "a name makes it a number of run time": (
        "grid (1,); x is f32[n]; where n <= 9",
        "def f(x, n):\n    k = n - 2\n    tl.load(x + k // 4)\n",
        "",
        "in bounds",
        "proved",
    ),
    "what is not 1 rounds towards 0": (
        "grid (1,); x is f32[n]; where n > 1",
        "def f(x, n):\n    tl.load(x + (n - 2) // 4)\n",
        "",
        "in bounds",
        "proved",
    ),
    "versions of Triton differ in what has a type and is 1": (
        "grid (1,); x is f32[n]",
        "def f(x, n: tl.int32):\n    tl.load(x + (n - 2) // 4)\n",
        "",
        "in bounds",
        "unknown",
    ),
    "versions of Triton differ in what a function returns": (
        "grid (1,); x is f32[n]",
        "def f(x, n):\n    tl.load(x + (h(n) - 2) // 4)\n",
        "@triton.jit\ndef h(a):\n    return a\n\n\n",
        "in bounds",
        "unknown",
    ),
    "a condition that the compiler knows is never 0 behind `~`": (
        "grid (1,); x is f32[n]",
        "def f(x, n):\n    if ~(n < 5):\n        tl.load(x + n - 2)\n",
        "",
        "in bounds",
        "refuted",
    ),
    "nor is that of a constant": (
        "grid (1,); x is f32[B]",
        "def f(x, B: tl.constexpr):\n    if ~(B < 5):\n        tl.load(x + B - 2)\n",
        "",
        "in bounds",
        "refuted",
    ),
    "a parameter with the name of a constant": (
        "grid (1,); x is f32[N]",
        "def f(x, N):\n    tl.load(x + 3)\n",
        "N = 4\n\n",
        "in bounds",
        "refuted",
    ),
    "a constant that is given again in a tuple": (
        "grid (1,); x is f32[N]",
        "def f(x):\n    tl.load(x + 3)\n",
        "N = 4\nN, M = 1, 2\n\n",
        "in bounds",
        "refuted",
    ),
    "a constant that is imported again": (
        "grid (1,); x is f32[4]",
        "def f(x):\n    tl.load(x + N)\n",
        "N = 3\nfrom elsewhere import N\n\n",
        "understood: line 12",
        "unknown",
    ),
    "two kernels of one name": (
        "grid (1,); x is f32[4]",
        "def f(x):\n    tl.load(x + 7)\n\n\n@triton.jit\ndef f(x):\n    tl.load(x + 3)\n",
        "",
        "in bounds: load of x in line 9",
        "refuted",
    ),
    "a number that `or` chooses": (
        "grid (1,); x is f32[1]",
        "def f(x, B: tl.constexpr):\n    K = B or 4\n    tl.load(x + tl.arange(0, K))\n",
        "",
        "understood: line 10",
        "unknown",
    ),
    "a walrus": (
        f"grid (1,); {N}",
        "def f(x, n):\n    i = 0\n    if (i := i + n) > 0:\n        tl.load(x + i)\n",
        "",
        "understood: line 10",
        "unknown",
    ),
    "a step by its keyword": (
        "grid (1,); x is f32[n]; where n >= 9",
        "def f(x, n):\n    for i in tl.range(n, step=4):\n        tl.load(x + i + 5)\n",
        "",
        "in bounds",
        "refuted",
    ),
    "an end by its keyword": (
        "grid (1,); x is f32[n]; where n >= 9",
        "def f(x, n):\n    for i in tl.range(1, arg2=n):\n        tl.load(x + i + 5)\n",
        "",
        "in bounds",
        "refuted",
    ),
    "a load in a keyword": (
        f"grid (1,); {N}",
        "def f(x, n):\n    tl.atomic_add(x, val=tl.load(x + n))\n",
        "",
        "in bounds: load",
        "refuted",
    ),
    "a load in a comprehension": (
        f"grid (1,); {N}",
        "def f(x, n):\n    tl.load(x)\n    [tl.load(x + n + k) for k in range(4)]\n",
        "",
        "understood: line 10",
        "unknown",
    ),
    "a store by another name": (
        f"grid (1,); {N}",
        "def f(x, n):\n    tl.load(x)\n    put = tl.store\n    put(x + n, 1)\n",
        "",
        "understood: line 11",
        "unknown",
    ),
    "an address for a function of another file": (
        f"grid (1,); {N}",
        "def f(x, n):\n    tl.load(x)\n    helper(x + n, 1)\n",
        "from other import helper\n",
        "understood: line 11",
        "unknown",
    ),
    "the language by another name": (
        f"grid (1,); {N}",
        "def f(x, n):\n    tl.load(x)\n    t.load(x + n)\n",
        "import triton.language as t\n",
        "load of x in line 11",
        "refuted",
    ),
    "a load in a descriptor's store": (
        f"grid (1,); {N}; y is f32[n]",
        "def f(x, y, n, B: tl.constexpr):\n"
        "    d = tl.make_tensor_descriptor(y, shape=[n], strides=[1], block_shape=[B])\n"
        "    d.store([0], tl.load(x + n))\n    d.atomic_add([n], 3)\n",
        "",
        "in bounds: load of x",
        "refuted",
    ),
    "an atomic through a descriptor": (
        "grid (1,); y is f32[n]",
        "def f(y, n, B: tl.constexpr):\n"
        "    d = tl.make_tensor_descriptor(y, shape=[n], strides=[1], block_shape=[B])\n"
        "    d.store([0], 1)\n    d.atomic_add([n], 3)\n",
        "",
        "understood: line 11",
        "unknown",
    ),
    "a permutation that is no reversal": (
        "grid (1,); x is f32[A,C,B]; where A == 2, B == 4, C == 8",
        "def f(x, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):\n"
        "    a = tl.arange(0, A)[:, None, None] + tl.arange(0, B)[None, :, None] * A\n"
        "    a = a + tl.arange(0, C)[None, None, :] * (A * B)\n"
        "    b = tl.arange(0, A)[:, None, None] * (2 * B * C) + a.trans(0, 2, 1)\n"
        "    tl.load(x + b)\n",
        "",
        "in bounds",
        "refuted",
    ),
    "a divisor that is below 1 in a loop": (
        f"grid (4,); {N}",
        "def f(x, n):\n    p = tl.program_id(0)\n"
        "    for k in range(n):\n        tl.load(x + p // (k * 4 - 3) * 0)\n",
        "",
        "no divisor below 1",
        "refuted",
    ),
    "a shift by a parameter": (
        "grid (n,); x is f32[n * 2**K] written once",
        "def f(x, n, K: tl.constexpr):\n    i = tl.program_id(0).to(tl.int64)\n"
        "    tl.store(x + (i << 0) * (1 << K) + tl.arange(0, 1 << K), 0)\n",
        "",
        "written once: store",
        "proved",
    ),
    "a shift by a parameter that may be too large": (
        f"grid (n,); {N}",
        "def f(x, n, k):\n    tl.load(x + (tl.program_id(0) >> k))\n",
        "",
        "no shift out of range",
        "unknown",
    ),
    "a shift by a parameter that the contract bounds": (
        f"grid (n,); {N}; where k < 32",
        "def f(x, n, k):\n    tl.load(x + (tl.program_id(0) >> k))\n",
        "",
        "no shift out of range",
        "proved",
    ),
    "a shift by a parameter that may be below 0": (
        f"grid (n,); {N}; where k >= -1; where k < 32",
        "def f(x, n, k):\n    tl.load(x + (tl.program_id(0) >> k))\n",
        "",
        "in bounds",
        "refuted",
    ),
    "a shift to the left by a parameter overflows": (
        "grid (1,); x is f32[4]; where k < 32",
        "def f(x, n, k):\n    tl.load(x + 9, mask=(n << k) < 0)\n",
        "",
        "no overflow: mask",
        "unknown",
    ),
    "a product of named numbers leaves 32 bits": (
        "grid (n,); x is f32[n*4294967296]; where n <= 16",
        "def f(x, n):\n    s = 65536\n"
        "    tl.store(x + tl.program_id(0).to(tl.int64) * (s * 65536), 0)\n",
        "",
        "no overflow",
        "refuted",
    ),
    "a quotient of a named number below 0": (
        "grid (1,); x is f32[8]",
        "def f(x, n):\n    a, b = 0 - 7, 4\n    tl.store(x + a % b, 0)\n",
        "",
        "in bounds",
        "refuted",
    ),
    "what a function returns is a number of run time": (
        "grid (1,); x is f32[8]",
        "def f(x, n):\n    k = g(1)\n    tl.store(x + k % 4, 0)\n",
        "@triton.jit\ndef g(a):\n    return a - 8\n\n\n",
        "in bounds",
        "refuted",
    ),
    "a product that a condition on something else never lets be computed": (
        "grid (1,); x is f32[4]",
        "def f(x, n, m):\n    i = n * 4 if m < 1 else 0\n    tl.load(x + i)\n",
        "",
        "no overflow",
        "proved",
    ),
    "a shift that is used where it is one": (
        f"grid (n,); {N}",
        "def f(x, n, k):\n    i = tl.program_id(0)\n    tl.load(x + tl.where(k < 32, i >> k, 0))\n",
        "",
        "no overflow",
        "proved",
    ),
    "a shift of 64 bits loses its upper end": (
        "grid (1,); x is f32[4]; where k < 64",
        "def f(x, n, k):\n    tl.load(x + 9, mask=(n.to(tl.int64) << k) < 0)\n",
        "",
        "in bounds",
        "unknown",
    ),
    "a hint that is wrong in the first turn": (
        f"grid (4,); {N}",
        "def f(x, n):\n    for k in range(n):\n        tl.assume(k >= 1)\n        tl.load(x + k)\n",
        "",
        "assume",
        "refuted",
    ),
    "a hint about what was loaded": (
        f"grid (4,); {N}",
        "def f(x, n):\n    for k in range(n):\n        tl.multiple_of(tl.load(x) * 4, 4)\n",
        "",
        "multiple_of",
        "unknown",
    ),
    "a loop with an else": (
        f"grid (1,); {N}",
        "def f(x, n):\n    for i in range(n):\n        tl.load(x + i)\n"
        "    else:\n        tl.load(x + n)\n",
        "",
        "understood: line 9",
        "unknown",
    ),
    "what every turn sets to the same, or leaves": (
        f"grid (1,); {N}; where n >= 1, b >= 0, b < n",
        "def f(x, n, m, b, F: tl.constexpr):\n    p = n - 1\n"
        "    for k in range(m):\n"
        "        tl.load(x + p)\n"
        "        if F:\n"
        "            p = b * 1\n",
        "",
        "in bounds",
        "proved",
    ),
    "what the first turn sets for the second": (
        f"grid (1,); {N}; where n >= 1, b >= 0, b <= n",
        "def f(x, n, m, b, F: tl.constexpr):\n    p = n - 1\n"
        "    for k in range(m):\n"
        "        tl.load(x + p)\n"
        "        p = b * 1\n",
        "",
        "in bounds",
        "refuted",
    ),
    "what the only turn sets for none": (
        f"grid (1,); {N}; where n >= 1, b >= 0",
        "def f(x, n, m, b, F: tl.constexpr):\n    p = n - 1\n"
        "    for k in range(1):\n"
        "        tl.load(x + p)\n"
        "        p = b * 1\n",
        "",
        "in bounds",
        "proved",
    ),
    "what a loop sets, behind it": (
        f"grid (1,); {N}; where n >= 1, b >= 0, b < n",
        "def f(x, n, m, b, F: tl.constexpr):\n    p = n - 1\n"
        "    for k in range(m):\n"
        "        p = b * 1\n"
        "    tl.load(x + p)\n",
        "",
        "in bounds",
        "proved",
    ),
    "what a loop without a turn does not set": (
        f"grid (1,); {N}; where n >= 1, b >= 0, b < n, m >= 0",
        "def f(x, n, m, b, F: tl.constexpr):\n    p = n - 1\n"
        "    p = n + 0\n"
        "    for k in range(m):\n"
        "        p = b * 1\n"
        "    tl.load(x + p)\n",
        "",
        "in bounds",
        "refuted",
    ),
    "what turns set in turn": (
        f"grid (1,); {N}; where n >= 1, b >= 0, b < n",
        "def f(x, n, m, b, F: tl.constexpr):\n    p = n - 1\n"
        "    q = b * 1\n"
        "    for k in range(m):\n"
        "        tl.load(x + p)\n"
        "        p, q = q, p\n",
        "",
        "understood: line 13",
        "unknown",
    ),
    "what some turn sets": (
        f"grid (1,); {N}; where n >= 1, b >= 0, b < n",
        "def f(x, n, m, b, F: tl.constexpr):\n    p = n - 1\n"
        "    for k in range(m):\n"
        "        tl.load(x + p)\n"
        "        if k > 3:\n"
        "            p = b * 1\n",
        "",
        "understood: line 12",
        "unknown",
    ),
    "what a turn that goes on sets not": (
        f"grid (1,); {N}; where n >= 1, b >= 0, b < n",
        "def f(x, n, m, b, F: tl.constexpr):\n    p = n - 1\n"
        "    for k in range(m):\n"
        "        tl.load(x + p)\n"
        "        if k > 3:\n"
        "            continue\n"
        "        p = b * 1\n",
        "",
        "understood: line 12",
        "unknown",
    ),
    "names behind a star": (
        f"grid (1,); {N}",
        "def f(x, n):\n    b = 0\n    a, *b = (n, n)\n    tl.load(x + b)\n",
        "",
        "understood: line 11",
        "unknown",
    ),
    "a ceiling of one's own": (
        f"grid (1,); {N}",
        "def f(x, n):\n    tl.load(x + cdiv(n, 1) - 1)\n",
        "@triton.constexpr_function\ndef cdiv(a, b):\n    return a + b\n\n\n",
        "understood: line 14",
        "unknown",
    ),
}


ONE = "grid (1,) block (1,); x is f32[n]"
HEADER = "__global__ void f(float* x, "
C = {
    "a byte that wraps": (
        "grid (1,) block (512,); x is f32[512] written once",
        "__global__ void f(float* x) {\n  unsigned char c = threadIdx.x;\n  x[c] = 1;\n}\n",
        "",
        "written once: store",
        "refuted",
    ),
    "a short that wraps": (
        f"{ONE}; where n >= 70000",
        f"{HEADER}int n) {{\n  for (int i = 0; i < n; i++) {{ short s = i; x[s] = 1; }}\n}}\n",
        "",
        "in bounds",
        "refuted",
    ),
    "a counter that is too narrow": (
        f"{ONE}; where n >= 200",
        f"{HEADER}int n) {{\n  for (signed char i = 0; i < 200; i++) x[i] = 1;\n}}\n",
        "",
        "understood: line 5",
        "unknown",
    ),
    "a counter without a sign that goes below 0": (
        ONE,
        f"{HEADER}unsigned n) {{\n  for (unsigned i = n - 1; i >= 0; i--) x[i] = 1;\n}}\n",
        "",
        "understood: line 4",
        "unknown",
    ),
    "a difference of 64 bits without a sign": (
        "grid (cdiv(n, b),) block (b,); x is f32[n] written once",
        f"{HEADER}size_t n) {{\n"
        "  size_t j = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n"
        "  if (j - 1 >= n - 1) return;\n  x[j] = 2;\n}\n",
        "",
        "no wrap below 0: blockIdx_x",
        "refuted",
    ),
    "a number below 0 is large without a sign": (
        f"{ONE}; where n >= 3",
        f"{HEADER}size_t n) {{\n  int i = 0;\n  i = i - 1;\n  if (i >= n) x[n] = 1;\n}}\n",
        "",
        "in bounds",
        "refuted",
    ),
    "a number below 0 that is shifted where it has no sign": (
        "grid (4,) block (1,); x is f32[n]",
        f"{HEADER}int n) {{\n  int i = blockIdx.x;\n"
        "  if (((size_t)(i - 5) >> 3) < n) return;\n  x[n + 9] = 1;\n}\n",
        "",
        "in bounds",
        "unknown",
    ),
    "a number below 0 that is shifted by a parameter where it has no sign": (
        "grid (4,) block (1,); x is f32[n]; where k < 32",
        f"{HEADER}int n, int k) {{\n  int i = blockIdx.x;\n"
        "  if (((size_t)(i - 5) >> k) < n) return;\n  x[n + 9] = 1;\n}\n",
        "",
        "in bounds",
        "unknown",
    ),
    "a shift of an int by a parameter that is wider": (
        "grid (1,) block (1,); x is f32[n]; where k < 64",
        f"{HEADER}int n, int k) {{\n  long s = 1 << k;\n  if (s < 0) x[n + 3] = 1;\n}}\n",
        "",
        "no shift out of range",
        "refuted",
    ),
    "an int that a shift makes negative": (
        "grid (1,) block (1,); x is f32[n]; where k < 32",
        f"{HEADER}int n, int k) {{\n  if ((1 << k) < 0) x[n + 3] = 1;\n}}\n",
        "",
        "no overflow: mask",
        "unknown",
    ),
    "a block of a power of two by shifts": (
        "grid (n,) block (1,); x is f32[n] written once; where k < 32",
        f"{HEADER}int n, unsigned k) {{\n  unsigned i = blockIdx.x;\n"
        "  x[((i >> k) << k) + (i & ((1u << k) - 1))] = 1;\n}\n",
        "",
        "",
        "proved",
    ),
    "a number below 0 that is shifted in its place": (
        "grid (4,) block (1,); x is f32[n]",
        f"{HEADER}int n) {{\n  int i = blockIdx.x;\n  size_t s = i - 5;\n  s >>= 3;\n"
        "  if (s < n) return;\n  x[n + 9] = 1;\n}\n",
        "",
        "in bounds",
        "unknown",
    ),
    "a loop that goes past its end": (
        ONE,
        f"{HEADER}int n, int m) {{\n  for (int i = m; i != n; ++i) x[i] = 1;\n}}\n",
        "",
        "understood: line 4",
        "unknown",
    ),
    "a macro without parentheses around it": (
        f"{ONE}; where n >= 3",
        f"{HEADER}int n) {{\n  x[n - TWICE(1)] = 1;\n}}\n",
        "#define TWICE(a) a + a\n",
        "in bounds",
        "refuted",
    ),
    "a macro without parentheses around its argument": (
        f"{ONE}; where n >= 3, n <= 1000",
        f"{HEADER}int n) {{\n  x[TWICE(n - 1) - n] = 1;\n}}\n",
        "#define TWICE(a) (2*a)\n",
        "in bounds",
        "proved",
    ),
    "a macro's name without parentheses": (
        "grid (1,) block (1,); x is f32[10]",
        f"{HEADER}int n) {{\n  x[10 - N] = 1;\n}}\n",
        "#define A 5\n#define N A - 4\n",
        "in bounds",
        "proved",
    ),
    "a macro with its parentheses": (
        f"{ONE}; where n >= 3, n <= 1000",
        f"{HEADER}int n) {{\n  x[TWICE(n - 1) - n] = 1;\n}}\n",
        "#define TWICE(a) (2*(a))\n",
        "in bounds",
        "proved",
    ),
    "a break out of a block that is no loop": (
        ONE,
        f"{HEADER}int n, int k) {{\n  do {{\n    if (k == 2) break;\n    x[0] = 1;\n  }} while (0);\n"
        "  if (k == 2) x[n] = 1;\n}\n",
        "",
        "in bounds: store of x in line 8",
        "refuted",
    ),
    "a break inside of a case": (
        ONE,
        f"{HEADER}int n, int k) {{\n  switch (k) {{\n  case 1:\n    if (n > 4) break;\n"
        "    x[0] = 1;\n    break;\n  }\n  if (k == 1) x[n] = 1;\n}\n",
        "",
        "understood: line 4",
        "unknown",
    ),
    "a reference behind an early return": (
        f"{ONE}; where n >= 5",
        f"{HEADER}int n) {{\n  int a = 0;\n  h(a, n);\n  x[a - 2] = 1;\n}}\n",
        "__device__ void h(int& a, int n) {\n  if (n > 3) { a = 1; return; }\n  a = 2;\n}\n",
        "in bounds",
        "unknown",
    ),
    "references of two calls in one expression": (
        f"{ONE}; where n >= 5",
        f"{HEADER}int n) {{\n  int a = 0, b = 0;\n  int z = h(a) + g(b);\n  x[a] = z;\n}}\n",
        "__device__ int q(int& a) {\n  a = 0;\n  return 1;\n}\n"
        "__device__ int h(int& a) {\n  a = 100;\n  return 1;\n}\n"
        "__device__ int g(int& b) {\n  int t = 0;\n  b = q(t);\n  return b;\n}\n",
        "in bounds",
        "refuted",
    ),
    "what a lambda changes": (
        ONE,
        f"{HEADER}int n) {{\n  int i = 0;\n  auto q = [&](int k) {{ i = k; }};\n  q(n);\n"
        "  x[i] = 1;\n}\n",
        "",
        "in bounds",
        "unknown",
    ),
    "what is not compiled": (
        "grid (1,) block (1,); x is f32[4]",
        "#if 0\n__global__ void f(float* x) { x[3] = 1; }\n#else\n"
        "__global__ void f(float* x) { x[4] = 1; }\n#endif\n",
        "",
        "in bounds",
        "refuted",
    ),
    "a jump": (
        "grid (1,) block (1,); x is f32[n] written once; where n == 1",
        f"{HEADER}int n, int k) {{\n  if (k > 3) goto done;\n  x[0] = 1;\ndone:\n  return;\n}}\n",
        "",
        "written once",
        "unknown",
    ),
    "a break between barriers": (
        "grid (1,) block (b,)",
        f"{HEADER}int n, int m) {{\n  __shared__ float s[1024];\n  int t = threadIdx.x;\n"
        "  for (int i = 0; i < n; i++) {\n    __syncthreads();\n    s[t] = 1;\n"
        "    if (i == m) break;\n    __syncthreads();\n  }\n  s[t + 1] = 2;\n}\n",
        "",
        "no race: store of s in line 7 and in line 11",
        "unknown",
    ),
    "an atomic beside a store": (
        "grid (1,) block (b,); x is f32[b]; where b >= 2",
        f"{HEADER}int n) {{\n  x[threadIdx.x] = 1;\n  atomicAdd(&x[0], 1.0f);\n}}\n",
        "",
        "no race: store of x in line 5 and in line 6",
        "refuted",
    ),
    "a counter that overflows": (
        f"{ONE}; assume none; where s <= 1048576",
        f"{HEADER}int n, int s) {{\n  for (int i = 0; i < n; i += s) x[i] = 1;\n}}\n",
        "",
        "no overflow: the counter",
        "refuted",
    ),
    "a counter that cannot overflow": (
        f"{ONE}; where n <= 1073741824, s <= 1048576",
        f"{HEADER}int n, int s) {{\n  for (int i = 0; i < n; i += s) x[i] = 1;\n}}\n",
        "",
        "no overflow: the counter",
        "proved",
    ),
    "an end that overflows": (
        f"{ONE}; where n >= 1",
        f"{HEADER}int n, int a, int b) {{\n  for (int i = 0; i < a * b; i++) x[0] = 1;\n}}\n",
        "",
        "no overflow: an end",
        "refuted",
    ),
    "a variable that a pointer changes": (
        ONE,
        f"{HEADER}int n) {{\n  int i;\n  int* p = &i;\n  i = 0;\n  *p = n;\n  x[i] = 1;\n}}\n",
        "",
        "in bounds",
        "unknown",
    ),
    "a switch that falls through": (
        f"{ONE}; where n >= 2",
        f"{HEADER}int n, int k) {{\n  int i = 0;\n  switch (k) {{\n  case 1: i = n;\n"
        "  default: i += 1; break;\n  case 2: return;\n  }\n  x[i - 1] = 1;\n}\n",
        "",
        "in bounds",
        "refuted",
    ),
    "assembly that writes to memory": (
        ONE,
        f'{HEADER}int n) {{\n  asm("mov.f32 %0, %1;" : "=f"(x[n]) : "f"(1.0f));\n}}\n',
        "",
        "in bounds",
        "refuted",
    ),
    "facts of which no claim speaks": (
        f"{ONE}; where n >= 1, q >= 5, q <= 2",
        f"{HEADER}int n, int q) {{\n  x[0] = 1;\n}}\n",
        "",
        "the facts",
        "vacuous",
    ),
}


HOST = {  # what stands above, and the host code that launches 32 threads
    "a check that goes on": (
        '#define CHECK(c) do { if (!(c)) printf("n"); } while (0)\n',
        "CHECK(n >= 32);",
        "refuted",
    ),
    "a check that ends": (
        "#define CHECK(c) do { if (!(c)) abort(); } while (0)\n",
        "CHECK(n >= 32);",
        "proved",
    ),
    "an assertion": ("", "assert(n >= 32);", "proved"),
    "a size that changes behind it": ("", "assert(n >= 32); n -= 1;", "refuted"),
    "a size that a pointer changes": ("", "int* p = &n; assert(n >= 32); *p = 3;", "refuted"),
    "a size of 64 bits that is cut": (
        "",
        "long l = 99; l += big; int k = l; assert(l >= 32); n = k;",
        "refuted",
    ),
    "a size that stays one of 64 bits": ("", "long l = n; assert(l >= 32);", "proved"),
    "another variable of that name": ("", "{ int n = 64; assert(n >= 32); }", "refuted"),
}


@pytest.mark.parametrize("name", HOST)
def test_what_host_code_does_not_make_sure_of_is_no_fact(tmp_path: Path, name: str) -> None:
    above, code, status = HOST[name]
    kernel = f"{HEADER}int n) {{ x[threadIdx.x] = 1; }}\n"
    host = f"void host(float* x, int n) {{\n  {code}\n  f<<<1, 32>>>(x, n);\n}}\n"
    text = f"{above}// symlayout: kernel\n//   x is f32[n]\n{kernel}{host}"
    assert of(verdicts(tmp_path / "k.cu", text), "in bounds") == {status}


@pytest.mark.parametrize("grid", ["(unsigned char)((n + 255) / 256)", "g"])
def test_a_grid_that_wraps_is_no_number_of_blocks(tmp_path: Path, grid: str) -> None:
    kernel = f"{HEADER}int n) {{\n  int i = blockIdx.x * 256 + threadIdx.x;\n"
    kernel += "  if (i < n) x[i] = 1;\n}\n"
    host = "void host(float* x, int n) {\n  short g = (n + 255) / 256;\n"
    host += f"  f<<<{grid}, 256>>>(x, n);\n}}\n"
    text = f"// symlayout: kernel\n//   x is f32[n] written once\n{kernel}{host}"
    assert "refuted" in of(verdicts(tmp_path / "k.cu", text), "written once")


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", TRITON)
def test_what_a_kernel_of_tritons_breaks_is_not_proved(tmp_path: Path, name: str) -> None:
    lines, body, above, part, status = TRITON[name]
    found = verdicts(tmp_path / "k.py", triton(lines, body, above))
    assert of(found, part) == {status}, found


@pytest.mark.parametrize("assignment", ["s: tl.constexpr = 65536 * 65536", "s = A * B"])
def test_a_number_whose_type_is_chosen_as_it_needs_it_is_no_overflow(
    tmp_path: Path, assignment: str
) -> None:
    body = f"def f(x, n, A: tl.constexpr, B: tl.constexpr):\n    {assignment}\n"
    body += "    tl.store(x + tl.program_id(0).to(tl.int64) * s, 0)\n"
    found = verdicts(tmp_path / "k.py", triton("grid (n,); x is f32[n*4294967296*A*B]", body, ""))
    assert not of(found, "no overflow"), found


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", C)
def test_what_a_kernel_of_c_breaks_is_not_proved(tmp_path: Path, name: str) -> None:
    lines, body, above, part, status = C[name]
    found = verdicts(tmp_path / "k.cu", f"{above}{contract('//', lines)}{body}")
    assert of(found, part) == {status}, found


@pytest.mark.parametrize("end", ["\x0c", "\x0b", "\u2028", "\x85", "\r"])
def test_lines_are_those_of_the_language(tmp_path: Path, end: str) -> None:
    text = f"# {end * 9 if end != chr(13) else chr(13) + '# ' + chr(13)}\n"
    text += triton("grid (1,); x is f32[4]", "def f(x):\n    tl.load(x + 7)\n\n\n")
    text += "@triton.jit\ndef g(x):\n    tl.load(x + 3)\n"
    assert of(verdicts(tmp_path / "k.py", text), "f: in bounds") == {"refuted"}


@pytest.mark.parametrize(
    ("layout", "element"), [("f32", "float4"), ("f16", "double"), ("u4", "uint8_t")]
)
def test_an_array_of_other_elements_is_told(tmp_path: Path, layout: str, element: str) -> None:
    path = tmp_path / "k.cu"
    head = contract("//", f"grid (1,) block (1,); x is {layout}[n]")
    path.write_text(f"{head}__global__ void f({element}* x, int n) {{ x[n - 1] = {element}(); }}\n")
    (problem,) = check([str(path)]).all_problems
    assert (problem.code, "elements of" in problem.message) == ("SL502", True)


@pytest.mark.parametrize(
    "between",
    [
        "@other.jit\ndef g(x):\n    pass\n",
        "class A:\n    @triton.jit\n    def g(x):\n        pass\n",
    ],
)
def test_a_contract_speaks_of_the_next_definition_alone(tmp_path: Path, between: str) -> None:
    path = tmp_path / "k.py"
    kernel = "@triton.jit\ndef f(x):\n    tl.load(x + 3)\n"
    path.write_text(f"{HEAD}{contract('#', 'grid (1,); x is f32[4]')}{between}\n\n{kernel}")
    (problem,) = check([str(path)]).all_problems
    assert (problem.code, "no kernel follows" in problem.message) == ("SL505", True)


def test_a_contract_in_a_decorator_of_no_kernel_is_told(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(
        f"{HEAD}import symlayout\n\n\n@symlayout.kernel(x='f32[4]')\ndef f(x):\n    pass\n"
    )
    (problem,) = check([str(path)]).all_problems
    assert problem.code == "SL505"


@pytest.mark.sample(1)
@pytest.mark.parametrize("wide", ["low", "high", "step", ""])
def test_a_counter_of_a_loop_has_the_type_of_the_widest_of_what_it_runs_by(
    tmp_path: Path, wide: str
) -> None:
    """Triton converts the ends and the step to one type: a turn leaves 32 bits where all have them."""
    parts = {"low": "0", "high": "n", "step": "s"}
    made = [f"{t} + b.to(tl.int64)" if w == wide else t for w, t in parts.items()]
    body = f"    b = tl.program_id(0)\n    for i in range({', '.join(made)}):\n"
    body += "        tl.load(x + i)\n"
    lines = "grid (1,); x is f32[n]; assume none; where s >= 1, s <= 1048576"
    found = verdicts(tmp_path / "k.py", triton(lines, f"def f(x, n, s):\n{body}"))
    assert of(found, "no overflow: the counter") == (set() if wide else {"refuted"})


BETWEEN = {
    "k.py": (
        "B = 64\n",
        "g[(1,)](y)\n",
        "from a import b\n",
        "x = 1; y = 2\n",
        "for i in (1,):\n    pass\n",
    ),
    "k.cu": (
        "int a;\n",
        "using T = float;\n",
        "typedef int t;\n",
        "struct S { int a; };\n",
        "void g();\n",
    ),
}
NOTHING = {
    "k.py": ("# a comment\n", "\n\n"),
    "k.cu": (
        "// a comment\n",
        "#define A 1\n",
        "#ifdef A\n#define B { 3 }\n#endif\n",
        "template <int N>\n",
    ),
}
ONE_KERNEL = {
    "k.py": "@triton.jit\ndef f(x):\n    tl.load(x + 3)\n",
    "k.cu": "__global__ void f(float* x) {\n  x[3] = 1;\n}\n",
}


def claims_below(path: Path, between: str, kernel: str) -> tuple[set[str], set[str]]:
    """The statuses and the codes of problems of a contract above a kernel."""
    above, sign = (HEAD, "#") if path.suffix == ".py" else ("", "//")
    block = "" if above else " block (1,)"
    path.write_text(f"{above}{contract(sign, f'grid (1,){block}; x is f32[4]')}{between}{kernel}")
    report = check([str(path)])
    statuses = {r.outcome.status for r in report.results if r.task.claim.texts}
    return statuses, {p.code for p in report.all_problems}


@pytest.mark.parametrize("file", BETWEEN)
def test_a_contract_stands_right_above_its_kernel(file: str, tmp_path: Path) -> None:
    for between in BETWEEN[file]:
        assert claims_below(tmp_path / file, between, ONE_KERNEL[file])[1] == {"SL505"}, between
    for between in NOTHING[file]:
        assert claims_below(tmp_path / file, between, ONE_KERNEL[file]) == ({"proved"}, set())


ALTERNATIVES = {
    "k.py": ("if A:\n{}else:\n{}", "try:\n{}except ImportError:\n{}"),
    "k.cu": ("#ifdef A\n{}#else\n{}#endif\n", "#if A\n{}#elif B\n{}#endif\n"),
}


@pytest.mark.parametrize("file", ALTERNATIVES)
def test_a_contract_above_a_condition_is_that_of_every_way(file: str, tmp_path: Path) -> None:
    """Whichever is compiled; one with a contract of its own, or of another name, has none of it."""
    path, one = tmp_path / file, ONE_KERNEL[file]
    for form in ALTERNATIVES[file]:

        def ways(*kernels: str, form: str = form) -> str:
            blanks = "    " if file == "k.py" else ""
            lines = ["".join(f"{blanks}{x}\n" for x in k.splitlines()) for k in kernels]
            return form.format(*lines)

        far, other = one.replace("3", "4"), one.replace("f(", "g(").replace("3", "4")
        sign = "#" if file == "k.py" else "//"
        block = "" if file == "k.py" else " block (1,)"
        own = contract(sign, f"grid (1,){block}; x is f32[5]") + far
        assert claims_below(path, "", ways(one, far))[0] == {"proved", "refuted"}
        assert claims_below(path, "", ways(one, other))[0] == {"proved"}
        assert claims_below(path, "", ways(one, own))[0] == {"proved"}


STEPS = {
    "asked before": ("if (s == 0) return;\n  for (int i = 0; i < n; i += s) x[i] = 1;", "proved"),
    "asked around": ("if (s > 0) for (int i = 0; i < n; i += s) x[i] = 1;", "proved"),
    "of a thread": (
        "if (threadIdx.x > 0) for (int i = 0; i < n; i += threadIdx.x) x[i] = 1;",
        "proved",
    ),
    "of a thread, with no turn": (
        "for (int i = 0; i < n - n; i += threadIdx.x) x[i] = 1;",
        "proved",
    ),
    "of a thread, without end": ("for (int i = 0; i < n; i += threadIdx.x) x[i] = 1;", "refuted"),
    "asked too late": (
        "for (int i = 0; i < n; i += s) x[i] = 1;\n  if (s > 0) x[0] = 1;",
        "refuted",
    ),
}


@pytest.mark.parametrize("case", STEPS)
def test_a_step_of_0_is_none_where_the_loop_is_not_executed(case: str, tmp_path: Path) -> None:
    """What stands around a loop is asked before its turns are counted by its step."""
    body, wanted = STEPS[case]
    path = tmp_path / "k.cu"
    facts = "where n <= 9999, s >= 0, s <= 9999"
    above = contract("//", f"grid (1,) block (8,); x is f32[n]; {facts}")
    path.write_text(f"{above}__global__ void f(float* x, int n, int s) {{\n  {body}\n}}\n")
    found = verdicts(path, path.read_text())
    statuses = of(found, "in bounds") | of(found, "step below 1")
    assert wanted in statuses
    assert statuses == {"proved"} or wanted == "refuted"


def test_a_step_that_is_asked_before_is_none_of_0_in_triton(tmp_path: Path) -> None:
    loop = "        for i in range(0, n, s):\n            tl.load(x + i)\n"
    body = f"def f(x, n, s):\n    if s > 0:\n{loop}"
    facts = "grid (1,); x is f32[n]; where n <= 9999, s >= 0, s <= 9999"
    found = verdicts(tmp_path / "k.py", triton(facts, body))
    assert of(found, "in bounds") | of(found, "step below 1") == {"proved"}


SURE = [
    "B",
    "N / 4 + 1",
    "(N > 3 ? 64 : 32) / 8",
    "WARPS * 2",
    "max(n, 4)",
    "gridDim.x * blockDim.x",
]


@pytest.mark.parametrize("step", SURE)
def test_a_step_that_is_never_0_is_no_claim(step: str, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    fact = "; where WARPS >= 1, WARPS <= 32" if "WARPS" in step else ""
    above = contract("//", f"grid (2,) block (8,); x is f32[n]{fact}")
    loop = f"if (n > 7 && x[0] > 1) for (int i = 0; i < n; i += {step}) x[i] = 1;"
    head = "template <int B, int N> __global__ void f(float* x, int n)"
    path.write_text(f"{above}{head} {{\n  {loop}\n}}\n")
    found = verdicts(path, path.read_text())
    assert of(found, "in bounds") == {"proved"}
    assert not [name for name in found if "step" in name]


TURNS = {  # a thread that writes its place again is no race; another one that does is
    "t[threadIdx.x] += k": "proved",
    "t[threadIdx.x ^ 1] = k": "proved",
    "if (threadIdx.x < 9) t[threadIdx.x] = k": "proved",
    "t[threadIdx.x / 2] += k": "refuted",
    "t[0] = k": "refuted",
    "t[k % 128] = 1": "refuted",
    "if (threadIdx.x < k) t[threadIdx.x / 2] = 1": "refuted",
}


@pytest.mark.parametrize("store", TURNS)
@pytest.mark.parametrize("end", ["4", "m"])
def test_a_thread_does_not_race_with_itself(tmp_path: Path, store: str, end: str) -> None:
    body = (
        f"int m) {{\n  __shared__ float t[128];\n  for (int k = 0; k < {end}; k++) {store};\n}}\n"
    )
    found = verdicts(tmp_path / "k.cu", f"{contract('//', 'grid (1,) block (128,)')}{HEADER}{body}")
    assert of(found, "no race") == {TURNS[store]}, found


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ("t[threadIdx.x] = 1", "t[threadIdx.x] = 2", set()),
        ("t[threadIdx.x] = 1", "if (m > 2 && threadIdx.x < 8) t[threadIdx.x] = 2", set()),
        ("for (int k = 0; k < m; k++) t[threadIdx.x] = k", "t[threadIdx.x] = 2", set()),
        ("t[threadIdx.x] = 1", "t[threadIdx.x ^ 1] = 2", {"refuted"}),
        ("t[threadIdx.x] = 1", "t[127 - threadIdx.x] = 2", {"refuted"}),
    ],
)
def test_two_stores_of_one_thread_are_no_race(
    tmp_path: Path, first: str, second: str, status: set[str]
) -> None:
    body = f"int m) {{\n  __shared__ float t[128];\n  {first};\n  {second};\n}}\n"
    found = verdicts(tmp_path / "k.cu", f"{contract('//', 'grid (1,) block (128,)')}{HEADER}{body}")
    assert of(found, " and in line ") == status, found


def test_stores_that_count_count_in_every_turn(tmp_path: Path) -> None:
    """What is promised to be written at most once is not written by one thread again."""
    lines = "grid (g,) block (1,); x is f32[g] written at most once"
    body = "int m) {\n  for (int k = 0; k < m; k++) x[blockIdx.x] = k;\n}\n"
    found = verdicts(tmp_path / "k.cu", f"{contract('//', lines)}{HEADER}{body}")
    assert of(found, "written at most once: store") == {"refuted"}, found
