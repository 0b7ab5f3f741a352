"""Reading StableHLO: types, operations, `?` sizes, and mistakes that cost one function."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symlayout import hlo, prove

MODULES = sorted((Path(__file__).parent / "data" / "hlo").glob("*.mlir"))

TYPES = {
    "tensor<f32>": "f32[]",
    "tensor<2x16x4x8xf32>": "f32[2,16,4,8]",
    "tensor<?x4xbf16>": "bf16[?,4]",
    "tensor<i1>": "pred[]",
    "tensor<3xi32>": "s32[3]",
    "tensor<3xsi8>": "s8[3]",
    "tensor<3xui16>": "u16[3]",
    "tensor<0x1xindex>": "s64[0,1]",
    "tensor<8x6xcomplex<f32>>": "c64[8,6]",
    "tensor<2xf8E4M3FN>": "f8e4m3fn[2]",
    "tensor<?x?xf32, #stablehlo.bounds<5, ?>>": "f32[<=5,?]",
    "tensor<?xf32, #stablehlo.type_extensions<bounds = [7]>>": "f32[<=7]",
    "!stablehlo.token": "token[]",
    "tuple<tensor<2xf32>, tuple<tensor<i32>>>": "(f32[2], (s32[]))",
}


@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.name)
def test_every_printed_module(file):
    text = file.read_text()
    module = hlo.read_stablehlo(text)
    assert module.problems == ()
    assert module.dialect == "stablehlo"
    assert len(module.computations) == text.count("func.func")
    assert module.entry.name == "main"
    for op in ("broadcast_in_dim", "reshape", "transpose", "add", "constant"):
        found = sum(i.opcode == op.replace("_", "-") for i in module.instructions)
        assert found == text.count(f"= stablehlo.{op} "), op


def test_a_mistake_costs_its_function():
    text = (
        "func.func @f(%a: tensor<2xf32>) {\n  %0 = stablehlo.add %a, %a : tensor<2xq>\n}\n"
        "func.func @g(%a: tensor<2xf32>) {\n  %0 = stablehlo.add %a, %a : tensor<2xf32>\n}\n"
    )
    module = hlo.read_stablehlo(text)
    assert [p.code for p in module.problems] == ["SL720"]
    assert module.line_of(module.problems[0].at)[0] == 2
    assert [c.name for c in module.computations] == ["g"]


def test_no_cut_of_a_module_raises():
    text = MODULES[0].read_text()
    for stop in range(0, len(text), 101):
        hlo.read_stablehlo(text[:stop])
    assert hlo.read_stablehlo("").problems


@pytest.mark.parametrize(
    ("line", "good"),
    [
        ("stablehlo.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>", True),
        ("stablehlo.add %a, %b : (tensor<4xf32>, tensor<4xbf16>) -> tensor<4xf32>", False),
        ("stablehlo.compare LT, %a, %b : (tensor<4xf32>, tensor<4xbf16>) -> tensor<4xi1>", False),
        ("stablehlo.transpose %b, dims = [0] : (tensor<4xbf16>) -> tensor<4xf32>", False),
        ("stablehlo.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>", True),
        ("stablehlo.convert %b : (tensor<4xbf16>) -> tensor<4xf32>", True),
        ("stablehlo.dot_general %b, %b, contracting_dims = [0] x [0] : "
         "(tensor<4xbf16>, tensor<4xbf16>) -> tensor<f32>", True),
    ],
)  # fmt: skip
def test_operations_of_stablehlo_have_one_float_type(line, good):
    """HLO lets precision differ; its instruction is proved."""
    if "select" in line:
        line = line.replace("%b", "%a")
    result = re.findall(r"tensor<(\w+)>", line)[-1]
    text = (
        "func.func @main(%a: tensor<4xf32>, %b: tensor<4xbf16>, %p: tensor<4xi1>) -> "
        f"tensor<{result}> {{\n  %0 = {line}\n  return %0 : tensor<{result}>\n}}\n"
    )
    (module,) = hlo.modules_of(text, "x.mlir")
    assert not module.problems
    assert [p.code for p in hlo.claims_of(module).problems] == ([] if good else ["SL723"])


LITERALS = [
    ("1", "i32", True),
    ("1", "3x4xi32", True),
    ("", "0xf32", True),
    ("", "0x3xf32", True),
    ("[[], []]", "2x0xf32", True),
    ("[[1, 2], [3, 4]]", "2x2xi32", True),
    ("[[[1]], [[2]]]", "2x1x1xi32", True),
    ("[(1.0,2.0), (3.0,4.0)]", "2xcomplex<f32>", True),
    ("(1.0,2.0)", "complex<f32>", True),
    ("[-1.0e+00, 0x7F800000]", "2xf32", True),
    ("[[1, 2], [3, 4]]", "4x1xi32", False),
    ("[[1, 2], [3, 4]]", "1x4xi32", False),
    ("[[1, 2], [3, 4]]", "2x3xi32", False),
    ("[[0, 1], [2, 3]]", "2x0xi32", False),
    ("[1, 1, 1, 1]", "2x2xi32", False),
    ("[1, 2]", "i32", False),
    ("[1]", "i32", False),
    ("1, 2", "2xi32", False),
    ("", "3xi32", False),
    # elements of another kind, or too large
    ("1", "f32", False),
    ("1.0", "i32", False),
    ("3.2e+-1", "f32", False),
    ("true", "f32", False),
    ("true", "i1", True),
    ("-1", "ui8", False),
    ("-0", "i32", False),
    ("[-128, 255]", "2xi8", True),
    ("[-129, 255]", "2xi8", False),
    ("256", "i8", False),
    ("128", "si8", False),
    ("0x7F800000", "bf16", False),
    ("0x7F80", "bf16", True),
    ("(1.0,2.0)", "f32", False),
    ("1.0", "complex<f32>", False),
    ("(1,2)", "complex<f32>", False),
    ("0x38", "f8E4M3FN", True),
    # bytes: of one element for all, or of each
    ('"0x0000803F"', "4xf32", True),
    ('"0x0000803F0000803F"', "2xf32", True),
    ('"0x0000803F0000803F"', "complex<f32>", True),
    ('"0x0000803F0000803F"', "3xf32", False),
    ('"0x0000803F00"', "2xf32", False),
    ('"0x0000803G"', "f32", False),
    ('"0x000"', "2xi8", False),
    ('"0x0102"', "2xi4", True),
    ('"0x0102"', "9xi1", True),
    ('"0x0102"', "3xi1", False),
]


@pytest.mark.parametrize(("literal", "kind", "fits"), LITERALS)
def test_a_literal_has_the_elements_of_its_type(literal, kind, fits):
    """As the parser of MLIR says."""
    kind = f"tensor<{kind}>"
    text = f"func.func @main() -> {kind} {{ %c = stablehlo.constant dense<{literal}> : {kind} "
    problems = hlo.read_stablehlo(text + f"\n return %c : {kind}\n }}").problems
    assert [p.code for p in problems] == ([] if fits else ["SL721"])
    if not fits:
        assert text[problems[0].at - 9 :].find(f"dense<{literal}>") in (0, 3)


@pytest.mark.parametrize(("names", "said"), [("%0:2", ""), ("%0", "1 name"), ("%0:3", "3 names")])
def test_an_operation_has_as_many_results_as_names(names, said):
    text = f"""func.func @main(%a: tensor<3xf32>, %b: tensor<2xf32>) {{
      {names} = stablehlo.optimization_barrier %a, %b : tensor<3xf32>, tensor<2xf32>
      {names.replace("0", "1")} = func.call @f(%a) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>)
      stablehlo.optimization_barrier %a, %b : tensor<3xf32>, tensor<2xf32>
      return }}"""
    found = [p.message for p in hlo.read_stablehlo(text).problems]
    words = ("stablehlo.optimization_barrier", "func.call") if said else ()
    assert found == [f"{word} has 2 results, and {said}" for word in words]


@pytest.mark.parametrize(
    ("number", "size", "said"),
    [
        (0, 3, None),
        (1, 3, "result 1, f32[2], is not as large as this argument, f32[3]"),
        (1, 2, None),
        (2, 3, "there is no result 2 to write over this argument"),
    ],
)
def test_a_donated_argument_is_as_large_as_the_result_over_it(number, size, said):
    text = f"""func.func @main(%a: tensor<{size}xf32> {{tf.aliasing_output = {number} : i32}},
      %b: tensor<3xf32>, %c: tensor<2xf32>) -> (tensor<3xf32>, tensor<2xf32>) {{
      return %b, %c : tensor<3xf32>, tensor<2xf32> }}"""
    problems = hlo.read_stablehlo(text).problems
    assert [p.message for p in problems] == ([] if said is None else [said])
    # what a function that is no program gives is nobody's output
    assert not hlo.read_stablehlo(text.replace("@main", "@other")).problems


GENERIC = """"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x3xf32>, tensor<3xf32>) -> RESULT, \
res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>):
    %0 = "func.call"(%arg1) <{callee = @f}> : (tensor<3xf32>) -> tensor<3xf32>
    %1 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : \
