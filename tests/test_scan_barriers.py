"""Barriers that some threads do not come to are found, and never proposed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from symlayout import scan

SYNC = "__syncthreads();"
LAUNCH = "void run(float* x, float* y, int n) {{ f<<<(n + 255) / 256, {}>>>(x, y, n); }}\n"


def kernel(body: str, block: str = "256") -> str:
    """A kernel with a statement in each line from the third on, and its launch."""
    lines = "".join(f"  {line}\n" for line in body.split("\n"))
    return (
        "__global__ void f(const float* x, float* y, int n) {\n  __shared__ float s[256];\n"
        f"{lines}}}\n{LAUNCH.format(block) if block else ''}"
    )


def found(tmp_path: Path, text: str, name: str = "k.cu") -> list[Any]:
    file = tmp_path / name
    file.write_text(text)
    findings = [f for f, _ in scan(file).findings]
    return [f for f in findings if f.code in ("barrier", "race")]


T = "int t = threadIdx.x;\nint i = blockIdx.x * blockDim.x + t;\n"
WRONG = {  # a body, and the line of the barrier
    "in a guard": (f"{T}if (i < n) {{\n  s[t] = x[i];\n  {SYNC}\n  y[i] = s[255 - t];\n}}", 7),
    "of some warps": (f"{T}s[t] = 0;\nif (t < 64) {SYNC}\nif (i < n) y[i] = s[t];", 6),
    "in a loop": (
        f"{T}for (int j = 0; j < 4; j++) {{\n  if (i + j < n) {{\n    s[t] = x[i + j];\n    {SYNC}\n"
        "  }\n}\nif (i < n) y[i] = s[t ^ 64];",
        8,
    ),
    "in one of two branches": (
        f"{T}if (t % 2) {{\n  s[t] = 1;\n}} else {{\n  s[t] = 2;\n  {SYNC}\n}}\nif (i < n) y[i] = 1;",
        9,
    ),
    "for the first thread": (f"{T}if (t == 0) {{\n  s[0] = x[0];\n  {SYNC}\n}}\ny[t] = s[0];", 7),
    "of fewer turns": (
        f"{T}for (int j = 0; j < t; j++) {{\n  {SYNC}\n}}\nif (i < n) y[i] = x[i];",
        6,
    ),
    "in a function": (
        f"{T}s[t] = x[0];\nauto wait = [&]() {{ }};\nif (t > 31)\n  {SYNC}\nif (i < n) y[i] = s[t];",
        8,
    ),
}
RIGHT = {
    "after the guard": f"{T}if (i < n) s[t] = x[i];\n{SYNC}\nif (i < n) y[i] = s[255 - t];",
    "in both branches": f"{T}if (t < 64) {{\n  {SYNC}\n}} else {{\n  {SYNC}\n}}\ny[i] = x[i];",
    "of a size alone": f"{T}if (n > 4) {{\n  s[t] = 1;\n  {SYNC}\n}}\nif (i < n) y[i] = s[t];",
    "of a block": f"{T}if (blockIdx.x == 0) {{\n  s[t] = 1;\n  {SYNC}\n}}\nif (i < n) y[i] = s[t];",
    "after a return": f"{T}if (i >= n) return;\ns[t] = x[i];\n{SYNC}\ny[i] = s[t];",
    "in a loop of all": f"{T}for (int j = 0; j < n; j++) {{\n  {SYNC}\n}}\nif (i < n) y[i] = x[i];",
    "of the whole block": f"{T}if (t < 256) {{\n  s[t] = 1;\n  {SYNC}\n}}\ny[i] = s[255 - t];",
    "a reduction": (
        f"{T}s[t] = i < n ? x[i] : 0;\n{SYNC}\nfor (int k = 128; k > 0; k /= 2) {{\n"
        f"  if (t < k) s[t] += s[t + k];\n  {SYNC}\n}}\nif (t == 0) y[blockIdx.x] = s[0];"
    ),
    "what is loaded": f"{T}if (x[blockIdx.x] > 0) {{\n  s[t] = 1;\n  {SYNC}\n}}\ny[i] = s[t];",
}


@pytest.mark.parametrize("case", WRONG)
def test_a_barrier_that_some_threads_do_not_come_to_is_found(case: str, tmp_path: Path) -> None:
    body, line = WRONG[case]
    findings = [f for f in found(tmp_path, kernel(body)) if f.code == "barrier"]
    assert [f.span.line for f in findings] == [line]
    assert findings[0].expression == "__syncthreads()"


@pytest.mark.parametrize("case", RIGHT)
def test_a_barrier_of_all_threads_is_right(case: str, tmp_path: Path) -> None:
    assert found(tmp_path, kernel(RIGHT[case])) == []


def test_a_launch_says_which_threads_there_are(tmp_path: Path) -> None:
    body = f"{T}if (t < 128) {{\n  s[t] = x[0];\n  {SYNC}\n}}\nif (i < n) y[i] = 1;"
    assert found(tmp_path, kernel(body, "128")) == []
    assert [f.confidence for f in found(tmp_path, kernel(body, "256"))] == ["high"]
    assert [f.confidence for f in found(tmp_path, kernel(body, ""))] == ["medium"]


RACES = {  # a body with a race, and the line after which the barrier belongs
    "a statement": ("s[t] = x[t];\ny[t] = s[255 - t];", 5),
    "a guard": ("if (i < n) s[t] = x[i];\nif (i < n) y[i] = s[255 - t];", 5),
    "a guard in braces": (
        "if (i < n) {\n  s[t] = x[i];\n}\nif (i < n) {\n  y[i] = s[255 - t];\n}",
        7,
    ),
    "a loop": (
        "for (int j = 0; j < 2; j++)\n  if (i < n)\n    s[t] = x[i + j];\n"
        "if (i < n) y[i] = s[255 - t];",
        7,
    ),
    "a loop in braces": (
        "for (int j = 0; j < 2; j++) {\n  if (i < n) {\n    s[t] = x[i];\n  }\n}\n"
        "if (i < n) y[i] = s[255 - t];",
        9,
    ),
    "both in a loop": (
        "for (int j = 0; j < 2; j++) {\n  if (i < n) s[t] = x[i];\n  if (i < n) y[i] = s[255 - t];\n}",
        6,
    ),
}


@pytest.mark.parametrize("case", RACES)
def test_a_barrier_is_proposed_where_all_threads_come(case: str, tmp_path: Path) -> None:
    body, line = RACES[case]
    text = kernel(T + body)
    (one,) = found(tmp_path, text)
    assert (one.code, one.mend) == ("race", f"write `{SYNC}` after line {line}")
    lines = text.split("\n")
    assert found(tmp_path, "\n".join([*lines[:line], SYNC, *lines[line:]])) == []


NOWHERE = {
    "in a guard": "if (i < n) {\n  s[t] = x[i];\n  y[i] = s[255 - t];\n}",
    "of what is loaded": "if (x[i] > 0) {\n  s[t] = x[i];\n  y[i] = s[255 - t];\n}",
    "after a return": "if (i >= n) return;\ns[t] = x[i];\ny[i] = s[255 - t];",
    "in a loop of some": "for (int j = t; j < n; j += 256) {\n  s[t] = x[j];\n  y[j] = s[255 - t];\n}",
    "in one line": "if (i < n) { s[t] = x[i]; y[i] = s[255 - t]; }",
}


@pytest.mark.parametrize("case", NOWHERE)
def test_a_barrier_is_not_proposed_where_some_threads_do_not_come(
    case: str, tmp_path: Path
) -> None:
    for one in found(tmp_path, kernel(T + NOWHERE[case])):
        assert SYNC not in one.mend
        assert "where all threads of the block come to it" in one.mend


KEPT = {  # barriers that order what a move would not
    "in a loop of some": (
        f"{T}for (int j = t; j < n; j += blockDim.x) {{\n  y[j] = s[t ^ 64];\n  {SYNC}\n"
        "  s[t] = x[j];\n}"
    ),
    "at the end of a turn": f"{T}for (int j = t; j < n; j += 256) {{\n  s[t] = x[j];\n  {SYNC}\n}}",
    "before an access": f"{T}if (t < 64) {{\n  {SYNC}\n  s[t] = 1;\n}}\ny[t] = x[t];",
    "in its line": f"{T}if (t < 64) {SYNC}\ny[t] = x[t];",
    "before an access of a branch": (
        f"{T}if (t < 64) {{\n  if (n > 3) {{\n    {SYNC}\n  }}\n  s[t] = 1;\n}}\ny[t] = x[t];"
    ),
}


@pytest.mark.parametrize("case", KEPT)
def test_a_barrier_is_not_moved_past_an_access_or_out_of_a_loop(case: str, tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(kernel(KEPT[case]))
    findings = [f for f, _ in scan(file).findings if f.code == "barrier"]
    assert findings
    for f in findings:
        assert "move" not in f.mend


@pytest.mark.parametrize("case", ["in a guard", "in a loop", "for the first thread"])
def test_a_barrier_is_moved_to_where_all_threads_come(case: str, tmp_path: Path) -> None:
    body, line = WRONG[case]
    text = kernel(body)
    (one,) = [f for f in found(tmp_path, text) if f.code == "barrier"]
    match = re.fullmatch(rf"move `{re.escape(SYNC)}` after line (\d+)", one.mend)
    if case == "in a guard":  # then the read is before it
        assert match is None
        return
    assert match is not None
    after = int(match[1])
    lines = text.split("\n")
    moved = [*lines[: line - 1], *lines[line:after], SYNC, *lines[after:]]
    assert found(tmp_path, "\n".join(moved)) == []
