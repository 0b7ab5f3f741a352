"""Spellings of StableHLO that compilers and tests of them print: read whole, and checked."""
# ruff: noqa: E501

from __future__ import annotations

import pytest

from symlayout import hlo, prove


def judged(text: str) -> tuple[list[str], list[str]]:
    """The problems of a text of MLIR, and its claims that are not proved."""
    problems, hits = [], []
    for module in hlo.modules_of(text, "x.mlir"):
        made = hlo.claims_of(module)
        problems += [f"{p.code} {p.message}" for p in made.problems]
        for c in made.claims:
            verdict = getattr(prove, c.word)(*c.arguments, **dict(c.options))
            if not verdict.proved:
                hits.append(f"{c.word} {' '.join(c.arguments)}: {verdict.reason}")
    return problems, hits


def opcodes(text: str) -> list[str]:
    return [i.opcode for m in hlo.modules_of(text, "x.mlir") for i in m.instructions]


F = """func.func @main(%a: tensor<4x8xf32>{more}, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}}"""

SHARDED = """module @m {{
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%a: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}, %b: tensor<8x8xf32>) -> (tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}) {{
    %0 = stablehlo.add %a, %b {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, {sharding}>]>}} : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }}
}}"""

BRANCH = """func.func @main(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  cf.cond_br %c, ^one, ^two
^two:
  %2 = stablehlo.negate %a : tensor<4xf32>
  cf.br ^three(%2 : tensor<4xf32>)
^one:
  %1 = stablehlo.abs %a : tensor<4xf32>
  cf.br ^three(%1 : tensor<4xf32>)
^three(%3: tensor<4xf32>):
  %4 = stablehlo.add %3, %a : tensor<4xf32>
  return %4 : tensor<4xf32>
}"""

CONV = """func.func @main(%a: tensor<1x8x8x4xf32>, %b: tensor<{kernel}xf32>) -> tensor<{out}xf32> {{
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{}} {{feature_group_count = 1 : i64, batch_group_count = 1 : i64}} : (tensor<1x8x8x4xf32>, tensor<{kernel}xf32>) -> tensor<{out}xf32>
  return %0 : tensor<{out}xf32>
}}"""

