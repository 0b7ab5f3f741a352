"""A scan says what it did not look at, and which command does."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from symlayout.__main__ import main

TRITON = """import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i))
"""
CONTRACT = "# symlayout: kernel\n#   x_ptr is f32[n]\n#   y_ptr is f32[n]\n"
SHARED = """__global__ void rev(const float* x, float* y) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = s[255 - threadIdx.x];
}
"""
LAUNCH = "void run(float* x, float* y) { rev<<<1, 32>>>(x, y); }\n"
SYNC = SHARED.replace("  y[", "  __syncthreads();\n  y[")
PLAIN = """__global__ void f(float* x) { x[threadIdx.x] = 1; }
"""
MEDIUM = """import triton
import triton.language as tl


@triton.jit
def f(bias_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    tl.store(bias_ptr + tl.program_id(0) * N + c, 0, mask=c < N)
"""
UNKNOWN = TRITON + "".join(f"    foo{k}(x_ptr)\n" for k in range(30))


def scan(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    *options: str,
) -> tuple[int, list[str]]:
    """The exit code and the lines of a scan of files."""
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    code = main(["scan", *options, *files])
    return code, capsys.readouterr().out.splitlines()


NEXT = "this is not a proof: bounds, conflicts and coverage need a contract; next: symlayout "
NOTES = {
    "no contract": ({"k.py": TRITON}, 0, f"{NEXT}contract k.py"),
    "a contract": (
        {"k.py": TRITON.replace("@triton.jit\n", f"{CONTRACT}@triton.jit\n")},
        0,
        f"{NEXT}check k.py",
    ),
    "a name with a space": ({"my k.py": TRITON}, 0, f"{NEXT}contract 'my k.py'"),
    "several files": ({"k.py": TRITON, "l.py": TRITON}, 0, f"{NEXT}contract FILE"),
    "one of two files has a kernel": (
        {"k.py": TRITON, "m.py": "x = 1\n"},
        0,
        f"{NEXT}contract k.py",
    ),
    "CUDA": ({"k.cu": PLAIN}, 0, f"{NEXT}contract k.cu"),
    "no kernel": (
        {"m.py": "x = 1\n"},
        0,
        "no kernel was read; scan reads Triton, CUDA, HIP, OpenCL, Metal and AscendC",
    ),
    "hidden": ({"k.py": MEDIUM}, 0, "1 more finding of medium confidence: --all shows them"),
    "races": (
        {"k.cu": SHARED},
        0,
        "k.cu:1: note: races are not checked in rev: no launch in the file gives the size of its block",
    ),
}


@pytest.mark.parametrize("case", NOTES)
def test_what_was_not_looked_at_is_said(
    case: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files, code, note = NOTES[case]
    result, lines = scan(tmp_path, capsys, monkeypatch, files)
    assert (result, note in lines) == (code, True), lines


UNREAD = SHARED.replace("= s[255 - threadIdx.x]", "= 1")


@pytest.mark.parametrize("text", [SHARED + LAUNCH, SYNC, PLAIN, UNREAD])
def test_races_that_are_looked_for_need_no_note(
    text: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, lines = scan(tmp_path, capsys, monkeypatch, {"k.cu": text})
    assert not any("races" in x for x in lines)


def test_a_finding_needs_no_next_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, lines = scan(tmp_path, capsys, monkeypatch, {"k.py": MEDIUM}, "--all")
    assert code == 1
    assert not any(x.startswith(NEXT) or "--all" in x for x in lines)


def test_lines_that_are_not_understood_are_all_shown_with_v(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, few = scan(tmp_path, capsys, monkeypatch, {"k.py": UNKNOWN})
    assert sum(": not understood: " in x for x in few) == 20
    assert "10 more lines not understood: -v shows all" in few
    for option in ("-v", "--verbose"):
        _, every = scan(tmp_path, capsys, monkeypatch, {"k.py": UNKNOWN}, option)
        assert sum(": not understood: " in x for x in every) == 30


def test_json_has_what_was_not_looked_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"k.cu": SHARED, "k.py": MEDIUM}
    _, lines = scan(tmp_path, capsys, monkeypatch, files, "--json")
    data = json.loads("\n".join(lines))
    assert data["summary"]["hidden"] == 1
    assert [(r["function"], r["check"]) for r in data["unchecked"]] == [("rev", "race")]


SLIPS = {
    "a power": (["scan", "--max-size", "2^20", "k.py"], "write 2**20 for a power"),
    "an option of a claim": (
        ["prove", "injective", "(M,N):(N,1)", "--wher", "N > 1"],
        "did you mean '--where'?",
    ),
    "an option of scan": (["scan", "--max-sise", "3", "k.py"], "did you mean '--max-size'?"),
}


@pytest.mark.parametrize("case", SLIPS)
def test_a_slip_is_answered_with_what_to_write(
    case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, help = SLIPS[case]
    assert main(arguments) == 2
    assert help in capsys.readouterr().err


def test_help_for_catlass_names_its_layouts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tile.cpp"
    file.write_text(
        '#include "catlass/catlass.hpp"\n'
        'extern "C" __global__ __aicore__ void mm(GM_ADDR a, uint32_t M) {\n'
        "  auto layout = MakeLayout<half, layout::RowMajor>(M, M);\n"
        "  Copy(a, layout);\n}\n"
    )
    assert main(["scan", str(file)]) == 2
    help = capsys.readouterr().err
    command = help[help.index("`symlayout prove") + 1 :].partition("`")[0]
    assert "zN" in command
    assert main(shlex.split(command)[1:]) == 0
