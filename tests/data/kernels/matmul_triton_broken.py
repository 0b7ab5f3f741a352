"""A matrix product as Triton kernels are written; only its comments are ever read here."""

import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm, BM: tl.constexpr):
    pid_m = tl.program_id(axis=0)
    pid_n = tl.program_id(axis=1)
    offs_m = pid_m * BM + tl.arange(0, BM)
    offs_n = pid_n * 64 + tl.arange(0, 64)
    offs_k = tl.arange(0, 32)
    # symlayout: formula "strided f16[M,K] strides(stride_am,1)" of a_ptr coords offs_m, offs_k
    #   where stride_am >= K and stride_bk >= 1
    a_ptrs = a_ptr + (offs_m[:, None] * stride_bk + offs_k[None, :])
    acc = tl.zeros((BM, 64), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, 32)):
        # symlayout: formula "strided f16[K,N] strides(stride_bk,1)" of b_ptr coords kk, offs_n
        #   with k*32 + offs_k[:, None] = kk where stride_bk >= N
        b = tl.load(b_ptr + (k * 32 + offs_k[:, None]) * stride_bk + 2 * offs_n[None, :])
        acc += tl.dot(tl.load(a_ptrs), b)
    # symlayout: formula "f32[M,N]{1,0:T(8,128)}" coords offs_m, offs_n where N % 128 == 0
    #   name "tiled output"
    offset = (
        (offs_m[:, None] // 8 * (N // 128) + offs_n[None, :] // 128) * 1024
        + offs_m[:, None] % 8 * 129
        + offs_n[None, :] % 128
    )
    tl.store(c_ptr + offset, acc)
