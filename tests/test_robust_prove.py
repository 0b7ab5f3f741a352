"""Products modulo numbers are proved by residues; false claims are refuted, however large."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from itertools import product
from math import gcd
from typing import Any

import pytest

import symlayout as sl

LIMIT = 2.0  # seconds for one verdict, twice what the slowest takes on an idle processor


def once(values: Iterable[Any]) -> bool:
    """Whether no value comes twice."""
    rows = list(values)
    return len(set(rows)) == len(rows)


def turns(values: Iterable[int], size: int) -> bool:
    """Whether the values are all of [0, size), each once."""
    return sorted(values) == list(range(size))


def ceildiv(a: int, b: int) -> int:
    return -(-a // b)


def R(*ends: int) -> range:
    return range(*ends)


# word, argument, facts, sizes that are looked at, what the claim means
Row = tuple[str, str, tuple[str, ...], dict[str, range], Callable[..., bool]]

PROVED: list[Row] = [
    ("injective", "map r < 32: (r*P) % 32", ("P % 2 == 1",), {"P": R(1, 99)},
     lambda P: once(r * P % 32 for r in range(32))),
    ("injective", "map r < 32: (r*P) % 32", ("P % 32 == 3",), {"P": R(1, 140)},
     lambda P: once(r * P % 32 for r in range(32))),
    ("injective", "map r < 32: (r*(N+1)) % 32", ("N % 2 == 0",), {"N": R(1, 99)},
     lambda N: once(r * (N + 1) % 32 for r in range(32))),
    ("injective", "map r < 32: (r*(N-1)) % 32", ("N % 2 == 0",), {"N": R(1, 99)},
     lambda N: once(r * (N - 1) % 32 for r in range(32))),
    ("injective", "map r < 16: (r*P) % 32", ("P % 4 != 0",), {"P": R(1, 99)},
     lambda P: once(r * P % 32 for r in range(16))),
    ("injective", "map r < 8: (r*P) % 64", ("P % 16 != 0",), {"P": R(1, 140)},
     lambda P: once(r * P % 64 for r in range(8))),
    ("injective", "map r < 1024: (r*P) % 1024", ("P % 2 == 1",), {"P": R(1, 30)},
     lambda P: once(r * P % 1024 for r in range(1024))),
    ("injective", "map r < 9: (r*P) % 9", ("P % 3 != 0",), {"P": R(1, 40)},
     lambda P: once(r * P % 9 for r in range(9))),
    ("injective", "map r < 7: (r*P + 3) % 7", ("P % 7 != 0",), {"P": R(1, 40)},
     lambda P: once((r * P + 3) % 7 for r in range(7))),
    ("injective", "map r < 12: (r*P) % 12", ("P % 3 != 0", "P % 2 == 1"), {"P": R(1, 60)},
     lambda P: once(r * P % 12 for r in range(12))),
    ("injective", "map r < 4: (r*P*Q) % 4", ("P % 2 == 1", "Q % 2 == 1"),
     {"P": R(1, 12), "Q": R(1, 12)}, lambda P, Q: once(r * P * Q % 4 for r in range(4))),
    ("bijective", "map r < 32: (r*P) % 32 in 32", ("P % 2 == 1",), {"P": R(1, 99)},
     lambda P: turns((r * P % 32 for r in range(32)), 32)),
    ("bijective", "map i < N: 3*i % N in N", ("N % 3 != 0",), {"N": R(1, 60)},
     lambda N: turns((3 * i % N for i in range(N)), N)),
    ("bijective", "map i < N: (5*i + 2) % N in N", ("N % 5 != 0",), {"N": R(1, 60)},
     lambda N: turns(((5 * i + 2) % N for i in range(N)), N)),
    ("injective", "map i < N: 6*i % N", ("N % 2 != 0", "N % 3 != 0"), {"N": R(1, 60)},
     lambda N: once(6 * i % N for i in range(N))),
    ("bijective", "map r < 16, i < N: i*16 + (r*(2*P+1) + i) % 16 in 16*N", (),
     {"P": R(1, 20), "N": R(1, 5)},
     lambda P, N: turns((i * 16 + (r * (2 * P + 1) + i) % 16
                         for r in range(16) for i in range(N)), 16 * N)),
    ("injective", "map i < N, j < 8: (j*P % 8, 2*i % N)", ("N % 2 != 0", "P % 2 != 0"),
     {"N": R(1, 12), "P": R(1, 12)},
     lambda N, P: once((j * P % 8, 2 * i % N) for i in range(N) for j in range(8))),
    ("injective", "map t < 8, i < N: i*32 + (t*6)%32", (), {"N": R(1, 5)},
     lambda N: once(i * 32 + t * 6 % 32 for t in range(8) for i in range(N))),
    ("injective", "map i < 3, j < N: i*P + j*3", ("P % 3 != 0",), {"N": R(1, 9), "P": R(1, 40)},
     lambda N, P: once(i * P + j * 3 for i in range(3) for j in range(N))),
    ("injective", "map i < 2, j < N: i*P + j*4 + 5", ("P % 4 != 0",), {"N": R(1, 9), "P": R(1, 40)},
     lambda N, P: once(i * P + j * 4 + 5 for i in range(2) for j in range(N))),
    ("injective", "map t < 32: (t*P) % 32", ("gcd(P, 32) == 1",), {"P": R(1, 99)},
     lambda P: once(t * P % 32 for t in range(32))),
    ("injective", "map t < 16: (t*P) % 32", ("gcd(P, 32) <= 2",), {"P": R(1, 99)},
     lambda P: once(t * P % 32 for t in range(16))),
    ("injective", "map t < T: (t*P) % 32", ("T*gcd(P, 32) <= 32",), {"T": R(1, 34), "P": R(1, 66)},
     lambda T, P: once(t * P % 32 for t in range(T))),
]  # fmt: skip


def holds(fact: str, sizes: dict[str, int]) -> bool:
    return bool(eval(fact, {"gcd": gcd}, sizes))


@pytest.mark.parametrize(
    ("word", "text", "facts", "ranges", "meaning"),
    PROVED,
    ids=[f"{w} {t} {' '.join(f)}" for w, t, f, *_ in PROVED],
)
def test_products_modulo_a_number_are_proved_with_a_certificate(
    word: str,
    text: str,
    facts: tuple[str, ...],
    ranges: dict[str, range],
    meaning: Callable[..., bool],
) -> None:
    start = time.process_time()
    verdict = getattr(sl.prove, word)(text, where=list(facts))
    assert time.process_time() - start < LIMIT
    assert verdict.proved
    assert sl.recheck(verdict.certificate).ok
    seen = 0
    for row in product(*ranges.values()):
        sizes = dict(zip(ranges, row))
        if all(holds(f, sizes) for f in facts):
            seen += 1
            assert meaning(**sizes), sizes
    assert seen


# the same without what makes them true
FALSE: list[tuple[str, str, tuple[str, ...]]] = [
    ("injective", "map r < 32: (r*P) % 32", ("P % 4 != 0",)),
    ("injective", "map r < 17: (r*P) % 32", ("P % 4 != 0",)),
    ("injective", "map r < 32: (r*(N+1)) % 32", ("N % 2 == 1",)),
    ("injective", "map r < 9: (r*P) % 9", ("P % 9 != 0",)),
    ("bijective", "map i < N: 3*i % N in N", ("N % 2 == 1",)),
    ("injective", "map i < N: 6*i % N", ("N % 2 != 0",)),
    ("injective", "map i < 3, j < N: i*P + j*3", ("P >= 1",)),
    ("injective", "map t < T: (t*P) % 32", ("T*gcd(P, 32) <= 33",)),
    ("holds", "gcd(M, N) >= 2", ()),
]
# false only where sizes or coordinates are large
LARGE: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("fits", ("map x < 48*8388608 if 32 <= x//8388608 < 40: 33554432 + x%8388608"
              " + 67108864*(-32) + 67108864*(x//8388608)",), ()),
    ("fits", ("map i < 100000 if i % 65536 == 65535: i*i",), ()),
    ("fits", ("map i < 100000 if i//50000 == 1: i*i",), ()),
    ("fits", ("map i < 65536, j < 65536 if i*j >= 2147483648: i*j",), ()),
    ("fits", ("map b < ceildiv(n, R), i < R: R*b + i",), ("R <= 32", "n <= 2147483647")),
    ("fits", ("map b < ceildiv(n, R), i < R: R*b + i",), ("R <= 32", "n <= 2147483640")),
    ("fits", ("map b < ceildiv(n, 96), i < 96: 96*b + i",), ("n <= 2147483647",)),
    ("fits", ("map i < n, j < m: i*m + j",), ("n <= 3000000", "m <= 716")),
    ("holds", ("i*N + j <= 2147483647",),
     ("M <= 65536", "N <= 65536", "0 <= i", "i < M", "0 <= j", "j < N")),
    ("holds", ("ceildiv(n, R)*R <= 2147483647",), ("R <= 64", "n <= 2147483647")),
    ("holds", ("n*m < 2147483648",), ("n <= 46341", "m <= 46341")),
    ("injective", ("map b < B, i < 1073741824: (b*1073741824 + i) % 4294967296",), ("B >= 5",)),
    ("injective", ("map i < 2147483648, j < 2: i + j*2147483647",), ()),
    ("injective", ("map i < 2147483648: i % 2147483647",), ()),
    ("injective", ("map i < 2147483648: (3*i) % 2147483647",), ()),
    ("injective", ("map i < 4294967296: (i*2) % 8589934590",), ()),
    ("injective", ("map i < n: i % 5000000",), ("n <= 6000000",)),
    ("bounded", ("map i < n, j < 3: i*3 + j in 17999999",), ("n <= 6000000",)),
    ("equal", ("map i < 1099511627776: i//3", "map i < 1099511627776: i//4"), ()),
    ("equal", ("map i < 1099511627776: i % 1099511627775", "map i < 1099511627776: i"), ()),
    ("equal", ("map i < 1099511627776: min(i, 1099511627774)", "map i < 1099511627776: i"), ()),
    ("equal", ("map i < 1099511627776 if i != 77777777777: i", "map i < 1099511627776: i"), ()),
    ("equal", ("map i < 2**33: i//7*7 + i%8", "map i < 2**33: i"), ()),
    ("equal", ("map i < n: i", "map i < n: i % 1000003"), ()),
    ("equal", ("map i < n: i", "map i < n: min(i, 5000000)"), ("n <= 6000000",)),
    ("disjoint", ("map i < 1073741824: i", "map j < 1073741824: j + 1073741823"), ()),
    ("disjoint", ("map i < n: i", "map j < n: j + 5999999"), ("n <= 6000000",)),
    ("inverse", ("map i < 2147483648: i + 1", "map 1 <= j < 2147483650: j - 1"), ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "args", "facts"),
    [*[(w, (t,), f) for w, t, f in FALSE], *LARGE],
    ids=lambda x: x if isinstance(x, str) else " ".join(x),
)
def test_false_claims_are_refuted_however_large(
    word: str, args: tuple[str, ...], facts: tuple[str, ...]
) -> None:
    start = time.process_time()
    verdict = getattr(sl.prove, word)(*args, where=list(facts))
    assert time.process_time() - start < LIMIT
    assert verdict.refuted
    sizes = verdict.counterexample.sizes
    names = {"gcd": gcd, "ceildiv": ceildiv}
    assert all(eval(f, names, sizes) for f in facts)


# true ones beside them stay proved
TRUE: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("fits", ("map b < ceildiv(n, 128), i < 128: 128*b + i",), ("n <= 2147483647",)),
    ("fits", ("map i < n: i*i",), ("n <= 46341",)),
    ("injective", ("map i < 2147483648: i % 2147483648",), ()),
    ("inverse", ("map i < 2147483648: i + 1", "map 1 <= j < 2147483649: j - 1"), ()),
    ("equal", ("map i < 2**33: i//7*7 + i%7", "map i < 2**33: i"), ()),
    ("bounded", ("map i < 1073741824: i*4 in 4294967293",), ()),
]


@pytest.mark.parametrize(("word", "args", "facts"), TRUE, ids=lambda x: str(x))
def test_true_claims_of_that_size_are_proved(
    word: str, args: tuple[str, ...], facts: tuple[str, ...]
) -> None:
    assert getattr(sl.prove, word)(*args, where=list(facts)).proved


# what has no place, or one, or a size of 0
EDGES: list[tuple[str, tuple[str, ...], tuple[str, ...], str]] = [
    ("injective", ("map t < T: (t*P) % 32",), ("T == 1",), "proved"),
    ("injective", ("map t < T: (t*P) % 32",), ("T >= 0", "T == 0"), "proved"),
    ("injective", ("map t < 32: (t*P) % 32",), ("P >= 0", "P == 0"), "refuted"),
    ("injective", ("map t < 32: (t*P) % 32",), ("P >= 0", "P % 2 == 1"), "proved"),
    ("injective", ("map t < 32: (t*P) % 32",), ("P >= -9", "P <= 0"), "refuted"),
    ("injective", ("map t < 1: (t*P) % 32",), (), "proved"),
    ("injective", ("map t < 32: (t*P) % 1",), (), "refuted"),
    ("injective", ("map i < N: 3*i % N",), ("N == 1",), "proved"),
    ("injective", ("map i < N: 3*i % (N - 1)",), (), "refuted"),
    ("injective", ("map -16 <= t < 16: (t*P) % 32",), ("P % 2 == 1",), "proved"),
    ("injective", ("map -17 <= t < 16: (t*P) % 32",), ("P % 2 == 1",), "refuted"),
    ("equal", ("map i < n if i >= n: i", "map i < n if i > n: i"), (), "proved"),
    ("holds", ("gcd(0, 0) == 0",), (), "proved"),
    ("holds", ("gcd(8*M + 4, 32) == 4",), ("M >= -5",), "proved"),
    ("holds", ("gcd(6*M + 3, 4) == 1",), ("M >= -5",), "proved"),
    ("holds", ("gcd(M, N) == gcd(N, M)",), (), "proved"),
    ("holds", ("gcd(M - 3, 4) >= 2",), (), "refuted"),
]


@pytest.mark.parametrize(("word", "args", "facts", "status"), EDGES, ids=lambda x: str(x))
def test_edges_have_the_status_that_they_mean(
    word: str, args: tuple[str, ...], facts: tuple[str, ...], status: str
) -> None:
    assert getattr(sl.prove, word)(*args, where=list(facts)).status == status
