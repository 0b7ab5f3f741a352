"""Copies of AscendC's that are not of whole blocks of 32 bytes, where that does not depend on sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from symlayout import scan

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
constexpr int LENGTH = 100;
extern "C" __global__ __aicore__ void f(GM_ADDR x, GM_ADDR z, uint32_t n) {{
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> q;
    GlobalTensor<{type}> a;
    a.SetGlobalBuffer((__gm__ {type} *)x);
    pipe.InitBuffer(q, 2, 512 * sizeof({type}));
    LocalTensor<{type}> l = q.AllocTensor<{type}>();
    {copy}
}}
"""
WRONG = {  # a type, a copy, what the message says, what the help says
    "halves": ("half", "DataCopy(l, a[0], 100);", "copies 200 bytes", "copy 96 or 112 elements"),
    "floats": ("float", "DataCopy(l, a[0], 10);", "copies 40 bytes", "copy 8 or 16 elements"),
    "bytes": ("int8_t", "DataCopy(l, a[n * 32], 33);", "copies 33 bytes", "copy 32 or 64 bytes"),
    "less than a block": ("half", "DataCopy(a[0], l, 3);", "copies 6 bytes", "copy 16 elements"),
    "a constant": ("half", "DataCopy(l, a[0], LENGTH);", "copies 200 bytes", "96 or 112"),
    "in a loop": (
        "half",
        "for (uint32_t i = 0; i < n; i++) DataCopy(l, a[i * 16], 40);",
        "copies 80 bytes",
        "copy 32 or 48 elements",
    ),
    "an address": ("half", "DataCopy(l, a[8], 32);", "begins at byte 16", "use DataCopyPad"),
    "an address in a core": (
        "half",
        "DataCopy(l[4], a[0], 32);",
        "begins at byte 8",
        "DataCopyPad",
    ),
}
RIGHT = {
    "halves": ("half", "DataCopy(l, a[0], 112);"),
    "floats": ("float", "DataCopy(l, a[8], 16);"),
    "a size": ("half", "DataCopy(l, a[0], n);"),
    "an index": ("half", "DataCopy(l, a[GetBlockIdx() * n], 96);"),
    "a pad": ("half", "DataCopyPad(l, a[0], {1, 200, 0, 0, 0}, {false, 0, 0, 0});"),
    "never": ("half", "if (LENGTH > 100) DataCopy(l, a[0], 100);"),
    "no turn": ("half", "for (int i = 0; i < LENGTH - 100; i++) DataCopy(l, a[0], 100);"),
}


def found(tmp_path: Path, type: str, copy: str) -> list[Any]:
    file = tmp_path / "k.cpp"
    file.write_text(KERNEL.format(type=type, copy=copy))
    result = scan(file)
    assert result.kernels == 1
    return [f for f, _ in result.findings if f.code == "blocks"]


@pytest.mark.parametrize("case", WRONG)
def test_a_copy_that_is_not_of_whole_blocks_is_found(case: str, tmp_path: Path) -> None:
    type, copy, said, help = WRONG[case]
    (one,) = found(tmp_path, type, copy)
    assert one.span.line == 11
    assert one.expression in copy
    assert said in one.message
    assert help in one.mend


@pytest.mark.parametrize("case", RIGHT)
def test_a_copy_of_whole_blocks_or_of_any_size_is_right(case: str, tmp_path: Path) -> None:
    assert found(tmp_path, *RIGHT[case]) == []
