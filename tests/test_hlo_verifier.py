"""What MLIR's verifier asks of StableHLO, on operations that it accepts and that it refuses."""
# ruff: noqa: E501

from __future__ import annotations

import pytest
from test_hlo_spellings import judged

MODULE = "func.func @main({args}) -> ({outs}) {{\n  {names}{op}\n  return {back} : {outs}\n}}"


def module(op: str, args: str, outs: str, names: str = "%0", back: str = "%0") -> str:
    """A function around one operation."""
    return MODULE.format(op=op, args=args, outs=outs, names=f"{names} = ", back=back)


# -- layouts of custom calls ----------------------------------------------------------------------


def layout(*numbers: int) -> str:
    return f"dense<{list(numbers)}> : tensor<{len(numbers)}xindex>" if numbers else NONE


NONE = "dense<> : tensor<0xindex>"


def call(operands: str, results: str) -> str:
    attributes = f"operand_layouts = [{operands}], result_layouts = [{results}]"
    return module(
        f'stablehlo.custom_call @f(%a, %b) {{{attributes}}} : (tensor<4x8xf32>, tensor<f32>) -> tensor<2x3x5xf32>',
        "%a: tensor<4x8xf32>, %b: tensor<f32>",
        "tensor<2x3x5xf32>",
    )  # fmt: skip


ONE = call(f"{layout(1, 0)}, {NONE}", layout(2, 1, 0))
TUPLE = module(
    f"stablehlo.custom_call @f(%a) {{operand_layouts = [{layout(0, 1)}], "
    f"result_layouts = [{layout(0)}, {layout(1, 0)}]}} : (tensor<4x8xf32>) -> tuple<tensor<3xf32>, tensor<2x2xf32>>",
    "%a: tensor<4x8xf32>",
    "tuple<tensor<3xf32>, tensor<2x2xf32>>",
)
SEVERAL = module(
    f"stablehlo.custom_call @f() {{operand_layouts = [], result_layouts = [{layout(0)}, "
    f"dense<0> : tensor<1xindex>]}} : () -> (tensor<3xf32>, tensor<5xf32>)",
    "",
    "tensor<3xf32>, tensor<5xf32>",
    "%0:2",
    "%0#0, %0#1",
)
CALLS = [
    (ONE, ""),
    (call(f"{layout(0, 1)}, {NONE}", layout(0, 2, 1)), ""),
    (TUPLE, ""),
    (SEVERAL, ""),
    (ONE.replace("operand_layouts", "my.layouts").replace("result_layouts", "my.more"), ""),
    (call(layout(1, 0), layout(2, 1, 0)), "1 layouts for 2 operands"),
    (call(f"{layout(1, 0)}, {NONE}, {NONE}", layout(2, 1, 0)), "3 layouts for 2 operands"),
    (call(f"{layout(1, 0)}, {NONE}", ""), "0 layouts for 1 results"),
    (call(f"{layout(1, 0)}, {NONE}", layout(1, 0)), "for result 0, of 3 dimensions"),
    (call(f"{layout(1, 1)}, {NONE}", layout(2, 1, 0)), "for operand 0, of 2 dimensions"),
    (call(f"{layout(2, 1)}, {NONE}", layout(2, 1, 0)), "for operand 0, of 2 dimensions"),
    (call(f"{layout(1, 0)}, {layout(0)}", layout(2, 1, 0)), "for operand 1, of 0 dimensions"),
    (ONE.replace("result_layouts", "my.layouts"), "alone, not of both"),
    (ONE.replace("operand_layouts", "my.layouts"), "alone, not of both"),
    (TUPLE.replace(layout(1, 0), layout(1)), "for result 1, of 2 dimensions"),
    (SEVERAL.replace("dense<0> : tensor<1xindex>", layout(1, 0)), "for result 1, of 1 dimensions"),
]  # fmt: skip

# -- dimension numbers of gather and scatter ------------------------------------------------------

