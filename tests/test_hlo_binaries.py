"""Modules that are written as bytes: what they are called, how they are read, and how that fails."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from symlayout.__main__ import main

BYTES = Path(__file__).parent / "data" / "dumps" / "bytes"

# what each file is, how a user prints its text, and the task of its reader
KINDS = {
    "artifact.mlir": ("a StableHLO 1.18.0 portable artifact", "stablehlo-translate", "artifact"),
    "bytecode.mlir": ("MLIR bytecode", "stablehlo-opt", "mlir"),
    "exported.bin": ("a serialized jax.export program", "jax.export.deserialize", "artifact"),
    "module.hlo.pb": ("an HloModuleProto", "--xla_dump_hlo_as_text", "hlo"),
    "proto.pb": ("an HloProto", "--xla_dump_hlo_as_text", "hlo"),
    "snapshot.hlo_snapshot.pb": ("an HloSnapshot", "--xla_dump_hlo_as_text", "hlo"),
}

MODULE = """HloModule m

ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  ROOT y = f32[2,3]{1,0} negate(x)
}
"""


def test_every_stored_file_is_a_case():
    assert {f.name for f in BYTES.iterdir()} == set(KINDS)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (gzip.compress(MODULE.encode(), mtime=0), "compressed by gzip"),
        (b"\x28\xb5\x2f\xfd\x00\x00\x00", "compressed by Zstandard"),
    ],
    ids=["gzip", "zstd"],
)
def test_compressed_files_are_named(data, words, tmp_path, capsys):
    file = tmp_path / "m.hlo"
    file.write_bytes(data)
    assert main(["check", str(file), "--no-cache"]) == 2
    err = capsys.readouterr().err
    assert f"SL601: {file} is not text: it is {words}" in err
    assert "unpack it with" in err


def test_a_protocol_buffer_that_is_no_module_is_not_named(tmp_path, capsys):
    (tmp_path / "m.hlo").write_text(MODULE)
    (tmp_path / "m.memory-usage-report.pb").write_bytes(b"\x08\x01" * 40)
    assert main(["check", str(tmp_path), "--no-cache"]) == 0
    assert "not read" not in "".join(capsys.readouterr())


VHLO = """module {
  vhlo.func_v1 @main(%arg0: !vhlo.tensor_v1<3x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<3x!vhlo.f32_v1>) {
    %0 = vhlo.abs_v1 %arg0 : !vhlo.tensor_v1<3x!vhlo.f32_v1>
    vhlo.return_v1 %0 : !vhlo.tensor_v1<3x!vhlo.f32_v1>
  }
}
"""

GENERIC = VHLO.replace("= vhlo.abs_v1 %arg0", '= "vhlo.abs_v1"(%arg0)').replace(
    "vhlo.func_v1 @main", '"vhlo.func_v1"() ({ ^bb0'
)


@pytest.mark.parametrize("text", [VHLO, GENERIC, '"vhlo.abs_v1"(%a) : () -> ()\n', VHLO * 3])
def test_vhlo_is_named(text, tmp_path, capsys):
    file = tmp_path / "m.mlir"
    file.write_text(text)
    assert main(["check", str(file), "--no-cache"]) == 2
    err = capsys.readouterr().err
    assert f"SL720: {file} is VHLO, the stored form of StableHLO" in err
    assert "stablehlo-opt --vhlo-legalize-to-stablehlo FILE" in err


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f(%a: tensor<3xf32>) { %0 = stablehlo.abs %a : tensor<3xf32> return }",
        "// vhlo.abs_v1 is in this comment\n"
        "func.func @f(%a: tensor<3xf32>) { %0 = stablehlo.abs %a : tensor<3xf32> return }",
        'func.func @f(%a: tensor<3xf32>) { %0 = stablehlo.custom_call @"my.vhlo.x_v1"(%a) '
        ": (tensor<3xf32>) -> tensor<3xf32> return }",
    ],
)
def test_stablehlo_is_not_taken_for_vhlo(text, tmp_path, capsys):
    file = tmp_path / "m.mlir"
    file.write_text(text)
    main(["check", str(file), "--no-cache", "--allow-empty"])
    assert "VHLO" not in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
@pytest.mark.parametrize("ending", [".hlo", ".mlir", ".pb", ".hlo.pb"])
def test_files_that_are_no_files_are_errors(ending, tmp_path, capsys):
    os.mkfifo(tmp_path / f"pipe{ending}")
    (tmp_path / f"folder{ending}").mkdir()
    os.symlink(f"loop{ending}", tmp_path / f"loop{ending}")
    for name in ("pipe", "loop", "missing"):
        assert main(["check", str(tmp_path / f"{name}{ending}"), "--no-cache"]) == 2
        assert "Traceback" not in capsys.readouterr().err
