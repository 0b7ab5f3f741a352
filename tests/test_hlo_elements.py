"""Elements of tuples as operands (`%while.1#2`), and what is known of a module in part."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout import hlo
from symlayout.__main__ import main

DUMPS = Path(__file__).parent / "data" / "dumps"

ELEMENT = re.compile(
    r"^ *(?P<root>ROOT )?(?P<name>%[\w.\-]+) = .*? get-tuple-element\(.*?(?P<of>%[\w.\-]+)\)"
    r".*?index=(?P<index>\d+).*\n",
    re.M,
)


def shortened(text: str) -> str:
    """The module as new compilers print it: elements of tuples stand where they are read."""
    names = {m["name"]: f"{m['of']}#{m['index']}" for m in ELEMENT.finditer(text) if not m["root"]}

    def whole(name: str) -> str:
        short = names.get(name)
        if short is None:
            return name
        base, mark, index = short.partition("#")
        return whole(base) + mark + index

    body = ELEMENT.sub(lambda m: m[0] if m["root"] else "", text)
    return re.sub(r"%[\w.\-]+", lambda m: whole(m[0]), body)


def test_the_short_form_is_there_to_be_compared():
    texts = [shortened(file.read_text()) for file in DUMPS.glob("whilecond*.hlo")]
    assert len(texts) == 3
    assert all(re.search(r"%[\w.\-]+#\d", text) for text in texts)


# -- what could not be read takes nothing else with it --------------------------------------------

WHOLE = """HloModule m, is_scheduled=true

body {
  p = (f32[1000]{0}, s32[]) parameter(0)
  x = f32[1000]{0} get-tuple-element(p), index=0
  y = f32[1000]{0} negate(x)
  i = s32[] get-tuple-element(p), index=1
  ROOT r = (f32[1000]{0}, s32[]) tuple(y, i)
}

cond {
  p = (f32[1000]{0}, s32[]) parameter(0)
  ROOT c = pred[] constant(true)
}