GATHER = {
    "offset_dims": [2], "collapsed_slice_dims": [0, 1], "start_index_map": [0, 1], "index_vector_dim": 2,
}  # fmt: skip
BATCHED = {
    "offset_dims": [2], "collapsed_slice_dims": [1], "operand_batching_dims": [0],
    "start_indices_batching_dims": [1], "start_index_map": [1], "index_vector_dim": 2,
}  # fmt: skip
SCATTER = {
    "update_window_dims": [2], "inserted_window_dims": [0, 1], "scatter_dims_to_operand_dims": [0, 1],
    "index_vector_dim": 2,
}  # fmt: skip


def numbers(table: dict[str, object]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in table.items())


def gather(kind: str = "tensor<2x4x9xi32>", batched: bool = False, **changes: object) -> str:
    table = {**(BATCHED if batched else GATHER), **changes}
    indices = "tensor<5x2x1xi32>" if batched else "tensor<1x5x2xi32>"
    out = "tensor<5x2x8xi32>" if batched else "tensor<1x5x8xi32>"
    op = (
        f'"stablehlo.gather"(%a, %i) {{dimension_numbers = #stablehlo.gather<{numbers(table)}>, '
        f"slice_sizes = array<i64: 1, 1, 8>}} : ({kind}, {indices}) -> {out}"
    )
    return module(op, f"%a: {kind}, %i: {indices}", out)


def dynamic_gather(**changes: object) -> str:
    table = {**GATHER, **changes}
    types = "tensor<2x4x9xi32>, tensor<1x5x2xi32>, tensor<3xi32>"
    op = (
        f'"stablehlo.dynamic_gather"(%a, %i, %s) {{dimension_numbers = '
        f"#stablehlo.gather<{numbers(table)}>}} : ({types}) -> tensor<1x5x?xi32>"
    )
    a, i, s = types.split(", ")
    return module(op, f"%a: {a}, %i: {i}, %s: {s}", "tensor<1x5x?xi32>")


def scatter(**changes: object) -> str:
    table = {**SCATTER, **changes}
    types = "tensor<2x4x9xf32>, tensor<1x5x2xi32>, tensor<1x5x8xf32>"
    op = (
        '"stablehlo.scatter"(%a, %i, %u) ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n'
        "    stablehlo.return %y : tensor<f32>\n  }) {scatter_dimension_numbers = "
        f"#stablehlo.scatter<{numbers(table)}>}} : ({types}) -> tensor<2x4x9xf32>"
    )
    a, i, u = types.split(", ")
    return module(op, f"%a: {a}, %i: {i}, %u: {u}", "tensor<2x4x9xf32>")


