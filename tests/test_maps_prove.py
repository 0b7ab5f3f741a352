"""Claims about index functions: schedules, guards, exclusive ors; random ones against brute force."""

from __future__ import annotations

import json
from itertools import product

import pytest
from soundness import maps

from symlayout import LayoutError, prove, recheck

GROUPED = (
    "map pid < M*N: first = pid//(G*N)*G; width = min(M - first, G); "
    "(first + pid%(G*N)%width, pid%(G*N)//width) in (M, N)"
)

GUARDED = "map b < ceildiv(n, B), t < B if b*B + t < n: b*B + t in n"

SWIZZLED = "map r < R, c < 64: r*64 + ((c//8) ^ (r%8))*8 + c%8 in R*64"

SERPENTINE = "map i < M, j < N: (i, j if i % 2 == 0 else N - 1 - j) in (M, N)"

EVEN_ODD = "map i < N: i % 2 == 0 ? i/2 : (N - 1) - i/2 in N"


@pytest.mark.parametrize(
    "text", [GROUPED, GROUPED.replace("G", "8"), GUARDED, SWIZZLED, SERPENTINE, EVEN_ODD]
)
def test_schedules_reach_every_place_once(text: str) -> None:
    verdict = prove.bijective(text)
    assert verdict.proved, verdict
    answer = recheck(json.loads(json.dumps(verdict.certificate)))
    assert answer.ok, answer


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        (GROUPED.replace("min(M - first, G)", "G"), {"M": 1, "N": 2, "G": 2}),
        (GUARDED.replace("< n:", "< n - 1:"), {"n": 1, "B": 1}),
        (SWIZZLED.replace("64", "56"), {"R": 2}),
        (SERPENTINE.replace("N - 1 - j", "N - j"), {"M": 2, "N": 1}),
        (EVEN_ODD.replace("(N - 1)", "N"), {"N": 2}),
        ("map i < N, j < i if i > 5: (j, 0) in (N, 1)", {"N": 1}),
        ("map i < N: (0//(i - 3), i) in (1, N)", {"N": 4}),
        ("map i < N - 2: (i, 0) in (N - 2, 1)", {"N": 1}),
    ],
)
def test_one_thing_wrong_has_the_smallest_counterexample(text: str, sizes: dict[str, int]) -> None:
    verdict = prove.bijective(text)
    assert verdict.counterexample is not None, verdict
    assert verdict.counterexample.sizes == sizes


def test_a_guard_that_is_never_true_leaves_an_empty_domain() -> None:
    text = "map i < N if i < 0: (i, i) in (3, 4)"
    assert prove.injective(text).proved
    assert prove.bounded(text).proved
    assert prove.onto(text).refuted
    assert prove.bijective("map i < N if i < 0: (i, i) in (0, 4)").proved


def test_what_is_not_evaluated_does_not_have_to_have_a_value() -> None:
    assert prove.bounded("map i < N: (0//k if k != 0 else 0) in 1", where="k >= 0").proved
    assert prove.bounded("map i < N if k != 0 and i//k >= 0: 0 in 1", where="k >= 0").status in (
        "proved",
        "unknown",
    )
    assert prove.bounded("map i < N: (0//k if i >= 0 else 0) in 1", where="k >= 0").refuted
    assert prove.bounded("map i < N: x = 0//k; (0, 0) in (1, 1)", where="k >= 0").refuted


def test_divisions_that_cancel_are_undefined_all_the_same() -> None:
    text = "map i < N: (i//k if i >= 0 else 0) - i//k in 1"
    assert prove.bounded(text).proved
    assert prove.bounded(text, where="k >= 0").refuted


def test_both_languages_on_negative_values() -> None:
    assert prove.bounded("map -8 <= i < 8: (i//4 + 2, i%4) in (4, 4)").proved
    assert prove.bounded("map -8 <= i < 8: (i/4 + 2, i%4) in (4, 4)").refuted


def test_claims_about_boxes_ask_for_one() -> None:
    for word in ("bounded", "onto", "bijective"):
        with pytest.raises(LayoutError, match="in SIZE"):
            getattr(prove, word)("map i < N: i")
    assert prove.injective("map i < N: 2*i").proved
    assert prove.bounded("map i < N: 2*i", "2*N").proved


@pytest.mark.explore
def test_random_maps_against_brute_force() -> None:
    statuses, unsound = maps.run(40, seed=5)
    assert unsound == []
    assert statuses["proved"] >= 5
    assert statuses["refuted"] >= 5


def test_a_mistake_of_tiles_of_a_given_size_is_found_behind_one_tile() -> None:
    facts = ["32 <= B <= 64", "M <= 4096", "N <= 4096", "G <= 8"]
    text = (
        "map p < ceildiv(M, B)*ceildiv(N, B), i < B if p//(G*ceildiv(N, B))*G*B + p%G*B + i < M: "
        "(p//(G*ceildiv(N, B))*G*B + p%G*B + i, p%(G*ceildiv(N, B))//G) in (M, ceildiv(N, B))"
    )
    verdict = prove.bijective(text, where=facts)
    assert verdict.status == "refuted"
    assert verdict.counterexample is not None
    assert verdict.counterexample.sizes["B"] == 32
    grid = "map b < ceildiv(N, 32), c < ceildiv(M, 32), t < 32, k < 32 if b*32 + k < N"
    assert prove.bounded(f"{grid}: (b*32 + k, c*32 + t) in (N, M)").status == "refuted"


