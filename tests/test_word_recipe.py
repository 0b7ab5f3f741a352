"""A function of Triton's language is one row of `triton/words/table.py`, and a function.

Both are added to a copy of the package; the commands are those of users.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORDS = "symlayout/programs/kernels/triton/words"
FUNCTION = '''

def snake(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A column that goes back in each second row."""
    i, j, size = (it.value(a, env) for a in node.args)
    back = Block(binary("-", binary("-", size.node, num(1)), j.node), j.shape)
    odd = Block(binary("%", i.node, num(2)), i.shape)
    return selection(it, condition(it, odd, node.lineno), back, j, node.lineno)
'''
ROW = '    "snake": Word("compute", numbers.snake),\n'
KERNEL = """
import triton
import triton.language as tl

# symlayout: kernel grid (M,)
#   y_ptr is f32[M,N] written once
#   where N <= 1048576, M <= 1048576
@triton.jit
def copy(y_ptr, M, N, B: tl.constexpr):
    i = tl.program_id(0)
    for start in range(0, N, B):
        j = start + tl.arange(0, B)
        at = i.to(tl.int64) * N + {column}
        tl.store(y_ptr + at, 0.0, mask=j < N)
"""
CALL, BY_HAND = "tl.snake(i, j, N)", "tl.where(i % 2 != 0, N - 1 - j, j)"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package whose Triton has one function more."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "symlayout", root / "symlayout", ignore=ignored)
    numbers, table = root / WORDS / "numbers.py", root / WORDS / "table.py"
    numbers.write_text(numbers.read_text() + FUNCTION)
    mark = '    "static_assert": '
    assert mark in table.read_text()
    table.write_text(table.read_text().replace(mark, ROW + mark, 1))
    return root


def accesses(root: Path, column: str) -> list[tuple[str, str]]:
    """The kind and the index of each access, and what is not understood."""
    file = root / "kernel.py"
    file.write_text(KERNEL.format(column=column))
    env = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "symlayout", "accesses", file.name, "--json"]
    run = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, timeout=120)
    (kernel,) = json.loads(run.stdout)["kernels"]
    rows = [(a["kind"], a["index"]) for a in kernel["accesses"]]
    return rows + [("skipped", s["reason"]) for s in kernel["skipped"]]


def test_the_function_is_read_as_what_it_computes(copy: Path) -> None:
    assert accesses(copy, CALL) == accesses(copy, BY_HAND)
    assert [kind for kind, _ in accesses(copy, CALL)] == ["store"]


def test_nobody_knows_the_function_here(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "symlayout", tmp_path / "symlayout")
    assert accesses(tmp_path, CALL) != accesses(tmp_path, BY_HAND)
