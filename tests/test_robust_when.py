"""Exact conditions in the claim's own words, each compared with the claim in plain integers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest

import symlayout as sl

LIMIT = 6.0  # seconds for one condition, twice what the slowest takes on an idle processor


def once(values: Iterable[Any]) -> bool:
    """Whether no value comes twice."""
    rows = list(values)
    return len(set(rows)) == len(rows)


def fills(values: Iterable[int], size: int) -> bool:
    """Whether the values are all of [0, size)."""
    return set(range(size)) <= set(values)


def turns(values: Iterable[int], size: int) -> bool:
    """Whether the values are all of [0, size), each once."""
    return sorted(values) == list(range(size))


def ceildiv(a: int, b: int) -> int:
    return -(-a // b)


def alike(*pairs: tuple[Any, Any]) -> bool:
    return all(a == b for a, b in pairs)


def R(*ends: int) -> range:
    return range(*ends)


def strided(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> list[int]:
    places = product(*[range(d) for d in shape])
    return [offset + sum(s * x for s, x in zip(strides, p)) for p in places]


# word, arguments, facts, the condition, sizes that are looked at, what the claim means
Row = tuple[str, tuple[Any, ...], tuple[str, ...], str, dict[str, range], Callable[..., bool]]

RESIDUES: list[Row] = [
    ("injective", ("map r < 32: (r*P) % 32",), (), "P % 2 == 1", {"P": R(1, 99)},
     lambda P: once(r * P % 32 for r in range(32))),
    ("injective", ("map r < 2: (r*P) % 2",), (), "P % 2 == 1", {"P": R(1, 20)},
     lambda P: once(r * P % 2 for r in range(2))),
    ("injective", ("map r < 16: (r*P) % 32",), (), "P % 4 != 0", {"P": R(1, 99)},
     lambda P: once(r * P % 32 for r in range(16))),
    ("injective", ("map r < 4: (r*P) % 64",), (), "P % 32 != 0", {"P": R(1, 140)},
     lambda P: once(r * P % 64 for r in range(4))),
    ("injective", ("map r < 9: (r*P) % 9",), (), "P % 3 != 0", {"P": R(1, 40)},
     lambda P: once(r * P % 9 for r in range(9))),
    ("injective", ("map r < 1024: (r*(2*P + 3)) % 1024",), (), "always", {"P": R(1, 20)},
     lambda P: once(r * (2 * P + 3) % 1024 for r in range(1024))),
    ("injective", ("map r < 32: (r*(N + 1)) % 32",), (), "N % 2 == 0", {"N": R(1, 70)},
     lambda N: once(r * (N + 1) % 32 for r in range(32))),
    ("bijective", ("map r < 8: (r*P + 5) % 8 in 8",), (), "P % 2 == 1", {"P": R(1, 40)},
     lambda P: turns(((r * P + 5) % 8 for r in range(8)), 8)),
    ("bijective", ("map i < N: 3*i % N in N",), (), "N % 3 != 0", {"N": R(1, 60)},
     lambda N: turns((3 * i % N for i in range(N)), N)),
    ("onto", ("map i < N: 5*i % N in N",), (), "N % 5 != 0", {"N": R(1, 60)},
     lambda N: fills((5 * i % N for i in range(N)), N)),
    ("injective", ("map i < N: (7*i + 2) % N",), (), "N % 7 != 0", {"N": R(1, 60)},
     lambda N: once((7 * i + 2) % N for i in range(N))),
    ("injective", ("map t < T: (t*4) % 64",), (), "T <= 16", {"T": R(1, 70)},
     lambda T: once(t * 4 % 64 for t in range(T))),
    ("injective", ("map i < 3, j < 5: i*P + j*3",), (), "P >= 13 or P % 3 != 0", {"P": R(1, 60)},
     lambda P: once(i * P + j * 3 for i in range(3) for j in range(5))),
    ("injective", ("map i < 2, j < 7: i*P + j*5",), (), "P >= 31 or P % 5 != 0", {"P": R(1, 60)},
     lambda P: once(i * P + j * 5 for i in range(2) for j in range(7))),
]  # fmt: skip

COUNTS: list[Row] = [
    ("injective", ("map w < W, i < R: (w*R + i)%S",), (), "R*W <= S",
     {"W": R(1, 7), "R": R(1, 7), "S": R(1, 30)},
     lambda W, R, S: once((w * R + i) % S for w in range(W) for i in range(R))),
    ("injective", ("map w < W: w % S",), (), "W <= S", {"W": R(1, 30), "S": R(1, 30)},
     lambda W, S: once(w % S for w in range(W))),
    ("injective", ("map w < W, i < R, j < 3: ((w*R + i)*3 + j)%S",), (), "3*R*W <= S",
     {"W": R(1, 5), "R": R(1, 5), "S": R(1, 50)},
     lambda W, R, S: once(((w * R + i) * 3 + j) % S
                          for w in range(W) for i in range(R) for j in range(3))),
    ("injective", ("map i < P: 2*(i*32 + (j ^ (i%8)))%32",), ("0 <= j < 32", "P <= 64"), "P <= 8",
     {"P": R(1, 65), "j": R(0, 32, 5)},
     lambda P, j: once(2 * (i * 32 + (j ^ (i % 8))) % 32 for i in range(P))),
    ("injective", ("map i < P: (j ^ (i%4))",), ("0 <= j < 16", "P <= 16"), "P <= 4",
     {"P": R(1, 17), "j": R(0, 16)},
     lambda P, j: once(j ^ (i % 4) for i in range(P))),
    ("injective", ("map w < W: (w + 3) % S",), (), "W <= S", {"W": R(1, 30), "S": R(1, 30)},
     lambda W, S: once((w + 3) % S for w in range(W))),
]  # fmt: skip

TYPES: list[Row] = [
    ("fits", ("map a < A, b < B: a*B + b", 32), ("A <= 100000", "B <= 100000"), "A*B <= 2**31",
     {"A": R(1, 100001, 7919), "B": R(1, 100001, 7919)}, lambda A, B: A * B <= 2**31),
    ("fits", ("map a < A, b < B: a*B + b", 32), ("A <= 5000", "B <= 3000000"), "A*B <= 2**31",
     {"A": R(1, 5001, 499), "B": R(1, 3000001, 99991)}, lambda A, B: A * B <= 2**31),
    ("fits", ("map a < A: 12*a", 32), (), "A <= 178956971", {"A": R(178956960, 178956980)},
     lambda A: 12 * (A - 1) < 2**31),
    ("fits", ("map a < A: 12*a", 32), ("A <= 200000000",), "A <= 178956971",
     {"A": R(178956960, 178956980)}, lambda A: 12 * (A - 1) < 2**31),
    ("fits", ("map a < A: 3*a", 16), ("A <= 20000",), "A <= 10923", {"A": R(10900, 10950)},
     lambda A: 3 * (A - 1) < 2**15),
    ("fits", ("map a < A, b < B: a*B + b", 16), ("A <= 1000", "B <= 1000"), "A*B <= 32768",
     {"A": R(1, 1001, 37), "B": R(1, 1001, 37)}, lambda A, B: A * B <= 2**15),
]  # fmt: skip

DIVISIBLE: list[Row] = [
    ("onto", ("map n < N, cb < C//8, l < 8, h < H, w < W: (n, cb*8 + l, h, w) in (N, C, H, W)",),
     (), "C % 8 == 0", {"N": R(1, 3), "C": R(1, 40), "H": R(1, 3), "W": R(1, 3)},
     lambda N, C, H, W: {b * 8 + x for b in range(C // 8) for x in range(8)} >= set(range(C))),
    ("bounded", ("map n < N, h < H, w < W, c < C: (n, c//8, h, w, c%8) in (N, C//8, H, W, 8)",),
     (), "C % 8 == 0", {"N": R(1, 3), "C": R(1, 40), "H": R(1, 3), "W": R(1, 3)},
     lambda N, C, H, W: all(c // 8 < C // 8 for c in range(C))),
    ("onto", ("map i < C//4, j < 4: i*4 + j in C",), (), "C % 4 == 0", {"C": R(1, 40)},
     lambda C: fills((i * 4 + j for i in range(C // 4) for j in range(4)), C)),
    ("bounded", ("map c < C: (c//6, c%6) in (C//6, 6)",), (), "C % 6 == 0", {"C": R(1, 40)},
     lambda C: all(c // 6 < C // 6 for c in range(C))),
    ("bounded", ("map n < N, c < C: (n, c//16, c%16) in (N, C//16, 16)",), (), "C % 16 == 0",
     {"N": R(1, 3), "C": R(1, 70)}, lambda N, C: all(c // 16 < C // 16 for c in range(C))),
    ("equal", ("map n < N, c < C, x < X: (n*C + c)*X + x",
               "map n < N, c < C, x < X: ((n*(C//16) + c//16)*X + x)*16 + c%16"), (),
     "X == 1 and (N == 1 or C % 16 == 0)", {"N": R(1, 4), "C": R(1, 50), "X": R(1, 4)},
     lambda N, C, X: alike(*[((n * C + c) * X + x, ((n * (C // 16) + c // 16) * X + x) * 16 + c % 16)
                             for n in range(N) for c in range(C) for x in range(X)])),
    ("equal", ("map n < N, c < C: n*C + c", "map n < N, c < C: (n*(C//4) + c//4)*4 + c%4"), (),
     "C % 4 == 0 or N == 1", {"N": R(1, 6), "C": R(1, 20)},
     lambda N, C: alike(*[(n * C + c, (n * (C // 4) + c // 4) * 4 + c % 4)
                          for n in range(N) for c in range(C)])),
    ("equal", ("map i < n, j < b: i*b + j",
               "map i < n, j < b: i*(ceildiv(b*s,32)*32//s) + j"), ("32 % s == 0",),
     "b*s % 32 == 0 or n == 1", {"n": R(1, 4), "b": R(1, 40), "s": R(1, 33)},
     lambda n, b, s: n == 1 or b == ceildiv(b * s, 32) * 32 // s),
    ("equal", ("map i < n, j < b: i*b + j",
               "map i < n, j < b: i*(ceildiv(b*s,8)*8//s) + j"), ("8 % s == 0",),
     "b*s % 8 == 0 or n == 1", {"n": R(1, 4), "b": R(1, 30), "s": R(1, 9)},
     lambda n, b, s: n == 1 or b == ceildiv(b * s, 8) * 8 // s),
    ("equal", ("map w < W, k < K: (w*K + k)//S%2", "map w < W, k < K: k//S%2"), (),
     "K % (2*S) == 0 or K*W <= S or W == 1", {"W": R(1, 7), "K": R(1, 14), "S": R(1, 9)},
     lambda W, K, S: alike(*[((w * K + k) // S % 2, k // S % 2)
                             for w in range(W) for k in range(K)])),
    ("equal", ("map w < W, k < K: (w*K + k)//S%3", "map w < W, k < K: k//S%3"), (),
     "K*W <= S or K % (3*S) == 0 or W == 1", {"W": R(1, 6), "K": R(1, 14), "S": R(1, 6)},
     lambda W, K, S: alike(*[((w * K + k) // S % 3, k // S % 3)
                             for w in range(W) for k in range(K)])),
]  # fmt: skip

EQUALITIES: list[Row] = [
    ("equal", ("f32[N,C,H,W]{1,3,2,0}", "f32[N,C,H,W]{3,2,1,0}"), (), "H*W == 1 or C == 1",
     {"N": R(1, 3), "C": R(1, 4), "H": R(1, 4), "W": R(1, 4)},
     lambda N, C, H, W: alike(*[(((n * H + h) * W + w) * C + c, ((n * C + c) * H + h) * W + w)
                                for n in range(N) for c in range(C)
                                for h in range(H) for w in range(W)])),
    ("equal", ("map i < A: i*a*b", "map i < A: i"), (), "a*b == 1 or A == 1",
     {"A": R(1, 6), "a": R(1, 6), "b": R(1, 6)},
     lambda A, a, b: alike(*[(i * a * b, i) for i in range(A)])),
    ("equal", ("map i < A: i*a*b*c", "map i < A: i"), (), "a*b*c == 1 or A == 1",
     {"A": R(1, 5), "a": R(1, 4), "b": R(1, 4), "c": R(1, 4)},
     lambda A, a, b, c: alike(*[(i * a * b * c, i) for i in range(A)])),
    ("equal", ("map j < n if j >= c: j", "map j < n: j"), ("c >= 0",), "c == 0",
     {"n": R(1, 9), "c": R(0, 9)}, lambda n, c: {*range(c, n)} == {*range(n)}),
    ("equal", ("map j < n if j < c: j", "map j < n: j"), (), "n <= c",
     {"n": R(1, 9), "c": R(1, 12)}, lambda n, c: {*range(min(n, c))} == {*range(n)}),
    ("equal", ("map j < n: j", "map j < n if j != c: j"), ("c >= 0",), "n <= c",
     {"n": R(1, 9), "c": R(0, 12)}, lambda n, c: c not in range(n)),
    ("equal", ("map i < n, j < m if i >= c: i*m + j", "map i < n, j < m: i*m + j"), ("c >= 0",),
     "c == 0", {"n": R(1, 6), "m": R(1, 4), "c": R(0, 6)}, lambda n, m, c: c == 0),
]  # fmt: skip

STRIDED: list[Row] = [
    ("aligned", ("strided bf16[M,K] strides(S,1) offset F", 16), (),
     "F % 8 == 0 and (M == 1 or S % 8 == 0)",
     {"M": R(1, 4), "K": R(1, 3), "S": R(1, 26), "F": R(1, 26)},
     lambda M, K, S, F: all((F + m * S) * 2 % 16 == 0 for m in range(M))),
    ("aligned", ("strided f32[M,K] strides(S,1) offset F", 32), (),
     "F % 8 == 0 and (M == 1 or S % 8 == 0)",
     {"M": R(1, 4), "K": R(1, 3), "S": R(1, 26), "F": R(1, 26)},
     lambda M, K, S, F: all((F + m * S) * 4 % 32 == 0 for m in range(M))),
    ("aligned", ("strided s8[M,K] strides(S,1) offset F", 4), (),
     "F % 4 == 0 and (M == 1 or S % 4 == 0)",
     {"M": R(1, 4), "K": R(1, 3), "S": R(1, 26), "F": R(1, 26)},
     lambda M, K, S, F: all((F + m * S) % 4 == 0 for m in range(M))),
    ("aligned", ("strided bf16[N,M,K] strides(T,S,1) offset F", 16), (),
     "F % 8 == 0 and (N == 1 or T % 8 == 0) and (M == 1 or S % 8 == 0)",
     {"N": R(1, 3), "M": R(1, 3), "K": R(1, 2), "T": R(1, 18), "S": R(1, 18), "F": R(8, 17)},
     lambda N, M, K, T, S, F: all((F + n * T + m * S) * 2 % 16 == 0
                                  for n in range(N) for m in range(M))),
    ("bijective", ("strided f32[U,V] strides(S,1) offset 38",), (), "never",
     {"U": R(1, 5), "V": R(1, 5), "S": R(1, 9)},
     lambda U, V, S: turns(strided((U, V), (S, 1), 38), 38 + (U - 1) * S + V)),
    ("bijective", ("strided f32[U,V] strides(S,1) offset 0",), (), "S == V or U == 1",
     {"U": R(1, 5), "V": R(1, 5), "S": R(1, 9)},
     lambda U, V, S: turns(strided((U, V), (S, 1), 0), (U - 1) * S + V)),
    ("bijective", ("map r < 32, c < W: r*W + (c ^ (8*(r%32))) in 32*W",), (), "W % 256 == 0",
     {"W": R(1, 520, 3)},
     lambda W: turns((r * W + (c ^ (8 * (r % 32))) for r in range(32) for c in range(W)), 32 * W)),
    ("bijective", ("map r < 16, c < W: r*W + (c ^ r) in 16*W",), (), "W % 16 == 0", {"W": R(1, 70)},
     lambda W: turns((r * W + (c ^ r) for r in range(16) for c in range(W)), 16 * W)),
    ("bijective", ("map r < 8, c < W: r*W + (c ^ (4*(r%4))) in 8*W",), (), "W % 16 == 0",
     {"W": R(1, 70)},
     lambda W: turns((r * W + (c ^ (4 * (r % 4))) for r in range(8) for c in range(W)), 8 * W)),
]  # fmt: skip

ROWS = [*RESIDUES, *COUNTS, *TYPES, *DIVISIBLE, *EQUALITIES, *STRIDED]


def truth(relations: list[list[str]], sizes: dict[str, int]) -> bool:
    env = {**sizes, "ceildiv": ceildiv, "min": min, "max": max}
    return any(all(eval(r, {}, env) for r in term) for term in relations)


@pytest.mark.parametrize(
    ("word", "args", "facts", "text", "ranges", "meaning"),
    ROWS,
    ids=[f"{row[0]} {row[1][0]}" for row in ROWS],
)
def test_the_condition_is_exact_and_what_the_claim_means(
    word: str,
    args: tuple[Any, ...],
    facts: tuple[str, ...],
    text: str,
    ranges: dict[str, range],
    meaning: Callable[..., bool],
) -> None:
    start = time.process_time()
    condition = getattr(sl.when, word)(*args, where=list(facts))
    spent = time.process_time() - start
    assert (condition.exact, condition.text) == (True, text)
    assert spent < LIMIT
    for row in product(*ranges.values()):
        sizes = dict(zip(ranges, row))
        if all(holds(f, sizes) for f in facts):
            assert truth(condition.relations, sizes) == meaning(**sizes), sizes


def holds(fact: str, sizes: dict[str, int]) -> bool:
    return bool(eval(fact, {}, sizes))
