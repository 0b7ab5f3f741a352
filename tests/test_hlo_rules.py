"""The rules of opcodes with windows, indices, groups of devices, computations and transforms."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import prove
from symlayout.errors import LayoutError
from symlayout.programs.hlo.windows import Window

DATA = Path(__file__).parent / "data"
RIGHT = (DATA / "instructions_right.txt").read_text()
WRONG = (DATA / "instructions_wrong.txt").read_text()
UNCLEAR = """
f32[8] all-gather(f32[2]), dimensions={0}, replica_groups=mesh[a=4]
f32[2,4,7] convolution(f32[2,3,9], f32[4,3,3]), window={size=3 something=1}, dim_labels=bf0_oi0->bf0
f32[2,4,7] convolution(f32[2,3,9], f32[4,3,3]), window={size=3}, dim_labels=?bf0_oi0->bf0
f32[2] collective-permute(f32[2], f32[2], s32[], s32[]), source_target_pairs={{0,1}}
f32[2] slice(f32[4]), slice={whole}
f32[3,2] transpose(f32[2,3]), dimensions={b,a}
f32[2] no-such-opcode(f32[2])
"""


@pytest.mark.parametrize("line", RIGHT.strip().splitlines())
def test_right(line):
    verdict = prove.instruction(line)
    assert verdict.status == "proved", verdict.reason


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_wrong(line):
    verdict = prove.instruction(line)
    assert verdict.status == "refuted", verdict
    assert verdict.details["code"] == "SL723"


@pytest.mark.parametrize("line", UNCLEAR.strip().splitlines())
def test_what_is_not_understood_is_no_verdict(line):
    with pytest.raises(LayoutError) as caught:
        prove.instruction(line)
    assert caught.value.code == "SL721"


@settings(max_examples=200, deadline=None)
@given(*[st.integers(1, 4)] * 3, *[st.integers(-2, 3)] * 2, st.integers(1, 3), st.integers(0, 7))
def test_windows_are_counted_as_they_are_laid(size, stride, dilation, low, high, base, elements):
    w = Window(size, stride, low, high, base, dilation)
    length = (elements - 1) * base + 1 if elements else 0
    span = (size - 1) * dilation + 1
    starts = range(-low, length + high - span + 1, stride)
    assert w.over(elements) == len(starts) if length + low + high > 0 else w.over(elements) == 0
