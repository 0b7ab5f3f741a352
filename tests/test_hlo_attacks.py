"""Texts that are made to be slow or to break the reader: time grows with the text, nothing raises."""

from __future__ import annotations

import pytest

from symlayout import prove

OPEN = "HloModule m ENTRY e { x = f32[2] "


def tuples(n):
    """A tuple of so many elements, and each of them taken out."""
    shape = f"({', '.join(['f32[8]'] * n)})"
    taken = "".join(f"  g{k} = f32[8] get-tuple-element(t), index={k}\n" for k in range(n))
    head = f"HloModule t\nENTRY e {{\n  p = f32[8] parameter(0)\n  t = {shape} tuple("
    return f"{head}{', '.join(['p'] * n)})\n{taken}  ROOT r = f32[8] negate(g0)\n}}\n"


HLO = {
    "a tuple": tuples,
    "a tuple on one line": lambda n: tuples(n).replace("\n", " "),
    "escaped quotes": lambda n: OPEN + 'add(), metadata={op_name="' + '\\" ' * 30 * n,
    "open comments": lambda n: "HloModule m\n" + "/* " * 30 * n,
    "slashes": lambda n: "HloModule m\n" + "/ " * 30 * n + "//",
    "brackets": lambda n: OPEN + "add(" + "(" * 30 * n,
    "braces": lambda n: OPEN + "add(), a=" + "{" * 30 * n,
    "tiles": lambda n: OPEN[:-1] + "{0" + ":T(" * 30 * n + "//",
    "names that come again": lambda n: OPEN + "add()\n" + "x = f32[2] add()\n" * n + "}",
    "entries": lambda n: "ENTRY e { x = f32[2] parameter(0) }\n" * (n // 4),
    "titles": lambda n: "HloModule m ENTRY e { ROOT x = f32[2] parameter(0) }\n" * (n // 4),
    "aliases": lambda n: (
        f"HloModule m, input_output_alias={{{'{0}: (0, {}), ' * 10 * n}{{ ENTRY e {{"
    ),
    "a literal": lambda n: f"{OPEN[:-7]}f32[{30 * n}] constant({{{'1.5, ' * 30 * n}1}}) }}",
}

MLIR = {
    "a literal": lambda n: (
        f"%0 = stablehlo.constant dense<[{'1, ' * 30 * n}1]> : tensor<{30 * n + 1}xi32> "
    ),
    "open literals": lambda n: "%0 = stablehlo.constant " + "dense<[1, " * 30 * n,
    "hex": lambda n: f'%0 = stablehlo.constant dense<"0x{"0" * 200 * n}"> : tensor<{25 * n}xf32> ',
    "escaped quotes": lambda n: '%0 = stablehlo.constant dense<"' + '\\" ' * 30 * n,
    "brackets": lambda n: "%0 = stablehlo.constant dense<" + "<" * 30 * n,
    "comments": lambda n: "// a\n" * 30 * n,
    "a type of many parts": lambda n: (
        f'"x.y"() ({{ ^bb0(%a: tuple<{"tensor<f32>, " * 2 * n}tensor<f32>>): }}) : () -> ()'
    ),
}

CASES = [("x.hlo", make) for make in HLO.values()]

CASES += [
    ("x.mlir", lambda n, make=make: f"func.func @f() {{ {make(n)} }}") for make in MLIR.values()
]


@pytest.mark.parametrize("a", ["f32[0,3]{1,0}", "f32[2,0]{0,1:T(8,128)}"])
def test_bitcasts_without_elements_are_judged(a):
    assert prove.reinterpret(a, a).status == "proved"


@pytest.mark.parametrize(
    ("result", "left"),
    [("f32[4]", True), ("f32[5]", False), ("f32[<=5]", False), ("f32[?]", False)],
)
def test_a_size_that_is_set_and_written_is_left_to_run_time(result, left):
    """It was said to follow."""
    verdict = prove.instruction(f"{result} set-dimension-size(f32[5], s32[]), dimensions={{0}}")
    assert verdict.status == "proved"
    assert ("the size that is set in dimension 0 must turn out to be 4" in verdict.reason) is left
