"""What modules claim: shapes of instructions, layouts, bitcasts and broadcasts, each once."""

from __future__ import annotations

import pytest

from symlayout import prove
from symlayout.errors import LayoutError

# -- shapes of instructions --------------------------------------------------------------------------

RIGHT = """
f32[2,3] add(f32[2,3], f32[2,3])
bf16[2,3] multiply(f32[2,3], bf16[2,3])
f32[2] abs(c64[2])
s32[2] convert(f32[2])
pred[2,3] compare(f32[2,3], f32[2,3]), direction=LT
f32[2,3] select(pred[2,3], f32[2,3], f32[2,3])
f32[2,3] select(pred[], f32[2,3], f32[2,3])
f32[2,3] clamp(f32[], f32[2,3], f32[])
f32[3,4,2] transpose(f32[2,3,4]), dimensions={1,2,0}
f32[6,4] reshape(f32[2,3,4])
f32[M*N] reshape(f32[M,N])
f32[?] reshape(f32[2,3])
f32[2,3] slice(f32[4,9]), slice={[1:3], [0:9:3]}
f32[N] slice(f32[N]), slice={[0:4]} where N == 4
f32[10,8] pad(f32[4,5], f32[]), padding=1_2_1x0_3
f32[N+3] pad(f32[N], f32[]), padding=1_2
f32[2*N-1] pad(f32[N], f32[]), padding=0_0_1
f32[N-1] pad(f32[N], f32[]), padding=-1_0
f32[0] pad(f32[2], f32[]), padding=-1_-1
f32[N-3] pad(f32[N], f32[]), padding=-1_-2 where N >= 3
f32[2,7] concatenate(f32[2,3], f32[2,4]), dimensions={1}
f32[M+N] concatenate(f32[M], f32[N]), dimensions={0}
f32[2,4] reduce(f32[2,3,4], f32[]), dimensions={1}
(f32[2], s32[2]) reduce(f32[2,3], s32[2,3], f32[], s32[]), dimensions={1}
f32[2] reduce(bf16[2,3], f32[]), dimensions={1}
s32[2] reduce(s8[2,3], s32[]), dimensions={1}
f32[1,4] dynamic-slice(f32[5,4], s32[], s32[]), dynamic_slice_sizes={1,4}
f32[5,4] dynamic-update-slice(f32[5,4], f32[1,4], s32[], s32[])
f32[2,5] dot(f32[2,3], f32[3,5]), lhs_contracting_dims={1}, rhs_contracting_dims={0}
f32[B,M] dot(f32[B,M,K], f32[B,K]), lhs_batch_dims={0}, rhs_batch_dims={0}, \
lhs_contracting_dims={2}, rhs_contracting_dims={1}
s32[2,3] iota(), iota_dimension=1
(f32[2], s32[]) tuple(f32[2], s32[])
s32[] get-tuple-element((f32[2], s32[])), index=1
(f32[2], f32[2], u32[]) copy-start(f32[2])
f32[2] copy-done((f32[2], f32[2], u32[]))
s32[4] bitcast-convert(f32[4])
(f32[2], s32[]) while((f32[2], s32[]))
(f32[5], s32[5]) sort(f32[5], s32[5]), dimensions={0}
f32[<=4] negate(f32[<=4])
f32[2] fusion(f32[2], s32[]), called=(f32[2], s32[])->f32[2]
f32[2] call(), called=()->f32[2]
"""

