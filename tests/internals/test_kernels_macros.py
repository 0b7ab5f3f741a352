"""Macros that are no expressions: what stands in their place is read, where that is one thing."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.c import read_kernel, read_module
from symlayout.programs.kernels.c.macros import expand
from symlayout.programs.kernels.forms import form_of

HEAD = "__global__ void f(float* x, int n, int m) {\n"


def kernel(above: str, body: str, headers: Mapping[str, str] = {}, name: str = "k.cu") -> Kernel:
    """A kernel of `x`, `n` and `m` below these lines."""

    def beside(path: str, file: str) -> tuple[str, str] | None:
        return (file, headers[file]) if file in headers else None

    module = read_module(f"{above}{HEAD}{body}\n}}\n", False, name, beside)
    return read_kernel(module, module.kernels["f"])


def told(made: Kernel) -> list[str]:
    """The accesses, with their guards."""
    forms = [(a, form_of(made, a)) for a in made.accesses]
    return [
        f"{a.kind} {f.text(a.offset)}" + "".join(f" if {f.text(c)}" for c in f.guard)
        for a, f in forms
    ]


CASES = {
    "statements": (
        "#define PUT(p, i) p[i] = 0; p[i + 1] = 0\n",
        "PUT(x, n);",
        ["store n", "store n + 1"],
    ),
    "statements in a block": (
        "#define SET(v, e) do { v = (e); } while (0)\n",
        "int i = 0; SET(i, n + m); x[i] = 1;",
        ["store n + m"],
    ),
    "a branch": (
        "#define LEAVE(c) if (c) return\n",
        "LEAVE(n > m); x[n] = 1;",
        ["store n if n <= m"],
    ),
    "text that falls apart": (
        "#define SUM(a, b) a + b\n",
        "x[2 * SUM(n, m) * 3] = 1;",
        ["store 2*n + m*3"],
    ),
    "an argument that falls apart": (
        "#define TWICE(a) (a * 2)\n",
        "x[TWICE(n + m)] = 1;",
        ["store n + m*2"],
    ),
    "an argument with an effect": (
        "#define TWICE(a) ((a) + (a))\n",
        "int i = n; x[TWICE(i++)] = 1;",
        None,
    ),
    "a name that is defined again": (
        "#define W n\n",
        "x[W] = 1;\n#undef W\n#define W m\nx[W] = 1;",
        ["store n", "store m"],
    ),
    "a name that is no macro any more": (
        "#define W 1 + n\n#undef W\n",
        "int W = m; x[W] = 1;",
        ["store m"],
    ),
    "words that say nothing": (
        "#ifdef FAST\n#define RESTRICT\n#else\n#define RESTRICT __restrict__\n#endif\n",
        "const float* RESTRICT p = x + n; x[0] = p[1];",
        ["load n + 1", "store 0"],
    ),
    "the head of a loop": (
        "#define EACH(...) _Pragma(\"unroll\") for (__VA_ARGS__)\n",
        "EACH (int i = 0; i < 1; i++) { x[n + i] = 1; }",
        ["store n + i"],
    ),
    "a type": ("#define NUMBER unsigned char\n", "NUMBER c = 300; x[c] = 1;", ["store 44"]),
    "one in another": (
        "#define INNER(i) x[i] = 0\n#define OUTER(i) INNER(i + n); INNER(m)\n",
        "OUTER(2);",
        ["store 2 + n", "store m"],
    ),
    "itself": ("#define x x\n", "x[n] = 1;", ["store n"]),
    "texts and comments": (
        "#define SKIP x[0] = 1\n",
        'printf("SKIP"); /* SKIP */ // SKIP\n x[n] = 1;',
        ["store n"],
    ),
    "several lines": (
        "#define PAIR(a, b) \\\n  x[a] = 0; \\\n  x[b] = 1\n",
        "PAIR(n,\n     m);\nx[0] = 1;",
        ["store n", "store m", "store 0"],
    ),
    "a macro inside of a function": (
        "",
        "#define LAST (n - 1)\nx[LAST] = 1;\n#define PUT(i) x[i] = 1\nPUT(m);",
        ["store n - 1", "store m"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_macro_is_the_text_that_it_stands_for(name: str) -> None:
    above, body, wanted = CASES[name]
    made = kernel(above, body)
    if wanted is None:
        assert made.skipped
    else:
        assert (told(made), made.skipped) == (wanted, {})


def test_what_stands_in_several_lines_leaves_the_lines_below_it() -> None:
    made = kernel("#define PAIR(a, b) x[a] = 0; x[b] = 1\n", "PAIR(n,\n     m);\nx[0] = 1;")
    assert [a.span.line for a in made.accesses] == [3, 3, 5]


@pytest.mark.parametrize(
    "above",
    [
        "#ifdef FAST\n#define PUT(i) x[i] = 0\n#else\n#define PUT(i) x[i + 1] = 0\n#endif\n",
        "#define PUT(i) x[i ## 1] = 0\n",
    ],
)
def test_what_stands_for_several_things_is_told(above: str) -> None:
    assert kernel(above, "PUT(n);").skipped


def test_what_two_headers_say_otherwise_is_told() -> None:
    headers = {"a.h": "#define PUT x[0] = 1\n", "b.h": "#define PUT x[1] = 1\n"}
    made = kernel('#include "a.h"\n#include "b.h"\n', "PUT;", headers)
    assert made.skipped
    assert not made.accesses


def test_a_macro_of_a_header_is_known_in_the_next_one() -> None:
    headers = {
        "a.h": '#define RESTRICT __restrict__\n#include "b.h"\n',
        "b.h": "__device__ float at(const float* RESTRICT p, int i) { return p[i]; }\n",
    }
    made = kernel('#include "a.h"\n', "x[0] = at(x, n);", headers)
    assert (told(made), made.skipped) == (["load n", "store 0"], {})


def test_a_word_of_the_language_stays_where_it_is_defined() -> None:
    assert told(kernel("#define __global__ [kernel]\n", "x[n] = 1;")) == ["store n"]


def test_a_text_without_macros_is_itself() -> None:
    assert expand(["int f(int n) { return n; }"], lambda *_: False) == [
        "int f(int n) { return n; }"
    ]


OPENCL = "__kernel void f(__global float* x, __read_only image1d_buffer_t a,\n"
OPENCL += "    __write_only image1d_buffer_t b, int n, int m) {\n"


def test_an_image_of_one_dimension_is_a_buffer_of_pixels() -> None:
    body = "float4 v = read_imagef(a, n + 1); write_imagef(b, m, v);"
    body += " uint w = (uint)(n) + (uint)(2); x[w] = v.x; float4 u = (float4)(1.0f, v.x, 0, 0);"
    module = read_module(f"{OPENCL}{body}\n}}\n", False, "k.cl")
    made = read_kernel(module, module.kernels["f"])
    assert made.skipped == {}
    assert [f"{a.array} {t}" for a, t in zip(made.accesses, told(made))] == [
        *("a load n + 1", "b store m", "x store n + 2"),
    ]


def test_an_image_of_two_dimensions_is_told() -> None:
    text = "__kernel void f(__read_only image2d_t a, sampler_t s, __global float4* x, int n) {\n"
    text += "  x[n] = read_imagef(a, s, (int2)(n, 0));\n}\n"
    module = read_module(text, False, "k.cl")
    assert 2 in read_kernel(module, module.kernels["f"]).skipped


def test_a_constant_of_a_pipeline_is_one_that_is_not_known() -> None:
    text = "constant bool wide [[function_constant(0)]];\nkernel void f(device float* x,\n"
    text += "    constant int& n, uint i [[thread_position_in_grid]]) {\n"
    text += "  if (wide) { x[n] = 1; } else { x[0] = 1; }\n}\n"
    module = read_module(text, True, "k.metal")
    made = read_kernel(module, module.kernels["f"])
    assert made.skipped == {}
    assert told(made) == ["store n if wide != 0", "store 0 if wide == 0"]
