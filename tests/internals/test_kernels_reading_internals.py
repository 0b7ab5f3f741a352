"""Properties of internal modules; `tests/test_kernels_reading.py` tests the public interface."""

from __future__ import annotations

import pytest
from test_kernels_reading import HEAD

from symlayout.programs.kernels import c, triton
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.forms import form_of

SIZES = {"n": 5, "m": 3, "A": 4, "B": 2, "K": 2}


def places(kernel: Kernel) -> dict[str, list[int]]:
    """The offsets of the accesses of each array, in the order of the code."""
    made: dict[str, list[int]] = {}
    for a in kernel.accesses:
        assert a.doubt == ""
        form = form_of(kernel, a)
        sizes = SIZES | {f"{word}{k}": 1 for word in ("grid", "block") for k in range(3)}
        f = form.map([form.part(form.offset)], form.guard).read()
        made.setdefault(a.array, []).extend(f.at(p, sizes)[0] for p in f.points(sizes))
    return made


def of_triton(body: str, above: str = "") -> Kernel:
    """A kernel of Triton's with that body."""
    rows = "".join(f"    {x}\n" for x in body.splitlines())
    given = "x, y, n, m, A: tl.constexpr, B: tl.constexpr"
    module = triton.read_module(f"{HEAD}{above}@triton.jit\ndef f({given}):\n{rows}")
    return triton.read_kernel(module, module.functions["f"])


