"""What the modules behind `tests/test_algebra_texts.py` promise each other."""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Callable
from itertools import product
from math import gcd

import pytest
from test_algebra_texts import DIVISIBLE

from symlayout import LayoutError, parse, tla
from symlayout.certificate.layouts import layout_map
from symlayout.expr.facts import COMPARE, Facts
from symlayout.expr.terms import value
from symlayout.layouts.applied import WORDS
from symlayout.layouts.doors.operations import FIRST, OPERATIONS, OPTIONS, OTHERS


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


def test_a_bound_that_is_no_multiple_is_rounded_up() -> None:
    """The number of copies, (2*M*N + 5)/8, has no integer coefficients."""
    made = parse("complement(2:4, 2*M*N + 5)").under([]).index_map()
    assert [value(d, {"M": 2, "N": 3}) for d in made.shape] == [4, 3]


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
