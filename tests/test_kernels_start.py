"""Files with kernels and no contract: what `check` says, and the contract that `contract` gives."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from symlayout.__main__ import main

ADD = '''"""A module."""
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
'''
CUDA = """__global__ void vecadd(const float* a, const double* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
template <typename T>
__global__ void transposed(const float* a, float* c, int M, int N) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) c[j * M + i] = a[i * N + j];
}
__global__ void counted(const int* t, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[t[i]], 1);
}
__global__ void rows(const float* x, float* y, int N) {
  for (int j = threadIdx.x; j < N; j += blockDim.x) y[blockIdx.x * N + j] = x[blockIdx.x * N + j];
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that the tests run in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "add.py").write_text(ADD, encoding="utf-8")
    (tmp_path / "a.cu").write_text(CUDA, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("file", "name"), [("add.py", "add"), ("a.cu", "vecadd")])
def test_a_file_without_a_contract_gets_one_to_start_from(capsys, file, name):
    assert main(["check", file]) == 2
    text = capsys.readouterr().err
    assert f"no contract in {file}; `symlayout scan {file}` looks for defects without one" in text
    assert f"`symlayout contract {file}::{name} --write`" in text
    main(["contract", f"{file}::{name}"])
    for line in capsys.readouterr().out.splitlines():
        assert line in text


EXPECTED = {
    "add.py::add": """# symlayout: kernel grid (cdiv(n, BLOCK),)
#   x_ptr is f32[n]
#   y_ptr is f32[n]
#   out_ptr is f32[n] written once
""",
    "a.cu::vecadd": """// symlayout: kernel grid (cdiv(n, 256),) block (256,)
//   a is f32[n]
//   b is f64[n]
//   c is f32[n] written once
""",
    "a.cu::transposed": """// symlayout: kernel grid (cdiv(N, 16), cdiv(M, 16)) block (16, 16)
//   a is f32[M,N]
//   c is f32[N,M] written once
""",
    "a.cu::counted": """// symlayout: kernel grid (cdiv(n, 256),) block (256,)
//   t is s32[n]
//   bins is u32[bins_size] accumulated
""",
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", EXPECTED)
def test_a_contract_is_printed(capsys, name):
    assert main(["contract", name]) == 0
    assert capsys.readouterr().out == EXPECTED[name]


@pytest.mark.sample(1)
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_written_is_read_again(capsys, name):
    file, _, kernel = name.partition("::")
    before = Path(file).read_text(encoding="utf-8")
    assert main(["contract", name, "--write"]) == 0
    text = Path(file).read_text(encoding="utf-8")
    assert text.replace(EXPECTED[name], "") == before
    capsys.readouterr()
    assert main(["check", "--no-cache", "--no-hints", name]) in (0, 1)
    out = capsys.readouterr()
    assert "error" not in out.err
    assert kernel in out.out or "all as expected" in out.out
    assert main(["contract", name, "--write"]) == 2
    assert "has a contract already" in capsys.readouterr().err
    assert Path(file).read_text(encoding="utf-8") == text


@pytest.mark.explore
@pytest.mark.usefixtures("folder")
def test_one_contract_in_each_place(capsys):
    assert main(["contract", "a.cu", "--write"]) == 0
    text = Path("a.cu").read_text(encoding="utf-8")
    assert text.count("// symlayout: kernel") == 4
    assert text.index("// symlayout", text.index("transposed") - 400) < text.index("template <")
    capsys.readouterr()
    assert main(["check", "--no-cache", "--no-hints", "a.cu"]) in (0, 1)
    assert "error" not in capsys.readouterr().err


def test_line_ends_stay(folder, capsys):
    file = folder / "add.py"
    file.write_bytes(ADD.replace("\n", "\r\n").encode())
    assert main(["contract", "add.py", "--write"]) == 0
    data = file.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == ADD.count("\n") + 4
    capsys.readouterr()


def test_no_symbolic_link_is_written_through(folder, capsys):
    (folder / "link.py").symlink_to(folder / "add.py")
    (folder / "inner").symlink_to(folder)
    for name in ("link.py", "inner/add.py"):
        assert main(["contract", name, "--write"]) == 2
        assert "symbolic link" in capsys.readouterr().err
    assert (folder / "add.py").read_text(encoding="utf-8") == ADD


def test_a_pipe_is_not_written(folder, capsys):
    os.mkfifo(folder / "pipe.py")
    assert main(["contract", "pipe.py", "--write"]) == 2
    assert "pipe.py" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("argument", "code"),
    [
        ("add.py::sub", "SL504"),
        ("none.py", "SL601"),
        ("none.py::add", "SL601"),
        ("empty.py", "SL602"),
        ("broken.py", "SL506"),
    ],
)
def test_what_cannot_be_done_is_said(capsys, argument, code):
    Path("empty.py").write_text("x = 1\n", encoding="utf-8")
    Path("broken.py").write_text("import triton\n@triton.jit\ndef f(:\n", encoding="utf-8")
    assert main(["contract", argument]) == 2
    assert code in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_one_kernel_of_a_file_is_checked(capsys):
    main(["contract", "a.cu", "--write"])
    capsys.readouterr()
    main(["check", "--no-cache", "--no-hints", "--json", "a.cu::vecadd"])
    names = {
        line.split('"')[3] for line in capsys.readouterr().out.splitlines() if '"name"' in line
    }
    assert names
    assert all(n.startswith("vecadd: ") for n in names)
    main(["check", "--no-cache", "--no-hints", "--json", "a.cu::vecadd", "a.cu::rows"])
    text = capsys.readouterr().out
    assert '"rows: in bounds' in text
    assert '"transposed: ' not in text
    assert main(["check", "a.cu::nothing"]) == 2
    assert "a.cu has no kernel called 'nothing'" in capsys.readouterr().err


