"""Operations on bits in different words are the same: swizzles, shifts, masks, `^`, `|`, `&`, `~`."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl

SWIZZLE = "Swizzle<3,3,3> o 0 o "
TILE = SWIZZLE + "(M,64):(64,1)"
MATRIX = SWIZZLE + "(M,N):(N,1)"
BY_64 = ["N % 64 == 0"]

# two texts, and facts
SAME: list[tuple[str, str, list[str]]] = [
    # a swizzle, and what people write for it
    (TILE, "map i < M, j < 64: i*64 + ((j//8 ^ i%8)*8) + j%8", []),
    (TILE, "map i < M, j < 64: i*64 + (j ^ ((i&7)<<3))", []),
    (TILE, "map i < M, j < 64: i*64 + (((j>>3) ^ (i&7))<<3 | (j&7))", []),
    (TILE, "map i < M, j < 64: (i*64 | j) ^ ((i*64 & 448) >> 3)", []),
    (MATRIX, "map i < M, j < N: (i*N + j) ^ (((i*N + j) >> 3) & 56)", []),
    (MATRIX, "map i < M, j < N: (i*N + j) ^ (((i*N + j) & 448) >> 3)", []),
    (MATRIX, "map i < M, j < N: (i*N + j) ^ ((i*N + j)//64%8*8)", []),
    (MATRIX, "map i < M, j < N: i*N + (j ^ (((i*N + j)//64 % 8) * 8))", BY_64),
    (MATRIX, "map i < M, j < N: i*N + (j//8 ^ (i*(N//64) + j//64) % 8) * 8 + j % 8", BY_64),
    (
        SWIZZLE + "(M,128):(128,1)",
        "map i < M, j < 128: i*128 + (j ^ (i%4*16 + j//64*8))",
        [],
    ),
    (
        "Swizzle<2,4,3> o 0 o (M,64):(64,1)",
        "map i < M, j < 64: i*64 + ((j//16 ^ (i//2%4))*16) + j%16",
        [],
    ),
    # the laws of a Boolean ring
    ("map i < M, j < N: i ^ j", "map i < M, j < N: i + j - 2*(i & j)", []),
    ("map i < M, j < N: i ^ j", "map i < M, j < N: (i | j) - (i & j)", []),
    ("map i < M, j < N: i ^ j", "map i < M, j < N: (i & ~j) | (j & ~i)", []),
    ("map i < M, j < N: ~(i & j)", "map i < M, j < N: ~i | ~j", []),
    ("map i < M, j < N, k < K: (i | j) | k", "map i < M, j < N, k < K: i | (k | j)", []),
    ("map i < M, j < N, k < K: (i & j) ^ (i & k)", "map i < M, j < N, k < K: i & (k ^ j)", []),
    ("map i < M, j < N, k < K: (i & j) | (i & k)", "map i < M, j < N, k < K: i & (k | j)", []),
    # shifts, masks and sums without carries
    ("map i < M, j < N: 2*(i ^ j)", "map i < M, j < N: (2*i) ^ (2*j)", []),
    ("map i < M, j < N: (i ^ j)//8", "map i < M, j < N: (i//8) ^ (j//8)", []),
    ("map i < M, j < N: (i ^ j)%8", "map i < M, j < N: (i%8) ^ (j%8)", []),
    ("map i < M, j < N: (8*i + 3) ^ (8*j)", "map i < M, j < N: 8*(i^j) + 3", []),
    (
        "map i < M, j < 8, k < N, l < 8: (8*i + j) ^ (8*k + l)",
        "map i < M, j < 8, k < N, l < 8: 8*(i^k) + (j^l)",
        [],
    ),
    ("map t < T: (t ^ (t >> 3)) & 7", "map t < T: (t & 7) ^ ((t >> 3) & 7)", []),
    ("map t < T: ((t & 16) >> 1) | (t & 7)", "map t < T: t//16%2*8 + t%8", []),
    ("map i < M: (i ^ (i >> 1)) & 1", "map i < M: (i % 2 + i//2%2) % 2", []),
    ("map i < M: (i ^ 7) ^ (i & 5)", "map i < M: (i & ~5) ^ 7", []),
    ("map i < M, j < N: (i*j ^ i) & 12", "map i < M, j < N: (i & 12) ^ (j*i & 12)", []),
]


@pytest.mark.sample(7)
@pytest.mark.parametrize(("a", "b", "facts"), SAME)
def test_the_same_in_other_words(a: str, b: str, facts: list[str]) -> None:
    """The other way round than in the corpus."""
    verdict = sl.prove.equal(b, a, where=facts)
    assert verdict.status == "proved", verdict.reason
    assert verdict.certificate is not None
    assert sl.recheck(verdict.certificate, f'equal "{b}" "{a}"', facts).ok


def test_what_is_tried_in_vain_leaves_the_whole_proof_its_steps() -> None:
    """A brief proof and a more general one take nearly as many steps as one proof may."""
    a, b, facts = SAME[-1]
    assert sl.prove.equal(a, b, where=facts).status == "proved"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("layout", "text", "facts"),
    [
        (TILE, "i*64 + (j ^ ((i & 7) << 3))", []),
        (TILE, "i*64 + ((j//8 ^ i%8)*8) + j%8", []),
        (MATRIX, "(i*N + j) ^ (((i*N + j) & 448) >> 3)", BY_64),
        (MATRIX, "i*N + (j ^ (((i*N + j)//64 % 8) * 8))", BY_64),
    ],
)
def test_the_formula_of_a_swizzle(layout: str, text: str, facts: list[str]) -> None:
    verdict = sl.prove.formula(layout, text, where=facts)
    assert verdict.status == "proved"
    assert sl.recheck(verdict.certificate, f'formula "{layout}" "{text}"', facts).ok


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("bijective", "map i < M, j < 64: i*64 + (((j>>3) ^ (i&7))<<3 | (j&7)) in M*64"),
        ("bijective", "map i < M, j < 64: (i*64) | (((j>>3) ^ (i&7))<<3) | (j&7) in M*64"),
        ("bijective", "map x < M*8: (x & ~7) | ((x & 7) ^ ((x >> 3) & 7)) in M*8"),
        ("onto", "map x < M*64: (x & ~63) | ((x & 56) ^ ((x & 448) >> 3)) | (x & 7) in M*64"),
        ("bounded", "map x < M*8: (x & ~7) | ((x & 7) ^ ((x >> 3) & 7)) in M*8"),
        ("injective", "map i < M, j < 8: ((i << 3) | j) ^ (i & 7)"),
    ],
)
def test_places_in_other_words(word: str, text: str) -> None:
    verdict = getattr(sl.prove, word)(text)
    assert verdict.status == "proved"
    assert sl.recheck(verdict.certificate, f'{word} "{text}"', []).ok


@pytest.mark.parametrize(
    ("a", "b", "facts", "sizes"),
    [
        # a row further, the swizzle is another one
        (MATRIX, "map i < M, j < N: i*N + (j ^ i%8*8)", ["N % 512 == 64"], {"M": 1, "N": 576}),
        (TILE, "Swizzle<2,3,3> o 0 o (M,64):(64,1)", [], {"M": 5}),
        (TILE, "map i < M, j < 64: i*64 + (j ^ ((i & 7) << 2))", [], {"M": 2}),
        ("map i < M, j < N: i ^ j", "map i < M, j < N: i + j", [], {"M": 2, "N": 2}),
        ("map i < M, j < 9: 8*i ^ j", "map i < M, j < 9: 8*i + j", [], {"M": 2}),
        ("map i < M, j < N: i ^ (j + 1)", "map i < M, j < N: i ^ j ^ 1", [], {"M": 1, "N": 2}),
        ("map i < M: (i ^ 8) % 8", "map i < M: (i ^ 4) % 8", [], {"M": 1}),
    ],
)
def test_what_is_not_the_same(a: str, b: str, facts: list[str], sizes: dict[str, int]) -> None:
    verdict = sl.prove.equal(a, b, where=facts)
    assert verdict.status == "refuted"
    assert verdict.counterexample.sizes == sizes


# -- random texts ----------------------------------------------------------------------------------


WORDS = {
    "^": ("({a} | {b}) - ({a} & {b})", "{b} ^ {a}", "({a} & ~{b}) | ({b} & ~{a})"),
    "|": ("{a} + {b} - ({a} & {b})", "{b} | {a}", "{a} ^ {b} ^ ({a} & {b})"),
    "&": ("{a} + {b} - ({a} | {b})", "{b} & {a}", "~(~{a} | ~{b})"),
    "+": ("{b} + {a}", "({a} ^ {b}) + 2*({a} & {b})", "{a} + {b}"),
}
LEAVES = st.sampled_from(["i", "j", "k"])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("^|&+"), inner, inner),
        st.tuples(st.sampled_from(["<<", ">>", "%"]), inner, st.integers(1, 3)),
    ),
    max_leaves=5,
)


def text(tree: object, rng: random.Random | None) -> str:
    """The text of a tree, in other words where a generator chooses some."""
    if isinstance(tree, str):
        return tree
    assert isinstance(tree, tuple)
    op, first, second = tree
    if op in ("<<", ">>", "%"):
        number = 2**second if op == "%" else second
        return f"({text(first, rng)} {op} {number})"
    a, b = text(first, rng), text(second, rng)
    form = f"{{a}} {op} {{b}}" if rng is None else rng.choice(WORDS[op])
    return f"({form.format(a=a, b=b)})"


@settings(max_examples=15, deadline=None)
@given(TREES, st.integers(0, 10**6), st.booleans())
def test_random_words(tree: object, seed: int, other: bool) -> None:
    """What is proved is true at all small sizes; what is refuted is false; most is proved."""
    a, b = text(tree, None), text(tree, random.Random(seed))
    b = f"{b} + (k & 1)" if other else b
    domain = "map i < M, j < 8, k < N"
    verdict = sl.prove.equal(f"{domain}: {a}", f"{domain}: {b}")
    points = product(range(12), range(8), range(12))
    same = all(eval(a, {}, p) == eval(b, {}, p) for p in (dict(zip("ijk", v)) for v in points))
    assert verdict.status == ("proved" if same else "refuted"), (a, b, verdict.reason)