@pytest.mark.parametrize(
    ("text", "layout", "defined"),
    [
        ("map i < M: i", "(4):(1):(M)", lambda M, N: M <= 4),
        ("map i < M, j < N: i*3 + j", "(4,3):(3,1):(M,N)", lambda M, N: M <= 4 and N <= 3),
        ("map i < M: i", "f32[M]{0:PAD(N)}", lambda M, N: N >= M),
        ("map i < M: i", "f32[M]{0:T(N - 2)}", lambda M, N: N >= 3),
        ("map i < M: i", "f32[M]{0:T(N//2)}", lambda M, N: N >= 2),
    ],
)
def test_a_map_is_equal_to_a_layout_only_where_that_is_defined(text, layout, defined):
    names = [n for n in "MN" if n in text + layout.partition(":")[2]]
    for a, b in ((text, layout), (layout, text)):
        for numbers in product(range(1, 7), repeat=len(names)):
            sizes = {"M": 1, "N": 1, **dict(zip(names, numbers))}
            verdict = prove.equal(a, b, where=[f"{n} == {sizes[n]}" for n in names])
            assert verdict.status == ("proved" if defined(**sizes) else "refuted"), (a, b, sizes)
        verdict = prove.equal(a, b)
        assert verdict.refuted
        assert not defined(**{"M": 1, "N": 1, **verdict.counterexample.sizes})


@pytest.mark.parametrize(
    ("word", "text", "where"),
    [
        ("onto", "map g < G, b < B, i < M: (g*B + b)*M + i in N", "B*G*M >= N"),
        ("onto", "map g < G, b < 8, i < M, k < K: ((g*8 + b)*M + i)*K + k in N", "8*G*K*M > N"),
        ("onto", "map g < G, b < B, i < M: g + G*(b + B*i) in N*K", "B*G*M >= N*K"),
        ("holds", "N//(B*M) <= G", "N <= B*G*M"),
    ],
)
def test_a_fact_about_a_product_of_sizes_bounds_each(word, text, where):
    verdict = getattr(prove, word)(text, where=where)
    assert verdict.proved, verdict
    assert recheck(verdict.certificate).ok


def test_a_failure_stands_before_more_points_than_the_search_goes_through() -> None:
    claim = "map t < 1000, u < 1000 if t != u and t//2 == u//2: (t, u) in (1000, 1)"
    verdict = prove.bounded(claim)
    assert verdict.refuted
    assert verdict.counterexample is not None
    assert verdict.counterexample.coords == (0, 1)


@pytest.mark.parametrize(
    ("sign", "formula"), [("&", "{0}*y"), ("|", "{0} + y - {0}*y"), ("^", "{0} + y - 2*{0}*y")]
)
@pytest.mark.parametrize("values", [2, 3])
def test_an_operation_on_two_single_bits_is_a_sum(sign: str, formula: str, values: int) -> None:
    """And on a digit of three values it is none."""
    digit = f"(i%{values})"
    for text in (f"{digit} {sign} y", f"y {sign} {digit}"):
        box = "map i < N, y < 2:"
        verdict = prove.equal(f"{box} {text}", f"{box} {formula.format(digit)}")
        assert verdict.status == ("proved" if values == 2 else "refuted"), verdict


@pytest.mark.parametrize(
    ("a", "b", "status"),
    [
        # two maps without a point are equal, whatever their shapes
        ("map i < 0, j < 2: i in 4", "map i < 1, j < 0: i in 2", "proved"),
        ("map i < N, j < 0: i in 4", "map i < M, j < 0: i in 4", "proved"),
        ("map i < 0: i in 4", "map i < N: i in N", "refuted"),
        ("map i < N - 1: i in N", "map i < M - 1: i in M", "refuted"),
        ("map i < N//2, j < M: j in M", "map i < N//2, j < M: (2*j)//2 in M", "proved"),
        ("map i < M, j < N: j in N", "map i < N, j < M: j in M", "refuted"),
    ],
)
def test_maps_are_equal_by_value(a: str, b: str, status: str) -> None:
    for first, second in ((a, b), (b, a)):
        assert prove.equal(first, second).status == status


@pytest.mark.explore
@pytest.mark.parametrize("block", [8, 16, 32, 48])
def test_a_second_block_is_looked_at_beside_a_size_of_two(block):
    text = (
        f"map pid < ceildiv(M, 64)*ceildiv(N, 64), k < ceildiv(K, {block}), i < {block}, j < 64 "
        f"if i < K - {block}*k and pid%ceildiv(N, 64)*64 + j < N: "
        f"{block}*k*b + i*a + b*(j + 64*(pid%ceildiv(N, 64))) in K*a + N*b - a - b + 1"
    )
    verdict = prove.bounded(text, where=["M <= 4096", "N <= 4096", "K <= 4096"])
    assert verdict.status == "refuted"
    assert verdict.counterexample.sizes["K"] <= block + 1
    fixed = text.replace(f"{block}*k*b", f"{block}*k*a")
    assert prove.bounded(fixed, where=["M <= 4096", "N <= 4096", "K <= 4096"]).proved