WRONG = """// symlayout: kernel grid (cdiv(n, 256),) block (256,)
//   x is f32[n
//   y is f32[n] writen once
//   z is f32[n]
//   where n < , n <= 7, n ** 2
__global__ void f(float* x, float* y, int n) {
  x[threadIdx.x] = 1;
}
"""


@pytest.mark.usefixtures("folder")
def test_all_mistakes_of_a_contract_are_told_at_once(capsys):
    Path("f.cu").write_text(WRONG, encoding="utf-8")
    assert main(["check", "--no-cache", "f.cu"]) == 2
    lines = capsys.readouterr().err.splitlines()
    heads = [x.split(": error: ")[0] for x in lines if ": error: " in x]
    assert heads == ["f.cu:2:6", "f.cu:3:6", "f.cu:4:6", "f.cu:5:12", "f.cu:5:22"]
    assert sum("^" in x for x in lines) == 5


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "body", ["    y = = 2\n", "    y = (1,\n    z = 3\n", "    y = 08\n", "   x = 1\n  y\n"]
)
@pytest.mark.parametrize("contract", ["", "# symlayout: kernel grid (n,)\n#   x is f32[n]\n"])
def test_a_mistake_in_python_is_at_its_own_line(capsys, body, contract):
    head = f"import triton\n{contract}@triton.jit\ndef f(x, n):\n    pass\n"
    Path("f.py").write_text(head + body, encoding="utf-8")
    assert main(["check", "--no-cache", "f.py"]) == 2
    text = capsys.readouterr().err
    first = head.count("\n") + 1
    assert any(f"f.py:{n}:" in text for n in (first, first + 1)), text
    assert "SL506: not Python" in text


def python(head: str, body: str) -> str:
    """A kernel of Triton without a contract."""
    lines = "".join(f"    {x}\n" for x in body.strip().split("\n"))
    return f"import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef {head}:\n{lines}"


def cuda(head: str, body: str) -> str:
    """A kernel of CUDA without a contract."""
    return f"__global__ void {head} {{\n  {body.strip()}\n}}\n"


