"""Dumps of JAX programs made here and now: `pytest tests/outside/test_jax.py`, with `.[test,jax]`.

They stand outside of the other tests, which need no compiler; without JAX they fail.  Programs for
TPUs are compiled ahead of time by libtpu, which needs no TPU: `pip install '.[test,tpu]'`; where it
does not install they are skipped.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from symlayout import hlo
from symlayout.__main__ import main
from symlayout.checks.binaries import kind_of
from symlayout.checks.module_file import module_text
from symlayout.checks.reading import ANYWHERE
from symlayout.programs.hlo.buffers import arrays_of, byte_size

PROGRAM = Path(__file__).parent / "program.py"
TPU = Path(__file__).parent / "tpu.py"
BYTES = Path(__file__).parents[1] / "data" / "dumps" / "bytes"
POINTER = 8  # bytes of an entry in the table of a tuple, on a CPU
ENVIRONMENT = dict(os.environ)  # to which JAX adds settings for libtpu
os.environ["JAX_PLATFORMS"] = "cpu"  # of this process: libtpu is another one's


@pytest.fixture(scope="module")
def dumped(tmp_path_factory):
    """The folder of a dump, and what the compiler counts."""
    folder = tmp_path_factory.mktemp("dump")
    env = {**os.environ, "XLA_FLAGS": f"--xla_dump_to={folder}", "JAX_PLATFORMS": "cpu"}
    run = subprocess.run(
        [sys.executable, str(PROGRAM)], env=env, capture_output=True, text=True, check=True
    )
    return folder, json.loads(run.stdout)


def checked(capsys, *arguments):
    """What `symlayout check --json` prints for a path from which all is as expected."""
    assert main(["check", *map(str, arguments), "--no-cache", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_dump_folder_is_read_as_the_documents_say(dumped, capsys):
    folder, _ = dumped
    assert main(["check", str(folder), "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert "the last stage of each module is taken; left out: " in out
    assert "(jit_block): arguments " in out
    assert out.rstrip().endswith("all as expected")


def test_only_the_last_stage_is_taken_and_nothing_is_refuted(dumped, capsys):
    folder, _ = dumped
    made = checked(capsys, folder)
    assert {m["stage"] for m in made["modules"]} == {"cpu_after_optimizations"}
    assert len(list(folder.glob("*after_optimizations.txt"))) == len(made["modules"])
    assert made["summary"]["refuted"] == made["summary"]["errors"] == 0
    assert made["summary"]["proved"] == made["summary"]["claims"] > len(made["modules"])


def test_bytes_are_those_of_the_compiler(dumped, capsys):
    folder, counted = dumped
    (block,) = (m for m in checked(capsys, folder)["modules"] if m["name"] == "jit_block")
    assert block["arguments"] == counted["arguments"] == block["compiler"]["arguments"]
    assert block["outputs"] + POINTER * block["pointers"] == counted["outputs"]
    allocated = block["compiler"]["spaces"]["0"]
    assert 0 < block["spaces"]["0"]["peak"] <= allocated <= block["spaces"]["0"]["bytes"] + 64


def test_every_stage_is_read_whole(dumped):
    folder, _ = dumped
    files = [*folder.glob("*_optimizations.txt"), *folder.glob("*/module.mlir")]
    assert len(files) > 2
    for file in files:
        for module in hlo.modules_of(file.read_text(), file.name):
            assert hlo.claims_of(module).problems == (), file


def test_the_text_of_a_compiled_program_is_the_module(dumped):
    _, counted = dumped
    (module,) = hlo.modules_of(counted["text"])
    made = hlo.claims_of(module)
    assert made.problems == ()
    assert made.module.name == "jit_block"


def test_a_program_with_symbolic_sizes(tmp_path, capsys):
    import jax
    from jax import export

    b, t = export.symbolic_shape("b, t")
    shapes = (jax.ShapeDtypeStruct((b, t), "float32"), jax.ShapeDtypeStruct((t,), "float32"))
    made = export.export(jax.jit(lambda x, y: (x + y).T @ x))(*shapes)
    file = tmp_path / "sizes.mlir"
    file.write_text(made.mlir_module())
    found = checked(capsys, file)
    assert found["summary"]["refuted"] == 0
    texts = " ".join(" ".join(c["arguments"]) for c in found["claims"])
    assert "f32[b,t]" in texts
    assert "f32[t,t] dot(f32[t,b], f32[b,t])" in texts


def test_modules_that_are_written_as_bytes_are_read(tmp_path, capsys):
    import jax
    from jax import export

    shape = jax.ShapeDtypeStruct((3, 5), "float32")
    jitted = jax.jit(lambda x: (x.T @ x).sum(0))
    lowered = jitted.lower(shape)
    (module,) = lowered.compile().runtime_executable().hlo_modules()
    buffer = io.BytesIO()
    lowered.compiler_ir("stablehlo").operation.write_bytecode(buffer)
    files = {
        "StableHLO": export.export(jitted)(shape).mlir_module_serialized,
        "MLIR bytecode": buffer.getvalue(),
        "HloModuleProto": module.as_serialized_hlo_module_proto(),
    }
    for words, data in files.items():
        file = tmp_path / "module.bin"
        file.write_bytes(data)
        assert main(["check", str(file), "--no-cache"]) == 0
        out = capsys.readouterr().out
        assert words in out
        assert "line numbers refer to the text that jaxlib prints" in out
        made = checked(capsys, file)
        assert made["summary"]["proved"] == made["summary"]["claims"] > 2


# -- programs for a TPU ---------------------------------------------------------------------------

POINTER_OF_TPU, UNIT_OF_V5E = 4, 512  # bytes
PROGRAMS = ("pallas", "sharded", "oom", "offload", "donated", "ragged")
with_libtpu = pytest.mark.skipif(find_spec("libtpu") is None, reason="libtpu is not installed")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A program of `tpu.py` by its name: the folder of its dump, and what the compiler says."""
    known = {}

    def by_name(name):
        if name not in known:
            folder = tmp_path_factory.mktemp("tpu")
            env = {**ENVIRONMENT, "XLA_FLAGS": f"--xla_dump_to={folder}"}
            command = [sys.executable, str(TPU), name]
            run = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
            known[name] = folder, json.loads(run.stdout.splitlines()[-1])
        return known[name]

    return by_name


