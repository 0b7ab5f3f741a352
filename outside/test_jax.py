"""Dumps of JAX programs made here and now: `pip install '.[test,jax]' && pytest outside/test_jax.py`.

They stand outside of the other tests, which need no compiler; without JAX they fail.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from symlayout.__main__ import main
from symlayout.programs.hlo.claims import claims_of, modules_of

PROGRAM = Path(__file__).parent / "program.py"
POINTER = 8  # bytes of an entry in the table of a tuple, on a CPU


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
        for module in modules_of(file.read_text(), file.name):
            assert claims_of(module).problems == (), file


def test_the_text_of_a_compiled_program_is_the_module(dumped):
    _, counted = dumped
    (module,) = modules_of(counted["text"])
    made = claims_of(module)
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