(tensor<2x3xf32>) -> tensor<3x2xf32>
    %2 = "stablehlo.fft"(%arg1) <{fft_length = array<i64: 3>, \
fft_type = #stablehlo<fft_type RFFT>}> : (tensor<3xf32>) -> tensor<2xcomplex<f32>>
    "func.return"(%1RETURNED) : (TYPES) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf32>) -> tensor<3xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<3xf32>):
    "func.return"(%arg0) : (tensor<3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""


@pytest.mark.parametrize(
    ("result", "returned", "types", "status"),
    [
        ("tensor<3x2xf32>", "", "tensor<3x2xf32>", "proved"),
        ("(tensor<3x2xf32>, tensor<3xf32>)", ", %0", "tensor<3x2xf32>, tensor<3xf32>", "proved"),
        ("tensor<2x3xf32>", "", "tensor<3x2xf32>", "refuted"),
    ],
)
def test_functions_in_the_generic_form(result, returned, types, status):
    text = GENERIC.replace("RESULT", result).replace("RETURNED", returned).replace("TYPES", types)
    module = hlo.read_stablehlo(text)
    assert module.problems == ()
    assert [(c.name, c.entry, len(c.parameters)) for c in module.computations] == [
        ("main", True, 2),
        ("f", False, 1),
    ]
    made = hlo.claims_of(module)
    assert made.not_checked == {}
    assert any("fft(f32[3]), fft_type=RFFT" in c.arguments[0] for c in made.claims)
    (claim,) = (c for c in made.claims if "tuple(f32[3,2]" in " ".join(c.arguments))
    assert getattr(prove, claim.word)(*claim.arguments).status == status
    assert any(
        "f32[3] call(f32[3]), called=(f32[3])->f32[3]" in c.arguments[0] for c in made.claims
    )


@pytest.mark.parametrize("lost", ["sym_name", "function_type"])
def test_a_function_in_the_generic_form_has_a_name_and_a_type(lost):
    problems = hlo.read_stablehlo(
        GENERIC.replace("RESULT", "tensor<f32>").replace(lost, "other")
    ).problems
    assert {p.code for p in problems} == {"SL720"}


def test_a_function_in_the_generic_form_takes_what_its_block_does():
    text = GENERIC.replace("RESULT", "tensor<3x2xf32>").replace("RETURNED", "")
    text = text.replace("TYPES", "tensor<3x2xf32>")
    for wrong in ("(tensor<2x4xf32>, tensor<3xf32>)", "(tensor<2x3xf32>)", "()"):
        changed = text.replace("(tensor<2x3xf32>, tensor<3xf32>) ->", f"{wrong} ->", 1)
        (problem,) = hlo.read_stablehlo(changed).problems
        assert problem.code == "SL725"
        assert changed[problem.at :].startswith("function_type")


MALFORMED = """
func.func @main(%a: tensor<4x6xf32>, %z: tensor<f32>, %n: tensor<i32>) -> tensor<4x6xf32> {
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 1] :
    (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
  %w:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<4x6xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.sine %x : tensor<4x6xf32>
    stablehlo.return %i, %y : tensor<i32>, tensor<4x6xf32>
  }
  %p = stablehlo.pad %a, %z, low = [1, 0], high = [0, 0], interior = [0, 0] :
    (tensor<4x6xf32>, tensor<f32>) -> tensor<5x6xf32>
  return %w#1 : tensor<4x6xf32>
}
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    stablehlo.return %c : tensor<i1>\n", "", "ends with stablehlo.compare, not"),
        (" stablehlo.return %i, %y : tensor<i32>, tensor<4x6xf32>\n", "", "ends with stablehlo.sine"),
        ("%y = stablehlo.sine %x", "stablehlo.return %x", "stands behind the stablehlo.return"),
        ("%y = stablehlo.sine", "%y = stablehlo.return", "stablehlo.return has no results"),
        ("compare LT, ", "compare ", "needs a direction"),
        ("stablehlo.sine %x", "stablehlo.constant %x", "stablehlo.constant has no operands"),
        ("return %i, %y : tensor<i32>, ", "return %i, %y : ", "2 operands, and 1 type"),
        ("applies stablehlo.add", "applies stablehlo.subtract", "what is applied is commutative"),
        (" applies stablehlo.add across", " across", "stablehlo.reduce has 0 regions, not 1"),
    ],
)  # fmt: skip
def test_operations_are_whole(old, new, said):
    """All was as expected before."""
    assert hlo.read_stablehlo(MALFORMED).problems == ()
    problems = [p.message for p in hlo.read_stablehlo(MALFORMED.replace(old, new)).problems]
    assert any(said in p for p in problems), problems


def test_lists_of_numbers_are_as_long_as_each_other():
    """The longer ones were cut short."""
    assert hlo.claims_of(hlo.read_stablehlo(MALFORMED)).not_checked == {}
    longer = MALFORMED.replace("low = [1, 0]", "low = [1, 0, 0]")
    assert hlo.claims_of(hlo.read_stablehlo(longer)).not_checked == {"pad": 1}


CONVOLUTION = """func.func @f(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x5xf32>) -> tensor<1x8x8x5xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]], reverse = [false, false]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x4xf32>, tensor<3x3x4x5xf32>) -> tensor<1x8x8x5xf32>
  return %0 : tensor<1x8x8x5xf32>
}
"""

POOL = """func.func @f(%x: tensor<4x6xf32>, %z: tensor<f32>) -> tensor<5x7xf32> {
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, padding = dense<1> : tensor<2x2xi64>}
    : (tensor<4x6xf32>, tensor<f32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
"""

SPREAD = """func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1>}>
    : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""