WRONG = """
f32[2,3] add(f32[2,3], f32[2,4])
f32[2,3] add(f32[2,3])
f32[2,3] add(f32[2,3], s32[2,3])
f32[2,3] negate(f32[2,3,1])
f32[2] convert(f32[3])
f32[2] compare(f32[2], f32[2])
pred[2] compare(f32[2], f32[3])
f32[2] select(f32[2], f32[2], f32[2])
f32[2] select(pred[3], f32[2], f32[2])
f32[2] clamp(f32[3], f32[2], f32[])
f32[2,3,4] transpose(f32[2,3,4]), dimensions={1,2,0}
f32[2,3] transpose(f32[2,3]), dimensions={1,1}
f32[2,3] transpose(f32[2,3])
f32[5] reshape(f32[2,3])
f32[M*N+1] reshape(f32[M,N])
f32[3] slice(f32[4]), slice={[1:3]}
f32[4] slice(f32[4]), slice={[1:5]}
f32[2] slice(f32[4]), slice={[3:1]}
f32[2] slice(f32[4])
f32[4] slice(f32[N]), slice={[0:4]}
f32[8] pad(f32[5], f32[]), padding=1_1
f32[7] pad(f32[5], f32[1]), padding=1_1
f32[2*N] pad(f32[N], f32[]), padding=0_0_1
f32[0] pad(f32[1], f32[]), padding=-2_0
f32[K+2] pad(f32[K], f32[]), padding=-1_-1_1
f32[N-3] pad(f32[N], f32[]), padding=-1_-2
f32[1] pad(f32[N], f32[]), padding=0_0_-1
f32[2,6] concatenate(f32[2,3], f32[2,4]), dimensions={1}
f32[2,7] concatenate(f32[2,3], f32[1,4]), dimensions={1}
f32[2,7] concatenate(f32[2,3], f32[2,4]), dimensions={2}
f32[3,4] reduce(f32[2,3,4], f32[]), dimensions={1}
f32[2,4] reduce(f32[2,3,4]), dimensions={1}
f32[2,4] reduce(f32[2,3,4], f32[]), dimensions={3}
f32[2,4] reduce(f32[2,3,4], f32[2]), dimensions={1}
s32[] reduce(f32[N], f32[]), dimensions={0}
f32[] reduce(f32[N], s32[]), dimensions={0}
s32[] reduce(f32[N], s32[]), dimensions={0}
s8[] reduce(s32[N], s8[]), dimensions={0}
u32[] reduce(s8[N], u32[]), dimensions={0}
(f32[2], s32[2]) reduce(f32[2,3], s32[2,3], s32[], f32[]), dimensions={1}
f32[6,4] dynamic-slice(f32[5,4], s32[], s32[]), dynamic_slice_sizes={6,4}
f32[5,4] dynamic-update-slice(f32[5,4], f32[1,5], s32[], s32[])
f32[5,4] dynamic-update-slice(f32[5,4], f32[4], s32[], s32[])
f32[2,5] dot(f32[2,3], f32[4,5]), lhs_contracting_dims={1}, rhs_contracting_dims={0}
f32[2,5] dot(f32[2,3], f32[3,5]), lhs_contracting_dims={1}, rhs_contracting_dims={}
s32[2,3] iota(), iota_dimension=2
(f32[2], s32[]) tuple(s32[], f32[2])
f32[2] get-tuple-element((f32[2], s32[])), index=1
f32[2] get-tuple-element((f32[2], s32[])), index=2
f32[2] get-tuple-element(f32[2]), index=0
f32[2] copy-start(f32[2])
(f32[2], f32[3], u32[]) copy-start(f32[2])
f32[3] copy-done((f32[2], f32[2], u32[]))
f32[2] copy-done(f32[2])
s32[3] bitcast-convert(f32[4])
(f32[2], s32[]) while((f32[2], f32[]))
f32[<=4] negate(f32[<=5])
f32[2] negate((f32[2], f32[2]))
f32[2] fusion(f32[2], s32[]), called=(f32[2], s32[3])->f32[2]
f32[2] fusion(f32[2], s32[]), called=(f32[2])->f32[2]
f32[2] fusion(f32[2]), called=(f32[2])->f32[3]
f32[2] fusion(f32[2])
"""


@pytest.mark.parametrize("line", RIGHT.strip().splitlines())
def test_shapes_that_follow(line):
    text, _, where = line.partition(" where ")
    verdict = prove.instruction(text, where=[where] if where else [])
    assert verdict.status == "proved", verdict.reason


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_shapes_that_do_not(line):
    verdict = prove.instruction(line)
    assert verdict.status == "refuted"
    assert verdict.details["code"] == "SL723"


def test_conditions_of_symbolic_instructions():
    def condition(text, where=()):
        return prove.instruction(text, where=where).details["condition"]

    assert condition("f32[K] reshape(f32[M,N])") == "K == M*N"
    assert condition("f32[A,B] transpose(f32[M,N]), dimensions={1,0}") == "N == A and M == B"
    assert condition("f32[4] slice(f32[N]), slice={[0:4]}") == "4 <= N"
    assert condition("f32[4] slice(f32[N]), slice={[0:4]}", ["N % 4 == 0"]) == "always"
    assert condition("f32[2] fusion(f32[2]), called=(f32[N])->f32[2]") == "N == 2"
    found = prove.instruction("f32[K] reshape(f32[M,N])").counterexample
    assert found.sizes == {"K": 1, "M": 1, "N": 2}
    assert (found.left, found.right) == (2, 1)


@pytest.mark.parametrize("text", ["f32[2] my-own(f32[2])", "f32[2] negate(%x)", "f32[2"])
def test_instructions_that_no_rule_can_judge(text):
    with pytest.raises(LayoutError) as caught:
        prove.instruction(text)
    assert caught.value.code == "SL721"


def test_valid_layouts():
    assert prove.valid("f32[M,N]{0,1:T(8,128)(2,1)}").status == "proved"
    made = prove.valid("strided f32[M,N] strides(1,1)")
    assert made.status == "refuted"
    assert made.claim.startswith("valid")
