"""Properties of internal modules; `tests/test_kernels_c.py` tests the public interface."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from symlayout.programs.kernels.c import function, read_kernel, read_module, scalar
from symlayout.programs.kernels.c.types import read_type
from symlayout.programs.kernels.forms import described, form_of

Accesses = Iterator[tuple[str, str, int]]

Sizes = dict[str, int]


def read(text: str, name: str, launch: tuple[str, ...], sizes: Sizes) -> Counter[Any]:
    """The accesses of a kernel as the reader's maps have them, point by point."""
    module = read_module(text)
    node = function(module, name)
    assert node is not None
    kernel = read_kernel(module, node)
    assert kernel.skipped == {}
    grid = tuple(scalar(module, node, g) for g in launch)
    made: Counter[Any] = Counter()
    for a in kernel.accesses:
        assert a.doubt == ""
        form = form_of(kernel, a, grid)
        f = form.map([form.part(form.offset)], form.guard).read()
        made.update((a.array, a.kind, f.at(p, sizes)[0]) for p in f.points(sizes))
    return made


def lanes(blocks: int, threads: int) -> Iterator[tuple[int, int]]:
    return product(range(blocks), range(threads))


def guarded(n: int, m: int, B: int) -> Accesses:
    for b, t in lanes(-(-n // B), B):
        i = b * B + t
        if i < n:
            yield ("x", "load", i)
            yield ("y", "store", n - 1 - i)


def stride(n: int, m: int, B: int) -> Accesses:
    for b, t in lanes(m, B):
        for i in range(b * B + t, n, m * B):
            yield ("y", "store", i)


def down(n: int, m: int, B: int) -> Accesses:
    for b in range(m):
        for i in range(n - 1, -1, -2):
            yield ("y", "store", b * n + i)
        for i in range(1, n + 1):
            yield ("x", "load", b * n + i)


def vectors(n: int, m: int, B: int) -> Accesses:
    for b, t in lanes(m, B):
        for k in range(4):
            yield ("x", "load", 4 * (b * B + t) + k)
            yield ("s", "store", (t + 1) * 4 + k)


def rows(n: int, m: int, B: int) -> Accesses:
    for b, t in lanes(m, B):
        for k in range(n):
            yield ("s", "store", t * 9 + k % 8)
            yield ("x", "load", b * n + k + 5)
        yield ("y", "atomic", b % 3 - (t >> 1))


def divided(n: int, m: int, B: int) -> Accesses:
    for b, t in lanes(m, B):
        d = b - n
        q = abs(d) // m * (1 if d >= 0 else -1)
        yield ("x", "load", q)
        yield ("x", "load", d - q * m)
        yield ("x", "load", min(t, n) + max(b, 2))
        yield ("y", "load", b)
        yield ("y", "store", b)


def switched(n: int, m: int, B: int) -> Accesses:
    for b in range(m):
        if b == 0:
            yield ("y", "store", 7)
        elif b == 1:
            yield ("y", "store", 5 + n)
        v, w = divmod(b * n + 3, m)
        yield ("x", "load", v * 100 + w)


def turns(n: int, m: int, B: int) -> Accesses:
    for b, t in lanes(m, B):
        i = b * B + t
        while True:
            yield ("y", "store", i)
            i += m * B
            if i >= n:
                break
        for i in range(b * B + t, n, m * B):
            yield ("x", "load", i)
        for k in range(n + 1):
            yield ("x", "load", 3 + 4 * k)


KERNELS: dict[str, tuple[str, tuple[str, ...], Callable[[int, int, int], Accesses]]] = {
    "guarded": (
        "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
        "  y[n - 1 - i] = x[i];",
        ("cdiv(n, B)", "1", "1", "B", "1", "1"),
        guarded,
    ),
    "stride": (
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)\n"
        "    y[i] = 0;",
        ("m", "1", "1", "B", "1", "1"),
        stride,
    ),
    "turns": (
        "int i = blockIdx.x * blockDim.x + threadIdx.x, k = i, a = 3;\n"
        "  do { y[i] = 0; i += blockDim.x * gridDim.x; } while (i < n);\n"
        "  while (k < n) { float v = x[k]; k += blockDim.x * gridDim.x; }\n"
        "  for (int j = 0; j < n; j++) { float v = x[a]; a += 4; }\n  float w = x[a];",
        ("m", "1", "1", "B", "1", "1"),
        turns,
    ),
    "down": (
        "float* row = y + blockIdx.x * n;\n  for (int i = n - 1; i >= 0; i -= 2) row[i] = 0;\n"
        "  const float* p = x + (size_t)blockIdx.x * n;\n"
        "  for (int i = 1; i <= n; ++i) { p++; float v = *p; }",
        ("m", "1", "1", "1", "1", "1"),
        down,
    ),
    "vectors": (
        "__shared__ float s[4096];\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  float4 v = reinterpret_cast<const float4*>(x)[i];\n"
        "  *(reinterpret_cast<float4*>(s) + threadIdx.x + 1) = v;",
        ("m", "1", "1", "B", "1", "1"),
        vectors,
    ),
    "rows": (
        "constexpr int W = 8;\n  __shared__ float s[64][W + 1];\n"
        "  const float* p = x + blockIdx.x * n + 5;\n"
        "  for (int k = 0; k < n; k++, p++) { }\n"
        "  for (int k = 0; k < n; k++) {\n    { int n = k % W; s[threadIdx.x][n] = 0; }\n"
        "    float v = __ldg(&p[k - n]);\n  }\n"
        "  int at = blockIdx.x % 3;\n  at -= threadIdx.x >> 1;\n  atomicAdd(y + at, 1.0f);",
        ("m", "1", "1", "B", "1", "1"),
        rows,
    ),
    "divided": (
        "int b = blockIdx.x;\n  int d = b - n;\n  float u = x[d / m] + x[d % m];\n"
        "  u += x[min((int)threadIdx.x, n) + std::max(b, 2)];\n  y[b] += u;",
        ("m", "1", "1", "B", "1", "1"),
        divided,
    ),
    "switched": (
        "int q = 0, r;\n  split(blockIdx.x * n + 3, m, q, r);\n"
        "  switch (blockIdx.x) {\n    case 0: y[7] = 0; break;\n"
        "    case 1: { y[OFFSET + n] = 0; break; }\n  }\n"
        "  float v = x[HUNDRED(q) + r];",
        ("m", "1", "1", "1", "1", "1"),
        switched,
    ),
}

HEAD = """#define OFFSET 5
#define HUNDRED(a) ((a) * 100)
namespace {
__device__ inline void split(int a, const int b, int& q, int& r) { q = a / b; r = a % b; }
}
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", KERNELS)
def test_the_reader_sees_what_is_executed(name: str) -> None:
    body, launch, trace = KERNELS[name]
    if name == "rows":  # two counters in one loop are not followed
        body = body.replace("  for (int k = 0; k < n; k++, p++) { }\n", "").replace("k - n", "k")
    text = f"{HEAD}__global__ void f(const float* x, float* y, int n, int m) {{\n  {body}\n}}\n"
    for n, m, b in product((1, 2, 3, 5, 9), (1, 2, 3), (1, 2, 4)):
        sizes = {"n": n, "m": m, "B": b}
        assert read(text, "f", launch, sizes) == Counter(trace(n, m, b)), sizes


TYPES = {
    "int i = blockIdx.x; float v = x[i * n];": "int64(blockIdx_x*n)",
    "size_t i = blockIdx.x; float v = x[i * n];": "uint64(uint32(blockIdx_x))*n",
    "auto i = (int64_t)n * m; float v = x[i];": "int64(n)*m",
    "int64_t i = n * m; float v = x[i];": "int64(n*m)",
    "int i = (int64_t)n * 4; float v = x[i];": "int32(int64(n)*4)",
    "float v = x[n * 4ull];": "n*uint64(4)",
    "float v = x[n * sizeof(float)];": "n*uint64(4)",
    "index_t i = n * m; float v = x[i * n];": "int64(n*m)*n",
    "unsigned char c = n; float v = x[c * m];": "int32(int64(n)%256)*m",
}


@pytest.mark.parametrize("body", TYPES)
def test_types_are_those_of_c(body: str) -> None:
    text = "using index_t = long long;\n"
    text += f"__global__ void f(const float* x, int n, int m) {{ {body} }}\n"
    module = read_module(text)
    (access,) = (kernel := read_kernel(module, module.kernels["f"])).accesses
    said = str(described(kernel, access)["as_written"])
    assert TYPES[body] in said.replace("int64(int32(", "int32(") or TYPES[body] in said


def test_words_of_types() -> None:
    types = {"unsigned": "uint32", "const long long int": "int64", "unsigned long": "uint64"}
    types |= {"uint8_t": "uint8", "short": "int16", "bool": "uint1", "float": "None"}
    assert {t: str(read_type(t).machine) for t in types} == types
    assert read_type("const float* __restrict__").depth == 1
    assert [read_type(t).bits for t in ("float4", "half2", "uint4", "T", "double")] == [
        *(128, 32, 128, 0, 64)
    ]


NOT_UNDERSTOOD = {
    "int i = 0; do { y[i] = 0; if (i > 3) continue; i++; } while (i < n);": "without a counter",
    "for (int i = 0; i < n; i = 2 * i + 1) y[i] = 0;": "a loop without a counter",
    "for (int i = 0; i < n; ++i) { y[i] = 0; i += n; }": "a loop whose counter or end changes in it",
    "((double*)y)[n] = ((T*)y)[n];": "the type T is not known here",
    "float& r = pick(y); r = 1;": "a reference to a place in memory",
    "Other::somewhere()[n] = 1;": "a value is stored to",
    "goto end; end: y[0] = 1;": "a statement goto_statement",
    "y[0] = 1 +;": "this is no C++ that is understood",
}


@pytest.mark.parametrize("body", NOT_UNDERSTOOD)
def test_what_is_not_understood_is_said_by_line(body: str) -> None:
    module = read_module(f"__global__ void f(float* y, int n) {{\n\n  {body}\n}}\n")
    kernel = read_kernel(module, module.kernels["f"])
    assert 3 in kernel.skipped
    assert NOT_UNDERSTOOD[body] in kernel.skipped[3]


LOST = (
    "i = fetch();",
    "Advance(i);",
    "int* p = &i; step(p);",
    "switch (n) { default: if (n > 2) break; i = 2; break; }",
    "while (i < n) { i = i * 2 + 1; }",
    "float v = n > 2 ? ++i : 0;",
)


@pytest.mark.parametrize("body", LOST)
def test_a_variable_that_may_have_changed_is_not_believed(body: str) -> None:
    text = f"__global__ void f(float* y, int n) {{ int i = 1; {body} y[i] = 0; }}\n"
    module = read_module(text)
    (access,) = read_kernel(module, module.kernels["f"]).accesses
    assert any(x.op == "unknown" for x in access.offset.leaves)


def test_metal_and_plain_functions_are_read() -> None:
    text = (
        "kernel void f(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],\n"
        "    constant uint& n [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
        "  threadgroup float s[64];\n  if (i < n) { y[i] = x[i]; s[i % 64] = 0; }\n}\n"
    )
    module = read_module(text, metal=True)
    kernel = read_kernel(module, module.kernels["f"])
    at = "blockIdx_x*blockDim_x + threadIdx_x"
    found = [(a.array, a.kind, described(kernel, a)["index"]) for a in kernel.accesses]
    assert found == [("x", "load", at), ("y", "store", at), ("s", "store", f"({at})%64")]
    module = read_module("void g(float* y, long n) { for (long i = 0; i < n; ++i) y[i] = 1; }")
    node = function(module, "g")
    assert node is not None
    (access,) = (kernel := read_kernel(module, node)).accesses
    assert described(kernel, access)["map"] == "map i < n: i"


HIDDEN = {
    "auto put = [&](int i) { y[i] = 0; }; put(n);": "a lambda is not followed",
    "store_all(y, n);": "store_all is not followed",
    "PUT(n);": "PUT is not followed",
    "Writer w(y, n); w.put(1);": "the type Writer is not known here",
    'asm volatile("st.global.f32 [%0], 0;" : : "l"(y));': "assembly is not followed",
    "twice(y); ": "twice has several definitions",
    "q->x = 1;": "a value is stored to q->x",
}


@pytest.mark.parametrize("body", HIDDEN)
def test_a_store_that_hides_is_no_silence(body: str) -> None:
    head = (
        "#define LINES y[0] = 1; y[1] = 1\nstruct P { int x; };\n"
        "__device__ void twice(float* y) { y[0] = 1; }\n"
        "__device__ void twice(const float* y) { y[0] = 1; }\n"
    )
    text = f"{head}__global__ void f(float* y, P* q, int n) {{\n  {body}\n}}\n"
    module = read_module(text)
    kernel = read_kernel(module, module.kernels["f"])
    assert HIDDEN[body] in kernel.skipped.get(6, "")


def test_a_macro_is_what_it_stands_for() -> None:
    text = (
        "#define TID (blockIdx.x * blockDim.x + threadIdx.x)\n#define N4 (4 * 8)\n"
        "__global__ void f(float* y, int n) { if (TID < n) y[TID * N4] = 0; }\n"
    )
    module = read_module(text)
    (access,) = (kernel := read_kernel(module, module.kernels["f"])).accesses
    assert kernel.symbols == ()
    assert described(kernel, access)["index"] == "(blockIdx_x*blockDim_x + threadIdx_x)*32"


def test_what_is_not_followed_is_said_in_words_of_the_source() -> None:
    body = """
      for (int d = n; d >= 0; d /= 2) {
        y[n] = y[0];
        __syncthreads();
        int k = bool(n) ? n / y[1] : twice(n);
      }
      for (int i = 0; i < n; i += y[2]) y[i] = 1;
      for (unsigned i = 1; i < n / (int)y[3]; i <<= 1) y[twice(i)] = 1;"""
    twice = "__device__ int twice(int a) { return 2*a; }"
    _, skipped = listed_of(f"{twice}\n__global__ void f(float* y, int n) {{{body}\n}}")
    assert {3, 8, 9} == skipped.keys()
    assert not [why for why in skipped.values() if "@" in why]


def listed_of(text: str, beside: dict[str, str] | None = None) -> tuple[list[str], dict[int, str]]:
    """Each access of the kernel `f` in words, and what is not understood."""
    files = beside or {}
    module = read_module(text, False, "f.cu", lambda _, n: (n, files[n]) if n in files else None)
    kernel = read_kernel(module, module.kernels["f"])
    made = [form_of(kernel, a) for a in kernel.accesses]
    words = [f"{a.kind} {a.array} {f.text(a.offset)}" for a, f in zip(kernel.accesses, made)]
    return words, kernel.skipped


UNDERSTOOD = {
    "an own array through a pointer": (
        "float v[4]; float* p = v; p[1] = 0; *reinterpret_cast<float2*>(v) = make_float2(0, 0);"
        " y[n] = p[1];",
        ["store y n"],
    ),
    "an own array by a function": (
        "float v[4]; fill(v, y + n);",
        ["load y n"],
    ),
    "a reference to a place": ("float& r = y[n]; r = 1;", ["store y n"]),
    "a shared number": ("__shared__ float s; if (n == 0) s = 1;", ["store s 0"]),
    "turns for powers": (
        "for (int k = 4; k > 0; k >>= 1) y[n + k] = 0;",
        ["store y n + 4", "store y n + 2", "store y n + 1"],
    ),
    "two counters": (
        "for (int i = 0, j = n; i < 4; ++i, j += 2) y[j] = 0;",
        ["store y n + i*2"],
    ),
    "one of two pointers": (
        "float* p = n > 3 ? y : z; p[n] = 0;",
        ["store y n", "store z n"],
    ),
    "an overload": ("put(z, n); ", ["store z n + 1"]),
    "arithmetic in assembly": (
        'int k; asm("mul.lo.s32 %0, 2, 3;" : "=r"(k)); y[n] = k;',
        ["store y n"],
    ),
    "a number of a template": ("y[half<8>()] = 0;", ["store y 4"]),
    "attributes": ("__shared__ __align__(16) float s[4]; s[n] = 0;", ["store s n"]),
}


@pytest.mark.parametrize("case", UNDERSTOOD)
def test_what_code_has_beside_indices_is_understood(case: str) -> None:
    body, wanted = UNDERSTOOD[case]
    head = (
        "__device__ float2 y2();\n__device__ void fill(float* v, float* q) { v[0] = q[0]; }\n"
        "__device__ void put(float* p, int i) { p[i + 1] = 0; }\n"
        "__device__ void put(int* p, int i) { p[i + 2] = 0; }\n"
        "template <int K> __device__ int half() { return K / 2; }\n"
    )
    text = f"{head}__global__ void f(float* y, float* z, int n) {{ {body} }}\n"
    assert listed_of(text) == (wanted, {})


def test_what_a_file_includes_is_known() -> None:
    header = (
        "#pragma once\nconstexpr int WIDTH = 8;\nusing index_t = long;\n"
        "#define LOOP(i, n) \\\n  for (int i = 0; i < (n); ++i)\n"
        "struct Rows { float* data; int pitch; };\n"
        "__device__ inline void put(float* p, int i) {\n\n\n\n  p[i] = 0;\n  twist(p);\n}\n"
    )
    text = (
        '#include "rows.cuh"\n__global__ void f(Rows r, index_t n) {\n'
        "  LOOP(k, WIDTH) {\n    put(r.data, k * r.pitch);\n  }\n  r.data[n * WIDTH] = 0;\n}\n"
    )
    words, skipped = listed_of(text, {"rows.cuh": header})
    assert words == ["store r_data k*r_pitch", "store r_data n*8"]
    assert skipped == {4: "twist is not followed"}  # at the line that calls
    assert listed_of(text)[0] != words


def test_what_two_headers_say_otherwise_is_no_number() -> None:
    text = '#include "a.h"\n#include "b.h"\n__global__ void f(float* y) { y[WIDTH] = 0; }\n'
    assert listed_of(text, {"a.h": "#define WIDTH 8\n", "b.h": "#define WIDTH 4\n"})[0] == [
        "store y WIDTH"
    ]


def test_an_overload_that_is_not_decided_changes_its_arguments() -> None:
    text = (
        "template <typename T> __device__ void move(T& i) { i = 1; }\n"
        "template <typename T> __device__ void move(T i, int k = 0) { }\n"
        "__device__ void other(int i) { i = 5; }\n"
        "__global__ void f(float* y, int n) { int i = n; move(i); y[i] = 0;"
        " int j = n; other(j); y[j] = 0; }\n"
    )
    words, _ = listed_of(text)
    assert words[0] != "store y n"
    assert words[1] == "store y n"


def test_opencl_has_groups_in_the_place_of_blocks() -> None:
    text = (
        "__kernel void f(__global float* y, __local float* s, uint n) {\n"
        "  __local float t[8];\n  size_t i = get_global_id(1);\n"
        "  if (i < get_global_size(1)) vstore4((float4)(0), i, y);\n"
        "  s[get_local_id(0)] = t[get_local_id(1)];\n  y[get_group_id(0)] = 0;\n}\n"
        "void helper(__global float* y) { y[0] = 1; }\n"
    )
    module = read_module(text, False, "f.cl")
    assert list(module.kernels) == ["f"]
    kernel = read_kernel(module, module.kernels["f"])
    made = [(a.array, form_of(kernel, a).text(a.offset)) for a in kernel.accesses]
    assert made == [
        ("y", "(group_id1*local_size1 + local_id1)*4 + lane"),
        ("t", "local_id1"),
        ("s", "local_id0"),
        ("y", "group_id0"),
    ]
    assert set(kernel.shared) == {"s", "t"}
    assert kernel.skipped == {}


def test_an_array_that_is_taken_as_bytes_is_counted_in_bytes() -> None:
    text = (
        "__global__ void f(float* y, int off, int i) {\n"
        "  y = (float*)((char*)y + off);\n  y[i] = 0;\n}\n"
    )
    module = read_module(text)
    (access,) = read_kernel(module, module.kernels["f"]).accesses
    form = form_of(read_kernel(module, module.kernels["f"]), access)
    assert form.text(access.offset) == "off + i*4 + lane"
    assert read_kernel(
        module, module.kernels["f"], arrays=["y"]
    ).skipped  # a contract counts floats


ASCEND = (
    "class K {\n public:\n"
    "  __aicore__ inline void Init(GM_ADDR x, uint32_t n) {\n    this->n = n;\n"
    "    g.SetGlobalBuffer((__gm__ half*)x + n * AscendC::GetBlockIdx(), n);\n  }\n"
    "  __aicore__ inline void Step(uint32_t i, uint32_t count = 4) {\n"
    "    AscendC::LocalTensor<half> t = q.AllocTensor<half>();\n"
    "    AscendC::DataCopy(t, g[i * count], count);\n    BODY\n  }\n"
    "  __aicore__ inline void Process() { for (uint32_t i = 0; i < n; ++i) Step(i); }\n"
    "  AscendC::GlobalTensor<half> g;\n  AscendC::TQue<1> q;\n  uint32_t n;\n};\n"
    'extern "C" __global__ __aicore__ void f(GM_ADDR x, uint32_t n) {\n'
    "  K op;\n  op.Init(x, n);\n  op.Process();\n}\n"
)


def test_an_object_of_ascendc_keeps_its_fields() -> None:
    module = read_module(ASCEND.replace("BODY", ""))
    kernel = read_kernel(module, module.kernels["f"])
    (access,) = kernel.accesses
    form = form_of(kernel, access)
    assert form.text(access.offset) == "n*blockIdx_x + i*4 + lane"
    assert form.domain() == "blockIdx_x < grid0, i < n, lane < 4"
    assert kernel.skipped == {}


@pytest.mark.parametrize("result", ["void", "uint32_t", "uint32_t*", "uint32_t&"])
def test_a_method_changes_what_it_takes_by_reference_whatever_it_returns(result: str) -> None:
    method = f"  {result} Grow(uint32_t& x) {{ x = x + 1; }}\n  __aicore__ inline void Process"
    text = ASCEND.replace("  __aicore__ inline void Process", method)
    text = text.replace("BODY", "uint32_t k = i; Grow(k); g.SetValue(k, 0);")
    module = read_module(text)
    kernel = read_kernel(module, module.kernels["f"])
    (store,) = [a for a in kernel.accesses if a.kind == "store"]
    assert form_of(kernel, store).text(store.offset) == "n*blockIdx_x + (i + 1)"


CORES = {
    "AscendC::DataCopyPad(t, g[i], Params{1, 2});": "DataCopyPad with more than a count",
    "n = n / 2;": "a loop whose counter or end changes in it",
    "g.SetValue(i, 0); Unknown(g);": "Unknown is not followed",
    "this->Missing(i);": "Missing is not followed",
    "Missing(i);": "Missing is not followed",
}


@pytest.mark.parametrize("body", CORES)
def test_what_is_not_followed_of_ascendc_is_said(body: str) -> None:
    module = read_module(ASCEND.replace("BODY", body))
    kernel = read_kernel(module, module.kernels["f"])
    said = list(kernel.skipped.values())
    assert any(CORES[body] in s for s in said)
    if body.startswith("g.SetValue"):
        assert [a.kind for a in kernel.accesses] == ["load", "store"]


HANDED = {
    "an object": ("Params p", "helper(p);"),
    "an object that is copied": ("Params p", "Params q = p;\nhelper(q);"),
    "an object of a template": ("ns::Accessor<float, 3> p", "helper(p);"),
    "a part of an object": ("Params p", "helper(p.inner);"),
    "a function that is given": ("F f", "f(threadIdx.x);"),
    "a function that a function gets": ("F f", "apply(f, threadIdx.x);"),
    "several of them": ("F f, Params... p", "f(p...);"),
    "a method": ("Params p", "p.run(3);"),
    "a method of what lies in memory": ("float* x", "x->run();"),
    "a store to what has its own subscripts": ("Accessor p", "p[0][1] = 1;"),
    "a load of what has its own subscripts": ("ns::Accessor<float> p", "float v = p[threadIdx.x];"),
    "a place that may be changed": ("float* x", "add_to(x[3], 1);"),
    "a place that is given for what is done to it": ("float* x", "foo(x[3]);"),
    "a place that a function of a namespace is given": ("float* x", "ns::foo(x[3]);"),
    "an object that is made": ("float* x", "auto o = Object{x, 3};"),
    "a place whose function gives something back": ("const float* x", "float a = foo(x[3]);"),
    "numbers": ("float4 v, half h, int n", "float a = helper(v, h, n);"),
    "a place that is only read": ("const float* x", "float a = as_number(x[3]);"),
    "a function that is made here": (
        "float* y, const float* x",
        "Plus plus;\ny[0] = plus(x[1], 2);",
    ),
}


@pytest.mark.parametrize("case", HANDED)
def test_what_may_come_to_memory_is_not_handed_on_in_silence(case: str) -> None:
    given, body = HANDED[case]
    text = f"""
template <class G> __device__ void apply(G g, int i) {{ g(i); }}
template <class F> __global__ void k({given}) {{
{body}
}}
"""
    module = read_module(text)
    assert read_kernel(module, module.kernels["k"]).skipped


# what says which function is called: each comes to the place 3
CALLEES = """
float y = foo(x[3])(1) | foo(x[3])(1)(2); | make(x[3]).go(); | float y = make(x[3]).value();
x[3].go(); | s.tiles[q[3]].go(1); | s.tiles[q[3]](1); | (*s.f[q[3]])(1.0f);
float y = (q[3] ? sin : cos)(2.0f);
Functor{x[3]}(3); | s.go(q[3])->run(1); | foo<3>(q[3])(2);
obj->f[q[3]].g->h(1); | float y = (*s.f[q[3]])(1);
"""


@pytest.mark.parametrize("body", [b.strip() for b in re.split(r"[|\n]", CALLEES) if b.strip()])
def test_what_says_which_function_is_called_is_read(body: str) -> None:
    words, _ = listed_of(f"__global__ void f(float* x, int* q, Params s) {{\n{body};\n}}\n")
    assert any(w in ("load x 3", "load q 3") for w in words), words


def test_a_name_in_parentheses_is_declared() -> None:
    body = "int i = 1; { int (i) = n; x[--i] = 1; } x[i] = 1; { size_t (i) = n; x[i] = 1; }"
    words, skipped = listed_of(f"__global__ void f(float* x, int n) {{ {body} }}\n")
    assert (words, skipped) == (["store x n - 1", "store x 1", "store x n"], {})


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("{ int (i) = 1, (j) = n; x[j] = 1; x[i] = 1; } x[i + j + 7] = 1;", "n, 1, 7"),
        ("{ int (i), (j) = n; x[j] = 1; i = 5; x[i] = 1; } x[i + j + 7] = 1;", "n, 5, 7"),
        ("{ int (i); i = n; x[i] = 1; } x[i] = 1;", "n, 0"),
        ("{ unsigned (i) = n, j = 3; x[i + j] = 1; } x[i] = 1;", "n + 3, 0"),
        ("for (int (i) = 0; i < 1; i++) { } x[i] = 1;", "0"),
        ("T (i) = n; x[i] = 1;", "value"),
        ("T (i), (j) = n; x[j] = 1;", "value"),
        ("T (i)(n); x[i] = 1;", "value"),
        ("{ int (i)(n); x[i] = 1; } x[i] = 1;", "n, 0"),
        ("static_cast<int&>(i) = n; x[i] = 1;", "value"),
        ("if (int (i) = n) x[i] = 1;", "value"),
    ],
)
def test_what_a_name_in_parentheses_hides_is_not_believed(body: str, read: str) -> None:
    text = f"__global__ void f(float* x, int n) {{ int i = 0, j = 0; {body} }}\n"
    words, skipped = listed_of(text)
    if read == "value":
        assert skipped
        assert all("value" in w for w in words)
    else:
        assert (words, skipped) == ([f"store x {r}" for r in read.split(", ")], {})


@pytest.mark.parametrize(
    "body",
    [
        "int i = 0; if (short(n) < 2) { i = 5; } x[i] = 1;",
        "int i = (long(n)) - m; x[i] = 1;",
        "int i = 0; if ((n) & 3 == 3) { i = 1; } x[i] = 1;",
        "int i = g(n); x[i] = 1;",
        "int i = h(n); x[i] = 1;",
    ],
)
def test_what_the_grammar_loses_is_not_believed(body: str) -> None:
    helpers = (
        "__device__ int g(int a) { if (short(a) < 2) return 5; return 3; }\n"
        "__device__ int h(int a) { if (int k = a) return 5; return 3; }\n"
    )
    words, skipped = listed_of(f"{helpers}__global__ void f(float* x, int n, int m) {{ {body} }}\n")
    assert skipped
    assert all("value" in w for w in words), words


def test_an_address_that_is_called_on_is_no_silence() -> None:
    assert 2 in listed_of("__global__ void f(float* x) {\n(x + 3)->go();\n}\n")[1]


HARMLESS = {
    "a place that is printed": ("float* x", 'printf("%f", x[3]);'),
    "a function of the compiler's": ("const float* x, float (*f)(float)", "float a = x[3];"),
    "sizes": ("ns::Accessor<float, 3> p", "int n = p.size(0);"),
    "numbers": ("float4 v, half h, int n", "float a = fmaxf(v.x, __half2float(h)) + powf(n, 2);"),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_what_comes_to_no_memory_is_handed_on(case: str) -> None:
    given, body = HARMLESS[case]
    module = read_module(f"__global__ void k({given}) {{\n{body}\n}}\n")
    assert not read_kernel(module, module.kernels["k"]).skipped


@pytest.mark.parametrize("word", ["in", "lambda", "is", "None", "def", "print", "pid", "async"])
def test_words_of_python_are_names_in_c(word: str) -> None:
    body = f"int {word} = threadIdx.x; {word} += n; {word}++; x[{word}] = 1;"
    body += f" for (int k = 0; k < {word}; k++) x[k * {word}] = 1;"
    module = read_module(f"__global__ void f(float* x, int n) {{ {body} }}")
    kernel = read_kernel(module, module.kernels["f"])
    texts = [a.offset.text({}) for a in kernel.accesses]
    assert texts[0] == "threadIdx_x + n + 1"
    assert len(texts) == 2
    module = read_module(
        f"__global__ void f(float* x, int {word}) {{ {word} -= 1; x[{word}] = 1; }}"
    )
    (access,) = read_kernel(module, module.kernels["f"]).accesses
    assert access.offset.text({}) == f"{'in_' if word == 'in' else word} - 1"
