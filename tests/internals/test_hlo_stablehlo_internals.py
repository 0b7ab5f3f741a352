"""Properties of internal modules; `tests/test_hlo_stablehlo.py` tests the public interface."""

from __future__ import annotations

import re

import pytest
from test_hlo_stablehlo import TYPES

from symlayout import hlo, prove
from symlayout.errors import LayoutError
from symlayout.programs.hlo.claims import module_claims
from symlayout.programs.hlo.mlir_types import read_type
from symlayout.programs.hlo.module import UNKNOWN


@pytest.mark.parametrize("text", TYPES)
def test_types(text):
    shape, end = read_type(text)
    assert str(shape) == TYPES[text]
    assert end == len(text)


@pytest.mark.parametrize(
    "text",
    ["tensor<2x3>", "tensor<2xq32>", "tensor<2x3xf32", "", "tensor<-1xf32>"],
)
def test_types_that_mean_nothing(text):
    with pytest.raises(LayoutError) as caught:
        read_type(text)
    assert caught.value.code == "SL720"


PASSED_OVER = (
    "tensor<*xf32>",
    "tensor<2x!quant.uniform<i8:f32, 0.1:3>>",
    "tensor<4xf6E2M3FN>",
    "tensor<4xi17>",
    "memref<3xf32>",
    "i32",
)


@pytest.mark.parametrize("text", PASSED_OVER)
def test_types_that_hlo_has_no_name_for(text):
    shape, end = read_type(text)
    assert shape is UNKNOWN
    assert end == len(text)


def one(line):
    """The operation of a line, and the claims that it leaves; its types are those of its names."""
    head, _, types = line.rpartition(" : ")
    names = list(dict.fromkeys(re.findall(r"%[abp]\b", head)))
    given = re.findall(r"tensor<[^>]*(?:<[^>]*>[^>]*)?>", types.partition(" -> ")[0])
    given += given[-1:] * (len(names) - len(given))
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, given))
    text = f"func.func @f({arguments}) {{\n  {line}\n}}\n"
    module = hlo.read_stablehlo(text)
    assert module.problems == (), str(module.problems[0])
    (made,) = (i for i in module.instructions if i.opcode != "parameter")
    return made, module_claims(text).claims


LINES = {
    '%0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 2, 1>}> : '
    "(tensor<1x3xi32>) -> tensor<2x3x2xi32>": ("broadcast-in-dim", "dimensions={2,1}", "proved"),
    "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x4xf32>": (
        "broadcast-in-dim",
        "dimensions={1}",
        "refuted",
    ),
    "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<?xf32>) -> tensor<2x4xf32>": (
        "broadcast-in-dim",
        "dimensions={1}",
        "proved",
    ),
    '%0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : '
    "(tensor<2x?xf32>) -> tensor<?x2xf32>": ("transpose", "dimensions={1,0}", "proved"),
    "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>": (
        "transpose",
        "dimensions={1,0}",
        "refuted",
    ),
    "%0 = stablehlo.reshape %a : (tensor<2x?xf32>) -> tensor<6xf32>": ("reshape", "", "proved"),
    "%0 = stablehlo.reshape %a : (tensor<2x4xf32>) -> tensor<6xf32>": ("reshape", "", "refuted"),
    "%0 = stablehlo.add %a, %b : tensor<2x4xf32>": ("add", "", "proved"),
    "%0 = stablehlo.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>": (
        "add",
        "",
        "refuted",
    ),
    "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>": (
        "concatenate",
        "dimensions={0}",
        "proved",
    ),
    "%0 = stablehlo.slice %a [1:3, 0:8:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>": (
        "slice",
        "slice={[1:3], [0:8:2]}",
        "proved",
    ),
    "%0 = stablehlo.pad %a, %b, low = [0, 1], high = [2, 0], interior = [0, 1] : "
    "(tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>": ("pad", "padding=0_2_0x1_0_1", "proved"),
    "%0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<2xf32>": ("select", "", "proved"),
    "%0 = stablehlo.iota dim = 1 : tensor<5x7xi32>": ("iota", "iota_dimension={1}", "proved"),
    "%0 = stablehlo.exponential_minus_one %a : tensor<5xf32>": (
        "exponential-minus-one",
        "",
        "proved",
    ),
}


@pytest.mark.parametrize("line", LINES)
def test_operations(line):
    opcode, rest, status = LINES[line]
    made, claims = one(line)
    written = ", ".join(f"{key}={value}" for key, value in made.attributes.items())
    assert (made.opcode, written) == (opcode, rest)
    assert len(claims) == 1
    verdict = getattr(prove, claims[0].word)(*claims[0].arguments, **dict(claims[0].options))
    assert verdict.status == status, verdict.reason
    assert claims[0].line == 2


def test_what_is_left_to_run_time_is_said():
    _, claims = one("%0 = stablehlo.reshape %a : (tensor<2x?xf32>) -> tensor<6xf32>")
    assert "left to run time" in prove.instruction(*claims[0].arguments).reason
