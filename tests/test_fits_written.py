"""`fits` of maps: the expression as written, in C's types, against values computed one by one."""

from __future__ import annotations

import json
import time

import pytest

from symlayout import LayoutError, index_map, prove, recheck

REALISTIC = ["R <= 1048576", "C <= 8192"]

LARGEST = 2**31 - 1


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("text", "where", "status"),
    [
        ("map r < R, c < C: r*C + c", REALISTIC, "refuted"),
        ("map r < R, c < C: int64(r)*C + c", REALISTIC, "proved"),
        ("map r < R, c < C: size_t(r)*C + c", REALISTIC, "proved"),
        ("map r < R, c < C: int64(r*C) + c", REALISTIC, "refuted"),  # widened too late
        ("map r < R, c < C: q = int64(r); q*C + c", REALISTIC, "proved"),
        ("map r < R, c < C: q = r*C; int64(q) + c", REALISTIC, "refuted"),
        ("map r < R, c < C: int32(int64(r)*C)", REALISTIC, "refuted"),
        ("map i < N: uint32(i) - 1", ["N <= 9"], "refuted"),
        ("map i < N: uint32(i) + 1", ["N <= 9"], "proved"),
        ("map i < N: uint32(0) - i", ["N <= 9"], "refuted"),
        ("map i < N: i - 1u", ["N <= 9"], "refuted"),
        ("map i < N: 0 if i < 1 else i - 1u", ["N <= 9"], "proved"),
        ("map i < N if i > 0: i - 1u", ["N <= 9"], "proved"),
        ("map i < N: i", [], "refuted"),  # nothing bounds N
        ("map i < N: i", [f"N <= {LARGEST}"], "proved"),
        ("map i < N: i + 1", [f"N <= {LARGEST}"], "proved"),
        ("map i < N: i + 2", [f"N <= {LARGEST}"], "refuted"),
        ("map i < N: i*i if i < 40000 else 0", ["N <= 1000000000"], "proved"),
        ("map i < N: i*i if i < 50000 else 0", ["N <= 1000000000"], "refuted"),
        ("map i < N: i << 40", ["N <= 9"], "refuted"),
        ("map i < N: int64(i) << 40", ["N <= 9"], "proved"),
        ("map i < N: i + 3000000000", ["N <= 9"], "proved"),  # the number is 64 bits wide
        ("map i < N: -2147483648 + i", ["N <= 9"], "proved"),
        ("map i < N: 5 // (i - 3)", ["N <= 9"], "refuted"),
        ("map i < N, j < i + 1: i*(i + 1)//2 + j", ["N <= 40000"], "proved"),
        ("map i < N, j < i + 1: i*(i + 1)//2 + j", ["N <= 80000"], "refuted"),
        (
            "map b < ceildiv(n, B), t < B if b*B + t < n: b*B + t",
            ["n <= 1000000000", "B <= 9"],
            "proved",
        ),
        ("map r < R, c < 64: r*64 + ((c//8) ^ (r%8))*8 + c%8", ["R <= 1000000"], "proved"),
        ("map i < N - 4: i", ["N <= 9"], "refuted"),  # the extent is negative at N = 1
        ("map i < N: i", ["N >= 3", "N <= 2"], "vacuous"),
    ],
)
def test_verdicts(text: str, where: list[str], status: str) -> None:
    start = time.perf_counter()
    verdict = prove.fits(text, where=where)
    assert verdict.status == status, verdict
    assert time.perf_counter() - start < 5


def test_with_bits_every_part_is_as_wide() -> None:
    where = ["R <= 1048576", "C <= 8192"]
    assert prove.fits("map r < R, c < C: r*C + c", 32, where=where).refuted
    assert prove.fits("map r < R, c < C: r*C + c", "35", where=where).proved
    assert prove.fits("map r < R, c < C: int64(r)*C + c", 32, where=where).refuted


def test_sizes_of_a_counterexample_are_realistic() -> None:
    found = prove.fits("map r < R, c < C: r*C + c").counterexample
    assert found is not None
    assert all(100 < s < 10**6 for s in found.sizes.values())
    assert found.left > LARGEST == found.right


