"""CuTe's operations in the texts of claims: what they are, proved under the claim's facts."""

from __future__ import annotations

import inspect
import json
import random
import re
from collections.abc import Callable
from itertools import product
from math import gcd

import pytest

from symlayout import LayoutError, parse, prove, tla
from symlayout.__main__ import main
from symlayout.certificate.kernel import recheck
from symlayout.certificate.layouts import layout_map
from symlayout.expr.facts import COMPARE, Facts
from symlayout.expr.terms import value
from symlayout.layouts.applied import WORDS
from symlayout.layouts.doors.operations import FIRST, OPERATIONS, OPTIONS, OTHERS

DIVISIBLE = ["M % BM == 0", "N % BN == 0"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_is_one_of_the_algebra(name: str) -> None:
    assert callable(getattr(tla, name))


# what an operation gives that is neither a layout nor something with one
PLAIN = {
    *("bool", "int", "str", "Size", "IntTuple", "Direction", "BankConflicts", "Coalescing"),
    *("Derivation", "tuple[Any, ...]"),
}


def test_every_operation_that_gives_a_layout_may_stand_for_one_or_says_why_not() -> None:
    expressions = [w for w in WORDS if w in tla.__all__]
    given = {getattr(tla, n) for n in (*OPERATIONS, *OTHERS, *expressions)}
    functions = {n: f for n in tla.__all__ if inspect.isfunction(f := getattr(tla, n))}
    open_ = {n for n, f in functions.items() if inspect.signature(f).return_annotation not in PLAIN}
    assert {n for n in open_ if functions[n] not in given} == set()
    assert {*OPERATIONS, *OTHERS} <= {*functions}
    assert {*FIRST, *OPTIONS} <= {*OPERATIONS}
    assert not {*OPERATIONS} & {*OTHERS}


@pytest.mark.parametrize("name", OTHERS)
def test_an_operation_that_gives_no_layout_says_what_it_gives(name: str) -> None:
    with pytest.raises(LayoutError, match=re.escape(OTHERS[name])) as error:
        parse(f"zipped_divide({name}((M,N):(N,1), 4), 8)")
    assert error.value.code == "SL100"


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


def test_every_operation_is_among_the_cases() -> None:
    cases = " ".join(text for text, _, _ in SYMBOLIC)
    assert [name for name in OPERATIONS if f"{name}(" not in cases] == []


@pytest.mark.parametrize(("text", "facts", "offsets"), SYMBOLIC)
def test_an_operation_is_what_it_is_in_plain_integers(
    text: str, facts: list[str], offsets: Offsets
) -> None:
    """The map that claims are about, at random sizes that satisfy the facts."""
    rng, made = random.Random(5), parse(text).under(facts).index_map()
    names, looked = list(inspect.signature(offsets).parameters), 0
    assert {*names} == {*made.symbols}
    known = [r for fact in facts for r in Facts.read(fact).relations]
    while looked < 12:
        env = {n: rng.randint(1, 6) for n in names}
        if not all(r.holds(env) for r in known):
            continue
        box = _box(*[value(d, env) for d in made.shape])
        asked = [{c.name: x for c, x in zip(made.coords, place)} | env for place in box]
        assert [value(made.raw, at) for at in asked] == offsets(**env), (text, env)
        looked += 1


@pytest.mark.parametrize(
    ("left", "right", "facts"),
    [
        ("slice_((_,0), zipped_divide((M,N):(N,1), (BM,BN)))", "((BM,BN)):((N,1))", DIVISIBLE),
        ("batch((M,N):(N,1), B)", "(B,M,N):(M*N,N,1)", []),
        ("max_common_layout((M,N):(1,M), (M,N):(1,ld))", "M:1", ["ld > M"]),
        ("domain_distribute((M,N), K)", "K:1", ["M % K == 0"]),
        ("left_inverse((M,N):(N,1), weak=True)", "right_inverse((M,N):(N,1))", []),
        ("coalesce(select(make_layout(M:1, N:2*M, 2:M), 0, 2, 1))", "2*M*N:1", []),
        ("recast(batch((M,N):(N,1), B), 8, 16)", "(B,M,N//2):(M*N//2,N//2,1)", ["N % 2 == 0"]),
        ("nullspace((M,N):(ld,0))", "N:M", ["ld >= 0", "ld >= 4"]),
    ],
)
def test_the_other_operations_are_proved(left: str, right: str, facts: list[str]) -> None:
    verdict = prove.equal(left, right, where=facts)
    assert verdict.proved, verdict
    assert verdict.certificate is None or recheck(verdict.certificate).ok


@pytest.mark.parametrize("name", ["filter", "filter_zeros", "nullspace"])
@pytest.mark.parametrize(("stride", "facts"), [("K", ["K >= 0"]), ("K - 1", []), ("J - K", [])])
def test_a_stride_that_may_be_zero_is_not_taken_for_another_one(
    name: str, stride: str, facts: list[str]
) -> None:
    with pytest.raises(LayoutError, match="is 0") as error:
        prove.injective(f"{name}((M,N):(1,{stride}))", where=facts)
    assert error.value.code == "SL801"


def test_formula_asks_under_the_facts(capsys: pytest.CaptureFixture[str]) -> None:
    from symlayout.__main__ import main

    layout = "composition((M,N):(N,1), (BM,BN):(1,M))"
    facts = [x for f in ("M % BM == 0", "BM <= M", "BN <= N") for x in ("--where", f)]
    assert main(["formula", layout, *facts]) == 0
    assert "i*N + j" in capsys.readouterr().out.replace("N*i", "i*N")


@pytest.mark.parametrize(
    ("word", "layouts", "facts"),
    [
        ("bijective", ["zipped_divide((M,N):(N,1), (16,8))"], ["M % 16 == 0", "N % 8 == 0"]),
        ("injective", ["zipped_divide((M,N):(1,ldc), (BM,BN))"], [*DIVISIBLE, "ldc >= M"]),
        (
            "equal",
            [
                "flat_divide((M,N):(N,1), (BM,BN))",
                "(BM,BN,M//BM,N//BN):(N,1,BM*N,BN)",
            ],
            DIVISIBLE,
        ),
        ("injective", ["tiled_divide(zN(f16,R,C), (16,16))"], ["R % 16 == 0", "C % 16 == 0"]),
        ("bijective", ["zipped_divide(memref<8x16xf32>, (4,4))"], []),
        ("bijective", ["zipped_divide(f32[M,N], (16,8))"], ["M % 16 == 0", "N % 8 == 0"]),
        ("bijective", ["logical_divide((M,N):(N,1), (BM,BN))"], DIVISIBLE),
        (
            "equal",
            [
                "logical_divide((M,N):(N,1), (BM:1, BN:1))",
                "((BM,M//BM),(BN,N//BN)):((N,BM*N),(1,BN))",
            ],
            DIVISIBLE,
        ),
        (
            "equal",
            ["composition((M,N):(N,1), (BM,BN):(1,M))", "(BM,BN):(N,1)"],
            ["M % BM == 0", "BM <= M", "BN <= N"],
        ),
        ("bijective", ["composition((M,N):(N,1), (M,N):(1,M))"], []),
        ("bijective", ["tile_to_shape((8,8):(8,1), (8*M,8*N))"], []),
        ("bijective", ["blocked_product((8,8):(8,1), (M,N):(N,1))"], []),
        ("bijective", ["raked_product((4,8):(8,1), (M,N):(N,1))"], []),
        ("bijective", ["logical_product((4,2):(2,1), (M,N):(N,1))"], []),
        ("injective", ["composition((M,N):(ld,1), (M,N):(1,M))"], ["ld >= N"]),
        ("bijective", ["upcast((M,N):(N,1), 2)"], ["N % 2 == 0"]),
        ("equal", ["upcast((M,N):(N,1), 2)", "(M,N//2):(N//2,1)"], ["N % 2 == 0"]),
        ("equal", ["coalesce((M,N):(N,1))", "N:1"], ["M == 1"]),
        ("equal", ["coalesce((M,1,N):(1,5,M))", "M*N:1"], []),
        ("equal", ["coalesce((2,(1,6)):(1,(6,2)))", "12:1"], []),
    ],
)
def test_divides_are_proved_and_certified(word: str, layouts: list[str], facts: list[str]) -> None:
    verdict = getattr(prove, word)(*layouts, where=facts)
    assert verdict.proved, verdict
    answer = recheck(verdict.certificate)
    assert answer.ok, answer.failures


def test_the_checker_s_operations_are_those_of_the_algebra() -> None:
    """At every coordinate of random layouts of numbers, the size included."""
    rng, compared = random.Random(3), 0
    while compared < 300:
        a, b = (
            f"({rng.randint(1, 4)},{rng.randint(1, 4)}):({rng.randint(0, 9)},{rng.randint(0, 9)})"
            for _ in "ab"
        )
        m, n, p, q = (rng.randint(1, 4) for _ in range(4))
        block = rng.choice([f"({m},{n}):(1,{m})", f"({m},{n}):({n},1)", a])
        text = rng.choice(
            [
                f"composition({a}, {b})",
                f"upcast({a}, {rng.choice([1, 2, 3, 4])})",
                f"blocked_product({block}, {b})",
                f"raked_product({block}, {b})",
                f"logical_product({block}, {b})",
                f"tile_to_shape({block}, ({m * p},{n * q}))",
            ]
        )
        try:
            made, apart = parse(text).index_map(), layout_map(text)
        except LayoutError:
            continue  # there is no such layout
        if not all(r.holds({}) for r in apart.demands):
            continue
        assert [int(d) for d in apart.shape] == [int(d) for d in made.shape], text
        for place in product(*[range(int(d)) for d in apart.shape]):
            env = {c.name: x for c, x in zip(apart.coords, place)}
            assert value(apart.raw, env) == made.offset(*place), (text, place)
        assert value(apart.size, {}) == int(made.size), text
        compared += 1


def test_a_layout_is_one_mode_for_the_checker_exactly_where_coalescing_gives_one() -> None:
    rng, one, more = random.Random(4), 0, 0
    while min(one, more) < 60:
        sizes = [rng.choice([1, 1, 2, 3]) for _ in range(rng.randint(1, 4))]
        steps, below = [], rng.randint(0, 2)
        for n in sizes:
            steps.append(below if n > 1 and rng.random() < 0.8 else rng.randint(0, 6))
            below *= n
        text = f"({','.join(map(str, sizes))}):({','.join(map(str, steps))})"
        whole = parse(text).index_map()
        flat = tla.coalesce(parse(text))
        found = layout_map(f"coalesce({text})")
        assert all(COMPARE[r.op](value(r.left, {}), value(r.right, {})) for r in found.demands)
        holds = len(found.shape) == 1
        assert holds == isinstance(flat.shape, int), text
        if not holds:
            more += 1
            continue
        one += 1
        (c,), points = found.coords, range(int(found.shape[0]))
        assert len(points) == flat.shape, text
        assert [value(found.raw, {c.name: x}) for x in points] == [flat(x) for x in points], text
        assert value(found.size, {}) == int(whole.size), text


@pytest.mark.parametrize(
    ("left", "right", "facts"),
    [
        ("composition((M,N):(N,1), (M,N):(1,M))", "(M,N):(N,1)", []),
        ("coalesce((M,N):(1,M))", "M*N:1", []),
        ("coalesce(composition((8,8):(1,8), (4,2):(1,4)))", "8:1", []),
        ("right_inverse((M,N):(N,1))", "(N,M):(M,1)", []),
        ("logical_divide((M,N):(N,1), (4:2, 8:1))",
         "((4,(2,M//8)),(8,N//8)):((2*N,(N,8*N)),(1,8))", ["M % 8 == 0", "N % 8 == 0"]),
        ("composition(Swizzle<2,0,2>, (8,4):(4,1))", "Swizzle(2,0,2) o 0 o (8,4):(4,1)", []),
        ("zipped_divide(S<2,0,2> o 0 o (8,4):(4,1), (4,2))",
         "Swizzle(2,0,2) o 0 o ((4,2),(2,2)):((4,1),(16,2))", []),
        ("logical_product((4,M):(1,4), 3:1)", "((4,M),3):((1,4),4*M)", []),
        ("zipped_divide((1,N):(N,1), (64,64))", "((64,64),(1,N//64)):((N,1),(0,64))", ["N % 64 == 0"]),
        ("zipped_divide((M,N):(N,1), (64,64))", "((64,64),(1,N//64)):((N,1),(0,64))",
         ["N % 64 == 0", "M == 1"]),
    ],
)  # fmt: skip
def test_operations_nest_and_equal_what_they_are(left: str, right: str, facts: list[str]) -> None:
    verdict = prove.equal(left, right, where=facts)
    assert verdict.proved, verdict
    assert verdict.certificate is None or recheck(verdict.certificate).ok


def test_a_wrong_answer_is_refuted() -> None:
    wrong = "((16,8),(M//16,N//8)):((N,1),(16,8))"
    verdict = prove.equal(
        "zipped_divide((M,N):(N,1), (16,8))", wrong, where=["M % 16 == 0", "N % 8 == 0"]
    )
    assert verdict.refuted
    assert verdict.counterexample.left != verdict.counterexample.right


def test_a_text_prints_as_it_reads() -> None:
    text = "zipped_divide(composition((M,N):(N,1), (8,8):(1,8)), (4,4))"
    assert str(parse(text)) == text
    assert parse(" cute::zipped_divide( (M,8):(8,1),(2,4) )") == parse(
        "zipped_divide((M,8):(8,1), (2,4))"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("zipped_divide((M,N):(N,1))", "SL100"),
        ("zipped_divide((M,N):(N,1), (2,2), 3)", "SL100"),
        ("zipped_divide((M,N):(N,1), (2,2)", "SL101"),
        ("zipped_divide((M,N):(N,1), (2,2)) x", "SL101"),
        ("left_inverse(4:1, strong=True)", "SL100"),
        ("left_inverse(4:1, weak=True, weak=True)", "SL100"),
        ("left_inverse(4:1, weak=3)", "SL100"),
        ("left_inverse(weak=True)", "SL100"),
        ("slice_((_,0))", "SL100"),
        ("append(4:1, 4:4, 2, rank=3)", "SL100"),
        ("tile_to_shape((8,8):(8,1), (8,8), (1,0), order=(1,0))", "SL100"),
        ("append(4:1, rank=1000000000)", "SL204"),
        ("prepend(4:1, 4:4, 1000000000)", "SL204"),
        ("domain_distribute(0, 0)", "SL102"),
        ("domain_distribute(-4, 4)", "SL102"),
        ("slice_((_,0,1), (M,N):(N,1))", "SL108"),
        ("get((M,N):(N,1), 5)", "SL108"),
        ("get((M,N):(N,1), M)", "SL203"),
        ("take((M,N):(N,1), 1, K)", "SL203"),
        ("group_modes((4,2):(1,4), 1:1, 1)", "SL203"),
        ("make_ordered_layout((M,N), (a,b))", "SL203"),
        ("domain_distribute((M,N), K)", "SL801"),
        ("domain_distribute((M,N), (K,2:1))", "SL203"),
        ("compose_swizzle(4:1, 4:1)", "SL107"),
        ("compose_swizzle(Swizzle<2,0,2>, Swizzle<2,0,2>)", "SL107"),
        ("make_layout(4:1, 3)", "SL107"),
        ("max_common_layout((M,N):(1,M), 4)", "SL107"),
        ("coalesce(" * 200 + "4:1" + ")" * 200, "SL204"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text).index_map()
    assert error.value.code == code


def test_what_facts_leave_open_is_said() -> None:
    with pytest.raises(LayoutError, match="divides"):
        prove.injective("composition((M,N):(N,1), (K,2):(1,K))")
    with pytest.raises(LayoutError, match="not a shape:stride"):
        prove.injective("coalesce(map i < M: i in M)")


def test_a_batch_of_a_layout_with_a_mode_of_no_sizes() -> None:
    made = parse("batch(group_modes((2,3):(3,1), 1, 1), 4)").index_map()
    assert made.offset(3, 1, 0, 2) == 3 * 6 + 5


def test_a_bound_that_is_no_multiple_is_rounded_up() -> None:
    """The number of copies, (2*M*N + 5)/8, has no integer coefficients."""
    made = parse("complement(2:4, 2*M*N + 5)").under([]).index_map()
    assert [value(d, {"M": 2, "N": 3}) for d in made.shape] == [4, 3]


@pytest.mark.parametrize(
    ("text", "facts", "reason"),
    [
        ("slice_((_,1), (M,N):(N,1))", [], "add N >= 2"),
        ("slice_((_,K), (M,8):(8,1))", [], "add K <= 7"),
        ("slice_layout((_,K-9), (M,8):(8,1))", ["K <= 12"], "the coordinate K - 9 is -8 at K = 1"),
        ("slice_((_,(K,_)), Swizzle<1,0,2> o 0 o (M,(N,2)):(2*N,(2,1)))", [], "K"),
        ("slice_((_,K), zipped_divide((M,8):(8,1), (2,2)))", ["M % 2 == 0"], "K"),
    ],
)
def test_a_slice_beyond_its_mode_is_not_defined(text: str, facts: list[str], reason: str) -> None:
    verdict = prove.equal(text, text, where=facts)
    assert verdict.refuted, verdict
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("slice_((_,1), (M,N):(N,1))", ["N >= 2"]),
        ("slice_((_,0), (M,N):(N,1))", []),
        ("slice_((_,K), (M,N):(N,1))", ["K < N"]),
        ("slice_((0,(_,K)), (M,(2,N)):(2*N,(N,1)))", ["0 <= K < N"]),
    ],
)
def test_a_slice_within_its_mode_is_defined_and_certified(text: str, facts: list[str]) -> None:
    verdict = prove.injective(text, where=facts)
    assert verdict.proved, verdict
    assert recheck(verdict.certificate).ok


