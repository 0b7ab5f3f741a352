"""Properties of internal modules; `tests/test_hlo_binaries.py` tests the public interface."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_hlo_binaries import BYTES, KINDS, MODULE

from symlayout.__main__ import main
from symlayout.checks import binaries, silence
from symlayout.checks.binaries import kind_of
from symlayout.checks.module_file import language, of_another_dialect
from symlayout.checks.reading import ANYWHERE


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
    assert language(str(BYTES / name), ANYWHERE) == "bytes"
    assert main(["diff", str(BYTES / name), str(BYTES / name)]) == 2
    assert "SL509" in capsys.readouterr().err


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
        f"import sys\nassert sys.argv[1] == {task!r}\n"
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
        ("import sys\nprint('a\\x1b[2Jb', file=sys.stderr)\nsys.exit(1)", "a\\x1b[2Jb"),
        ("import sys\nprint('x' * 10**6, file=sys.stderr)\nsys.exit(1)", "xxx"),
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
    assert len(err) < 2000
    assert all(c.isprintable() or c == "\n" for c in err)


def run_reader(*arguments, code="", path=None, data=b"no module"):
    """The reader's own process; `code` runs first in it."""
    import subprocess

    script = binaries.jaxlib_reader.__file__
    lines = f"import runpy, sys\n{code}\nsys.argv[1:] = {list(arguments)}\n"
    lines += f"runpy.run_path({script!r}, run_name='__main__')\n"
    env = {**os.environ, "PYTHONPATH": str(path or "")}
    command = [sys.executable, "-P", "-c", lines]
    return subprocess.run(command, input=data, capture_output=True, check=False, env=env)


def test_the_reader_itself_says_what_is_missing():
    run = run_reader("hlo", "1000", "10")
    assert run.returncode == 1
    assert run.stdout == b""
    assert run.stderr.count(b"\n") == 1


def stand_in(folder, body):
    """A jaxlib of one reader of HLO, whose text is what `body` gives."""
    package = folder / "jaxlib"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "_hlo.py").write_text(
        "class HloModule:\n"
        "    @classmethod\n"
        "    def from_serialized_hlo_module_proto(cls, data):\n"
        "        return cls()\n"
        f"    def to_string(self):\n        {body}\n"
    )
    return folder


@pytest.mark.parametrize(
    ("body", "code", "out", "said"),
    [
        ("return 'text'", 0, b"text", b""),
        ("return 'x' * 5000", 0, b"x" * 1001, b""),
        ("return '\\udcff'", 1, b"", b"can't encode"),
        ("raise ValueError('one\\ntwo' + 'y' * 10**7)", 1, b"", b"one two"),
        ("raise ValueError()", 1, b"", b"ValueError"),
        ("raise MemoryError", 1, b"", b"MemoryError"),
    ],
)
def test_what_the_reader_writes_is_bounded(body, code, out, said, tmp_path):
    run = run_reader("hlo", "1000", "10", path=stand_in(tmp_path, body))
    assert (run.returncode, run.stdout) == (code, out)
    assert said in run.stderr
    assert len(run.stderr) < 3000
    assert run.stderr.count(b"\n") == (code != 0)


@pytest.mark.sample(1)
@pytest.mark.skipif(find_spec("resource") is None, reason="the system has no such limits")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return str(len(bytes(100 << 30)))", 1),
        ("return str([bytes(1 << 30) for _ in range(100)] and 1)", 1),
        ("\n        while True: pass", None),
        (
            "import resource as r; return ' '.join(str(r.getrlimit(k)[0]) for k in (r.RLIMIT_CORE,))",
            0,
        ),
    ],
    ids=["memory", "memory in parts", "time", "no file of its memory"],
)
def test_memory_and_time_of_the_reader_are_bounded(body, code, tmp_path):
    first = "import os; os.cpu_count = lambda: 1"
    path = stand_in(tmp_path, body)
    run = run_reader("hlo", "1000", "2", code=first, path=path)
    assert run.returncode == code or (code is None and run.returncode < 0)
    assert run.stdout == (b"0" if code == 0 else b"")
    assert os.listdir(tmp_path) == ["jaxlib"]


def test_a_limit_that_is_there_already_stays(tmp_path):
    resource = pytest.importorskip("resource")
    first = "import resource as r; r.setrlimit(r.RLIMIT_AS, (1 << 30, 2 << 30))"
    body = "import resource as r; return repr(r.getrlimit(r.RLIMIT_AS))"
    run = run_reader("hlo", "1000", "10", code=first, path=stand_in(tmp_path, body))
    assert run.stdout.decode() == repr((2 << 30, 2 << 30)), resource


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
    assert not of_another_dialect(str(tmp_path / "m.mlir"), ANYWHERE)
    assert main(["check", str(tmp_path), "--no-cache"]) == 2
    assert "portable artifact" in capsys.readouterr().err


LAST = "module_0001.jit_f.cpu_after_optimizations.hlo.pb"

FIRST = "module_0001.jit_f.before_optimizations.hlo.pb"


