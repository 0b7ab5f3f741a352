import triton
import triton.language as tl


# symlayout: kernel grid (B,)
#   off is i64[B+1] below S+1
#   x is f32[S,H] strides(s,1)
#   where s >= H, S*s < 2**31
@triton.jit
def lengths_in_64_bits(x, off, s, B, S, H, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    b = tl.load(off + p)
    n = tl.load(off + p + 1) - b
    i = tl.arange(0, BLOCK)
    tl.load(x + b * s + i * s, mask=i < n)


# symlayout: kernel grid (B,)
#   t is i32[B] below A*C+1
#   x is f32[A*C+1]
@triton.jit
def table_of_32_bits(x, t, A, B, C):
    p = tl.program_id(0)
    v = tl.load(t + p)
    tl.load(x + v // A)


# symlayout: kernel grid (B,)
#   t is i32[1]
#   y is f32[B,D] written at most once
#   where BLOCK >= D, B*D < 2**31
@triton.jit
def early_return(y, t, B, D, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    v = tl.load(t)
    if p >= v:
        return
    o = tl.arange(0, BLOCK)
    tl.store(y + p * D + o, 1.0, mask=o < D)
