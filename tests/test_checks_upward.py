"""Formulas in comments follow definitions upward, and only those that are sure."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check

PYTHON = {
    "plain": ("    base = r * N\n", "", "base + c", "proved"),
    "of another size": ("    base = r * M\n", "", "base + c", "refuted"),
    "in two steps": ("    row = r\n    base = row * N\n", "", "base + c", "proved"),
    "above a loop": ("    base = r * N\n    for c in range(N):\n", "    ", "base + c", "proved"),
    "moved in a loop": (
        "    base = 0\n    for r in range(M):\n",
        "    ",
        "base + c\n        base += N",
        "error",
    ),
    "changed in a branch": ("    base = r * N\n    if M: base = 1\n", "", "base + c", "error"),
    "another value meanwhile": (
        "    base = r * k\n    k = M\n",
        "",
        "base + c",
        "error",
    ),
    "a parameter's": ("", "", "base + c", "error"),
    "written over": ("    base = r * N\n    base[:] = M\n", "", "base + c", "error"),
    "filled": ("    base = r * N\n    base.fill(M)\n", "", "base + c", "error"),
    "an operation in place": (
        "    base = r * N\n    np.add(base, M, out=base)\n",
        "",
        "base + c",
        "error",
    ),
    "of a pattern": (
        "    base = r * N\n    match M:\n        case base: pass\n",
        "",
        "base + c",
        "error",
    ),
    "another module": ("    base = r * N\n    import numpy as base\n", "", "base + c", "error"),
    "given to a function": ("    base = r * N\n    k = f(base)\n", "", "base + c", "proved"),
}
C = {
    "plain": ("int base = r * N;", "int off = base + c;", "proved"),
    "of another size": ("int base = r * M;", "int off = base + c;", "refuted"),
    "a cast": ("const size_t base = (size_t)r * N;", "size_t off = base + c;", "proved"),
    "in two steps": ("int row = r; int base = row * N;", "int off = base + c;", "proved"),
    "moved in a loop": (
        "int base = 0; for (r = 0; r < M; ++r) {",
        "int off = base + c; base += N; }",
        "error",
    ),
    "in a loop": (
        "for (r = 0; r < M; ++r) { int base = r * N;",
        "int off = base + c; }",
        "proved",
    ),
    "changed in a branch": (
        "int base = r * N; if (M) { base = 1; }",
        "int off = base + c;",
        "error",
    ),
    "given away": ("int base = r * N; step(&base);", "int off = base + c;", "error"),
    "meanwhile another": ("int base = r * k; k = M;", "int off = base + c;", "error"),
}
MOVED = {
    "float* row = p + r * N;": "proved",
    "float* row = &p[r * N];": "proved",
    "float* row = p + r * M;": "refuted",
    "float* row = p + (size_t)r * N; row += 1;": "error",
}


def outcome(tmp_path: Path, name: str, text: str) -> str:
    file = tmp_path / name
    file.write_text(text)
    (result,) = check([str(file)]).results
    return result.outcome.status


@pytest.mark.parametrize("case", PYTHON)
def test_python(tmp_path: Path, case: str) -> None:
    above, indent, expression, status = PYTHON[case]
    claim = f'{indent}    # symlayout: formula "f32[M,N]" coords r, c\n'
    text = f"def f(r, c, M, N):\n{above}{claim}{indent}    off = {expression}\n"
    assert outcome(tmp_path, "k.py", text) == status


@pytest.mark.parametrize("case", C)
def test_c(tmp_path: Path, case: str) -> None:
    above, below, status = C[case]
    claim = '// symlayout: formula "f32[M,N]" coords r, c\n'
    text = f"void f(int r, int c, int M, int N) {{\n  {above}\n  {claim}  {below}\n}}\n"
    assert outcome(tmp_path, "k.cpp", text) == status


@pytest.mark.parametrize("case", MOVED)
def test_a_pointer_that_was_moved(tmp_path: Path, case: str) -> None:
    claim = '// symlayout: formula "f32[M,N]" coords r, c of p\n'
    text = (
        f"void f(float* p, int r, int c, int M, int N) {{\n  {case}\n  {claim}  row[c] = 0;\n}}\n"
    )
    assert outcome(tmp_path, "k.cpp", text) == MOVED[case]
    if "row +=" not in case:
        line = case.replace("float* ", "").replace("&p[", "p + (").replace("];", ")").rstrip(";")
        claim = '# symlayout: formula "f32[M,N]" coords r, c of p\n'
        text = f"def f(p, r, c, M, N):\n    {line}\n    {claim}    v = load(row + c)\n"
        assert outcome(tmp_path, "k.py", text) == MOVED[case]


def test_what_the_comment_says_itself_comes_first(tmp_path: Path) -> None:
    text = (
        "def f(r, c, M, N):\n    base = r * M\n"
        '    # symlayout: formula "f32[M,N]" coords r, c with base = r*N\n    off = base + c\n'
    )
    assert outcome(tmp_path, "k.py", text) == "proved"
