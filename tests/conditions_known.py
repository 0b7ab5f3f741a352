"""Claims whose weakest conditions are known by thought, each with its meaning in plain integers.

`truth` is brute force by the definitions of layouts, written here once more; `text` is the condition.
`box` has the values of each size at which both are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

Truth = Callable[..., bool]
SMALL = (1, 2, 3, 4, 5, 6, 7, 8)
ROWS = (1, 2, 7, 8, 9, 16, 17, 24)
COLUMNS = (1, 2, 64, 127, 128, 129, 130, 256, 384)
HUGE = (1, 2, 3, 1 << 10, 46340, 46341, (1 << 31) - 1, 1 << 31, (1 << 31) + 1)


@dataclass(frozen=True)
class Known:
    """A claim, its condition, what it means, and where that is looked at."""

    word: str
    args: tuple[str, ...]
    text: str
    truth: Truth
    box: dict[str, Sequence[int]]
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.word, *self.args])


def ceil(a: int, b: int) -> int:
    return -(-a // b)


def tiled(i: int, j: int, n: int) -> int:
    return ((i // 8) * ceil(n, 128) + j // 128) * 1024 + i % 8 * 128 + j % 128


def packed(i: int, j: int, n: int) -> int:
    return ((i // 8) * ceil(n, 128) + j // 128) * 1024 + i % 8 // 2 * 256 + j % 128 * 2 + i % 2


def box(*sizes: int) -> Iterable[tuple[int, ...]]:
    return product(*map(range, sizes))


def same(a: Callable[..., int], b: Callable[..., int], *sizes: int) -> bool:
    return all(a(*x) == b(*x) for x in box(*sizes))


def apart(f: Callable[..., Any], *sizes: int) -> bool:
    made = [f(*x) for x in box(*sizes)]
    return len(set(made)) == len(made)


def onto(f: Callable[..., int], size: int, *sizes: int) -> bool:
    return {f(*x) for x in box(*sizes)} >= set(range(size))


def whole(m: int, n: int) -> int:
    return 1024 * ceil(m, 8) * ceil(n, 128)


def both(f: Callable[..., int], size: int, *sizes: int) -> bool:
    made = [f(*x) for x in box(*sizes)]
    return sorted(made) == list(range(size))


def grouped(M: int, N: int, G: int) -> bool:
    made = [(p // (G * N) * G + p % (G * N) % G, p % (G * N) // G) for p in range(M * N)]
    return sorted(made) == list(product(range(M), range(N)))


def blocks(n: int, B: int) -> list[int]:
    return [b * B + t for b in range(ceil(n, B)) for t in range(B)]


T = "f32[M,N]{1,0:T(8,128)}"
P = "bf16[M,N]{1,0:T(8,128)(2,1)}"
ROW = "f32[M,N]{1,0}"
COLUMN = "(M,N):(1,P)"
STEP = "strided f32[M,N] strides(S,1)"
HAND = "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128"
BLOCKS = "map b < ceildiv(n, B), t < B: b*B + t in n"
GROUPS = "map pid < M*N: first = pid//(G*N)*G; (first + pid%(G*N)%G, pid%(G*N)//G) in (M, N)"
MN = {"M": SMALL, "N": SMALL}
MNP = {**MN, "P": SMALL}
MNS = {**MN, "S": SMALL}
TILES = {"M": ROWS, "N": COLUMNS}

KNOWN = [
    # equal and bitcast
    Known("equal", (ROW, "f32[M,N]{0,1}"), "M == 1 or N == 1",
          lambda M, N: same(lambda i, j: i * N + j, lambda i, j: j * M + i, M, N), MN),
    Known("equal", (ROW, STEP), "N == S or M == 1",
          lambda M, N, S: same(lambda i, j: i * N + j, lambda i, j: i * S + j, M, N), MNS),
    Known("equal", (T, ROW), "N == 128 or (M == 1 and N <= 128)",
          lambda M, N: same(lambda i, j: tiled(i, j, N), lambda i, j: i * N + j, M, N), TILES),
    Known("equal", ("strided f32[M] strides(S)", "f32[M]{0}"), "M == 1 or S == 1",
          lambda M, S: same(lambda i: i * S, lambda i: i, M), {"M": SMALL, "S": SMALL}),
    Known("equal", ("f32[M,N,K]{2,1,0}", "f32[M,N,K]{1,2,0}"), "N == 1 or K == 1",
          lambda M, N, K: same(lambda i, j, k: (i * N + j) * K + k,
                               lambda i, j, k: (i * K + k) * N + j, M, N, K),
          {"M": (1, 2, 3), "N": SMALL, "K": SMALL}),
    Known("equal", ("(M,N):(1,M)", "(M,N):(N,1)"), "M == 1 or N == 1",
          lambda M, N: same(lambda i, j: i + j * M, lambda i, j: i * N + j, M, N), MN),
    Known("equal", ("(M,N):(S,P)", "(M,N):(P,S)"), "S == P or (M == 1 and N == 1)",
          lambda M, N, S, P: same(lambda i, j: i * S + j * P, lambda i, j: i * P + j * S, M, N),
          {"M": (1, 2, 3), "N": (1, 2, 3), "S": SMALL, "P": SMALL}),
    Known("equal", (ROW, "f32[K,N]{1,0}"), "M == K", lambda M, N, K: M == K,
          {"M": SMALL, "N": (1, 2), "K": SMALL}),
    Known("bitcast", (T, ROW), "N == 128 and M % 8 == 0",
          lambda M, N: whole(M, N) == M * N
          and same(lambda i, j: tiled(i, j, N), lambda i, j: i * N + j, M, N), TILES),
    Known("bitcast", (ROW, "f32[N,M]{1,0}"), "N == 1 or M == 1",
          lambda M, N: same(lambda j, i: i * N + j, lambda j, i: j * M + i, N, M),
          MN, {"perm": "1,0"}),
    Known("bitcast", ("f32[M,8]{1,0}", "f32[N,4]{1,0}"), "2*M == N",
          lambda M, N: 8 * M == 4 * N, {"M": range(1, 20), "N": range(1, 40)}),
    Known("reinterpret", (T, ROW), "N % 128 == 0 and M % 8 == 0",
          lambda M, N: whole(M, N) == M * N, TILES),
    Known("reinterpret", ("f32[M]{0}", "bf16[N]{0}"), "2*M == N",
          lambda M, N: 32 * M == 16 * N, {"M": range(1, 20), "N": range(1, 40)}),
    # injective
    Known("injective", (COLUMN,), "P >= M or N == 1",
          lambda M, N, P: apart(lambda i, j: i + j * P, M, N), MNP),
    Known("injective", (STEP,), "S >= N or M == 1",
          lambda M, N, S: apart(lambda i, j: i * S + j, M, N), MNS),
    Known("injective", ("(4,N):(1,P)",), "P >= 4 or N == 1",
          lambda N, P: apart(lambda i, j: i + j * P, 4, N), {"N": SMALL, "P": SMALL}),
    Known("injective", ("(M):(S)",), "S >= 1 or M == 1",
          lambda M, S: apart(lambda i: i * S, M), {"M": SMALL, "S": range(6)},
          {"where": ["S >= 0"]}),
    Known("injective", ("strided f32[M,N] strides(0,1)",), "M == 1",
          lambda M, N: apart(lambda i, j: j, M, N), MN),
    Known("injective", ("map i < M, j < N: i*K + j in M*K + N",), "K >= N or M == 1",
          lambda M, N, K: apart(lambda i, j: i * K + j, M, N), {**MN, "K": SMALL}),
    Known("injective", ("map i < N: i//2 in N",), "N == 1",
          lambda N: apart(lambda i: i // 2, N), {"N": range(1, 40)}),
    Known("injective", ("map i < N: i % K in N",), "N <= K",
          lambda N, K: apart(lambda i: i % K, N), {"N": range(1, 20), "K": range(1, 20)}),
    # onto and bijective
    Known("onto", (COLUMN,), "P <= M or N == 1",
          lambda M, N, P: onto(lambda i, j: i + j * P, M + P * (N - 1), M, N), MNP),
    Known("onto", (T,), "N % 128 == 0 and M % 8 == 0",
          lambda M, N: onto(lambda i, j: tiled(i, j, N), whole(M, N), M, N), TILES),
    Known("onto", ("(M):(S)",), "M == 1 or S == 1",
          lambda M, S: onto(lambda i: i * S, 1 + (M - 1) * S, M), {"M": SMALL, "S": SMALL}),
    Known("onto", (P,), "N % 128 == 0 and M % 8 == 0",
          lambda M, N: onto(lambda i, j: packed(i, j, N), whole(M, N), M, N), TILES),
    Known("bijective", (T,), "N % 128 == 0 and M % 8 == 0",
          lambda M, N: both(lambda i, j: tiled(i, j, N), whole(M, N), M, N), TILES),
    Known("bijective", (COLUMN,), "P == M or N == 1",
          lambda M, N, P: both(lambda i, j: i + j * P, M + P * (N - 1), M, N), MNP),
    Known("bijective", ("map i < N: i % K in N",), "N <= K",
          lambda N, K: both(lambda i: i % K, N, N), {"N": range(1, 20), "K": range(1, 20)}),
    Known("bijective", (BLOCKS,), "n % B == 0",
          lambda n, B: sorted(blocks(n, B)) == list(range(n)),
          {"n": range(1, 30), "B": range(1, 12)}),
    Known("bijective", (GROUPS,), "M % G == 0 or N == 1", grouped, {**MN, "G": range(1, 6)}),
    # bounded: a mask that may be left out, and types
    Known("bounded", (BLOCKS,), "n % B == 0", lambda n, B: max(blocks(n, B)) < n,
          {"n": range(1, 30), "B": range(1, 12)}),
    Known("bounded", (ROW, "4096"), "M*N <= 4096", lambda M, N: M * N - 1 < 4096,
          {"M": (1, 3, 63, 64, 65, 4096), "N": (1, 2, 63, 64, 65, 1365, 1366, 4096, 4097)}),
    Known("bounded", (ROW, "2**31"), "M*N <= 2**31", lambda M, N: M * N - 1 < 2**31,
          {"M": HUGE, "N": HUGE}),
    Known("bounded", ("map i < M: i + K in N",), "K + M <= N",
          lambda M, K, N: all(i + K < N for i in range(M)),
          {"M": SMALL, "K": SMALL, "N": range(1, 16)}),
    Known("bounded", ("map i < N: N - 1 - i + K in N",), "K == 0",
          lambda N, K: all(0 <= N - 1 - i + K < N for i in range(N)),
          {"N": SMALL, "K": range(9)}, {"where": ["K >= 0"]}),
    Known("fits", (ROW, "32"), "N <= 2**31 - 1 and M*N <= 2**31",
          lambda M, N: max(N, M - 1, N - 1, (M - 1) * N, M * N - 1) < 2**31,
          {"M": HUGE, "N": HUGE}),
    Known("fits", (T, "32"),
          "N <= 268435328 and ceildiv(M, 8)*ceildiv(N, 128) <= 2**21",
          lambda M, N: max(1024 * ceil(N, 128), tiled(M - 1, N - 1, N)) < 2**31,
          {"M": (1, 2, 8, 9, 16, 1 << 20, 1 << 24, (1 << 24) + 1),
           "N": (1, 127, 128, 129, 256, 1 << 10, 268435328, 268435329)}),
    Known("fits", ("f32[B,M,N]{2,1,0}", "32"),
          "B*M*N <= 2**31 and N <= 2**31 - 1 and M <= 2**31 - 1",
          lambda B, M, N: max(M, N, B * M * N - 1) < 2**31, {"B": HUGE, "M": HUGE, "N": HUGE}),
    Known("fits", ("f32[N]{0}", "16"), "N <= 32768", lambda N: N - 1 < 2**15,
          {"N": (1, 2, 32767, 32768, 32769, 65536)}),
    Known("fits", ("map i < M, j < N: i*N + j in M*N", "32"),
          "N <= 2**31 - 1 and M*N <= 2**31",
          lambda M, N: max(N, M - 1, N - 1, (M - 1) * N, M * N - 1) < 2**31,
          {"M": HUGE, "N": HUGE}),
    Known("fits", ("map i < N: i*i", "32"), "N <= 46341", lambda N: (N - 1) ** 2 < 2**31,
          {"N": (1, 2, 46340, 46341, 46342, 65536)}),
    Known("holds", ("M*N < 2**31",), "M*N <= 2**31 - 1", lambda M, N: M * N < 2**31,
          {"M": HUGE, "N": HUGE}),
    # formula
    Known("formula", (T, HAND), "N % 128 == 0 or M <= 8",
          lambda M, N: same(lambda i, j: tiled(i, j, N),
                            lambda i, j: (i // 8 * (N // 128) + j // 128) * 1024
                            + i % 8 * 128 + j % 128, M, N), TILES),
    Known("formula", (ROW, "i*M + j"), "N == M or M == 1",
          lambda M, N: same(lambda i, j: i * N + j, lambda i, j: i * M + j, M, N), MN),
    Known("formula", (T, "i*N + j"), "N == 128 or (M == 1 and N <= 128)",
          lambda M, N: same(lambda i, j: tiled(i, j, N), lambda i, j: i * N + j, M, N), TILES),
    Known("formula", ("strided f32[M,N] strides(S,1) offset P", "i*S + j"), "P == 0",
          lambda M, N, S, P: P == 0, {**MN, "S": (1, 4), "P": range(4)}, {"where": ["P >= 0"]}),
    Known("formula", ("f32[N]{0}", "i % 100"), "N <= 100",
          lambda N: same(lambda i: i, lambda i: i % 100, N), {"N": range(1, 300)}),
    Known("formula", (ROW, "i*N + j % 32"), "N <= 32",
          lambda M, N: same(lambda i, j: i * N + j, lambda i, j: i * N + j % 32, M, N),
          {"M": SMALL, "N": range(1, 80)}),
    # broadcast and instruction
    Known("broadcast", ("f32[M]", "f32[N]"), "M == N or M == 1 or N == 1",
          lambda M, N: M == N or 1 in (M, N), MN),
    Known("broadcast", (ROW.partition("{")[0], "f32[K]"), "K == N or K == 1 or N == 1",
          lambda M, N, K: K == N or 1 in (K, N), {**MN, "K": SMALL}, {"dims": "1"}),
    Known("broadcast", ("f32[K]", "f32[M,N]"), "K == N or K == 1",
          lambda M, N, K: K in (N, 1), {**MN, "K": SMALL},
          {"dims": "1", "dialect": "stablehlo"}),
    Known("broadcast", ("f32[M,N]", "f32[K,N]"), "M == K or M == 1 or K == 1",
          lambda M, N, K: M == K or 1 in (M, K), {**MN, "K": SMALL}, {"dialect": "numpy"}),
    Known("instruction", ("f32[K] slice(f32[N]), slice={[0:8]}",), "K == 8 and N >= 8",
          lambda K, N: K == 8 and N >= 8, {"K": range(1, 12), "N": range(1, 20)}),
    Known("instruction", ("f32[K] reshape(f32[M,N])",), "K == M*N",
          lambda K, M, N: K == M * N, {**MN, "K": range(1, 20)}),
    Known("instruction", ("f32[K] concatenate(f32[M], f32[N]), dimensions={0}",), "K == M + N",
          lambda K, M, N: K == M + N, {**MN, "K": range(1, 20)}),
    Known("instruction", ("f32[M,N] dot(f32[M,K], f32[L,N]), lhs_contracting_dims={1}, "
                          "rhs_contracting_dims={0}",), "K == L",
          lambda M, N, K, L: K == L, {"M": (1, 2), "N": (1, 2), "K": SMALL, "L": SMALL}),
    # windows of a picture, in coordinates and as one offset
    Known("bounded", ("map i < P, j < Q, a < R, b < S: (i*t + a, j*t + b) in (H, W)",),
          "Q*t + S <= W + t and P*t + R <= H + t",
          lambda P, Q, R, S, t, H, W: (P - 1) * t + R <= H and (Q - 1) * t + S <= W,
          {"P": (1, 3), "Q": (1, 2), "R": (1, 3), "S": (1, 2), "t": (1, 2), "H": (1, 5, 7),
           "W": (1, 4)}),
    Known("bounded", ("map i < P, j < Q, a < R, b < S: (i*t + a)*W + j*t + b in H*W",),
          "P*W*t + Q*t + R*W + S <= H*W + W*t + W + t",
          lambda P, Q, R, S, t, H, W: ((P - 1) * t + R - 1) * W + (Q - 1) * t + S <= H * W,
          {"P": (1, 3), "Q": (1, 2), "R": (1, 3), "S": (1, 2), "t": (1, 2), "H": (1, 5, 7),
           "W": (1, 4)}),
    # tiles, divides, padding, bytes, aligned
    Known("tiles", (ROW, "m,n"), "M >= m and N >= n", lambda M, N, m, n: m <= M and n <= N,
          {"M": (1, 2, 5), "N": (1, 6), "m": (1, 2, 3), "n": (1, 2)}),
    Known("tiles", (STEP, "(m,n):(P,1)"), "(N >= n and m == 1) or (M >= m and N >= n and S == P)",
          lambda M, N, S, m, n, P: m <= M and n <= N and all(
              g * m * S + k * P == (g * m + k) * S
              for g in range(ceil(M, m)) for k in range(m) if g * m + k < M),
          {"M": SMALL, "N": (1, 3), "S": (1, 2, 5), "m": (1, 2, 3), "n": (1, 2), "P": (1, 2, 5)}),
    Known("tiles", (ROW, "m,n"), "M >= m and N >= n and N > j*n and M > i*m",
          lambda M, N, m, n, i, j: m <= M and n <= N and m * i < M and n * j < N,
          {"M": (1, 2, 5), "N": (1, 6), "m": (1, 2, 3), "n": (1, 2), "i": (0, 1, 2), "j": (0, 2)},
          {"at": "m*i,n*j"}),
    Known("tiles", ("(K,M,N):(M*N,N,1)", "k,m,n"),
          "K > a*k and M > b*m and N > c*n and K >= k and N >= n and M >= m",
          lambda K, M, N, k, m, n, a, b, c: k <= K and m <= M and n <= N
          and k * a < K and m * b < M and n * c < N,
          {"K": (1, 3), "M": (2, 4), "N": (1, 2, 4), "k": (1, 2), "m": (1, 3), "n": (1, 2),
           "a": (0, 1), "b": (0, 1), "c": (0, 2)},
          {"at": "k*a,m*b,n*c"}),
    Known("divides", (T,), "M % 8 == 0 and N % 128 == 0",
          lambda M, N: M % 8 == 0 and N % 128 == 0, TILES),
    Known("divides", ("t", "N"), "N % t == 0", lambda t, N: N % t == 0,
          {"t": range(1, 20), "N": range(1, 40)}),
    Known("divides", ("8", "M*N"), "M*N % 8 == 0", lambda M, N: M * N % 8 == 0,
          {"M": range(1, 20), "N": range(1, 20)}),
    Known("padding", (T, "1"), "M % 8 == 0 and N % 128 == 0",
          lambda M, N: whole(M, N) <= M * N, TILES),
    Known("padding", ("f32[N]{0:T(128)}", "2"), "N >= 64",
          lambda N: 128 * ceil(N, 128) <= 2 * N, {"N": range(1, 500)}),
    Known("padding", (T, "2"), "M*N >= 512*ceildiv(M, 8)*ceildiv(N, 128)",
          lambda M, N: whole(M, N) <= 2 * M * N, TILES),
    Known("bytes", (ROW, "4096"), "M*N == 1024", lambda M, N: 4 * M * N == 4096,
          {"M": (1, 2, 3, 16, 32, 512), "N": (1, 2, 31, 32, 33, 64, 512, 1024)}),
    Known("bytes", ("bf16[N]{0:T(128)}", "256"), "N <= 128",
          lambda N: 2 * 128 * ceil(N, 128) == 256, {"N": range(1, 300)}),
    Known("aligned", (ROW, "16"), "N % 4 == 0 or M == 1",
          lambda M, N: all(i * N * 4 % 16 == 0 for i in range(M)), {"M": SMALL, "N": range(1, 40)}),
    Known("aligned", ("bf16[M,N]{1,0}", "32"), "N % 16 == 0 or M == 1",
          lambda M, N: all(i * N * 2 % 32 == 0 for i in range(M)), {"M": SMALL, "N": range(1, 70)}),
    # relations
    Known("holds", ("M*N <= K",), "M*N <= K", lambda M, N, K: M * N <= K,
          {**MN, "K": range(1, 40)}),
    Known("holds", ("(i*N + j)//N == i",), "j < N",
          lambda i, j, N: (i * N + j) // N == i, {"i": SMALL, "j": range(12), "N": SMALL},
          {"where": ["j >= 0"]}),
    Known("holds", ("a//b*b == a",), "a % b == 0", lambda a, b: a // b * b == a,
          {"a": range(1, 30), "b": range(1, 30)}),
    Known("holds", ("ceildiv(N,8)*8 == N",), "N % 8 == 0", lambda N: ceil(N, 8) * 8 == N,
          {"N": range(1, 100)}),
    Known("holds", ("min(M,N) == M",), "M <= N", lambda M, N: min(M, N) == M, MN),
    Known("holds", ("M % 4 == M",), "M <= 3", lambda M: M % 4 == M, {"M": range(1, 60)}),
    # valid, inverse, disjoint
    Known("valid", (STEP,), "S >= N or M == 1",
          lambda M, N, S: apart(lambda i, j: i * S + j, M, N), MNS),
    Known("valid", (COLUMN,), "P >= M or N == 1",
          lambda M, N, P: apart(lambda i, j: i + j * P, M, N), MNP),
    Known("inverse", ("map i < M*N: (i//N, i%N) in (M,N)", "map a < M, b < K: a*K + b in M*K"),
          "N == K", lambda M, N, K: M * N == M * K and all(
              i // N * K + i % N == i for i in range(M * N)), {**MN, "K": SMALL}),
    Known("inverse", ("map i < N: N - 1 - i in N", "map i < M: M - 1 - i in M"), "N == M",
          lambda N, M: N == M, MN),
    Known("disjoint", ("map i < N: i", "map j < M: j + K"), "N <= K",
          lambda N, M, K: not set(range(N)) & {j + K for j in range(M)}, {**MN, "K": SMALL}),
    Known("disjoint", ("map i < N: 2*i", "map j < M: 2*j + K"), "K >= 2*N or K % 2 != 0",
          lambda N, M, K: not {2 * i for i in range(N)} & {2 * j + K for j in range(M)},
          {**MN, "K": range(1, 20)}),
    Known("disjoint", ("map i < M: i + M in N + M", "map j < N + M if j >= M: j - M in N"),
          "N <= M",
          lambda M, N: not {i + M for i in range(M)} & {j - M for j in range(M, N + M)}, MN),
    Known("disjoint", ("map i < M if i >= A: i", "map j < N if j < B: j + c"),
          "M <= c or M <= A or N + c <= A or B + c <= A",
          lambda M, A, N, B, c: not {*range(A, M)} & {j + c for j in range(min(N, B))},
          dict.fromkeys("MANBc", (1, 2, 4, 5))),
    # index functions: what they come to at the ends of their ranges, and of their guards
    Known("equal", ("map i < M: i*8//4", "map i < M: i*K"), "M == 1 or K == 2",
          lambda M, K: all(2 * i == i * K for i in range(M)), {"M": SMALL, "K": SMALL}),
    Known("equal", ("map i < M, j < N: i*P + j", "map i < M, j < N: i*N + j"),
          "P == N or M == 1", lambda M, N, P: P == N or M == 1, MNP),
    Known("bounded", ("map i < M if i >= A: i - A in N",), "M <= A + N",
          lambda M, A, N: all(i - A < N for i in range(A, M)), {**MN, "A": SMALL}),
    Known("bounded", ("map i < M if i + c < K: i + c in N",),
          "K <= N or K <= c or M + c <= N",
          lambda M, K, N, c: all(i + c < N for i in range(M) if i + c < K),
          {**MN, "K": SMALL, "c": SMALL}),
    Known("bounded", ("map p < ceildiv(M,B), l < B if p*B + l < M: p*B + l in N",), "M <= N",
          lambda M, B, N: all(p * B + k < N for p, k in box(ceil(M, B), B) if p * B + k < M),
          {**MN, "B": SMALL}),
    Known("bounded", ("map p < G, l < B if p*B + l < M: p*B + l in N",), "M <= N or B*G <= N",
          lambda M, B, G, N: all(p * B + k < N for p, k in box(G, B) if p * B + k < M),
          {**MN, "B": SMALL, "G": (1, 2, 3)}),
    Known("bijective", ("map p < ceildiv(M,B), l < B if p*B + l < M: p*B + l in N",), "M == N",
          lambda M, B, N: sorted(
              p * B + k for p, k in box(ceil(M, B), B) if p * B + k < M) == [*range(N)],
          {**MN, "B": SMALL}),
    Known("bijective", ("map p < G, l < B if p*B + l < M: p*B + l in M",), "B*G >= M",
          lambda M, B, G: {p * B + k for p, k in box(G, B)} >= {*range(M)},
          {"M": SMALL, "B": SMALL, "G": SMALL}),
    Known("bounded", ("map p < G, k < ceildiv(K,B), l < B: p*K + k*B + l in G*K",), "K % B == 0",
          lambda G, K, B: (G - 1) * K + ceil(K, B) * B <= G * K,
          {"G": SMALL, "K": SMALL, "B": SMALL}),
    Known("bounded", ("map p < G, q < H, a < A, b < B if p*A + a < M: (p*A + a, q*B + b) in (M,N)",),
          "B*H <= N", lambda G, H, A, B, M, N: H * B <= N,
          dict.fromkeys("GHABMN", (1, 2, 5))),
    Known("injective", ("map t < T: (t%32)*4 + t//32",), "T <= 128",
          lambda T: apart(lambda t: t % 32 * 4 + t // 32, T), {"T": range(1, 300, 7)}),
    Known("onto", ("map i < M: i//2 in N",), "ceildiv(M, 2) >= N",
          lambda M, N: {i // 2 for i in range(M)} >= {*range(N)}, MN),
    Known("onto", ("map i < M if i >= A: i - A in N",), "M >= A + N",
          lambda M, A, N: {i - A for i in range(A, M)} >= {*range(N)}, {**MN, "A": SMALL}),
    Known("onto", ("map i < M, j < N: i + j in K",), "M + N > K",
          lambda M, N, K: {i + j for i, j in box(M, N)} >= {*range(K)}, {**MN, "K": SMALL}),
    Known("onto", ("map p < G, l < B if p*B + l < M: p*B + l in M",), "B*G >= M",
          lambda M, B, G: {p * B + k for p, k in box(G, B)} >= {*range(M)},
          {"M": SMALL, "B": SMALL, "G": SMALL}),
    Known("bijective", ("map i < M, j < N: i + j*S in M*N",), "S == M or N == 1",
          lambda M, N, S: both(lambda i, j: i + j * S, M * N, M, N), MNS),
    Known("bijective", ("map i < M: i*S in M",), "M == 1 or S == 1",
          lambda M, S: both(lambda i: i * S, M, M), {"M": SMALL, "S": SMALL}),
    Known("bijective", ("map i < M, j < N: i*N + (j ^ 1) in M*N",), "N % 2 == 0",
          lambda M, N: both(lambda i, j: i * N + (j ^ 1), M * N, M, N), MN),
    Known("bijective", ("map i < N: i ^ 3 in N",), "N % 4 == 0",
          lambda N: both(lambda i: i ^ 3, N, N), {"N": range(1, 40)}),
    # CuTe: A o (ceildiv(M,4),N):4 is a layout of that shape where 4 divides the first mode
    Known("equal", ("map c < ceildiv(M,4)*N: (4*c)%M + (4*c)//M*M in M*N",
                    "((ceildiv(M,4),N)):((4,M))"), "M % 4 == 0 or N == 1",
          lambda M, N: same(lambda c: 4 * c,
                            lambda c: c % ceil(M, 4) * 4 + c // ceil(M, 4) * M, ceil(M, 4) * N),
          {"M": range(1, 20), "N": range(1, 6)}),
]  # fmt: skip