def test_unsigned_values_may_wrap_where_that_is_said() -> None:
    text = "map i < N: (uint32(i) - 1) & 7"
    assert prove.fits(text, where="N <= 9").refuted
    assert prove.fits(text, where="N <= 9", wraps="ok").proved
    assert prove.fits("map i < N: int64(uint32(i) - 1)*4", where="N <= 9", wraps="ok").proved
    assert prove.fits("map i < N: int32(uint32(i) - 1)", where="N <= 9", wraps="ok").refuted
    with pytest.raises(LayoutError, match="wraps"):
        prove.fits(text, wraps="no")


def test_a_traced_function_is_judged_as_code_computes_it() -> None:
    f = index_map(lambda r, c: r * 8192 + c, {"r": "R", "c": 8192})
    assert prove.fits(f, where="R <= 262144").proved
    assert prove.fits(f, where="R <= 262145").refuted


def test_layouts_need_a_width() -> None:
    with pytest.raises(LayoutError, match="number of bits"):
        prove.fits("f32[M,N]{1,0}")
    with pytest.raises(LayoutError, match="types and wrapping"):
        prove.fits("f32[M,N]{1,0}", 32, wraps="ok")


def test_what_takes_too_many_steps_is_unknown_within_seconds() -> None:
    """Grouped tiles of grouped experts, each of blocks: the proof is given up by what it looks at."""
    text = (
        "map pid < E*ceildiv(M, BM)*ceildiv(N, BN), i < BM, j < BN: "
        "t = ceildiv(M, BM)*ceildiv(N, BN); e = pid//t; r = pid%t; gn = G*ceildiv(N, BN); "
        "first = r//gn*G; w = min(ceildiv(M, BM) - first, G); m = first + r%gn%w; n = r%gn//w; "
        "int64(e)*stride + (m*BM + i)*N + n*BN + j"
    )
    limits = {"M": 1024, "N": 1024, "G": 64, "E": 128, "stride": 2**20, "BM": 128, "BN": 128}
    start = time.process_time()
    verdict = prove.fits(text, where=[f"{n} <= {k}" for n, k in limits.items()])
    assert verdict.status in ("proved", "unknown")
    assert time.process_time() - start < 5


EXPERTS = (
    "map pid < E*T: e = pid//T; t = pid%T; g = t//(G*N); first = g*G; w = min(M - first, G);"
    " (e, first + t%(G*N)%w, t%(G*N)//w)"
)

BLOCKED = (
    "map pid < E*ceildiv(M, BM)*ceildiv(N, BN), i < BM: t = ceildiv(M, BM)*ceildiv(N, BN);"
    " r = pid%t; gn = G*ceildiv(N, BN); first = r//gn*G; w = min(ceildiv(M, BM) - first, G);"
    " (first + r%gn%w)*BM + i"
)

SMALL = ["E <= 64", "M <= 4096", "N <= 4096", "BM <= 256", "BN <= 256", "G <= 16"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (EXPERTS, ["T == M*N", f"E*M*N <= {LARGEST}", f"G*N <= {LARGEST}"]),
        (BLOCKED, SMALL),
    ],
)
def test_tiles_in_groups_of_several_experts(text: str, where: list[str]) -> None:
    """The last group of an expert is shorter: what it is divided by is at least 1."""
    verdict = prove.fits(text, where=where)
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer.failures


def test_tiles_of_blocks_below_a_guard() -> None:
    text = (
        "map e < E, p < ceildiv(M, 128), q < ceildiv(N, 128), i < 128, j < 128"
        " if p*128 + i < M and q*128 + j < N: (e*M + p*128 + i)*N + q*128 + j"
    )
    assert prove.fits(text, where=[f"E*M*N <= {LARGEST}"]).proved


def test_a_corner_is_looked_at_before_all_points() -> None:
    """Where there are no sizes: more points than are looked at one by one stay inside."""
    verdict = prove.fits("map i < 100000, j < 100000: i*j")
    assert verdict.refuted
    assert verdict.counterexample.coords == (99999, 99999)


def test_a_conditional_of_c_is_named() -> None:
    verdict = prove.fits("map i < N: int32(i < 3 ? int64(i) : 3000000000)", where="N <= 9")
    assert verdict.refuted
    assert "(... ? int64(i) : 3000000000) is 3000000000" in verdict.reason
