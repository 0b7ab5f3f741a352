"""StableHLO's operations whose sizes come in at run time, and exchanges of two dimensions."""

from __future__ import annotations

import pytest

from symlayout import hlo, prove

ARGUMENTS = """%a: tensor<?xf32>, %m: tensor<?x?xf32>, %s: tensor<2xi32>, %z: tensor<f32>,
    %i: tensor<3x1xi32>, %b: tensor<4x8xf32>, %f: tensor<2xf32>"""
GATHER = (
    "<{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
    "start_index_map = [0], index_vector_dim = 1>}>"
)
EXCHANGE = (
    "{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, "
    "replica_groups = dense<[[0,1,2,3]]> : tensor<1x4xi64>}"
)
# an operation, its operands, attributes, their types, the result's type
ROWS = {
    "dynamic_broadcast_in_dim": ("%a, %s, dims = [1]", "<?x>, <2xi>", "<?x?x>"),
    "dynamic_iota": ("%s, dim = 1", "<2xi>", "<?x?x>"),
    "dynamic_pad": ("%m, %z, %s, %s, %s", "<?x?x>, <>, <2xi>, <2xi>, <2xi>", "<?x?x>"),
    "real_dynamic_slice": ("%m, %s, %s, %s", "<?x?x>, <2xi>, <2xi>, <2xi>", "<?x?x>"),
    "dynamic_reshape": ("%m, %s", "<?x?x>, <2xi>", "<?x?x>"),
    "dynamic_gather": (f"(%m, %i, %s) {GATHER}", "<?x?x>, <3x1xi>, <2xi>", "<3x?x>"),
    "all_to_all": (f"(%b) {EXCHANGE}", "<4x8x>", "<16x2x>"),
}


def judged(name, old="", new=""):
    """The verdict on one operation, with a part of its text changed."""
    operands, given, result = ROWS[name]
    types = f"({given}) -> {result}".replace("i>", "i32>")
    types = types.replace("x>", "xf32>").replace("<>", "<f32>").replace("<", "tensor<")
    quoted = f'"stablehlo.{name}"' if operands.startswith("(") else f"stablehlo.{name} "
    line = f"%0 = {quoted}{operands} : {types}"
    assert old in line
    text = f"func.func @f({ARGUMENTS}) {{\n  {line.replace(old, new, 1)}\n  return\n}}"
    made = hlo.claims_of(hlo.modules_of(text, "x.mlir")[0])
    assert not made.problems
    assert not made.not_checked
    (claim,) = (c for c in made.claims if name.replace("_", "-") in c.arguments[0])
    return getattr(prove, claim.word)(*claim.arguments)


@pytest.mark.parametrize("name", ROWS)
def test_what_is_right_is_proved(name):
    assert judged(name).status == "proved"


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("dynamic_broadcast_in_dim", "dims = [1]", "dims = [2]", "dimension 2"),
        ("dynamic_broadcast_in_dim", "dims = [1]", "dims = [1, 0]", "2 dimensions for 1"),
        ("dynamic_broadcast_in_dim", "-> tensor<?x?xf32>", "-> tensor<?x?xi32>", "s32"),
        ("dynamic_broadcast_in_dim", "-> tensor<?x?xf32>", "-> tensor<?xf32>", "the sizes"),
        ("dynamic_iota", "dim = 1", "dim = 2", "iota_dimension"),
        ("dynamic_iota", "-> tensor<?x?xf32>", "-> tensor<?x?x?xf32>", "the sizes"),
        ("dynamic_pad", "-> tensor<?x?xf32>", "-> tensor<?x?xi32>", "s32"),
        ("dynamic_pad", "-> tensor<?x?xf32>", "-> tensor<?xf32>", "one rank"),
        ("real_dynamic_slice", "-> tensor<?x?xf32>", "-> tensor<?xf32>", "one rank"),
        ("dynamic_reshape", "-> tensor<?x?xf32>", "-> tensor<?x?x?xf32>", "the sizes"),
        ("dynamic_gather", "-> tensor<3x?xf32>", "-> tensor<4x?xf32>", "3 and 4"),
        ("dynamic_gather", "-> tensor<3x?xf32>", "-> tensor<3x?x?xf32>", "3 dimensions, not 2"),
        ("all_to_all", "-> tensor<16x2xf32>", "-> tensor<16x4xf32>", "4 parts of 4"),
        ("all_to_all", "-> tensor<16x2xf32>", "-> tensor<8x2xf32>", "4 parts of 4"),
        ("all_to_all", "-> tensor<16x2xf32>", "-> tensor<2x16xf32>", "parts of"),
    ],
)
def test_what_is_wrong_is_refuted(name, old, new, why):
    verdict = judged(name, old, new)
    assert verdict.status == "refuted"
    assert why in verdict.reason
