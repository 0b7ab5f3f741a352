"""Every notation of the table is whole: read, printed, drawn, proved, certified and documented."""

from __future__ import annotations

import completeness
import pytest

from symlayout import parse, prove, recheck
from symlayout.layouts.notation import NOTATIONS, notation_of


def test_nothing_is_missing() -> None:
    assert completeness.notations() == []


def test_a_layout_is_read_once_for_all_claims_about_it() -> None:
    text = "f32[M,N]{1,0:T(8,128)}"
    assert parse(text) is parse(str(bytes(text, "ascii"), "ascii"))
    assert parse(text, lenient=True) is not parse(text)
    long = f"f32[{' + '.join(['M'] * 100)}]"
    assert parse(long) is not parse(long)  # none that is large is kept


BOXED = [n for n, row in NOTATIONS.items() if n == "map" or not row.functions]


@pytest.mark.parametrize("name", BOXED)
def test_a_claim_about_the_example_is_proved_and_certified(name: str) -> None:
    layout = NOTATIONS[name].example
    verdict = prove.bounded(layout, where="S >= N" if name == "strided" else ())
    assert verdict.proved, verdict
    assert verdict.certificate is not None
    answer = recheck(verdict.certificate)
    assert answer.ok, answer.failures


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  strided f32[4]", "strided"),
        ("(4,8)", "shape:stride"),
        ("min(M,N):1", "shape:stride"),
        ("_4:_1", "shape:stride"),
        ("zN(f16, R, C)", "format"),
        ("unheard_of(3)", "format"),
        ("Swizzle(3,3,3) o 0 o (8,64):(64,1)", "swizzled"),
        ("(f32[2], s32[])", "XLA"),
        ("b(64)", "XLA"),
        ("()", "XLA"),
        ("", "XLA"),
        ("auto a = cute::make_layout(4);", "C++"),
        ("dimensions: 4 element_type: F32", "protocol buffer"),
        ("pad_reshape_transpose f32[4]", "pad_reshape_transpose"),
        ("Sw<3,4,3> o (8,64):(64,1)", "swizzled"),
        ("memref <4xf32>", "memref"),
        ("tensor<4x?xf32>", "memref"),
        ("(d0, d1)[s0] -> (d0), domain: d0 in [0, 1]", "indexing map"),
        ("(d0){rt}[s0]->(d0)", "indexing map"),
    ],
)
def test_a_text_is_in_one_notation(text: str, name: str) -> None:
    assert notation_of(text).name == name


def test_arguments_that_are_no_layouts_have_no_functions_of_layouts() -> None:
    assert notation_of("broadcast_in_dim(4)", of_layouts=False).name == "format"
    steps = parse("pad_reshape_transpose(element_type: F32 dimensions: 4)")
    assert str(steps) == "pad_reshape_transpose(f32[4])"
