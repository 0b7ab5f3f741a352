"""What the modules behind `tests/test_hlo_elements.py` promise each other."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_hlo_elements import BROKEN, DUMPS, WHOLE, shortened

from symlayout.programs.hlo.claims import claims_of
from symlayout.programs.hlo.memory import footprint
from symlayout.programs.hlo.padding import padding_report
from symlayout.programs.hlo.reader import read_module

FOLDERS = DUMPS / "folders"

STORED = sorted(FOLDERS.glob("*/*after_optimizations.txt"))

COUNTS = json.loads((FOLDERS / "memory.json").read_text())


def said(text: str) -> tuple[object, ...]:
    """What is said of a module: its claims, its memory, its padding."""
    module = read_module(text)
    made = claims_of(module)
    assert made.problems == ()
    memory = footprint(module).as_json()
    for space in memory["spaces"].values():  # an element that is written as such is one point more
        space["curve"] = max(space["curve"] or [0])
    rows = {(r.shape, r.wasted, r.at_once) for r in padding_report(module).rows}
    # who reads an element first has it: names and numbers of uses may differ, claims do not
    return {(c.word, c.arguments, c.options) for c in made.claims}, memory, rows


@pytest.mark.parametrize("file", sorted(DUMPS.glob("*.hlo")), ids=lambda f: f.name)
def test_the_short_form_says_the_same(file):
    text = file.read_text()
    short = shortened(text)
    assert said(short) == said(text)


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_stored_dumps_of_new_compilers_are_read_whole(file):
    text = file.read_text()
    module = read_module(text)
    assert module.problems == ()
    assert module.left_out == 0
    made = footprint(module)
    counts = COUNTS[file.parent.name]
    if "error" in counts:
        assert made.spaces[0].peak > 16 << 30
    elif not counts["host_argument_size_in_bytes"]:
        assert made.arguments == counts["argument_size_in_bytes"]
    printed = [line for line in text.splitlines() if line.startswith("  ") and " = " in line]
    whole = [i for i in module.instructions if "#" not in i.name]
    assert len(whole) == len(printed)


FORM = """HloModule m
ENTRY e {
  p = (f32[2,3], (s32[4], f32[5,6]), f32[2,3]) parameter(0)
  %s
}"""


@pytest.mark.parametrize(
    ("line", "opcode", "shapes"),
    [
        ("ROOT r = f32[3,2] transpose(p#0), dimensions={1,0}", "transpose", ["f32[2,3]"]),
        ("ROOT r = f32[6,5] transpose(%p#1#1), dimensions={1,0}", "transpose", ["f32[5,6]"]),
        ("ROOT r = f32[2,3] add(%p#0, %p#2)", "add", ["f32[2,3]", "f32[2,3]"]),
        ("ROOT r = f32[2,3] add(%p#0, p#0)", "add", ["f32[2,3]", "f32[2,3]"]),
        ("ROOT r = f32[2,3] add(p # 0, p#\t2)", "add", ["f32[2,3]", "f32[2,3]"]),
        ("ROOT r = f32[2,3] add(f32[2,3] %p#0, f32[2,3]{1,0} p#2)", "add", ["f32[2,3]"] * 2),
        ("ROOT r = (s32[4], f32[5,6]) copy(p#1)", "copy", ["(s32[4], f32[5,6])"]),
        ("ROOT r = (f32[5,6], f32[2,3]) tuple(p#1#1, /*index=1*/p#0)", "tuple",
         ["f32[5,6]", "f32[2,3]"]),
        ("ROOT r = s32[4] get-tuple-element(p#1), index=0", "get-tuple-element",
         ["(s32[4], f32[5,6])"]),
        ("ROOT r = f32[2,3] add(p#0, f32[2,3] negate(p#2))", "add", ["f32[2,3]", "f32[2,3]"]),
        ("ROOT r = f32[2,3] negate(p#00)", "negate", ["f32[2,3]"]),
        ("a = f32[2,3] negate(p#0)\n  ROOT r = f32[2,3] add(p#0, a)", "add", ["f32[2,3]"] * 2),
        ("ROOT r = add(p#0, p#2)", "add", ["f32[2,3]", "f32[2,3]"]),
    ],
)  # fmt: skip
def test_an_element_of_a_tuple_is_an_operand(line, opcode, shapes):
    module = read_module(FORM % line)
    assert module.problems == ()
    root = module.entry.root
    assert root.name == "r"
    assert (root.opcode, [str(o.shape) for o in root.operands]) == (opcode, shapes)
    by_name = module.entry.by_name
    for o in root.operands:
        maker = by_name[o.name]
        assert maker.opcode in ("get-tuple-element", "negate")
        assert maker.shape == o.shape
    assert claims_of(module).problems == ()


def test_an_element_is_one_instruction_before_what_reads_it_first():
    line = "a = f32[2,3] negate(p#0) b = f32[5,6] negate(p#1#1) ROOT r = f32[2,3] add(p#0, a)"
    names = [i.name for i in read_module(FORM % line).entry.instructions]
    assert names == ["p", "p#0", "a", "p#1", "p#1#1", "b", "r"]


@pytest.mark.parametrize(
    ("operand", "words"),
    [
        ("p#3", "p has 3 elements: #3 is not there"),
        ("p#1#2", "p#1 has 2 elements: #2 is not there"),
        ("p#0#0", "p#0 is f32[2,3]"),
        ("q#0", "'q#0' is not defined"),
        ("p#123456789012345678901234567890", "is not there"),
        ("p#" + "1" * 5000, "is not there"),
        ("p#", "p#"),
        ("p#x", "p#x"),
        ("p#-1", "p#-1"),
        ("#0", "#0"),
        ("f32[2,4] p#0", "is given as f32[2,4], and is f32[2,3]"),
    ],
)
def test_an_element_that_is_not_there_is_a_mistake(operand, words):
    text = FORM % f"ROOT r = f32[2,3] negate({operand})"
    (problem,) = read_module(text).problems
    assert words in str(problem)
    assert text[problem.at :].startswith(operand.partition(" ")[2] or operand[:1])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.data())
def test_paths_are_chains_of_elements(path, data):
    """`p#a#b` is what a chain of get-tuple-element gives, whatever the tuple."""
    shape = f"f32[{data.draw(st.integers(1, 9))}]"
    inner = shape
    for index in reversed(path):
        others = [f"s32[{k + 1}]" for k in range(data.draw(st.integers(index, index + 2)) + 1)]
        others[index] = inner
        inner = f"({', '.join(others)})"
    short = f"HloModule m ENTRY e {{ p = {inner} parameter(0) ROOT r = {shape} negate(p"
    module = read_module(short + "".join(f"#{k}" for k in path) + ") }")
    assert module.problems == ()
    chain = [i for i in module.entry.instructions if i.opcode == "get-tuple-element"]
    assert [int(i.attributes["index"]) for i in chain] == path
    assert str(chain[-1].shape) == shape
    wrong = [*path[:-1], 99]
    module = read_module(short + "".join(f"#{k}" for k in wrong) + ") }")
    assert [p.code for p in module.problems] == ["SL723"]


def test_the_module_that_is_broken_is_whole():
    assert footprint(read_module(WHOLE)).left_out == 0
    assert all(WHOLE.count(change[0]) == 1 for change in BROKEN.values())


@pytest.mark.parametrize(("old", "new"), [(" = ", " = @"), ("\n", ", ==\n"), ("[", "[?!")])
@pytest.mark.parametrize("folder", ["v5e.oom", "v5e.scan", "cpu.scan", "v3.gather"])
def test_a_broken_line_in_a_real_dump_costs_a_line(folder, old, new):
    (file,) = (FOLDERS / folder).glob("*after_optimizations.txt")
    text = file.read_text()
    whole = footprint(read_module(text))
    lines = [k for k, line in enumerate(text.splitlines()) if re.match(r"  %\S+ = ", line)]
    for k in lines[:: max(1, len(lines) // 12)]:
        parts = text.splitlines(keepends=True)
        parts[k] = parts[k].replace(old, new, 1)
        module = read_module("".join(parts))
        assert [p.code for p in module.problems], parts[k]
        assert module.left_out == 1, parts[k]
        made = footprint(module)
        assert made.arguments in (None, whole.arguments)
        assert made.outputs in (None, whole.outputs)
        assert made.spaces[0].peak is not None


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("module_0001.jit_f.cl_7/module.mlir", "given"),
        ("module_0001.jit_f/module.mlir", "given"),
        ("module_0001.jit_f.cl_7.oom_intermediate_module.txt", "cl_7.oom_intermediate_module"),
    ],
)
def test_what_libtpu_writes_into_a_folder_is_one_module(name, rank):
    from symlayout.text.dumps import best_stages, stage_of

    assert stage_of(name) == rank
    best = "module_0001.jit_f.cl_7.after_optimizations.txt"
    assert best_stages([name, best]) == ([best], [name])
    early = "module_0001.jit_f.cl_7.before_optimizations.txt"
    kept = [name] if "oom" in name else [early]
    assert best_stages([early, name])[0] == kept
