"""Reading HLO modules: what compilers print, and mistakes that cost one computation."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from symlayout import hlo, prove, xla
from symlayout.errors import LayoutError

DATA = Path(__file__).parent / "data" / "hlo"

MODULES = sorted(DATA.glob("*.hlo"))

SMALL = """\
HloModule small, is_scheduled=true, entry_computation_layout={(f32[2,3]{1,0})->f32[3,2]{1,0}}

%fused (p: f32[2,3]) -> f32[3,2] {
  %p = f32[2,3]{1,0} parameter(0)
  ROOT %t = f32[3,2]{1,0} transpose(%p), dimensions={1,0}, metadata={op_name="a, {b} \\"c"}
}

ENTRY %main (x: f32[2,3]) -> f32[3,2] {
  %x = f32[2,3]{1,0} parameter(0), sharding={replicated}
  ROOT %f = f32[3,2]{1,0} fusion(%x), kind=kLoop, calls=%fused, backend_config={"a":["1","2"]}
}
"""


def names(module):
    return [c.name for c in module.computations]


def codes(module):
    return [p.code for p in module.problems]


def line_of(module, problem):
    return module.line_of(problem.at)[:2]


def test_a_small_module():
    module = hlo.read_module(SMALL)
    assert module.name == "small"
    assert module.problems == ()
    assert module.attributes["is_scheduled"] == "true"
    assert names(module) == ["fused", "main"]
    assert module.entry.name == "main"
    t = module.by_name["fused"].root
    assert (t.opcode, str(t.shape), t.operands[0].name) == ("transpose", "f32[3,2]{1,0}", "p")
    assert t.attributes == {"dimensions": "{1,0}", "metadata": '{op_name="a, {b} \\"c"}'}
    assert module.by_name["main"].root.attributes["calls"] == "%fused"
    assert module.line_of(t.at) == (5, 8, SMALL.splitlines()[4])


@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_every_printed_module_is_read_whole(file):
    text = file.read_text()
    module = hlo.read_module(text)
    assert module.problems == ()
    lines = [line for line in text.splitlines() if line.startswith("  ") and " = " in line]
    assert len(list(module.instructions)) == len(lines) > 0
    assert sum(line.rstrip().endswith("{") for line in text.splitlines()) == len(names(module))
    assert module.entry is not None
    for c in module.computations:
        assert c.root.root
        for i in c.instructions:
            number, column, line = module.line_of(i.at)
            assert line[column - 1 :].startswith((f"%{i.name} = ", f"{i.name} = "))
            assert text[i.shape_at : i.shape_end] in line
            assert text.splitlines()[number - 1] == line
            assert all(o.shape is not None for o in i.operands)


@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_shapes_print_as_they_are_written(file):
    module = hlo.read_module(file.read_text())
    for i in module.instructions:
        written = module.text[i.shape_at : i.shape_end]
        if "/*" not in written:
            assert str(i.shape) == written


def test_names_without_a_percent_sign_and_long_operands():
    module = hlo.read_module(
        "ENTRY main {\n  x = f32[2]{0} parameter(0)\n"
        "  ROOT y = (f32[2]{0}, f32[2]{0}) tuple(f32[2]{0} x, /*index=1*/f32[2]{0} %x)\n}\n"
    )
    assert module.problems == ()
    root = module.entry.root
    assert [o.name for o in root.operands] == ["x", "x"]
    assert str(root.operands[1].shape) == "f32[2]{0}"
    assert isinstance(root.shape, xla.TupleShape)


def test_a_constant_over_several_lines():
    module = hlo.read_module(
        "ENTRY main {\n  c = s32[2,2]{1,0} constant({\n    { 1, 2 },\n    { 3, 4 }\n  })\n"
        "  ROOT n = s32[2,2]{1,0} negate(c)\n}\n"
    )
    assert module.problems == ()
    assert [i.opcode for i in module.instructions] == ["constant", "negate"]


def test_line_ends_of_windows():
    module = hlo.read_module(SMALL.replace("\n", "\r\n"))
    assert module.problems == ()
    assert module.by_name["main"].root.attributes["backend_config"] == '{"a":["1","2"]}'
    assert module.line_of(module.entry.root.at)[2] == SMALL.splitlines()[9]


def test_what_newer_compilers_print():
    module = hlo.read_module(
        "HloModule new, entry_computation_layout={(f32[4]{0})->f32[4]{0}}, "
        "input_output_alias={ {}: (0, {}) }\n\n"
        'FutureTable\n1 "x"\n2 {a=1}\n\n'
        "%add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
        "%async (p: f32[4]) -> f32[4] {\n"
        "  %p = f32[4]{0} parameter(0), sharding={devices=[2,1]<=[2] last_tile_dims={manual}}\n"
        "  ROOT %r = f32[4]{0} all-reduce(%p), replica_groups=[2,4]<=[8], to_apply=%add\n"
        '}, execution_thread="host"\n\n'
        "ENTRY %main (y: f32[4]) -> f32[4] {\n"
        "  ROOT %y = f32[4]{0} parameter(0)\n"
        '  %s = ((f32[4]{0}), f32[4]{0}, u32[]) async-start(), calls=%async, control="a//b"\n'
        "  %c = pred[2]{0} constant({...})\n"
        "}\n"
    )
    assert module.problems == ()
    assert names(module) == ["add", "async", "main"]
    assert module.by_name["async"].root.attributes["replica_groups"] == "[2,4]<=[8]"
    assert [i.opcode for i in module.entry.instructions] == ["parameter", "async-start", "constant"]


def test_unknown_opcodes_and_attributes_pass():
    module = hlo.read_module(
        'ENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[9] my-own-op(x), what={[(1,2)]}, why="no"\n}'
    )
    assert module.problems == ()
    assert module.entry.root.attributes == {"what": "{[(1,2)]}", "why": '"no"'}


BROKEN = {
    "a layout that is not a permutation": ("f32[2,3]{1,1} parameter(0)", "SL104"),
    "an unknown element type": ("q32[2,3] parameter(0)", "SL103"),
    "a tile of 0": ("f32[2,3]{1,0:T(0,2)} parameter(0)", "SL102"),
    "no shape": ("parameter(0)", "SL721"),
    "no opcode": ("f32[2,3]{1,0}", "SL721"),
    "an open parenthesis": ("f32[2,3]{1,0} parameter(0", "SL721"),
    "a wrong bracket": ("f32[2,3]{1,0} parameter(0])", "SL721"),
    "an unknown operand": ("f32[2,3]{1,0} negate(%nowhere)", "SL722"),
    "two words as an operand": ("f32[2,3]{1,0} negate(%p 3)", "SL721"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_computation_is_one_problem_and_the_rest_is_read(name):
    instruction, code = BROKEN[name]
    text = SMALL.replace("%p = f32[2,3]{1,0} parameter(0)", f"%p = {instruction}")
    assert text != SMALL
    module = hlo.read_module(text)
    assert codes(module) == [code]
    assert names(module) == ["fused", "main"]
    assert module.left_out == 1
    assert [c.broken for c in module.computations] == [True, False]
    assert [i.name for i in module.by_name["fused"].instructions] == ["p", "t"]
    assert line_of(module, module.problems[0])[0] == 4
    assert "^" in str(module.problems[0])


def test_the_place_of_a_mistake_in_a_shape_is_the_modules():
    text = SMALL.replace("f32[2,3]{1,0} parameter(0)\n  ROOT", "f32[2,3]{1,1} parameter(0)\n  ROOT")
    problem = hlo.read_module(text).problems[0]
    number, column, line = hlo.read_module(text).line_of(problem.at)
    assert number == 4
    assert line[column - 1 :].startswith("1} parameter")


def test_two_broken_computations_are_two_problems():
    text = SMALL.replace("f32[2,3]{1,0} parameter(0)", "f32[2,3]{0} parameter(0)")
    assert codes(hlo.read_module(text)) == ["SL104", "SL104"]
    assert hlo.read_module(text).left_out == 2


def test_a_computation_without_its_end_and_a_header_without_its_brace():
    unclosed = SMALL.replace('\\"c"}\n}', '\\"c"}\n')
    module = hlo.read_module(unclosed)
    assert codes(module) == ["SL720"]
    assert names(module) == ["main"]
    headless = SMALL.replace(
        "%fused (p: f32[2,3]) -> f32[3,2] {", "%fused (p: f32[2,3]) -> f32[3,2]"
    )
    module = hlo.read_module(headless)
    assert codes(module) == ["SL720"]
    assert names(module) == ["main"]


def test_names_that_are_there_twice():
    text = SMALL.replace("%t = f32", "%p = f32")
    assert codes(hlo.read_module(text)) == ["SL724"]
    twice = SMALL.replace("ENTRY %main", "ENTRY %fused")
    assert codes(hlo.read_module(twice)) == ["SL724"]


@pytest.mark.parametrize("text", ["", "   \n\n", "HloModule nothing\n", "// only a comment\n"])
def test_a_text_without_computations(text):
    assert codes(hlo.read_module(text)) == ["SL720"]


@pytest.mark.parametrize(
    "text", ["}\n}\n}", "ENTRY e {", "a b c\n", "ENTRY e {\n\n\n  x = ", "%%% {"]
)
def test_no_text_raises(text):
    assert hlo.read_module(text).problems


def test_every_cut_of_a_module_is_read_without_raising():
    for stop in range(0, len(SMALL), 7):
        module = hlo.read_module(SMALL[:stop])
        whole = stop > len(SMALL) - 3 or SMALL[:stop].rstrip().endswith("}")
        assert module.problems or whole
        for problem in module.problems:
            assert 0 <= problem.at <= stop


def test_a_module_of_600_kb_takes_a_second():
    body = [f"  %i{n} = f32[8,128]{{1,0:T(8,128)}} negate(%i{n - 1})" for n in range(1, 4000)]
    one = "\n".join(["  %i0 = f32[8,128]{1,0:T(8,128)} parameter(0)", *body])
    text = "HloModule m\n" + "".join(
        f"%c{n} (p: f32[8]) -> f32[8,128] {{\n{one}\n}}\n\n" for n in range(3)
    )
    assert len(text) > 600_000
    began = process_time()
    module = hlo.read_module(text)
    assert process_time() - began < 3
    assert module.problems == ()
    assert len(list(module.instructions)) == 12000


def test_a_broken_module_of_600_kb_takes_a_second():
    body = "(p: f32[8]) -> f32[8] {\n" + "  %i = f32[8]{0} negate((\n" * 20 + "}\n"
    text = "".join(f"%c{k} {body}" for k in range(1200))
    began = process_time()
    module = hlo.read_module(text)
    assert process_time() - began < 3
    assert len(module.problems) == 1200


# -- instructions in long form, and nesting ----------------------------------------------------------


def test_an_instruction_in_long_form():
    made = hlo.read_instruction("%y = f32[3,2]{0,1} transpose(f32[2,3]{1,0} %x), dimensions={1,0}")
    assert (made.name, made.opcode, made.operands[0].name) == ("y", "transpose", "x")
    bare = hlo.read_instruction(" (f32[2], s32[]) tuple(f32[2], s32[])")
    assert [str(o.shape) for o in bare.operands] == ["f32[2]", "s32[]"]


@pytest.mark.parametrize(
    "text", ["", "f32[2]", "f32[2] negate(f32[2]) \n more", "f32[2] negate(x y)"]
)
def test_instructions_that_cannot_be_read(text):
    with pytest.raises(LayoutError) as caught:
        hlo.read_instruction(text)
    assert caught.value.code == "SL721"


@pytest.mark.parametrize(
    ("operands", "proved"),
    [
        ("f32[], %a, %a", True),
        ("%a, f32[2]{0}, f32[], %a", True),
        ("%a, pred[], %a, f32[]", True),
        ("f32[] %a, (f32[], s32[]), f32[] %a", True),
        ("%a, f32[1,2]{1,0:T(8,128)},%a", True),
        ("f32[], %a", False),
        ("f32[], f32[]", False),
        ("%a, %a, f32[], %a", False),
    ],
)
def test_a_shape_without_a_name_is_no_operand(operands, proved):
    """XLA's parser drops it; the rule then counts the other operands."""
    text = (
        f"HloModule m\nENTRY e {{\n  a = f32[] parameter(0)\n  ROOT r = f32[] add({operands})\n}}"
    )
    module = hlo.read_module(text)
    assert module.problems == ()
    (claim,) = (c for c in hlo.claims_of(module).claims if "add(" in c.arguments[0])
    assert prove.instruction(*claim.arguments).proved is proved


ELEMENTS = """HloModule m

ENTRY e {
  p = (f32[4]{0}, (s32[2]{0}, f32[])) parameter(0)
  a = f32[4]{0} negate(WRONG)
  b = s32[2]{0} negate(p#1#0)
  ROOT r = (f32[4]{0}, s32[2]{0}) tuple(p#0, b)
}
"""


@pytest.mark.parametrize(
    ("operand", "message"),
    [
        ("p#2", "p has 2 elements: #2 is not there"),
        ("%p #0#0", "#0 is an element of a tuple, and p#0 is f32[4]{0}"),
        ("p#1#5", "p#1 has 2 elements: #5 is not there"),
        ("f32[4]{0} %p#7", "p has 2 elements: #7 is not there"),
        ("p#1#1#0", "#0 is an element of a tuple, and p#1#1 is f32[]"),
    ],
)
def test_an_element_that_is_not_there_is_told_at_its_place(operand, message):
    module = hlo.read_module(ELEMENTS.replace("WRONG", operand))
    (problem,) = module.problems
    assert message in str(problem)
    assert (problem.text, module.text[: problem.at].count("\n")) == (module.text, 4)
    assert module.left_out == 1
