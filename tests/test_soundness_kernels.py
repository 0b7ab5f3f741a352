"""The campaign of kernels: what it runs is what they do, and a lie is seen."""

from __future__ import annotations

from collections import Counter
from contextvars import copy_context
from pathlib import Path
from random import Random

import pytest
from soundness import asking, hardware, kernels, machine
from soundness.kernel_texts import KERNELS, Text, drawn

COPY = """int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];"""


def test_maps_are_read_as_they_are_written() -> None:
    text = "map p < 2, 1 <= i < (n if n > 1 else 2) if i != 2 and p < n: truncdiv(p - i, 2) + 2"
    assert kernels.points(text, {"n": 4}) == Counter({2: 2, 1: 1 + 1})


def test_a_kernel_in_c_is_run_by_its_own_types(tmp_path: Path) -> None:
    text = f"__global__ void f(float* x, float* y, int n) {{\n  {COPY}\n}}\n"
    given = [("array", "x"), ("array", "y"), ("int", "n")]
    found = hardware.Program(text, "f", given, tmp_path).run((2, 1), (2, 1), {"n": 3})
    assert found == Counter(
        {(3, a, k, i): 1 for a, k in (("x", "load"), ("y", "store")) for i in range(3)}
    )
    wraps = (
        "__global__ void f(float* x) {\n  unsigned char c = 200 + threadIdx.x;\n  x[c] = 1;\n}\n"
    )
    found = hardware.Program(wraps, "f", [("array", "x")], tmp_path).run((1, 1), (100, 1), {})
    assert sorted(at for _, _, _, at in found) == [*range(44), *range(200, 256)]


def test_a_kernel_of_tritons_is_run_by_lines() -> None:
    text = "def f(x, n):\n    for k in range(n - 1, -1, -1):\n        tl.store(x + k, 0)\n"
    _, lines = machine.run(text, "f", (1,), ("x",), {"n": 2}, {})
    assert lines == Counter({(3, "x", "store", 0): 1, (3, "x", "store", 1): 1})


@pytest.mark.explore
@pytest.mark.parametrize("c", [0.0, 1.0])
def test_nothing_that_is_told_of_random_kernels_is_wrong(c: float) -> None:
    said: list[str] = []

    def limited() -> kernels.Tally:
        asking.limit_search(1_000)
        return kernels.run(4, 33, said.append, c)

    made = copy_context().run(limited)  # the limit is not for the tests behind this one
    assert said == []
    assert made.kernels + made.counts["not compiled"] + made.counts["refused"] == 4


@pytest.mark.explore
def test_a_lie_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answered = asking.answer

    def lying(*words: str) -> tuple[int, object]:
        code, made = answered(*words)
        for c in made.get("claims", ()):
            c["verdict"] = "proved"
        for a in (a for k in made.get("kernels", ()) for a in k["accesses"]):
            a["map"] = a["map"].replace("threadIdx_x < n", "threadIdx_x < n + 1")
        return code, made

    monkeypatch.setattr(asking, "answer", lying)
    body = KERNELS["c"][0]["body"].replace("i < n", "i <= n")
    head = "// symlayout: kernel grid (cdiv(n, B),) block (B,)\n"
    head += "//   x is f32[n]\n//   y is f32[n] written once\n"
    code = (
        f"{head}__global__ void f(float* x, float* y, int n, int m, int A, int B) {{\n{body}\n}}\n"
    )
    text = Text(code, False, "cdiv(n, B)", "B", {"x": "(n)", "y": "(n)"}, ())
    tally = kernels.Tally()
    kernels.compared(text, tmp_path, tally, Random(1))
    assert any("proved, and false: f: in bounds" in w for w in tally.wrong)
    assert any("in the table" in w for w in tally.wrong) or tally.runs


def test_drawn_kernels_are_those_of_the_seed() -> None:
    assert [drawn(Random(5), python) for python in (True, False)] == [
        drawn(Random(5), python) for python in (True, False)
    ]