INDEXED = [
    (gather(), ""),
    (gather(batched=True), ""),
    (gather("tensor<?x?x?xi32>"), ""),
    (dynamic_gather(), ""),
    (scatter(), ""),
    (gather(start_index_map=[1, 0]), ""),
    (gather(start_index_map=[0, 3]), "names dimension 3 of 3 dimensions in start_index_map"),
    (gather(start_index_map=[0, -2]), "names dimension -2 of 3 dimensions in start_index_map"),
    (gather("tensor<?x?x?xi32>", start_index_map=[0, 5]), "names dimension 5 of 3 dimensions"),
    (gather(start_index_map=[1, 1]), "names a dimension twice in start_index_map"),
    (gather(offset_dims=[3]), "names dimension 3 of 3 dimensions in offset_dims"),
    (gather(offset_dims=[-1]), "names dimension -1 of 3 dimensions in offset_dims"),
    (gather(collapsed_slice_dims=[1, 0]), "does not increase, collapsed_slice_dims"),
    (gather(collapsed_slice_dims=[0, 7]), "names dimension 7 of 3 dimensions in collapsed_slice_dims"),
    (gather(index_vector_dim=4), "has index_vector_dim = 4, and indices of 3 dimensions"),
    (gather(index_vector_dim=-1), "has index_vector_dim = -1"),
    (gather(batched=True, start_index_map=[0]), "has dimension 0 in start_index_map and in operand_batching_dims"),
    (gather(batched=True, collapsed_slice_dims=[0]), "has dimension 0 in collapsed_slice_dims and in"),
    (gather(batched=True, start_indices_batching_dims=[0]), "batches of 2 in dimension 0, of 5 in the indices"),
    (gather(batched=True, start_indices_batching_dims=[3]), "names dimension 3 of 3 dimensions in start_indices"),
    (gather(batched=True, start_indices_batching_dims=[2]), "the index vector's dimension 2"),
    (gather(batched=True, start_indices_batching_dims=[]), "of several lengths"),
    (dynamic_gather(start_index_map=[0, 3]), "names dimension 3 of 3 dimensions in start_index_map"),
    (dynamic_gather(collapsed_slice_dims=[1, 0]), "does not increase, collapsed_slice_dims"),
    (dynamic_gather(offset_dims=[4]), "names dimension 4 of 3 dimensions in offset_dims"),
    (scatter(update_window_dims=[3]), "names dimension 3 of 3 dimensions in update_window_dims"),
    (scatter(scatter_dims_to_operand_dims=[0, 9]), "names dimension 9 of 3 dimensions in scatter_dims"),
    (scatter(scatter_dims_to_operand_dims=[1, 1]), "names a dimension twice in scatter_dims"),
    (scatter(inserted_window_dims=[1, 0]), "does not increase, inserted_window_dims"),
    (scatter(index_vector_dim=4), "has index_vector_dim = 4"),
]  # fmt: skip

# -- pairs and groups -----------------------------------------------------------------------------

REDUCER = (
    "({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %1 = stablehlo.add %x, %y : tensor<f32> "
    "stablehlo.return %1 : tensor<f32> })"
)


def permute(pairs: str) -> str:
    op = (
        f'"stablehlo.collective_permute"(%a) {{source_target_pairs = {pairs}}} : '
        "(tensor<16x8xf32>) -> tensor<16x8xf32>"
    )
    return module(op, "%a: tensor<16x8xf32>", "tensor<16x8xf32>")


def grouped(name: str, groups: str, out: str = "", more: str = "") -> str:
    region = REDUCER if name in ("all_reduce", "reduce_scatter") else ""
    own = {
        "all_gather": ("all_gather_dim = 1 : i64, ", "tensor<16x16xf32>"),
        "all_reduce": ("", "tensor<16x8xf32>"),
        "reduce_scatter": ("scatter_dimension = 1 : i64, ", "tensor<16x4xf32>"),
        "all_to_all": (
            "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, ",
            "tensor<32x4xf32>",
        ),
    }
    words, result = own[name]
    result = out or result
    op = (
        f'"stablehlo.{name}"(%a) {region} {{{words}replica_groups = {groups}{more}}} : '
        f"(tensor<16x8xf32>) -> {result}"
    )
    return module(op, "%a: tensor<16x8xf32>", result)


