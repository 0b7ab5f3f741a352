"""Every `?` of an instruction is a size of its own: what is left to run time must hold together.

A claim is right where sizes of run time exist that satisfy the rule.  The expected answers come from
rules in plain integers and from all small sizes.
"""

from __future__ import annotations

from itertools import product

import pytest
from certificates import seal
from hypothesis import given, settings
from hypothesis import strategies as st
from instructions_random import DATA

from symlayout import prove, recheck
from symlayout.__main__ import main
from symlayout.errors import LayoutError

ALWAYS = (DATA / "unknown_sizes_right.txt").read_text().strip().splitlines()


@pytest.mark.parametrize("line", ALWAYS)
def test_equations_that_hold_together_are_proved_and_certified(line: str) -> None:
    verdict = prove.instruction(line)
    assert verdict.proved
    assert verdict.certificate is not None
    assert recheck(verdict.certificate).ok


def test_sizes_that_are_not_solved_are_no_claim() -> None:
    line = (
        "(f32[4], f32[6], f32[?]) all-gather(f32[?], f32[?], f32[2]), dimensions={0}, "
        "replica_groups={}"
    )
    with pytest.raises(LayoutError, match="is not understood"):
        prove.instruction(line)


# rules in plain integers, for the sizes of the result and of the operands
def _same(*shapes) -> bool:
    return len({tuple(s) for s in shapes}) == 1


