"""Kernels that move data: a transpose by tiles, and the columns of a convolution's windows."""

import triton
import triton.language as tl


# symlayout: kernel grid (cdiv(M, B), cdiv(N, B))
#   x_ptr is f32[M,N]
#   y_ptr is f32[N,M] written once
#   where N <= 1000000, B >= 16
@triton.jit
def transpose(x_ptr, y_ptr, M, N, B: tl.constexpr):
    m = (tl.program_id(0) * B + tl.arange(0, B)).to(tl.int64)
    n = (tl.program_id(1) * B + tl.arange(0, B)).to(tl.int64)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N))
    y_ptrs = y_ptr + n[:, None] * M + m[None, :]
    tl.store(y_ptrs, tl.trans(x), mask=(n[:, None] < N) & (m[None, :] < M))


# symlayout: kernel grid (cdiv(M, B), cdiv(N, B))
#   x_ptr is f32[M,N]
#   y_ptr is f32[N,M] written once
#   where N <= 1000000, B >= 16
@triton.jit
def transpose_with_the_old_stride(x_ptr, y_ptr, M, N, B: tl.constexpr):
    m = (tl.program_id(0) * B + tl.arange(0, B)).to(tl.int64)
    n = (tl.program_id(1) * B + tl.arange(0, B)).to(tl.int64)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N))
    y_ptrs = y_ptr + n[:, None] * N + m[None, :]
    # symlayout: expect refuted "in bounds", "written once: store"
    #   because "rows of the result are M long"
    tl.store(y_ptrs, tl.trans(x), mask=(n[:, None] < N) & (m[None, :] < M))


# symlayout: kernel grid (H, W)
#   x_ptr is f32[H,W]
#   y_ptr is f32[H,W,R,S] written once
#   where W <= 65535, S <= 16
@triton.jit
def im2col(x_ptr, y_ptr, H, W, R: tl.constexpr, S: tl.constexpr):
    h, w = tl.program_id(0), tl.program_id(1)
    r, s = tl.arange(0, R), tl.arange(0, S)
    row, column = h + r - R // 2, w + s - S // 2
    rows = (row >= 0) & (row < H)
    columns = (column >= 0) & (column < W)
    at = row.to(tl.int64)[:, None] * W + column[None, :]
    x = tl.load(x_ptr + at, mask=rows[:, None] & columns[None, :], other=0.0)
    window = (h.to(tl.int64) * W + w) * R * S
    tl.store(y_ptr + window + r[:, None] * S + s[None, :], x)


# symlayout: kernel grid (H, W)
#   x_ptr is f32[H,W]
#   where W <= 65535
@triton.jit
def im2col_without_the_upper_edge(x_ptr, H, W, R: tl.constexpr, S: tl.constexpr):
    h, w = tl.program_id(0), tl.program_id(1)
    r, s = tl.arange(0, R), tl.arange(0, S)
    row, column = h + r - R // 2, w + s - S // 2
    rows = row < H
    columns = (column >= 0) & (column < W)
    at = row.to(tl.int64)[:, None] * W + column[None, :]
    # symlayout: expect refuted "in bounds"
    #   because "above the image row is negative"
    tl.load(x_ptr + at, mask=rows[:, None] & columns[None, :], other=0.0)
