"""CuTe's operations in the texts of claims: what they are, proved under the claim's facts."""

from __future__ import annotations

import random
from itertools import product

import pytest

from symlayout import LayoutError, parse, prove, tla
from symlayout.certificate.kernel import recheck
from symlayout.certificate.layouts import layout_map
from symlayout.expr.terms import value
from symlayout.layouts.doors.operations import OPERATIONS

DIVISIBLE = ["M % BM == 0", "N % BN == 0"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_is_one_of_the_algebra(name: str) -> None:
    assert callable(getattr(tla, name))


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
    with pytest.raises(LayoutError, match="no shape:stride"):
        prove.injective("coalesce(map i < M: i in M)")
