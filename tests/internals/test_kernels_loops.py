"""What loops of kernels carry from turn to turn, and how often `while` loops are executed."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from soundness.machine import Trace, executed

from symlayout.checks.kernel_files import read_kernels
from symlayout.checks.reading import ANYWHERE
from symlayout.programs.kernels.forms import form_of
from symlayout.programs.kernels.triton import read_kernel, read_module, scalar

HEAD = """import triton
import triton.language as tl


@triton.jit
def f(x, y, n, m, B: tl.constexpr):
"""
FOLLOWED = {
    "a pointer that a condition advances": """
    p = x
    for k in range(n):
        tl.load(p)
        if m > 2:
            p += m
        tl.load(p + k)
        p += 1
""",
    "a condition that says what is added": """
    p = x + 1
    for k in range(n):
        if B == 2:
            p += 3
        else:
            p -= 1
        tl.store(p, 0)
    tl.load(p)
""",
    "every turn goes on, some early": """
    p = x
    for k in range(n):
        tl.load(p + k)
        p += m
        if k == 1:
            continue
        tl.store(p, 0)
""",
    "up to an end and with it": """
    i = m
    while i <= n:
        tl.load(x + i)
        i = i + B
    tl.load(y + i)
""",
    "down": """
    i = n
    while i > m - 2:
        i -= 1
        tl.load(x + i)
    while 0 <= i:
        tl.load(y + i)
        i = i - 2
""",
}


def maps(text: str, sizes: dict[str, int]) -> tuple[Trace, bool]:
    """The accesses as the maps have them, and whether all is said to be understood."""
    module = read_module(text)
    function = module.functions["f"]
    kernel = read_kernel(module, function)
    made: Trace = Counter()
    for a in kernel.accesses:
        form = form_of(kernel, a, (scalar(module, function, "1"),))
        f = form.map([form.part(form.offset)], form.guard).read()
        if not a.doubt:
            made.update((a.array, a.kind, f.at(p, sizes)[0]) for p in f.points(sizes))
    return made, not (kernel.skipped or any(a.doubt for a in kernel.accesses))


@pytest.mark.parametrize("name", FOLLOWED)
def test_loops_are_followed_as_they_are_executed(name: str) -> None:
    text = HEAD + FOLLOWED[name]
    for n, m, block in product((1, 2, 3, 5), (1, 2, 3, 4), (1, 2)):
        want = executed(text, "f", (1,), ("x", "y"), {"n": n, "m": m}, {"B": block})
        assert maps(text, {"n": n, "m": m, "B": block}) == (want, True), (n, m, block)


CHANGED = {
    "what a turn adds before it goes on early": """
    p = x
    for k in range(n):
        if k == 1:
            p += 5
            continue
        tl.store(p, 0)
""",
    "a counter that not every turn counts": """
    i = 0
    j = 0
    while i < n:
        j += 1
        tl.store(x + j, 0)
        if j % 2 == 0:
            continue
        i += 1
""",
    "a loop that a number in memory ends": """
    i = 0
    while tl.load(x + i) > 0:
        i += 1
""",
    "an end that may come before the last turn": """
    i = 0
    while i < n and i * i < m:
        tl.store(x + i, 0)
        i += 1
    tl.store(y + i, 0)
""",
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_is_not_known_of_a_loop_is_said(name: str) -> None:
    assert not maps(HEAD + CHANGED[name], {"n": 3, "m": 2, "B": 1})[1]


def test_a_loop_with_a_test_in_memory_makes_it_in_every_turn() -> None:
    module = read_module(HEAD + CHANGED["a loop that a number in memory ends"])
    (load,) = read_kernel(module, module.functions["f"]).accesses
    (turn,) = [r.word for r in load.ranges if not r.loaded]
    assert turn in load.offset.names


def test_what_a_turn_of_c_adds_before_it_goes_on_early(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text(
        "__global__ void f(float* y, int m) {\n"
        "  float* p = y;\n"
        "  for (int i = 0; i < m; ++i) {\n"
        "    if (i == 1) { p += 5; continue; }\n"
        "    p[0] = 0;\n  }\n}\n"
    )
    ((kernel, _),) = read_kernels(str(file), ANYWHERE)
    assert kernel.skipped or all(a.doubt for a in kernel.accesses)