TWO = "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"
HANDLE = (
    ", channel_handle = #stablehlo.channel_handle<handle = {}, type = 0>, use_global_device_ids"
)
DEVICES = [
    (permute("dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>"), ""),
    (permute("dense<> : tensor<0x2xi64>"), ""),
    (permute("dense<0> : tensor<1x2xi64>"), ""),
    (permute("dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>"), ""),
    (permute("dense<[[0, 100]]> : tensor<1x2xi64>"), ""),
    (permute("dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>"), "the source of two"),
    (permute("dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>"), "the target of two"),
    (permute("dense<[[0, -1]]> : tensor<1x2xi64>"), "a target below 0"),
    (permute("dense<[[-5, 1]]> : tensor<1x2xi64>"), "a source below 0"),
    (permute("dense<[[0, 1, 2]]> : tensor<1x3xi64>"), "of 1x3, not of pairs"),
    (permute("dense<[0, 1]> : tensor<2xi64>"), "of 2, not of pairs"),
    (permute("dense<1> : tensor<3x2xi64>"), "the source of two"),
    *((grouped(name, TWO), "") for name in ("all_gather", "all_reduce", "reduce_scatter", "all_to_all")),
    (grouped("all_reduce", "dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>"), ""),
    (grouped("all_gather", "dense<[[0], [1]]> : tensor<2x1xi64>"), ""),
    (grouped("all_gather", TWO, "tensor<16x48xf32>"), ""),
    (grouped("reduce_scatter", TWO, "tensor<16x2xf32>"), ""),
    (grouped("all_gather", TWO, "", HANDLE.format(0)), ""),
    (grouped("all_reduce", TWO, "", HANDLE.format(3)), ""),
    (grouped("all_reduce", TWO, "", HANDLE.format(0)), "channel_id"),
    (grouped("all_reduce", TWO, "", HANDLE.format(-1)), "channel_id"),
    (grouped("all_gather", TWO, "tensor<16x17xf32>"), "in equal parts"),
    (grouped("reduce_scatter", TWO, "tensor<16x3xf32>"), "in equal parts"),
    *((grouped(name, "dense<[0, 1]> : tensor<2xi64>"), "not rows of devices")
      for name in ("all_gather", "all_reduce", "reduce_scatter", "all_to_all")),
    *((grouped(name, "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>"), "in two of")
      for name in ("all_gather", "all_reduce", "reduce_scatter", "all_to_all")),
    *((grouped(name, "dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>"), "below 0")
      for name in ("all_gather", "reduce_scatter", "all_to_all")),
    (grouped("all_gather", "dense<[[0, 1], [3, 4]]> : tensor<2x2xi64>"), "not of all devices"),
    (grouped("reduce_scatter", "dense<0> : tensor<1x2xi64>"), "in two of"),
    (grouped("all_to_all", "dense<[[0], [1]]> : tensor<2x1xi64>"), "split_count = 2 for groups of 1"),
    (grouped("all_to_all", "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"), "split_count = 2 for groups of 4"),
]  # fmt: skip


def mapped(dims: str) -> str:
    op = (
        '"stablehlo.map"(%a) ({ ^bb0(%x: tensor<f32>): stablehlo.return %x : tensor<f32> }) '
        f"{{dimensions = array<i64{dims}>}} : (tensor<16x8xf32>) -> tensor<16x8xf32>"
    )
    return module(op, "%a: tensor<16x8xf32>", "tensor<16x8xf32>")


MAPS = [
    (mapped(": 0, 1"), ""),
    (mapped(": 1, 0"), "dimensions = [1, 0]"),
    (mapped(": 0"), "dimensions = [0]"),
    (mapped(""), "dimensions = []"),
    (mapped(": 0, 1, 2"), "dimensions = [0, 1, 2]"),
]

# -- element types, and regions -------------------------------------------------------------------


def one(op: str, a: str, out: str, more: str = "") -> str:
    """An operation of one operand in the generic form."""
    return module(f'"stablehlo.{op}"(%a) {more} : ({a}) -> {out}', f"%a: {a}", out)


