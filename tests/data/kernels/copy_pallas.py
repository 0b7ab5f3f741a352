"""A copy between a tiled and a plain buffer, as Pallas kernels are written."""

from jax.experimental import pallas as pl


def copy_kernel(x_ref, o_ref, *, M, N):
    i = pl.program_id(0)
    j = pl.program_id(1)
    # symlayout: formula "bf16[M,N]{1,0:T(8,128)(2,1)}" coords i, j where N % 128 == 0
    source = (i // 8 * (N // 128) + j // 128) * 1024 + i // 2 % 4 * 256 + j % 128 * 2 + i % 2
    # symlayout: formula "bf16[M,N]{1,0}" coords i, j
    o_ref[i * N + j] = x_ref[source]
