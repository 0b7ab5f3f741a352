"""The rules of opcodes with windows, indices, groups of devices, computations and transforms."""

from __future__ import annotations

import pytest
from instructions_random import RIGHT, WRONG

from symlayout import prove, recheck
from symlayout.errors import LayoutError

UNCLEAR = """
f32[8] all-gather(f32[2]), dimensions={0}, replica_groups=mesh[a=4]
f32[2,4,7] convolution(f32[2,3,9], f32[4,3,3]), window={size=3 something=1}, dim_labels=bf0_oi0->bf0
f32[2,4,7] convolution(f32[2,3,9], f32[4,3,3]), window={size=3}, dim_labels=?bf0_oi0->bf0
f32[2] collective-broadcast(f32[2]), replica_groups={{6,<=8,1,0}}
f32[2] collective-permute(f32[2], f32[2], s32[], s32[]), source_target_pairs={{0,1}}
f32[2] slice(f32[4]), slice={whole}
f32[3,2] transpose(f32[2,3]), dimensions={b,a}
f32[2] no-such-opcode(f32[2])
f32[2] conditional(s32[], f32[2])
f32[2] conditional(s32[], f32[2]), branch_computations={%somewhere}
f32[M] all-gather(f32[N]), dimensions={0}
f32[M,4] all-to-all(f32[N,2]), split_dimension=0, concat_dimension=1
"""

# instructions with symbols, and facts without which they are wrong
SYMBOLIC = [
    ("f32[7] reduce-window(f32[N], f32[]), window={size=3}", "N == 9"),
    ("f32[K] reduce-window(f32[N], f32[]), window={size=3 stride=2 pad=1_1}", "K == ceildiv(N, 2)"),
    ("f32[K] reduce-window(f32[N], f32[]), window={size=1 pad=-3_0}", "K == N - 3 and N >= 3"),
    ("f32[K] reduce-window(f32[N], f32[]), window={size=1 lhs_dilate=2}", "K == 2*N - 1"),
    ("f32[N] select-and-scatter(f32[N], f32[3], f32[]), window={size=3 stride=3}", "N == 10"),
    (
        "f32[B,4,7] convolution(f32[B,3,N], f32[4,3,3]), window={size=3}, dim_labels=bf0_oi0->bf0",
        "N == 9",
    ),
    (
        "f32[2,O,7] convolution(f32[2,4,9], f32[O,2,3]), window={size=3}, dim_labels=bf0_oi0->bf0, "
        "feature_group_count=2",
        "O % 2 == 0",
    ),
    ("f32[N] all-to-all(f32[N]), dimensions={0}, replica_groups={{0,1}}", "N % 2 == 0"),
    (
        "f32[N,M] all-to-all(f32[8,2]), split_dimension=0, concat_dimension=1, "
        "replica_groups={{0,1}}",
        "N == 4 and M == 4",
    ),
    ("f32[M] all-gather(f32[3]), dimensions={0}, replica_groups={}", "M % 3 == 0"),
    ("f32[M] all-gather(f32[N]), dimensions={0}, replica_groups={{0,1}}", "M == 2*N"),
    ("(f32[M], f32[8]) all-gather(f32[3], f32[4]), dimensions={0}", "M == 6"),
    ("f32[3] reduce-scatter(f32[M]), dimensions={0}, replica_groups={}", "M % 3 == 0"),
    ("s32[N] constant(), elements=4", "N == 4"),
]


@pytest.mark.parametrize("line", RIGHT)
def test_right(line):
    verdict = prove.instruction(line)
    assert verdict.status == "proved", verdict.reason


@pytest.mark.parametrize("line", WRONG)
def test_wrong(line):
    verdict = prove.instruction(line)
    assert verdict.status == "refuted", verdict
    assert verdict.details["code"] == "SL723"


@pytest.mark.parametrize("line", UNCLEAR.strip().splitlines())
def test_what_is_not_understood_is_no_verdict(line):
    with pytest.raises(LayoutError) as caught:
        prove.instruction(line)
    assert caught.value.code == "SL721"


@pytest.mark.parametrize(("line", "fact"), SYMBOLIC)
def test_sizes_that_are_symbols_are_demanded_like_numbers(line, fact):
    assert prove.instruction(line).status == "refuted"
    verdict = prove.instruction(line, where=fact)
    assert verdict.status == "proved", verdict.reason
    assert verdict.certificate is not None
    assert recheck(verdict.certificate).ok