RIGHT = {
    # `<` in the strings of an argument's attributes
    "a sharding with <=": F.format(more=' {mhlo.sharding = "{devices=[4]<=[4]}"}'),
    "a sharding turned round": F.format(more=' {mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0)}"}'),
    "a string with brackets": F.format(more=' {my.words = "a < b, (c"}'),
    "two strings": F.format(more=' {a.b = "<", c.d = ">>"}'),
    "a sharding after a location": F.format(more=' {mhlo.sharding = "{devices=[4]<=[4]}"} loc("x")'),
    # modules
    "no attributes": f"module @m attributes {{}} {{\n{F.format(more='')}\n}}",
    "one attribute": f"module @m attributes {{mhlo.num_partitions = 4 : i32}} {{\n{F.format(more='')}\n}}",
    "a unit as attribute": f"module attributes {{my.unit}} {{\n{F.format(more='')}\n}}",
    "a function with attributes": F.format(more="").replace(
        "-> tensor<4x4xf32> {", "-> tensor<4x4xf32> attributes {} {", 1
    ),
    "a function with a string": F.format(more="").replace(
        "-> tensor<4x4xf32> {", '-> tensor<4x4xf32> attributes {my.words = "{"} {', 1
    ),
    # parts of axes
    "a part of an axis": SHARDED.format(sharding='[{"x":(1)2}, {}]'),
    "two parts of an axis": SHARDED.format(sharding='[{"x":(1)2, "y"}, {"x":(2)2, ?}]'),
    "a part that is replicated": SHARDED.format(sharding='[{"y"}, {?}], replicated={"x":(2)2}'),
    "a priority": SHARDED.format(sharding='[{"x":(1)2, ?}p1, {"y"}p0]'),
    "parts that are left open": SHARDED.format(sharding='[{?}, {"x", ?}]'),
    # attributes before operands
    "a barrier": """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.optimization_barrier {my.attr = 1 : i32} %a : tensor<3xf32>
  return {my.more = "x"} %0 : tensor<3xf32>
}""",
    "a barrier of two": """func.func @main(%a: tensor<3xf32>, %b: tensor<2xi32>) -> (tensor<3xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.optimization_barrier {a.b = {c = "%x"}} %a, %b : tensor<3xf32>, tensor<2xi32>
  return {} %0#0, %0#1 : tensor<3xf32>, tensor<2xi32>
}""",
    "a string with a name": """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.negate %a {my.words = "%b {"} : tensor<3xf32>
  return %0 : tensor<3xf32>
}""",
    "a sharded return": """func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return {sdy.sharding = #sdy.sharding_per_value<[]>} %a : tensor<8x8xf32>
}""",
    "a while with attributes in front of its regions": """func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %a) : tensor<i32> attributes {my.attr = "cond {"}
  cond {
    %1 = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return %0 : tensor<i32>
}""",
    # quoted symbols
    "a quoted function": """func.func private @"f(x){y}"(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @"f(x){y}"(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = func.call @"f(x){y}"(%0) : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}""",
    "a quoted target": """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @"a, %b"(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}""",
    "a quoted mesh": """sdy.mesh @"a mesh(1)" = <["x"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@"a mesh(1)", [{"x"}]>}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}""",
    "a symbol that is named like another": """func.func private @"f"(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @f(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}""",
    # comments that separate nothing
    "a line of more hyphens": f"// ------------\n{F.format(more='')}",
    "words behind hyphens": f"// ----- the first\n{F.format(more='')}",
    "hyphens inside": F.format(more="").replace("  return", "  // ----- done\n  return"),
    "hyphens that go on": F.format(more="").replace("  return", "  // -----------\n  return"),
    # several blocks
    "blocks in any order": BRANCH,
    "a loop of blocks": """func.func @main(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  cf.br ^body(%a : tensor<4xf32>)
^body(%x: tensor<4xf32>):
  %0 = stablehlo.add %x, %a : tensor<4xf32>
  cf.cond_br %c, ^body(%0 : tensor<4xf32>), ^end
^end:
  return %0 : tensor<4xf32>
}""",
    "a block that nothing goes to": """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
^lost:
  %1 = stablehlo.negate %2 : tensor<4xf32>
  %2 = stablehlo.negate %a : tensor<4xf32>
  return %1 : tensor<4xf32>
}""",
    "a block by its first name": """func.func @main() -> tensor<4xf32> {
^entry:
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  cf.br ^next
^next:
  return %0 : tensor<4xf32>
}""",
    "a switch": """func.func @main(%a: tensor<4xf32>, %flag: i32) -> tensor<4xf32> {
  cf.switch %flag : i32, [
    default: ^one(%a : tensor<4xf32>),
    7: ^two
  ]
^one(%x: tensor<4xf32>):
  return %x : tensor<4xf32>
^two:
  return %a : tensor<4xf32>
}""",
    "names that come again in the second region": """func.func @main(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = scf.while (%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.negate %x : tensor<4xf32>
    scf.condition(%c) %1 : tensor<4xf32>
  } do {
  ^bb0(%x: tensor<4xf32>):
    %1 = stablehlo.abs %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}""",
    "an scf.while of other names": """func.func @main(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = scf.while (%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%c) %x : tensor<4xf32>
  } do {
  ^bb0(%y: tensor<4xf32>):
    %1 = stablehlo.abs %y : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = stablehlo.negate %0 : tensor<4xf32>
  return %2 : tensor<4xf32>
}""",
    # brackets that are none, types that HLO has not
    "a set": f"#set = affine_set<(d0) : (d0 >= 0)>\n{F.format(more='')}",
    "a set of two": f"#set = affine_set<(d0, d1)[s0] : (d0 - d1 >= 0, d0 - s0 == 0)>\n{F.format(more='')}",
    "a set as attribute": F.format(more=" {my.set = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>}"),
    "a map": f"#map = affine_map<(d0, d1) -> (d1, d0)>\n{F.format(more='')}",
    "an alias over lines": f"#x = dense<[[1, 2],\n  [3, 4]]>\n  : tensor<2x2xi32>\n{F.format(more='')}",
    "whole complex numbers": """func.func @main(%a: tensor<complex<i32>>, %b: tensor<3xcomplex<i32>>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.negate %c : tensor<3xf32>
  return %0 : tensor<3xf32>
}""",
    "half complex numbers": """func.func @main(%a: tensor<2xcomplex<f16>>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.negate %c : tensor<3xf32>
  return %0 : tensor<3xf32>
}""",
    "several operands of all_to_all": """func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> (tensor<8x4xf32>, tensor<16x1xf32>) {
  %0:2 = "stablehlo.all_to_all"(%a, %b) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> (tensor<8x4xf32>, tensor<16x1xf32>)
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<16x1xf32>
}""",
    "all_to_all along one dimension": """func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x2xf32>) -> (tensor<4x8xf32>, tensor<4x2xf32>) {
  %0:2 = "stablehlo.all_to_all"(%a, %b) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x8xf32>, tensor<4x2xf32>) -> (tensor<4x8xf32>, tensor<4x2xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x2xf32>
}""",
    "output features that are known later": CONV.format(kernel="3x3x4x?", out="1x6x6x?"),
    "a window that is known later": CONV.format(kernel="?x3x4x5", out="1x?x6x5"),
    "a barrier of nothing": """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  stablehlo.optimization_barrier()
  "stablehlo.optimization_barrier"() : () -> ()
  return %a : tensor<3xf32>
}""",
    "a while of nothing": """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  stablehlo.while()
   cond {
    %0 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %0 : tensor<i1>
  } do {
    stablehlo.return
  }
  return %a : tensor<3xf32>
}""",
    "a loop without a body": """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  scf.forall (%i) in (32) {
  }
  return %a : tensor<3xf32>
}""",
    "an operation outside of functions": """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
%0 = stablehlo.constant dense<1.0> : tensor<f32>""",
    "the largest": """func.func @main(%a: tensor<5x10xf32>) -> (tensor<5x8xf32>, tensor<5x8xi32>) {
  %0:2 = mhlo.topk(%a, k=8, largest=true) : tensor<5x10xf32> -> (tensor<5x8xf32>, tensor<5x8xi32>)
  return %0#0, %0#1 : tensor<5x8xf32>, tensor<5x8xi32>
}""",
    "the largest in the generic form": """func.func @main(%a: tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %0:2 = "mhlo.topk"(%a) {k = 2 : i64, largest = true} : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}""",
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_it_is_read_whole_and_nothing_is_refuted(name):
    assert judged(RIGHT[name]) == ([], [])


@pytest.mark.parametrize("name", RIGHT)
def test_no_argument_and_no_operation_is_lost(name):
    """As many parameters as names with types, and each operation once."""
    text = RIGHT[name]
    found = opcodes(text)
    names = sum(text.count(f" @{word}(%") for word in ("main", "f"))
    assert found.count("parameter") >= names
    for word in (
        "add",
        "negate",
        "abs",
        "dot_general",
        "topk",
        "all_to_all",
        "optimization_barrier",
    ):
        in_text = sum(text.count(f"{d}.{word}") for d in ("stablehlo", "mhlo"))
        renamed = {"dot_general": "dot", "optimization_barrier": "opt-barrier"}
        assert found.count(renamed.get(word, word.replace("_", "-"))) == in_text, word
    assert len(hlo.modules_of(text, "x.mlir")) == 1


WRONG = {
    "output features that differ": (CONV.format(kernel="3x3x4x5", out="?x6x6x6"), "output features"),
    "a window of another size": (CONV.format(kernel="3x3x4x5", out="1x6x5x5"), "window 1"),
    "an argument behind a sharding of another type": (
        F.format(more=' {mhlo.sharding = "{devices=[4]<=[4]}"}').replace("%b: tensor<8x4", "%b: tensor<8x5"),
        "%b is given as",
    ),
    "an argument that is not there": (
        F.format(more=' {mhlo.sharding = "{devices=[4]<=[4]}"}').replace("%a, %b, contr", "%a, %c, contr"),
        "%c is not defined",
    ),
    "a result with a wrong shape behind sub-axes": (
        SHARDED.format(sharding='[{"x":(1)2}, {}]').replace("%0 = stablehlo.add %a, %b", "%0 = stablehlo.add %a, %c"),
        "%c is not defined",
    ),
    "a block that does not dominate": (
        BRANCH.replace("stablehlo.add %3, %a", "stablehlo.add %3, %1"),
        "%1 is not defined",
    ),
    "a block that is not there": (BRANCH.replace("^one, ^two", "^one, ^four"), "^four is not a block"),
    "a name in two blocks": (BRANCH.replace("%2 =", "%1 =").replace("(%2", "(%1"), "%1 is defined twice"),
    "a value before it is defined": (
        BRANCH.replace("%4 = stablehlo.add %3, %a", "%4 = stablehlo.add %4, %a"),
        "%4 is not defined",
    ),
    "an argument of a block in another": (
        BRANCH.replace("stablehlo.abs %a", "stablehlo.abs %3"),
        "%3 is not defined",
    ),
    "two blocks in a reducer": (
        """func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    cf.br ^next
  ^next:
    stablehlo.return %x : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}""",
        "has 2 blocks",
    ),
    "a barrier with one operand too many": (
        RIGHT["a barrier"].replace("} %a :", "} %a, %a :"),
        "2 operands, and 1 type",
    ),
    "a call with another type": (
        RIGHT["a quoted function"].replace("call @\"f(x){y}\"(%a) : (tensor<3xf32>) -> tensor<3xf32>",
                                           "call @\"f(x){y}\"(%a) : (tensor<3xf32>) -> tensor<4xf32>", 1),
        "SL72",
    ),
    "topk of more than there are": (RIGHT["the largest"].replace("k=8", "k=11").replace("5x8x", "5x11x"), "k and the last"),
    "topk that has no k": (RIGHT["the largest"].replace("k=8, ", ""), "needs the attribute k"),
    "all_to_all of another part": (
        RIGHT["several operands of all_to_all"].replace("16x1xf32", "16x2xf32"), "parts of",
    ),
    "all_to_all that changes a shape": (
        RIGHT["all_to_all along one dimension"].replace("%b: tensor<4x2xf32>", "%b: tensor<6x2xf32>").replace(
            "(tensor<4x8xf32>, tensor<4x2xf32>) -> (", "(tensor<4x8xf32>, tensor<6x2xf32>) -> (", 2
        ),
        "dimension 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_seen(name):
    text, words = WRONG[name]
    problems, hits = judged(text)
    assert any(words in line for line in (*problems, *hits)), (problems, hits)


@pytest.mark.parametrize(
    ("line", "modules"),
    [
        ("// -----", 2),
        ("  //   -----  ", 2),
        ("//-----", 2),
        ("// -----\r", 2),
        ("// ----- ", 2),
        ("// ------", 1),
        ("// ----", 1),
        ("// ----- more", 1),
        ("//// -----", 1),
        ("// -----// -----", 1),
    ],
)
def test_a_separator_stands_alone_on_its_line(line, modules):
    parts = [
        F.format(more=""),
        F.format(more="").replace("@main", "@other").replace("%0", "%1"),
    ]
    text = f"\n{line}\n".join(parts)
    assert len(hlo.modules_of(text, "x.mlir")) == modules
    assert judged(text) == ([], [])


def test_a_function_of_many_blocks_is_read_in_time():
    from time import process_time

    blocks = "".join(
        f"^b{k}:\n  %{k} = stablehlo.negate %a : tensor<4xf32>\n  cf.br ^b{k + 1}\n"
        for k in range(3000)
    )
    text = (
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  cf.br ^b0\n"
        f"{blocks}^b3000:\n  return %a : tensor<4xf32>\n}}"
    )
    began = process_time()
    assert judged(text) == ([], [])
    assert process_time() - began < 8


@pytest.mark.parametrize(
    ("returned", "result", "right"),
    [
        ("?x4xf32", "?x4xf32", True),
        ("3x4xf32", "3x4xf32", True),
        ("?x?xf32", "?x?xf32", True),
        ("3x4xf32", "?x4xf32", False),
        ("?x4xf32", "3x4xf32", False),
        ("?x4xf32", "3x?xf32", False),
        ("f32", "1xf32", False),
        ("3xf32", "3xi32", False),
    ],
)
def test_a_function_returns_the_types_of_its_header(returned, result, right):
    """The verifier of jaxlib accepts and refuses these texts in the same way."""
    text = f"func.func @f(%a: tensor<{returned}>) -> tensor<{result}> {{ return %a : tensor<{returned}> }}"
    problems, hits = judged(text)
    assert (problems + hits == []) is right
