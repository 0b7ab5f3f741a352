"""Properties of internal modules; `tests/test_hlo_forms.py` tests the public interface."""

from __future__ import annotations

from symlayout.programs.hlo.reader import read_modules
from symlayout.text.dumps import best_stages, language_of, stage_of


def test_several_modules_in_a_text():
    one = "HloModule a\nENTRY e { x = f32[8] parameter(0) }\n"
    two = "ENTRY e { x = f32[8] parameter(0) ROOT y = f32[9] negate(x) }\n"
    made = read_modules(f"{one}// -----\n{two}\n// -----\n{one}{one}")
    assert [len(m.computations) for m in made] == [1, 1, 1, 1]
    assert all(m.problems == () for m in made)
    line, _, source = made[1].line_of(made[1].entry.root.at)
    assert (line, source) == (4, two.strip())


def test_languages_and_stages():
    assert language_of("// a comment\n/* more */ HloModule m") == "hlo"
    assert language_of("ENTRY e {\n}") == "hlo"
    assert language_of('#loc = loc("x")\nmodule {}') == "mlir"
    assert language_of("BufferAssignment:\nallocation 0") == "beside"
    assert language_of("[layouts]\na = 1") == language_of("Just some words.") == ""
    head = "out/module_0001.jit_f"
    stages = ["before_optimizations", "0003.pass.after_a.before_b", "cl_1.after_optimizations"]
    files = [f"{head}.{s}.txt" for s in stages] + ["out/other.hlo"]
    assert best_stages(files) == ([files[2], files[3]], files[:2])
    assert [stage_of(f) for f in files] == [*stages, ""]
