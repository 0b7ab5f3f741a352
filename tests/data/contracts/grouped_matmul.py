import triton
import triton.language as tl


# symlayout: kernel grid (tl.cdiv(M, BM) * tl.cdiv(N, BN),)
#   a_ptr is f16[M,K] strides(stride_am, 1)
#   b_ptr is f16[K,N] strides(stride_bk, 1)
#   c_ptr is f16[M,N] strides(stride_cm, 1) written once
#   where stride_am >= K, stride_bk >= N, stride_cm >= N, GROUP <= 16, BM >= 16, BN >= 16, BK >= 16
@triton.jit
def matmul(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_bk,
    stride_cm,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    num_m = tl.cdiv(M, BM)
    num_n = tl.cdiv(N, BN)
    in_group = GROUP * num_n
    first_m = (pid // in_group) * GROUP
    size_m = min(num_m - first_m, GROUP)
    pid_m = first_m + (pid % in_group) % size_m
    pid_n = (pid % in_group) // size_m
    rm = (pid_m * BM + tl.arange(0, BM)).to(tl.int64)
    rn = (pid_n * BN + tl.arange(0, BN)).to(tl.int64)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        rk = (k * BK + tl.arange(0, BK)).to(tl.int64)
        x = tl.load(
            a_ptr + rm[:, None] * stride_am + rk[None, :],
            mask=(rm[:, None] < M) & (rk[None, :] < K),
            other=0.0,
        )
        y = tl.load(
            b_ptr + rk[:, None] * stride_bk + rn[None, :],
            mask=(rk[:, None] < K) & (rn[None, :] < N),
            other=0.0,
        )
        acc = tl.dot(x, y, acc)
    tl.store(
        c_ptr + rm[:, None] * stride_cm + rn[None, :],
        acc.to(tl.float16),
        mask=(rm[:, None] < M) & (rn[None, :] < N),
    )
