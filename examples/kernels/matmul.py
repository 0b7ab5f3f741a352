"""Matrix products: tiles in groups and pointers that advance, and blocks with scales.

The twin of the product forgets that the last group may have fewer rows of tiles.
"""

import triton
import triton.language as tl


# symlayout: kernel grid (cdiv(M, BM) * cdiv(N, BN),)
#   a_ptr is f16[M,K] strides(stride_am, 1)
#   b_ptr is f16[K,N] strides(stride_bk, 1)
#   c_ptr is f16[M,N] strides(stride_cm, 1) written once
#   where stride_am >= K, stride_bk >= N, stride_cm >= N, N <= 1048576
#   where BM >= 32, BN >= 32, GROUP <= 1024
@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(axis=0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (GROUP * columns)
    first = group * GROUP
    height = min(rows - first, GROUP)
    pid_m = first + pid % (GROUP * columns) % height
    pid_n = pid % (GROUP * columns) // height
    m = (pid_m * BM + tl.arange(0, BM)).to(tl.int64)
    n = (pid_n * BN + tl.arange(0, BN)).to(tl.int64)
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :]
    b_ptrs = b_ptr + k[:, None].to(tl.int64) * stride_bk + n[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        left = K - step * BK
        a = tl.load(a_ptrs, mask=(m[:, None] < M) & (k[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(k[:, None] < left) & (n[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BK
        b_ptrs += BK * stride_bk.to(tl.int64)
    c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :]
    tl.store(c_ptrs, total.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


# symlayout: kernel grid (cdiv(M, BM) * cdiv(N, BN),)
#   c_ptr is f16[M,N] strides(stride_cm, 1) written once
#   where stride_cm >= N, N <= 1048576
#   where BM >= 32, BN >= 32, GROUP <= 1024
@triton.jit
def matmul_whole_groups(
    c_ptr, M, N, stride_cm, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr
):
    pid = tl.program_id(axis=0)
    columns = tl.cdiv(N, BN)
    pid_m = pid // (GROUP * columns) * GROUP + pid % GROUP
    pid_n = pid % (GROUP * columns) // GROUP
    m = (pid_m * BM + tl.arange(0, BM)).to(tl.int64)
    n = (pid_n * BN + tl.arange(0, BN)).to(tl.int64)
    c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float16)
    # symlayout: expect refuted "written once: store"
    #   because "the last group may have fewer than GROUP rows"
    tl.store(c_ptrs, total, mask=(m[:, None] < M) & (n[None, :] < N))


# symlayout: kernel grid (cdiv(M, BM), cdiv(N, BN))
#   q_ptr is s8[M,N]
#   scale_ptr is f32[ceildiv(M, BM),ceildiv(N, BN)]
#   y_ptr is f32[M,N] written once
#   where M <= 1048576, N <= 1048576, BM >= 32, BN >= 32
@triton.jit
def dequantize(q_ptr, scale_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    m = pid_m * BM + tl.arange(0, BM)
    n = pid_n * BN + tl.arange(0, BN)
    at = m[:, None].to(tl.int64) * N + n[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    scale = tl.load(scale_ptr + pid_m * tl.cdiv(N, BN) + pid_n)
    tl.store(y_ptr + at, tl.load(q_ptr + at, mask=inside) * scale, mask=inside)


# symlayout: kernel grid (cdiv(M, BM), cdiv(N, BN))
#   scale_ptr is f32[ceildiv(M, BM),N//BN]
#   y_ptr is f32[M,N] written once
#   where M <= 1048576, N <= 1048576, BM >= 32, 32 <= BN <= 1024, N >= BN
@triton.jit
def dequantize_rounded_down(scale_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    # one scale too few in each row where BN does not divide N
    # symlayout: expect refuted "in bounds"
    #   because "a row has one scale more where BN does not divide N"
    scale = tl.load(scale_ptr + pid_m * (N // BN) + pid_n)
    m = pid_m * BM + tl.arange(0, BM)
    n = pid_n * BN + tl.arange(0, BN)
    at = m[:, None].to(tl.int64) * N + n[None, :]
    tl.store(y_ptr + at, scale, mask=(m[:, None] < M) & (n[None, :] < N))