TYPES = [
    *((one(op, "tensor<2xcomplex<f32>>", "tensor<2xf32>"), "") for op in ("abs", "imag", "real")),
    *((one(op, "tensor<2xcomplex<f64>>", "tensor<2xf64>"), "") for op in ("abs", "imag", "real")),
    *((one(op, "tensor<2xf64>", "tensor<2xf64>"), "") for op in ("abs", "imag", "real")),
    (one("abs", "tensor<2xi32>", "tensor<2xi32>"), ""),
    (one("abs", "tensor<2xcomplex<f32>>", "tensor<2xf64>"), "gives f64 in result 0, not f32"),
    (one("real", "tensor<2xcomplex<f32>>", "tensor<2xf16>"), "gives f16 in result 0, not f32"),
    (one("real", "tensor<2xcomplex<f64>>", "tensor<2xf32>"), "gives f32 in result 0, not f64"),
    (one("imag", "tensor<2xf32>", "tensor<2xf16>"), "gives f16 in result 0, not f32"),
    (one("imag", "tensor<2xf32>", "tensor<2xf64>"), "gives f64 in result 0, not f32"),
    (grouped("all_to_all", "dense<[[0, 1]]> : tensor<1x2xi64>", "tensor<32x4xf64>"), "gives f64 in result 0, not f32"),
    (grouped("all_to_all", "dense<[[0, 1]]> : tensor<1x2xi64>", "tensor<32x4xi32>"), "gives s32 in result 0, not f32"),
    (grouped("all_gather", "dense<[[0, 1]]> : tensor<1x2xi64>", "tensor<16x16xf64>"), "gives f64 in result 0, not f32"),
    (one("reduce_precision", "tensor<3xf32>", "tensor<3xf32>", "{exponent_bits = 1 : i32, mantissa_bits = 0 : i32}"), ""),
    (one("reduce_precision", "tensor<3xf32>", "tensor<3xf32>", "{exponent_bits = 0 : i32, mantissa_bits = 3 : i32}"), "exponent_bits = 0"),
    (one("reduce_precision", "tensor<3xf32>", "tensor<3xf32>", "{exponent_bits = 4 : i32, mantissa_bits = -1 : i32}"), "mantissa_bits = -1"),
    (one("broadcast", "tensor<3xi32>", "tensor<1x2x3xi32>", "{broadcast_sizes = array<i64: 1, 2>}"), ""),
    (one("broadcast", "tensor<3xi32>", "tensor<?x2x3xi32>", "{broadcast_sizes = array<i64: 1, 2>}"), ""),
    (one("broadcast", "tensor<3xi32>", "tensor<1x3xi32>", "{broadcast_sizes = array<i64: 2>}"), "has the size 1 in dimension 0, not 2"),
    (one("broadcast", "tensor<3xi32>", "tensor<1x2x3xi32>", "{broadcast_sizes = array<i64: 1, -2>}"), "has the size -2"),
    (one("broadcast", "tensor<3xi32>", "tensor<2x1x3xi32>", "{broadcast_sizes = array<i64: 1, 2>}"), "has the size 2 in dimension 0, not 1"),
]  # fmt: skip


def product(count: int) -> str:
    words = ", ".join(["#stablehlo<precision HIGH>"] * count)
    op = (
        f'"stablehlo.dot"(%a, %a) {{precision_config = [{words}]}} '
        ": (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>"
    )
    return module(op, "%a: tensor<4x4xf32>", "tensor<4x4xf32>")


PRECISIONS = [
    *((product(k), "") for k in range(3)),
    (product(3), "3 values in precision_config"),
    (product(4), "4 values in precision_config"),
]


def choice(first: str = "", second: str = "", op: str = "if") -> str:
    kind = "i1" if op == "if" else "i32"
    arms = (f"{{ {x}\n stablehlo.return %a : tensor<3xf32> }}" for x in (first, second))
    text = f'"stablehlo.{op}"(%c) ({", ".join(arms)}) : (tensor<{kind}>) -> tensor<3xf32>'
    return module(text, f"%a: tensor<3xf32>, %c: tensor<{kind}>", "tensor<3xf32>")


BRANCHES = [
    *((choice(op=op), "") for op in ("if", "case")),
    *((choice("^bb0(%x: tensor<f32>):", op=op), "1 arguments in branch 0") for op in ("if", "case")),
    *((choice("", "^bb0(%x: tensor<3xf32>, %y: tensor<i32>):", op=op), "2 arguments in branch 1")
      for op in ("if", "case")),
]  # fmt: skip


