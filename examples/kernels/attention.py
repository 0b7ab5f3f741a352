"""The addresses of attention: a tile of queries against all keys, and a cache in pages.

Pages are found through a table: what stands in it is what the contract says of it.
"""

import triton
import triton.language as tl


# symlayout: kernel grid (cdiv(T, BM), batch * heads)
#   q_ptr is bf16[batch,heads,T,D]
#   k_ptr is bf16[batch,heads,T,D]
#   v_ptr is bf16[batch,heads,T,D]
#   o_ptr is bf16[batch,heads,T,D] written once
#   where T <= 1048576, D <= 256, batch * heads <= 65535
@triton.jit
def attention(
    q_ptr, k_ptr, v_ptr, o_ptr, batch, heads, T, scale,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    head = tl.program_id(1).to(tl.int64) * T * D
    q = tl.load(q_ptr + head + m[:, None] * D + d[None, :], mask=m[:, None] < T, other=0.0)
    total = tl.zeros((BM, D), dtype=tl.float32)
    norm = tl.zeros((BM,), dtype=tl.float32)
    for start in range(0, T, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + head + n[None, :] * D + d[:, None], mask=n[None, :] < T, other=0.0)
        p = tl.exp(tl.dot(q, k) * scale)
        v = tl.load(v_ptr + head + n[:, None] * D + d[None, :], mask=n[:, None] < T, other=0.0)
        total = tl.dot(p.to(tl.bfloat16), v, total)
        norm += tl.sum(p, axis=1)
    o_ptrs = o_ptr + head + m[:, None] * D + d[None, :]
    tl.store(o_ptrs, total / norm[:, None], mask=m[:, None] < T)


# symlayout: kernel grid (cdiv(T, BM), batch * heads)
#   k_ptr is bf16[batch,heads,T,D]
#   where T <= 1048576, D <= 256, batch * heads <= 65535
@triton.jit
def attention_whole_tiles(
    k_ptr, batch, heads, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    d = tl.arange(0, D)
    head = tl.program_id(1).to(tl.int64) * T * D
    for start in range(0, T, BN):
        n = start + tl.arange(0, BN)
        # the last tile may be a part of one: n < T is missing
        # symlayout: expect refuted "in bounds"
        #   because "the last tile may be a part of one"
        tl.load(k_ptr + head + n[None, :] * D + d[:, None])


# symlayout: kernel grid (sequences, heads)
#   table_ptr is s32[sequences,pages] below blocks
#   length_ptr is s32[sequences] below PAGE * pages + 1
#   cache_ptr is f16[blocks,heads,PAGE,D]
#   where pages <= 65536, PAGE <= 256, heads <= 1024
@triton.jit
def paged(
    table_ptr, length_ptr, cache_ptr, sequences, blocks, heads, pages,
    PAGE: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    sequence, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    length = tl.load(length_ptr + sequence)
    at, d = tl.arange(0, PAGE), tl.arange(0, D)
    for page in range(0, pages):
        block = tl.load(table_ptr + sequence * pages + page).to(tl.int64)
        row = (block * heads + head) * PAGE + at
        tl.load(
            cache_ptr + row[:, None] * D + d[None, :], mask=(page * PAGE + at < length)[:, None]
        )


# symlayout: kernel grid (sequences, heads)
#   table_ptr is s32[sequences,pages] below blocks
#   length_ptr is s32[sequences] below PAGE * pages + 1
@triton.jit
def paged_one_more(table_ptr, length_ptr, sequences, blocks, pages, PAGE: tl.constexpr):
    sequence = tl.program_id(0).to(tl.int64)
    length = tl.load(length_ptr + sequence)
    for page in range(0, length // PAGE + 1):
        # a sequence of whole pages has no page behind the last
        # symlayout: expect refuted "in bounds"
        #   because "a sequence of whole pages has no page behind the last"
        tl.load(table_ptr + sequence * pages + page)
