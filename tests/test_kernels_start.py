"""Files with kernels and no contract: what `check` says, and the contract that `contract` gives."""

from __future__ import annotations

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
