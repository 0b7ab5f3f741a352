"""What the modules behind `tests/test_hlo_attacks.py` promise each other."""

from __future__ import annotations

from time import process_time

import pytest
from test_hlo_attacks import CASES, HLO, MLIR, tuples

from symlayout import hlo, prove


def bodies(n):
    """A computation in place of its name, and so on."""
    made = "{ ROOT x = f32[] parameter(0) }"
    for _ in range(n):
        made = f"{{ p = f32[] parameter(0) ROOT c = f32[] call(p), to_apply={made} }}"
    return f"HloModule m ENTRY e {made}"


def seconds(name, text):
    """How long reading takes, and what it claims."""
    began = process_time()
    for module in hlo.modules_of(text, name):
        hlo.claims_of(module)
    return process_time() - began


@pytest.mark.sample(3)
@pytest.mark.parametrize(("name", "make"), CASES, ids=[*HLO, *(f"MLIR: {k}" for k in MLIR)])
def test_time_grows_with_the_text(name, make):
    small, large = make(1000), make(8000)
    before = min(seconds(name, small) for _ in range(2))
    assert seconds(name, large) < 30 * before + 0.3  # eight times is linear, 64 times a square


def test_an_element_of_a_tuple_costs_the_same_however_large_it_is():
    few, many = (min(seconds("x.hlo", tuples(n)) for _ in range(2)) / n for n in (500, 8000))
    assert many < 5 * few + 1e-4


@pytest.mark.parametrize("n", [70, 3000])
def test_computations_in_each_other(n):
    (problem,) = hlo.read_module(bodies(n)).problems
    assert "60 computations in each other" in problem.message
    assert hlo.read_module(bodies(50)).problems == ()


def test_a_tuple_with_a_comma_too_many_is_no_tuple():
    for text in ("(f32[2],)", "(,f32[2])", "(f32[2],,s32[])"):
        module = hlo.read_module(f"HloModule m ENTRY e {{ x = {text} parameter(0) }}")
        assert [p.code for p in module.problems] == ["SL101"], text


def test_a_block_whose_name_ends_otherwise_is_told():
    """It was looked at for ever."""
    text = """func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.while"(%a) ({
    ^bb0<%b: tensor<3xf32>):
      stablehlo.return %b : tensor<3xf32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
    problems = [p for m in hlo.modules_of(text, "x.mlir") for p in m.problems]
    assert any("expected a block's name and ':'" in p.message for p in problems)


@pytest.mark.parametrize("operation", ["broadcast(), dimensions={0}", "bitcast(x, x)"])
def test_what_has_too_few_or_too_many_operands_is_refuted(operation):
    """Nothing was claimed of it."""
    (claim,) = (
        c
        for c in hlo.claims_of(
            hlo.read_module(f"ENTRY e {{ x = f32[2] parameter(0) ROOT y = f32[2] {operation} }}")
        ).claims
        if c.word == "instruction"
    )
    assert "takes 1 operands" in prove.instruction(*claim.arguments).reason


@pytest.mark.parametrize("runs", ["f", "g"])
def test_a_computation_that_runs_itself_is_an_error(runs):
    """It was all as expected."""
    text = f"""HloModule m
f {{ p = f32[] parameter(0) ROOT c = f32[] call(p), to_apply={runs} }}
g {{ p = f32[] parameter(0) ROOT c = f32[] call(p), to_apply=f }}
ENTRY e {{ x = f32[] parameter(0) ROOT y = f32[] call(x), to_apply=g }}"""
    (problem,) = hlo.read_module(text).problems
    assert problem.code == "SL725"
    assert "runs itself" in problem.message
    rest = text.replace(f"to_apply={runs} }}", "to_apply=h }", 1)
    assert (
        hlo.read_module(
            rest.replace("f {", "h { p = f32[] parameter(0) ROOT n = f32[] negate(p) }\nf {", 1)
        ).problems
        == ()
    )


CONSTRAINED = """HloModule m, is_scheduled=true
ENTRY e { x = f32[2,3]{1,0} parameter(0)
  ROOT y = f32[2,3]{1,0} custom-call(x), custom_call_target="g", operand_layout_constraints={%s} }"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f32[2,3]{1,0}", None),
        (
            "f32[3,2]{1,0}",
            "operand 0 of y is f32[2,3]{1,0}, operand_layout_constraints has f32[3,2]",
        ),
        ("s32[2,3]{1,0}", "operand 0 of y is f32[2,3]{1,0}"),
        ("f32[2,3]{1,0}, f32[2]{0}", "has 2 shapes for 1 operands"),
        ("", "has 0 shapes for 1 operands"),
        ("f32[2,3]{1,1}", "names dimension 1 twice"),
        ("0", "cannot be read"),
    ],
)
def test_the_operands_of_a_custom_call_are_those_of_its_constraints(text, said):
    """They were not looked at."""
    problems = [p.message for p in hlo.read_module(CONSTRAINED % text).problems]
    assert [said in p for p in problems] == [True] if said else problems == []


def test_a_scheduled_custom_call_gets_the_layouts_that_it_asks_for():
    for text, status in (("{1,0}", "proved"), ("{0,1}", "refuted")):
        claims = hlo.claims_of(hlo.read_module(CONSTRAINED % f"f32[2,3]{text}")).claims
        (claim,) = (c for c in claims if c.word == "equal")
        assert prove.equal(*claim.arguments).status == status
    wish = CONSTRAINED.replace("is_scheduled=true", "is_scheduled=false") % "f32[2,3]{0,1}"
    assert "equal" not in [c.word for c in hlo.claims_of(hlo.read_module(wish)).claims]


@pytest.mark.parametrize(
    ("shape", "literal", "good"),
    [
        ("s32[2,3]", "{ { 1, 2, 3 }, { 4, 5, 6 } }", True),
        ("s32[2,3]", "{ { 1, 2 }, { 3, 4 }, { 5, 6 } }", False),
        ("s32[1,3]", "{ { 0 }, { 0 }, { 1 } }", False),
        ("s32[1]", "{ { 1 } }", False),
        ("s32[1,1]", "{ 1 }", False),
        ("c64[2]", "{(1, 0), (0, 1)}", True),
        ("s32[2,2]", "{ /*i0=0*/ { 1, 2 }, /*i0=1*/ { 3, 4 } }", True),
        ("s32[2,2]", "{...}", True),
        ("s32[0,2]", "{ }", True),
        ("s32[2,2]", "7", True),
    ],
)
def test_literals_have_the_braces_of_their_shapes(shape, literal, good):
    """Only their elements were counted."""
    problems = hlo.read_module(f"ENTRY e {{ ROOT x = {shape} constant({literal}) }}").problems
    assert [p.code for p in problems] == ([] if good else ["SL725"])