MATMUL = python(
    "mm(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, "
    "BK: tl.constexpr)",
    """
pid = tl.program_id(0)
n = tl.cdiv(N, BN)
rm = (pid // n * BM + tl.arange(0, BM)).to(tl.int64)
rn = (pid % n * BN + tl.arange(0, BN)).to(tl.int64)
rk = tl.arange(0, BK).to(tl.int64)
ap = a + rm[:, None] * am + rk[None, :] * ak
bp = b + rk[:, None] * bk + rn[None, :] * bn
for k in range(0, tl.cdiv(K, BK)):
    x = tl.load(ap, mask=(rm[:, None] < M) & (rk[None, :] < K - k * BK), other=0.0)
    y = tl.load(bp, mask=(rk[:, None] < K - k * BK) & (rn[None, :] < N), other=0.0)
    ap += tl.cast(BK, tl.int64) * ak
    bp += tl.cast(BK, tl.int64) * bk
tl.store(c + rm[:, None] * cm + rn[None, :] * cn, 0.0, mask=(rm[:, None] < M) & (rn[None, :] < N))
""",
)
# a kernel, the contract, and the parts of claims' names that are not proved under it
STARTS = {
    "matmul": (
        MATMUL,
        """kernel grid (cdiv(M, BM)*cdiv(N, BN),)
  a is f32[M,K] strides(am, ak)
  b is f32[K,N] strides(bk, bn)
  c is f32[M,N] strides(cm, cn) written once
  where cm >= N*cn""",
        ("launch limit", "in bounds: load", "no overflow"),
    ),
    "another stride in the loop": (
        MATMUL.replace("* bk\n", "* bn\n"),
        """kernel grid (cdiv(M, BM)*cdiv(N, BN),)
  a is f32[M,K] strides(am, ak)
  b is f32[K,N] strides(bk, bn)
  c is f32[M,N] strides(cm, cn) written once
  where cm >= N*cn""",
        None,
    ),
    "rows that wrap around": (
        python(
            "rows(a, M, N, s, B: tl.constexpr)",
            "r = (tl.program_id(0) * B + tl.arange(0, B)) % M\nc = tl.arange(0, 16)\n"
            "x = tl.load(a + r[:, None].to(tl.int64) * s + c[None, :], mask=c[None, :] < N)",
        ),
        "kernel grid (grid0,)\n  a is f32[M,N] strides(s, 1)",
        ("no overflow", "in bounds"),
    ),
    "softmax": (
        python(
            "softmax(y, x, xs, ys, N, B: tl.constexpr)",
            "row = tl.program_id(0).to(tl.int64)\nc = tl.arange(0, B)\n"
            "v = tl.load(x + row * xs + c, mask=c < N)\n"
            "tl.store(y + row * ys + c, v, mask=c < N)",
        ),
        """kernel grid (grid0,)
  x is f32[grid0,N] strides(xs, 1)
  y is f32[grid0,N] strides(ys, 1) written once
  where ys >= N""",
        ("written once: store",),
    ),
    "rows in turns": (
        python(
            "softmax(y, x, xs, M, N, B: tl.constexpr)",
            "c = tl.arange(0, B)\nfor row in range(tl.program_id(0), M, tl.num_programs(0)):\n"
            "    v = tl.load(x + row.to(tl.int64) * xs + c, mask=c < N)",
        ),
        "kernel grid (M,)\n  x is f32[M,N] strides(xs, 1)",
        (),
    ),
    "no masks": (
        python(
            "add(x, y, n, B: tl.constexpr)",
            "o = tl.program_id(0) * B + tl.arange(0, B)\ntl.store(y + o, tl.load(x + o))",
        ),
        "kernel grid (cdiv(n, B),)\n  x is f32[n]\n  y is f32[n] written once",
        ("in bounds", "written once"),
    ),
    "two halves": (
        python(
            "f(x, y, n, B: tl.constexpr)",
            "i = tl.program_id(0) * B + tl.arange(0, B)\n"
            "tl.store(y + i, tl.load(x + i, mask=i < n) * tl.load(x + i + n, mask=i < n), mask=i < n)",
        ),
        "kernel grid (cdiv(n, B),)\n  x is f32[2*n]\n  y is f32[n] written once",
        (),
    ),
    "pairs": (
        python(
            "f(x, y, n, B: tl.constexpr)",
            "i = tl.program_id(0) * B + tl.arange(0, B)\nm = i < n\n"
            "tl.store(y + i, tl.load(x + 2 * i, mask=m) * tl.load(x + 2 * i + 1, mask=m), mask=m)",
        ),
        "kernel grid (cdiv(n, B),)\n  x is f32[2*n]\n  y is f32[n] written once",
        ("no overflow", "in bounds: load of x"),
    ),
    "downwards": (
        python(
            "f(x, y, n, B: tl.constexpr)",
            "i = tl.program_id(0) * B + tl.arange(0, B)\n"
            "tl.store(y + i, tl.load(x + n - 1 - i, mask=i < n), mask=i < n)",
        ),
        "kernel grid (cdiv(n, B),)\n  x is f32[n]\n  y is f32[n] written once",
        (),
    ),
    "neighbours": (
        python(
            "f(x, y, n, B: tl.constexpr)",
            "i = tl.program_id(0) * B + tl.arange(0, B)\n"
            "a = tl.load(x + i - 1, mask=(i > 0) & (i < n))\nb = tl.load(x + i + 1, mask=i < n - 1)\n"
            "tl.store(y + i, a + b, mask=i < n)",
        ),
        "kernel grid (cdiv(n, B),)\n  x is f32[n]\n  y is f32[n] written once",
        (),
    ),
    "a loop over the grid": (
        cuda(
            "saxpy(int n, float a, const float* x, float* y)",
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)"
            " y[i] = a * x[i] + y[i];",
        ),
        "kernel grid (cdiv(n, 256),) block (256,)\n  x is f32[n]\n  y is f32[n]",
        ("counter", "no overflow"),
    ),
    "no guard": (
        cuda(
            "saxpy(int n, float a, const float* x, float* y)",
            "int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = a * x[i] + y[i];",
        ),
        "kernel grid (cdiv(n, 256),) block (256,)\n  x is f32[n]\n  y is f32[n]",
        ("in bounds",),
    ),
    "a tile": (
        cuda(
            "transpose(float* out, const float* in, int width, int height)",
            """__shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = in[(int64_t)(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < height && y + j < width)
      out[(int64_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];""",
        ),
        """kernel grid (cdiv(width, 32), cdiv(height, 32)) block (32, 8)
  in is f32[height,width]
  out is f32[width,height] written once""",
        ("launch limit",),
    ),
    "an inner product": (
        cuda(
            "gemm(const float* A, const float* B, float* C, int M, int N, int K)",
            """long row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.f;
  if (row < M && col < N) {
    for (long k = 0; k < K; ++k) s += A[row * K + k] * B[k * N + col];
    C[row * N + col] = s;
  }""",
        ),
        """kernel grid (cdiv(N, 16), cdiv(M, 16)) block (16, 16)
  A is f32[M,K]
  B is f32[K,N]
  C is f32[M,N] written once""",
        ("launch limit",),
    ),
    "columns": (
        cuda(
            "f(float* a, long lda, int m, int n)",
            "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  int j = blockIdx.y;\n"
            "  if (i < m && j < n) a[i + j * lda] = 0.f;",
        ),
        """kernel grid (cdiv(m, 256), n) block (256,)
  a is f32[n,m] strides(lda, 1) written once
  where lda >= m""",
        ("launch limit",),
    ),
    "a quotient and a remainder": (
        cuda(
            "f(float* y, int M, int N)",
            "int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (t < M * N) { int i = t / N, j = t % N; y[i * N + j] = 1.f; }",
        ),
        "kernel grid (cdiv(M*N, 256),) block (256,)\n  y is f32[M,N] written once",
        None,
    ),
    "four at once": (
        cuda(
            "f(const float* x, float* y, int n)",
            "int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;\n"
            "  if (i + 3 < n) for (int k = 0; k < 4; k++) y[i + k] = x[i + k];",
        ),
        """kernel grid (cdiv(n, 1024),) block (256,)
  x is f32[n]
  y is f32[n] written once""",
        None,
    ),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", STARTS)
def test_a_contract_names_the_sizes_of_masks_and_the_strides(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    text, contract, left = STARTS[name]
    file, sign = ("f.py", "#") if text.startswith("import") else ("f.cu", "//")
    Path(file).write_text(text, encoding="utf-8")
    assert main(["contract", file]) == 0
    expected = [f"{sign} symlayout: {contract.split(chr(10))[0]}"]
    expected += [f"{sign} {x}" for x in contract.split("\n")[1:]]
    assert capsys.readouterr().out.splitlines() == expected
    if left is None:
        return
    assert main(["contract", file, "--write"]) == 0
    capsys.readouterr()
    main(["check", "--no-cache", "--no-hints", "--json", file])
    report = json.loads(capsys.readouterr().out)
    assert not report["errors"], report["errors"]
    names = [c["name"] for c in report["claims"] if c["verdict"] != "proved"]
    assert not [n for n in names if not any(part in n for part in left)], names