def of_the_program(report):
    """The module of the program itself, not one of those that place its arguments."""
    (module,) = (
        m for m in report["modules"] if m["name"] == "jit_program" or "ragged" in m["name"]
    )
    return module


@with_libtpu
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_folder_of_libtpu_is_read_whole(name, compiled, capsys):
    folder, _ = compiled(name)
    report = checked(capsys, folder)
    assert report["summary"]["refuted"] == report["summary"]["errors"] == 0
    assert report["summary"]["proved"] == report["summary"]["claims"] > 0
    assert all(m["left_out"] == 0 for m in report["modules"])
    assert of_the_program(report)["spaces"]["0"]["peak"] > 0
    for file in folder.glob("*_optimizations*.txt"):
        if "HloModule" in file.read_text()[:100]:
            (module,) = hlo.modules_of(file.read_text(), file.name)
            assert hlo.claims_of(module).problems == (), file


@with_libtpu
@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_is_as_libtpu_counts_it(name, compiled, capsys):
    folder, said = compiled(name)
    module = of_the_program(checked(capsys, folder))
    needed = module["spaces"]["0"]["needed"]
    assert module["arguments"] == module["compiler"]["arguments"]
    assert needed <= module["compiler"]["spaces"]["0"]
    if name == "oom":
        total, most = re.findall(r"\(([\d.]+)G\)", said["error"])
        assert needed / 2**30 == pytest.approx(float(total), abs=0.006)
        assert needed / 2**30 > float(most)
        return
    counts = said["memory"]
    table = -(-module["pointers"] * POINTER_OF_TPU // UNIT_OF_V5E) * UNIT_OF_V5E
    assert module["arguments"] == counts["argument_size_in_bytes"]
    assert module["outputs"] + table == counts["output_size_in_bytes"]
    assert module["host_arguments"] == counts.get("host_argument_size_in_bytes", 0)
    assert module["host_outputs"] == counts.get("host_output_size_in_bytes", 0)
    vector = module["spaces"].get("1", {"needed": 0})["needed"]
    if "peak_memory_in_bytes" in counts:
        assert needed + table + vector == pytest.approx(counts["peak_memory_in_bytes"], rel=0.02)


# -- what is suggested ----------------------------------------------------------------------------

MERGED = re.compile(r"merge dimensions (\d+) and (\d+) .*: ([\d,]+) to ([\d,]+) bytes")


def suggested(folder, capsys):
    """The suggestions about a program's buffers, with their shapes."""
    report = checked(capsys, folder)
    name = of_the_program(report)["name"]
    rows = [r for r in report["padding"] if r["module"] == name and r["suggestion"]]
    return [(r["suggestion"], r["shape"]) for r in rows]


@with_libtpu
@pytest.mark.parametrize("name", ["stacked", "elementwise", "updated"])
def test_what_is_promised_is_delivered(name, compiled, capsys):
    texts = suggested(compiled(name)[0], capsys)
    promises = [(MERGED.fullmatch(text), shape) for text, shape in texts if "bytes" in text]
    assert promises
    better = compiled(f"{name}.better")[1]["text"]
    (module,) = hlo.modules_of(better)
    sizes = {str(s): byte_size(s) for i in module.instructions for s in arrays_of(i.shape)}
    saved = 0
    for match, shape in promises:
        assert match is not None, shape
        first, second, before, after = (int(n.replace(",", "")) for n in match.groups())
        dims = [int(n) for n in re.search(r"\[([\d,]+)\]", shape)[1].split(",")]
        dims[first : second + 1] = [dims[first] * dims[second]]
        words = f"[{','.join(map(str, dims))}]"
        made = {size for text, size in sizes.items() if words in text}
        assert made, words
        assert min(made) <= after < before, (shape, words)
        saved += before - after
    reports = (checked(capsys, compiled(n)[0]) for n in (name, f"{name}.better"))
    spaces = (of_the_program(report)["compiler"]["spaces"] for report in reports)
    first, second = (sum(size for n, size in hit.items() if n in "01") for hit in spaces)
    assert first - second >= saved


@with_libtpu
@pytest.mark.parametrize("name", ["distances", "rotated"])
def test_nothing_is_promised_for_a_product(name, compiled, capsys):
    texts = [text for text, _ in suggested(compiled(name)[0], capsys)]
    assert not any("bytes" in text for text in texts)
    assert len(texts) == (name == "rotated")  # the compiler keeps the other one small itself
    if texts:
        assert "an elementwise product and a sum" in texts[0]
        before, after = (compiled(n)[1]["memory"] for n in (name, f"{name}.better"))
        keys = [k for k in before if k.startswith(("argument", "output", "peak_memory"))]
        assert sum(after[k] for k in keys) < sum(before[k] for k in keys)


@pytest.mark.parametrize("file", sorted(BYTES.iterdir()), ids=lambda f: f.name)
def test_jaxlib_prints_the_text_of_a_binary_module(file):
    text, words = module_text(str(file), ANYWHERE)
    assert words.startswith(kind_of(file.read_bytes()).words)
    assert "jit_small" in text
    assert main(["check", str(file), "--no-cache"]) == 0