ENTRY e {
  a = f32[1000]{0} parameter(0)
  z = s32[] constant(0)
  t = (f32[1000]{0}, s32[]) tuple(a, z)
  w = (f32[1000]{0}, s32[]) while(t), condition=cond, body=body
  ROOT o = f32[1000]{0} get-tuple-element(w), index=0
}
"""

BROKEN = {
    "an operand": ("negate(x)", "negate(@x)", 1, 4000, 4000),
    "an attribute": ("condition=cond", "condition==cond", 1, 4000, 4000),
    "a shape": ("y = f32[1000]{0}", "y = f33[1000]{0}", 1, 4000, 4000),
    "an opcode": ("z = s32[] constant(0)", "z = s32[] ?constant(0)", 1, 4000, 4000),
    "a parameter's operand": ("a = f32[1000]{0} parameter(0)", "a = f32[1000]{0} parameter(0), =",
                              1, 4000, 4000),
    "a parameter's shape": ("a = f32[1000]{0}", "a = f32[1000]{1}", 1, None, 4000),
    "the result's shape": ("ROOT o = f32[1000]{0}", "ROOT o = f32[1000]{7}", 1, 4000, None),
    "a name": ("z = s32[]", "= s32[]", 2, 4000, 4000),
    "a whole computation": ("cond {", "cond ]{", 2, 4000, 4000),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_memory_is_reported_without_what_could_not_be_read(name, tmp_path, capsys):
    old, new, left, arguments, outputs = BROKEN[name]
    file = tmp_path / "m.hlo"
    file.write_text(WHOLE.replace(old, new))
    assert main(["check", str(file), "--no-cache"]) == 2
    out = capsys.readouterr().out
    assert "memory of " in out
    words = "1 instruction" if left == 1 else f"{left} instructions"
    assert f"computed without {words} that could not be read" in out
    assert main(["check", str(file), "--no-cache", "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    (module,) = report["modules"]
    assert module["left_out"] == left
    assert (module["arguments"], module["outputs"]) == (arguments, outputs)
    assert module["spaces"]["0"]["peak"] is not None
    assert report["summary"]["refuted"] == 0


def test_memory_without_the_entry_is_unknown(tmp_path, capsys):
    file = tmp_path / "m.hlo"
    file.write_text(WHOLE.replace("ENTRY e {", "ENTRY e ("))
    assert main(["check", str(file), "--no-cache"]) == 2
    assert "unknown, because the entry computation could not be read" in capsys.readouterr().out


FOLDERS = DUMPS / "folders"

STORED = sorted(FOLDERS.glob("*/*after_optimizations.txt"))

COUNTS = json.loads((FOLDERS / "memory.json").read_text())


def said(text: str) -> tuple[object, ...]:
    """What is said of a module: its claims, its memory, its padding."""
    module = hlo.read_module(text)
    made = hlo.claims_of(module)
    assert made.problems == ()
    memory = hlo.footprint(module).as_json()
    for space in memory["spaces"].values():  # an element that is written as such is one point more
        space["curve"] = max(space["curve"] or [0])
    rows = {(r.shape, r.wasted, r.at_once) for r in hlo.padding_report(module).rows}
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
    module = hlo.read_module(text)
    assert module.problems == ()
    assert module.left_out == 0
    made = hlo.footprint(module)
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
    module = hlo.read_module(FORM % line)
    assert module.problems == ()
    root = module.entry.root
    assert root.name == "r"
    assert (root.opcode, [str(o.shape) for o in root.operands]) == (opcode, shapes)
    by_name = module.entry.by_name
    for o in root.operands:
        maker = by_name[o.name]
        assert maker.opcode in ("get-tuple-element", "negate")
        assert maker.shape == o.shape
    assert hlo.claims_of(module).problems == ()


def test_an_element_is_one_instruction_before_what_reads_it_first():
    line = "a = f32[2,3] negate(p#0) b = f32[5,6] negate(p#1#1) ROOT r = f32[2,3] add(p#0, a)"
    names = [i.name for i in hlo.read_module(FORM % line).entry.instructions]
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
    (problem,) = hlo.read_module(text).problems
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
    module = hlo.read_module(short + "".join(f"#{k}" for k in path) + ") }")
    assert module.problems == ()
    chain = [i for i in module.entry.instructions if i.opcode == "get-tuple-element"]
    assert [int(i.attributes["index"]) for i in chain] == path
    assert str(chain[-1].shape) == shape
    wrong = [*path[:-1], 99]
    module = hlo.read_module(short + "".join(f"#{k}" for k in wrong) + ") }")
    assert [p.code for p in module.problems] == ["SL723"]


def test_the_module_that_is_broken_is_whole():
    assert hlo.footprint(hlo.read_module(WHOLE)).left_out == 0
    assert all(WHOLE.count(change[0]) == 1 for change in BROKEN.values())


@pytest.mark.parametrize(("old", "new"), [(" = ", " = @"), ("\n", ", ==\n"), ("[", "[?!")])
@pytest.mark.parametrize("folder", ["v5e.oom", "v5e.scan", "cpu.scan", "v3.gather"])
def test_a_broken_line_in_a_real_dump_costs_a_line(folder, old, new):
    (file,) = (FOLDERS / folder).glob("*after_optimizations.txt")
    text = file.read_text()
    whole = hlo.footprint(hlo.read_module(text))
    lines = [k for k, line in enumerate(text.splitlines()) if re.match(r"  %\S+ = ", line)]
    for k in lines[:: max(1, len(lines) // 12)]:
        parts = text.splitlines(keepends=True)
        parts[k] = parts[k].replace(old, new, 1)
        module = hlo.read_module("".join(parts))
        assert [p.code for p in module.problems], parts[k]
        assert module.left_out == 1, parts[k]
        made = hlo.footprint(module)
        assert made.arguments in (None, whole.arguments)
        assert made.outputs in (None, whole.outputs)
        assert made.spaces[0].peak is not None
