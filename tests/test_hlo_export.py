"""Sizes by name in programs of jax.export: equal ones are equal, and what is not known stays open."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import hlo, prove

EXPORT = (Path(__file__).parent / "data" / "dumps" / "gather.export.mlir").read_text()
HEAD = """module @jit_f attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%arg0: tensor<?x?xf32>, %arg1: tensor<?xf32>) -> (tensor<RESULT>) {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
    %1 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%2, %0) {api_version = 2 : i32, error_message = "Using \
the following polymorphic shapes specifications: args[0].shape = (b, t),args[1].shape = (SECOND,). \
Obtained dimension variables: 'b' = {0}"} : (tensor<i1>, tensor<i32>) -> ()
    %3 = call @inner(%0, %1, %arg0, %arg1) : (tensor<i32>, tensor<i32>, tensor<?x?xf32>, \
tensor<?xf32>) -> tensor<RESULT>
    return %3 : tensor<RESULT>
  }
  func.func private @inner(%arg0: tensor<i32> {jax.global_constant = "b"}, %arg1: tensor<i32> \
{jax.global_constant = "t"}, %arg2: tensor<?x?xf32>, %arg3: tensor<?xf32>) -> (tensor<RESULT>) {
"""


def claims(body, second="t", result="?x?xf32", head=HEAD):
    """The texts of the claims of a program whose inner function has these operations."""
    text = head.replace("SECOND", second).replace("RESULT", result)
    (module,) = hlo.modules_of(f"{text}{body}\n  }}\n}}\n", "x.mlir")
    made = hlo.claims_of(module)
    assert made.problems == ()
    for c in made.claims:
        verdict = getattr(prove, c.word)(*c.arguments, **dict(c.options))
        assert verdict.status == "proved", c
    return " ; ".join(" ".join(c.arguments) for c in made.claims)


def test_an_export_of_jax():
    (module,) = hlo.modules_of(EXPORT, "x.mlir")
    inner = module.by_name["_wrapped_jax_export_main"]
    shapes = {i.name: str(i.shape) for i in inner.instructions}
    assert (shapes["arg2"], shapes["arg3"]) == ("f32[b,t]", "s32[b]")
    assert (shapes["10"], shapes["13"]) == ("s32[b,1]", "f32[b,t]")
    assert str(module.entry.root.shape) == "(f32[b,t], f32[2,t])"


BODIES = {
    "a sum": ("%4 = stablehlo.add %arg2, %arg2 : tensor<?x?xf32>\n return %4 : tensor<?x?xf32>",
              "f32[b,t] add(f32[b,t], f32[b,t])"),
    "a transpose": (
        "%4 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>\n"
        "return %4 : tensor<?x?xf32>",
        "f32[t,b] transpose(f32[b,t])",
    ),
    "a product": (
        "%4 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [0] x [0] : "
        "(tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>\n return %4 : tensor<?x?xf32>",
        "f32[t,t] dot(f32[b,t], f32[b,t])",
    ),
    "both behind each other": (
        "%4 = stablehlo.concatenate %arg2, %arg2, dim = 0 : "
        "(tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>\n return %4 : tensor<?x?xf32>",
        "f32[2*b,t] concatenate(f32[b,t], f32[b,t])",
    ),
    "a sum of sizes": (
        "%c = stablehlo.constant dense<2> : tensor<i32>\n"
        "%4 = stablehlo.multiply %arg0, %c : tensor<i32>\n"
        "%5 = stablehlo.add %4, %arg1 : tensor<i32>\n"
        "%6 = stablehlo.reshape %5 : (tensor<i32>) -> tensor<1xi32>\n"
        "%7 = stablehlo.reshape %arg1 : (tensor<i32>) -> tensor<1xi32>\n"
        "%8 = stablehlo.concatenate %6, %7, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> "
        "tensor<2xi32>\n"
        "%9 = stablehlo.dynamic_iota %8, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>\n"
        "return %9 : tensor<?x?xf32>",
        "f32[2*b+t,t] dynamic-iota(s32[2])",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_sizes_follow(name):
    body, claim = BODIES[name]
    assert claim in claims(body)


SUM = """%4 = stablehlo.reshape %arg1 : (tensor<i32>) -> tensor<1xi32>
    %5 = stablehlo.dynamic_reshape %arg3, %4 : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
    %6 = stablehlo.add %arg3, %5 : tensor<?xf32>
    return %6 : tensor<?xf32>"""


def test_sizes_that_differ_by_name_stay_open():
    found = claims(SUM, result="?xf32")
    assert "f32[t] add(f32[t], f32[t])" in found
    found = claims(SUM, second="b", result="?xf32")  # right only when b turns out to be t
    assert "f32[b] add" not in found
    assert "f32[?] add(f32[?], f32[?])" in found


@pytest.mark.parametrize("second", ["b + 1", "floordiv(t, 4)", "2*b"])
def test_a_size_may_be_an_expression(second):
    body = "%4 = stablehlo.negate %arg3 : tensor<?xf32>\n return %4 : tensor<?xf32>"
    found = claims(body, second=second, result="?xf32")
    assert {"b + 1": "f32[b+1] negate", "floordiv(t, 4)": "f32[t//4] negate"}.get(
        second, "f32[2*b] negate"
    ) in found


@pytest.mark.parametrize(
    ("second", "found"),
    [("b - 1", "f32[b-1]"), ("b - 2", "f32[?]"), ("b - t", "f32[?]"), ("b*t - t", "f32[b*t-t]")],
)
def test_a_size_that_may_be_negative_stays_open(second, found):
    # that it is not is asserted when the program runs
    body = "%4 = stablehlo.negate %arg3 : tensor<?xf32>\n return %4 : tensor<?xf32>"
    assert f"{found} negate({found})" in claims(body, second=second, result="?xf32")


def test_what_is_not_known_stays_open():
    body = "%4 = stablehlo.negate %arg3 : tensor<?xf32>\n return %4 : tensor<?xf32>"
    assert "f32[?] negate" in claims(body, second="max(b, t, 3)(", result="?xf32")
    assert "f32[?] negate" in claims(body, head=HEAD.replace("= true", "= 1").replace(
        "jax.uses_shape_polymorphism", "other"), result="?xf32")  # fmt: skip


def test_a_function_that_is_called_twice_keeps_its_open_sizes():
    twice = HEAD.replace(
        "    return %3",
        "    %9 = call @inner(%0, %1, %arg0, %arg1) : (tensor<i32>, tensor<i32>, tensor<?x?xf32>, "
        "tensor<?xf32>) -> tensor<RESULT>\n    return %3",
    )
    body = "%4 = stablehlo.negate %arg3 : tensor<?xf32>\n return %4 : tensor<?xf32>"
    assert "f32[?] negate(f32[?])" in claims(body, result="?xf32", head=twice)


def test_a_function_that_calls_itself_is_no_endless_story():
    body = (
        "%4 = call @inner(%arg0, %arg1, %arg2, %arg3) : (tensor<i32>, tensor<i32>, "
        "tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>\n return %4 : tensor<?xf32>"
    )
    assert "call" in claims(body, result="?xf32")
