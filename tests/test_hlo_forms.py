"""HLO texts in other shapes than printed ones: no lines, indentation, inline computations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symlayout import hlo, prove

MODULES = sorted((Path(__file__).parent / "data" / "hlo").glob("*.hlo"))


def parts(module):
    return [
        (
            c.name,
            c.entry,
            [(i.name, i.opcode, str(i.shape), dict(i.attributes)) for i in c.instructions],
        )
        for c in module.computations
    ]


@pytest.mark.parametrize("file", MODULES[::3], ids=lambda f: f.name)
def test_line_breaks_mean_nothing(file):
    text = file.read_text()
    plain = hlo.read_module(text)
    flat = re.sub(r"\s*\n\s*", " ", text)
    for other in (
        flat,
        re.sub(r"\n", "\n      ", text),
        re.sub(r", (?=[a-z])", " ,\n ", text),
        text.replace("(%", "( /* a ) comment */\n%"),
    ):
        made = hlo.read_module(other)
        assert made.problems == (), str(made.problems[0])
        assert parts(made) == parts(plain)


def test_nested_operands_and_inline_computations():
    module = hlo.read_module("""HloModule m
ENTRY e {
  x = f32[8] parameter(0)
  two = f32[] constant(2)
  m = f32[8] map(x), to_apply={ p = f32[] parameter(0) ROOT n = f32[] negate(p) }
  y = f32[8] add(m, f32[8] multiply(x, f32[8] broadcast(two), dimensions={})) ROOT z = f32[8] negate(y)
}""")
    assert [p.code for p in module.problems] == ["SL721"]  # a nested one has no attributes
    module = hlo.read_module("""HloModule m