PLAIN = {
    "f32{} add(f32{}, f32{})": (1, lambda o, a, b: _same(o, a, b)),
    "f32{} select(pred{}, f32{}, f32{})": (1, lambda *shapes: _same(*shapes)),
    "f32{} clamp(f32{}, f32{}, f32{})": (1, lambda *shapes: _same(*shapes)),
    "f32{} concatenate(f32{}, f32{}), dimensions={{0}}": (1, lambda o, a, b: o[0] == a[0] + b[0]),
    "f32{} concatenate(f32{}, f32{}), dimensions={{1}}": (
        2,
        lambda o, a, b: o[0] == a[0] == b[0] and o[1] == a[1] + b[1],
    ),
    "f32{} transpose(f32{}), dimensions={{1,0}}": (2, lambda o, a: o == a[::-1]),
    "f32{} reshape(f32{})": (2, lambda o, a: o[0] * o[1] == a[0] * a[1]),
    "f32{} dot(f32{}, f32{}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}": (
        2,
        lambda o, a, b: a[1] == b[0] and o == (a[0], b[1]),
    ),
    "f32{} pad(f32{}, f32[]), padding=1_2": (1, lambda o, a: o[0] == a[0] + 3),
    "f32{} pad(f32{}, f32[]), padding=1_-3": (1, lambda o, a: a[0] >= 2 and o[0] == a[0] - 2),
    "f32{} pad(f32{}, f32[]), padding=0_1_2": (
        1,
        lambda o, a: o[0] == a[0] + 1 + 2 * max(a[0] - 1, 0),
    ),
    "f32{} reduce-window(f32{}, f32[]), window={{size=3 stride=2 pad=1_0}}": (
        1,
        lambda o, a: o[0] == max((a[0] + 1 - 3) // 2 + 1, 0),
    ),
    "f32{} reduce-window(f32{}, f32[]), window={{size=2 lhs_dilate=3 stride=2}}": (
        1,
        lambda o, a: o[0] == max((max((a[0] - 1) * 3 + 1, 0) - 2) // 2 + 1, 0),
    ),
    "f32{} dynamic-update-slice(f32{}, f32{}, s32[])": (
        1,
        lambda o, a, b: o == a and b[0] <= a[0],
    ),
    "f32{} while(f32{}), condition=(f32{})->pred[], body=(f32{})->f32{}": (
        1,
        lambda *shapes: _same(*shapes),
    ),
}

NUMBER = st.one_of(st.integers(0, 6), st.just("?"))


@st.composite
def plain_claims(draw):
    """A form, its rank and rule, and sizes of which some are `?`."""
    form = draw(st.sampled_from(sorted(PLAIN)))
    rank, rule = PLAIN[form]
    count = form.count("{}")
    sizes = draw(st.lists(NUMBER, min_size=rank * count, max_size=rank * count))
    if draw(st.booleans()):  # more often right
        sizes = [n if n == "?" else draw(st.sampled_from([2, 4])) for n in sizes]
    return form, rank, rule, sizes


@pytest.mark.explore
@settings(max_examples=500, deadline=None)
@given(plain_claims())
def test_the_verdict_is_that_of_rules_in_plain_integers(case) -> None:
    form, rank, rule, sizes = case
    open_ones = [k for k, n in enumerate(sizes) if n == "?"]
    if len(open_ones) > 4:
        sizes = [n if n != "?" or k in open_ones[:4] else 4 for k, n in enumerate(sizes)]
        open_ones = open_ones[:4]
    most = {1: 40, 2: 40, 3: 14, 4: 8}.get(len(open_ones), 1)
    shapes = [sizes[k : k + rank] for k in range(0, len(sizes), rank)]
    line = form.format(*[f"[{','.join(map(str, s))}]" for s in shapes])
    some = False
    for row in product(range(most), repeat=len(open_ones)):
        numbers = list(sizes)
        for k, n in zip(open_ones, row):
            numbers[k] = n
        some = rule(*[tuple(numbers[k : k + rank]) for k in range(0, len(numbers), rank)])
        if some:
            break
    verdict = prove.instruction(line)
    assert verdict.status == ("proved" if some else "refuted"), line
    if some:
        assert recheck(verdict.certificate).ok


HLO = "HloModule m\nENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[5] parameter(1)\n  ROOT r = %s\n}\n"

MLIR = """func.func @main(%%a: tensor<4xf32>, %%b: tensor<5xf32>, %%c: tensor<4xf32>) -> tensor<?xf32> {
  %%0 = %s
  return %%0 : tensor<?xf32>
}
"""


@pytest.mark.parametrize(
    ("name", "text", "right"),
    [
        ("x.hlo", HLO % "f32[?] add(a, b)", False),
        ("x.hlo", HLO % "f32[?] add(a, a)", True),
        ("x.hlo", HLO % "f32[?,?] concatenate(a, b), dimensions={0}", False),
        ("x.mlir", MLIR % "stablehlo.add %a, %b : (tensor<4xf32>, tensor<5xf32>) -> tensor<?xf32>",
         False),
        ("x.mlir", MLIR % "stablehlo.add %a, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>",
         True),
        ("x.mlir", MLIR % "\"stablehlo.maximum\"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> "
         "tensor<?xf32>", False),
        ("x.mlir", MLIR % "stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<5xf32>)"
         " -> tensor<?xf32>", True),
    ],
)  # fmt: skip
def test_modules(tmp_path, monkeypatch, capsys, name: str, text: str, right: bool) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    assert main(["check", name]) == (0 if right else 1)
    assert ("refuted" in capsys.readouterr().out) is not right


# -- types of MLIR --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "first", "second", "right"),
    [
        ("equal", "memref<?xf32>", "memref<?xf32>", "dim0 == dim0_2"),
        ("equal", "memref<3x?xf32>", "memref<?x4xf32>", "dim1 == 4 and dim0_2 == 3"),
        ("equal", "memref<?x?xf32>", "tensor<?x?xf32>", "dim0 == dim0_2 and dim1 == dim1_2"),
        ("reinterpret", "memref<4x?xf32>", "memref<?x4xf32>", "dim1 == dim0_2"),
        ("bitcast", "memref<?x4xf32>", "memref<2x?xf32>", "2*dim0 == dim1_2"),
        ("broadcast", "tensor<?xf32>", "tensor<?xf32>", "dim0 == dim0_2"),
        ("equal", "memref<4xf32, strided<[?]>>", "memref<4xf32, strided<[?]>>",
         "stride0 == stride0_2"),
        ("equal", "memref<4xf32, strided<[1], offset: ?>>", "memref<4xf32, strided<[1], offset: ?>>",
         "start == start_2"),
    ],
)  # fmt: skip
def test_two_question_marks_are_two_sizes(word: str, first: str, second: str, right: str) -> None:
    ask = getattr(prove, word)
    assert ask(first, second).refuted
    verdict = ask(first, second, where=right)
    assert verdict.proved
    assert recheck(verdict.certificate).ok


def test_a_second_type_inside_of_a_text_is_refused() -> None:
    with pytest.raises(LayoutError, match="each \\? is a size of its own"):
        prove.equal("composition(memref<?xf32>, memref<?xf32>)", "(N):(1)")


def test_names_that_the_claim_has_are_not_taken_again() -> None:
    verdict = prove.reinterpret("memref<?xf32>", "memref<?xf32>", where="dim0 == dim0_2")
    assert verdict.proved
    assert prove.equal("memref<?xf32>", "memref<?x1xf32>").refuted


# -- certificates, files --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("f32[?] add(f32[4], f32[4])", "f32[?] add(f32[4], f32[5])"),
        ("f32[?,3] reshape(f32[6])", "f32[?,3] reshape(f32[7])"),
        ("f32[9] concatenate(f32[?], f32[8]), dimensions={0}",
         "f32[7] concatenate(f32[?], f32[8]), dimensions={0}"),
        ("f32[?] select(pred[], f32[4], f32[?])", "f32[?] select(pred[4], f32[5], f32[?])"),
        ("f32[?] while(f32[4]), condition=(f32[4])->pred[], body=(f32[?])->f32[?]",
         "f32[?] while(f32[4]), condition=(f32[5])->pred[], body=(f32[?])->f32[?]"),
        ("f32[8] all-gather(f32[?]), dimensions={0}, replica_groups={{0,1}}",
         "f32[7] all-gather(f32[?]), dimensions={0}, replica_groups={{0,1}}"),
        ("f32[5] pad(f32[?], f32[]), padding=0_2_1", "f32[4] pad(f32[?], f32[]), padding=0_2_1"),
        ("f32[4] reduce-window(f32[?], f32[]), window={size=2 lhs_dilate=2}",
         "f32[5] reduce-window(f32[?], f32[]), window={size=2 lhs_dilate=2}"),
    ],
)  # fmt: skip
def test_a_certificate_of_another_claim_is_refused(line: str, other: str) -> None:
    certificate = prove.instruction(line).certificate
    assert recheck(certificate).ok
    forged = {**certificate, "claim": {**certificate["claim"], "arguments": [other]}}
    assert not recheck({**forged, "seal": seal(forged)}).ok


@pytest.mark.parametrize("word", ["equal", "reinterpret", "bitcast"])
def test_the_checker_refuses_a_claim_with_two_types_without_names(word: str) -> None:
    certificate = getattr(prove, word)("memref<?xf32>", "strided f32[dim0] strides(1)").certificate
    assert recheck(certificate).ok
    types = ["memref<?xf32>", "memref<?xf32>"]
    forged = {**certificate, "claim": {**certificate["claim"], "arguments": types}}
    assert not recheck({**forged, "seal": seal(forged)}).ok
