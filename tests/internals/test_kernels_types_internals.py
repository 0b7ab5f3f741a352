"""Properties of internal modules; `tests/test_kernels_types.py` tests the public interface."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.c import function, read_kernel, read_module
from symlayout.programs.kernels.forms import form_of

TEMPLATES = """template <int K = 3, typename T = int> __device__ T scaled(T v) { return v * K; }
template <typename T> __device__ T half_of(T v) { return v / 2; }
template <typename T> __device__ void bump(T& v, int by) { v += by; }
template <typename T> __device__ T twice(T v) { T w = v; w += v; return w; }
template <typename T> __device__ T at(const T* p, int i) { return p[i]; }
template <typename To, typename From> __device__ To into(From v) { return v; }
__device__ unsigned char low(int v) { return v; }
"""

SIZES = [1, 2, 3, 100, 255, 256, 300, 1000]


def kernel(body: str) -> Kernel:
    """A kernel of `x`, `y` and `n` with these statements."""
    text = f"{TEMPLATES}__global__ void f(float* x, float* y, int n) {{\n{body}\n}}\n"
    module = read_module(text)
    node = function(module, "f")
    assert node is not None
    return read_kernel(module, node)


def stored(kernel: Kernel, n: int) -> list[int]:
    """The places of `x` that are stored to."""
    made = []
    for a in kernel.accesses:
        assert a.doubt == ""
        form = form_of(kernel, a, ())
        f = form.map([form.part(form.offset)], form.guard).read()
        made += [f.at(p, {"n": n})[0] for p in f.points({"n": n}) if a.kind == "store"]
    return made


def rest(a: int, b: int) -> int:
    """C's remainder."""
    return abs(a) % b * (1 if a >= 0 else -1)


U32 = 1 << 32