def combined(
    op: str = "reduce",
    takes: str = "f32 f32",
    gives: str = "",
    back: str = "%x",
    value: str = "f32",
    out: str = "",
) -> str:
    """A reduction whose region takes and gives scalars of some types."""
    names = ("%x", "%y", "%z", "%w")
    types = takes.split()
    block = ", ".join(f"{n}: tensor<{t}>" for n, t in zip(names, types))
    gives, out = gives or types[0], out or gives or types[0]
    words = ", ".join([f"tensor<{gives}>"] * len(back.split(",")))
    tail = f"stablehlo.return {back} : {words}" if back else "stablehlo.return"
    region = f"({{ ^bb0({block}): {tail} }})"
    a, result, more, operands = {
        "reduce": ("4x8", "8", "dimensions = array<i64: 0>", "%a, %i"),
        "reduce_window": ("4x8", "4x8", "window_dimensions = array<i64: 1, 1>", "%a, %i"),
        "all_reduce": ("4x8", "4x8", "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", "%a"),
        "reduce_scatter": ("4x8", "4x4", "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64", "%a"),
    }[op]  # fmt: skip
    kinds = f"tensor<{a}x{value}>" + f", tensor<{value}>" * operands.count("%i")
    text = f'"stablehlo.{op}"({operands}) {region} {{{more}}} : ({kinds}) -> tensor<{result}x{out}>'
    args = f"%a: tensor<{a}x{value}>, %i: tensor<{value}>"
    return module(text, args, f"tensor<{result}x{out}>")


KINDS = ("reduce", "reduce_window", "all_reduce", "reduce_scatter")
REDUCTIONS = [
    *((combined(op), "") for op in KINDS),
    *((combined(op, "f64 f64"), "") for op in KINDS),  # elements are promoted
    *((combined(op, "i64 i64", value="i8"), "") for op in KINDS),
    *((combined(op, "f64 f64", out="f32"), "gives f32 in result 0, and its region f64") for op in KINDS),
    *((combined(op, "i8 i8", value="i32"), "promotes s32 to s8 in its region") for op in KINDS),
    *((combined(op, "ui32 ui32", value="i1"), "") for op in KINDS),
    *((combined(op, "f32 i32"), "in its region") for op in KINDS),
    *((combined(op, "i32 i32", out="f32"), "promotes f32 to s32 in its region") for op in KINDS),
    *((combined(op, "f16 f16"), "") for op in KINDS),
    *((combined(op, "f32"), "SL723") for op in KINDS),
    *((combined(op, "f32 f32 f32"), "SL723") for op in KINDS),
    *((combined(op, "f32 f32", back="%x, %y"), "SL723") for op in KINDS),
]  # fmt: skip

POOL = """func.func @main(%a: tensor<4x4xf32>, %b: tensor<2x2xf32>) -> tensor<4x4xf32> {{
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%a, %b, %z) ({{
  ^bb0({selected}):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return {answer}
  }}, {{
  ^bb0({combined}):
    stablehlo.return {sum}
  }}) {{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}} : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}}"""


def pool(
    selected: str = "%x: tensor<f32>, %y: tensor<f32>",
    answer: str = "%c : tensor<i1>",
    kind: str = "f32",
    combined: str = "",
    sum: str = "",
) -> str:
    combined = combined or f"%x: tensor<{kind}>, %y: tensor<{kind}>"
    sum = sum or f"%x : tensor<{kind}>"
    return POOL.format(selected=selected, answer=answer, combined=combined, sum=sum)


SELECTIONS = [
    (pool(), ""),
    (pool("%x: tensor<f32>"), "selects by 1 arguments"),
    (pool("%x: tensor<i32>, %y: tensor<i32>"), "takes s32[] as argument 0 of its selection"),
    (pool("%x: tensor<f32>, %y: tensor<1xf32>"), "takes f32[1] as argument 1 of its selection"),
    (pool(answer="%c, %c : tensor<i1>, tensor<i1>"), "selects by (pred[], pred[])"),
    (pool(answer="%x : tensor<f32>"), "selects by (f32[])"),
    (pool(kind="i32"), "promotes f32 to s32"),
    (pool(kind="f64"), "gives f32 in result 0, and its region f64"),
    (pool(combined="%x: tensor<f32>"), "a region of 1 arguments"),
    (
        pool(combined="%x: tensor<f32>, %y: tensor<f32>, %w: tensor<f32>"),
        "a region of 3 arguments",
    ),
    (pool(sum="%x, %x : tensor<f32>, tensor<f32>"), "a region of 2 answers"),
    (pool(combined="%x: tensor<f32>, %y: tensor<i32>"), "takes s32[] and gives f32[]"),
]