@pytest.mark.parametrize(
    ("binary", "texts", "named"),
    [
        ([LAST], [], [LAST]),
        ([LAST, FIRST], [], [LAST]),  # of several stages the last
        ([LAST], ["other.hlo"], [LAST]),
        ([LAST], ["module_0001.jit_f/module.mlir"], [LAST]),  # an earlier stage than the binary's
        ([LAST], ["module_0001.jit_f.before_optimizations.txt"], [LAST]),
        ([LAST], ["module_0002.jit_f.cpu_after_optimizations.txt"], [LAST]),
        ([LAST], ["sub/module_0001.jit_f.cpu_after_optimizations.txt"], [LAST]),
        (["a.pb", "sub/b.hlo.pb"], ["m.txt"], ["a.pb", "sub/b.hlo.pb"]),
        (["M.PB"], ["m.hlo"], ["M.PB"]),
        ([LAST, FIRST], ["module_0001.jit_f.cpu_after_optimizations.txt"], []),
        ([FIRST], ["module_0001.jit_f.cpu_after_optimizations.txt"], []),  # a later stage is there
        (["m.hlo.pb"], ["m.hlo"], []),
        (["m.hlo_snapshot.pb"], ["m.txt"], []),
    ],
)
def test_no_binary_module_of_a_folder_is_dropped(
    binary, texts, named, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    data = (BYTES / "module.hlo.pb").read_bytes()
    for name, content in (*((b, data) for b in binary), *((t, MODULE.encode()) for t in texts)):
        if name.endswith(".mlir"):
            content = b"func.func @f(%a: tensor<3xf32>) { %0 = stablehlo.abs %a : tensor<3xf32> }"
        file = tmp_path / "dump" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    for installed in (None, True):
        monkeypatch.setattr(silence, "find_spec", lambda package: installed)  # noqa: B023
        code = main(["check", "dump", "--no-cache"])
        err = capsys.readouterr().err
        assert (code == 2) == bool(named)
        assert ("pip install 'symlayout[jax]'" in err) == bool(named and not installed)
        if named:
            files = ", ".join(sorted(f"dump/{n}" for n in named))
            assert f"SL509: not read: {len(named)} binary module" in err
            assert f"({files})" in err
            assert "no claims found" not in err
    assert main(["check", "dump", "--no-cache", "--allow-empty"]) == 0
    assert ("not read: " in capsys.readouterr().out) == bool(named)
    if named:
        assert main(["check", "dump", "--no-cache", "--exclude", "*.pb", "--exclude", "*.PB"]) in (
            0,
            2,
        )
        assert "not read" not in capsys.readouterr().err


def test_a_binary_module_that_is_named_beside_its_folder_is_read(tmp_path, monkeypatch, capsys):
    as_reader(monkeypatch, tmp_path, f"print({MODULE!r}, end='')\n")
    folder = tmp_path / "dump"
    folder.mkdir()
    (folder / LAST).write_bytes((BYTES / "module.hlo.pb").read_bytes())
    (folder / "m.hlo").write_text(MODULE)
    assert main(["check", str(folder), str(folder / LAST), "--no-cache"]) == 0
    assert "not read" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "data",
    [
        b"\x08\x01" * 5_000_000,
        b"\x09" + bytes(8) + b"\x15\0\0\0\0" * 2_000_000,
        b"\x22\x00" * 5_000_000,
        b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x7f" + bytes(10_000_000),
        b"\x80" * 10_000_000,
        b"ML\xefR\rStableHLO_v" + b"1" * 10_000_000,
        b"ML\xefR\rStableHLO_v1." + b"9" * 10_000_000 + b".0\0",
        b"\x80\x04" + b"ML\xefR" * 2_000_000,
        b"\xff\xff\xff\xffML\xefR\rStableHLO_v1.2.3\0" + bytes(10_000_000),
    ],
    ids=range(9),
)
def test_large_files_are_named_at_once(data):
    """Whatever they hold: fields without an end, sizes that are too large, long numbers."""
    began = process_time()
    kind = kind_of(data)
    assert process_time() - began < 2
    assert kind is None or len(kind.words) < 200


NAMED = b"\n\x01m\x12\x01e\x1a\x02\x0a\x00"  # the fields of an HloModuleProto


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (NAMED + b"\x80", "an HloModuleProto"),
        (b"\n" + bytes([len(NAMED) + 1]) + NAMED + b"\x80", "an HloProto"),
        (NAMED + b"\x1a\xff\xff\xff\x7f\x80", "an HloModuleProto"),
        (NAMED.replace(b"\x01e", b"\x01\x1b") + b"\x80", None),
        (NAMED[:9] + b"\x01\n", None),  # a text
        (NAMED[:6] + b"\x80", None),
        (b"\x28\x05" * 2000 + NAMED + b"\x80", None),
    ],
)
def test_fields_tell_what_a_protocol_buffer_is(data, words):
    kind = kind_of(data)
    assert (None if kind is None else kind.words) == words


def test_a_file_that_is_too_large_is_an_error(tmp_path, monkeypatch, capsys):
    from symlayout.checks import module_file

    monkeypatch.setattr(module_file, "MODULE_BYTES", 1000)
    file = tmp_path / "m.hlo.pb"
    file.write_bytes((BYTES / "module.hlo.pb").read_bytes())
    assert main(["check", str(file), "--no-cache"]) == 2
    assert f"SL601: {file} is too large: at most 1,000 bytes are read" in capsys.readouterr().err
