"""What code means where it is easily misread: every access against plain integers, or a line that says
that it is not understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check, scan

HEAD = "import triton\nimport triton.language as tl\n"


def test_a_store_through_a_pointer_to_either_array_is_one_to_each(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        f"{HEAD}# symlayout: kernel grid (n,)\n#   x is f32[n] written at most once\n"
        "#   y is f32[n] written once\n@triton.jit\ndef f(x, y, n):\n    p = tl.program_id(0)\n"
        "    q = x if n > 4 else y\n    tl.store(q + p, 0)\n"
    )
    made = {r.task.name: r.outcome.status for r in check([str(file)]).results}
    told = {name.partition(": ")[2].partition(" in line")[0]: s for name, s in made.items()}
    assert told["in bounds: store of x"] == told["in bounds: store of y"] == "proved"
    assert "refuted" in {s for name, s in told.items() if name.startswith("written once")}


DEEP = {
    "signs": ("k.py", f"{HEAD}@triton.jit\ndef f(x, n):\n    tl.load(x + {'-' * 400}n)\n"),
    "sums": ("k.py", f"{HEAD}@triton.jit\ndef f(x, n):\n    tl.load(x + n{' + n' * 400})\n"),
    "branches": (
        "k.py",
        f"{HEAD}@triton.jit\ndef f(x, n):\n    if n == 0:\n        tl.load(x)\n"
        + "".join(f"    elif n == {k}:\n        tl.load(x + {k})\n" for k in range(1, 400)),
    ),
    "parentheses in C": (
        "k.cu",
        f"__global__ void f(float* x, int n) {{ x[{'(' * 3000}n{')' * 3000}] = 1; }}\n",
    ),
    "branches in C": (
        "k.cu",
        "__global__ void f(float* x, int n) {\n"
        + "".join(f"  if (n == {k}) x[{k}] = 1; else\n" for k in range(150))
        + "  x[n] = 1;\n}\n",
    ),
}


@pytest.mark.parametrize("name", DEEP)
def test_code_that_is_nested_deeply_is_told(tmp_path: Path, name: str) -> None:
    file, text = DEEP[name]
    (tmp_path / file).write_text(text)
    (made,) = [scan(tmp_path / file)]
    assert made.skipped
    assert not any("SL900" in s["reason"] for s in made.skipped)


def test_a_kernel_that_is_nested_deeply_leaves_others_alone(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    more = "@triton.jit\ndef g(x, n):\n    tl.load(x + n)\n"
    file.write_text(DEEP["branches"][1] + more)
    assert scan(file).kernels == 2