ENTRY e {
  x = s32[] parameter(0)
  y = s32[] add(x, s32[] constant(1))
  w = s32[] while(y), condition={
    p = s32[] parameter(0) ROOT c = pred[] compare(p, s32[] constant(9)), direction=LT },
    body={ q = s32[] parameter(0) ROOT r = s32[] add(q, s32[] constant(1)) }
}""")
    assert module.problems == ()
    assert [c.name for c in module.computations] == ["w/condition", "w/body", "e"]
    assert module.entry.name == "e"
    made = hlo.claims_of(module)
    assert made.not_checked == {}
    assert sum(c.uses for c in made.claims if " add(" in c.arguments[0]) == 2


def test_a_shape_that_is_left_out_is_not_checked():
    module = hlo.read_module("HloModule m ENTRY e { x = f32[8] parameter(0) ROOT y = negate(x) }")
    assert module.problems == ()
    assert hlo.claims_of(module).not_checked == {"negate": 1}


WRONG = {
    "two roots": "HloModule m ENTRY e { ROOT x = f32[] parameter(0) ROOT y = f32[] negate(x) }",
    "two entries": "HloModule m ENTRY a { x = f32[] parameter(0) } ENTRY b { x = f32[] parameter(0) }",
    "another result": "HloModule m ENTRY e (x: f32[2]) -> f32[3] { x = f32[2] parameter(0) }",
    "parameter 1 alone": "HloModule m ENTRY e { x = f32[2] parameter(1) }",
    "parameter 0 twice": "HloModule m ENTRY e { x = f32[] parameter(0) y = f32[] parameter(0) }",
    "no instructions": "HloModule m ENTRY e { }",
}


@pytest.mark.parametrize("name", WRONG)
def test_modules_that_are_not_built_as_modules_are(name):
    assert [p.code for p in hlo.read_module(WRONG[name]).problems] == ["SL725"]


def test_names_that_are_not_there():
    text = "HloModule m ENTRY e { x = f32[] parameter(0) ROOT y = f32[] fusion(x), calls=%nowhere }"
    assert [p.code for p in hlo.read_module(text).problems] == ["SL722"]
    text = "HloModule m ENTRY e { y = f32[] negate(x) x = f32[] parameter(0) }"
    assert [p.code for p in hlo.read_module(text).problems] == ["SL722"]
    text = "HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] negate(f32[3] x) }"
    assert [p.code for p in hlo.read_module(text).problems] == ["SL723"]
    text = "HloModule m ENTRY e { x = f32[] parameter(0) ROOT y = f32[] fusion(x) }"
    assert [p.code for p in hlo.read_module(text).problems] == ["SL721"]


def test_values_end_where_they_end():
    for junk in ('metadata={op_name="a"}{"b"}', "is_stable=true{}", "slice={[0:1]}[2]"):
        text = f"HloModule m ENTRY e {{ x = f32[] parameter(0), {junk} }}"
        assert hlo.read_module(text).problems, junk
    text = (
        "HloModule m ENTRY e { x = f32[8] parameter(0), sharding={devices=[2,4]<=[8]}\n"
        ' ROOT y = f32[8] custom-call(x), custom_call_target="f", a=[2,4]<=[4,2]T(1,0), '
        "b=b01f_01io->b01f, c=(f32[2]{0}, s32[])->f32[2]{0}, d=-1, e=1_2x-3_4 }"
    )
    made = hlo.read_module(text)
    assert made.problems == ()
    assert made.entry.root.attributes["a"] == "[2,4]<=[4,2]T(1,0)"
    assert made.entry.root.attributes["c"] == "(f32[2]{0}, s32[])->f32[2]{0}"


def test_an_element_costs_nothing_that_grows_with_its_tuple():
    size = 400
    arrays = ", ".join(["f32[8]{0}"] * size)
    lines = [f"  g{k} = f32[8]{{0}} get-tuple-element(t), index={k}" for k in range(size)]
    text = f"HloModule m\nENTRY e {{\n  t = ({arrays}) parameter(0)\n" + "\n".join(lines) + "\n}\n"
    made = hlo.claims_of(hlo.read_module(text))
    claims = [c for c in made.claims if c.word == "instruction"]
    assert [(c.arguments, c.uses) for c in claims] == [
        (("f32[8] get-tuple-element((f32[8])), index=0",), size)
    ]
    wrong = hlo.claims_of(hlo.read_module(text.replace("index=399", "index=400")))
    assert sum(c.word == "instruction" for c in wrong.claims) == 2


def test_bitcasts_that_slice_say_so():
    text = (
        "HloModule m ENTRY e { x = f32[10,21,7]{2,1,0:T(8,128)} parameter(0)\n"
        " ROOT y = f32[10,18,7]{2,1,0:T(8,128)} bitcast(x) }"
    )
    (claim,) = (c for c in hlo.claims_of(hlo.read_module(text)).claims if c.word == "instruction")
    assert claim.name == "y: a slice of dimension 1 (18 of 21); what lay beyond is padding now"


@pytest.mark.parametrize(
    ("operand", "result", "words"),
    [
        # 5 of 6 in a row of merged coordinates
        ("[2,3]{1,0:T(*,2)}", "[1,5]{1,0:T(*,2)}", "a part of the elements"),
        # places 0 to 3 in both, which are no slice of dimension 1
        ("[2,3]{1,0:T(*,8)}", "[2,2]{1,0:T(*,8)}", "a part of the elements"),
        ("[3,2]{1,0:T(*,8)}", "[2,2]{1,0:T(*,8)}", "a slice of dimension 0 (2 of 3)"),
        ("[5,9,8]{2,1,0:T(*,128)}", "[5,8,8]{2,1,0:T(*,128)}", "a slice of dimension 1 (8 of 9)"),
    ],
)
def test_bitcasts_that_slice_merged_dimensions(operand, result, words):
    text = (
        f"HloModule m ENTRY e {{ x = f32{operand} parameter(0) ROOT y = f32{result} bitcast(x) }}"
    )
    (claim,) = (c for c in hlo.claims_of(hlo.read_module(text)).claims if c.word == "instruction")
    assert prove.instruction(*claim.arguments).status == "proved"
    assert claim.words.startswith(words)


def test_megabytes_of_hex_are_read_in_linear_time():
    from time import process_time

    digits = "0123456789ABCDEF" * 120_000
    text = (
        "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        f'  %c = stablehlo.constant dense<"0x{digits}"> : tensor<240000xf32>\n'
        f'  %d = "stablehlo.constant"() <{{value = dense<"0x{digits}"> : tensor<240000xf32>}}> : '
        "() -> tensor<240000xf32>\n  return %a : tensor<4xf32>\n}\n"
    )
    began = process_time()
    (module,) = hlo.modules_of(text, "x.mlir")
    made = hlo.claims_of(module)
    assert process_time() - began < 2
    assert made.problems == ()


MLIR = sorted((Path(__file__).parent / "data").glob("*/*.mlir"))


@pytest.mark.parametrize("file", MLIR, ids=lambda f: f.name)
def test_operations_of_mlir_may_stand_on_one_line(file):
    """A `return` behind another operation was taken as part of it."""
    lines = re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", file.read_text()).split("\n")
    text = "\n".join(line for line in lines if not re.match(r"\s*(?:#[\w.]+ =|//)", line))
    several, one = (hlo.modules_of(t, file.name) for t in (text, re.sub(r"\s*\n\s*", " ", text)))
    assert [m.problems for m in one] == [() for _ in several]
    assert [parts(m) for m in one] == [parts(m) for m in several]
    assert [hlo.claims_of(m).not_checked for m in one] == [
        hlo.claims_of(m).not_checked for m in several
    ]
