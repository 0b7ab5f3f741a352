"""Kernels that are not read are counted, and a scan that read nothing is no success."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symlayout.__main__ import main

FILES = {  # a file, its text, and the lines of what looks like a kernel, with the language
    "TileLang": (
        "k.py",
        "import tilelang\nimport tilelang.language as T\n\n\n@tilelang.jit\ndef made(M):\n"
        "    @T.prim_func\n    def main(A: T.Tensor((M,), 'float16')):\n        pass\n"
        "    return main\n",
        [(5, "TileLang")],
    ),
    "TileLang's functions": (
        "k.py",
        "from tilelang import language as T\n@T.prim_func\ndef f(A):\n    pass\n"
        "@T.prim_func\ndef g(A):\n    pass\n",
        [(2, "TileLang"), (5, "TileLang")],
    ),
    "CuTe DSL": (
        "k.py",
        "import cutlass\nfrom cutlass import cute\n@cute.kernel\ndef k(x): pass\n",
        [(3, "CuTe DSL")],
    ),
    "Numba": (
        "k.py",
        "from numba import cuda\n@cuda.jit\ndef f(x): pass\n@cuda.jit(device=True)\ndef g(x): pass\n",
        [(2, "Numba"), (4, "Numba")],
    ),
    "Numba in a class": (
        "k.py",
        "import numba.cuda as nc\nclass A:\n    @nc.jit('void()')\n    def f(x): pass\n",
        [(3, "Numba")],
    ),
    "Helion": (
        "k.py",
        "import helion as h\n@h.kernel(config=1)\ndef f(x): pass\n",
        [(2, "Helion")],
    ),
    "CUDA Tile": (
        "k.py",
        "import cuda.tile as ct\n@ct.kernel\ndef f(x): pass\n",
        [(2, "CUDA Tile")],
    ),
    "Gluon": (
        "k.py",
        "from triton.experimental import gluon\nfrom triton.experimental.gluon import language as gl\n"
        "@gluon.jit\ndef f(x):\n    gl.store(x, 1)\n",
        [(3, "Gluon")],
    ),
    "Pallas": (
        "k.py",
        "from jax.experimental import pallas as pl\ndef f(x):\n"
        "    return pl.pallas_call(g, in_specs=[pl.BlockSpec((8,), lambda i: i)])(x)\n",
        [(3, "Pallas")],
    ),
    "Pallas' blocks": (
        "k.py",
        "import jax.experimental.pallas as p\nSPEC = p.BlockSpec((8,), lambda i: i)\n",
        [(2, "Pallas")],
    ),
    "Triton in a function": (
        "k.py",
        "import triton\ndef f():\n    @triton.jit\n    def k(x):\n        pass\n    return k\n",
        [(4, "Triton")],
    ),
    "Triton in a class": (
        "k.py",
        "import triton\nclass A:\n    @triton.jit\n    def k(x):\n        pass\n",
        [(4, "Triton")],
    ),
    "Triton by a call": (
        "k.py",
        "import triton\ndef f(x): pass\nk = triton.jit(f)\n",
        [(3, "Triton")],
    ),
    "Metal": (
        "k.metal",
        "// [[kernel]] void no(\n[[kernel]] void f(device float* x [[buffer(0)]]) {}\n"
        "template <typename T>\n[[kernel, max_total_threads_per_threadgroup(64)]]\nvoid\n"
        "g(device T* x) {}\n",
        [(2, "Metal"), (4, "Metal")],
    ),
    "a header of Metal's": (
        "k.h",
        "#include <metal_stdlib>\nkernel void f(device float* x) {}\n",
        [(2, "Metal")],
    ),
    "a macro of a header": (
        "k.cu",
        '#include "raft.cuh"\ntemplate <typename T>\nRAFT_KERNEL f(T* x, int n)\n{\n  x[0] = 1;\n}\n'
        "RAFT_KERNEL __launch_bounds__(128) g(float* x) {\n}\n",
        [(3, "CUDA"), (7, "CUDA")],
    ),
    "a macro with arguments": (
        "k.cuh",
        "MY_KERNEL(f, float* x, int (*g)(int)) {\n}\n#define OTHER_KERNEL(a) {\n"
        'const char* s = "A_KERNEL(f) {";\nLAUNCH_KERNEL(f, x);\n',
        [(1, "CUDA")],
    ),
    "OpenCL in C++": (
        "k.cpp",
        'const char* s = "__kernel void no(";\n__kernel void f(__global float* x) {}\n',
        [(2, "OpenCL")],
    ),
}
COPY = """import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)
"""


def scanned(paths: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, Any, str]:
    """The exit code, the report and the message of a scan."""
    code = main(["scan", "--format", "json", *paths])
    streams = capsys.readouterr()
    return code, json.loads(streams.out), streams.err


@pytest.mark.parametrize("name", FILES)
def test_a_folder_of_which_no_kernel_is_read_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file, text, lines = FILES[name]
    (tmp_path / file).write_text(text)
    code, data, message = scanned([str(tmp_path)], capsys)
    rows = [(s["line"], s["language"]) for s in data["skipped"] if "language" in s]
    assert (code, rows) == (2, lines)
    assert sum(data["summary"]["not_read"].values()) == len(lines)
    assert "SL602" in message
    assert f"{len(lines)} {lines[0][1]}" in message
    assert main(["scan", "--allow-empty", str(tmp_path)]) == 0


@pytest.mark.parametrize("name", FILES)
def test_beside_a_kernel_that_is_read_they_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file, text, lines = FILES[name]
    (tmp_path / file).write_text(text)
    (tmp_path / "copy.py").write_text(COPY)
    code, data, _ = scanned([str(tmp_path)], capsys)
    assert (code, data["summary"]["not_read"]) == (0, {lines[0][1]: len(lines)})
    assert main(["scan", str(tmp_path)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith(f"not read: {len(lines)} {lines[0][1]}")


PLAIN = {
    "Python": ("m.py", "import numpy as np\n\n\ndef kernel(x):\n    return x.kernel(3)\n"),
    "another decorator": ("m.py", "import jax\n\n\n@jax.jit\ndef f(x):\n    return x\n"),
    "C++": ("m.cpp", "int kernel(int x) {\n  return x;  // a __kernel void f(\n}\n"),
    "a header": ("m.h", "// kernel void f(\nvoid launch_kernel(int x);\n#define A_KERNEL(x) {\n"),
    "a kernel without an access": ("k.py", "import triton\n@triton.jit\ndef f(x):\n    pass\n"),
}


@pytest.mark.parametrize("name", PLAIN)
def test_what_is_read_whole_and_has_no_kernel_is_no_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file, text = PLAIN[name]
    (tmp_path / file).write_text(text)
    code, data, _ = scanned([str(tmp_path)], capsys)
    assert (code, data["summary"]["not_read"], data["skipped"]) == (0, {}, [])


UNKNOWN = {
    "an address of a function": "p = foo(x)\n    tl.store(p, 1)",
    "a load of a function's": "tl.load(foo(x))",
    "functions alone": "foo(x)\n    foo(x + n)",
    "assembly": "tl.inline_asm_elementwise('st', '=r,l', [x], tl.int32, False, 1)",
    "a loop": "for k in foo(x):\n        tl.store(x + k, 1)",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_accesses_of_which_none_is_understood_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file = tmp_path / "k.py"
    head = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, n):\n    "
    file.write_text(f"{head}{UNKNOWN[name]}\n")
    code, data, message = scanned([str(tmp_path)], capsys)
    assert (code, data["summary"]["understood"]) == (2, 0)
    assert "was understood" in message
    assert main(["accesses", str(file)]) == 2
    assert main(["accesses", "--json", str(file)]) == 2
    (tmp_path / "copy.py").write_text(COPY)
    capsys.readouterr()
    assert scanned([str(tmp_path)], capsys)[0] == 0


def test_accesses_tells_of_kernels_that_are_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, text, lines = FILES["Numba"]
    path = tmp_path / file
    path.write_text(text)
    assert main(["accesses", str(path)]) == 2
    streams = capsys.readouterr()
    assert "SL602" in streams.err
    assert [f":{n}: " in streams.out for n, _ in lines] == [True, True]
    path.write_text(f"{text}{COPY}")
    assert main(["accesses", "--json", str(path)]) == 0
    rows = json.loads(capsys.readouterr().out)["not_read"]
    assert [(r["line"], r["language"], r["name"]) for r in rows] == [
        (2, "Numba", "f"),
        (4, "Numba", "g"),
    ]


def test_sarif_and_github_tell_of_kernels_that_are_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, text, _ = FILES["Helion"]
    (tmp_path / file).write_text(text)
    for format in ("github", "sarif"):
        assert main(["scan", "--format", format, str(tmp_path)]) == 2
        assert "Helion" in capsys.readouterr().out
