"""Modules of JAX programs for CPU and TPU: read whole, nothing refuted, bytes as compilers count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symlayout.__main__ import main

DUMPS = Path(__file__).parent / "data" / "dumps"

COUNTS = json.loads((DUMPS / "memory.json").read_text())

EMPTY = """HloModule m
ENTRY e { x = token[] parameter(0)
  ROOT y = token[] custom-call(x), custom_call_target="f" }"""


def test_nothing_checked_is_an_error_that_can_be_allowed(tmp_path, capsys):
    (tmp_path / "m.hlo").write_text(EMPTY)
    for path in (tmp_path, tmp_path / "m.hlo"):
        assert main(["check", str(path), "--no-cache"]) == 2
        assert "SL602" in capsys.readouterr().err
        assert main(["check", str(path), "--no-cache", "--allow-empty"]) == 0
        assert "1 custom-call" in capsys.readouterr().out
    (tmp_path / "none").mkdir()
    assert main(["check", str(tmp_path / "none"), "--no-cache"]) == 2
    assert main(["check", str(tmp_path / "none"), "--no-cache", "--json"]) == 2
    assert "SL602" in capsys.readouterr().out


def test_a_dump_folder(tmp_path, capsys):
    text = (DUMPS / "whilecond.cpu.hlo").read_text()
    head = "module_0001.jit_f.cpu"
    (tmp_path / f"{head}_after_optimizations.txt").write_text(text)
    (tmp_path / f"{head}_after_optimizations-buffer-assignment.txt").write_text(
        "BufferAssignment:\n"
    )
    (tmp_path / f"{head}_after_optimizations-memory-usage-report.txt").write_text(
        "Total bytes: 1\n"
    )
    (tmp_path / "module_0001.jit_f.before_optimizations.txt").write_text("HloModule broken {")
    (tmp_path / "notes.txt").write_text("nothing\n")
    assert main(["check", str(tmp_path), "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert "the last stage of each module is taken; left out: " in out
    assert "before_optimizations.txt" in out
    assert "in 1 file" in out
    assert main(["check", str(tmp_path), "--no-cache", "--json"]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    assert (module["name"], module["stage"]) == ("jit__lambda", "cpu_after_optimizations")
    assert module["arguments"] == COUNTS["whilecond.cpu"]["argument_size_in_bytes"]
    beside = next(tmp_path.glob("*-buffer-assignment.txt"))
    assert main(["check", str(beside), "--no-cache"]) == 2
    assert "beside" in capsys.readouterr().err


LEFT = """HloModule m
ENTRY e {
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} frobnicate(x)
  ROOT z = f32[4]{0} frobnicate(y)
}
"""

SAID = {
    "full": "not checked in {file}: 2 frobnicate",
    "concise": "{file}:1:1: not checked: 2 frobnicate in m",
    "github": "::notice file={file},line=1,col=1,title=not checked::2 frobnicate in m",
    "junit": '<skipped message="not checked: 2 frobnicate in m"/>',
    "sarif": '"text": "2 frobnicate in m"',
    "json": '"frobnicate": 2',
}


@pytest.mark.parametrize("form", SAID)
def test_what_is_not_checked_is_said_in_every_format(form, tmp_path, capsys):
    file = tmp_path / "m.hlo"
    file.write_text(LEFT)
    assert main(["check", str(file), "--format", form, "--no-cache"]) == 0
    assert SAID[form].format(file=file) in capsys.readouterr().out
    file.write_text(LEFT.replace("{0}", ""))
    assert main(["check", str(file), "--format", form, "--no-cache"]) == 2
    both = "".join(capsys.readouterr())
    assert "no claims found in" in both
    assert "frobnicate" in both


DUMPED = """HloModule m, is_scheduled=true
ENTRY e {
  p = f32[2,4]{1,0} parameter(0)
  ROOT y = f32[2,4]{1,0} negate(p)
}
"""

ASSIGNED = """BufferAssignment:
allocation 0: 0x5f00, size 32, color 1, maybe-live-out:
 value: <2 y @0> (size=32,offset=0): f32[2,4]{1,0}
allocation 1: size BYTES, parameter 0, shape |f32[2,4]| at ShapeIndex {}:
 value: <1 p @0> (size=32,offset=0): f32[2,4]{1,0}
allocation 2: size 640, thread-local:
"""

REPORT = """Memory Space: default (color=0)
Total bytes: 96 (96B)

Memory Space: other (color=1)
Total bytes: 32 (32B)
"""


@pytest.mark.parametrize(
    ("ending", "beside", "spaces", "arguments", "said"),
    [
        ("buffer-assignment", ASSIGNED.replace("BYTES", "32"), {"0": 32, "1": 32}, 32, "the same"),
        ("buffer-assignment", ASSIGNED.replace("BYTES", "40"), {"0": 40, "1": 32}, 40, "32 here"),
        (
            "memory-usage-report",
            REPORT,
            {"0": 96, "1": 32},
            None,
            "in S(0); 64 are needed (66.7 %)",
        ),
    ],
)
def test_what_the_compiler_counts_stands_beside_our_counts(
    ending, beside, spaces, arguments, said, tmp_path, capsys
):
    stem = tmp_path / "module_0001.jit_f.cpu_after_optimizations"
    file = Path(f"{stem}.txt")
    file.write_text(DUMPED)
    cache = ["--cache-dir", str(tmp_path / "cache")]
    assert main(["check", str(file), *cache]) == 0
    assert "the compiler" not in capsys.readouterr().out
    Path(f"{stem}-{ending}.txt").write_text(beside)
    given = tmp_path / "module_0001.jit_f" / "module.mlir"
    given.parent.mkdir()
    given.write_text("func.func @main() { %0 = stablehlo.constant dense<1> : tensor<i32> return }")
    assert main(["check", str(tmp_path), *cache]) == 0
    out = capsys.readouterr().out
    assert said in out
    assert f"left out: {given}" in out
    assert main(["check", str(tmp_path), "--json", *cache]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    assert module["compiler"]["spaces"] == spaces
    assert module["compiler"]["arguments"] == arguments
