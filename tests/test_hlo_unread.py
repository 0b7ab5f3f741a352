"""A file of which nothing was read is an error; one that was read whole and claims nothing is not."""

from __future__ import annotations

import json

import pytest

from symlayout.__main__ import main

FUNCTION = """func.func @main(%a: TYPE, %b: TYPE) -> TYPE {
BODY
}
"""


def function(body: str, type: str = "tensor<3xf32>") -> str:
    """A function of two values of one type."""
    return FUNCTION.replace("BODY", body).replace("TYPE", type)


TOSA = '  %0 = "tosa.add"(%a, %b) : (TYPE, TYPE) -> TYPE\n  return %0 : TYPE'

# the name, the text, the exit code, and what is printed
FILES = {
    "another dialect": (
        "x.mlir", function(TOSA), 2, ["no claims found in", "1 tosa.add"],
    ),
    "two operations, none of them read": (
        "x.mlir",
        function("  %0 = arith.addf %a, %b : TYPE\n  %1 = math.sqrt %0 : TYPE\n  return %1 : TYPE"),
        2,
        ["1 arith.addf, 1 math.sqrt", "no claims found in"],
    ),
    "memrefs": (
        "x.mlir", "func.func @main(%a: memref<3xf32>) { return }\n", 2, ["no claims found in"],
    ),
    "no function": ("x.mlir", "module {}\n", 2, ["no claims found in"]),
    "Triton's functions": (
        "x.mlir", "tt.func public @k(%x: !tt.ptr<f32>) {\n  tt.return\n}\n", 2, ["no claims found in"],
    ),
    "a loop of another dialect": (
        "x.mlir",
        function("  %0 = scf.execute_region -> TYPE {\n    scf.yield %a : TYPE\n  }\n"
                 "  return %0 : TYPE"),
        2,
        ["scf.execute_region"],
    ),
    "an operation that is read, and one that is not": (
        "x.mlir",
        function('  %0 = stablehlo.add %a, %b : TYPE\n  %1 = "my.op"(%0) : (TYPE) -> TYPE\n'
                 "  return %1 : TYPE"),
        0,
        ["not checked in x.mlir: 1 my.op", "1 claim in 1 file (1 proved)"],
    ),
    "scalars": (
        "x.mlir", function("  return %a : TYPE", "tensor<f32>"), 0, ["nothing to check in x.mlir"],
    ),
    "arguments that are returned": (
        "x.mlir", function("  return %a : TYPE"), 0, ["nothing to check in x.mlir", "0 claims"],
    ),
    "a token of HLO": (
        "x.hlo", "HloModule m\nENTRY e { ROOT a = token[] parameter(0) }\n", 0, ["nothing to check"],
    ),
    "a scalar of HLO": (
        "x.hlo", "HloModule m\nENTRY e { ROOT a = f32[] parameter(0) }\n", 0, ["nothing to check"],
    ),
    "a custom call": (
        "x.hlo",
        "HloModule m\nENTRY e {\n  a = f32[] parameter(0)\n"
        '  ROOT c = f32[] custom-call(a), custom_call_target="mine"\n}\n',
        2,
        ["not checked in x.hlo: 1 custom-call", "no claims found in"],
    ),
    "a return of another type": (
        "x.mlir",
        function(TOSA).replace("-> tensor<3xf32> {", "-> tensor<4xf32> {"),
        1,
        ["refuted", "3 and 4"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_named(tmp_path, monkeypatch, capsys, name: str) -> None:
    file, text, code, words = FILES[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_text(text)
    assert main(["check", file]) == code
    out, err = capsys.readouterr()
    for word in words:
        assert word in out + err
    if code == 2:
        assert "0 claims" in out
        assert main(["check", file, "--allow-empty"]) == 0


def test_the_report_says_that_there_was_nothing_to_check(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for file, name in (
        ("a.mlir", "scalars"),
        ("b.mlir", "an operation that is read, and one that is not"),
    ):
        (tmp_path / file).write_text(FILES[name][1])
    assert main(["check", "a.mlir", "b.mlir", "--json"]) == 0
    modules = json.loads(capsys.readouterr().out)["modules"]
    assert [(m["file"], m["nothing_to_check"]) for m in modules] == [
        ("a.mlir", True),
        ("b.mlir", False),
    ]


def test_a_folder_of_other_dialects_is_an_error(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.mlir").write_text(FILES["memrefs"][1])
    assert main(["check", "in"]) == 2
    out, err = capsys.readouterr()
    assert "1 MLIR file there without StableHLO" in out + err
