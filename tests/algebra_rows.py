"""Operations of the algebra on symbolic layouts, with the offsets that plain integers give."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import gcd

DIVISIBLE = ["M % BM == 0", "N % BN == 0"]

Offsets = Callable[..., list[int]]


def _box(*sizes: int) -> list[tuple[int, ...]]:
    """All coordinates, the first one fastest."""
    return [c[::-1] for c in product(*map(range, sizes[::-1]))]


def _swizzled(x: int) -> int:
    return x ^ ((x >> 2) & 3)


def _rows(m: int, n: int) -> list[int]:
    return [i * n + j for i, j in _box(m, n)]


# the offsets in the order of coordinates, written down without the algebra
SYMBOLIC: list[tuple[str, list[str], Offsets]] = [
    ("batch((M,N):(N,1), B)", [],
     lambda B, M, N: [b * M * N + i * N + j for b, i, j in _box(B, M, N)]),
    ("PrependDim((M,N):(N,1), B, ld)", [],
     lambda B, M, N, ld: [b * ld + i * N + j for b, i, j in _box(B, M, N)]),
    ("get((M,(N,2)):(2*N,(2,1)), 1)", [], lambda M, N: [2 * j + k for j, k in _box(N, 2)]),
    ("get(zipped_divide((M,N):(N,1), (BM,BN)), 1)", DIVISIBLE,
     lambda M, N, BM, BN: [i * BM * N + j * BN for i, j in _box(M // BM, N // BN)]),
    ("get(Swizzle<2,0,2> o 0 o (M,4):(4,1), 0)", [], lambda M: [_swizzled(4 * i) for i in range(M)]),
    ("slice_((_, 1), zipped_divide((M,N):(N,1), (BM,BN)))", [*DIVISIBLE, "M >= 2*BM"],
     lambda M, N, BM, BN: [i * N + j for i, j in _box(BM, BN)]),
    ("slice_layout((_,(1,_)), (M,(2,K)):(2*K,(K,1)))", [],
     lambda M, K: [i * 2 * K + k for i, k in _box(M, K)]),
    ("dice((_,1), (M,N):(N,1))", [], lambda M, N: [*range(N)]),
    ("filter_zeros((M,N,K):(0,K,1))", [],
     lambda M, N, K: [j * K + k for j, k in _box(N, K)]),
    ("filter((M,N,K):(0,1,N))", [], lambda M, N, K: [*range(N * K)]),
    ("nullspace((M,N,K):(1,0,M))", [], lambda M, N, K: [M * j for j in range(N)]),
    ("max_common_layout((M,N):(1,M), (M,N):(1,ld))", ["ld > M"], lambda M, N, ld: [*range(M)]),
    ("domain_distribute((M,N), K)", ["M % K == 0"], lambda M, N, K: [*range(gcd(M, K))]),
    ("domain_distribute((M,N), M*K)", ["N % K == 0"], lambda M, N, K: [*range(M * K)]),
    ("make_ordered_layout((M,N,K), (2,0,1))", [],
     lambda M, N, K: [i * N * K + j + k * N for i, j, k in _box(M, N, K)]),
    ("make_layout((M,N):(N,1), composition((K,2):(2,1), 2:K))", [],
     lambda M, N, K: [i * N + j + k for i, j, k in _box(M, N, 2)]),
    ("left_inverse((M,N):(N,1), weak=True)", [],
     lambda M, N: [x % N * M + x // N for x in range(M * N)]),
    ("complement((M,4):(1,M), 4*M*N, weak=True)", [], lambda M, N: [4 * M * k for k in range(N)]),
    ("append(M:1, K:M)", [], lambda M, K: [*range(M * K)]),
    ("append(M:1, K:0, rank=3)", [], lambda M, K: [i for i, _, _ in _box(M, K, K)]),
    ("prepend(M:K, K:1, 2)", [], lambda M, K: [*range(M * K)]),
    ("replace((M,N):(N,1), 1, K:7)", [], lambda M, N, K: [i * N + 7 * j for i, j in _box(M, K)]),
    ("select((M,N,K):(N*K,K,1), 2, 0)", [],
     lambda M, N, K: [k + i * N * K for k, i in _box(K, M)]),
    ("take((M,N,K):(N*K,K,1), 1, 3)", [], lambda M, N, K: [j * K + k for j, k in _box(N, K)]),
    ("group_modes((M,N,K):(N*K,K,1), 1, 3)", [],
     lambda M, N, K: [i * N * K + j * K + k for i, j, k in _box(M, N, K)]),
    ("unflatten((M,N,K):(N*K,K,1), ((0,0),0))", [],
     lambda M, N, K: [i * N * K + j * K + k for i, j, k in _box(M, N, K)]),
    ("recast((M,N):(N,1), 16, 32)", ["N % 2 == 0"],
     lambda M, N: [i * (N // 2) + j for i, j in _box(M, N // 2)]),
    ("get_tile_layout((M,N):(N,1), (BM,BN), (BM,0))", [*DIVISIBLE, "M >= 2*BM"],
     lambda M, N, BM, BN: [i * N + j for i, j in _box(BM, BN)]),
    ("make_layout_tile((M,N):(N,1), (BM,BN))", ["BM <= M", "BN <= N"],
     lambda M, N, BM, BN: [i * N + j for i, j in _box(BM, BN)]),
    ("compose_swizzle(Swizzle<2,0,2>, (4,M):(1,4), 4)", [],
     lambda M: [_swizzled(i + 4 * j + 4) for i, j in _box(4, M)]),
    ("tile_to_shape((2,2):(2,1), (2*M,2*N), order=(1,0))", [],
     lambda M, N: [2 * a + b + 4 * (j + i * N) for a, i, b, j in _box(2, M, 2, N)]),
    ("coalesce((M,1,N):(1,5,M))", [], lambda M, N: [*range(M * N)]),
    ("flatten((M,(2,N)):(2*N,(N,1)))", [],
     lambda M, N: [i * 2 * N + k * N + j for i, k, j in _box(M, 2, N)]),
    ("right_inverse((M,N):(N,1))", [], lambda M, N: [i + M * j for j, i in _box(N, M)]),
    ("make_layout_like((M,4,N):(16,1,4))", [],
     lambda M, N: [i * 4 * N + k + 4 * j for i, k, j in _box(M, 4, N)]),
    ("logical_divide((M,N):(N,1), (BM,BN))", DIVISIBLE,
     lambda M, N, BM, BN: [
         (a + i * BM) * N + b + j * BN for a, i, b, j in _box(BM, M // BM, BN, N // BN)
     ]),
    ("tiled_divide((M,N):(N,1), (BM,BN))", DIVISIBLE,
     lambda M, N, BM, BN: [
         (a + i * BM) * N + b + j * BN for a, b, i, j in _box(BM, BN, M // BM, N // BN)
     ]),
    ("flat_divide((M,N):(N,1), (BM,BN))", DIVISIBLE,
     lambda M, N, BM, BN: [
         (a + i * BM) * N + b + j * BN for a, b, i, j in _box(BM, BN, M // BM, N // BN)
     ]),
    *[(f"{word}_product((2,3):(3,1), (M,N):(N,1))", [],
       lambda M, N: [3 * a + b + 6 * (i * N + j) for a, b, i, j in _box(2, 3, M, N)])
      for word in ("logical", "zipped", "tiled", "flat")],
    ("blocked_product((2,3):(3,1), (M,N):(N,1))", [],
     lambda M, N: [3 * a + b + 6 * (i * N + j) for a, i, b, j in _box(2, M, 3, N)]),
    ("raked_product((2,3):(3,1), (M,N):(N,1))", [],
     lambda M, N: [3 * a + b + 6 * (i * N + j) for i, a, j, b in _box(M, 2, N, 3)]),
    ("upcast((M,N):(N,1), 2)", ["N % 2 == 0"], lambda M, N: [*_rows(M, N // 2)]),
    ("downcast((M,N):(N,1), 2)", [], lambda M, N: [*_rows(M, 2 * N)]),
    ("slice_((_, 1), composition((4,8):(8,1), Swizzle<2,0,3> o 1 o (4,8):(8,1)))", [],
     lambda: [x % 4 * 8 + x // 4 for x in [(8 * i + 2) ^ i for i in range(4)]]),
    ("zipped_divide((M,N):(N,1), (ceildiv(M,2), N))", ["M % 2 == 0"],
     lambda M, N: [(i + r * (M // 2)) * N + j for i, j, r in _box(M // 2, N, 2)]),
    ("composition((M,N):(N,1), f32[M,N]{0,1})", [], lambda M, N: [i * N + j for i, j in _box(M, N)]),
]  # fmt: skip