CASES: dict[str, tuple[str, Callable[[int], int]]] = {
    "the type that a template is given": ("x[half_of<unsigned>(n - 300) % 16u] = 1;",
        lambda n: (n - 300) % U32 // 2 % 16),
    "a wide one, with a sign": ("x[scaled<4, long>(n - 300) % 16u] = 1;",
        lambda n: rest((n - 300) * 4, 16)),
    "a narrow one": ("x[half_of<unsigned char>(n)] = 1;", lambda n: n % 256 // 2),
    "the type of a variable": ("unsigned char c = n; x[scaled(c)] = 1;",
        lambda n: n % 256 * 3 % 256),
    "the type of arithmetic": ("unsigned char c = n; x[scaled(c + 1)] = 1;",
        lambda n: (n % 256 + 1) * 3),
    "a reference": ("unsigned char c = n; bump(c, 200); x[c] = 1;", lambda n: (n + 200) % 256),
    "a variable inside": ("unsigned char c = n; x[twice(c)] = 1;", lambda n: n * 2 % 256),
    "what is returned": ("x[into<short>(n * 1000)] = 1;",
        lambda n: (n * 1000 + 32768) % 65536 - 32768),
    "of the caller's type": ("x[into<unsigned char>(half_of<short>(n * 100))] = 1;",
        lambda n: int(((n * 100 + 32768) % 65536 - 32768) / 2) % 256),
    "auto of a variable": ("unsigned char c = n; auto d = c; d += 100; x[d] = 1;",
        lambda n: (n + 100) % 256),
    "auto of a sum": ("unsigned char c = n; auto d = c + 1; d += 100; x[d] = 1;",
        lambda n: n % 256 + 101),
    "auto of a choice": ("unsigned char c = n; auto d = n < 3 ? c : 1000; d += 3; x[d] = 1;",
        lambda n: n + 3 if n < 3 else 1003),
    "auto of a call": ("auto d = low(n); d += 100; x[d] = 1;", lambda n: (n + 100) % 256),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_type_that_is_deduced_is_the_one_that_cpp_deduces(name: str) -> None:
    body, wanted = CASES[name]
    made = kernel(body)
    assert made.skipped == {}
    assert [stored(made, n) for n in SIZES] == [[wanted(n)] for n in SIZES]


def test_a_counter_has_the_type_of_what_it_begins_with() -> None:
    up = kernel("for (auto k = n - 1; k >= 0; --k) x[k] = 1;")
    assert sorted(stored(up, 5)) == [0, 1, 2, 3, 4]
    endless = kernel("for (auto k = n - 1u; k >= 0; --k) x[k] = 1;")
    assert [a for a in endless.accesses if a.kind == "store"] == []
    assert endless.skipped


UNKNOWN = {
    "auto of what is not followed": "auto d = elsewhere(n); d += 1; x[d] = 1;",
    "a template of what is not followed": "x[scaled(elsewhere(n))] = 1;",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_type_that_is_not_known_is_not_guessed(name: str) -> None:
    made = kernel(UNKNOWN[name])
    assert all(a.doubt for a in made.accesses if a.kind == "store")


def test_an_index_that_is_changed_and_read_in_one_expression_is_unknown() -> None:
    made = kernel("int j = n; x[j] = y[j++] = 1;")
    assert made.skipped
    assert all(a.doubt for a in made.accesses if a.array == "x")


def test_elements_of_a_templates_type_are_those_of_the_argument() -> None:
    made = kernel("x[0] = at(y, n);")
    assert made.skipped == {}
    assert [a.array for a in made.accesses] == ["y", "x"]


def test_the_complement_of_a_condition_is_that_of_its_number() -> None:
    made = kernel("int w = n; x[~(!w) + 2] = 1; x[~(n > 2) + 2] = 1;")
    assert [stored(made, n) for n in (1, 2, 3)] == [[1, 1], [1, 1], [1, 0]]


REST: dict[str, tuple[str, Callable[[int], list[int]]]] = {
    "an end that may be below 0": (
        "for (unsigned k = 0; k < n - 1; k++) { if (k < 3) x[k] = 1; }",
        lambda n: list(range(min(3, n - 1))),
    ),
    "a begin that may be below 0": (
        "for (unsigned k = n - 2; k < 3; k++) x[k] = 1;",
        lambda n: list(range((n - 2) % U32, 3)),
    ),
    "a constant reference to a number of another type": (
        "signed char j = n; const int& c = j; j += 1; x[c] = 1;",
        lambda n: [(n + 128) % 256 - 128],
    ),
    "a constant reference to a number of that type": (
        "int j = n; const int& c = j; j += 1; x[c] = 1;",
        lambda n: [n + 1],
    ),
    "an enumeration inside": (
        "enum { First, Second = 3, Third }; x[First + Third] = 1;",
        lambda n: [4],
    ),
    "one that goes on from an expression": (
        "enum Mode : unsigned { First = 2, Second }; x[n * Second] = 1;",
        lambda n: [n * 3],
    ),
}


@pytest.mark.parametrize("name", REST)
def test_what_is_converted_is_what_cpp_converts(name: str) -> None:
    body, wanted = REST[name]
    made = kernel(body)
    assert made.skipped == {}
    assert [stored(made, n) for n in (1, 2, 3, 4, 100)] == [wanted(n) for n in (1, 2, 3, 4, 100)]


def test_an_end_below_0_is_a_large_number_without_a_sign() -> None:
    (a,) = kernel("for (unsigned k = 0; k < n - 2; k++) x[k] = 1;").accesses
    (loop,) = a.ranges
    assert loop.high.text({}) == "max(0, ((n - 2) if (n - 2 >= 0) else ((n - 2) + 4294967296)))"


def test_an_end_that_is_reached_without_a_sign_is_not_one_more() -> None:
    assert kernel("for (unsigned k = 0; k <= n - 2; k++) x[k] = 1;").skipped


PARTS = "struct P { int n; int v[4]; float* q; };\n"

CHANGED = {
    "a field": "p.n += 5; x[p.n] = 1;",
    "a field of a copy by another name": "P& r = p; r.n = 5; x[p.n] = 1;",
    "an array in it": "p.v[1] = 5; x[p.v[1]] = 1;",
    "a pointer in it": "p.q += 5; p.q[0] = 1;",
    "by a function": "bump(p); x[p.n] = 1;",
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_parameter_of_which_a_part_changes_is_not_what_it_was(name: str) -> None:
    text = f"{PARTS}__device__ void bump(P& p) {{ p.n += 1; }}\n"
    text += f"__global__ void f(float* x, P p) {{ {CHANGED[name]} }}\n"
    module = read_module(text)
    made = read_kernel(module, module.kernels["f"])
    assert made.skipped or all(a.doubt for a in made.accesses)


def test_parts_of_a_parameter_are_sizes() -> None:
    text = f"{PARTS}__global__ void f(float* x, P p) {{ x[p.n + p.v[1]] = 1; p.q[p.v[2]] = 1; }}\n"
    module = read_module(text)
    made = read_kernel(module, module.kernels["f"])
    assert made.skipped == {}
    forms = [(a.array, form_of(made, a).text(a.offset)) for a in made.accesses]
    assert forms == [("x", "p_n + p_v_1"), ("p_q", "p_v_2")]


def test_numbers_of_an_enumeration_are_known_without_being_said() -> None:
    text = "enum Mode { A, B, C = 7, D };\nenum class Kind : unsigned char { X, Y };\n"
    text += "__global__ void f(float* x, Mode m, Kind k) {\n"
    text += "  if (m == B && k == Kind::Y) x[A + D] = 1;\n}\n"
    module = read_module(text)
    made = read_kernel(module, module.kernels["f"])
    assert made.skipped == {}
    (a,) = made.accesses
    form = form_of(made, a)
    assert (form.text(a.offset), [form.text(c) for c in form.guard]) == ("8", ["m == 1", "k == 1"])


def test_a_function_that_two_headers_have_alike_is_one() -> None:
    helper = "template <typename T> __device__ T up(T a, T b) { return (a + b - 1) / b; }\n"
    headers = {"a.h": helper, "b.h": f"#pragma once\n{helper}"}
    text = (
        '#include "a.h"\n#include "b.h"\n__global__ void f(float* x, int n) { x[up(n, 4)] = 1; }\n'
    )
    module = read_module(text, False, "k.cu", lambda path, name: (name, headers[name]))
    made = read_kernel(module, module.kernels["f"])
    (a,) = made.accesses
    assert (made.skipped, a.doubt) == ({}, "")


def test_a_method_outside_of_its_class_has_the_types_of_the_class() -> None:
    text = (
        "template <typename T> class Op {\npublic:\n  __aicore__ void Run(GM_ADDR x, int n);\n"
        "  GlobalTensor<T> gm;\n};\n"
        "template <typename T> __aicore__ void Op<T>::Run(GM_ADDR x, int n) {\n"
        "  gm.SetGlobalBuffer((__gm__ T*)x);\n  gm.SetValue(n, 0);\n}\n"
        'extern "C" __global__ __aicore__ void f(GM_ADDR x, int n) { Op<float> op; op.Run(x, n); }\n'
    )
    module = read_module(text)
    made = read_kernel(module, module.kernels["f"])
    assert made.skipped == {}
    assert [(a.array, form_of(made, a).text(a.offset)) for a in made.accesses] == [("x", "n")]