TYPE = "tensor<3xf32>"

GIVEN = f"(%x) <{{broadcast_dimensions = array<i64: 1>}}>\n    : ({TYPE})"

SCALARS = """func.func @f(%x: tensor<2x3xf32>, %k: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[o, i]->[b, f],
    window = {stride = [], pad = [], lhs_dilate = [], rhs_dilate = [], reverse = []}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
"""


@pytest.mark.parametrize(
    ("text", "right", "wrong", "said"),
    [
        (CONVOLUTION, "[0, 1, i, o]", "[0, 0, i, o]", "names dimensions [0, 0, i, o]"),
        (CONVOLUTION, "[b, 0, 1, f]x", "[b, 0, 2, f]x", "names dimensions [b, 0, 2, f]"),
        (CONVOLUTION, "[0, 1, i, o]", "[0, i, o]", "3 dimension_numbers for a kernel of 4"),
        (CONVOLUTION, "[[1, 1], [1, 1]]", "[[1, 1]]", "padding of another shape than 2 x 2"),
        (CONVOLUTION, "[[1, 1], [1, 1]]", "[1, 1, 1, 1]", "padding of another shape than 2 x 2"),
        (CONVOLUTION, "[[1, 1], [1, 1]]", "[[1], [1], [1], [1]]", "padding of another shape"),
        (CONVOLUTION, "{pad", "{stride = [1], pad", "1 numbers in stride"),
        (CONVOLUTION, "{pad", "{zork = [1], pad", "a window with zork"),
        (CONVOLUTION, "[false, false]", "[false]", "in reverse"),
        (POOL, "tensor<2x2xi64>", "tensor<4xi64>", "padding of another shape than 2 x 2"),
        (POOL, "tensor<2x2xi64>", "tensor<1x4xi64>", "padding of another shape than 2 x 2"),
        (POOL, "tensor<2x2xi64>", "tensor<3x2xi64>", "padding of another shape than 2 x 2"),
        (
            POOL,
            "window_dimensions =",
            "window_dilations =",
            "needs the attribute window_dimensions",
        ),
        (SPREAD, "<{broadcast_dimensions = array<i64: 1>}>", "", "needs the attribute dims"),
        (
            SPREAD,
            GIVEN,
            GIVEN.replace("%x", "%x, %x").replace(TYPE, f"{TYPE}, {TYPE}"),
            "has 2 operands, not 1",
        ),
        (SPREAD, GIVEN, GIVEN.replace("%x", "").replace(TYPE, ""), "has 0 operands, not 1"),
        (SCALARS, "[b, f]x", "[b, b]x", "names dimensions [b, b]"),
    ],
)
def test_an_attribute_that_no_operation_may_have_is_an_error(text, right, wrong, said):
    """As the dialect's own verifier says; an attribute that is not understood is none."""
    made = hlo.claims_of(hlo.modules_of(text)[0])
    assert (made.problems, made.not_checked) == ((), {})
    (module,) = hlo.modules_of(text.replace(right, wrong, 1))
    found = [p.message for p in hlo.claims_of(module).problems if p.code == "SL721"]
    assert any(said in message for message in found)
