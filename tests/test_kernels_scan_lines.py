"""What a scan tells of a kernel, by its findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import scan


def races(body: str, tmp_path: Path, host: str = "") -> list[int]:
    """The lines of races of high confidence in a kernel with that body."""
    file = tmp_path / "k.cu"
    head = "__global__ void f(const float* x, float* y, int n) {\n"
    file.write_text(f"{head}{body}\n}}\n{host}")
    found = scan(file).findings
    return [f.span.line for f, _ in found if f.code == "race" and f.confidence == "high"]


STORE = "  __shared__ float s[256];\n  s[threadIdx.x] = x[threadIdx.x];\n"

SYNC = "  __syncthreads();\n"

RACES = {
    "another thread's place": f"{STORE}  y[threadIdx.x] = s[255 - threadIdx.x];\n{SYNC}",
    "one thread's for all": (
        f"  __shared__ float m;\n  if (threadIdx.x == 0) m = x[0];\n  y[threadIdx.x] = m;\n{SYNC}"
    ),
    "of a loop": (
        "  __shared__ float s[1024];\n"
        "  for (int i = threadIdx.x; i < 1024; i += 256) s[i] = x[i];\n"
        f"  y[threadIdx.x] = s[threadIdx.x ^ 64];\n{SYNC}"
    ),
}

NO_RACES = {
    "a barrier": f"{STORE}{SYNC}  y[threadIdx.x] = s[255 - threadIdx.x];\n",
    "its own place": f"{STORE}  y[threadIdx.x] = s[threadIdx.x];\n{SYNC}",
    "a warp's own": f"{STORE}  y[threadIdx.x] = s[threadIdx.x ^ 1];\n{SYNC}",
    "no barrier anywhere": f"{STORE}  y[threadIdx.x] = s[255 - threadIdx.x];\n",
    "one that may stand in a function": (
        f"{STORE}  block_sync_all();\n  y[threadIdx.x] = s[255 - threadIdx.x];\n{SYNC}"
    ),
    "in both branches": (
        f"{STORE}  if (n > 1) {{ {SYNC} }} else {{ {SYNC} }}\n"
        "  y[threadIdx.x] = s[255 - threadIdx.x];\n"
    ),
    "all store what they read": (f"  __shared__ float m;\n  m = 0;\n  y[threadIdx.x] = m;\n{SYNC}"),
    "a width that is not known": (
        "  extern __shared__ float s[];\n  s[threadIdx.x] = x[threadIdx.x];\n"
        f"  y[threadIdx.x] = s[WIDTH - threadIdx.x];\n{SYNC}"
    ),
    "before the store": (
        f"  __shared__ float s[256];\n  y[threadIdx.x] = s[255 - threadIdx.x];\n{SYNC}"
        "  s[threadIdx.x] = x[0];\n"
    ),
}


@pytest.mark.parametrize("case", RACES)
def test_what_another_thread_stores_is_read_behind_a_barrier(case: str, tmp_path: Path) -> None:
    assert len(races(RACES[case], tmp_path)) == 1


@pytest.mark.parametrize("case", NO_RACES)
def test_right_code_has_no_race(case: str, tmp_path: Path) -> None:
    assert races(NO_RACES[case], tmp_path) == []


def test_shared_memory_is_each_blocks_own(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(
        "__global__ void f(const float* x, float* y) {\n  __shared__ float s[64];\n"
        "  s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];\n"
        "  y[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];\n}\n"
    )
    assert scan(file).findings == []


def test_a_launch_says_whether_a_block_has_several_warps(tmp_path: Path) -> None:
    body = NO_RACES["no barrier anywhere"]
    for threads, count in ((256, 1), (32, 0)):
        host = f"void run(float* a, int m) {{ f<<<1, {threads}>>>(a, a, m); }}\n"
        assert len(races(body, tmp_path, host)) == count


@pytest.mark.parametrize(("kind", "count"), [("image", 0), ("buffer", 1)])
def test_an_image_is_no_array_of_many_gigabytes(tmp_path: Path, kind: str, count: int) -> None:
    given = "__read_only image1d_buffer_t a" if kind == "image" else "__global float4* a"
    read = "read_imagef(a, i)" if kind == "image" else "a[i]"
    path = tmp_path / "k.cl"
    path.write_text(
        f"__kernel void f({given}, __global float4* y, int n, int m) {{\n"
        f"  int r = get_group_id(0);\n  for (int j = 0; j < n; j++) {{\n    int i = r * n + j;\n"
        f"    y[j] = {read};\n  }}\n}}\n"
    )
    found = scan(path).findings
    assert sum(f.code == "overflow" and f.span.line == 4 for f, _ in found) == count


@pytest.mark.parametrize(("type", "confidence"), [("int", "high"), ("uint", "medium")])
def test_a_buffer_of_opencl_hardly_has_as_many_elements_as_numbers_without_a_sign(
    tmp_path: Path, type: str, confidence: str
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(
        f"__kernel void f(__global float* a, {type} n) {{\n  {type} r = get_group_id(0);\n"
        f"  for ({type} j = 0; j < n; j++) a[r * n + j] = 0;\n}}\n"
    )
    found = scan(path).findings
    assert [f.confidence for f, _ in found if f.code == "overflow"] == [confidence]


def test_all_kernels_of_one_name_are_scanned(tmp_path: Path) -> None:
    """Overloads, specialisations, and one for each way of a condition."""
    bad = "  x[blockIdx.x * n + threadIdx.x] = blockIdx.x * n;\n"
    heads = ["void f(float* x, int n)", "void f(float* x, int n, int m)", "void f(int* x, int n)"]
    body = "".join(f"__global__ {head} {{\n{bad}}}\n" for head in heads)
    file = tmp_path / "k.cu"
    file.write_text(body)
    made = scan(file)
    assert [f.span.line for f, _ in made.findings] == [2, 5, 8]
    text = "@triton.jit\ndef f(x, n):\n    tl.load(x + tl.program_id(0) * n + tl.arange(0, 8))\n"
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    file = tmp_path / "k.py"
    file.write_text(f"import triton\nimport triton.language as tl\nif A:\n{lines}else:\n{lines}")
    made = scan(file)
    assert [f.span.line for f, _ in made.findings] == [6, 10]


UNREAD = """
template <class T> __global__ void declared(T* x);
__global__ void read(float* x) { x[3] = 1; }
__global__ void a(float* x) {
  MACRO(x)
}
struct S { __global__ static void b(int* x) { x[0] = 1; } };
// __global__ void c(int* x) { x[0] = 1; }
const char* s = "__global__ void d(int* x) { x[0] = 1; }";
#define E __global__ void e(int* x) { x[0] = 1; }
#if 0
__global__ void f(int* x) { x[0] = 1; }
#endif
namespace n { __global__ void g(int* x) { if (x) { x[0] = 1; }
__global__ void h(int* x) { x[0] = 1; }
}
"""

INSIDE = """import triton, triton.language as tl
def make():
    @triton.jit
    def a(x):
        pass
class A:
    @triton.jit
    def b(x):
        pass
try:
    import c
except ImportError:
    @triton.jit
    def c(x):
        tl.load(x)
def d(x):
    pass
"""


def test_kernels_that_are_not_read_are_said(tmp_path: Path) -> None:
    for name, text, lines in (("k.cu", UNREAD, {4, 7, 15}), ("k.py", INSIDE, {4, 8})):
        file = tmp_path / name
        file.write_text(text)
        made = scan(file)
        said = {s["line"] for s in made.skipped if "a kernel" in s["reason"]}
        assert said == lines
        assert made.kernels > 0


@pytest.mark.parametrize("place", ["threadIdx.x % 32", "threadIdx.x & 31", "(threadIdx.x % 8) + 4"])
def test_a_mask_of_few_places_is_no_row(place: str, tmp_path: Path) -> None:
    """Where a row has as many numbers as a warp has threads, its array is none of 2**31."""
    file = tmp_path / "k.cu"
    for at, confidence in ((place, "medium"), ("threadIdx.x + 512 * blockIdx.y", "high")):
        file.write_text(
            "__global__ void f(float* x, int K) {\n"
            f"  int lane = {at};\n  if (lane < K) x[(int)blockIdx.x * K + lane] = 1;\n}}\n"
        )
        made = scan(file)
        assert [f.confidence for f, _ in made.findings] == [confidence]


@pytest.mark.parametrize(
    "passed", ["n < 128 ? n : 128", "std::min(n, 128)", "n > 128 ? 128 : n", "n > 9 ? 100 : 128"]
)
def test_what_a_launch_passes_at_most_is_known(passed: str, tmp_path: Path) -> None:
    """Also where the kernel gets nothing else of it."""
    file = tmp_path / "k.cu"
    file.write_text(
        "__global__ void f(float* x, int K) {\n"
        "  for (int j = threadIdx.x; j < K; j += 32) x[blockIdx.x * K + j] = 1;\n}\n"
        f"void host(float* x, int n, int b) {{\n  int k = {passed};\n  f<<<b, 32>>>(x, k);\n}}\n"
    )
    made = scan(file)
    assert [f["text"] for f in made.launches[0]["facts"]] == ["K <= 128"]
    assert not made.findings
