"""Modules that are written as bytes: what they are called, how they are read, and how that fails."""

from __future__ import annotations

import gzip
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout.__main__ import main
from symlayout.checks import binaries
from symlayout.checks.binaries import kind_of
from symlayout.checks.module_file import language, module_text, of_another_dialect

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


@pytest.mark.parametrize("name", KINDS)
def test_a_binary_module_is_named(name, monkeypatch, capsys):
    """Also where jaxlib is missing, and then with what to do."""
    monkeypatch.setattr(binaries, "find_spec", lambda package: None)
    words, cure, reader = KINDS[name]
    made = kind_of((BYTES / name).read_bytes())
    assert made.words.startswith(words)
    assert made.reader == reader
    assert main(["check", str(BYTES / name), "--no-cache"]) == 2
    said = capsys.readouterr().err
    assert f"SL509: {BYTES / name} is not text: it is {words}" in said
    assert "pip install 'symlayout[jax]'" in said
    assert cure in said
    assert language(str(BYTES / name)) == "bytes"
    assert main(["diff", str(BYTES / name), str(BYTES / name)]) == 2
    assert "SL509" in capsys.readouterr().err


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.skipif(find_spec("jaxlib") is None, reason="jaxlib is not installed")
def test_jaxlib_prints_its_text(name, capsys):
    text, words = module_text(str(BYTES / name))
    assert words.startswith(KINDS[name][0])
    assert "jit_small" in text
    assert main(["check", str(BYTES / name), "--no-cache"]) == 0


def as_reader(monkeypatch, tmp_path, code):
    """Lets a program take the place of what asks jaxlib."""
    script = tmp_path / "reader.py"
    script.write_text(code)
    monkeypatch.setattr(binaries, "find_spec", lambda package: True)
    monkeypatch.setattr(binaries.jaxlib_reader, "__file__", str(script))


@pytest.mark.parametrize("name", KINDS)
def test_what_is_read_is_checked_as_text(name, tmp_path, monkeypatch, capsys):
    task = KINDS[name][2]
    code = (
        f"import sys\nassert sys.argv[1:] == [{task!r}]\n"
        f"assert len(sys.stdin.buffer.read()) > 500\nprint({MODULE!r}, end='')\n"
    )
    as_reader(monkeypatch, tmp_path, code)
    file = str(BYTES / name)
    assert main(["check", file, "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert f"{file} is {KINDS[name][0]}" in out
    assert "line numbers refer to the text that jaxlib prints" in out
    assert "(m): arguments 24 bytes, outputs 24 bytes" in out
    assert main(["diff", file, file]) == 0
    # the cache keeps what was read, by the text
    cache = ["--cache-dir", str(tmp_path / "cache")]
    for _ in range(2):
        capsys.readouterr()
        assert main(["check", file, *cache]) == 0
        assert "line numbers refer" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys\nprint('a\\nlast line', file=sys.stderr)\nsys.exit(1)", "it: last line"),
        ("import os\nos.kill(os.getpid(), 9)", "the process ended"),
        ("import os\nos.abort()", "the process ended"),
        ("import time\ntime.sleep(60)", "it takes too long"),
        ("print('x' * 2000)", "its text has more than 1,000 bytes"),
    ],
)
def test_a_reader_that_fails_is_an_error_that_says_so(code, said, tmp_path, monkeypatch, capsys):
    as_reader(monkeypatch, tmp_path, code)
    monkeypatch.setattr(binaries, "SECONDS", 5.0)
    monkeypatch.setattr(binaries, "MODULE_BYTES", 1000)
    assert main(["check", str(BYTES / "module.hlo.pb"), "--no-cache"]) == 2
    err = capsys.readouterr().err
    assert "SL601" in err
    assert said in err
    assert "Traceback" not in err


def test_the_reader_itself_says_what_is_missing(tmp_path):
    import subprocess

    command = [sys.executable, binaries.jaxlib_reader.__file__, "hlo"]
    run = subprocess.run(command, input=b"no module", capture_output=True, check=False)
    assert run.returncode == 1
    assert run.stdout == b""
    assert run.stderr.count(b"\n") == 1


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


@pytest.mark.parametrize(
    "data",
    [
        MODULE.encode(),
        b"\n\n[[claim]]\nprove = 'x'\n",  # begins as a field of a protocol buffer
        "HloModule \u00e9".encode(),
        b"",
        "module @m {} // \u20ac".encode()[:-1],  # cut within a character
    ],
)
def test_text_is_not_taken_for_bytes(data):
    assert kind_of(data) is None


@pytest.mark.parametrize(
    "data",
    [b"\0\1\2\3", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\x7fELF\2\1\1\0", b"PK\3\4\0\0", b"\n\0\0"],
)
def test_other_bytes_are_no_modules(data, tmp_path, capsys):
    assert kind_of(data) is None
    file = tmp_path / "m.hlo"
    file.write_bytes(data)
    assert main(["check", str(file), "--no-cache"]) == 2
    assert "SL601" in capsys.readouterr().err


@given(st.sampled_from(sorted(KINDS)), st.integers(0, 1500), st.binary(max_size=20))
def test_no_bytes_are_too_odd(name, cut, more):
    data = (BYTES / name).read_bytes()[:cut] + more
    made = kind_of(data)
    assert made is None or made.words


@given(st.binary(max_size=300))
def test_no_random_bytes_are_too_odd(data):
    kind_of(data)
    kind_of(b"ML\xefR" + data)
    kind_of(b"\n\4main" + data)


def test_bytecode_in_a_folder_is_not_passed_over(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(binaries, "find_spec", lambda package: None)
    (tmp_path / "m.mlir").write_bytes((BYTES / "artifact.mlir").read_bytes())
    assert not of_another_dialect(str(tmp_path / "m.mlir"))
    assert main(["check", str(tmp_path), "--no-cache"]) == 2
    assert "portable artifact" in capsys.readouterr().err


def test_a_folder_with_bytes_alone_says_so(tmp_path, capsys):
    name = tmp_path / "module_0001.jit_f.cpu_after_optimizations.hlo.pb"
    name.write_bytes((BYTES / "module.hlo.pb").read_bytes())
    assert main(["check", str(tmp_path), "--no-cache"]) == 2
    assert f"modules are there as bytes alone ({name}); name one of them" in capsys.readouterr().err


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