# the body, and where x and y are accessed: what run time divides rounds towards 0, the compiler down
TRITON = {
    "a counter of the compiler's": (
        "for k in tl.static_range(4):\n    tl.load(x + (k - 3) // 2)",
        {"x": [-2, -1, -1, 0]},
    ),
    "a counter of run time": (
        "for k in range(4):\n    tl.load(x + (k - 3) // 2)",
        {"x": [-1, -1, 0, 0]},
    ),
    "zeros for each number of a block": (
        "i = tl.arange(0, A)\ntl.store(x + n + tl.zeros_like(i), 1, mask=i >= 2)\n"
        "tl.load(y + i[:, None] + tl.zeros_like(input=tl.arange(0, B))[None, :])\n"
        "tl.store(y, 1, mask=tl.zeros_like(n < m))",
        {"x": [5, 5], "y": [0, 0, 1, 1, 2, 2, 3, 3]},
    ),
    "a ceiling of the compiler's": ("tl.load(x + tl.cdiv(A - 11, 3))", {"x": [-2]}),
    "a ceiling of run time": ("tl.load(x + tl.cdiv(n - 12, 3))", {"x": [-1]}),
    "a number that run time chooses": (
        "if n > 3:\n    t = -3\nelse:\n    t = -5\ntl.load(x + t // 2)",
        {"x": [-1]},
    ),
    "a number that the compiler chooses": (
        "if A > 3:\n    t: tl.constexpr = -3\nelse:\n    t: tl.constexpr = -5\ntl.load(x + t // 2)",
        {"x": [-2]},
    ),
    "a number that the compiler chooses, named by a plain assignment": (
        "if A > 3:\n    t = -3\nelse:\n    t = -5\ntl.load(x + t // 2)",
        {"x": [-1]},
    ),
    "numbers that plain assignments name": (
        "t, u = 0 - 7, 4\nt += 0\ntl.load(x + t // 2)\ntl.load(x + (0 - 7) // 2)\ntl.load(y + t % u)",
        {"x": [-3, -4], "y": [-3]},
    ),
    "a number in the type that its annotation says": (
        "t: tl.int64 = -7\nu: 'tl.constexpr' = -7\ntl.load(x + t // 2)\ntl.load(y + u // 2)",
        {"x": [-3], "y": [-4]},
    ),
    "a choice by a number that a plain assignment names": (
        "k = A * 2\ntl.load(x + (-3 if k > 3 else -5) // 2)\ntl.load(y + (-3 if A > 3 else -5) // 2)",
        {"x": [-1], "y": [-2]},
    ),
    "a choice of run time": ("tl.load(x + (-3 if n > 3 else -5) // 2)", {"x": [-1]}),
    "blocks that run time chooses": (
        "tl.load(x + tl.where(tl.arange(0, A) < m, -3, -5) // 2)",
        {"x": [-1, -1, -1, -2]},
    ),
    "what a loop changes, behind it": (
        "t = -3\nfor k in range(A):\n    t -= 1\ntl.load(x + t // 2)",
        {"x": [-3]},
    ),
    "what a loop of the compiler's changes, behind it": (
        "t = -3\nfor k in tl.static_range(A):\n    t -= 1\ntl.load(x + t // 2)",
        {"x": [-3]},
    ),
    "whether a number is 0": ("tl.load(x + bool(n) * 3)", {"x": [3]}),
    "an address of two arrays": (
        "p = x + 1 if n > m else y + 2\ntl.load(p + 7)\ntl.store(tl.where(n < m, x, y) + 4, 0)",
        {"x": [8], "y": [4]},
    ),
    "an address of one array, by two ways": (
        "p = x + 1 if n > m else x + 2\ntl.load(p + 7)",
        {"x": [8]},
    ),
    "offsets before the address": (
        "p = y + 1\ntl.load(tl.arange(0, 2) * 3 + x)\ntl.load(n % 3 + p)\ntl.store(3 + x, 0)",
        {"x": [0, 3, 3], "y": [SIZES["n"] % 3 + 1]},
    ),
    "what some of the warps do": (
        "with tl.async_task([0]):\n    tl.load(x + 3)\nwith tl.async_task([1, 2]):\n    tl.load(y + 2)",
        {"x": [3], "y": [2]},
    ),
    "what is printed and asserted": (
        "tl.device_print('x', tl.load(x + 7))\ntl.static_assert(tl.load(x + 8) > str(n))",
        {"x": [7, 8]},
    ),
    "arguments by name, in any order": (
        "i = tl.arange(end=A, start=1)\n"
        "tl.load(x + tl.cdiv(div=2, x=n) + tl.minimum(y=m, x=n) + tl.maximum(y=1, x=m))\n"
        "tl.load(mask=i < 3, pointer=y + tl.expand_dims(axis=0, input=i).to(dtype=tl.int64))\n"
        "t, u = tl.swizzle2d(size_g=2, size_j=m, size_i=n, j=2, i=3)\n"
        "tl.load(x + tl.multiple_of(values=2, input=t) * 10 + u)\n"
        "tl.load(x + tl.cast(dtype=tl.int64, input=tl.where(y=7, x=8, condition=n > 5)))",
        {"x": [9, 32, 7], "y": [1, 2]},
    ),
    "sums of comparisons, modulo 2": (
        "a, b = n > 3, m > 2\ni = tl.arange(0, 4)\n"
        "tl.load(x + (a + b))\ntl.load(x + (a - b) + (a * b))\ntl.load(x + (-a))\n"
        "tl.load(x + (a + True))\ntl.load(x + (a + b + 1))\ntl.load(x + (a + 1 + b))\n"
        "tl.load(y + ((i < 2) + (i > 0)))\ntl.load(y + tl.where(i < 2, a, i > 2) + 4)\n"
        "tl.load(x + (tl.where(n > 3, a, b) + b))\ntl.load(y + tl.minimum(a, i < 1))\n"
        "tl.load(y + tl.maximum(i < 1, i > 2), mask=a + (i == 3))\n",
        {
            "x": [0, 1, 1, 0, 1, 3, 0],
            "y": [1, 0, 1, 1, 5, 5, 4, 5, 1, 0, 0, 0, 1, 0, 0],
        },
    ),
    "one bit before an address": (
        "a = n > 3\nif n > 4:\n    b = a\nelse:\n    b = m > 9\ntl.load(x + 1 - a)\n"
        "tl.load(x + b + 2)\ntl.load(x + 4, mask=b + a)\ntl.load(x + 5, mask=b * a)",
        {"x": [2, 3, 5]},
    ),
    "a descriptor's arguments by name": (
        "d = tl.make_tensor_descriptor(x, [n, m], [m, 1], [A, B])\n"
        "d.store(value=tl.load(y + 3), offsets=[3, 2])",
        {"x": [11, 14], "y": [3]},
    ),
}


@pytest.mark.parametrize("name", TRITON)
def test_a_kernel_of_tritons_accesses_what_it_says(name: str) -> None:
    body, wanted = TRITON[name]
    kernel = of_triton(body)
    assert kernel.skipped == {}
    assert places(kernel) == wanted