def channel(op: str, more: str) -> str:
    region = "({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): stablehlo.return %x : tensor<f32> })"
    table = {
        "all_gather": ("", "all_gather_dim = 0 : i64", "8x8"),
        "reduce_scatter": (region, "scatter_dimension = 0 : i64", "2x8"),
    }
    body, dim, out = table[op]
    groups = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
    text = f'"stablehlo.{op}"(%a) {body} {{{dim}, {groups}{more}}} : (tensor<4x8xf32>) -> tensor<{out}xf32>'
    return module(text, "%a: tensor<4x8xf32>", f"tensor<{out}xf32>")


def handle(number: int) -> str:
    return f", channel_handle = #stablehlo.channel_handle<handle = {number}, type = 0>"


GLOBAL = ", use_global_device_ids"
CHANNELS = [
    *((channel(op, ""), "") for op in ("all_gather", "reduce_scatter")),
    *((channel(op, handle(3) + GLOBAL), "") for op in ("all_gather", "reduce_scatter")),
    *((channel(op, handle(0)), "") for op in ("all_gather", "reduce_scatter")),
    (channel("all_gather", handle(0) + GLOBAL), ""),
    (channel("all_gather", GLOBAL), ""),
    (channel("all_gather", handle(-1) + GLOBAL), "channel -1"),
    (channel("reduce_scatter", handle(0) + GLOBAL), "channel 0"),
    (channel("reduce_scatter", GLOBAL), "channel 0"),
    (channel("reduce_scatter", handle(-2) + GLOBAL), "channel -2"),
]
SEVERAL = [
    ("""func.func @main(%a: tensor<4xf32>, %b: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0:2 = "stablehlo.all_reduce"(%a, %b) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): stablehlo.return %x : tensor<f32> }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<8xf32>
}""", ""),
    ("""func.func @main(%a: tensor<4xf32>, %i: tensor<4xi32>, %z: tensor<f32>, %k: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0:2 = stablehlo.reduce(%a init: %z), (%i init: %k) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%x: tensor<f32>, %y: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
    stablehlo.return %x, %m : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}""", ""),
    ("""func.func @main(%a: tensor<4xf32>, %i: tensor<4xi32>, %z: tensor<f32>, %k: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0:2 = stablehlo.reduce(%a init: %z), (%i init: %k) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%x: tensor<f32>, %y: tensor<i32>) (%m: tensor<i32>, %n: tensor<i32>) {
    stablehlo.return %x, %m : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}""", "in its region"),
    ("func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}", ""),
]  # fmt: skip
CASES = [*CALLS, *INDEXED, *DEVICES, *MAPS, *TYPES, *PRECISIONS, *BRANCHES]
CASES += [*REDUCTIONS, *SELECTIONS, *CHANNELS, *SEVERAL]
# for a comparison with a real parser: names of the texts that are right, and of those that are not
RIGHT = {f"right {k}": text for k, (text, words) in enumerate(CASES) if not words}
WRONG = {f"wrong {k}": pair for k, pair in enumerate(CASES) if pair[1]}


@pytest.mark.parametrize(("text", "words"), CASES)
def test_it_is_as_the_verifier_says(text, words):
    problems, hits = judged(text)
    lines = [*problems, *hits]
    assert any(words in line for line in lines) if words else lines == [], lines


@pytest.mark.parametrize(
    "operand",
    ["tensor<*xi32>", "tensor<2x4x9x!quant.uniform<i8:f32, 1.0>>"],
)
def test_of_types_that_are_not_known_nothing_is_said(operand):
    assert judged(gather(operand)) == ([], [])
