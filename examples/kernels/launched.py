"""A kernel whose grid comes from its launch, and one that is launched with too few programs."""

import torch
import triton
import triton.language as tl


# symlayout: kernel
#   x_ptr is f32[n]
#   y_ptr is f32[n] written once
@triton.jit
def scale(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x * factor, mask=i < n)


def scaled(x, factor):
    y = torch.empty_like(x)
    count = x.numel()
    scale[lambda META: (triton.cdiv(count, META["BLOCK"]),)](x, y, count, factor, BLOCK=1024)
    return y


# symlayout: kernel
#   x_ptr is f32[n]
#   y_ptr is f32[n] written once
@triton.jit
def scale_of_whole_blocks(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    # symlayout: expect refuted "written once: store"
    #   because "the launch below counts whole blocks only"
    tl.store(y_ptr + i, x * factor, mask=i < n)


def scaled_whole_blocks(x, factor):
    y = torch.empty_like(x)
    count = x.numel()
    grid = (count // 1024,)
    scale_of_whole_blocks[grid](x, y, count, factor, BLOCK=1024)
    return y