# the body, what stands above, the lines of the body of which it is said that they are not understood
TOLD = {
    "arguments by **": ("tl.load(x + n, **more)\ntl.store(**more)", "", [1, 2]),
    "blocks of other sizes": ("tl.load(x + tl.arange(0, 4), mask=tl.arange(0, 8) < n)", "", [1]),
    "a function that misses an argument": (
        "g(x)",
        "@triton.jit\ndef g(p, k):\n    tl.store(p + k, 0)\n",
        [1],
    ),
    "a function with arguments by *": (
        "g(x, *more)",
        "@triton.jit\ndef g(p, k):\n    tl.store(p + k, 0)\n",
        [1],
    ),
    "a function that calls itself": (
        "g(x)",
        "@triton.jit\ndef g(p):\n    g(p + 1)\n",
        [-2],
    ),
    "a check along what is no axis": (
        "p = tl.make_block_ptr(x, (n, m), (m, 1), (0, 0), (A, B), (1, 0))\n"
        "tl.store(p, 0, boundary_check=axes)\ntl.store(p, 0, boundary_check=(-1,))\n"
        "tl.store(p, 0, mask=n < 3)",
        "",
        [2, 3, 4],
    ),
    "a descriptor with too few numbers": (
        "d = tl.make_tensor_descriptor(x, [n, m], [m, 1], [A, B])\nd.store([0], 3)",
        "",
        [2],
    ),
    "a part of a list": ("a = [1, 2]\nb = a\na[0] = 5\ntl.load(x + b[0])", "", [3, 4]),
    "a function inside": (
        "def g(k):\n    return k\ntl.load(x + g(3))",
        "@triton.jit\ndef g(k):\n    return k + 1\n",
        [1, 3],
    ),
    "a name of a pattern": ("match n:\n    case m:\n        pass\ntl.load(x + m)", "", [1, 4]),
    "a star": ("tl.load(x + KNOWN)", "KNOWN = 5\nfrom other import *\n", [1]),
    "a range of one's own": (
        "for k in range(3):\n    tl.load(x + k)",
        "def range(n):\n    return [7]\n",
        [1],
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_not_understood_of_tritons_is_told_at_its_line(name: str) -> None:
    body, above, lines = TOLD[name]
    kernel = of_triton(body, above)
    first = HEAD.count("\n") + above.count("\n") + 2
    assert sorted(n - first for n in kernel.skipped) == lines
    assert kernel.accesses == []


def test_a_descriptor_that_is_a_parameter_has_sizes_of_its_own() -> None:
    kernel = of_triton("v = x.load([n * A, m])\nx.store([n, 0], v)\nx.load([n])")
    first, second = kernel.accesses
    assert list(kernel.skipped) == [7 + kernel.span.line - 4]
    forms = [form_of(kernel, a) for a in (first, second)]
    assert [f.text(f.offset) for f in forms] == [
        "((n*A) + lane0)*x_stride0 + (m + lane1)*1",
        "(n + lane0)*x_stride0 + (0 + lane1)*1",
    ]
    guard = ["(n*A) + lane0 < x_shape0", "m + lane1 < x_shape1"]
    assert [forms[0].text(c) for c in forms[0].guard] == guard
    assert [d.word for d in first.shape] == ["x_block0", "x_block1"]
    assert {"x_block0", "x_block1"} <= {*kernel.constants}


def test_a_sum_of_two_addresses_is_told() -> None:
    kernel = of_triton("tl.load(x)\ntl.load(n + x)")
    assert [a.array for a in kernel.accesses] == ["x"]
    assert len(kernel.skipped) == 1


def test_a_star_above_a_constant_takes_nothing_from_it() -> None:
    kernel = of_triton("tl.load(x + KNOWN)", "from other import *\nKNOWN = 5\n")
    assert places(kernel) == {"x": [5]}


def of_c(body: str, above: str = "") -> Kernel:
    """A kernel of C's with that body."""
    head = f"{above}template <int K> __global__ void f(float* x, float* y, int n, int m) {{\n"
    module = c.read_module(f"{head}{body}\n}}\n")
    return c.read_kernel(module, module.kernels["f"])


C = {
    "numbers": ("x[-7 / 2] = x[-7 % 4];", {"x": [-3, -3]}),
    "a number of a template": ("x[(K - 7) / 2] = x[(K - 7) % 3];", {"x": [-2, -2]}),
    "a chosen number": ("x[(n ? -7 : -5) / 2] = 1;", {"x": [-3]}),
    "a variable": ("const int a = -7;\nint b = -9;\nb /= 2;\nx[a / 2] = x[b];", {"x": [-4, -3]}),
    "powers": (
        "for (int k = -8; k < -1; k /= 3) x[k] = 1;\nfor (int k = -7; k < -1; k /= 2) y[k] = 1;",
        {"x": [-8, -2], "y": [-7, -3]},
    ),
    "a shift": ("for (int k = -7; k < -1; k >>= 1) x[k] = 1;", {"x": [-7, -4, -2]}),
}


@pytest.mark.parametrize("name", C)
def test_division_rounds_towards_zero_in_c(name: str) -> None:
    body, wanted = C[name]
    kernel = of_c(body)
    assert kernel.skipped == {}
    assert places(kernel) == wanted


def test_functions_too_deep_inside_one_another_are_told_in_c() -> None:
    above = "__device__ void g(float* p, int k) {\n  p[k] = 0;\n  g(p, k + 1);\n}\n"
    kernel = of_c("g(x, 0);", above)
    assert list(kernel.skipped) == [3]