MODES = {
    "logical_divide((8,8):(8,1), (4,4))": "((4,2),(4,2)):((8,32),(1,4))",
    "complement(4:2, 16)": "(2,2):(1,8)",
    "composition((8,8):(8,1), (4,2):(1,4))": "(4,2):(8,32)",
    "zipped_divide((8*M,4*N):(4*N,1), (8,4))": "((8,4),(M,N)):((4*N,1),(32*N,4))",
    "right_inverse((4,8):(8,1))": "(8,4):(4,1)",
    "raked_product((4,4):(4,1), (1,4):(1,1))": "((1,4),(4,4)):((0,4),(16,1))",
    "compose_swizzle(Swizzle<3,3,3>{}, (8,64):(64,1))": "Swizzle(3,3,3) o 0 o (8,64):(64,1)",
    "atom SM80_16x8x16_F32F16F16F32_TN C": "((4,8),(2,2)):((32,1),(16,8))",
    "tv ((4,8),(2,2)):((32,1),(16,8)) on (16,8)": "((4,8),(2,2)):((32,1),(16,8))",
}


@pytest.mark.parametrize("text", MODES)
def test_the_shape_and_strides_of_an_operation_are_the_first_line(text, capsys):
    assert main(["formula", text]) == 0
    assert capsys.readouterr().out.partition("\n")[0] == MODES[text]
    assert main(["formula", text, "--spelling", "cute"]) == 0
    assert capsys.readouterr().out == MODES[text] + "\n"
    assert main(["formula", text, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shape_stride"] == MODES[text]
    assert main(["show", text, "--size", "M=2,N=2"] if "M," in text else ["show", text]) == 0
    assert capsys.readouterr().out.partition("\n")[0] == MODES[text]


@pytest.mark.parametrize("text", ["(M,N):(N,1)", "zN(f16,M,N)", "f32[M,N]", "map i < M: i in M"])
def test_other_layouts_are_not_repeated(text, capsys):
    assert main(["formula", text, "--json"]) == 0
    assert "shape_stride" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("value", "said", "help"),
    [
        ((1, 4), "(1,4) has no strides", "(1,4):(1,1)"),
        (8, "8 has no strides", "8:1"),
        (object, "a value of type type is not a layout", "(M,N):(N,1)"),
        (None, "None is not a layout", "(M,N):(N,1)"),
    ],
)
def test_no_class_name_is_the_message_for_what_is_no_layout(value, said, help):
    with pytest.raises(LayoutError) as e:
        tla.raked_product("(32,8):(8,1)", value)
    assert said in e.value.message
    assert help in e.value.help


@pytest.mark.parametrize(
    ("a", "b", "note"),
    [
        ("logical_divide((8,8):(8,1), (4,4))", "(8,8):(8,1)", "((4,2),(4,2)) and (8,8)"),
        ("(8,8):(8,1)", "logical_divide((8,8):(8,1), (4,4))", "(8,8) and ((4,2),(4,2))"),
        ("((2,2),4):((1,2),4)", "(4,4):(1,4)", "((2,2),4) and (4,4)"),
        ("((M,2),4):((1,M),2*M)", "(2*M,4):(1,2*M)", "((M,2),4) and (2*M,4)"),
        ("((2,2),4):((1,2),4)", "((4,1),4):((1,9),4)", ""),
        ("Swizzle(1,0,2) o 0 o ((2,2),4):((1,2),4)", "Swizzle(1,0,2) o 0 o (4,4):(1,4)",
         "((2,2),4) and (4,4)"),
        ("(M,N):(N,1)", "f32[M,N]", ""),
        ("(M,N):(N,1)", "RowMajor(M,N)", ""),
    ],
)  # fmt: skip
def test_equal_layouts_that_nest_otherwise_are_told(a, b, note):
    verdict = prove.equal(a, b)
    assert verdict.proved
    said = verdict.details.get("nesting", "")
    assert said == (f"same function; nesting differs: {note}" if note else "")
    assert "nesting" not in prove.equal(a, a).details
